"""Sentences that lead pages, screens, cards, and write-ups, as pieces with marked verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from ..records.lists import ListRecord, Question
from ..records.rows import Row
from ..records.verdicts import Verdict
from .numbers import digits_for, joined, number, probability_name

NOT_SHOWN = "Does not show what people are like, or whether a system does harm."

LANDMARK_SAYS = {
    "flowers": "for flowers and insects with pleasant words",
    "pronouns": "for he/she with father/mother words",
    "sport": "for sport/music with team/orchestra words",
}
"""Names of landmarks in sentences."""


@dataclass(frozen=True)
class Marked:
    """A verdict in a sentence; pages underline it with both probabilities."""

    text: str
    verdict: Verdict


type Sentence = tuple[str | Marked, ...]


def plain(sentence: Sentence, *, capitals: bool = False) -> str:
    """Return a sentence as text, on request with its verdicts in capitals."""
    texts = []
    for piece in sentence:
        if isinstance(piece, str):
            texts.append(piece)
        else:
            words, bracket, rest = piece.text.partition(" (")
            texts.append((words.upper() if capitals else words) + bracket + rest)
    return "".join(texts)


def marked_up(sentence: Sentence) -> str:
    """Return a sentence as HTML, with verdicts underlined in proportion to both sides."""
    return "".join(
        escape(piece)
        if isinstance(piece, str)
        else f'<em class="vm" style="--k:{100 - piece.verdict.percent}%">{escape(piece.text)}</em>'
        for piece in sentence
    )


def chance(verdict: Verdict) -> str:
    """Write the probability of the more probable side, or both if one cannot tell."""
    if verdict.holds is None:
        return f"{verdict.percent} to {100 - verdict.percent}"
    return f"{verdict.larger}%"


def opening(verdict: Verdict) -> Marked:
    """Return the verdict that starts a sentence."""
    words = "We cannot tell" if verdict.holds is None else verdict.grade.value.capitalize()
    return Marked(f"{words} ({chance(verdict)})", verdict)


def claim_of(record: ListRecord, *, holds: bool = True) -> str:
    """Say what was asked about all groups, or its opposite."""
    groups, sets = record.naming.groups, record.naming.sets
    if record.question is Question.CROSSED:
        (one, two), (first, second) = (
            groups.values(),
            sets.values() if holds else reversed([*sets.values()]),
        )
        return f"{one} go with {first} and {two} with {second} more than the other way round"
    toward = "toward" if holds else "away from"
    if record.question is Question.SHARED:
        (group, name), *_ = sets.items()
        others = joined(says for key, says in groups.items() if key != group)
        return f"{groups[group]} lean {toward} {name} more than {others} do"
    return f"on average, groups lean {toward} their own stereotypes more than toward others’"


def list_sentence(record: ListRecord) -> Sentence:
    """Return the sentence that leads the page of a list."""
    return _by_group(record) if record.groups else _about_all(record)


def _about_all(record: ListRecord) -> Sentence:
    verdict, where = record.overall.verdict, f" in {record.embedding}"
    holds = verdict.holds
    claim = claim_of(record, holds=holds is not False)
    if holds is None:
        return opening(verdict), f" whether {claim}{where}."
    against = "" if holds else ", against the stereotype"
    return opening(verdict), f", {claim}{where}{against}."


def _by_group(record: ListRecord) -> Sentence:
    """Name the groups with a verdict, then those about which one cannot tell."""
    names, rows = record.naming.groups, record.groups
    compared = "more than toward others’, compared with other groups’ words,"
    found = [row for row in rows if row.verdict.holds is not None]
    open_rows = [row for row in rows if row.verdict.holds is None]
    if not found:
        both = joined(names[row.key] for row in rows)
        chances = joined(f"{row.verdict.percent}%" for row in rows)
        return (
            Marked("We cannot tell", record.overall.verdict),
            f" ({chances}) whether {both} lean toward their own stereotypes {compared} in "
            f"{record.embedding}.",
        )
    pieces: list[str | Marked] = []
    for place, row in enumerate(found):
        toward = "toward" if row.verdict.holds else "away from"
        own = f"lean {toward} their own stereotypes"
        pieces += ["; " if place else "", opening(row.verdict), f", {names[row.key]} {own}"]
        pieces += [f" {compared} in {record.embedding}"] if place == 0 else []
    pieces.append(".")
    if open_rows:
        who = joined(names[row.key] for row in open_rows)
        chances = joined(f"{row.verdict.percent}%" for row in open_rows)
        pieces.append(f" For {who}, we cannot tell ({chances}).")
    return tuple(piece for piece in pieces if piece)


def list_deck(record: ListRecord) -> str:
    """Return the sentence on size: the estimate, its interval, and a landmark."""
    ci, rows = probability_name(record.ci_prob), record.groups
    found = [row for row in rows if row.verdict.holds is not None]
    if rows:
        shown = found or [record.overall]
        names = {**record.naming.groups, "": "The mean"}
        texts = [f"{names[row.key]} by {sized(row, ci=ci)}" for row in shown]
        start = "; ".join(texts)
        return f"{start[0].upper()}{start[1:]}. {_landmark(record)}"
    row = record.overall
    digits = digits_for(row.low, row.high)
    if record.question is not Question.CROSSED:
        return f"By {sized(row, ci=ci)}. {_landmark(record)}"
    if row.verdict.holds is None:
        low, high = number(-row.low, digits), number(row.high, digits)
        return (
            f"Matching pairs are at most {high} closer and {low} farther than crossed "
            f"pairs ({ci} interval). {_landmark(record)}"
        )
    toward, sign = ("closer", 1) if row.verdict.holds else ("farther", -1)
    return (
        f"Matching pairs are {toward} than crossed pairs by {sized(row, sign, ci=ci)}. "
        f"{_landmark(record)}"
    )


def sized(row: Row, sign: int = 1, *, ci: str = "", digits: int = 0) -> str:
    """Write an estimate with its interval, such as ``0.10 (0.02 to 0.19)``."""
    digits = digits or digits_for(row.low, row.high)
    low, high = (number(end, digits) for end in sorted(sign * end for end in (row.low, row.high)))
    start = f"{ci} interval: " if ci else ""
    return f"{number(sign * row.mean, digits)} ({start}{low} to {high})"


def _landmark(record: ListRecord) -> str:
    """Compare a size with the second landmark's, or say that it includes word frequency."""
    if not record.frequency_removed:
        return "Word frequency is not removed."
    rows = {row.key: row for row in record.landmarks}
    for key in ("pronouns", "flowers", "sport"):
        if key in rows:
            return f"For scale: {number(rows[key].mean, 2)} {LANDMARK_SAYS[key]}."
    return ""
