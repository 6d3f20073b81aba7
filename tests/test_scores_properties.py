"""Every entry of `properties()` is shown by the extremes and zeros of the score."""

import re
from pathlib import Path

import numpy as np
import pytest
from builders import normals, unit
from test_scores import ROUNDING

import bayesbias as bb
from bayesbias.scores import (
    direct_bias,
    ect,
    gweat,
    mac,
    nas,
    properties,
    psi,
    ripa,
    rnd,
    rnsb,
    same,
    semaxis,
    weam,
    weat,
)

NEAR = np.array([[1.0, 0.0, 0.0]]), np.array([[1.0, 0.1, 0.0]])
FAR = np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 1.0, 0.0]])
"""Two choices of attribute sets A and B: almost parallel, and orthogonal."""

ATTRIBUTES = [NEAR, FAR]


def axis(A, B):
    """Return the unit direction of the largest possible association, â - b̂."""
    difference = A[0] / np.linalg.norm(A[0]) - B[0] / np.linalg.norm(B[0])
    return difference / np.linalg.norm(difference)


def proved(score: str, *, comparable: bool, trustworthy: bool) -> None:
    """Compare the demonstrated property with its row in the table."""
    row = properties().set_index("score").loc[score]
    assert (row["comparable"], row["trustworthy"]) == (comparable, trustworthy)


def test_every_row_of_the_table_has_its_proof() -> None:
    table, source = properties(), Path(__file__).read_text(encoding="utf-8")
    assert set(table["score"]) == set(re.findall(r'proved\("(\w+)", comp', source))
    assert table.notna().all(axis=None)
    assert table["comparable"].dtype == table["trustworthy"].dtype == bool


def test_sums_of_associations_have_extremes_that_move() -> None:
    limits = []
    for A, B in ATTRIBUTES:
        best, limit = axis(A, B)[None, :], weam(None, A, A, B).limit
        limits.append(limit)
        assert psi(best, A, B).item() == pytest.approx(limit)
        assert psi(-best, A, B).item() == pytest.approx(-limit)
        random = np.random.default_rng(0).normal(size=(1000, 3))
        assert np.abs(psi(random, A, B)).max() <= limit
        assert weat(None, best, -best, A, B).statistic == pytest.approx(2 * limit)
        assert gweat(None, [best, -best], [A, B]).score == pytest.approx(limit)
    assert limits[1] > 10 * limits[0]
    neutral = np.array([[1.0, 1.0, 5.0]])  # equal cosines with the A and B of FAR
    assert psi(neutral, *FAR).item() == pytest.approx(0, abs=ROUNDING)
    proved("psi", comparable=False, trustworthy=True)
    # X and Y have equally strong biases, one toward A and one toward B each.
    X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    assert gweat(None, [X, 2 * X], FAR).score == weat(None, X, 2 * X, *FAR).statistic == 0
    proved("gweat", comparable=False, trustworthy=False)
    proved("weat_statistic", comparable=False, trustworthy=False)


