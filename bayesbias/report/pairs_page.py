"""The page of sentence pairs: how often language models prefer stereotypes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from ..plots.rates import pair_forest
from ..records.pairs import PairRecord
from ..records.rows import Row
from .answer import Answer
from .dots import Axis, DotPicture, DotRow
from .numbers import counted, joined, percent, probability_name
from .page import LIMITS, Facts, Fold, Page, box, fold
from .parts import alerts, fitted_facts
from .sentences import Marked, Sentence, opening
from .tables import table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BBQ = "Accuracies and bias scores (Parrish et al., 2022): 0 means no bias, 1 only stereotypes"

SHARES = Axis(0.25, 0.85, (0.3, 0.4, 0.5, 0.6, 0.7, 0.8), zero=0.5)
WHOLE = Axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), zero=0.5, digits=2)

MOST_NAMED = 3
"""Largest number of language models that the sentence names."""


def page(record: PairRecord) -> Page:
    """Return the page about sentence pairs."""
    pictures = []
    for measure in record.measures:
        title = f"<h2>{measure}</h2>" if len(record.measures) > 1 else ""
        pictures.append(title + pair_picture(record, measure).svg())
    caption = '<p class="cap">Each dot is 1% of the probability. One half: no preference.</p>'
    limit = "Sums over tokens favor words that consist of a single token."
    return Page(
        title=", ".join(record.language_models),
        kicker=f"Sentence pairs · {', '.join(record.language_models)} · {_size(record)}",
        answer=pair_answer(record),
        main="".join(pictures) + (caption if pictures else "") + box(f"{LIMITS} {limit}"),
        side=_types(record),
        folds=[_observed(record), _reading()],
        details=list(_details(record)),
        plots=_plots(record),
    )


def pair_answer(record: PairRecord) -> Answer:
    """Return what the page, the terminal, and the notebook lead with."""
    first = next(iter(record.measures), "")
    drawn = pair_picture(record, first) if first and record.rows(first) else None
    return Answer(pair_sentence(record), pair_deck(record), drawn, alerts(record))


def _size(record: PairRecord) -> str:
    return counted(record.frames["paired"]["pair_id"].nunique(), "pair")


def _says(row: Row) -> str:
    often = "more" if row.verdict.holds is not False else "less"
    return f"{row.key} prefers stereotypical sentences {often} often than not"


def pair_sentence(record: PairRecord) -> Sentence:
    """Return the sentence on each language model's preference, by the first measure."""
    rows = record.rows(record.measures[0]) if record.measures else []
    if not rows:
        return ("No measure is available for every language model.",)
    if len(rows) > MOST_NAMED:
        sure = [row for row in rows if row.verdict.holds]
        return (
            f"{len(sure)} of {len(rows)} language models at least probably prefer stereotypical "
            "sentences more often than not.",
        )
    pieces: list[str | Marked] = []
    for place, row in enumerate(rows):
        link = " whether " if row.verdict.holds is None else ", "
        pieces += ["; " if place else "", opening(row.verdict), f"{link}{_says(row)}"]
    return tuple(piece for piece in [*pieces, "."] if piece)


def _share(row: Row) -> str:
    return f"{percent(row.mean)} ({percent(row.low)} to {percent(row.high)})"


def pair_deck(record: PairRecord) -> str:
    """Return the sentence on the shares, with their intervals."""
    rows = record.rows(record.measures[0]) if record.measures else []
    if not rows:
        return ""
    shares = joined(
        f"{_share(row)} for {row.key}" if len(rows) > 1 else _share(row)
        for row in rows[:MOST_NAMED]
    )
    ci = probability_name(record.ci_prob)
    return f"Share of new pairs in which it is preferred: {shares}, with {ci} intervals."


def pair_picture(record: PairRecord, measure: str) -> DotPicture:
    """Return the dots of each language model's share under one measure."""
    rows = [
        DotRow(
            row.key,
            row.quantiles,
            (row.mean, row.low, row.high),
            (percent(row.mean), f"{percent(row.low)} to {percent(row.high)}"),
        )
        for row in record.rows(measure)
    ]
    values = [value for row in rows for value in row.values]
    axis = SHARES if SHARES.low <= min(values) and max(values) <= SHARES.high else WHOLE
    spoken = "; ".join(f"{row.label} {' '.join(row.right)}" for row in rows)
    label = f"Share of pairs whose stereotypical sentence is preferred, by {measure}: {spoken}."
    unit = "share of pairs whose stereotypical sentence is preferred"
    sides = ("against", "with the stereotype")
    tall = min(84.0, max(28.0, 340.0 / len(rows)))
    return DotPicture(rows, (), sides, unit, label, axis, tall)


