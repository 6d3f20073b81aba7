"""Forest plots, one for each kind of frame that the package returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.checks import check_numbers
from ..tables.descriptives import UNRELATED, lead_contrasts, probability_below
from ..tables.levels import LEVEL_COLUMNS
from . import layout
from .forest import intervals
from .palette import GREEN, INK, LINE, MISS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEANINGS = {
    "connection_sd": "between protected words",
    "level_sd": "between protected words",
    "lean_sd": "of words’ leans toward sets",
    "own_lean_sd": "of words’ leans toward own sets",
    "group_sd": "between groups",
    "cell_sd": "between sets, in each group",
    "kind_level_sd": "between protected words, by kind",
    "group_lean_sd": "of groups’ leans toward sets",
    "set_sd": "between attribute sets",
    "topic_sd": "of two topics’ closeness",
    "attribute_sd": "between attributes",
    "attribute_lean_sd": "of attributes’ leans toward groups",
    "attribute_own_lean_sd": "of attributes’ leans toward own groups",
    "residual_sd": "of residuals that words share",
    "context_sd": "between contexts",
    "sigma": "between single distances",
}
"""What each standard deviation is: the sd between some words, or the sd of something."""


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
    layout.require_frame(frame, LEVEL_COLUMNS[:2], "bb.summary(posterior)")
    return intervals(
        frame,
        words=words,
        hue="connection",
        reference=UNRELATED,
        xlabel=layout.DISTANCE,
        title="How close the attributes are to the protected words",
        note=f"{layout.interval_note(frame)} {layout.UNRELATED_NOTE}",
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
        (``frequency`` and ``topics``).
    """
    names = () if "estimand" in frame else ("first", "second")  # frames of reports have one pair
    columns = (*LEVEL_COLUMNS[:2], *names, "mean", "low", "high")
    layout.require_frame(frame, columns, "bb.contrasts(posterior)")
    pair = {"first": first, "second": second} if "first" not in frame else {}
    rows = lead_contrasts(frame.assign(**pair), first, second)
    title, xlabel = f"Are {first} or {second} attributes closer?", ""
    if "estimand" in rows and (rows["estimand"] == "relative").any():
        title = "Are words closer to their own stereotypes than words of other groups?"
        xlabel = "contrast in cosine distance (negative = closer to their own stereotypes)"
    heading = ""
    if "p_direction" in rows:
        rows = rows.assign(text=probability_below(rows).map(layout.probability))
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
        note=layout.interval_note(frame),
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
    layout.require_frame(frame, columns, "bb.influence(posterior)")
    layout.require_one_row(frame, ("factor", "name"))
    check_numbers(most=most)
    rows = frame.groupby("factor", sort=False).head(most)
    with_all, ends = frame["mean"].iloc[0], rows[["mean", "mean_without"]]
    ax = intervals(
        rows.assign(
            factor=layout.spaced(rows["factor"]) + "s",
            mean=rows["mean_without"],
            low=ends.min(axis=1),
            high=ends.max(axis=1),
        ),
        label="name",
        by="factor",
        pair=(frame.attrs.get("first", "associated"), frame.attrs.get("second", "different")),
        title="Influential words",
        note="Points: contrast without a word. "
        f"Line: with every word, {layout.number(with_all, 3)}.",
        ax=ax,
    )
    ax.axvline(with_all, color=LINE, linewidth=1.0, zorder=1)
    return ax


