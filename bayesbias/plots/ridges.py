"""Ridge plots of densities, for distances and for ψ in a whole vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._core.display import percent
from ..tables.descriptives import FEWEST_FOR_DENSITY, UNRELATED, densities, mac_band
from ..tables.schema import connections_present, validate_table
from . import layout
from .palette import COLORS, INK, LINE, QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

RIDGE = 0.74
"""Height of the highest ridge, in rows."""

PSI = "ψ: mean cosine to the first attribute set − mean cosine to the second"
"""Label of the x axis in plots of ψ."""


def distributions(
    table: pd.DataFrame,
    after: pd.DataFrame | None = None,
    *,
    half_width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the density of each connection's distances, with the share inside a band around 1.

    Parameters
    ----------
    table : DataFrame
        A long-form table.
    after : DataFrame, optional
        The table after a change. Its densities are filled, and those of `table` are dashed. Only
        rows that both tables have are drawn; a warning counts the others.
    half_width : float, optional
        Half-width of the band. The default is abs(1 - MAC) of `table`, rounded up to two decimals.
    """
    left_out = ""
    if after is None:
        filled, bands = validate_table(table), mac_band(table, half_width)
    else:
        from ..comparison.changes import band_shares
        from ..comparison.pairing import pair

        bands, pairs = band_shares(table, after, half_width), pair(table, after)
        table, filled = pairs.tables
        lost = connections_present(pairs.unpaired)
        if others := [name for name in lost if name not in [*bands["connection"]]]:
            left_out = f" Left out, because one table lacks it: {', '.join(others)}."
    names = bands["connection"].tolist()
    low, high = float(bands["band_low"].iloc[0]), float(bands["band_high"].iloc[0])
    curves = densities(filled).assign(when="after")
    if after is not None:
        curves = pd.concat([densities(table).assign(when="before"), curves])
    curves = curves.assign(density=RIDGE * curves["density"] / curves["density"].max())
    ax = _ridge_axes(ax, names, row_height=0.95)
    for (connection, when), curve in curves.groupby(["connection", "when"], sort=False):
        name = str(connection)
        place = names.index(name), curve["cosine_distance"], curve["density"]
        if when == "after":
            draw_ridge(ax, *place, fill=COLORS[name], line=COLORS[name], label=name)
        else:
            draw_ridge(ax, *place, line=INK, label=f"{name} before", linestyle=layout.DASHES)
    for row, name in enumerate(names if after is None else ()):
        rug = filled["cosine_distance"][filled["connection"] == name]
        many = len(rug) > 150  # drawn as pixels, to keep SVG files small
        ticks = ax.vlines(rug, row + 0.02, row + 0.12, color=COLORS[name], linewidth=0.5)
        ticks.set(alpha=0.25 if many else 0.8, rasterized=many, zorder=2)
    values = [*filled["cosine_distance"], *curves["cosine_distance"]]
    layout.draw_x(ax, layout.DISTANCE, values, UNRELATED, (low, high))
    if after is None:
        title, about = "Spread of the distances", "The mean hides values outside the band."
        heading, texts = "inside the band", [*map(percent, bands["share"])]
    else:
        title, about = "Spread of the distances, before and after", "Dashed: before."
        heading, shares = "inside the band\nbefore → after", bands[["share_before", "share_after"]]
        texts = [" → ".join(map(percent, both)) for both in shares.to_numpy().tolist()]
    why = "; it just includes MAC, the mean distance to the stereotypes"
    raised = layout.right_column(
        ax, heading, [(row - RIDGE / 3, text, True) for row, text in enumerate(texts)]
    )
    why = "" if half_width is not None else why
    note = f"Shaded: a band around 1 ({low:.2f} to {high:.2f}){why}. Right: share of single "
    return layout.header(
        ax, title, f"{note}distances in the band. {about}{left_out}", raised=raised
    )


