"""Planned half-widths and power against simulated tables, for 12 designs, and for real lists.

Tables are drawn from the default model with typical sds, with a contrast of .05. For real lists,
the expected half-width is that of `list_check`, which fits no model.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

import bayesbias as bb
from bayesbias._core.arrays import FloatArray, one_thread
from bayesbias._core.intervals import describe_mixtures
from bayesbias.model.defaults import RECOMMENDED
from bayesbias.model.design import Design
from bayesbias.model.spec import load_model
from bayesbias.posterior.contrasts import contrast_weights
from bayesbias.posterior.list_checks import list_check
from bayesbias.posterior.planning import half_widths, planned_design, typical_sds
from bayesbias.sampling.collapsed import moments
from bayesbias.sampling.exact import sample_exact
from bayesbias.sampling.reduction import collapse

EFFECT, CI_PROB, DRAWS = 0.05, 0.89, 300
DESIGNS = [
    *((4, 8, 1), (8, 4, 1), (8, 8, 1), (8, 8, 4), (8, 16, 1), (16, 8, 4)),
    *((16, 16, 1), (16, 16, 4), (25, 5, 1), (5, 25, 4), (25, 25, 1), (25, 25, 4)),
]
"""Numbers of words per group, of attributes per set, and of kinds of words."""


def study(size: int = 40) -> pd.DataFrame:
    """Draw and fit ``size`` tables of each design."""
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pd.DataFrame([*_simulated(size), *_real()])


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
    drawn = sample_exact(posterior, DRAWS, default_rng(seed), effects=False)
    weights = contrast_weights(posterior)[:, 0, :1]
    means, variances = moments(posterior, drawn.parameters, weights)
    frame = describe_mixtures(means[..., 0], np.sqrt(variances), CI_PROB, "hdi", rope=0)
    return frame["low"].item(), frame["high"].item()


def _real() -> Iterator[dict[str, object]]:
    """Yield bundled lists in the bundled vectors: the plan without a pilot, and the fit."""
    for name in bb.wordlists():
        wordlist = bb.load_wordlist(name)
        if not wordlist.groups or name in {"gender-de", "gender-es", "sexuality"}:
            continue  # not in these vectors
        vectors = bb.load_vectors("glove-demo", wordlist, case="fallback")
        table = bb.distance_table(vectors, wordlist)
        frame = bb.contrasts(bb.fit(table, seed=1, draws=250), ci_prob=CI_PROB)
        half = (frame["high"] - frame["low"])[0] / 2
        expected = list_check(table, CI_PROB).attrs["half_width"]
        yield {"case": name, "planned": expected, "found": half, "ratio": expected / half}
