"""Draw meaningless words of different frequency, and count how often they seem biased.

Words of group and set 0 are drawn from one window of frequency ranks, and words of group and set 1
from another. With three groups, the third is drawn from both windows. BAYESBIAS_OTHER_VECTORS names
a second embedding.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
from numpy.random import default_rng

from studies._default import SOURCES, default_rows, drawn, drawn_table, pool_of, rates

WINDOWS = {
    "2-8k": ((2_000, 8_000), (2_000, 8_000)),
    "1-3k and 3-9k": ((1_000, 3_000), (3_000, 9_000)),
    "1-4k and 8-20k": ((1_000, 4_000), (8_000, 20_000)),
    "1-4k and 20-60k": ((1_000, 4_000), (20_000, 60_000)),
}
DIFFERENT = ("groups and sets", "groups", "sets")
"""What differs in frequency; the rest is drawn from both windows."""

N_WORDS = 8


def study(size: int = 100) -> pd.DataFrame:
    """Return mean, claims, and width of every row by window and number of groups."""
    rows: list[dict[str, object]] = []
    for source, (name, windows), n, what in product(SOURCES, WINDOWS.items(), (2, 3), DIFFERENT):
        pool = pool_of(source)
        usable = np.array([word.isalpha() for word in pool.words])
        inside = [np.flatnonzero(usable & (pool.ranks >= a) & (pool.ranks < b)) for a, b in windows]
        both = np.unique(np.concatenate(inside))
        found = []
        for seed in range(size):
            rng, taken = default_rng([seed, n]), np.zeros(len(pool.words), dtype=bool)
            groups, sets = (
                [
                    drawn(rng, inside[i] if i < 2 and part in what else both, N_WORDS, taken)
                    for i in range(n)
                ]
                for part in ("groups", "sets")
            )
            found.append(default_rows(drawn_table(pool, groups, sets), seed))
        keys = {"embedding": source, "windows": name, "groups": n, "different": what}
        rows += rates(found, keys)
    return pd.DataFrame(rows)
