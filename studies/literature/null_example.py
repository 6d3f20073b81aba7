"""Section 3.2 of Dobrzeniecka and Urbaniak (2024): 256 draws of Normal(0, .08) that look biased.

The paper reports that 38% of such draws give an effect size at least as large. The exact share is
.006 to .008; this module has the values, the share, and where the 38% come from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import betaincc, ndtr
from scipy.stats import ttest_ind

N = 8
"""Words of X, words of Y, attributes of A and attributes of B."""

SD = 0.08
"""Standard deviation of the null model's cells."""

FloatArray = np.ndarray


@dataclass(frozen=True, eq=False)
class PaperExample:
    """The null example; ``values`` has the words of X, then Y in rows, A, then B in columns."""

    values: FloatArray

    @property
    def associations(self) -> FloatArray:
        """s(w), mean over A less mean over B, (16,)."""
        return self.values[:, :N].mean(axis=1) - self.values[:, N:].mean(axis=1)

    @property
    def statistic(self) -> float:
        """S, the sum of s over X less the sum over Y."""
        return float(self.associations[:N].sum() - self.associations[N:].sum())

    def effect_size(self, ddof: int = 0) -> float:
        """WEAT's d, with the population sd (0, as the example has it) or the sample sd (1)."""
        return self.statistic / N / float(self.associations.std(ddof=ddof))

    @property
    def p_value(self) -> float:
        """Exact two-sided p-value over all 12,870 splits, the same for S and d."""
        statistics = self.splits()["statistic"].abs()
        return float((statistics >= abs(self.statistic) - 1e-12).mean())

    def cells(self) -> pd.DataFrame:
        """Return what figure 9 draws: the k-th values to A and to B of every word, 128 rows."""
        names = [f"{group}{i + 1}" for group in "XY" for i in range(N)]
        words = {
            "protected_word": np.repeat(names, N),
            "protected_group": np.repeat(["X", "Y"], N * N),
        }
        return pd.DataFrame(
            words | {"A": self.values[:, :N].ravel(), "B": self.values[:, N:].ravel()}
        )

    def splits(self) -> pd.DataFrame:
        """Return S and both d of all C(16, 8) splits (figure 8)."""
        picks = np.array(list(combinations(range(2 * N), N)))
        sums = 2 * self.associations[picks].sum(axis=1) - self.associations.sum()
        return _statistics(sums, self.associations)

    def t_tests(self) -> pd.DataFrame:
        """Return Welch's t-tests on cells, X against Y, by attribute set, with 95% intervals."""
        rows = {}
        for name, columns in (("A", slice(None, N)), ("B", slice(N, None))):
            x, y = self.values[:N, columns].ravel(), self.values[N:, columns].ravel()
            test = ttest_ind(x, y, equal_var=False)
            low, high = test.confidence_interval(0.95)
            rows[name] = {"difference": x.mean() - y.mean(), "p_value": test.pvalue}
            rows[name] |= {"low": low, "high": high}
        return pd.DataFrame(rows).T.rename_axis("attribute_set").reset_index()

    def null_samples(self, n: int = 10_000, seed: int | None = None) -> pd.DataFrame:
        """Draw the null model (figure 10); ``slipped`` is what the paper's code takes for d."""
        s = SD * np.sqrt(2 / N) * np.random.default_rng(seed).standard_normal((n, 2 * N))
        x, y = s[:, :N], s[:, N:]
        frame = _statistics(x.sum(axis=1) - y.sum(axis=1), s)
        return frame.assign(slipped=slipped_effect_sizes(x, y))


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
    """Return what the paper's code takes for d: first word of X less first of Y, over the sd.

    In R, ``mean(s1, s2, ...)`` averages its first argument only. (..., n_x), (..., n_y) to (...).
    """
    x, y = np.asarray(s_x, dtype=float), np.asarray(s_y, dtype=float)
    return (x[..., 0] - y[..., 0]) / np.concatenate([x, y], axis=-1).std(axis=-1, ddof=1)


