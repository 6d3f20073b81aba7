"""`bayesbias compare`: what it writes, what it says, what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import cli_toy
import numpy as np
import pandas as pd
import pytest
from cli_toy import files_beside, files_named

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.model.posterior_files import load_posterior
from bayesbias.report import writer
from bayesbias.report.change_page import order_sentences, side_effects
from bayesbias.tables.table_files import write_table
from bayesbias.workflows.change import analyze_change

FRAMES = ("changes", "orders", "contrasts", "alignment", "check", "scales")
FILES = {
    *(f"{name}.csv" for name in (*FRAMES, "pairs", "unpaired", "bands", "scores")),
    *(
        "posterior-change-crossed.nc",
        "posterior-change-maximal.nc",
        *("report.html", "report.md", "run.json", "write-up.md", "references.bib"),
    ),
}
FAST = ["--draws", "200", "--chains", "2"]
FEW: Any = {"models": ("change",), "draws": 200, "chains": 2, "seed": 1}

refused = partial(cli_toy.refused, most=3)
"""Rows that repeat are warned of, table by table."""


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toy_table: pd.DataFrame) -> list[str]:
    """Two tables in the working folder; arguments of a fast comparison of them."""
    monkeypatch.chdir(tmp_path)
    write_table(toy_table, "before.csv")
    write_table(moved(toy_table), "after.csv")
    models = ["--model", "change-crossed", "--model", "change-maximal"]
    return ["compare", "before.csv", "after.csv", *models, *FAST]


@pytest.fixture
def one_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the last figure only: drawing is what takes time."""
    every = writer.draw
    monkeypatch.setattr(
        writer, "draw", lambda page, *to: every(replace(page, sections=page.sections[-4:]), *to)
    )


def moved(table: pd.DataFrame) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    shift = 0.08 + 0.02 * rng.standard_normal(len(table))
    return table.assign(cosine_distance=table["cosine_distance"] + shift)


def test_everything_is_written_and_told(
    tables: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*tables, "--plots", "png,svg", "--out", "out"]) == 0
    files = {path.relative_to("out").as_posix() for path in Path("out").rglob("*.*")}
    plots = {name for name in files if name.startswith("plots/")}
    assert files - plots == FILES
    assert files_named(Path("out/report.html").read_text()) == files_beside(files)
    stems = {Path(name).stem for name in plots}
    assert stems == {"headline", "change", "order", "distributions"}
    said = " ".join(capsys.readouterr().out.split())
    assert "32 pairs of rows" in said
    assert "away from their own" in said
    assert "MAC changes from" in said
    assert "Report: out/report.html" in said
    changes = pd.read_csv("out/changes.csv")
    assert list(changes["model"].unique()) == ["change-crossed", "change-maximal"]
    tree = load_posterior("out/posterior-change-maximal.nc")
    own = changes[changes["model"] == "change-maximal"]
    assert np.allclose(own["mean"], bb.comparison.changes(tree)["mean"])
    record = json.loads(Path("out/run.json").read_text())
    assert record["command"].startswith("bayesbias compare before.csv after.csv --")
    assert "--draws 200" in record["command"]
    assert set(record["files"]) == files


@pytest.mark.usefixtures("one_plot")
def test_rows_without_a_partner_are_listed(
    tables: list[str], toy_table: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    write_table(toy_table.iloc[3:], "before.csv")
    assert main([*tables, "--model", "change", "--out", "out"]) == 0
    said = capsys.readouterr()
    assert "3 of after have no partner" in said.err
    assert "were left out: 0 before and 3 after" in " ".join(said.out.split())
    assert len(pd.read_csv("out/unpaired.csv")) == 3
    assert "no partner" in Path("out/report.html").read_text()


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ("--model paper", "here are changes of distances; take change, change-by-group"),
        ("--model chang", "did you mean 'change'"),
        ("--ci-prob 89", "pass 0.89"),
        ("--list gender", "--list and --recover are for embeddings"),
        ("none.csv", "no table at"),
        ("before.csv", "the tables are the same"),
        ("other.csv", "no row in common"),
    ],
)
def test_what_cannot_be_compared_writes_nothing(
    tables: list[str],
    toy_table: pd.DataFrame,
    capsys: pytest.CaptureFixture[str],
    extra: str,
    message: str,
) -> None:
    other = toy_table.assign(protected_word=toy_table["protected_word"] + "x")
    write_table(other, "other.csv")
    if extra.endswith(".csv"):
        tables[2], extra = extra, ""
    assert message in refused(capsys, [*tables, "--out", "out", *extra.split()])


