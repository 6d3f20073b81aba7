"""Plots of null distributions, false alarms and power: what they draw is what they are given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from plot_looks import note, row_names

from bayesbias import plots
from bayesbias.plots.calibration import CAUTIOUS
from bayesbias.plots.null_models import BODY
from bayesbias.plots.palette import INK, MISS
from studies import literature


def rates(kind: str = "false alarms") -> pd.DataFrame:
    return pd.DataFrame(
        {
            "scenario": ["one", "two", "one", "two"],
            "method": ["weat-p", "weat-p", "t-cells", "t-cells"],
            "kind": kind,
            "rate": [0.05, 0.2, 0.01, 0.3],
            "low": [0.04, 0.18, 0.005, 0.28],
            "high": [0.06, 0.22, 0.02, 0.32],
            "nominal": [0.05, 0.05, 0.05, np.nan],
            "n": [2000, 2000, 2000, 500],
        }
    )


def curves() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "method": np.repeat(["weat-p", "crossed-hpdi"], 3),
            "effect": [0.0, 0.02, 0.04] * 2,
            "n_words": [4, 8, 16] * 2,
            "rate": [0.05, 0.4, 0.9, 0.11, 0.5, 0.9],
            "low": [0.0, 0.3, 0.8, 0.0, 0.4, 0.8],
            "high": [0.2, 0.5, 1.0, 0.2, 0.6, 1.0],
            "nominal": np.repeat([0.05, 0.11], 3),
            "width": [np.nan, np.nan, np.nan, 0.09, 0.06, 0.03],
            "n": 300,
        }
    )


def bars(ax: Axes, colour: str) -> list[Rectangle]:
    found = [each for each in ax.patches if isinstance(each, Rectangle)]
    return [each for each in found if to_hex(each.get_facecolor()) == colour.lower()]


def dots_of(ax: Axes) -> list[Line2D]:
    return [line for line in ax.lines if line.get_label() == "rate"]


def text_of(ax: Axes) -> str:
    return " ".join(" ".join(text.get_text() for text in ax.texts).split())


@pytest.mark.parametrize("observed", [1.27, -0.8])
def test_a_null_distribution_counts_every_value_and_splits_at_the_observed_one(
    observed: float,
) -> None:
    values = np.random.default_rng(1).normal(0, 0.6, 3000)
    ax = plots.null_distribution(values, observed, label="d", bounds=(-1.94, 1.94))
    assert "Dotted: −1.94 and 1.94, the farthest" in note(ax)
    inside, outside = (sum(bar.get_height() for bar in bars(ax, colour)) for colour in (BODY, MISS))
    extreme = (np.abs(values) >= abs(observed)).sum()
    assert (inside, outside) == (3000 - extreme, extreme)
    at = [line.get_xdata()[0] for line in ax.lines]
    assert at == [observed, -observed, -1.94, 1.94]
    assert f"observed {observed:.3g}" in text_of(ax)
    assert f"share of {extreme / 3000:.2g}" in text_of(ax)
    assert ax.get_xlabel() == "d"


def test_a_null_distribution_says_the_exact_share_where_it_is_given() -> None:
    ax = plots.null_distribution(
        np.linspace(-1, 1, 50), 0.9, label="d", share=0.0084, published="The paper prints 38%."
    )
    assert "share of 0.0084. The paper prints 38%." in text_of(ax)


def test_false_alarms_are_dots_with_intervals_and_the_promised_rate() -> None:
    ax = plots.false_alarms(rates())
    dots = dots_of(ax)
    assert [dot.get_xdata()[0] for dot in dots] == [0.05, 0.2, 0.01, 0.3]
    assert [to_hex(dot.get_color()).upper() for dot in dots] == [INK, MISS, CAUTIOUS, INK]
    assert row_names(ax) == ["weat-p", "one", "two", "t-cells", "one", "two"]
    segments = [path for each in ax.collections for path in each.get_segments()]
    flat = {tuple(part[:, 0]) for part in segments if part[0, 1] == part[1, 1]}
    flat -= {(0.0, 1.0)}  # the lines that rows stand on
    assert flat == {(0.04, 0.06), (0.18, 0.22), (0.005, 0.02), (0.28, 0.32)}
    upright = [part[0, 0] for part in segments if part[0, 0] == part[1, 0]]
    assert upright == [0.05] * 3
    assert ".200" in text_of(ax)
    assert "500 to 2,000 simulated tables" in text_of(ax)


def test_blocks_may_be_scenarios_and_coverage_is_read_the_other_way_round() -> None:
    frame = rates("coverage").assign(nominal=0.1)
    ax = plots.false_alarms(frame, by="scenario")
    assert row_names(ax) == ["one", "weat-p", "t-cells", "two", "weat-p", "t-cells"]
    dots = dots_of(ax)
    colours = dict(zip([dot.get_xdata()[0] for dot in dots], dots, strict=True))
    assert to_hex(colours[0.01].get_color()) == MISS.lower()
    assert to_hex(colours[0.3].get_color()) == CAUTIOUS.lower()
    assert ax.get_xlabel() == "share of covered truths"


def test_power_is_not_drawn_as_false_alarms() -> None:
    mixed = pd.concat([rates(), rates("power").assign(scenario="planted")])
    assert len(dots_of(plots.false_alarms(mixed))) == 4


def test_power_curves_join_the_rates_of_a_method() -> None:
    ax = plots.power_curves(curves())
    drawn = {line.get_label(): line for line in ax.lines if line.get_gid() != "nominal"}
    assert list(drawn) == ["weat-p", "crossed-hpdi"]
    assert drawn["weat-p"].get_xydata().tolist() == [[0, 0.05], [0.02, 0.4], [0.04, 0.9]]
    nominal = [line.get_ydata()[0] for line in ax.lines if line.get_gid() == "nominal"]
    assert nominal == [0.05, 0.11]
    band = ax.collections[0].get_paths()[0].vertices
    assert (band[:, 1].min(), band[:, 1].max()) == (0.0, 1.0)
    assert ax.get_ylim() == (-0.02, 1.02)
    assert "300 simulated tables a point" in text_of(ax)


def test_widths_are_drawn_for_methods_that_have_them_over_doublings_of_length() -> None:
    ax = plots.power_curves(curves(), x="n_words", y="width")
    assert [line.get_label() for line in ax.lines] == ["crossed-hpdi"]
    assert ax.get_xscale() == "log"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["4", "8", "16"]
    assert ax.get_ylim()[0] == 0


def test_cells_are_drawn_one_by_one_in_the_colours_of_their_group() -> None:
    frame = literature.paper_example().cells()
    ax = plots.cells(frame)
    drawn = {line.get_label(): line for line in ax.lines[:2]}
    for name in "XY":
        part = frame[frame["protected_group"] == name]
        assert drawn[f"group {name}"].get_xydata().tolist() == part[["A", "B"]].to_numpy().tolist()
    assert drawn["group X"].get_marker() != drawn["group Y"].get_marker()
