"""Summaries against NumPy on the draws themselves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import doubtful, only_row
from xarray import DataTree

from bayesbias._core.intervals import hdi
from bayesbias.model.tree import SamplingWarning
from bayesbias.posterior.contrasts import contrasts
from bayesbias.posterior.diagnostics import prior_sensitivity
from bayesbias.posterior.posterior_scores import posterior_scores
from bayesbias.posterior.predictive import predictive_check
from bayesbias.posterior.summaries import sd_summary, summary
from bayesbias.sampling.fit import fit

CONNECTIONS = ["associated", "different", "neutral", "human"]


@pytest.fixture(scope="module")
def frame(crossed_posterior: DataTree) -> pd.DataFrame:
    return summary(crossed_posterior)


def draws(tree: DataTree, **labels: str) -> np.ndarray:
    """Draws of a word mean, chains after one another."""
    return tree["posterior"]["word_mean"].sel(labels).values.ravel()


def test_a_word_is_summarised_by_its_own_draws(
    frame: pd.DataFrame, crossed_posterior: DataTree
) -> None:
    own = draws(crossed_posterior, protected_word="she", connection="different")
    found = only_row(frame, level="word", protected_word="she", connection="different")
    assert found["protected_group"] == "woman"
    assert found["mean"] == pytest.approx(own.mean())
    assert found["sd"] == pytest.approx(own.std(ddof=1))
    assert (found["low"], found["high"]) == pytest.approx(tuple(hdi(own[:, None], 0.89)[0]))


def test_a_group_is_the_average_of_its_words(
    frame: pd.DataFrame, crossed_posterior: DataTree
) -> None:
    both = [
        draws(crossed_posterior, protected_word=word, connection="human") for word in ("he", "son")
    ]
    found = only_row(frame, level="group", protected_group="man", connection="human")
    assert found["mean"] == pytest.approx(np.mean(both))
    assert found["sd"] == pytest.approx(np.mean(both, axis=0).std(ddof=1))


def test_overall_is_the_population_mean(frame: pd.DataFrame, crossed_posterior: DataTree) -> None:
    mean = crossed_posterior["posterior"]["connection_mean"].mean(("chain", "draw"))
    for connection in CONNECTIONS:
        found = only_row(frame, level="overall", connection=connection)["mean"]
        assert found == pytest.approx(float(mean.sel(connection=connection)))


def test_scales_name_what_they_belong_to(crossed_posterior: DataTree) -> None:
    frame = sd_summary(crossed_posterior)
    of = frame.groupby("parameter", sort=False)["of"].apply(list).to_dict()
    assert of == {"connection_sd": CONNECTIONS, "attribute_sd": [""], "sigma": CONNECTIONS}
    own = crossed_posterior["posterior"]["attribute_sd"]
    assert frame.set_index("parameter").loc["attribute_sd", "mean"] == pytest.approx(
        float(own.mean())
    )
    assert (frame["low"] > 0).all()


def test_connections_without_rows_are_not_made_up(toy_table: pd.DataFrame) -> None:
    some = toy_table[toy_table["connection"] != "neutral"]
    frame = summary(fit(some, "paper", method="exact", draws=500, chains=1, seed=1))
    assert set(frame["connection"]) == {"associated", "different", "human"}
    assert not frame.isna().any(axis=None)


def test_doubts_travel_with_every_frame(crossed_posterior: DataTree) -> None:
    for read in (
        summary,
        sd_summary,
        contrasts,
        predictive_check,
        prior_sensitivity,
        posterior_scores,
    ):
        with pytest.warns(SamplingWarning, match="do not trust me") as caught:
            assert read(doubtful(crossed_posterior)).attrs["warnings"] == ["do not trust me"]
        assert caught[0].filename == __file__
