"""Lists about nothing: what the headline claims of words that are only as frequent."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import refused

import bayesbias as bb

PROMISED = 0.11
"""Share of 89% intervals that leave zero out where there is nothing."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["religion", "gender"])
def test_the_headline_is_claimed_no_more_often_than_promised_of_words_as_frequent(
    name: str,
) -> None:
    """Real protected words, 200 lists of equally frequent words in the place of stereotypes."""
    n_lists = 200
    found = bb.calibration.placebo(
        "glove-demo", name, n_lists=n_lists, case="fallback", seed=1, progressbar=False
    )
    error = np.sqrt(PROMISED * (1 - PROMISED) / n_lists)
    overall = found["level"] == "overall"
    assert (found["rate"][overall] <= PROMISED + 2 * error).all()
    assert (found["rate"][~overall] <= PROMISED + 3 * error).all()  # of ten, one is beyond 2
    real = found[found["second"] == "different"]
    assert (real["high"] < 0).any()  # what the list is about is found all the same, in some group


def test_claims_are_counted_of_every_contrast_and_group() -> None:
    found = bb.calibration.placebo(
        "glove-demo", "gender", "paper", n_lists=3, case="fallback", seed=1, progressbar=False
    )
    assert found["second"].tolist() == ["different"] * 3 + ["matched"] * 3
    assert found["protected_group"].tolist() == ["", "man", "woman"] * 2
    assert (found["rate"] == found["claims"] / 3).all()
    assert ((found["rate_low"] <= found["rate"]) & (found["rate"] <= found["rate_high"])).all()
    again = bb.calibration.placebo(
        "glove-demo", "gender", "paper", n_lists=3, case="fallback", seed=1, progressbar=False
    )
    pd.testing.assert_frame_equal(found, again)


def test_what_is_refused() -> None:
    refused(
        "unknown match 'length'",
        lambda: bb.calibration.placebo("glove-demo", "gender", match="length"),
    )  # type: ignore[arg-type]
