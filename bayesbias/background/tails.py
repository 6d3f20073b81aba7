"""Shares of a distribution beyond a value: Normal or empirical, one tail or two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from .._core.arrays import FloatArray
from .._core.checks import unknown_name

About = Literal["reference", "zero"]
Tail = Literal["lower", "upper", "one", "two"]
Kind = Literal["normal", "empirical"]
Against = Literal["words", "sets"]


@dataclass(frozen=True)
class Choice:
    """How a value is compared; see `Distribution.phi`."""

    about: About
    tail: Tail
    kind: Kind
    against: Against

    def __post_init__(self) -> None:
        for name, known in (("about", About), ("tail", Tail), ("kind", Kind), ("against", Against)):
            given = getattr(self, name)
            if given not in get_args(known):
                raise ValueError(unknown_name(name, str(given), get_args(known)))


def normal(value: float, mean: float, sd: float, choice: Choice) -> float:
    """Share of a Normal about its mean, or about 0."""
    from scipy.special import ndtr

    if not sd > 0:
        raise ValueError("the reference distribution does not vary, so that nothing stands out")
    z = (value - (mean if choice.about == "reference" else 0.0)) / sd
    return _by_tail(float(ndtr(z)), float(ndtr(-z)), choice.tail)


def empirical(ranked: FloatArray, value: float, mean: float, choice: Choice) -> float:
    """Share of values in ascending order; equal ones count half on either side."""
    value += mean if choice.about == "zero" else 0.0
    below, upto = np.searchsorted(ranked, value, "left"), np.searchsorted(ranked, value, "right")
    lower = float((below + upto) / 2 / len(ranked))
    return _by_tail(lower, 1 - lower, choice.tail)


def _by_tail(lower: float, upper: float, tail: Tail) -> float:
    smaller = min(lower, upper)
    return {"lower": lower, "upper": upper, "one": smaller, "two": min(1.0, 2 * smaller)}[tail]
