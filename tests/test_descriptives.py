from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.tables.descriptives import (
    contrast_of,
    densities,
    mac_band,
    neighbourhood,
)

Published = Callable[[str], pd.DataFrame]

TOY = [
    ("she", "woman", "kind", "woman_stereotype", "associated", 0.6),
    ("she", "woman", "warm", "woman_stereotype", "associated", 0.8),
    ("she", "woman", "bold", "man_stereotype", "different", 0.9),
    ("she", "woman", "table", "neutral", "neutral", 1.0),
    ("she", "woman", "chair", "neutral", "neutral", 1.3),
    ("she", "woman", "walk", "human", "human", 0.75),
    ("he", "man", "bold", "man_stereotype", "associated", 0.5),
    ("he", "man", "kind", "woman_stereotype", "different", 1.0),
    ("he", "man", "table", "neutral", "neutral", 0.95),
]


@pytest.fixture
def toy() -> pd.DataFrame:
    return bb.validate_table(pd.DataFrame(TOY, columns=list(bb.COLUMNS)))


def test_mac_band_by_hand(toy: pd.DataFrame) -> None:
    band = mac_band(toy).set_index("connection")
    # she: woman's set (.6 + .8)/2 = .7, man's set .9; he: .5 and 1.0; their mean is .775
    assert band["mac"].tolist() == pytest.approx([0.775] * 4)
    assert band["band_low"].iloc[0] == pytest.approx(0.775)
    assert band["band_high"].iloc[0] == pytest.approx(1.225)
    assert band.index.tolist() == ["associated", "different", "neutral", "human"]
    assert band["n_rows"].tolist() == [3, 2, 3, 1]
    assert band["n_inside"].tolist() == [1, 2, 2, 0]
    assert band["share"].tolist() == pytest.approx([1 / 3, 1, 2 / 3, 0])


@pytest.mark.parametrize(
    ("name", "mac", "percent"),
    [
        ("gender_group_google_dataset", 0.8128, []),
        ("religion_group_google_dataset", 0.8831, []),
        ("religion_group_reddit_dataset", 0.8614, [36, 44, 56, 53]),
        ("debiased_religion_reddit", 0.9334, [64, 64, 59, 59]),
    ],
)
def test_mac_and_shares_of_published_tables(
    published: Published, name: str, mac: float, percent: list[int]
) -> None:
    table = published(name)
    # Dobrzeniecka and Urbaniak: figures given to four places
    assert mac_band(table)["mac"].iloc[0] == pytest.approx(mac, abs=5e-5)
    if percent:  # of associated, different, neutral, human; they round 1 - MAC to .14
        shares = mac_band(table, half_width=0.14)["share"]
        assert [round(100 * share) for share in shares] == percent


def test_densities_match_a_sum_of_normals_by_hand(toy: pd.DataFrame) -> None:
    curve = densities(toy)
    curve = curve[curve["connection"] == "neutral"]
    points = np.array([1.0, 1.3, 0.95])
    width = points.std(ddof=1) * 3 ** (-1 / 5)  # Scott's rule
    at = curve["cosine_distance"].to_numpy()[:, None]
    normals = np.exp(-0.5 * ((at - points) / width) ** 2) / (width * np.sqrt(2 * np.pi))
    np.testing.assert_allclose(curve["density"], normals.mean(axis=1), rtol=1e-9)
    assert set(densities(toy)["connection"]) == {"associated", "neutral"}
    same = densities(toy.assign(cosine_distance=1.0))
    assert same.columns.tolist() == ["connection", "cosine_distance", "density"]
    assert same.empty


def test_neighbourhood_keeps_the_nearest_and_the_words_own(toy: pd.DataFrame) -> None:
    near = neighbourhood(toy, "she", most=5)
    assert near["attribute"].tolist() == ["kind", "walk", "warm", "bold", "table"]
    assert near["n_available"].tolist() == [6] * 5
    assert neighbourhood(toy, "she", most=1)["attribute"].tolist() == ["kind", "warm"]
    again = toy.iloc[[0]].assign(cosine_distance=0.7)
    near = neighbourhood(pd.concat([toy, again]), "she").set_index("attribute")
    assert near.loc["kind", "cosine_distance"] == pytest.approx(0.65)
    assert near.index.is_unique


@pytest.fixture
def differences() -> pd.DataFrame:
    row = {"first": "associated", "second": "human", "mean": -0.1, "low": -0.3, "high": 0.2}
    return pd.DataFrame([row | {"p_direction": 0.9}])


def test_contrast_of_turns_a_pair_around(differences: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(contrast_of(differences, "associated", "human"), differences)
    turned = contrast_of(differences, "human", "associated").iloc[0]
    assert (turned["first"], turned["second"]) == ("human", "associated")
    assert (turned["mean"], turned["low"], turned["high"]) == (0.1, -0.2, 0.3)
    assert turned["p_direction"] == 0.9


REFUSED: list[tuple[Callable[[pd.DataFrame, pd.DataFrame], object], str]] = [
    (lambda t, _: mac_band(t[t["connection"] == "human"]), "no associated or different rows"),
    (lambda t, _: mac_band(t, half_width=14), r"half_width .* \[0, 1\], got 14"),
    (lambda t, _: neighbourhood(t, "shee"), "unknown protected word 'shee'; did you mean 'she'"),
    (lambda _, d: contrast_of(d, "neutral", "human"), "the frame has: associated - human"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_is_refused(
    toy: pd.DataFrame,
    differences: pd.DataFrame,
    call: Callable[[pd.DataFrame, pd.DataFrame], object],
    message: str,
) -> None:
    with pytest.raises(ValueError, match=message):
        call(toy, differences)
