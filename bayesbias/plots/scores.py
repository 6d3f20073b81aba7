"""Scores of a word list: each on a scale of its own, and how they hold on parts of the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import DASHES, HEADER_HEIGHT, Scale, finish, new_axes
from .forest_engine import MOST_ROWS, beside_rows, block_rows, draw_intervals, forest_axes
from .header import SMALL_SIZE, TEXT_SIZE, above, header, key, share_inside
from .palette import FAINT, GREEN, INK, LINE, QUIET

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

NEEDED = ("score", "groups", "value", "low", "high", "interval", "no_bias", "direction", "reading")
"""Columns of a table of scores that `scores` uses."""

ROBUST = ("kind", "score", "groups", "embedding", "share", "full", "no_bias", "mean", "low", "high")
"""Columns that `robustness` uses, besides ``deviation``."""

STYLES = {
    "bootstrap": ("score of these words, bootstrap interval over words", INK, "o"),
    "posterior": ("posterior mean, highest-density interval", GREEN, "D"),
}
"""Name, colour and marker by what the interval comes from; green stands for no connection."""

ABOUT = (
    "Each row has a scale of its own, from no bias (line) to the far end of its interval: read "
    "where it lies against the line, not how long it is."
)

SIZES = ("more difference between groups", "more difference between stereotypes")
"""The readings of scores that are sizes, which have no other way to go."""

COLUMNS = 3
"""Panels of `robustness` in a row."""

LEFT, BETWEEN, ABOVE = 0.24, 0.02, 0.34
"""Shares of a panel's place: left of it for its ticks, right of it, and above it for its title."""

ONE_OUT = 1.1
"""Where on the axis of shares the lists without one pair stand."""

EMBEDDINGS = {
    "given": ("this list", INK),
    "reference": ("reference without the bias", GREEN),
}
"""Name and colour of the embedding given and of the reference."""


