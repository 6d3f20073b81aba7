"""Which plots belong to an analysis, what stands below them, and what they show in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from .. import plots
from ..plots.tooltips import tips_of
from ..workflows.analysis import Analysis, ModelResult
from .sentences import gap_pair, joined, number, overall_means, percent, probability_name
from .svg import inlined

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SECTIONS = ("words", "contrasts", "check", "scales", "spread", "neighbourhood")
"""Sections of the report that hold figures."""

MOST_ROWS = 72
"""Words in one forest; a figure of `plots.forest` holds 80 rows, headings included."""

MOST_GROUPS = 8
"""Groups of which one word's neighbourhood is drawn."""


@dataclass(frozen=True)
class Figure:
    """One plot of an analysis.

    Parameters
    ----------
    name : str
        Of its files, without ending.
    section : str
        Of the report that it belongs to, one of ``SECTIONS``.
    model : str
        Name of the model that it shows; empty for what was measured.
    caption, alt : str
        What stands below it; what a reader who cannot see it is told.
    draw : callable
        Makes the Axes.
    """

    name: str
    section: str
    model: str
    caption: str
    alt: str
    draw: Callable[[], Axes]


@dataclass(frozen=True)
class DrawnFigure:
    """A figure and its SVG, ready to stand in the page."""

    figure: Figure
    svg: str


def figures_of(analysis: Analysis) -> list[Figure]:
    """Give all figures of an analysis: those of every model, then those of what was measured."""
    found = [
        figure
        for result in analysis.results.values()
        for figure in (
            *_forests(analysis, result),
            *_contrasts(analysis, result),
            _check(analysis, result),
            _scales(result),
        )
    ]
    return [*found, _distributions(analysis), *_neighbourhoods(analysis)]


def draw(figure: Figure, folder: Path, prefix: str) -> DrawnFigure:
    """Draw a figure into PNG and SVG files, and give it with its SVG."""
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none"}):  # text that can be found, copied and read aloud
        axes = figure.draw()
        tips = _named_tips(axes)
        _, path = plots.save(axes, folder / figure.name)
    return DrawnFigure(figure, inlined(path, prefix, figure.alt, tips))


