"""Read and write files of long-form tables, in our layout or the published one."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import pandas as pd

from .._core.arrays import require_memory
from .._core.checks import check_flags, check_path, require_extra
from .._core.files import replace_file
from .._core.reading import as_utf8, damage_named, located, opened, parts_of, utf16_of
from .._core.resources import require_file
from .._core.warnings import warn
from ..warnings import LeftOut
from .copies import PARTS, warn_of_repeats, without_copies
from .cosines import COSINES, cosines_path, read_cosines, write_cosines
from .decimals import THOUSANDS, decimal_marks, with_numbers
from .encodings import LATIN, warn_of_latin
from .raw_rows import (
    has_bare_quotes,
    refuse_merged_rows,
    unquoted,
    without_empty_rows,
    without_row_names,
)
from .schema import COLUMNS, IDS, RANKS, as_table, checked, require_columns, with_heads

MEMORY_PER_BYTE = 8
"""Bytes of address space that pandas needs for each byte of a CSV file, measured with 10⁷ rows."""

LONGEST_LINE = 1 << 20
"""Longest line allowed in a CSV file, in bytes; files with longer lines are not text."""

MISSING_DISTANCE = -100.0
"""Distance that marks a missing word in the published tables."""

TEXT_COLUMNS = (*IDS, *PARTS, "word_to_compare", "word_class")
"""Columns of words and names, which are never read as numbers."""

MOST_IN_PARQUET = 30_000_000
"""Most letters of cosines in a Parquet file. It stores them 2.3 times in its first 100 MB."""

PARQUET = b"PAR1"
"""First bytes of a Parquet file."""

PROGRAMS = {
    b"\xd0\xcf\x11\xe0": "Excel",
    b"<stata_dta>": "Stata",
    b"$FL": "SPSS",
    b"ARROW1": "Feather",
    **dict.fromkeys((b"X\n\0", b"RDX"), "R"),
}
"""Programs and formats, keyed by the first bytes of their files."""

PUBLISHED_COLUMNS = ("protected_word", "word_to_compare", "word_class", "connection", COLUMNS[-1])
"""Columns of the tables that Dobrzeniecka and Urbaniak (2024) published."""


def read_table(path: str | Path, *, drop_duplicates: bool = False) -> pd.DataFrame:
    """Read a long-form table from CSV or Parquet, in our layout or the published one.

    In the published layout, ``none`` means neutral, a word's group is the class of its associated
    attributes, and rows with a distance of -100 (for missing words) are left out. Warnings report
    missing words, repeated rows, and words that share a vector or are equidistant by construction
    (see `duplicate_vectors`).

    Parameters
    ----------
    path : str or Path
    drop_duplicates : bool
        Leave out words with the same distances as an earlier word.

    Examples
    --------
    >>> import bayesbias as bb
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", "religion"), "religion")
    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/religion.csv"
    >>> bb.write_table(table, path)
    >>> int((bb.read_table(path)["connection"] == "associated").sum())
    55
    """
    check_flags(drop_duplicates=drop_duplicates)
    check_path("a table to read", path)
    path = Path(path).expanduser()
    require_file("table", path)
    with located(path):
        raw = read_frame(path)
        table = checked(_from_published(raw, path) if "word_to_compare" in raw else raw)
        if COSINES not in table.rows.attrs:
            read_cosines(table.rows, path)
    warn_of_repeats(table, str(path))
    return without_copies(table.rows, str(path), drop=drop_duplicates)


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table to CSV or Parquet, depending on the path's ending.

    If writing fails, any existing file is left unchanged. All columns are written, and all are read
    by `read_table`. The cosines among the table's words are stored in the Parquet file, or in
    ``NAME.cosines.csv`` next to the CSV file, as vectors if there are many words. With tens of
    thousands of words, they are next to the Parquet file, too.

    Examples
    --------
    >>> import bayesbias as bb
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", "religion"), "religion")
    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/religion.csv"
    >>> bb.write_table(table, path)
    >>> len(bb.read_table(path)) == len(table)
    True
    """
    path = Path(path).expanduser()
    if path.suffix not in {".csv", ".parquet"}:
        raise ValueError(f"a table file must end in .csv or .parquet; got {path.name!r}")
    if path.suffix == ".parquet":
        require_extra("Parquet files", "parquet", "pyarrow")
    table = as_table(table, ())
    text = table.attrs.get(COSINES, "")
    apart = path.suffix == ".csv" or len(text) > MOST_IN_PARQUET
    with replace_file(path, cosines_path(path).name) as temporary:
        if path.suffix == ".csv":
            table.to_csv(temporary, index=False)
        else:
            _refuse_lists(table)
            lean = table.copy(deep=False)
            lean.attrs = {key: v for key, v in table.attrs.items() if key != COSINES or not apart}
            lean.to_parquet(temporary, index=False)
        if apart:
            write_cosines(table, temporary)


