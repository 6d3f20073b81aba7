"""Check whether one half of a list predicts the other half's contrasts, overall and by group.

Words of every group and set are split at random. The contrast of one half should be in the 89%
predictive interval from the other half, whose sd is sqrt(2) posterior sds. If words are treated as
``unrelated``, coverage should be 89%; if ``alike``, higher. ``size`` is the splits per list.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
from gensim.models import KeyedVectors
from numpy.random import Generator, default_rng
from scipy.stats import norm

import bayesbias as bb

from .published import BUNDLED

REACH = float(norm.ppf(0.945)) * 2**0.5  # half-width of a predictive interval, in posterior sds


def study(size: int = 200) -> pd.DataFrame:
    """Return the share of halves whose contrast is in the interval, by list and level."""
    every = pd.concat(
        splits(name, size, alike=alike) for alike in (True, False) for name in BUNDLED
    )
    every = pd.concat([every, every.assign(list="all")])
    keys = ["list", "level", "words"]
    return every.groupby(keys, sort=False)[["covered", "sd"]].mean().reset_index()


def splits(name: str, size: int, *, alike: bool) -> pd.DataFrame:
    """Split a bundled list; return whether each half's interval covers the other's contrast."""
    words, rng = bb.load_wordlist(name), default_rng(1)
    vectors = bb.load_vectors("glove-demo", words, case="fallback", progressbar=False)
    frame = pd.concat([_split(vectors, words, rng, alike=alike) for _ in range(size)])
    apart = (frame["mean_other"] - frame["mean"]).abs()
    kind = "alike" if alike else "unrelated"
    return frame.assign(list=name, words=kind, covered=apart <= REACH * frame["sd"])


def _split(
    vectors: KeyedVectors, words: bb.WordList, rng: Generator, *, alike: bool
) -> pd.DataFrame:
    """Return the contrasts of two random halves of a list, each next to the other half's."""
    halves: list[dict[str, dict[str, list[str]]]] = [{}, {}]
    for table in ("groups", "stereotypes", "controls"):
        for name, listed in getattr(words, table).items():
            known = [word for word in listed if word in vectors]
            for half, part in zip(halves, np.array_split(rng.permutation(known), 2), strict=True):
                half.setdefault(table, {})[name] = [str(word) for word in part]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        tables = [bb.distance_table(vectors, replace(words, **half)) for half in halves]
    for table in tables:
        table.attrs = table.attrs if alike else {}
    one, other = map(_contrasts, tables)
    pairs = [a.join(b, rsuffix="_other", how="inner") for a, b in ((one, other), (other, one))]
    return pd.concat(pairs).reset_index()


def _contrasts(table: pd.DataFrame) -> pd.DataFrame:
    post = bb.fit(table, draws=100, seed=1, method="exact", progressbar=False)
    frame = bb.contrasts(post).query("first == 'associated' and second == 'different'")
    frame = frame[frame["level"] != "word"]
    return frame.set_index(["level", "protected_group"])[["mean", "sd"]]
