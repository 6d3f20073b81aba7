"""Planned half-widths and power against simulated tables, for 12 designs, and for real lists.

Tables are drawn from the default model with typical sds, with a contrast of .05. For real lists,
one part plans without a pilot, with the typical sds of all other lists; the other part has the
expected half-width of `list_check`, which fits no model. Drawn lists, which are random words or
topics of the bundled vectors, were not used to choose it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

import bayesbias as bb
from bayesbias._core.arrays import FloatArray, one_thread
from bayesbias.model.defaults import RECOMMENDED
from bayesbias.model.design import Design
from bayesbias.model.spec import load_model
from bayesbias.model.tree import design_of, stacked
from bayesbias.posterior import planning
from bayesbias.posterior.list_checks import list_check
from bayesbias.posterior.mixtures import contrast_weights
from bayesbias.posterior.planning import (
    TYPICAL_SDS,
    half_widths,
    likeness_of,
    planned_design,
    typical_sds,
)
from bayesbias.sampling.reduction import collapse

from ._default import CI_PROB, default_rows, described, drawn, drawn_table, pool_of

EFFECT, DRAWS = 0.05, 300
DESIGNS = [
    *((4, 8, 1), (8, 4, 1), (8, 8, 1), (8, 8, 4), (8, 16, 1), (16, 8, 4)),
    *((16, 16, 1), (16, 16, 4), (25, 5, 1), (5, 25, 4), (25, 25, 1), (25, 25, 4)),
]
"""Numbers of words per group, of attributes per set, and of kinds of words."""

FIRST, LAST, NEIGHBORS = 500, 10_000, 30
"""Ranks of the words of drawn lists, and the number of neighbors from which a topic is drawn."""

PARTS = ("simulated", "real", "drawn")


def study(size: int = 40, part: str = "") -> pd.DataFrame:
    """Draw and fit ``size`` tables of each design, and as many lists of each kind."""
    made = {
        "simulated": lambda: _simulated(size),
        "real": _real,
        "drawn": lambda: _drawn_lists(size),
    }
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pd.DataFrame([row for name in PARTS if part in ("", name) for row in made[name]()])


def _simulated(size: int) -> Iterator[dict[str, object]]:
    for n_words, n_attributes, kinds in DESIGNS:
        design = planned_design(None, n_words, n_attributes, kinds)
        sds = typical_sds(design)
        expected, power = _planned(design, sds)
        fits = [_fitted(_drawn(design, sds, default_rng([i, 3])), i) for i in range(size)]
        low, high = np.transpose(fits)
        half = (high - low).mean() / 2
        yield {
            "case": f"{n_words} words, {n_attributes} attributes, {kinds} kinds",
            "tables": size,
            "planned": expected,
            "found": half,
            "ratio": expected / half,
            "planned_power": power,
            "found_power": ((low > 0) | (high < 0)).mean(),
            "coverage": ((low <= -EFFECT) & (high >= -EFFECT)).mean(),
        }


def _planned(design: Design, sds: dict[str, FloatArray]) -> tuple[float, float]:
    spec = load_model(RECOMMENDED["distance"])
    return half_widths(design, spec, sds, ci_prob=CI_PROB, effect=EFFECT)["overall"]


def _drawn(design: Design, sds: dict[str, FloatArray], rng: Generator) -> Design:
    """Return a design with outcomes from the model, and a contrast of minus the effect."""
    spec = load_model(RECOMMENDED["distance"]).fitting(design)
    every = np.arange(len(design.y))
    y = 1 - EFFECT * (design.connection == 0)
    for term in spec.terms:
        if term.sd in sds:
            index, units = term.sd_index(design), term.unit_covariance(design)
            drawn = rng.standard_normal(index.shape)
            drawn = drawn if units is None else np.linalg.cholesky(units) @ drawn
            y = y + term.all_columns(design, every) @ (sds[term.sd][0][index] * drawn).ravel()
    noise = sds["sigma"][0][design.connection] * rng.standard_normal(len(y))
    return replace(design, y=y + noise)


def _fitted(design: Design, seed: int) -> tuple[float, float]:
    """Return the ends of the overall interval."""
    posterior = collapse(design, load_model(RECOMMENDED["distance"]).fitting(design))
    frame = described(posterior, contrast_weights(posterior)[:, 0, :1], seed, DRAWS)
    return frame["low"].item(), frame["high"].item()


def _real() -> Iterator[dict[str, object]]:
    """Yield bundled lists in the bundled vectors: planned and expected half-widths, and the fit."""
    found, checked, sizes, halves = {}, {}, {}, {}
    for name in bb.wordlists():
        wordlist = bb.load_wordlist(name)
        if not wordlist.groups or name in {"gender-de", "gender-es", "sexuality"}:
            continue  # not in these vectors
        vectors = bb.load_vectors("glove-demo", wordlist, case="fallback")
        table = bb.distance_table(vectors, wordlist)
        post = bb.fit(table, seed=1, draws=250)
        frame = bb.contrasts(post, ci_prob=CI_PROB)
        halves[name] = (frame["high"] - frame["low"])[0] / 2
        checked[name] = list_check(table, CI_PROB).attrs["half_width"]
        design = design_of(post)
        n_attributes = sum(map(len, wordlist.stereotypes.values())) / len(design.sets)
        sizes[name] = round(len(design.words) / len(design.groups)), round(n_attributes)
        drawn_sds = [sd for sd in TYPICAL_SDS if sd in post["posterior"]]  # not all in every design
        sds = {sd: stacked(post, sd).mean(axis=0).ravel()[0] / design.spread for sd in drawn_sds}
        found[name] = {"spread": design.spread, "likeness": likeness_of(design), **sds}
        found[name]["groups"] = len(design.groups)
    yield from _summed("bundled lists, list_check", checked, halves)
    planned = {name: _planned_without(found, name, sizes[name]) for name in found}
    yield from _summed("bundled lists, no pilot", planned, halves)


def _planned_without(
    found: dict[str, dict[str, object]], name: str, size: tuple[int, int]
) -> float:
    """Return the half-width of a plan with the typical values of all other lists."""
    others = pd.DataFrame([own for other, own in found.items() if other != name])
    typical = {
        "TYPICAL_SPREAD": others["spread"].median(),
        "TYPICAL_LIKENESS": tuple(np.median([*others["likeness"]], axis=0)),
        "TYPICAL_SDS": {sd: others[sd].median() for sd in TYPICAL_SDS},
    }
    with patch.multiple(planning, **typical):
        options = {"words": size[0], "attributes": size[1], "clusters": 1, "ci_prob": CI_PROB}
        frame = bb.plan(groups=found[name]["groups"], **options)
    return float(frame["half_width"].iloc[0])


def _drawn_lists(size: int) -> Iterator[dict[str, object]]:
    """Yield lists of random words, and of topics: neighbors of a random word."""
    pool = pool_of("glove-demo")
    usable = np.array([word.isalpha() for word in pool.words])
    inside = np.flatnonzero(usable & (pool.ranks >= FIRST) & (pool.ranks < LAST))
    unit = pool.vectors / np.linalg.norm(pool.vectors, axis=1, keepdims=True)
    for kind in ("random words", "topics"):
        expected, halves = {}, {}
        for seed in range(size):
            rng, taken = default_rng([seed, 11]), np.zeros(len(pool.words), dtype=bool)
            n_groups, parts = int(rng.integers(2, 4)), []
            for n in rng.integers(4, 13, 2 * n_groups).tolist():
                near = inside
                if kind == "topics":
                    of = unit[inside] @ unit[rng.choice(inside)]
                    near = inside[np.argsort(-of)[: NEIGHBORS + int(taken.sum())]]
                parts.append(drawn(rng, near, n, taken))
            table = drawn_table(pool, parts[:n_groups], parts[n_groups:])
            frame = default_rows(table, seed)
            name = f"{kind} {seed}"
            halves[name] = (frame["high"] - frame["low"])[0] / 2
            expected[name] = list_check(table, CI_PROB).attrs["half_width"]
        yield from list(_summed(f"drawn lists, {kind}", expected, halves))[:1]


def _summed(
    case: str, planned: dict[str, float], found: dict[str, float]
) -> Iterator[dict[str, object]]:
    """Yield medians of planned and found half-widths, and of their ratios, and single lists."""
    lists = pd.DataFrame({"planned": planned, "found": found})
    lists["ratio"] = lists["planned"] / lists["found"]
    logs = np.log(lists[["planned", "found"]])
    yield {
        "case": case,
        "tables": len(lists),
        **lists.median(),
        "lowest_ratio": lists["ratio"].min(),
        "highest_ratio": lists["ratio"].max(),
        "within_third": lists["ratio"].between(2 / 3, 3 / 2).mean(),
        "r2_of_logs": np.corrcoef(logs.T)[0, 1] ** 2,
    }
    yield from ({"case": f"{case}: {name}", **row} for name, row in lists.iterrows())
