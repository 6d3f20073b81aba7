"""Rows of tables as other programs write them: bare quotes, names of rows, and empty rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from .._core.reading import PART, opened

_QUOTED = re.compile(r'"([^"]|"")*"')
"""A cell in quotes."""


_WHOLE = re.compile(r'"([^"]|""|(?<=\\)")*"')
"""A cell in quotes, in which each quote is doubled or escaped."""


def has_bare_quotes(path: Path, options: Mapping[str, Any]) -> bool:
    """Return whether quotes are letters, in a file that was written without quoting.

    They are if some cell starts with a quote and is not in quotes, and if all lines have as many
    separators as the header, so that no cell contains any.
    """
    sep, bare, counts = options["sep"], False, set()
    with opened(path) as (_, stream, _):
        if not any(b'"' in part for part in iter(lambda: stream.read(PART), b"")):
            return False
    with opened(path) as (_, stream, _):
        lines = TextIOWrapper(stream, options["encoding"], errors="replace")
        for line in islice(lines, options["skiprows"], None):
            if text := line.strip("\n"):
                counts.add(text.count(sep))
            if len(counts) > 1 or sep == " ":
                return False
            bare = bare or any(
                cell.startswith('"') and not _QUOTED.fullmatch(cell)
                for cell in text.split(sep)
                if '"' in text
            )
    return bare


def unquoted(cell: str) -> str:
    """Return the text of a cell without the quotes around it."""
    return within_quotes(cell) if _WHOLE.fullmatch(cell) else cell


def within_quotes(cell: str) -> str:
    """Return the text between quotes, in which each quote is doubled, or escaped as R does."""
    text = cell[1:-1]
    escaped = '"' not in text.replace('\\"', "")
    return text.replace('\\"' if escaped else '""', '"')


def refuse_merged_rows(frame: pd.DataFrame, sep: str) -> None:
    """Raise a ValueError if a cell has as many separators and line breaks as whole rows."""
    texts: pd.DataFrame = frame.select_dtypes("str")
    others = frame.shape[1] - 1
    for _, column in texts.items() if others else ():
        for cell in column[column.str.contains("\n", regex=False)]:
            if cell.count(sep) == others * cell.count("\n"):
                raise ValueError(
                    f"the quote before {cell!r:.60} closes some lines later; put double quotes "
                    "around text with quotes, and double each quote in it"
                )


def without_row_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame without the index that pandas made because rows are longer than the header.

    Raise a ValueError unless the index has row numbers, as R writes them.
    """
    if not isinstance(frame.index, pd.RangeIndex):
        names = pd.Series([*map(str, frame.index)])
        numbers = names.is_unique and names.str.fullmatch(r"\d+").all()
        if not numbers or (frame.iloc[:, -1].astype(str) == "").any():
            raise ValueError(
                "some rows have more fields than the header; put double quotes around text with "
                "commas, and give each column a name"
            )
    return frame.reset_index(drop=True)


def without_empty_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame of text without empty rows, as spreadsheets write them."""
    if frame.shape[1] < 2:  # a column that was read by itself
        return frame
    empty = frame.iloc[:, 0].str.strip() == ""
    empty[empty] = (frame[empty].map(str.strip) == "").all(axis=1)
    return frame[~empty].reset_index(drop=True)
