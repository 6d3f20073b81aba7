from __future__ import annotations

import math

import numpy as np
import pytest
from builders import normals, refused

import bayesbias as bb
from bayesbias.scores import rnsb, rnsb_of
from bayesbias.scores.rnsb import divergence_from_uniform


def newton(A, B, C: float = 1.0):
    """Ridge logistic regression by Newton's method, all weights penalised: weights, intercept."""
    rows = np.hstack([np.vstack([A, B]), np.ones((len(A) + len(B), 1))])
    labels = np.r_[np.zeros(len(A)), np.ones(len(B))]
    penalty = np.eye(rows.shape[1])
    beta = np.zeros(rows.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-rows @ beta))
        gradient = C * rows.T @ (p - labels) + penalty @ beta
        beta -= np.linalg.solve(C * (rows.T * (p * (1 - p))) @ rows + penalty, gradient)
    return beta[:-1], beta[-1]


@pytest.mark.parametrize("C", [0.3, 1.0, 5.0])
def test_against_newtons_method(C: float) -> None:
    T, A, B = normals(0, 5, 6, 7, dims=4)
    weights, intercept = newton(A, B, C)
    probability = 1 / (1 + np.exp(-(T @ weights + intercept)))
    share = probability / probability.sum()
    result = rnsb_of(T, A, B, C=C)
    # The solver stops at a gradient of 1e-8 of the objective, probabilities are right to 1e-4.
    assert result.probability == pytest.approx(probability, abs=1e-4)
    assert result.score == pytest.approx(sum(share * np.log(share * 5)), abs=1e-3)
    assert result.share.sum() == pytest.approx(1)
    assert result.penalty_strength == C


def test_coordinates_of_unequal_scale_converge() -> None:
    """A hundredfold between scales takes the solver a thousand steps."""
    random = np.random.default_rng(0)
    scales = np.logspace(-2, 2, 20)
    T, A, B = (random.normal(size=(n, 20)) * scales for n in (5, 30, 30))
    weights, intercept = newton(A, B)
    probability = 1 / (1 + np.exp(-(T @ weights + intercept)))
    assert rnsb_of(T, A, B).probability == pytest.approx(probability, abs=1e-4)  # as above


@pytest.mark.parametrize(
    ("name", "wefe"),
    [("weat1", 0.200699163), ("weat7", 0.110932421), ("weat9", 0.083062670)],
)
def test_value_of_wefe(name: str, wefe: float) -> None:
    """WEFE 1.0.1 on the bundled vectors, ``RNSB().run_query(query, model, holdout=False)``.

    Its solver, LIBLINEAR, was let run to a tolerance of 1e-12; at its default of 1e-4 it is up to
    3e-5 off. scikit-learn 1.9.1.
    """
    vectors, words = bb.load_vectors("glove-demo"), bb.load_wordlist(name)
    targets = [word for group in words.groups.values() for word in group]
    assert rnsb(vectors, targets, *words.stereotypes.values()).score == pytest.approx(
        wefe, abs=1e-6
    )


def test_length_counts_unless_it_is_taken_out() -> None:
    """Vectors that are longer by c are those of a penalty that is weaker by c², intercept aside."""
    T, A, B = normals(0, 5, 6, 7, dims=4)
    plain, longer = rnsb_of(T, A, B).score, rnsb_of(3 * T, 3 * A, 3 * B).score
    assert longer > 1.5 * plain
    unit, again = (rnsb_of(c * T, c * A, c * B, unit=True) for c in (1, 3))
    assert again.score == pytest.approx(unit.score, abs=1e-9)  # the same input but for rounding
    assert (rnsb_of(T, A, B).normalised, unit.normalised) == (False, True)


def test_divergence_by_hand() -> None:
    assert divergence_from_uniform(np.array([0.2, 0.2])) == 0
    assert divergence_from_uniform(np.array([0.9, 0.3])) == pytest.approx(
        0.75 * math.log(1.5) + 0.25 * math.log(0.5)
    )
    assert divergence_from_uniform(np.array([1.0, 0.0])) == pytest.approx(math.log(2))


def test_words_and_equal_results() -> None:
    toy = {"t": [1.0, 0.2], "u": [0.1, 1.0], "good": [1.0, 0.0], "bad": [0.0, 1.0]}
    result = rnsb(toy, ["t", "u", "gone"], ["good"], ["bad"])
    assert result.probability[1] > 0.5 > result.probability[0]
    assert result.missing == {"targets": ("gone",)}
    assert result.score == rnsb(toy, ["t", "u"], ["good"], ["bad"]).score
    refused("A and B share good", rnsb, toy, ["t"], ["good"], ["good"])
