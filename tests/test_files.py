"""A killed or failing write leaves the old file or folder and no half of a new one."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import moments
import pytest
from moments import states

from bayesbias._core import files
from bayesbias._core.files import (
    file_names,
    is_written,
    record_writes,
    recover,
    replace_file,
    replace_files,
    replace_folder,
)

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
        assert temporary.name == path.name
        assert temporary.is_relative_to(tmp_path)
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


def write_folder(out: Path, text: str) -> None:
    with replace_folder(out, lambda _: {"old.csv"}) as new:
        fill(new, text, ["a.csv", f"{text}.csv", "plots/b.png", "run.json"])


def whole(folder: Path) -> str:
    """Return whose results a folder holds, and check that there are all of them, and no others."""
    found = contents(folder)
    assert found.pop("mine.txt") == found.pop("plots/mine.png") == "mine"
    run = found["run.json"]
    assert found == dict.fromkeys(["a.csv", "plots/b.png", "run.json", f"{run}.csv"], run)
    return run


@pytest.mark.parametrize("place", ["beside", "beside, without exchange", "inside"])
def test_a_kill_at_any_moment_leaves_one_run_or_the_other(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, or where names cannot be exchanged, after the next start."""
    base = tmp_path / "base"
    out = base / "out"
    out.mkdir(parents=True)
    fill(out, "mine", ["mine.txt", "plots/mine.png"])
    fill(out, "old", ["a.csv", "old.csv", "plots/b.png", "run.json"])
    if place == "inside":
        monkeypatch.chdir(out)
    if place == "beside, without exchange":
        monkeypatch.setattr(files, "_exchange", lambda *_: False)
    copies = states(base, tmp_path / "copies", lambda: write_folder(out, "new"))
    monkeypatch.chdir(tmp_path)
    found = []
    for each in copies:
        if place != "beside":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that a killed run's results are there now
                recover(each / "out")
            assert [path.name for path in each.iterdir()] == ["out"]
        folder = each / "out"
        for stage in folder.glob(".*.writing"):
            shutil.rmtree(stage)
        found.append(whole(folder))
    assert len(found) > 20
    assert found == sorted(found, reverse=True)
    assert set(found) == {"old", "new"}


def test_what_a_killed_run_had_not_put_into_place_is_told(tmp_path: Path) -> None:
    """Of two files the first is there: the next write into the folder brings the other."""
    here = tmp_path / "here"
    pair = [here / "a.json", here / "a.bin"]
    fill(tmp_path, "old", ["here/a.json", "here/a.bin"])

    def write() -> None:
        with replace_files(*pair) as temporaries:
            for path in temporaries:
                path.write_text("new")

    mixed = 0
    for each in states(here, tmp_path / "copies", write):
        if len(set(moments.files(each).values())) > 1:
            mixed += 1
            with pytest.warns(RuntimeWarning, match=r"they are there now: .*a\.bin"):
                recover(each)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            recover(each)
        assert len(set(contents(each).values())) == 1
        assert len(list(each.iterdir())) == 2
    assert mixed == 1


def test_an_error_between_two_renamings_undoes_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    fill(tmp_path, "old", ["out/run.json"])
    monkeypatch.setattr(files, "_exchange", lambda *_: False)
    replace = Path.replace

    def fail(source: Path, target: Path) -> Path:
        if source.name == "new":
            raise PermissionError(errno.EACCES, "Permission denied")
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(PermissionError), replace_folder(out) as new:
        fill(new, "new", ["run.json"])
    assert contents(tmp_path) == {"out/run.json": "old"}


@pytest.mark.parametrize("interrupt", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_renaming_waits_for_its_end(
    interrupt: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = {each: signal.signal(each, stop) for each in (signal.SIGINT, signal.SIGTERM)}
    replace = Path.replace

    def send(source: Path, target: Path) -> Path:
        signal.raise_signal(interrupt)
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", send)
    with record_writes() as written:
        with pytest.raises(KeyboardInterrupt), replace_file(tmp_path / "a.csv") as temporary:
            temporary.write_text("new")
        assert written == [tmp_path / "a.csv"]
        assert is_written(tmp_path / "a.csv")
    for each, handler in before.items():
        assert signal.signal(each, handler) is stop
    assert contents(tmp_path) == {"a.csv": "new"}


def test_leftovers_of_killed_runs_go_and_those_of_running_ones_stay(tmp_path: Path) -> None:
    left = tmp_path / ".bayesbias-x.writing"
    (left / "new").mkdir(parents=True)
    with replace_file(tmp_path / "a.csv") as running:
        assert not left.exists()
        recover(tmp_path / "b.csv")
        running.write_text("new")
    assert contents(tmp_path) == {"a.csv": "new"}
    assert list(tmp_path.iterdir()) == [tmp_path / "a.csv"]


@pytest.mark.parametrize(
    "journal",
    [
        '[["../mine.txt", ".bayesbias-x.writing/old"]]',
        '[["link/mine.txt", "a.csv"]]',
        '[["mine.txt"]]',
        '{"a": 1}',
        "[" * 100_000,
    ],
)
def test_a_journal_of_another_hand_moves_nothing(journal: str, tmp_path: Path) -> None:
    """One that comes with a folder of somebody else's must not reach what is outside."""
    stage = tmp_path / "theirs" / ".bayesbias-x.writing"
    stage.mkdir(parents=True)
    (tmp_path / "theirs" / "link").symlink_to(tmp_path)
    (tmp_path / "mine.txt").write_text("mine")
    (stage / "journal.json").write_text(journal)
    recover(tmp_path / "theirs")
    assert contents(tmp_path)["mine.txt"] == "mine"
    assert os.listdir(tmp_path / "theirs") == ["link"]
