"""The page on sentence pairs: what it leads with, and what lies beside it."""

from pathlib import Path

import pandas as pd
import pytest
from cli_toy import files_beside, files_named, write_scored

from bayesbias.cli import main


def test_the_page_of_two_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        write_scored(Path(name), name)
    few = "--draws 250 --tune 50 --chains 2 --seed 1"
    arguments = f"mlm report one two --out out {few} -q"
    assert main(arguments.split()) in (0, 3)  # 3: a few draws may leave doubts
    page = Path("out/report.html").read_text()
    assert "with intervals by resampling clusters" in page
    assert "Which model more" in page
    found = [path.name for path in Path("out").iterdir() if path.is_file()]
    assert not Path("out/plots").exists()
    assert files_named(page) == files_beside(found)
    summary = pd.read_csv("out/summary.csv")
    shares = summary[summary["quantity"] == "p_stereotypical"]
    assert set(shares["model"]) == {"one", "two"}
    assert shares["mean"].between(0, 1).all()
    observed = pd.read_csv("out/observed.csv")
    assert set(observed["bias_type"]) == {"all", "age", "race"}
