"""Plots of answers: posteriors as dots, pairs and rates as matrices, and a change as arrows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._core.checks import check_choice
from .._core.display import digits_for, number
from ..records.rows import QUANTILES
from ..tables.schema import validate_table
from ..tables.word_pairs import lean_changes, word_pairs
from . import layout
from .forest import MOST_ROWS
from .palette import COLORS, FAINT, GREEN, INK, TINT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_LEVELS = 60
"""Number of columns of dots across the plot."""

WORDS = ("protected_word", "attribute")

CLOSER = "closer by (difference in cosine distance)"


MOST_METHODS = 14
"""Largest number of columns in a matrix of rates that is still readable."""

TITLES = {
    "false alarms": "How often methods claim a bias that is not there",
    "coverage": "How often intervals cover the truth",
}
"""Titles of matrices of rates, keyed by kind."""

MATRIX_NOTE = (
    "Percent of simulated tables. Below each method: the percentage that it promises. Orange to "
    "red: wrong more often than promised, beyond Monte Carlo error."
)


def closeness(
    frame: pd.DataFrame,
    *,
    label: str = "",
    title: str = "How much closer",
    heading: str = "mean (interval)",
    ax: Axes | None = None,
) -> Axes:
    """Draw each row of a headline as 100 dots, each 1% of the posterior; closer is to the right.

    Parameters
    ----------
    frame : DataFrame
        ``headline`` in the frames of an analysis: ``mean``, ``low``, ``high``, and 100 quantiles.
    label : str
        Column that names the rows; by default, the group or the embedding.
    title : str
        What the plot is about, such as a list and an embedding.
    heading : str
        Heading of the numbers on the right, such as ``"mean (89% interval)"``.

    Examples
    --------
    >>> import bayesbias as bb
    >>> analysis = bb.analyze("glove-demo", "religion", reference_lists=0, matched=0, seed=1)
    >>> ax = bb.plots.closeness(analysis.frames["headline"])
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['all groups', 'jew', 'christian', 'muslim']
    """
    layout.require_frame(frame, (*QUANTILES, "mean"), 'analysis.frames["headline"]')
    label = label or ("embedding" if "embedding" in frame else "protected_group")
    layout.require_frame(frame, (label,), 'analysis.frames["headline"]')
    values = -frame[QUANTILES].to_numpy(np.float64)
    step = float(np.ptp([*values.ravel(), 0.0])) / N_LEVELS or 1.0
    columns = np.floor(values / step)
    tallest = int(np.max([np.unique(row, return_counts=True)[1].max() for row in columns]))
    ax = layout.new_axes(ax, 0.9 * len(frame))
    for place, row in enumerate(columns):
        x, counts = np.unique(row, return_counts=True)
        heights = np.concatenate([np.arange(count) for count in counts])
        at = np.repeat((x + 0.5) * step, counts)
        y = place - 0.8 * (heights + 0.5) / max(tallest, 12)
        closer = at > 0
        ax.scatter(at[closer], y[closer], s=14, color=COLORS["associated"], linewidths=0)
        hollow = ax.scatter(at[~closer], y[~closer], s=12, linewidths=0.9)
        hollow.set(facecolor="none", edgecolor=COLORS["different"])
    ax.hlines(range(len(frame)), 0, 1, FAINT, linewidth=0.8, transform=ax.get_yaxis_transform())
    layout.draw_x(ax, CLOSER, values, 0.0)
    names = layout.spaced(frame[label]).replace("", "all groups")
    layout.row_labels(ax, range(len(frame)), names)
    ax.set_ylim(len(frame) - 0.7, -1.0)
    raised = 0.0
    if {"low", "high"} <= {*frame}:
        ends = zip(-frame["mean"], -frame["high"], -frame["low"], strict=True)
        write = partial(number, digits=digits_for(*frame["low"], *frame["high"]))
        texts = (f"{write(mean)} ({write(low)} to {write(high)})" for mean, low, high in ends)
        rows = [(place - 0.2, text, False) for place, text in enumerate(texts)]
        raised = layout.right_column(ax, heading, rows)
    note = "Each dot is 1% of the posterior. Filled dots: closer. Hollow dots: farther."
    return layout.header(ax, title, note, raised=raised)


def heatmap(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw every pair of words in a table: how much closer it is than both words suggest.

    The averages of both words are removed, with equal weights of groups and sets, so the plot
    cannot rank two groups. Lines separate groups and sets.
    """
    pairs = word_pairs(validate_table(table))
    rows = pairs.drop_duplicates("protected_word")
    columns = pairs.drop_duplicates(["attribute_set", "attribute"])
    columns = columns.iloc[np.argsort(pd.factorize(columns["attribute_set"])[0], kind="stable")]
    words, attributes = rows["protected_word"].tolist(), columns["attribute"].tolist()
    wide = pairs.pivot_table("deviation", *WORDS, dropna=False)
    values = wide.reindex(index=words, columns=attributes).to_numpy(np.float64)
    ax = layout.new_axes(ax, 0.9 + 0.2 * len(words))
    most = float(np.nanquantile(abs(values), 0.97)) or 1.0
    ax.imshow(values, cmap="PRGn_r", vmin=-most, vmax=most, aspect="auto", interpolation="none")
    layout.row_labels(ax, range(len(words)), words)
    names = [layout.shorten(word, 18, attributes) for word in attributes]
    ax.set_xticks(range(len(attributes)), names, rotation=90, parse_math=False)
    for end in _ends(rows["protected_group"]):
        ax.axhline(end - 0.5, color=INK, linewidth=1.2)
    for end in _ends(columns["attribute_set"]):
        ax.axvline(end - 0.5, color=INK, linewidth=1.2)
    size = number(most, digits_for(most))
    note = f"Purple: closer than usual for both words, up to {size}. Green: farther."
    return layout.header(ax, "Every pair of words", note)


