"""A scenario of random unit vectors, in which distances have the geometry of an embedding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from .._core.checks import is_whole
from .base import BaseScenario, Batch, is_finite


@dataclass(frozen=True, kw_only=True)
class UnitVectorScenario(BaseScenario):
    r"""Distances between random unit vectors in d dimensions.

    Every vector is a component along the directions of its group, one along a direction that all
    share, and for the rest a random direction in the d - G dimensions that are left. Cosines are
    those of the vectors, and the expected contrast is -effect exactly: rests are orthogonal on
    average. Single cosines have an sd near :math:`1/\sqrt{d - G}`.

    Parameters
    ----------
    n_dims : int
        Dimensions d, at least two more than there are groups.
    n_words, n_attributes, groups, effect, planted, controls
        As in `Scenario`.
    mean : float
        Mean distance, in (0, 1]: below 1 all vectors share a direction, as real ones do.

    """

    n_dims: int = 100
    mean: float = 1.0
    kind = "unit vectors"

    def __post_init__(self) -> None:
        super().__post_init__()
        fewest, strongest = len(self.groups) + 2, np.abs(self.effects).max()
        if not is_whole(self.n_dims) or self.n_dims < fewest:
            raise ValueError(f"n_dims must be a whole number from {fewest} on; got {self.n_dims!r}")
        if not is_finite(self.mean) or not strongest * (1 - 1 / len(self.groups)) < self.mean <= 1:
            raise ValueError(
                f"mean is the mean distance of unit vectors, in (0, 1], and more than an effect of "
                f"{strongest:g} takes up; got {self.mean!r}"
            )
        object.__setattr__(self, "n_dims", int(self.n_dims))
        object.__setattr__(self, "mean", float(self.mean))

    def _draw(self, n: int, rng: Generator) -> Batch:
        strength = self.effects * (1 - 1 / len(self.groups))
        most = np.sqrt(np.abs(strength).max())
        word = strength / most if most > 0 else strength
        own = np.pad(_simplex(len(self.groups)), ((0, len(self.controls)), (0, 0)))
        first = self._vectors(own[self.group_of_word] * word[:, None], n, rng)
        second = self._vectors(own[self.set_of_attribute] * most, n, rng)
        distances = 1 - np.matmul(first, second.transpose(0, 2, 1))
        return self._of_vectors(distances, np.concatenate([first, second], axis=1))

    def _vectors(self, of_group: FloatArray, n: int, rng: Generator) -> FloatArray:
        """Unit vectors, (n, n_words, n_dims): parts of the group, of all, and at random."""
        shared = np.sqrt(1 - self.mean)
        rest = rng.standard_normal((n, len(of_group), self.n_dims - len(self.groups)))
        rest /= np.linalg.norm(rest, axis=2, keepdims=True)
        left = 1 - shared**2 - (of_group**2).sum(axis=1)
        fixed = np.column_stack([of_group, np.full(len(of_group), shared)])
        fixed = np.broadcast_to(fixed, (n, *fixed.shape))
        return np.concatenate([fixed, np.sqrt(left)[:, None] * rest], axis=2)


def _simplex(n: int) -> FloatArray:
    """Unit vectors whose mutual cosines are all -1/(n - 1), (n, n - 1)."""
    apart = np.eye(n) - 1 / n
    _, _, axes = np.linalg.svd(apart)
    corners = apart @ axes[: n - 1].T
    return np.asarray(corners / np.linalg.norm(corners, axis=1, keepdims=True))
