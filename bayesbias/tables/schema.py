"""Define the long-form table: its columns, its categories, and the conditions for validity."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._core.checks import check_choice, counted, require_extra

IDS = ("protected_word", "protected_group", "attribute", "attribute_set", "connection")
COLUMNS = (*IDS, "cosine_distance")
"""Columns of every long-form table, in order; one row per (protected word, attribute) pair."""

OPTIONAL_COLUMNS = ("embedding", "context")
"""Optional columns: the embedding and the template that a row comes from."""

RANKS = ("protected_word_rank", "attribute_rank")
"""Optional columns: the words' frequency ranks in the embedding, from 1; NaN if unknown."""

LOG_RANKS = {
    "log_rank_word": ("protected_word", "protected_word_rank"),
    "log_rank_attribute": ("attribute", "attribute_rank"),
}
"""Covariates that follow from other columns: whose frequency they are about, and its rank."""

CONNECTIONS = ("associated", "different", "neutral", "human", "matched")
"""Connections of attributes to protected words, in the order that every frame and plot uses.

``matched`` words may have any meaning, but they are as frequent as the stereotypes.
"""

STEREOTYPES, CONTROLS = CONNECTIONS[:2], CONNECTIONS[2:]
"""Connections of stereotype attributes, and those of control words."""

LARGEST_DISTANCE = 2.0
"""Largest possible cosine distance, 1 - cos."""

ROUNDING = 1e-5
"""Largest rounding error outside [0, 2]: eight times the error of a 300-term sum."""

MOST_MISSING = 0.2
"""Largest share of a set's words that may be missing without a mark, as in WEFE."""

FEWEST_LEFT = 3
"""Smallest number of words in a set whose results are not marked."""

Coded = tuple[NDArray[np.int64], list[str]]
"""A column as one index per row into its distinct values, and these values as strings."""


@dataclass(frozen=True, eq=False)
class Checked:
    """A valid table, and its columns' `codes_and_names`, so that nothing checks it again."""

    rows: pd.DataFrame
    coded: Mapping[str, Coded]


def validate_table(table: pd.DataFrame) -> pd.DataFrame:
    """Check a long-form table, and return it with its categories in order.

    Returns
    -------
    DataFrame
        A copy with ``COLUMNS``, then ``embedding`` and ``context`` if present, and then all other
        columns. ``connection`` is an ordered categorical of ``CONNECTIONS``, distances and `RANKS`
        are float64, and the index is 0 to n - 1.

    Raises
    ------
    ValueError
        If a column is missing or repeated, if the table or a cell is empty, if a connection is
        unknown, if a distance is not in [0, 2], or if a rank is below 1.

    Examples
    --------
    >>> import bayesbias as bb
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", "religion"), "religion")
    >>> len(bb.validate_table(table)) == len(table)
    True
    """
    return checked(table).rows


def checked(table: pd.DataFrame | Checked) -> Checked:
    """Validate a table, unless it is checked already, for indexing and hashing."""
    if isinstance(table, Checked):
        return table
    table = as_table(table, COLUMNS)
    if table.empty:
        raise ValueError("the table has no rows; were all words missing from the embedding?")
    kept = known_columns(table)
    valid = table[[*kept, *(name for name in table.columns if name not in kept)]]
    valid = valid.reset_index(drop=True)
    coded = {name: codes_and_names(valid[name]) for name in kept if name != "cosine_distance"}
    for name, (codes, names) in coded.items():
        empty = np.array([not text.strip() for text in names])[codes] | valid[name].isna()
        if empty.any():
            raise ValueError(f"row {int(np.argmax(empty))} has an empty {name}")
        if odd := [text for text in names if text != text.strip()]:
            raise ValueError(f"the {name} {odd[0]!r} has spaces around it; remove them")
        if odd := [text for text in names if "\0" in text]:
            raise ValueError(f"the {name} {odd[0]!r} contains a NUL character; remove it")
        valid[name] = valid[name].astype(str)
    codes, names = coded["connection"]
    for name in sorted(names):
        check_choice("connection", name, CONNECTIONS)
    places = np.array([CONNECTIONS.index(name) for name in names], dtype=np.int64)
    valid["connection"] = pd.Categorical.from_codes(
        places[codes], categories=pd.Index(CONNECTIONS), ordered=True
    )
    valid["cosine_distance"] = _checked_distances(valid)
    for name in (rank for rank in RANKS if rank in valid):
        valid[name] = _checked_ranks(valid[name])
    return Checked(valid, coded)


