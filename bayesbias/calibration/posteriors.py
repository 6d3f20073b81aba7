"""Posterior contrasts of many simulated tables, by the exact sampler.

Tables of a scenario share their design, so that only distances change from fit to fit. The
contrasts are those that `bayesbias.contrasts` takes from a posterior of `fit`, the score is that of
`bayesbias.posterior_scores`, and changes are those of `bayesbias.fit_change`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator, SeedSequence, default_rng

from .._core.arrays import FloatArray
from .._core.intervals import hdi
from ..comparison.joint import before_given_change
from ..model.design import Design, make_design
from ..model.likelihood import expected_rows
from ..model.spec import ModelSpec
from ..nulls import BaseScenario, Batch
from ..sampling.exact import ExactDraws, sample_exact
from ..sampling.fit import PARETO_K_LIMIT
from ..sampling.reduction import collapse
from .sources import Choices, Source
from .truth import OTHERS, level_name, truth_columns, weat_weights

type Values = dict[str, FloatArray]
"""Draws of a posterior, by variable."""

KEPT = 0.7
"""Correlation of distances before and after a change: it moves them by .8 of their own spread."""

UNPOOLED = "unpooled word"
"""Level of the first word, fitted without the other words."""


def posterior_source(spec: ModelSpec, *, unpooled: bool = False) -> Source:
    """Return the source of a Normal model's intervals: of distances, or of changes.

    Its name has a mark of the model's content, since models may be changed and keep their name.
    """
    content = spec.to_dict()
    mark = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]
    name = f"model {spec.name} {mark}{', unpooled' if unpooled else ''}"
    settings: dict[str, Any] = {"spec": content, "unpooled": unpooled}
    if spec.outcome == "change":
        return Source(name, partial(measure_changes, spec), settings | {"kept": KEPT}, blocks=1)
    return Source(name, partial(measure_distances, spec, unpooled=unpooled), settings, blocks=1)


def measure_distances(
    spec: ModelSpec,
    scenario: BaseScenario,
    batch: Batch,
    seed: SeedSequence,
    choices: Choices,
    *,
    unpooled: bool,
) -> pd.DataFrame:
    """Return one row a table: ``LEVEL mean``, ``LEVEL low`` and ``LEVEL high`` of every level.

    Besides ``any word margin``, how far the farthest word's interval lies from zero (negative where
    it holds zero); ``doubtful``, whether Pareto k is not below 0.7.
    """
    shared, weights = make_design(batch.table(0)), weat_weights(batch.layout).ravel()
    rows = []
    for index, child in enumerate(seed.spawn(len(batch))):
        design = replace(shared, y=batch.distances[index].ravel())
        drawn = _draw(design, spec, choices, default_rng(child), 0 if unpooled else None)
        if unpooled:
            row = _intervals({UNPOOLED: _contrast(design, drawn.values)[:, 1]}, choices)
        else:
            levels = dict(_levels(design, spec, drawn.values, weights))
            row = _intervals(levels, choices) | _margin(design, drawn.values, choices)
        rows.append(row | _doubtful(drawn))
    return pd.DataFrame(rows)


def measure_changes(
    spec: ModelSpec, scenario: BaseScenario, batch: Batch, seed: SeedSequence, choices: Choices
) -> pd.DataFrame:
    """Return one row a table: as for distances, and of both ends; and what is true of these.

    The tables of the scenario are those before; after, their effect is gone and all else has moved
    (`Batch.debiased`).
    """
    first, second = seed.spawn(2)
    after = batch.debiased(scenario.without_effect().simulate(len(batch), first), KEPT)
    change = after - batch
    design = replace(make_design(batch.table(0)), outcome="change")
    weights = weat_weights(batch.layout).ravel()
    rows = []
    for index, child in enumerate(second.spawn(len(batch))):
        moved = replace(design, y=change.distances[index].ravel())
        before = batch.distances[index].ravel()
        rng = default_rng(child)
        rows.append(_change(spec, moved, before, weights=weights, rng=rng, choices=choices))
    truths = truth_columns(change)
    for name, end in (("before", batch), ("after", after)):
        of_end = truth_columns(end)
        for level in ("overall", "group"):
            truths[f"truth {name} {level}"] = of_end[f"truth {level}"]
    return pd.concat([pd.DataFrame(rows), truths], axis=1)


def _change(
    spec: ModelSpec,
    design: Design,
    before: FloatArray,
    *,
    weights: FloatArray,
    rng: Generator,
    choices: Choices,
) -> dict[str, float]:
    """Describe the change of one table, and both its ends."""
    slope, rest, rest_spec = before_given_change(design, before, spec)
    drawn = _draw(design, spec, choices, rng)
    given = _draw(rest, rest_spec, choices, rng)
    levels = dict(_levels(design, spec, drawn.values, weights))
    ends: dict[str, Values] = {"before": {}, "after": {}}
    for name in ("connection_mean", "word_mean"):
        ends["before"][name] = given.values[name] + slope * drawn.values[name]
        ends["after"][name] = ends["before"][name] + drawn.values[name]
    for name, values in ends.items():
        contrast = _contrast(design, values)
        levels[f"{name} overall"] = contrast[:, 0]
        levels[f"{name} group"] = _group_mean(design, contrast, 0)
    margin = _margin(design, drawn.values, choices)
    return _intervals(levels, choices) | margin | _doubtful(drawn, given)


def _draw(
    design: Design, spec: ModelSpec, choices: Choices, rng: Generator, unpooled: int | None = None
) -> ExactDraws:
    return sample_exact(collapse(design, spec, unpooled=unpooled), choices.draws, rng)


def _doubtful(*drawn: ExactDraws) -> dict[str, bool]:
    return {"doubtful": not max(each.pareto_k for each in drawn) < PARETO_K_LIMIT}


def _levels(
    design: Design, spec: ModelSpec, values: Values, weights: FloatArray
) -> Iterator[tuple[str, FloatArray]]:
    """Iterate over the levels of all contrasts, and WEAT's score, each (n_draws,)."""
    for other, connection in OTHERS.items():
        if connection in design.connections:
            contrast = _contrast(design, values, connection)
            first, second = (_group_mean(design, contrast, group) for group in (0, 1))
            yield level_name(other, "overall"), contrast[:, 0]
            yield level_name(other, "group"), first
            yield level_name(other, "between groups"), first - second
            yield level_name(other, "word"), contrast[:, 1]
    expected = expected_rows(spec.fitting(design), design.codes, values.__getitem__)
    yield "weat", expected @ weights


