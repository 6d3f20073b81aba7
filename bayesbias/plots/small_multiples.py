"""Small multiples: one contrast across embeddings, word lists and models."""

from __future__ import annotations

from itertools import cycle
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..tables.levels import OVERALL
from ..tables.schema import require_columns
from .axes_frame import (
    WIDTH,
    Scale,
    draw_scale,
    panel_figure,
    rope_band,
    row_labels,
    shorten,
    vertical_guides,
)
from .forest_engine import draw_intervals
from .forests import difference_label, rope_key
from .header import SMALL_SIZE, TEXT_SIZE, header, interval_key, key, literal
from .palette import INK, QUIET, TINT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("embedding", "list", "model", "seed")
"""What a frame of a sweep has besides the columns of `bayesbias.contrasts`."""

PANELS_ACROSS = 3
"""Panels side by side, so that names of embeddings still have room."""

MOST_PANELS = 12
"""Panels in one figure."""

MOST_ROWS = 48
"""Rows in one panel: embeddings times models."""

ROW_HEIGHT = 0.2
"""Inches a row takes."""

MODEL_COLOURS = ("#1A1A1A", "#00795A", "#A35200", "#5B4FB3", "#7A1F5C", "#5F6B00")
MODEL_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""Of different length, so that 42 models are told apart; all colours 5 to 1 or more on white."""

GROUP_GAP = 0.5
"""Room between embeddings, in rows."""

SEED_SPREAD = 0.36
"""How much of a row's height several seeds take."""


def small_multiples(
    frame: pd.DataFrame, *, first: str = "associated", second: str = "human", rope: float = 0.02
) -> Axes:
    """Draw the overall difference between two connections, a panel a list, a row an embedding.

    All panels share their axes. Every model has a row of an embedding; several seeds stand in one
    row, a little apart.

    Parameters
    ----------
    frame : DataFrame
        Contrasts of a sweep: columns of `bayesbias.contrasts`, and ``embedding``, ``list``,
        ``model``, ``seed``. Rows of other levels and pairs are not drawn.
    first, second, rope : see `bayesbias.plots`

    Returns
    -------
    Axes
        An empty one that carries the header; the panels are the other Axes of its figure, and
        each one's gid is the name of its list.

    Raises
    ------
    ValueError
        If the pair is not there, or the lists or rows are more than a figure holds.
    """
    band = rope_band(rope)
    found = _chosen(frame, first, second)
    rows = _rows(found)
    seeds = pd.factorize(found["seed"], sort=True)[0]
    spread = SEED_SPREAD * (seeds / seeds.max() - 0.5) if seeds.max() else 0.0
    drawn = found.join(rows, on=["embedding", "model"])
    drawn["position"] = drawn["row"] + spread
    lists, models = list(drawn["list"].unique()), list(drawn["model"].unique())
    styles = dict(zip(models, zip(cycle(MODEL_COLOURS), cycle(MODEL_MARKERS)), strict=False))
    across = min(PANELS_ACROSS, len(lists))
    height = 1.5 + ceil(len(lists) / across) * (ROW_HEIGHT * (float(rows.max()) + 1 + 0.6) + 0.35)
    head, panels = panel_figure(len(lists), across, (WIDTH, height), head=0.01)
    scale = Scale("", drawn[["low", "high"]], 0.0, band)
    for place, (panel, name) in enumerate(zip(panels, lists, strict=True)):
        _panel(panel, drawn[drawn["list"] == name], rows, styles, len(drawn["seed"].unique()))
        literal(panel.set_title(shorten(name), fontsize=TEXT_SIZE, color=INK, loc="left"))
        panel.set_gid(name)
        draw_scale(panel, scale)
        _ticks(panel, rows.groupby("embedding", sort=False).mean(), place, len(lists))
    label = difference_label(first, second)
    head.figure.supxlabel(label, fontsize=TEXT_SIZE, color=INK).set_gid("x label")
    keys = [key(shorten(name), *style, size=4.5, width=1.5) for name, style in styles.items()]
    title = f"{first.capitalize()} against {second} attributes: do lists and embeddings agree?"
    header(head, title, _account(found, rope), keys if len(keys) > 1 else ())
    return head


