"""Power curves: how often an effect is found, by its size or by the length of the lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from .._core.checks import unknown_name
from ..tables.schema import require_columns
from .axes_frame import DASHES, Scale, draw_scale, new_axes
from .header import TEXT_SIZE, header
from .palette import COLOURS, FAINT, GREEN, INK, LINE

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

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
    ax : Axes, optional
        Where to draw; a new figure by default.

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
    label = {"n_words": "words a group", "n_attributes": "attributes a set"}.get(by)
    header(ax, SHOWN[y][0], _account(frame, y, label), keys)
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


def _account(frame: pd.DataFrame, y: str, curves: str | None) -> str:
    told = f"Curves: {curves}. " if curves else ""
    if y == "width":
        return f"{told}Shorter is more certain. Mean over simulated tables."
    return (
        f"{told}{int(frame['n'].min()):,} simulated tables a point; shaded: 95% Monte Carlo "
        "intervals. Dashed: what methods promise where there is no effect."
    )
