"""Every entry of `properties()`: extremes by construction, or a counterexample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesbias.scores import (
    association_limit_of,
    direct_bias_of,
    direction_correlations,
    ect_of,
    effect_sizes,
    gweat_of,
    mac_of,
    nas_of,
    properties,
    psi_of,
    ripa_of,
    rnd_of,
    rnsb_of,
    same_of,
    semaxis_of,
    weat_of,
)

NEAR = np.array([[1.0, 0.0, 0.0]]), np.array([[1.0, 0.1, 0.0]])
FAR = np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 1.0, 0.0]])
"""Two choices of attribute sets A and B: nearly the same direction, and orthogonal ones."""

ATTRIBUTES = [NEAR, FAR]

ROUNDING = 1e-9
"""Lengths and cosines of three-dimensional vectors."""


def axis(A, B):
    """Direction of the largest possible association, â - b̂, of unit length."""
    difference = A[0] / np.linalg.norm(A[0]) - B[0] / np.linalg.norm(B[0])
    return difference / np.linalg.norm(difference)


def on_circle(*degrees):
    """Unit vectors of the plane."""
    angles = np.radians(np.ravel(degrees))
    return np.column_stack([np.cos(angles), np.sin(angles)])


def proved(score: str) -> tuple[bool, bool]:
    """Whether a score is comparable, and trustworthy."""
    return tuple(properties().set_index("score").loc[score, ["comparable", "trustworthy"]])


def test_every_row_of_the_table_has_its_proof() -> None:
    table = properties()
    shown = {name.split("_is_")[0].removeprefix("test_") for name in globals() if "_is_" in name}
    assert set(table["score"]) == shown
    assert table.notna().all(axis=None)
    assert table["comparable"].dtype == table["trustworthy"].dtype == bool


def test_psi_is_trustworthy_but_its_extremes_move() -> None:
    extremes = []
    for A, B in ATTRIBUTES:
        best = axis(A, B)[None, :]
        extremes.append(psi_of(best, A, B).item())
        assert extremes[-1] == pytest.approx(association_limit_of(A, B))
        assert psi_of(-best, A, B).item() == pytest.approx(-extremes[-1])
        random = np.random.default_rng(0).normal(size=(1000, 3))
        assert np.abs(psi_of(random, A, B)).max() <= extremes[-1]
    assert extremes[1] > 10 * extremes[0]
    neutral = np.array([[1.0, 1.0, 5.0]])  # equal cosines with FAR's A and B
    assert psi_of(neutral, *FAR).item() == pytest.approx(0, abs=ROUNDING)
    assert proved("psi") == (False, True)


@given(seed=st.integers(0, 10_000), m=st.integers(1, 6))
def test_lemma_1_half_of_standardised_values_sums_to_at_most_m(seed: int, m: int) -> None:
    c = np.random.default_rng(seed).normal(size=2 * m)
    assert abs(((c - c.mean()) / c.std())[:m].sum()) <= m + ROUNDING
    split = np.r_[np.ones(m), -np.ones(m)]  # where it is reached
    assert ((split - split.mean()) / split.std())[:m].sum() == pytest.approx(m)


def test_weat_is_comparable_but_not_trustworthy() -> None:
    for A, B in ATTRIBUTES:  # theorem 4
        best = np.repeat(axis(A, B)[None, :], 3, axis=0)
        assert weat_of(best, -best, A, B, ddof=0).effect_size == pytest.approx(2)
        assert weat_of(-best, best, A, B, ddof=0).effect_size == pytest.approx(-2)
    random = np.random.default_rng(1)
    many = effect_sizes(random.normal(size=(5000, 4)), random.normal(size=(5000, 4)), 0)
    assert np.abs(many).max() <= 2
    # Theorem 3: X and Y hold the same strong biases, one towards A and one towards B each.
    X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    Y = np.array([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    result = weat_of(X, Y, *FAR)
    assert result.effect_size == result.statistic == 0
    assert np.abs(result.association).min() == 1
    assert proved("weat") == (True, False)


def test_small_spread_makes_large_effects() -> None:
    """SP on theorem 4: d grows as the spread within groups shrinks, the groups as separate."""
    wide = effect_sizes([0.1, 0.3], [-0.1, -0.3], 0)
    tight = effect_sizes([0.01, 0.01], [-0.01, -0.01], 0)
    assert tight == pytest.approx(2)
    assert wide < 1.8


def test_weat_statistic_is_neither() -> None:
    extremes = []
    for A, B in ATTRIBUTES:
        best = axis(A, B)[None, :]
        extremes.append(weat_of(best, -best, A, B).statistic)
        assert extremes[-1] == pytest.approx(2 * association_limit_of(A, B))
    assert extremes[1] > 10 * extremes[0]
    assert proved("weat_statistic") == (
        False,
        False,
    )  # the counterexample of WEAT above has S = 0 too


def test_direct_bias_is_comparable_but_not_trustworthy() -> None:
    pairs = [np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])]
    for pair in (*pairs, np.array([[0.3, 1.0, 0.2], [1.0, 0.1, 0.0]])):  # theorem 5
        unit = pair / np.linalg.norm(pair, axis=1, keepdims=True)
        along = (unit[0] - unit[1])[None, :]
        across = np.cross(along, [[0.3, 0.5, 0.8]])
        assert direct_bias_of(along, [pair]).score == pytest.approx(1)
        assert direct_bias_of(across, [pair]).score == pytest.approx(0, abs=ROUNDING)
    # Theorem 6: the second pair differs along z, less than the first does along x; a target
    # along z is biased with regard to the second pair, and the component does not show it.
    first = np.array([[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    second = np.array([[0.0, 2.0, 1.0], [0.0, 2.0, -1.0]])
    target = np.array([[0.0, 0.0, 1.0]])
    assert direct_bias_of(target, [first, second]).score == pytest.approx(0, abs=ROUNDING)
    A, B = np.vstack([first[0], second[0]]), np.vstack([first[1], second[1]])
    assert psi_of(target, A, B).item() > 0.4
    assert proved("direct_bias") == (True, False)
    assert direct_bias_of([[1.0, 0.0, 0.0]], [first, second]).score == pytest.approx(1)
    # And the other way: pairs that point in opposite directions have equal group means, so that
    # every target is equally near to both groups, and the component gives one of them the most.
    there, back = np.array([[1.0, 1, 0], [-1.0, 1, 0]]), np.array([[-1.0, 1, 0], [1.0, 1, 0]])
    A, B = np.vstack([there[0], back[0]]), np.vstack([there[1], back[1]])
    neutral = np.array([[1.0, 0.0, 0.0]])
    assert psi_of(neutral, A, B).item() == pytest.approx(0, abs=ROUNDING)
    assert direct_bias_of(neutral, [there, back]).score == pytest.approx(1)
    vectors = dict(zip("abcd", [*first, *second], strict=True))
    frame = direction_correlations(vectors, [("a", "b"), ("c", "d")])
    assert frame["component"].tolist() == pytest.approx([1, 0, 1], abs=ROUNDING)


def test_same_is_comparable_and_trustworthy() -> None:
    random = np.random.default_rng(2)
    for A, B in ATTRIBUTES:
        best = axis(A, B)[None, :]
        across = np.cross(best, [[0.3, 0.5, 0.8]])
        assert same_of(best, [A, B]).score == pytest.approx(1)  # theorem 2
        assert same_of(across, [A, B]).score == pytest.approx(0, abs=ROUNDING)
        # Theorem 1: the score is 0 when all associations are, and only then (test_scores_same).
        assert psi_of(across, A, B).item() == pytest.approx(0, abs=ROUNDING)
        targets = random.normal(size=(50, 3))
        shadow, psi = same_of(targets, [A, B]).per_target, psi_of(targets, A, B)
        assert np.abs(psi) == pytest.approx(shadow * association_limit_of(A, B), abs=ROUNDING)
    # The counterexamples of WEAT and of Direct Bias do not escape SAME.
    assert same_of([[1.0, 0, 0], [0, 1.0, 0]], FAR).score > 0.7
    A = np.array([[1.0, 1.0, 0.0], [0.0, 2.0, 1.0]])
    B = np.array([[-1.0, 1.0, 0.0], [0.0, 2.0, -1.0]])
    assert same_of([[0.0, 0.0, 1.0]], [A, B]).score > 0.4
    assert proved("same") == (True, True)


def test_same_skew_is_comparable_but_not_trustworthy() -> None:
    for A, B in ATTRIBUTES:
        best = axis(A, B)[None, :]
        assert same_of(best, [A, B]).skew == pytest.approx(1)
        assert same_of(-best, [A, B]).skew == pytest.approx(-1)
        # Each target leans as far as it can, and together they lean nowhere.
        assert same_of([*best, *-best], [A, B]).skew == pytest.approx(0, abs=ROUNDING)
    assert proved("same_skew") == (True, False)


def test_same_stereotype_is_comparable_but_not_trustworthy() -> None:
    for A, B in ATTRIBUTES:
        best = axis(A, B)[None, :]
        assert same_of([*best, *-best], [A, B]).stereotype == pytest.approx(1)
        # Both targets lean as far as they can to the same group.
        assert same_of([*best, *best], [A, B]).stereotype == pytest.approx(0, abs=ROUNDING)
    assert proved("same_stereotype") == (True, False)


def test_mac_is_neither() -> None:
    extremes = []
    for A, B in ATTRIBUTES:
        mean = (A[0] / np.linalg.norm(A[0]) + B[0] / np.linalg.norm(B[0])) / 2
        extremes.append(mac_of(mean[None, :], [A, B]).score)
        assert extremes[-1] == pytest.approx(1 - np.linalg.norm(mean))
        assert mac_of(-mean[None, :], [A, B]).score == pytest.approx(1 + np.linalg.norm(mean))
    assert extremes[1] > 10 * extremes[0]
    # Distance 0 from A and 2 from B: the "ideal" 1, for the most biased target there is.
    biased = mac_of([[1.0, 0.0]], [[[1.0, 0.0]], [[-1.0, 0.0]]])
    assert biased.distance.tolist() == [[0, 2]]
    assert biased.score == 1
    assert proved("mac") == (False, False)


def test_gweat_is_neither() -> None:
    extremes = []
    for A, B in ATTRIBUTES:
        best = axis(A, B)[None, :]
        extremes.append(gweat_of([best, -best], [A, B]).score)
        assert extremes[-1] == pytest.approx(association_limit_of(A, B))
    assert extremes[1] > 10 * extremes[0]
    X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    assert gweat_of([X, 2 * X], FAR).score == 0
    assert proved("gweat") == (False, False)


def test_ripa_is_neither() -> None:
    random = np.random.default_rng(3)
    for pairs in (NEAR, FAR, random.normal(size=(2, 4, 3))):
        # Its extremes over targets of one length are the same for any pairs, and have no bound.
        b = np.linalg.svd(pairs[0] - pairs[1])[2][:1]
        b = b * np.sign((pairs[0] - pairs[1]).sum(axis=0) @ b[0])
        for length in (1, 7, 7000):
            assert ripa_of(length * b, *pairs).score == pytest.approx(length)
            assert ripa_of(-length * b, *pairs).score == pytest.approx(-length)
        targets = random.normal(size=(1000, 3))
        assert (
            np.abs(ripa_of(targets, *pairs).per_target) <= np.linalg.norm(targets, axis=1)
        ).all()
    best = axis(*FAR)[None, :]
    assert ripa_of(np.vstack([best, -best]), *FAR).score == pytest.approx(0, abs=ROUNDING)
    row = properties().set_index("score").loc["ripa"]
    assert (row["lowest"], row["highest"]) == ("-∞", "∞")
    assert proved("ripa") == (False, False)


def test_nas_is_neither() -> None:
    random = np.random.default_rng(4)
    for n_a, n_b, extreme in (
        (1, 1, 2),
        (4, 4, 2),
        (1, 3, 4 / np.sqrt(3)),
        (2, 6, 8 / np.sqrt(12)),
    ):
        A, B = random.normal(size=(n_a, 9)), random.normal(size=(n_b, 9))
        # A word with the cosine c to all of A and -c to all of B, as they are independent.
        units = np.vstack([A, B]) / np.linalg.norm(np.vstack([A, B]), axis=1, keepdims=True)
        best = np.linalg.pinv(units) @ np.r_[np.ones(n_a), -np.ones(n_b)]
        assert nas_of(best[None, :], A, B, ddof=0).score == pytest.approx(extreme)
        assert nas_of(-best[None, :], A, B, ddof=0).score == pytest.approx(-extreme)
        many = nas_of(random.normal(size=(1000, 9)), A, B, ddof=0).effect_size
        assert np.abs(many).max() <= extreme + ROUNDING
    # In the plane no word has one cosine with three directions: every angle, and 2 is not reached.
    A, B, circle = (
        on_circle(*each) for each in ((0, 120, 200), (40, 150, 250), np.arange(0.5, 360))
    )
    assert np.abs(nas_of(circle, A, B, ddof=0).effect_size).max() < 1.2
    assert nas_of([[1.0, 0, 0], [0, 1.0, 0]], *FAR, ddof=0).effect_size.tolist() == [2, -2]
    assert nas_of([[1.0, 0, 0], [0, 1.0, 0]], *FAR, ddof=0).score == 0
    assert proved("nas") == (False, False)


def test_semaxis_is_comparable_but_not_trustworthy() -> None:
    for A, B in ATTRIBUTES:
        along = A - B
        assert semaxis_of(along, A, B).score == pytest.approx(1)
        assert semaxis_of(-along, A, B).score == pytest.approx(-1)
        assert semaxis_of([*along, *-along], A, B).score == pytest.approx(0, abs=ROUNDING)
    # A pole of a long and a short word points along the long one, mean cosines count both alike:
    # (3, 1)/2 - (0, 1)·1 = (1.5, -.5), across which (1, 3) lies.
    A, B, word = [[3.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]], [[1.0, 3.0]]
    assert semaxis_of(word, A, B).score == pytest.approx(0, abs=ROUNDING)
    assert psi_of(word, A, B).item() == pytest.approx((1 - 3) / 2 / np.sqrt(10))
    unit = semaxis_of(word, A, B, unit=True).score
    assert unit == pytest.approx(psi_of(word, A, B).item() / association_limit_of(A, B))
    assert proved("semaxis") == (True, False)


def test_rnd_is_neither() -> None:
    random = np.random.default_rng(5)
    for X, Y in ATTRIBUTES:  # here the groups, between which words are held
        apart = np.linalg.norm(X - Y)
        assert rnd_of(X, Y, X).score == pytest.approx(-apart)
        assert rnd_of(X, Y, 3 * Y - 2 * X).score == pytest.approx(apart)  # on the line, beyond Y
        words = 3 * random.normal(size=(1000, 3))
        assert np.abs(rnd_of(X, Y, words).per_attribute).max() <= apart + ROUNDING
        assert rnd_of(X, Y, [*X, *Y]).score == pytest.approx(0, abs=ROUNDING)  # opposite words
    # X is of one mind and Y is not, so that Y's mean is short: a word equally near to the words of
    # both by its cosines is .8 from Y's mean and 1.4 from X's.
    X, Y, word = [[0.0, 1.0, 0.0]], [[0.0, 0.6, 0.8], [0.0, -0.6, -0.8]], [[1.0, 0.0, 0.0]]
    assert psi_of(word, X, Y).item() == pytest.approx(0, abs=ROUNDING)
    assert rnd_of(X, Y, word, unit=True).score == pytest.approx(np.sqrt(2) - 1)
    assert rnd_of(X, [[0.0, 0.6, 0.8]], word, unit=True).score == pytest.approx(0, abs=ROUNDING)
    assert proved("rnd") == (False, False)


def test_ect_is_comparable_but_not_trustworthy() -> None:
    random = np.random.default_rng(6)
    for X, Y in (*ATTRIBUTES, *random.normal(size=(5, 2, 4, 3))):
        x, y = (each / np.linalg.norm(each) for each in (np.mean(X, axis=0), np.mean(Y, axis=0)))
        for together, extreme in ((x + y, 1), (x - y, -1)):
            words = np.stack([together, -together])
            assert ect_of(X, Y, words).score == pytest.approx(extreme)
    # Two means in one direction rank alike whatever the words, in opposite ones the other way.
    words = random.normal(size=(5, 3))
    assert ect_of([[1.0, 2.0, 0.0]], [[2.0, 4.0, 0.0]], words).score == pytest.approx(1)
    assert ect_of([[1.0, 2.0, 0.0]], [[-2.0, -4.0, 0.0]], words).score == pytest.approx(-1)
    # All words lie far nearer to X, and both groups rank them alike.
    X, Y, words = [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]], [[0.9, 0.1, 0.5], [0.6, 0.05, 0.9]]
    assert psi_of(words, X, Y).min() > 0.4
    assert ect_of(X, Y, words).score == pytest.approx(1)
    assert proved("ect") == (True, False)


def test_rnsb_is_neither() -> None:
    extremes = []
    for A, B in ATTRIBUTES:
        along = axis(A, B)[None, :]
        two = np.vstack([along, -along])  # of length one
        extremes.append(rnsb_of(two, A, B).score)
        many = np.random.default_rng(7).normal(size=(10, 2, 3))
        unit = many / np.linalg.norm(many, axis=2, keepdims=True)
        assert max(rnsb_of(each, A, B).score for each in unit) <= extremes[-1]
        assert rnsb_of(two, A, B, C=10).score > 2 * extremes[-1]
        assert rnsb_of(1e4 * two, A, B).score == pytest.approx(np.log(2))  # however near A and B
        # As negative as words of this length can be, both of them.
        assert rnsb_of([*-along, *-along], A, B).score == 0
        assert rnsb_of([*-along, *-along], A, B).probability.min() > 0.5
    assert extremes[1] > 10 * extremes[0]
    assert proved("rnsb") == (False, False)
