"""The page of a sweep: the same measure in many embeddings, and how they rank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property, partial
from html import escape
from itertools import product

import numpy as np
import pandas as pd

from .. import plots
from ..records.found import SweepRecord
from ..records.rows import Verdict
from ..tables.levels import AVERAGE, OVERALL, at_level
from . import parts
from .dots import MANY
from .numbers import (
    MOST_RANKS,
    counted,
    digits_for,
    named,
    number,
    probability,
    probability_name,
)
from .page import Fold, Page, Plots, limits
from .sentences import Answer, Marked, Sentence, between, for_scale, opening, plain
from .tables import Table, table


class SweepPage(Page[SweepRecord]):
    """The page of a sweep."""

    def __init__(self, record: SweepRecord) -> None:
        sizes = f"{counted(len(record.lists), 'list')}, {counted(record.n_models, 'model')}"
        super().__init__(
            record, record.title, f"{record.title}, {sizes}; embeddings: {parts.LEARNED}"
        )

    @cached_property
    def answer(self) -> Answer:
        record, failures = self.record, self.record.frames["failures"]
        failed = f"{counted(len(failures), 'cell')} failed; repeat the command to retry."
        doubts = [*parts.alerts(record), *[failed] * bool(len(failures))]
        if not record.has("ranks"):
            return Answer(sweep_sentence(record), "", None, doubts)
        doubts += _predicted(record)
        copies = self._copies()
        rows = [(row, copies.get(row.key, row.key), "") for row in record.rows]
        low, high = (end(record.rows, key=lambda row: row.mean) for end in (min, max))
        says = f"{plain(sweep_sentence(record))} Closer by"
        picture = parts.dot_picture(rows, says, parts.ruler(record), unit=parts.OWN, first=MANY)
        ends = between(low.mean, high.mean, (low.key, high.key))
        deck = f"Their own stereotypes are {ends}. {for_scale(record)}".rstrip()
        return Answer(sweep_sentence(record), deck, picture, doubts)

    def _copies(self) -> dict[str, str]:
        """Name the embeddings with equal distances; the joint model uses the first of them."""
        alike = defaultdict[tuple[str, ...], list[str]](list)
        for name, own in self.record.frames["tables"].groupby("embedding", sort=False):
            alike[tuple(own["table_hash"])].append(str(name))
        return {names[0]: " = ".join(names) for names in alike.values()}

    def main(self) -> str:
        marks = self.record.frame("landmarks")
        gray = f" Gray marks: {escape(marks['embedding'].iloc[0])}." if len(marks) else ""
        caption = f"{parts.legend(self.record)} All rows are in one model.{gray}"
        drawn = f'{self.drawn}<p class="cap">{caption}</p>'
        first = drawn if self.drawn else _contrasts(self.record).html()
        return first + limits("that bias is gone where a difference is small")

    def side(self) -> str:
        if not self.record.has("ranks"):
            return ""
        ranks = self.record.ranks
        rows = zip(ranks["embedding"], ranks["p_most"].map(probability), strict=True)
        whole = Table("Which is largest?", ("", "probability"), tuple(rows)).html()
        return whole + (self._lists().html() if len(self.record.lists) > 1 else "")

    def _lists(self) -> Table:
        """Return each list's smallest and largest closeness, and where it is probably largest."""
        ranks, rows = self.record.frames["ranks"], list[tuple[str, ...]]()
        for name, own in ranks[ranks["wordlist"] != AVERAGE].groupby("wordlist", sort=False):
            ends = -own["mean"].max(), -own["mean"].min()
            least, most = (number(mean, digits_for(*ends)) for mean in ends)
            top = own.nlargest(1, "p_most")
            where = f"{top['embedding'].item()} ({probability(top['p_most'].item())})"
            if len(own) == 1:
                rows.append((str(name), most, f"only in {top['embedding'].item()}"))
            else:
                rows.append((str(name), f"{least} to {most}", where))
        return Table("Each list", ("", "closer by", "most in"), tuple(rows))

    def folds(self) -> Iterator[Fold]:
        yield parts.how_to_read(self.record, "the difference")

    def details(self) -> Iterator[Fold]:
        record, frames = self.record, self.record.frames
        yield Fold("What did each cell give?", _contrasts(record))
        chances = ("p_most", *(f"p_rank_{rank}" for rank in range(2, MOST_RANKS + 1)))
        names = ("wordlist", "embedding", "mean", "interval", *chances)
        pooled = "The model draws estimates together where data are few."
        ranks = frames["ranks"].copy()
        if len(ranks):
            is_alone = ranks.groupby("wordlist")["embedding"].transform("size") == 1
            ranks.loc[is_alone, "p_most"] = np.nan  # there is nothing to rank
        ranked = table(ranks, "", names)
        yield Fold("How do embeddings rank in each list?", ranked, pooled)
        rows = frames["differences"]
        if len(rows):
            rows = rows.assign(difference=rows["first"] + " − " + rows["second"])
        shown = "wordlist difference mean interval p_direction p_rope"
        text = (
            "`bayesbias compare` compares two embeddings pair by pair, which is more precise, "
            "because anything that both share cancels out."
        )
        yield Fold("How do embeddings differ?", table(rows, "", shown), text)
        shares = table(frames["shares"], "Share of the variance", "part mean interval")
        yield Fold("Is it the embedding or the list?", shares)
        names = ("embedding", "list", "distances", "words missing")
        sizes = frames["tables"].rename(columns={"rows": "distances", "missing": "words missing"})
        lost = "Embeddings that lack different words answer slightly different questions."
        yield Fold("What was measured?", table(sizes, "", names), lost)
        failed = table(frames["failures"], "", "embedding list model error message")
        yield Fold("What failed?", failed)
        yield parts.warned_fold(record)
        made = (("Settings", record.settings), ("Intervals", probability_name(record.ci_prob)))
        yield Fold("How was it computed?", *made, *record.sources, *parts.fitted_facts(record))

    def plots(self) -> Plots:
        if not self.record.has("ranks"):
            return {}
        return {
            "closeness": partial(plots.closeness, self.record.frames["dots"], label="embedding")
        }