def scales(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw standard deviations with their intervals (`bayesbias.sd_summary`)."""
    layout.require_frame(
        frame, ("parameter", "of", "mean", "low", "high"), "bb.sd_summary(posterior)"
    )
    tails = frame["parameter"] == "nu"
    rows, note = frame[~tails], f"{layout.interval_note(frame)} Farther right means more spread."
    of = layout.texts(rows["of"])
    for nu, low, high in frame.loc[tails, ["mean", "low", "high"]].to_numpy():
        note += f" Degrees of freedom: {nu:.0f} ({low:.0f}–{high:.0f}); tails are heavy below 10."
    meaning = rows["parameter"].replace(MEANINGS)
    ax = intervals(
        rows.assign(of=of, meaning=meaning, label=of.where(of != "", meaning), bold=of == ""),
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
    layout.require_frame(frame, columns, "bb.prior_predictive(model, table)")
    figure, of = frame["statistic"].replace(FIGURES), layout.texts(frame["of"])
    inside = frame["observed"].between(frame["low"], frame["high"])
    model = f" of {frame.attrs['model']}" if "model" in frame.attrs else ""
    values = frame[["observed", "low", "high"]].map(layout.number).to_numpy()
    share = frame["share_below"]
    return intervals(
        frame.assign(
            figure=figure,
            label=of.where(of != "", figure),
            bold=of == "",
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
        f"values, and the {layout.interval_name(frame)} of the drawn tables.",
        ax=ax,
    )


def pair_forest(
    frame: pd.DataFrame, *, quantity: str = "p_stereotypical", ax: Axes | None = None
) -> Axes:
    """Draw shares of stereotypical preferences (``maskedlm.pair_summary``) by bias type.

    Parameters
    ----------
    quantity : {"p_stereotypical", "p_equal_length"}
        The share to draw, as described in `maskedlm.pair_summary`.
    """
    columns = ("level", "bias_type", "quantity", "model", "mean", "low", "high", "p_above")
    layout.require_frame(frame, columns, "bb.maskedlm.pair_summary(posterior)")
    rows = frame[(frame["quantity"] == quantity) & (frame["level"] != "population")]
    if rows.empty:
        there = ", ".join(map(str, frame["quantity"].unique()))
        raise ValueError(f"the frame has no quantity {quantity!r}; it has {there}")
    return intervals(
        rows.assign(
            block=layout.texts(rows["bias_type"]).replace("", "all bias types"),
            text=rows["p_above"].map(layout.probability),
        ),
        label="model",
        by="block",
        reference=0.5,
        heading="probability\nabove half",
        xlabel="share of pairs whose stereotypical sentence is preferred",
        title="How often stereotypical sentences are preferred",
        note=f"{layout.interval_note(frame)} Dashed line: one half, no preference.",
        ax=ax,
    )


def scores(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw a table of scores (`bayesbias.score_table`): one block per score, with intervals.

    Scores have different units, so each block has a separate scale. Rows show distances from the
    no-bias value, relative to the largest in the block. The heading explains the right-hand side.
    """
    columns = ("score", "groups", "value", "low", "high", "interval", "no_bias", "direction")
    layout.require_frame(frame, (*columns, "reading"), "bb.score_table(vectors, wordlist)")
    rows = frame[frame["value"].notna()]
    if rows.empty:
        raise ValueError("no score in the frame has a value; see the column 'note' for the reasons")
    sign = np.where(rows["direction"] == "higher", 1.0, -1.0)
    groups = layout.texts(rows["groups"])
    away = rows[["value", "low", "high"]].sub(rows["no_bias"], axis=0).mul(sign, axis=0)
    farthest = away.abs().max(axis=1).groupby(rows["score"]).transform("max").replace(0, 1)
    shares = away.div(farthest, axis=0)
    values = zip(rows["value"], rows["low"], rows["high"], strict=True)
    posterior = rows["interval"] == "posterior"
    ax = intervals(
        rows.assign(
            label=groups.where(~posterior, groups + ", posterior"),
            block=layout.texts(rows["score"]) + " → " + layout.texts(rows["reading"]),
            text=[
                f"{layout.number(v)}  [{layout.number(low)}, {layout.number(high)}]"
                for v, low, high in values
            ],
            mean=shares["value"],
            low=shares[["low", "high"]].min(axis=1),
            high=shares[["low", "high"]].max(axis=1),
        ),
        by="block",
        hue="interval",
        styles={"bootstrap": (INK, "o"), "posterior": (GREEN, "D")},
        reference=0.0,
        heading="value  [interval]",
        title="Scores, each on its own scale",
        note="Bars: intervals. Rows of the same score share a scale, which ends at the farthest "
        "bar. Do not compare lengths between scores. Scores that cannot be negative never "
        "cross the line; for such scores, a distance from the line is not evidence of bias.",
        ax=ax,
    )
    ax.set_xlim(-1.08, 1.08)
    ax.set_xticks([-1, 0, 1], ["← opposite direction", "no bias", "direction in heading →"])
    return ax