def _chosen(frame: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    require_columns(frame, (*COLUMNS, "level", "first", "second", "mean", "low", "high"))
    overall = frame[frame["level"] == OVERALL]
    chosen = overall[(overall["first"] == first) & (overall["second"] == second)]
    if chosen.empty:
        there = (overall["first"] + " − " + overall["second"]).unique()
        raise ValueError(
            f"the frame has no overall contrast {first} − {second}; it has "
            f"{', '.join(there) or 'none'}"
        )
    return chosen


def _rows(found: pd.DataFrame) -> pd.Series[float]:
    """Return the ``row`` of every model under every embedding, whether or not it has a result."""
    names = [found[name].unique() for name in ("embedding", "model")]
    n_lists, n_embeddings, n_models = found["list"].nunique(), *map(len, names)
    if n_lists > MOST_PANELS:
        raise ValueError(
            f"{n_lists} lists do not fit into one figure, which holds {MOST_PANELS} "
            "panels; pass the rows of some of them"
        )
    if n_embeddings * n_models > MOST_ROWS:
        raise ValueError(
            f"{n_embeddings} embeddings with {n_models} models do not fit into "
            f"panels of {MOST_ROWS} rows; pass the rows of some of them"
        )
    index = pd.MultiIndex.from_product(names, names=["embedding", "model"])
    places = np.arange(n_embeddings)[:, None] * (n_models + GROUP_GAP) + np.arange(n_models)
    return pd.Series(places.ravel(), index, name="row")


def _panel(
    ax: Axes,
    drawn: pd.DataFrame,
    rows: pd.Series[float],
    styles: dict[str, tuple[str, str]],
    n_seeds: int,
) -> None:
    vertical_guides(ax)
    for _, own in list(rows.groupby("embedding", sort=False))[::2]:
        room = 0.5 + GROUP_GAP / 2
        ax.axhspan(own.min() - room, own.max() + room, color=TINT, linewidth=0, zorder=0)
    for model, part in drawn.groupby("model", sort=False):
        colour, marker = styles[str(model)]
        size = 4.5 if n_seeds < 4 else 3.0
        draw_intervals(ax, part, str(model), colour, marker, size=size, width=1.5)
    for row in set(rows) - set(drawn["row"]):
        text = ax.text(0.5, row, "no result", transform=ax.get_yaxis_transform(), color=QUIET)
        text.set(ha="center", va="center", fontsize=SMALL_SIZE - 1, style="italic")
    ax.set_ylim(rows.max() + 0.5 + GROUP_GAP / 2, -0.5 - GROUP_GAP / 2)


def _ticks(ax: Axes, middles: pd.Series[float], place: int, n_lists: int) -> None:
    """Name the embeddings on the left and the ticks at the foot of each column only."""
    row_labels(ax, middles.tolist(), middles.index.tolist())
    if place % PANELS_ACROSS:
        ax.tick_params(axis="y", labelleft=False)
    ax.locator_params(axis="x", nbins=3)  # more would touch, within a panel or across two
    if place + min(PANELS_ACROSS, n_lists) < n_lists:
        ax.tick_params(axis="x", labelbottom=False)


def _account(found: pd.DataFrame, rope: float) -> str:
    models, n_seeds = found["model"].unique(), found["seed"].nunique()
    model = f" Model: {models[0]}." if len(models) == 1 else ""
    seeds = f" {n_seeds} seeds a row." if n_seeds > 1 else ""
    text = f"A panel a word list, a row an embedding.{model} {interval_key(found)}{seeds}"
    return f"{text} {rope_key(rope)}"