def null_share(value: float, statistic: str) -> float:
    r"""Return the exact share of null samples at least as far from zero.

    With independent Normal s, S is Normal. The squared correlation of s with any contrast c over
    the 16 words, :math:`(c^T s)^2 / (|c|^2 SS)`, is Beta(1/2, 7). d is such a correlation up to a
    factor: :math:`d^2/4` for the population sd, :math:`d^2 \cdot 16/60` for the sample sd, and
    :math:`d^2/30` where only one word of each group is compared.

    Parameters
    ----------
    value : float
    statistic : {"S", "population", "sample", "slipped"}
        S, d with the population or the sample sd, or what the paper's code takes for d.
    """
    n = 2 * N
    if statistic == "S":
        return float(2 * ndtr(-abs(value) / (SD * np.sqrt(2 / N) * np.sqrt(n))))
    factor = {"population": 1 / 4, "sample": n / (n - 1) / 4, "slipped": 1 / (2 * (n - 1))}[
        statistic
    ]
    return float(betaincc(0.5, (n - 2) / 2, min(value**2 * factor, 1.0)))


def _statistics(sums: FloatArray, s: FloatArray) -> pd.DataFrame:
    """S and both effect sizes; sums (n,) of X less Y, s (n, 16) or (16,)."""
    sizes = {
        f"effect_size_{name}": sums / N / s.std(axis=-1, ddof=ddof)
        for name, ddof in (("population", 0), ("sample", 1))
    }
    return pd.DataFrame({"statistic": sums} | sizes)


@dataclass(frozen=True)
class NullClaim:
    """A printed number of the null example and how to recompute it."""

    name: str
    printed: float
    found: Callable[[PaperExample], float]
    within: float
    quoted: str = ""
    note: str = ""


def _t(name: str, column: str) -> Callable[[PaperExample], float]:
    return lambda example: example.t_tests().set_index("attribute_set").loc[name, column]


def _share(statistic: str) -> Callable[[PaperExample], float]:
    return lambda example: null_share(
        example.statistic if statistic == "S" else example.effect_size(), statistic
    )


_SAMPLE = "in this sample is 0.39 and 1.27"
_SAMPLES = "38% of samples result in a WEAT score at least as extreme"
_SLIP = (
    "functions/caliskanExtended.R of rfl-urbaniak/BayesBias (b542b94) draws 10,000 such samples "
    "and has mean(s(t1), s(t2), ...), which averages s(t1) alone; the row of such a mean, below, "
    "agrees"
)
_OTHER_SD = "same sentence as the row above, with the other sd"
_AGAIN = "same finding as the row above"
_TIMES = "more than ten times higher than the p-value obtained"
_SAME = (
    "S and d rank all splits alike, so their exact p-values are equal; the share of splits with "
    "|S| of .38 or more is .0109"
)
_CUT = "the paper cuts digits off"

NULL_CLAIMS = (
    NullClaim(
        "share of null |d|, population sd", 0.38, _share("population"), 0.005, _SAMPLES, _SLIP
    ),
    NullClaim("share of null |d|, sample sd", 0.38, _share("sample"), 0.005, _SAMPLES, _OTHER_SD),
    NullClaim(
        "share if the mean of each group is its first word",
        0.38,
        _share("slipped"),
        0.01,
        _SAMPLES,
        "10,000 samples: ± .005. R's mean(s(t1), s(t2), ...) averages its first argument alone",
    ),
    NullClaim("S", 0.39, lambda e: e.statistic, 0.005, _SAMPLE),
    NullClaim(
        "d, population sd",
        1.27,
        lambda e: e.effect_size(),
        0.005,
        "in this sample is 0.39 and 1.27",
    ),
    NullClaim("p of S over all splits", 0.011, lambda e: e.p_value, 0.0005, "", _SAME),
    NullClaim("p of d over all splits", 0.0086, lambda e: e.p_value, 0.00005, "", _AGAIN),
    NullClaim(
        "p of the t-test to A over p of the splits",
        10,
        lambda e: _t("A", "p_value")(e) / e.p_value,
        0.5,
        _TIMES,
        "the printed p-values are .02 and, in figure 8, .011 and .0086: two times as high",
    ),
    NullClaim("t-test to A: p", 0.02, _t("A", "p_value"), 0.005, "The p-value is 0.02"),
    NullClaim("95% CI to A, low", 0.0052, _t("A", "low"), 0.0001, "[.0052,.061]", _CUT),
    NullClaim("95% CI to A, high", 0.061, _t("A", "high"), 0.001, "[.0052,.061]", _CUT),
    NullClaim("t-test to B: p", 0.22, _t("B", "p_value"), 0.01, "the p-value is .22", _CUT),
    NullClaim("95% CI to B, low", -0.03, _t("B", "low"), 0.01, "[−0.03,.009]", _CUT),
    NullClaim("95% CI to B, high", 0.009, _t("B", "high"), 0.001, "[−0.03,.009]", _CUT),
)
"""Printed numbers in the order of the table: the headline first."""
