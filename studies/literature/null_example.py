"""Section 3.2 of the Bayesian paper, redone: what its null example shows, and what it does not.

Dobrzeniecka and Urbaniak (2024) draw 256 values from Normal(0, .08) and find that WEAT calls them
biased. They then say that 38% of such draws look at least as biased. The share is .006 to .008;
here are the values, the count, and where the 38% come from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import pandas as pd
from numpy.random import default_rng
from numpy.typing import ArrayLike

from bayesbias._core.arrays import FloatArray
from bayesbias._core.checks import unknown_name
from bayesbias._core.random import Seed, as_seed_sequence
from bayesbias.nulls.additive import PAPER_SD
from bayesbias.nulls.base import Layout, check_count
from bayesbias.scores.permutation import permutation_test
from bayesbias.scores.splits import split_matrix
from bayesbias.scores.weat import effect_sizes

N_X = 8
"""Words of X, of Y, attributes of A, and of B."""

_LAYOUT = Layout(n_words=N_X, n_attributes=N_X)

REASONS = {
    "same": "agrees",
    "t": "agrees; the paper cuts figures off",
    "slip": "agrees: the paper draws 10,000 samples, good to .005",
    "splits": "S and d rank all splits alike, so that their p-values are one; the printed two "
    "are written into the figure's code as constants",
    "share S": "the printed share is one-sided; as often as not S is as far below zero",
    "share d": "the printed share comes of mean(s1, s2, ...), which in R averages s1 alone: one "
    "word of each group is compared",
}
"""Why a published number differs from what is found here."""


@dataclass(frozen=True, eq=False)
class PaperExample:
    """The null example of section 3.2 of Dobrzeniecka and Urbaniak (2024).

    Parameters
    ----------
    values : (16, 16) float
        Rows are the words of X, then of Y; columns the attributes of A, then of B.
    """

    values: FloatArray

    @property
    def associations(self) -> FloatArray:
        """s(w), mean value over A less mean value over B, (16,)."""
        return np.asarray(self.values[:, :N_X].mean(axis=1) - self.values[:, N_X:].mean(axis=1))

    @property
    def statistic(self) -> float:
        """S, the sum of s over X less that over Y."""
        return float(self.associations[:N_X].sum() - self.associations[N_X:].sum())

    def effect_size(self, ddof: int = 0) -> float:
        """WEAT's d, with the population sd (0, as in the example) or the sample sd (1)."""
        s = self.associations
        return float(effect_sizes(s[:N_X], s[N_X:], 1 if ddof else 0))

    @property
    def p_value(self) -> float:
        """Exact two-sided p-value over all 12,870 splits."""
        return permutation_test(self.associations[:N_X], self.associations[N_X:]).p_value

    def table(self) -> pd.DataFrame:
        """Return the long-form table; values are taken as cosines, distances are 1 - value."""
        return _LAYOUT.rows.assign(cosine_distance=1 - self.values.ravel())

    def cells(self) -> pd.DataFrame:
        """Return what figure 9 draws: the k-th values to A and to B of every word, 128 rows."""
        rows = _LAYOUT.rows[_LAYOUT.rows["attribute_set"] == "A"].reset_index(drop=True)
        words = rows[["protected_word", "protected_group"]]
        return words.assign(A=self.values[:, :N_X].ravel(), B=self.values[:, N_X:].ravel())

    def splits(self) -> pd.DataFrame:
        """Return S and both d of all C(16, 8) splits, the given one first (figure 8)."""
        signs = 2 * split_matrix(2 * N_X, N_X) - 1
        return _statistics(signs @ self.associations, self.associations)

    def t_tests(self) -> pd.DataFrame:
        """Welch t-tests on cells, X against Y, for the values to A and to B, with 95% intervals."""
        from scipy.stats import ttest_ind

        rows = []
        for name, part in (("A", slice(None, N_X)), ("B", slice(N_X, None))):
            x, y = self.values[:N_X, part].ravel(), self.values[N_X:, part].ravel()
            test = ttest_ind(x, y, equal_var=False)
            interval = test.confidence_interval(0.95)
            difference = float(x.mean() - y.mean())
            rows.append((name, difference, test.statistic, test.pvalue, *map(float, interval)))
        columns = ["attribute_set", "difference", "t", "p_value", "low", "high"]
        return pd.DataFrame(rows, columns=columns)

    def null_samples(self, n: int = 10_000, seed: Seed = None) -> pd.DataFrame:
        """Draw the null model anew (figure 10), one row a sample.

        ``statistic`` is S, ``slipped`` what the paper's code takes for d.
        """
        rng = default_rng(as_seed_sequence(seed))
        sd = PAPER_SD * np.sqrt(2 / N_X)
        s = sd * rng.standard_normal((check_count(n), 2 * N_X))
        x, y = s[:, :N_X], s[:, N_X:]
        frame = _statistics(x.sum(axis=1) - y.sum(axis=1), s)
        return frame.assign(slipped=slipped_effect_sizes(x, y))

    def comparison(self) -> pd.DataFrame:
        """Published numbers beside those found here, with the reason where they differ.

        Shares of null samples are exact.
        """
        tests = self.t_tests().set_index("attribute_set")
        d = self.effect_size()
        rows = [
            ("S", 0.39, self.statistic, "same"),
            ("d, population sd", 1.27, d, "same"),
            ("p of S over all splits", 0.011, self.p_value, "splits"),
            ("p of d over all splits", 0.0086, self.p_value, "splits"),
        ]
        for name, published in (("A", (0.02, 0.0052, 0.061)), ("B", (0.22, -0.03, 0.009))):
            found = tests.loc[name, ["p_value", "low", "high"]]
            heads = (f"t-test to {name}: p", "95% CI, low", "95% CI, high")
            rows += [(*pair, "t") for pair in zip(heads, published, found, strict=True)]
        share = null_share(self.statistic, "S")
        rows += [
            ("share of null |S| at least as large", 0.01, share, "share S"),
            ("share of null |d|, population sd", 0.38, null_share(d, "population"), "share d"),
            ("share of null |d|, sample sd", 0.38, null_share(d, "sample"), "share d"),
            ("share with the slip", 0.38, null_share(d, "slipped"), "slip"),
        ]
        frame = pd.DataFrame(rows, columns=["quantity", "published", "found", "reason"])
        return frame.assign(reason=frame["reason"].map(REASONS))