def known_columns(table: pd.DataFrame) -> list[str]:
    """Return the columns of a table that identify and measure its rows, in order."""
    return [*COLUMNS, *(name for name in OPTIONAL_COLUMNS if name in table.columns)]


def as_table(table: object, needed: Iterable[str]) -> pd.DataFrame:
    """Return a frame of pandas, polars, pyarrow, or others as a DataFrame, with needed columns."""
    return require_columns(_plain(as_pandas(table)) if is_frame(table) else table, needed)


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose columns have one level, and whose index has none of their names."""
    if isinstance(table.columns, pd.MultiIndex) and table.columns.nlevels == 1:
        table = table.set_axis(table.columns.get_level_values(0), axis="columns")
    if {*table.index.names}.isdisjoint(table.columns):
        return table
    unnamed: Any = [None] * table.index.nlevels
    return table.rename_axis(index=unnamed)


def is_frame(source: object) -> bool:
    """Return whether an object is a table of pandas, or of a library with a way to pandas."""
    ways = ("__arrow_c_stream__", "to_pandas", "collect_schema")
    return isinstance(source, pd.DataFrame | pd.Series) or any(hasattr(source, w) for w in ways)


def as_pandas(source: Any) -> pd.DataFrame:  # noqa: ANN401
    """Return a DataFrame, given one, a Series, or a frame of polars, pyarrow, DuckDB, or others.

    Frames convert themselves with ``to_pandas``, or pandas and pyarrow convert them through Arrow's
    PyCapsule interface.
    """
    if isinstance(source, pd.DataFrame):
        return source
    if hasattr(source, "collect_schema") and hasattr(source, "collect"):
        source = source.collect()  # a lazy frame of polars
    if not isinstance(source, pd.Series):
        if not hasattr(source, "to_pandas"):
            library = type(source).__module__.partition(".")[0]
            require_extra(f"frames of {library}", "parquet", "pyarrow")
            frame: Any = pd.DataFrame  # pandas-stubs lack from_arrow
            source = frame.from_arrow(source)
        else:
            source = source.to_pandas()
    return source.to_frame() if isinstance(source, pd.Series) else source


def require_columns(table: object, needed: Iterable[str]) -> pd.DataFrame:
    """Return a DataFrame; raise an error if columns are missing or repeated."""
    if not isinstance(table, pd.DataFrame):
        kind = f"{type(table).__module__.partition('.')[0]}.{type(table).__name__}"
        raise TypeError(
            f"a long-form table, a pandas DataFrame, is needed; got {kind}. Read a table with "
            "bb.read_table(path), or make one with bb.distance_table(vectors, wordlist)"
            + "; or pass table.to_pandas()"
            * hasattr(table, "to_pandas")
        )
    lacking = [name for name in needed if name not in table.columns]
    if lacking:
        text = f"the table is missing columns: {', '.join(lacking)}; it has "
        text += ", ".join(map(str, table.columns))
        if not {*lacking}.isdisjoint(table.index.names):
            text += "; columns in the index come back with table.reset_index()"
        raise ValueError(text)
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()][0]
        raise ValueError(f"the table has two columns named {twice!r}")
    return table


def with_heads(table: pd.DataFrame, known: Iterable[str]) -> pd.DataFrame:
    """Return a table whose known columns have their names, however they are capitalized."""
    names = {name: str(name).strip().lower() for name in table.columns}
    return require_columns(
        table.rename(columns={name: plain for name, plain in names.items() if plain in {*known}}),
        (),
    )


def fitted_hash(table: Checked) -> str:
    """Return the SHA-256 of the columns that every model reads; a posterior keeps it."""
    rows = table.rows
    read = [*known_columns(rows), *(name for name in RANKS if name in rows)]
    return table_hash(rows[read], table.coded)


def table_hash(table: pd.DataFrame, coded: Mapping[str, Coded] | None = None) -> str:
    """Return a table's SHA-256 in hexadecimal; `coded` comes from `checked`."""
    known = {} if coded is None else coded
    digest = hashlib.sha256()
    for name in table.columns:
        column = table[name]
        if pd.api.types.is_float_dtype(column.dtype):
            content = np.asarray(column, dtype=np.float64).tobytes()
        else:
            codes, names = known[name] if name in known else codes_and_names(column)
            content = json.dumps(names).encode() + codes.astype("<i8").tobytes()
        digest.update(f"{json.dumps(str(name))} {len(content)}:".encode() + content)
    return digest.hexdigest()


