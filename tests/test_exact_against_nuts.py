"""The exact sampler against PyMC's NUTS on published tables: means, spreads, ends of intervals."""

from __future__ import annotations

import os
from collections.abc import Callable

import pandas as pd
import pytest

from studies.agreement import (
    ENDS,
    HIGHEST_RMS,
    HIGHEST_Z,
    contrasts_and_parameters,
    exact_and_nuts,
    z_scores,
)

TABLES = ("religion_group_reddit_dataset", "weat_1_reddit")

NUTS_TABLES = os.environ.get("BAYESBIAS_NUTS", "gender_group_google_dataset").split(",")
"""Tables that `maximal` is sampled on by NUTS too, which takes some minutes each."""


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_crossed_means_and_interval_ends_agree_within_monte_carlo_error(
    published: Callable[[str], pd.DataFrame], name: str
) -> None:
    exact, nuts, diverging = exact_and_nuts(published(name), "crossed")
    assert diverging == 0
    assert set(exact.data_vars) == set(nuts.data_vars)
    for probability in (None, *ENDS):
        z = z_scores(exact, nuts, probability)
        assert z.notna().all()
        assert z.abs().max() < HIGHEST_Z, z.abs().nlargest(5)
        assert (z**2).mean() < HIGHEST_RMS**2


@pytest.mark.slow
@pytest.mark.parametrize("name", NUTS_TABLES)
def test_maximal_means_and_spreads_agree_within_monte_carlo_error(
    published: Callable[[str], pd.DataFrame], name: str
) -> None:
    """Of contrasts, sds and correlations: 2 x 2,000 draws of NUTS, whose errors are its own.

    BAYESBIAS_NUTS=religion_group_reddit_dataset,weat_1_reddit names other tables: three groups,
    words without vectors.
    """
    exact, nuts, diverging = exact_and_nuts(published(name), "maximal", draws=2000, chains=2)
    assert diverging <= 10  # of 4,000: the smallest sds reach zero
    few = [contrasts_and_parameters(draws) for draws in (exact, nuts)]
    assert {"lean_sd", "level_correlation", "contrast_of_connection_mean"} <= set(few[0].data_vars)
    for spread in (False, True):
        z = z_scores(*few, spread=spread)
        assert z.notna().all()
        assert z.abs().max() < HIGHEST_Z, z.abs().nlargest(5)
        assert (z**2).mean() < HIGHEST_RMS**2