@cache
def paper_example() -> PaperExample:
    """Return the null example of section 3.2 of Dobrzeniecka and Urbaniak (2024).

    The 256 values are those that the authors' script draws with its seed,
    ``set.seed(10232169)``, from Normal(0, .08).

    Examples
    --------
    >>> from studies.literature import paper_example
    >>> example = paper_example()
    >>> round(example.statistic, 4), round(example.effect_size(), 4), round(example.p_value, 4)
    (0.3862, 1.2672, 0.0096)

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), A Bayesian approach to uncertainty in word embedding bias
    estimation, Computational Linguistics 50.
    """
    with files(__package__).joinpath("null_example.csv").open(encoding="utf-8") as file:
        rows = pd.read_csv(file)
    wide = rows.pivot(index="protected_word", columns="attribute", values="value")
    values = wide.to_numpy(float)  # words and attributes in the order of their names
    values.flags.writeable = False
    return PaperExample(values)


def slipped_effect_sizes(s_x: ArrayLike, s_y: ArrayLike) -> FloatArray:
    """Return what the paper's code takes for d: first word of X less first of Y, over the sd.

    In R, ``mean(s1, s2, ...)`` averages its first argument only. (..., n_x), (..., n_y) to (...).
    """
    x, y = np.asarray(s_x, dtype=float), np.asarray(s_y, dtype=float)
    sd = np.concatenate([x, y], axis=-1).std(axis=-1, ddof=1)
    return np.asarray((x[..., 0] - y[..., 0]) / sd)


def null_share(value: float, of: str) -> float:
    r"""Share of null samples at least as far from zero, exactly.

    With independent Normal s, S is Normal. The squared correlation of s with any fixed contrast c
    over the 16 words, :math:`(c^T s)^2 / (|c|^2 SS)`, is Beta(1/2, 7), and d is such a correlation
    up to a factor: :math:`d^2/4` for the population sd, :math:`d^2 \cdot 16/60` for the sample sd,
    and :math:`d^2/30` where only one word of each group is compared.

    Parameters
    ----------
    value : float
    of : {"S", "population", "sample", "slipped"}
        S, d with the population sd or the sample sd, or what the paper's code takes for d.

    Examples
    --------
    >>> d = paper_example().effect_size()
    >>> [round(null_share(d, of), 4) for of in ("population", "sample", "slipped")]
    [0.0084, 0.006, 0.3886]
    """
    from scipy.special import betaincc, ndtr

    n = 2 * N_X
    factors = {"population": 1 / 4, "sample": n / (n - 1) / 4, "slipped": 1 / (2 * (n - 1))}
    if of == "S":
        return float(2 * ndtr(-abs(value) / (PAPER_SD * np.sqrt(2 / N_X) * np.sqrt(n))))
    if of not in factors:
        raise ValueError(unknown_name("statistic", of, ("S", *factors)))
    factor = factors[of]
    return float(betaincc(0.5, (n - 2) / 2, min(value**2 * factor, 1.0)))


def _statistics(sums: FloatArray, s: FloatArray) -> pd.DataFrame:
    """S and both effect sizes; sums (n,) of X less Y, s (n, 16) or (16,)."""
    names = {"effect_size_population": 0, "effect_size_sample": 1}
    effects = {name: sums / N_X / s.std(axis=-1, ddof=ddof) for name, ddof in names.items()}
    return pd.DataFrame({"statistic": sums} | effects)
