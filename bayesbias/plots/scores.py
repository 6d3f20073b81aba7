"""Scores of a word list, each on a scale of its own, and the associations that WEAT sums up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .forest import intervals
from .frame import number, require_frame
from .palette import GREEN, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def scores(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw a table of scores: a block a score, with intervals around no bias, and their values.

    The frame is that of `bayesbias.score_table` or `with_posterior_scores`. Scores have different
    units, so each block has a scale of its own: the distance from the value of no bias, in the
    score's direction, over the largest such distance of the block.
    """
    columns = ("score", "groups", "value", "low", "high", "interval", "no_bias", "direction")
    require_frame(frame, (*columns, "reading"), "bb.score_table(vectors, wordlist)")
    rows = frame[frame["value"].notna()]
    if rows.empty:
        raise ValueError("no score of the frame has a value; the column note says why")
    sign = np.where(rows["direction"] == "higher", 1.0, -1.0)
    away = rows[["value", "low", "high"]].sub(rows["no_bias"], axis=0).mul(sign, axis=0)
    farthest = away.abs().max(axis=1).groupby(rows["score"]).transform("max").replace(0, 1)
    shares = away.div(farthest, axis=0)
    values = zip(rows["value"], rows["low"], rows["high"], strict=True)
    posterior = rows["interval"] == "posterior"
    ax = intervals(
        rows.assign(
            label=rows["groups"].where(~posterior, rows["groups"] + ", posterior"),
            block=rows["score"] + " → " + rows["reading"],
            text=[f"{number(v)}  [{number(low)}, {number(high)}]" for v, low, high in values],
            mean=shares["value"],
            low=shares[["low", "high"]].min(axis=1),
            high=shares[["low", "high"]].max(axis=1),
        ),
        by="block",
        hue="interval",
        styles={"bootstrap": (INK, "o"), "posterior": (GREEN, "D")},
        reference=0.0,
        heading="value  [interval]",
        title="The scores, each on its own scale",
        note="Bars: intervals. Rows of one score share a scale, up to the farthest end among them; "
        "lengths of different scores are not comparable. An interval off the line is no evidence "
        "for scores of differences, which cannot be negative.",
        ax=ax,
    )
    ax.set_xlim(-1.08, 1.08)
    ax.set_xticks([-1, 0, 1], ["← the other way", "no bias", "as the heading says →"])
    return ax
