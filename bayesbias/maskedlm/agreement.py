"""Whether measures say the same of language models: correlation and mutual information."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray

NEIGHBOURS = 3
"""Nearest neighbours of the estimate of mutual information; Kraskov et al. recommend 2 to 4."""

FEWEST = 3
"""Rows that a correlation needs."""

FEWEST_FOR_INFORMATION = 8
"""Rows below which neighbours are no neighbours, and no mutual information is estimated."""


def measure_agreement(values: pd.DataFrame) -> pd.DataFrame:
    """Correlation and mutual information of every two measures over language models.

    A correlation of 0 does not say that two measures have nothing in common: JSS does not see in
    which direction a model leans, so that it may be a function of the percentage and not correlate
    with it. Mutual information is 0 only for measures that are independent.

    Parameters
    ----------
    values : DataFrame
        A row a language model, or a model and bias type, and a column a measure. Of a
        `measure_table`: ``table.pivot(index=["model", "bias_type"], columns="measure",
        values="percentage")``, or ``table.set_index(["model", "measure", "bias_type"])[["kls",
        "jss", "percentage"]]``, without the rows of the bias type ``all``.

    Returns
    -------
    DataFrame
        A row a pair of measures: ``first``, ``second``, ``n`` (rows that have both), ``pearson``,
        ``spearman``, in [-1, 1], and ``mutual_information`` in nats, by nearest neighbours among
        the ranks' Normal scores. Of 30 rows of independent measures its estimate is 0 on average
        with an sd of .1, so that it may lie below 0. NaN where there are fewer than 3 rows,
        or 8 for mutual information, or a measure is the same in all rows.

    Raises
    ------
    ValueError
        If there are fewer than two measures, or a value is infinite or no number.

    References
    ----------
    Liu (2024), figure 4. Kraskov, Stögbauer and Grassberger (2004), Estimating mutual information,
    Physical Review E 69, 066138, equation 8.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesbias.maskedlm import measure_agreement
    >>> values = pd.DataFrame({"cps": [52.0, 55.0, 61.0], "aul": [50.0, 51.0, 60.0]})
    >>> measure_agreement(values)["spearman"].tolist()
    [1.0]
    """
    from scipy.special import ndtri

    if values.shape[1] < 2:
        raise ValueError(f"two measures or more are compared; got {values.shape[1]} columns")
    for name, column in values.items():
        if not pd.api.types.is_numeric_dtype(column) or np.isinf(column).any():
            raise ValueError(f"the column {name!r} must hold finite numbers")
    rows = []
    for first, second in combinations(values.columns, 2):
        both = values[[first, second]].dropna().to_numpy(dtype=np.float64).T
        n = both.shape[1]
        usable = n >= FEWEST and (np.ptp(both, axis=1) > 0).all()
        ranks = np.array([pd.Series(each).rank() for each in both])
        found = [np.corrcoef(each)[0, 1] if usable else np.nan for each in (both, ranks)]
        enough = usable and n >= FEWEST_FOR_INFORMATION
        found.append(_mutual_information(ndtri((ranks - 0.5) / n)) if enough else np.nan)
        rows.append((first, second, n, *found))
    names = ["first", "second", "n", "pearson", "spearman", "mutual_information"]
    return pd.DataFrame(rows, columns=names)


def _mutual_information(both: FloatArray, k: int = NEIGHBOURS) -> float:
    """Mutual information of two rows of numbers, (2, n), by the k-th nearest neighbours.

    Distances are the larger of the two differences. Of equal points, as of tied ranks, the k-th
    neighbour may lie at 0; then those at 0 are counted.
    """
    from scipy.special import digamma

    apart = np.abs(both[:, :, None] - both[:, None, :])  # (2, n, n)
    reach = np.sort(apart.max(axis=0), axis=1)[:, k]  # 0 is the point itself
    inside = np.where(reach[:, None] > 0, apart < reach[:, None], apart == 0)
    beside = inside.sum(axis=2) - 1
    n = both.shape[1]
    return float(digamma(k) + digamma(n) - digamma(beside + 1).sum(axis=0).mean())
