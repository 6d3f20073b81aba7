"""What all scenarios have: words, attributes and groups, an effect, and the tables they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from string import ascii_uppercase
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from .._core.checks import is_whole, unknown_name
from .._core.random import Seed, as_seed_sequence
from ..tables.cosines import attach_cosines
from ..tables.schema import COLUMNS, CONTROLS, validate_table

IntArray = NDArray[np.int64]

FEWEST = 2
"""Words of a group, attributes of a set, groups: below it no spread can be estimated."""

MOST_GROUPS = len(ascii_uppercase)

PLANTINGS = ("all", "one word", "opposite")
"""Where an effect may be planted: in all words, in the first word only, or in the first two with
opposite signs, so that it cancels."""


type Sizes = int | tuple[int, ...]
"""One size for all, or one for each."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Groups of protected words, each with an attribute set of its own, all pairs measured.

    There are two or more groups, of at least 2 words and 2 attributes each: of as many in all, or
    of a number for each. The sets are called A, B, C, ... With two groups it is WEAT's: X goes
    with A, and Y with B. Sets of control words, of as many attributes as the first, come behind
    them and are called as their connection.
    """

    n_words: Sizes = 8
    n_attributes: Sizes = 8
    groups: tuple[str, ...] = ("X", "Y")
    controls: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        groups, controls = tuple(self.groups), tuple(self.controls)
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "controls", controls)
        for name in ("n_words", "n_attributes"):
            object.__setattr__(self, name, _sizes(name, getattr(self, name), len(groups)))
        if not FEWEST <= len(groups) <= MOST_GROUPS:
            raise ValueError(
                f"groups must name {FEWEST} to {MOST_GROUPS} groups, got {len(groups)}"
            )
        named = all(isinstance(name, str) and name.strip() for name in groups)
        if not named or len(set(groups)) < len(groups):
            raise ValueError(f"groups need names that differ and are not empty, got {groups}")
        if unknown := [name for name in controls if name not in CONTROLS]:
            raise ValueError(f"controls: {unknown_name('connection', str(unknown[0]), CONTROLS)}")
        if len(set(controls)) < len(controls):
            raise ValueError(f"controls: one set of each connection, got {controls}")

    @property
    def word_sizes(self) -> tuple[int, ...]:
        """Protected words of each group."""
        return _spread(self.n_words, len(self.groups))

    @property
    def set_sizes(self) -> tuple[int, ...]:
        """Attributes of each set, those of controls last."""
        own = _spread(self.n_attributes, len(self.groups))
        return own + own[:1] * len(self.controls)

    @property
    def shape(self) -> tuple[int, int]:
        """Protected words and attributes of a table."""
        return sum(self.word_sizes), sum(self.set_sizes)

    @property
    def group_of_word(self) -> IntArray:
        """Group of each protected word, (n_words of all groups,)."""
        return np.repeat(np.arange(len(self.word_sizes)), self.word_sizes)

    @property
    def set_of_attribute(self) -> IntArray:
        """Attribute set of each attribute, (n_attributes of all sets,), those of controls last."""
        return np.repeat(np.arange(len(self.set_sizes)), self.set_sizes)

    @property
    def own(self) -> FloatArray:
        """One where the attribute belongs to the word's own group, else zero."""
        same = self.group_of_word[:, None] == self.set_of_attribute
        return np.asarray(same, dtype=np.float64)

    @property
    def pull(self) -> FloatArray:
        """How far an effect of 1 brings each pair together: own - 1/G; 0 for controls."""
        stereotype = self.set_of_attribute < len(self.groups)
        return np.asarray(self.own - stereotype / len(self.groups))

    @cached_property
    def rows(self) -> pd.DataFrame:
        """All columns of the long-form table but the distances, word by word."""
        words = [(f"{g}{i + 1}", g) for g, n in zip(self.groups, self.word_sizes, strict=True)
                 for i in range(n)]  # fmt: skip
        names = [*ascii_uppercase[: len(self.groups)], *self.controls]
        attributes = [(f"{of}{i + 1}", of) for of, n in zip(names, self.set_sizes, strict=True)
                      for i in range(n)]  # fmt: skip
        of_set = np.array(["different"] * len(self.groups) + list(self.controls))
        connection = np.where(self.own > 0, "associated", of_set[self.set_of_attribute])
        pairs = [(*word, *attribute) for word in words for attribute in attributes]
        frame = pd.DataFrame(pairs, columns=list(COLUMNS[:4]))
        return frame.assign(**{COLUMNS[4]: connection.ravel()})


