"""Where NUTS samples the effects of a unit: between centred and non-centred, by what data say.

Effects of one term are placed one by one, which compiles in seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.arrays import FloatArray
from .design import Design, IntArray
from .terms import Term

PRIOR_COUNT = 5.0
"""Residual degrees of freedom that the common variance counts for in a connection's rough one."""


class RoughFit:
    """Precisions and means that place the sampler's coordinates, and not the posterior."""

    def __init__(self, design: Design) -> None:
        shape = (len(design.words), len(design.connections))
        cell = design.word * shape[1] + design.connection
        n_cells = shape[0] * shape[1]
        count = np.bincount(cell, minlength=n_cells)
        mean = np.bincount(cell, design.y, minlength=n_cells) / np.maximum(count, 1)
        self.residual = design.y - mean[cell]
        variance = self._variance(design, self.residual, np.unique(cell) % shape[1])
        self.cells = count.reshape(shape) / variance, mean.reshape(shape)
        self.row_variance = variance[design.connection]

    def of_term(self, design: Design, term: Term) -> tuple[Any, Any]:
        """Precision and mean of a term's effects; none where the data are not looked at."""
        if (term.of, term.by) == ("protected_word", "connection"):
            return self.cells
        if term.of in {"attribute", "context"} and not term.by:
            return self.about(design.codes(term.of))
        return 0.0, 0.0

    def about(self, index: IntArray) -> tuple[FloatArray, FloatArray]:
        """Precision and mean of the effects of attributes or contexts, by the rows of each."""
        weight = np.bincount(index, 1 / self.row_variance)
        return weight, np.bincount(index, self.residual / self.row_variance) / weight

    @staticmethod
    def _variance(design: Design, residual: FloatArray, cells: IntArray) -> FloatArray:
        """Residual variance of every connection, drawn to their common one by a prior count.

        Cells of one row each have no residuals: alone they would pass for free of noise.
        """
        n = len(design.connections)
        free = np.bincount(design.connection, minlength=n) - np.bincount(cells, minlength=n)
        squares = np.bincount(design.connection, residual**2, minlength=n)
        common = squares.sum() / free.sum() if squares.sum() > 0 else max(design.y.var(), 1e-6)
        return np.asarray((squares + PRIOR_COUNT * common) / (free + PRIOR_COUNT))


def placed(precision: FloatArray, mean: FloatArray) -> Any:  # noqa: ANN401
    """Transform a normal effect to where the data and its prior would put it, in units of sd.

    With data of the given precision and mean, an effect with prior Normal(m, s) has a conditional
    sd s / sqrt(1 + p s²). Sampled on that scale, effects hardly depend on their sd whether the
    data say much (where centred coordinates sample well) or little (where non-centred ones do).
    """
    import pytensor.tensor as pt
    from pymc.logprob.transforms import Transform

    class Placed(Transform):  # type: ignore[misc,unused-ignore]
        name = "placed"
        ndim_supp = 0

        def _normal(self, inputs: tuple[Any, ...]) -> tuple[Any, Any]:
            prior_mean, prior_sd = inputs[-2:]
            ratio = 1 + precision * prior_sd**2
            return (prior_mean + (ratio - 1) * mean) / ratio, prior_sd / pt.sqrt(ratio)

        def forward(self, value: Any, *inputs: Any) -> Any:  # noqa: ANN401
            centre, scale = self._normal(inputs)
            return (value - centre) / scale

        def backward(self, value: Any, *inputs: Any) -> Any:  # noqa: ANN401
            centre, scale = self._normal(inputs)
            return centre + scale * value

        def log_jac_det(self, value: Any, *inputs: Any) -> Any:  # noqa: ANN401
            return pt.log(self._normal(inputs)[1]) + pt.zeros_like(value)

    return Placed()