def test_weat_is_comparable_but_not_trustworthy() -> None:
    for A, B in ATTRIBUTES:  # theorem 4
        best = np.repeat(axis(A, B)[None, :], 3, axis=0)
        assert weat(None, best, -best, A, B, ddof=0).effect_size == pytest.approx(2)
        assert weat(None, -best, best, A, B, ddof=0).effect_size == pytest.approx(-2)
    # Theorem 3: X and Y have equally strong biases, one toward A and one toward B each.
    X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    Y = np.array([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    result = weat(None, X, Y, *FAR)
    assert result.effect_size == result.statistic == 0
    assert np.abs(result.association).min() == 1
    proved("weat", comparable=True, trustworthy=False)


def test_direct_bias_is_comparable_but_not_trustworthy() -> None:
    first, second = ([[1.0, 1, 0], [-1, 1, 0]], [[0.0, 2, 1], [0, 2, -1]])
    for pairs in ([first], [[[0.3, 1.0, 0.2], [1.0, 0.1, 0.0]]]):  # theorem 5
        along = unit(pairs[0])[:1] - unit(pairs[0])[1:]
        across = np.cross(along, [[0.3, 0.5, 0.8]])
        assert direct_bias(None, along, pairs).score == pytest.approx(1)
        assert direct_bias(None, across, pairs).score == pytest.approx(0, abs=ROUNDING)
    # Theorem 6: the second pair differs along z, and less than the first does along x. A target
    # along z is biased with respect to the second pair, but the component does not show this.
    target, (A, B) = [[0.0, 0.0, 1.0]], zip(first, second, strict=True)
    assert direct_bias(None, target, [first, second]).score == pytest.approx(0, abs=ROUNDING)
    assert psi(target, A, B).item() > 0.4
    # Conversely, pairs that point in opposite directions have equal group means, so every target is
    # equally close to both groups. However, one target has the largest possible component.
    neutral, (A, B) = [[1.0, 0.0, 0.0]], zip(first, first[::-1], strict=True)
    assert psi(neutral, A, B).item() == pytest.approx(0, abs=ROUNDING)
    assert direct_bias(None, neutral, [first, first[::-1]]).score == pytest.approx(1)
    proved("direct_bias", comparable=True, trustworthy=False)


def test_same_is_comparable_and_trustworthy() -> None:
    random = np.random.default_rng(2)
    for A, B in ATTRIBUTES:
        best = axis(A, B)[None, :]
        across = np.cross(best, [[0.3, 0.5, 0.8]])
        assert same(None, best, [A, B]).score == pytest.approx(1)  # theorem 2
        assert same(None, across, [A, B]).score == pytest.approx(0, abs=ROUNDING)
        # Theorem 1: the score is 0 if and only if all associations are.
        targets = random.normal(size=(50, 3))
        shadow, lean = same(None, targets, [A, B]).per_target, psi(targets, A, B)
        assert np.abs(lean) == pytest.approx(shadow * weam(None, A, A, B).limit, abs=ROUNDING)
        assert same(None, best, [A, B]).skew == pytest.approx(1)
        assert same(None, -best, [A, B]).skew == pytest.approx(-1)
        # Each target leans as far as possible. Together, they lean nowhere or toward one group.
        apart, alike = same(None, [*best, *-best], [A, B]), same(None, [*best, *best], [A, B])
        assert (apart.skew, apart.stereotype) == pytest.approx((0, 1), abs=ROUNDING)
        assert alike.stereotype == pytest.approx(0, abs=ROUNDING)
    proved("same", comparable=True, trustworthy=True)
    proved("same_skew", comparable=True, trustworthy=False)
    proved("same_stereotype", comparable=True, trustworthy=False)


def mac_of(target, *sets) -> float:
    """Compute MAC for one word vector, with only the attribute sets of its group."""
    named = {f"{at}.{i}": row for at, rows in enumerate(sets) for i, row in enumerate(rows)}
    stereotypes = {str(at): [word for word in named if word[0] == str(at)] for at in range(2)}
    words = bb.WordList("toy", {"0": ("t",), "1": ("u",)}, stereotypes)
    return mac(named | {"t": target, "u": target}, words).score


def test_mac_is_neither() -> None:
    extremes = []
    for A, B in ATTRIBUTES:
        mean = (A[0] / np.linalg.norm(A[0]) + B[0] / np.linalg.norm(B[0])) / 2
        extremes.append(mac_of(mean, A, B))
        assert extremes[-1] == pytest.approx(1 - np.linalg.norm(mean))
        assert mac_of(-mean, A, B) == pytest.approx(1 + np.linalg.norm(mean))
    assert extremes[1] > 10 * extremes[0]
    # Distances of 0 from A and 2 from B give the "ideal" 1 for the most biased target.
    assert mac_of([1.0, 0.0], [[1.0, 0.0]], [[-1.0, 0.0]]) == 1
    proved("mac", comparable=False, trustworthy=False)


def test_ripa_is_neither() -> None:
    for X, Y in (NEAR, FAR, np.random.default_rng(3).normal(size=(2, 4, 3))):
        # Its extremes over targets with equal lengths are the same for any pairs, and unbounded.
        b = np.linalg.svd(X - Y)[2][:1]
        b = b * np.sign((X - Y).sum(axis=0) @ b[0])
        pairs = np.stack([X, Y], axis=1)
        for length in (1, -7, 7000):
            assert ripa(None, length * b, pairs).score == pytest.approx(length)
        opposite = np.vstack([b, -b])
        assert ripa(None, opposite, pairs).score == pytest.approx(0, abs=ROUNDING)
    proved("ripa", comparable=False, trustworthy=False)


@pytest.mark.parametrize(("n_a", "n_b"), [(1, 1), (4, 4), (1, 3), (2, 6)])
def test_nas_is_neither(n_a: int, n_b: int) -> None:
    A, B, random = normals(4, n_a, n_b, 1000, dims=9)
    extreme = (n_a + n_b) / np.sqrt(n_a * n_b)
    # Because A and B are independent, a word can have cosine c to all of A and -c to all of B.
    best = np.linalg.pinv(unit(np.vstack([A, B]))) @ np.r_[np.ones(n_a), -np.ones(n_b)]
    assert nas(None, [best, -best], A, B, ddof=0).effect_size == pytest.approx([extreme, -extreme])
    assert np.abs(nas(None, random, A, B, ddof=0).effect_size).max() <= extreme + ROUNDING
    # In the plane, no word has equal cosines with three directions. No angle reaches 2.
    A, B, circle = (
        np.column_stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
        for degrees in ((0, 120, 200), (40, 150, 250), np.arange(0.5, 360))
    )
    assert np.abs(nas(None, circle, A, B, ddof=0).effect_size).max() < 1.2
    opposite = nas(None, [[1.0, 0, 0], [0, 1.0, 0]], *FAR, ddof=0)
    assert (*opposite.effect_size, opposite.score) == (2, -2, 0)
    proved("nas", comparable=False, trustworthy=False)


def test_semaxis_is_comparable_but_not_trustworthy() -> None:
    for A, B in ATTRIBUTES:
        along = A - B
        assert semaxis(None, along, A, B).score == pytest.approx(1)
        assert semaxis(None, [*along, *-along], A, B).score == pytest.approx(0, abs=ROUNDING)
    # A mean of a long and a short word follows the long one, but mean cosines weight both equally:
    # (3, 1)/2 - (0, 1)·1 = (1.5, -.5), which is orthogonal to (1, 3).
    A, B, word = [[3.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]], [[1.0, 3.0]]
    assert semaxis(None, word, A, B).score == pytest.approx(0, abs=ROUNDING)
    assert psi(word, A, B).item() == pytest.approx((1 - 3) / 2 / np.sqrt(10))
    along_units = semaxis(None, word, A, B, unit=True).score
    assert along_units == pytest.approx(psi(word, A, B).item() / weam(None, A, A, B).limit)
    proved("semaxis", comparable=True, trustworthy=False)


def test_rnd_is_neither() -> None:
    for X, Y in ATTRIBUTES:  # here, the groups between which words are compared
        apart = np.linalg.norm(X - Y)
        assert rnd(None, X, Y, X).score == pytest.approx(-apart)
        assert rnd(None, X, Y, 3 * Y - 2 * X).score == pytest.approx(apart)  # on the line, beyond Y
        assert rnd(None, X, Y, [*X, *Y]).score == pytest.approx(0, abs=ROUNDING)  # opposite words
    # Words in X agree and words in Y do not, so Y's mean is short. A word equally close to words
    # in both, by cosines, is .8 from Y's mean and 1.4 from X's.
    X, Y, word = [[0.0, 1.0, 0.0]], [[0.0, 0.6, 0.8], [0.0, -0.6, -0.8]], [[1.0, 0.0, 0.0]]
    assert psi(word, X, Y).item() == pytest.approx(0, abs=ROUNDING)
    assert rnd(None, X, Y, word, unit=True).score == pytest.approx(np.sqrt(2) - 1)
    proved("rnd", comparable=False, trustworthy=False)


def test_ect_is_comparable_but_not_trustworthy() -> None:
    random = np.random.default_rng(6)
    for X, Y in (*ATTRIBUTES, *random.normal(size=(5, 2, 4, 3))):
        x, y = (unit([np.mean(group, axis=0)])[0] for group in (X, Y))
        for together, extreme in ((x + y, 1), (x - y, -1)):
            assert ect(None, X, Y, [together, -together]).score == pytest.approx(extreme)
    # All words are much closer to X, and both groups rank them equally.
    X, Y, words = [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]], [[0.9, 0.1, 0.5], [0.6, 0.05, 0.9]]
    assert psi(words, X, Y).min() > 0.4
    assert ect(None, X, Y, words).score == pytest.approx(1)
    proved("ect", comparable=True, trustworthy=False)


def test_rnsb_is_neither() -> None:
    extremes = []
    for A, B in ATTRIBUTES:
        along = axis(A, B)[None, :]
        two = np.vstack([along, -along])  # of length one
        extremes.append(rnsb(None, two, A, B).score)
        many = np.random.default_rng(7).normal(size=(10, 2, 3))
        assert max(rnsb(None, unit(each), A, B).score for each in many) <= extremes[-1]
        assert rnsb(None, two, A, B, C=10).score > 2 * extremes[-1]
        assert rnsb(None, 1e4 * two, A, B).score == pytest.approx(np.log(2))  # even if A is near B
        # Both are as negative as words of this length can be.
        alike = rnsb(None, [*-along, *-along], A, B)
        assert alike.score == 0
        assert alike.probability.min() > 0.5
    assert extremes[1] > 10 * extremes[0]
    proved("rnsb", comparable=False, trustworthy=False)
