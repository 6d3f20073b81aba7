"""docs/coming-from.md: its Python runs, and WEFE's numbers are ours.

WEFE 1.0.1 (PyPI; Python 3.10, numpy 1.26.4, scikit-learn 1.7.2) was given the four embeddings of
the page as text of nine digits, the page's queries, ``preprocessors=[{}, {"lowercase": True}]``
and, for metrics of one attribute set, ``generate_subqueries=True``.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias._core.arrays import unit_rows
from bayesbias.scores import ListScore, ect, ripa, rnd, weat

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")

EMBEDDINGS = ["glove", "hard", "soft", "half_sibling"]
LISTS = ["gender", "weat6", "science"]

ONE_NUMBER = {
    "WEAT": [
        [0.8105493395, 0.2233917832, 0.2212206758, 0.3502555362],
        [1.7322836570, 0.6573420586, 0.7988881380, 0.3719935667],
        [0.3668400478, 0.2075103448, 0.2098973881, 0.1268754676],
    ],
    "WEAT, effect size": [
        [1.6359477873, 1.1675722390, 1.1063334228, 1.6774146802],
        [1.7741024205, 1.0699524039, 1.1866172221, 0.7547776398],
        [1.3803138237, 1.1077562735, 1.1644934091, 1.3277205057],
    ],
    "RNSB, no hold-out": [
        [0.1333717061, 0.0016088059, 0.0015822125, 0.0495507821],
        [0.0851460016, 0.0045746311, 0.0055090812, 0.0129259362],
        [0.0973666837, 0.0007468432, 0.0009099241, 0.0044691009],
    ],
    "MAC": [
        [0.6782088610, 0.6732151039, 0.6615616631, 0.9545784886],
        [0.7241659715, 0.7197185639, 0.7071037097, 0.9639159882],
        [0.7705936634, 0.7725765248, 0.7570686934, 0.9732967987],
    ],
}
"""By query and embedding: ``WEAT``, the same with ``return_effect_size=True``, ``RNSB`` with
``holdout=False``, ``MAC``."""

TWO_NUMBERS = {
    "RND": [
        [-0.2174496651, -0.0053769300, -0.0114207268, 0.0968056520],
        [0.3952908516, 0.0273368588, 0.0208782324, 0.2578845391],
        [-0.5259867907, -0.0407761410, -0.0539898500, 0.0196829438],
        [0.5974954963, 0.0380865112, 0.0426260680, 0.2179011106],
        [0.7401284377, 0.1434905231, 0.1473600368, 0.2104010582],
        [1.0686691602, 0.1781485875, 0.1807661255, 0.2779672146],
    ],
    "RIPA": [
        [0.5032826662, -0.0166473966, 0.0057841255, 0.1509820074],
        [-0.4481606781, -0.0645010173, -0.0602577999, -0.1032834873],
        [1.0260810852, 0.0416612402, 0.0672378466, 0.2866947055],
        [-0.1197971180, -0.0399302952, -0.0320121571, 0.1312791854],
        [-0.6473178864, -0.1278177202, -0.1298428774, 0.0252982900],
        [-0.9590732455, -0.1561585665, -0.1590238661, -0.0724020675],
    ],
    "ECT": [
        [0.6993006993, 0.9860139860, 0.9720279720, 0.3496503497],
        [0.6483516484, 0.9395604396, 0.9340659341, 0.7087912088],
        [0.8571428571, 0.9761904762, 1.0000000000, 0.5952380952],
        [0.4047619048, 0.7619047619, 0.7619047619, 0.3333333333],
        [0.5428571429, 0.4285714286, 0.4857142857, 0.4285714286],
        [1.0000000000, 1.0000000000, 1.0000000000, 0.7142857143],
    ],
}
"""The same of every query with A, and then with B."""

RANKS = {
    "WEAT": [1, 3, 2, 4],
    "WEAT, effect size": [1, 4, 3, 2],
    "RNSB, no hold-out": [1, 4, 3, 2],
    "RND": [1, 4, 3, 2],
    "RIPA": [1, 4, 3, 2],
    "MAC": [3, 2, 1, 4],
    "ECT": [2, 3, 4, 1],
}
"""``create_ranking`` of averages of sizes, with ``ascending=False`` but for MAC and ECT, whose
lowest number is the most biased."""

FLOAT32 = 2e-6
"""WEFE computes in float32: sums of 24 products of length about 10 are off by 1e-6 of it."""

LIBLINEAR = 2e-3
"""Relative error of RNSB at LIBLINEAR's tolerance of 1e-4, as WEFE takes it."""


