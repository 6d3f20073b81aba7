"""Files that are no tables; more of them, with lines, in test_distances and test_damaged_files."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from bayesbias.tables.schema import COLUMNS
from bayesbias.tables.table_files import read_frame, read_table

Write = Callable[[str, bytes], Path]


@pytest.mark.parametrize(
    ("name", "what"), [("post.nc", "a posterior"), ("ten.py", "a program"), ("a.NPZ", "an embed")]
)
def test_other_files_are_told_by_their_endings(file: Write, name: str, what: str) -> None:
    with pytest.raises(ValueError, match=rf"{name} is {what}.*, not a table \(\.csv, \.parquet"):
        read_table(file(name, b"\x89HDF\xff"))


def test_a_packed_table_is_read_and_its_lines_are_counted(file: Write) -> None:
    text = ",".join(COLUMNS) + "\nhe,man,nurse,woman,different,far\n"
    path = file("t.csv.gz", gzip.compress(text.encode()))
    with pytest.raises(ValueError, match="line 2"):
        read_frame(path)
    with pytest.raises(ValueError, match=r"t\.csv\.gz: line 2: cosine_distance is 'far'"):
        read_table(path)