def _contrast(design: Design, values: Values, connection: str = "different") -> FloatArray:
    """Draws of associated less a connection: overall, then every word, (n_draws, 1 + n_words)."""
    first, second = (design.connections.index(name) for name in ("associated", connection))
    means = np.concatenate([values["connection_mean"][:, None], values["word_mean"]], axis=1)
    return np.asarray(means[:, :, first] - means[:, :, second])


def _group_mean(design: Design, contrast: FloatArray, group: int) -> FloatArray:
    """Mean of a contrast over the words of a group, (n_draws,)."""
    return np.asarray(contrast[:, 1:][:, design.word_group == group].mean(axis=1))


def _margin(design: Design, values: Values, choices: Choices) -> dict[str, float]:
    """Return how far the farthest word's interval lies from zero."""
    low, high = hdi(_contrast(design, values)[:, 1:], choices.ci_prob).T
    return {"any word margin": float(np.maximum(low, -high).max())}


def _intervals(levels: Values, choices: Choices) -> dict[str, float]:
    """Compute ``LEVEL mean``, ``LEVEL low`` and ``LEVEL high`` of draws by level."""
    bounds = hdi(np.column_stack(list(levels.values())), choices.ci_prob)
    row: dict[str, float] = {}
    for (level, draws), (low, high) in zip(levels.items(), bounds, strict=True):
        row |= {f"{level} mean": float(draws.mean())}
        row |= {f"{level} low": float(low), f"{level} high": float(high)}
    return row
