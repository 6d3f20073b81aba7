"""Scores of a word list as dots with intervals, every row on a scale of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import Scale, finish
from .forest_engine import MOST_ROWS, beside_rows, block_rows, draw_intervals, forest_axes
from .header import key
from .palette import GREEN, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEEDED = ("score", "groups", "value", "low", "high", "interval", "no_bias", "direction", "reading")
"""Columns of a table of scores that the plot uses."""

STYLES = {"bootstrap": (INK, "o"), "posterior": (GREEN, "D")}
"""Colour and marker by what the interval comes from; green stands for no connection."""

KEYS = {
    "bootstrap": "score of these words, bootstrap interval over words",
    "posterior": "posterior mean, highest-density interval",
}
"""What the markers are."""

ABOUT = (
    "Each row has a scale of its own, from no bias (line) to the far end of its interval: read "
    "where it lies against the line, not how long it is."
)

SIZES = "more difference between groups"
"""The reading of scores that are sizes, which have no other way to go."""


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
    ax : Axes, optional
        Where to draw; a new figure by default, as high as its rows need.

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
        draw_intervals(ax, stretched.iloc[[at]], score, *STYLES[interval])
    there = [name for name in STYLES if name in set(found["interval"])]
    finish(
        ax,
        Scale("", [-1.0, 1.0], 0.0),
        "The scores, each on its own scale",
        _account(found),
        [key(KEYS[name], *STYLES[name], size=5.5) for name in there],
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
    sizes = [str(name) for name in found["score"][found["reading"] == SIZES].unique()]
    if not sizes:
        return ABOUT
    return f"{ABOUT} An interval off the line is no evidence for sizes ({', '.join(sizes)})."
