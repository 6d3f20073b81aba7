"""What a data set or log contains: preferences, answers, and what is left out and why."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._core.checks import counted
from .._core.reading import read_text
from .._core.warnings import warn
from ..warnings import LeftOut
from .bbq import Targets, bbq_places, is_ambiguous, unknown_place
from .bbq_answers import BbqAnswer, right_place
from .datasets import DIRECTIONS, ROLES, label_faults, refuse_rows

MOST_LOG_BYTES = 1 << 31
"""Largest size of a log, in bytes."""

MOST_ODD, ODD_SHARE = 100, 0.001
"""A file is refused if more lines than both limits, or half of them, cannot be used."""

AGAIN = "the sample repeats an earlier one"
IDENTICAL = "the two sentences are identical"
INFINITE = (
    "a log-likelihood is infinite or missing, as after an overflow or for a sentence with zero "
    "probability (score the pair again in float32 to keep it)"
)
NO_CHOICE = "the answer names none of the choices, or several"
SAID_UNKNOWN = "the answer is the one for unknown"
UNRELATED = "the answer is the unrelated sentence"

ANSWERS = (SAID_UNKNOWN, UNRELATED)
"""Reasons that are choices of a model, so no warning counts them."""

SAME_SCORE = 1e-3
"""Largest difference between scores of one pair in two logs of one run, which batches cause."""

Row = dict[str, Any]

Read = tuple[pd.DataFrame, dict[str, Any]]
"""The rows of a log, and its record."""

MALFORMED = (LookupError, TypeError, ValueError, AttributeError, OverflowError)
"""Errors that mean that a line or sample lacks what its reader needs."""


@dataclass
class Content:
    """Rows of pairs, the numbers of samples left out by reason, and answers to BBQ.

    ``targets`` names the stereotyped answers of BBQ, and ``part`` is the part of StereoSet to read.
    ``unanswered`` counts answers to BBQ without a choice that ``left_out`` does not count as such.
    """

    targets: Targets | None = None
    part: str = ""
    rows: list[Row] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    answers: list[BbqAnswer] = field(default_factory=list)
    unanswered: Counter[str] = field(default_factory=Counter)

    def add(self, row: Row | str | None) -> str | None:
        """Add a row, or count and return the reason for leaving it out. Ignore None."""
        if isinstance(row, dict) and not all(map(np.isfinite, numbers_of(row))):
            row = INFINITE
        if isinstance(row, str):
            self.left_out[row] += 1
            return row
        if row is not None:
            self.rows.append(row)
        return None


def add_bbq(
    content: Content,
    model: str,
    pair_id: str,
    question: Mapping[str, Any],
    chosen: int,
    *,
    scores: Sequence[float] | None = None,
) -> None:
    """Add an answer to a BBQ question and, if the question is ambiguous, the preference.

    The preference is the difference between the groups' `scores` or, without scores, the choice.
    """
    places = bbq_places(question, content.targets)
    category = str(question["category"])
    ambiguous = is_ambiguous(question)
    right = unknown_place(question) if ambiguous else right_place(question)
    content.answers.append(BbqAnswer(model, pair_id, category, ambiguous, places, chosen, right))
    cluster = f"{category} {question['question_index']}"
    row: Row = {"model": model, "bias_type": category, "pair_id": pair_id, "cluster": cluster}
    pair: Row | str
    if isinstance(places, str):
        pair = places
    elif scores is not None:
        both = {role: scores[place] for role, place in zip(ROLES, places, strict=True)}
        pair = row | {"measure": "log-likelihood"} | both
    elif chosen not in places:
        pair = NO_CHOICE if chosen < 0 else SAID_UNKNOWN
    else:
        pair = row | {"measure": "answer", "difference": 1.0 - 2.0 * (chosen != places[0])}
    reason = content.add(pair) if ambiguous else None
    missing = NO_CHOICE if scores is None else INFINITE
    if chosen < 0 and reason != missing:
        content.unanswered[missing] += 1


def numbers_of(row: Row) -> list[float]:
    """Return the scores and the difference of a row; raise a ValueError if one is not a number."""
    numbers = []
    for name in {*ROLES, "difference", "token_difference"} & set(row):
        try:
            if isinstance(row[name], bool):
                raise TypeError
            row[name] = float(row[name])
        except (TypeError, ValueError):
            raise ValueError(f"{name} must be a number; got {row[name]!r:.60}") from None
        numbers.append(row[name])
    return numbers


def usable(items: Iterable[Any], use: Callable[[Any], object], content: Content, what: str) -> None:
    """Use every item; count those that are malformed, and refuse a file with too many of them."""
    wrong, n = [], 0
    for n, item in enumerate(items, 1):
        try:
            if isinstance(item, Exception):
                raise item
            use(item)
        except MALFORMED as error:
            lack = f" has no {error}" if isinstance(error, KeyError) else f": {error}"
            wrong.append(f"row {n - 1}{lack}")
    if wrong and too_many(len(wrong), n):
        raise ValueError(f"this is not {what}: {wrong[0]}")
    if wrong:
        content.left_out[f"the line cannot be read ({'; '.join(wrong[:3])})"] += len(wrong)


def rows_of(table: pd.DataFrame) -> list[Row]:
    """Return the rows of a table, keyed by column."""
    return [dict(zip(map(str, table), row, strict=True)) for row in table.to_numpy().tolist()]


def too_many(n_odd: int, n: int) -> bool:
    """Return whether so many rows cannot be used that the file should be refused."""
    return n_odd > max(MOST_ODD, ODD_SHARE * n) or 2 * n_odd >= n


def json_lines(path: Path) -> Iterator[Any]:
    """Yield the objects of a file of JSON lines or of one JSON list; yield errors of single lines.

    A file that was written line by line by a process that was stopped may end within a line.
    """
    text = read_text(path, MOST_LOG_BYTES)
    if text.lstrip().startswith("["):
        yield from json.loads(text)
        return
    for line in filter(str.strip, text.split("\n")):  # texts may contain other kinds of breaks
        try:
            yield json.loads(line)
        except json.JSONDecodeError as error:
            yield ValueError(f"not a JSON file: {error}")


def said(left_out: Mapping[str, int]) -> str:
    """Return the counts by reason, such as ``2 samples because the answer names ...``."""
    ordered = sorted(left_out.items(), key=lambda both: -both[1])
    return "; ".join(f"{counted(n, 'sample')} because {reason}" for reason, n in ordered)


def warn_of(left_out: Mapping[str, int], path: Path) -> None:
    """Warn about samples that are left out, once for each reason."""
    for reason, n in sorted(left_out.items(), key=lambda both: -both[1]):
        warn(LeftOut(n, 0, "sample", reason, about=str(path)))


def completed(rows: list[Row], columns: tuple[str, ...]) -> pd.DataFrame:
    """Return the rows of a log as a frame, with default values where rows lack some."""
    frame = pd.DataFrame(rows, columns=None if rows else list(columns))
    usual: Row = dict.fromkeys(ROLES, np.nan) | {"measure": "score", "direction": DIRECTIONS[0]}
    for name, value in (usual | {"cluster": frame["pair_id"]}).items():
        frame[name] = _filled(frame, name, value)
    frame["difference"] = _filled(frame, "difference", frame[ROLES[0]] - frame[ROLES[1]])
    refuse_rows(frame, label_faults(frame))
    return frame[[*columns, *(name for name in frame.columns if name not in columns)]]


def _filled(frame: pd.DataFrame, name: str, value: Any) -> Any:  # noqa: ANN401  a column
    """Return a column with a value, or another column's values, where it is missing."""
    return frame[name].where(frame[name].notna(), value) if name in frame.columns else value


