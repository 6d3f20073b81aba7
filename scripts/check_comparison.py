"""Does `bb.compare` know how sure it may be? Planted changes, and what it says of them.

    python scripts/check_comparison.py --tables 60

Tables of 15 words in 3 groups are drawn with known means, changes and scales, and compared.
Printed as Markdown: how often 89% intervals hold the truth, how much wider two separate fits are,
and of the words said to have turned their order with some probability, how many had.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

import bayesbias as bb
from bayesbias.comparison import changes, order_changes
from bayesbias.model.tree import stacked

CONNECTIONS = bb.CONNECTIONS[:4]
WORDS, SIDES = 15, 3
SD_BEFORE, SD_AFTER, CORRELATION = 0.18, 0.14, 0.7
"""Of single distances around their cell's mean: about those of religion on Reddit."""

WITHIN = (CORRELATION * SD_BEFORE * SD_AFTER - SD_BEFORE**2) / (
    SD_BEFORE**2 + SD_AFTER**2 - 2 * CORRELATION * SD_BEFORE * SD_AFTER
)
"""Slope of before on change among the pairs of a cell, -.88."""

EDGES = (0.0, 0.05, 0.15, 0.3, 0.5, 0.7, 1.01)
FIT = {"draws": 500, "chains": 2}

APART = {"change": "paper-figures", "change-crossed": "crossed", "change-maximal": "maximal"}
"""The model of distances with the terms of each model of changes."""


@dataclass(frozen=True)
class Scenario:
    """How tables are drawn: slope of before on change between words, sd of attributes' moves."""

    name: str
    slope: float
    attribute_sd: float
    model: str


SCENARIOS = (
    Scenario("slope between words as within them", WITHIN, 0.0, "change"),
    Scenario("no slope between words", 0.0, 0.0, "change"),
    Scenario("slope between words the other way, +.5", 0.5, 0.0, "change"),
    Scenario("attributes move, model change", WITHIN, 0.06, "change"),
    Scenario("attributes move, model change-crossed", WITHIN, 0.06, "change-crossed"),
    Scenario("attributes move, model change-maximal", WITHIN, 0.06, "change-maximal"),
)


@dataclass(frozen=True)
class Planted:
    """Two tables and the truth: overall changes, and means by word and connection."""

    before: pd.DataFrame
    after: pd.DataFrame
    overall: np.ndarray
    means: np.ndarray
    moves: np.ndarray

    @property
    def gaps(self) -> dict[str, np.ndarray]:
        """Associated - different of every word, before and after."""
        ends = {"before": self.means, "after": self.means + self.moves}
        return {when: means[:, 0] - means[:, 1] for when, means in ends.items()}


def planted(rng: Generator, scenario: Scenario) -> Planted:
    """Draw scales, means, changes and two tables."""
    frame = pairs()
    level, move = rng.normal(0.9, 0.08, 4), rng.normal(0.03, 0.05, 4)
    moves = move + rng.uniform(0.02, 0.1) * rng.standard_normal((WORDS, 4))
    own = rng.uniform(0.04, 0.12) * rng.standard_normal((WORDS, 4))
    means = level + scenario.slope * (moves - move) + own
    word = frame["protected_word"].str[1:].astype(int).to_numpy()
    connection = pd.Categorical(frame["connection"], categories=list(CONNECTIONS)).codes
    attribute, names = pd.factorize(frame["attribute"])
    shared = scenario.attribute_sd * rng.standard_normal((2, len(names)))
    cross = CORRELATION * SD_BEFORE * SD_AFTER
    noise = rng.multivariate_normal(
        [0, 0], [[SD_BEFORE**2, cross], [cross, SD_AFTER**2]], len(word)
    )
    first = means[word, connection] + shared[0, attribute] + noise[:, 0]
    second = (means + moves)[word, connection] + shared.sum(axis=0)[attribute] + noise[:, 1]
    tables = (frame.assign(cosine_distance=y.clip(0, 2)) for y in (first, second))
    return Planted(*tables, move, means, moves)


