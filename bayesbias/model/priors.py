"""Families of priors for models, with their log densities and PyMC distributions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from .._core.checks import check_choice

if TYPE_CHECKING:
    from pytensor.tensor import TensorVariable


@dataclass(frozen=True)
class Family:
    """A family of distributions."""

    log_density: Callable[..., FloatArray]  # takes x and the parameters in order
    draw: Callable[..., FloatArray]  # takes a generator, a shape, and the parameters
    pymc: str  # name of the PyMC distribution
    parameters: Mapping[str, str]  # our names to PyMC's; only values in REAL may be negative
    kind: str = "a positive"  # "a normal" prior can be integrated out; "an lkj" is for matrices


REAL = ("mean", "log_mean")
"""Parameters that may be negative."""


def _normal(x: FloatArray, mean: float, sd: float) -> FloatArray:
    return -0.5 * ((x - mean) / sd) ** 2 - math.log(sd) - 0.5 * math.log(2 * math.pi)


def _gamma(x: FloatArray, shape: float, rate: float) -> FloatArray:
    return shape * math.log(rate) - math.lgamma(shape) + (shape - 1) * np.log(x) - rate * x


def _draw_lkj(rng: Generator, shape: tuple[int, ...], eta: float) -> FloatArray:
    """Draw correlation matrices, (..., n, n).

    Given the first j rows, the partial correlation of rows i and j is Beta(b, b) on (-1, 1) with
    b = eta + (n - 2 - j)/2 (Lewandowski, Kurowicka, and Joe, 2009, J. Multivariate Analysis 100).
    """
    n = shape[-1]
    b = eta + (n - 2 - np.tril_indices(n, -1)[1]) / 2
    partial = 2 * rng.beta(b, b, (math.prod(shape[:-2]), len(b))) - 1
    factor = factor_of_partial_correlations(partial, n)
    return np.asarray((factor @ factor.transpose(0, 2, 1)).reshape(shape))


def factor_of_partial_correlations(partial: FloatArray, n: int) -> FloatArray:
    """Compute (n_draws, n, n) Cholesky factors of correlation matrices.

    ``partial`` has the shape (n_draws, n (n - 1) / 2) and contains the partial correlations of rows
    i and j given the first j rows, for j < i, row by row.
    """
    factor = np.zeros((len(partial), n, n), partial.dtype)
    factor[:, *np.tril_indices(n, -1)] = partial
    for i in range(n):
        left = np.ones(len(partial), partial.dtype)
        for j in range(i):
            own = factor[:, i, j].copy()
            factor[:, i, j] = own * np.sqrt(left)
            left = left * (1 - own**2)
        factor[:, i, i] = np.sqrt(left)
    return factor


def partial_correlations(matrices: FloatArray) -> FloatArray:
    """Invert `factor_of_partial_correlations` for (n_draws, n, n) correlation matrices."""
    factor = np.linalg.cholesky(matrices)
    before = np.cumsum(factor**2, axis=2) - factor**2
    rows, columns = np.tril_indices(matrices.shape[-1], -1)
    left = np.sqrt(1 - before[:, rows, columns])
    return np.asarray(factor[:, rows, columns] / left)


FAMILIES: dict[str, Family] = {
    "normal": Family(
        _normal,
        lambda rng, shape, mean, sd: rng.normal(mean, sd, shape),
        "Normal",
        {"mean": "mu", "sd": "sigma"},
        "a normal",
    ),
    "exponential": Family(
        lambda x, rate: math.log(rate) - rate * x,
        lambda rng, shape, rate: rng.exponential(1 / rate, shape),
        "Exponential",
        {"rate": "lam"},
    ),
    "half_normal": Family(
        lambda x, sd: _normal(x, 0.0, sd) + math.log(2),
        lambda rng, shape, sd: np.abs(rng.normal(0, sd, shape)),
        "HalfNormal",
        {"sd": "sigma"},
    ),
    "half_cauchy": Family(
        lambda x, scale: math.log(2 / (math.pi * scale)) - np.log1p((x / scale) ** 2),
        lambda rng, shape, scale: scale * np.abs(rng.standard_cauchy(shape)),
        "HalfCauchy",
        {"scale": "beta"},
    ),
    "gamma": Family(
        _gamma,
        lambda rng, shape, alpha, rate: rng.gamma(alpha, 1 / rate, shape),
        "Gamma",
        {"shape": "alpha", "rate": "beta"},
    ),
    "lognormal": Family(
        lambda x, log_mean, log_sd: _normal(np.log(x), log_mean, log_sd) - np.log(x),
        lambda rng, shape, mean, sd: rng.lognormal(mean, sd, shape),
        "LogNormal",
        {"log_mean": "mu", "log_sd": "sigma"},
    ),
    "fixed": Family(
        lambda x, value: np.zeros_like(x),
        lambda rng, shape, value: np.full(shape, value),
        "DiracDelta",
        {"value": "c"},
    ),
    "lkj": Family(
        lambda x, eta: np.asarray((eta - 1) * np.linalg.slogdet(x)[1]),  # up to a constant
        _draw_lkj,
        "LKJCorr",
        {"eta": "eta"},
        "an lkj",
    ),
}
"""All families that a model can use; to add a family, add an entry here."""


@dataclass(frozen=True)
class Prior:
    """A prior, with its family, its parameters, and the reason for choosing it.

    Parameters
    ----------
    family : str
        A name in ``FAMILIES``.
    parameters : mapping of str to float
        The family's parameters by name; all but ``mean`` and ``log_mean`` must be positive.
    reason : str
        The reason for this prior, or its source.

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
        check_choice("prior family", self.family, FAMILIES)
        needed = FAMILIES[self.family].parameters
        for name, value in self.parameters.items():
            check_choice(f"parameter of {self.family}", name, needed)
            where = f"{name} of the {self.family} prior must be"
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not math.isfinite(value):
                raise ValueError(f"{where} a finite number; got {value!r}")
            if value <= 0 and name not in REAL:
                raise ValueError(f"{where} positive; got {value}")
        if lacking := [name for name in needed if name not in self.parameters]:
            raise ValueError(f"the {self.family} prior is missing parameters: {', '.join(lacking)}")

    def __str__(self) -> str:
        names = FAMILIES[self.family].parameters
        values = (f"{name} {self.parameters[name]:g}" for name in names)
        return f"{self.family.replace('_', '-')}({', '.join(values)})"

    def scaled(self, unit: float) -> Prior:
        """Return the prior for the same quantity multiplied by ``unit``."""
        scales: dict[str, Callable[[float], float]] = {
            **dict.fromkeys(("mean", "sd", "scale", "value"), lambda x: x * unit),
            "rate": lambda x: x / unit,
            "log_mean": lambda x: x + math.log(unit),
        }
        own = {key: scales.get(key, float)(x) for key, x in self.parameters.items()}
        return replace(self, parameters=own)

    def require(self, name: str, kind: str) -> None:
        """Raise a ValueError if a parameter has the wrong kind of prior."""
        if FAMILIES[self.family].kind != kind:
            raise ValueError(f"{name} needs {kind} prior; got {self.family}")

    def log_density(self, x: FloatArray) -> FloatArray:
        """Return the log density at each element of x, or at each matrix for an LKJ prior."""
        return FAMILIES[self.family].log_density(x, *self._values)

    def draw(self, shape: tuple[int, ...], rng: Generator) -> FloatArray:
        """Draw from the prior; correlation matrices occupy the last two axes."""
        return np.asarray(FAMILIES[self.family].draw(rng, shape, *self._values))

    def to_pymc(self, name: str, **options: object) -> TensorVariable:
        """Create a PyMC random variable with this prior in the current model."""
        import pymc as pm

        family = FAMILIES[self.family]
        parameters = dict(zip(family.parameters.values(), self._values, strict=True))
        return getattr(pm, family.pymc)(name, **parameters, **options)

    @property
    def _values(self) -> list[float]:
        return [self.parameters[name] for name in FAMILIES[self.family].parameters]
