"""Summarize a posterior in tidy frames: mean distances overall, by group, and by word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Concatenate, TypedDict

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from .._core.checks import check_choice
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from .._core.warnings import warn
from ..model.likelihood import mean_locations
from ..model.terms import FACTORS
from ..model.tree import (
    Analyzed,
    DataTree,
    design_of,
    index_of,
    labels,
    n_draws,
    posterior_in,
    spec_of,
    spread_of,
    stacked,
    variable_dims,
    warnings_of,
)
from ..sampling.options import LEAST_CHAIN, LEAST_DRAWS, ROPE_SHARE, check_rope
from ..tables.levels import GROUP, LEVEL_COLUMNS, OVERALL, WORD
from .estimands import (
    Values,
    averages,
    has_cells,
    means_of_groups,
    measured_words,
    pair_names,
    slope_errors,
    with_slope_errors,
)

OVER = ("population", "listed")
"""Words and attributes to average over: all that are like the listed ones, or only these."""


def reads_posterior[**P](
    read: Callable[Concatenate[DataTree, P], pd.DataFrame],
) -> Callable[Concatenate[DataTree | Analyzed, P], pd.DataFrame]:
    """Let a function read a posterior or a result that has one; its frame carries the warnings."""

    @wraps(read)
    def from_any(tree: DataTree | Analyzed, *options: P.args, **keywords: P.kwargs) -> pd.DataFrame:
        posterior = posterior_in(tree)
        return carry_warnings(read(posterior, *options, **keywords), posterior)

    return from_any  # type: ignore[return-value]  # callers may also name the argument


def require_draws(tree: DataTree) -> None:
    """Raise a ValueError for fewer draws than checks of a posterior need."""
    per_chain, total = tree["posterior"].sizes["draw"], n_draws(tree)
    if per_chain < LEAST_CHAIN or total < LEAST_DRAWS:
        raise ValueError(
            f"checks of a posterior need {LEAST_CHAIN} draws per chain and {LEAST_DRAWS} in total; "
            f"got {per_chain} per chain and {total} in total"
        )


@reads_posterior
def summary(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Compute posterior mean distances with intervals.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    ci_prob, ci_kind
        The same as in `contrasts`.

    Returns
    -------
    DataFrame
        ``level`` (overall, group, word), ``protected_group``, ``protected_word``, ``connection``,
        and ``mean``, ``sd``, ``low``, and ``high`` of the distance, in [0, 2]. The overall mean is
        the mean of the population from which the words are drawn (``connection_mean``). In models
        with group means, such as ``by-group``, a group's mean is part of the model. In other
        models, it is the average over its words. A group or word has no row for a connection that
        the table has no rows of. ``.attrs`` stores ``ci_prob`` and ``ci_kind``.

    Examples
    --------
    >>> bb.summary(post)[["level", "connection", "mean", "low", "high"]].head(4).round(2)
         level  connection  mean   low  high
    0  overall  associated  0.88  0.78  0.98
    1  overall   different  0.92  0.83  1.02
    2  overall     neutral  0.96  0.94  0.97
    3  overall       human  0.84  0.81  0.87
    """
    levels, draws = level_means(tree)
    frame = describe_draws(draws.reshape(len(draws), -1), ci_prob, ci_kind)
    return labeled(frame, levels, connection=labels(tree, "connection"))


