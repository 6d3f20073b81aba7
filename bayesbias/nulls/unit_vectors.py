"""A scenario of random unit vectors, in which distances have the geometry of an embedding."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

from .._core.arrays import FloatArray
from .._core.random import Seed, as_seed_sequence
from .additive import check_count
from .layout import Batch, Layout, is_finite, planted_effects


@dataclass(frozen=True, kw_only=True)
class UnitVectorScenario:
    r"""Distances between random unit vectors in d dimensions.

    Every vector is a component along the directions of its group, one along a direction that all
    share, and for the rest a random direction in the d - G dimensions that are left. Cosines are
    those of the vectors, and the expected contrast is -effect exactly: rests are orthogonal on
    average. Single cosines have an sd near :math:`1/\sqrt{d - G}`.

    Parameters
    ----------
    n_words, n_attributes : int
        Protected words of each group and attributes of each set, at least 2.
    n_dims : int
        Dimensions d, at least two more than there are groups.
    effect, planted, groups
        As in `Scenario`.
    mean : float
        Mean distance, in (0, 1]: below 1 all vectors share a direction, as real ones do.

    Raises
    ------
    ValueError
        If a number is out of its range, or effect and mean leave no room for the rest.
    """

    n_words: int = 8
    n_attributes: int = 8
    n_dims: int = 100
    effect: float = 0.0
    mean: float = 1.0
    groups: tuple[str, ...] = ("X", "Y")
    planted: str = "all"

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", tuple(self.groups))
        if not is_finite(self.mean) or not 0 < self.mean <= 1:
            raise ValueError(
                f"mean is the mean distance of unit vectors, in (0, 1]; got {self.mean!r}"
            )
        fewest, dims = len(self.groups) + 2, self.n_dims
        if isinstance(dims, bool) or not isinstance(dims, int | np.integer) or dims < fewest:
            raise ValueError(f"n_dims must be a whole number from {fewest} on; got {dims!r}")
        effects = planted_effects(self.layout, self.effect, self.planted)
        taken = np.abs(effects).max() * (1 - 1 / len(self.groups)) + 1 - self.mean
        if taken >= 1:
            raise ValueError(
                f"an effect of {self.effect:g} at a mean of {self.mean:g} leaves unit vectors no "
                "room to differ; make the effect smaller or the mean nearer 1"
            )
        for name, kind in (("n_dims", int), ("effect", float), ("mean", float)):
            object.__setattr__(self, name, kind(getattr(self, name)))

    @property
    def layout(self) -> Layout:
        """Words, attributes and groups of its tables."""
        return Layout(self.groups, self.n_words, self.n_attributes)

    def simulate(self, n: int, seed: Seed = None) -> Batch:
        """Simulate tables; see `Scenario.simulate`."""
        rng, n, layout = default_rng(as_seed_sequence(seed)), check_count(n), self.layout
        effects = planted_effects(layout, self.effect, self.planted)
        strength = effects * (1 - 1 / len(self.groups))
        most = np.sqrt(np.abs(strength).max())
        word = strength / most if most > 0 else strength
        attribute = np.full(layout.shape[1], most)
        own = _simplex(len(self.groups))
        first = self._vectors(own[layout.group_of_word] * word[:, None], n, rng)
        second = self._vectors(own[layout.set_of_attribute] * attribute[:, None], n, rng)
        distances = 1 - np.matmul(first, second.transpose(0, 2, 1))
        word_bias = np.broadcast_to(effects, (n, len(effects)))
        return Batch(layout, distances, word_bias, effects)

    def _vectors(self, of_group: FloatArray, n: int, rng: Generator) -> FloatArray:
        """Unit vectors, (n, n_words, n_dims): parts of the group, of all, and at random."""
        shared = np.sqrt(1 - self.mean)
        rest = rng.standard_normal((n, len(of_group), self.n_dims - len(self.groups)))
        rest /= np.linalg.norm(rest, axis=2, keepdims=True)
        left = 1 - shared**2 - (of_group**2).sum(axis=1)
        fixed = np.column_stack([of_group, np.full(len(of_group), shared)])
        fixed = np.broadcast_to(fixed, (n, *fixed.shape))
        return np.concatenate([fixed, np.sqrt(left)[:, None] * rest], axis=2)

    def table(self, seed: Seed = None) -> pd.DataFrame:
        """Simulate one long-form table."""
        return self.simulate(1, seed).table(0)

    def without_effect(self) -> UnitVectorScenario:
        """Give the same scenario with nothing planted."""
        return replace(self, effect=0.0)

    def settings(self) -> dict[str, Any]:
        """Give all that decides the tables, as JSON can write it."""
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"kind": "unit vectors", **content, **self.layout.settings()}


def _simplex(n: int) -> FloatArray:
    """Unit vectors whose mutual cosines are all -1/(n - 1), (n, n - 1)."""
    apart = np.eye(n) - 1 / n
    _, _, axes = np.linalg.svd(apart)
    corners = apart @ axes[: n - 1].T
    return np.asarray(corners / np.linalg.norm(corners, axis=1, keepdims=True))
