"""Scenarios with known true values, in which distances are sums of effects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray, IntArray
from .._core.checks import check_choice
from ..tables.schema import LARGEST_DISTANCE
from .base import BaseScenario, Batch, is_finite

PAPER_SD = 0.08
"""Sd of distances to neutral words in Dobrzeniecka and Urbaniak (2024), and of their null model."""

WIDEST = 6.0
"""Distances within this many sds must be in [0, 2]; only one distance in 5e8 is farther out."""


@dataclass(frozen=True, kw_only=True)
class Scenario(BaseScenario):
    r"""Distances that are sums of a mean, effects of words and attributes, and noise in each cell.

    For G groups, with own(w, a) = 1 if the attribute belongs to the word's group, and 0 otherwise,

        y[w, a] = mean + u[w] + v[a] - (own(w, a) - 1/G) effect[w]
                  + b[w, set(a)] + c[a, group(w)] + ε[w, a]

    Here u (`word_sd`), v (`attribute_sd`), b (`word_bias_sd`), c (`attribute_bias_sd`), and ε
    (`cell_sd`) are Normal and redrawn for every table; b sums to 0 over sets, and c over groups.
    For control words, only u, v, and ε are added to the mean. Without an effect, nothing connects a
    group to its attributes, so every claim that a group is biased is a false alarm.

    Parameters
    ----------
    n_words, n_attributes : int or tuple of int
        Numbers (at least 2) of protected words per group and of attributes per set. A tuple has one
        number per group.
    cell_sd, word_sd, attribute_sd : float
        Standard deviations (0 or more) of single distances, protected words, and attributes. A
        protected word with a high u is farther from all attributes.
    effect : float or tuple of float
        How much closer a word's own attributes are than other attributes; 0 for a null scenario. If
        all words have this effect, the true contrast (associated - different) is -effect. A tuple
        has one number per group, such as ``(0.08, 0.0, 0.0)`` if one group of three is biased.
    mean : float
        Mean distance, in [0, 2].
    groups : tuple of str
        Names of 2 to 26 groups.
    planted : {"all", "one word", "opposite"}
        Where the effect is planted: in all words, in the first word only, or in the first two with
        opposite signs.
    word_bias_sd : float
        How much the bias of words varies around the effect: the sd of (different - associated).
    attribute_bias_sd : float
        The corresponding sd for attributes.
    lean : {"any", "own"}
        Where biased words and attributes can lean: toward any set or group, or only toward or away
        from their own. For two groups, the choices are equivalent.
    controls : tuple of str
        Connections of control sets, such as ``("human",)``; all are as large as the first set.
    cell_df : float, optional
        Degrees of freedom, above 2, of a Student-t distribution that replaces the Normal for ε. It
        is scaled to `cell_sd` and cut off at 6 sds.

    Examples
    --------
    >>> Scenario(word_sd=0.04).table(seed=1).shape
    (256, 6)
    >>> Scenario(n_words=(4, 12), controls=("human",)).table(seed=1).shape
    (384, 6)
    """

    cell_sd: float = PAPER_SD
    word_sd: float = 0.0
    attribute_sd: float = 0.0
    mean: float = 1.0
    word_bias_sd: float = 0.0
    attribute_bias_sd: float = 0.0
    lean: str = "any"
    cell_df: float | None = None
    kind = "sums"

    def __post_init__(self) -> None:
        super().__post_init__()
        df = self.cell_df
        for name in (*_SDS, "mean"):
            value, what = getattr(self, name), "is a standard deviation and must be 0 or more"
            if not is_finite(value) or value < 0:
                what = "is a distance and must lie in [0, 2]" if name == "mean" else what
                raise ValueError(f"{name} {what}; got {value!r}")
            object.__setattr__(self, name, float(value))  # so that equal scenarios compare equal
        check_choice("way to lean", self.lean, LEANINGS)
        if df is not None and not (is_finite(df) and df > 2):
            raise ValueError(
                f"cell_df must be None or above 2, because otherwise the sd is infinite; got {df!r}"
            )
        if df is not None:  # equal numbers of any type give the same settings
            object.__setattr__(self, "cell_df", int(df) if df == int(df) else float(df))
        share = 1 - 1 / len(self.groups)
        bias = share * np.hypot(self.word_bias_sd, self.attribute_bias_sd)
        sd = np.linalg.norm([self.cell_sd, self.word_sd, self.attribute_sd, bias])
        reach = WIDEST * sd + share * np.abs(self.effects).max()
        if not reach <= self.mean <= LARGEST_DISTANCE - reach:
            raise ValueError(
                f"distances would fall outside [0, 2]: they deviate from the mean, {self.mean:g}, "
                f"by up to {reach:.3g} ({WIDEST:g} sds plus the effect). Reduce the sds or the "
                "effect, or move the mean closer to 1"
            )

    def _draw(self, n: int, rng: Generator) -> Batch:
        words, attributes = self.pull.shape
        noise = self.cell_sd * self._standard_noise((n, words, attributes), rng)
        expected = self.mean + self.word_sd * rng.standard_normal((n, words, 1))
        expected = expected + self.attribute_sd * rng.standard_normal((n, 1, attributes))
        group, sets = self.group_of_word, self.set_of_attribute
        of_word = self._leanings(n, group, self.word_bias_sd, rng)
        of_attribute = self._leanings(n, sets, self.attribute_bias_sd, rng)
        expected = expected - self.pull * self.effects[:, None] + of_word[:, :, sets]
        expected += of_attribute[:, :, group].transpose(0, 2, 1)
        share = 1 - 1 / len(self.groups)
        word_bias = self.effects - of_word[:, np.arange(words), group] / share
        return Batch(self, expected + noise, word_bias, self.effects, expected)

    def _leanings(self, n: int, own: IntArray, sd: float, rng: Generator) -> FloatArray:
        """Draw the leans of words away from each set, or of attributes away from each group.

        Leans, (n, n_units, n_sets), sum to zero over the sets of stereotypes. The leans away from a
        unit's own set, ``own`` (n_units,), have the sd (1 - 1/G) `sd`. Control words do not lean.
        """
        n_groups = len(self.groups)
        leanings = np.zeros((n, len(own), len(self.set_sizes)))
        leanings[:, :, :n_groups] = rng.standard_normal((n, len(own), n_groups))
        if self.lean == "own":
            leanings *= own[:, None] == np.arange(leanings.shape[2])
        else:
            leanings *= np.sqrt(1 - 1 / n_groups)
        leanings[:, :, :n_groups] -= leanings[:, :, :n_groups].mean(axis=2, keepdims=True)
        return sd * leanings * (own < n_groups)[:, None]

    def _standard_noise(self, shape: tuple[int, ...], rng: Generator) -> FloatArray:
        """Draw noise with an sd of 1."""
        if self.cell_df is None:
            return rng.standard_normal(shape)
        noise = rng.standard_t(self.cell_df, shape) / np.sqrt(self.cell_df / (self.cell_df - 2))
        return np.asarray(noise.clip(-WIDEST, WIDEST))


LEANINGS = ("any", "own")
"""Where words and attributes can lean: toward any set, or only toward or away from their set."""

_SDS = ("cell_sd", "word_sd", "attribute_sd", "word_bias_sd", "attribute_bias_sd")
