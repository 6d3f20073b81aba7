"""Contrasts of groups where one group is biased, and where words come in clusters.

``size`` is the number of tables per scenario. Tables are sums of known effects, or lists drawn from
the bundled vectors as clusters of nearest neighbors, with a bias planted in the vectors themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from gensim.models import KeyedVectors
from numpy.random import Generator, default_rng

import bayesbias as bb

MODELS = ("by-group", "maximal")


@dataclass(frozen=True)
class Sums:
    """Tables that are sums of effects: sds in units of distance."""

    bias: tuple[float, ...]
    words: int = 8
    attributes: int = 8
    controls: int = 60
    lean: float = 0.03
    sd: float = 0.1
    skewed: bool = False
    uneven: float = 1.0
    scale: float = 1.0
    shared_set: bool = False
    missing: float = 0.0

    def table(self, rng: Generator) -> pd.DataFrame:
        """Draw one table."""
        groups = len(self.bias)
        own = np.minimum(np.arange(groups), groups - 2) if self.shared_set else np.arange(groups)
        n_sets = own.max() + 1
        group = np.repeat(np.arange(groups), self.words)
        column = np.repeat(np.arange(n_sets + 1), [self.attributes] * n_sets + [self.controls])
        means = rng.normal(0, 0.04, (groups, 1)) + rng.normal(0, 0.04, n_sets + 1)
        means[np.arange(groups), own] += self.bias
        y = means[np.ix_(group, column)]
        y += rng.normal(0, 0.05, len(group))[:, None] + rng.normal(0, 0.08, len(column))
        word_sd = self.lean * np.where(group == 0, self.uneven, 1.0)[:, None]
        y += (word_sd * rng.standard_normal((len(group), n_sets + 1)))[:, column]
        y += rng.normal(0, self.lean, (len(column), groups))[:, group].T
        noise = rng.gamma(1.0, 1.0, y.shape) - 1 if self.skewed else rng.standard_normal(y.shape)
        y = 1.0 + self.scale * (y + self.sd * noise)
        frame = pd.DataFrame(np.argwhere(np.ones_like(y)), columns=["w", "a"])
        g, c = group[frame["w"]], column[frame["a"]]
        kind = np.where(c == n_sets, "human", np.where(c == own[g], "associated", "different"))
        names = {"protected_word": "w" + frame["w"].astype(str), "protected_group": g.astype(str)}
        table = frame.assign(
            **names,
            attribute="a" + frame["a"].astype(str),
            attribute_set=np.where(c == n_sets, "human", np.char.add("s", c.astype(str))),
            connection=kind,
            cosine_distance=y.clip(0, 2).ravel(),
        )
        kept = table[rng.random(len(table)) >= self.missing].drop(columns=["w", "a"])
        return kept.reset_index(drop=True)

    @property
    def truth(self) -> dict[str, float]:
        """True contrasts, overall and by group."""
        scaled = [self.scale * b for b in self.bias]
        return {"": float(np.mean(scaled))} | {str(g): b for g, b in enumerate(scaled)}


@dataclass(frozen=True)
class Lists:
    """Lists of two groups drawn from the bundled vectors in clusters of so many words."""

    cluster: int
    planted: float = 0.0
    words: int = 8
    controls: int = 60

    def table(self, rng: Generator) -> pd.DataFrame:
        """Draw one list and measure it."""
        vectors = _vectors()
        unit = vectors.get_normed_vectors()
        used: set[int] = set()
        groups = [_clusters(rng, unit, self.words, self.cluster, used) for _ in range(2)]
        sets = [_clusters(rng, unit, self.words, self.cluster, used) for _ in range(2)]
        controls = _clusters(rng, unit, self.controls, 1, used)
        rows = unit[[*sets[0], *sets[1], *controls]].copy()
        rows[: self.words] = _moved(rows[: self.words], unit, groups, self.planted)
        names = [f"a{i}" for i in range(len(rows))]
        words = [f"w{i}" for i in range(2 * self.words)]
        keyed = KeyedVectors(unit.shape[1])
        keyed.add_vectors([*words, *names], np.vstack([unit[groups[0] + groups[1]], rows]))
        n = self.words
        wordlist = bb.WordList(
            name="drawn",
            groups={"0": words[:n], "1": words[n:]},
            stereotypes={"0": names[:n], "1": names[n : 2 * n]},
            controls={"human": names[2 * n :]},
        )
        return bb.distance_table(keyed, wordlist)

    @property
    def truth(self) -> dict[str, float]:
        """True contrasts, overall and by group."""
        return {"": self.planted / 2, "0": self.planted, "1": 0.0}


THREE = Sums((-0.16, 0, 0), attributes=12, lean=0.02)
FIVE = Sums((0, 0, -0.08, -0.08, 0))
TWO = Sums((-0.08, 0))
SCENARIOS: dict[str, Sums | Lists] = {
    "one of three": THREE,
    "two of five": FIVE,
    "two of five, no controls": replace(FIVE, controls=0),
    "one of two": TWO,
    "one of two, no controls": replace(TWO, controls=0),
    "one of eight, 3 words each": Sums((-0.08, *[0] * 7), words=3),
    "none of three, 5 words, sets of 6": Sums((0, 0, 0), words=5, attributes=6),
    "2 + 2 words": replace(TWO, words=2),
    "sets of 3": replace(THREE, attributes=3),
    "sets of 20": replace(THREE, attributes=20),
    "words of group 0 lean 3 times as much": replace(THREE, uneven=3.0),
    "skewed noise": replace(THREE, skewed=True),
    "two groups share a set": replace(FIVE, bias=(-0.08, 0, 0), shared_set=True),
    "5% of cells missing": replace(THREE, words=4, attributes=6, controls=10, missing=0.05),
    "scale 1/20": replace(THREE, scale=0.05),
    "random words": Lists(1),
    "clusters of 2": Lists(2),
    "clusters of 4": Lists(4),
    "topics": Lists(8),
    "random words, planted": Lists(1, -0.06),
    "clusters of 4, planted": Lists(4, -0.06),
    "topics, planted": Lists(8, -0.06),
}


def study(size: int = 200) -> pd.DataFrame:
    """Return mean, claims, coverage and half width by scenario, model and contrast."""
    rows = (row for name in SCENARIOS for model in MODELS for row in _rows(name, model, size))
    return pd.DataFrame(rows)


def _rows(name: str, model: str, size: int) -> Iterator[dict[str, object]]:
    scenario, parts = SCENARIOS[name], []
    for seed in range(size):
        table = scenario.table(default_rng([seed, len(name)]))
        post = bb.fit(table, model, draws=250, chains=2, seed=seed, progressbar=False)
        frame = bb.contrasts(post).query("first == 'associated' and second == 'different'")
        parts.append(frame[frame["level"] != "word"])
    every = pd.concat(parts)
    for group, truth in scenario.truth.items():
        own = every[every["protected_group"] == group]
        if len(own):  # a group that the table does not identify has no row
            yield {
                "scenario": name,
                "model": model,
                "group": group or "all",
                "truth": truth,
                "mean": own["mean"].mean(),
                "claimed": ((own["low"] > 0) | (own["high"] < 0)).mean(),
                "covered": own["low"].le(truth).mul(own["high"].ge(truth)).mean(),
                "half_width": (own["high"] - own["low"]).mean() / 2,
                "tables": len(own),
            }


def _vectors(loaded: list[KeyedVectors] = []) -> KeyedVectors:  # noqa: B006
    if not loaded:
        loaded.append(bb.load_vectors("glove-demo", progressbar=False))
    return loaded[0]


def _clusters(rng: Generator, unit: np.ndarray, n: int, size: int, used: set[int]) -> list[int]:
    """Draw n words as clusters of nearest neighbors, none twice."""
    drawn: list[int] = []
    while len(drawn) < n:
        seed = int(rng.integers(len(unit)))
        if seed not in used:
            near = np.argsort(-(unit @ unit[seed]))[: 10 * size + 100]
            drawn += [int(i) for i in near if i not in used][:size]
            used.update(drawn)
    return drawn[:n]


def _moved(rows: np.ndarray, unit: np.ndarray, groups: list[list[int]], by: float) -> np.ndarray:
    """Move attributes toward the first group until it is closer by ``-by`` than the other is."""
    own, other = (unit[group] for group in groups)

    def moved(step: float) -> np.ndarray:
        turned = rows + step * own.mean(axis=0)
        return np.asarray(turned / np.linalg.norm(turned, axis=1, keepdims=True))

    def lead(turned: np.ndarray) -> float:
        return float((own @ turned.T).mean() - (other @ turned.T).mean())

    low, high = 0.0, 5.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if lead(moved(middle)) - lead(rows) < -by else (low, middle)
    return moved(high) if by else rows
