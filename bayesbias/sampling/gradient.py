r"""Differentiate the log likelihood of the parameters, with all effects integrated out.

By Fisher's identity, the gradient of :math:`\log p(y | \theta)` is the posterior mean of the
gradient of :math:`\log p(y, z | \theta)` over the effects, which are Gaussian given the parameters
:math:`\theta`. With the symbols of `collapsed` and :math:`M = E[z z^T | y, \theta]`,

- the derivative for the log of an sd is the sum of :math:`M_{ii} - 1` over the coordinates that
  this sd scales,
- the derivative for :math:`\log \lambda_c` is :math:`(n_c - \lambda_c E \lVert y - X u
  \rVert^2_c) / 2`,
- for correlated effects :math:`u = D R z`, the diagonal of :math:`R^{-T} M R^T` replaces
  :math:`M_{ii}`, and the derivative for R is :math:`R^{-T} (M - I)`.

Class means, shared effects, slopes, and gaps form one system. Deviations depend on it only by way
of the columns, whose second moments :math:`E[w w^T]` are known once the system is solved.
`CollapsedLikelihood` is the log likelihood as an operation in PyTensor.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytensor.tensor as pt
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op
from pytensor.link.numba.dispatch.basic import generate_fallback_impl, numba_funcify
from scipy.linalg import lapack

from .._core.arrays import FloatArray, IntArray
from .._core.warnings import without
from ..model.priors import factor_of_partial_correlations
from .deviations import Deviations, joined
from .layout import Statistics, Units
from .reduction import SMALLEST_SIGMA, Collapsed
from .scales import known_log_sds

COMPLEX_STEP = 1e-30
"""Imaginary step of a derivative, which is exact up to rounding."""


@dataclass(frozen=True)
class Rotation:
    """The factor R of the correlations of a unit's d coordinates, and its inverse."""

    where: slice  # its parameters
    place: slice  # the correlated coordinates
    whole: FloatArray  # (d, d): R; coordinates without correlations have the identity
    inverse: FloatArray
    derivative: FloatArray  # (n_parameters of R, k, k)


def _rotation(units: Units, parameters: FloatArray) -> Rotation | None:
    if units.correlated is None:
        return None
    block, place = units.correlated
    values, n = parameters[block.where], block.n_correlated
    steps = values + 1j * COMPLEX_STEP * np.eye(len(values))
    moved = factor_of_partial_correlations(np.tanh(steps), n)
    whole = np.eye(units.loading.shape[1])
    whole[place, place] = factor_of_partial_correlations(np.tanh(values[None]), n)[0]
    derivative = moved.imag / COMPLEX_STEP
    return Rotation(block.where, place, whole, np.linalg.inv(whole), derivative)


@dataclass
class Terms:
    """Sums from which the gradient is computed."""

    sds: FloatArray  # (n_sds,): sums for the logs of sds, including known ones
    correlations: FloatArray  # (n_parameters,)
    squares: FloatArray  # (n_noise,): expected sums of squared residuals

    def add(
        self, parameter: IntArray, moments: FloatArray, times: FloatArray, turn: Rotation | None
    ) -> None:
        """Add the (m, d, d) second moments of coordinates, of ``times`` units each."""
        excess = moments
        if turn is not None:
            excess = moments - times[:, None, None] * np.eye(moments.shape[1])
            of_factor = (turn.inverse.T @ excess.sum(axis=0))[turn.place, turn.place]
            self.correlations[turn.where] += np.tensordot(turn.derivative, of_factor)
            excess = turn.inverse.T @ moments @ turn.whole.T
        diagonal = np.diagonal(excess, axis1=1, axis2=2) - times[:, None]
        self.sds += np.bincount(parameter.ravel(), diagonal.ravel(), minlength=len(self.sds))


