"""Check group contrasts in tables where only some groups are biased, or where words form clusters.

``size`` is the number of tables per scenario. It is halved for `bb.fit_many` and for ``maximal``.
Some tables are sums of known effects. Others have the distances of lists that are drawn from the
bundled vectors as clusters of nearest neighbors, with or without a bias planted in the vectors.
BAYESBIAS_OTHER_VECTORS names another file of vectors to draw lists from.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng
from xarray import DataTree

import bayesbias as bb
from bayesbias.tables.cosines import attach_cosines
from bayesbias.tables.descriptives import default_rows
from studies._default import SOURCES, drawn_table, pool_of, rates
from studies._default import default_rows as fast_rows

FEW = {"draws": 250, "chains": 2, "progressbar": False}

MOST_FREQUENT = 100
"""Lists have no words of smaller ranks, which are too few for matched controls."""

PAIR = 0.9  # cosine between the two words of a pair, and the share of variance in common


@dataclass(frozen=True)
class Sums:
    """Tables that are sums of effects, with sds in units of distance."""

    bias: tuple[float, ...]
    words: int = 8
    attributes: int = 8
    controls: int = 60
    lean: float = 0.03
    sd: float = 0.1
    uneven: float = 1.0
    scale: float = 1.0
    shared_set: bool = False
    pairs: bool = False
    skewed: bool = False

    def distances(self, rng: Generator) -> np.ndarray:
        """Draw distances minus 1, (n_words, n_attributes)."""
        group, column, own = self.codes
        n_columns = column.max() + 1
        means = rng.normal(0, 0.04, (len(own), 1)) + rng.normal(0, 0.04, n_columns)
        means[np.arange(len(own)), own] += self.bias
        y = means[np.ix_(group, column)]
        y += 0.05 * self._of_words(rng, 1) + rng.normal(0, 0.08, len(column))
        word_sd = self.lean * np.where(group == 0, self.uneven, 1.0)[:, None]
        y += (word_sd * self._of_words(rng, n_columns))[:, column]
        y += rng.normal(0, self.lean, (len(column), len(own)))[:, group].T
        noise = rng.gamma(1, 1, y.shape) - 1 if self.skewed else rng.standard_normal(y.shape)
        return np.asarray(self.scale * (y + self.sd * noise))

    @property
    def codes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The groups of words, the columns of attributes, and the columns of groups' own sets."""
        own = np.arange(len(self.bias))
        own = np.minimum(own, len(own) - 2) if self.shared_set else own
        n_sets = own.max() + 1
        column = np.repeat(np.arange(n_sets + 1), [self.attributes] * n_sets + [self.controls])
        return np.repeat(np.arange(len(own)), self.words), column, own

    def _of_words(self, rng: Generator, n: int) -> np.ndarray:
        """Draw word effects with sd 1, (n_words, n), which are correlated within pairs."""
        alone = rng.standard_normal((self.words * len(self.bias), n))
        if not self.pairs:
            return alone
        of_pair = np.repeat(rng.standard_normal((len(alone) // 2, n)), 2, axis=0)
        return np.sqrt(PAIR) * of_pair + np.sqrt(1 - PAIR) * alone

    def as_table(self, y: np.ndarray) -> pd.DataFrame:
        """Convert distances minus 1 to a table."""
        group, column, own = self.codes
        n_sets = own.max() + 1
        word, attribute = np.indices(y.shape).reshape(2, -1)
        g, c = group[word], column[attribute]
        kind = np.where(c == n_sets, "human", np.where(c == own[g], "associated", "different"))
        table = pd.DataFrame(
            {
                "protected_word": [f"w{i}" for i in word],
                "protected_group": g.astype(str),
                "attribute": [f"a{i}" for i in attribute],
                "attribute_set": np.where(c == n_sets, "human", np.char.add("s", c.astype(str))),
                "connection": kind,
                "cosine_distance": (1 + y).clip(0, 2).ravel(),
            }
        )
        if self.pairs:
            index = np.arange(len(group)) // 2
            cosines = np.where(index[:, None] == index, PAIR, 0.0) + (1 - PAIR) * np.eye(len(group))
            attach_cosines(table, [f"w{i}" for i in range(len(group))], cosines)
        return table

    def estimates(self, rng: Generator, model: str, seed: int) -> pd.DataFrame:
        """Draw one table, fit it, and return the overall and group contrasts."""
        return fast_rows(self.as_table(self.distances(rng)), seed, model)

    @property
    def truth(self) -> dict[str, float]:
        """True contrasts, overall and by group."""
        scaled = self.scale * np.array(self.bias)
        own = self.codes[2]
        overall = np.mean([scaled[own == j].mean() for j in np.unique(own)])
        return {"": float(overall)} | {str(g): float(b) for g, b in enumerate(scaled)}


@dataclass(frozen=True)
class Changes(Sums):
    """Pairs of tables in which the bias changes the second table."""

    def estimates(self, rng: Generator, model: str, seed: int) -> pd.DataFrame:
        """Draw a pair of tables; return the changes in contrasts."""
        before = replace(self, bias=(0.0,) * len(self.bias)).distances(rng)
        after = before + self.distances(rng)
        tables = [self.as_table(y) for y in (before, after)]
        return of_groups(bb.fit_change(*tables, f"change-{model}", seed=seed, **FEW))


@dataclass(frozen=True)
class Baseline(Sums):
    """Tables whose last group consists of baseline words and has no stereotypes."""

    def estimates(self, rng: Generator, model: str, seed: int) -> pd.DataFrame:
        """Draw one table; return group contrasts relative to the baseline words."""
        people = str(len(self.bias) - 1)
        table = self.as_table(self.distances(rng))
        table = table[table["attribute_set"] != f"s{people}"]
        options = {"draws": 250, "chains": 2, "seed": seed}
        return bb.baseline_contrasts(table, people, **options)


@dataclass(frozen=True)
class Many(Sums):
    """One list in several embeddings, which differ in scale and share half of all variances."""

    scales: tuple[float, ...] = (1.0, 1.0, 1.0)

    def estimates(self, rng: Generator, model: str, seed: int) -> pd.DataFrame:
        """Draw a table per embedding; return each one's contrasts, divided by its scale."""
        unbiased = replace(self, bias=(0.0,) * len(self.bias))
        shared, bias = self.distances(rng) / 2**0.5, np.array(self.bias) * (1 - 0.5**0.5)
        group, column, own = self.codes
        shared += np.where(own[group][:, None] == column, bias[group][:, None], 0.0)
        tables = []
        for i, scale in enumerate(self.scales):
            y = scale * (shared + unbiased.distances(rng) / 2**0.5)
            tables.append(self.as_table(y).assign(embedding=str(i), wordlist="list"))
        post = bb.fit_many(tables, seed=seed, draws=250, chains=2)
        frames = [bb.rank_embeddings(post).assign(protected_group="")]
        frames += [bb.rank_embeddings(post, level="group")] if len(self.bias) > 2 else []
        frame = pd.concat(frames)
        scale = frame["embedding"].map({str(i): s for i, s in enumerate(self.scales)})
        return frame.assign(**{name: frame[name] / scale for name in ("mean", "low", "high")})


@dataclass(frozen=True)
class Lists:
    """Lists drawn from vectors in clusters of ``cluster`` words, or of halves of one topic."""

    cluster: int
    planted: tuple[float, ...] = (0.0, 0.0)
    words: int = 8
    source: str = "glove-demo"
    halves: bool = False

    def estimates(self, rng: Generator, model: str, seed: int) -> pd.DataFrame:
        """Draw one list, measure it with matched controls, and fit it."""
        return fast_rows(self.table(rng), seed, model)

    def table(self, rng: Generator) -> pd.DataFrame:
        """Draw one list and measure it."""
        pool = pool_of(self.source)
        taken = np.array([not word.isalpha() for word in pool.words]) | (pool.ranks < MOST_FREQUENT)
        groups, sets = self._parts(rng, pool.units, taken), self._parts(rng, pool.units, taken)
        moved: dict[int, np.ndarray] = {}
        for i, planted in enumerate(self.planted):
            others = [row for j, part in enumerate(groups) if j != i for row in part]
            turned = _moved(pool.units[sets[i]], pool.units, groups[i], others, planted)
            moved |= dict(zip(sets[i], turned, strict=True))
        return drawn_table(pool, groups, sets, moved)

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


THREE = Sums((-0.16, 0, 0), attributes=12, lean=0.02)
FIVE = Sums((0, 0, -0.08, -0.08, 0))
TWO = Sums((-0.08, 0))
THREE_CHANGE, THREE_MANY = (kind(THREE.bias, attributes=12, lean=0.02) for kind in (Changes, Many))
SCENARIOS: dict[str, Sums | Lists] = {
    "one of three": THREE,
    "two of five": FIVE,
    "two of five, no controls": replace(FIVE, controls=0),
    "one of two": TWO,
    "one of two, no controls": replace(TWO, controls=0),
    "none of three, 5 words, sets of 6": Sums((0, 0, 0), words=5, attributes=6),
    "2 + 2 words": replace(TWO, words=2),
    "sets of 3": replace(THREE, attributes=3),
    "sets of 20": replace(THREE, attributes=20),
    "words of group 0 lean 3 times as much": replace(THREE, uneven=3.0),
    "skewed noise": replace(THREE, skewed=True),
    "two groups share a set": replace(FIVE, bias=(-0.08, 0, 0), shared_set=True),
    "scale 1/20": replace(THREE, scale=0.05),
    "words in pairs": replace(THREE, pairs=True),
    "change of one of three": THREE_CHANGE,
    "change of two of five": Changes(FIVE.bias),
    "change of one of two": Changes(TWO.bias),
    "one of three, baseline words": Baseline((*THREE.bias, 0), attributes=12, lean=0.02),
    "one of two, baseline words": Baseline((*TWO.bias, 0)),
    "three embeddings, one of three": THREE_MANY,
    "three embeddings, one of two": Many(TWO.bias),
    "scales .5, 1, 1, 2, one of three": replace(THREE_MANY, scales=(0.5, 1.0, 1.0, 2.0)),
    "three embeddings, words in pairs": replace(THREE_MANY, pairs=True),
    **{
        f"{kind}{suffix}": Lists(size, planted)
        for kind, size in (("random words", 1), ("clusters of 4", 4), ("topics", 8))
        for suffix, planted in {
            "": (0.0, 0.0),
            ", three groups": (0.0, 0.0, 0.0),
            ", one of three planted": (-0.06, 0.0, 0.0),
            ", both planted .03": (-0.03, -0.03),
            ", both planted .04": (-0.04, -0.04),
        }.items()
    },
    "halves of a topic": Lists(8, halves=True),
}
SCENARIOS |= {
    f"{name}, {source}": replace(scenario, source=source)
    for name, scenario in SCENARIOS.items()
    for source in SOURCES
    if isinstance(scenario, Lists) and source != scenario.source
}
OLD = ("one of three", "one of two", "change of one of three")
"""Scenarios that are also fitted with ``maximal``, the earlier default."""


def study(size: int = 100) -> pd.DataFrame:
    """Return mean, claims, coverage, and width by scenario, model, and contrast."""
    rows: list[dict[str, object]] = []
    for name, scenario in SCENARIOS.items():
        n = max(1, size // 2) if isinstance(scenario, Many) else size
        rows += _rows(name, "by-group", n)
        rows += _rows(name, "maximal", max(1, size // 2)) if name in OLD else []
    return pd.DataFrame(rows)


def of_groups(post: DataTree) -> pd.DataFrame:
    """Return the overall contrast, and those of groups that the table identifies."""
    return default_rows(bb.contrasts(post))


def _rows(name: str, model: str, size: int) -> Iterator[dict[str, object]]:
    scenario, truth = SCENARIOS[name], SCENARIOS[name].truth
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bb.SamplingWarning)
        frames = [
            scenario.estimates(default_rng([seed, len(name)]), model, seed) for seed in range(size)
        ]
    keys: dict[str, object] = {"scenario": name, "model": model}
    yield from rates(frames, keys, truth)
    if isinstance(scenario, Lists) and all(scenario.planted):
        ideal = {"row": "overall, ideal test", "truth": truth[""], "tables": size}
        yield {**keys, **ideal, "claimed": scenario.ideal_power(0.11, size)}


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
    rows: np.ndarray, unit: np.ndarray, group: list[int], others: list[int], by: float
) -> np.ndarray:
    """Move attributes toward a group until its lead over the other group grows by ``-by``."""
    own, other = unit[group], unit[others]

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