def _ends(column: pd.Series) -> Sequence[int]:
    """Return the places where a new group or set starts."""
    blocks = column.to_numpy()
    return [int(place) + 1 for place in np.flatnonzero(blocks[1:] != blocks[:-1])]


def false_alarms(
    frame: pd.DataFrame, *, kind: str = "false alarms", ax: Axes | None = None
) -> Axes:
    """Draw a matrix of rates: one row per simulated world, and one column per method.

    The frame comes from `bayesbias.calibration.calibrate`. A cell is colored if its method is wrong
    more often than promised, beyond Monte Carlo error.

    Parameters
    ----------
    kind : {"false alarms", "coverage"}
        The rows to draw.

    Examples
    --------
    >>> import bayesbias as bb
    >>> worlds, methods = ["independent", "words-differ"], ["weat-p", "t-cells-groups"]
    >>> rates = bb.calibration.calibrate(worlds, methods, n=400, seed=1)
    >>> ax = bb.plots.false_alarms(rates)
    >>> [text.get_text() for text in ax.texts if text.get_weight() == "bold"]
    ['20']
    """
    columns = ("scenario", "method", "kind", "rate", "low", "high", "nominal")
    layout.require_frame(frame, columns, "bb.calibration.calibrate(scenarios, methods)")
    check_choice("kind", kind, TITLES)
    rows = frame[frame["kind"] == kind]
    worlds, methods = (list(dict.fromkeys(rows[name])) for name in ("scenario", "method"))
    if not 0 < len(worlds) <= MOST_ROWS or len(methods) > MOST_METHODS:
        raise ValueError(
            f"the frame has {kind} in {len(worlds)} scenarios with {len(methods)} methods; a "
            f"matrix needs 1 to {MOST_ROWS} scenarios and at most {MOST_METHODS} methods"
        )
    layout.require_one_row(rows, ("scenario", "method"))
    ax = layout.new_axes(ax, 0.9 + 0.3 * len(worlds))
    for cell in rows.to_dict("records"):
        _draw_rate(ax, methods.index(cell["method"]), worlds.index(cell["scenario"]), cell)
    layout.row_labels(ax, range(len(worlds)), worlds)
    rates = rows.drop_duplicates("method")["nominal"]
    names = [layout.shorten(name, 40, methods).replace("-", "\n") for name in methods]
    promised = ["–" if np.isnan(rate) else layout.share(rate) for rate in rates]
    labels = [f"{name}\n{rate}" for name, rate in zip(names, promised, strict=True)]
    ax.set_xticks(range(len(methods)), labels, parse_math=False)
    ax.tick_params(axis="x", length=0, labeltop=True, labelbottom=False)
    ax.set(xlim=(-0.5, len(methods) - 0.5), ylim=(len(worlds) - 0.5, -0.5))
    ax.spines["bottom"].set_visible(False)
    raised = 1.3 * layout.TEXT_SIZE * max(label.count("\n") + 1 for label in labels)
    return layout.header(ax, TITLES[kind], MATRIX_NOTE, raised=raised)