def connections_present(table: pd.DataFrame) -> list[str]:
    """Return the connections that have rows, in the order of ``CONNECTIONS``."""
    there = set(table["connection"])
    return [name for name in CONNECTIONS if name in there]


def codes_and_names(column: pd.Series[Any]) -> Coded:
    """Return each row's index into the column's distinct values, and the values as strings."""
    codes, values = pd.factorize(column, use_na_sentinel=False)
    names = [str(value) for value in values.tolist()]
    different = list(dict.fromkeys(names))
    if len(different) < len(names):  # such as 1 and "1"
        codes = np.array([different.index(name) for name in names], dtype=np.int64)[codes]
    return codes, different


def real_numbers(column: pd.Series[Any], *, truth: bool = False) -> NDArray[np.float64]:
    """Return the numbers in a column; other text, dates, and complex numbers become NaN.

    So do truth values unless `truth`, which makes 0 and 1 of them.
    """
    types = pd.api.types
    of_truth, of_text = types.is_bool_dtype(column), types.is_string_dtype(column.dtype)
    real = types.is_numeric_dtype(column) and not types.is_complex_dtype(column)
    if not (real or of_text) or of_truth or column.dtype == object:
        kinds = (Real, Decimal, str, np.bool_) if truth else (Real, Decimal, str)
        cells = column.astype(object)
        fits = [isinstance(x, kinds) and (truth or not isinstance(x, bool)) for x in cells]
        column = cells.where(pd.Series(fits, cells.index))
    numbers = pd.to_numeric(column, errors="coerce")
    return np.asarray(numbers.to_numpy(np.float64, na_value=np.nan))


def _checked_distances(table: pd.DataFrame) -> NDArray[np.float64]:
    column = table["cosine_distance"]
    distances = real_numbers(column)
    wrong = ~((distances >= -ROUNDING) & (distances <= LARGEST_DISTANCE + ROUNDING))
    if wrong.any():
        row = int(np.argmax(wrong))
        pair = f"{table['protected_word'].iloc[row]!r}, {table['attribute'].iloc[row]!r}"
        raise ValueError(
            f"{counted(int(wrong.sum()), 'distance is', 'distances are')} not in [0, 2], first in "
            f"row {row} ({pair}): {column.iloc[[row]].tolist()[0]!r:.60}. A distance is 1 minus a "
            "cosine, without a percent sign; leave out rows of missing words"
        )
    return distances.clip(0.0, LARGEST_DISTANCE)


def _checked_ranks(column: pd.Series[Any]) -> NDArray[np.float64]:
    ranks = real_numbers(column)
    wrong = (np.isnan(ranks) & ~(column.isna() | (column == ""))) | (ranks < 1) | np.isinf(ranks)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"{column.name} must be a frequency rank, from 1 for the most frequent word, or empty "
            f"if unknown; got {column.iloc[row]!r:.60} in row {row}"
        )
    return ranks
