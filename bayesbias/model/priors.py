"""The prior families a model can name, their log densities, and their PyMC counterparts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from .._core.checks import unknown_name

LogDensity = Callable[..., FloatArray]
Draw = Callable[..., FloatArray]


@dataclass(frozen=True)
class Role:
    """What a parameter does in its family: how it rescales, and whether it must be positive."""

    rescale: Callable[[float, float], float]  # from the value for x, to that for a factor times x
    positive: bool = True


LOCATION = Role(lambda value, factor: value * factor, positive=False)
SCALE = Role(lambda value, factor: value * factor)
RATE = Role(lambda value, factor: value / factor)
LOG_LOCATION = Role(lambda value, factor: value + math.log(factor), positive=False)
SHAPE = Role(lambda value, factor: value)
"""A shape has no unit, and neither has the sd of a logarithm."""


@dataclass(frozen=True)
class Family:
    """A family of distributions."""

    log_density: LogDensity  # of x and the parameters in order, vectorised over x
    pymc: str  # name of the PyMC distribution
    parameters: Mapping[str, tuple[Role, str]]  # what each does, and PyMC's name for it
    draw: Draw  # of a generator, the shape of what is drawn, and the parameters in order
    positive: bool = True  # whether x is a positive quantity, such as a standard deviation


def _normal(x: FloatArray, mean: float, sd: float) -> FloatArray:
    return -0.5 * ((x - mean) / sd) ** 2 - math.log(sd) - 0.5 * math.log(2 * math.pi)


def _exponential(x: FloatArray, rate: float) -> FloatArray:
    return math.log(rate) - rate * x


def _half_normal(x: FloatArray, sd: float) -> FloatArray:
    return _normal(x, 0.0, sd) + math.log(2)


def _half_cauchy(x: FloatArray, scale: float) -> FloatArray:
    return math.log(2 / (math.pi * scale)) - np.log1p((x / scale) ** 2)


def _gamma(x: FloatArray, shape: float, rate: float) -> FloatArray:
    return shape * math.log(rate) - math.lgamma(shape) + (shape - 1) * np.log(x) - rate * x


def _lognormal(x: FloatArray, log_mean: float, log_sd: float) -> FloatArray:
    return _normal(np.log(x), log_mean, log_sd) - np.log(x)


def _lkj(x: FloatArray, eta: float) -> FloatArray:
    """Of correlation matrices, (..., n, n), up to a constant."""
    return np.asarray((eta - 1) * np.linalg.slogdet(x)[1])


def _draw_lkj(rng: Generator, shape: tuple[int, ...], eta: float) -> FloatArray:
    """Draw correlation matrices, (..., n, n).

    The partial correlation of rows i and j given the first j has a Beta(b, b) on (-1, 1) with
    b = eta + (n - 2 - j)/2 (Lewandowski, Kurowicka and Joe, 2009, Journal of Multivariate Analysis
    100).
    """
    n = shape[-1]
    b = eta + (n - 2 - np.tril_indices(n, -1)[1]) / 2
    partial = 2 * rng.beta(b, b, (math.prod(shape[:-2]), len(b))) - 1
    factor = factor_of_partial_correlations(partial, n)
    return np.asarray((factor @ factor.transpose(0, 2, 1)).reshape(shape))


def factor_of_partial_correlations(partial: FloatArray, n: int) -> FloatArray:
    """Compute Cholesky factors of correlation matrices, (n_draws, n, n).

    Parameters
    ----------
    partial : (n_draws, n (n - 1) / 2) float
        The partial correlation of rows i and j given the first j, for j < i, row by row.
    n : int
    """
    factor = np.zeros((len(partial), n, n))
    factor[:, *np.tril_indices(n, -1)] = partial
    for i in range(n):
        left = np.ones(len(partial))
        for j in range(i):
            own = factor[:, i, j].copy()
            factor[:, i, j] = own * np.sqrt(left)
            left = left * (1 - own**2)
        factor[:, i, i] = np.sqrt(left)
    return factor


def partial_correlations(matrices: FloatArray) -> FloatArray:
    """Return the partial correlations of matrices of correlations, the inverse of the above.

    Parameters
    ----------
    matrices : (n_draws, n, n) float

    Returns
    -------
    (n_draws, n (n - 1) / 2) float
    """
    factor = np.linalg.cholesky(matrices)
    before = np.cumsum(factor**2, axis=2) - factor**2
    rows, columns = np.tril_indices(matrices.shape[-1], -1)
    left = np.sqrt(1 - before[:, rows, columns])
    return np.asarray(factor[:, rows, columns] / left)


FAMILIES: dict[str, Family] = {
    "normal": Family(
        _normal,
        "Normal",
        {"mean": (LOCATION, "mu"), "sd": (SCALE, "sigma")},
        lambda rng, shape, mean, sd: rng.normal(mean, sd, shape),
        positive=False,
    ),
    "exponential": Family(
        _exponential,
        "Exponential",
        {"rate": (RATE, "lam")},
        lambda rng, shape, rate: rng.exponential(1 / rate, shape),
    ),
    "half_normal": Family(
        _half_normal,
        "HalfNormal",
        {"sd": (SCALE, "sigma")},
        lambda rng, shape, sd: np.abs(rng.normal(0, sd, shape)),
    ),
    "half_cauchy": Family(
        _half_cauchy,
        "HalfCauchy",
        {"scale": (SCALE, "beta")},
        lambda rng, shape, scale: scale * np.abs(rng.standard_cauchy(shape)),
    ),
    "gamma": Family(
        _gamma,
        "Gamma",
        {"shape": (SHAPE, "alpha"), "rate": (RATE, "beta")},
        lambda rng, shape, alpha, rate: rng.gamma(alpha, 1 / rate, shape),
    ),
    "lkj": Family(
        _lkj,
        "LKJCorr",
        {"eta": (SHAPE, "eta")},
        _draw_lkj,
        positive=False,
    ),
    "lognormal": Family(
        _lognormal,
        "LogNormal",
        {"log_mean": (LOG_LOCATION, "mu"), "log_sd": (SHAPE, "sigma")},
        lambda rng, shape, mean, sd: rng.lognormal(mean, sd, shape),
    ),
}
"""All families a model can name. Adding one is its log density, its draws and an entry here."""


@dataclass(frozen=True)
class Prior:
    """A prior: a family and its parameters, with the reason for the choice.

    Parameters
    ----------
    family : str
        A name in ``FAMILIES``.
    parameters : mapping of str to float
        By the family's own names; scales and rates are positive.
    reason : str
        Why this prior, or where it comes from.

    Examples
    --------
    >>> import bayesbias as bb
    >>> str(bb.Prior("normal", {"mean": 1, "sd": 0.3}, "where words are unrelated"))
    'normal(mean 1, sd 0.3)'
    """

    family: str
    parameters: Mapping[str, float]
    reason: str = ""

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise ValueError(unknown_name("prior family", self.family, FAMILIES))
        needed = FAMILIES[self.family].parameters
        for name in self.parameters:
            if name not in needed:
                raise ValueError(unknown_name(f"parameter of {self.family}", name, needed))
        lacking = [name for name in needed if name not in self.parameters]
        if lacking:
            raise ValueError(f"the {self.family} prior needs {', '.join(lacking)}")
        for name, value in self.parameters.items():
            _check_number(self.family, name, value)

    def __str__(self) -> str:
        values = ", ".join(
            f"{name} {self.parameters[name]:g}" for name in FAMILIES[self.family].parameters
        )
        return f"{self.family.replace('_', '-')}({values})"

    @property
    def positive(self) -> bool:
        """Whether it is a prior of a positive quantity."""
        return FAMILIES[self.family].positive

    def log_density(self, x: FloatArray) -> FloatArray:
        """Log density at x, element by element."""
        family = FAMILIES[self.family]
        return family.log_density(x, *(self.parameters[name] for name in family.parameters))

    def draw(self, shape: tuple[int, ...], rng: Generator) -> FloatArray:
        """Draw from the prior; of correlations matrices, which are the last two axes."""
        family = FAMILIES[self.family]
        values = (self.parameters[name] for name in family.parameters)
        return np.asarray(family.draw(rng, shape, *values))

    def times(self, factor: float) -> Prior:
        """Return the prior of a factor times x, such as of x in another unit; factor > 0."""
        roles = {name: role for name, (role, _) in FAMILIES[self.family].parameters.items()}
        parameters = {
            name: roles[name].rescale(value, factor) for name, value in self.parameters.items()
        }
        return Prior(self.family, parameters, f"{self.reason}; times {factor:.3g}, the unit")

    def to_pymc(self, name: str, **options: Any) -> Any:  # noqa: ANN401
        """Make the PyMC random variable of this prior in the model at hand."""
        import pymc as pm

        family = FAMILIES[self.family]
        parameters = {family.parameters[key][1]: value for key, value in self.parameters.items()}
        return getattr(pm, family.pymc)(name, **parameters, **options)


def _check_number(family: str, name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{name} of the {family} prior must be a finite number; got {value!r}")
    if FAMILIES[family].parameters[name][0].positive and value <= 0:
        raise ValueError(f"{name} of the {family} prior must be positive; got {value}")
