"""Add covariates to a table: numbers that may explain the distances of words, such as frequency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._core.checks import Argument, ArgumentError, check_choice, counted
from .._core.display import abridged
from .._core.reading import located
from .._core.resources import require_file
from .decimals import with_numbers
from .schema import COLUMNS, LOG_RANKS, OPTIONAL_COLUMNS, RANKS, as_table, real_numbers
from .table_files import dialect, read_csv

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
    table = as_table(table, COLUMNS)
    check_choice("of", of, UNITS)
    _check_name(table, name)
    if of == "row":
        words = table[["protected_word", "attribute"]].astype(str)
        kind, things = "row", words.agg(" and ".join, axis=1)
        given = _of_rows(table, values)
    else:
        kind, things = of.replace("_", " "), table[of].astype(str)
        given = _of_words(things, of, values)
    numbers = real_numbers(given, truth=True)
    if (lost := ~np.isfinite(numbers)).any():
        without = [*dict.fromkeys(things[lost])]
        text = f" of {name!r}: no number for {counted(len(without), kind)}"
        text += f" ({abridged(without)}); "
        why = _why_none(values, without) if isinstance(values, Mapping | pd.Series) else ""
        remedy: list[str | Argument] = [why or f"add them, or leave out these {kind}s"]
        if not why and of == "attribute" and (table["connection"][lost] == "matched").any():
            remedy += [" (matched controls with ", Argument("matched", 0), ")"]
        raise ArgumentError(Argument("values"), text, *remedy)
    if np.ptp(numbers) == 0:
        text = f" of {name!r} are all {numbers[0]:g}, so they cannot explain any difference"
        raise ArgumentError(Argument("values"), text)
    return table.assign(**{name: numbers})


def _why_none(values: Mapping[str, float] | pd.Series, without: Sequence[str]) -> str:
    """Say if words have text as a value, or a value under other capital letters."""
    given: dict[str, object] = {str(word): value for word, value in values.items()}
    forms = {word.casefold(): word for word in given}
    for word in without:
        if isinstance(given.get(word), str):
            return (
                f"{given[word]!r} for {word} is text; write categories as numbers, such as 1 and 0"
            )
        if word not in given and (form := forms.get(word.casefold())):
            return f"{form!r} is not {word!r}; write the words as in the table"
    return ""


def _check_name(table: pd.DataFrame, name: str) -> None:
    """Raise an ArgumentError for a name that is in use, or that a formula cannot contain."""
    if not isinstance(name, str) or not name.strip() or ":" in name or name != name.strip():
        text = f" must be text without colons or blanks around it, such as 'share'; got {name!r}"
        raise ArgumentError(Argument("name"), text)
    if name in LOG_RANKS:
        text = f": {name!r} is the logarithm of {LOG_RANKS[name][1]}; choose another name"
        raise ArgumentError(Argument("name"), text)
    if name in (*OPTIONAL_COLUMNS, *RANKS) or name in table.columns:
        text = f": tables have a column {name!r}; choose another name, or drop your column first"
        raise ArgumentError(Argument("name"), text)


def _of_words(words: pd.Series, of: str, values: object) -> pd.Series:
    """Return the value of each row's word, or NaN; raise an ArgumentError for two values."""
    if not isinstance(values, Mapping | pd.Series):
        raise TypeError(
            f"values must be a dict or a Series from each {of} to its number; got "
            f"{type(values).__name__}. For one value per row, pass of='row'"
        )
    given = pd.DataFrame(
        {
            "word": [str(word) for word, _ in values.items()],
            "value": pd.Series([value for _, value in values.items()], dtype=object),
        }
    )
    given["value"] = real_numbers(given["value"], truth=True)
    given = given[given["word"].isin(words)].drop_duplicates()
    if twice := list(dict.fromkeys(given["word"][given["word"].duplicated()])):
        raise ArgumentError(Argument("values"), f" has two values for {abridged(twice)}")
    return words.map(given.set_index("word")["value"])


def _of_rows(table: pd.DataFrame, values: object) -> pd.Series:
    """Return one value per row; a Series must have the table's index, in any order."""
    if isinstance(values, pd.Series):
        if values.index.equals(table.index):
            return values
        unique = values.index.is_unique and table.index.is_unique
        if not unique or {*values.index} != {*table.index}:
            text = " must have the table's index; for values in its order, pass a list"
            raise ArgumentError(Argument("values"), text)
        return values.reindex(table.index)
    given: Any = values
    if np.shape(given) != (len(table),):
        text = f" must have one number for each of the {len(table):,} rows; got "
        text += f"{type(values).__name__} of shape {np.shape(given)}"
        raise ArgumentError(Argument("values"), text)
    return pd.Series(given, table.index)


def with_values(table: pd.DataFrame, path: str | Path, covariates: Sequence[str]) -> pd.DataFrame:
    """Return a table with the columns of a CSV file that covariates name."""
    path = Path(path).expanduser()
    values = read_values(path, covariates)
    with located(path):
        for name in values:
            _check_name(table, str(name))
    try:
        return with_frame(table, values)
    except ArgumentError as error:
        own, given = Argument("values"), Argument("covariate_values")
        parts = [given if part == own else part for part in error.parts]
        raise ArgumentError(f"{path}: ", *parts) from None


def read_values(path: str | Path, covariates: Sequence[str]) -> pd.DataFrame:
    """Read the columns of a CSV file that covariates name; the index contains the words."""
    path = Path(path).expanduser()
    require_file("file of covariates", path)
    with located(path):
        frame = read_csv(path, dtype=str, keep_default_na=False)
        words = _column_of_words(frame)
        names = [name for name in frame.columns if name not in (words, "Unnamed: 0")]
        asked = {part.strip() for name in covariates for part in str(name).split(":")}
        chosen = [name for name in names if name in asked]
        if not chosen:
            raise ValueError(
                "a column of words and columns of numbers that covariates name are needed; got "
                f"{', '.join(map(repr, [words, *names]))} for {abridged(sorted(asked))}"
            )
        numbers = with_numbers(frame[names], chosen, dialect(path)["decimal"], some=True)
        return numbers.set_index(frame[words])


def _column_of_words(frame: pd.DataFrame) -> str:
    """Return the name of the column of words: a usual name, or the first after row numbers."""
    first, *others = map(str, frame.columns)
    if usual := [name for name in ("word", *UNITS[:2]) if name in frame.columns]:
        return usual[0]
    counts = [[*map(str, range(start, start + len(frame)))] for start in (0, 1)]
    numbered = first == "Unnamed: 0" and frame[first].tolist() in counts
    return others[0] if others and numbered else first


def with_frame(table: pd.DataFrame, values: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the covariates in a frame, whose index contains words.

    Columns describe attributes or protected words if the index has this name. Otherwise, a column
    describes attributes, with all controls, if it has a value for some attribute that is not also a
    protected word.
    """
    words = {*table["protected_word"]}
    attributes = {*table["attribute"]} - words
    for name in values:
        column, of = values[name].dropna(), values.index.name
        if of not in UNITS[:2]:
            is_of_words = attributes.isdisjoint(column.index) and not words.isdisjoint(column.index)
            of = "protected_word" if is_of_words else "attribute"
            if not attributes and not words.issubset(column.index):
                text = f" of {name!r} lack some protected words, and all attributes are protected "
                text += "words; name the words' column 'attribute' or 'protected_word'"
                raise ArgumentError(Argument("values"), text)
        table = with_covariate(table, str(name), column, of=str(of))
    return table
