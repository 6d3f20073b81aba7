"""Choose NUTS coordinates, anywhere from centered to non-centered, based on the data.

The effects of a term are transformed one by one, so that the model compiles in seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._core.arrays import FloatArray, Numbers
from .design import Design
from .terms import Term

if TYPE_CHECKING:
    from pymc.logprob.transforms import Transform
    from pytensor.tensor import TensorVariable

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
        common = squares.sum() / free.sum() if squares.sum() > 0 else max(design.y.var(), 1e-6)
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


def scaled_log(center: FloatArray, scale: FloatArray) -> Transform:
    """Standardize the log of an sd by its rough posterior mean and sd."""
    import pytensor.tensor as pt
    from pymc.logprob import transforms

    class ScaledLog(transforms.Transform):  # type: ignore[misc,unused-ignore]
        name = "scaledlog"

        def forward(self, value: TensorVariable, *inputs: TensorVariable) -> TensorVariable:
            return (pt.log(value) - center) / scale

        def backward(self, value: TensorVariable, *inputs: TensorVariable) -> TensorVariable:
            return pt.exp(center + scale * value)

        def log_jac_det(self, value: TensorVariable, *inputs: TensorVariable) -> TensorVariable:
            return center + scale * value + np.log(scale)

    return ScaledLog()
