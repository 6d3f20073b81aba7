"""The thresholds that methods claim by."""

from __future__ import annotations

from dataclasses import dataclass

from .._core.checks import Argument, ArgumentError, check_numbers
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from ..sampling.options import DEFAULT_ROPE, check_rope

DEFAULT_DRAWS = 4000
"""Posterior draws of each table: as many as `fit` makes."""


@dataclass(frozen=True)
class Choices:
    """Thresholds by which methods claim, and how posteriors are drawn; as `calibrate` has them."""

    alpha: float = 0.05
    ci_prob: float = DEFAULT_CI_PROB
    rope: float = DEFAULT_ROPE
    draws: int = DEFAULT_DRAWS

    def __post_init__(self) -> None:
        if isinstance(self.alpha, bool) or not 0 < self.alpha < 1:
            told = f" must lie in (0, 1), got {self.alpha}; for 5% pass 0.05"
            raise ArgumentError(Argument("alpha"), told)
        check_probability(self.ci_prob)
        check_rope(self.rope)
        check_numbers(draws=self.draws)