def _sizes(name: str, given: Sizes, n: int) -> Sizes:
    """Return checked sizes: one number where all are equal."""
    sizes = list(given) if isinstance(given, Sequence) else [given]
    for value in sizes:
        if not is_whole(value) or value < FEWEST:
            raise ValueError(f"{name} must be a whole number from {FEWEST} on, got {value!r}")
    return by_group(name, [int(value) for value in sizes], n)


def by_group[T](name: str, values: Sequence[T], n: int) -> T | tuple[T, ...]:
    """Return one value where all are equal, or one for each of n groups."""
    if len(values) not in {1, n}:
        raise ValueError(f"{name}: one number, or one for each of {n} groups; got {values!r}")
    return values[0] if len(set(values)) == 1 else tuple(values)


def _spread[T](value: T | tuple[T, ...], n: int) -> tuple[T, ...]:
    return value if isinstance(value, tuple) else (value,) * n


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
    expected : (n_tables, n_words, n_attributes) float
        Distances without the noise of single cells; their mean by connection where a scenario does
        not tell noise from what belongs to words and attributes.
    word_cosines : (n_tables, n_words, n_words) float
        Cosines of the protected words; (n_tables, 0, 0) where a scenario has no vectors.
    """

    layout: Layout
    distances: FloatArray
    word_bias: FloatArray
    planted: FloatArray
    expected: FloatArray
    word_cosines: FloatArray = field(default_factory=lambda: np.zeros((0, 0, 0)))

    def __post_init__(self) -> None:
        if not self.word_cosines.size:
            object.__setattr__(self, "word_cosines", np.zeros((len(self), 0, 0)))

    def __len__(self) -> int:
        return len(self.distances)

    def table(self, index: int) -> pd.DataFrame:
        """Return one table in the long form, validated: distances must lie in [0, 2]."""
        if not 0 <= index < len(self):
            raise IndexError(f"there are {len(self)} tables, 0 to {len(self) - 1}; got {index}")
        rows = validate_table(
            self.layout.rows.assign(cosine_distance=self.distances[index].ravel())
        )
        if self.word_cosines[index].size:
            attach_cosines(rows, rows["protected_word"].unique(), self.word_cosines[index])
        return rows

    def associations(self) -> FloatArray:
        """WEAT's s(w) of two groups: mean cosine to A less that to B, (n_tables, n_words)."""
        self.require_two_groups("WEAT")
        to_a, to_b = (self.distances[:, :, self.layout.set_of_attribute == i] for i in (0, 1))
        return np.asarray(to_b.mean(axis=2) - to_a.mean(axis=2))

    def require_two_groups(self, method: str) -> None:
        """Raise a ValueError if there are more than two groups."""
        if len(self.layout.groups) != 2:
            raise ValueError(
                f"{method} compares two groups, and this scenario has {len(self.layout.groups)}: "
                f"{', '.join(self.layout.groups)}"
            )

    def first(self, n: int) -> Batch:
        """Return the first n tables."""
        names = (*_BY_TABLE, "word_cosines")
        return replace(self, **{name: getattr(self, name)[:n] for name in names})

    def debiased(self, other: Batch, kept: float) -> Batch:
        """Return these tables after their effect was taken away and all else moved.

        Everything but the effect is ``kept`` times what it was and sqrt(1 - kept²) times what it
        is in tables without an effect, so that it varies as before; their mean stays.

        Parameters
        ----------
        other : Batch
            As many tables of the same scenario without an effect.
        kept : float
            Correlation of before and after, in [0, 1].
        """
        share = float(np.sqrt(1 - kept**2))
        pulled = self.layout.pull * self.planted[:, None]

        def mixed(before: FloatArray, without: FloatArray) -> FloatArray:
            middle, other_middle = (of.mean(axis=(1, 2), keepdims=True) for of in (before, without))
            moved = kept * (before + pulled - middle) + share * (without - other_middle)
            return np.asarray(middle + moved)

        return Batch(
            self.layout,
            mixed(self.distances, other.distances),
            kept * (self.word_bias - self.planted) + share * other.word_bias,
            np.zeros_like(self.planted),
            mixed(self.expected, other.expected),
        )

    def __sub__(self, other: Batch) -> Batch:
        """Return differences of distances, and of what is true of them."""
        names = (*_BY_TABLE, "planted")
        return replace(self, **{name: getattr(self, name) - getattr(other, name) for name in names})


