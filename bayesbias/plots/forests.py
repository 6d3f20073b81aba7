"""Forests: each names the rows, colours and words for one of the package's frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..tables.descriptives import UNRELATED, contrast_of
from ..tables.levels import OVERALL
from .forest import STYLES, intervals, level_rows
from .frame import (
    DISTANCE,
    UNRELATED_NOTE,
    difference_label,
    interval_note,
    number,
    percent,
    require_frame,
    rope_note,
)
from .palette import LINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEANINGS = {
    "connection_sd": "between protected words",
    "level_sd": "between protected words",
    "lean_sd": "leanings of words to sets",
    "own_lean_sd": "leanings of words to their own sets",
    "group_sd": "between groups",
    "group_lean_sd": "leanings of groups to sets",
    "set_sd": "between attribute sets",
    "topic_sd": "nearness of two topics",
    "attribute_sd": "between attributes",
    "attribute_lean_sd": "leanings of attributes to groups",
    "attribute_own_lean_sd": "leanings of attributes to own groups",
    "residual_sd": "residuals that words share",
    "context_sd": "between contexts",
    "sigma": "between single distances",
}
"""What each standard deviation measures, in words."""

REFERENCES = {
    "topics": "Grey bars: where the points of 95% of lists about any topics lie.",
    "frequency": "Brown: where the points of 95% of lists lie whose stereotypes are any words of "
    "like frequency.",
}
"""What the ranges of reference lists are, in words."""

DIRECTION = "probability\nof direction"
"""Heading of the column of directions."""

SUMMARY, CONTRASTS = "bb.summary(posterior)", "bb.contrasts(posterior)"


def forest(frame: pd.DataFrame, *, level: str = "all", ax: Axes | None = None) -> Axes:
    """Draw posterior mean distances with intervals, a row a word and a line a connection.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.summary` returns it.
    level, ax : see `bayesbias.plots`

    Raises
    ------
    TypeError
        If a posterior is given; its summary is drawn.
    ValueError
        If the level is unknown or empty, or its words do not fit into one figure.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figure 13.
    """
    rows, left_out = level_rows(frame, level, SUMMARY)
    return intervals(
        rows,
        by="block",
        hue="connection",
        reference=UNRELATED,
        xlabel=DISTANCE,
        title="How close the attributes lie to the protected words",
        note=f"{interval_note(frame)} {UNRELATED_NOTE} {left_out}",
        ax=ax,
    )


def change_forest(
    frame: pd.DataFrame, *, level: str = "all", rope: float = 0.02, ax: Axes | None = None
) -> Axes:
    """Draw changes in mean distance with intervals, a row a word and a line a connection.

    Parameters
    ----------
    frame : DataFrame
        As ``comparison.changes`` or `bayesbias.summary` of a change returns it.
    level, rope, ax : see `bayesbias.plots`
    """
    rows, left_out = level_rows(frame, level, "bb.summary(change)")
    return intervals(
        rows,
        by="block",
        hue="connection",
        reference=0.0,
        rope=rope,
        xlabel="change in cosine distance: after − before (positive = farther after)",
        title="How far the attributes moved",
        note=f"{interval_note(frame)} {rope_note(rope).replace('differences', 'changes')} "
        f"{left_out}",
        ax=ax,
    )


def contrast_forest(
    frame: pd.DataFrame,
    *,
    first: str = "associated",
    second: str = "human",
    rope: float = 0.02,
    level: str = "all",
    ax: Axes | None = None,
) -> Axes:
    """Draw differences in mean distance between two connections, and how sure their sign is.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.contrasts` returns it. Columns ``reference_low`` and ``reference_high`` are
        drawn as ranges behind the intervals, in the colour of ``match`` (frequency or topics; a
        row may stand in the frame once for each). Rows whose ``thin`` is true are marked.
    first, second, rope, level, ax : see `bayesbias.plots`

    Raises
    ------
    ValueError
        If a connection, the pair or the level is not there, or `rope` is no distance.
    """
    require_frame(frame, ("mean", "low", "high"), CONTRASTS)
    known = {"first": first, "second": second} if "first" not in frame else {}
    chosen = contrast_of(frame.assign(**known), first, second)
    rows, left_out = level_rows(chosen, level, CONTRASTS)
    heading, column = "", ""
    if "p_direction" in rows:
        rows, heading = _with_directions(rows), DIRECTION
        column = f"Right: probability that {first} attributes lie closer (←) or farther (→)."
    matches = rows["match"].unique() if "match" in rows else ["frequency"]
    about = [text for name, text in REFERENCES.items() if name in matches]
    return intervals(
        rows,
        by="block",
        hue="first",
        reference=0.0,
        rope=rope,
        heading=heading,
        xlabel=difference_label(first, second),
        title=f"{first.capitalize()} against {second} attributes: which lie closer?",
        note=f"{interval_note(frame)} {' '.join(about) if 'reference_low' in rows else ''} "
        f"{rope_note(rope)} {column} {left_out}",
        ax=ax,
    )


def difference_forest(
    frame: pd.DataFrame,
    *,
    by: str,
    title: str,
    xlabel: str,
    rope: float = 0.02,
    ax: Axes | None = None,
) -> Axes:
    """Draw differences in blocks, such as those of several lists, and how sure their sign is.

    Parameters
    ----------
    frame : DataFrame
        ``label`` names a row, the column `by` its block; ``mean``, ``low``, ``high`` and
        ``p_direction`` are as `bayesbias.contrasts` returns them.
    by, title, xlabel : str
        The column of blocks, and what stands above the plot and below it.
    rope, ax : see `bayesbias.plots`
    """
    require_frame(frame, ("mean", "p_direction"), CONTRASTS)
    return intervals(
        _with_directions(frame),
        by=by,
        styles={"": STYLES["associated"]},
        reference=0.0,
        rope=rope,
        heading=DIRECTION,
        xlabel=xlabel,
        title=title,
        note=f"{interval_note(frame)} {rope_note(rope)}",
        ax=ax,
    )


def _with_directions(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the text of the right column: direction and probability."""
    arrows = np.where(frame["mean"] < 0, "← ", "→ ")
    return frame.assign(text=arrows + frame["p_direction"].map(percent))