def scores(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw a table of scores: dots with intervals against no bias, with their values.

    Scores have different units, so that each row is stretched to its own width: its distance from
    the value of no bias, in its direction, over the largest such distance of the row. Where a row
    lies against the line, and how wide it is against its distance from it, is read; how long it is
    is not.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.score_table` or `with_posterior_scores` returns it.
    ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        A block of rows for each reading, headed by it; on the right of every row its value and
        the ends of its interval.

    Raises
    ------
    ValueError
        If a column is missing, no row has a value, or they do not fit into one figure.
    """
    require_columns(frame, NEEDED)
    found = frame[frame["value"].notna()]
    if found.empty:
        raise ValueError("no score of the frame has a value; the column note says why")
    if len(found) > MOST_ROWS:
        raise ValueError(
            f"{len(found)} scores do not fit into one figure, which holds {MOST_ROWS}; choose "
            "some, such as frame[frame['score'] == 'weat']"
        )
    named = found.assign(label=_labels(found), heading="→ " + found["reading"])
    rows, drawn = block_rows(named, "heading", inside=True)
    ax = forest_axes(ax, rows, row_height=0.24)
    stretched = _stretched(drawn)
    for at, (score, interval) in enumerate(zip(drawn["score"], drawn["interval"], strict=True)):
        draw_intervals(ax, stretched.iloc[[at]], score, *STYLES[interval][1:])
    keys = [key(*STYLES[name], size=5.5) for name in STYLES if name in set(found["interval"])]
    finish(
        ax,
        Scale("", [-1.0, 1.0], 0.0),
        "The scores, each on its own scale",
        _account(found),
        keys,
        heading="value  [interval]",
        column=beside_rows(drawn, map(_interval, drawn["value"], drawn["low"], drawn["high"])),
    )
    ax.set_xticks([-1, 0, 1], ["← the other way", "no bias", "as the heading says →"])
    return ax


def _labels(found: pd.DataFrame) -> list[str]:
    """Name the scores, with their groups where there is more than one choice of these."""
    choices = found.groupby(["score", "interval"])["groups"].transform("nunique")
    names = found["score"] + ": " + found["groups"]
    return list(names.where(choices > 1, found["score"]))


def _stretched(drawn: pd.DataFrame) -> pd.DataFrame:
    """Return how far values and ends lie from no bias, as shares of the farthest of the row."""
    sign = np.where(drawn["direction"] == "higher", 1.0, -1.0)
    away = drawn[["value", "low", "high"]].sub(drawn["no_bias"], axis=0).mul(sign, axis=0)
    shares = away.div(away.abs().max(axis=1).replace(0, 1), axis=0)
    return pd.DataFrame(
        {
            "position": drawn["position"],
            "mean": shares["value"],
            "low": shares[["low", "high"]].min(axis=1),
            "high": shares[["low", "high"]].max(axis=1),
        }
    )


def _interval(value: float, low: float, high: float) -> str:
    return f"{_number(value)}  [{_number(low)}, {_number(high)}]"


def _number(value: float) -> str:
    if np.isnan(value):
        return "–"
    text = f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"
    return text.replace("-", "−")


def _account(found: pd.DataFrame) -> str:
    sizes = [str(name) for name in found["score"][found["reading"].isin(SIZES)].unique()]
    if not sizes:
        return ABOUT
    return f"{ABOUT} An interval off the line is no evidence for sizes ({', '.join(sizes)})."


def robustness(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw how far scores move when only a share of every set's words is used.

    Parameters
    ----------
    frame : DataFrame
        As `scores.robustness` returns it.
    ax : see `bayesbias.plots`

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
    require_columns(frame, (*ROBUST, "deviation"))
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
    header(
        ax, "How the scores hold on parts of the list", _robust_account(frame, drawn), _keys(drawn)
    )
    return ax


def _panel(ax: Axes, part: pd.DataFrame, name: str, is_lowest: bool) -> None:
    sublists = part[part["kind"] == "sublist"]
    one_out = part[part["kind"] == "leave_one_out"]
    no_bias = float(part["no_bias"].iloc[0])
    ax.axhline(no_bias, color=LINE, linewidth=1.0, linestyle=DASHES, zorder=1.5)
    for (embedding, groups), curve in sublists.groupby(["embedding", "groups"], sort=False):
        colour, along = EMBEDDINGS[str(embedding)][1], curve.sort_values("share")
        share, ends = along["share"], (along["low"], along["high"])
        ax.fill_between(share, *ends, color=colour, alpha=0.13, linewidth=0)
        ax.plot(share, along["mean"], color=colour, linewidth=1.3, label=str(groups))
    (dots,) = ax.plot([ONE_OUT] * len(one_out), one_out["mean"], "o", color=INK, label="one out")
    dots.set(markersize=2.2, alpha=0.45, markeredgewidth=0, clip_on=False)
    above(ax, name, 14, weight="bold", color=INK, fontsize=TEXT_SIZE)
    above(ax, _deviations(sublists), 4, color=QUIET, fontsize=SMALL_SIZE - 1)
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


def _robust_account(frame: pd.DataFrame, drawn: pd.DataFrame) -> str:
    text = (
        "Across: the share of every set's words that is used. Lines are means over random "
        f"sub-lists, bands hold {share_inside(frame) or 'most'} of them. Dashed: no bias. "
        "“Off by”: mean distance from the score of the whole list."
    )
    if drawn.groupby("score")["groups"].nunique().max() > 1:
        text += " There is a line for each choice of groups; “off by” is of the worst."
    return text


def _keys(drawn: pd.DataFrame) -> list[Artist]:
    there = set(drawn["embedding"])
    keys: list[Artist] = [key(*EMBEDDINGS[name]) for name in EMBEDDINGS if name in there]
    if "leave_one_out" in set(drawn["kind"]):
        keys.append(key("without one pair or word", INK, "o", size=3.5, width=0))
    return keys
