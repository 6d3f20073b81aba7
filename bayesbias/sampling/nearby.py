r"""Fill the missing pairs of a table, so that densities are those of a full table.

With many gaps, each exact density factors a large matrix. The gaps' outcomes g are therefore drawn
together with the parameters. Proposals of the parameters come from the density of the table whose
gaps have their expected outcomes at the mode. Given the parameters :math:`\theta`, gaps are drawn
from a Normal distribution q close to their conditional one: its mean is linear in :math:`\theta`,
and its precision is constant in units of the residual sds. Draws have the weights :math:`p(y, g |
\theta) p(\theta) / q(\theta) q(g | \theta)`, which make them exact and vary little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from .collapsed import conditional, scales_of
from .reduction import Collapsed

MANY_GAPS = 16
"""Number of gaps from which drawing them takes less time than integrating over them."""

N_FITTED = 64
"""Number of draws of the parameters to which the distribution of gaps is fitted."""


@dataclass(frozen=True)
class Gaps:
    """A Normal distribution of the gaps' outcomes, minus the center, given the parameters."""

    posterior: Collapsed
    center: FloatArray  # (n_parameters,)
    coefficients: FloatArray  # (1 + n_parameters, n_gaps)
    root: FloatArray  # (n_gaps, n_gaps): inverse transposed factor of the precision times sigma²

    def draw(self, parameters: FloatArray, rng: Generator) -> tuple[FloatArray, FloatArray]:
        """Draw (n, n_gaps) outcomes; also return (n,) log densities without the sigmas."""
        noise = rng.standard_normal((len(parameters), len(self.root)))
        scaled = noise @ self.root.T / np.sqrt(_precisions(self.posterior, parameters))
        moved = parameters - self.center
        means = np.hstack([np.ones((len(moved), 1)), moved]) @ self.coefficients
        return means + scaled, -0.5 * (noise**2).sum(axis=1)


def fitted_gaps(posterior: Collapsed, parameters: FloatArray) -> Gaps:
    """Fit the distribution of gaps to its exact moments at some draws of the parameters."""
    given, n = conditional(posterior, parameters), posterior.n_gaps
    factor = given.factor[:, :n, :n] / np.sqrt(_precisions(posterior, parameters))[:, :, None]
    precision = (factor @ np.swapaxes(factor, 1, 2)).mean(axis=0)
    means = given.draw(None)[2][:, :n]
    moved = parameters - parameters.mean(axis=0)
    features = np.hstack([np.ones((len(moved), 1)), moved])
    coefficients = np.linalg.lstsq(features, means, rcond=1e-8)[0]
    root = np.linalg.inv(np.linalg.cholesky(precision)).T
    return Gaps(posterior, parameters.mean(axis=0), coefficients, root)


def expected_gaps(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    """Return the expected outcomes of the gaps, given each parameter vector."""
    return conditional(posterior, parameters).draw(None)[2][:, : posterior.n_gaps]


def _precisions(posterior: Collapsed, parameters: FloatArray) -> FloatArray:
    """Return the (n, n_gaps) residual precisions of the gaps."""
    types = posterior.layout.types
    noise = types.by_noise.argmax(axis=0)[types.of_row[-posterior.n_gaps :]]
    return np.asarray(scales_of(posterior, parameters).precision[noise].T)