def before_after(frame: pd.DataFrame, *, level: str = "all", ax: Axes | None = None) -> Axes:
    """Draw mean distances before and after, a row a word and a line a connection.

    Parameters
    ----------
    frame : DataFrame
        As ``comparison.changes`` returns it, or its rows of some connections.
    level, ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        Points are posterior means after, and lines lead to them from the means before. They show
        no uncertainty; `change_forest` does.
    """
    source = "bb.comparison.changes(change)"
    require_frame(frame, ("connection", "before", "after"), source)
    ends = frame[["before", "after"]]
    moved = frame.assign(mean=frame["after"], low=ends.min(axis=1), high=ends.max(axis=1))
    rows, left_out = level_rows(moved, level, source)
    return intervals(
        rows,
        by="block",
        hue="connection",
        reference=UNRELATED,
        xlabel=DISTANCE,
        title="Where the attributes went",
        note=f"Points: posterior means after. Lines: from the means before. {UNRELATED_NOTE} "
        f"{left_out}",
        ax=ax,
    )


def order_forest(frame: pd.DataFrame, *, level: str = "all", ax: Axes | None = None) -> Axes:
    """Draw the difference between two connections before and after, and if its sign turned.

    Parameters
    ----------
    frame : DataFrame
        As ``comparison.order_changes`` returns it.
    level, ax : see `bayesbias.plots`

    Returns
    -------
    Axes
        A row a word: the interval before above that after, and on the right the probability that
        the sign turned.
    """
    source = "bb.comparison.order_changes(change)"
    require_frame(frame, ("first", "second", "p_turned", "before_low", "after_low"), source)
    first, second = frame[["first", "second"]].iloc[0]
    parts = []
    for when in ("before", "after"):
        own = frame.assign(mean=frame[when], low=frame[f"{when}_low"], high=frame[f"{when}_high"])
        parts.append(own.assign(when=when, text=frame["p_turned"].map(percent)))
    rows, left_out = level_rows(pd.concat(parts), level, source)
    return intervals(
        rows,
        by="block",
        hue="when",
        styles={"before": (LINE, "s"), "after": STYLES[first]},
        reference=0.0,
        heading="probability\nthat it turned",
        xlabel=difference_label(first, second),
        title=f"Did the order of {first} and {second} attributes turn?",
        note=f"{interval_note(frame)} Right: probability that the order turned. {left_out}",
        ax=ax,
    )


