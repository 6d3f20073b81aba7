"""Areas under ROC curves of a classifier's scores, inside and across subgroups."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from .._core.arrays import FloatArray


def subgroup_areas(truth: ArrayLike, score: ArrayLike, members: pd.DataFrame) -> pd.DataFrame:
    """How well scores tell positive from negative samples, inside a subgroup and across its border.

    Parameters
    ----------
    truth : (n_samples,) array_like of bool
        Whether a sample is positive, such as a toxic comment.
    score : (n_samples,) array_like
        The classifier's score: higher says positive.
    members : DataFrame
        One column of true or false a subgroup; a sample may be in several or in none.

    Returns
    -------
    DataFrame
        One row a subgroup: ``group``, ``n``, ``n_positive``, and three areas in [0, 1], 1/2 being
        chance. ``subgroup`` compares its own positive and negative samples. ``bpsn`` compares
        the positive samples of the background with the negative ones of the subgroup: low where
        the classifier finds positives in a subgroup that are none. ``bnsp`` compares the positive
        samples of the subgroup with the negative ones of the background: low where it overlooks
        them. NaN where one side has no sample.

    Raises
    ------
    ValueError
        If lengths differ, labels are not true or false, or scores are not finite.

    References
    ----------
    Borkan, Dixon, Sorensen, Thain and Vasserman (2019), Nuanced metrics for measuring unintended
    bias with real data for text classification.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesbias.extrinsic import subgroup_areas
    >>> members = pd.DataFrame({"muslim": [True, True, False, False]})
    >>> subgroup_areas([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.1], members)["bpsn"].tolist()
    [0.0]
    """
    real, scores, inside = np.asarray(truth), np.asarray(score, dtype=float), members.to_numpy()
    if real.ndim != 1 or not real.shape == scores.shape == inside.shape[:1]:
        raise ValueError(
            "truth, score and members must have one value a sample; got shapes "
            f"{real.shape}, {scores.shape} and {inside.shape}"
        )
    for name, each in (("truth", real), ("members", inside)):
        if not np.isin(each, (0, 1)).all():
            raise ValueError(f"{name} must be true or false for every sample")
    if not np.isfinite(scores).all():
        raise ValueError("scores must be finite numbers")
    positive, rows = real.astype(bool), []
    for group, own in zip(members.columns, inside.T.astype(bool), strict=True):
        rows.append(
            {
                "group": group,
                "n": int(own.sum()),
                "n_positive": int((own & positive).sum()),
                "subgroup": _area(scores, own & positive, own & ~positive),
                "bpsn": _area(scores, ~own & positive, own & ~positive),
                "bnsp": _area(scores, own & positive, ~own & ~positive),
            }
        )
    return pd.DataFrame(rows)


def _area(scores: FloatArray, above: NDArray[np.bool_], below: NDArray[np.bool_]) -> float:
    """Share of pairs in which the first lies above the second, ties counting half."""
    if not above.any() or not below.any():
        return float("nan")
    ordered = np.sort(scores[below])
    lower, upper = (np.searchsorted(ordered, scores[above], side) for side in ("left", "right"))
    return float((lower + upper).mean() / (2 * len(ordered)))