def _refuse_lists(table: pd.DataFrame) -> None:
    """Raise a ValueError for a column of lists, which `read_table` does not read."""
    for name, column in table.items():
        if column.dtype == object and column.map(pd.api.types.is_list_like).any():
            raise ValueError(f"the column {name!r} contains lists; drop it, or write it to CSV")


def read_frame(path: Path, texts: Collection[str] = TEXT_COLUMNS) -> pd.DataFrame:
    """Read a CSV or Parquet file; in `texts`, "nan", "true", and "007" stay as spelled.

    Other columns become numbers if all their cells are empty or are spelled as numbers are: with
    "007" or "1e5" in a column, all its cells stay as spelled.
    """
    if is_parquet(path) or path.suffix == ".parquet":
        return read_parquet(path)
    frame = with_heads(read_csv(path, keep_default_na=False, dtype=str), (*COLUMNS, *RANKS, *texts))
    unnamed = [name for name in frame.columns if re.match(r"Unnamed: \d+$", str(name))]
    frame = frame.drop(columns={*unnamed} - {*texts})  # an index
    names = [name for name in frame.columns if name not in texts]
    numbers = with_numbers(frame[names], names, dialect(path)["decimal"])
    return frame.assign(**{name: numbers[name] for name in names})


def is_parquet(path: Path) -> bool:
    """Return whether a (possibly compressed) file begins as Parquet files do."""
    with opened(path) as (_, stream, _):
        return stream.read(len(PARQUET)) == PARQUET


def read_csv(path: Path, *, strict: bool = True, **options: Any) -> pd.DataFrame:  # noqa: ANN401
    """Read a (possibly compressed) CSV file; raise a ValueError that explains any problem.

    Without ``sep`` in the options, the header decides between commas, semicolons, tabs, bars, and
    blanks. Excel's first line ``sep=;``, empty rows, and row numbers without a name, as R writes
    them, are skipped. Text in UTF-16 is recognized, and other text that is not UTF-8 is read as
    Latin-1, with a warning; if `strict`, text that does not look like it is refused. If all cells
    are text, the file may be in Parquet.
    """
    if is_parquet(path) and options.get("dtype") is str:
        typed = read_parquet(path, nested=True)
        return as_texts(typed)
    options = dialect(path) | options
    if bare := has_bare_quotes(path, options):
        options["quoting"] = csv.QUOTE_NONE
    _refuse_repeated_heads(path, options)
    try:
        frame = _parsed(path, options)
    except UnicodeDecodeError:
        frame = _parsed(path, options | {"encoding": "cp1252", "encoding_errors": LATIN})
        texts = as_texts(frame.select_dtypes(exclude="number")).to_numpy().ravel()
        odd = [text for text in [*map(str, frame.columns), *texts] if not text.isascii()]
        warn_of_latin(len(odd), odd, path, strict=strict)
    if bare:
        texts = frame.select_dtypes("str")
        frame = frame.assign(**texts.map(unquoted, na_action="ignore"))
        frame = frame.rename(columns=unquoted)
    frame = without_row_names(frame)
    refuse_merged_rows(frame, options["sep"])
    return without_empty_rows(frame) if options.get("dtype") is str else frame


