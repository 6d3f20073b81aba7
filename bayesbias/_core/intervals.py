"""Draws to means, sds and intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .checks import Argument, ArgumentError, unknown_name

if TYPE_CHECKING:
    import pandas as pd

    from .arrays import FloatArray

DEFAULT_CI_PROB, DEFAULT_CI_KIND = 0.89, "hdi"


def check_probability(ci_prob: float) -> float:
    """Return a probability that lies in (0, 1), or raise an ArgumentError."""
    if isinstance(ci_prob, bool) or not 0 < ci_prob < 1:
        article = "an" if f"{ci_prob:g}".startswith(("8", "11", "18")) else "a"
        hint = f"; for {article} {ci_prob:g}% interval pass {ci_prob / 100:g}"
        hint = hint if 1 < ci_prob < 100 else ""
        raise ArgumentError(Argument("ci_prob"), f" must lie in (0, 1), got {ci_prob}{hint}")
    return float(ci_prob)


def hdi(draws: FloatArray, ci_prob: float) -> FloatArray:
    """Highest-density interval of every column, (n_draws, n) to (n, 2), as ArviZ's "nearest"."""
    import numpy as np

    n, prob = len(draws), check_probability(ci_prob)
    ordered = np.sort(np.ascontiguousarray(draws.T), axis=1)
    inside = min(int(np.floor(prob * n)), n - 1)
    low = (ordered[:, inside:] - ordered[:, : n - inside]).argmin(axis=1)
    rows = np.arange(len(ordered))
    return np.stack([ordered[rows, low], ordered[rows, low + inside]], axis=1)


def eti(draws: FloatArray, ci_prob: float) -> FloatArray:
    """Equal-tailed interval of every column, (n_draws, n) to (n, 2)."""
    import numpy as np

    tail = (1 - check_probability(ci_prob)) / 2
    return np.asarray(np.quantile(draws, [tail, 1 - tail], axis=0).T)


@dataclass(frozen=True)
class IntervalKind:
    """A kind of interval: how bounds come from draws and a probability, its name, what it is."""

    bounds: Callable[[FloatArray, float], FloatArray]
    name: str
    about: str


_SHORTEST = "The shortest range that holds {} of the posterior (HPDI)"
_MIDDLE = (
    "The range that holds the middle {} of the posterior, with equal tails on both sides (ETI)"
)

INTERVALS = {
    "hdi": IntervalKind(hdi, "highest-density interval", _SHORTEST),
    "eti": IntervalKind(eti, "equal-tailed interval", _MIDDLE),
}
"""Kinds of intervals, by the name that ``ci_kind`` takes."""


def interval_kind(ci_kind: str) -> IntervalKind:
    """Return a kind of interval by its name, or raise a ValueError that lists the kinds."""
    if ci_kind not in INTERVALS:
        raise ValueError(unknown_name("ci_kind", str(ci_kind), INTERVALS))
    return INTERVALS[ci_kind]


def interval(draws: FloatArray, ci_prob: float, ci_kind: str = DEFAULT_CI_KIND) -> FloatArray:
    """Compute the interval of every column, (n_draws, n) to (n, 2)."""
    return interval_kind(ci_kind).bounds(draws, ci_prob)


def describe_draws(
    draws: FloatArray, ci_prob: float, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Compute ``mean``, ``sd``, ``low`` and ``high`` of every column; attrs name the interval."""
    import pandas as pd

    bounds = interval(draws, ci_prob, ci_kind)
    frame = pd.DataFrame({"mean": draws.mean(axis=0), "sd": draws.std(axis=0, ddof=1)})
    frame[["low", "high"]] = bounds
    frame.attrs = {"ci_prob": float(ci_prob), "ci_kind": ci_kind}
    return frame
