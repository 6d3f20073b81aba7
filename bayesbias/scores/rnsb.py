"""RNSB, relative negative sentiment bias: a classifier's verdict on identity words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from ..embeddings.word_sets import WordVectors, as_rows
from .list_rows import ListRows
from .registry import ListScore, Weights
from .result import ScoreResult, Words, of_words


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RnsbResult(ScoreResult):
    """Relative negative sentiment bias; see `rnsb`."""

    probability: FloatArray
    share: FloatArray
    penalty_strength: float


def rnsb_of(targets: ArrayLike, A: ArrayLike, B: ArrayLike, *, C: float = 1.0) -> RnsbResult:
    """RNSB on arrays, (n_targets, n_dims), (n_a, n_dims), (n_b, n_dims); see `rnsb`."""
    rows = as_rows("targets", targets)
    classifier = _negative_classifier(A, B, C=C)
    probability = np.asarray(classifier.predict_proba(rows)[:, 1], dtype=np.float64)
    score, share = divergence_from_uniform(probability), probability / probability.sum()
    return RnsbResult(score=score, probability=probability, share=share, penalty_strength=C)


def divergence_from_uniform(probability: FloatArray) -> float:
    """KL divergence, in nats, of the normalised probabilities from the uniform distribution."""
    share = probability / probability.sum()
    present = share[share > 0]
    return max(float((present * np.log(present * len(share))).sum()), 0.0)


def _negative_classifier(A: ArrayLike, B: ArrayLike, *, C: float = 1.0) -> Any:  # noqa: ANN401
    """Logistic regression that tells B (class 1) from A (class 0), fitted to all of both."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise ImportError(
            "RNSB needs scikit-learn; install it with: pip install 'bayesbias[learn]'"
        ) from None
    positive, negative = as_rows("A", A), as_rows("B", B)
    labels = np.r_[np.zeros(len(positive)), np.ones(len(negative))]
    model = LogisticRegression(C=C, max_iter=10_000, tol=1e-8)
    return model.fit(np.vstack([positive, negative]), labels)


def rnsb(vectors: WordVectors, targets: Words, A: Words, B: Words, *, C: float = 1.0) -> RnsbResult:
    """Relative negative sentiment bias: whether some identity words are taken for more negative.

    A logistic regression learns B (negative) from A (positive); its probabilities of B for the
    targets, made to sum to one, are compared with the uniform distribution.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    targets : list of identity words
    A, B : lists of positive and of negative words
    C : float
        Inverse strength of the ridge penalty, as in scikit-learn; the score depends on it.

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
    return of_words(rnsb_of, vectors, sets, parts=["targets"], apart=["A", "B"], C=C)


def _resampled(rows: ListRows, weights: Weights) -> FloatArray:
    """Targets resampled; the classifier is that of the whole list."""
    classifier = _negative_classifier(*rows.stereotypes)
    probability = classifier.predict_proba(np.vstack(rows.protected))[:, 1]
    counts = np.hstack([each * each.shape[1] for each in weights.protected]).round().astype(int)
    return np.array([divergence_from_uniform(np.repeat(probability, each)) for each in counts])


SCORE = ListScore(
    value=lambda rows: rnsb_of(np.vstack(rows.protected), *rows.stereotypes).score,
    scope="pair",
    choices="C=1",
    resampled=_resampled,
    note="second group's stereotypes as negative; interval over targets, classifier kept",
    reading="more difference between groups",
    costly=True,
)