def background_densities(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw reference distributions (`bayesbias.background.densities`; Smarda, 2021, figure 1)."""
    columns = ("experiment", "psi", "density", "normal", "mean", "low", "high")
    layout.require_frame(frame, columns, "bb.background.densities(distributions)")
    parts = dict(iter(frame.groupby(layout.texts(frame["experiment"]), sort=False)))
    ax = _ridge_axes(ax, [*parts], row_height=0.55)
    for row, (name, part) in enumerate(parts.items()):
        heights = RIDGE * part[["density", "normal"]] / part[["density", "normal"]].max().max()
        draw_ridge(ax, row, part["psi"], heights["density"], fill=COLORS["different"])
        draw_ridge(ax, row, part["psi"], heights["normal"], line=QUIET, label=name)
        mean, *ticks = part[["mean", "low", "high"]].iloc[0]
        ax.vlines(mean, row - RIDGE, row, color=INK, linewidth=1.3, zorder=4)
        ax.vlines(ticks, row - 0.16, row + 0.1, color=INK, linewidth=1.3)
    layout.draw_x(ax, PSI, frame["psi"], 0.0)
    note = (
        "Filled: ψ of all words. Line: the Normal with their mean (long tick) and sd; short ticks: "
    )
    note += "the ends of its middle 95%. Dashed: 0."
    return layout.header(ax, "ψ in the whole vocabulary", note)


def sentence_scores(paired: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the densities of sentences' scores, by language model and measure (Liu, 2024, figure 2).

    Parameters
    ----------
    paired : DataFrame
        Scores of both sentences of every pair, from `maskedlm.paired_scores`.
    """
    from scipy.stats import gaussian_kde

    sides = ("stereotypical", "anti_stereotypical")
    layout.require_frame(paired, ("model", "measure", *sides), "bb.maskedlm.paired_scores(scores)")
    groups = {
        f"{m}, {of}": part for (m, of), part in paired.groupby(["model", "measure"], sort=False)
    }
    if not np.isfinite(paired[[*sides]].to_numpy(np.float64)).all():
        raise ValueError("some sentences have no score; remove their pairs")
    for name, part in groups.items():
        if (fewest := part[[*sides]].nunique().min()) < FEWEST_FOR_DENSITY:
            raise ValueError(
                f"a density needs {FEWEST_FOR_DENSITY} different scores; {name} has {fewest} on "
                "one side. Leave it out, or add pairs"
            )
    ax = _ridge_axes(ax, [*groups], row_height=0.95)
    ends = paired[[*sides]].to_numpy().min(), paired[[*sides]].to_numpy().max()
    x = np.linspace(*ends, 300)
    for row, part in enumerate(groups.values()):
        curves = np.array([gaussian_kde(part[side])(x) for side in sides])
        curves *= RIDGE / curves.max()
        draw_ridge(ax, row, x, curves[0], fill=COLORS["associated"], label=sides[0])
        draw_ridge(ax, row, x, curves[1], line=INK, linestyle=layout.DASHES, label=sides[1])
    layout.draw_x(ax, "score of the sentence", x)
    note = "Filled: stereotypical sentences. Dashed: anti-stereotypical ones."
    return layout.header(ax, "Scores of sentences", note)


def draw_ridge(
    ax: Axes,
    base: float,
    x: ArrayLike,
    heights: ArrayLike,
    *,
    fill: str = "",
    line: str = "",
    **style: Any,  # noqa: ANN401
) -> None:
    """Draw a density above its baseline in the given colors; `heights` are in units of rows."""
    y = base - np.asarray(heights, dtype=float)
    if fill:
        ax.fill_between(x, y, base, color=fill, alpha=0.35, linewidth=0, zorder=2)
    if line:
        ax.plot(x, y, color=line, linewidth=1.2, zorder=3, **style)


def _ridge_axes(ax: Axes | None, names: Sequence[str], row_height: float) -> Axes:
    """Return Axes with labeled baselines. In a new figure, rows are `row_height` inches apart."""
    ax = layout.new_axes(ax, row_height * len(names))
    layout.row_labels(ax, [row - RIDGE / 3 for row in range(len(names))], names)
    for row in range(len(names)):
        ax.axhline(row, color=LINE, linewidth=0.6, zorder=2)
    ax.set_ylim(len(names) - 0.8, -RIDGE - 0.1)
    return ax
