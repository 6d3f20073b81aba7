"""Sentences that lead pages, screens, cards, and write-ups, as pieces with marked verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from ..records.lists import ListRecord, Question
from ..records.rows import Row
from ..records.verdicts import Verdict
from .numbers import digits_for, joined, number

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

    words: str
    verdict: Verdict
    chances: str = ""

    @property
    def text(self) -> str:
        """The verdict with its probability or probabilities."""
        return self.words + self.chances


type Sentence = tuple[str | Marked, ...]


def plain(sentence: Sentence, *, capitals: bool = False) -> str:
    """Return a sentence as text, on request with its verdicts in capitals."""
    return "".join(
        piece
        if isinstance(piece, str)
        else (piece.words.upper() if capitals else piece.words) + piece.chances
        for piece in sentence
    )


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
    return Marked(words, verdict, f" ({chance(verdict)})")


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
    where = f" in the embedding {record.embedding}"
    if record.groups:
        return _by_group(record, where)
    holds = record.overall.verdict.holds
    claim, start = claim_of(record, holds=holds is not False), opening(record.overall.verdict)
    if holds is None:
        return start, f" whether {claim}{where}."
    return start, f", {claim}{where}{'' if holds else ', against the stereotype'}."


def _by_group(record: ListRecord, where: str) -> Sentence:
    """Name the groups with a verdict, then those about which one cannot tell."""
    names, own = record.naming.groups, "their own stereotypes"
    found = [row for row in record.groups if row.verdict.holds is not None]
    unclear = [row for row in record.groups if row.verdict.holds is None]
    who = joined(names[row.key] for row in unclear or found)
    chances = joined(f"{row.verdict.percent}%" for row in unclear or found)
    if not found:
        start = Marked("We cannot tell", record.overall.verdict)
        return start, f" ({chances}) whether {who} lean toward {own}{where}."
    pieces: list[str | Marked] = []
    for row in found:
        toward = "toward" if row.verdict.holds else "away from"
        pieces += [opening(row.verdict), f", {names[row.key]} lean {toward} {own}", "; "]
    pieces[-1] = f"{where}."
    if unclear:
        pieces.append(f" For {who}, we cannot tell ({chances}).")
    return tuple(pieces)


def list_deck(record: ListRecord) -> str:
    """Return the sentence on size: the estimate, its interval, and a landmark."""
    row, scale = record.overall, _landmark(record)
    if record.groups:
        found = [one for one in record.groups if one.verdict.holds is not None]
        names = {**record.naming.groups, "": "the mean"}
        start = "; ".join(f"{names[one.key]} by {sized(one)}" for one in found or [row])
        return f"{start[0].upper()}{start[1:]}, compared with other groups’ words. {scale}"
    if record.question is not Question.CROSSED:
        return f"By {sized(row)}. {scale}"
    if row.verdict.holds is None:
        digits = digits_for(row.low, row.high)
        low, high = number(-row.low, digits), number(row.high, digits)
        return f"Matching pairs are at most {high} closer and {low} farther than crossed. {scale}"
    toward, sign = ("closer", 1) if row.verdict.holds else ("farther", -1)
    return f"Matching pairs are {toward} than crossed pairs by {sized(row, sign)}. {scale}"


def sized(row: Row, sign: int = 1, *, digits: int = 0) -> str:
    """Write an estimate with its interval, such as ``0.10 (0.02 to 0.19)``."""
    digits = digits or digits_for(row.low, row.high)
    low, high = (number(end, digits) for end in sorted(sign * end for end in (row.low, row.high)))
    return f"{number(sign * row.mean, digits)} ({low} to {high})"


def _landmark(record: ListRecord) -> str:
    """Compare a size with the second landmark's, or say that it includes word frequency."""
    if not record.frequency_removed:
        return "Word frequency is not removed."
    rows = {row.key: row for row in record.landmarks}
    for key in ("pronouns", "flowers", "sport"):
        if key in rows:
            return f"For scale: {number(rows[key].mean, 2)} {LANDMARK_SAYS[key]}."
    return ""
