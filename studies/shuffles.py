"""Shuffle the stereotypes of real lists among sets, or the words among groups.

The number of shuffles is ``size``. If whose stereotype a word is becomes chance, rows that readers
are led with must be zero on average. BAYESBIAS_OTHER_VECTORS names a second embedding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd
from numpy.random import Generator, default_rng

import bayesbias as bb
from bayesbias.background.reference_words import words_present
from studies._default import SOURCES, default_rows, matched_table, pool_of, rates

LISTS = (*(f"weat{i}" for i in range(1, 11)), "gender", "religion", "race", "nationality")


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


def study(size: int = 100) -> pd.DataFrame:
    """Return mean, claims, and width of every row, for real and for shuffled lists."""
    rows: list[dict[str, object]] = []
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
