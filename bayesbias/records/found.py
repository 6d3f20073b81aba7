"""What analyses found, as data: frames, models, and warnings, about each kind of analysis."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import sqrt
from typing import Any

import pandas as pd

from .._core.warnings import BayesbiasWarning, SamplingWarning
from .naming import Naming
from .rows import Row, rows_of


@dataclass(frozen=True)
class Joined:
    """A frame that is joined from many when it is first read, or read in pieces that are not kept.

    The pieces have the columns, types, ``attrs``, and together the rows of the joined frame.
    """

    join: Callable[[], pd.DataFrame]
    pieces: Callable[[], Iterator[pd.DataFrame]]

    def __call__(self) -> pd.DataFrame:
        """Return the joined frame."""
        return self.join()


class Frames(UserDict[str, Any]):
    """Frames keyed by name; a frame given as a function is computed when it is first read."""

    def __getitem__(self, name: str) -> pd.DataFrame:
        part: pd.DataFrame = self.data[name]
        if not isinstance(part, pd.DataFrame):
            self.data[name] = part = part()
        return part

    def pieces(self, name: str) -> Iterator[pd.DataFrame]:
        """Yield a frame: in pieces if it would have to be joined, or else as a whole."""
        part = self.data[name]
        yield from part.pieces() if isinstance(part, Joined) else [self[name]]

    def __reduce__(self) -> tuple[type[Frames], tuple[dict[str, pd.DataFrame]]]:
        return Frames, (dict(self),)


@dataclass(frozen=True)
class ModelText:
    """A model for a paper: its likelihood in LaTeX, its effects, and its priors.

    A prior has the names of its parameters, its family, its text, and the reason for it. Priors of
    sds are in units of `spread`, the sd of the table's stereotype distances.
    """

    formula: str
    sigma: str
    effects: tuple[str, ...]
    priors: tuple[tuple[str, str, str, str], ...]
    spread: float


@dataclass(frozen=True)
class FittedModel:
    """A model and how it was fitted; `doubts` are the sampler's warnings."""

    name: str
    reference: str
    method: str
    reason: str
    draws: str
    seed: str
    text: ModelText | None
    doubts: tuple[BayesbiasWarning, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Record:
    """What an analysis found: frames keyed by file name, models, and warnings.

    The last model is the main one. `notices` are the warnings that the analysis issued, `hashes`
    identify what was measured, and `origin` is what ``run.json`` keeps about where the numbers come
    from. Intervals have the probability `ci_prob`; differences within `rope` count as too small to
    matter.
    """

    frames: Frames
    models: tuple[FittedModel, ...] = ()
    ci_prob: float
    rope: float = 0.0
    notices: tuple[BayesbiasWarning, ...] = ()
    hashes: Mapping[str, str] = field(default_factory=dict)
    origin: Mapping[str, object] = field(default_factory=dict)

    @property
    def warnings(self) -> list[BayesbiasWarning]:
        """The sampler's warnings, each about its model, and those of other fits."""
        doubts = {doubt for model in self.models for doubt in model.doubts}
        return [
            *(doubt.concerning(model.name) for model in self.models for doubt in model.doubts),
            *(
                one
                for one in self.notices
                if isinstance(one, SamplingWarning) and one not in doubts
            ),
        ]

    def frame(self, name: str) -> pd.DataFrame:
        """Return a frame, or an empty one if there is none of this name."""
        return self.frames[name] if name in self.frames else pd.DataFrame()

    def has(self, name: str) -> bool:
        """Return whether a frame exists and has rows."""
        return len(self.frame(name)) > 0

    def led(self, name: str) -> pd.DataFrame:
        """Return the main model's rows of a frame."""
        return of_model(self.frames[name], self.models[-1].name)

    def rows_where(self, name: str, key: str, sign: int = -1, **where: str) -> list[Row]:
        """Return the headline rows of a frame whose columns have the values in `where`."""
        frame = self.frame(name)
        for column, value in where.items() if len(frame) else ():
            frame = frame[frame[column] == value]
        return list(rows_of(frame, key, sign))

    @property
    def landmarks(self) -> list[Row]:
        """The same measure for well-known lists in the same embedding, if it was computed."""
        return self.rows_where("landmarks", "landmark")


def of_model(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return a model's rows of a frame of several models, without the column ``model``."""
    if frame.empty:
        return frame
    return frame[frame["model"] == name].drop(columns="model").reset_index(drop=True)


class Question(StrEnum):
    """What the headline asks.

    `ALONE` asks whether the only group is closer to its own stereotypes than to others. `CROSSED`
    asks whether two groups differ on two sets, and `SHARED` whether they differ on the only set
    that is a group's own. `GROUPS` asks, with sets of three or more groups, whether each group is
    closer to its own stereotypes than other groups are, beyond its closeness to the stereotypes of
    third groups. `OWN` asks whether words are, on average, closer to their own group's stereotypes
    than to others'; the answer may include how close each set is to all groups.
    """

    ALONE = "alone"
    CROSSED = "crossed"
    SHARED = "shared"
    GROUPS = "groups"
    OWN = "own"


class Without(StrEnum):
    """Why a list is not compared with lists on other topics."""

    REQUEST = "request"
    COVARIATES = "covariates"
    MODEL = "model"
    CONTEXTS = "contexts"
    GROUPS = "groups"
    WORDS = "words"


@dataclass(frozen=True, eq=False, kw_only=True)
class ListRecord(Record):
    """What was found about one word list in one embedding.

    Its frames include ``headline`` (overall and, for three or more groups, one row a group, in list
    order, with 100 quantiles), ``landmarks``, ``pairs``, ``blocks``, ``attributes``, and ``split``.
    `frequency_removed` is False if the estimates include differences in word frequency. `without`
    is the reason if there are no reference lists. The list itself has `n_entries`, without words
    that were drawn.
    """

    name: str
    title: str
    embedding: str
    naming: Naming
    question: Question
    frequency_removed: bool = False
    without: Without | None = None
    n_entries: int = 0

    @property
    def overall(self) -> Row:
        """The row for all groups."""
        return self.rows_where("headline", "protected_group", level="overall")[0]

    @property
    def groups(self) -> list[Row]:
        """The rows of groups in list order; empty if only the overall number is identified."""
        return self.rows_where("headline", "protected_group", level="group")

    @property
    def rows(self) -> list[Row]:
        """The rows in the order of the picture: groups, then all groups."""
        return [*self.groups, self.overall]

    def topics(self, group: str = "") -> list[float]:
        """Return the closeness of a group, or overall, in each list on another topic."""
        if not len(frame := self.frame("reference_lists")):
            return []
        return [-mean for mean in frame.loc[frame["protected_group"] == group, "mean"]]

    @property
    def sizes(self) -> Mapping[str, int]:
        """Numbers of protected words, groups, and stereotypes that were measured."""
        pairs = self.frames["pairs"]
        names = {"words": "protected_word", "groups": "protected_group", "stereotypes": "attribute"}
        return {name: pairs[column].nunique() for name, column in names.items()}


@dataclass(frozen=True, eq=False, kw_only=True)
class ChangeRecord(Record):
    """What was found about a list's distances before and after a change.

    Its frames include ``before_after`` (the contrast before and after), ``removed`` (after minus
    before, in which positive numbers mean that words moved away from their own stereotypes, overall
    and by group), ``leans`` of stereotype words before and after, and ``remains``. The first three
    are empty if the tables lack a connection. `method` is the name of a debiasing method, if there
    is one.
    """

    name: str
    title: str
    before: str
    after: str
    method: str = ""
    naming: Naming
    question: Question
    pairing: str = ""

    @property
    def ends(self) -> list[Row]:
        """The closeness to own stereotypes before and after."""
        return self.rows_where("before_after", "when")

    @property
    def removed(self) -> Row | None:
        """How much closeness was removed, over all groups."""
        rows = self.rows_where("removed", "protected_group", sign=1, level="overall")
        return rows[0] if rows else None

    @property
    def removed_by_group(self) -> list[Row]:
        """How much closeness was removed from each of three or more groups, in list order."""
        return self.rows_where("removed", "protected_group", sign=1, level="group")

    def check(self, name: str) -> pd.Series | None:
        """Return a check of the remaining bias, such as ``classifier``, if it was computed."""
        frame = self.frames["remains"]
        rows = frame[frame["check"] == name] if len(frame) else frame
        return None if rows.empty else rows.iloc[0]

    @property
    def recoverable(self) -> bool:
        """Whether the classifier is more than two binomial standard errors above chance."""
        left = self.check("classifier")
        if left is None:
            return False
        chance = left["chance"]
        return bool(left["after"] > chance + 2 * sqrt(chance * (1 - chance) / left["n"]))


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
        return self.rows_where("dots", "model", sign=1, measure=measure)


@dataclass(frozen=True, eq=False, kw_only=True)
class SweepRecord(Record):
    """What was found about every list in every embedding.

    Its frames include ``ranks``, ``differences``, ``shares``, and ``dots`` of the joint model,
    which are empty without it: no list has different distances in two embeddings, or the model
    failed (`joint_failed`). `settings` describes the fits, and `sources` what was compared.
    """

    title: str
    embeddings: tuple[str, ...]
    lists: tuple[str, ...]
    n_models: int
    settings: str
    sources: tuple[tuple[str, str], ...]
    joint_failed: bool = False

    @property
    def warnings(self) -> list[BayesbiasWarning]:
        """The samplers' warnings of all cells."""
        return [one for one in self.notices if isinstance(one, SamplingWarning)]

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
        rows = self.rows_where("dots", "embedding", wordlist=self.leading)
        return sorted(rows, key=lambda row: self.embeddings.index(row.key))
