r"""A linear Gaussian model of contrasts, with effects of embeddings and lists.

    c[e, l, r] = μ + α[e] + β[l] + γ[e, l] + ρ[e, l, r] + (s + t[l]) z[e]

Here e is an embedding, l a list, and r a training run. Each kind of effect is Normal with a
separate sd. If embeddings have an order, such as decades, z is the standardized value of each one,
s is the slope, and t[l] is the deviation of a list's slope. The prior sds of μ and s are known. The
measured contrasts of each list are Gaussian, with the moments from `runs`. Given the sds, contrasts
and effects are jointly Normal. Sds are drawn by importance resampling, and contrasts by Matheron's
rule, which corrects prior draws by their deviation from the measurements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray, IntArray
from ..model.priors import Prior
from ..sampling.importance import find_mode, importance_resample
from .runs import Contrasts

MEAN_SD = 0.5
"""Prior sd of the mean contrast; contrasts in the published tables range from -.4 to .1."""

SLOPE_SD = 0.05
"""Prior sd of the slope, per sd of x; embeddings in the published tables differ by about .05."""

_REASON = "mean .05; overall contrasts in the published tables are -.07 to .00"

PRIORS = {
    name: Prior("exponential", {"rate": 20.0}, _REASON)
    for name in ("embedding_sd", "list_sd", "interaction_sd", "training_sd", "list_slope_sd")
}
"""Priors of the sds of the effects on contrasts."""

OFFSET = 0.1
"""Offset in log(sd + offset), for drawing sds in units of the measured contrasts' mean sd."""

BOUNDS = (-5.0, 5.0)
"""Search range for the mode of the log sds, in the same units; sds above it have density zero. If
contrasts differ by much more than their sds, the upper end is `FARTHEST` above their range."""

FARTHEST = 3.0
"""Distance on the log scale; sds of e^3 = 20 times the range of contrasts are implausible."""

NUMBERS_AT_ONCE = 2_000_000
"""Number of covariance entries computed at a time."""


type Drawn = tuple[FloatArray, FloatArray, dict[str, FloatArray], float]
"""Draws of contrasts, of slopes, and of sds, and Pareto k; see `Hierarchy.draw`."""


