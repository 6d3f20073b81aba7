"""Plots as files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from builders import distances

from bayesbias import plots


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return distances()


def test_save_writes_both_kinds_and_closes_its_own_figure(
    tmp_path: Path, table: pd.DataFrame
) -> None:
    ax = plots.neighbourhood(table, "she")
    written = plots.save(ax, tmp_path / "glove.6B")
    assert [path.name for path in written] == ["glove.6B.png", "glove.6B.svg"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(p.name for p in written)
    assert written[0].read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(written[1]).getroot().tag.endswith("svg")
    assert "The attributes around “she”" in written[1].read_text(encoding="utf-8")
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", ["forest.png", "forest.SVG", "v1.5.svg"])
def test_save_takes_a_name_with_its_ending(tmp_path: Path, table: pd.DataFrame, name: str) -> None:
    written = plots.save(plots.distributions(table), tmp_path / name)
    assert written == [tmp_path / name] == list(tmp_path.iterdir())
    start = b"\x89PNG" if name.endswith("png") else b"<?xml"
    assert written[0].read_bytes().startswith(start)


def test_save_leaves_the_callers_figure_open(tmp_path: Path, table: pd.DataFrame) -> None:
    figure, ax = plt.subplots(figsize=(8, 10))
    plots.save(plots.neighbourhood(table, "she", ax=ax), tmp_path / "mine")
    assert plt.get_fignums() == [figure.number]


def test_equal_plots_give_equal_files(tmp_path: Path, table: pd.DataFrame) -> None:
    one, other = (
        plots.save(plots.distributions(table), tmp_path / name) for name in ("one", "other")
    )
    for first, second in zip(one, other, strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_save_says_where_there_is_no_folder(tmp_path: Path, table: pd.DataFrame) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        plots.save(plots.neighbourhood(table, "she"), tmp_path / "nowhere" / "plot")


def test_importing_plots_does_not_import_matplotlib() -> None:
    code = "import sys, bayesbias.plots; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
