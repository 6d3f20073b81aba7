"""CEAT: WEAT in samples of sentences, and the samples' effect sizes combined."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.random import default_rng
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import check_numbers
from .._core.random import Seed
from ..scores.weat import effect_sizes
from .encoding import ContextualVectors
from .seat import rows_of

SAMPLES_AT_ONCE = 500
"""Samples whose cosines are held together: 1 MB for lists of 16 words."""


@dataclass(frozen=True)
class CombinedEffect:
    """Effect sizes of samples in a random-effects model; see `combine_effects`.

    Parameters
    ----------
    effect_size, standard_error : float
    between_sd : float
        Of the true effect sizes of samples.
    p_value : float
        Two-sided, of no effect.
    effects : (n_samples,) float
    """

    effect_size: float
    standard_error: float
    between_sd: float
    p_value: float
    effects: FloatArray = field(repr=False)


def ceat(
    vectors: ContextualVectors,
    X: Iterable[str],
    Y: Iterable[str],
    A: Iterable[str],
    B: Iterable[str],
    *,
    n_samples: int = 10_000,
    seed: Seed = None,
) -> CombinedEffect:
    """Combine WEAT's effect sizes over samples of one sentence a word.

    Its standard error falls with ``n_samples``, however few sentences there are, since samples
    are of the same sentences and words: it says how well these samples are averaged, and its p
    nothing about other sentences or words. For that fit the model ``contextual``.

    Parameters
    ----------
    vectors : ContextualVectors
        Of every word in sentences of its own, or in templates.
    X, Y, A, B : iterable of str
        Two lists of targets and two of attributes, as for `scores.weat`.
    n_samples : int
        Each draws a sentence for every word.
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    CombinedEffect

    Raises
    ------
    ValueError
        If no word of a list has vectors, or the number is not valid.

    References
    ----------
    Guo and Caliskan (2021), Detecting emergent intersectional biases, AIES; WEAT's d with the sd of
    divisor N - 1, and the variance of the associations of all targets for that of a sample.

    Examples
    --------
    >>> from bayesbias import contextual
    >>> sentences = contextual.load_sentences("sentences.csv")  # doctest: +SKIP
    >>> vectors = contextual.contextual_vectors("./bert", sentences, sentences)  # doctest: +SKIP
    >>> contextual.ceat(vectors, X, Y, A, B, seed=1).effect_size  # doctest: +SKIP
    """
    check_numbers(n_samples=n_samples)
    rows, _ = rows_of(vectors, {"X": X, "Y": Y, "A": A, "B": B})
    unit = {name: unit_rows(each.reshape(-1, each.shape[2])) for name, each in rows.items()}
    n = {name: len(each) for name, each in rows.items()}
    targets = np.concatenate([unit["X"], unit["Y"]])
    cosines = targets @ np.concatenate([unit["A"], unit["B"]]).T
    k, rng = len(vectors.contexts), default_rng(seed)
    first = k * np.arange(sum(n.values()))
    effects, variances = [], []
    for start in range(0, n_samples, SAMPLES_AT_ONCE):
        size = min(SAMPLES_AT_ONCE, n_samples - start)
        taken = first + rng.integers(k, size=(size, len(first)))
        n_targets = n["X"] + n["Y"]
        columns = taken[:, None, n_targets:] - k * n_targets
        sampled = cosines[taken[:, :n_targets, None], columns]
        s = sampled[:, :, : n["A"]].mean(axis=2) - sampled[:, :, n["A"] :].mean(axis=2)
        effects.append(effect_sizes(s[:, : n["X"]], s[:, n["X"] :]))
        variances.append(s.var(axis=1, ddof=1))
    return combine_effects(np.concatenate(effects), np.concatenate(variances))


def combine_effects(effects: ArrayLike, variances: ArrayLike) -> CombinedEffect:
    r"""Combine effect sizes in a random-effects model, by DerSimonian and Laird's estimator.

    With weights :math:`w_i = 1/V_i` and :math:`Q = \sum w_i (d_i - \bar d_w)^2` the variance
    between samples is :math:`\tau^2 = \max(0, (Q - (N - 1))/(\sum w_i - \sum w_i^2/\sum w_i))`;
    the combined effect size is the mean of :math:`d_i` by :math:`v_i = 1/(V_i + \tau^2)`, and its
    standard error :math:`(\sum v_i)^{-1/2}`.

    Parameters
    ----------
    effects, variances : (n,) array_like
        Variances are positive.

    Raises
    ------
    ValueError
        If they are of other lengths, or a number is not finite, or a variance not positive.

    References
    ----------
    DerSimonian and Laird (1986), Meta-analysis in clinical trials, Controlled Clinical Trials 7.
    """
    from scipy.stats import norm

    d, variance = np.asarray(effects, float), np.asarray(variances, float)
    if d.ndim != 1 or d.shape != variance.shape or not len(d):
        raise ValueError(f"give as many variances as effects; got {variance.shape} and {d.shape}")
    if not (np.isfinite(d).all() and np.isfinite(variance).all() and (variance > 0).all()):
        raise ValueError(
            "effects must be finite and variances positive; some targets are all alike"
        )
    w = 1 / variance
    q = (w * (d - (w @ d) / w.sum()) ** 2).sum()
    spread = w.sum() - (w @ w) / w.sum()
    between = max(0.0, float((q - (len(d) - 1)) / spread)) if len(d) > 1 else 0.0
    v = 1 / (variance + between)
    combined, error = float((v @ d) / v.sum()), float(v.sum() ** -0.5)
    p = 2 * float(norm.sf(abs(combined) / error))
    return CombinedEffect(combined, error, float(np.sqrt(between)), p, d)
