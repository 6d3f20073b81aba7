"""Fit lists of more and more words in ten clusters: the sd of a contrast must not step down.

With ten clusters, more words of the same clusters add little. Without cosines, all words count as
unrelated, and the sd falls as if every word were new.
"""

from __future__ import annotations

import resource
import time
import warnings
from collections.abc import Iterator

import numpy as np

import bayesbias as bb

SIZES = (600, 900, 1_002, 2_000, 5_500)
"""Numbers of words. Tables of more than 1,000 words once had no cosines."""

CLUSTERS, DIMS = 10, 100


def rows(repeats: int) -> Iterator[dict[str, object]]:
    """Yield the sd of the overall contrast, the seconds, and the peak memory so far in MB."""
    del repeats  # memory grows with the size, so each size is fitted once
    for size in SIZES:
        start = time.process_time(), time.perf_counter()
        table = bb.distance_table(*clustered(size))
        for label in ("with cosines", "without cosines")[: 1 + (size <= max(SIZES[:-1]))]:
            if label == "without cosines":
                start = time.process_time(), time.perf_counter()
                table.attrs.clear()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                post = bb.fit(table, "by-group", draws=250, seed=1, progressbar=False)
                sd = bb.contrasts(post)["sd"].iloc[0]
            yield {
                "task": f"fit and contrasts of {size:,} words",
                "by": label,
                "processor_s": time.process_time() - start[0],
                "clock_s": time.perf_counter() - start[1],
                "sd": sd,
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
            }


def clustered(size: int) -> tuple[dict[str, np.ndarray], dict[str, dict[str, list[str]]]]:
    """Return vectors and a list of 16 protected words, with stereotypes in ten clusters a set."""
    groups: dict[str, list[str]] = {}
    sets: dict[str, list[str]] = {}
    vectors = {}
    for seed, group in enumerate("ab"):
        rng = np.random.default_rng(seed)
        groups[group] = [f"{group}{i}" for i in range(8)]
        sets[group] = [f"{group} stereotype {i}" for i in range((size - 16) // 2)]
        center, centers = rng.normal(size=DIMS), rng.normal(size=(CLUSTERS, DIMS))
        vectors |= {word: center / 2 + rng.normal(size=DIMS) for word in groups[group]}
        for i, word in enumerate(sets[group]):
            vectors[word] = centers[i % CLUSTERS] + rng.normal(size=DIMS)
    return vectors, {"groups": groups, "stereotypes": sets}
