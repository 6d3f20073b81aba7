"""Soft debiasing: a linear map that reduces bias and changes cosines as little as possible."""

from __future__ import annotations

from numbers import Real

import numpy as np

from ..._core.arrays import FloatArray, one_thread
from ..._core.checks import Argument, ArgumentError, check_choice
from ..._core.warnings import warn
from ...warnings import LittleRemoved
from ..method import Change, Debiaser, Material, debiasing_method
from ..subspace import Moments, bias_directions, moments

WEIGHTINGS = ("mean", "sum")
"""Whether the two terms are means of their entries or, as printed in the papers, sums."""

RANK = 1e-10
"""Eigenvalues of Σ u uᵀ up to this share of the largest are treated as zero."""

HARDLY = 0.01
"""If a smaller share of the bias is removed, a warning reports that share."""

SMALLEST = 1e-9
"""Eigenvalues of TᵀT above -SMALLEST count as non-negative; the solver is accurate to 1e-10."""

MOST_STEPS = 100_000

NOT_CONVERGED = "soft debiasing did not converge; use a smaller strength"


@debiasing_method()
def soft(
    material: Material, *, strength: float = 0.2, weighting: str = "mean", k: int | None = None
) -> Debiaser:
    """Apply soft debiasing for two or more classes: a linear map that reduces bias.

    The linear map T minimizes ‖(TW)ᵀ(TW) - WᵀW‖² + λ‖(TN)ᵀ(TB)‖². The columns of W are all words,
    the columns of N are the neutral words, and the columns of B are the directions of bias, all of
    unit length. The problem is convex in TᵀT and is solved for TᵀT; T is the symmetric root. The
    words of equalize sets are left out of N, but they are not equalized. The record's ``bias_left``
    is ‖(TN)ᵀ(TB)‖ as a share of ‖NᵀB‖.

    Parameters
    ----------
    strength : float
        λ, the weight of the bias term, 0 or more; both papers use 0.2.
    weighting : {"mean", "sum"}
        Whether the two terms are means of their entries or, as printed in the papers, sums. With n
        words of d dimensions, sums remove about λ/(λ + n/d) of the bias, and means remove about
        λd/(λd + 1). For GloVe's 400,000 words and the default strength, sums remove less than .02%.
    k : int, optional
        Number of directions of bias. The default is the number of classes minus one.

    References
    ----------
    Bolukbasi et al. (2016), section 6 and appendix; Manzini et al. (2019), section 3.
    """
    if not isinstance(strength, Real) or not 0 <= strength < np.inf:
        need = f" must be a finite number of at least 0; got {strength!r}"
        raise ArgumentError(Argument("strength"), need)
    check_choice("weighting", weighting, WEIGHTINGS)
    directions = bias_directions(material.vectors, material.sets, k)
    sums = moments(material.embedding, material.sets.kept)
    if not sums.neutral_count:
        raise ValueError("no word in the embedding is neutral, so there is nothing to debias")
    gram, bias_left = solve(sums, directions, strength, weighting)
    if strength > 0 and bias_left > 1 - HARDLY:
        warn(LittleRemoved(float(1 - bias_left), float(strength), weighting))
    chosen = {"strength": float(strength), "weighting": weighting}
    change = root(gram)
    return material.debiaser(
        {**chosen, "k": len(directions), "bias_left": bias_left},
        equalize=False,
        everywhere=lambda rows: rows @ change,
    )


def root(matrix: FloatArray, power: float = 0.5) -> FloatArray:
    """Raise the eigenvalues of a symmetric matrix to a power; negative ones count as zero."""
    values, axes = np.linalg.eigh(matrix)
    return np.asarray((axes * np.maximum(values, 0.0) ** power) @ axes.T)


