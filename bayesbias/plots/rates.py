"""Plots of language-model preferences, false-alarm rates of methods, and scores of a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._core.checks import check_choice
from .forest import MOST_ROWS, intervals
from .frame import (
    HEADER_HEIGHT,
    TEXT_SIZE,
    header,
    interval_note,
    new_axes,
    number,
    percent,
    require_frame,
    row_labels,
    shorten,
)
from .palette import GREEN, INK, TINT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_METHODS = 14
"""Largest number of columns in a matrix of rates that is still readable."""

TITLES = {
    "false alarms": "How often methods claim a bias that is not there",
    "coverage": "How often intervals cover the truth",
}
"""Titles of matrices of rates, keyed by kind."""

MATRIX_NOTE = (
    "Percent of simulated tables. Below each method: the percentage that it promises. Orange to "
    "red: wrong more often than promised, beyond Monte Carlo error."
)


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


def false_alarms(
    frame: pd.DataFrame, *, kind: str = "false alarms", ax: Axes | None = None
) -> Axes:
    """Draw a matrix of rates: one row per simulated world, and one column per method.

    The frame comes from `bayesbias.calibration.calibrate`. A cell is colored if its method is wrong
    more often than promised, beyond Monte Carlo error.

    Parameters
    ----------
    kind : {"false alarms", "coverage"}
        The rows to draw.

    Examples
    --------
    >>> import bayesbias as bb
    >>> worlds, methods = ["independent", "words-differ"], ["weat-p", "t-cells-groups"]
    >>> rates = bb.calibration.calibrate(worlds, methods, n=400, seed=1)
    >>> ax = bb.plots.false_alarms(rates)
    >>> [text.get_text() for text in ax.texts if text.get_weight() == "bold"]
    ['20']
    """
    columns = ("scenario", "method", "kind", "rate", "low", "high", "nominal")
    require_frame(frame, columns, "bb.calibration.calibrate(scenarios, methods)")
    check_choice("kind", kind, TITLES)
    rows = frame[frame["kind"] == kind]
    worlds, methods = (list(dict.fromkeys(rows[name])) for name in ("scenario", "method"))
    if not 0 < len(worlds) <= MOST_ROWS or len(methods) > MOST_METHODS:
        raise ValueError(
            f"the frame has {kind} in {len(worlds)} scenarios with {len(methods)} methods; a "
            f"matrix needs 1 to {MOST_ROWS} scenarios and at most {MOST_METHODS} methods"
        )
    ax = new_axes(ax, HEADER_HEIGHT + 0.9 + 0.3 * len(worlds))
    for cell in rows.to_dict("records"):
        _draw_rate(ax, methods.index(cell["method"]), worlds.index(cell["scenario"]), cell)
    row_labels(ax, range(len(worlds)), worlds)
    rates = rows.drop_duplicates("method")["nominal"]
    names = [shorten(name, 40).replace("-", "\n") for name in methods]
    promised = ["–" if np.isnan(rate) else f"{rate:.0%}" for rate in rates]
    labels = [f"{name}\n{rate}" for name, rate in zip(names, promised, strict=True)]
    ax.set_xticks(range(len(methods)), labels, parse_math=False)
    ax.tick_params(axis="x", length=0, labeltop=True, labelbottom=False)
    ax.set(xlim=(-0.5, len(methods) - 0.5), ylim=(len(worlds) - 0.5, -0.5))
    ax.spines["bottom"].set_visible(False)
    raised = 1.3 * TEXT_SIZE * max(label.count("\n") + 1 for label in labels)
    return header(ax, TITLES[kind], MATRIX_NOTE, raised=raised)


def _draw_rate(ax: Axes, x: int, y: int, cell: Mapping[Any, Any]) -> None:
    """Draw a rate in a cell whose color shows how much more often than promised it is wrong."""
    from matplotlib import colormaps

    rate, least, promised = (cell[name] for name in ("rate", "low", "nominal"))
    if cell["kind"] == "coverage":
        rate, least, promised = 1 - rate, 1 - cell["high"], 1 - promised
    worse = bool(least > promised)
    depth = min(0.15 + 0.2 * np.log2(rate / promised), 0.85) if worse else 0.0
    ax.bar(x, 0.92, 0.94, y - 0.46, color=colormaps["OrRd"](depth) if worse else TINT)
    text = ax.text(x, y, percent(cell["rate"]).rstrip("%"), ha="center", va="center")
    text.set(fontsize=TEXT_SIZE, color="white" if depth > 0.6 else INK)
    text.set_fontweight("bold" if worse else "normal")


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