def by_section(
    drawn: Sequence[DrawnFigure], names: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    """Figures as a page's template takes them, by the section that they belong to."""
    from markupsafe import Markup

    sections: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for each in drawn:
        shown = {
            "svg": Markup(each.svg),
            "caption": each.figure.caption,
            "model": each.figure.model,
            "name": each.figure.name,
        }
        sections[each.figure.section].append(shown)
    return sections


def _named_tips(axes: Axes) -> dict[str, tuple[str, ...]]:
    """Name the groups of the SVG file whose shapes have tips, and give these."""
    root = axes.get_figure(root=True)
    artists = [] if root is None else [each for each in root.findobj() if tips_of(each)]
    for place, artist in enumerate(artists):
        artist.set_gid(f"tips-{place}")
    return {str(artist.get_gid()): tips_of(artist) for artist in artists}


def _forests(analysis: Analysis, result: ModelResult) -> Iterator[Figure]:
    ci = probability_name(analysis.settings.ci_prob)
    means = overall_means(result)
    alt = (
        f"Forest plot of mean distances with {ci} intervals, model {result.spec.name}. "
        + "; ".join(
            f"{name} {number(row['mean'])}, {number(row['low'])} to {number(row['high'])}"
            for name, row in means.iterrows()
        )
    )
    caption = f"Model {result.spec.name}, {ci} intervals: all words, each group, each word."
    for name, frame in _pages(result.summary):
        yield Figure(
            f"forest-{result.spec.name}{name}",
            "words",
            result.spec.name,
            caption,
            f"{alt}. The same for groups and words: see summary.csv.",
            partial(plots.forest, frame),
        )


def _contrasts(analysis: Analysis, result: ModelResult) -> Iterator[Figure]:
    first, second = gap_pair(analysis)
    ci, rope = probability_name(analysis.settings.ci_prob), analysis.settings.rope
    pair = result.contrasts[
        (result.contrasts["first"] == first) & (result.contrasts["second"] == second)
    ]
    top = pair[pair["level"] == "overall"].iloc[0]
    alt = (
        f"Forest plot of {first} minus {second} with {ci} intervals, model {result.spec.name}. "
        f"Overall {number(top['mean'])}, {number(top['low'])} to {number(top['high'])}. "
        "The same for groups and words: see contrasts.csv."
    )
    caption = (
        f"Model {result.spec.name}, {ci} intervals. Left of zero: {first} attributes are closer "
        f"than {second} ones."
    )
    for ending, frame in _pages(pair):
        draw_it = partial(plots.contrast_forest, frame, first=first, second=second, rope=rope)
        name = f"contrasts-{result.spec.name}{ending}"
        yield Figure(name, "contrasts", result.spec.name, caption, alt, draw_it)


def _pages(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Break a frame of all levels into what fits into figures, with an ending for their names."""
    keys = frame[["level", "protected_group", "protected_word"]].drop_duplicates()
    if len(keys) <= MOST_ROWS:
        yield "", frame
        return
    groups = frame[frame["level"] != "word"]
    n_groups = int((keys["level"] == "group").sum())
    yield "", groups if n_groups <= MOST_ROWS else frame[frame["level"] == "overall"]
    words = keys[keys["level"] == "word"]
    for page, start in enumerate(range(0, len(words), MOST_ROWS // 2), start=1):
        part = words.iloc[start : start + MOST_ROWS // 2]  # a word may bring a heading with it
        yield f"-words-{page}", frame.merge(part, on=list(part.columns))


def _check(analysis: Analysis, result: ModelResult) -> Figure:
    ci_prob = analysis.settings.ci_prob
    frame = result.check[result.check["ci_prob"] == ci_prob]
    shares = joined(
        f"{percent(row['coverage'], 1)} for {row['connection']}" for _, row in frame.iterrows()
    )
    return Figure(
        f"check-{result.spec.name}",
        "check",
        result.spec.name,
        f"Model {result.spec.name}: the measured distances over where the model expects them.",
        f"Predictive check of model {result.spec.name}. Inside the "
        f"{probability_name(ci_prob)} intervals: {shares}.",
        partial(plots.predictive_check, result.posterior, ci_prob=ci_prob),
    )


def _scales(result: ModelResult) -> Figure:
    parts = "; ".join(
        f"{row['parameter']} {row['of']} {number(row['mean'])}".replace("  ", " ")
        for _, row in result.scales.iterrows()
    )
    return Figure(
        f"scales-{result.spec.name}",
        "scales",
        result.spec.name,
        f"Model {result.spec.name}: the standard deviations.",
        f"Standard deviations of model {result.spec.name}, means: {parts}.",
        partial(plots.scales, result.scales),
    )


def _distributions(analysis: Analysis) -> Figure:
    middle = analysis.table.groupby("connection", observed=True)["cosine_distance"].median()
    parts = joined(f"{number(value)} for {name}" for name, value in middle.items())
    return Figure(
        "distributions",
        "spread",
        "",
        "All measured distances by connection, and the band that MAC gives around 1.",
        f"Distributions of the measured distances. Medians: {parts}.",
        partial(plots.distributions, analysis.table),
    )


def _neighbourhoods(analysis: Analysis) -> Iterator[Figure]:
    table = analysis.table
    first = table.drop_duplicates("protected_group")[["protected_group", "protected_word"]]
    for place, (group, word) in enumerate(first.head(MOST_GROUPS).itertuples(index=False), 1):
        rows = table[table["protected_word"] == word].nsmallest(3, "cosine_distance")
        nearest = joined(
            f"{row['attribute']} at {number(row['cosine_distance'], 2)}"
            for _, row in rows.iterrows()
        )
        ending = re.sub(r"[^a-z0-9]+", "-", str(word).lower()).strip("-")[:40] or "word"
        yield Figure(
            f"neighbourhood-{place}-{ending}",
            "neighbourhood",
            "",
            f"The attributes around “{word}”, of the group “{group}”.",
            f"Attributes around {word} by distance; the nearest are {nearest}.",
            partial(plots.neighbourhood, table, str(word)),
        )
