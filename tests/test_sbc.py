"""Simulation-based calibration of the exact sampler, and its power to find errors."""

import numpy as np
import pytest

from studies import sbc

SMALL = 200
"""Number of simulated tables in fast tests."""


@pytest.mark.slow
def test_bands_are_those_of_arviz() -> None:
    """A value is below 1 - BAND exactly if its ECDF leaves ArviZ's band with this probability."""
    from arviz_stats.ecdf_utils import ecdf_pit

    u = np.random.default_rng(0).random((SMALL, 1))
    ranks = np.column_stack([(u**a * (sbc.DRAWS + 1)).astype(int) for a in (1, 1.1, 1.3, 1.6)])
    inside = []
    for values in sbc.spread_out(ranks).T:
        _, ecdf, low, high = ecdf_pit(values, sbc.BAND, 2000)
        inside.append(bool(((ecdf >= low - 1e-9) & (ecdf <= high + 1e-9)).all()))
    p = sbc.band_p_values(ranks)
    assert inside == list(p >= 1 - sbc.BAND)
    assert set(inside) == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["regular", "irregular"])
@pytest.mark.parametrize("spec", sbc.MODELS)
def test_ranks_are_uniform(spec: str, form: str) -> None:
    calibration = sbc.calibrate(spec, sbc.small_design(form), n_tables=1_000)
    p = sbc.judged(calibration).set_index("quantity")["p"]
    # A model's 15 to 22 quantities jointly fail by chance in at most 1 of 100 runs (Bonferroni).
    # The seed is fixed, so the result does not vary.
    assert p.min() > (1 - sbc.BAND) / len(p), p.sort_values().head()
    assert len(calibration.ranks) == 1_000  # none is left out
    high, few = sbc.doubtful(calibration)
    assert high <= 0.01  # tables for which `fit` would turn to NUTS
    assert few <= 0.01


@pytest.mark.slow
@pytest.mark.parametrize("spec", sbc.MAXIMAL[:3])
def test_ranks_are_uniform_with_correlations_and_leanings(spec: str) -> None:
    """Use few tables, which take .2 s each. `python -m studies.sbc` runs more tables and models."""
    calibration = sbc.calibrate(spec, sbc.small_design(), n_tables=SMALL)
    p = sbc.judged(calibration).set_index("quantity")["p"]
    wanted = {"lean_sd", "level_correlation[stereotype, human]", "associated - different, group 0"}
    assert wanted < set(p.index)
    # A model's 41 to 51 quantities jointly fail by chance in at most 1 of 100 runs, as above.
    assert p.min() > (1 - sbc.BAND) / len(p), p.sort_values().head()
    assert sbc.doubtful(calibration)[0] <= 0.01  # tables for which `fit` would turn to NUTS
