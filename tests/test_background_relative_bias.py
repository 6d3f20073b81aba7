"""Φ and relative bias against theory, closed forms and brute force."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from background_toys import NEAR, UP, distribution, random_vectors
from scipy import stats

from bayesbias import background as bg
from bayesbias.background.psi_distribution import random_rows


def relative_bias(psi: np.ndarray, n: int, m: int, **options: int) -> bg.RelativeBias:
    """Of the first n words and the m after them."""
    words = [f"w{i}" for i in range(len(psi))]
    return bg.Distribution("toy", psi, pd.Index(words)).relative_bias(
        words[:n], words[n : n + m], **options
    )


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 1), (1, 3), (2, 2)])
def test_the_closed_form_is_that_of_all_pairs_of_sets(n: int, m: int) -> None:
    """Every ordered choice of n + m of six words, by brute force."""
    values = np.array([0.3, -1.2, 2.5, 0.1, 0.9, -0.4])
    every = np.array([values[list(p)] for p in permutations(range(6), n + m)])
    statistic = every[:, :n].sum(axis=1) - every[:, n:].sum(axis=1)
    found = relative_bias(values, n, m, n_resamples=10, seed=1)
    assert found.expected == pytest.approx(statistic.mean(), abs=1e-12)
    assert found.sd == pytest.approx(statistic.std(), abs=1e-12)


@pytest.mark.parametrize(("n", "m", "total"), [(25, 10, 5000), (20, 30, 60)])
def test_the_closed_form_against_simulation(n: int, m: int, total: int) -> None:
    """Large vocabularies, and one that the sets nearly use up, which takes the other sampler."""
    values = np.random.default_rng(4).gamma(2, size=total)
    draws = 20_000
    found = relative_bias(values, n, m, n_resamples=draws, seed=2)
    assert found.reference.shape == (draws,)
    # Four standard errors of the mean and, for near-Normal sums, of the sd.
    assert abs(found.reference.mean() - found.expected) < 4 * found.sd / np.sqrt(draws)
    assert found.reference.std() == pytest.approx(found.sd, rel=4 / np.sqrt(2 * draws) + 0.005)
    assert found.p_normal() == pytest.approx(found.p_simulated(), abs=0.02)


@pytest.mark.parametrize(("n_words", "size"), [(10_000, 20), (8, 5), (5, 5)])
def test_random_sets_hold_no_word_twice_and_every_word_as_often(n_words: int, size: int) -> None:
    rows = random_rows(n_words, size, 4000, np.random.default_rng(6))
    ranked = np.sort(rows, axis=1)
    assert (ranked[:, 1:] > ranked[:, :-1]).all()
    assert ranked.min() >= 0
    assert ranked.max() < n_words
    if n_words < 10:
        # Each word in each place: 4,000/n_words times, sd below 28; five of them.
        for column in rows.T:
            counts = np.bincount(column, minlength=n_words)
            assert np.abs(counts - 4000 / n_words).max() < 140


def test_p_values_of_a_planted_pair(planted: bg.Distribution) -> None:
    """Σ over four words two sd up less that over four at the mean: 8 sd of ψ, z = 8/sqrt(8)."""
    level = [f"w{i}" for i in np.argsort(np.abs(planted.psi - planted.mean))[:4]]
    found = planted.relative_bias(UP, level, n_resamples=20_000, seed=1)
    assert found.z == pytest.approx(8 / np.sqrt(8), abs=0.03)
    assert found.p_normal() == pytest.approx(2 * stats.norm.sf(8 / np.sqrt(8)), rel=0.1)
    # 20,000 draws at p = .0047: standard error .0005.
    assert found.p_simulated() == pytest.approx(found.p_normal(), abs=0.002)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({}, stats.norm.cdf(2)),
        ({"tail": "upper"}, stats.norm.sf(2)),
        ({"tail": "two"}, 2 * stats.norm.sf(2)),
        ({"about": "zero"}, stats.norm.cdf(2.4)),
        ({"kind": "empirical"}, stats.norm.cdf(2)),
        ({"kind": "empirical", "about": "zero"}, stats.norm.cdf(2.4)),
        ({"kind": "sets", "tail": "upper"}, stats.norm.sf(4)),
    ],
)
def test_a_planted_set_gets_the_phi_that_theory_says(planted, choice, expected) -> None:
    """Mean ψ two sd above the mean, 2.4 above 0, and four sd of means of four words."""
    assert planted.phi(UP, **choice) == pytest.approx(expected, abs=NEAR, rel=0.05)


def test_empirical_ranks_count_ties_half() -> None:
    found = distribution(random_vectors(), ["w1"], ["w2"])
    order = np.argsort(found.psi)
    middle = f"w{order[700]}"
    assert found.phi([middle], kind="empirical") == pytest.approx(700.5 / 3000, abs=1e-15)
