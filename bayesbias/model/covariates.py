"""Turn covariates such as ``share:protected_group`` into columns and slopes of a model.

A covariate is a column of numbers in the table, or a product of several, such as
``log_rank_word:log_rank_attribute``. With a column of names, such as ``protected_group``, there is
one slope for each name. Numbers are centered before they are multiplied, and so are products. If
distances are at equal frequency, so are covariates (`model.frequency`), and slopes are those of the
measured distances. Slopes are in the units of the columns. A priori, a slope times the sd of its
covariate is Normal with an sd of one spread, the sd of stereotype distances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, IntArray
from .._core.checks import unknown_name
from .._core.display import abridged
from ..tables.schema import COLUMNS, LOG_RANKS, ROUNDING, real_numbers
from .design import COVARIATE, Design, one_hot
from .frequency import equalized
from .indexing import make_design
from .priors import Prior
from .spec import ModelSpec
from .terms import Term

LEVELS = ("protected_group", "attribute_set", "connection")
"""Columns of names that a covariate can have a separate slope for."""

SLOPE, SLOPE_SD = "slope", "slope_sd"
"""Names of the slopes and of their prior sd."""

LARGEST = 1e100
"""Largest deviation of a covariate from its mean; the smallest is its inverse."""

SAME = 1e-9
"""Share of the variation of a covariate or outcome below which the rest is rounding error."""


class Center(NamedTuple):
    """The values at which a covariate is zero."""

    means: tuple[float, ...]  # of each column of numbers
    product: float  # mean of the product of centered columns


def with_slopes(
    design: Design,
    spec: ModelSpec,
    table: pd.DataFrame,
    covariates: str | Sequence[str],
    centers: Mapping[str, Center] | None = None,
) -> tuple[Design, ModelSpec]:
    """Return a design with covariates, and a model with their slopes.

    Parameters
    ----------
    table : DataFrame
        The table that the design was made from, with one row for each row of the design.
    covariates : str or sequence of str
        Columns or products of columns, such as ``share`` or ``share:protected_group``.
    centers : mapping of str to Center, optional
        For each covariate, the values at which it is zero; by default, the means of the table.

    Raises
    ------
    ValueError
        If a column is unknown or lacks values, or if the table or model does not identify a slope.
    """
    names = names_of(covariates)
    if not names:
        return design, spec
    at = centers or {}
    made = [column for name in names for column in columns_of(table, name, at.get(name))]
    _require_identified(design, made)
    x = np.column_stack([equalized(design, column.x) for column in made])
    labels, units = tuple(one.label for one in made), np.array([one.unit for one in made])
    design = replace(design, covariates=labels, x=x, covariate_unit=units)
    spec = with_term(spec, design)
    for column in made:
        _require_effects(design, spec, column)
    return design, spec


def names_of(covariates: str | Sequence[str]) -> list[str]:
    """Return the names of one or several covariates."""
    if not isinstance(covariates, Iterable):
        raise TypeError(f"covariates must be names of columns; got {covariates!r}")
    return [covariates] if isinstance(covariates, str) else [*map(str, covariates)]


def made_design(
    table: pd.DataFrame | Design, spec: ModelSpec, covariates: str | Sequence[str]
) -> tuple[Design, ModelSpec]:
    """Return the design of a table, or the design itself, and the model, with any covariates."""
    if isinstance(table, Design):
        if len(covariates):
            raise ValueError("covariates need a table; a Design has its own in x")
        return table, spec
    return with_slopes(make_design(table), spec, table, covariates)


def with_term(spec: ModelSpec, design: Design) -> ModelSpec:
    """Return a model with slopes of all covariates, unless it has some already."""
    if spec.terms_of(COVARIATE):
        return spec
    value = 1.0 if spec.scale == "spread" else max(design.spread, ROUNDING)
    reason = "weak: one sd of a covariate may move distances by about their spread"
    priors = {**spec.priors, SLOPE_SD: Prior("fixed", {"value": value}, reason)}
    term = Term(SLOPE, of=COVARIATE, sd=SLOPE_SD)
    return replace(spec, terms=(*spec.terms, term), priors=priors)


class Column(NamedTuple):
    """A slope's covariate in a table, as measured."""

    by: str  # column of its levels, such as protected_group, or empty
    label: str  # such as share: muslim
    x: FloatArray  # (n_rows,): centered values; zero in rows of other levels
    unit: float  # sd of all values
    applies: np.ndarray  # (n_rows,): whether a row is of the slope's level


