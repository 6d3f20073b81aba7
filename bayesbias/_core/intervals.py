"""Summarize draws by means, sds, and intervals."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING

from .checks import Argument, ArgumentError, check_choice

if TYPE_CHECKING:
    import pandas as pd

    from .arrays import FloatArray

DEFAULT_CI_PROB, DEFAULT_CI_KIND = 0.89, "hdi"

LEAST_RESAMPLES = 25
"""Smallest number of bootstrap resamples for an interval."""

ERROR_SHARE = 0.25
"""Upper bound on an exact mixture's Monte Carlo error, relative to the error of as many draws.
The largest ratio in four bundled lists is .24, at one end of the overall interval for race."""

STEP = 1e-12
"""Width of the last bracket of a quantile, relative to the range of the mixture."""

WIDEST, N_STEPS, N_FINE = 6.0, 97, 6_001
"""Grid for the distribution of a mixture: sds on each side of the mean, the number of points, and
the number of points after interpolation."""

N_FARTHER = 48
"""Number of points that a wider grid has beyond these sds, on each side."""


def check_probability(value: float, name: str = "ci_prob") -> float:
    """Return a probability in (0, 1), or raise an ArgumentError for any other value."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0 < value < 1:
        hint = f"; for {value:g}%, pass {value / 100:g}" if is_number and 1 < value < 100 else ""
        raise ArgumentError(Argument(name), f" must lie in (0, 1); got {value!r}{hint}")
    return float(value)


def hdi(draws: FloatArray, ci_prob: float) -> FloatArray:
    """Compute each column's highest-density interval, as ArviZ's "nearest" method does."""
    import numpy as np

    n, prob = len(draws), check_probability(ci_prob)
    ordered = np.sort(np.ascontiguousarray(draws.T), axis=1)
    inside = min(int(np.floor(prob * n)), n - 1)
    low = (ordered[:, inside:] - ordered[:, : n - inside]).argmin(axis=1)
    rows = np.arange(len(ordered))
    return np.stack([ordered[rows, low], ordered[rows, low + inside]], axis=1)


INTERVALS = {"hdi": "highest-density interval", "eti": "equal-tailed interval"}
"""Names of the kinds of intervals, keyed by the value of ``ci_kind``."""


def interval_kind(ci_kind: str) -> str:
    """Return the name of a kind of interval, or raise a ValueError that lists the known kinds."""
    check_choice("ci_kind", ci_kind, INTERVALS)
    return INTERVALS[ci_kind]


def interval(draws: FloatArray, ci_prob: float, ci_kind: str = DEFAULT_CI_KIND) -> FloatArray:
    """Compute the interval of each column of (n_draws, n) draws, as an (n, 2) array."""
    import numpy as np

    if interval_kind(ci_kind) == INTERVALS["hdi"]:
        return hdi(draws, ci_prob)
    tail = (1 - check_probability(ci_prob)) / 2
    return np.asarray(np.quantile(draws, [tail, 1 - tail], axis=0).T)


