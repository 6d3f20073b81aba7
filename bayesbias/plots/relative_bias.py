"""The relative bias of two sets over that of random pairs of sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..background.relative_bias import RelativeBias
from .axes_frame import Scale, finish, new_axes, vertical_guides
from .null_distribution import BINS, HEIGHT, mark_observed
from .palette import COLOURS, INK, LINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def relative_bias(
    found: RelativeBias,
    *,
    name: str = "",
    labels: tuple[str, str] = ("X", "Y"),
    ax: Axes | None = None,
) -> Axes:
    """Draw the relative bias of two sets over that of random pairs of sets.

    Parameters
    ----------
    found : RelativeBias
        As `Distribution.relative_bias` returns it.
    name : str
        Of the experiment, for the title.
    labels : pair of str
        What the sets are called.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        A histogram of the random pairs, the Normal of the closed form, and the observed value.

    References
    ----------
    Smarda (2021), figure 3.
    """
    ax = new_axes(ax, HEIGHT)
    vertical_guides(ax)
    ax.hist(found.reference, bins=BINS, density=True, color=LINE, alpha=0.55, label="random pairs")
    z = np.linspace(-4.5, 4.5, 300)
    x, peak = found.expected + found.sd * z, 1 / (found.sd * np.sqrt(2 * np.pi))
    ax.plot(x, peak * np.exp(-(z**2) / 2), color=INK, linewidth=1.1, label="closed form")
    ticks = [found.expected + at * found.sd for at in (-1.959964, 1.959964)]
    ax.vlines(ticks, 0, 0.09 * peak, color=INK, linewidth=1.3)
    mark_observed(ax, found.statistic, COLOURS["associated"], 2.2)
    ax.set_yticks([])
    ax.set_ylim(0, 1.12 * peak)
    return finish(
        ax,
        Scale(
            f"sum of ψ over {labels[0]} less that over {labels[1]}", [x[0], x[-1], found.statistic]
        ),
        f"{name}: relative bias" if name else "Relative bias",
        f"Grey: {len(found.reference):,} random pairs of disjoint sets of {found.n_x} and "
        f"{found.n_y} words; curve: the Normal in closed form, ticks at its middle 95%. Coloured: "
        f"the observed value, two-sided p = {found.p_simulated():.2g} among the random pairs.",
    )