def check_scale(what: str, deviations: FloatArray) -> None:
    """Raise a ValueError if deviations from a mean are too large or too small to be squared."""
    largest = float(abs(deviations).max())
    if largest and not 1 / LARGEST < largest < LARGEST:
        raise ValueError(
            f"values of {what} differ from their mean by up to {largest:.0e}, which is too "
            "large or too small; multiply all of them by the same number, so that this is about 1"
        )


def columns_of(table: pd.DataFrame, name: str, center: Center | None = None) -> Iterator[Column]:
    """Yield a covariate's column, or one for each level of ``protected_group`` and the like."""
    by, numbers = _parts_of(name)
    x, label = _centered(table, numbers, center or center_of(table, name)), ":".join(numbers)
    check_scale(f"the covariate {label!r}", x)
    unit = float(x.std())
    if not unit > SAME * abs(x).max():
        raise ValueError(f"the covariate {label!r} is the same in all rows; leave it out")
    if not by:
        yield Column(by, label, x, unit, np.ones(len(x), dtype=bool))
    for level in dict.fromkeys(table[by].astype(str)) if by else ():
        applies = (table[by].astype(str) == level).to_numpy()
        yield Column(by, f"{label}: {level}", np.where(applies, x, 0.0), unit, applies)


def _parts_of(name: str) -> tuple[str, list[str]]:
    """Return the column of levels of a covariate, if it has one, and its columns of numbers."""
    parts = [part.strip() for part in str(name).split(":")]
    levels = [part for part in parts if part in LEVELS]
    numbers = [part for part in parts if part not in LEVELS]
    if not numbers or len(levels) > 1:
        raise ValueError(
            f"the covariate {name!r} needs a column of numbers and at most one of "
            f"{', '.join(LEVELS)}, as in share:protected_group; groups and sets alone have effects "
            "in the model"
        )
    return "".join(levels), numbers


def center_of(table: pd.DataFrame, name: str) -> Center:
    """Return the values at which a covariate is zero: means over the rows."""
    _, numbers = _parts_of(name)
    columns = [numbers_of(table, one) for one in numbers]
    means = tuple(float(column.mean()) for column in columns)
    moved = [column - mean for column, mean in zip(columns, means, strict=True)]
    return Center(means, float(np.prod(moved, axis=0).mean()))


def _centered(table: pd.DataFrame, names: Sequence[str], center: Center) -> FloatArray:
    """Return the product of columns minus their means, minus its mean."""
    moved = [numbers_of(table, name) - mean for name, mean in zip(names, center.means, strict=True)]
    return np.asarray(np.prod(moved, axis=0) - center.product)


def numbers_of(table: pd.DataFrame, name: str) -> FloatArray:
    """Return a column of numbers; raise a ValueError that names what is missing."""
    of, column = LOG_RANKS.get(name, ("", name))
    if of and column not in table:
        raise ValueError(
            f"the table has no column {column}, so {name} is unknown; tables from vectors with "
            "frequencies have it, or add your own column with bb.with_covariate"
        )
    table = table.rename(columns=str)
    if of and name in table:
        raise ValueError(
            f"the covariate {name!r} is the logarithm of {column}, but the table also has a column "
            f"{name!r}; rename your column"
        )
    others = [each for each in table if each not in COLUMNS]
    ranks = [each for each, (_, rank) in LOG_RANKS.items() if rank in table]
    known = [*map(str, others), *ranks]
    if name not in known:
        raise ValueError(
            f"{unknown_name('covariate', name, known)}; add a column of your own with "
            "bb.with_covariate or, in an analysis, with covariate_values"
        )
    values = _numbers("the covariate " + repr(name), table[column])
    lacking = ~np.isfinite(values)
    if lacking.any():
        words = _words_of(table, lacking, of)
        raise ValueError(
            f"the covariate {name!r} has no value for {abridged(words)}; add the values, or leave "
            "these words out"
        )
    return np.log(values) if of else values


