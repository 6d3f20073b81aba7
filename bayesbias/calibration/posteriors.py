"""Posterior contrasts of many simulated tables, by the exact sampler.

Tables of a scenario share their design, so that only distances change from fit to fit. The
contrasts are those that `bayesbias.contrasts` takes from a posterior of `fit`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import SeedSequence, default_rng

from .._core.arrays import FloatArray
from .._core.intervals import hdi
from ..model.design import Design, make_design
from ..model.spec import ModelSpec
from ..nulls import Batch, ScenarioLike
from ..sampling.exact import sample_exact
from ..sampling.fit import PARETO_K_LIMIT
from ..sampling.reduction import collapse
from .choices import Choices

LEVELS = ("overall", "group", "unpooled word", "word")
"""Contrasts whose intervals are kept: the population's, the first group's, the first word's."""


@dataclass(frozen=True)
class PosteriorSource:
    """Contrasts associated - different under a Normal model."""

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
        """Return one row a table: ``LEVEL mean``, ``LEVEL low`` and ``LEVEL high`` of ``LEVELS``.

        Besides ``any word margin``, how far the farthest word's interval lies from zero (negative
        where it holds zero); ``doubtful``, whether Pareto k is not below 0.7.
        """
        design = make_design(batch.table(0))
        seeds = seed.spawn(len(batch))
        rows = [
            self._one(replace(design, y=distances.ravel()), each, choices)
            for distances, each in zip(batch.distances, seeds, strict=True)
        ]
        return pd.DataFrame(rows)

    def _one(self, design: Design, seed: SeedSequence, choices: Choices) -> dict[str, float | bool]:
        rng = default_rng(seed)
        drawn = sample_exact(collapse(design, self.spec), choices.draws, rng)
        alone = sample_exact(collapse(design, self.spec, unpooled=0), choices.draws, rng)
        by_word = contrast_draws(design, alone.values)[:, 2:3]
        contrasts = np.insert(contrast_draws(design, drawn.values), [2], by_word, axis=1)
        interval = hdi(contrasts, choices.ci_prob)
        row: dict[str, float | bool] = {}
        for at, level in enumerate(LEVELS):
            row[f"{level} mean"] = float(contrasts[:, at].mean())
            row[f"{level} low"], row[f"{level} high"] = map(float, interval[at])
        words = interval[len(LEVELS) - 1 :]
        row["any word margin"] = float(np.maximum(words[:, 0], -words[:, 1]).max())
        row["doubtful"] = not max(drawn.pareto_k, alone.pareto_k) < PARETO_K_LIMIT
        return row


def contrast_draws(design: Design, values: dict[str, FloatArray]) -> FloatArray:
    """Draws of associated - different: overall, first group, and every word, (n_draws, 2 + n)."""
    first, second = (design.connections.index(name) for name in ("associated", "different"))
    means, words = values["connection_mean"], values["word_mean"]
    overall = means[:, first] - means[:, second]
    by_word = words[:, :, first] - words[:, :, second]
    group = by_word[:, design.word_group == 0].mean(axis=1)
    return np.column_stack([overall, group, by_word])
