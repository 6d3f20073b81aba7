"""Smoothing of all units at once against ArviZ's of one after another."""

from __future__ import annotations

import numpy as np
import pytest
from arviz_stats.base import array_stats

from bayesbias.posterior.psis import psis_loo


@pytest.mark.parametrize(("n", "efficiency"), [(4000, 1.0), (1000, 0.7), (100, 1.0)])
def test_it_agrees_with_arviz(n: int, efficiency: float) -> None:
    """From units that hardly matter to some whose weights have infinite variance."""
    rng = np.random.default_rng(1)
    scale, tail = np.linspace(0.01, 2, 30), np.linspace(0, 0.3, 30)
    density = scale * rng.standard_normal((n, 30)) - tail * rng.standard_t(4, (n, 30)) ** 2
    elpd, k, p_loo = psis_loo(density, efficiency)
    theirs = array_stats.loo(density.T, chain_axis=None, r_eff=efficiency)
    assert k.max() > 0.7 > k.min()
    for ours, expected in zip((elpd, k, p_loo), theirs, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9)  # other order of sums


def test_a_unit_without_a_tail_keeps_its_weights() -> None:
    """Draws that all say the same: ArviZ refuses them."""
    elpd, k, p_loo = psis_loo(np.full((100, 1), -1.5))
    assert (elpd[0], p_loo[0]) == pytest.approx((-1.5, 0), abs=1e-12)
    assert np.isnan(k[0])
