"""Section 3.2 of Dobrzeniecka and Urbaniak (2024): 256 draws of Normal(0, .08) that look biased.

The paper reports that 38% of such draws have an effect size at least as large. The exact share is
.006 to .008. This module contains the values, computes the share, and explains the 38%.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import betaincc, ndtr
from scipy.stats import ttest_ind

from bayesbias.scores import effect_sizes, permutation_test

N = 8  # number of words in X and Y, and of attributes in A and B

SD = 0.08  # standard deviation of the null model's cells

FloatArray = np.ndarray


@dataclass(frozen=True, eq=False)
class PaperExample:
    """The null example; ``values`` has X and then Y in rows, and A and then B in columns."""

    values: FloatArray

    @property
    def associations(self) -> FloatArray:
        """s(w), the mean over A minus the mean over B, (16,)."""
        return self.values[:, :N].mean(axis=1) - self.values[:, N:].mean(axis=1)

    @property
    def statistic(self) -> float:
        """S, the sum of s over X minus the sum over Y."""
        return float(self.associations[:N].sum() - self.associations[N:].sum())

    def effect_size(self, ddof: int = 0) -> float:
        """Return WEAT's d with the population sd (0, as in the example) or the sample sd (1)."""
        return float(effect_sizes(self.associations[:N], self.associations[N:], ddof))

    @property
    def p_value(self) -> float:
        """Exact two-sided p-value over all 12,870 splits, the same for S and d (figure 8)."""
        return permutation_test(self.associations[:N], self.associations[N:]).p_value

    def t_test(self, name: str) -> tuple[float, float, float]:
        """Return p and the 95% interval of Welch's t-test of X and Y on the cells of A or B."""
        columns = slice(None, N) if name == "A" else slice(N, None)
        x, y = self.values[:N, columns].ravel(), self.values[N:, columns].ravel()
        test = ttest_ind(x, y, equal_var=False)
        return (test.pvalue, *test.confidence_interval(0.95))

    def null_samples(self, n: int = 10_000, seed: int | None = None) -> pd.DataFrame:
        """Draw the null model (figure 10); ``slipped`` is what the paper's code computes as d."""
        s = SD * np.sqrt(2 / N) * np.random.default_rng(seed).standard_normal((n, 2 * N))
        x, y = s[:, :N], s[:, N:]
        return pd.DataFrame(
            {
                "statistic": x.sum(axis=1) - y.sum(axis=1),
                "effect_size_population": effect_sizes(x, y, 0),
                "effect_size_sample": effect_sizes(x, y, 1),
                "slipped": slipped_effect_sizes(x, y),
            }
        )


@cache
def paper_example() -> PaperExample:
    """Return the 256 values that the authors' script draws, ``set.seed(10232169)``.

    Examples
    --------
    >>> from studies.literature import paper_example
    >>> example = paper_example()
    >>> round(example.statistic, 4), round(example.effect_size(), 4), round(example.p_value, 4)
    (0.3862, 1.2672, 0.0096)
    """
    rows = pd.read_csv(Path(__file__).with_name("null_example.csv"))
    values = rows.pivot(index="protected_word", columns="attribute", values="value").to_numpy(float)
    values.flags.writeable = False
    return PaperExample(values)


def slipped_effect_sizes(s_x: ArrayLike, s_y: ArrayLike) -> FloatArray:
    """Return what the paper's code computes as d: first word of X minus first of Y, over the sd.

    In R, ``mean(s1, s2, ...)`` averages only its first argument. (..., n_x), (..., n_y) to (...).
    """
    x, y = np.asarray(s_x, dtype=float), np.asarray(s_y, dtype=float)
    return (x[..., 0] - y[..., 0]) / np.concatenate([x, y], axis=-1).std(axis=-1, ddof=1)


def null_share(value: float, statistic: str) -> float:
    r"""Return the exact share of null samples at least as far from zero as a value of a statistic.

    With independent Normal s, S is Normal. The squared correlation of s with any contrast c over
    the 16 words, :math:`(c^T s)^2 / (|c|^2 SS)`, is Beta(1/2, 7). d is such a correlation up to a
    factor: :math:`d^2/4` for the population sd, :math:`d^2 \cdot 16/60` for the sample sd, and
    :math:`d^2/30` if only one word of each group is compared (``slipped``).
    """
    n = 2 * N
    if statistic == "S":
        return float(2 * ndtr(-abs(value) / (SD * np.sqrt(2 / N) * np.sqrt(n))))
    factors = {"population": 1 / 4, "sample": n / (n - 1) / 4, "slipped": 1 / (2 * (n - 1))}
    return float(betaincc(0.5, (n - 2) / 2, min(value**2 * factors[statistic], 1.0)))