def sweep_sentence(record: SweepRecord) -> Sentence:
    """Name the embedding that probably has the largest difference, or say that one cannot tell."""
    cells = len(record.frames["cells"])
    if not record.has("ranks"):
        done = cells - len(record.frames["failures"])
        alike = "no list has different distances in two embeddings"
        why = "the joint model failed" if record.joint_failed else alike
        return (f"No ranks were computed, because {why}. Cells with a result: {done} of {cells}.",)
    ranks = record.ranks
    ordered = ranks.sort_values("p_most")
    top = ordered.iloc[-1]
    lists = _ranked(record)
    most = f"most in {top['embedding']}, of {len(ranks)} embeddings"
    if len(ranks) == 2:
        most = f"more in {top['embedding']} than in {ordered['embedding'].iloc[0]}"
    claim = f"words go with their own stereotypes {most} ({named(lists, 3)})"
    verdict = Verdict(float(top["p_most"]))
    if not verdict.holds:
        start = Marked("We cannot tell", verdict, f" ({verdict.percent}% yes)")
        return (start, f" whether {claim}.")
    return (opening(verdict), f", {claim}.")


def _ranked(record: SweepRecord) -> list[str]:
    """Return the lists in the joint model, in the order in which they were given."""
    found = {*record.frames["ranks"]["wordlist"]}
    return [name for name in record.lists if name in found]


def _predicted(record: SweepRecord) -> list[str]:
    """Name the lists that some ranked embeddings lack, so that their means use predictions."""
    ranks, tables = record.frames["ranks"], record.frames["tables"]
    held = {*zip(ranks["wordlist"], ranks["embedding"], strict=True)}
    held |= {*zip(tables["list"], tables["embedding"], strict=True)}
    places = product(_ranked(record), record.ranks["embedding"])
    lost = [f"{name} in {embedding}" for name, embedding in places if (name, embedding) not in held]
    return [f"Predicted, not measured: {named(lost, 3)}."] if lost else []


def _contrasts(record: SweepRecord) -> Table:
    """Return the overall difference in every cell, and its sets with too few words."""
    frame = pd.concat(map(_led, record.frames.pieces("contrasts")), ignore_index=True)
    if len(frame) and len(thin := record.frames["thin"]):
        by_cell = thin.set_index(["embedding", "list"]).groupby(level=[0, 1])
        few = {cell: parts.sets_in_words(own) for cell, own in by_cell}
        cells = zip(frame["embedding"], frame["list"], strict=True)
        frame["too_few_words"] = [few.get(cell, "") for cell in cells]
    shown = "embedding list model mean interval p_direction p_rope too_few_words"
    return table(frame, "associated − different, overall", shown)


def _led(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the overall difference in each cell."""
    if frame.empty:
        return frame
    is_led = (frame["first"] == "associated") & (frame["second"] == "different")
    return at_level(frame[is_led], OVERALL)