def _about_pairs(frame: pd.DataFrame) -> dict[Hashable, tuple[str, str]]:
    """Return the type of bias and the cluster of pairs; a pair alone has no cluster."""
    ids = frame.index.get_level_values("pair_id")
    clusters = frame["cluster"].where(frame["cluster"] != ids, "")
    return dict(
        zip(frame.index, zip(frame["bias_type"].str.casefold(), clusters, strict=True), strict=True)
    )


def _may_be_one(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Return whether pairs with one id can be the same pair; a cluster may be unknown."""
    return one[0] == other[0] and (one[1] == other[1] or "" in {one[1], other[1]})


def unrepeated(read: Sequence[Read]) -> list[Read]:
    """Empty each log whose pairs another log has with equal scores, as for a subset of a task."""
    keys = ["model", "measure", "pair_id"]
    known = [frame.set_index(keys)["difference"].to_dict() for frame, _ in read]
    about = [_about_pairs(frame.set_index(keys)) for frame, _ in read]
    pairs = [one.keys() for one in known]
    kept = list(read)
    for part, (frame, log) in enumerate(read):
        for whole, (_, other) in enumerate(read):
            if part == whole or not (both := pairs[part] & pairs[whole]):
                continue
            alike = all(
                _may_be_one(about[part][pair], about[whole][pair])
                and np.isclose(known[part][pair], known[whole][pair], atol=SAME_SCORE)
                for pair in both
            )
            inside = pairs[part] < pairs[whole] or (both == pairs[whole] and part > whole)
            if alike and inside and len(both) == len(frame):  # more rows repeat a pair
                why = f"the pair is also in {other['log']}"
                kept[part] = (frame.iloc[:0], log | {"left_out": {why: len(frame)}})
            elif not alike or both not in (pairs[part], pairs[whole]):
                raise ValueError(
                    f"{log['log']} and {other['log']} have the same pair_id for the same model, "
                    "but scores or types differ, or each has more; give each pair its own id, "
                    "pass only one of them, or, in Python, read each with model='NAME' and join "
                    "the frames with pd.concat"
                )
    return kept
