"""Intervals, differences and ranks of `bb.fit_many` in simulated studies of known truth.

Each study has three embeddings and two lists. Contrasts are drawn around effects of embedding,
list and both; words and attributes lean in all embeddings and in each. ``size`` is the number of
studies.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

import bayesbias as bb

EMBEDDINGS, LISTS = ("a", "b", "c"), ("one", "two")
GROUPS, N_WORDS, N_ATTRIBUTES = 2, 6, 8


@dataclass(frozen=True)
class Scenario:
    """Sd of log scales, share of leanings that two embeddings share, share of missing words."""

    scale_sd: float = 0.3
    alike: float = 0.0
    missing: float = 0.0


SCENARIOS = {
    "scales of their own": Scenario(),
    "equal scales": Scenario(scale_sd=0.0),
    "two embeddings alike": Scenario(alike=0.9),
    "each lacks a tenth of the words": Scenario(missing=0.1),
}


def study(size: int = 500) -> pd.DataFrame:
    """Return coverage and widths of 89% intervals, and Brier scores, by scenario."""
    rows = [{"studies": name} | _rates(scenario, size) for name, scenario in SCENARIOS.items()]
    return pd.DataFrame(rows)


def contrasts(rng: Generator) -> np.ndarray:
    """Draw true contrasts, (n_lists, n_embeddings), from their priors."""
    sds = rng.exponential(0.05, 3)
    shapes = ((1, len(EMBEDDINGS)), (len(LISTS), 1), (len(LISTS), len(EMBEDDINGS)))
    effects = [sd * rng.standard_normal(shape) for sd, shape in zip(sds, shapes, strict=True)]
    return rng.normal(0, 0.1) + sum(effects)


def table(scenario: Scenario, true: np.ndarray, wordlist: str, rng: Generator) -> pd.DataFrame:
    """Draw one list in all embeddings."""
    group, side = np.repeat(range(GROUPS), N_WORDS), np.repeat(range(GROUPS), N_ATTRIBUTES)
    sign = np.where(group[:, None] == side, 1.0, -1.0)
    to_side, to_group = np.where(side, 1, -1), np.where(group, 1, -1)[:, None]

    def leanings(sds: np.ndarray, noise: float) -> np.ndarray:
        words = rng.standard_normal((2, len(group), 1))
        attributes = rng.standard_normal((2, 1, len(side)))
        levels = sds[0] * words[0] + sds[1] * attributes[0]
        leans = sds[2] * words[1] * to_side + sds[3] * attributes[1] * to_group
        return levels + leans / np.sqrt(2) + noise * rng.standard_normal(sign.shape)

    sds = [rng.exponential((0.05, 0.08, 0.03, 0.03)) for _ in range(2)]
    noise = rng.uniform(0.03, 0.08, 2)
    shared = leanings(sds[0], noise[0])
    single = [leanings(sds[1], noise[1]) for _ in EMBEDDINGS]
    single[1] = np.sqrt(scenario.alike) * single[0] + np.sqrt(1 - scenario.alike) * single[1]
    frames = []
    for i, name in enumerate(EMBEDDINGS):
        scale = np.exp(scenario.scale_sd * rng.standard_normal())
        y = 0.9 + 0.05 * rng.standard_normal() + sign * true[i] / 2 + scale * (shared + single[i])
        words, attributes = np.indices(y.shape).reshape(2, -1)
        columns = {
            "protected_word": [f"w{j}" for j in words],
            "protected_group": [f"g{group[j]}" for j in words],
            "attribute": [f"a{j}" for j in attributes],
            "attribute_set": [f"s{side[j]}" for j in attributes],
            "connection": np.where(sign.ravel() > 0, "associated", "different"),
            "cosine_distance": np.clip(y.ravel(), 0, 2),
        }
        frame = pd.DataFrame(columns).assign(embedding=name, wordlist=wordlist)
        frames.append(frame[(rng.random(len(group)) >= scenario.missing)[words]])
    return pd.concat(frames, ignore_index=True)


def _rates(scenario: Scenario, n_studies: int) -> dict[str, float]:
    values: dict[str, list[float]] = defaultdict(list)
    for seed in range(n_studies):
        rng = default_rng(seed)
        true = contrasts(rng)
        tables = [table(scenario, row, name, rng) for row, name in zip(true, LISTS, strict=True)]
        post = bb.fit_many(tables, draws=250, seed=seed)
        truth = {**dict(zip(LISTS, true, strict=True)), "average": true.mean(axis=0)}
        for row in bb.rank_embeddings(post).to_dict("records"):
            expected = truth[row["wordlist"]]
            value = expected[EMBEDDINGS.index(row["embedding"])]
            kind = "average" if row["wordlist"] == "average" else "contrast"
            values[f"coverage, {kind}"].append(row["low"] <= value <= row["high"])
            values[f"width, {kind}"].append(row["high"] - row["low"])
            values["Brier, most biased"].append((row["p_most"] - (value == expected.min())) ** 2)
        for row in bb.embedding_differences(post).to_dict("records"):
            first, second = (EMBEDDINGS.index(row[name]) for name in ("first", "second"))
            value = truth[row["wordlist"]][first] - truth[row["wordlist"]][second]
            values["coverage, difference"].append(row["low"] <= value <= row["high"])
            values["width, difference"].append(row["high"] - row["low"])
            right = np.sign(row["mean"]) == np.sign(value)
            values["Brier, order of two"].append((row["p_direction"] - right) ** 2)
    return {name: float(np.mean(numbers)) for name, numbers in values.items()}