def as_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return all cells as text, and missing values of any type as empty text."""
    return frame.astype(object).where(frame.notna(), "").astype(str)


def _refuse_repeated_heads(path: Path, options: Mapping[str, Any]) -> None:
    """Raise a ValueError if two columns have one name, which pandas would number."""
    keys = {"skiprows", "sep", "skipinitialspace", "encoding", "quoting"}
    how = {key: option for key, option in options.items() if key in keys}
    kept = {"encoding_errors": "replace"}
    head = _parsed(path, {**how, **kept, "header": None, "nrows": 1, "dtype": str})
    names = head.iloc[0].dropna().str.strip()
    if names.duplicated().any():
        raise ValueError(f"two columns are named {names[names.duplicated()].iloc[0]!r}")


def _parsed(path: Path, options: dict[str, Any]) -> pd.DataFrame:
    with opened(path) as (_, stream, _):
        size = parts_of(path)[0].stat().st_size
        require_memory(MEMORY_PER_BYTE * size, f"reading {path}")
        try:
            frame: pd.DataFrame = pd.read_csv(stream, **options)
        except pd.errors.EmptyDataError:
            raise ValueError("the file is empty") from None
        except pd.errors.ParserError as error:
            where = str(error).rpartition("error: ")[2].strip()
            raise ValueError(
                f"{where}; put double quotes around text with commas or quotes, and double each "
                "quote in it"
            ) from None
        return frame


def dialect(path: Path) -> dict[str, Any]:
    """Return how fields are separated, the marks of decimals, and the kind of UTF-16, if any."""
    with opened(path) as (_, stream, _):
        head = stream.read(LONGEST_LINE)
        with suppress(BadZipFile):
            packed = ZipFile(stream).namelist() if head.startswith(b"PK") else []
            if any(name.startswith("xl/") for name in packed):
                raise ValueError("it is an Excel workbook; save it as CSV")
    for magic, program in PROGRAMS.items():
        if head.startswith(magic):
            raise ValueError(f"it is a file of {program}; save it as CSV")
    utf16 = utf16_of(head)
    lines = [*as_utf8(head).split(b"\n"), b"", b""]
    if max(map(len, lines)) >= LONGEST_LINE or (b"\0" in head and not utf16):
        raise ValueError(
            f"{path} has zero bytes or a line of {LONGEST_LINE:,} bytes, so it is not a text file"
        )
    if head.lstrip()[:1] in {b"{", b"["}:
        raise ValueError("it is JSON; save it as CSV, such as with pandas.read_json(path).to_csv")
    skipped = int(re.fullmatch(rb"sep=.\s*", lines[0]) is not None)
    first, rows = lines[skipped], lines[skipped + 1 : -2 - (len(head) == LONGEST_LINE)]
    separator = max(b",", b";", b"\t", b"|", key=first.count)
    if separator not in first and b" " in first:
        separator = b" "
    text = b"\n".join(rows).decode(errors="replace")
    cells = re.findall(rf'[^"\n{separator.decode()}]+|"[^"\n]*"', text)
    marks = decimal_marks(pd.Series(cells, dtype=str).str.strip('" \r'))
    usual = "," if separator == b";" else "."
    return {
        "skiprows": skipped,
        "sep": separator.decode(),
        "skipinitialspace": separator + b" " in first,
        "decimal": max(usual, *THOUSANDS, key=marks.__getitem__),
        "encoding": utf16 or "utf-8",
    }


def read_parquet(path: Path, *, nested: bool = False) -> pd.DataFrame:
    """Read a Parquet file; reject damaged text, too many rows, and list columns if not `nested`."""
    require_extra("Parquet files", "parquet", "pyarrow")
    from pyarrow import BufferReader, parquet, types

    with opened(path) as (raw, stream, _), damage_named(path, "is damaged, or is not a table"):
        content = None if stream is raw else stream.read()
        size = path.stat().st_size if content is None else len(content)
        given = path if content is None else BufferReader(content)
        with parquet.ParquetFile(given) as file:
            lists = [field.name for field in file.schema_arrow if types.is_nested(field.type)]
            lists = [] if nested else lists
            # Distances differ, so every row takes up space.
            if lists or file.metadata.num_rows > 100_000 + 8 * size:
                raise ValueError(f"lists in {lists}" if lists else "more rows than bytes")
            file.read().validate(full=True)
        return pd.read_parquet(given)


def _from_published(raw: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Convert a table from the published layout to ours."""
    require_columns(raw, PUBLISHED_COLUMNS)
    table = raw.rename(columns={"word_to_compare": "attribute", "word_class": "attribute_set"})
    require_columns(table, ())
    table["connection"] = table["connection"].astype(object).replace({"none": "neutral"})
    associated = table[table["connection"] == "associated"]
    groups = associated.groupby("protected_word")["attribute_set"].first().astype(str)
    table["protected_group"] = table["protected_word"].map(groups.str.removesuffix("_stereotype"))
    ungrouped = table.loc[table["protected_group"].isna(), "protected_word"].unique()
    if len(ungrouped):
        raise ValueError(f"words without associated rows have no group: {', '.join(ungrouped)}")
    table = table.drop(columns="cosine_similarity", errors="ignore")  # 1 - cosine_distance
    missing = table["cosine_distance"] == MISSING_DISTANCE
    if missing.any():
        gone = sorted(set(table["protected_word"]) - set(table.loc[~missing, "protected_word"]))
        why = "they have the missing-word mark -100" + "; words without any rows" * bool(gone)
        n, total, names = int(missing.sum()), len(table), tuple(map(str, gone))
        warn(LeftOut(n, total, "row", why, names, about=str(path)))
    return table[~missing]


def warn_of_columns(
    table: pd.DataFrame, known: Collection[str], whose: str, *, about: str = ""
) -> None:
    """Name the columns that are not read, other than an index and empty columns."""
    others = as_texts(table.drop(columns=[*known], errors="ignore"))
    filled = [str(name) for name, column in others.items() if column.str.strip().any()]
    if names := [name for name in filled if not name.lower().startswith("unnamed: ")]:
        why = f"{whose} the columns {', '.join(known)}"
        warn(LeftOut(len(names), 0, "column", why, tuple(names), about=about))
