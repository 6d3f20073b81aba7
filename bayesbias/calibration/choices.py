"""The thresholds that methods claim by."""

from __future__ import annotations

from dataclasses import dataclass

from .._core.checks import check_numbers
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from ..posterior.contrasts import DEFAULT_ROPE

DEFAULT_DRAWS = 4000
"""Posterior draws of each table: as many as `fit` makes."""


@dataclass(frozen=True)
class Choices:
    """Thresholds by which methods claim, and how posteriors are drawn.

    Parameters
    ----------
    alpha : float
        Level of tests, in (0, 1).
    ci_prob : float
        Probability of intervals, in (0, 1).
    rope : float
        Half-width of the region of practical equivalence, a distance.
    draws : int
        Posterior draws of each table.
    """

    alpha: float = 0.05
    ci_prob: float = DEFAULT_CI_PROB
    rope: float = DEFAULT_ROPE
    draws: int = DEFAULT_DRAWS

    def __post_init__(self) -> None:
        if isinstance(self.alpha, bool) or not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie in (0, 1), got {self.alpha}; for 5% pass 0.05")
        check_probability(self.ci_prob)
        if not 0 <= self.rope <= 2:
            raise ValueError(f"rope is a distance and must lie in [0, 2], got {self.rope}")
        check_numbers(draws=self.draws)
