"""Soft debiasing compared with brute force, and its behavior at extreme strengths."""

import numpy as np
import pytest
from debias_toys import GENDER, RELIGION, SINGLE, direction_of, toy, unit
from scipy.optimize import minimize

from bayesbias.debias import debiasing, soft
from bayesbias.debias.methods.soft import root, solve
from bayesbias.debias.subspace import Moments
from bayesbias.warnings import LittleRemoved


def printed(T, W, N, B, strength: float, *, mean: bool) -> float:
    """Return the objective as printed in the papers, with words as columns, entry by entry."""
    inner = (T @ W).T @ (T @ W) - W.T @ W
    bias = (T @ N).T @ (T @ B)
    if mean:
        return (inner**2).mean() + strength * (bias**2).mean()
    return (inner**2).sum() + strength * (bias**2).sum()


def solved(W, N, B, strength: float, *, mean: bool) -> np.ndarray:
    sums = Moments(W.shape[1], N.shape[1], W.sum(axis=1), W @ W.T, N @ N.T)
    return solve(sums, B.T, strength, "mean" if mean else "sum")[0]


def small_problem(seed: int, dims: int):
    random = np.random.default_rng(seed)
    W = random.normal(size=(dims, 7))
    W /= np.linalg.norm(W, axis=0)
    B = np.linalg.qr(random.normal(size=(dims, 1)))[0]
    return W, W[:, :4], B


def brute_force(W, N, B, strength: float, *, mean: bool) -> float:
    """Minimize the printed objective over all T by descent from several starts."""
    dims = len(W)

    def value(entries):
        return printed(entries.reshape(dims, dims), W, N, B, strength, mean=mean)

    random = np.random.default_rng(9)
    starts = [np.eye(dims).ravel(), *random.normal(size=(2, dims**2))]
    best = min((minimize(value, start, method="BFGS") for start in starts), key=lambda r: r.fun)
    options = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 20_000, "maxfev": 20_000}
    return float(minimize(value, best.x, method="Nelder-Mead", options=options).fun)


PROBLEMS = [(seed, 4, dims, strength) for seed, dims in ((0, 2), (1, 3)) for strength in (0.2, 5)]
BOUND = [(3, 1, 3, 5.0), (17, 2, 3, 50.0)]
"""Seed, neutral words, dimensions, and strength with an indefinite unconstrained optimum."""


@pytest.mark.parametrize("mean", [True, False])
@pytest.mark.parametrize(("seed", "size", "dims", "strength"), [*PROBLEMS, *BOUND])
def test_it_finds_what_brute_force_finds(seed, size, dims, strength, mean) -> None:
    W, N, B = small_problem(seed, dims)
    N = N[:, :size]
    best = brute_force(W, N, B, strength, mean=mean)
    gram = solved(W, N, B, strength, mean=mean)
    assert np.linalg.eigvalsh(gram)[0] > -1e-8
    ours = printed(root(gram), W, N, B, strength, mean=mean)
    # Descent stops at differences of 1e-8, so it is accurate to about 1e-5 and never below ours.
    assert ours <= best * (1 + 1e-8) + 1e-13
    assert ours == pytest.approx(best, rel=1e-5, abs=1e-11)


def test_the_stronger_the_less_bias_is_left() -> None:
    vectors = toy()
    assert debiasing(soft(vectors, GENDER, strength=0)).parameters["bias_left"] == 1
    with pytest.warns(LittleRemoved):
        slight = soft(vectors, GENDER, strength=1e-6, weighting="sum")
    # The map departs from the identity in proportion to the strength, at most by λ·d.
    assert slight.vectors == pytest.approx(unit(vectors, vectors.index_to_key), abs=1e-5 + SINGLE)
    few = soft(toy(dims=100), GENDER, strength=5)  # fewer words than dimensions
    assert debiasing(few).parameters["bias_left"] < 0.5
    left = [
        debiasing(soft(vectors, GENDER, strength=strength)).parameters["bias_left"]
        for strength in (0.2, 1, 10, 1000, 1e6)
    ]
    assert left == sorted(left, reverse=True)
    assert left[0] < 0.8
    assert left[3] < 0.01
    # Bias is measured through TᵀT: words and direction are orthogonal only after the map.
    assert left[4] < 1e-4


def test_bias_left_is_that_of_the_words_before_they_are_made_unit() -> None:
    vectors = toy()
    result = soft(vectors, GENDER, strength=1)
    g = direction_of(vectors)
    words = tuple(vectors.index_to_key)
    before = unit(vectors, words)
    neutral = unit(vectors, tuple(word for word in words if word not in GENDER.kept))
    T = root(solved(before.T, neutral.T, g[:, None], 1.0, mean=True))
    moved = before @ T
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    assert result.vectors == pytest.approx(moved, abs=SINGLE)
    share = np.linalg.norm(neutral @ T @ T @ g) / np.linalg.norm(neutral @ g)
    assert debiasing(result).parameters["bias_left"] == pytest.approx(share)


def test_three_classes_and_all_words_change() -> None:
    vectors = toy()
    result = soft(vectors, RELIGION, strength=10)
    assert debiasing(result).parameters["k"] == 2
    assert not np.allclose(unit(vectors, ("rabbi",)), result["rabbi"])
    assert np.linalg.norm(result.vectors, axis=1) == pytest.approx(1, abs=SINGLE)
