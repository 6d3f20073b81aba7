"""Plots of backgrounds, on the data that they draw."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from bayesbias import background as bg
from bayesbias import plots

SETS = {"first": ["w10", "w11", "$w12"], "second": ["w20", "w21"]}


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


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
    return [
        float(path.vertices[0, 0])
        for each in ax.collections
        if hasattr(each, "get_segments")
        for path in each.get_paths()
    ]


def test_a_ridge_for_every_background_with_mean_and_ticks(
    made: dict[str, bg.Distribution], curves: pd.DataFrame
) -> None:
    ax = plots.background_densities(curves)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["one", "two"]
    places = lines_at(ax)
    for name, each in made.items():
        for expected in (each.mean, each.mean - 1.96 * each.sd, each.mean + 1.96 * each.sd):
            assert min(abs(place - expected) for place in places) < 1e-4
        line = next(line for line in ax.get_lines() if line.get_label() == name)
        assert np.argmax(-line.get_ydata()) == np.argmin(line.get_ydata())
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first experiment is on top


def test_every_word_has_its_row(made: dict[str, bg.Distribution], curves: pd.DataFrame) -> None:
    frame = bg.words(made["one"], SETS)
    ax = plots.background_words(curves, frame, "one")
    shown = [label.get_text() for label in ax.get_yticklabels()]
    ordered = frame.sort_values(["set", "psi"], ascending=[True, False])
    assert shown == ordered["word"].tolist()
    for name, part in ordered.groupby("set"):
        line = next(line for line in ax.get_lines() if line.get_label() == name)
        assert line.get_xdata() == pytest.approx(part["psi"].to_numpy())
        assert min(abs(place - part["psi"].mean()) for place in lines_at(ax)) < 1e-12
    band = next(patch for patch in ax.patches if patch.get_gid() == "band")
    low, high = curves.attrs["ticks"]["one"]
    assert band.get_x() == pytest.approx(low)
    assert band.get_x() + band.get_width() == pytest.approx(high)


def test_relative_bias_over_random_pairs(made: dict[str, bg.Distribution]) -> None:
    found = made["one"].relative_bias(*SETS.values(), n_resamples=3000, seed=1)
    ax = plots.relative_bias(found, name="one", labels=("first", "second"))
    bars = [patch for patch in ax.patches if hasattr(patch, "get_height")]
    area = sum(bar.get_height() * bar.get_width() for bar in bars)
    assert area == pytest.approx(1)
    observed = next(line for line in ax.get_lines() if line.get_label() == "observed")
    assert observed.get_xdata()[0] == found.statistic
    curve = next(line for line in ax.get_lines() if line.get_label() == "closed form")
    assert curve.get_xdata()[np.argmax(curve.get_ydata())] == pytest.approx(
        found.expected, abs=0.02 * found.sd
    )
    assert "first less that over second" in ax.get_xlabel()
    assert "3,000 random pairs" in next(t.get_text() for t in ax.texts if t.get_gid() == "subtitle")


def draw(name: str, made: dict[str, Any], curves: pd.DataFrame, ax: Axes | None = None) -> Axes:
    if name == "densities":
        return plots.background_densities(curves, ax=ax)
    if name == "words":
        return plots.background_words(curves, bg.words(made["one"], SETS), "one", ax=ax)
    return plots.relative_bias(made["one"].relative_bias(*SETS.values(), n_resamples=99), ax=ax)


@pytest.mark.parametrize("name", ["densities", "words", "relative"])
def test_plots_take_axes_and_can_be_saved(
    name: str, made: dict[str, bg.Distribution], curves: pd.DataFrame, tmp_path: Path
) -> None:
    _, ax = plt.subplots()
    assert draw(name, made, curves, ax) is ax
    files = plots.save(draw(name, made, curves), tmp_path / name)
    assert [path.suffix for path in files] == [".png", ".svg"]


def test_what_cannot_be_drawn(made: dict[str, bg.Distribution], curves: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r"lacks the column\(s\) normal"):
        plots.background_densities(curves.drop(columns="normal"))
    with pytest.raises(ValueError, match="no background of 'three'"):
        plots.background_words(curves, bg.words(made["one"], SETS), "three")
    with pytest.raises(ValueError, match="no words to draw"):
        plots.background_words(curves, bg.words(made["one"], {"a": ["absent"]}), "one")
