"""`bayesbias run` and `compare`: complete folders or none, and their contents."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import plus
from cli_toy import LIST, files_beside, files_named, listing, refused

import bayesbias as bb
from bayesbias._core.resources import bundled_folder
from bayesbias.cli import main
from bayesbias.model.posterior_files import load_posterior
from bayesbias.report.change_page import word_moves
from bayesbias.tables.table_files import write_table
from bayesbias.workflows.change import analyze_change
from bayesbias.workflows.frames import FRAMES
from bayesbias.workflows.output import OWN_NAMES


@pytest.mark.slow
def test_run_with_both_models_writes_everything_the_same_every_time(toy, capsys) -> None:
    both = [*toy[:4], "--model", "paper", "--model", "crossed", "--draws", "200", "--out", "res"]
    assert main([*both, "--plots", "png"]) == 0
    assert capsys.readouterr().out.endswith("Report: res/report.html\n")
    found = listing(Path("res"))
    assert {*OWN_NAMES, "posterior-paper.nc", "posterior-crossed.nc"} <= set(found)
    stems = {f"plots/{name}" for name in ("closeness", "heatmap", "distributions")}
    plots = {name for name in found if name.startswith("plots/")}
    assert plots == {f"{stem}.png" for stem in stems}
    empty = {"slopes", "attributes"}  # no covariates, and models without cell means
    assert not {f"{name}.csv" for name in empty} & set(found)
    for name in set(FRAMES) - empty:
        models_of = set(pd.read_csv(f"res/{name}.csv")["model"])
        assert models_of == {"paper", "crossed"}
    assert pd.read_csv("res/missing.csv")["word"].tolist() == ["gone"]
    record = json.loads(found["run.json"])
    assert sorted(record["files"]) == sorted(found)
    posterior = load_posterior("res/posterior-crossed.nc")
    assert record["hashes"]["table"] == posterior.attrs["table_hash"]
    assert record["command"].startswith("bayesbias run toy.toml --vectors toy.txt ")
    again = [*record["command"].split()[1:], "--plots", "png", "--out", "again", "--quiet"]
    assert main(again) == 0
    assert listing(Path("again")) == found


@pytest.mark.slow
@pytest.mark.usefixtures("one_plot")
def test_several_lists_get_folders_and_an_index(toy) -> None:
    Path("other.toml").write_text(LIST.replace("Toy", "Other <b>"), encoding="utf-8")
    assert main([*toy, "other.toml", "--out", "res"]) == 0
    found = listing(Path("res"))
    assert {f"{folder}/{name}" for folder in ("toy", "other") for name in OWN_NAMES} <= set(found)
    index = found["report.html"].decode()
    assert 'href="toy/report.html"' in index
    assert "Other &lt;b&gt;" in index
    assert sorted(json.loads(found["run.json"])["files"]) == sorted(found)
    assert main([*toy, "other.toml", "--out", "res"]) == 2


@pytest.mark.slow
def test_stereotypes_of_two_groups_are_named_before_the_numbers(toy, capsys) -> None:
    shared = LIST.replace('"nurse", "dancer"', '"nurse", "dancer", "pilot"')
    Path("toy.toml").write_text(shared, encoding="utf-8")
    assert main([*toy, "--out", "res"]) == 0
    told = capsys.readouterr().err
    assert told.count("pilot") == 1
    with pytest.warns(bb.warnings.WordsInTwoSets) as caught:
        bb.analyze("toy.txt", "toy.toml", models=["paper"], draws=100, matched=0, reference_lists=0)
    assert caught[0].message.words == ("pilot",)


@pytest.mark.slow
def test_only_words_of_the_list_are_named_as_read_in_another_spelling(tmp_path, capsys) -> None:
    """Not those of the sets for debiasing and for recovery."""
    out = ["--out", str(tmp_path / "res"), "--draws", "100", "--recover-words", "50"]
    how = ["--list", "weat7", "--sets", "gender", "--recover", "gender", "--case", "fallback"]
    assert main(["compare", "glove-demo", "hard", *how, *out]) == 0
    assert "another spelling" not in capsys.readouterr().out
    assert main(["debias", "--out", str(tmp_path / "hard")]) == 0
    assert "John as john" in capsys.readouterr().out


@pytest.mark.usefixtures("one_plot")
def test_force_replaces_our_files_and_never_deletes_others(toy: list[str]) -> None:
    out = "res"
    Path(out, "plots").mkdir(parents=True)
    others = ["notes.txt", "plots/mine.png", "data.csv", "posterior-of-mine.nc", "mine.tex"]
    for name in others:
        Path(out, name).write_text("mine")
    assert main([*toy, "--plots", "png", "--out", out, "--quiet"]) == 0
    assert Path(out, "plots/closeness.png").exists()
    assert main([*toy, "--out", out, "--quiet"]) == 2
    record = json.loads(Path(out, "run.json").read_text())
    record["files"] += ["mine.tex", "notes.txt", "../toy.toml", "/etc/hostname", 5]
    Path(out, "run.json").write_text(json.dumps(record))
    again = [*toy[:4], "--model", "paper-figures", "--draws", "200", "--out", out, "--quiet"]
    assert main([*again, "--force"]) == 0
    assert all(Path(out, name).read_text() == "mine" for name in others)
    assert Path("toy.toml").exists()
    assert not Path(out, "plots/closeness.png").exists()
    assert load_posterior(Path(out, "posterior.nc")).attrs["model"] == "paper-figures"
    assert not [name for name in listing(Path()) if "writing" in name]


def test_a_run_that_is_interrupted_leaves_nothing(toy, one_plot, monkeypatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = listing(Path())
    monkeypatch.setattr("bayesbias.workflows.output.write_record", stop)  # all else is written
    assert main([*toy, "--out", "res"]) == 130
    assert listing(Path()) == before


@pytest.mark.slow
@pytest.mark.usefixtures("one_plot")
def test_sampling_warnings_give_exit_code_3_and_are_shown(toy, capsys) -> None:
    spec = (bundled_folder("models") / "paper.toml").read_text(encoding="utf-8")
    hard = 'family = "gamma"\nshape = 0.01\nrate = 1.0'  # a prior with its mass at zero
    Path("hard.toml").write_text(spec.replace('family = "exponential"\nrate = 2.0', hard))
    assert main([*toy[:4], "--model", "hard.toml", "--method", "exact"]) == 3
    assert capsys.readouterr().err.count("Pareto k of the exact") == 1


@pytest.mark.slow
def test_missing_words_are_named_and_thin_sets_refused_if_asked(toy, one_plot, capsys) -> None:
    content = LIST.replace('"son"', '"Son", "Puppi"').replace('"dancer"]', '"dancer", "Nurse"]')
    Path("toy.toml").write_text(content, encoding="utf-8")
    assert main(toy) == 0
    assert "left out: Son, Puppi, and Nurse." in " ".join(capsys.readouterr().out.split())
    told = refused(capsys, [*toy, "--out", "other", "--max-missing", "0.2"], most=2)
    assert "women_stereotype (2 of 3 left)" in told
    assert main([*toy, "--case", "fallback", "--force"]) == 0
    told = str(bb.warnings.SameSpellings((("Nurse", "nurse"),), about="toy"))
    said = capsys.readouterr()
    assert said.err == f"bayesbias: warning: {told}\n"
    assert "Nurse as nurse" in " ".join(said.out.split())
    assert told in Path("bayesbias-results/report.html").read_text()


CHANGE = ("changes", "orders", "contrasts", "alignment", "check", "scales")
FILES = {
    *(f"{name}.csv" for name in (*CHANGE, "pairs", "unpaired", "bands", "scores")),
    *(
        "posterior-change-crossed.nc",
        "posterior-change-maximal.nc",
        *("report.html", "report.md", "run.json", "write-up.md", "references.bib"),
        *("before_after.csv", "removed.csv", "leans.csv", "word_pairs.csv"),
        *("table_before.csv", "table_after.csv", "diagnostics.csv"),
    ),
}
FEWER = ["--draws", "200", "--chains", "2"]
FEW: Any = {"models": ("change",), "draws": 200, "chains": 2, "seed": 1}


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toy_table: pd.DataFrame) -> list[str]:
    """Write two tables, and return the arguments of a fast comparison of them."""
    monkeypatch.chdir(tmp_path)
    write_table(toy_table, "before.csv")
    write_table(moved(toy_table), "after.csv")
    models = ["--model", "change-crossed", "--model", "change-maximal"]
    return ["compare", "before.csv", "after.csv", *models, *FEWER]


def moved(table: pd.DataFrame) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return plus(table, 0.08 + 0.02 * rng.standard_normal(len(table)))


@pytest.mark.slow
def test_everything_is_written_and_told(tables, toy_table, capsys) -> None:
    write_table(toy_table.iloc[3:], "before.csv")
    assert main([*tables, "--plots", "png", "--out", "out"]) == 0
    files = {path.relative_to("out").as_posix() for path in Path("out").rglob("*.*")}
    plots = {name for name in files if name.startswith("plots/")}
    assert files - plots == FILES
    assert files_named(Path("out/report.html").read_text()) == files_beside(files)
    stems = {Path(name).stem for name in plots}
    assert stems == {"change", "distributions"}
    assert "left out 3 of 32 rows" in capsys.readouterr().err
    assert len(pd.read_csv("out/unpaired.csv")) == 3
    changes = pd.read_csv("out/changes.csv")
    assert list(changes["model"].unique()) == ["change-crossed", "change-maximal"]
    tree = load_posterior("out/posterior-change-maximal.nc")
    own = changes[changes["model"] == "change-maximal"]
    assert np.allclose(own["mean"], bb.comparison.changes(tree)["mean"])
    record = json.loads(Path("out/run.json").read_text())
    assert record["command"].startswith("bayesbias compare before.csv after.csv --")
    assert set(record["files"]) == files


@pytest.mark.seconds
def test_what_cannot_be_compared_writes_nothing(tables, toy_table, capsys) -> None:
    for after, extra, message in (
        ("after.csv", "--model paper", "data are changes in distances; use change, change-by-g"),
        ("after.csv", "--list gender", "--list is for embeddings, not for tables"),
        ("after.csv", "--sets gender", "--sets is for embeddings, not for tables"),
        ("after.csv", "--case lower", "--case is for embeddings, not for tables"),
        ("after.csv", "--recover-words 3", "--recover-words is for embeddings"),
        ("after.csv.gz", "", "no table at after.csv.gz"),
        ("AFTER.TSV", "", "no table at AFTER.TSV"),
        ("before.csv", "", "the tables have the same distances"),
    ):
        arguments = [*tables[:2], after, *tables[3:], "--out", "out", *extra.split()]
        assert message in refused(capsys, arguments, most=3)  # rows repeat in both tables


@pytest.mark.slow
@pytest.mark.usefixtures("one_plot")
def test_copies_are_reported_once_and_can_be_left_out(tables, toy_table, capsys) -> None:
    copy = toy_table[toy_table["protected_word"] == "he"].assign(protected_word="him")
    both = pd.concat([toy_table, copy], ignore_index=True)
    write_table(both, "before.csv")
    write_table(moved(both), "after.csv")
    for options, told in (([], 1), (["--drop-duplicates", "--force"], 0)):
        assert main([*tables[:3], "--model", "change", *FEWER, *options]) == 0
        assert capsys.readouterr().err.count("exact copies") == told


@pytest.mark.slow
def test_tables_without_controls_or_different_rows_are_told_of(toy_table: pd.DataFrame) -> None:
    kept = toy_table[toy_table["connection"].isin(["associated", "neutral"])]
    analysis = analyze_change(kept, moved(kept), **FEW)
    assert analysis.lead["orders"].empty
    assert analysis.found.removed is None
    only = toy_table[toy_table["connection"].isin(["associated", "different"])]
    analysis = analyze_change(only, moved(only), **FEW)
    assert "side effects cannot be seen" in word_moves(analysis.found)[0]


@pytest.mark.seconds
def test_runs_of_a_group_called_all_groups_are_compared(toy, capsys) -> None:
    Path("toy.toml").write_text(
        Path("toy.toml").read_text(encoding="utf-8").replace("\nmen =", '\n"all groups" ='),
        encoding="utf-8",
    )
    few = [*toy, "--force"]
    assert main([*few, "--out", "one"]) == 0
    assert main([*few, "--out", "two", "--seed", "2", "--compare-to", "one"]) == 0
    changed = pd.read_csv("two/since.csv")["what"]
    assert changed.is_unique
    assert changed.str.contains("all groups: ").sum() > 1


@pytest.mark.seconds
def test_tables_of_one_name_in_two_folders_have_different_names(tables, capsys) -> None:
    for folder, name in (("r1", "before"), ("r2", "after")):
        Path(folder).mkdir()
        Path(f"{name}.csv").rename(Path(folder, "table.csv"))
    assert main(["compare", "r1/table.csv", "r2/table.csv", *FEWER, "--out", "res"]) == 0
    said = capsys.readouterr().out
    assert "r1" in said
    assert "r2" in said


@pytest.mark.slow  # a whole embedding is debiased and read several times
def test_embeddings_and_methods_are_compared_as_their_tables_are() -> None:
    words, before = bb.load_wordlist("gender"), bb.load_vectors("glove-demo", progressbar=False)
    after = bb.debias.hard(before, "gender")
    tables = [bb.distance_table(each, words) for each in (before, after)]
    expected = analyze_change(*tables, **FEW)
    plain = analyze_change("glove-demo", "hard", "gender", matched=0, recover_words=60, **FEW)
    pd.testing.assert_frame_equal(plain.changes, expected.changes)
    change = analyze_change("glove-demo", "hard", "gender", recover_words=60, **FEW)
    assert set(change.contrasts["frequency"]) == {"equal"}
    scores = bb.comparison.scores_before_after(before, after, words, seed=0)
    pd.testing.assert_frame_equal(change.scores, scores)
    assert (change.found.before, change.found.after) == ("glove-demo", "hard")
    assert set(change.page().plots()) == {"change", "distributions"}
    assert "change" in change.write_up().markdown
    found = change.remains.set_index("check")
    assert found["before"]["direct_bias"] / found["after"]["direct_bias"] > 5
    with pytest.raises(TypeError, match="vectors need a word list"):
        analyze_change("glove-demo", "hard")
    with pytest.raises(ValueError, match="the models include 'change' twice"):
        analyze_change(*tables, models=["change", bb.load_model("change")])
