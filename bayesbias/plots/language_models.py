"""Sentence pairs under language models: shares by bias type and model, and both sets of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import Scale, finish, new_axes
from .calibration import LINES
from .forest_engine import MOST_ROWS, beside_rows, block_rows, draw_intervals, forest_axes
from .forests import share
from .header import TEXT_SIZE, interval_key, key
from .palette import COLOURS, FAINT, INK

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


def order_robustness(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw how often fewer pairs keep the order of language models, a curve a statistic.

    Parameters
    ----------
    frame : DataFrame
        As ``maskedlm.order_robustness`` returns it, of one measure.
    ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        The share of samples in which the models stand in the order of all pairs.

    Raises
    ------
    ValueError
        If a column is missing, or there are several measures or none.

    References
    ----------
    Liu (2024), figure 5 (its criterion).
    """
    require_columns(frame, ("measure", "statistic", "rate", "n_models", "same_order"))
    measures = frame["measure"].unique()
    if len(measures) != 1:
        raise ValueError(f"give the rows of one measure; got {len(measures)}")
    ax, keys = new_axes(ax, 3.6), []
    curves = frame.groupby("statistic", sort=False)
    for (name, part), (colour, marker, dashes) in zip(curves, LINES, strict=False):
        x, y = 100 * part["rate"], part["same_order"]
        ax.plot(x, y, dashes, marker=marker, color=colour, linewidth=1.6, label=str(name))
        keys.append(key(str(name), colour, marker))
    ax.grid(color=FAINT, linewidth=0.7)
    ax.set_ylim(-0.02, 1.02)
    ax.set_ylabel("share of samples with this order", fontsize=TEXT_SIZE, color=INK)
    return finish(
        ax,
        Scale("pairs in a sample, per cent", 100 * frame["rate"]),
        f"Does the order of {int(frame['n_models'].iloc[0])} language models stay: {measures[0]}",
        "Samples of the pairs of each bias type. What they say is of these pairs; of others the "
        "probabilities of ranks tell.",
        keys,
    )
