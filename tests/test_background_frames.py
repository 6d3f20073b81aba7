"""Experiments, and the frames that read them."""

from typing import Any

import numpy as np
import pytest
from background_toys import NEAR, UP
from scipy import stats

from bayesbias import background as bg
from bayesbias.scores import permutation_test


def test_every_pair_of_groups_is_an_experiment() -> None:
    made = bg.experiments()
    assert list(made) == [f"weat{i}" for i in range(1, 11)]
    first = made["weat1"]
    assert first.labels == ("flowers", "insects", "pleasant", "unpleasant")
    assert (len(first.X), first.X[0], first.Z2[0]) == (25, "aster", "abuse")
    assert len(bg.experiments(["religion"])) == 3


@pytest.fixture(scope="module")
def three(planted: bg.Distribution) -> tuple[dict[str, Any], dict[str, Any]]:
    """Experiments on the planted background that must get three different readings."""
    order = np.argsort(planted.psi)
    high = tuple(f"w{i}" for i in order[-30:-1:2] if i > 1)
    low = tuple(f"w{i}" for i in order[1:30:2] if i > 1)
    level = tuple(f"w{i}" for i in np.argsort(np.abs(planted.psi - planted.mean))[:15])
    made = {
        name: bg.Experiment(name, X, Y, ("up",), ("down",))
        for name, X, Y in (("apart", high, low), ("one", (*high, "absent"), level))
    }
    return dict.fromkeys(made, planted), made


def test_standalone_sets(three: tuple[dict[str, Any], dict[str, Any]]) -> None:
    distributions, made = three
    frame = bg.standalone(distributions, made)
    assert frame["role"].tolist() == ["X", "Y"] * 2
    row = frame.iloc[2]
    each = distributions["one"]
    assert row["n_missing"] == 1
    assert row["psi"] == pytest.approx(each.psi_of(made["one"].X).mean())
    assert row["phi_reference"] == each.phi(made["one"].X)
    assert row["p_zero"] == each.phi(made["one"].X, "zero", "two")
    # Both Φ are of one ψ: their quantiles differ by the shift of the mean, whatever the set.
    z = stats.norm.ppf(frame[["phi_reference", "phi_zero"]])[:2]
    assert z[:, 0] - z[:, 1] == pytest.approx([-each.mean / each.sd] * 2, abs=1e-6)


def test_readings(three: tuple[dict[str, Any], dict[str, Any]]) -> None:
    distributions, made = three
    frame = bg.relative(distributions, made, n_resamples=2000, seed=1).set_index("experiment")
    apart, one = frame.loc["apart"], frame.loc["one"]
    beyond = "difference beyond that of random sets"
    assert apart["reading"] == f"X and Y outside on opposite sides, {beyond}"
    assert apart["x_share"] == pytest.approx(0.5, abs=0.05)
    assert one["reading"] == f"X alone outside, {beyond}"
    assert one["x_share"] > 0.99
    assert one["x_distance_share"] > 0.99
    assert (apart["x_side"], apart["y_side"]) == (1, -1)
    psi = [distributions["one"].psi_of(sets).to_numpy() for sets in (made["one"].X, made["one"].Y)]
    assert one["p_weat"] == permutation_test(*psi).p_value


def test_the_share_of_x_where_both_sets_lie_on_one_side(planted: bg.Distribution) -> None:
    """X lies 2.1 sd up and Y 1.5: without Y the difference would be 2.1/.6 of what it is."""
    made = {
        name: bg.Experiment(name, (x,), (y,), ("up",), ("down",))
        for name, x, y in (("one side", "w13", "w10"), ("other way", "w10", "w13"))
    }
    frame = bg.relative(dict.fromkeys(made, planted), made, n_resamples=100, seed=1)
    assert frame["x_share"].tolist() == pytest.approx([2.1 / 0.6, -1.5 / 0.6], abs=0.05)
    readings = [f"{x} alone outside, difference within that of random sets" for x in "XY"]
    assert frame["reading"].tolist() == readings
    assert frame["x_distance_share"].tolist() == pytest.approx([2.1 / 3.6, 1.5 / 3.6], abs=NEAR)
    same = {"same": bg.Experiment("same", ("w20",), ("w21",), ("up",), ("down",))}
    found = bg.relative({"same": planted}, same, n_resamples=100, seed=1)
    assert np.isnan(found.loc[0, "x_share"])


def test_densities_have_area_one(planted: bg.Distribution) -> None:
    frame = bg.densities({"planted": planted})
    step = frame["psi"].diff().median()
    for column in ("density", "normal"):
        assert frame[column].sum() * step == pytest.approx(1, abs=2e-3)  # 0.02% is off the grid
    # Binned and smoothed by 0.08 sd, of 200,000 draws: within 3% of the peak everywhere.
    assert (frame["density"] - frame["normal"]).abs().max() < 0.03 * frame["normal"].max()
    fit = bg.fits({"planted": planted}).loc[0]
    # Standard errors at 200,000 draws: skew .0055, share .0005.
    assert abs(fit["skew"]) < 0.03
    assert fit["outside_95"] == pytest.approx(0.05, abs=0.003)
    assert fit["ks"] < 0.005  # 1.95/sqrt(n), the .001 point of Kolmogorov's distribution, is .0044
    low, high = frame.attrs["ticks"]["planted"]
    assert (low, high) == pytest.approx((0.02 - 0.098, 0.02 + 0.098), abs=1e-3)


def test_words_with_their_places(planted: bg.Distribution) -> None:
    frame = bg.words(planted, {"high": UP, "zero": ["w20", "absent"]})
    assert frame["word"].tolist() == [*UP, "w20"]
    assert frame["z"].tolist() == pytest.approx([1.5, 2.5, 1.9, 2.1, -0.4], abs=0.03)
    assert frame["rank"].tolist() == pytest.approx(
        stats.norm.cdf([1.5, 2.5, 1.9, 2.1, -0.4]), abs=NEAR
    )
