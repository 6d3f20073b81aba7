"""The parts that every record has: frames, models, and warnings."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from .._core.warnings import BayesbiasWarning
from .rows import Row, rows_of


class Frames(UserDict[str, Any]):
    """Frames keyed by name; a frame given as a function is computed when it is first read."""

    def __getitem__(self, name: str) -> pd.DataFrame:
        part: pd.DataFrame = self.data[name]
        if not isinstance(part, pd.DataFrame):
            self.data[name] = part = part()
        return part

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
    title: str
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
        """The sampler's warnings, each about its model."""
        return [doubt.concerning(model.name) for model in self.models for doubt in model.doubts]

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