@reads_posterior
def sd_summary(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Summarize standard deviations, which show how much words, attributes, and single rows vary.

    Returns
    -------
    DataFrame
        ``parameter`` (an sd, or ``nu``), ``of`` (for example, a connection; may be empty),
        ``mean``, ``sd``, ``low``, and ``high``.

    Examples
    --------
    >>> bb.sd_summary(post)[["parameter", "mean"]].head(3).round(2)
           parameter  mean
    0       level_sd  0.02
    1  kind_level_sd  0.08
    2  kind_level_sd  0.01
    """
    spec = spec_of(tree)
    dims = variable_dims(spec)
    sds = [term.sd for factor in FACTORS for term in spec.terms_of(factor)]
    frames = []
    for name in dict.fromkeys([*sds, "sigma", "nu"]):
        if name in spec.needed_priors and name not in spec.fixed:
            draws = stacked(tree, name)
            frame = describe_draws(draws.reshape(len(draws), -1), ci_prob, ci_kind)
            of = labels(tree, dims[name][0]) if dims[name] else ""
            frames.append(in_front(frame, parameter=name, of=of))
    return pd.concat(frames, ignore_index=True)


def levels_of(tree: DataTree) -> pd.DataFrame:
    """Return the labels of the levels (overall, groups, then words), in ``LEVEL_COLUMNS``."""
    words, groups = labels(tree, "protected_word"), labels(tree, "protected_group")
    group_of = [groups[index] for index in index_of(tree, "group_index")]
    columns = (
        [OVERALL, *[GROUP] * len(groups), *[WORD] * len(words)],
        ["", *groups, *group_of],
        [""] * (1 + len(groups)) + words,
    )
    return pd.DataFrame(dict(zip(LEVEL_COLUMNS, columns, strict=True)))


def is_exact(tree: DataTree) -> bool:
    """Return whether draws are exact given the sds: not before or after changes."""
    return spec_of(tree).likelihood == "normal" and "sigma" in tree["posterior"]


def mean_draws(tree: DataTree) -> Values:
    """Return a function from a variable's name to its draws, with the errors of slopes in means."""
    design = design_of(tree)
    errors = slope_errors(design, n_draws(tree))
    return with_slope_errors(design, spec_of(tree), partial(stacked, tree), errors)


def level_means(tree: DataTree, over: str = "population") -> tuple[pd.DataFrame, FloatArray]:
    """Return level labels, and (n_draws, n_levels, n_connections) draws of mean distances.

    Draws of a group or word are NaN for connections that it has no rows of.
    """
    check_choice("value of over", over, OVER)
    design, spec, is_listed = design_of(tree), spec_of(tree), over == "listed"
    values = mean_draws(tree)
    words = _listed_means(tree) if is_listed else measured_words(design, values)
    overall = words.mean(axis=1) if is_listed else values("connection_mean")
    if not is_listed and has_cells(spec):
        groups = means_of_groups(design, spec, values)
    else:
        groups = averages(design, words)
    return levels_of(tree), np.concatenate([overall[:, None], groups, words], axis=1)


def listed_cells(tree: DataTree) -> FloatArray:
    """Return the mean expected distance of each cell's rows, (n_draws, n_groups, n_columns)."""
    design = design_of(tree)
    shape = design.column_connection.shape
    cell = design.codes("protected_group") * shape[1] + design.codes("attribute_column")
    return mean_locations(tree, cell, shape[0] * shape[1]).reshape(-1, *shape)


def _listed_means(tree: DataTree) -> FloatArray:
    """Return the mean expected distance of each word's rows, (n_draws, n_words, n_connections)."""
    words, connections = labels(tree, "protected_word"), labels(tree, "connection")
    word, connection = index_of(tree, "word_index"), index_of(tree, "connection_index")
    shape = len(words), len(connections)
    means = mean_locations(tree, word * shape[1] + connection, shape[0] * shape[1])
    if np.isnan(means[0]).any():
        w, c = divmod(int(np.isnan(means[0]).argmax()), shape[1])
        raise ValueError(
            f"{words[w]!r} has no {connections[c]} rows, so the mean over the listed words "
            "is undefined; use over='population', or leave out the word"
        )
    return means.reshape(-1, *shape)


def labeled(frame: pd.DataFrame, things: pd.DataFrame, **columns: Sequence[str]) -> pd.DataFrame:
    """Label a frame that has one row for each combination of `things` and values of `columns`.

    Rows whose mean is not identified are left out.
    """
    times = len(frame) // len(things)
    repeated = things.loc[things.index.repeat(times)].reset_index(drop=True)
    tiled = {name: list(values) * len(things) for name, values in columns.items()}
    in_front(frame, **{str(name): repeated[name] for name in repeated}, **tiled)
    return frame.dropna(subset="mean", ignore_index=True) if "mean" in frame else frame


type Column = str | float | Sequence[object] | NDArray[np.generic] | pd.Series
"""The values of a column; a single one is repeated."""


def in_front(frame: pd.DataFrame, **columns: Column) -> pd.DataFrame:
    """Insert columns at the front of a frame, and return it."""
    for place, (name, values) in enumerate(columns.items()):
        frame.insert(place, name, values)
    return frame


def carry_warnings(frame: pd.DataFrame, tree: DataTree) -> pd.DataFrame:
    """Store a posterior's warnings in a frame's attributes, and issue them again."""
    doubts = warnings_of(tree)
    frame.attrs["warnings"] = list(map(str, doubts))
    for doubt in doubts:
        warn(doubt)
    return frame


class Reading(TypedDict):
    """Settings for describing draws of differences."""

    ci_prob: float
    rope: float
    ci_kind: str


def reading_of(tree: DataTree, ci_prob: float, rope: float | None, ci_kind: str) -> Reading:
    """Return a `Reading`; `rope` defaults to `ROPE_SHARE` times the sd of stereotype distances."""
    if rope is None:
        rope = ROPE_SHARE * spread_of(tree)
    check_rope(rope)
    return {"ci_prob": ci_prob, "rope": rope, "ci_kind": ci_kind}


def describe_gaps(
    gaps: FloatArray,
    names: Sequence[str],
    things: pd.DataFrame,
    reading: Reading,
    **columns: Column,
) -> pd.DataFrame:
    """Describe (n_draws, n_things, n_pairs) differences between all pairs of names.

    Each row has its labels, ``first``, ``second``, any other columns, and those of `compare_draws`.
    Differences that the table does not identify have no row.
    """
    identified = np.isfinite(gaps[0]).ravel()
    frame = compare_draws(np.where(identified, gaps.reshape(len(gaps), -1), 0.0), **reading)
    frame = labeled(in_front(frame, **columns), things, **pair_names(names))
    return frame if identified.all() else frame[identified].reset_index(drop=True)


def compare_draws(
    differences: FloatArray, ci_prob: float, rope: float, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Describe (n_draws, n) differences, with ``p_direction``, ``p_rope``, and its ceiling."""
    frame = describe_draws(differences, ci_prob, ci_kind)
    above = (differences > 0).mean(axis=0) + 0.5 * (differences == 0).mean(axis=0)
    frame["p_direction"] = pd.Series(above).clip(lower=1 - above)
    frame["p_rope"] = (abs(differences) < rope).mean(axis=0)
    around_zero = (abs(differences - differences.mean(axis=0)) < rope).mean(axis=0)
    frame["p_rope_ceiling"] = np.maximum(around_zero, frame["p_rope"])
    frame.attrs["rope"] = rope
    return frame
