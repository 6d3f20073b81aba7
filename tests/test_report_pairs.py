"""The page on sentence pairs: what it leads with, and what lies beside it."""

from pathlib import Path

import pandas as pd
import pytest
from cli_toy import files_beside, files_named, write_scored

from bayesbias.cli import main
from bayesbias.report.pairs_page import narrow_types


def test_the_page_of_two_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        write_scored(Path(name), name)
    few = "--draws 250 --tune 50 --chains 2 --seed 1"
    arguments = f"mlm report one two --out out {few} -q"
    assert main(arguments.split()) in (0, 3)  # 3: a few draws may leave doubts
    page = Path("out/report.html").read_text()
    assert "by resampling them" in page
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


def test_types_of_mostly_one_contrast_are_named() -> None:
    columns = ["model", "bias_type", "n_pairs", "largest_cluster", "largest_share"]
    rows = [
        ("one", "all", 1508, "black / white", 0.3),
        ("one", "age", 87, "old / young", 0.1),
        ("one", "religion", 1, "jew / christian", 1.0),
        ("one", "sexual-orientation", 84, "gay / straight", 37 / 84),
        ("two", "sexual-orientation", 84, "gay / straight", 37 / 84),
    ]
    observed = pd.DataFrame(rows, columns=columns)
    (sentence,) = narrow_types(observed)
    named = "sexual-orientation (gay / straight: 44% of its 84 pairs)"
    assert sentence.startswith(f"One contrast of words has many pairs of {named}. ")
    assert narrow_types(observed[:3]) == []
