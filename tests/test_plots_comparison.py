"""Plots of a change: what is drawn, where, and that nothing touches."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.text import Annotation
from plot_looks import assert_readable, band_of, line

import bayesbias as bb
from bayesbias import comparison, plots
from bayesbias.plots.forests import share
from bayesbias.plots.palette import COLOURS


@pytest.fixture(scope="module")
def frame(change_tree: object) -> pd.DataFrame:
    return comparison.changes(change_tree)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def orders(change_tree: object) -> pd.DataFrame:
    return comparison.order_changes(change_tree)  # type: ignore[arg-type]


def ends(tree: object) -> tuple[pd.DataFrame, pd.DataFrame]:
    before, after = (comparison.posterior_at(tree, when) for when in ("before", "after"))  # type: ignore[arg-type]
    return bb.summary(before), bb.summary(after)


def arrows(ax: Axes) -> list[Annotation]:
    texts = [text for text in ax.texts if isinstance(text, Annotation)]
    return [text for text in texts if str(text.get_gid()).startswith("arrow-")]


def test_two_forests_share_axes_and_hold_their_own_means(change_tree: object) -> None:
    before, after = ends(change_tree)
    one, other = plots.forest_pair(before, after)
    assert one.get_xlim() == other.get_xlim()
    assert one.get_ylim() == other.get_ylim()
    for ax, frame in ((one, before), (other, after)):
        x = line(ax, "human").get_xdata()
        assert x[0] == frame.query("level == 'overall' and connection == 'human'")["mean"].item()
    assert list(line(one, "human").get_ydata()) == list(line(other, "human").get_ydata())
    assert not any(label.get_visible() for label in other.get_yticklabels())
    assert_readable(*one.figure.axes)


def test_two_forests_on_axes_of_the_caller(change_tree: object) -> None:
    _, axes = plt.subplots(1, 2, sharex=True, sharey=True, figsize=(11, 7))
    assert plots.forest_pair(*ends(change_tree), level="word", axes=tuple(axes)) == tuple(axes)


def test_changes_lie_around_zero_with_their_band(frame: pd.DataFrame) -> None:
    ax = plots.change_forest(frame, rope=0.03)
    x = line(ax, "associated").get_xdata()
    assert x[0] == frame.query("level == 'overall' and connection == 'associated'")["mean"].item()
    assert band_of(ax) == pytest.approx((-0.03, 0.03))
    assert_readable(ax)


def test_arrows_lead_from_before_to_after(frame: pd.DataFrame) -> None:
    ax = plots.change_arrows(frame, level="word", connections=["human"])
    words = frame.query("level == 'word' and connection == 'human'")
    drawn = arrows(ax)
    assert len(drawn) == len(words)
    assert sorted(each.xyann[0] for each in drawn) == pytest.approx(sorted(words["before"]))
    assert sorted(each.xy[0] for each in drawn) == pytest.approx(sorted(words["after"]))
    assert {to_hex(arrow.arrow_patch.get_edgecolor()).upper() for arrow in drawn} == {
        COLOURS["human"]
    }
    assert_readable(ax)


def test_a_change_smaller_than_a_head_is_a_line(frame: pd.DataFrame) -> None:
    for change, style in ((0.0, "Curve"), (0.2, "CurveFilledB")):
        drawn = arrows(plots.change_arrows(frame.assign(after=frame["before"] + change)))
        assert {type(each.arrow_patch.get_arrowstyle()).__name__ for each in drawn} == {style}


def test_orders_show_gaps_and_their_probability(orders: pd.DataFrame) -> None:
    ax = plots.order_arrows(orders)
    assert len(arrows(ax)) == len(orders)
    shown = [text.get_text() for text in ax.texts]
    for turned in orders["p_turned"]:
        assert share(turned) in shown
    assert "associated − different" in ax.get_xlabel()
    assert_readable(ax)


def test_distributions_before_and_after_share_one_band(
    change_tables: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    ax = plots.distribution_pair(*change_tables, half_width=0.1)
    assert band_of(ax) == pytest.approx((0.9, 1.1))
    labels = {line.get_label() for line in ax.lines}
    assert {"human before", "human after"} <= labels
    shares = comparison.band_shares(*change_tables, 0.1)
    for row in shares.to_dict("records"):
        text = f"{row['share_before']:.0%} → {row['share_after']:.0%}"
        assert text in [each.get_text() for each in ax.texts]
    assert_readable(ax)
