"""What methods claim in simulated tables: false alarms beside promised rates, power, widths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.checks import unknown_name
from ..tables.schema import require_columns
from .axes_frame import DASHES, Scale, SideText, draw_scale, finish, new_axes
from .forest_engine import MOST_ROWS, block_rows, draw_intervals, forest_axes
from .header import TEXT_SIZE, header, key
from .palette import COLOURS, FAINT, GREEN, INK, LINE, MISS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

NEEDED = ("scenario", "method", "kind", "rate", "low", "high", "nominal", "n")
"""Columns of a calibration frame that the plot uses."""

CAUTIOUS = COLOURS["different"]
"""Blue, for fewer claims than promised."""

WORDS = {
    "false alarms": ("How often methods claim a bias that is not there", "false alarms"),
    "coverage": ("How often intervals hold the truth", "covered truths"),
}
"""Title and what is counted, by kind of row."""

AXES = {
    "effect": "planted effect, in units of cosine distance",
    "n_attributes": "attribute words of each set",
    "n_words": "protected words of each group",
}
"""What may lie along the x axis."""

SHOWN = {
    "rate": ("How often a planted effect is found", "share of tables in which a bias is claimed"),
    "width": (
        "How wide the interval is",
        "mean width of the interval, in units of cosine distance",
    ),
}
"""What may be shown: the title, and the label of the y axis."""

LINES = (
    (INK, "o", "-"),
    (COLOURS["associated"], "s", "-"),
    (COLOURS["different"], "D", "-"),
    (GREEN, "^", "-"),
    ("#A25A8C", "v", "--"),
    (COLOURS["neutral"], "X", "--"),
)
"""Colour, marker and dashes of each curve, told apart without colour too."""


def false_alarms(frame: pd.DataFrame, *, by: str = "method", ax: Axes | None = None) -> Axes:
    """Draw false-alarm rates (or coverage) with the promised rate as a line in every row.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.calibration.calibrate` returns it. Rows that are false alarms are drawn; if
        there are none, those that are coverage.
    by : {"method", "scenario"}
        What the blocks are; the other one labels the rows.
    ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        A row for each pair: the rate, its Monte Carlo interval, a tick at the nominal rate, and
        the rate in figures on the right. Red: more claims (or less coverage) than promised, beyond
        Monte Carlo error; blue: fewer (or more).

    Raises
    ------
    ValueError
        If a column is missing, or there is nothing to draw, or it does not fit into one figure.
    """
    require_columns(frame, NEEDED)
    if by not in {"method", "scenario"}:
        raise ValueError(f"by must be 'method' or 'scenario', got {by!r}")
    kind = next((kind for kind in WORDS if (frame["kind"] == kind).any()), None)
    if kind is None:
        raise ValueError("the frame has no false alarms and no coverage; simulate a null scenario")
    found = frame[frame["kind"] == kind]
    if len(found) > MOST_ROWS:
        raise ValueError(f"{len(found)} rows do not fit into one figure, which holds {MOST_ROWS}")
    other = "scenario" if by == "method" else "method"
    rows, drawn = block_rows(found.assign(label=found[other].astype(str), mean=found["rate"]), by)
    ax = forest_axes(ax, rows, row_height=0.22)
    column = _draw(ax, drawn, kind)
    low = 0.0 if kind == "false alarms" else float(drawn[["low", "nominal"]].min().min())
    ends = [low, low + 0.05, *drawn["high"], *drawn["nominal"].dropna()]
    bad, good = ("more", "fewer") if kind == "false alarms" else ("fewer", "more")
    keys = [
        key("as promised, or nothing promised", INK, "o"),
        key(f"{bad} than promised", MISS, "o"),
        key(f"{good} than promised", CAUTIOUS, "o"),
        key("promised", LINE, "|", size=9, width=0),
    ]
    title, counted = WORDS[kind]
    scale = Scale(f"share of {counted}", ends)
    return finish(ax, scale, title, _account(drawn, bad), keys, heading="rate", column=column)


def _draw(ax: Axes, drawn: pd.DataFrame, kind: str) -> list[SideText]:
    """Draw rates and what is promised, and return the rates in figures.

    Red is more false alarms than promised, blue fewer; the other way round for coverage.
    """
    as_promised = drawn["nominal"].isna() | drawn["nominal"].between(drawn["low"], drawn["high"])
    bad = (drawn["rate"] > drawn["nominal"]) == (kind == "false alarms")
    colours = np.where(as_promised, INK, np.where(bad, MISS, CAUTIOUS)).tolist()
    for at, colour in enumerate(colours):
        draw_intervals(ax, drawn.iloc[[at]], "rate", colour)
    promised = drawn[drawn["nominal"].notna()]
    foot, top = (promised["position"] + end for end in (-0.42, 0.42))
    ax.vlines(promised["nominal"], foot, top, color=LINE, linewidth=1.6, zorder=1.5)
    return [
        SideText(at, f"{rate:.3f}".removeprefix("0"), colour == MISS, colour)
        for at, rate, colour in zip(drawn["position"], drawn["rate"], colours, strict=True)
    ]


def _account(drawn: pd.DataFrame, bad: str) -> str:
    tables = sorted({int(n) for n in drawn["n"]})
    counts = f"{tables[0]:,}" if len(tables) == 1 else f"{tables[0]:,} to {tables[-1]:,}"
    return (
        f"{counts} simulated tables a row; bars are 95% Monte Carlo intervals. Grey ticks: the "
        f"share that the method promises. Red: {bad} than promised, beyond Monte Carlo error."
    )


def power_curves(
    frame: pd.DataFrame,
    *,
    x: str = "effect",
    y: str = "rate",
    by: str = "method",
    ax: Axes | None = None,
) -> Axes:
    """Draw rates, or widths of intervals, against effect or length of lists, a curve a method.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.calibration.list_length` returns it, with one row for each point of a curve.
    x : {"effect", "n_attributes", "n_words"}
        What lies along the x axis. Lengths are drawn on a scale of doublings.
    y : {"rate", "width"}
    by : str
        The column that tells curves apart, such as ``method`` or ``n_words``.
    ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        Curves with 95% Monte Carlo intervals for rates; a dashed line for each nominal rate.

    Raises
    ------
    ValueError
        If a column is missing, there are too many curves, or a curve has two values at one place.
    """
    for what, given, known in (("x", x, AXES), ("y", y, SHOWN)):
        if given not in known:
            raise ValueError(f"{what}: {unknown_name('column', given, known)}")
    require_columns(frame, (x, y, by, "low", "high", "nominal", "n"))
    curves = list(frame[frame[y].notna()].groupby(by, sort=False))
    if not 0 < len(curves) <= len(LINES):
        raise ValueError(f"{len(curves)} curves by {by!r}; a figure holds 1 to {len(LINES)}")
    ax = new_axes(ax, height=4.2)
    keys: list[Artist] = []
    for (curve, part), style in zip(curves, LINES, strict=False):
        if part[x].duplicated().any():
            raise ValueError(
                f"the curve {curve!r} has two values at one {x}; choose among its rows"
            )
        keys.append(_curve(ax, part.sort_values(x), str(curve), (x, y), style))
    _frame(ax, frame, x, y)
    curve_of = {"n_words": "Curves: words a group. ", "n_attributes": "Curves: attributes a set. "}
    account = "Shorter is more certain. Mean over simulated tables."
    if y == "rate":
        account = (
            f"{int(frame['n'].min()):,} simulated tables a point; shaded: 95% Monte Carlo "
            "intervals. Dashed: what methods promise where there is no effect."
        )
    header(ax, SHOWN[y][0], curve_of.get(by, "") + account, keys)
    return ax


def _curve(
    ax: Axes, part: pd.DataFrame, name: str, axes: tuple[str, str], style: tuple[str, str, str]
) -> Artist:
    colour, marker, dashes = style
    x, y = (part[column].to_numpy(float) for column in axes)
    if axes[1] == "rate":
        ax.fill_between(x, part["low"], part["high"], color=colour, alpha=0.13, linewidth=0)
    (line,) = ax.plot(x, y, dashes, marker=marker, color=colour, linewidth=1.6, label=name)
    line.set(markersize=5, markeredgecolor="white", markeredgewidth=0.6, zorder=3)
    return line


def _frame(ax: Axes, frame: pd.DataFrame, x: str, y: str) -> None:
    ax.grid(color=FAINT, linewidth=0.7)
    if y == "rate":
        ax.set_ylim(-0.02, 1.02)
        for nominal in sorted(frame["nominal"].dropna().unique()):
            line = ax.axhline(nominal, color=LINE, linewidth=1.1, linestyle=DASHES)
            line.set_gid("nominal")
    else:
        ax.set_ylim(bottom=0)
    ax.set_ylabel(SHOWN[y][1], fontsize=TEXT_SIZE, color=INK)
    places = sorted(frame[x].unique())
    draw_scale(ax, Scale(AXES[x], places))
    if x != "effect":
        ax.set_xscale("log", base=2)
        ax.set_xlim(places[0] / 1.1, places[-1] * 1.1)
        ax.set_xticks(places, [f"{place:g}" for place in places])
        ax.minorticks_off()