@pytest.mark.usefixtures("one_plot")
def test_scores_and_recovery_stand_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ["compare", "glove-demo", "hard", *FAST, "--list", "gender", "--model", "change"]
    recover = ["--recover", "gender", "--recover-words", "60"]
    assert main([*asked, *recover, "--out", "out"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "The mean Direct Bias of" in said
    assert "For the 120 words that leaned most before, a classifier finds the right class" in said
    found = pd.read_csv("out/remains.csv").set_index("check")
    assert found["before"]["direct_bias"] / found["after"]["direct_bias"] > 5
    assert {"mac", "weat", "same"} <= set(pd.read_csv("out/scores.csv")["score"])
    page = Path("out/report.html").read_text()
    assert files_named(page) == files_beside(path.name for path in Path("out").glob("*.*"))
    for text in ("Can the bias be recovered?", "neighbors", "--recover gender --recover-words 60"):
        assert text in page
    # A result of the earlier run that is not made again goes.
    assert main([*asked, "--out", "out", "--force"]) == 0
    assert not Path("out/remains.csv").exists()
    assert "Can the bias be recovered?" not in Path("out/report.html").read_text()


@pytest.mark.usefixtures("one_plot")
def test_published_tables_are_read(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared_data / "paper_tables"
    names = ("religion_group_reddit_dataset.csv", "debiased_religion_reddit.csv")
    paths = [str(folder / name) for name in names]
    out = str(tmp_path / "out")
    assert main(["compare", *paths, "--out", out, "--model", "change"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "4,830 pairs of rows, matched on words and connection. Every row has a partner." in said
    assert "MAC changes from 0.861 to 0.933" in said
    page = Path(out, "report.html").read_text()
    # Dobrzeniecka and Urbaniak, text to figures 15-17: inside ±.14, before and after.
    bands = pd.read_csv(Path(out, "bands.csv")).set_index("connection")
    shares = bands[["share_before", "share_after"]].round(2).T
    assert shares.to_dict("list") == {
        "associated": [0.36, 0.64],
        "different": [0.44, 0.64],
        "neutral": [0.56, 0.59],
        "human": [0.53, 0.59],
    }
    assert "of 15 protected words" in page


def test_tables_without_controls_or_different_rows_are_told_of(toy_table: pd.DataFrame) -> None:
    kept = toy_table[toy_table["connection"].isin(["associated", "neutral"])]
    analysis = analyze_change(kept, moved(kept), **FEW)
    assert analysis.lead["orders"].empty
    assert order_sentences(analysis) == [
        "The tables lack associated and different attributes, so there is no order to watch."
    ]
    only = toy_table[toy_table["connection"].isin(["associated", "different"])]
    analysis = analyze_change(only, moved(only), **FEW)
    assert "side effects cannot be seen" in side_effects(analysis)[0]


def test_embeddings_and_methods_are_compared_as_their_tables_are(tmp_path: Path) -> None:
    """`analyze_change` takes vectors, tables, or a debiasing method by name."""
    words, before = bb.load_wordlist("gender"), bb.load_vectors("glove-demo", progressbar=False)
    after = bb.debias.hard(before, "gender")
    tables = [bb.distance_table(each, words) for each in (before, after)]
    expected = analyze_change(*tables, **FEW)
    change = analyze_change("glove-demo", "hard", "gender", **FEW)
    pd.testing.assert_frame_equal(change.changes, expected.changes)
    scores = bb.comparison.scores_before_after(before, after, words, seed=0)
    pd.testing.assert_frame_equal(change.scores, scores)
    assert change.names == ("glove-demo", "hard")
    assert "all groups" in str(change)
    assert "Neutral words should not move" in " ".join(str(change).split())
    assert change.plot().has_data()
    assert "change" in change.write_up().markdown
    page = change.report(tmp_path / "out").read_text(encoding="utf-8")
    assert "<h1>gender: glove-demo → hard</h1>" in page
    assert "bb.analyze_change(&#39;glove-demo&#39;, &#39;hard&#39;, &#39;gender&#39;" in page
    with pytest.raises(TypeError, match="vectors need their word list"):
        analyze_change("glove-demo", "hard")
    with pytest.raises(ValueError, match="debiasing method 'hrad'; did you mean 'hard'"):
        analyze_change("glove-demo", "hrad", "gender")
