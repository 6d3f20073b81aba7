"""The page of sentence pairs: how often language models prefer stereotypes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from html import escape

import pandas as pd

from .._core.files import file_stems
from .._core.warnings import SamplingWarning
from ..plots.forests import pair_forest
from ..records.found import PairRecord
from ..records.rows import Row
from . import parts
from .dots import SHARES, DotPicture
from .numbers import counted, joined, percent, probability_name
from .page import Fold, Page, Plots, limits
from .sentences import Answer, Marked, Sentence, opening
from .tables import Table, table

BBQ = "Accuracies and bias scores (Parrish et al., 2022): 0 means no bias, 1 only stereotypes"

MOST_NAMED = 3
"""Largest number of language models that the sentence names."""


class PairsPage(Page[PairRecord]):
    """The page of sentence pairs."""

    def __init__(self, record: PairRecord) -> None:
        n_pairs = counted(_n_compared(record), "pair")
        title = ", ".join(record.language_models)
        super().__init__(record, title, f"Sentence pairs · {title} · {n_pairs}")

    @cached_property
    def answer(self) -> Answer:
        record, rows = self.record, self.record.rows(self._first)
        shares = joined(percent(row.mean) for row in rows)
        if len(rows) > MOST_NAMED:
            ordered = sorted(rows, key=lambda row: row.mean)
            least, most = (f"{percent(row.mean)} ({row.key})" for row in (ordered[0], ordered[-1]))
            shares = f"{least} to {most}"
        deck = f"Estimate: {shares} of new pairs like these; no preference would be 50%."
        drawn = self._picture(self._first) if rows else None
        return Answer(_sentence(rows), deck if rows else "", drawn, parts.alerts(record))

    @property
    def _first(self) -> str:
        return next(iter(self.record.measures), "")

    def _picture(self, measure: str) -> DotPicture:
        """Return the dots of each language model's share under one measure."""
        rows = [(row, row.key, "") for row in self.record.rows(measure)]
        what = "share of pairs whose stereotypical sentence is preferred"
        says, sides = f"{what.capitalize()}, by {measure}", ("against", "with the stereotype")
        return parts.dot_picture(rows, says, sides=sides, unit=what, first=SHARES, write=percent)

    def main(self) -> str:
        several, pictures = len(self.record.measures) > 1, []
        for measure in self.record.measures:
            title = f"<h2>{escape(measure)}</h2>" if several else ""
            pictures.append(title + self._picture(measure).svg())
        caption = f'<p class="cap">{parts.legend(self.record)}</p>'
        return "".join([*pictures, caption if pictures else "", limits()])

    def side(self) -> str:
        rows = _of(self.record.frames["summary"])
        if rows.empty:
            return ""
        rows = rows[(rows["level"] == "bias_type") & (rows["measure"] == self._first)]
        models, share = self.record.language_models, rows["mean"].map(percent)
        if len(models) > 1:
            by = rows.assign(mean=share).pivot(index="bias_type", columns="model", values="mean")
            by = by.loc[rows["bias_type"].unique(), [*models]]
            return Table("Share, by bias type", ("", *by.columns), tuple(by.itertuples())).html()
        ends = rows["low"].map(percent) + " to " + rows["high"].map(percent)
        cells = zip(rows["bias_type"], share, ends, strict=True)
        heads = ("", "share", f"{probability_name(self.record.ci_prob)} interval")
        return Table("By bias type", heads, tuple(cells)).html()

    def folds(self) -> Iterator[Fold]:
        observed = "Observed shares; intervals from resampled clusters"
        yield Fold(
            "How often was it preferred in these pairs?",
            table(self.record.frames["observed"], observed),
            "Pairs about the same words are not independent: a cluster counts as little more than "
            "one pair. The estimate of a type with few pairs is pulled toward the other types.",
        )
        yield Fold(
            "How do I read the dots?",
            "The 100 dots are the posterior distribution of the share of new pairs like these "
            "whose stereotypical sentence has the higher score. Each dot is 1% of the probability. "
            "Scores that are sums over tokens favor words that consist of a single token.",
            parts.GRADES,
        )

    def details(self) -> Iterator[Fold]:
        record, frames = self.record, self.record.frames
        shown = "measure level bias_type model mean interval p_above"
        yield Fold("All shares", table(_of(frames["summary"]), "", shown))
        equal = table(_of(frames["summary"], "p_equal_length"), "", shown)
        yield Fold("What if both sentences were equally long?", equal)
        if record.has("contrasts"):
            yield Fold("How do the language models differ?", *self._differences())
        text = (
            "KLS compares spreads: it is 50 whenever both sets of scores have the same spread. JSS "
            "changes with the unit of the scores; do not compare it between measures or models."
        )
        yield Fold("Published measures", table(frames["measures"]), text)
        yield Fold("What does BBQ say?", table(frames["bbq"], BBQ))
        others = (one for one in record.notices if not isinstance(one, SamplingWarning))
        yield Fold("What was left out?", *record.notes, *map(str, others))
        yield Fold("How was it computed?", *record.sources, *parts.fitted_facts(record))

    def _differences(self) -> tuple[Table, Table]:
        gaps = _of(self.record.frames["contrasts"])
        gaps = gaps.assign(difference=gaps["first"] + " − " + gaps["second"])
        shown = "measure level bias_type difference mean interval p_direction"
        keys = ["measure", "level", "bias_type", "model"]
        ranks = _of(self.record.frames["ranks"])
        ranks = ranks.pivot_table("probability", keys, "rank", sort=False)
        ranks.columns = pd.Index([f"P(rank {rank})" for rank in ranks.columns])
        first = "Probabilities of ranks (1: prefers stereotypes most)"
        return table(gaps, "", shown), table(ranks.reset_index(), first)

    def plots(self) -> Plots:
        summary = self.record.frames["summary"]
        by = dict([*summary.groupby("measure", sort=False)]) if len(summary) else {}
        stems = file_stems(by)
        return {
            f"shares-{stems[measure]}": partial(pair_forest, part) for measure, part in by.items()
        }


