"""Which plots belong to a report on a change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from .. import plots
from ..workflows.change import ChangeAnalysis
from .change_wording import alignment_sentence, band_sentence, change_lines, order_sentences
from .figures import Figure, _pages
from .sentences import probability_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def change_figures_of(analysis: ChangeAnalysis) -> list[Figure]:
    """Give all figures of a comparison; all of them show its lead model."""
    return [
        *_changes(analysis, "change", _change_forest(analysis), _CAPTION),
        *_changes(analysis, "arrows", plots.change_arrows, _ARROWS),
        *_orders(analysis),
        *_pairs(analysis),
        _distributions(analysis),
    ]


_CAPTION = "How far each kind of attribute moved: all words, each group, each word."
_ARROWS = "Where each kind of attribute went, by posterior means."

_Draw = Callable[[pd.DataFrame], "Axes"]


def _changes(analysis: ChangeAnalysis, name: str, draw: _Draw, caption: str) -> Iterator[Figure]:
    model = analysis.lead.spec.name
    alt = f"{caption} {' '.join(change_lines(analysis))} Single words: see changes.csv."
    for ending, frame in _pages(analysis.lead.changes):
        yield Figure(f"{name}{ending}", "changes", model, caption, alt, partial(draw, frame))


def _change_forest(analysis: ChangeAnalysis) -> _Draw:
    return lambda frame: plots.change_forest(frame, rope=analysis.settings.rope)


def _orders(analysis: ChangeAnalysis) -> Iterator[Figure]:
    result = analysis.lead
    if result.turned is None:
        return
    caption = "The order of associated and different attributes, before and after, word by word."
    alt = f"{caption} {' '.join(order_sentences(analysis))}"
    for ending, frame in _pages(result.orders):
        draw = partial(plots.order_arrows, frame)
        yield Figure(f"order{ending}", "order", result.spec.name, caption, alt, draw)


def _pairs(analysis: ChangeAnalysis) -> Iterator[Figure]:
    result = analysis.lead
    ci = probability_name(analysis.settings.ci_prob)
    caption = f"Mean distances before and after with {ci} intervals, on one axis."
    alt = f"{caption} {alignment_sentence(analysis)}"
    after = dict(_pages(result.after))
    for ending, before in _pages(result.before):
        draw = partial(_first_of_pair, before, after[ending])
        yield Figure(f"forests{ending}", "overall", result.spec.name, caption, alt, draw)


def _first_of_pair(before: pd.DataFrame, after: pd.DataFrame) -> Axes:
    return plots.forest_pair(before, after)[0]


def _distributions(analysis: ChangeAnalysis) -> Figure:
    return Figure(
        "distributions",
        "spread",
        "",
        "All measured distances by connection, before and after, and one band around 1.",
        f"Distributions of the distances before and after. {band_sentence(analysis)}",
        partial(plots.distribution_pair, analysis.before, analysis.after),
    )
