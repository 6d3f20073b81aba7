"""The page of a change: how much closeness it removed, what is left, and which words moved."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial

import pandas as pd

from .. import plots
from ..records.found import ChangeRecord, Question
from ..tables.levels import OVERALL, at_level
from ..tables.schema import CONTROLS
from . import parts
from .dots import DotPicture
from .leans import Lean, Leans, Panel
from .numbers import (
    Write,
    digits_for,
    graded,
    in_words,
    joined,
    number,
    percent,
    probability,
    thousandths,
)
from .page import Fold, Page, Plots, figure, limits
from .sentences import Answer, Marked, Sentence, for_scale, opening, owners, plain, sized
from .tables import Table, table

HUNDREDTHS = partial(number, digits=2)

CHECKS: dict[str, tuple[str, Write]] = {
    "direct_bias": ("Direct Bias of {n:,} words", HUNDREDTHS),
    "same": ("SAME of {n:,} words", HUNDREDTHS),
    "cluster": ("two clusters match the bias", percent),
    "classifier": ("a classifier tells words apart", percent),
    "neighbors": ("bias of the neighbors, correlation", HUNDREDTHS),
}
"""Name and format of each check of the remaining bias."""

MOVES = "connection before after mean interval p_moved p_toward_one"
"""Columns of the tables of moves."""


class ChangePage(Page[ChangeRecord]):
    """The page of a change."""

    def __init__(self, record: ChangeRecord) -> None:
        title = f"{record.title or 'Two tables'}: {record.before} → {record.after}"
        kicker = f"Word distances in an embedding: {parts.LEARNED}"
        if record.title:
            kicker = parts.measured(record.title, record.before)
        super().__init__(record, title, kicker)

    @cached_property
    def answer(self) -> Answer:
        drawn = self._picture() if self.record.removed else None
        return Answer(self._sentence(), self._deck(), drawn, parts.alerts(self.record))

    def _sentence(self) -> Sentence:
        record, removed = self.record, self.record.removed
        change = "the change" if record.after == "after" else f"the change to {record.after}"
        agent = f"{in_words(record.method)} debiasing" if record.method else change
        where = "" if record.before == "before" else f" in {record.before}"
        if removed is None:
            kinds = joined(dict.fromkeys(record.frames["changes"]["connection"].astype(str)))
            return (f"How far {agent} moved {kinds} attributes{where}.",)
        moved, of_set, versus = self._moved()
        open_ended = removed.verdict.holds is None
        away = "closer to" if removed.verdict.holds is False else "away from"
        pieces: list[str | Marked] = [
            opening(removed.verdict),
            f"{' whether' if open_ended else ','} {agent} moved {moved} {away} {of_set}"
            f"{where}{versus}.",
        ]
        if (left := record.check("classifier")) is not None:
            still = " still" * record.recoverable
            pieces.append(
                f" A classifier{still} guesses {percent(left['after'])} of the {int(left['n']):,} "
                f"most biased words right (chance: {percent(left['chance'])})."
            )
        return tuple(pieces)

    def _moved(self) -> tuple[str, str, str]:
        """Name the words that moved, their stereotypes, and what they are compared with."""
        naming = self.record.naming
        if self.record.question is Question.SHARED:
            who, of_set, others = owners(naming)
            return who, of_set, f", relative to {others}"
        groups = naming.groups.values()
        return joined(groups) if len(groups) < 3 else "words", "their stereotypes", ""

    def _deck(self) -> str:
        """Return the sentence on the size of the change."""
        row = self.record.removed
        if row is None:
            return ""
        fell, sign = ("fell", 1) if row.mean >= 0 else ("grew", -1)
        digits = digits_for(row.low, row.high)
        before, after = (number(end.mean, digits) for end in self.record.ends)
        fall = f"Closeness {fell} by {sized(row, sign)}, from {before} to {after}."
        return f"{fall} {for_scale(self.record)}".rstrip()

    def _picture(self) -> DotPicture:
        """Return the dots before, after, and of what was removed, above the ruler."""
        record, names = self.record, self.record.naming.groups
        of_groups = record.removed_by_group
        mean = "mean of groups" if of_groups else ""
        rows = [(row, row.key, mean) for row in record.ends]
        if record.removed:
            rows.append((record.removed, "removed", mean or "before minus after"))
        rows += [(row, f"of {names[row.key]}", "removed") for row in of_groups]
        says = f"{plain(self._sentence())} Closer by"
        unit = parts.UNITS[record.question]
        return parts.dot_picture(rows, says, parts.ruler(record), unit=unit)

    def main(self) -> str:
        record = self.record
        if record.removed:
            drawn = f'{self.drawn}<p class="cap">{parts.legend(record)}</p>'
        else:
            drawn = table(at_level(record.led("changes"), OVERALL), "Changes", MOVES).html()
        known = record.removed_by_group or record.question is Question.ALONE
        which = () if known else ("which group changed",)
        return drawn + limits(*which, "that bias is gone")

    def side(self) -> str:
        rows, marked = list[tuple[str, ...]](), list[tuple[int, int]]()
        for row in self.record.frame("remains").to_dict("records"):
            if (check := str(row["check"])) in CHECKS:
                name, write = CHECKS[check]
                marked += [(len(rows), 1)] if check == "classifier" else []
                values = (row[key] for key in ("before", "after", "chance"))
                texts = ("–" if pd.isna(value) else write(value) for value in values)
                rows.append((name.format(n=int(row["n"])), *texts))
        heads = ("", "before", "after", "no bias")
        whole = Table("What is left", heads, tuple(rows), tuple(marked)).html()
        if (left := self.record.check("classifier")) is None:
            return whole
        note = f"Clusters and classifier: the {int(left['n']):,} most biased words before."
        return f'{whole}<p class="foot">{note}</p>'

    def folds(self) -> Iterator[Fold]:
        record = self.record
        if record.removed:
            same = (
                "The same pairs of words were measured before and after, so whatever stays the "
                "same cancels out."
            )
            yield Fold("Compared with what?", same)
        names = record.naming.groups
        rows = record.removed_by_group
        sure = tuple((names[row.key], graded(row.verdict.probability)) for row in rows)
        yield Fold("How sure is each group?", Table("", ("", "moved away"), sure))
        yield Fold("Did control words move?", *word_moves(record))
        if record.removed:
            yield parts.how_to_read(record, "the difference before, after, and removed")

    def figures(self) -> str:
        leans, panels, means = self.record.frame("leans"), list[Panel](), list[str]()
        if leans.empty:
            return ""
        naming, first = self.record.naming, leans["protected_group"].iloc[0]
        two = len(naming.groups) == 2
        for place, (key, of_set) in enumerate(leans.groupby("attribute_set", sort=False)):
            part = of_set.sort_values("before", ascending=two and place == 1, kind="stable")
            grew = part["after"].abs() > part["before"].abs()
            kinds = grew.map({True: "own", False: "other"})
            ends = zip(part["attribute"], part["before"], part["after"], kinds, strict=True)
            words = [Lean(word, before, after, kind=kind) for word, before, after, kind in ends]
            panels.append(Panel(naming.by_key.get(str(key), in_words(str(key))), words))
            mean = part["before"].mean()
            means.append(f"{panels[-1].title}, mean {number(mean, digits_for(mean))}")
        caption = "Ring: before; arrow tip: after. Blue: toward zero; orange: away from it."
        sides = "closer to others", "closer to its group"
        if two:
            (other,) = (says for group, says in naming.groups.items() if group != first)
            sides = f"closer to {other}", f"closer to {naming.groups[first]}"
        drawing = Leans(panels, sides, f"Closer by, before: {'; '.join(means)}").html()
        arrows = figure("Which words moved?", drawing, caption, "arrows")
        frame, title = self.record.frames["word_pairs"], "Every pair of words, before"
        pairs = parts.pair_figure(frame, naming, title, "side")
        return f'<section class="fig two">{arrows}{pairs}</section>'

    def details(self) -> Iterator[Fold]:
        record, frames = self.record, self.record.frames
        moves = table(at_level(frames["changes"], OVERALL), "", f"model {MOVES}")
        yield Fold("How far did each kind of word move?", moves)
        scores = frames["scores"].assign(score=frames["scores"]["score"].map(in_words))
        scores.attrs.setdefault("ci_prob", record.ci_prob)
        shown = "score groups before after change interval t p_value note"
        yield Fold("What do other scores say?", table(scores, "", shown))
        shown = "connection share_before share_after n_before"
        inside = table(frames["bands"], "Inside the band around 1", shown)
        yield Fold("Are single distances closer to 1?", inside)
        yield parts.fit_fold(record, "changes")
        yield parts.warned_fold(record)
        words = table(record.frame("words"), "Words of the list, by set (missing ones in brackets)")
        yield Fold("Which words were measured?", words)
        made = ("Pairs", record.pairing), *parts.fitted_facts(record)
        yield Fold("How was it computed?", *made)

    def plots(self) -> Plots:
        pairs = self.record.frames["pairs"]
        rest = pairs.drop(columns=["before", "after", "change"])
        tables = [rest.assign(cosine_distance=pairs[when]) for when in ("before", "after")]
        drawn: Plots = {"distributions": partial(plots.distributions, *tables)}
        if self.record.has("leans"):
            drawn["change"] = partial(plots.change, *tables)
        return drawn


def word_moves(record: ChangeRecord, *kinds: str) -> list[str]:
    """Say how far each kind of words moved, by default controls, or that there are none."""
    changes = at_level(record.led("changes"), OVERALL)
    changes = changes[changes["connection"].isin(kinds or CONTROLS)]
    write = partial(number, digits=thousandths(*changes["low"], *changes["high"]))
    return [
        f"{row['connection'].capitalize()} words moved by {write(row['mean'])} "
        f"({write(row['low'])} to {write(row['high'])}); probability of more than "
        f"{record.rope:.2g}: {probability(row['p_moved'])}."
        for row in changes.astype({"connection": str}).to_dict("records")
    ] or ["The tables have no control words, so side effects cannot be seen."]
