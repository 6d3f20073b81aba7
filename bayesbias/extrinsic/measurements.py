"""Scores and downstream biases side by side, checked, and the normal quantile of a level."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray


def paired(scores: ArrayLike, biases: ArrayLike, *, fewest: int) -> tuple[FloatArray, FloatArray]:
    """Scores and biases as arrays of one length; a ValueError says what is wrong with them."""
    score, bias = (np.asarray(each, dtype=np.float64) for each in (scores, biases))
    if score.ndim != 1 or score.shape != bias.shape or len(score) < fewest:
        raise ValueError(
            f"scores and biases must be {fewest} or more numbers each, in the same order; "
            f"got shapes {score.shape} and {bias.shape}"
        )
    wrong = ~(np.isfinite(score) & np.isfinite(bias))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"row {row} is not finite (score {score[row]}, bias {bias[row]}); leave undefined "
            "scores out"
        )
    return score, bias


def normal_quantile(ci_prob: float) -> float:
    """Return how many sds an interval of that probability reaches from the mean of a Normal."""
    from scipy.special import ndtri

    return float(ndtri((1 + ci_prob) / 2))
