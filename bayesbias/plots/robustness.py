"""What becomes of scores on parts of a word list: a panel for every score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import DASHES, HEADER_HEIGHT, new_axes
from .header import SMALL_SIZE, TEXT_SIZE, above, header, key, share_inside
from .palette import FAINT, GREEN, INK, LINE, QUIET

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

NEEDED = ("kind", "score", "groups", "embedding", "share", "full", "no_bias", "mean", "low", "high")
"""Columns of a frame of `scores.robustness` that the plot uses."""

COLUMNS = 3
"""Panels in a row."""

LEFT, BETWEEN, ABOVE = 0.24, 0.02, 0.34
"""Shares of a panel's place: left of it for its ticks, right of it, and above it for its title."""

ONE_OUT = 1.1
"""Where on the axis of shares the lists without one pair stand."""

COLOUR_OF = {"given": INK, "reference": GREEN}
"""Colours of the embedding given and of the reference."""


def robustness(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw how far scores move when only a share of every set's words is used.

    Parameters
    ----------
    frame : DataFrame
        As `scores.robustness` returns it.
    ax : Axes, optional
        Where to draw; a new figure by default, as high as its panels need.

    Returns
    -------
    Axes
        It holds a panel for each score, in ``ax.child_axes``: the mean over sub-lists and a band
        for every choice of groups, those of the reference in green if there is one, and dots for
        the lists without one pair. Every panel has the scale of its score.

    Raises
    ------
    ValueError
        If a column is missing or no score is defined on sub-lists.

    References
    ----------
    Schröder, Schulz, Hammer (2024), The SAME score, section 5.3.
    """
    require_columns(frame, (*NEEDED, "deviation"))
    drawn = frame[frame["kind"].isin(["sublist", "leave_one_out"]) & frame["mean"].notna()]
    names = list(drawn["score"][drawn["kind"] == "sublist"].unique())
    if not names:
        raise ValueError("no score of the frame is defined on sub-lists")
    n_rows = -(-len(names) // COLUMNS)
    ax = new_axes(ax, HEADER_HEIGHT + 1.6 * n_rows)
    ax.set_axis_off()
    for at, name in enumerate(names):
        row, column = divmod(at, COLUMNS)
        left, bottom = (column + LEFT) / COLUMNS, 1 - (row + 0.9) / n_rows
        size = (1 - LEFT - BETWEEN) / COLUMNS, (0.9 - ABOVE) / n_rows
        panel = ax.inset_axes((left, bottom, *size))
        _panel(panel, drawn[drawn["score"] == name], str(name), at >= len(names) - COLUMNS)
    header(ax, "How the scores hold on parts of the list", _account(frame, drawn), _keys(drawn))
    return ax


def _panel(ax: Axes, part: pd.DataFrame, name: str, is_lowest: bool) -> None:
    sublists = part[part["kind"] == "sublist"]
    one_out = part[part["kind"] == "leave_one_out"]
    no_bias = float(part["no_bias"].iloc[0])
    ax.axhline(no_bias, color=LINE, linewidth=1.0, linestyle=DASHES, zorder=1.5)
    for (embedding, groups), curve in sublists.groupby(["embedding", "groups"], sort=False):
        colour, along = COLOUR_OF[str(embedding)], curve.sort_values("share")
        share, ends = along["share"], (along["low"], along["high"])
        ax.fill_between(share, *ends, color=colour, alpha=0.13, linewidth=0)
        ax.plot(share, along["mean"], color=colour, linewidth=1.3, label=str(groups))
    (dots,) = ax.plot([ONE_OUT] * len(one_out), one_out["mean"], "o", color=INK, label="one out")
    dots.set(markersize=2.2, alpha=0.45, markeredgewidth=0, clip_on=False)
    _dress(ax, is_lowest)
    above(ax, name, 14, weight="bold", color=INK, fontsize=TEXT_SIZE)
    above(ax, _deviations(sublists), 4, color=QUIET, fontsize=SMALL_SIZE - 1)


def _dress(ax: Axes, is_lowest: bool) -> None:
    new_axes(ax, 0.0).grid(axis="y", color=FAINT, linewidth=0.7)
    ax.tick_params(labelsize=SMALL_SIZE - 1, length=2)
    ax.locator_params(axis="y", nbins=4)
    ax.set_xticks([0.2, 0.6, 1.0], ["20%", "60%", "100%"] if is_lowest else [""] * 3)
    ax.set_xlim(right=ONE_OUT + 0.04)


def _deviations(sublists: pd.DataFrame) -> str:
    """State how far the score is off on sub-lists of the smallest and of the largest share."""
    given = sublists[(sublists["embedding"] == "given") & (sublists["share"] < 1)]
    if given.empty:
        return ""
    worst = given.groupby("share")["deviation"].max()
    ends = {worst.index[0]: worst.iloc[0], worst.index[-1]: worst.iloc[-1]}
    return "off by " + ", ".join(f"{value:.2g} at {share:.0%}" for share, value in ends.items())


def _account(frame: pd.DataFrame, drawn: pd.DataFrame) -> str:
    text = (
        "Across: the share of every set's words that is used. Lines are means over random "
        f"sub-lists, bands hold {share_inside(frame) or 'most'} of them. Dashed: no bias. "
        "“Off by”: mean distance from the score of the whole list."
    )
    if drawn.groupby("score")["groups"].nunique().max() > 1:
        text += " There is a line for each choice of groups; “off by” is of the worst."
    return text


def _keys(drawn: pd.DataFrame) -> list[Artist]:
    names = {"given": "this list", "reference": "reference without the bias"}
    there = set(drawn["embedding"])
    keys: list[Artist] = [
        key(name, COLOUR_OF[embedding]) for embedding, name in names.items() if embedding in there
    ]
    if "leave_one_out" in set(drawn["kind"]):
        keys.append(key("without one pair or word", INK, "o", size=3.5, width=0))
    return keys
