"""Full disks, closed folders, killed processes, closed pipes: the old file or a whole new one.

What is refused is refused in real processes, by the limits of the system, not by a pretence. The
superuser, whom permissions do not stop, gives up the two rights that let it pass them.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_toy import FAST, listing

import bayesbias as bb
from bayesbias.cli import main

WRITERS = """
import os, resource, signal, sys, warnings
from pathlib import Path
import numpy as np
import bayesbias as bb

warnings.simplefilter("ignore")
how, folder = sys.argv[1], Path(sys.argv[2])
vectors = bb.load_vectors("glove-demo", bb.load_wordlist("weat7"))
words = bb.load_wordlist("weat7")
table = bb.distance_table(vectors, words)
post = bb.fit(table, "paper", draws=200, chains=2, seed=1)
axes = bb.plots.distributions(table)
writers = {
    "table.csv": lambda path: bb.write_table(table, path),
    "table.parquet": lambda path: bb.write_table(table, path),
    "vectors.npz": lambda path: bb.save_vectors(vectors, path),
    "post.nc": lambda path: bb.save_posterior(post, path),
    "plot": lambda path: bb.plots.save(axes, path),
    "native": lambda path: bb.convert_vectors(vectors, path, force=True),
}

def attempt(name, limit):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        writers[name](folder / name)
    except Exception as error:
        print(name, type(error).__name__, str(error).replace(chr(10), " "), sep="|", flush=True)
    else:
        print(name, "written", "", sep="|", flush=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)

for name in writers:
    attempt(name, resource.RLIM_INFINITY)  # an old file is there, whole
    if how == "full":
        attempt(name, 1000)
    elif (child := os.fork()) == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # the limit kills in the middle of writing
        attempt(name, 1000)
        os._exit(0)
    else:
        print(name, "signal", os.WTERMSIG(os.waitpid(child, 0)[1]), sep="|", flush=True)
"""

FILES = {"table.csv", "table.parquet", "table.cosines.csv", "vectors.npz", "post.nc"}
FILES |= {"native/vectors.npy", "native/words.txt", "plot.png", "plot.svg"}


@pytest.mark.slow  # twelve writings, in a process of their own that starts PyMC
@pytest.mark.parametrize("how", ["full", "killed"])
def test_writers_that_are_stopped_keep_the_old_file(how: str, tmp_path: Path) -> None:
    code = [sys.executable, "-W", "ignore", "-c", WRITERS, how, str(tmp_path)]
    run = subprocess.run(code, capture_output=True, text=True, timeout=240, check=True)
    lines = [line.split("|") for line in run.stdout.splitlines()]
    stopped = ["OSError"] if how == "full" else ["signal", str(int(signal.SIGXFSZ))]
    for (name, first, _), (_, *second) in zip(lines[::2], lines[1::2], strict=True):
        assert (first, second[: len(stopped)]) == ("written", stopped), name
    found = {name: content for name, content in listing(tmp_path).items() if "/." not in f"/{name}"}
    assert set(found) == FILES
    assert min(map(len, found.values())) > 100  # none was cut off
    assert how == "killed" or [path.name for path in tmp_path.rglob(".*")] == []
    bb.read_table(tmp_path / "table.csv")
    bb.read_table(tmp_path / "table.parquet")
    bb.load_vectors(tmp_path / "vectors.npz")
    bb.load_vectors(tmp_path / "native")
    bb.load_posterior(tmp_path / "post.nc")


def give_up_rights() -> None:
    """Drop CAP_DAC_OVERRIDE (1) and CAP_DAC_READ_SEARCH (2) for what is started next."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (1, 2):
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def command(
    arguments: str, before: Callable[[], object] | None = None, stdout: Any = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bayesbias", *arguments.split()],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=before,
    )


RUN = f"run toy.toml -v toy.txt {' '.join(FAST)} -o out"


@pytest.mark.parametrize(
    ("arguments", "limit"),
    [
        ("table toy.toml -v toy.txt -o full.csv", 500),
        pytest.param("fit there.csv --draws 200 -o full.nc", 500, marks=pytest.mark.slow),
        pytest.param(RUN, 30_000, marks=pytest.mark.slow),
    ],
)
@pytest.mark.usefixtures("toy")
def test_a_full_disk_stops_a_command_in_one_line(arguments: str, limit: int) -> None:
    """With no traceback and no ignored exception at the exit, also from HDF5's file in memory."""
    assert main([*["table", "toy.toml", "-v", "toy.txt", "-o", "there.csv", "-q"]]) == 0
    before = listing(Path())
    run = command(arguments, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert run.returncode == 2
    *warnings_before, last = run.stderr.splitlines()
    assert all(line.startswith("bayesbias: warning: ") for line in warnings_before)
    assert last.startswith(f"bayesbias: {arguments.rsplit(maxsplit=1)[-1]}: ")
    assert "File too large" in last
    assert listing(Path()) == before


@pytest.mark.usefixtures("toy")
def test_a_closed_folder_and_an_unreadable_file() -> None:
    Path("closed").mkdir(mode=0o500)
    run = command("table toy.toml -v toy.txt -o closed/t.csv", give_up_rights)
    assert (run.returncode, os.listdir("closed")) == (2, [])
    assert run.stderr.startswith("bayesbias: ")
    assert "closed" in run.stderr
    assert "Permission denied" in run.stderr
    for name in ("toy.txt", "toy.toml"):
        Path(name).chmod(0o000)
        run = command("table toy.toml -v toy.txt -o t.csv", give_up_rights)
        Path(name).chmod(0o600)
        assert (run.returncode, run.stderr) == (2, f"bayesbias: {name}: Permission denied\n")
    assert not Path("t.csv").exists()


@pytest.mark.parametrize("arguments", ["lists", "lists show religion", "--help"])
def test_a_reader_that_goes_away_is_no_error_and_a_full_stdout_is_told(arguments: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    run = command(arguments, stdout=writing)
    os.close(writing)
    assert (run.returncode, run.stderr) == (141, "")
    if arguments == "lists":
        with Path("/dev/full").open("w") as full:
            run = command(arguments, stdout=full)
        assert run.returncode == 2
        assert "No space left" in run.stderr
        assert "Traceback" not in run.stderr
