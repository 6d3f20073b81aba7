"""Files that are no tables; more of them, with lines, in test_distances and test_damaged_files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from bayesbias.tables.schema import COLUMNS
from bayesbias.tables.table_files import read_frame, read_table


@pytest.mark.parametrize(
    ("name", "what"), [("post.nc", "a posterior"), ("ten.py", "a program"), ("a.NPZ", "an embed")]
)
def test_other_files_are_told_by_their_endings(tmp_path: Path, name: str, what: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"\x89HDF\xff")
    with pytest.raises(ValueError, match=rf"{name} is {what}.*, not a table \(\.csv, \.parquet"):
        read_table(path)


def test_a_packed_table_is_read_and_its_lines_are_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    text = ",".join(COLUMNS) + "\nhe,man,nurse,woman,different,far\n"
    path.write_bytes(gzip.compress(text.encode()))
    assert list(read_frame(path).columns) == list(COLUMNS)
    with pytest.raises(ValueError, match=r"t\.csv\.gz: cosine_distance must be numbers: .*far"):
        read_table(path)
