"""A killed or failing write leaves the old file or folder and no half of a new one."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from bayesbias._core.files import file_names, replace_file, replace_folder, restore_folder

WRITE_AND_HANG = """
import sys, time
from bayesbias._core.files import replace_file
with replace_file(sys.argv[1]) as temporary:
    temporary.write_text("half")
    print("writing", flush=True)
    time.sleep(60)
"""


def fail_half_way(path: Path) -> None:
    with replace_file(path) as temporary:
        temporary.write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_finished_write_takes_the_place_of_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "table.csv.gz"
    path.write_text("old")
    with replace_file(path) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffixes == [".csv", ".gz"]
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failing_write_leaves_the_old_file_alone_and_tells_its_name(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old")
    with pytest.raises(OSError, match="No space left") as told:
        fail_half_way(path)
    assert told.value.filename == str(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_killed_write_leaves_the_final_name_alone(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old")
    command = [sys.executable, "-c", WRITE_AND_HANG, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        process.send_signal(signal.SIGKILL)
    assert path.read_text() == "old"


def test_the_file_has_the_permissions_that_open_would_give(tmp_path: Path) -> None:
    path, plain = tmp_path / "a.csv", tmp_path / "plain"
    plain.touch()
    with replace_file(path) as temporary:
        temporary.write_text("x")
    assert os.stat(path).st_mode == os.stat(plain).st_mode


def test_places_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder; give the name of a file"):
        replace_file(tmp_path).__enter__()
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        replace_file(tmp_path / "nowhere" / "a.csv").__enter__()


def fill(folder: Path, text: str, names: Sequence[str] = ("a.csv", "plots/b.png")) -> None:
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


def contents(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text() for name in file_names(folder)}


def fail_in_folder(folder: Path) -> None:
    with replace_folder(folder) as new:
        fill(new, "half")
        raise OSError(errno.ENOSPC, "No space left on device", str(new / "b.csv"))


def test_a_new_folder_appears_with_its_parents_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "a" / "b"
    with pytest.raises(OSError, match="while its results were written; make room") as told:
        fail_in_folder(out)
    assert told.value.filename == str(out)
    assert not (tmp_path / "a").exists()
    with replace_folder(out) as new:
        fill(new, "new")
        assert not out.exists()
    assert contents(out) == {"a.csv": "new", "plots/b.png": "new"}
    assert list(out.parent.iterdir()) == [out]
    made = tmp_path / "made"
    made.mkdir()
    assert out.stat().st_mode == made.stat().st_mode


@pytest.mark.parametrize("inside", [False, True])
def test_a_folder_is_replaced_and_files_of_others_stay(
    inside: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the working directory, which keeps its place."""
    out = tmp_path / "out"
    fill(tmp_path, "old", ["out/a.csv", "out/gone.csv", "out/mine.txt"])
    (out / "mine").mkdir(mode=0o700)
    fill(out / "mine", "old", ["deep.txt"])
    (out / "link").symlink_to("nowhere")
    number = out.stat().st_ino
    if inside:
        monkeypatch.chdir(out)
    with replace_folder(Path() if inside else out, lambda _: {"gone.csv"}) as new:
        fill(new, "new")
    (out / "link").unlink()
    expected = {"a.csv": "new", "plots/b.png": "new", "mine.txt": "old", "mine/deep.txt": "old"}
    assert contents(out) == expected
    assert (out / "mine").stat().st_mode & 0o777 == 0o700
    assert (out.stat().st_ino == number) is inside
    assert list(tmp_path.iterdir()) == [out]


def test_where_there_are_no_links_files_of_others_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    fill(tmp_path, "old", ["out/mine.txt"])
    monkeypatch.setattr(os, "link", refuse)
    with replace_folder(tmp_path / "out") as new:
        fill(new, "new", ["a.csv"])
    assert contents(tmp_path / "out") == {"a.csv": "new", "mine.txt": "old"}