def solve(
    sums: Moments, directions: FloatArray, strength: float, weighting: str
) -> tuple[FloatArray, float]:
    """Minimize tr(C(A - I)C(A - I)) + weight·tr(A P A Q) over positive semi-definite A = TᵀT.

    C and P are the means of u uᵀ over all words and over neutral words; Q = directionsᵀ directions.
    Return A and the ratio ‖(TN)ᵀ(TB)‖/‖NᵀB‖, in [0, 1], which is 0 if there was no bias.
    """
    n, free = sums.count, sums.neutral_count
    second, neutral = sums.second / n, sums.neutral_second / free  # of order 1
    weight = strength / len(directions) if weighting == "mean" else strength * free / n**2
    identity = np.eye(len(second))
    gram = _minimum(second, neutral, directions, weight) if weight else identity
    before, after = (
        float(np.sum((toward @ neutral) * toward))
        for toward in (directions @ identity, directions @ gram)
    )
    return gram, float(np.sqrt(max(after, 0.0) / before)) if before > 0 else 0.0


def _minimum(
    second: FloatArray, neutral: FloatArray, directions: FloatArray, weight: float
) -> FloatArray:
    """Return the best A, which is the identity in directions without variation.

    In the axes V in which VᵀCV = I and VᵀPV = diag(p), A = V Y Vᵀ, and the gradient is
    2(Y - Y₀) + weight·(pYR + RYp) with R = VᵀQV of rank k.
    """
    # There are many products of small matrices, for which threads cost more time than they save.
    with one_thread():
        values, axes = np.linalg.eigh(second)
        spread = values > RANK * values[-1]
        whitening = axes[:, spread] / np.sqrt(values[spread])
        p, turn = np.linalg.eigh(whitening.T @ neutral @ whitening)
        frame = whitening @ turn
        # The left inverse of the frame.
        back = turn.T @ (axes[:, spread] * np.sqrt(values[spread])).T
        loads = frame.T @ directions.T

        def pull(point: FloatArray) -> FloatArray:
            """Return half the gradient of the bias term at a symmetric matrix."""
            one = (p[:, None] * (point @ loads)) @ loads.T
            return np.asarray(0.5 * weight * (one + one.T))

        start = back @ back.T
        best = _unconstrained(start, pull)
        if np.linalg.eigvalsh(frame @ best @ frame.T)[0] < -SMALLEST:
            steepest = 1.0 + weight * float(p[-1]) * float(np.linalg.norm(loads, 2) ** 2)
            best = _constrained(start, pull, 1.0 / steepest)
        flat = axes[:, ~spread]
        return np.asarray(frame @ best @ frame.T + flat @ flat.T)


def _unconstrained(start: FloatArray, pull: Change) -> FloatArray:
    """Solve Y + pull(Y) = Y₀ by conjugate gradients; no eigenvalue of the operator is below 1."""
    from scipy.sparse.linalg import LinearOperator, cg

    def changed(flat: FloatArray) -> FloatArray:
        return flat + pull(flat.reshape(start.shape)).ravel()

    operator = LinearOperator((start.size, start.size), matvec=changed, dtype=np.float64)
    flat, failed = cg(operator, start.ravel(), start.ravel(), rtol=1e-12, maxiter=MOST_STEPS)
    if failed:
        raise ValueError(NOT_CONVERGED)
    return np.asarray(flat.reshape(start.shape))


def _constrained(start: FloatArray, pull: Change, pace: float) -> FloatArray:
    """Minimize by accelerated projected gradient over positive semi-definite A, with restarts."""
    point, ahead, inertia = start, start, 1.0
    for _ in range(MOST_STEPS):
        new = ahead - pace * (ahead - start + pull(ahead))
        new = root((new + new.T) / 2, power=1.0)
        moved = new - point
        if np.sum((ahead - new) * moved) > 0:  # the momentum leads uphill
            inertia = 1.0
        inertia, last = (1 + np.sqrt(1 + 4 * inertia**2)) / 2, inertia
        ahead, point = new + (last - 1) / inertia * moved, new
        if np.linalg.norm(moved) <= 1e-12 * np.linalg.norm(start):
            return point
    raise ValueError(NOT_CONVERGED)
