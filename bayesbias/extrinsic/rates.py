"""True positive rates of a classifier by class and protected group."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from ..model.design import IntArray


@dataclass(frozen=True, eq=False)
class TprGaps:
    """True positive rates by class and protected group; see `tpr_gaps`.

    Parameters
    ----------
    classes, groups : tuple
        Names along the rows and columns of ``tpr``.
    tpr : (n_classes, n_groups) float
        Share of a class's samples of one group that the classifier gives that class, in [0, 1].
    n : (n_classes, n_groups) int
        Samples behind each share.
    """

    classes: tuple[Hashable, ...]
    groups: tuple[Hashable, ...]
    tpr: FloatArray
    n: IntArray

    @property
    def gap(self) -> FloatArray:
        """TPR of the first of two groups less that of the second, by class, (n_classes,)."""
        if len(self.groups) != 2:
            raise ValueError(
                f"a gap is between two groups, and there are {len(self.groups)}; "
                "variance serves any number"
            )
        return np.asarray(self.tpr[:, 0] - self.tpr[:, 1])

    @property
    def variance(self) -> FloatArray:
        """Variance of the TPR over groups, by class, (n_classes,); gap²/4 for two groups."""
        return np.asarray(self.tpr.var(axis=1))

    @property
    def mean_absolute_gap(self) -> float:
        """Mean of abs(gap) over classes, in [0, 1]: the bias of a model. Two groups only."""
        return float(np.abs(self.gap).mean())

    @property
    def mean_variance(self) -> float:
        """Mean of `variance` over classes, in [0, 0.25]: the bias of a model, any groups."""
        return float(self.variance.mean())

    def to_frame(self) -> pd.DataFrame:
        """Return one row a class and group: ``class``, ``group``, ``n``, ``tpr``."""
        index = pd.MultiIndex.from_product([self.classes, self.groups], names=["class", "group"])
        columns = {"n": self.n.ravel(), "tpr": self.tpr.ravel()}
        return pd.DataFrame(columns, index=index).reset_index()


def tpr_gaps(
    truth: ArrayLike,
    predicted: ArrayLike,
    group: ArrayLike,
    *,
    groups: Sequence[Hashable] | None = None,
) -> TprGaps:
    """True positive rates of a classifier by class and protected group, and how they differ.

    Parameters
    ----------
    truth, predicted : (n_samples,) array_like
        True class and the classifier's, numbers or texts.
    group : (n_samples,) array_like
        Protected group of every sample.
    groups : sequence, optional
        Order of the groups, the gap being first less second; sorted if not given.

    Returns
    -------
    TprGaps

    Raises
    ------
    ValueError
        If lengths differ, there is one group only, or a class has no sample of some group: its
        rate is undefined there.

    References
    ----------
    De-Arteaga et al. (2019), Bias in Bios, FAT*, for the gap; Schröder, Schulz, Hammer (2024),
    section 2.3, for the variance over more than two groups.
    """
    real, guess, member = (np.asarray(each) for each in (truth, predicted, group))
    if real.ndim != 1 or not real.shape == guess.shape == member.shape or not len(real):
        raise ValueError(
            "truth, predicted and group must have one value a sample; "
            f"got shapes {real.shape}, {guess.shape} and {member.shape}"
        )
    classes, row = np.unique(real, return_inverse=True)
    names = tuple(np.unique(member).tolist() if groups is None else groups)
    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise ValueError(f"two or more different groups are needed; got {list(names)}")
    column = pd.Index(names).get_indexer(pd.Index(member))
    if (column < 0).any():
        unknown = str(member[int(np.argmax(column < 0))])
        raise ValueError(unknown_name("group", unknown, map(str, names)))
    at = row * len(names) + column
    shape = (len(classes), len(names))
    n = np.bincount(at, minlength=shape[0] * shape[1]).reshape(shape)
    without = np.argwhere(n == 0)
    if len(without):
        at_class, at_group = without[0]
        raise ValueError(
            f"the class {classes[at_class]!s} has no samples of the group {names[at_group]!s}, so "
            f"its rate is undefined ({len(without)} such cells); leave such classes out"
        )
    hits = np.bincount(at, guess == real, minlength=n.size).reshape(shape)
    return TprGaps(tuple(classes.tolist()), names, hits / n, n.astype(np.int64))
