"""docs/tables/literature.csv: every row runs, finds what the table shows, and quotes its paper."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from studies import literature
from studies.literature.__main__ import main
from studies.literature.sources import published_table

TABLE = Path(__file__).resolve().parents[1] / "docs" / "tables" / "literature.csv"
SEEDS = {
    "Dobrzeniecka and Urbaniak (2024)": "001-bayesian-uncertainty.txt",
    "Schröder, Schulz and Hammer (2024), SAME": "000-same.txt",
    "Schröder et al. (2024), Semantic properties": "002-semantic-properties.txt",
    "Smarda (2021)": "003-background-distributions.txt",
    "Liu (2024)": "004-robust-evaluation-mlm.txt",
}
"""Texts of the five papers, next to the published data."""


@pytest.fixture(scope="module", autouse=True)
def _data(shared_data: Path) -> pd.DataFrame:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BAYESBIAS_DATA", str(shared_data))
        yield


@pytest.mark.parametrize("entry", literature.ENTRIES, ids=lambda entry: entry.name)
def test_every_claim_quotes_its_paper_and_finds_what_its_row_shows(
    entry: literature.Entry, shared_data: Path
) -> None:
    frame = entry.frame()
    shown = pd.read_csv(TABLE, keep_default_na=False).query("row == @entry.name")
    assert shown["claim"].tolist() == frame["claim"].tolist()
    assert shown["verdict"].tolist() == frame["verdict"].tolist()
    assert frame.loc[frame["verdict"] != "agrees", "note"].str.len().gt(5).all()
    seed = shared_data.parent / "seeds" / SEEDS.get(entry.paper, "none")
    if seed.is_file():
        text = " ".join(seed.read_text(encoding="utf-8").split())
        for quoted in filter(None, frame["quoted"]):
            assert len(quoted.split()) <= 14
            assert quoted in text


def test_copies_of_the_debiased_tables() -> None:
    """Counted by eye: jew = muslim and four more, africa = asia, black = white."""
    frame = literature.CLAIMS["copies"].frame().set_index("claim")["recomputed"]
    names = [f"debiased_{name}_reddit" for name in ("religion", "race", "gender")]
    counts = [next(n for claim, n in frame.items() if claim.startswith(name)) for name in names]
    assert counts == [10, 8, 14]


def test_plotted_posteriors_are_those_of_the_data_folder(shared_data: Path) -> None:
    there = pd.read_csv(shared_data / "paper_posteriors" / "posteriors.csv", keep_default_na=False)
    pd.testing.assert_frame_equal(literature.plotted_posteriors(), there)


@pytest.mark.parametrize("place", ["paper_tables", "datasets/macWeatDatasets", "."])
def test_tables_are_found_in_a_clone_and_in_a_folder(
    place: str, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    file = literature.TABLES["weat7_google"]
    (tmp_path / place / file).write_bytes((shared_data / "paper_tables" / file).read_bytes())
    monkeypatch.setenv("BAYESBIAS_DATA", str(tmp_path))
    assert len(published_table("weat7_google")) == 5232
    with pytest.raises(FileNotFoundError, match="is not in"):
        published_table("weat7_glove")


@pytest.mark.parametrize(
    ("folder", "arguments", "message"),
    [
        (None, "copies", "clone https"),
        ("nowhere", "copies", "no folder"),
        (None, "copeis", "copies"),
    ],
)
def test_the_command_names_what_is_missing(
    folder: str | None, arguments: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BAYESBIAS_DATA")
    if folder:
        monkeypatch.setenv("BAYESBIAS_DATA", folder)
    with pytest.raises(SystemExit, match=message):
        main([arguments])
