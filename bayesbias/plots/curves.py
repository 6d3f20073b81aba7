"""Curves: power, the order of language models, and scores on parts of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from .frame import DASHES, TEXT_SIZE, draw_x, guides, header, new_axes, require_frame
from .palette import COLOURS, GREEN, INK, LINE

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

LINES = (
    (INK, "o", "-"),
    (COLOURS["associated"], "s", "-"),
    (COLOURS["different"], "D", "-"),
    (GREEN, "^", "-"),
    ("#A25A8C", "v", "--"),
    (COLOURS["neutral"], "X", "--"),
)
"""Colour, marker and dashes of each curve, told apart without colour too."""

ALONG = {
    "effect": "planted effect, in units of cosine distance",
    "n_attributes": "attribute words of each set",
    "n_words": "protected words of each group",
    "share": "share of every set's words that is used",
    "rate": "share of every bias type's pairs that is used",
}
"""What lies along the x axis, in words."""

SHOWN = {
    "rate": ("How often a planted effect is found", "share of tables in which a bias is claimed"),
    "width": ("How wide the interval is", "mean width of the interval, in cosine distance"),
    "mean": ("How the score holds on parts of the list", "score"),
    "same_order": ("Does the order of language models stay?", "share of samples with the order"),
}
"""Title, and what lies along the y axis."""


def curves(
    frame: pd.DataFrame,
    *,
    x: str = "effect",
    y: str = "rate",
    by: str = "method",
    ax: Axes | None = None,
) -> Axes:
    """Draw a column `y` against `x`, a curve for each value of `by`.

    Rates by planted effect or length of lists (``bb.calibration.list_length``), scores by the
    share of words used (``bb.scores.robustness``, one score: ``x="share"``, ``y="mean"``,
    ``by="groups"``), and the order of language models by the share of pairs
    (``bb.maskedlm.order_robustness``: ``x="rate"``, ``y="same_order"``, ``by="statistic"``).
    Columns ``low`` and ``high`` are bands around rates and means, values of ``nominal`` and
    ``no_bias`` dashed lines. Lengths of lists are on a scale of doublings.
    """
    require_frame(frame, (x, y, by), "what bb.calibration.list_length returns")
    rows = frame.dropna(subset=y).sort_values(x, kind="stable")
    twice = rows[by][rows.duplicated([by, x])]
    if len(twice):
        raise ValueError(f"the curve {twice.iloc[0]!r} has two values at one {x}; choose some rows")
    names = list(rows[by].unique())
    if not 0 < len(names) <= len(LINES):
        raise ValueError(f"{len(names)} curves by {by!r}; a figure holds 1 to {len(LINES)}")
    title, label = SHOWN.get(y, (f"{y} by {x}", y))
    ax = new_axes(ax, height=4.2)
    banded = y in {"rate", "mean"} and {"low", "high"} <= set(rows)
    keys: list[Artist] = []
    for name, (colour, marker, dashes) in zip(names, LINES, strict=False):
        part = rows[rows[by] == name]
        if banded:
            ax.fill_between(part[x], part["low"], part["high"], color=colour, alpha=0.13, lw=0)
        (line,) = ax.plot(part[x], part[y], dashes, marker=marker, color=colour, label=str(name))
        line.set(linewidth=1.6, markersize=5, markeredgecolor="white", zorder=3)
        keys.append(line)
    note = f"Curves by {by}. {'Shaded: from low to high.' if banded else ''}"
    about = {"nominal": "Dashed: what methods promise.", "no_bias": "Dashed: no bias."}
    for dashed in [name for name in about if banded and name in rows][:1]:
        note = f"{note} {about[dashed]}"
        for level in rows[dashed].dropna().unique():
            ax.axhline(level, color=LINE, linewidth=1.1, linestyle=DASHES).set_gid(dashed)
    draw_x(ax, ALONG.get(x, x), rows[x])
    ax.set_ylabel(label, fontsize=TEXT_SIZE, color=INK, parse_math=False)
    guides(ax, "both")
    if x.startswith("n_"):
        places = sorted(rows[x].unique())
        ax.set_xscale("log", base=2)
        ax.set_xlim(places[0] / 1.1, places[-1] * 1.1)
        ax.set_xticks(places, [f"{place:g}" for place in places])
        ax.minorticks_off()
    return header(ax, title, note, keys)
