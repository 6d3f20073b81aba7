"""Compute posterior contrasts for many simulated tables with the exact sampler.

Tables of a scenario have the same design, so only distances and similarities of words differ
between fits. Contrasts are computed as in `bayesbias.contrasts`, scores as in
`bayesbias.posterior_scores`, and changes as in `bayesbias.fit_change`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.random import SeedSequence, default_rng

from .._core.arrays import FloatArray
from .._core.intervals import hdi
from ..comparison.joint import before_given_change, slopes_by_name
from ..model.design import Design, with_cosines
from ..model.indexing import make_design
from ..model.likelihood import expected_rows
from ..model.spec import ModelSpec
from ..nulls import Batch
from ..posterior.estimands import (
    has_cells,
    identifies_groups,
    pair_gaps,
    pair_place,
    population_gaps,
)
from ..sampling.exact import ExactDraws, sample_exact
from ..sampling.importance import PARETO_K_LIMIT
from ..sampling.reduction import collapse
from .measures import OTHERS, truth_columns, weat_weights, without_effect

type Values = Mapping[str, FloatArray]
"""Draws of a posterior, keyed by variable."""

KEPT = 0.7
"""Correlation of distances before and after a change; they move by about .8 of their sd."""

UNPOOLED = "unpooled word"
"""Level of the first word, fitted without the other words."""


def measure_posteriors(
    spec: ModelSpec,
    batch: Batch,
    seed: SeedSequence,
    ci_prob: float,
    draws: int,
    *,
    unpooled: bool = False,
) -> pd.DataFrame:
    """Return one row per table: ``LEVEL mean``, ``LEVEL low``, ``LEVEL high``, ``truth LEVEL``.

    Other columns are ``any word margin``, the largest distance of a word's interval from zero
    (negative if all intervals contain zero), and ``doubtful``, which is true unless Pareto k is
    below 0.7. For a model of changes, the simulated change removes the effect and partly redraws
    the rest (`Batch.debiased`). Contrasts before and after the change are also described.
    """
    if spec.outcome == "change":
        return _measure_changes(spec, batch, seed, ci_prob, draws)
    design, rows = make_design(batch.table(0)), []
    weights = weat_weights(batch.scenario).ravel()
    for index, child in enumerate(seed.spawn(len(batch))):
        of_table = _with_values(design, batch, index)
        fit = collapse(of_table, spec, unpooled=[0] if unpooled else ())
        drawn = sample_exact(fit, draws, default_rng(child))
        if unpooled:
            gaps = _gaps(of_table, spec, drawn.values)
            levels = {UNPOOLED: gaps[:, 1 + len(design.groups), 0]}
        else:
            levels = _levels(of_table, spec, drawn.values, weights)
        rows.append(_described(levels, ci_prob, drawn))
    truths = truth_columns(batch, relative=has_cells(spec))
    return pd.concat([pd.DataFrame(rows), truths], axis=1)


def _measure_changes(
    spec: ModelSpec, batch: Batch, seed: SeedSequence, ci_prob: float, draws: int
) -> pd.DataFrame:
    first, second = seed.spawn(2)
    after = batch.debiased(without_effect(batch, first), KEPT)
    change, design, rows = after - batch, make_design(batch.table(0)), []
    weights = weat_weights(batch.scenario).ravel()
    for index, child in enumerate(second.spawn(len(batch))):
        rng = default_rng(child)
        moved = replace(_with_values(design, change, index), outcome="change")
        slope, rest, rest_spec = before_given_change(moved, batch.distances[index].ravel(), spec)
        drawn = sample_exact(collapse(moved, spec), draws, rng)
        given = sample_exact(collapse(rest, rest_spec), draws, rng)
        levels = _levels(moved, spec, drawn.values, weights)
        by = slopes_by_name(moved, spec.fitting(moved), slope)
        for end, own in (("before", 0.0), ("after", 1.0)):
            values = {
                name: given.values[name] + (own + np.asarray(of)) * drawn.values[name]
                for name, of in by.items()
            }
            gaps = _gaps(moved, spec, values)[..., 0]
            levels |= {f"{end} overall": gaps[:, 0], f"{end} group": gaps[:, 1]}
        rows.append(_described(levels, ci_prob, drawn, given))
    relative = has_cells(spec)
    truths = truth_columns(change, relative=relative)
    for end, tables in (("before", batch), ("after", after)):
        of_end = truth_columns(tables, relative=relative)
        for level in ("overall", "group"):
            truths[f"truth {end} {level}"] = of_end[f"truth {level}"]
    return pd.concat([pd.DataFrame(rows), truths], axis=1)


def _with_values(design: Design, batch: Batch, index: int) -> Design:
    """Return the design with the distances and word similarities of one table."""
    design = replace(design, y=batch.distances[index].ravel())
    if batch.cosines is None:
        return design
    n, cosines = len(design.words), batch.cosines[index]
    return with_cosines(design, cosines[:n, :n], cosines[n:, n:])


def _gaps(design: Design, spec: ModelSpec, values: Values) -> FloatArray:
    """Return draws of all contrasts, (n_draws, 1 + n_groups + n_words, n_pairs).

    They are defined as in `bayesbias.contrasts`, and NaN if a table does not identify them.
    """
    gaps = population_gaps(design, spec.fitting(design), values.__getitem__)
    gaps[:, 0] = pair_gaps(values["connection_mean"])
    if has_cells(spec) and not identifies_groups(design):
        gaps[:, 1 : 1 + len(design.groups), 0] = np.nan
    return gaps


def _levels(
    design: Design, spec: ModelSpec, values: Values, weights: FloatArray
) -> dict[str, FloatArray]:
    """Return draws, (n_draws,), of each level; those of any word are (n_draws, n_words)."""
    expected = expected_rows(spec.fitting(design), design.codes, values.__getitem__)
    gaps, first_word = _gaps(design, spec, values), 1 + len(design.groups)
    levels = {"weat": expected @ weights, "any word": gaps[:, first_word:, 0]}
    for other, connection in OTHERS.items():
        if connection in design.connections:
            place, sign = pair_place(design.connections, "associated", connection)
            own = sign * gaps[..., place]
            levels |= {
                f"{other}overall": own[:, 0],
                f"{other}group": own[:, 1],
                f"{other}between groups": own[:, 1] - own[:, 2],
                f"{other}word": own[:, first_word],
            }
    return {level: draws for level, draws in levels.items() if not np.isnan(draws[0]).any()}


def _described(
    levels: dict[str, FloatArray], ci_prob: float, *drawn: ExactDraws
) -> dict[str, float | bool]:
    """Compute means and intervals of draws by level, and the margin of any word."""
    row: dict[str, float | bool] = {}
    row["doubtful"] = not max(part.pareto_k for part in drawn) < PARETO_K_LIMIT
    if "any word" in levels:
        low, high = hdi(levels.pop("any word"), ci_prob).T
        row["any word margin"] = float(np.maximum(low, -high).max())
    bounds = hdi(np.column_stack(list(levels.values())), ci_prob)
    for (level, draws), (low, high) in zip(levels.items(), bounds, strict=True):
        row |= {f"{level} mean": draws.mean(), f"{level} low": low, f"{level} high": high}
    return row
