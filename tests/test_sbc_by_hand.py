"""Simulation-based calibration with tables that a simulator of another hand makes.

`studies.sbc` draws tables from the PyMC models. Here they are drawn in plain loops from the
formulas of docs/models.md, go through `fit` and `fit_change` as a user's do, and what is ranked is
what readers look at: means, contrasts, scores, sds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from builders import model_named
from numpy.random import Generator
from xarray import DataTree

import bayesbias as bb
from bayesbias.posterior.posterior_scores import score_draws
from studies.sbc import DRAWS, band_p_values

N_TABLES = 300

RATE = 40.0
SD = {"family": "exponential", "rate": RATE}
"""Prior of every sd: with a mean of .025 no distance comes near an end of [0, 2]."""

MEAN_SD = 0.1
GROUPS, WORDS, ATTRIBUTES = ("x", "y"), 4, {"x": 4, "y": 4, "neutral": 5}

Truth = dict[str, float]
"""True values of what is ranked, by name."""


def connection_of(group: str, of: str) -> str:
    if of not in GROUPS:
        return of
    return "associated" if of == group else "different"


def simulated(rng: Generator, centre: float, *, by_group: bool) -> tuple[pd.DataFrame, Truth]:
    """Draw a table, one number after the other, and what is true of it."""
    connections = ("associated", "different", "neutral")
    mean = {c: rng.normal(centre, MEAN_SD) for c in connections}
    tau = {c: rng.exponential(1 / RATE) for c in connections}
    sigma = {c: rng.exponential(1 / RATE) for c in connections}
    omega, gamma = rng.exponential(1 / RATE), {c: rng.exponential(1 / RATE) for c in connections}
    beta = {(of, a): rng.normal(0, omega) for of, n in ATTRIBUTES.items() for a in range(n)}
    rows, theta, expected = [], {}, {}
    for group in GROUPS:
        around = dict(mean)
        if by_group:
            around = {c: rng.normal(mean[c], gamma[c]) for c in connections}
        for w in range(WORDS):
            for c in connections:
                theta[group, w, c] = rng.normal(around[c], tau[c])
            for (of, a), effect in beta.items():
                c = connection_of(group, of)
                expected[group, w, of, a] = theta[group, w, c] + effect
                y = rng.normal(expected[group, w, of, a], sigma[c])
                kind = f"{of}_stereotype" if of in GROUPS else of
                rows.append((f"{group}{w}", group, f"{of} {a}", kind, c, y))

    def association(group: str, w: int) -> float:
        """WEAT's s: how much nearer a word is to the attributes of x than to those of y."""
        near = [expected[group, w, "x", a] for a in range(ATTRIBUTES["x"])]
        far = [expected[group, w, "y", a] for a in range(ATTRIBUTES["y"])]
        return sum(far) / len(far) - sum(near) / len(near)

    s_x, s_y = ([association(group, w) for w in range(WORDS)] for group in GROUPS)
    gap = [theta["x", w, "associated"] - theta["x", w, "different"] for w in range(WORDS)]
    truth = {f"sigma {c}": sigma[c] for c in connections}
    truth |= {f"connection_mean {c}": mean[c] for c in connections}
    truth |= {f"connection_sd {c}": tau[c] for c in connections} | {"attribute_sd": omega}
    truth |= {"gap": mean["associated"] - mean["different"], "gap of x": sum(gap) / WORDS}
    truth |= {"word": theta["y", 1, "different"], "attribute": beta["y", 2]}
    truth["weat_mean_difference"] = (sum(s_x) - sum(s_y)) / WORDS
    spread = np.std([*s_x, *s_y], ddof=1)
    truth["weat_effect_size"] = truth["weat_mean_difference"] / spread
    listed = [value for (_, _, of, _), value in expected.items() if of in GROUPS]
    truth["mac"] = sum(listed) / len(listed)  # sets are of one size
    return pd.DataFrame(rows, columns=list(bb.COLUMNS)), truth


def draws_of(tree: DataTree, *, scores: bool) -> dict[str, np.ndarray]:
    """Posterior draws of the same, (n_draws,) each."""
    found = {}
    stacked = tree["posterior"].to_dataset().stack(draw_=("chain", "draw"))
    for name in ("sigma", "connection_mean", "connection_sd"):
        for c in stacked["connection"].values:
            found[f"{name} {c}"] = stacked[name].sel(connection=c).values
    found["attribute_sd"] = stacked["attribute_sd"].values
    found["gap"] = found["connection_mean associated"] - found["connection_mean different"]
    words = stacked["word_mean"]
    own = words.sel(protected_word=[f"x{w}" for w in range(WORDS)])
    apart = own.sel(connection="associated") - own.sel(connection="different")
    found["gap of x"] = apart.mean("protected_word").values
    found["word"] = words.sel(protected_word="y1", connection="different").values
    found["attribute"] = stacked["attribute_effect"].sel(attribute="y 2").values
    if scores:
        drawn = score_draws(tree)
        names = ("weat_mean_difference", "weat_effect_size", "mac")
        found |= {name: drawn[name][1:] for name in names}
    return found


def fitted(name: str) -> Callable[[pd.DataFrame, int], DataTree]:
    spec = model_named(name)
    narrow = {"connection_mean": {"sd": MEAN_SD}}
    narrow |= {each: SD for each in spec.priors if each != "connection_mean"}
    options = {"method": "exact", "draws": DRAWS, "chains": 1}

    def fit(table: pd.DataFrame, seed: int) -> DataTree:
        if spec.outcome == "change":
            noise = np.random.default_rng(seed).normal(0, 0.05, len(table))
            before = table.assign(cosine_distance=1.0 + noise)
            after = table.assign(cosine_distance=1.0 + noise + table["cosine_distance"])
            return bb.fit_change(before, after, model=spec, priors=narrow, seed=seed, **options)
        return bb.fit(table, spec, priors=narrow, seed=seed, **options)

    return fit


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.SamplingWarning")  # no table is left out
@pytest.mark.parametrize("name", ["crossed", "crossed around groups", "change-crossed"])
def test_ranks_are_uniform(name: str) -> None:
    changes = name.startswith("change")
    rng, fit, ranks = np.random.default_rng(300), fitted(name), []
    for seed in range(N_TABLES):
        centre = 0.0 if changes else 1.0
        table, truth = simulated(rng, centre, by_group="groups" in name)
        drawn = draws_of(fit(table, seed), scores=not changes)
        ranks.append({each: (draws < truth[each]).sum() for each, draws in drawn.items()})
    frame = pd.DataFrame(ranks)
    p = pd.Series(band_p_values(frame.to_numpy()), index=frame.columns)
    # All of a model together fail by chance in 1 of 100 runs (Bonferroni).
    assert p.min() > 0.01 / len(p), p.sort_values().head()
