"""Plots of language-model preferences, false-alarm rates of methods, and scores of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .forest import intervals
from .frame import interval_note, key, number, percent, require_frame
from .palette import COLORS, GREEN, INK, LINE, MISS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pair_forest(
    frame: pd.DataFrame, *, quantity: str = "p_stereotypical", ax: Axes | None = None
) -> Axes:
    """Draw shares of stereotypical preferences (``maskedlm.pair_summary``) by bias type.

    Parameters
    ----------
    quantity : {"p_stereotypical", "p_equal_length"}
        The share to draw, as described in `maskedlm.pair_summary`.
    """
    columns = ("level", "bias_type", "quantity", "model", "mean", "low", "high", "p_above")
    require_frame(frame, columns, "bb.maskedlm.pair_summary(posterior)")
    rows = frame[(frame["quantity"] == quantity) & (frame["level"] != "population")]
    if rows.empty:
        there = ", ".join(map(str, frame["quantity"].unique()))
        raise ValueError(f"the frame has no quantity {quantity!r}; it has {there}")
    return intervals(
        rows.assign(
            block=rows["bias_type"].replace("", "all bias types"),
            text=rows["p_above"].map(percent),
        ),
        label="model",
        by="block",
        reference=0.5,
        heading="probability\nabove half",
        xlabel="share of pairs whose stereotypical sentence is preferred",
        title="How often stereotypical sentences are preferred",
        note=f"{interval_note(frame)} Dashed line: one half, no preference.",
        ax=ax,
    )


def false_alarms(frame: pd.DataFrame, *, by: str = "method", ax: Axes | None = None) -> Axes:
    """Draw false-alarm rates (or coverage, if there are none) next to the promised rates.

    The frame comes from `bayesbias.calibration.calibrate`. Rates that differ from the promised
    rates by more than the Monte Carlo error are red if worse and blue if better.

    Parameters
    ----------
    by : {"method", "scenario"}
        The column that defines blocks. The other column labels the rows.
    """
    columns = ("scenario", "method", "kind", "rate", "low", "high", "nominal", "n")
    require_frame(frame, columns, "bb.calibration.calibrate(scenarios, methods)")
    others = {"method": "scenario", "scenario": "method"}
    if by not in others:
        raise ValueError(f"by must be 'method' or 'scenario'; got {by!r}")
    alarms = (frame["kind"] == "false alarms").any()
    rows = frame[frame["kind"] == ("false alarms" if alarms else "coverage")]
    rows.attrs = {}  # else `intervals` shades the calibration's region of practical equivalence
    if rows.empty:
        raise ValueError("the frame has no false-alarm or coverage rows; simulate a null scenario")
    bad, good = ("more", "fewer") if alarms else ("fewer", "more")
    kept = rows["nominal"].isna() | rows["nominal"].between(rows["low"], rows["high"])
    worse = (rows["rate"] > rows["nominal"]) == alarms
    verdicts = {
        "as promised, or no promise": (INK, "o"),
        f"{bad} than promised": (MISS, "o"),
        f"{good} than promised": (COLORS["different"], "o"),
    }
    verdict = np.array([*verdicts])[np.where(kept, 0, 2 - worse)]
    n_tables = sorted({f"{n:,}" for n in (rows["n"].min(), rows["n"].max())}, key=len)
    ax = intervals(
        rows.assign(
            mean=rows["rate"],
            text=rows["rate"].map("{:.3f}".format).str.lstrip("0"),
            tick=rows["nominal"],
            verdict=verdict,
        ),
        label=others[by],
        by=by,
        hue="verdict",
        styles=verdicts,
        heading="rate",
        xlabel="false-alarm rate" if alarms else "coverage",
        title="How often methods claim a bias that is not there"
        if alarms
        else "How often intervals cover the truth",
        note=f"{' to '.join(n_tables)} simulated tables per row. Bars: 95% Monte Carlo "
        f"intervals. Gray ticks: the rate that the method promises. Red: {bad} than promised, "
        "beyond Monte Carlo error.",
        keys=[
            *(key(name, *style) for name, style in verdicts.items()),
            key("promised", LINE, "|", size=9, width=0),
        ],
        ax=ax,
    )
    if alarms:
        ax.set_xlim(left=-0.005)
    return ax


def scores(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw a table of scores (`bayesbias.score_table`): one block per score, with intervals.

    Scores have different units, so each block has a separate scale. Rows show distances from the
    no-bias value, relative to the largest in the block. The heading explains the right-hand side.
    """
    columns = ("score", "groups", "value", "low", "high", "interval", "no_bias", "direction")
    require_frame(frame, (*columns, "reading"), "bb.score_table(vectors, wordlist)")
    rows = frame[frame["value"].notna()]
    if rows.empty:
        raise ValueError("no score in the frame has a value; see the column 'note' for the reasons")
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
        title="Scores, each on its own scale",
        note="Bars: intervals. Rows of the same score share a scale, which ends at the farthest "
        "bar. Do not compare lengths between scores. Scores that cannot be negative never "
        "cross the line; for such scores, a distance from the line is not evidence of bias.",
        ax=ax,
    )
    ax.set_xlim(-1.08, 1.08)
    ax.set_xticks([-1, 0, 1], ["← opposite direction", "no bias", "direction in heading →"])
    return ax
