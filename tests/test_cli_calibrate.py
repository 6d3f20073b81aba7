"""`bayesbias calibrate`: what it prints, writes and refuses."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from builders import kept_results
from pandas.testing import assert_frame_equal

import bayesbias as bb
from bayesbias.cli import main

ASKED = ["calibrate", "independent", "planted", "-m", "weat-p", "-m", "t-cells-sets", "-n", "60"]


def test_it_prints_and_writes_what_the_function_gives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rates.csv"
    assert main([*ASKED, "--seed", "3", "--out", str(out), "--keep", str(tmp_path / "parts")]) == 0
    expected = bb.calibration.calibrate(
        ["independent", "planted"], ["weat-p", "t-cells-sets"], 60, seed=3
    )
    assert_frame_equal(pd.read_csv(out), expected, check_exact=False, rtol=1e-12)
    printed = capsys.readouterr().out
    assert "planted: share of 60 tables" in printed
    assert f"{expected['rate'].iloc[2]:.3f}" in printed
    assert len(kept_results(tmp_path / "parts")) == 4


def test_scenarios_and_methods_are_listed_with_whole_names_in_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["calibrate", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    first = {line.split()[0] for line in lines if line.split()}
    assert {
        *bb.nulls.SCENARIOS,
        *bb.calibration.SCORE_METHODS,
        *bb.calibration.normal_models(),
        "rope",
    } <= first
    assert max(map(len, lines)) <= 80