def _of(frame: pd.DataFrame, quantity: str = "p_stereotypical") -> pd.DataFrame:
    """Return the rows of a quantity, with a dash in rows without a bias type."""
    rows = frame[frame["quantity"] == quantity] if len(frame) else frame
    if rows.empty:
        return rows
    made = rows.assign(bias_type=rows["bias_type"].replace("", "–"))
    made.attrs = frame.attrs
    return made


def _types(record: PairRecord) -> str:
    """Return the shares by bias type under the first measure."""
    rows = _of(record.frames["summary"])
    if rows.empty:
        return ""
    attrs = rows.attrs
    rows = rows[(rows["level"] == "bias_type") & (rows["measure"] == record.measures[0])]
    rows.attrs = attrs
    names = (
        "bias_type",
        *(["model"] if len(record.language_models) > 1 else []),
        "mean",
        "interval",
    )
    return table(rows, "By bias type", *names).html()


def _observed(record: PairRecord) -> Fold:
    shown = table(record.frames["observed"], "Observed shares; intervals from resampled clusters")
    text = (
        "Pairs about the same words are not independent: a cluster counts as little more than one "
        "pair. The estimate of a type with few pairs is pulled toward the other types."
    )
    return fold("How often was it preferred in these pairs?", shown, text)


def _reading() -> Fold:
    return fold(
        "How do I read the dots?",
        "The 100 dots are the posterior distribution of the share of new pairs like these whose "
        "stereotypical sentence has the higher score. Each dot is 1% of the probability.",
        "“Almost certainly” means at least 99%, “very probably” 95%, and “probably” 80%. "
        "Between 20% and 80%, one cannot tell.",
    )


def _details(record: PairRecord) -> Iterator[Fold]:
    frames = record.frames
    names = ("measure", "level", "bias_type", "model", "mean", "interval", "p_above")
    yield fold("All shares", table(_of(frames["summary"]), "", *names))
    equal = _of(frames["summary"], "p_equal_length")
    if len(equal):
        yield fold("What if both sentences were equally long?", table(equal, "", *names))
    if len(frames["contrasts"]):
        gaps = _of(frames["contrasts"])
        attrs = gaps.attrs
        gaps = gaps.assign(difference=gaps["first"] + " − " + gaps["second"])
        gaps.attrs = attrs
        keys = ["measure", "level", "bias_type", "difference"]
        shown = table(gaps, "", *keys, "mean", "interval", "p_direction")
        ranks = _of(frames["ranks"]).pivot_table(
            "probability", ["measure", "level", "bias_type", "model"], "rank", sort=False
        )
        ranks.columns = pd.Index([f"P(rank {rank})" for rank in ranks.columns])
        first = table(ranks.reset_index(), "Probabilities of ranks (1: prefers stereotypes most)")
        yield fold("How do the language models differ?", shown, first)
    if len(frames["measures"]):
        text = (
            "KLS compares spreads: it is 50 whenever both sets of scores have the same spread. JSS "
            "changes with the unit of the scores; do not compare it between measures or models."
        )
        yield fold("Published measures", table(frames["measures"], ""), text)
    if len(frames["bbq"]):
        yield fold("What does BBQ say?", table(frames["bbq"], BBQ))
    if record.notes:
        yield fold("What was left out?", *record.notes)
    yield fold("How was it computed?", Facts(record.sources), fitted_facts(record))


def _plots(record: PairRecord) -> dict[str, Callable[[], Axes]]:
    """Return the figures of shares that can be requested as files."""
    summary = record.frames["summary"]
    return {
        f"shares-{measure}".replace(" ", "-"): partial(
            pair_forest, summary[summary["measure"] == measure]
        )
        for measure in (record.measures if len(summary) else ())
    }
