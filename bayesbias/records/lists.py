"""What the analysis of a word list found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import pandas as pd

from .base import Record
from .naming import Naming
from .rows import Row, rows_of


class Question(StrEnum):
    """What the headline asks.

    `CROSSED` asks whether two groups differ on two sets, and `SHARED` whether they differ on the
    only set. `GROUPS` asks, for three or more groups, whether each is closer to its own stereotypes
    than other groups are, beyond its closeness to the stereotypes of third groups.
    """

    CROSSED = "crossed"
    SHARED = "shared"
    GROUPS = "groups"


class Without(StrEnum):
    """Why a list is not compared with lists on other topics."""

    REQUEST = "request"
    COVARIATES = "covariates"
    MODEL = "model"
    WORDS = "words"


@dataclass(frozen=True, eq=False, kw_only=True)
class ListRecord(Record):
    """What was found about one word list in one embedding.

    Its frames include ``headline`` (overall and, for three or more groups, one row a group, in list
    order, with 100 quantiles), ``landmarks``, ``pairs``, ``blocks``, ``attributes``, and ``split``.
    `frequency_removed` is False if the estimates include differences in word frequency. `without`
    is the reason if there are no reference lists.
    """

    name: str
    title: str
    embedding: str
    naming: Naming
    question: Question
    frequency_removed: bool = False
    without: Without | None = None

    @property
    def overall(self) -> Row:
        """The row for all groups."""
        frame = self.frames["headline"]
        (row,) = rows_of(frame[frame["level"] == "overall"], "protected_group")
        return row

    @property
    def groups(self) -> list[Row]:
        """The rows of groups in list order; empty if only the overall number is identified."""
        frame = self.frames["headline"]
        return list(rows_of(frame[frame["level"] == "group"], "protected_group"))

    @property
    def rows(self) -> list[Row]:
        """The rows in the order of the picture: groups, then all groups."""
        return [*self.groups, self.overall]

    @property
    def topics(self) -> pd.Series | None:
        """The overall closeness of the lists on other topics, if any were drawn."""
        if not self.has("reference_lists"):
            return None
        frame = self.frames["reference_lists"]
        return -frame.loc[(frame["level"] == "overall") & (frame["match"] == "topics"), "mean"]

    @property
    def sizes(self) -> Mapping[str, int]:
        """Numbers of protected words, groups, and stereotypes that were measured."""
        pairs = self.frames["pairs"]
        names = {"words": "protected_word", "groups": "protected_group", "stereotypes": "attribute"}
        return {name: pairs[column].nunique() for name, column in names.items()}
