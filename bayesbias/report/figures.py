"""Figures of a page: what is drawn, what stands below it, and what it shows in words."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pandas as pd

from .. import plots
from ..plots.frame import narrow_figures
from ..tables.levels import GROUP, LEVEL_COLUMNS, OVERALL, WORD
from .svg import inlined

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 72
"""Words in one forest; a figure of `plots.forest` holds 80 rows, headings included."""


@dataclass(frozen=True)
class Figure:
    """One plot of a page, with the name of its files without ending."""

    name: str
    draw: Callable[[], Axes | tuple[Axes, Axes]]
    texts: tuple[str, str]
    """What stands below it; what a reader who cannot see it is told."""
    model: str = ""
    """That it shows; empty for what was measured, or where there is no choice."""
    narrow: bool = False
    """Whether it is drawn a second time, for a phone."""


def figures_of(
    frame: pd.DataFrame,
    name: str,
    draw: Callable[[pd.DataFrame], Axes],
    texts: tuple[str, str],
    model: str,
    *,
    narrow: bool = False,
) -> list[Figure]:
    """Return one figure of a frame of all levels, or several where its rows are many."""
    return [
        Figure(name + end, partial(draw, part), texts, model, narrow) for end, part in broken(frame)
    ]


def broken(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Break a frame of all levels into what fits into figures, with an ending for their names."""
    if frame.empty:
        return
    keys = frame[list(LEVEL_COLUMNS)].drop_duplicates()
    if len(keys) <= MOST_ROWS:
        yield "", frame
        return
    few_groups = (keys["level"] == GROUP).sum() <= MOST_ROWS
    yield "", frame[frame["level"] != WORD if few_groups else frame["level"] == OVERALL]
    words = keys[keys["level"] == WORD]
    for at, start in enumerate(range(0, len(words), MOST_ROWS // 2), start=1):
        part = words.iloc[start : start + MOST_ROWS // 2]  # a word may bring a heading with it
        yield f"-words-{at}", frame.merge(part, on=list(part.columns))


def draw_figures(figures: Iterable[Figure], folder: Path) -> dict[str, str]:
    """Draw figures into PNG and SVG files; return each as SVG that may stand in a page, by name.

    One that is to be drawn for a phone, too, has both drawings, of which the page shows one.
    """
    import matplotlib as mpl

    mpl.use("agg")  # no window, whatever the machine has
    folder.mkdir(exist_ok=True)
    drawn = {}
    with mpl.rc_context({"svg.fonttype": "none"}):  # text to be found, copied and read aloud
        prefixes = (f"f{at}" for at in count())
        for figure in figures:
            axes = _drawn(figure)
            _, path = plots.save(axes, folder / figure.name)
            wide = inlined(path, next(prefixes), figure.texts[1])
            drawn[figure.name] = wide
            if figure.narrow and (narrow := _narrow(figure, next(prefixes))):
                drawn[figure.name] = (
                    f'<div class="narrow">{narrow}</div><div class="wide">{wide}</div>'
                )
    return drawn


def _drawn(figure: Figure) -> Axes:
    made = figure.draw()
    return made[0] if isinstance(made, tuple) else made


def _narrow(figure: Figure, prefix: str) -> str:
    """Draw a figure as wide as a phone, for the page alone; nothing if its labels leave no room."""
    from matplotlib import pyplot as plt

    there = plt.get_fignums()
    with narrow_figures(), TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.filterwarnings("error", message="constrained_layout not applied")
        try:
            axes = _drawn(figure)
            (path,) = plots.save(axes, Path(folder) / "narrow.svg")
        except UserWarning:
            for number in {*plt.get_fignums()} - {*there}:
                plt.close(number)
            return ""
        return inlined(path, prefix, figure.texts[1])
