"""The prior families a model can name, their log densities, and their PyMC counterparts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core.arrays import FloatArray
from .._core.checks import unknown_name

LogDensity = Callable[..., FloatArray]


@dataclass(frozen=True)
class Family:
    """A family of distributions: the names of its parameters and its log density.

    Parameters
    ----------
    parameters : tuple of str
        In the order that `log_density` takes them after x.
    log_density : callable
        Vectorised over x; for families of positive quantities x > 0.
    pymc : tuple of (str, mapping)
        Name of the PyMC distribution, and PyMC's name for each parameter.
    positive : bool
        Whether x is a positive quantity, such as a standard deviation.
    """

    parameters: tuple[str, ...]
    log_density: LogDensity
    pymc: tuple[str, Mapping[str, str]]
    positive: bool = True


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


FAMILIES: dict[str, Family] = {
    "normal": Family(("mean", "sd"), _normal, ("Normal", {"mean": "mu", "sd": "sigma"}), False),
    "exponential": Family(("rate",), _exponential, ("Exponential", {"rate": "lam"})),
    "half_normal": Family(("sd",), _half_normal, ("HalfNormal", {"sd": "sigma"})),
    "half_cauchy": Family(("scale",), _half_cauchy, ("HalfCauchy", {"scale": "beta"})),
    "gamma": Family(("shape", "rate"), _gamma, ("Gamma", {"shape": "alpha", "rate": "beta"})),
    "lognormal": Family(
        ("log_mean", "log_sd"), _lognormal, ("LogNormal", {"log_mean": "mu", "log_sd": "sigma"})
    ),
}
"""All families a model can name. Adding one is adding a line."""

_UNSIGNED = frozenset({"sd", "rate", "scale", "shape", "log_sd"})


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

    def to_pymc(self, name: str, **options: Any) -> Any:  # noqa: ANN401
        """Make the PyMC random variable of this prior in the model at hand."""
        import pymc as pm

        distribution, names = FAMILIES[self.family].pymc
        parameters = {names[key]: value for key, value in self.parameters.items()}
        return getattr(pm, distribution)(name, **parameters, **options)


def _check_number(family: str, name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{name} of the {family} prior must be a finite number; got {value!r}")
    if name in _UNSIGNED and value <= 0:
        raise ValueError(f"{name} of the {family} prior must be positive; got {value}")
