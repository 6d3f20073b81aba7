"""Every sentence that a reader sees, by concept: on pages, below figures, on the command line."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import pandas as pd

from ...tables.levels import GROUP, OVERALL, at_level
from ...tables.schema import THIN_MARK
from ..writer import Line as Line

NO_VERDICTS = "These are places with intervals, not verdicts"

CLOSING = f"{NO_VERDICTS}: the report says what does not follow."
"""Last words of a command that prints findings."""

MEANINGS = {
    "associated": "stereotypes of the word's own group",
    "different": "stereotypes of the other groups",
    "neutral": "neutral words",
    "human": "words about human life in general",
    "matched": "words of any meaning, as frequent as the stereotypes",
}
"""What the attributes of each connection are, in words."""

ALL_GROUPS = "all groups"
"""What stands before a finding that is of no single group."""


@dataclass(frozen=True)
class Headline:
    """What a page leads with: which quantity it is, and where it lies for whom."""

    about: str
    lines: list[Line]


def headline_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the overall row of a contrast, then its groups, the largest first."""
    groups = at_level(rows, GROUP).sort_values("mean", key=abs, ascending=False, kind="stable")
    return pd.concat([at_level(rows, OVERALL), groups], ignore_index=True)


def marked(text: str, row: Mapping[Hashable, Any] | pd.Series) -> str:
    """Mark a text on a row of a thin set; see `wording.thin`."""
    return f"{text} {THIN_MARK}" if row.get("thin", False) else text


def headline_of(
    about: str, rows: pd.DataFrame, word: Callable[[Mapping[Hashable, Any]], str]
) -> Headline:
    """Word the rows of a contrast, one sentence each."""
    records = headline_rows(rows).to_dict("records")
    return Headline(
        about,
        [Line(row["protected_group"] or ALL_GROUPS, marked(word(row), row)) for row in records],
    )


def lines_of[Fitted](results: Mapping[str, Fitted], word: Callable[[Fitted], str]) -> list[Line]:
    """Word something for every model."""
    return [Line(model, word(result)) for model, result in results.items()]


class _Fitted(Protocol):
    @property
    def warnings(self) -> Iterable[str]: ...


def doubts_of(results: Mapping[str, _Fitted]) -> list[str]:
    """Return the sampling warnings of all models, the model before each."""
    return [str(Line(of, text)) for of, fitted in results.items() for text in fitted.warnings]
