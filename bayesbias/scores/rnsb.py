"""RNSB, relative negative sentiment bias: a classifier's verdict on identity words."""

from __future__ import annotations

import numpy as np

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.word_sets import WordVectors
from .list_rows import ListRows, Picks
from .registry import ListScore
from .result import ScoreResult, Words, read_sets, score_result


def rnsb(
    vectors: WordVectors | None,
    targets: Words,
    A: Words,
    B: Words,
    *,
    C: float = 1.0,
    unit: bool = False,
) -> ScoreResult:
    """Relative negative sentiment bias: whether some identity words are treated as more negative.

    A logistic regression learns B (negative) from A (positive); its probabilities of B for the
    targets, made to sum to one, are compared with the uniform distribution.

    Parameters
    ----------
    vectors : KeyedVectors, mapping of str to array, or None
    targets : list of identity words
    A, B : lists of positive and of negative words
    C : float
        Inverse strength of the ridge penalty, as in scikit-learn; the score depends on it. The
        intercept is penalized too, as in WEFE and sweater, which use LIBLINEAR.
    unit : bool
        Bring all vectors to unit length first. The penalty holds for weights on the vectors' own
        scale, so that long vectors give larger scores than short ones.

    Returns
    -------
    ScoreResult
        ``score``, the KL divergence in nats, in [0, log n_targets], 0 where all targets are
        treated as equally negative; ``probability`` of B and ``share`` of every target. No words
        are held out, so that equal input gives equal output.

    References
    ----------
    Sweeney and Najafian (2019), A transparent framework for evaluating unintended demographic
    bias in word embeddings.
    """
    sets = read_sets(vectors, {"targets": targets, "A": A, "B": B}, disjoint=["A", "B"])
    rows, a, b = (unit_rows(each) if unit else each for each in sets.rows.values())
    probability = _negative_probability(rows, a, b, C)
    parts = {"probability": probability, "share": probability / probability.sum()}
    return score_result(_divergence(probability), sets, "targets", parts)


def _divergence(probability: FloatArray) -> float:
    """KL divergence, in nats, of the normalized probabilities from the uniform distribution."""
    share = probability / probability.sum()
    present = share[share > 0]
    return max(float((present * np.log(present * len(share))).sum()), 0.0)


def _negative_probability(
    rows: FloatArray, A: FloatArray, B: FloatArray, C: float = 1.0
) -> FloatArray:
    """Probability of B by a ridge logistic regression that tells it from A, for every row.

    The intercept is the weight of a coordinate that is one for all words, and so is penalized.
    """
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=C, fit_intercept=False, max_iter=10_000, tol=1e-8)
    model.fit(_with_ones(np.vstack([A, B])), np.repeat([0, 1], [len(A), len(B)]))
    return np.asarray(model.predict_proba(_with_ones(rows))[:, 1], dtype=np.float64)


def _with_ones(rows: FloatArray) -> FloatArray:
    return np.column_stack([rows, np.ones(len(rows))])


def _value(rows: ListRows) -> float:
    A, B = rows.stereotypes
    return _divergence(_negative_probability(np.vstack(rows.protected), A, B))


def _resampled(rows: ListRows, picks: Picks) -> FloatArray:
    """Targets resampled; the classifier is that of the whole list."""
    A, B = rows.stereotypes
    by_group = [_negative_probability(group, A, B) for group in rows.protected]
    drawn = [p[at] for p, at in zip(by_group, picks.protected, strict=True)]
    return np.array([_divergence(row) for row in np.hstack(drawn)])


RNSB = ListScore(
    _value,
    "pair",
    choices="C=1, vectors as they are",
    note="second group's stereotypes as negative; interval over targets, classifier kept",
    reading="more difference between groups",
    costly=True,
    resampled=_resampled,
)
