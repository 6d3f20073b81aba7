from __future__ import annotations

import math

import numpy as np
import pytest
from builders import refused
from hypothesis import assume, given
from hypothesis import strategies as st

from bayesbias.scores import group_direction_correlations, same, same_of

ROUNDING = 1e-9
"""Projections on a basis of random differences, whose condition is mild."""


def data(seed: int, n_groups: int, n_dims: int = 6):
    random = np.random.default_rng(seed)
    return random.normal(size=(4, n_dims)), [
        random.normal(size=(3, n_dims)) for _ in range(n_groups)
    ]


def shadow(target, groups) -> float:
    """Length of the orthogonal projection by least squares, no basis made."""
    means = [np.mean([g / np.linalg.norm(g) for g in group], axis=0) for group in groups]
    differences = np.array([mean - means[0] for mean in means[1:]]).T
    unit = target / np.linalg.norm(target)
    weights, *_ = np.linalg.lstsq(differences, unit, rcond=None)
    return float(np.linalg.norm(differences @ weights))


@given(seed=st.integers(0, 10_000), n_groups=st.integers(2, 5))
def test_is_the_length_of_the_projection(seed: int, n_groups: int) -> None:
    targets, groups = data(seed, n_groups)
    result = same_of(targets, groups)
    assert result.per_target == pytest.approx([shadow(t, groups) for t in targets], abs=ROUNDING)
    assert result.score == pytest.approx(result.per_target.mean())
    assert result.components.shape == (4, n_groups - 1)
    assert np.linalg.norm(result.components, axis=1) == pytest.approx(result.per_target)


@given(seed=st.integers(0, 10_000))
def test_two_groups_are_signed(seed: int) -> None:
    targets, groups = data(seed, 2)
    result = same_of(targets, groups)
    means = [np.mean([g / np.linalg.norm(g) for g in group], axis=0) for group in groups]
    toward = means[0] - means[1]
    cosines = targets @ toward / np.linalg.norm(targets, axis=1) / np.linalg.norm(toward)
    assert result.signed == pytest.approx(cosines, abs=ROUNDING)
    assert result.score == pytest.approx(np.abs(cosines).mean(), abs=ROUNDING)
    assert result.skew == pytest.approx(cosines.mean(), abs=ROUNDING)
    assert result.stereotype == pytest.approx(cosines.std(), abs=ROUNDING)


@given(seed=st.integers(0, 10_000), n_groups=st.integers(2, 5), data_=st.data())
def test_range_and_invariances(seed: int, n_groups: int, data_: st.DataObject) -> None:
    targets, groups = data(seed, n_groups)
    score = same_of(targets, groups).score
    assert 0 <= score <= 1
    order = data_.draw(st.permutations(range(n_groups)))
    assert same_of(targets, [groups[i] for i in order]).score == pytest.approx(score, abs=ROUNDING)
    random = np.random.default_rng(seed + 1)
    rotation = np.linalg.qr(random.normal(size=(6, 6)))[0]
    turned = same_of(targets @ rotation, [group @ rotation for group in groups]).score
    assert turned == pytest.approx(score, abs=ROUNDING)
    lengths = [random.uniform(0.01, 100, size=(len(each), 1)) for each in (targets, *groups)]
    longer = same_of(
        targets * lengths[0], [g * n for g, n in zip(groups, lengths[1:], strict=True)]
    )
    assert longer.score == pytest.approx(score, abs=ROUNDING)


@pytest.mark.parametrize("seed", range(20))
def test_rounding_does_not_leave_the_range(seed: int) -> None:
    groups = np.random.default_rng(seed).normal(size=(3, 1, 30))
    g, h, k = (each[0] / np.linalg.norm(each) for each in groups)
    result = same_of([h - g, 3 * (g - k), h - 2 * k + g], list(groups))
    assert result.per_target.max() <= 1
    assert result.score == pytest.approx(1, abs=ROUNDING)


def test_dependent_groups_are_left_out() -> None:
    e = np.eye(3)
    two = same_of(e, [[e[0]], [e[1]]])
    repeated = same_of(e, [[e[0]], [e[1]], [e[0]], [5 * e[1]]])
    assert repeated.rank == two.rank == 1
    assert repeated.score == pytest.approx(two.score)


@pytest.mark.parametrize(
    ("n_groups", "n_dims", "always"), [(5, 3, True), (4, 3, True), (3, 3, False)]
)
def test_more_groups_than_dimensions_leave_no_room(
    n_groups: int, n_dims: int, always: bool
) -> None:
    """n groups span n - 1 directions; where these are all there are, every target has shadow 1."""
    targets, groups = data(0, n_groups, n_dims)
    result = same_of(targets, groups)
    assert (result.rank == n_dims) == always
    assert (result.per_target == pytest.approx(np.ones(4), abs=ROUNDING)) == always


