"""A full disk or memory, and a reader that goes away, end a command in one line.

The faults are real: processes run into limits of the system.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import refused
from cli_toy import FAST, listing

import bayesbias as bb
from bayesbias.cli import main


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
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},  # a limited process cuts .pyc files off
    )


@pytest.mark.slow  # processes start
@pytest.mark.parametrize(
    ("arguments", "limit"),
    [
        ("table toy.toml -v toy.txt -o full.csv", 500),
        ("fit there.csv --draws 200 -o full.nc", 500),
        (f"run toy.toml -v toy.txt {' '.join(FAST)} -o out", 30_000),
    ],
)
@pytest.mark.usefixtures("toy")
def test_a_full_disk_stops_a_command_in_one_line(arguments: str, limit: int) -> None:
    """There is no traceback and no ignored exception at exit, even from HDF5's file in memory."""
    assert main([*["table", "toy.toml", "-v", "toy.txt", "-o", "there.csv", "-q"]]) == 0
    before = listing(Path())
    run = command(arguments, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert run.returncode == 2
    *warnings_before, last = run.stderr.splitlines()
    assert all(line.startswith("bayesbias: warning: ") for line in warnings_before)
    assert last.startswith(f"bayesbias: {arguments.rsplit(maxsplit=1)[-1]}: ")
    assert "File too large" in last
    assert listing(Path()) == before


@pytest.mark.slow  # a process starts
@pytest.mark.usefixtures("toy")
def test_a_table_larger_than_the_memory_is_refused_with_the_size_needed() -> None:
    with Path("big.csv").open("w") as file:
        file.write("protected_word,attribute,connection,cosine_distance\n")
        file.writelines(["he,nurse,different,0.9\n" * 100_000] * 240)  # .55 GB
    memory = 3 << 30, 3 << 30
    run = command("fit big.csv -o p.nc", lambda: resource.setrlimit(resource.RLIMIT_AS, memory))
    needed = "bayesbias: there is not enough memory: reading big.csv needs about 4.4 GB\n"
    assert (run.returncode, run.stderr) == (2, needed)


@pytest.mark.usefixtures("toy")
def test_a_fit_that_needs_more_than_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert main([*["table", "toy.toml", "-v", "toy.txt", "-o", "there.csv", "-q"]]) == 0
    monkeypatch.setattr("bayesbias.sampling.fit.MEMORY_PER_ROW", 1e15)
    refused(r"fitting \d+ rows", bb.fit, bb.read_table("there.csv"), "paper", error=MemoryError)


@pytest.mark.slow  # processes start
@pytest.mark.parametrize("arguments", ["lists", "--help"])
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
