from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from builders import normals, refused
from hypothesis import given
from hypothesis import strategies as st

import bayesbias as bb
from bayesbias.scores import ripa, ripa_of

ROUNDING = 1e-10
"""Inner products of five numbers in float64."""


def relation_of(differences: list[list[float]]) -> list[float]:
    """The leading eigenvector of the sum of outer products, by powers of the matrix."""
    matrix = sum(np.outer(each, each) for each in differences)
    for _ in range(60):  # the gap is raised to the power 2^60
        matrix = matrix @ matrix
        matrix = matrix / np.abs(matrix).max()
    vector = matrix[:, np.abs(matrix).sum(axis=0).argmax()]
    vector = vector / math.sqrt(sum(v * v for v in vector))
    return (vector if sum(np.dot(d, vector) for d in differences) > 0 else -vector).tolist()


@given(seed=st.integers(0, 10_000), relation=st.sampled_from(["component", "mean"]))
def test_against_plain_loops(seed: int, relation: str) -> None:
    W, X, Y = (rows.tolist() for rows in normals(seed, 4, 3, 3))
    result = ripa_of(W, X, Y, relation=relation)
    pairs = [[p - q for p, q in zip(x, y, strict=True)] for x, y in zip(X, Y, strict=True)]
    vector = relation_of(pairs)
    for at, w in enumerate(W):
        products = []
        for b in pairs:
            length = math.sqrt(sum(v * v for v in b))
            products.append(sum(p * q for p, q in zip(w, b, strict=True)) / length)
        assert result.products[at] == pytest.approx(products, abs=ROUNDING)
        assert result.sd[at] == pytest.approx(statistics.pstdev(products), abs=ROUNDING)
        along = sum(p * q for p, q in zip(w, vector, strict=True))
        expected = along if relation == "component" else statistics.fmean(products)
        # An eigenvector is as sure as its eigenvalue is apart from the next.
        assert result.per_target[at] == pytest.approx(expected, abs=1e-6)
    assert result.score == pytest.approx(result.per_target.mean())
    assert result.relation == relation
    longer = ripa_of(10 * np.array(W), X, Y, relation=relation)
    assert longer.score == pytest.approx(10 * result.score, abs=10 * ROUNDING)


@given(seed=st.integers(0, 10_000))
def test_one_pair_is_its_own_component(seed: int) -> None:
    W, X, Y = normals(seed, 4, 1, 1)
    component, mean = (ripa_of(W, X, Y, relation=of) for of in ("component", "mean"))
    assert component.per_target == pytest.approx(mean.per_target, abs=ROUNDING)


def test_the_range_of_several_pairs_is_reached() -> None:
    """Orthogonal differences of lengths 3 and 1: b is the first of them, the mean in between."""
    X, Y = np.array([[3.0, 0.0], [0.0, 1.0]]), np.zeros((2, 2))
    best = [[5.0, 0.0]]
    assert ripa_of(best, X, Y).score == pytest.approx(5)
    assert ripa_of(best, X, Y, relation="mean").score == pytest.approx(2.5)
    between = [[5 / math.sqrt(2), 5 / math.sqrt(2)]]  # the best that the mean can do
    assert ripa_of(between, X, Y, relation="mean").score == pytest.approx(5 * math.sqrt(0.5))
    # Exchanging the words of all pairs exchanges the sign.
    assert ripa_of(best, Y, X).score == pytest.approx(-5)


@pytest.mark.parametrize(("name", "wefe"), [("weat7", -0.7715742588), ("weat9", 0.0805891752)])
def test_value_of_wefe(name: str, wefe: float) -> None:
    """WEFE 1.0.1 on the bundled vectors, ``RIPA().run_query(Query([X, Y], [A]), model)``.

    It averages over pairs; the component is another number.
    """
    vectors, words = bb.load_vectors("glove-demo"), bb.load_wordlist(name)
    pairs = list(zip(*words.groups.values(), strict=True))
    A = next(iter(words.stereotypes.values()))
    assert ripa(vectors, A, pairs, relation="mean").score == pytest.approx(wefe, abs=1e-6)
    found = [word for word in A if word in vectors]
    b = relation_of([(vectors[x] - vectors[y]).astype(float).tolist() for x, y in pairs])
    component = sum(float(vectors[word] @ b) for word in found) / len(found)
    assert ripa(vectors, A, pairs).score == pytest.approx(component, abs=1e-6)
    assert abs(component - wefe) > 0.003


TOY = {"he": [1.0, 0.0], "she": [0.0, 1.0], "t": [4.0, 1.0]}


def test_on_words() -> None:
    result = ripa(TOY, ["t", "gone"], [("he", "she"), ("he", "lost")])
    assert result.score == pytest.approx(3 / math.sqrt(2))
    assert result.missing == {"targets": ("gone",), "pairs": ("lost",)}
    assert result.pairs == (("he", "she"),)
    assert ripa(TOY, ["t"], [("she", "he")]).score == pytest.approx(-3 / math.sqrt(2))


def test_bad_input_is_named() -> None:
    refused("RIPA takes pairs of words", ripa, TOY, ["t"], [("he", "she", "t")])
    refused(
        "unknown relation 'means'; did you mean 'mean'",
        *(ripa, TOY, ["t"], [("he", "she")]),
        relation="means",
    )
    refused("two equal vectors", ripa_of, [[1.0, 0.0]], [[1.0, 1.0]], [[1.0, 1.0]])