def describe_draws(
    draws: FloatArray, ci_prob: float, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Compute each column's ``mean``, ``sd``, ``low``, and ``high``; attrs has the options."""
    import pandas as pd

    frame = pd.DataFrame({"mean": draws.mean(axis=0), "sd": draws.std(axis=0, ddof=1)})
    frame[["low", "high"]] = interval(draws, ci_prob, ci_kind)
    frame.attrs = {"ci_prob": float(ci_prob), "ci_kind": ci_kind}
    return frame


def describe_mixtures(
    means: FloatArray, sds: FloatArray, ci_prob: float, ci_kind: str, rope: float
) -> pd.DataFrame:
    """Summarize mixtures of normal distributions without sampling; each draw is one component.

    The means and sds have shape (n_draws, n). Also compute ``p_direction``, ``p_rope``, and
    ``p_rope_ceiling``, which is p_rope for the same mixture around a mean of zero or, if that is
    larger, p_rope itself.
    """
    import numpy as np
    import pandas as pd
    from scipy.interpolate import PchipInterpolator
    from scipy.special import ndtr

    mean, sd = means.mean(axis=0), np.sqrt((sds**2).mean(axis=0) + means.var(axis=0))
    frame = pd.DataFrame({"mean": mean, "sd": sd})
    tail = (1 - check_probability(ci_prob)) / 2
    lower = np.array([tail]) if ci_kind == "eti" else np.linspace(0, 2 * tail, N_FINE)[1:-1]
    bounds = np.empty((len(mean), 2))
    for row, (centers, widths) in enumerate(zip(means.T, sds.T, strict=True)):
        points = mean[row] + sd[row] * np.linspace(-WIDEST, WIDEST, N_STEPS)
        below = _below(points, centers, widths)
        if below[0] > lower[0] or below[-1] < lower[-1] + ci_prob:
            points = _with_tails(points, centers, widths)
            below = _below(points, centers, widths)
        last = len(points) - 1
        fine = np.linspace(0, last, 1 + last * (N_FINE - 1) // (N_STEPS - 1))
        places = np.interp(fine, np.arange(last + 1), points)
        cumulative = PchipInterpolator(points, below)(places)
        ends = np.interp([lower, lower + ci_prob], cumulative, places)
        bounds[row] = ends[:, (ends[1] - ends[0]).argmin()]
    frame[["low", "high"]] = bounds
    above = ndtr(means / sds).mean(axis=0)
    frame["p_direction"] = np.maximum(above, 1 - above)
    for name, centers in (("p_rope", means), ("p_rope_ceiling", means - mean)):
        within = ndtr((rope - centers) / sds) - ndtr((-rope - centers) / sds)
        frame[name] = within.mean(axis=0)
    frame["p_rope_ceiling"] = frame[["p_rope", "p_rope_ceiling"]].max(axis=1)
    frame.attrs = {"ci_prob": float(ci_prob), "ci_kind": ci_kind}
    return frame


def _with_tails(points: FloatArray, centers: FloatArray, widths: FloatArray) -> FloatArray:
    """Extend a grid, in growing steps, to where the widest parts of a mixture end."""
    import numpy as np

    middle, half = (points[0] + points[-1]) / 2, (points[-1] - points[0]) / 2
    reach = max(2 * half, (np.abs(centers - middle) + WIDEST * widths).max())
    farther = np.geomspace(half, reach, N_FARTHER + 1)[1:]
    return np.concatenate([middle - farther[::-1], points, middle + farther])


def mixture_quantiles(means: FloatArray, sds: FloatArray, probability: FloatArray) -> FloatArray:
    """Return quantiles of mixtures of normal distributions, (n_probabilities, n)."""
    import numpy as np

    mixtures = zip(means.T, sds.T, strict=True)
    return np.stack([_quantiles(*mixture, probability) for mixture in mixtures], axis=1)


def _quantiles(centers: FloatArray, widths: FloatArray, probability: FloatArray) -> FloatArray:
    """Return quantiles of one mixture, by bracketing between points of a grid."""
    import numpy as np
    from scipy.optimize.elementwise import find_root

    def excess(at: FloatArray, wanted: FloatArray) -> FloatArray:
        return _below(at, centers, widths) - wanted

    low, high = (centers - WIDEST * widths).min(), (centers + WIDEST * widths).max()
    grid = np.linspace(low, high, N_STEPS)
    above = np.searchsorted(_below(grid, centers, widths), probability).clip(1, N_STEPS - 1)
    ends = grid[above - 1], grid[above]
    found = find_root(excess, ends, args=(probability,), tolerances={"xatol": STEP * (high - low)})
    return np.asarray(found.x)


def _below(at: FloatArray, centers: FloatArray, widths: FloatArray) -> FloatArray:
    """Return the probability of a mixture of normal distributions below each of n values."""
    from scipy.special import ndtr

    standard = at[:, None] - centers
    standard /= widths
    below: FloatArray = ndtr(standard, out=standard).mean(axis=1)
    return below
