"""docs/literature.md: every command of the page runs, and finds what the page says."""

from __future__ import annotations

import re
import time
from operator import attrgetter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import refused

import bayesbias as bb
from studies import literature
from studies.literature.__main__ import main
from studies.literature.claims import CLAIM_COLUMNS
from studies.literature.registry import CLAIMS, ENTRIES, Entry
from studies.literature.sources import TABLES, plotted_posteriors, published_table

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "literature.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\|.*\| (\d+) of (\d+) \| `(python -m studies\.literature [^`]+)` \|$", re.M)
ROWS = {command: (int(agreeing), int(n)) for agreeing, n, command in ROW.findall(PAGE)}
"""How many numbers of each command of the page agree, and how many there are."""

SECONDS = 10
"""Processor time that a command may take."""


@pytest.fixture(autouse=True)
def _data(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name the folder of published data as a reader does."""
    if "shared_data" in request.fixturenames:
        monkeypatch.setenv("BAYESBIAS_DATA", str(request.getfixturevalue("shared_data")))


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`bb\.([\w.]+)", PAGE))))
def test_every_name_of_the_page_is_there(name: str) -> None:
    assert attrgetter(name)(bb) is not None


def test_the_page_has_a_row_for_every_claim() -> None:
    assert list(ROWS) == [entry.command for entry in ENTRIES]
    assert len(ROWS) >= 25


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.command)
def test_every_command_finds_what_its_row_says(
    entry: Entry,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if entry.needs_data:
        monkeypatch.setenv("BAYESBIAS_DATA", str(request.getfixturevalue("shared_data")))
    started = time.process_time()
    main(entry.command.split()[3:])
    assert time.process_time() - started < SECONDS
    printed = capsys.readouterr().out
    verdicts = [printed.count(f": {verdict}\n") for verdict in ("agrees", "differs")]
    agreeing, n = ROWS[entry.command]
    assert verdicts == [agreeing, n - agreeing]


def test_a_frame_has_the_columns_and_a_cause_for_what_differs(shared_data: Path) -> None:
    for name in ("copies", "band_shares", "null_statistics", "mac_change", "hers"):
        frame = CLAIMS[name]()
        assert tuple(frame.columns) == CLAIM_COLUMNS
        assert frame.loc[~frame["agrees"], "cause"].str.len().gt(10).all(), name


def test_copies_of_the_debiased_tables(shared_data: Path) -> None:
    frame = literature.copies(folder=shared_data).set_index("claim")
    religion, race, gender = (
        frame[frame.index.str.startswith(f"debiased_{name}")].iloc[0]
        for name in ("religion", "race", "gender")
    )
    # Counted by looking at the tables: jew = muslim and four more, africa = asia, black = white.
    assert (religion["printed"], religion["recomputed"]) == (15, 10)
    assert (race["printed"], race["recomputed"]) == (10, 8)
    assert (gender["printed"], gender["recomputed"]) == (14, 14)
    assert frame.iloc[-1][["printed", "recomputed"]].tolist() == [0, 0]


def test_the_arithmetic_of_the_worked_example() -> None:
    s = np.array([0.5, 0.3, -0.6, -0.3])
    frame = literature.weat_example()
    for found, ddof in zip(frame["recomputed"], (0, 1), strict=True):
        expected = (s[:2].mean() - s[2:].mean()) / s.std(ddof=ddof)
        assert found == pytest.approx(expected, abs=5e-4)


def test_posteriors_that_ship_are_those_of_the_data_folder(shared_data: Path) -> None:
    there = pd.read_csv(shared_data / "paper_posteriors" / "posteriors.csv", keep_default_na=False)
    pd.testing.assert_frame_equal(plotted_posteriors(), there)
    assert set(there["dataset"]) == set(TABLES)


def test_tables_are_found_in_a_clone_in_a_data_folder_and_beside_one_another(
    shared_data: Path, tmp_path: Path
) -> None:
    name = "weat7_google"
    source = shared_data / "paper_tables" / TABLES[name]
    for place in ("paper_tables", "datasets/macWeatDatasets", "."):
        folder = tmp_path / place.replace("/", "-")
        (folder / place).mkdir(parents=True, exist_ok=True)
        (folder / place / TABLES[name]).write_bytes(source.read_bytes())
        assert len(published_table(name, folder)) == 5232


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BAYESBIAS_DATA", raising=False)
    for folder, message in (
        (None, "Clone https://github.com/efemeryds"),
        (tmp_path / "nowhere", "no folder at"),
        (tmp_path, "is not in"),
    ):
        with pytest.raises(FileNotFoundError, match=message):
            published_table("gender_reddit", folder)
    refused("did you mean 'gender_reddit'", published_table, "gender_redit", tmp_path)
    with pytest.raises(SystemExit, match="did you mean 'copies'"):
        main(["copeis"])
    with pytest.raises(SystemExit, match="BAYESBIAS_DATA"):
        main(["copies"])
