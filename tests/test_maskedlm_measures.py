"""Percentage score, KLS, JSS: closed forms, an independent integral, published numbers."""

import numpy as np
import pandas as pd
import pytest
from builders import refused
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from bayesbias import maskedlm
from bayesbias.maskedlm import Normals


def kls(stereo: np.ndarray, anti: np.ndarray) -> float:
    return Normals.fit(stereo, anti).kls()


def jss(stereo: np.ndarray, anti: np.ndarray, variant: str = "printed") -> float:
    return Normals.fit(stereo, anti).jss(variant)


def like(mean: float, sd: float, n: int = 40) -> np.ndarray:
    """Numbers of exactly this mean and sd (n - 1)."""
    z = norm.ppf((np.arange(n) + 0.5) / n)
    return mean + sd * (z - z.mean()) / z.std(ddof=1)


def true_js(fitted: Normals) -> float:
    """Jensen-Shannon divergence in bits by scipy's adaptive quadrature of the definition."""
    one, other = (norm(*part) for part in zip(fitted.means, fitted.sds, strict=True))
    low = min(one.mean() - 30 * one.std(), other.mean() - 30 * other.std())
    high = max(one.mean() + 30 * one.std(), other.mean() + 30 * other.std())

    def integrand(x: float) -> float:
        p, q = one.pdf(x), other.pdf(x)
        m = (p + q) / 2
        return sum(0.5 * each * np.log2(each / m) for each in (p, q) if each > 0)

    places = sorted({*fitted.means, sum(fitted.means) / 2})
    return float(quad(integrand, low, high, points=places, limit=500, epsabs=1e-12)[0])


@pytest.mark.parametrize(
    ("means", "sds"),
    [
        ((0, 4), (1, 1)),
        ((0, 0), (1, 3)),
        ((-3, 5), (2, 0.5)),
        ((0, 0.1), (1, 1)),
        ((0, 1), (20, 1)),
    ],
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


def test_js_is_at_most_one_bit() -> None:
    far = Normals((0.0, 1e6), (1.0, 1.0))
    assert (far.js_divergence(), far.jss()) == pytest.approx((1.0, 0.0), abs=1e-9)


@given(apart=st.floats(1e-3, 1e3), sd=st.floats(1e-2, 1e2))
def test_kls_is_fifty_at_equal_sds_however_far_apart(apart: float, sd: float) -> None:
    assert Normals((0.0, apart), (sd, sd)).kls() == pytest.approx(50.0, abs=1e-9)


def test_kls_by_hand_and_its_known_trouble() -> None:
    # KL(N(0,1) | N(0,2)) = ln 2 + 1/8 - 1/2, the other way -ln 2 + 2 - 1/2.
    one, other = np.log(2) - 0.375, 1.5 - np.log(2)
    assert kls(like(0, 1), like(0, 2)) == pytest.approx(100 * other / (one + other))
    # All stereotypical scores may be lower or higher; KLS does not see it.
    anti = like(0, 1)
    shifts = [like(shift, 1.05) for shift in (-9, 9)]
    assert kls(shifts[0], anti) == pytest.approx(kls(shifts[1], anti))
    refused("KLS is not defined where both Normals are the same", kls, anti, anti)


def test_jss_loses_the_direction_and_keeps_the_unit() -> None:
    stereo, anti = like(-10, 3), like(-12, 2)
    assert jss(stereo, anti) == pytest.approx(jss(anti, stereo))
    assert jss(10 * stereo, 10 * anti) < 0.3 * jss(stereo, anti)
    assert jss(anti, anti) == pytest.approx(100)
    assert jss(anti, anti, variant="published") == pytest.approx(100)
    refused("unknown variant of JSS 'publshed'; did you", jss, stereo, anti, "publshed")


@pytest.mark.parametrize(
    ("stereo", "anti", "match"),
    [
        ([1.0, 2.0], [1.0], "of one length"),
        ([[1.0]], [[1.0]], "one-dimensional"),
        ([], [], "a score for each pair; got shapes"),
        ([1.0, np.nan], [1.0, 2.0], "stereo must be finite; got nan in place 1"),
        ([1.0, 2.0], [1.0, np.inf], "anti must be finite; got inf in place 1"),
        ([1.0], [2.0], "an sd needs 2 pairs or more; got 1"),
        ([1.0, 1.0], [2.0, 3.0], "all stereotypical scores are equal"),
    ],
)
def test_scores_that_cannot_be_measured(stereo: list, anti: list, match: str) -> None:
    refused(match, kls, stereo, anti)


def made_pairs(seed: int = 3, sizes: tuple[int, ...] = (12, 30)) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n = sum(sizes)
    frame = pd.DataFrame(
        {
            "model": "toy",
            "measure": "pll",
            "pair_id": [str(i) for i in range(n)],
            "bias_type": np.repeat([f"type {i}" for i in range(len(sizes))], sizes),
            "stereotypical": rng.normal(-30, 6, n),
            "anti_stereotypical": rng.normal(-31, 5, n),
        }
    )
    return frame.assign(difference=frame["stereotypical"] - frame["anti_stereotypical"])


def test_types_are_weighted_by_their_pairs() -> None:
    paired = made_pairs()
    paired.loc[3, "anti_stereotypical"] = paired.loc[3, "stereotypical"]
    paired["difference"] = paired["stereotypical"] - paired["anti_stereotypical"]
    table = maskedlm.measure_table(paired).set_index("bias_type")
    assert list(table.index) == ["type 0", "type 1", "all"]
    for name in ("percentage", "kls", "jss", "jss_published"):
        by_hand = (12 * table[name].iloc[0] + 30 * table[name].iloc[1]) / 42
        assert table.loc["all", name] == pytest.approx(by_hand)
    assert table.loc["all", "n_ties"] == 1
    assert table.loc["all", "percentage"] == pytest.approx(
        100 * ((paired["difference"] > 0).mean() + 0.5 / 42)
    )
    some = paired[paired["bias_type"] == "type 0"]
    expected = jss(some["stereotypical"], some["anti_stereotypical"])
    assert table.loc["type 0", "jss"] == pytest.approx(expected)


def test_a_type_with_one_pair_stops_no_other() -> None:
    """What a pair alone has no value of is NaN, and the means are of the other types."""
    paired = made_pairs(sizes=(5, 1))
    table = maskedlm.measure_table(paired).set_index("bias_type")
    assert table.loc["type 1", ["kls", "jss", "jss_published"]].isna().all()
    assert table.loc["type 1", "percentage"] in (0, 100)
    assert table.loc["all", "jss"] == table.loc["type 0", "jss"]
    refused("lacks the column", maskedlm.measure_table, paired.drop(columns="stereotypical"))
    refused("no paired scores", maskedlm.measure_table, paired.iloc[:0])
