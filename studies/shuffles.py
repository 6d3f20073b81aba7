"""Shuffle the stereotypes of real lists among sets, or the words among groups.

The number of shuffles is ``size``. If whose stereotype a word is becomes chance, rows that readers
are led with must be zero on average. BAYESBIAS_OTHER_VECTORS names a second embedding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

import bayesbias as bb
from bayesbias.background.reference_words import words_present
from studies._default import SOURCES, default_rows, matched_table, pool_of, rates

LISTS = (*(f"weat{i}" for i in range(1, 11)), "gender", "religion", "race", "nationality")


SIZES = ((2, 2, 2, 1), (4, 3, 4), (5, 6, 4))
"""Stereotypes of each group in nationality, religion, and race, if glove-demo has them."""


def shuffled(words: Mapping[str, tuple[str, ...]], rng: Generator) -> dict[str, tuple[str, ...]]:
    """Exchange words between groups or sets at random; no group has a word twice."""
    every = [word for own in words.values() for word in own]
    while True:
        order, start, parts = rng.permutation(len(every)).tolist(), 0, {}
        for name, own in words.items():
            parts[name] = tuple(every[i] for i in order[start : start + len(own)])
            start += len(own)
        if all(len(set(own)) == len(own) for own in parts.values()):
            return parts


def exact(sizes: tuple[int, ...], lists: int = 1000) -> Iterator[dict[str, object]]:
    """Shuffle lists whose intervals are exact: errors are Normal, and the t has its true df.

    Each group has one error per stereotype, with an sd common to all groups, which have ``sizes``
    stereotypes. An interval excludes zero in 11% of lists, but not in 11% of one list's shuffles.
    """
    from scipy.stats import t

    rng, n, total = default_rng(1), len(sizes), sum(sizes)
    sets = np.repeat(np.eye(n), sizes, axis=0) / np.repeat(sizes, sizes)[:, None]
    of_stereotypes = np.einsum("kgj,aj->kga", _relative(n), sets)
    sds = np.sqrt((of_stereotypes**2).sum(axis=(1, 2)))
    df = (total - n) * (n - 1)
    claimed = np.zeros((lists, n + 1))
    for each in claimed:
        orders = rng.permuted(np.tile(np.arange(total), (100, 1)), axis=1)
        errors = rng.standard_normal((n, total))[:, orders].transpose(1, 0, 2)
        apart = errors - errors.mean(axis=1, keepdims=True)
        apart = apart - np.repeat(apart @ sets, sizes, axis=2)
        error = np.sqrt((apart**2).sum(axis=(1, 2)) / df)[:, None] * sds
        found = np.einsum("kga,sga->sk", of_stereotypes, errors)
        excluded = abs(found) > t.ppf(0.945, df) * error
        each[:] = [*excluded.mean(axis=0), excluded.any(axis=1).mean()]
    largest = claimed[:, :n].max(axis=1)
    keys = {"embedding": "exact intervals", "list": f"{sizes} stereotypes", "tables": lists}
    for row, rate in {
        "one group": claimed[:, :n].mean(),
        "any group": claimed[:, n].mean(),
        "lists with a group at .20 or more": (largest >= 0.2).mean(),
    }.items():
        yield {**keys, "shuffled": "stereotypes", "row": row, "claimed": rate}


def study(size: int = 100) -> pd.DataFrame:
    """Return mean, claims, and width of every row, for real and for shuffled lists."""
    rows = [row for sizes in SIZES for row in exact(sizes)]
    for source in SOURCES:
        for name in LISTS:
            wordlist = bb.load_wordlist(name)
            pool = pool_of(source, wordlist.words)
            present = words_present(wordlist, pool.found)
            real = default_rows(matched_table(present, pool), 0)
            keys: dict[str, object] = {"embedding": source, "list": name}
            rows += rates([real], {**keys, "shuffled": "nothing"})
            for part in ("stereotypes", "groups"):
                tables = (
                    replace(present, **{part: shuffled(getattr(present, part), default_rng(seed))})
                    for seed in range(size)
                )
                found = [
                    default_rows(matched_table(table, pool), seed)
                    for seed, table in enumerate(tables)
                ]
                rows += rates(found, {**keys, "shuffled": part})
    return pd.DataFrame(rows)


def _relative(n: int) -> np.ndarray:
    """Return the weights of n groups' relative contrasts, (n, n_groups, n_sets)."""
    weights = np.zeros((n, n, n))
    for g, h in permutations(range(n), 2):
        base = [j for j in range(n) if j not in (g, h)]
        weights[g, g, base] -= 1 / len(base) / (n - 1)
        weights[g, h, base] += 1 / len(base) / (n - 1)
        weights[g, [g, h], g] += np.array([1, -1]) / (n - 1)
    return weights
