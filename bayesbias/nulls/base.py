"""What all scenarios have: the sizes of lists, groups, and where an effect is planted."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

from .._core.arrays import FloatArray
from .._core.checks import is_whole, unknown_name
from .._core.random import Seed, as_seed_sequence
from .layout import Batch, Layout

PLANTINGS = ("all", "one word", "opposite")
"""Where an effect may be planted: in all words, in the first word only, or in the first two with
opposite signs, so that it cancels."""


def is_finite(value: object) -> bool:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value))


@runtime_checkable
class ScenarioLike(Protocol):
    """What calibration needs of a scenario; another kind of scenario has these and no more."""

    @property
    def layout(self) -> Layout:
        """Words, attributes and groups of its tables."""

    def simulate(self, n: int, seed: Seed = None) -> Batch:
        """Simulate n tables."""

    def without_effect(self) -> ScenarioLike:
        """Return the same scenario with nothing planted."""

    def settings(self) -> dict[str, Any]:
        """Return all that decides the tables, as JSON can write it."""


@dataclass(frozen=True, kw_only=True)
class BaseScenario:
    """Lists of words and attributes, and an effect; a kind of scenario adds how distances arise."""

    n_words: int = 8
    n_attributes: int = 8
    effect: float = 0.0
    groups: tuple[str, ...] = ("X", "Y")
    planted: str = "all"
    kind: ClassVar[str]

    def __post_init__(self) -> None:
        _ = self.layout  # which checks its part
        if self.planted not in PLANTINGS:
            raise ValueError(unknown_name("planting", str(self.planted), PLANTINGS))
        if not is_finite(self.effect) or abs(self.effect) > 1:
            raise ValueError(
                f"effect is a difference of distances and lies in [-1, 1]; got {self.effect!r}"
            )
        object.__setattr__(self, "groups", tuple(self.groups))
        object.__setattr__(self, "effect", float(self.effect))

    @property
    def layout(self) -> Layout:
        """Words, attributes and groups of its tables."""
        return Layout(self.groups, self.n_words, self.n_attributes)

    @property
    def effects(self) -> FloatArray:
        """Effect of every protected word, (n_words,): how much closer its own attributes lie."""
        share = np.ones(self.layout.shape[0])
        if self.planted != "all":
            share[1], share[2:] = -1.0 if self.planted == "opposite" else 0.0, 0.0
        return self.effect * share

    def simulate(self, n: int, seed: Seed = None) -> Batch:
        """Simulate tables.

        Parameters
        ----------
        n : int
            Tables, at least 1.
        seed : int, SeedSequence, Generator or None
            Equal seeds give equal tables.

        Returns
        -------
        Batch
            ``distances`` (n, n_words, n_attributes) and what is true of them.
        """
        n, rng = check_count(n), default_rng(as_seed_sequence(seed))
        distances, word_bias = self._draw(n, rng)
        return Batch(self.layout, distances, word_bias, self.effects)

    def _draw(self, n: int, rng: Generator) -> tuple[FloatArray, FloatArray]:
        """Draw distances (n, n_words, n_attributes) and biases of words (n, n_words)."""
        raise NotImplementedError

    def table(self, seed: Seed = None) -> pd.DataFrame:
        """Simulate one long-form table; its words are named by group and number."""
        return self.simulate(1, seed).table(0)

    def without_effect(self) -> Self:
        """Return the same scenario with nothing planted."""
        return replace(self, effect=0.0)

    def settings(self) -> dict[str, Any]:
        """Return all that decides the tables, as JSON can write it."""
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"kind": self.kind, **content, **self.layout.settings()}


def check_count(n: int) -> int:
    """Return a number of tables, or raise a ValueError."""
    if not is_whole(n) or n < 1:
        raise ValueError(f"n must be a whole number of tables from 1 on; got {n!r}")
    return int(n)
