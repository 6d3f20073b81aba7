"""Shares of a distribution beyond a value: Normal or empirical, one tail or two."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .._core.arrays import FloatArray
from .._core.checks import unknown_name

About = Literal["reference", "zero"]
Tail = Literal["lower", "upper", "one", "two"]
Kind = Literal["normal", "empirical"]
Against = Literal["words", "sets"]


def check_choices(about: str, tail: str, kind: str, against: str) -> None:
    """Raise a ValueError for the first choice of `Distribution.phi` that is unknown."""
    choices = {"about": (about, About), "tail": (tail, Tail), "kind": (kind, Kind)}
    for name, (given, known) in (choices | {"against": (against, Against)}).items():
        if given not in get_args(known):
            raise ValueError(unknown_name(name, str(given), get_args(known)))


def normal(value: float, mean: float, sd: float, tail: Tail) -> float:
    """Share of a Normal."""
    from scipy.special import ndtr

    if not sd > 0:
        raise ValueError("the reference distribution does not vary, so that nothing stands out")
    z = (value - mean) / sd
    return _by_tail(float(ndtr(z)), float(ndtr(-z)), tail)


def empirical(ranked: FloatArray, value: float, tail: Tail) -> float:
    """Share of values in ascending order; equal ones count half on either side."""
    below, upto = np.searchsorted(ranked, value, "left"), np.searchsorted(ranked, value, "right")
    lower = float((below + upto) / 2 / len(ranked))
    return _by_tail(lower, 1 - lower, tail)


def _by_tail(lower: float, upper: float, tail: Tail) -> float:
    smaller = min(lower, upper)
    return {"lower": lower, "upper": upper, "one": smaller, "two": min(1.0, 2 * smaller)}[tail]
