"""What the analysis of sentence pairs found."""

from __future__ import annotations

from dataclasses import dataclass

from .base import Record
from .rows import Row, rows_of


@dataclass(frozen=True, eq=False, kw_only=True)
class PairRecord(Record):
    """How often language models prefer stereotypical sentences.

    Its frames include ``dots``, one row for each measure and language model, with 100 quantiles of
    the share of new pairs whose stereotypical sentence is preferred. `notes` say what was left out.
    """

    language_models: tuple[str, ...]
    measures: tuple[str, ...]
    notes: tuple[str, ...] = ()
    sources: tuple[tuple[str, str], ...] = ()

    def rows(self, measure: str) -> list[Row]:
        """Return the shares of one measure by language model; one half means no preference."""
        frame = self.frames["dots"]
        if frame.empty:
            return []
        return list(rows_of(frame[frame["measure"] == measure], "model", sign=1))