def _draw_rate(ax: Axes, x: int, y: int, cell: Mapping[Any, Any]) -> None:
    """Draw a rate in a cell whose color shows how much more often than promised it is wrong."""
    from matplotlib import colormaps

    rate, least, promised = (cell[name] for name in ("rate", "low", "nominal"))
    shown = "<1" if rate < 0.01 else ">99" if rate > 0.99 else f"{100 * rate:.0f}"
    if cell["kind"] == "coverage":
        rate, least, promised = 1 - rate, 1 - cell["high"], 1 - promised
    worse = bool(least > promised)
    depth = min(0.15 + 0.2 * np.log2(rate / promised), 0.85) if worse else 0.0
    ax.bar(x, 0.92, 0.94, y - 0.46, color=colormaps["OrRd"](depth) if worse else TINT)
    text = ax.text(x, y, shown, ha="center", va="center")
    text.set(fontsize=layout.TEXT_SIZE, color="white" if depth > 0.6 else INK)
    text.set_fontweight("bold" if worse else "normal")


def change(before: pd.DataFrame, after: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw how a change between two tables moved each stereotype word, as an arrow.

    If there are two groups, a word's place shows how much closer it is to the first one than to
    the second. Otherwise, it shows how much closer it is to its own group than to the others. Only
    rows that both tables have are used; a warning counts the others.
    """
    from ..comparison.pairing import pair

    pairs = pair(before, after)
    pairs.warn_of_unpaired()
    rows = lean_changes(pairs.rows)
    sets = list(dict.fromkeys(rows["attribute_set"]))
    layout.require_readable(len(rows), MOST_ROWS)
    ax = layout.new_axes(ax, 0.2 * len(rows))
    styles = [COLORS["associated"], COLORS["different"], GREEN, INK]
    for place, row in enumerate(rows.to_dict("records")):
        color = styles[min(sets.index(row["attribute_set"]), len(styles) - 1)]
        arrow = {"arrowstyle": "->", "color": color, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (row["after"], place), (row["before"], place), arrowprops=arrow)
        ax.plot(row["before"], place, "o", color=color, markersize=3.5)
    layout.guides(ax)
    layout.row_labels(ax, range(len(rows)), rows["attribute"])
    groups = pairs.rows["protected_group"].astype(str).unique()
    to = groups[0] if len(groups) == 2 else "its own group"
    layout.draw_x(ax, f"closer to {layout.shorten(to)} by", rows[["before", "after"]], 0.0)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    keys = [
        layout.key(layout.shorten(name), styles[min(place, 3)]) for place, name in enumerate(sets)
    ]
    return layout.header(ax, "How far each word moved", "Dots: before. Arrow tips: after.", keys)