_BY_TABLE = ("distances", "word_bias", "expected")


def is_finite(value: object) -> bool:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value))


@dataclass(frozen=True, kw_only=True)
class BaseScenario(Layout):
    """A layout and an effect; a kind of scenario adds ``_draw``, how distances arise.

    ``effect`` is how much closer the own attributes of a word lie than the others: one number, or
    one for each group, such as ``(0.08, 0, 0)`` for one biased group of three.
    """

    effect: float | tuple[float, ...] = 0.0
    planted: str = "all"
    kind: ClassVar[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.planted not in PLANTINGS:
            raise ValueError(unknown_name("planting", str(self.planted), PLANTINGS))
        effects = list(self.effect) if isinstance(self.effect, list | tuple) else [self.effect]
        for value in effects:
            if not is_finite(value) or abs(value) > 1:
                raise ValueError(
                    f"effect is a difference of distances and lies in [-1, 1]; got {value!r}"
                )
        effect = by_group("effect", [float(value) for value in effects], len(self.groups))
        object.__setattr__(self, "effect", effect)

    @property
    def effects(self) -> FloatArray:
        """Effect of every protected word, (n_words,): how much closer its own attributes lie."""
        shares = np.zeros(self.shape[0])
        shares[: {"all": None, "one word": 1, "opposite": 2}[self.planted]] = 1.0
        if self.planted == "opposite":
            shares[1] = -1.0
        by_group = np.array(_spread(self.effect, len(self.groups)))
        return np.asarray(by_group[self.group_of_word] * shares)

    def simulate(self, n: int, seed: Seed = None) -> Batch:
        """Simulate n tables, and say what is true of them; equal seeds give equal tables."""
        return self._draw(check_count(n), default_rng(as_seed_sequence(seed)))

    def _draw(self, n: int, rng: Generator) -> Batch:
        raise NotImplementedError

    def _without_noise(self, distances: FloatArray, words: FloatArray) -> Batch:
        """Return tables in which all words have the effect planted, and pairs vary as one.

        ``words`` are the unit vectors of the protected words, (n, n_words, n_dims).
        """
        pulled = self.pull * self.effects[:, None]
        expected = (distances + pulled).mean(axis=(1, 2), keepdims=True) - pulled
        bias = np.broadcast_to(self.effects, distances.shape[:2])
        cosines = np.matmul(words, words.transpose(0, 2, 1))
        return Batch(self, distances, bias, self.effects, expected, cosines)

    def table(self, seed: Seed = None) -> pd.DataFrame:
        """Simulate one long-form table; its words are named by group and number."""
        return self.simulate(1, seed).table(0)

    def without_effect(self) -> Self:
        """Return the same scenario with nothing planted."""
        return replace(self, effect=0.0)

    def settings(self) -> dict[str, Any]:
        """Return all that decides the tables, as JSON can write it."""
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        lists = {name: list(content[name]) for name in ("groups", "controls")}
        return {"kind": self.kind, **content, **lists}


def check_count(n: int) -> int:
    """Return a number of tables, or raise a ValueError."""
    if not is_whole(n) or n < 1:
        raise ValueError(f"n must be a whole number of tables from 1 on; got {n!r}")
    return int(n)
