"""Intervals of `bb.fit_change` where the change is known.

Tables of 15 words in 3 groups are drawn with known means, changes and scales. ``size`` is the
number of pairs of tables per scenario.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

import bayesbias as bb

WORDS, SETS = 15, 3
SD_BEFORE, SD_AFTER, CORRELATION = 0.18, 0.14, 0.7
"""Of single distances around the mean of their cell: about those of religion on Reddit."""

COVARIANCE = CORRELATION * SD_BEFORE * SD_AFTER
WITHIN = (COVARIANCE - SD_BEFORE**2) / (SD_BEFORE**2 + SD_AFTER**2 - 2 * COVARIANCE)
"""Slope of before on change among the pairs of a cell, -.88."""


@dataclass(frozen=True)
class Scenario:
    """Slope of before on change between words, and the sd of the attributes' moves."""

    name: str
    slope: float
    attribute_sd: float
    model: str


SCENARIOS = (
    Scenario("slope between words as within them", WITHIN, 0.0, "change"),
    Scenario("no slope between words", 0.0, 0.0, "change"),
    Scenario("slope between words the other way, +.5", 0.5, 0.0, "change"),
    Scenario("attributes move", WITHIN, 0.06, "change"),
    Scenario("attributes move", WITHIN, 0.06, "change-crossed"),
    Scenario("attributes move", WITHIN, 0.06, "change-maximal"),
)


def study(size: int = 60) -> pd.DataFrame:
    """Return coverage of 89% intervals and the Brier score of P(order reversed) by scenario."""
    return pd.DataFrame([_row(scenario, size) for scenario in SCENARIOS])


def _row(scenario: Scenario, n_tables: int) -> dict[str, object]:
    rng = default_rng(1)
    hits: dict[str, list[np.ndarray]] = {"overall": [], "word": [], "before": [], "after": []}
    errors = []
    for seed in range(n_tables):
        before, after, move, means, moves = planted(rng, scenario)
        tree = bb.fit_change(
            before, after, scenario.model, method="exact", seed=seed, draws=500, chains=2
        )
        frame = bb.comparison.changes(tree)
        orders = bb.comparison.order_changes(tree).query("level == 'word'")
        hits["overall"].append(_held(frame[frame["level"] == "overall"], move))
        hits["word"].append(_held(frame[frame["level"] == "word"], moves.ravel()))
        gaps = {"before": means[:, 0] - means[:, 1]}
        gaps["after"] = gaps["before"] + moves[:, 0] - moves[:, 1]
        for when, gap in gaps.items():
            hits[when].append(_held(orders, gap, f"{when}_"))
        reversed_order = (gaps["before"] < 0) != (gaps["after"] < 0)
        errors.append((orders["p_turned"].to_numpy() - reversed_order) ** 2)
    rates = {name: np.concatenate(values).mean() for name, values in hits.items()}
    brier = np.concatenate(errors).mean()
    return {"tables": scenario.name, "model": scenario.model, **rates, "brier": brier}


def planted(rng: Generator, scenario: Scenario) -> tuple:
    """Draw two tables; return them, the overall changes, and means and changes by word."""
    frame = pairs()
    level, move = rng.normal(0.9, 0.08, 4), rng.normal(0.03, 0.05, 4)
    moves = move + rng.uniform(0.02, 0.1) * rng.standard_normal((WORDS, 4))
    levels = rng.uniform(0.04, 0.12) * rng.standard_normal((WORDS, 4))
    means = level + scenario.slope * (moves - move) + levels
    word = frame["protected_word"].str[1:].astype(int).to_numpy()
    connection = pd.Categorical(frame["connection"], categories=list(bb.CONNECTIONS[:4])).codes
    attribute, names = pd.factorize(frame["attribute"])
    shared = scenario.attribute_sd * rng.standard_normal((2, len(names)))
    covariance = [[SD_BEFORE**2, COVARIANCE], [COVARIANCE, SD_AFTER**2]]
    noise = rng.multivariate_normal([0, 0], covariance, len(word))
    first = means[word, connection] + shared[0, attribute] + noise[:, 0]
    second = (means + moves)[word, connection] + shared.sum(axis=0)[attribute] + noise[:, 1]
    tables = [frame.assign(cosine_distance=y.clip(0, 2)) for y in (first, second)]
    return (*tables, move, means, moves)


def pairs() -> pd.DataFrame:
    """Return the rows of every word with 12 stereotype, 30 neutral and 20 human attributes."""
    rows = []
    for word in range(WORDS):
        names = (f"w{word}", f"g{word % SETS}")
        for side in range(SETS):
            connection = "associated" if side == word % SETS else "different"
            rows += [(*names, f"s{side}{a}", f"s{side}", connection) for a in range(4)]
        for kind, count in (("neutral", 30), ("human", 20)):
            rows += [(*names, f"{kind}{a}", kind, kind) for a in range(count)]
    return pd.DataFrame(rows, columns=list(bb.COLUMNS[:-1]))


def _held(frame: pd.DataFrame, truth: np.ndarray, prefix: str = "") -> np.ndarray:
    low, high = (frame[f"{prefix}{end}"].to_numpy() for end in ("low", "high"))
    return (low <= truth) & (truth <= high)
