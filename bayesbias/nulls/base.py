"""What all scenarios have: words, attributes and groups, an effect, and the tables they make."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from string import ascii_uppercase
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from .._core.checks import is_whole, unknown_name
from .._core.random import Seed, as_seed_sequence
from ..tables.schema import COLUMNS, validate

IntArray = NDArray[np.int64]

FEWEST = 2
"""Words of a group, attributes of a set, groups: below it no spread can be estimated."""

MOST_GROUPS = len(ascii_uppercase)

PLANTINGS = ("all", "one word", "opposite")
"""Where an effect may be planted: in all words, in the first word only, or in the first two with
opposite signs, so that it cancels."""


@dataclass(frozen=True)
class Layout:
    """Groups of protected words, each with an attribute set of its own, all pairs measured.

    There are two or more groups, of as many words and attributes each, at least 2. The sets are
    called A, B, C, ... With two groups it is WEAT's: X goes with A, and Y with B.
    """

    groups: tuple[str, ...] = ("X", "Y")
    n_words: int = 8
    n_attributes: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", tuple(self.groups))
        for name in ("n_words", "n_attributes"):
            value = getattr(self, name)
            if not is_whole(value) or value < FEWEST:
                raise ValueError(
                    f"{name} must be a whole number from {FEWEST} on, got {value!r}: with fewer "
                    "nothing says how much words differ"
                )
            object.__setattr__(self, name, int(value))
        if not FEWEST <= len(self.groups) <= MOST_GROUPS:
            raise ValueError(
                f"groups must name {FEWEST} to {MOST_GROUPS} groups, got {len(self.groups)}"
            )
        named = all(isinstance(name, str) and name.strip() for name in self.groups)
        if not named or len(set(self.groups)) < len(self.groups):
            raise ValueError(f"groups need names that differ and are not empty, got {self.groups}")

    def settings(self) -> dict[str, Any]:
        """Return its fields as JSON can write them."""
        return asdict(self) | {"groups": list(self.groups)}

    @property
    def shape(self) -> tuple[int, int]:
        """Protected words and attributes of a table."""
        return len(self.groups) * self.n_words, len(self.groups) * self.n_attributes

    @property
    def group_of_word(self) -> IntArray:
        """Group of each protected word, (n_words of all groups,)."""
        return np.repeat(np.arange(len(self.groups)), self.n_words)

    @property
    def set_of_attribute(self) -> IntArray:
        """Attribute set of each attribute, (n_attributes of all sets,)."""
        return np.repeat(np.arange(len(self.groups)), self.n_attributes)

    @property
    def own(self) -> FloatArray:
        """One where the attribute belongs to the word's own group, else zero."""
        same = self.group_of_word[:, None] == self.set_of_attribute
        return np.asarray(same, dtype=np.float64)

    @cached_property
    def rows(self) -> pd.DataFrame:
        """All columns of the long-form table but the distances, word by word."""
        words = [(f"{g}{i + 1}", g) for g in self.groups for i in range(self.n_words)]
        letters = ascii_uppercase[: len(self.groups)]
        attributes = [(f"{of}{i + 1}", of) for of in letters for i in range(self.n_attributes)]
        own = np.where(self.own.ravel() > 0, "associated", "different")
        pairs = [(*word, *attribute) for word in words for attribute in attributes]
        return pd.DataFrame(pairs, columns=list(COLUMNS[:4])).assign(**{COLUMNS[4]: own})


@dataclass(frozen=True, eq=False)
class Batch:
    """Simulated tables of one layout, and what is true of them.

    Parameters
    ----------
    layout : Layout
    distances : (n_tables, n_words, n_attributes) float
        Cosine distances.
    word_bias : (n_tables, n_words) float
        How much closer the attributes of its own group lie to a word than the others do, on
        average over the population of attributes; in units of distance.
    planted : (n_words,) float
        What was planted: the same on average over the population that words are drawn from too.
    """

    layout: Layout
    distances: FloatArray
    word_bias: FloatArray
    planted: FloatArray

    def __len__(self) -> int:
        return len(self.distances)

    def table(self, index: int) -> pd.DataFrame:
        """Return one table in the long form, validated: distances must lie in [0, 2]."""
        if not 0 <= index < len(self):
            raise IndexError(f"there are {len(self)} tables, 0 to {len(self) - 1}; got {index}")
        rows = self.layout.rows.assign(cosine_distance=self.distances[index].ravel())
        return validate(rows)

    def associations(self) -> FloatArray:
        """WEAT's s(w) of two groups: mean cosine to A less that to B, (n_tables, n_words)."""
        self.require_two_groups("WEAT")
        first = self.layout.set_of_attribute == 0
        means = [self.distances[:, :, part].mean(axis=2) for part in (first, ~first)]
        return np.asarray(means[1] - means[0])

    def require_two_groups(self, method: str) -> None:
        """Raise a ValueError if there are more than two groups."""
        if len(self.layout.groups) != 2:
            raise ValueError(
                f"{method} compares two groups, and this scenario has {len(self.layout.groups)}: "
                f"{', '.join(self.layout.groups)}"
            )

    def first(self, n: int) -> Batch:
        """Return the first n tables."""
        return Batch(self.layout, self.distances[:n], self.word_bias[:n], self.planted)


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
        object.__setattr__(self, "groups", self.layout.groups)  # a layout checks its sizes
        if self.planted not in PLANTINGS:
            raise ValueError(unknown_name("planting", str(self.planted), PLANTINGS))
        if not is_finite(self.effect) or abs(self.effect) > 1:
            raise ValueError(
                f"effect is a difference of distances and lies in [-1, 1]; got {self.effect!r}"
            )
        object.__setattr__(self, "effect", float(self.effect))

    @property
    def layout(self) -> Layout:
        """Words, attributes and groups of its tables."""
        return Layout(self.groups, self.n_words, self.n_attributes)

    @property
    def effects(self) -> FloatArray:
        """Effect of every protected word, (n_words,): how much closer its own attributes lie."""
        n_words = self.layout.shape[0]
        shares = {"all": [1.0] * n_words, "one word": [1.0], "opposite": [1.0, -1.0]}[self.planted]
        return self.effect * np.pad(shares, (0, n_words - len(shares)))

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
