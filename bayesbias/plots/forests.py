"""Forest plots, one for each kind of frame that the package returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..tables.descriptives import UNRELATED, lead_contrasts, probability_below
from ..tables.levels import LEVEL_COLUMNS
from .forest import intervals
from .frame import (
    DISTANCE,
    UNRELATED_NOTE,
    interval_name,
    interval_note,
    number,
    percent,
    require_frame,
)
from .palette import INK, LINE, MISS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEANINGS = {
    "connection_sd": "between protected words",
    "level_sd": "between protected words",
    "lean_sd": "leans of words toward sets",
    "own_lean_sd": "leans of words toward their own sets",
    "group_sd": "between groups",
    "cell_sd": "between sets, in each group",
    "kind_level_sd": "between protected words, by kind",
    "group_lean_sd": "leans of groups toward sets",
    "set_sd": "between attribute sets",
    "topic_sd": "closeness of two topics",
    "attribute_sd": "between attributes",
    "attribute_lean_sd": "leans of attributes toward groups",
    "attribute_own_lean_sd": "leans of attributes toward their own groups",
    "residual_sd": "residuals that words share",
    "context_sd": "between contexts",
    "sigma": "between single distances",
}
"""Label of each standard deviation."""


FIGURES = {
    "mean": "mean distance",
    "sd": "sd of distances",
    "sd_of_words": "sd of words' means",
    "sd_of_attributes": "sd of attributes' means",
    "difference": "difference of means",
    "correlation": "correlation of words' means",
    "share_outside": "share outside 0 to 2",
}
"""Label of each statistic in a prior predictive check."""


def forest(frame: pd.DataFrame, *, words: bool = False, ax: Axes | None = None) -> Axes:
    """Draw posterior mean distances (`bayesbias.summary`), by group and connection.

    Examples
    --------
    >>> bb.plots.forest(bb.summary(post)).get_xlabel()
    'cosine distance (smaller = closer)'
    """
    require_frame(frame, LEVEL_COLUMNS[:2], "bb.summary(posterior)")
    return intervals(
        frame,
        words=words,
        hue="connection",
        reference=UNRELATED,
        xlabel=DISTANCE,
        title="How close the attributes are to the protected words",
        note=f"{interval_note(frame)} {UNRELATED_NOTE}",
        ax=ax,
    )


def contrast_forest(
    frame: pd.DataFrame,
    *,
    first: str = "associated",
    second: str = "different",
    rope: float | None = None,
    words: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw differences between two connections (`bayesbias.contrasts`), with their probabilities.

    In a list of two groups, only the overall contrast is drawn, and words if you ask for them.

    Parameters
    ----------
    frame : DataFrame
        The optional columns ``reference_low`` and ``reference_high`` add a range behind each
        interval. The column ``match`` sets the range's color; a row may occur once with each value
        (``frequency`` and ``topics``). Rows in which ``thin`` is true are marked.
    """
    columns = (*LEVEL_COLUMNS[:2], "mean", "low", "high")
    require_frame(frame, columns, "bb.contrasts(posterior)")
    pair = {"first": first, "second": second} if "first" not in frame else {}
    rows = lead_contrasts(frame.assign(**pair), first, second)
    title, xlabel = f"Are {first} or {second} attributes closer?", ""
    if "estimand" in rows and (rows["estimand"] == "relative").any():
        title = "Are words closer to their own stereotypes than words of other groups?"
        xlabel = "contrast in cosine distance (negative = closer to their own stereotypes)"
    heading = ""
    if "p_direction" in rows:
        rows = rows.assign(text=probability_below(rows).map(percent))
        heading = "probability\nof being closer"
    return intervals(
        rows,
        words=words,
        hue="first",
        pair=(first, second),
        rope=rope,
        heading=heading,
        title=title,
        xlabel=xlabel,
        note=interval_note(frame),
        ax=ax,
    )


def influence(frame: pd.DataFrame, *, most: int = 12, ax: Axes | None = None) -> Axes:
    """Draw the contrast without each word (`bayesbias.influence`), and the contrast with all words.

    Parameters
    ----------
    most : int
        Largest number of protected words, and of attributes, to draw.
    """
    columns = ("factor", "name", "mean", "mean_without")
    require_frame(frame, columns, "bb.influence(posterior)")
    rows = frame.groupby("factor", sort=False).head(most)
    with_all, ends = frame["mean"].iloc[0], rows[["mean", "mean_without"]]
    ax = intervals(
        rows.assign(
            factor=rows["factor"].str.replace("_", " ") + "s",
            mean=rows["mean_without"],
            low=ends.min(axis=1),
            high=ends.max(axis=1),
        ),
        label="name",
        by="factor",
        pair=(frame.attrs.get("first", "associated"), frame.attrs.get("second", "different")),
        title="Influential words",
        note=f"Points: contrast without a word. Line: with every word, {number(with_all, 3)}.",
        ax=ax,
    )
    ax.axvline(with_all, color=LINE, linewidth=1.0, zorder=1)
    return ax


def scales(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw standard deviations with their intervals (`bayesbias.sd_summary`)."""
    require_frame(frame, ("parameter", "of", "mean", "low", "high"), "bb.sd_summary(posterior)")
    tails = frame["parameter"] == "nu"
    rows, note = frame[~tails], f"{interval_note(frame)} Farther right means more spread."
    for nu, low, high in frame.loc[tails, ["mean", "low", "high"]].to_numpy():
        note += f" Degrees of freedom: {nu:.0f} ({low:.0f}–{high:.0f}); tails are heavy below 10."
    meaning = rows["parameter"].replace(MEANINGS)
    label = rows["of"].where(rows["of"] != "", meaning)
    ax = intervals(
        rows.assign(meaning=meaning, label=label, bold=rows["of"] == ""),
        by="meaning",
        hue="of",
        xlabel="standard deviation, in units of cosine distance",
        title="Where the spread comes from",
        note=note,
        keys=(),
        ax=ax,
    )
    ax.set_xlim(left=0.0)
    return ax


def prior_predictive(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw a table's position among tables drawn from the prior (`bayesbias.prior_predictive`)."""
    columns = ("statistic", "of", "observed", "low", "high", "share_below")
    require_frame(frame, columns, "bb.prior_predictive(model, table)")
    figure = frame["statistic"].replace(FIGURES)
    inside = frame["observed"].between(frame["low"], frame["high"])
    model = f" of {frame.attrs['model']}" if "model" in frame.attrs else ""
    values = frame[["observed", "low", "high"]].map(number).to_numpy()
    share = frame["share_below"]
    return intervals(
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
        xlabel="share of tables drawn from the prior with a smaller value",
        title="Is the table plausible under the priors?",
        note=f"Dots: the observed table among tables drawn from the prior{model}. Right: observed "
        f"values, and the {interval_name(frame)} of the drawn tables.",
        ax=ax,
    )
