"""Ridges of distances."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import distances
from plot_looks import assert_readable, band_of, line, row_names

import bayesbias as bb
from bayesbias import plots
from bayesbias.tables.descriptives import mac_band


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return distances()


def test_distributions_shade_the_band_and_print_the_shares(table: pd.DataFrame) -> None:
    bands = mac_band(table)
    ax = plots.distributions(table)
    assert band_of(ax) == pytest.approx((bands["band_low"][0], bands["band_high"][0]))
    printed = [text.get_text() for text in ax.texts if text.get_text().endswith("%")]
    assert printed == [f"{share:.0%}" for share in bands["share"]]
    assert row_names(ax) == list(bb.CONNECTIONS)
    assert_readable(ax)


def test_ridges_of_equal_area_do_not_reach_their_neighbours(table: pd.DataFrame) -> None:
    ax = plots.distributions(table)
    areas = []
    for row, name in enumerate(bb.CONNECTIONS):
        x, y = line(ax, name).get_data()
        assert row - 0.75 < y.min() < row
        areas.append(np.trapezoid(row - y, x))
    assert areas == pytest.approx([areas[0]] * 4, rel=0.02)  # tails beyond two bandwidths


def test_distributions_of_few_rows_have_a_rug_only() -> None:
    ax = plots.distributions(distances({"she": "woman"}, ("associated", "human"), 2))
    assert row_names(ax) == ["associated", "human"]
    assert not [each for each in ax.get_lines() if each.get_label() in bb.CONNECTIONS]
    assert_readable(ax)
