"""Scenarios in which distances are sums of effects, with the truth known."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.arrays import FloatArray
from .._core.random import Seed, as_seed_sequence
from ..tables.schema import LARGEST_DISTANCE
from .layout import Batch, Layout, is_finite, planted_effects

PAPER_SD = 0.08
"""Sd of distances to neutral words, and of the null model, in Dobrzeniecka and Urbaniak (2024)."""

WIDEST = 6.0
"""Sds within which all distances must lie in [0, 2]: beyond it lies one of 5e8."""


@runtime_checkable
class ScenarioLike(Protocol):
    """What calibration needs of a scenario; another kind of scenario has these and no more."""

    @property
    def layout(self) -> Layout:
        """Words, attributes and groups of its tables."""

    def simulate(self, n: int, seed: Seed = None) -> Batch:
        """Simulate n tables."""

    def without_effect(self) -> ScenarioLike:
        """Give the same scenario with nothing planted."""

    def settings(self) -> dict[str, Any]:
        """Give all that decides the tables, as JSON can write it."""


def check_count(n: int) -> int:
    """Give back a number of tables, or raise a ValueError."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"n must be a whole number of tables from 1 on; got {n!r}")
    return int(n)


@dataclass(frozen=True, kw_only=True)
class Scenario:
    r"""Distances as a mean, effects of words and attributes, and noise of single cells.

    With G groups, own(w, a) = 1 where the attribute belongs to the word's group, and 0 else,

    .. math:: y_{wa} = mean + u_w + v_a
       - (own(w, a) - 1/G)(effect_w + b_w + c_a) + \varepsilon_{wa}

    with Normal u (`word_sd`), v (`attribute_sd`), b (`word_bias_sd`), c (`attribute_bias_sd`) and
    ε (`cell_sd`), drawn anew for every table. Without an effect nothing ties the words of a group
    to its attributes, so that every claim of bias is a false alarm.

    Parameters
    ----------
    n_words, n_attributes : int
        Protected words of each group and attributes of each set, at least 2.
    cell_sd, word_sd, attribute_sd : float
        How much single distances, protected words and attribute words differ, from 0 on, in units
        of distance. A word that differs is nearer to all attributes, or farther from all.
    effect : float
        How much closer a word's own attributes lie than the others; 0 for a null scenario. The true
        contrast associated - different is -effect.
    mean : float
        Mean distance, in [0, 2].
    groups : tuple of str
        Names of the groups, two or more.
    planted : {"all", "one word", "opposite"}
        Where the effect is planted: in all words, in the first only, or in the first two with
        opposite signs.
    word_bias_sd : float
        How much words differ in their own bias around the effect.
    attribute_bias_sd : float
        How much attributes differ in leaning to their group, around the effect. It is the luck of
        the draw of a short list of attributes.

    Raises
    ------
    ValueError
        If there are fewer than two words, attributes or groups, an sd is negative, or distances
        would leave [0, 2].

    Examples
    --------
    >>> Scenario(word_sd=0.04).table(seed=1).shape
    (256, 6)
    """

    n_words: int = 8
    n_attributes: int = 8
    cell_sd: float = PAPER_SD
    word_sd: float = 0.0
    attribute_sd: float = 0.0
    effect: float = 0.0
    mean: float = 1.0
    groups: tuple[str, ...] = ("X", "Y")
    planted: str = "all"
    word_bias_sd: float = 0.0
    attribute_bias_sd: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", tuple(self.groups))
        for name in _SDS:
            value = getattr(self, name)
            if not is_finite(value) or value < 0:
                raise ValueError(f"{name} is a standard deviation, from 0 on; got {value!r}")
        if not is_finite(self.mean):
            raise ValueError(f"mean is a distance, in [0, 2]; got {self.mean!r}")
        self._check_range(planted_effects(self.layout, self.effect, self.planted))
        for name in (*_SDS, "effect", "mean"):  # equal scenarios have equal settings
            object.__setattr__(self, name, float(getattr(self, name)))

    def _check_range(self, effects: FloatArray) -> None:
        share = 1 - 1 / len(self.groups)
        bias = share * np.hypot(self.word_bias_sd, self.attribute_bias_sd)
        sd = np.linalg.norm([self.cell_sd, self.word_sd, self.attribute_sd, bias])
        reach = WIDEST * sd + share * np.abs(effects).max()
        if not reach <= self.mean <= LARGEST_DISTANCE - reach:
            raise ValueError(
                f"distances would leave [0, 2]: mean {self.mean:g}, and {WIDEST:g} sds and the "
                f"effect reach {reach:.3g} to either side; make the sds smaller or the mean "
                "nearer 1"
            )

    @property
    def layout(self) -> Layout:
        """Words, attributes and groups of its tables."""
        return Layout(self.groups, self.n_words, self.n_attributes)

    def simulate(self, n: int, seed: Seed = None) -> Batch:
        """Simulate tables.

        Parameters
        ----------
        n : int
            Tables, at least 1.
        seed : int, SeedSequence, Generator or None
            Equal seeds give equal tables.

        Returns
        -------
        Batch
            ``distances`` (n, n_words, n_attributes) and what is true of them.
        """
        rng = default_rng(as_seed_sequence(seed))
        layout = self.layout
        words, attributes = layout.shape
        n = check_count(n)
        effects = planted_effects(layout, self.effect, self.planted)
        distances = self.mean + self.cell_sd * rng.standard_normal((n, words, attributes))
        distances += self.word_sd * rng.standard_normal((n, words, 1))
        distances += self.attribute_sd * rng.standard_normal((n, 1, attributes))
        word_bias = effects + self.word_bias_sd * rng.standard_normal((n, words))
        lean = self.attribute_bias_sd * rng.standard_normal((n, 1, attributes))
        distances -= (layout.own - 1 / len(self.groups)) * (word_bias[:, :, None] + lean)
        return Batch(layout, distances, word_bias, effects)

    def table(self, seed: Seed = None) -> pd.DataFrame:
        """Simulate one long-form table, as `distance_table` gives it."""
        return self.simulate(1, seed).table(0)

    def without_effect(self) -> Scenario:
        """Give the same scenario with nothing planted."""
        return replace(self, effect=0.0)

    def settings(self) -> dict[str, Any]:
        """Give all that decides the tables, as JSON can write it."""
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"kind": "sums", **content, **self.layout.settings()}


_SDS = ("cell_sd", "word_sd", "attribute_sd", "word_bias_sd", "attribute_bias_sd")
