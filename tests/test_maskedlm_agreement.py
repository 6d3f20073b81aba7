"""Correlation and mutual information of measures over language models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import refused
from scipy.special import digamma

from bayesbias.maskedlm import measure_agreement, measure_table
from bayesbias.maskedlm.score_sets import _mutual_information


def bivariate(rho: float, n: int, seed: int = 0) -> pd.DataFrame:
    rows = np.random.default_rng(seed).multivariate_normal([0, 0], [[1, rho], [rho, 1]], n)
    return pd.DataFrame(rows, columns=["cps", "aul"])


@pytest.mark.parametrize("rho", [0.0, -0.5, 0.9])
def test_information_of_normals_is_that_of_the_formula(rho: float) -> None:
    found = measure_agreement(np.exp(bivariate(rho, 1000))).iloc[0]  # ranks stay
    # The sd of the estimate from 1,000 rows is .02 to .04.
    expected = -np.log(1 - rho**2) / 2
    assert found["mutual_information"] == pytest.approx(expected, abs=0.1)
    # Of ranks: 6/pi asin(rho/2), with an sd of at most .03.
    assert found["spearman"] == pytest.approx(6 / np.pi * np.arcsin(rho / 2), abs=0.1)


def test_neighbours_are_counted_as_by_hand() -> None:
    """Of 0, 1, 3, 7 on both axes the first neighbours lie at 1, 1, 2, 4; nearer there is nobody."""
    both = np.array([[0.0, 1, 3, 7], [0, 1, 3, 7]])
    nearer = [
        sum(abs(x - y) < r for y in both[0]) - 1 for x, r in zip(both[0], (1, 1, 2, 4), strict=True)
    ]
    expected = digamma(1) + digamma(4) - 2 * np.mean([digamma(1 + n) for n in nearer])
    assert _mutual_information(both, k=1) == pytest.approx(expected)


def test_a_measure_that_loses_the_direction_informs_and_does_not_correlate() -> None:
    leaning = np.linspace(-10, 10, 41)
    values = pd.DataFrame({"percentage": 50 + leaning, "size": abs(leaning), "kls": [50.0] * 41})
    frame = measure_agreement(values).set_index(["first", "second"])
    found = frame.loc["percentage", "size"]
    assert found["pearson"] == pytest.approx(0, abs=1e-12)
    assert found["mutual_information"] > 0.8
    # KLS is 50 for all: nothing can be said.
    assert frame.xs("kls", level="second")[["pearson", "mutual_information"]].isna().all(axis=None)


def test_rows_of_a_measure_table_are_taken() -> None:
    rng = np.random.default_rng(1)
    rows = [
        (model, measure, str(at), bias_type, *(lean + rng.normal(size=2)), 0.0)
        for lean, model in zip((0.0, 1.0, 2.0), "abc", strict=True)
        for measure in ("aul", "cps")
        for bias_type in ("age", "race", "religion")
        for at in range(6)
    ]
    names = ["model", "measure", "pair_id", "bias_type", "stereotypical", "anti_stereotypical"]
    table = measure_table(pd.DataFrame(rows, columns=[*names, "difference"]))
    apart = table[table["bias_type"] != "all"]
    wide = apart.pivot(index=["model", "bias_type"], columns="measure", values="percentage")
    found = measure_agreement(wide)
    assert found[["first", "second", "n"]].to_numpy().tolist() == [["aul", "cps", 9]]
    assert found["pearson"][0] == pytest.approx(np.corrcoef(wide.to_numpy().T)[0, 1])
    few = measure_agreement(wide.iloc[:5]).iloc[0]
    assert np.isnan(few["mutual_information"])
    assert not np.isnan(few["spearman"])


def test_what_cannot_be_compared_is_refused() -> None:
    frame = bivariate(0, 9)
    refused("got 1 columns", measure_agreement, frame[["cps"]])
    refused("'aul' must hold finite", measure_agreement, frame.assign(aul=np.inf))
    refused("'aul' must hold finite", measure_agreement, frame.assign(aul="x"))
    gaps = frame.assign(cps=frame["cps"].where(frame.index >= 7))
    assert measure_agreement(gaps)["n"].tolist() == [2]
    assert measure_agreement(gaps)["pearson"].isna().all()