def _n_compared(record: PairRecord) -> int:
    """Return the number of pairs that every language model scored under the first measure."""
    paired = record.frames["paired"]
    measured = paired[paired["measure"].isin(record.measures[:1])]
    n_models = measured.groupby("pair_id")["model"].nunique()
    return int((n_models == len(record.language_models)).sum())


def _sentence(rows: list[Row]) -> Sentence:
    """Return the sentence on each language model's preference."""
    if not rows:
        return ("No measure is available for every language model.",)
    if len(rows) > MOST_NAMED:
        sure = [row for row in rows if row.verdict.holds]
        return (
            f"{len(sure)} of {len(rows)} language models at least probably prefer stereotypical "
            "sentences more often than not.",
        )
    alike = dict[tuple[bool | None, int], list[Row]]()
    for row in rows:
        alike.setdefault((row.verdict.holds, row.verdict.percent), []).append(row)
    pieces: list[str | Marked] = []
    for (holds, _), some in alike.items():
        who = joined(row.key for row in some)
        often, link = "less" if holds is False else "more", " whether" if holds is None else ","
        prefer = "prefers" if len(some) == 1 else "each prefer"
        claim = f"{link} {who} {prefer} stereotypical sentences {often} often than not."
        pieces += [" " if pieces else "", opening(some[0].verdict), claim]
    return tuple(piece for piece in pieces if piece)


def _of(frame: pd.DataFrame, quantity: str = "p_stereotypical") -> pd.DataFrame:
    """Return the rows of a quantity, with a dash in rows without a bias type."""
    rows = frame[frame["quantity"] == quantity] if len(frame) else frame
    if rows.empty:
        return rows
    return rows.assign(bias_type=rows["bias_type"].replace("", "–"))