def test_what_must_not_be_replaced_stays(tmp_path: Path) -> None:
    def refuse(names: set[str]) -> set[str]:
        raise ValueError(f"{sorted(names)} may not be written")

    fill(tmp_path, "old", ["out/a.csv"])
    with (
        pytest.raises(ValueError, match=r"'a\.csv', 'plots/b\.png'"),
        replace_folder(tmp_path / "out", refuse) as new,
    ):
        fill(new, "new")
    with (
        pytest.raises(IsADirectoryError, match="out is a folder, and a result has that name"),
        replace_folder(tmp_path) as new,
    ):
        fill(new, "new", ["out"])
    with pytest.raises(FileExistsError), replace_folder(tmp_path / "out") as new:
        fill(new, "new", ["a.csv/b"])
    assert contents(tmp_path) == {"out/a.csv": "old"}


EVERY_MOMENT = """
import os, signal, sys
from pathlib import Path
from bayesbias._core.files import replace_folder
out, inside = Path(sys.argv[1]), sys.argv[2] == "inside"
WRITES = {f"os.{name}" for name in ("mkdir", "link", "rename", "remove", "rmdir", "chmod")}

def write(text, moment=0):
    def strike(event, _):
        nonlocal moment
        if event == "open" or event in WRITES:
            moment -= 1
            if not moment:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(strike)
    with replace_folder(out, lambda _: {"old.csv"}) as new:
        (new / "plots").mkdir()
        for name in ("a.csv", f"{text}.csv", "plots/b.png", "run.json"):
            (new / name).write_text(text)

if inside:
    os.chdir(out)
write(sys.argv[3], int(sys.argv[4]))
"""


def whole(files: Mapping[str, str]) -> bool:
    """Whether there are all files of one run, and none of the other."""
    names = ["a.csv", "plots/b.png", "run.json"]
    return any(files == dict.fromkeys([*names, f"{run}.csv"], run) for run in ("old", "new"))


@pytest.mark.parametrize("place", ["beside", "inside"])
def test_a_kill_at_any_moment_leaves_one_run_or_the_other(place: str, tmp_path: Path) -> None:
    """The process kills itself before its nth call that changes files, for every n.

    In the working directory some files may be missing, and never are there two runs.
    """
    out, absent = tmp_path / "out", 0
    for moment in range(1, 200):
        shutil.rmtree(out, ignore_errors=True)
        fill(tmp_path, "mine", ["out/mine.txt", "out/plots/mine.png"])
        fill(out, "old", ["a.csv", "old.csv", "plots/b.png", "run.json"])
        command = [sys.executable, "-c", EVERY_MOMENT, out, place, "new", str(moment)]
        code = subprocess.run(command, check=False).returncode
        if not out.exists():
            absent += 1
            with pytest.warns(RuntimeWarning, match="what was there before is back"):
                restore_folder(out)
        restore_folder(out)
        files = {name: text for name, text in contents(out).items() if ".writing/" not in name}
        assert files.pop("mine.txt") == files.pop("plots/mine.png") == "mine"
        assert whole(files) or (place == "inside" and len(set(files.values())) <= 1)
        if code == 0:
            break
        assert code == -signal.SIGKILL
        for left in [*tmp_path.glob(".*.writing"), *out.glob(".*.writing")]:
            shutil.rmtree(left)
    assert absent == (place == "beside"), "there is one moment without a folder"
    assert set(files.values()) == {"new"}
    assert moment > 20
    assert list(tmp_path.iterdir()) == [out]


def test_leftovers_of_killed_runs_go_when_they_are_old(tmp_path: Path) -> None:
    out = tmp_path / "out"
    old, new, other = (tmp_path / f".{name}.writing" for name in ("out.x", "out.y", "outer.x"))
    for folder in (old, new, other):
        folder.mkdir()
    for folder in (old, other):
        os.utime(folder, (0, 0))
    restore_folder(out)
    assert sorted(tmp_path.iterdir()) == [new, other]
