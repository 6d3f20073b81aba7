from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

from bayesbias.scores.splits import count_by_halves, count_in_matrix, sampled_sums, split_matrix

SIZES = [(2, 1), (5, 2), (6, 3), (7, 6), (8, 4)]


def test_rows_of_the_matrix_are_all_subsets() -> None:
    matrix = split_matrix(5, 2)
    found = {tuple(np.flatnonzero(row).tolist()) for row in matrix}
    assert found == set(combinations(range(5), 2))
    assert matrix.shape == (comb(5, 2), 5)
    assert (matrix.sum(axis=1) == 2).all()
    with pytest.raises(ValueError, match="read-only"):
        matrix[0, 0] = 7


@pytest.mark.parametrize(("size", "chosen"), SIZES)
def test_counts_are_those_of_all_combinations(size: int, chosen: int) -> None:
    """Whole numbers, whose sums tie often and without rounding; each row of mean zero."""
    random = np.random.default_rng(size)
    scores = random.integers(-3, 4, size=(20, size)) * size
    scores -= scores.sum(axis=1, keepdims=True) // size
    centred = scores.astype(float)
    threshold = centred[:, :chosen].sum(axis=1)
    above, below = count_in_matrix(centred, chosen, threshold)
    assert above.dtype == below.dtype == np.int64
    for at, row in enumerate(scores.tolist()):
        sums = [sum(row[i] for i in some) for some in combinations(range(size), chosen)]
        assert count_by_halves(centred[at], chosen, threshold[at]) == sum(
            s >= threshold[at] for s in sums
        )
        assert above[at] == sum(s >= threshold[at] for s in sums)
        assert below[at] == sum(s <= -threshold[at] for s in sums)


def test_sampled_subsets_have_their_size_and_are_equally_likely() -> None:
    powers = 2.0 ** np.arange(5)  # a sum tells its subset
    both = np.stack([powers, 10 * powers])
    sums = sampled_sums(both, 2, 20_000, np.random.default_rng(0))
    assert sums.shape == (20_000, 2)
    assert np.array_equal(sums[:, 1], 10 * sums[:, 0])
    wanted = sorted(2.0**i + 2.0**j for i, j in combinations(range(5), 2))
    found, counts = np.unique(sums[:, 0], return_counts=True)
    assert found.tolist() == wanted
    # Five standard errors of a tenth of 20,000.
    assert np.abs(counts - 2000).max() < 5 * np.sqrt(20_000 * 0.1 * 0.9)
