"""Posterior contrasts of many simulated tables, by the exact sampler.

Tables of a scenario share their design, so that only distances change from fit to fit. The
contrasts are those that `bayesbias.contrasts` takes from a posterior of `fit`, the score is that of
`bayesbias.posterior_scores`, and changes are those of `bayesbias.fit_change`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
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
from ..nulls import Batch, ScenarioLike
from ..sampling.exact import ExactDraws, sample_exact
from ..sampling.fit import PARETO_K_LIMIT
from ..sampling.reduction import collapse
from .choices import Choices
from .truth import OTHERS, level_name, truth_columns, weat_weights

type Values = dict[str, FloatArray]
"""Draws of a posterior, by variable."""

KEPT = 0.7
"""Correlation of distances before and after a change: it moves them by .8 of their own spread."""


@dataclass(frozen=True)
class PosteriorSource:
    """Contrasts and WEAT's score under a Normal model of distances."""

    spec: ModelSpec
    blocks: int = 1

    @property
    def name(self) -> str:
        """The model's name and a mark of its content, since models may be changed and keep it."""
        content = json.dumps(self.spec.to_dict(), sort_keys=True).encode()
        return f"model {self.spec.name} {hashlib.sha256(content).hexdigest()[:8]}"

    def settings(self, choices: Choices) -> dict[str, Any]:
        """Return the model, the intervals' probability and the number of draws."""
        return {"spec": self.spec.to_dict(), "ci_prob": choices.ci_prob, "draws": choices.draws}

    def measure(
        self, scenario: ScenarioLike, batch: Batch, seed: SeedSequence, choices: Choices
    ) -> pd.DataFrame:
        """Return one row a table: ``LEVEL mean``, ``LEVEL low`` and ``LEVEL high`` of every level.

        Besides ``any word margin``, how far the farthest word's interval lies from zero (negative
        where it holds zero); ``doubtful``, whether Pareto k is not below 0.7.
        """
        design = make_design(batch.table(0))
        weights = weat_weights(batch.layout).ravel()
        rows = []
        for index, each in enumerate(seed.spawn(len(batch))):
            posterior = Posterior(_of_table(design, batch, index), self.spec, choices)
            drawn = posterior.draw(default_rng(each))
            levels = dict(posterior.levels(drawn.values, weights))
            row = posterior.describe(levels, drawn.values)
            rows.append(row | {"doubtful": _is_doubtful(drawn)})
        return pd.DataFrame(rows)


@dataclass(frozen=True)
class UnpooledSource(PosteriorSource):
    """The contrast of the first word when it is not pooled with others: a fit of its own."""

    @property
    def name(self) -> str:
        """The name of the model's source, and that a word is not pooled."""
        return f"{super().name}, unpooled"

    def settings(self, choices: Choices) -> dict[str, Any]:
        """Return the same, and which word is not pooled."""
        return super().settings(choices) | {"unpooled": 0}

    def measure(
        self, scenario: ScenarioLike, batch: Batch, seed: SeedSequence, choices: Choices
    ) -> pd.DataFrame:
        """Return one row a table: ``unpooled word mean``, ``low`` and ``high``; ``doubtful``."""
        design = make_design(batch.table(0))
        rows = []
        for index, each in enumerate(seed.spawn(len(batch))):
            posterior = Posterior(_of_table(design, batch, index), self.spec, choices)
            drawn = posterior.draw(default_rng(each), unpooled=0)
            word = posterior.contrast(drawn.values, "different")[:, 1]
            row = posterior.intervals({"unpooled word": word})
            rows.append(row | {"doubtful": _is_doubtful(drawn)})
        return pd.DataFrame(rows)


