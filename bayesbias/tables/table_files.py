"""Files that may hold a table: told from others, and read with errors that name the line."""

from __future__ import annotations

import csv
from contextlib import suppress
from pathlib import Path

import pandas as pd

from .schema import require_numbered_rows

OTHER_FILES = {
    ".nc": "a posterior",
    ".toml": "a word list or a model",
    ".py": "a program",
    ".ipynb": "a notebook",
    ".json": "a record",
    ".html": "a report",
    ".png": "a picture",
    ".svg": "a picture",
    ".xlsx": "a workbook",
    ".npz": "an embedding",
    ".bin": "an embedding",
    ".vec": "an embedding",
    ".kv": "an embedding",
    ".model": "an embedding",
}
"""What files are that are no tables, by their endings."""

COMPRESSED = (".gz", ".bz2", ".zip", ".xz", ".zst", ".tar")
"""Endings of CSV files that pandas unpacks."""


def require_table_ending(path: Path) -> None:
    """Refuse what is no table by its name; text may have any other ending, or none."""
    if path.suffix.lower() in OTHER_FILES:
        what = OTHER_FILES[path.suffix.lower()]
        raise ValueError(f"{path} is {what}, not a table (.csv, .parquet)")


def read_frame(path: Path) -> pd.DataFrame:
    """Read a CSV or Parquet file with all its columns, whatever they are.

    Raises
    ------
    ValueError
        If the file is empty, damaged, not separated by commas, or has rows that are longer than
        the head; of a distance that is no number the line is named.
    """
    if path.suffix == ".parquet":
        return _read_parquet(path)
    _require_commas(path)
    # Words such as "nan" or "null" are words.
    read = pd.read_csv(path, keep_default_na=False, encoding="utf-8")
    require_numbered_rows(read)
    if "cosine_distance" in read and not pd.api.types.is_numeric_dtype(read["cosine_distance"]):
        with suppress(csv.Error):  # validate tells without a line
            _require_numbers(path)
    return read


def _require_commas(path: Path) -> None:
    """Look at the head of a CSV file: whether there is one, and what separates its columns."""
    try:
        head = list(pd.read_csv(path, nrows=0, encoding="utf-8").columns)
    except pd.errors.EmptyDataError:
        raise ValueError("the file is empty") from None
    for mark, name in {";": "semicolons", "\t": "tabs"}.items():
        if len(head) == 1 and mark in head[0]:
            raise ValueError(f"are its columns separated by {name}? Save it with commas")


def _require_numbers(path: Path) -> None:
    """Name the line of the first distance that is no number, where the file's lines are plain."""
    if path.suffix in COMPRESSED:
        return
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        if "cosine_distance" not in (rows.fieldnames or ()):
            return
        for row in rows:
            text = row["cosine_distance"] or ""
            if not _is_number(text):
                told = f"is {text!r:.60}, not a number" if text.strip() else "is empty"
                raise ValueError(f"line {rows.line_num}: cosine_distance {told}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except OSError as error:
        if error.errno is not None:  # of the disk; pyarrow's own about damage have no number
            raise
        raise ValueError(f"damaged, or no Parquet file ({' '.join(str(error).split())})") from None
    except (LookupError, TypeError, AttributeError) as error:  # in what pandas says of its columns
        raise ValueError(
            f"damaged, or no table of pandas ({type(error).__name__}: {error})"
        ) from None
