"""Lists of words that nothing connects to their sets, with a bias planted in some of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

from studies._default import default_rows, drawn_table, pool_of

MOST_FREQUENT = 100
"""Lists have no words of smaller ranks, which are too few for matched controls."""

NEIGHBORS = 200
"""Number of words around a set that make up its topic, if whole topics are biased."""


@dataclass(frozen=True)
class Lists:
    """Lists drawn from vectors in clusters of ``cluster`` words, or of halves of one topic.

    If ``whole``, the neighbors of a set have the bias that is planted in the set.
    """

    cluster: int
    planted: tuple[float, ...] = (0.0, 0.0)
    words: int = 8
    source: str = "glove-demo"
    halves: bool = False
    whole: bool = False

    def estimates(self, rng: Generator, model: str, seed: int) -> pd.DataFrame:
        """Draw one list, measure it with matched controls, and fit it."""
        return default_rows(self.table(rng), seed, model)

    def table(self, rng: Generator) -> pd.DataFrame:
        """Draw one list and measure it."""
        pool = pool_of(self.source)
        taken = np.array([not word.isalpha() for word in pool.words]) | (pool.ranks < MOST_FREQUENT)
        groups, sets = self._parts(rng, pool.units, taken), self._parts(rng, pool.units, taken)
        vectors = pool.units.copy()
        for i in np.flatnonzero(self.planted):
            others = [row for j, part in enumerate(groups) if j != i for row in part]
            near = -(pool.units @ pool.units[sets[i]].mean(axis=0))
            topic = np.argsort(np.where(taken, np.inf, near))[: NEIGHBORS if self.whole else 0]
            moved = _moved(pool.units, [*sets[i], *topic], groups[i], others, self.planted[i])
            vectors[[*sets[i], *topic]] = moved
        return drawn_table(replace(pool, vectors=vectors), groups, sets)

    def _parts(self, rng: Generator, unit: np.ndarray, taken: np.ndarray) -> list[list[int]]:
        if self.halves:
            return _halves(rng, unit, self.words, taken)
        return [_clusters(rng, unit, self.words, self.cluster, taken) for _ in self.planted]

    def ideal_power(self, rate: float, size: int) -> float:
        """Return the power of a test with this false-alarm rate that knows how plain means vary."""
        unplanted = replace(self, planted=(0.0,) * len(self.planted))
        tables = (unplanted.table(default_rng(seed)) for seed in range(size))
        means = [t.groupby("connection", observed=True)["cosine_distance"].mean() for t in tables]
        null = pd.DataFrame(means).eval("associated - different")
        found = null + self.truth[""]
        return float((~found.between(*null.quantile([rate / 2, 1 - rate / 2]))).mean())

    @property
    def truth(self) -> dict[str, float]:
        """True contrasts, overall and by group."""
        groups = {f"g{i}": planted for i, planted in enumerate(self.planted)}
        return {"": float(np.mean(self.planted))} | groups


def _clusters(rng: Generator, unit: np.ndarray, n: int, size: int, taken: np.ndarray) -> list[int]:
    """Draw n distinct words in clusters of nearest neighbors, and mark them as taken."""
    chosen: list[int] = []
    while len(chosen) < n:
        seed = int(rng.choice(np.flatnonzero(~taken)))
        near = np.argsort(np.where(taken, np.inf, -(unit @ unit[seed])))
        chosen += near[:size].tolist()
        taken[chosen] = True
    return chosen[:n]


def _halves(rng: Generator, unit: np.ndarray, n: int, taken: np.ndarray) -> list[list[int]]:
    """Divide the neighbors of a word among two of them, each taking the nearest in turn."""
    seed = int(rng.choice(np.flatnonzero(~taken)))
    topic = np.argsort(np.where(taken, np.inf, -(unit @ unit[seed])))[: 5 * n].tolist()
    centers = rng.choice(topic, 2, replace=False).tolist()
    parts = [[center] for center in centers]
    free = [row for row in topic if row not in centers]
    for _ in range(n - 1):
        for part, center in zip(parts, centers, strict=True):
            part.append(free.pop(int(np.argmax(unit[free] @ unit[center]))))
    taken[[*parts[0], *parts[1]]] = True
    return parts


def _moved(
    unit: np.ndarray, rows: list[int], group: list[int], others: list[int], by: float
) -> np.ndarray:
    """Move words toward a group until its lead over the other groups grows by ``-by``."""
    own, other, start = unit[group], unit[others], unit[rows]

    def moved(step: float) -> np.ndarray:
        turned = start + step * own.mean(axis=0)
        return np.asarray(turned / np.linalg.norm(turned, axis=1, keepdims=True))

    def lead(turned: np.ndarray) -> float:
        return float((own @ turned.T).mean() - (other @ turned.T).mean())

    low, high = 0.0, 5.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if lead(moved(middle)) - lead(start) < -by else (low, middle)
    return moved(high)
