"""Scores of a word list, each on a scale of its own, and the associations that WEAT sums up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .forest import intervals
from .frame import key, number, require_frame
from .palette import GREEN, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def scores(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw a table of scores: dots with intervals around no bias, with their values.

    The frame is that of `bayesbias.score_table` or `with_posterior_scores`. Scores have different
    units, so each row has a scale of its own: the distance from the value of no bias, in the
    score's direction, over the largest such distance of the row.
    """
    columns = ("score", "groups", "value", "low", "high", "interval", "no_bias", "direction")
    require_frame(frame, (*columns, "reading"), "bb.score_table(vectors, wordlist)")
    rows = frame[frame["value"].notna()]
    if rows.empty:
        raise ValueError("no score of the frame has a value; the column note says why")
    choices = rows.groupby(["score", "interval"])["groups"].transform("nunique")
    label = (rows["score"] + ": " + rows["groups"]).where(choices > 1, rows["score"])
    sign = np.where(rows["direction"] == "higher", 1.0, -1.0)
    away = rows[["value", "low", "high"]].sub(rows["no_bias"], axis=0).mul(sign, axis=0)
    shares = away.div(away.abs().max(axis=1).replace(0, 1), axis=0)
    values = zip(rows["value"], rows["low"], rows["high"], strict=True)
    sizes = ", ".join(rows["score"][rows["reading"].str.startswith("more difference")].unique())
    no_sign = f" An interval off the line is no evidence for sizes ({sizes})." if sizes else ""
    styles = {
        "bootstrap": ("score of these words, bootstrap interval over words", INK, "o"),
        "posterior": ("posterior mean, highest-density interval", GREEN, "D"),
    }
    ax = intervals(
        rows.assign(
            label=label.where(rows["interval"] != "posterior", label + ", posterior"),
            reading="→ " + rows["reading"],
            text=[f"{number(v)}  [{number(low)}, {number(high)}]" for v, low, high in values],
            mean=shares["value"],
            low=shares[["low", "high"]].min(axis=1),
            high=shares[["low", "high"]].max(axis=1),
        ),
        by="reading",
        hue="interval",
        styles={name: style[1:] for name, style in styles.items()},
        reference=0.0,
        heading="value  [interval]",
        title="The scores, each on its own scale",
        note="Each row has a scale of its own, from no bias (line) to the far end of its interval: "
        f"read where it is around the line, not how long it is.{no_sign}",
        keys=[key(*styles[name], size=5.5) for name in styles if (rows["interval"] == name).any()],
        ax=ax,
    )
    ax.set_xlim(-1.08, 1.08)
    ax.set_xticks([-1, 0, 1], ["← the other way", "no bias", "as the heading says →"])
    return ax