@dataclass(frozen=True)
class ChangeSource(PosteriorSource):
    """The same of the change under a Normal model of changes, and of before and after jointly.

    The tables of the scenario are those before; after, their effect is gone and all else has moved
    (`Batch.debiased`).
    """

    kept: float = KEPT

    def settings(self, choices: Choices) -> dict[str, Any]:
        """Return the same, and how much of the distances is kept."""
        return super().settings(choices) | {"kept": self.kept}

    def measure(
        self, scenario: ScenarioLike, batch: Batch, seed: SeedSequence, choices: Choices
    ) -> pd.DataFrame:
        """Return one row a table: as for distances, and of both ends; and what is true of these."""
        first, second = seed.spawn(2)
        anew = scenario.without_effect().simulate(len(batch), first)
        after = batch.debiased(anew, self.kept)
        change = after - batch
        design = replace(make_design(batch.table(0)), outcome="change")
        weights = weat_weights(batch.layout).ravel()
        rows = []
        for index, each in enumerate(second.spawn(len(batch))):
            moved = replace(design, y=change.distances[index].ravel())
            before = batch.distances[index].ravel()
            rows.append(self._one(moved, before, weights, each, choices))
        truths = truth_columns(change)
        for name, ends in (("before", batch), ("after", after)):
            of_end = truth_columns(ends)
            for level in ("overall", "group"):
                truths[f"truth {name} {level}"] = of_end[f"truth {level}"]
        return pd.concat([pd.DataFrame(rows), truths], axis=1)

    def _one(
        self,
        design: Design,
        before: FloatArray,
        weights: FloatArray,
        seed: SeedSequence,
        choices: Choices,
    ) -> dict[str, Any]:
        rng = default_rng(seed)
        change = Posterior(design, self.spec, choices)
        slope, left, spec = before_given_change(design, before, self.spec)
        drawn, given = change.draw(rng), Posterior(left, spec, choices).draw(rng)
        moved, rest = drawn.values, given.values
        means = ("connection_mean", "word_mean")
        ends = {"before": {name: rest[name] + slope * moved[name] for name in means}}
        ends["after"] = {name: ends["before"][name] + moved[name] for name in means}
        levels = dict(change.levels(moved, weights))
        for name, values in ends.items():
            apart = change.contrast(values, "different")
            levels[f"{name} overall"] = apart[:, 0]
            levels[f"{name} group"] = change.group_mean(apart, 0)
        return change.describe(levels, moved) | {"doubtful": _is_doubtful(drawn, given)}


def _of_table(design: Design, batch: Batch, index: int) -> Design:
    """Return the design of another table of a batch."""
    y, cosines = batch.distances[index].ravel(), batch.word_cosines[index]
    return replace(design, y=y, word_cosines=cosines)


def _is_doubtful(*drawn: ExactDraws) -> bool:
    return not max(each.pareto_k for each in drawn) < PARETO_K_LIMIT


@dataclass(frozen=True, eq=False)
class Posterior:
    """The posterior of one design under a Normal model, and what is read from its draws."""

    design: Design
    spec: ModelSpec
    choices: Choices

    def draw(self, rng: Generator, unpooled: int | None = None) -> ExactDraws:
        """Draw, all words pooled or all but one."""
        posterior = collapse(self.design, self.spec, unpooled=unpooled)
        return sample_exact(posterior, self.choices.draws, rng)

    def levels(self, values: Values, weights: FloatArray) -> Iterator[tuple[str, FloatArray]]:
        """Iterate over the levels of all contrasts, and WEAT's score, each (n_draws,)."""
        for other, connection in OTHERS.items():
            if connection in self.design.connections:
                apart = self.contrast(values, connection)
                first, second = (self.group_mean(apart, at) for at in (0, 1))
                yield level_name(other, "overall"), apart[:, 0]
                yield level_name(other, "group"), first
                yield level_name(other, "between groups"), first - second
                yield level_name(other, "word"), apart[:, 1]
        if any(term.known for term in self.spec.terms):
            return  # it takes rows whose effects are not drawn
        expected = expected_rows(
            self.spec.fitting(self.design), self.design.codes, values.__getitem__
        )
        yield "weat", expected @ weights

    def contrast(self, values: Values, connection: str) -> FloatArray:
        """Draws of associated less a connection: overall, then every word, (n_draws, 1 + n)."""
        places = [self.design.connections.index(name) for name in ("associated", connection)]
        means = np.concatenate([values["connection_mean"][:, None], values["word_mean"]], axis=1)
        return np.asarray(means[:, :, places[0]] - means[:, :, places[1]])

    def group_mean(self, contrast: FloatArray, group: int) -> FloatArray:
        """Mean of a contrast over the words of a group, (n_draws,)."""
        return np.asarray(contrast[:, 1:][:, self.design.word_group == group].mean(axis=1))

    def describe(self, levels: dict[str, FloatArray], values: Values) -> dict[str, float]:
        """Describe levels by mean and interval, and words by the margin of the farthest."""
        by_word = self.contrast(values, "different")[:, 1:]
        low, high = hdi(by_word, self.choices.ci_prob).T
        return self.intervals(levels) | {"any word margin": float(np.maximum(low, -high).max())}

    def intervals(self, levels: dict[str, FloatArray]) -> dict[str, float]:
        """Compute ``LEVEL mean``, ``LEVEL low`` and ``LEVEL high`` of draws by level."""
        bounds = hdi(np.column_stack(list(levels.values())), self.choices.ci_prob)
        row: dict[str, float] = {}
        for (level, draws), (low, high) in zip(levels.items(), bounds, strict=True):
            row |= {f"{level} mean": float(draws.mean())}
            row |= {f"{level} low": float(low), f"{level} high": float(high)}
        return row
