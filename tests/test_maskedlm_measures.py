"""Percentage score, KLS, JSS, ICAT: closed forms, independent integrals, published code."""

from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from builders import refused
from scipy.integrate import quad
from scipy.stats import norm

from bayesbias.maskedlm import Normals, icat, measure_table


def true_js(fitted: Normals) -> float:
    """Jensen-Shannon divergence in bits by scipy's adaptive quadrature of the definition."""
    one, other = (norm(*part) for part in zip(fitted.means, fitted.sds, strict=True))
    low = min(one.mean() - 30 * one.std(), other.mean() - 30 * other.std())
    high = max(one.mean() + 30 * one.std(), other.mean() + 30 * other.std())

    def integrand(x: float) -> float:
        p, q = one.pdf(x), other.pdf(x)
        m = (p + q) / 2
        return sum(0.5 * side * np.log2(side / m) for side in (p, q) if side > 0)

    places = sorted({*fitted.means, sum(fitted.means) / 2})
    return float(quad(integrand, low, high, points=places, limit=500, epsabs=1e-12)[0])


@pytest.mark.parametrize(
    ("means", "sds"), [((-3, 5), (2, 0.5)), ((0, 0.1), (1, 1)), ((0, 1), (20, 1)), ((0, 0), (1, 3))]
)
def test_js_is_the_integral_of_its_definition(means, sds) -> None:
    fitted = Normals(means, sds)
    # Both quadratures ask for 1e-10 or better.
    assert fitted.js_divergence() == pytest.approx(true_js(fitted), abs=1e-9)


def test_worked_numbers_of_the_published_code() -> None:
    """N(0,1), N(4,1): (2²/2 + 2²/2)/2 = 2 where .633 nat is true; folded back it is one half."""
    far = Normals((0.0, 4.0), (1.0, 1.0))
    assert far.js_divergence() * np.log(2) == pytest.approx(0.633, abs=5e-4)  # as printed
    assert far.jss("published") == pytest.approx(50.0)  # 100 (1 - 1/2) / (1 + 0)
    # The sds differ by 2, which the code folds to 1/2 as well.
    wide = Normals((0.0, 0.0), (1.0, 3.0))
    js = (0.5 * np.log(5) + 0.1 - 0.5 + 0.5 * np.log(5 / 9) + 0.9 - 0.5) / 2  # Normal of variance 5
    assert wide.jss("published") == pytest.approx(100 * (1 - js) / 1.5)
    assert wide.jss() == pytest.approx(100 * (1 - true_js(wide)) / 3, abs=1e-6)


def test_kls_by_hand_and_jss_of_equal_scores() -> None:
    assert Normals((0.0, 9.0), (2.0, 2.0)).kls() == pytest.approx(50.0)  # however far apart
    # KL(N(0,1) | N(0,2)) = ln 2 + 1/8 - 1/2, the other way -ln 2 + 2 - 1/2.
    one, other = np.log(2) - 0.375, 1.5 - np.log(2)
    assert Normals((0, 0), (1, 2)).kls() == pytest.approx(100 * other / (one + other))
    same = Normals.fit([1.0, 2.0, 4.0], [1.0, 2.0, 4.0])
    assert (same.jss(), same.jss("published")) == pytest.approx((100, 100))
    assert same.sds[0] == pytest.approx(np.sqrt(7 / 3))  # with n - 1
    refused("KLS is not defined where both Normals are the same", same.kls)
    refused("unknown variant of JSS 'publshed'; did you", same.jss, "publshed")
    for stereo, anti, match in (
        ([1.0, 2.0], [1.0], "same shape"),
        ([1.0, 2.0], [1.0, np.inf], "finite scores of the same pairs, 2 or more"),
        ([1.0, 1.0], [2.0, 3.0], "all stereotypical scores are equal"),
    ):
        refused(match, Normals.fit, stereo, anti)


def test_types_are_weighted_by_their_pairs_and_a_type_of_one_pair_stops_no_other() -> None:
    rng, n = np.random.default_rng(3), 43
    paired = pd.DataFrame({"model": "toy", "measure": "pll", "pair_id": np.arange(n).astype(str)})
    paired["bias_type"] = np.repeat(["a", "b", "one"], [12, 30, 1])
    paired["stereotypical"], paired["anti_stereotypical"] = rng.normal(-30, 6, (2, n))
    paired.loc[3, "anti_stereotypical"] = paired.loc[3, "stereotypical"]
    table = measure_table(paired).set_index("bias_type")
    assert list(table.index) == ["a", "b", "one", "all"]
    assert table["n_ties"].tolist() == [1, 0, 0, 1]
    for name in ("kls", "jss", "jss_published"):
        assert np.isnan(table.loc["one", name])
        by_hand = (12 * table[name].iloc[0] + 30 * table[name].iloc[1]) / 42
        assert table.loc["all", name] == pytest.approx(by_hand)
    won = (paired["stereotypical"] > paired["anti_stereotypical"]).mean() + 0.5 / n
    assert table.loc["all", "percentage"] == pytest.approx(100 * won)
    refused("lacks the column", measure_table, paired.drop(columns="stereotypical"))
    refused("no paired scores", measure_table, paired.iloc[:0])


def published_icat(scores: pd.DataFrame) -> tuple[float, float, float]:
    """`ScoreEvaluator` of moinnadeem/StereoSet's evaluation.py, in plain loops."""
    counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for row in scores.to_dict("records"):
        stereo, anti, other = row["stereotypical"], row["anti_stereotypical"], row["unrelated"]
        of_target = counts[row["cluster"]]
        of_target["pro"] += stereo > anti
        of_target["related"] += (stereo > other) + (anti > other)
        of_target["total"] += 1
    ss = np.mean([100 * target["pro"] / target["total"] for target in counts.values()])
    lms = np.mean([50 * target["related"] / target["total"] for target in counts.values()])
    return float(ss), float(lms), float(lms * min(ss, 100 - ss) / 50)


def test_icat_is_that_of_the_published_code() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 4, (60, 3))  # ties too
    frame = pd.DataFrame(rows, columns=["stereotypical", "anti_stereotypical", "unrelated"])
    frame = frame.assign(model="toy", bias_type=np.repeat(["race", "gender"], 30))
    frame["cluster"] = frame["bias_type"] + rng.integers(0, 4, 60).astype(str)
    found = icat(frame).set_index("bias_type")
    assert list(found.index) == ["all", "race", "gender"]
    for name, some in (("all", frame), *frame.groupby("bias_type")):
        ours = found.loc[name, ["ss", "lms", "icat"]].to_numpy(dtype=float)
        np.testing.assert_allclose(ours, published_icat(some))
    best = frame.assign(unrelated=-1, stereotypical=[1, 3] * 30, anti_stereotypical=2, cluster="t")
    assert icat(best).loc[0, ["ss", "lms", "icat"]].tolist() == [50, 100, 100]
