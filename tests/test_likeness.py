"""Likeness of units by the cosines of their vectors."""

from __future__ import annotations

import numpy as np
import pytest

from bayesbias.model.likeness import directions, effective_number, likeness


def test_unrelated_units_have_a_variance_of_one_in_every_direction() -> None:
    split = directions(np.eye(5))
    assert split.mean == pytest.approx(1.0)
    np.testing.assert_allclose(split.deviations, np.ones(4))
    np.testing.assert_allclose(split.basis.T @ split.basis, np.eye(4), atol=1e-14)
    np.testing.assert_allclose(split.basis.sum(axis=0), np.zeros(4), atol=1e-14)


def test_two_clusters_of_equal_words_count_as_two_words() -> None:
    unit = np.eye(4)[[0, 0, 0, 1, 1, 1, 2, 3]]  # six words of one group, two of another
    block = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    np.testing.assert_allclose(effective_number(likeness(unit @ unit.T, block), block), [2.0, 2.0])


def test_mean_and_deviations_have_the_variances_that_a_covariance_gives_them() -> None:
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((6, 9))
    gram = rows @ rows.T
    block = gram / np.sqrt(np.outer(np.diag(gram), np.diag(gram)))
    split = directions(block)
    assert split.mean == pytest.approx(np.ones(6) @ block @ np.ones(6) / 6)
    centered = block - block.mean(0) - block.mean(1)[:, None] + block.mean()
    rebuilt = (split.basis * split.deviations) @ split.basis.T
    np.testing.assert_allclose(rebuilt, centered, atol=1e-12)


def test_likeness_is_above_the_mean_cosine_between_blocks() -> None:
    cosines = np.array([[1.0, 0.6, 0.2], [0.6, 1.0, 0.2], [0.2, 0.2, 1.0]])
    matrix = likeness(cosines, np.array([0, 0, 1]))
    np.testing.assert_allclose(matrix, [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])
