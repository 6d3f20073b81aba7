"""The attributes around a word."""

from __future__ import annotations

import pandas as pd
import pytest
from builders import WORDS, distances
from plot_looks import assert_readable, line, note, row_names

import bayesbias as bb
from bayesbias import plots


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return distances()


def test_neighbourhood_draws_every_attribute_once_at_its_distance(table: pd.DataFrame) -> None:
    ax = plots.neighbourhood(table, "she", most=20)
    rows = table[table["protected_word"] == "she"].set_index("attribute")["cosine_distance"]
    assert len(row_names(ax)) == 20
    places = dict(zip(row_names(ax), ax.get_yticks(), strict=True))
    for name in bb.CONNECTIONS:
        drawn = line(ax, name)
        at = {y: x for x, y in zip(drawn.get_xdata(), drawn.get_ydata(), strict=True)}
        for attribute in [word for word in places if word.startswith(name)]:
            assert at[places[attribute]] == pytest.approx(rows[attribute])
    assert "All 12 stereotype attributes and the nearest 8 of 12 control attributes" in note(ax)
    assert ax.get_title() == "The attributes around “she”"
    assert_readable(ax)


def test_neighbourhood_without_controls_and_with_very_many() -> None:
    few = distances(WORDS, ("associated", "different"), 2)
    assert note(plots.neighbourhood(few, "he")).startswith("All 4 stereotype attributes, nearest")
    many = plots.neighbourhood(distances(WORDS, ("associated", "different"), 200), "he")
    assert len(row_names(many)) == 150
    assert "Only the nearest 150 of these fit" in note(many)
    assert_readable(many)


def test_neighbourhood_of_an_unknown_word(table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="unknown protected word 'hers'; did you mean 'her'"):
        plots.neighbourhood(table, "hers")