@dataclass(frozen=True)
class Solved:
    """Deviations given the parameters, before the moments of the columns are known."""

    part: Deviations
    turn: Rotation | None
    to_effects: FloatArray  # (m, d, d): S R, from coordinates z to effects
    variance: FloatArray  # (m, d, d): inverse of the precision of z
    log_det: float
    means: FloatArray  # (m, d, axes, k): coordinates per unit of each column

    @classmethod
    def of(
        cls, part: Deviations, turn: Rotation | None, sds: FloatArray, precision: FloatArray
    ) -> tuple[Solved, FloatArray]:
        """Solve for deviations; also return what they account for, (k, k)."""
        scale, shape = sds[part.parameter][..., None], part.projected.shape[1:-1]
        (n, d), k = shape[:2], shape[3]
        to_effects = scale * (np.eye(d) if turn is None else turn.whole)
        back = np.swapaxes(to_effects, 1, 2)
        own = (precision @ part.gram.reshape(len(precision), -1)).reshape(n, d, d)
        own = _product(_product(back, own), to_effects) + np.eye(d)
        flat = (precision @ part.projected.reshape(len(precision), -1)).reshape(n, d, -1)
        right = _product(back, flat)
        variance = 1 / own if d == 1 else np.linalg.inv(own)
        log_dets = np.log(own.ravel()) if d == 1 else np.linalg.slogdet(own)[1]
        means = _product(variance, right)
        rows = right.size // max(k, 1), k  # k is 0 if no column depends on this deviation
        explained = right.reshape(rows).T @ means.reshape(rows)
        log_det = float(part.times @ log_dets)
        return cls(part, turn, to_effects, variance, log_det, means.reshape(shape)), explained

    def add_to(self, terms: Terms, columns: FloatArray) -> None:
        """Add the expected squares, given the (k, k) second moments of the columns' weights."""
        part = self.part
        flat = (*self.means.shape[:2], -1)
        weighed = _product(self.means, columns).reshape(flat)
        moments = _product(weighed, np.swapaxes(self.means.reshape(flat), 1, 2))
        moments += part.times[:, None, None] * self.variance
        terms.add(part.parameter, moments, part.times, self.turn)
        effects = _product(_product(self.to_effects, moments), np.swapaxes(self.to_effects, 1, 2))
        crossed = _product(self.to_effects, weighed)
        n = len(terms.squares)
        terms.squares += part.gram.reshape(n, -1) @ effects.ravel()
        terms.squares -= 2 * part.projected.reshape(n, -1) @ crossed.ravel()


def _product(a: FloatArray, b: FloatArray) -> FloatArray:
    """Multiply stacks of matrices, without a slow call for each outer product."""
    return np.asarray(a * b if a.shape[-1] == 1 else a @ b)


def _few_parts(
    sides: Sequence[tuple[Units, tuple[Deviations, ...]]],
) -> list[tuple[int, Deviations]]:
    """Join deviations, with the places of their sides, because each part needs many calls.

    Deviations without correlations get coordinates of their own until all that have more than one
    have equally many. These coordinates are zero in the rows.
    """
    kept = [
        (index, part)
        for index, (units, parts) in enumerate(sides)
        for part in parts
        if units.correlated is not None
    ]
    free: dict[tuple[bool, bytes], list[tuple[int, Deviations]]] = defaultdict(list)
    for index, (units, parts) in enumerate(sides):
        for part in parts if units.correlated is None else ():
            free[part.parameter.shape[1] > 1, part.columns.tobytes()].append((index, part))
    for found in free.values():
        most = max(part.parameter.shape[1] for _, part in found)
        kept.append((found[0][0], joined([part.padded(most) for _, part in found])))
    return kept


def _gram(statistics: Statistics, noise: int) -> FloatArray:
    """Return X'X of all coordinates and columns, for the rows with one residual sd."""
    cells = statistics.layout.cells
    rows = np.flatnonzero(cells.noise == noise)
    loading = statistics.loading[rows]
    own = (loading.T @ loading.multiply(cells.count[rows, None]).tocsr()).toarray()
    border = loading.T @ statistics.sums[rows, :, 0]
    return np.block([[own, border], [border.T, statistics.products[noise, ..., 0]]])


