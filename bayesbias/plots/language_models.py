"""Sentence pairs under language models: shares by bias type and model, and both sets of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import Scale, finish, new_axes
from .forest_engine import MOST_ROWS, beside_rows, block_rows, draw_intervals, forest_axes
from .forests import share
from .header import interval_key, key
from .palette import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HALF = 0.5
"""Share of stereotypical preferences where there is none."""

BINS = 40
"""Bars of a histogram of scores."""

SIDES = {"stereotypical": "associated", "anti_stereotypical": "different"}
"""Columns of paired scores, and the connection whose colour each has."""


def pair_forest(
    frame: pd.DataFrame, *, quantity: str = "p_stereotypical", ax: Axes | None = None
) -> Axes:
    """Draw shares of stereotypical preferences, a block a bias type and a row a language model.

    Parameters
    ----------
    frame : DataFrame
        As ``maskedlm.pair_summary`` returns it.
    quantity : str
        p_stereotypical, or p_equal_length.
    ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        The overall shares come first; on the right is the probability that a share is above one
        half.

    Raises
    ------
    ValueError
        If a column or the quantity is missing, or the rows do not fit into one figure.
    """
    require_columns(frame, ("level", "bias_type", "quantity", "model", "mean", "low", "high"))
    found = frame[(frame["quantity"] == quantity) & (frame["level"] != "population")]
    if found.empty:
        there = ", ".join(map(str, frame["quantity"].unique()))
        raise ValueError(f"the frame has no quantity {quantity!r}; it has: {there}")
    if len(found) > MOST_ROWS:
        raise ValueError(f"{len(found)} rows do not fit into one figure, which holds {MOST_ROWS}")
    named = found.assign(
        label=found["model"], block=found["bias_type"].replace("", "all bias types")
    )
    rows, drawn = block_rows(named, "block")
    ax = forest_axes(ax, rows, row_height=0.22)
    draw_intervals(ax, drawn, "share", COLOURS["associated"])
    return finish(
        ax,
        Scale(
            "share of pairs whose stereotypical sentence is preferred",
            [0.4, 0.6, *drawn["low"], *drawn["high"]],
            HALF,
        ),
        "How often stereotypical sentences are preferred",
        f"{interval_key(frame)} Dashed line: one half, no preference.",
        heading="probability\nabove half",
        column=beside_rows(drawn.drop(columns="level"), map(share, drawn["p_above"])),
        tall=rows.is_tall,
    )


def score_densities(paired: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the scores of both kinds of sentences, each with the Normal that KLS and JSS suppose.

    Parameters
    ----------
    paired : DataFrame
        From ``maskedlm.paired_scores``, of one language model and measure.
    ax : see `bayesbias.plots`

    Raises
    ------
    ValueError
        If a column is missing, or there are several models or measures, or fewer than two scores.

    References
    ----------
    Liu (2024), figure 2.
    """
    require_columns(paired, ("model", "measure", *SIDES))
    heads = paired[["model", "measure"]].drop_duplicates()
    if len(heads) != 1 or len(paired) < 2:
        raise ValueError(
            f"give two scores or more of one model and measure; got {len(paired)} of {len(heads)}"
        )
    model, measure = heads.iloc[0]
    values = paired[list(SIDES)].to_numpy(dtype=float)
    edges = np.histogram_bin_edges(values, BINS).tolist()
    ax, keys = new_axes(ax, 3.4), []
    for column, (name, connection) in zip(values.T, SIDES.items(), strict=True):
        mean, sd, colour = column.mean(), column.std(ddof=1), COLOURS[connection]
        ax.hist(column, edges, density=True, color=colour, alpha=0.3, label=name)
        x = np.linspace(mean - 4 * sd, mean + 4 * sd, 200)
        ax.plot(x, np.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * np.sqrt(2 * np.pi)), color=colour)
        keys.append(key(name.replace("_", "-"), colour, "s"))
    ax.set_yticks([])
    return finish(
        ax,
        Scale(f"score of a sentence under {measure}", values),
        f"Scores of both sentences of a pair: {model}",
        "Bars: scores of all pairs. Lines: the Normals of the same mean and sd, which KLS and JSS "
        "put in their place.",
        keys,
    )
