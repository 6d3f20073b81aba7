"""`bayesbias table` and `bayesbias fit`."""

from __future__ import annotations

import pandas as pd
import pytest
from cli_toy import refused

from bayesbias.cli import main
from bayesbias.model.posterior_files import load_posterior
from bayesbias.sampling.options import FitOptions
from bayesbias.tables.table_files import read_table


def test_table_and_fit(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["table", *toy[1:4], "--out"]
    assert main([*arguments, "t.csv"]) == 0
    assert "Not in the embedding, and left out: gone" in capsys.readouterr().out
    assert main([*arguments, "t.parquet"]) == 0
    pd.testing.assert_frame_equal(read_table("t.csv"), read_table("t.parquet"))
    capsys.readouterr()
    assert main(["fit", "t.csv", "--model", "crossed", "--out", "p.nc"]) == 0
    out = capsys.readouterr().out
    assert "overall" in out
    assert "Posterior: p.nc" in out
    assert load_posterior("p.nc").attrs["model"] == "crossed"


def test_what_warnings_advise_reaches_the_sampler(
    toy: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object, options: FitOptions) -> None:
        raise ValueError(f"tune is {options.tune} and acceptance {options.target_accept}")

    assert main(["table", *toy[1:4], "--out", "t.csv", "--quiet"]) == 0
    for name in ("sampling.fit.fit", "workflows.wordlist.fit", "workflows.change.fit_change"):
        monkeypatch.setattr(f"bayesbias.{name}", stop)
    scores = ["scores", toy[1], "--vectors", "toy.txt", "--posterior", "--n-resamples", "20"]
    for arguments in (["fit", "t.csv"], toy, ["compare", "t.csv", "t.csv"], scores):
        said = refused(capsys, [*arguments, "--tune", "77", "--target-accept", "0.97"])
        assert "tune is 77 and acceptance 0.97" in said
