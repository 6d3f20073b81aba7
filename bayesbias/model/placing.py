"""Choose coordinates in which samplers move freely, based on the data.

Effects are placed anywhere from centered to non-centered, one by one, so that the model compiles in
seconds. Sds are turned into normal scores, because data that cannot distinguish small sds from zero
leave a long lower tail of the log sd.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._core.arrays import FloatArray, Numbers
from .covariates import SAME
from .design import Design
from .terms import Term

if TYPE_CHECKING:
    from pymc.logprob.transforms import Transform
    from pytensor.tensor import TensorVariable

STEP, MIDDLE = 0.25, 16
SCORES = STEP * (np.arange(2 * MIDDLE + 1) - MIDDLE)
"""Normal scores between which a map to parameters is quadratic."""

FINER = 8
"""Number of parts into which steps between known densities are divided."""

LOWEST = -50.0
"""Lowest log density, relative to the highest one, which keeps slopes finite."""

PRIOR_COUNT = 5.0
"""Degrees of freedom that the common variance gets in the estimate of a connection's variance."""


class RoughFit:
    """Rough precisions and means that affect only the sampler's coordinates."""

    def __init__(self, design: Design) -> None:
        n = len(design.connections)
        self.shape = len(design.words), n
        self.cell = design.word * n + design.connection
        self.count = np.bincount(self.cell, minlength=self.shape[0] * n)
        sums = np.bincount(self.cell, design.y, minlength=self.shape[0] * n)
        self.mean = sums / np.maximum(self.count, 1)
        self.residual = design.y - self.mean[self.cell]
        # Each connection's residual variance is shrunk toward the common variance. A connection
        # with one row per cell has no residuals and would otherwise seem free of noise.
        cells = np.unique(self.cell) % n
        free = np.bincount(design.connection, minlength=n) - np.bincount(cells, minlength=n)
        squares = np.bincount(design.connection, self.residual**2, minlength=n)
        is_settled = squares.sum() <= SAME**2 * (design.y @ design.y)
        common = max(design.y.var(), 1e-6) if is_settled else squares.sum() / free.sum()
        self.variance = (squares + PRIOR_COUNT * common) / (free + PRIOR_COUNT)

    def of_term(self, design: Design, term: Term) -> tuple[FloatArray | float, FloatArray | float]:
        """Return the precision and mean of a term's effects, or zeros if the data are not used."""
        if (term.of, term.by) == ("protected_word", "connection"):
            return self.count.reshape(self.shape) / self.variance, self.mean.reshape(self.shape)
        if term.of in {"attribute", "context"} and not term.by:
            index, row_variance = design.codes(term.of), self.variance[design.connection]
            weight = np.bincount(index, 1 / row_variance)
            return weight, np.bincount(index, self.residual / row_variance) / weight
        return 0.0, 0.0


def placed(precision: FloatArray | float, mean: FloatArray | float) -> Transform:
    """Standardize a normal effect by its rough conditional mean and sd, given the data.

    Given data with precision p, an effect with prior Normal(m, s) has the conditional sd
    s / sqrt(1 + p s²). On this scale, effects hardly depend on their sd, however informative the
    data are.
    """
    import pytensor.tensor as pt
    from pymc.logprob import transforms

    class Placed(transforms.Transform):  # type: ignore[misc,unused-ignore]
        name = "placed"
        ndim_supp = 0

        def _normal(self, inputs: tuple[TensorVariable, ...]) -> tuple[Numbers, Numbers]:
            prior_mean, prior_sd = inputs[-2:]
            ratio = 1 + precision * prior_sd**2
            return (prior_mean + (ratio - 1) * mean) / ratio, prior_sd / pt.sqrt(ratio)

        def forward(self, value: TensorVariable, *inputs: TensorVariable) -> TensorVariable:
            center, scale = self._normal(inputs)
            return (value - center) / scale

        def backward(self, value: TensorVariable, *inputs: TensorVariable) -> TensorVariable:
            center, scale = self._normal(inputs)
            return center + scale * value

        def log_jac_det(self, value: TensorVariable, *inputs: TensorVariable) -> TensorVariable:
            return pt.log(self._normal(inputs)[1]) + pt.zeros_like(value)

    return Placed()


