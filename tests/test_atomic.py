"""A killed or failing write leaves the old file and no half of a new one."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bayesbias._core.files import replace_file

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
        raise FileNotFoundError("no such source")


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


def test_a_failing_write_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old")
    with pytest.raises(FileNotFoundError, match="no such source"):
        fail_half_way(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_told_with_the_final_name(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    with pytest.raises(OSError, match="No space left") as told, replace_file(path):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert told.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []


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
