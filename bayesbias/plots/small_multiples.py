"""Small multiples: one contrast across embeddings, word lists and models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import pandas as pd

from ..tables.schema import require_columns
from .canvas import (
    OWN,
    SMALL_SIZE,
    TEXT_SIZE,
    WIDTH,
    canvas,
    header,
    interval_key,
    literal,
    reference_line,
    row_labels,
    shorten,
    vertical_guides,
)
from .palette import BAND, INK, QUIET, TINT

if TYPE_CHECKING:
    from matplotlib.artist import Artist
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

CARD_COLOURS = ("#1A1A1A", "#00795A", "#A35200", "#5B4FB3", "#7A1F5C", "#5F6B00")
CARD_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""Of different length, so that 42 models are told apart; all colours 5 to 1 or more on white."""

GROUP_GAP = 0.5
"""Room between embeddings, in rows."""

SEED_SPREAD = 0.36
"""How much of a row's height several seeds take."""


@dataclass(frozen=True)
class _Grid:
    """Names in the order of the frame, and the place of every row."""

    embeddings: list[str]
    lists: list[str]
    models: list[str]
    seeds: list[int]

    @property
    def block(self) -> float:
        """Rows from one embedding to the next."""
        return len(self.models) + GROUP_GAP

    @property
    def extent(self) -> float:
        """Rows that a panel is high."""
        return len(self.embeddings) * self.block - GROUP_GAP

    def position(self, embedding: str, model: str, seed: int | None = None) -> float:
        """Give the place on the y axis, from 0 downwards."""
        row = self.embeddings.index(embedding) * self.block + self.models.index(model)
        if seed is None or len(self.seeds) == 1:
            return row
        return row + SEED_SPREAD * (self.seeds.index(seed) / (len(self.seeds) - 1) - 0.5)


