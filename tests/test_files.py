"""A killed or failing write leaves the old file or folder, never a partial new one."""

import errno
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from builders import refused
from moments import states

import bayesbias as bb
from bayesbias._core.files import file_names, file_stems, recover, replace_file, replace_folder
from bayesbias.warnings import RunWasStopped


def fill(folder: Path, text: str, names: Sequence[str] = ("a.csv", "plots/b.png")) -> None:
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


def contents(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text() for name in file_names(folder)}


def write_file(path: Path, error: Exception | None = None) -> None:
    with replace_file(path) as temporary:
        temporary.write_text("new")
        if error:
            raise error


def write_folder(
    out: Path, names: Sequence[str] = ("a.csv",), error: Exception | None = None
) -> None:
    with replace_folder(out, lambda _: {"old.csv"}) as new:
        fill(new, "new", names)
        if error:
            raise error


def test_names_of_files_have_no_slash_and_are_not_alike() -> None:
    """Some file systems do not tell case apart."""
    names = ["log p/token", "log p token", "LOG-p-token", "a.b_c-é"]
    stems = ["log-p-token", "log-p-token-2", "LOG-p-token-3", "a.b_c-é"]
    assert file_stems(names) == dict(zip(names, stems, strict=True))


def test_a_file_appears_whole_with_the_permissions_that_open_gives(tmp_path: Path) -> None:
    path, plain = tmp_path / "table.csv.gz", tmp_path / "plain"
    plain.touch()
    path.write_text("old")
    with replace_file(path) as temporary:
        assert temporary.name == path.name  # writers choose the format by it
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert contents(tmp_path) == {"table.csv.gz": "new", "plain": ""}
    assert path.stat().st_mode == plain.stat().st_mode


def test_a_folder_is_replaced_and_files_of_others_stay(tmp_path: Path) -> None:
    out = tmp_path / "above" / "out"
    write_folder(out)
    for place in (out, out / "mine"):
        fill(place, "old", ["a.csv", "deep.txt"])
    (out / "old.csv").write_text("old")
    (out / "link").symlink_to("nowhere")
    (out / "mine").chmod(0o700)
    expected = {"a.csv": "new", "deep.txt": "old", "mine/a.csv": "old", "mine/deep.txt": "old"}
    write_folder(out)
    assert (out / "link").is_symlink()
    assert (out / "mine").stat().st_mode & 0o777 == 0o700
    (out / "link").unlink()
    assert contents(out) == expected
    assert os.listdir(out.parent) == ["out"]


FULL = OSError(errno.ENOSPC, "No space left on device")
REFUSALS: list[tuple[Callable[[Path], object], str]] = [
    (write_file, "is a folder; give the name of a file"),
    (lambda here: write_file(here / "none" / "a.csv"), "there is no folder "),
    (lambda here: write_file(here / "a.csv", FULL), "; free up disk space, or choose"),
    (lambda here: write_folder(here / "out", error=FULL), "; free up disk space, or choose"),
    (lambda here: write_folder(here / "out", error=ValueError("odd")), "odd"),
    (lambda here: write_folder(here / "out", ["plots"]), "cannot keep .*/plots with the "),
    (lambda here: write_folder(Path()), "is the working directory or a mount point"),
    (lambda here: recover(Path("/proc")), "such as /proc/results"),
]


@pytest.mark.parametrize(("call", "fragment"), REFUSALS)
def test_what_cannot_be_written_leaves_everything_as_it_was(
    call: Callable[[Path], object], fragment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fill(tmp_path, "old", ["a.csv", "out/a.csv", "out/old.csv"])
    fill(tmp_path / "out", "old", ["plots/b.png"])
    before = contents(tmp_path)
    refused(fragment, call, tmp_path, error=Exception)
    assert contents(tmp_path) == before
    assert sorted(os.listdir()) == ["a.csv", "out"]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_kill_at_any_moment_leaves_the_old_or_the_new(kind: str, tmp_path: Path) -> None:
    """The next start restores or removes the remains of the killed run, and reports it."""
    base = tmp_path / "base"
    fill(tmp_path, "old", ["base/mine.txt"])
    fill(base, "old", ["out/a.csv", "out/old.csv", "out/b.csv"])

    def write() -> None:
        if kind == "folder":
            write_folder(base / "out", ["a.csv", "new.csv"])
        else:
            write_file(base / "out" / "a.csv")

    seen, told = [], 0
    for copy in states(base, tmp_path / "copies", write):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            recover(copy / "out" if kind == "folder" else copy / "out" / "a.csv")
        told += len(caught)
        found = contents(copy / "out")
        seen.append(found.pop("a.csv"))
        expected = {"b.csv": "old", "old.csv": "old"}
        if kind == "folder" and seen[-1] == "new":
            expected = {"b.csv": "old", "new.csv": "new"}
        assert found == expected
        assert contents(copy)["mine.txt"] == "old"
        assert len(os.listdir(copy)) == 2
    assert seen == sorted(seen, reverse=True)
    assert set(seen) == {"old", "new"}
    assert told >= 1


def test_an_interrupt_between_two_renames_puts_the_old_folder_back(tmp_path, monkeypatch) -> None:
    fill(tmp_path, "old", ["out/a.csv"])
    rename = Path.rename

    def stop(source: Path, target: Path) -> Path:
        if target.name == "out" and source.name != "old":
            raise KeyboardInterrupt
        return rename(source, target)

    monkeypatch.setattr(Path, "rename", stop)
    with pytest.raises(KeyboardInterrupt):
        write_folder(tmp_path / "out")
    assert contents(tmp_path) == {"out/a.csv": "old"}


WRITE_AND_HANG = """
import sys, time
from pathlib import Path
from bayesbias._core.files import replace_file, replace_folder
with replace_folder(sys.argv[1]) as folder, replace_file(sys.argv[2]) as file:
    (folder / "a.csv").write_text("half")
    file.write_text("half")
    print("writing", flush=True)
    time.sleep(60)
"""


def test_a_second_writer_is_refused_until_the_first_ends_or_dies(tmp_path: Path) -> None:
    fill(tmp_path, "old", ["out/a.csv", "b.csv"])
    writers = ((write_folder, tmp_path / "out"), (write_file, tmp_path / "b.csv"))
    command = [sys.executable, "-c", WRITE_AND_HANG, *(str(path) for _, path in writers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        for write, path in writers:
            for call in (write, recover):
                refused("another run is writing", call, path, error=BlockingIOError)
        process.kill()
    for write, path in writers:
        assert "old" in (path.read_text() if path.is_file() else contents(path).values())
        with pytest.warns(RunWasStopped) as told:
            write(path)
        assert not told[0].message.restored
    assert contents(tmp_path) == {"out/a.csv": "new", "b.csv": "new"}


@pytest.mark.seconds
def test_a_tilde_is_the_home_folder_wherever_files_are_written_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    for folder in (home, here):
        folder.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(here)
    table = bb.distance_table("glove-demo", "weat1")
    bb.write_table(table, "~/t.csv")
    assert bb.read_table("~/t.csv").equals(table)
    bb.save_posterior(bb.fit(table, "paper", draws=50, chains=1), "~/p.nc")
    assert bb.load_posterior("~/p.nc").attrs["model"] == "paper"
    bb.save_vectors(bb.load_vectors("glove-demo", ["she", "he"]), "~/v.npz")
    bb.convert_vectors("~/v.npz", "~/v", progressbar=False)
    assert len(bb.load_vectors("~/v")) == 2
    assert not [*here.iterdir()]
