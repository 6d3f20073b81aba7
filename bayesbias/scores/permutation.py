"""Permutation tests of the difference between two groups of words, exact for lists of any size."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Literal, TypedDict, Unpack, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core.arrays import FloatArray
from .._core.checks import check_numbers, unknown_name
from .._core.random import Seed, as_seed_sequence
from .result import Entropy, Result
from .splits import ENUMERABLE, MATRIX_SPLITS, count_by_halves, count_in_matrix, sampled_sums
from .subset_sums import tail_bounds

Alternative = Literal["two-sided", "greater", "less"]
PermutationMethod = Literal["auto", "enumerate", "dynamic", "sampled"]

TIE = 1e-12
"""Two statistics tie if they differ by less than this share of Σ|s|. The sums are of float64
numbers, wrong by at most n·2^-53 of Σ|s|, so that for lists of up to 1,000 words all true ties
count; distinct values this close do not come from float32 embeddings."""

AUTO_ENUMERATE = 36
"""Words up to which ``method="auto"`` counts every split (2^18 half-sums, some 20 ms)."""

AGREEMENT = 0.01
"""Bounds are refined until they agree to this share of the lower one."""

N_PERMUTATIONS = 100_000
"""Random splits of ``method="sampled"``."""

SAMPLE_CHUNK = 10_000
"""Random splits made at once."""

SAMPLED_LEVEL = 0.99
"""Level of the Clopper-Pearson interval that stands in ``p_bounds`` for a sampled p-value."""


class PermutationChoices(TypedDict, total=False):
    """What a user of a permutation test may choose; see `permutation_p_values`."""

    alternative: Alternative
    method: PermutationMethod
    n_permutations: int
    agreement: float
    seed: Seed


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PermutationResult(Result):
    """p-value of one comparison; see `permutation_test`."""

    statistic: float
    p_value: float
    p_bounds: tuple[float, float]
    alternative: Alternative
    method: str
    n_splits: int
    seed: Entropy


@dataclass(frozen=True, eq=False)
class PValues:
    """p-values of many data sets; see `permutation_p_values`. Arrays of (n_datasets,)."""

    p_value: FloatArray
    low: FloatArray
    high: FloatArray
    alternative: Alternative
    method: str
    n_splits: int
    seed: Entropy


def permutation_test(
    x: ArrayLike, y: ArrayLike, **choices: Unpack[PermutationChoices]
) -> PermutationResult:
    """Exact permutation test of the difference between two groups of scores.

    Parameters
    ----------
    x, y : (n_x,), (n_y,) array_like
        Scores s of the words of X and of Y.
    **choices
        As for `permutation_p_values`.

    Returns
    -------
    PermutationResult
        ``statistic`` is Σ_X s - Σ_Y s.
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    values = permutation_p_values(np.concatenate([first, second])[None, :], len(first), **choices)
    return PermutationResult(
        statistic=float(first.sum() - second.sum()),
        p_value=float(values.p_value[0]),
        p_bounds=(float(values.low[0]), float(values.high[0])),
        alternative=values.alternative,
        method=values.method,
        n_splits=values.n_splits,
        seed=values.seed,
    )


def permutation_p_values(
    scores: ArrayLike,
    n_x: int,
    *,
    alternative: Alternative = "two-sided",
    method: PermutationMethod = "auto",
    n_permutations: int = N_PERMUTATIONS,
    agreement: float = AGREEMENT,
    seed: Seed = None,
) -> PValues:
    """Permutation p-values of many data sets at once, over all splits into n_x and n_y words.

    One-sided, p is the share of splits with S* ≥ S, where S = Σ_X s - Σ_Y s (``greater``), or
    S* ≤ S (``less``). Two-sided, it is the share with |S*| ≥ |S| for groups of equal size; for
    unequal sizes S is replaced by the difference of means, since |S*| would then depend on where
    zero lies. The given split counts, and so do ties: differences below ``TIE`` · Σ|s|, and for
    ``dynamic`` those of scores that lie on a lattice to 1e-9 of their range, such as ranks.
    Caliskan et al. print S* > S, which would give p = 0 where no split is more extreme.

    Parameters
    ----------
    scores : (n_datasets, n_words) array_like
        The words of X first.
    n_x : int
        Number of words in X.
    alternative : {"two-sided", "greater", "less"}
    method : {"auto", "enumerate", "dynamic", "sampled"}
        ``enumerate`` counts every split (up to 44 words), ``dynamic`` bounds the share from both
        sides for any number of words, ``sampled`` draws splits at random, the same for every
        data set, and gives (b + 1)/(B + 1). ``auto`` enumerates up to 36 words.
    n_permutations : int
        Random splits B, for ``sampled`` only.
    agreement : float
        For ``dynamic``: refine until the bounds agree to this share of the lower one.
    seed : int, SeedSequence, Generator or None
        For ``sampled`` only; the result's ``seed`` records it.

    Returns
    -------
    PValues
        ``low`` and ``high`` bound the exact p-value for certain for ``dynamic`` (up to float64
        rounding, see `subset_sums.tail_bounds`), and ``p_value`` is the upper; they are equal
        for ``enumerate``; for ``sampled`` they are a 99% Clopper-Pearson interval.

    References
    ----------
    Caliskan, Bryson, Narayanan (2017), Science 356. Phipson and Smyth (2010) for sampled
    p-values. Pagano and Tritchler (1983) for exact distributions by dynamic programming.
    """
    matrix = _checked(scores, n_x)
    named_alternative(alternative)
    if method not in get_args(PermutationMethod):
        raise ValueError(unknown_name("method", method, get_args(PermutationMethod)))
    n_words = matrix.shape[1]
    centred = matrix - matrix.mean(axis=1, keepdims=True)
    if alternative == "less":
        centred = -centred
    two_sided = alternative == "two-sided"
    observed = centred[:, :n_x].sum(axis=1)
    tie = TIE * np.abs(matrix).sum(axis=1)
    threshold = (np.abs(observed) if two_sided else observed) - tie
    if method == "auto":
        method = "enumerate" if n_words <= AUTO_ENUMERATE else "dynamic"
    entropy: Entropy = None
    if method == "enumerate":
        p_value = low = high = _enumerated(centred, n_x, threshold, two_sided)
    elif method == "dynamic":
        low, high = _dynamic(centred, n_x, threshold, two_sided, agreement)
        p_value = high
    else:
        check_numbers(n_permutations=n_permutations)
        sequence = as_seed_sequence(seed)
        entropy = sequence.entropy
        reached = _sampled(
            centred, n_x, threshold, two_sided, n_permutations=n_permutations, sequence=sequence
        )
        p_value = (reached + 1) / (n_permutations + 1)
        low, high = _clopper_pearson(reached, n_permutations)
    return PValues(p_value, low, high, alternative, method, comb(n_words, n_x), entropy)