def small_multiples(
    frame: pd.DataFrame,
    *,
    first: str = "associated",
    second: str = "human",
    rope: float = 0.02,
) -> Axes:
    """Overall difference between two connections: a panel a list, a row an embedding and model.

    All panels share their axes. Several seeds stand in one row, a little apart.

    Parameters
    ----------
    frame : DataFrame
        Contrasts of a sweep: columns of `bayesbias.contrasts`, and ``embedding``, ``list``,
        ``model``, ``seed``. Rows of other levels and pairs are not drawn.
    first, second : str
        The connections; what is drawn is first - second, so that negative means first closer.
    rope : float
        Half-width of the shaded region of practical equivalence, in [0, 2].

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
    if not 0 <= rope <= 2:
        raise ValueError(f"rope is a distance and must lie in [0, 2], got {rope}")
    drawn = _chosen(frame, first, second)
    grid = _grid(drawn)
    head, panels = _sheet(grid)
    low = min(float(drawn["low"].min()), -rope)
    high = max(float(drawn["high"].max()), rope)
    for place, (panel, name) in enumerate(zip(panels, grid.lists, strict=True)):
        _panel(panel, grid, drawn[drawn["list"] == name], rope)
        literal(panel.set_title(shorten(name), fontsize=TEXT_SIZE, color=INK, loc="left"))
        panel.set_gid(name)
        panel.set_xlim(low - 0.04 * (high - low), high + 0.04 * (high - low))
        _axes(panel, grid, place)
    figure = head.figure
    label = figure.supxlabel(
        f"difference in cosine distance: {first} − {second} (negative = {first} closer)",
        fontsize=TEXT_SIZE,
        color=INK,
    )
    label.set_gid("x label")
    keys = _keys(grid.models)
    title = f"{first.capitalize()} against {second} attributes: do lists and embeddings agree?"
    header(head, title, _account(drawn, grid, rope), keys if len(keys) > 1 else ())
    return head


def _chosen(frame: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    require_columns(frame, (*COLUMNS, "level", "first", "second", "mean", "low", "high"))
    overall = frame[frame["level"] == "overall"]
    chosen = overall[(overall["first"] == first) & (overall["second"] == second)]
    if chosen.empty:
        there = (overall["first"] + " − " + overall["second"]).unique()
        raise ValueError(
            f"the frame has no overall contrast {first} − {second}; it has "
            f"{', '.join(there) or 'none'}"
        )
    return chosen


def _grid(drawn: pd.DataFrame) -> _Grid:
    names = [list(drawn[name].drop_duplicates()) for name in COLUMNS]
    grid = _Grid(names[0], names[1], names[2], sorted(names[3]))
    if len(grid.lists) > MOST_PANELS:
        raise ValueError(
            f"{len(grid.lists)} lists do not fit into one figure, which holds {MOST_PANELS} "
            "panels; pass the rows of some of them"
        )
    if len(grid.embeddings) * len(grid.models) > MOST_ROWS:
        raise ValueError(
            f"{len(grid.embeddings)} embeddings with {len(grid.models)} models do not fit into "
            f"panels of {MOST_ROWS} rows; pass the rows of some of them"
        )
    return grid


def _sheet(grid: _Grid) -> tuple[Axes, list[Axes]]:
    """Make a figure: a flat Axes for the header over the panels."""
    from matplotlib import pyplot as plt

    across = min(PANELS_ACROSS, len(grid.lists))
    down = ceil(len(grid.lists) / across)
    high = ROW_HEIGHT * (grid.extent + 0.6) + 0.35
    figure = plt.figure(figsize=(WIDTH, 1.5 + down * high), layout="constrained")
    figure.set_gid(OWN)
    cells = figure.add_gridspec(down + 1, across, height_ratios=[0.01, *([1.0] * down)])
    head = figure.add_subplot(cells[0, :])
    head.set_axis_off()
    panels: list[Axes] = []
    for place in range(len(grid.lists)):
        cell = cells[1 + place // across, place % across]
        panels.append(canvas(figure.add_subplot(cell), 0))
    return head, panels


def _panel(ax: Axes, grid: _Grid, rows: pd.DataFrame, rope: float) -> None:
    vertical_guides(ax)
    for embedding in grid.embeddings[::2]:
        top = grid.position(embedding, grid.models[0]) - 0.5 - GROUP_GAP / 2
        ax.axhspan(top, top + grid.block, color=TINT, linewidth=0, zorder=0)
    ax.axvspan(-rope, rope, color=BAND, linewidth=0, zorder=0.5).set_gid("rope")
    reference_line(ax, 0.0)
    for place, model in enumerate(grid.models):
        _intervals(ax, grid, rows[rows["model"] == model], place)
    there = set(zip(rows["embedding"], rows["model"], strict=True))
    for embedding in grid.embeddings:
        for model in grid.models:
            if (embedding, model) not in there:
                _no_result(ax, grid.position(embedding, model))
    ax.set_ylim(grid.extent - 0.5 + GROUP_GAP / 2, -0.5 - GROUP_GAP / 2)


def _intervals(ax: Axes, grid: _Grid, rows: pd.DataFrame, place: int) -> None:
    if rows.empty:
        return
    keys = zip(rows["embedding"], rows["model"], rows["seed"], strict=True)
    y = [grid.position(*key) for key in keys]
    colour = CARD_COLOURS[place % len(CARD_COLOURS)]
    ax.hlines(y, rows["low"], rows["high"], color=colour, linewidth=1.5, zorder=2)
    ax.plot(
        rows["mean"],
        y,
        linestyle="none",
        marker=CARD_MARKERS[place % len(CARD_MARKERS)],
        markersize=4.5 if len(grid.seeds) < 4 else 3.0,
        color=colour,
        markeredgecolor="white",
        markeredgewidth=0.5,
        label=grid.models[place],
        zorder=3,
    )


def _no_result(ax: Axes, position: float) -> None:
    ax.text(
        0.5,
        position,
        "no result",
        transform=ax.get_yaxis_transform(),
        ha="center",
        va="center",
        fontsize=SMALL_SIZE - 1,
        style="italic",
        color=QUIET,
    )


def _axes(ax: Axes, grid: _Grid, place: int) -> None:
    """Name the embeddings on the left and the ticks at the foot of each column only."""
    across = min(PANELS_ACROSS, len(grid.lists))
    middles = [
        grid.position(name, grid.models[0]) + (len(grid.models) - 1) / 2 for name in grid.embeddings
    ]
    row_labels(ax, middles, grid.embeddings)
    if place % across:
        ax.tick_params(axis="y", labelleft=False)
    ax.locator_params(axis="x", nbins=3)  # more would touch, within a panel or across two
    if place + across < len(grid.lists):
        ax.tick_params(axis="x", labelbottom=False)


def _keys(models: Sequence[str]) -> list[Artist]:
    from matplotlib.lines import Line2D

    return [
        Line2D(
            [],
            [],
            color=CARD_COLOURS[place % len(CARD_COLOURS)],
            marker=CARD_MARKERS[place % len(CARD_MARKERS)],
            markersize=4.5,
            linewidth=1.5,
            label=shorten(model),
        )
        for place, model in enumerate(models)
    ]


def _account(drawn: pd.DataFrame, grid: _Grid, rope: float) -> str:
    model = f" Model: {grid.models[0]}." if len(grid.models) == 1 else ""
    seeds = f" {len(grid.seeds)} seeds a row." if len(grid.seeds) > 1 else ""
    return (
        f"A panel a word list, a row an embedding.{model} {interval_key(drawn)}{seeds} "
        f"Shaded: differences smaller than {rope:g}, which count as none."
    )
