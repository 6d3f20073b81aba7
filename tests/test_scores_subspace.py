from __future__ import annotations

import numpy as np
import pytest
from builders import refused
from hypothesis import given
from hypothesis import strategies as st

from bayesbias.scores.subspace import (
    bias_subspace,
    gram_schmidt,
    group_means,
    pair_directions,
    principal_components,
)

ROUNDING = 1e-12
"""A few hundred float64 products of numbers near 1."""


def test_group_means_weigh_every_word_alike() -> None:
    assert group_means([[[2.0, 0.0], [0.0, 5.0]], [[0.0, -3.0]]]).tolist() == [[0.5, 0.5], [0, -1]]


@given(seed=st.integers(0, 10_000), rows=st.integers(1, 5))
def test_basis_is_orthonormal_and_spans_the_rows(seed: int, rows: int) -> None:
    matrix = np.random.default_rng(seed).normal(size=(rows, 6))
    basis, _ = gram_schmidt(matrix)
    assert basis.shape == (rows, 6)
    assert np.allclose(basis @ basis.T, np.eye(rows), atol=ROUNDING)
    assert np.allclose(matrix @ basis.T @ basis, matrix, atol=1e-10)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1.0, 1e3])
def test_near_parallel_rows_stay_orthonormal(scale: float) -> None:
    random = np.random.default_rng(0)
    # The case on which one pass loses digits: of a remainder of 1e-5, all but 1e-11.
    matrix = random.normal(size=30) + 1e-5 * random.normal(size=(5, 30))
    basis, _ = gram_schmidt(scale * matrix)
    assert basis.shape == (5, 30)
    assert np.allclose(basis @ basis.T, np.eye(5), rtol=0, atol=1e-14)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize(("tilt", "rank"), [(5e-6, 2), (5e-7, 1)])
def test_rows_count_from_a_millionth_of_the_longest(scale: float, tilt: float, rank: int) -> None:
    rows = scale * np.array([[1.0, 0, 0]] * 100 + [[0, tilt, 0]])
    assert len(gram_schmidt(rows)[0]) == rank
    assert len(gram_schmidt(rows.astype(np.float32))[0]) == rank
    pairs = [[rows[0], -rows[0]], [rows[-1], -rows[-1]]]
    if rank == 2:
        assert len(principal_components(pairs, 2).directions) == 2
    else:
        refused("k must lie in 1 to 1", principal_components, pairs, 2)


def test_a_basis_is_of_float64_whatever_the_rows() -> None:
    basis, _ = gram_schmidt(np.array([[1, 2], [2, 1]], dtype=np.float32))
    assert basis.dtype == np.float64
    assert np.allclose(basis @ basis.T, np.eye(2), rtol=0, atol=1e-15)
    assert gram_schmidt(np.empty((0, 3)))[0].shape == (0, 3)
    assert gram_schmidt(np.zeros((2, 3)))[0].shape == (0, 3)


def test_dependent_rows_are_left_out() -> None:
    rows = np.array([[1.0, 0, 0], [2.0, 0, 0], [0, 0, 0], [1.0, 1.0, 0]])
    basis, made_of = gram_schmidt(rows)
    assert basis.tolist() == [[1, 0, 0], [0, 1, 0]]
    assert made_of == [0, 3]
    single = np.random.default_rng(0).normal(size=(3, 8)).astype(np.float32)
    single[2] = (single[0] + single[1]) / 3  # dependent but for float32 rounding
    assert gram_schmidt(single)[1] == [0, 1]


def test_bias_subspace_by_hand() -> None:
    groups = [[[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0]]]
    first = np.array([-1, 1, 0]) / np.sqrt(2)
    second = np.array([-1, -1, 2]) / np.sqrt(6)
    assert np.allclose(bias_subspace(groups), [first, second], atol=ROUNDING)


def test_groups_that_do_not_differ_are_refused() -> None:
    refused("at least two groups; got 1", bias_subspace, [[[1.0, 0.0]]])
    refused("same mean vector", bias_subspace, [[[1.0, 0.0]], [[3.0, 0.0]]])
    near = [[[1.0, 8e-7 * np.sin(at), 8e-7 * np.cos(at)]] for at in range(5)]
    # None is a millionth off the first.
    refused("same mean vector", bias_subspace, [[[1.0, 0.0, 0.0]], *near])


def test_pair_directions() -> None:
    assert pair_directions([[3.0, 4.0]], [[0.0, 0.0]]).tolist() == [[0.6, 0.8]]
    first, second = np.eye(2)
    refused("as many first as second words; got 1 and 2", pair_directions, [first], [first, second])
    twice = [first, first], [second, first]
    refused(r"pair\(s\) \[1\] hold two equal vectors", pair_directions, *twice)


@given(seed=st.integers(0, 10_000))
def test_components_are_eigenvectors_of_the_centred_covariance(seed: int) -> None:
    sets = np.random.default_rng(seed).normal(size=(6, 2, 4))
    found = principal_components(list(sets), 3)
    covariance = np.zeros((4, 4))
    for pair in sets:
        for member in pair:
            centred = member - (pair[0] + pair[1]) / 2
            covariance += np.outer(centred, centred)
    values = np.linalg.eigvalsh(covariance)[::-1]
    assert np.allclose(found.explained, values[:3] / values.sum(), atol=1e-10)
    assert np.allclose(covariance @ found.directions.T, found.directions.T * values[:3], atol=1e-9)
    along = sum(found.directions @ (pair[0] - pair[1]) for pair in sets)
    assert (np.asarray(along) >= 0).all()


@given(seed=st.integers(0, 10_000))
def test_components_point_to_the_first_member_rather_than_to_the_last(seed: int) -> None:
    sets = np.random.default_rng(seed).normal(size=(2, 3, 5))
    directions = principal_components(list(sets)).directions
    assert (directions @ (sets[:, 0] - sets[:, 2]).sum(axis=0) >= 0).all()


def test_as_many_components_as_sets_have_members_less_one() -> None:
    triplets = list(np.random.default_rng(0).normal(size=(4, 3, 5)))
    assert len(principal_components(triplets).directions) == 2
    refused("k must lie in 1 to 1", principal_components, [np.eye(3)[:2]], 2)
    refused("k must lie in 1 to 1", principal_components, [np.eye(3)[:2]], 0)
    wrong = [np.eye(3)[:2], [1.0, 0.0, 0.0]]
    refused(r"^defining set 1 must be a matrix", principal_components, wrong)
    refused("at least one defining set", principal_components, [])
    refused("have the same vector", principal_components, [[[1.0, 0.0], [1.0, 0.0]]], 1)
