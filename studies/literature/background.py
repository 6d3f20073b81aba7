"""Smarda (2021), Linguistically context-aware text corpora bias measurement."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import norm

import bayesbias as bb

from .claims import Found, recomputed, rounded

TABLE_2 = {
    "weat1": (0.996, 0.949, 0.227, 0.041),
    "weat2": (0.998, 0.973, 0.306, 0.067),
    "weat3": (0.993, 0.913, 0.641, 0.231),
    "weat4": (0.962, 0.811, 0.590, 0.255),
    "weat5": (0.999, 0.989, 0.948, 0.744),
    "weat6": (0.794, 0.694, 0.001, 1e-4),
    "weat7": (0.823, 0.640, 0.526, 0.307),
    "weat8": (0.971, 0.910, 0.684, 0.468),
    "weat9": (0.001, 0.033, 1e-10, 1e-7),
    "weat10": (1e-4, 0.994, 0.987, 0.899),
}
"""Φ of X relative to the background's mean and to 0, and then the same for Y, in GloVe 840B. Test
10's first Φ is probably a small upper tail; if so, its row agrees with the others."""


def _range_of_z(phi: float, upper: bool = False) -> np.ndarray:
    """Return the lowest and highest z whose Φ rounds to the printed one."""
    small = phi < 0.001
    ends = np.array([phi / np.sqrt(10), phi * np.sqrt(10)] if small else [phi - 5e-4, phi + 5e-4])
    z = norm.ppf(ends)
    return -z[::-1] if upper else z


def shift(test: str, target: str, upper: bool = False) -> np.ndarray:
    """Return the range of shifts of the background, in its sds, that the two Φ of a set imply."""
    about_mean, about_zero = TABLE_2[test][:2] if target == "X" else TABLE_2[test][2:]
    mean = _range_of_z(about_mean, upper)
    zero = _range_of_z(about_zero)
    return np.array([mean[0] - zero[1], mean[1] - zero[0]])


@recomputed
def shifts_of_rows() -> Iterator[Found]:
    """Check that X and Y of a test, which share a background, imply the same shift from 0."""
    for test in TABLE_2:
        x, y = shift(test, "X"), shift(test, "Y")
        more = {"x": _range(x), "y": _range(y), "tail": _one_shift(shift(test, "X", upper=True), y)}
        yield _one_shift(x, y), more
    found = float(norm.cdf(norm.ppf(TABLE_2["weat10"][1]) + shift("weat10", "Y").mean()))
    yield round(found, 4), {"tail": f"{1 - found:.1g}"}


def _one_shift(x: np.ndarray, y: np.ndarray) -> str:
    return "yes" if x[0] <= y[1] and y[0] <= x[1] else "no"


def _range(ends: np.ndarray) -> str:
    return f"{ends[0]:.3f} to {ends[1]:.3f} sd"


@recomputed
def background_shifts() -> Iterator[Found]:
    """Check in table 2 which tests have a background that is at least one sd from 0."""
    for test in ("weat6", "weat7", "weat8"):
        ends = shift(test, "X")
        yield "yes" if ends[1] >= 1 else "no", {"x": _range(ends)}


@recomputed
def relative_bias() -> Iterator[Found]:
    """Compute Φ of relative bias from those of X and Y: z = √(n/2) (z_X - z_Y), n words per set."""
    for test, n in (("weat7", 8), ("weat8", 8), ("weat9", 6)):
        x, _, y, _ = TABLE_2[test]
        yield rounded(norm.sf(np.sqrt(n / 2) * (norm.ppf(x) - norm.ppf(y))), 2)


@recomputed
def labels() -> Iterator[Found]:
    """List labels in the text that differ from tables 1 and 2 or figure 3."""
    yield from (0.05, "Pleasant", 4)


@recomputed
def sides_of_sets() -> Iterator[Found]:
    """Check, in different vectors, on which side of the vocabulary's mean X is."""
    tests = bb.background.experiments(list(TABLE_2))
    vectors = bb.load_vectors("glove-demo")
    for test, distribution in bb.background.distributions(vectors, tests, case="lower").items():
        phi = float(distribution.phi(tests[test].X))
        yield "above" if phi > 0.5 else "below", {"phi": f"{phi:.3f}"}