def pairs() -> pd.DataFrame:
    """Give 12 stereotype, 30 neutral and 20 human attributes for every word."""
    rows = []
    for word in range(WORDS):
        for side in range(SIDES):
            name = "associated" if side == word % SIDES else "different"
            own = f"w{word}", f"g{word % SIDES}"
            rows += [(*own, f"s{side}{a}", f"s{side}", name) for a in range(4)]
        for name, count in (("neutral", 30), ("human", 20)):
            rows += [(*own, f"{name}{a}", name, name) for a in range(count)]
    return pd.DataFrame(rows, columns=list(bb.COLUMNS[:-1]))


def inside(frame: pd.DataFrame, truth: np.ndarray, name: str = "") -> np.ndarray:
    """Which intervals hold the truth."""
    low, high = (frame[f"{name}{end}"].to_numpy() for end in ("low", "high"))
    return np.asarray((low <= truth) & (truth <= high))


def study(scenario: Scenario, n_tables: int) -> tuple[dict[str, float], pd.DataFrame]:
    """Compare many tables of a scenario: rates, and turned words with what was said of them."""
    rng = default_rng(1)
    found: dict[str, list[np.ndarray]] = {}
    turned = []
    for seed in range(n_tables):
        given = planted(rng, scenario)
        tree = bb.compare(
            given.before,
            given.after,
            scenario.model,
            method="exact",
            seed=seed,
            **FIT,
        )
        frame, orders = changes(tree), order_changes(tree).query("level == 'word'")
        overall, words = (frame[frame["level"] == level] for level in ("overall", "word"))
        spec = APART[scenario.model]
        fits = [bb.fit(t, spec, seed=seed, **FIT) for t in (given.before, given.after)]
        apart = np.hypot(*(bb.summary(fit)["sd"] for fit in fits)) / bb.summary(tree)["sd"]
        before, after = given.gaps.values()
        parts = {
            "overall": inside(overall, given.overall),
            "word": inside(words, given.moves.ravel()),
            "gap before": inside(orders, before, "before_"),
            "gap after": inside(orders, after, "after_"),
            "sd apart, overall": apart[overall.index].to_numpy(),
            "sd apart, word": apart[words.index].to_numpy(),
        }
        for name, values in parts.items():
            found.setdefault(name, []).append(values)
        closer = [
            stacked(fit, "word_mean")[:, :, 0] < stacked(fit, "word_mean")[:, :, 1] for fit in fits
        ]
        turned.append(
            pd.DataFrame(
                {
                    "said": orders["p_turned"].to_numpy(),
                    "apart": (closer[0] != closer[1]).mean(axis=0),
                    "turned": (before < 0) != (after < 0),
                }
            )
        )
    rates = {name: float(np.concatenate(values).mean()) for name, values in found.items()}
    return rates, pd.concat(turned, ignore_index=True)


def report(scenarios: Sequence[Scenario], n_tables: int) -> None:
    """Print both tables."""
    studies = {scenario.name: study(scenario, n_tables) for scenario in scenarios}
    heads = list(next(iter(studies.values()))[0])
    print(f"| tables drawn with | {' | '.join(heads)} | Brier, joint | Brier, apart |")
    print("|---|" + "---|" * (len(heads) + 2))
    for name, (rates, turned) in studies.items():
        errors = [((turned[one] - turned["turned"]) ** 2).mean() for one in ("said", "apart")]
        cells = [f"{rate:.2f}" for rate in rates.values()] + [f"{error:.3f}" for error in errors]
        print(f"| {name} | {' | '.join(cells)} |")
    labels = [f"{100 * a:.0f}-{min(100 * b, 100):.0f}%" for a, b in pairwise(EDGES)]
    print(f"\n| said to have turned with | {' | '.join(labels)} |\n|---|" + "---|" * len(labels))
    for name, (_, turned) in studies.items():
        bins = pd.cut(turned["said"], EDGES, right=False, labels=labels)
        parts = [turned[bins == label] for label in labels]
        cells = [
            f"{part['said'].mean():.2f} → {part['turned'].mean():.2f} ({len(part)})"
            if len(part)
            else "–"
            for part in parts
        ]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=60)
    report(SCENARIOS, parser.parse_args().tables)
