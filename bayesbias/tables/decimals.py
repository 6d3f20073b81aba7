"""Read numbers from text, with points or commas as marks of decimals and of thousands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import pandas as pd

EMPTY = ("", "NA", "NaN", "nan", "n/a", "N/A", "#N/A", "#NV", "NULL", ".")
"""Cells that are empty in a column of numbers, as R, pandas, Excel, SQL, and SPSS write them."""

TRUTH = {text: text.lower() == "true" for text in ("True", "False", "TRUE", "FALSE")}
"""Truth values, as pandas and R write them."""

WORD_OF_DIGITS = r"[+-]?0\d.*|\d+[eE]\d+"
"""Spellings that are codes or words, because no program writes numbers like this."""

THOUSANDS = {".": ",", ",": r"\."}
"""Pattern of the marks of thousands, keyed by the marks of decimals."""


def _shows(decimal: str) -> str:
    """Return the pattern of numbers that show the mark of decimals, unlike ``4.137``."""
    mark, other = re.escape(decimal), THOUSANDS[decimal]
    grouped = rf"[1-9]\d{{0,2}}(?:{other}\d{{3}})"
    exponent = r"[eE][+-]?\d+"
    forms = (
        rf"(?:0\d*|\d{{4,}}|{grouped}+)?{mark}\d+(?:{exponent})?",
        rf"\d+{mark}(?:\d{{1,2}}|\d{{4,}}|\d+{exponent})",
        rf"{grouped}{{2,}}",
    )
    return rf"[+-]?(?:{'|'.join(forms)})"


_SHOWN = {mark: _shows(mark) for mark in THOUSANDS}


def decimal_marks(cells: pd.Series) -> dict[str, int]:
    """Count the cells that can only be numbers with this mark of decimals.

    Examples
    --------
    >>> decimal_marks(pd.Series(["0.25", "13", "4,137"]))
    {'.': 1, ',': 0}
    """
    return {mark: int(cells.str.fullmatch(shown).sum()) for mark, shown in _SHOWN.items()}


def with_numbers(
    frame: pd.DataFrame, names: Sequence[str], usual: str, *, some: bool = False
) -> pd.DataFrame:
    """Return named columns of a frame of text, as numbers if all their cells are empty or numbers.

    With `some`, other cells stay text. A column's own cells decide the mark of decimals, or else
    the other columns, or else a column of numbers with the `usual` mark and three digits.
    """
    filled = {name: column[~column.isin(EMPTY)] for name, column in frame.items()}
    shown = {
        name: [mark for mark, n in decimal_marks(cells).items() if n]
        for name, cells in filled.items()
    }
    others = {mark for marks in shown.values() for mark in marks}
    three = rf"[+-]?\d+{re.escape(usual)}\d{{3}}"
    fixed = [
        name for name, cells in filled.items() if len(cells) and cells.str.fullmatch(three).all()
    ]
    columns = {}
    for name in names:
        cells = filled[name]
        readings = _readings(cells, shown[name] or others, some=some)
        if len(readings) > 1 and (odd := readings["."].ne(readings[","])).any():
            unlike = not cells.str.contains(usual, regex=False).any()
            if name not in fixed and not (fixed and unlike):
                raise ValueError(
                    f"the column {name!r} has {cells[odd].iloc[0]!r}, whose mark may be of "
                    "thousands or of decimals; write thousands without a mark, and decimals with "
                    "four digits or more after the same mark in all cells"
                )
            readings = {usual: readings[usual]}
        numbers = next(iter(readings.values()), frame[name]).reindex(frame.index)
        truth = len(cells) == len(frame) and cells.isin(TRUTH).all()
        columns[name] = cells.map(TRUTH).astype(bool) if truth else numbers
    return pd.DataFrame(columns, index=frame.index)


def _readings(cells: pd.Series, marks: Iterable[str], *, some: bool) -> dict[str, pd.Series]:
    """Return the numbers in cells that are not empty, keyed by the possible marks of decimals."""
    if cells.empty or (not some and cells.str.fullmatch(WORD_OF_DIGITS).any()):
        return {}
    readings = {mark: _numbers(cells, mark) for mark in marks or THOUSANDS}
    whole = {mark: numbers for mark, numbers in readings.items() if numbers.notna().all()}
    if whole or not some:
        return whole
    texts = cells.astype(object)
    return {mark: texts.where(numbers.isna(), numbers) for mark, numbers in readings.items()}


def _numbers(cells: pd.Series, decimal: str) -> pd.Series:
    """Return numbers, given their mark of decimals, or NaN for other text."""
    thousands = THOUSANDS[decimal]
    grouped = rf"[+-]?[1-9]\d{{0,2}}({thousands}\d{{3}})+({re.escape(decimal)}\d+)?"
    whole = cells.str.replace(thousands, "", regex=True)
    plain = cells.where(~cells.str.fullmatch(grouped), whole)
    if decimal == ",":
        plain = plain.str.replace(".", "?", regex=False).str.replace(",", ".", regex=False)
    return pd.to_numeric(plain, errors="coerce")
