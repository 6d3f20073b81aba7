"""Place the effects that NUTS samples between centered and non-centered, based on the data.

Effects of one term are placed one by one, which compiles in seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .design import Design
from .terms import Term

PRIOR_COUNT = 5.0
"""Residual degrees of freedom that the common variance counts for in a connection's rough one."""


class RoughFit:
    """Precisions and means that place the sampler's coordinates, and not the posterior."""

    def __init__(self, design: Design) -> None:
        n = len(design.connections)
        self.shape = len(design.words), n
        self.cell = design.word * n + design.connection
        self.count = np.bincount(self.cell, minlength=self.shape[0] * n)
        sums = np.bincount(self.cell, design.y, minlength=self.shape[0] * n)
        self.mean = sums / np.maximum(self.count, 1)
        self.residual = design.y - self.mean[self.cell]
        # Residual variance of every connection, drawn to their common one by a prior count: cells
        # of one row each have no residuals, and alone they would pass for free of noise.
        cells = np.unique(self.cell) % n
        free = np.bincount(design.connection, minlength=n) - np.bincount(cells, minlength=n)
        squares = np.bincount(design.connection, self.residual**2, minlength=n)
        common = squares.sum() / free.sum() if squares.sum() > 0 else max(design.y.var(), 1e-6)
        self.variance = (squares + PRIOR_COUNT * common) / (free + PRIOR_COUNT)

    def of_term(self, design: Design, term: Term) -> tuple[Any, Any]:
        """Precision and mean of a term's effects; none where the data are not looked at."""
        if (term.of, term.by) == ("protected_word", "connection"):
            return self.count.reshape(self.shape) / self.variance, self.mean.reshape(self.shape)
        if term.of in {"attribute", "context"} and not term.by:
            index, row_variance = design.codes(term.of), self.variance[design.connection]
            weight = np.bincount(index, 1 / row_variance)
            return weight, np.bincount(index, self.residual / row_variance) / weight
        return 0.0, 0.0


def placed(precision: Any, mean: Any) -> Any:  # noqa: ANN401
    """Transform a normal effect to where the data and its prior would put it, in units of sd.

    With data of the given precision and mean, an effect with prior Normal(m, s) has a conditional
    sd s / sqrt(1 + p s²). Sampled on that scale, effects hardly depend on their sd whether the
    data say much (where centered coordinates sample well) or little (where non-centered ones do).
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
            center, scale = self._normal(inputs)
            return (value - center) / scale

        def backward(self, value: Any, *inputs: Any) -> Any:  # noqa: ANN401
            center, scale = self._normal(inputs)
            return center + scale * value

        def log_jac_det(self, value: Any, *inputs: Any) -> Any:  # noqa: ANN401
            return pt.log(self._normal(inputs)[1]) + pt.zeros_like(value)

    return Placed()
