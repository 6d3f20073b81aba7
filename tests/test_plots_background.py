"""Plots of backgrounds, on the data that they draw."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from plot_looks import band_of, line, note, row_names

from bayesbias import background as bg
from bayesbias import plots
from bayesbias.plots.ridges import RIDGE

SETS = {"first": ["w10", "w11", "$w12"], "second": ["w20", "w21"]}


@pytest.fixture(scope="module")
def made() -> dict[str, bg.Distribution]:
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(6)
    words = [f"w{i}" for i in range(2000)]
    words[12] = "$w12"
    vectors.add_vectors(words, np.random.default_rng(1).standard_normal((2000, 6)))
    pairs = {"one": (["w1"], ["w2"]), "two": (["w3", "w4"], ["w5"])}
    return bg.distributions(vectors, pairs)


@pytest.fixture(scope="module")
def curves(made: dict[str, bg.Distribution]) -> pd.DataFrame:
    return bg.densities(made)


def lines_at(ax: Axes) -> list[float]:
    """Where vertical segments drawn with `vlines` stand."""
    drawn = [each for each in ax.collections if hasattr(each, "get_segments")]
    return [float(path.vertices[0, 0]) for each in drawn for path in each.get_paths()]


def test_a_ridge_for_every_background_with_mean_and_ticks(
    made: dict[str, bg.Distribution], curves: pd.DataFrame
) -> None:
    ax = plots.background_densities(curves)
    assert row_names(ax) == ["one", "two"]
    places = lines_at(ax)
    for row, (name, each) in enumerate(made.items()):
        for expected in (each.mean, each.mean - 1.96 * each.sd, each.mean + 1.96 * each.sd):
            assert min(abs(place - expected) for place in places) < 1e-4
        assert line(ax, name).get_ydata().min() == pytest.approx(row - RIDGE)
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first experiment is on top


def test_every_word_has_its_row(made: dict[str, bg.Distribution], curves: pd.DataFrame) -> None:
    frame = bg.words(made["one"], SETS)
    ax = plots.background_words(curves, frame, "one")
    shown = row_names(ax)
    ordered = frame.sort_values(["set", "psi"], ascending=[True, False])
    assert shown == ordered["word"].tolist()
    for name, part in ordered.groupby("set"):
        assert line(ax, name).get_xdata() == pytest.approx(part["psi"].to_numpy())
        assert min(abs(place - part["psi"].mean()) for place in lines_at(ax)) < 1e-12
    assert band_of(ax) == pytest.approx(tuple(curves.attrs["ticks"]["one"]))


def test_relative_bias_over_random_pairs(made: dict[str, bg.Distribution]) -> None:
    found = made["one"].relative_bias(*SETS.values(), n_resamples=3000, seed=1)
    ax = plots.relative_bias(found, name="one", labels=("first", "second"))
    bars = [patch for patch in ax.patches if hasattr(patch, "get_height")]
    area = sum(bar.get_height() * bar.get_width() for bar in bars)
    assert area == pytest.approx(1)
    assert line(ax, "observed").get_xdata()[0] == found.statistic
    curve = line(ax, "closed form")
    assert curve.get_xdata()[np.argmax(curve.get_ydata())] == pytest.approx(
        found.expected, abs=0.02 * found.sd
    )
    assert "first less that over second" in ax.get_xlabel()
    assert "3,000 random pairs" in note(ax)


def test_what_cannot_be_drawn(made: dict[str, bg.Distribution], curves: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="no background of 'three'"):
        plots.background_words(curves, bg.words(made["one"], SETS), "three")
    with pytest.raises(ValueError, match="no words to draw"):
        plots.background_words(curves, bg.words(made["one"], {"a": ["absent"]}), "one")