def test_by_hand_on_words() -> None:
    toy = {"he": [1.0, 0, 0], "she": [0, 1.0, 0], "t": [3.0, 0, 4.0], "u": [1.0, 1.0, 0]}
    result = same(toy, ["t", "u", "gone"], {"men": ["he"], "women": ["she"]})
    assert result.signed.tolist() == pytest.approx([0.6 / math.sqrt(2), 0])
    assert result.groups == ("men", "women")
    assert result.words == ("t", "u")
    assert result.missing == {"targets": ("gone",)}
    assert same(toy, ["t", "u"], [["he"], ["she"]]).score == result.score


def test_components_are_named_by_the_groups_that_they_were_made_of() -> None:
    e = np.eye(4)
    words = {"a": e[0], "b": e[1], "c": e[2], "t": 2 * e[2] + e[3], "twice": 3 * e[1]}
    groups = {"first": ["a"], "second": ["b"], "again": ["twice"], "third": ["c"]}
    result = same(words, ["t"], groups)
    assert result.rank == 2
    assert result.component_groups == ("second", "third")
    columns = [column for column in result.per_word() if column.startswith("components")]
    assert columns == ["components_second", "components_third"]
    # By hand: (b - a)/√2 is orthogonal to t; of c - a is left c - a/2 - b/2, of length √1.5.
    expected = [0, 2 / math.sqrt(5) / math.sqrt(1.5)]
    assert result.components[0].tolist() == pytest.approx(expected, abs=ROUNDING)
    arrays = same_of([words["t"]], [[words[each[0]]] for each in groups.values()])
    assert arrays.component_groups == ("1", "3")


@given(seed=st.integers(0, 10_000))
def test_directions_of_three_groups_are_the_sides_of_a_triangle(seed: int) -> None:
    """Law of cosines: the angle at a corner follows from the lengths of the sides alone."""
    _, groups = data(seed, 3)
    words = {f"{at}.{i}": row for at, group in enumerate(groups) for i, row in enumerate(group)}
    named = {f"g{at}": [word for word in words if word.startswith(f"{at}.")] for at in range(3)}
    frame = group_direction_correlations(words, named)
    assert list(frame.index) == list(frame.columns) == ["g0 - g1", "g0 - g2", "g1 - g2"]
    means = [np.mean([g / np.linalg.norm(g) for g in group], axis=0) for group in groups]
    a, b, c = (math.dist(means[i], means[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
    assert np.diag(frame) == pytest.approx(np.ones(3))
    expected = [
        (a**2 + b**2 - c**2) / (2 * a * b),
        -(a**2 + c**2 - b**2) / (2 * a * c),
        (b**2 + c**2 - a**2) / (2 * b * c),
    ]
    upper = frame.to_numpy()[np.triu_indices(3, 1)]
    assert upper == pytest.approx(expected, abs=ROUNDING)


def test_directions_that_are_none_are_named() -> None:
    words = {"a": [1.0, 0.0], "b": [2.0, 0.0], "c": [0.0, 1.0]}
    refused("three groups or more", group_direction_correlations, words, {"x": ["a"], "y": ["c"]})
    groups = {"x": ["a"], "y": ["b"], "z": ["c"]}
    refused("'x' and 'y' have the same mean", group_direction_correlations, words, groups)


def test_bad_input_is_named() -> None:
    result = same_of(np.eye(3), [np.eye(3)[:1], np.eye(3)[1:2], np.eye(3)[2:]])
    with pytest.raises(ValueError, match="rows same_skew and same_stereotype"):
        _ = result.skew


@given(seed=st.integers(0, 10_000))
def test_zero_only_for_targets_equally_near_to_all_groups(seed: int) -> None:
    """Theorem 1: no shadow and equal mean cosines are the same thing."""
    targets, groups = data(seed, 3)
    result = same_of(targets, groups)
    means = np.array([np.mean([g / np.linalg.norm(g) for g in each], axis=0) for each in groups])
    basis = np.linalg.qr((means[1:] - means[0]).T)[0]
    neutral = targets - targets @ basis @ basis.T
    assume((np.linalg.norm(neutral, axis=1) > 0.1).all())
    assert same_of(neutral, groups).score == pytest.approx(0, abs=ROUNDING)
    cosines = neutral @ means.T
    assert np.ptp(cosines, axis=1) == pytest.approx(np.zeros(4), abs=ROUNDING)
    assert (result.per_target > 0).all()
