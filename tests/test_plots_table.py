"""Plots of a table: ridges of its distances, and the attributes around a word."""

from __future__ import annotations

import numpy as np
import pytest
from builders import WORDS, distances
from plot_looks import assert_readable, band_of, line, note, row_names

import bayesbias as bb
from bayesbias import plots
from bayesbias.tables.descriptives import mac_band

TABLE = distances()


def test_distributions_shade_the_band_and_print_the_shares() -> None:
    bands = mac_band(TABLE)
    ax = plots.distributions(TABLE)
    assert band_of(ax) == pytest.approx((bands["band_low"][0], bands["band_high"][0]))
    printed = [text.get_text() for text in ax.texts if text.get_text().endswith("%")]
    assert printed == [f"{share:.0%}" for share in bands["share"]]
    assert row_names(ax) == list(bb.CONNECTIONS)
    assert_readable(ax)


def test_ridges_of_equal_area_do_not_reach_their_neighbours() -> None:
    ax = plots.distributions(TABLE)
    areas = []
    for row, name in enumerate(bb.CONNECTIONS):
        x, y = line(ax, name).get_data()
        assert row - 0.75 < y.min() < row
        areas.append(np.trapezoid(row - y, x))
    assert areas == pytest.approx(
        [areas[0]] * len(bb.CONNECTIONS), rel=0.02
    )  # tails beyond two bandwidths


def test_distributions_of_few_rows_have_a_rug_only() -> None:
    ax = plots.distributions(distances({"she": "woman"}, ("associated", "human"), 2))
    assert row_names(ax) == ["associated", "human"]
    assert not [each for each in ax.get_lines() if each.get_label() in bb.CONNECTIONS]
    assert_readable(ax)


def test_neighbourhood_draws_every_attribute_once_at_its_distance() -> None:
    ax = plots.neighbourhood(TABLE, "she", most=20)
    rows = TABLE[TABLE["protected_word"] == "she"].set_index("attribute")["cosine_distance"]
    assert len(row_names(ax)) == 20
    places = dict(zip(row_names(ax), ax.get_yticks(), strict=True))
    for name in bb.CONNECTIONS:
        drawn = line(ax, name)
        at = {y: x for x, y in zip(drawn.get_xdata(), drawn.get_ydata(), strict=True)}
        for attribute in [word for word in places if word.startswith(name)]:
            assert at[places[attribute]] == pytest.approx(rows[attribute])
    assert "All 12 stereotype attributes and the nearest 8 of 18 control attributes" in note(ax)
    assert ax.get_title() == "The attributes around “she”"
    assert_readable(ax)


def test_neighbourhood_without_controls_and_with_very_many() -> None:
    few = distances(WORDS, ("associated", "different"), 2)
    assert note(plots.neighbourhood(few, "he")).startswith("All 4 stereotype attributes, nearest")
    many = plots.neighbourhood(distances(WORDS, ("associated", "different"), 200), "he")
    assert len(row_names(many)) == 150
    assert "Only the nearest 150 of these fit" in note(many)
    assert_readable(many)


def test_neighbourhood_of_an_unknown_word() -> None:
    with pytest.raises(ValueError, match="unknown protected word 'hers'; did you mean 'her'"):
        plots.neighbourhood(TABLE, "hers")
