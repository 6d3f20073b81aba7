"""What a sweep of many embeddings, lists, and models found."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from .._core.warnings import BayesbiasWarning
from .base import Record
from .rows import Row, rows_of


@dataclass(frozen=True, eq=False, kw_only=True)
class SweepRecord(Record):
    """What was found about every list in every embedding.

    Its frames include ``ranks``, ``differences``, ``shares``, and ``dots`` of the joint model,
    which are empty without it. `settings` describes the fits, and `sources` what was compared.
    """

    title: str
    embeddings: tuple[str, ...]
    lists: tuple[str, ...]
    n_models: int
    settings: str
    sources: tuple[tuple[str, str], ...]

    @property
    def warnings(self) -> list[BayesbiasWarning]:
        """The samplers' warnings of all cells."""
        return list(self.notices)

    @property
    def leading(self) -> str:
        """The list of the picture: the average of all lists, or the only one."""
        ranks = self.frames["ranks"]
        return str(ranks["wordlist"].iloc[0]) if len(ranks) else ""

    @property
    def ranks(self) -> pd.DataFrame:
        """The ranks in the leading list, in the order in which embeddings were given."""
        frame = self.frames["ranks"]
        rows = frame[frame["wordlist"] == self.leading].set_index("embedding", drop=False)
        return rows.loc[[name for name in self.embeddings if name in rows.index]]

    @property
    def rows(self) -> list[Row]:
        """The closeness in each embedding, in the order in which embeddings were given."""
        frame = self.frames["dots"]
        rows = {
            row.key: row for row in rows_of(frame[frame["wordlist"] == self.leading], "embedding")
        }
        return [rows[name] for name in self.embeddings if name in rows]
