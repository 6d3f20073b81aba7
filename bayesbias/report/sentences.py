"""Sentences that lead pages, screens, cards, and write-ups, as pieces with marked verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ..records.found import ListRecord, Question, Record
from ..records.naming import Naming
from ..records.rows import Row, Verdict
from .dots import DotPicture
from .numbers import digits_for, joined, number

NOT_SHOWN = "Does not show what people are like, or whether a system does harm."

LANDMARK_SAYS = {
    "flowers": "flowers and insects with pleasant words",
    "pronouns": "he/she with father/mother",
    "sport": "sport/music with team/orchestra words",
}
"""Names of landmarks in sentences."""


@dataclass(frozen=True)
class Marked:
    """A verdict in a sentence; pages underline it with both probabilities, if it is about one."""

    words: str
    verdict: Verdict | None = None
    chances: str = ""

    @property
    def text(self) -> str:
        """The verdict with its probability or probabilities."""
        return self.words + self.chances


type Sentence = tuple[str | Marked, ...]


@dataclass(frozen=True)
class Answer:
    """A sentence with its verdict, the size, the picture, and reasons not to rely on them."""

    sentence: Sentence
    deck: str
    picture: DotPicture | None
    alerts: Sequence[str] = ()
    notes: Sequence[str] = ()


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
        f'<em class="vm" style="--k:{100 - piece.verdict.percent}%">{escape(piece.text)}</em>'
        if isinstance(piece, Marked) and piece.verdict
        else escape(plain((piece,)))
        for piece in sentence
    )


def opening(verdict: Verdict) -> Marked:
    """Return the verdict that starts a sentence: the more probable side, or both if unclear."""
    if verdict.holds is None:
        chances = f" ({verdict.percent}% yes, {100 - verdict.percent}% no)"
        return Marked("We cannot tell", verdict, chances)
    return Marked(verdict.grade.value.capitalize(), verdict, f" ({verdict.larger}%)")


def claim_of(record: ListRecord, *, holds: bool = True) -> str:
    """Say what was asked about all groups, or its opposite."""
    groups, sets = record.naming.groups, record.naming.sets
    if record.question is Question.CROSSED:
        (one, two), (first, second) = groups.values(), (sets[group] for group in groups)
        if not holds:
            first, second = second, first
        return f"{one} go with {first} and {two} with {second} more than the other way round"
    if record.question is Question.SHARED:
        who, of_set, others = owners(record.naming)
        return f"{who} lean toward {of_set} {'more' if holds else 'less'} than {others} do"
    if record.question is Question.OWN:
        ends = ("their own group’s stereotypes", "others’")
        first, second = ends if holds else ("others’ stereotypes", "their own group’s")
        return f"words are closer, on average, to {first} than to {second}"
    both = ("their own stereotypes", "others’") if holds else ("others’ stereotypes", "their own")
    return "on average, groups lean toward {} more than toward {}".format(*both)


def owners(naming: Naming) -> tuple[str, str, str]:
    """Name the groups with the only set of stereotypes, the set, and the other groups."""
    groups, sets = naming.groups, naming.sets
    who, others = (
        joined(says for group, says in groups.items() if (group in sets) == own)
        for own in (True, False)
    )
    return who, next(sets[group] for group in groups if group in sets), others


def list_sentence(record: ListRecord) -> Sentence:
    """Return the sentence that leads the page of a list."""
    where = f" in {record.embedding}"
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
    if not found:
        return Marked("We cannot tell"), f" whether {who} lean toward {own}{where}."
    pieces: list[str | Marked] = []
    for row in found:
        toward = "toward" if row.verdict.holds else "away from"
        pieces += [opening(row.verdict), f", {names[row.key]} lean {toward} {own}", "; "]
    pieces[-1] = f"{where}."
    if unclear:
        pieces.append(f" For {who}, we cannot tell.")
    return tuple(pieces)


def list_deck(record: ListRecord) -> str:
    """Return the sentence on size: the estimate, its interval, and a landmark."""
    row = record.overall
    scale = for_scale(record) if record.frequency_removed else "Word frequency is not removed."
    if record.groups:
        names, versus = record.naming.groups, "compared with other groups’ words"
        found = [one for one in record.groups if one.verdict.holds is not None]
        if not found:
            low = min(one.low for one in record.groups)
            high = max(one.high for one in record.groups)
            return f"They are {between(low, high)}, {versus}. {scale}"
        start = "; ".join(f"{names[one.key]} lean by {sized(one)}" for one in found)
        return f"{start[0].upper()}{start[1:]}, {versus}. {scale}"
    if record.question is not Question.CROSSED:
        return f"By {sized(row, -1 if row.verdict.holds is False else 1)}. {scale}"
    if row.verdict.holds is None:
        ends = between(row.low, row.high)
        return f"Stereotyped pairs are {ends} than reverse pairs. {scale}"
    toward, sign = ("closer", 1) if row.verdict.holds else ("farther", -1)
    return f"Stereotyped pairs are {toward} than reverse pairs by {sized(row, sign)}. {scale}"


def between(low: float, high: float, of: tuple[str, str] = ("", "")) -> str:
    """Write the ends of a range in words, the smaller size first; `of` names the low and the high.

    If the ends have different signs, the closer one is first.
    """
    digits = digits_for(low, high)
    least, most = (
        number(abs(end), digits) + f" ({name})" * bool(name)
        for end, name in zip((low, high), of, strict=True)
    )
    if low >= 0:
        return f"between {least} and {most} closer"
    if high <= 0:
        return f"between {most} and {least} farther"
    return f"between {most} closer and {least} farther"


def sized(row: Row, sign: int = 1, *, digits: int = 0) -> str:
    """Write an estimate with its interval, such as ``0.10 (0.02 to 0.19)``."""
    digits = digits or digits_for(row.low, row.high)
    low, high = (number(end, digits) for end in sorted(sign * end for end in (row.low, row.high)))
    return f"{number(sign * row.mean, digits)} ({low} to {high})"


def for_scale(record: Record) -> str:
    """Return the sentence on the size of the landmark that most readers can imagine."""
    rows = {row.key: row for row in record.landmarks}
    for key in ("pronouns", "flowers", "sport"):
        if key in rows:
            measured = record.frame("landmarks")
            where = f" in {measured['embedding'].iloc[0]}" if "embedding" in measured else ""
            mean = number(rows[key].mean, digits_for(rows[key].low, rows[key].high))
            return f"For scale: {LANDMARK_SAYS[key]}, {mean}{where}."
    return ""