def rank_forest(
    frame: pd.DataFrame,
    *,
    first: str = "associated",
    second: str = "different",
    rope: float = 0.02,
    ax: Axes | None = None,
) -> Axes:
    """Draw the contrasts of embeddings in blocks of lists, from one model and by themselves.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.rank_embeddings` returns it.
    first, second, rope, ax : see `bayesbias.plots`
    """
    values, raw = ["mean", "low", "high"], ["raw_mean", "raw_low", "raw_high"]
    require_frame(
        frame, ("wordlist", "embedding", *values, *raw, "p_most"), "bb.rank_embeddings(posterior)"
    )
    alone = frame.dropna(subset=raw).assign(model="by itself")
    alone = alone.assign(**{name: alone[f"raw_{name}"] for name in values})
    rows = pd.concat([frame.assign(model="in the model of all"), alone])
    return intervals(
        rows.assign(text=rows["p_most"].map(percent), block=rows["wordlist"].replace("", "all")),
        label="embedding",
        by="block",
        hue="model",
        styles={"in the model of all": STYLES["associated"], "by itself": (LINE, "s")},
        reference=0.0,
        rope=rope,
        heading="probability\nto be lowest",
        xlabel=difference_label(first, second),
        title="Embeddings and lists in one model",
        note=f"{interval_note(frame)} {rope_note(rope)} Right: probability of the most negative "
        "contrast.",
        ax=ax,
    )


def sweep_forest(
    frame: pd.DataFrame,
    *,
    first: str = "associated",
    second: str = "human",
    rope: float = 0.02,
    ax: Axes | None = None,
) -> Axes:
    """Draw the overall difference between two connections, a block a list and a row an embedding.

    Parameters
    ----------
    frame : DataFrame
        Contrasts of a sweep: columns of `bayesbias.contrasts`, and ``embedding``, ``list`` and
        ``model``. Rows of other levels and pairs are not drawn; models have their own colours.
    first, second, rope, ax : see `bayesbias.plots`

    Raises
    ------
    ValueError
        If the pair is not there, or the rows are more than a figure holds.
    """
    columns = ("embedding", "list", "model", "level", "mean", "low", "high")
    require_frame(frame, columns, "the contrasts of a sweep")
    rows = contrast_of(frame[frame["level"] == OVERALL], first, second)
    models = list(rows["model"].unique())
    model = f" Model: {models[0]}." if len(models) == 1 else ""
    return intervals(
        rows,
        label="embedding",
        by="list",
        hue="model",
        reference=0.0,
        rope=rope,
        xlabel=difference_label(first, second),
        title=f"{first.capitalize()} against {second} attributes: do lists and embeddings agree?",
        note=f"A block a word list, a row an embedding.{model} {interval_note(frame)} "
        f"{rope_note(rope)}",
        ax=ax,
    )


def influence(frame: pd.DataFrame, *, most: int = 12, ax: Axes | None = None) -> Axes:
    """Draw the contrast without each of the most influential words, from where it is with all.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.influence` returns it.
    most : int
        Protected words, and attributes, that are drawn.
    ax : see `bayesbias.plots`
    """
    columns = ("factor", "name", "mean", "mean_without")
    require_frame(frame, columns, "bb.influence(posterior)")
    rows = frame.groupby("factor", sort=False).head(most)
    with_all, ends = frame["mean"].iloc[0], rows[["mean", "mean_without"]]
    blocks = {"protected_word": "protected words", "attribute": "attributes"}
    ax = intervals(
        rows.assign(
            factor=rows["factor"].map(blocks),
            mean=rows["mean_without"],
            low=ends.min(axis=1),
            high=ends.max(axis=1),
        ),
        label="name",
        by="factor",
        styles={"": STYLES["associated"]},
        reference=0.0,
        xlabel=difference_label(
            frame.attrs.get("first", "associated"), frame.attrs.get("second", "different")
        ),
        title="Which words the contrast hangs on",
        note="Point: the overall contrast without the word. Line: with all, "
        f"{number(with_all, 3)}.",
        ax=ax,
    )
    ax.axvline(with_all, color=LINE, linewidth=1.0, zorder=1)
    return ax


def scales(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the standard deviations of a posterior with their intervals.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.sd_summary` returns it.
    ax : see `bayesbias.plots`
    """
    require_frame(frame, ("parameter", "of", "mean", "low", "high"), "bb.sd_summary(posterior)")
    tails = frame[frame["parameter"] == "nu"]
    rows = frame[frame["parameter"] != "nu"]
    meaning = rows["parameter"].map(lambda name: MEANINGS.get(name, name))
    note = f"{interval_note(frame)} Farther right is more spread."
    if len(tails):
        nu, low, high = tails[["mean", "low", "high"]].iloc[0]
        note += f" Tails: {nu:.0f} degrees of freedom ({low:.0f} to {high:.0f}); "
        note += "under 10 is heavy."
    ax = intervals(
        rows.assign(
            meaning=meaning,
            label=rows["of"].where(rows["of"] != "", meaning),
            bold=rows["of"] == "",
        ),
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
