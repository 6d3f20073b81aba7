"""Curves of power and order, and histograms of chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .frame import DASHES, TEXT_SIZE, draw_x, guides, header, key, new_axes, number, require_frame
from .palette import COLORS, GREEN, INK, LINE, MISS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from ..background.psi_distribution import RelativeBias

LINES = (
    (INK, "o", "-"),
    (COLORS["associated"], "s", "-"),
    (COLORS["different"], "D", "-"),
    (GREEN, "^", "-"),
    ("#A25A8C", "v", "--"),
    (COLORS["neutral"], "X", "--"),
)
"""Color, marker and dashes of each curve, told apart without color too."""

ALONG = {
    "effect": "planted effect, in units of cosine distance",
    "n_attributes": "attribute words of each set",
    "n_words": "protected words of each group",
    "share": "share of every set's words that is used",
}
"""What lies along the x axis, in words."""

SHOWN = {
    "rate": ("How often a planted effect is found", "share of tables in which a bias is claimed"),
    "width": ("How wide the interval is", "mean width of the interval, in cosine distance"),
    "mean": ("How the score holds on parts of the list", "score"),
}
"""Title, and what lies along the y axis."""


BODY = "#A9B4BC"
"""A gray-blue for null samples that are less extreme than the observed value."""


def curves(
    frame: pd.DataFrame,
    *,
    x: str = "effect",
    y: str = "rate",
    by: str = "method",
    ax: Axes | None = None,
) -> Axes:
    """Draw a column `y` against `x`, a curve for each value of `by`.

    For example, rates by planted effect or list length, or scores by the share of words. Columns
    ``low`` and ``high`` are bands around rates and means, and ``nominal`` and ``no_bias`` are
    dashed lines. Lengths of lists have a logarithmic scale.
    """
    require_frame(frame, (x, y, by), "rows of bb.calibration.calibrate")
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
    for name, (color, marker, dashes) in zip(names, LINES, strict=False):
        part = rows[rows[by] == name]
        if banded:
            ax.fill_between(part[x], part["low"], part["high"], color=color, alpha=0.13, lw=0)
        (line,) = ax.plot(part[x], part[y], dashes, marker=marker, color=color, label=str(name))
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


def null_distribution(
    values: ArrayLike,
    observed: float,
    *,
    label: str,
    title: str = "What chance alone gives",
    share: float | None = None,
    center: float = 0.0,
    about: str = "null values",
    published: str = "",
    bounds: Sequence[float] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw values under a null model as a histogram, with the observed value and its mirror image.

    Parameters
    ----------
    values : (n,) array_like
        For example, effect sizes of simulated tables without bias.
    observed : float
        Both tails at least this extreme are colored.
    label : str
        Label of the x axis.
    share : float, optional
        Exact share of null values at least as far from the center, if you know it.
    center : float
        The value expected by chance; the mirror image is on its other side.
    about, published : str
        Description of the null values, and a published value, for the note.
    bounds : sequence of float
        Limits of the quantity, drawn dotted.
    """
    drawn = np.asarray(values, dtype=float).ravel()
    if not drawn.size or not np.isfinite([*drawn, observed]).all():
        raise ValueError("null_distribution needs finite values and a finite observed value")
    size, away = abs(observed - center), np.abs(drawn - center)
    limit = max([*away, size, *np.abs(np.array(bounds) - center), 1e-12])
    step = 2 * limit / 60
    step = size / round(size / step) if size >= step else step  # a bar starts where the tails do
    reach = int(np.ceil(limit / step * (1 - 1e-12)))
    counts, edges = np.histogram(drawn - center, bins=step * np.arange(-reach, reach + 1))
    middles = edges[:-1] + step / 2
    tail = np.abs(middles) >= size
    ax = new_axes(ax, 3.3)
    keys = [key("observed (dashed: mirrored)", INK, width=1.3)]
    for part, color, name in ((tail, MISS, "at least as extreme"), (~tail, BODY, "less extreme")):
        ax.bar(center + middles[part], counts[part], step * 0.94, color=color, label=name)
        keys.insert(0, key(name, color, "s", size=8, width=0))
    ax.axvline(observed, color=INK, linewidth=1.5, zorder=3, label="observed")
    ax.axvline(2 * center - observed, color=INK, linewidth=1.3, linestyle=(0, (2, 2)), zorder=3)
    for bound in bounds:
        ax.axvline(bound, color=LINE, linewidth=1.0, linestyle=":", zorder=3).set_gid("bound")
    ax.set_yticks([])
    guides(ax)
    ends = [center - limit, center + limit]
    draw_x(ax, label, ends, band=(center - size, center + size))
    known = float((away >= size).mean()) if share is None else share
    farthest = " and ".join(f"{bound:g}" for bound in sorted(bounds)).replace("-", "−")
    note = (
        f"{len(drawn):,} {about}. Observed: {number(observed)}. A value at least as far from "
        f"{number(center)}, on either side, comes up in a share of {known:.2g}. {published} "
        f"{f'Dotted: {farthest}, the farthest there can be.' if bounds else ''}"
    )
    return header(ax, title, note, keys)


def relative_bias(
    bias: RelativeBias,
    *,
    name: str = "",
    labels: tuple[str, str] = ("X", "Y"),
    ax: Axes | None = None,
) -> Axes:
    """Draw a relative bias (`Distribution.relative_bias`) over those for random pairs of sets."""
    return null_distribution(
        bias.reference,
        bias.statistic,
        label=f"sum of ψ over {labels[0]} less that over {labels[1]}",
        title=f"{name}: relative bias" if name else "Relative bias",
        share=bias.p_simulated(),
        center=bias.expected,
        about=f"random pairs of disjoint sets of {bias.n_x} and {bias.n_y} words",
        ax=ax,
    )