class LogLikelihood:
    """The log likelihood of the parameters of a posterior, with its gradient."""

    def __init__(self, posterior: Collapsed) -> None:
        self.posterior, sides = posterior, posterior.sides
        statistics, layout = posterior.statistics, posterior.layout
        self.gram = np.array([_gram(statistics, q) for q in range(len(statistics.products))])
        self.known = known_log_sds(posterior.spec)
        n_sds, n_shared = posterior.n_parameters + len(self.known), layout.n_shared
        shared, slopes = np.split(layout.shared_parameter % n_sds, [n_shared])
        gaps = np.full(posterior.n_gaps, n_sds)
        parts = [*(side.parameter for side in sides), shared, gaps, slopes]
        self.parameter = np.concatenate([part.ravel() for part in parts])
        stops = np.cumsum([part.size for part in parts])
        n_coordinates = len(self.parameter)
        self.is_lower = np.tri(n_coordinates, dtype=bool)
        self.proper = np.flatnonzero(self.parameter < n_sds)
        first = statistics.loading.shape[1]
        self.deviations = [
            (part, index, np.ix_(first + part.columns, first + part.columns))
            for index, part in _few_parts([(side.units, side.deviations) for side in sides])
        ]  # with the side whose rotation they have, and the places of their columns
        self.rotated = [
            (index, slice(stop - side.parameter.size, stop), side.parameter)
            for index, (side, stop) in enumerate(zip(sides, stops, strict=False))
            if side.units.correlated is not None
        ]  # coordinates of correlated effects, with the places of their sds
        self.free = np.ones(n_coordinates)
        for _, own, _ in self.rotated:
            self.free[own] = 0.0

    def __call__(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Return the log likelihood of one parameter vector, up to a constant, and its gradient."""
        posterior, n_parameters = self.posterior, len(parameters)
        nothing = -np.inf, np.zeros(n_parameters)
        logs = np.concatenate([parameters, self.known, [0.0]])  # the coefficients of gaps are last
        where = posterior.block("sigma").where
        variance = np.exp(2 * parameters[where])
        each = 1 / (variance + posterior.design.rounding**2)
        if each.max() > SMALLEST_SIGMA**-2:
            return nothing
        repeats = len(posterior.rows) // len(each)
        sds, precision = np.exp(logs), np.repeat(each, repeats)
        turns = [_rotation(side.units, parameters) for side in posterior.sides]
        gram = (precision @ self.gram.reshape(len(precision), -1)).reshape(self.gram.shape[1:])
        solved = []
        for part, index, place in self.deviations:
            one, explained = Solved.of(part, turns[index], sds, precision)
            gram[place] -= explained
            solved.append((one, place))
        terms = Terms(np.zeros(len(sds)), np.zeros(n_parameters), np.zeros(len(precision)))
        found = self._solve(gram, sds, turns, terms)
        if found is None:
            return nothing
        log_det, unexplained, moments = found
        terms.squares += self.gram.reshape(len(precision), -1) @ moments.ravel()
        for one, place in solved:
            log_det += one.log_det
            one.add_to(terms, moments[place])
        value = 0.5 * (posterior.rows @ np.log(precision) - log_det - unexplained)
        gradient = terms.sds[:n_parameters] + terms.correlations
        of_noise = (precision * terms.squares - posterior.rows).reshape(len(each), repeats)
        gradient[where] += of_noise.sum(axis=1) * variance * each
        return float(value), gradient

    def _solve(
        self, gram: FloatArray, sds: FloatArray, turns: list[Rotation | None], terms: Terms
    ) -> tuple[float, float, FloatArray] | None:
        """Return log |P|, the unexplained square, and the second moments of effects and -1."""
        n = len(self.parameter)
        scale = np.append(sds[self.parameter], 1.0)
        inner = gram * scale[:, None] * scale
        rotated = [
            (turn, own, parameter)
            for index, own, parameter in self.rotated
            if (turn := turns[index]) is not None
        ]
        for turn, own, parameter in rotated:
            _rotate(inner, turn.whole.T, own, parameter.shape)
        precision = inner[:n, :n]
        precision[self.proper, self.proper] += 1  # the coefficients of gaps have flat priors
        factor, failed = lapack.dpotrf(precision.T, lower=1)
        if failed:
            return None
        log_det = 2 * float(np.log(factor.diagonal()).sum())
        half = lapack.dpotri(factor, lower=1, overwrite_c=1)[0]  # the upper triangle is not used
        variance = np.where(self.is_lower, half, half.T)
        mean = variance @ inner[:n, n]
        unexplained = float(inner[n, n] - inner[n, :n] @ mean)
        known = np.append(mean, -1.0)
        moments = known[:, None] * known
        moments[:n, :n] += variance
        excess = self.free * (moments.diagonal()[:n] - 1)
        terms.sds += np.bincount(self.parameter, excess, minlength=len(terms.sds))
        for turn, own, parameter in rotated:
            m, d = parameter.shape
            units = moments[own, own].reshape(m, d, m, d)[np.arange(m), :, np.arange(m)]
            terms.add(parameter, units, np.ones(m), turn)
            _rotate(moments, turn.whole, own, (m, d))
        return log_det, unexplained, moments * scale[:, None] * scale


def _rotate(matrix: FloatArray, by: FloatArray, own: slice, shape: tuple[int, int]) -> None:
    """Multiply the coordinates of each unit in the rows and columns of a matrix, in place."""
    for each in (matrix, matrix.T):
        each[own] = (by @ each[own].reshape(*shape, -1)).reshape(shape[0] * shape[1], -1)


class CollapsedLikelihood(Op):  # type: ignore[misc]
    """Map a vector of parameters to the log likelihood and its gradient.

    Parameters are log sds and inverse hyperbolic tangents of partial correlations.
    """

    def __init__(self, posterior: Collapsed) -> None:
        self.likelihood = LogLikelihood(posterior)

    def make_node(self, parameters: Variable) -> Apply:
        """Return the node that applies this operation."""
        return Apply(self, [pt.as_tensor_variable(parameters)], [pt.dscalar(), pt.dvector()])

    def perform(
        self, node: Apply, inputs: list[FloatArray], output_storage: list[list[FloatArray]]
    ) -> None:
        """Compute the log likelihood and its gradient."""
        value, gradient = self.likelihood(np.asarray(inputs[0]))
        output_storage[0][0] = np.array(value)
        output_storage[1][0] = gradient

    def pullback(
        self, inputs: list[Variable], outputs: list[Variable], cotangents: list[Variable]
    ) -> list[Variable]:
        """Return the derivative for the parameters, in one call for value and gradient."""
        return [cotangents[0] * outputs[1]]


@numba_funcify.register(CollapsedLikelihood)  # type: ignore[untyped-decorator]
def _call_python(op: CollapsedLikelihood, node: Apply, **options: object) -> Callable[..., object]:
    """Call `perform` from compiled code, as for any operation, but without a warning."""
    with without(UserWarning):
        found: Callable[..., object] = generate_fallback_impl(op, node, **options)
    return found
