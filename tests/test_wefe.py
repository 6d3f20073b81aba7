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

THEIRS = pd.read_csv(Path(__file__).with_name("wefe.csv"))
"""Numbers of WEFE: effect sizes with ``return_effect_size=True``, ``RNSB`` with ``holdout=False``;
scores of one attribute set with A, and then with B."""

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


@pytest.mark.parametrize("score", WEFE)
def test_values_of_wefe(score: str) -> None:
    """Values of every list, and averages of sizes, which rank; subqueries of Y and X with B."""
    close = {"rel": LIBLINEAR} if score.startswith("RNSB") else {"abs": FLOAT32}
    theirs = THEIRS[THEIRS["score"] == score]
    ours = scored()["as_wefe"].loc[score]
    for wordlist, rows in theirs.groupby("wordlist"):
        # Exchanging X and Y turns the sign of all but ECT.
        turned = np.where((rows["attributes"] == "B") & (score != "ECT"), -1, 1)
        expected = (rows[EMBEDDINGS].mul(turned, axis=0)).mean().to_numpy()
        assert ours["value"].loc[wordlist][EMBEDDINGS].to_numpy() == pytest.approx(
            expected, **close
        )
    size = ours["value" if score in {"MAC", "ECT"} else "bias"].unstack()[EMBEDDINGS].mean()
    assert size.to_numpy() == pytest.approx(theirs[EMBEDDINGS].abs().mean().to_numpy(), **close)


def test_lengths_of_vectors_turn_the_ranks_of_rnd() -> None:
    """WEFE with ``normalize=True``, averages of sizes."""
    sizes = as_wefe(scored(), {"RND": WEFE["RND"]}, unit=True)["bias"]
    theirs = [0.1070611911, 0.0722025886, 0.0761735138, 0.0408186075]
    average = sizes["RND"].unstack()[EMBEDDINGS].mean()
    assert average.to_numpy() == pytest.approx(theirs, abs=FLOAT32)
