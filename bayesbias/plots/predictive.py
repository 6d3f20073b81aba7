"""Predictive checks: measured distances among those that a model, or its priors, expect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..model.tree import index_of, labels, observed
from ..posterior.predictive import predictive_intervals
from ..tables.schema import CONNECTIONS
from .forest import intervals as draw_intervals
from .frame import interval_name, number, percent, require_frame
from .palette import INK, MISS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from xarray import DataTree

    from .._core.arrays import FloatArray

FIGURES = {
    "mean": "mean distance",
    "sd": "sd of distances",
    "sd_of_words": "sd of words' means",
    "sd_of_attributes": "sd of attributes' means",
    "difference": "difference of means",
    "correlation": "correlation of words' means",
    "share_outside": "share outside 0 to 2",
}
"""What each figure of a prior predictive check is, in words."""


def predictive_check(
    tree: DataTree,
    *,
    ci_prob: float = 0.89,
    intervals: FloatArray | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of measured distances inside their predictive intervals, by connection.

    Parameters
    ----------
    ci_prob : float
        Probability of the predictive HPDIs, in (0, 1).
    intervals : (n_rows, 2) float, optional
        Predictive intervals of that probability, if you have them.
    """
    if intervals is None:
        intervals = predictive_intervals(tree, [ci_prob], seed=0)[float(ci_prob)]
    connection = np.asarray(labels(tree, "connection"))[index_of(tree, "connection_index")]
    low, high = intervals.T
    parts = {"all rows": np.full(len(connection), True)}
    parts |= {name: connection == name for name in CONNECTIONS if name in connection}
    rows = []
    for name, part in parts.items():
        below, above = ((observed(tree) < low)[part], (observed(tree) > high)[part])
        text = f"{part.sum():,}: {percent(below.mean())} below, {percent(above.mean())} above"
        rows.append({"label": name, "mean": 1 - (below | above).mean(), "text": text})
    frame = pd.DataFrame(rows)
    ax = draw_intervals(
        frame.assign(low=frame["mean"], high=ci_prob, bold=frame["label"] == "all rows"),
        reference=ci_prob,
        heading="rows: outside",
        xlabel="share of measured distances inside their predictive intervals",
        title="Does the model expect what was measured?",
        note=f"Dots: the share inside. Dashed: {ci_prob:.0%}, about what a model that fits has.",
        ax=ax,
    )
    ax.set_xlim(min(0.8, frame["mean"].min(), ci_prob) - 0.01, 1.01)
    return ax


def prior_predictive(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw where a table is among those that priors expect (`bayesbias.prior_predictive`).

    References
    ----------
    Gabry et al. (2019), Journal of the Royal Statistical Society A 182.
    """
    columns = ("statistic", "of", "observed", "low", "high", "share_below")
    require_frame(frame, columns, "bb.prior_predictive(model, table)")
    figure = frame["statistic"].replace(FIGURES)
    inside = frame["observed"].between(frame["low"], frame["high"])
    model = f" of {frame.attrs['model']}" if "model" in frame.attrs else ""
    values = frame[["observed", "low", "high"]].map(number).to_numpy()
    share = frame["share_below"]
    return draw_intervals(
        frame.assign(
            figure=figure,
            label=frame["of"].where(frame["of"] != "", figure),
            bold=frame["of"] == "",
            text=[f"{value}  [{low}, {high}]" for value, low, high in values],
            where=np.where(inside, "inside the interval", "outside"),
            **dict.fromkeys(("mean", "low", "high"), share),
        ),
        by="figure",
        hue="where",
        styles={"inside the interval": (INK, "o"), "outside": (MISS, "o")},
        reference=0.5,
        heading="observed\n[interval]",
        xlabel="share of tables drawn from the prior whose figure is smaller",
        title="Do the priors expect such a table?",
        note=f"Dots: the table observed among tables drawn from the prior{model}. Right: its "
        f"figures, and the {interval_name(frame)} of those of the tables drawn.",
        ax=ax,
    )
