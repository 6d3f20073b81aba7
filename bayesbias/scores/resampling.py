"""Scores under many resamplings of the words at once, from the cosines at hand.

A resampling gives every word of a set a weight, its count over the size of the set. The scores
below are functions of weighted means of cosines, so that all resamplings are a matrix product.
Where a score is undefined for a resampling, its value is NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray, cosine_similarity, unit_rows
from .list_rows import Indices, ListRows
from .subspace import DEPENDENT
from .weat import EQUAL


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of the words by group, (n_draws, n_words_i) arrays whose rows sum to one."""

    protected: tuple[FloatArray, ...]
    stereotypes: tuple[FloatArray, ...]
    defining: FloatArray

    def of_groups(self, at: Sequence[int]) -> Weights:
        """The weights of some groups, in the order given."""
        return Weights(
            tuple(self.protected[i] for i in at),
            tuple(self.stereotypes[i] for i in at),
            self.defining,
        )


def weights_of(picks: Indices, size: int) -> FloatArray:
    """Weights of index arrays, (n_draws, n_picks) to (n_draws, size)."""
    counts = np.zeros((len(picks), size))
    np.add.at(counts, (np.arange(len(picks))[:, None], picks), 1.0)
    return np.asarray(counts / picks.shape[1])


def effect_size_draws(rows: ListRows, weights: Weights) -> FloatArray:
    """WEAT's d with ddof 1 for two groups, (n_draws,)."""
    associations = [_associations(rows, weights, group) for group in (0, 1)]
    return _effect_sizes(associations, [weights.protected[group].T for group in (0, 1)])


def statistic_draws(rows: ListRows, weights: Weights) -> FloatArray:
    """WEAT's S for two groups, (n_draws,)."""
    first, second = (
        (weights.protected[group].T * _associations(rows, weights, group)).sum(axis=0)
        * len(rows.protected[group])
        for group in (0, 1)
    )
    return np.asarray(first - second)


def weam_draws(rows: ListRows, weights: Weights) -> FloatArray:
    """Mean ψ of the first group's words, (n_draws,)."""
    return np.asarray((weights.protected[0].T * _associations(rows, weights, 0)).sum(axis=0))


def nas_draws(rows: ListRows, weights: Weights) -> FloatArray:
    """Mean NAS of the first group's words, ddof 1, (n_draws,)."""
    to_a, to_b = (cosine_similarity(rows.protected[0], each) for each in rows.stereotypes)
    turned = [each.T for each in weights.stereotypes]
    effects = [
        _effect_sizes([a[:, None], b[:, None]], turned) for a, b in zip(to_a, to_b, strict=True)
    ]
    share = weights.protected[0].T
    return np.where(share > 0, share * np.stack(effects), 0.0).sum(axis=0)


def mac_draws(rows: ListRows, weights: Weights) -> FloatArray:
    """MAC, no word against itself, (n_draws,)."""
    total = sum(len(words) for words in rows.protected)
    value = np.zeros(len(weights.protected[0]))
    for group, names in enumerate(rows.protected_words):
        share = weights.protected[group].T * len(names) / total
        for at, others in enumerate(rows.stereotype_words):
            other = np.array([[word != each for each in others] for word in names], dtype=float)
            distances = 1.0 - cosine_similarity(rows.protected[group], rows.stereotypes[at])
            weight = weights.stereotypes[at].T
            means = _over((distances * other) @ weight, other @ weight, 0.0)
            value += np.where(share > 0, share * means, 0.0).sum(axis=0)
    return value / len(rows.stereotypes)


def gweat_draws(rows: ListRows, weights: Weights) -> FloatArray:
    """gWEAT, (n_draws,): the trace less the mean of the mean cosines between groups and sets."""
    n = len(rows.protected)
    own, every = np.zeros(len(weights.protected[0])), np.zeros(len(weights.protected[0]))
    for group in range(n):
        for at in range(n):
            cosines = cosine_similarity(rows.protected[group], rows.stereotypes[at])
            mean = ((weights.protected[group] @ cosines) * weights.stereotypes[at]).sum(axis=1)
            every += mean
            own += mean if group == at else 0.0
    return own - every / n


