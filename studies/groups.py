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

import bayesbias as bb
from bayesbias.tables.cosines import attach_cosines
from bayesbias.tables.descriptives import default_rows
from bayesbias.warnings import NoLikeness
from studies._default import SOURCES, rates, table_of
from studies._default import default_rows as fast_rows
from studies._lists import Lists

FEW = {"draws": 250, "chains": 2, "progressbar": False}

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
        return self.drawn(rng)[0]

    def drawn(self, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw distances minus 1, and the effects of words by column, (n_words, n_columns)."""
        group, column, own = self.codes
        n_columns = column.max() + 1
        means = rng.normal(0, 0.04, (len(own), 1)) + rng.normal(0, 0.04, n_columns)
        means[np.arange(len(own)), own] += self.bias
        y = means[np.ix_(group, column)]
        y += 0.05 * self._of_words(rng, 1) + rng.normal(0, 0.08, len(column))
        word_sd = self.lean * np.where(group == 0, self.uneven, 1.0)[:, None]
        leans = word_sd * self._of_words(rng, n_columns)
        y += leans[:, column]
        y += rng.normal(0, self.lean, (len(column), len(own)))[:, group].T
        noise = rng.gamma(1, 1, y.shape) - 1 if self.skewed else rng.standard_normal(y.shape)
        return self.scale * (y + self.sd * noise), self.scale * leans

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
        group, _, own = self.codes
        sets = [*(f"s{j}" for j in range(own.max() + 1)), "human"]
        table = table_of((1 + y).clip(0, 2), self.codes, sets)
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
class Words(Sums):
    """Tables in which each word leans toward its own set, in addition to the bias of its group."""

    def estimates(self, rng: Generator, model: str, seed: int) -> pd.DataFrame:
        """Draw one table; return the contrasts of all words, and of a word named beforehand."""
        (y, leans), (group, _, own) = self.drawn(rng), self.codes
        of_sets = np.where(np.arange(leans.shape[1]) == own[group][:, None], np.nan, leans)
        bias = np.array([self.truth[str(g)] for g in group])
        bias = bias if len(own) > 2 else self.truth[""]
        truth = (
            bias + leans[np.arange(len(group)), own[group]] - np.nanmean(of_sets[:, :-1], axis=1)
        )
        post = bb.fit(self.as_table(y), model, seed=seed, draws=500, chains=2)
        named, frames = f"w{seed % len(group)}", []
        for label, found in {
            "words": bb.contrasts(post).query("level == 'word'"),
            "named word": bb.contrasts(post, named=named, seed=seed),
        }.items():
            rows = found.query("first == 'associated' and second == 'different'")
            of_rows = truth[rows["protected_word"].str[1:].astype(int)]
            frames.append(rows.assign(protected_group=label, truth=of_rows))
        return pd.concat(frames)


@dataclass(frozen=True)
class Changes(Sums):
    """Pairs of tables in which the bias changes the second table."""

    def estimates(self, rng: Generator, model: str, seed: int) -> pd.DataFrame:
        """Draw a pair of tables; return the changes in contrasts."""
        before = replace(self, bias=(0.0,) * len(self.bias)).distances(rng)
        after = before + self.distances(rng)
        tables = [self.as_table(y) for y in (before, after)]
        post = bb.fit_change(*tables, f"change-{model}", seed=seed, **FEW)
        return default_rows(bb.contrasts(post))


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
    "two of three": replace(THREE, bias=(-0.16, -0.16, 0)),
    "both of two": Sums((-0.08, -0.08)),
    "words, one of three": Words(THREE.bias, attributes=12, lean=0.02),
    "words, two of five": Words(FIVE.bias),
    "words, one of two": Words(TWO.bias),
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
            ", two of three planted": (-0.06, -0.06, 0.0),
            ", both planted .03": (-0.03, -0.03),
            ", both planted .04": (-0.04, -0.04),
        }.items()
    },
    "halves of a topic": Lists(8, halves=True),
    "random words, one of three whole topics planted": Lists(1, (-0.06, 0.0, 0.0), whole=True),
    "random words, both whole topics planted .04": Lists(1, (-0.04, -0.04), whole=True),
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


def _rows(name: str, model: str, size: int) -> Iterator[dict[str, object]]:
    scenario, truth = SCENARIOS[name], SCENARIOS[name].truth
    with warnings.catch_warnings():
        for kind in (bb.SamplingWarning, NoLikeness):
            warnings.simplefilter("ignore", kind)
        frames = [
            scenario.estimates(default_rng([seed, len(name)]), model, seed) for seed in range(size)
        ]
    keys: dict[str, object] = {"scenario": name, "model": model}
    yield from rates(frames, keys, truth)
    if isinstance(scenario, Lists) and all(scenario.planted):
        ideal = {"row": "overall, ideal test", "truth": truth[""], "tables": size}
        yield {**keys, **ideal, "claimed": scenario.ideal_power(0.11, size)}