class Scores(NamedTuple):
    """Smooth maps from normal scores to parameters; they are quadratic between the `SCORES`."""

    start: FloatArray  # (..., n_scores): parameters at the scores
    slope: FloatArray
    bend: FloatArray  # changes in slope, from each score to the next

    @classmethod
    def of(cls, values: FloatArray, density: FloatArray) -> Scores:
        """Return the map under which a log density, known at increasing values, is normal."""
        from scipy.interpolate import PchipInterpolator
        from scipy.special import ndtr

        density = np.maximum(density - density.max(), LOWEST)
        places = np.arange(FINER * (len(values) - 1) + 1) / FINER
        fine = np.interp(places, np.arange(len(values)), values)
        log_height = PchipInterpolator(values, density)(fine)
        height = np.exp(log_height)
        below = np.cumsum(np.diff(fine, prepend=fine[0]) * (height + np.roll(height, 1)) / 2)
        quantiles = np.interp(ndtr(SCORES), below / below[-1], fine)
        normal = np.exp(-(SCORES**2) / 2) / np.sqrt(2 * np.pi)
        slope = normal * below[-1] / np.exp(np.interp(quantiles, fine, log_height))
        slope[0] = max(slope[0], slope[1])  # so that the map never turns back below the scores
        start = np.cumsum(np.append(0.0, STEP * (slope[1:] + slope[:-1]) / 2))
        start += quantiles[MIDDLE] - start[MIDDLE]
        return cls(start, slope, np.append(np.diff(slope) / STEP, 0.0))

    @property
    def median(self) -> FloatArray:
        """The parameters of a score of zero."""
        return np.asarray(self.start[..., MIDDLE])

    def parameters(self, scores: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
        """Return the parameters of scores, and the slopes there."""
        first, start, slope, bend = self._at((scores - SCORES[0]) / STEP)
        beyond = scores - first
        return start + beyond * (slope + bend * beyond / 2), slope + bend * beyond

    def scores(self, parameters: TensorVariable) -> TensorVariable:
        """Return the scores of parameters."""
        place = (parameters[..., None] >= self.start).sum(axis=-1) - 1
        first, start, slope, bend = self._at(place)
        beyond = parameters - start
        return first + 2 * beyond / (slope + (slope**2 + 2 * bend * beyond) ** 0.5)

    def _at(self, place: TensorVariable) -> tuple[TensorVariable, ...]:
        """Return the score before each place, and the map's constants there."""
        import pytensor.tensor as pt

        place = pt.cast(place.clip(0, len(SCORES) - 1), "int64")
        rows = (np.arange(len(self.start)),) if self.start.ndim == 2 else ()
        return SCORES[0] + STEP * place, *(pt.constant(part)[*rows, place] for part in self)


def standardized(known: Scores) -> Transform:
    """Turn the logs of sds into normal scores, which the sampler explores in few steps."""
    import pytensor.tensor as pt
    from pymc.logprob import transforms

    class Standardized(transforms.Transform):  # type: ignore[misc,unused-ignore]
        name = "standardized"

        def forward(self, value: TensorVariable, *inputs: TensorVariable) -> TensorVariable:
            return known.scores(pt.log(value))

        def backward(self, value: TensorVariable, *inputs: TensorVariable) -> TensorVariable:
            return pt.exp(known.parameters(value)[0])

        def log_jac_det(self, value: TensorVariable, *inputs: TensorVariable) -> TensorVariable:
            log, slope = known.parameters(value)
            return log + pt.log(slope)

    return Standardized()
