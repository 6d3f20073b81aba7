"""Approximate the density of a table with missing pairs by that of a table without gaps.

With many gaps, each density factors a large matrix. Let `y_f` be the table with every gap filled by
its expected value at the mode. Its density, without the gaps' part of the residual precisions, is
close to the one wanted. The log ratio of the two,

    c(θ) = ½ gᵀ A⁻¹ g − ½ log |A| + ½ Σ log λ + const

is smooth (A and g are the precision and the projection of the gaps' coefficients, and the λ are the
gaps' residual precisions), so a quadratic function of the parameters is fitted to it. Proposals
come from this approximation. Final draws are weighted by the exact density.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from .._core.arrays import FloatArray
from .collapsed import conditional, log_density
from .reduction import Collapsed, collapse

MANY_GAPS = 16
"""Number of gaps from which the approximation saves time."""


@dataclass(frozen=True)
class Nearby:
    """A density close to that of a posterior with gaps, and a quadratic correction."""

    filled: Collapsed
    center: FloatArray
    scale: FloatArray
    coefficients: FloatArray  # of the features of a quadratic function; empty before it is fitted

    def log_density(self, parameters: FloatArray) -> FloatArray:
        """Return the (n,) approximate log densities of (n, n_parameters) parameters."""
        density = log_density(self.filled, parameters)
        if not len(self.coefficients):
            return density
        return np.asarray(density + self._features(parameters) @ self.coefficients)

    def corrected(self, exact: Callable[[FloatArray], FloatArray], points: FloatArray) -> Nearby:
        """Fit the correction to exact log densities at some points of the posterior."""
        gap = exact(points) - log_density(self.filled, points)
        known = np.isfinite(gap)
        moved = replace(self, center=points.mean(axis=0), scale=points.std(axis=0) + 1e-9)
        features = moved._features(points[known])
        return replace(moved, coefficients=np.linalg.lstsq(features, gap[known], rcond=1e-8)[0])

    def _features(self, parameters: FloatArray) -> FloatArray:
        """Return (n, n_features) powers and products of limited parameters, of degree two."""
        x = 3 * np.tanh((parameters - self.center) / (3 * self.scale))
        one, other = np.triu_indices(x.shape[1])
        return np.column_stack([np.ones(len(x)), x, x[:, one] * x[:, other]])


def nearby(posterior: Collapsed, mode: FloatArray) -> Nearby:
    """Fill the gaps by their expected outcomes at the mode."""
    weights = conditional(posterior, mode[None]).draw(None)[2]
    layout, n = posterior.layout, posterior.n_gaps
    y = np.concatenate([posterior.design.y, posterior.spec.center + weights[0, :n]])
    whole = collapse(replace(layout.design, y=y), posterior.spec, layout=replace(layout, n_gaps=0))
    types = layout.types
    measured = np.bincount(types.of_row[:-n], minlength=len(types.first))
    whole = replace(whole, rows=types.by_noise @ measured)
    none = np.zeros(0)
    return Nearby(whole, none, none, none)
