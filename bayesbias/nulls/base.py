"""The common parts of all scenarios: words, attributes, groups, an effect, and tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from functools import cached_property
from string import ascii_uppercase
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

from .._core.arrays import FloatArray, IntArray
from .._core.checks import check_choice, check_numbers
from .._core.random import Seed, as_seed_sequence
from ..tables.cosines import attach_cosines
from ..tables.schema import COLUMNS, CONTROLS, validate_table

FEWEST = 2
"""Smallest numbers of words per group, attributes per set, and groups for estimating sds."""

PLANTINGS = ("all", "one word", "opposite")
"""Where an effect can be planted: in all words, in the first word only, or in the first two with
opposite signs, so that it cancels."""


@dataclass(frozen=True, kw_only=True)
class BaseScenario:
    """Groups of words, their sets, and an effect; each word has a distance to each attribute.

    Subclasses add ``_draw``, which simulates distances. Sizes and effects are either one number or
    one number per group. The sets are called A, B, C, ...; two groups have WEAT's layout, X with A
    and Y with B. Sets of control words come last, have as many attributes as the first set, and are
    named after their connection. Groups cannot have names that would give two words one name.
    """

    n_words: int | tuple[int, ...] = 8
    n_attributes: int | tuple[int, ...] = 8
    groups: tuple[str, ...] = ("X", "Y")
    controls: tuple[str, ...] = ()
    effect: float | tuple[float, ...] = 0.0
    planted: str = "all"
    kind: ClassVar[str]

    def __post_init__(self) -> None:
        groups, controls = tuple(self.groups), tuple(self.controls)
        named = {name for name in groups if isinstance(name, str) and name.strip()}
        if not FEWEST <= len(groups) <= len(ascii_uppercase) or len(named) < len(groups):
            raise ValueError(f"groups must be 2 to 26 different names; got {groups}")
        if set(controls) - set(CONTROLS) or len(set(controls)) < len(controls):
            names = ", ".join(CONTROLS)
            raise ValueError(f"controls must be different names from {names}; got {controls}")
        check_choice("planting", self.planted, PLANTINGS)
        sizes = ("n_words", "n_attributes", "effect")
        normal = {name: _by_group(name, getattr(self, name), len(groups)) for name in sizes}
        for name, value in {"groups": groups, "controls": controls, **normal}.items():
            object.__setattr__(self, name, value)  # so that equal scenarios compare equal
        units = [unit for units in self._units() for unit, _ in units]
        if twice := next((unit for unit, n in Counter(units).items() if n > 1), None):
            raise ValueError(
                f"with the groups {groups}, two words would be called {twice!r}: words and "
                "attributes are named after their group or set (A, B, and so on, and controls) "
                "and numbered. Choose other names of groups"
            )

    @property
    def word_sizes(self) -> IntArray:
        """Number of protected words in each group."""
        return np.broadcast_to(self.n_words, len(self.groups))

    @property
    def set_sizes(self) -> IntArray:
        """Number of attributes in each set, with control sets last."""
        own = np.broadcast_to(self.n_attributes, len(self.groups))
        return np.append(own, np.repeat(own[:1], len(self.controls)))

    @property
    def group_of_word(self) -> IntArray:
        """Group of each protected word, as an (n_words,) array."""
        return np.repeat(np.arange(len(self.groups)), self.word_sizes)

    @property
    def set_of_attribute(self) -> IntArray:
        """Set of each attribute, as an (n_attributes,) array, with control sets last."""
        return np.repeat(np.arange(len(self.set_sizes)), self.set_sizes)

    @property
    def own(self) -> FloatArray:
        """(n_words, n_attributes) array: 1 if the attribute belongs to the word's group, else 0."""
        return np.asarray(self.group_of_word[:, None] == self.set_of_attribute, dtype=np.float64)

    @property
    def pull(self) -> FloatArray:
        """How much closer an effect of 1 brings each pair: own - 1/G, or 0 for controls."""
        stereotype = self.set_of_attribute < len(self.groups)
        return np.asarray(self.own - stereotype / len(self.groups))

    @property
    def effects(self) -> FloatArray:
        """How much closer each protected word's own attributes are, as an (n_words,) array."""
        shares = np.zeros(self.word_sizes.sum())
        shares[: {"all": None, "one word": 1, "opposite": 2}[self.planted]] = 1.0
        if self.planted == "opposite":
            shares[1] = -1.0
        return np.broadcast_to(self.effect, len(self.groups))[self.group_of_word] * shares

    @cached_property
    def rows(self) -> pd.DataFrame:
        """All columns of the long-form table except the distances, word by word."""
        words, attributes = self._units()
        of_set = np.array(["different"] * len(self.groups) + list(self.controls))
        connection = np.where(self.own > 0, "associated", of_set[self.set_of_attribute])
        pairs = [(*word, *attribute) for word in words for attribute in attributes]
        frame = pd.DataFrame(pairs, columns=list(COLUMNS[:4]))
        return frame.assign(**{COLUMNS[4]: connection.ravel()})

    def simulate(self, n: int, seed: Seed = None) -> Batch:
        """Simulate n tables with their true values; the same n and seed give the same tables."""
        check_numbers(n=n)
        return self._draw(int(n), default_rng(as_seed_sequence(seed)))

    def table(self, seed: Seed = None) -> pd.DataFrame:
        """Simulate one long-form table, with words such as X1, the first word of group X."""
        return self.simulate(1, seed).table(0)

    def settings(self) -> dict[str, object]:
        """Return everything that determines the tables, in a form that JSON can store."""
        content: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        lists = {name: list(content[name]) for name in ("groups", "controls")}
        made_by = f"{type(self).__module__}.{type(self).__qualname__}"
        return {"kind": self.kind, "class": made_by, **content, **lists}

    def _units(self) -> list[list[tuple[str, str]]]:
        """Return the names of words with their groups, and of attributes with their sets."""
        sets = (*ascii_uppercase[: len(self.groups)], *self.controls)
        named = ((self.groups, self.word_sizes), (sets, self.set_sizes))
        return [
            [(f"{name}{i + 1}", name) for name, n in zip(*of, strict=True) for i in range(n)]
            for of in named
        ]

    def _draw(self, n: int, rng: Generator) -> Batch:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Batch:
    """Simulated tables of one scenario, and their true values.

    Parameters
    ----------
    scenario : BaseScenario
    distances : (n_tables, n_words, n_attributes) float
        Cosine distances.
    word_bias : (n_tables, n_words) float
        How much closer a word is to its own group's attributes than to others, in units of distance
        and averaged over the population of attributes.
    planted : (n_words,) float
        The planted effect: the same quantity, also averaged over the population of words.
    expected : (n_tables, n_words, n_attributes) float
        Distances without the noise of single cells. Scenarios that do not separate this noise use
        the table's mean distance, shifted by the planted effect.
    cosines : (n_tables, n, n) float, optional
        Cosines of protected words and attributes, in this order, if a scenario has vectors.
    """

    scenario: BaseScenario
    distances: FloatArray
    word_bias: FloatArray
    planted: FloatArray
    expected: FloatArray
    cosines: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.distances)

    def table(self, index: int) -> pd.DataFrame:
        """Return one long-form table; raise a ValueError if a distance is not in [0, 2]."""
        if not 0 <= index < len(self):
            raise IndexError(f"tables are numbered from 0 to {len(self) - 1}; got {index}")
        rows = self.scenario.rows
        table = validate_table(rows.assign(cosine_distance=self.distances[index].ravel()))
        if self.cosines is not None:
            names = [*rows["protected_word"].unique(), *rows["attribute"].unique()]
            attach_cosines(table, names, self.cosines[index])
        return table

    def to_two_sets(self) -> tuple[FloatArray, FloatArray]:
        """Return the distances to A and to B, each of shape (n_tables, n_words, n_attributes)."""
        groups, sets = self.scenario.groups, self.scenario.set_of_attribute
        if len(groups) != 2:
            raise ValueError(
                "WEAT and t-tests compare two groups, but this scenario has "
                f"{len(groups)}: {', '.join(groups)}"
            )
        return self.distances[:, :, sets == 0], self.distances[:, :, sets == 1]

    def associations(self) -> FloatArray:
        """Return WEAT's (n_tables, n_words) s(w): the mean cosine with A minus that with B."""
        to_a, to_b = self.to_two_sets()
        return np.asarray(to_b.mean(axis=2) - to_a.mean(axis=2))

    def first(self, n: int) -> Batch:
        """Return the first n tables."""
        cosines = None if self.cosines is None else self.cosines[:n]
        parts = (self.distances[:n], self.word_bias[:n], self.planted, self.expected[:n])
        return Batch(self.scenario, *parts, cosines)

    def debiased(self, other: Batch, kept: float) -> Batch:
        """Return these tables without their effect and with everything else partly redrawn.

        A deviation d from a table's mean becomes kept d + sqrt(1 - kept²) d', where d' is from a
        table in `other`, so the variance stays the same.

        Parameters
        ----------
        other : Batch
            The same number of tables from the same scenario, but without an effect.
        kept : float
            Correlation, in [0, 1], of values before and after debiasing.
        """
        share = float(np.sqrt(1 - kept**2))
        pulled = self.scenario.pull * self.planted[:, None]

        def mixed(before: FloatArray, without: FloatArray) -> FloatArray:
            middle, other_middle = (of.mean(axis=(1, 2), keepdims=True) for of in (before, without))
            moved = kept * (before + pulled - middle) + share * (without - other_middle)
            return np.asarray(middle + moved)

        return Batch(
            self.scenario,
            mixed(self.distances, other.distances),
            kept * (self.word_bias - self.planted) + share * other.word_bias,
            np.zeros_like(self.planted),
            mixed(self.expected, other.expected),
        )

    def __sub__(self, other: Batch) -> Batch:
        """Return the differences in distances and in their true values."""
        return replace(
            self,
            distances=self.distances - other.distances,
            word_bias=self.word_bias - other.word_bias,
            planted=self.planted - other.planted,
            expected=self.expected - other.expected,
        )


def is_finite(value: object) -> bool:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value))


def _by_group(name: str, given: object, n: int) -> object:
    """Check sizes or effects; return one number if all are equal, or one number per group."""
    values: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    for value in values:
        if name == "effect" and not (is_finite(value) and abs(value) <= 1):
            raise ValueError(
                f"effect is a difference of distances and must be in [-1, 1]; got {value!r}"
            )
        if name != "effect":
            check_numbers(least=FEWEST, **{name: value})
    if len(values) not in {1, n}:
        raise ValueError(f"{name} must be one number or {n} numbers (one per group); got {given!r}")
    values = [float(value) if name == "effect" else int(value) for value in values]
    return values[0] if len(set(values)) == 1 else tuple(values)
