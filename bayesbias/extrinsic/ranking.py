"""Whether a score tells less from more biased models."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._core.intervals import DEFAULT_CI_PROB, check_probability
from .correlation import normal_quantile, paired

_BESIDE = 1e-9


@dataclass(frozen=True)
class RankingAccuracy:
    """How often a score tells a less from a more biased model; see `ranking_accuracy`.

    Parameters
    ----------
    accuracy : float
        Share of pairs ranked rightly, ties counting half, in [0, 1]; 0.5 is chance.
    low, high : float
        Newcombe's interval.
    n_pairs, n_ties : int
    less_biased, more_biased : tuple of int
        Positions of the models of either side, in the order in which they first appear.
    ci_prob : float
    """

    accuracy: float
    low: float
    high: float
    n_pairs: int
    n_ties: int
    less_biased: tuple[int, ...]
    more_biased: tuple[int, ...]
    ci_prob: float


def ranking_accuracy(
    scores: ArrayLike,
    biases: ArrayLike,
    *,
    models: Sequence[Hashable] | None = None,
    sds: float = 1.0,
    ci_prob: float = DEFAULT_CI_PROB,
) -> RankingAccuracy:
    r"""Pairwise accuracy with which a score ranks models by their downstream bias.

    A pair is a model whose bias lies more than ``sds`` population standard deviations below the
    mean over models, and one as far above: models in between differ too little for their order
    to mean much. The accuracy is Mann and Whitney's statistic of the two sides, so that the pairs
    are not independent, and the interval is Newcombe's, which solves :math:`|A - θ| = z
    \sqrt{V(θ)}` with :math:`V(θ) = θ(1-θ)(1 + N\frac{1-θ}{2-θ} + N\frac{θ}{1+θ})/(mn)`, m and n
    models a side and N = (m + n)/2 - 1. Unlike a bootstrap it does not shrink to a point where
    all pairs are right.

    Parameters
    ----------
    scores : (n_runs,) array_like
        Magnitudes: higher says more biased. Take absolute values of signed scores first.
    biases : (n_runs,) array_like
        Downstream bias, such as ``TprGaps.mean_absolute_gap``.
    models : sequence of n_runs names, optional
        What each run is of, such as an embedding that was tested with several seeds. Runs of one
        model are not independent, so that it counts once, with its means. Without names every run
        is a model.
    sds : float
        0 or more; 0 compares all models below the mean with all above it.
    ci_prob : float

    Returns
    -------
    RankingAccuracy

    Raises
    ------
    ValueError
        If no model lies that far below, or above, the mean, or names and runs differ in number.

    References
    ----------
    Schröder, Schulz, Hammer (2024), table 3, and the notebook published with it for which pairs
    count; Newcombe (2006), Statistics in Medicine 25, 559-573, method 5.
    """
    score, bias = paired(scores, biases, fewest=2)
    if models is not None:
        if len(models) != len(score):
            raise ValueError(f"models must name each of the {len(score)} runs; got {len(models)}")
        model, _ = pd.factorize(pd.Series(list(models), dtype=object))
        score, bias = (np.bincount(model, each) / np.bincount(model) for each in (score, bias))
    if not sds >= 0:
        raise ValueError(f"sds must be 0 or more, got {sds}")
    mean, reach = bias.mean(), sds * bias.std()
    less, more = np.flatnonzero(bias < mean - reach), np.flatnonzero(bias > mean + reach)
    if not len(less) or not len(more):
        raise ValueError(
            f"{len(less)} models lie more than {sds:g} sd below the mean bias of {mean:.4g} and "
            f"{len(more)} as far above; both sides need one, so add models or lower sds"
        )
    apart = score[more][None, :] - score[less][:, None]
    accuracy = float((apart > 0).mean() + (apart == 0).mean() / 2)
    low, high = _newcombe(accuracy, len(less), len(more), check_probability(ci_prob))
    return RankingAccuracy(
        accuracy=accuracy,
        low=low,
        high=high,
        n_pairs=apart.size,
        n_ties=int((apart == 0).sum()),
        less_biased=tuple(map(int, less)),
        more_biased=tuple(map(int, more)),
        ci_prob=float(ci_prob),
    )


def _newcombe(accuracy: float, m: int, n: int, ci_prob: float) -> tuple[float, float]:
    from scipy.optimize import brentq

    z, extra = normal_quantile(ci_prob), (m + n) / 2 - 1

    def excess(theta: float) -> float:
        variance = theta * (1 - theta) / (m * n)
        variance *= 1 + extra * (1 - theta) / (2 - theta) + extra * theta / (1 + theta)
        return float((accuracy - theta) ** 2 - z**2 * variance)

    # At the accuracy itself the excess is negative, but for 0 and 1, where it is a false root.
    low = 0.0 if accuracy == 0 else float(brentq(excess, 0.0, accuracy - _BESIDE))
    high = 1.0 if accuracy == 1 else float(brentq(excess, accuracy + _BESIDE, 1.0))
    return low, high
