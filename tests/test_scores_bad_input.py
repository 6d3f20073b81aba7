"""What docs/scores.md says under "What is refused", line by line."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from builders import refused

from bayesbias import WordList, scores

RANDOM = np.random.default_rng(0)
VECTORS = {f"{letter}{at}": RANDOM.normal(size=5) for letter in "xyab" for at in range(4)}
X, Y, A, B = ([f"{letter}{at}" for at in range(4)] for letter in "xyab")

FOUR = [scores.weat, scores.gweat, scores.rnd, scores.ect]
THREE = [scores.weam, scores.psi, scores.nas, scores.sc_weat, scores.semaxis, scores.rnsb]


def calls(vectors=VECTORS, x=X, y=Y, a=A, b=B):
    """Every score on word lists, as functions without arguments."""
    words = {"x": x, "y": y}
    yield from (lambda f=f: f(vectors, x, y, a, b) for f in FOUR)
    yield from (lambda f=f: f(vectors, x, a, b) for f in THREE)
    yield lambda: scores.same(vectors, a, words)
    yield lambda: scores.direct_bias(vectors, a, zip(x, y, strict=False))
    yield lambda: scores.ripa(vectors, a, zip(x, y, strict=False))


@pytest.mark.parametrize("of", [{"x": []}, {"a": []}])
def test_empty_sets(of) -> None:
    joined = {"rnd", "ect"} if "a" in of else set()  # A and B are joined there
    for call in calls(**of):
        if call.__defaults__ and call.__defaults__[0].__name__ in joined:
            assert np.isfinite(call().score)
        else:
            refused(r"is empty|leave the set out", call)


def test_a_word_twice_or_in_x_and_y() -> None:
    for f in FOUR:
        refused(r"X holds x0 more than once|group 0 holds x0", f, VECTORS, [*X, "x0"], Y, A, B)
        refused("share x0; take the word out", f, VECTORS, X, [*Y, "x0"], A, B)


def test_a_word_in_a_and_b() -> None:
    for f in (scores.nas, scores.sc_weat, scores.rnsb):
        refused("A and B share a0", f, VECTORS, X, A, [*B, "a0"])
    d = scores.weat(VECTORS, X, Y, A, [*B, "a0"]).association
    rows = [np.stack([VECTORS[w] / np.linalg.norm(VECTORS[w]) for w in ws]) for ws in (X, Y, A, B)]
    with_a0 = np.vstack([rows[3], rows[2][:1]])
    by_hand = np.vstack(rows[:2]) @ (rows[2].mean(axis=0) - with_a0.mean(axis=0))
    assert d == pytest.approx(by_hand)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_vectors_without_direction_are_named(bad: float) -> None:
    for word in ("x1", "a1"):
        for call in calls(vectors=VECTORS | {word: np.full(5, bad)}):
            refused(f"vectors of {word} are all zeros or not finite", call)


def test_vectors_of_different_length() -> None:
    for call in calls(vectors=VECTORS | {"x1": np.ones(3)}):
        refused("of different length", call)
    other = VECTORS | {word: np.ones(3) for word in A + B}
    for f in FOUR:
        refused(r"different length \(.* 5, .* 3", f, other, X, Y, A, B)


def test_equal_vectors() -> None:
    same = dict.fromkeys(VECTORS, np.ones(5))
    refused("all words have the same association", scores.weat, same, X, Y, A, B)
    refused("equally near to every attribute", scores.ect, same, X, Y, A, B)
    for f in (scores.nas, scores.sc_weat):
        refused("equally near to every attribute", f, same, X, A, B)
    for f in (scores.gweat, scores.rnd):
        assert f(same, X, Y, A, B).score == pytest.approx(0, abs=1e-12)  # rounding
    assert scores.weam(same, X, A, B).score == pytest.approx(0, abs=1e-12)
    refused("have the same mean vector", scores.same, same, A, [X, Y])
    pairs = list(zip(X, Y, strict=True))
    refused("every defining set have the same vector", scores.direct_bias, same, A, pairs)
    refused("no direction", scores.ripa, same, A, pairs)


def test_poles_that_differ_by_rounding_only() -> None:
    A, B = [[0.1, 0.2], [0.7, 0.3]], [[0.7, 0.3], [0.1, 0.2 + 1e-16]]
    refused("poles A and B have the same mean vector", scores.semaxis_of, [[1.0, 2.0]], A, B)


def test_cosines_that_differ_by_rounding_tie_in_ect() -> None:
    attributes = np.array([[1.0, 3.0], [0.1, 0.3], [0.7, 2.1], [3.0, 9.0]])  # one direction
    X, Y = [[1.0, 0.2]], [[0.3, 1.0]]
    refused("equally near to every attribute", scores.ect_of, X, Y, attributes)


def test_same_of_one_group_and_of_dependent_ones() -> None:
    refused("needs two or more; got 1", scores.same, VECTORS, A, [X])
    doubled = VECTORS | {f"z{at}": 2 * VECTORS[f"x{at}"] for at in range(4)}
    result = scores.same(doubled, A, [X, Y, ["z0", "z1", "z2", "z3"]])
    assert result.rank == 1
    assert result.score == pytest.approx(scores.same(VECTORS, A, [X, Y]).score)


def test_unequal_sizes() -> None:
    words = WordList("u", {"g": X[:2], "h": Y}, {"g": A, "h": B})
    table = scores.score_table(VECTORS, words, n_resamples=5, seed=0).set_index("score")
    for name in ("ripa", "direct_bias"):
        assert np.isnan(table.loc[name, "value"])
        assert "groups of equal size" in table.loc[name, "note"]
    assert table["value"].notna().sum() == len(table) - 2


def test_a_target_that_is_an_attribute_meets_itself_but_not_in_mac() -> None:
    cosines = [
        VECTORS["a0"] @ VECTORS[b] / np.linalg.norm(VECTORS["a0"]) / np.linalg.norm(VECTORS[b])
        for b in B
    ]
    assert scores.weam(VECTORS, ["a0"], ["a0"], B).psi[0] == pytest.approx(1 - np.mean(cosines))
    words = WordList("m", {"g": ("a0",), "h": ("y0",)}, {"g": ("a0", "a1"), "h": ("b0",)})
    result = scores.mac(VECTORS, words)
    assert result.distance[0, 0] == pytest.approx(
        1 - scores.weam(VECTORS, ["a0"], ["a1"], B).psi[0] - np.mean(cosines)
    )


@pytest.mark.parametrize("bad", [[], [np.nan, 1.0], [[1.0, 2.0]]])
def test_associations_given_as_numbers(bad) -> None:
    told = r"one finite number a word|at least one association"
    refused(told, scores.weat_of_associations, bad, [0.1, 0.2])


@pytest.mark.parametrize("c", [-1, np.nan, np.inf])
def test_strictness_of_direct_bias(c: float) -> None:
    pairs = [("x0", "y0")]
    refused("must not be negative, infinite or NaN", scores.direct_bias, VECTORS, A, pairs, c=c)


def test_no_pairs_and_no_resamples() -> None:
    for f in (scores.direct_bias, scores.ripa):
        refused("is empty; at least one pair", f, VECTORS, A, [])
    rows, few = np.ones((3, 2)), "n_resamples must be at least 2, got 0"
    refused(few, scores.bootstrap_of, np.mean, rows, n_resamples=0)


def test_arguments_of_the_table_are_checked_before_it_is_made() -> None:
    words = WordList("t", {"g": X, "h": Y}, {"g": A, "h": B})
    table, robustness = (
        partial(f, VECTORS, words) for f in (scores.score_table, scores.robustness)
    )
    for f in (table, robustness):
        refused("must be a list of names; got the string 'weat'", f, scores="weat", error=TypeError)
        refused("for an 89% interval pass", f, ci_prob=89)
    refused("unknown alternative 'left'", table, scores=["mac"], alternative="left")
