"""True positive rates of a classifier by class and protected group."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import default_rng
from numpy.typing import ArrayLike, NDArray

from .._core.arrays import FloatArray
from .._core.checks import check_numbers, unknown_name
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from .._core.random import Seed, as_seed_sequence
from .correlation import normal_quantile

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TprGaps:
    """True positive rates by class and protected group; see `tpr_gaps`.

    Parameters
    ----------
    classes, groups : tuple
        Names along the rows and columns of ``tpr``.
    tpr : (n_classes, n_groups) float
        Share of a class's samples of one group that the classifier gives that class, in [0, 1];
        NaN where there is no sample.
    n : (n_classes, n_groups) int
        Samples behind each share. A class that some group has no sample of has no gap and no
        variance (NaN), and the means are over the others.
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
    def corrected_variance(self) -> FloatArray:
        """Variance over groups without that of sampling, by class, (n_classes,).

        Rates of small groups differ by chance, which `variance` takes for bias. This is the sample
        variance of the rates, less the mean of their own estimated variances: unbiased, and below
        zero where rates differ less than chance has it. NaN where a group has one sample.

        References
        ----------
        Lum, Zhang and Bower (2022), De-biasing "bias" measurement: the double-corrected variance.
        """
        few = np.where(self.n > 1, self.n - 1.0, np.nan)
        own = self.tpr * (1 - self.tpr) / few
        return np.asarray(self.tpr.var(axis=1, ddof=1) - own.mean(axis=1))

    def gap_interval(self, ci_prob: float = DEFAULT_CI_PROB) -> FloatArray:
        """Interval of the gap, by class, (n_classes, 2): Newcombe's, of two Wilson intervals.

        References
        ----------
        Newcombe (1998), Statistics in Medicine 17, 873-890, method 10.
        """
        z = normal_quantile(check_probability(ci_prob))
        gap, n = self.gap, np.where(self.n > 0, self.n, np.nan)
        middle = (self.tpr + z**2 / (2 * n)) / (1 + z**2 / n)
        reach = z * np.sqrt(self.tpr * (1 - self.tpr) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
        below, above = self.tpr - (middle - reach), middle + reach - self.tpr
        low = gap - np.hypot(below[:, 0], above[:, 1])
        return np.column_stack([low, gap + np.hypot(above[:, 0], below[:, 1])])

    def gap_draws(self, n_draws: int = 4000, seed: Seed = None) -> FloatArray:
        """Posterior draws of the gap, by class, (n_draws, n_classes): Jeffreys', of two shares.

        A share of k of n has the posterior Beta(k + 1/2, n - k + 1/2), which has tails where all or
        none were found. The samples of the two groups are taken as independent: of texts that are
        there once as a woman's and once as a man's these draws vary too much. NaN for a class that
        a group has no sample of.
        """
        check_numbers(n_draws=n_draws)
        gap, hits = self.gap, np.nan_to_num(self.tpr) * self.n
        rng, shape = default_rng(as_seed_sequence(seed)), (n_draws, *hits.shape)
        shares = rng.beta(hits + 0.5, self.n - hits + 0.5, shape)
        return np.where(np.isnan(gap), np.nan, shares[..., 0] - shares[..., 1])

    @property
    def mean_absolute_gap(self) -> float:
        """Mean of abs(gap) over classes, in [0, 1]: the bias of a model. Two groups only."""
        return float(np.nanmean(np.abs(self.gap)))

    @property
    def mean_variance(self) -> float:
        """Mean of `variance` over classes, in [0, 0.25]: the bias of a model, any groups."""
        return float(np.nanmean(self.variance))

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
    classes: Sequence[Hashable] | None = None,
) -> TprGaps:
    """True positive rates of a classifier by class and protected group, and how they differ.

    Parameters
    ----------
    truth, predicted : (n_samples,) or (n_samples, n_classes) array_like
        True class and the classifier's, numbers or texts; or, where a sample may have several
        labels, whether it has each of them, true or false.
    group : (n_samples,) array_like
        Protected group of every sample.
    groups : sequence, optional
        Order of the groups, the gap being first less second; sorted if not given.
    classes : sequence, optional
        Names of the columns of many labels; numbered if not given.

    Returns
    -------
    TprGaps

    Raises
    ------
    ValueError
        If lengths differ, labels are not true or false, there is one group only, or no class has
        samples of every group.

    References
    ----------
    De-Arteaga et al. (2019), Bias in Bios, FAT*, for the gap; Schröder, Schulz, Hammer (2024),
    section 2.3, for the variance over more than two groups.
    """
    real, guess, member = (np.asarray(each) for each in (truth, predicted, group))
    if real.ndim not in (1, 2) or real.shape != guess.shape or real.shape[:1] != member.shape:
        raise ValueError(
            "truth, predicted and group must have one value a sample, or truth and predicted one "
            f"a sample and class; got shapes {real.shape}, {guess.shape} and {member.shape}"
        )
    if not real.size:
        raise ValueError("there are no samples")
    labels = _labels(real, guess, classes) if real.ndim == 2 else _single_labels(real, guess)
    names = tuple(np.unique(member).tolist() if groups is None else groups)
    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise ValueError(f"two or more different groups are needed; got {list(names)}")
    column = pd.Index(names).get_indexer(pd.Index(member))
    if (column < 0).any():
        unknown = str(member[int(np.argmax(column < 0))])
        raise ValueError(unknown_name("group", unknown, map(str, names)))
    at = labels.row * len(names) + column[labels.sample]
    shape = (len(labels.classes), len(names))
    n = np.bincount(at, minlength=shape[0] * shape[1]).reshape(shape)
    if not (n > 0).all(axis=1).any():
        at_class, at_group = np.argwhere(n == 0)[0]
        raise ValueError(
            f"no class has samples of every group, so that no rates can be compared; the class "
            f"{labels.classes[at_class]!s} has none of the group {names[at_group]!s}"
        )
    hits = np.bincount(at, labels.found, minlength=n.size).reshape(shape)
    tpr = np.divide(hits, n, out=np.full(shape, np.nan), where=n > 0)
    return TprGaps(labels.classes, names, tpr, n.astype(np.int64))


@dataclass(frozen=True, eq=False)
class _Labels:
    """Every true label: its sample, its class's row, and whether the classifier gave it."""

    classes: tuple[Hashable, ...]
    sample: IntArray
    row: IntArray
    found: NDArray[np.bool_]


def _single_labels(real: NDArray[Any], guess: NDArray[Any]) -> _Labels:
    classes, row = np.unique(real, return_inverse=True)
    return _Labels(tuple(classes.tolist()), np.arange(len(real)), row, guess == real)


def _labels(real: NDArray[Any], guess: NDArray[Any], classes: Sequence[Hashable] | None) -> _Labels:
    """Labels of samples that may have several; a class without any has no row of its own."""
    for name, each in (("truth", real), ("predicted", guess)):
        if not np.isin(each, (0, 1)).all():
            raise ValueError(f"{name} must be true or false for every sample and class")
    names = tuple(range(real.shape[1]) if classes is None else classes)
    if len(names) != real.shape[1]:
        raise ValueError(f"classes must name {real.shape[1]} columns; got {len(names)}")
    sample, row = np.nonzero(real)
    return _Labels(names, sample, row, guess[sample, row].astype(bool))