def named_alternative(name: str) -> Alternative:
    """Return an alternative by name, one of scipy's three; others are a ValueError."""
    if name not in get_args(Alternative):
        raise ValueError(unknown_name("alternative", str(name), get_args(Alternative)))
    return cast("Alternative", name)


def _enumerated(
    centred: FloatArray, n_x: int, threshold: FloatArray, two_sided: bool
) -> FloatArray:
    n_words = centred.shape[1]
    if n_words > ENUMERABLE:
        raise ValueError(
            f"method 'enumerate' takes up to {ENUMERABLE} words, got {n_words}; "
            "use 'dynamic' for exact bounds or 'sampled'"
        )
    splits = comb(n_words, n_x)
    if splits <= MATRIX_SPLITS:
        above, below = count_in_matrix(centred, n_x, threshold)
    else:
        above = below = _by_halves(centred, n_x, threshold)
        if two_sided and 2 * n_x != n_words:
            below = _by_halves(-centred, n_x, threshold)
    if not two_sided:
        return np.asarray(above / splits)
    return np.where(threshold > 0, (above + below) / splits, 1.0)


def _by_halves(centred: FloatArray, n_x: int, threshold: FloatArray) -> NDArray[np.int64]:
    pairs = zip(centred, threshold, strict=True)
    return np.array([count_by_halves(row, n_x, at) for row, at in pairs])


def _dynamic(
    centred: FloatArray, n_x: int, threshold: FloatArray, two_sided: bool, agreement: float
) -> tuple[FloatArray, FloatArray]:
    if agreement <= 0:
        raise ValueError(f"agreement must be positive, got {agreement}; 0.01 asks for 1%")
    pairs = zip(centred, threshold, strict=True)
    bounds = [_dynamic_one(row, n_x, at, two_sided, agreement) for row, at in pairs]
    low, high = np.array(bounds).reshape(-1, 2).T.clip(max=1.0)
    return low, high


def _dynamic_one(
    centred: FloatArray, n_x: int, threshold: float, two_sided: bool, agreement: float
) -> tuple[float, float]:
    equal = n_x * np.abs(centred).max() <= -threshold  # equal scores: every split ties
    if equal or (two_sided and threshold <= 0):
        return 1.0, 1.0
    mirrored = 2 * n_x == len(centred)  # then a split and its complement have opposite sums
    attained = not two_sided or mirrored or bool(centred[:n_x].sum() >= 0)
    above = tail_bounds(centred, n_x, threshold, agreement, attained=attained)
    if not two_sided:
        return above.low, above.high
    below = above
    if not mirrored:
        below = tail_bounds(-centred, n_x, threshold, agreement, attained=not attained)
    return above.low + below.low, above.high + below.high


def _sampled(
    centred: FloatArray,
    n_x: int,
    threshold: FloatArray,
    two_sided: bool,
    *,
    n_permutations: int,
    sequence: np.random.SeedSequence,
) -> NDArray[np.int64]:
    """Count the random splits that reach the threshold, by data set."""
    random = np.random.default_rng(sequence)
    reached = np.zeros(len(centred), dtype=np.int64)
    for start in range(0, n_permutations, SAMPLE_CHUNK):
        sums = sampled_sums(centred, n_x, min(SAMPLE_CHUNK, n_permutations - start), random)
        reached += np.count_nonzero((np.abs(sums) if two_sided else sums) >= threshold, axis=0)
    return reached


def _clopper_pearson(successes: NDArray[np.int64], trials: int) -> tuple[FloatArray, FloatArray]:
    from scipy.special import betaincinv

    tail = (1.0 - SAMPLED_LEVEL) / 2.0
    missed = trials - successes
    low = np.where(successes > 0, betaincinv(np.maximum(successes, 1), missed + 1, tail), 0.0)
    high = np.where(missed > 0, betaincinv(successes + 1, np.maximum(missed, 1), 1.0 - tail), 1.0)
    return low, high


def _checked(scores: ArrayLike, n_x: int) -> FloatArray:
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"scores must be a matrix, one row a data set; got shape {matrix.shape}")
    if not 1 <= n_x <= matrix.shape[1] - 1:
        raise ValueError(
            f"n_x must leave at least one word on either side of {matrix.shape[1]}; got {n_x}"
        )
    if not np.isfinite(matrix).all():
        row = int(np.argmax(~np.isfinite(matrix).all(axis=1)))
        raise ValueError(f"data set {row} has scores that are not finite; leave those words out")
    return matrix