class Hierarchy:
    """The measured contrasts of all lists, and the effects that they share.

    A cell is one list in one embedding. For each sd, `loadings` has two matrices, (n_runs,
    n_effects) and (n_cells, n_effects), with rows in list order. An sd has no loadings if the runs
    do not identify it. If there is only one list, its effect is part of the mean, and embedding
    effects include the interaction. If there is only one embedding, the roles are reversed.
    `known` has the loadings of the mean and, with ``x``, of the slope, times their prior sds.
    """

    def __init__(
        self, lists: Sequence[Contrasts], n_embeddings: int, x: FloatArray | None = None
    ) -> None:
        from scipy.linalg import block_diag

        self.shape = len(lists), n_embeddings
        self.mean = np.concatenate([own.mean for own in lists])
        self.covariance = np.asarray(block_diag(*(own.covariance for own in lists)))
        embedding = np.concatenate([own.embedding for own in lists])
        wordlist = np.repeat(np.arange(len(lists)), [len(own.embedding) for own in lists])
        of_run = embedding, wordlist, wordlist * n_embeddings + embedding
        cell = np.arange(len(lists) * n_embeddings)
        of_cell = cell % n_embeddings, cell // n_embeddings, cell
        several = n_embeddings > 1, len(lists) > 1, min(n_embeddings, len(lists)) > 1
        self.loadings: dict[str, tuple[FloatArray, FloatArray]] = {
            name: (np.eye(cells.max() + 1)[runs], np.eye(cells.max() + 1)[cells])
            for name, runs, cells, is_learned in zip(PRIORS, of_run, of_cell, several, strict=False)
            if is_learned
        }
        if len(np.unique(of_run[2])) < len(embedding):
            n = len(embedding)
            self.loadings["training_sd"] = np.eye(n), np.zeros((len(cell), n))
        self.x_sd = 1.0
        self.known = tuple(np.full((len(of), 1), MEAN_SD) for of in (embedding, cell))
        if x is not None:
            self._add_slopes(x, of_run, of_cell)

    def _add_slopes(
        self, x: FloatArray, of_run: tuple[IntArray, ...], of_cell: tuple[IntArray, ...]
    ) -> None:
        """Add the slope on (n_embeddings,) ``x`` and, with several lists, the lists' deviations."""
        self.x_sd = float(x.std())
        z = (x - x.mean()) / self.x_sd
        ends = [(z[embedding], wordlist) for embedding, wordlist, _ in (of_run, of_cell)]
        self.known = tuple(
            np.column_stack([known, SLOPE_SD * own])
            for known, (own, _) in zip(self.known, ends, strict=True)
        )
        if self.shape[0] > 1:
            runs, cells = (own[:, None] * np.eye(self.shape[0])[of_list] for own, of_list in ends)
            self.loadings["list_slope_sd"] = runs, cells

    def factor(self, sds: FloatArray) -> FloatArray:
        """Return Cholesky factors of the measurements' covariance, given (n, n_sds) sds."""
        shared = np.stack([runs @ runs.T for runs, _ in self.loadings.values()])
        effects = np.tensordot(sds**2, shared, axes=1)
        known = self.known[0] @ self.known[0].T
        return np.asarray(np.linalg.cholesky(known + effects + self.covariance))

    def log_likelihood(self, sds: FloatArray) -> FloatArray:
        """Return the (n,) log densities of the measurements, up to a constant."""
        factor = self.factor(sds)
        white = np.linalg.solve(factor, np.tile(self.mean[:, None], (len(sds), 1, 1)))
        log_det = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
        return np.asarray(-0.5 * (white**2).sum(axis=(1, 2)) - log_det)

    def draw_contrasts(self, sds: FloatArray, rng: Generator) -> tuple[FloatArray, FloatArray]:
        """Draw (n, n_lists, n_embeddings) contrasts, and (n, n_lists) slopes per unit of x.

        Contrasts exclude the effects of training runs. Slopes are zero without x.
        """
        root, n = np.linalg.cholesky(self.covariance), len(sds)
        ends = [self.known, *self.loadings.values()]
        scales = [np.ones((n, 1)), *sds.T[:, :, None]]
        effects = [rng.standard_normal((n, self.known[0].shape[1]))]
        runs = rng.standard_normal((n, len(root))) @ root.T
        effects += [
            sd * rng.standard_normal((n, of.shape[1]))
            for sd, (of, _) in zip(scales[1:], ends[1:], strict=True)
        ]
        runs += sum(own @ of_runs.T for own, (of_runs, _) in zip(effects, ends, strict=True))
        factor = self.factor(sds)
        white = np.linalg.solve(factor, (self.mean - runs)[:, :, None])
        pull = np.linalg.solve(np.swapaxes(factor, 1, 2), white)[:, :, 0]
        effects = [
            own + scale**2 * (pull @ of_runs)
            for own, scale, (of_runs, _) in zip(effects, scales, ends, strict=True)
        ]
        cells = sum(own @ of_cells.T for own, (_, of_cells) in zip(effects, ends, strict=True))
        slopes = np.zeros((n, self.shape[0])) + SLOPE_SD * effects[0][:, 1:].sum(axis=1)[:, None]
        if "list_slope_sd" in self.loadings:
            slopes += effects[-1]
        return np.asarray(cells).reshape(-1, *self.shape), slopes / self.x_sd

    def draw(self, priors: Mapping[str, Prior], n: int, rng: Generator) -> Drawn:
        """Draw contrasts and slopes (see `draw_contrasts`) and (n,) sds; also return Pareto k."""
        unit = np.sqrt(np.diagonal(self.covariance)).mean()
        widest = float(np.log(max(np.ptp(self.mean), unit) / unit)) + FARTHEST
        bounds = BOUNDS[0], max(BOUNDS[1], widest)
        at_once = max(1, NUMBERS_AT_ONCE // len(self.mean) ** 2)

        def chunks(sds: FloatArray) -> list[FloatArray]:
            return np.array_split(sds, range(at_once, len(sds), at_once))

        def density(points: FloatArray, offset: float) -> FloatArray:
            values = np.full(len(points), -np.inf)
            inside = (np.exp(points) > offset).all(axis=1) & (points <= bounds[1]).all(axis=1)
            sds = unit * (np.exp(points[inside]) - offset)
            prior = sum(
                priors[name].log_density(sd) for name, sd in zip(self.loadings, sds.T, strict=True)
            )
            likelihood = np.concatenate([self.log_likelihood(some) for some in chunks(sds)])
            values[inside] = likelihood + prior + points[inside].sum(axis=1)
            return values

        # The offset removes the draws' long lower tail, but is not needed to find the mode.
        mode = find_mode(partial(density, offset=0.0), np.zeros(len(self.loadings)), bounds)
        start = np.log(np.exp(mode) + OFFSET)
        drawn = importance_resample(partial(density, offset=OFFSET), start, n, rng)
        sds = unit * (np.exp(drawn.points) - OFFSET)
        parts = zip(*(self.draw_contrasts(some, rng) for some in chunks(sds)), strict=True)
        contrasts, slopes = map(np.concatenate, parts)
        return contrasts, slopes, dict(zip(self.loadings, sds.T, strict=True)), drawn.pareto_k
