"""What pages, screens, notebooks and papers lead with: a contrast, for whom, and its place."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..tables.descriptives import contrast_of, leading_pair
from ..tables.levels import GROUP, OVERALL, at_level
from ..tables.schema import THIN_MARK
from .numbers import ends, joined, placed, probability_name, signed
from .wording import (
    ALL_GROUPS,
    MEANINGS,
    OUTSIDE,
    measured_lines,
    settled,
    with_marks,
    with_own,
)
from .writer import Line

if TYPE_CHECKING:
    from ..workflows.change import ChangeAnalysis
    from ..workflows.wordlist import Analysis

ORDER = ("associated", "different")
"""The connections whose order is watched, and whose contrast has reference lists."""

NO_VERDICTS = "These are places with intervals, not verdicts"

CLOSING = f"{NO_VERDICTS}: the report says what does not follow."
"""Last words of a command that prints findings."""

REFERENCE_NAMES = {
    "frequency": "lists whose stereotypes are any words of like frequency",
    "topics": "lists about any topics",
}
"""What reference lists are, in words."""

NOT_DRAWN = (
    "No reference lists were drawn, so that it is not known what other words of this embedding "
    "show: give an embedding with its whole vocabulary."
)


@dataclass(frozen=True)
class Headline:
    """Which quantity leads, and where it lies for whom."""

    about: str
    lines: list[Line]


def headline_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the overall row of a contrast, then its groups, the largest first."""
    groups = at_level(rows, GROUP).sort_values("mean", key=abs, ascending=False, kind="stable")
    return pd.concat([at_level(rows, OVERALL), groups], ignore_index=True)


def _headline(
    about: str, rows: pd.DataFrame, word: Callable[[Mapping[Hashable, Any]], str]
) -> Headline:
    """Word the rows of a contrast, one sentence each."""
    records = headline_rows(rows).to_dict("records")
    marks = [f" {THIN_MARK}" if row.get("thin", False) else "" for row in records]
    lines = [
        Line(row["protected_group"] or ALL_GROUPS, word(row) + mark)
        for row, mark in zip(records, marks, strict=True)
    ]
    return Headline(about, lines)


def leading_contrast(analysis: Analysis) -> pd.DataFrame:
    """Return the contrast that leads, under the lead model, at all levels.

    Groups without measured stereotypes of their own are left out.
    """
    rows = contrast_of(analysis.lead.contrasts, *leading_pair(analysis.table))
    seen = rows["protected_group"].isin(["", *with_own(analysis)])
    return with_marks(analysis, rows[seen].reset_index(drop=True))


def headline(analysis: Analysis) -> Headline:
    """Word what a list's page leads with: which difference, then where it lies for whom."""
    first, second = leading_pair(analysis.table)
    ci = probability_name(analysis.settings.ci_prob)
    about = (
        f"{first.capitalize()} − {second}: the mean distance to {MEANINGS[first]}, less that to "
        f"{MEANINGS[second]}. Below zero, a group's own lie closer. Means and {ci} intervals of "
        f"the model {analysis.lead.spec.name}: overall, then the strongest group first."
    )
    return _headline(about, leading_contrast(analysis), gap_sentence)


def gap_sentence(row: Mapping[Hashable, Any]) -> str:
    """Word a difference as a place with an interval, without a verdict."""
    where = "closer" if row["mean"] < 0 else "farther"
    whose = "their" if row["level"] == OVERALL else "its"
    rest = (
        f"{whose} own stereotypes lie {where}."
        if settled(row)
        else f"the interval includes zero, so it is not settled that {whose} own lie {where}."
    )
    return f"{placed(row)}: {rest}"


def place_sentences(analysis: Analysis) -> list[str]:
    """Word where the overall contrast lies among reference lists."""
    reference, settings = analysis.reference, analysis.settings
    if reference is None:
        wanted = settings.reference_lists and not settings.templates
        return [NOT_DRAWN] if wanted else []
    return [
        place_sentence(reference.of_match(match), match, reference.n_lists(match))
        for match in REFERENCE_NAMES
    ]


def place_sentence(rows: pd.DataFrame, match: str, n_lists: int) -> str:
    """Word which contrasts lie outside the middle of reference lists of one kind."""
    row = at_level(rows, OVERALL).iloc[0]
    low, high = signed(row["reference_low"]), signed(row["reference_high"])
    places: dict[str, list[str]] = {"outside": [], "inside": []}
    for each in rows.to_dict("records"):
        of = str(each["protected_group"]) or "the overall contrast"
        places["outside" if each["p_value"] < OUTSIDE else "inside"].append(of)
    where = [
        f"{joined(names)} {'lies' if len(names) == 1 else 'lie'} {place}"
        for place, names in places.items()
        if names
    ]
    if len(where) == 1:
        where = [f"all contrasts of this list lie {'outside' if places['outside'] else 'inside'}"]
    return (
        f"Of {n_lists} {REFERENCE_NAMES[match]}, 95% have an overall contrast between {low} and "
        f"{high}. Each compared with its own such range, {joined(where)}."
    )


def finding_lines(analysis: Analysis) -> list[str]:
    """Word what was measured, the contrast that leads, for whom, and its place."""
    lead = headline(analysis)
    return [
        *measured_lines(analysis),
        lead.about,
        *map(str, lead.lines),
        *place_sentences(analysis),
    ]


def change_headline(analysis: ChangeAnalysis) -> Headline | None:
    """Word what a change's page leads with: the change of associated − different, for whom.

    None where the tables lack one of them.
    """
    if not analysis.lead.watched:
        return None
    about = (
        f"{ORDER[0].capitalize()} − {ORDER[1]}, before and after: the mean distance to stereotypes "
        "of the word's own group, less that to stereotypes of the other groups. Where its change "
        "is above zero, a group's own moved away. Means and "
        f"{probability_name(analysis.settings.ci_prob)} intervals of the model "
        f"{analysis.lead.spec.name}: overall, then the strongest group first."
    )

    def word(row: Mapping[Hashable, Any]) -> str:
        zero = "" if settled(row) else " The interval of the change includes zero."
        return (
            f"from {signed(row['before'])} to {signed(row['after'])}: "
            f"{signed(row['after'] - row['before'])} ({ends(row)}).{zero}"
        )

    return _headline(about, analysis.lead.orders, word)
