"""Check intervals for a new training run, and measure how much of the variance is due to its seed.

Each sentence has a subject from one of two groups, words for a trait, and filler words. The trait
is usually that of the subject's own group. The contrast from an eleventh training run is compared
with intervals from ten runs and from one. ``size`` is the number of texts.
"""

from __future__ import annotations

import pandas as pd
from numpy.random import Generator, default_rng
from xarray import DataTree

import bayesbias as bb
from bayesbias._core.intervals import describe_draws

GROUPS = {"north": [f"n{i}" for i in range(8)], "south": [f"s{i}" for i in range(8)]}
TRAITS = {name: [f"{name}_{i}" for i in range(10)] for name in GROUPS}
FILLERS = [f"word{i}" for i in range(300)]
SETTINGS = {"vector_size": 50, "epochs": 20, "min_count": 3, "alpha": 0.05, "window": 4, "sg": 1}
WORDLIST = bb.WordList(name="generated", groups=GROUPS, stereotypes=TRAITS)
TRAININGS, SENTENCES = 10, 3_000


def text(rng: Generator, p_own: float) -> list[list[str]]:
    """Draw sentences of a subject, two traits of one set, and five filler words."""
    names, sentences = list(GROUPS), []
    for _ in range(SENTENCES):
        group = rng.integers(2)
        trait = group if rng.random() < p_own else 1 - group
        words = [rng.choice(GROUPS[names[group]]), *rng.choice(TRAITS[names[trait]], 2)]
        words += list(rng.choice(FILLERS, 5))
        rng.shuffle(words)
        sentences.append([str(word) for word in words])
    return sentences


def study(size: int = 10) -> pd.DataFrame:
    """Return, for each text, the new contrast, sds, and coverage by three kinds of intervals."""
    return pd.DataFrame([_row(seed) for seed in range(size)])


def _row(seed: int) -> dict[str, float]:
    rng = default_rng(seed)
    documents = text(rng, rng.uniform(0.5, 0.65))
    tables = bb.retrain(documents, WORDLIST, TRAININGS + 1, seed=seed, settings=SETTINGS)
    last = tables["replicate"] == str(TRAININGS + 1)
    raw = tables.groupby(["replicate", "connection"], observed=True)["cosine_distance"].mean()
    raw = raw.unstack()
    gaps = raw["associated"] - raw["different"]
    new = gaps[str(TRAININGS + 1)]
    post = bb.fit_many(tables[~last], draws=500, seed=seed)
    single = bb.fit(tables[tables["replicate"] == "1"], draws=500, seed=seed)
    intervals = {
        "ten trainings": _retrained(post, rng),
        "population": bb.contrasts(single).iloc[0],
        "listed": bb.contrasts(single, over="listed").iloc[0],
    }
    row = {"text": seed, "new": new, "seed_sd": gaps.std()}
    row["training_sd"] = float(post["posterior"]["training_sd"].mean())
    for name, interval in intervals.items():
        row[f"width, {name}"] = interval["high"] - interval["low"]
        row[f"covered, {name}"] = float(interval["low"] <= new <= interval["high"])
    return row


def _retrained(post: DataTree, rng: Generator) -> pd.Series:
    """Return the interval for the contrast of another training run."""
    contrast, training_sd = post["posterior"]["contrast"], post["posterior"]["training_sd"]
    noise = contrast.copy(data=rng.standard_normal(contrast.shape))
    return describe_draws((contrast + training_sd * noise).values.reshape(-1, 1), 0.89).iloc[0]
