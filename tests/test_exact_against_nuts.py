"""The exact sampler against PyMC's NUTS on published tables: means, spreads, ends of intervals."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

from studies.agreement import (
    ENDS,
    HIGHEST_RMS,
    HIGHEST_Z,
    exact_and_nuts,
    z_scores,
)

TABLES = ("religion_group_reddit_dataset", "weat_1_reddit")


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
