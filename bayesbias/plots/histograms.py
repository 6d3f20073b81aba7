"""Histograms: what chance gives, with the value observed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .frame import draw_x, guides, header, key, new_axes, number
from .palette import INK, LINE, MISS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from ..background.relative_bias import RelativeBias

BODY = "#A9B4BC"
"""A grey-blue for null samples that are less extreme than the observed value."""


def null_distribution(
    values: ArrayLike,
    observed: float,
    *,
    label: str,
    title: str = "What chance alone gives",
    share: float | None = None,
    centre: float = 0.0,
    about: str = "null values",
    published: str = "",
    bounds: Sequence[float] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw values under a null model as a histogram, with the observed value and its mirror image.

    Parameters
    ----------
    values : (n,) array_like
        Such as effect sizes of simulated tables without bias.
    observed : float
        Both tails from its size on are coloured.
    label : str
        Of the x axis.
    share : float, optional
        Share of null values at least as far from the centre, if you know it exactly.
    centre : float
        What is expected by chance; the mirror image is on its other side.
    about, published : str
        What the null values are, and a published figure, for the note.
    bounds : sequence of float
        Limits of the quantity, drawn dotted.
    """
    drawn = np.asarray(values, dtype=float).ravel()
    if not drawn.size or not np.isfinite([*drawn, observed]).all():
        raise ValueError("null_distribution needs finite values and a finite observed value")
    size, away = abs(observed - centre), np.abs(drawn - centre)
    limit = max([*away, size, *np.abs(np.array(bounds) - centre), 1e-12])
    step = 2 * limit / 60
    step = size / round(size / step) if size >= step else step  # a bar starts where the tails do
    reach = int(np.ceil(limit / step * (1 - 1e-12)))
    counts, edges = np.histogram(drawn - centre, bins=step * np.arange(-reach, reach + 1))
    middles = edges[:-1] + step / 2
    tail = np.abs(middles) >= size
    ax = new_axes(ax, 3.3)
    keys = [key("observed (dashed: mirrored)", INK, width=1.3)]
    for part, colour, name in ((tail, MISS, "at least as extreme"), (~tail, BODY, "less extreme")):
        ax.bar(centre + middles[part], counts[part], step * 0.94, color=colour, label=name)
        keys.insert(0, key(name, colour, "s", size=8, width=0))
    ax.axvline(observed, color=INK, linewidth=1.5, zorder=3, label="observed")
    ax.axvline(2 * centre - observed, color=INK, linewidth=1.3, linestyle=(0, (2, 2)), zorder=3)
    for bound in bounds:
        ax.axvline(bound, color=LINE, linewidth=1.0, linestyle=":", zorder=3).set_gid("bound")
    ax.set_yticks([])
    guides(ax)
    ends = [centre - limit, centre + limit]
    draw_x(ax, label, ends, band=(centre - size, centre + size))
    known = float((away >= size).mean()) if share is None else share
    farthest = " and ".join(f"{bound:g}" for bound in sorted(bounds)).replace("-", "−")
    note = (
        f"{len(drawn):,} {about}. Observed: {number(observed)}. A value at least as far from "
        f"{number(centre)}, on either side, comes up in a share of {known:.2g}. {published} "
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
    """Draw the relative bias of two sets (`Distribution.relative_bias`) over that of random pairs.

    References
    ----------
    Smarda (2021), figure 3.
    """
    return null_distribution(
        bias.reference,
        bias.statistic,
        label=f"sum of ψ over {labels[0]} less that over {labels[1]}",
        title=f"{name}: relative bias" if name else "Relative bias",
        share=bias.p_simulated(),
        centre=bias.expected,
        about=f"random pairs of disjoint sets of {bias.n_x} and {bias.n_y} words",
        ax=ax,
    )
