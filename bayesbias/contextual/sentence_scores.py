"""SEAT and CEAT: WEAT on all sentences at once, or on samples with one sentence per word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np
from numpy.random import default_rng
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import check_numbers
from .._core.random import Seed
from ..embeddings.formats.keyed import directed
from ..embeddings.word_sets import look_up, refuse_overlap
from ..scores.poles import effect_sizes
from .encoding import ContextualVectors, as_contextual

SAMPLES_AT_ONCE = 500
"""Number of samples whose cosines are in memory at once: 1 MB for lists of 16 words."""


@dataclass(frozen=True, eq=False)
class SeatResult:
    """WEAT's d over all sentences, d in each context alone, and words without vectors."""

    effect_size: float
    by_context: Mapping[str, float]
    missing: tuple[str, ...]


def seat(
    vectors: ContextualVectors | Mapping[str, ArrayLike],
    X: Iterable[str],
    Y: Iterable[str],
    A: Iterable[str],
    B: Iterable[str],
) -> SeatResult:
    """Compute WEAT on sentences made from templates and four lists of words.

    SEAT's p-value is omitted here, because it comes from permuting sentences as if sentences with
    the same word were independent. For an interval, fit the model ``contextual``.

    Parameters
    ----------
    vectors : ContextualVectors or mapping of str to array_like
        Vectors of sentences, not words: ``pooling="sentence"``, ``"cls"``, or ``"last"``. A mapping
        is read as in `contextual_table`. Words without a vector in some context are left out.
    X, Y, A, B : iterable of str
        Two lists of targets and two lists of attributes, as in `scores.weat`.

    References
    ----------
    May et al. (2019), On measuring social biases in sentence encoders.
    """
    vectors = as_contextual(vectors)
    rows, missing = _rows(vectors, {"X": X, "Y": Y, "A": A, "B": B})
    whole = _effect(rows)
    by_context = {
        context: _effect([row[:, place : place + 1] for row in rows])
        for place, context in enumerate(vectors.contexts)
    }
    return SeatResult(whole, by_context, missing)


def _effect(rows: Iterable[FloatArray]) -> float:
    """Return WEAT's d for the sentences of four lists."""
    x, y, a, b = (unit_rows(row.reshape(-1, row.shape[2])) for row in rows)
    axis = a.mean(axis=0) - b.mean(axis=0)
    return float(_defined(effect_sizes(x @ axis, y @ axis)))


def _defined(effects: FloatArray) -> FloatArray:
    if not np.isfinite(effects).all():
        raise ValueError("all associations in a context or sample are equal, so d is undefined")
    return effects


def _rows(
    vectors: ContextualVectors, lists: Mapping[str, Iterable[str]]
) -> tuple[list[FloatArray], tuple[str, ...]]:
    """Return the vectors of each list, (n_words, n_contexts, n_dims), and the missing words.

    A word without a vector in one of the contexts is missing.
    """
    whole = directed(vectors.vectors).all(axis=1)
    usable = replace(vectors, vectors=np.where(whole[:, None, None], vectors.vectors, 0))
    found = look_up(usable.in_context(vectors.contexts[0]), lists)
    refuse_overlap("X", "Y", found.words, found.spellings)
    place = {word: row for row, word in enumerate(vectors.words)}
    rows = [
        vectors.vectors[[place[word] for word in words]].astype(np.float64)
        for words in found.words.values()
    ]
    return rows, tuple(dict.fromkeys(chain(*found.missing.values())))


@dataclass(frozen=True)
class CombinedEffect:
    """Result of `ceat`: the combined effect, the sd between samples, and d of every sample."""

    effect_size: float
    standard_error: float
    between_sd: float
    p_value: float
    effects: FloatArray = field(repr=False)


def ceat(
    vectors: ContextualVectors | Mapping[str, ArrayLike],
    X: Iterable[str],
    Y: Iterable[str],
    A: Iterable[str],
    B: Iterable[str],
    *,
    n_samples: int = 10_000,
    seed: Seed = None,
) -> CombinedEffect:
    r"""Combine WEAT's effect sizes over samples, each with one sentence per word.

    With weights `w_i = 1/V_i` and `Q = Σ w_i (d_i - d̄_w)²`, the variance between N samples is
    `τ² = max(0, (Q - (N - 1))/(Σw_i - Σw_i²/Σw_i))` (DerSimonian and Laird, 1986). The combined
    effect size is the mean of the `d_i` weighted by `v_i = 1/(V_i + τ²)`; its standard error is
    `(Σv_i)^(-1/2)`. This error shrinks as ``n_samples`` grows, even with few sentences, so the
    two-sided p-value does not generalize to other sentences or words. Fits of ``contextual`` do.

    Parameters
    ----------
    vectors : ContextualVectors or mapping of str to array_like
        Vectors of every word, in natural sentences or in templates. A mapping is read as in
        `contextual_table`. Words without a vector in some context are left out.
    X, Y, A, B : iterable of str
        Two lists of targets and two lists of attributes, as in `scores.weat`.
    n_samples : int
        Number of samples.
    seed : int, SeedSequence, Generator, or None

    References
    ----------
    Guo and Caliskan (2021), Detecting emergent intersectional biases, AIES. V_i is the variance of
    the associations of all targets in sample i; its square root is the denominator of d_i.
    """
    from scipy.stats import norm

    check_numbers(n_samples=n_samples)
    vectors = as_contextual(vectors)
    (x, y, a, b), _ = _rows(vectors, {"X": X, "Y": Y, "A": A, "B": B})
    k, n, rng = len(vectors.contexts), len(x) + len(y), default_rng(seed)
    unit = [unit_rows(rows.reshape(-1, rows.shape[2])) for rows in (x, y, a, b)]
    cosines = np.vstack(unit[:2]) @ np.vstack(unit[2:]).T
    sampled = []
    for start in range(0, n_samples, SAMPLES_AT_ONCE):
        size = min(SAMPLES_AT_ONCE, n_samples - start), n + len(a) + len(b)
        taken = rng.integers(k, size=size) + k * np.r_[:n, : len(a) + len(b)]
        drawn = cosines[taken[:, :n, None], taken[:, None, n:]]
        sampled.append(drawn[..., : len(a)].mean(axis=2) - drawn[..., len(a) :].mean(axis=2))
    s = np.concatenate(sampled)
    d, variance = _defined(effect_sizes(s[:, : len(x)], s[:, len(x) :])), s.var(axis=1, ddof=1)
    w = 1 / variance
    q, spread = (w * (d - (w @ d) / w.sum()) ** 2).sum(), w.sum() - (w @ w) / w.sum()
    between = max(0.0, float((q - (n_samples - 1)) / spread)) if n_samples > 1 else 0.0
    v = 1 / (variance + between)
    combined, error = float((v @ d) / v.sum()), float(v.sum() ** -0.5)
    p_value = 2 * float(norm.sf(abs(combined) / error))
    return CombinedEffect(combined, error, float(np.sqrt(between)), p_value, d)
