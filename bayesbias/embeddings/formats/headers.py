"""What several formats share: the header of a word2vec file, and one line of an error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

LARGEST_DIMS = 1_000_000
"""More dimensions than any embedding has; a damaged header must not ask for memory."""

_HEADER = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})\s*")


@dataclass(frozen=True)
class Header:
    """What the first line of a word2vec file promises, and which file it is."""

    path: Path
    count: int
    dims: int


def parse_header(line: bytes, path: Path) -> Header | None:
    """Read '<number of words> <dimensions>'; None if the line is something else."""
    match = _HEADER.fullmatch(line)
    if match is None:
        return None
    count, dims = int(match[1]), int(match[2])
    if count == 0 or not 0 < dims <= LARGEST_DIMS:
        raise ValueError(
            f"{path}: the header promises {count:,} words of {dims:,} dimensions; there must be a "
            f"word, and 1 to {LARGEST_DIMS:,} dimensions"
        )
    return Header(path, count, dims)


def one_line(error: Exception) -> str:
    """Return what another library's error says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__
