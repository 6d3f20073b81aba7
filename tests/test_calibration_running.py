"""Calibration runs give equal frames wherever they run, and resume from what is done."""

from __future__ import annotations

from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from builders import kept_results
from numpy.random import SeedSequence
from pandas.testing import assert_frame_equal

from bayesbias.calibration import calibrate
from bayesbias.calibration.running import BLOCK, Plan, measure, measure_tables
from bayesbias.calibration.sources import WEAT, Choices, score_source
from bayesbias.nulls import BaseScenario, Batch, Scenario

SMALL = {"small": Scenario(n_words=3, n_attributes=3, word_bias_sd=0.03)}
METHODS = ["weat-p", "mac-paired-t", "crossed-hpdi", "crossed-coverage-group"]


def run(**options: object) -> pd.DataFrame:
    """A calibration in four jobs, two of them of posteriors."""
    given = {"n": BLOCK + 3, "seed": 6, "draws": 200, "progress": False} | options
    return calibrate(SMALL, METHODS, **given)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def alone() -> pd.DataFrame:
    return run()


def test_two_workers_give_the_frame_of_one(alone: pd.DataFrame) -> None:
    assert_frame_equal(run(n_jobs=2), alone, check_exact=True)
    assert run(seed=7, n=4)["width"].iloc[2] != run(n=4)["width"].iloc[2]


@pytest.mark.slow
def test_a_dask_cluster_of_two_processes_gives_the_same_frame(
    alone: pd.DataFrame, cluster: object
) -> None:
    assert len(cluster.scheduler_info()["workers"]) == 2  # type: ignore[attr-defined]
    with joblib.parallel_config(backend="dask"):
        frame = run()
    assert_frame_equal(frame, alone, check_exact=True)


def test_a_run_that_was_stopped_resumes(alone: pd.DataFrame, tmp_path: Path) -> None:
    assert_frame_equal(run(folder=tmp_path), alone, check_exact=True)
    kept = kept_results(tmp_path)
    assert len(kept) == 1 + 1 + 2  # WEAT and MAC take all tables at once, posteriors 50
    (tmp_path / "results" / f"{min(kept)}.json").unlink()
    assert_frame_equal(run(folder=tmp_path), alone, check_exact=True)
    assert kept_results(tmp_path) == kept


def test_other_settings_do_not_take_kept_results(tmp_path: Path) -> None:
    run(folder=tmp_path, n=4)
    assert len(kept_results(tmp_path)) == 3
    run(folder=tmp_path, n=4, alpha=0.2, rope=0.1)  # thresholds are read off what is kept
    assert len(kept_results(tmp_path)) == 3
    run(folder=tmp_path, n=4, draws=201)
    assert len(kept_results(tmp_path)) == 4


def test_tables_do_not_depend_on_what_else_is_asked() -> None:
    scenario, choices = Scenario(n_words=3, n_attributes=3), Choices()
    long = measure_tables(scenario, WEAT, choices, 5, (0, 3 * BLOCK))
    short = measure_tables(scenario, WEAT, choices, 5, (0, BLOCK + 7))
    assert_frame_equal(short, long.iloc[: BLOCK + 7], check_exact=True)
    late = measure_tables(scenario, WEAT, choices, 5, (BLOCK, 2 * BLOCK))
    assert_frame_equal(late, long.iloc[BLOCK : 2 * BLOCK].reset_index(drop=True), check_exact=True)
    assert long["p_value"].nunique() == 10  # of 20 splits, each with its mirror image


def test_one_scenario_more_changes_nothing_for_the_others(alone: pd.DataFrame) -> None:
    scenarios = {"other": Scenario(n_words=3), "again": SMALL["small"]}
    found = calibrate(scenarios, ["mac-paired-t", "weat-p"], n=BLOCK + 3, seed=6)
    again = found[found["scenario"] == "again"].set_index("method").drop(columns="scenario")
    expected = alone.set_index("method").drop(columns="scenario").loc[["mac-paired-t", "weat-p"]]
    assert_frame_equal(again, expected, check_exact=True)


def _failing(scenario: BaseScenario, batch: Batch, seed: SeedSequence) -> dict[str, np.ndarray]:
    raise ZeroDivisionError("no luck")


def test_jobs_that_fail_are_told_of_and_the_others_kept(tmp_path: Path) -> None:
    plan = Plan(4, SeedSequence(1), Choices(), 1, tmp_path, False)
    sources = [score_source("failing", _failing), WEAT]
    with pytest.raises(
        RuntimeError, match=r"1 of 2 jobs failed, first small · failing.*ZeroDivisionError: no luck"
    ):
        measure({"small": SMALL["small"]}, sources, plan)
    assert len(kept_results(tmp_path)) == 1