def _numbers(what: str, column: pd.Series) -> FloatArray:
    """Return the numbers in a column, NaN for empty cells; refuse any other cell, also digits."""
    values = real_numbers(column, truth=True)
    text = np.array([isinstance(cell, str) for cell in column.astype(object)], dtype=bool)
    odd = np.isnan(values) & column.notna().to_numpy()
    for place in np.flatnonzero(odd if odd.any() else text)[:1]:
        raise ValueError(f"{what} must be a column of numbers; got {column.iloc[place]!r:.60}")
    return values


def _words_of(table: pd.DataFrame, rows: np.ndarray, of: str) -> list[str]:
    """Return the attributes in all of whose rows values are missing or, if none, the words."""
    for column in (of,) if of else ("attribute", "protected_word"):
        share = pd.Series(rows).groupby(table[column].to_numpy(), sort=False).mean()
        if words := [str(word) for word in share.index[share == 1]]:
            return words
    row = table[["protected_word", "attribute"]].iloc[int(np.argmax(rows))]
    return [f"{row.iloc[0]}, {row.iloc[1]}"]


def _require_identified(design: Design, columns: Sequence[Column]) -> None:
    """Raise a ValueError for a covariate that groups, sets, and other covariates determine."""
    codes = [design.codes("protected_group"), design.attribute_column[design.attribute]]
    cell = np.unique([*codes, design.connection], axis=1, return_inverse=True)[1].ravel()
    known = one_hot(cell, int(cell.max()) + 1).T
    known = known / np.linalg.norm(known, axis=0)
    before: list[str] = []
    for _, label, x, *_ in columns:
        rest = x.copy()
        for _ in range(2):  # once more, for rounding errors
            rest -= known @ (known.T @ rest)
        if np.linalg.norm(rest) <= np.sqrt(SAME) * np.linalg.norm(x):
            others = f", or by {', '.join(before)}" if before else ""
            raise ValueError(
                f"the covariate {label!r} is determined by groups and sets{others}, so its slope "
                "cannot be told apart from their differences; leave it out"
            )
        known = np.column_stack([known, rest / np.linalg.norm(rest)])
        before.append(label)


def _require_effects(design: Design, spec: ModelSpec, column: Column) -> None:
    """Raise a ValueError if single attributes vary but the model takes them for independent rows.

    The interval of a slope would be too narrow by far, as in a regression that ignores clusters.
    """
    if not _varies_within(design.word[column.applies], column.x[column.applies]):
        return
    terms, by_group = spec.fitting(design).terms_of("attribute"), column.by == "protected_group"
    if not any(term.by == "protected_group" if by_group else not term.constraint for term in terms):
        what = "attributes by group, such as attribute_lean" if by_group else "attributes"
        raise ValueError(
            f"the covariate {column.label!r} needs a model with effects of {what}; {spec.name!r} "
            "has none, so the interval would be too narrow. Use by-group"
        )


def _varies_within(code: IntArray, x: FloatArray) -> bool:
    """Return whether values differ between rows of the same unit."""
    mean = np.bincount(code, x) / np.maximum(np.bincount(code), 1)
    return bool(np.abs(x - mean[code]).max(initial=0.0) > SAME * np.abs(x).max(initial=0.0))
