"""The rows that readers are led with, for lists that studies shuffle or draw."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

import bayesbias as bb
from bayesbias._core.arrays import FloatArray, one_thread
from bayesbias._core.intervals import describe_mixtures
from bayesbias.background.pools import Pool, draw_pool
from bayesbias.background.reference_words import with_matched
from bayesbias.model.indexing import make_design
from bayesbias.model.spec import load_model
from bayesbias.posterior.estimands import WITHIN, estimand_names, slope_gaps
from bayesbias.posterior.mixtures import contrast_weights
from bayesbias.sampling import importance
from bayesbias.sampling.collapsed import moments
from bayesbias.sampling.exact import sample_exact
from bayesbias.sampling.reduction import Collapsed, collapse

CI_PROB = 0.89

DRAWS = 200
"""Draws of the sds; the moments of contrasts are averages over them."""

PROPOSALS = {"PILOT_PROPOSALS": 400, "FEWEST_PROPOSALS": 600, "ESS_LIMIT": 100}
"""Settings of the sampler that are enough for so few draws, and cost a third of the time."""

NARROWER = 0.9
"""Share of the default width at which claims are also counted."""

SOURCES = {"glove-demo": "glove-demo"}
if other := os.environ.get("BAYESBIAS_OTHER_VECTORS"):
    SOURCES["other vectors"] = other
"""The bundled vectors, and a file that BAYESBIAS_OTHER_VECTORS names."""


@cache
def pool_of(source: str, words: tuple[str, ...] = ()) -> Pool:
    """Return the words of an embedding to draw from, and the vectors of the given words."""
    found = SOURCES[source]
    return draw_pool(
        found, words, by_rank=True, rng=default_rng(0), case="fallback", progressbar=False
    )


def matched_table(wordlist: bb.WordList, pool: Pool, seed: int = 0) -> pd.DataFrame:
    """Measure a list with matched controls as its only controls, and with ranks."""
    wider = with_matched(replace(wordlist, controls={}), pool, default_rng(seed))
    place = {word: row for row, word in enumerate(pool.words)}
    rows = [place[word] for word in wider.controls["matched"]]
    controls = [pool.words[row] for row in rows]
    found = dict(pool.found) | dict(zip(controls, pool.vectors[rows], strict=True))
    ranks = dict(pool.found_ranks) | dict(zip(controls, pool.ranks[rows].tolist(), strict=True))
    return bb.distance_table(replace(pool, found=found, found_ranks=ranks).keyed, wider)


def drawn_table(
    pool: Pool, groups: Sequence[Sequence[int]], sets: Sequence[Sequence[int]]
) -> pd.DataFrame:
    """Measure a list of rows of a pool, in which each group has one set."""
    chosen = [row for part in (*groups, *sets) for row in part]
    words = {pool.words[row]: pool.vectors[row] for row in chosen}
    ranks = {pool.words[row]: int(pool.ranks[row]) for row in chosen}
    named = [
        {f"g{i}": tuple(pool.words[row] for row in part) for i, part in enumerate(parts)}
        for parts in (groups, sets)
    ]
    wordlist = bb.WordList(name="drawn", groups=named[0], stereotypes=named[1])
    return matched_table(wordlist, replace(pool, found=words, found_ranks=ranks))


def table_of(
    y: np.ndarray, codes: Sequence[np.ndarray], sets: Sequence[str], prefix: str = ""
) -> pd.DataFrame:
    """Convert distances, (n_words, n_attributes), to a table.

    ``codes`` are the groups of words, the sets of attributes, and the groups' own sets.
    """
    group, column, own = codes
    word, attribute = np.indices(y.shape).reshape(2, -1)
    g, c = group[word], column[attribute]
    of, names = np.where(np.isin(c, own), "different", np.array(sets)[c]), g.astype(str)
    return pd.DataFrame(
        {
            "protected_word": [f"w{i}" for i in word],
            "protected_group": np.char.add(prefix, names),
            "attribute": [f"a{i}" for i in attribute],
            "attribute_set": np.array(sets)[c],
            "connection": np.where(c == own[g], "associated", of),
            "cosine_distance": y.ravel(),
        }
    )


def default_rows(table: pd.DataFrame, seed: int, model: str = "by-group") -> pd.DataFrame:
    """Return the rows that readers are led with, with ``protected_group`` (empty: overall)."""
    design, spec = make_design(table), load_model(model)
    with one_thread(), patch.multiple(importance, **PROPOSALS):
        posterior = collapse(design, spec)
        weights = contrast_weights(posterior)[..., 0]
        estimands = estimand_names(design, posterior.spec)[: weights.shape[1], 0]
        led = np.flatnonzero((estimands != WITHIN) & ~np.isnan(weights[0]))
        errors = (slope_gaps(design, posterior.spec)[:, led, 0] ** 2).sum(axis=0)
        frame = described(posterior, weights[:, led], seed, DRAWS, errors)
    frame.insert(0, "protected_group", np.array(["", *design.groups])[led])
    return frame


def described(
    posterior: Collapsed, weights: FloatArray, seed: int, draws: int, errors: FloatArray | float = 0
) -> pd.DataFrame:
    """Return contrasts with these weights of cells; ``errors`` are variances of other parts."""
    drawn = sample_exact(posterior, draws, default_rng(seed), effects=False)
    means, variances = moments(posterior, drawn.parameters, weights)
    options = {"ci_prob": CI_PROB, "rope": 0.15 * posterior.design.spread, "ci_kind": "hdi"}
    return describe_mixtures(means[..., 0], np.sqrt(variances + errors), **options)


def rates(
    rows: Sequence[pd.DataFrame],
    keys: Mapping[str, object],
    truth: Mapping[str, float] | None = None,
) -> Iterator[dict[str, object]]:
    """Summarize the rows of many tables: mean, share of intervals without zero, and width.

    ``claimed_if_narrower`` is the share if intervals are multiplied by `NARROWER`. With true
    contrasts, also give the share of intervals that contain them. Rows may have their own truth.
    """
    every = pd.concat([frame.assign(table=index) for index, frame in enumerate(rows)])
    every["claimed"] = (every["low"] > 0) | (every["high"] < 0)
    every["width"] = every["high"] - every["low"]
    middle = (every["low"] + every["high"]) / 2
    every["claimed_if_narrower"] = middle.abs() > NARROWER / 2 * every["width"]
    if "truth" not in every:
        every["truth"] = every["protected_group"].map(truth) if truth else 0.0
    every["covered"] = every["truth"].between(every["low"], every["high"])
    columns = ["truth", "mean", "claimed", "covered", "width", "claimed_if_narrower"]
    columns = columns if truth else [name for name in columns if name not in ("truth", "covered")]
    for group, own in every.groupby("protected_group", sort=False):
        yield {
            **keys,
            "row": group or "overall",
            "tables": own["table"].nunique(),
            **own[columns].mean(),
        }
    unbiased = every[(every["protected_group"] != "") & (every["truth"] == 0)]
    if len(unbiased):
        claims = unbiased.groupby("table")[["claimed", "claimed_if_narrower"]].any().mean()
        name = "any without bias" if truth else "any group"
        yield {**keys, "row": name, "tables": len(rows), **claims}


def drawn(rng: Generator, rows: np.ndarray, n: int, taken: np.ndarray) -> list[int]:
    """Draw n rows that are not taken, and mark them as taken."""
    chosen = rng.choice(rows[~taken[rows]], n, replace=False)
    taken[chosen] = True
    return [int(row) for row in chosen]