WEFE = {
    "WEAT": bb.scores.SCORES["weat_statistic"],
    "WEAT, effect size": ListScore(
        lambda rows: weat(None, *rows.protected, *rows.stereotypes, ddof=0).effect_size, "pair"
    ),
    "RNSB, no hold-out": bb.scores.SCORES["rnsb"],
    "RND": ListScore(lambda rows: rnd(None, *rows.protected, rows.stereotypes[0]).score, "ordered"),
    "RIPA": ListScore(
        lambda rows: ripa(None, rows.stereotypes[0], rows.defining_sets, relation="mean").score,
        "ordered",
    ),
    "MAC": bb.scores.SCORES["mac"],
    "ECT": ListScore(
        lambda rows: ect(None, *rows.protected, rows.stereotypes[0]).score,
        "ordered",
        no_bias=1.0,
        direction="lower",
    ),
}
"""WEFE's scores of one attribute set and its own choices; "ordered" takes X and Y with A, then Y
and X with B, as ``generate_subqueries=True`` does."""


@cache
def scored() -> dict[str, Any]:
    """Run the Python of the page's section on WEFE, and WEFE's own scores."""
    found: dict[str, Any] = {}
    code = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)[0]
    exec(compile(code, "coming-from.md", "exec"), found)
    assert list(found["embeddings"]) == EMBEDDINGS
    found["as_wefe"] = as_wefe(found, WEFE)
    return found


def as_wefe(found: dict[str, Any], scores: dict[str, ListScore], *, unit: bool = False) -> Any:
    """Scores of every list in every embedding: mean values, and the mean sizes that rank."""
    rows = []
    for (name, vectors), words in product(found["embeddings"].items(), found["lists"]):
        held = bb.load_vectors(vectors, words, "fallback")
        if unit:
            held.vectors = unit_rows(held.vectors)
        table = bb.score_table(held, words, scores=scores, n_resamples=2)
        rows.append(table.assign(embedding=name, wordlist=words.name))
    table = pd.concat(rows)
    table["bias"] = (table["value"] - table["no_bias"]).abs()
    return table.groupby(["score", "wordlist", "embedding"])[["value", "bias"]].mean()


def column(score: str, wordlist: str, name: str) -> np.ndarray:
    of_score = scored()["as_wefe"][name][score].unstack()[EMBEDDINGS]
    return (of_score.mean() if wordlist == "average" else of_score.loc[wordlist]).to_numpy()


@pytest.mark.parametrize("score", ONE_NUMBER)
def test_values_of_wefe(score: str) -> None:
    close = {"rel": LIBLINEAR} if score.startswith("RNSB") else {"abs": FLOAT32}
    theirs = np.array(ONE_NUMBER[score])
    for wordlist, row in zip(LISTS, theirs, strict=True):
        assert column(score, wordlist, "value") == pytest.approx(row, **close)
    name = "value" if score == "MAC" else "bias"
    assert column(score, "average", name) == pytest.approx(abs(theirs).mean(axis=0), **close)


@pytest.mark.parametrize("score", TWO_NUMBERS)
def test_values_of_wefe_with_one_attribute_set(score: str) -> None:
    """Two subqueries of each: with A and, here of Y and X, with B."""
    theirs = np.array(TWO_NUMBERS[score]).reshape(3, 2, 4)
    other = 1 if score == "ECT" else -1  # exchanging X and Y turns the sign of the others
    for wordlist, (with_a, with_b) in zip(LISTS, theirs, strict=True):
        expected = (with_a + other * with_b) / 2
        assert column(score, wordlist, "value") == pytest.approx(expected, abs=FLOAT32)
    name = "value" if score == "ECT" else "bias"
    assert column(score, "average", name) == pytest.approx(
        abs(theirs).mean(axis=(0, 1)), abs=FLOAT32
    )


@pytest.mark.parametrize("score", RANKS)
def test_ranks_of_wefe(score: str) -> None:
    order = (-column(score, "average", "bias")).argsort().argsort()
    assert (1 + order).tolist() == RANKS[score]


def test_lengths_of_vectors_turn_the_ranks_of_rnd() -> None:
    """WEFE with ``normalize=True``, averages of sizes."""
    sizes = as_wefe(scored(), {"RND": WEFE["RND"]}, unit=True)["bias"]
    theirs = [0.1070611911, 0.0722025886, 0.0761735138, 0.0408186075]
    average = sizes["RND"].unstack()[EMBEDDINGS].mean()
    assert average.to_numpy() == pytest.approx(theirs, abs=FLOAT32)
