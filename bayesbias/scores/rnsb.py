"""RNSB, relative negative sentiment bias: a classifier's verdict on identity words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.word_sets import WordVectors, as_rows
from .list_rows import ListRows
from .registry import ListScore, Properties, Weights
from .result import ScoreResult, Words, of_words


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RnsbResult(ScoreResult):
    """Relative negative sentiment bias; see `rnsb`."""

    probability: FloatArray
    share: FloatArray
    penalty_strength: float
    normalised: bool


def rnsb_of(
    targets: ArrayLike, A: ArrayLike, B: ArrayLike, *, C: float = 1.0, unit: bool = False
) -> RnsbResult:
    """RNSB on arrays, (n_targets, n_dims), (n_a, n_dims), (n_b, n_dims); see `rnsb`."""
    sets = {"targets": targets, "A": A, "B": B}
    rows, a, b = (as_rows(name, given) for name, given in sets.items())
    if unit:
        rows, a, b = unit_rows(rows), unit_rows(a), unit_rows(b)
    probability = negative_probability(rows, a, b, C=C)
    return RnsbResult(
        score=divergence_from_uniform(probability),
        probability=probability,
        share=probability / probability.sum(),
        penalty_strength=C,
        normalised=unit,
    )


def divergence_from_uniform(probability: FloatArray) -> float:
    """KL divergence, in nats, of the normalised probabilities from the uniform distribution."""
    share = probability / probability.sum()
    present = share[share > 0]
    return max(float((present * np.log(present * len(share))).sum()), 0.0)


def negative_probability(
    rows: FloatArray, A: FloatArray, B: FloatArray, *, C: float = 1.0
) -> FloatArray:
    """Probability of B by a ridge logistic regression that tells it from A, for every row.

    The intercept is the weight of a coordinate that is one for all words, and is penalised as the
    other weights are. So it is in LIBLINEAR, which the published implementations use.
    """
    from sklearn.linear_model import LogisticRegression

    labels = np.r_[np.zeros(len(A)), np.ones(len(B))]
    model = LogisticRegression(C=C, fit_intercept=False, max_iter=10_000, tol=1e-8)
    model.fit(_with_ones(np.vstack([A, B])), labels)
    return np.asarray(model.predict_proba(_with_ones(rows))[:, 1], dtype=np.float64)


def _with_ones(rows: FloatArray) -> FloatArray:
    return np.column_stack([rows, np.ones(len(rows))])


def rnsb(
    vectors: WordVectors, targets: Words, A: Words, B: Words, *, C: float = 1.0, unit: bool = False
) -> RnsbResult:
    """Relative negative sentiment bias: whether some identity words are taken for more negative.

    A logistic regression learns B (negative) from A (positive); its probabilities of B for the
    targets, made to sum to one, are compared with the uniform distribution.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    targets : list of identity words
    A, B : lists of positive and of negative words
    C : float
        Inverse strength of the ridge penalty, as in scikit-learn; the score depends on it. The
        intercept is penalised too, as in WEFE and sweater.
    unit : bool
        Bring all vectors to unit length first. The penalty holds for weights on the vectors' own
        scale, so that long vectors give larger scores than short ones.

    Returns
    -------
    RnsbResult
        ``score``, the KL divergence in nats, in [0, log n_targets], 0 where all targets are
        taken for equally negative; ``probability`` of B and ``share`` of every target. No words
        are held out, so that equal input gives equal output.

    Raises
    ------
    ImportError
        If scikit-learn is not installed.

    References
    ----------
    Sweeney and Najafian (2019), A transparent framework for evaluating unintended demographic
    bias in word embeddings.
    """
    sets = {"targets": targets, "A": A, "B": B}
    return of_words(rnsb_of, vectors, sets, parts=["targets"], apart=["A", "B"], C=C, unit=unit)


def _resampled(rows: ListRows, weights: Weights) -> FloatArray:
    """Targets resampled; the classifier is that of the whole list."""
    probability = negative_probability(np.vstack(rows.protected), *rows.stereotypes)
    counts = np.hstack([each * each.shape[1] for each in weights.protected]).round().astype(int)
    return np.array([divergence_from_uniform(np.repeat(probability, each)) for each in counts])


SCORE = ListScore(
    value=lambda rows: rnsb_of(np.vstack(rows.protected), *rows.stereotypes).score,
    scope="pair",
    choices="C=1, vectors as they are",
    resampled=_resampled,
    note="second group's stereotypes as negative; interval over targets, classifier kept",
    reading="more difference between groups",
    costly=True,
    properties=Properties(
        comparable=(
            False,
            "targets without a limit of length approach log n; for those of one length the extreme "
            "depends on A and B, and on C",
        ),
        trustworthy=(False, "it is 0 when all targets are taken for negative alike"),
        range=("0", "log n"),
    ),
)