def same_draws(rows: ListRows, weights: Weights) -> FloatArray:
    """SAME of all stereotype words, (n_draws,).

    The length of a target's shadow in the span of the differences d is sqrt(b' K⁺ b) with
    b = d·t and K = d d', all of which are weighted sums of cosines.
    """
    words = unit_rows(np.vstack(rows.protected))
    differences = _differences(weights.protected)
    gram = differences @ (words @ words.T) @ differences.transpose(0, 2, 1)
    along = differences @ (words @ unit_rows(rows.targets).T)
    inverse = np.linalg.pinv(gram, rcond=DEPENDENT**2, hermitian=True)
    lengths = np.sqrt((along * (inverse @ along)).sum(axis=1).clip(0, 1))
    share = _pooled(weights.stereotypes)
    value = (lengths * share).sum(axis=1)
    longest = np.diagonal(gram, axis1=1, axis2=2).max(axis=1)
    return np.where(longest > DEPENDENT**2, value, np.nan)


def direct_bias_draws(rows: ListRows, weights: Weights) -> FloatArray:
    """Direct Bias of all stereotype words, k = groups - 1 components, c = 1, (n_draws,).

    Components of the weighted words come from the eigenvectors of their inner products.
    """
    sets = rows.defining_sets
    unit = unit_rows(sets.reshape(-1, sets.shape[2])).reshape(sets.shape)
    centred = (unit - unit.mean(axis=1, keepdims=True)).reshape(-1, sets.shape[2])
    root = np.sqrt(np.repeat(weights.defining, sets.shape[1], axis=1))
    gram = root[:, :, None] * (centred @ centred.T) * root[:, None, :]
    squares, vectors = np.linalg.eigh(gram)
    k = sets.shape[1] - 1
    squares, vectors = squares[:, -k:], vectors[:, :, -k:] * root[:, :, None]
    along = (centred @ unit_rows(rows.targets).T).T @ vectors
    lengths = np.sqrt(_over(along**2, squares[:, None, :], 0.0).sum(axis=2).clip(max=1))
    value = (lengths * _pooled(weights.stereotypes)).sum(axis=1)
    return np.where(squares[:, 0] > DEPENDENT**2 * squares[:, -1], value, np.nan)


def _associations(rows: ListRows, weights: Weights, group: int) -> FloatArray:
    """The s of a group's words, (n_words, n_draws)."""
    to_a, to_b = (
        cosine_similarity(rows.protected[group], each) @ weight.T
        for each, weight in zip(rows.stereotypes, weights.stereotypes, strict=True)
    )
    return np.asarray(to_a - to_b)


def _effect_sizes(values: Sequence[FloatArray], shares: Sequence[FloatArray]) -> FloatArray:
    """Difference of two weighted means over the sd of both together, ddof 1, (n_draws,).

    ``values`` are (n, n_draws) or (n, 1), ``shares`` (n, n_draws). Deviations are squared, not
    values: a difference of squares would lose half the digits, and equal values would differ.
    """
    (x, y), (w_x, w_y) = values, shares
    n_x, n_y = len(x), len(y)
    mean_x, mean_y = (w_x * x).sum(axis=0), (w_y * y).sum(axis=0)
    mean = (n_x * mean_x + n_y * mean_y) / (n_x + n_y)
    squares = n_x * (w_x * (x - mean) ** 2).sum(axis=0) + n_y * (w_y * (y - mean) ** 2).sum(axis=0)
    return _over(mean_x - mean_y, np.sqrt(squares / (n_x + n_y - 1)), EQUAL)


def _differences(weights: Sequence[FloatArray]) -> FloatArray:
    """Weights of â_i - â_0 over all words of all groups, (n_draws, n_groups - 1, n_words)."""
    sizes = [each.shape[1] for each in weights]
    starts = np.cumsum([0, *sizes])
    made = np.zeros((len(weights[0]), len(weights) - 1, starts[-1]))
    made[:, :, : sizes[0]] = -weights[0][:, None, :]
    for at in range(1, len(weights)):
        made[:, at - 1, starts[at] : starts[at + 1]] = weights[at]
    return made


def _pooled(weights: Sequence[FloatArray]) -> FloatArray:
    """Weights of all sets' words together, (n_draws, n_words); rows sum to one."""
    total = sum(each.shape[1] for each in weights)
    return np.hstack([each * each.shape[1] / total for each in weights])


def _over(above: FloatArray, below: FloatArray, least: float) -> FloatArray:
    """A ratio, NaN where what is below does not exceed the least."""
    defined = below > least
    return np.where(defined, above / np.where(defined, below, 1.0), np.nan)
