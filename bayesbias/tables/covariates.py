"""Add covariates to a table: numbers that may explain the distances of words, such as frequency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError, check_choice, counted
from .._core.display import abridged
from .schema import COLUMNS, OPTIONAL_COLUMNS, require_columns

UNITS = ("attribute", "protected_word", "row")
"""What a covariate may be a property of."""


def with_covariate(
    table: pd.DataFrame,
    name: str,
    values: Mapping[str, float] | pd.Series | Sequence[float] | np.ndarray,
    *,
    of: str = "attribute",
) -> pd.DataFrame:
    """Return a table with a covariate as a new column, for ``fit(table, covariates=[name])``.

    Parameters
    ----------
    table : DataFrame
        A long-form table, which is not changed. Its cosines are kept.
    name : str
        Name of the new column, such as ``share``.
    values : mapping, Series, or sequence of float
        The value of every word, keyed by word; values of other words are ignored. For rows, one
        value per row: a sequence in the table's order, or a Series with the table's index.
    of : {"attribute", "protected_word", "row"}
        What the values describe.

    Returns
    -------
    DataFrame
        `write_table` and `read_table` keep the column.

    Raises
    ------
    ValueError
        If the name is in use or cannot be part of a formula, if words or rows lack a finite number,
        if a word has two values, or if all values are equal.

    Examples
    --------
    >>> import bayesbias as bb
    >>> table = bb.distance_table("glove-demo", "religion")
    >>> lengths = {word: len(word) for word in table["attribute"]}
    >>> table = bb.with_covariate(table, "letters", lengths)
    >>> table[["attribute", "letters"]].head(2)
      attribute  letters
    0    greedy      6.0
    1     cheap      5.0
    """
    require_columns(table, COLUMNS)
    check_choice("of", of, UNITS)
    _check_name(table, name)
    column = _of_rows(table, values) if of == "row" else _of_words(table, of, values)
    if len(column) and np.ptp(column) == 0:
        raise ArgumentError(
            Argument("values"),
            f" of {name!r} are all {column[0]:g}, so they cannot explain any difference",
        )
    return table.assign(**{name: column})


def _check_name(table: pd.DataFrame, name: str) -> None:
    """Raise an ArgumentError for a name that is in use, or that a formula cannot contain."""
    reserved = (*COLUMNS, *OPTIONAL_COLUMNS)
    if not isinstance(name, str) or not name.strip() or ":" in name or name != name.strip():
        text = f" must be text without colons or blanks around it, such as 'share'; got {name!r}"
        raise ArgumentError(Argument("name"), text)
    if name in reserved or name in table.columns:
        drop = "" if name in reserved else f", or remove it with table.drop(columns={name!r})"
        raise ArgumentError(
            Argument("name"), f": the table has a column {name!r}; choose another name{drop}"
        )


def _of_words(table: pd.DataFrame, of: str, values: object) -> FloatArray:
    """Return the value of each row's word; raise an ArgumentError that lists words without one."""
    if not isinstance(values, Mapping | pd.Series):
        raise TypeError(
            f"values must be a dict or a Series from each {of} to its number; got "
            f"{type(values).__name__}. For one value per row, pass of='row'"
        )
    words = table[of].astype(str)
    given = pd.Series(dict(values) if isinstance(values, Mapping) else values, dtype=object)
    given.index = given.index.map(str)
    known = _numbers(given[given.index.isin(words)]).rename_axis("word").reset_index(name="value")
    known = known.drop_duplicates()
    if twice := list(dict.fromkeys(known["word"][known["word"].duplicated()])):
        raise ArgumentError(Argument("values"), f" has two values for {abridged(twice)}")
    numbers = known.set_index("word")["value"].reindex(words).to_numpy()
    if (lost := ~np.isfinite(numbers)).any():
        without = [*dict.fromkeys(words[lost])]
        raise ArgumentError(
            Argument("values"),
            f" has no number for {counted(len(without), of.replace('_', ' '))} "
            f"({abridged(without)}); add them, or leave these words out of the table",
        )
    return np.asarray(numbers)


def _of_rows(table: pd.DataFrame, values: object) -> FloatArray:
    """Return one value per row; raise an ArgumentError that names the first row without one."""
    aligned = isinstance(values, pd.Series) and values.index.is_unique
    given: Any = values
    if aligned and set(given.index) == set(table.index) and table.index.is_unique:
        given = given.reindex(table.index)
    if isinstance(values, str | Mapping) or np.shape(given) != (len(table),):
        raise ArgumentError(
            Argument("values"),
            f" must have one number for each of the {len(table):,} rows; got "
            f"{type(values).__name__} of shape {np.shape(given)}",
        )
    numbers = _numbers(pd.Series(list(given), dtype=object)).to_numpy()
    if (lost := ~np.isfinite(numbers)).any():
        first = table.iloc[int(np.argmax(lost))]
        raise ArgumentError(
            Argument("values"),
            f" has no number for {counted(int(lost.sum()), 'row')}, first for "
            f"{first['protected_word']!r} and {first['attribute']!r}; add them, or leave them out",
        )
    return np.asarray(numbers)


def _numbers(values: pd.Series) -> pd.Series:
    """Return values as float64; raise an ArgumentError that names the first that is no number."""
    numbers = pd.to_numeric(values, errors="coerce").astype(np.float64)
    wrong = numbers.isna() & ~values.isna()
    if wrong.any():
        text = f" must be numbers; got {values[wrong].iloc[0]!r} for {values.index[wrong][0]!r}"
        raise ArgumentError(Argument("values"), text)
    return numbers


def with_values(table: pd.DataFrame, path: str | Path) -> pd.DataFrame:
    """Return a table with the covariates in a CSV file, whose first column contains words.

    A column describes attributes if all attributes have a value, and otherwise protected words.
    """
    values = pd.read_csv(path, index_col=0)
    if not len(values.columns):
        raise ValueError(
            f"{path} needs a column of words and a column of numbers for each covariate"
        )
    for name in values:
        column = values[name].dropna()
        of = "attribute" if set(table["attribute"]) <= set(column.index) else "protected_word"
        table = with_covariate(table, str(name), column, of=of)
    return table
