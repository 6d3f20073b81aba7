"""`bayesbias run`: its folder of results, whole or not at all, and what it says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from cli_toy import LIST, WORDS, listing, refused, write_vectors

from bayesbias._core.resources import bundled_folder
from bayesbias.cli import main
from bayesbias.model.posterior_files import load_posterior
from bayesbias.workflows.output import OWN_NAMES
from bayesbias.workflows.wordlist import FRAMES


def test_run_with_both_models_writes_everything_the_same_every_time(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    models = ["--model", "crossed", "--model", "maximal", "--plots", "png,svg"]
    both = [*toy[:4], *models, "--draws", "200", "--out"]
    assert main([*both, "res"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(
        "toy in toy.txt: how much closer 4 words of 2 groups are to the stereotypes of their own"
    )
    assert all(f"\n  {name} " in said for name in ("all groups", "men", "women"))
    assert said.endswith("Report: res/report.html\n")
    found = listing(Path("res"))
    assert {*OWN_NAMES, "posterior-crossed.nc", "posterior-maximal.nc"} <= set(found)
    names = ("headline-maximal", "forest-maximal", "contrasts-maximal", "influence")
    stems = {f"plots/{name}" for name in (*names, "distributions")}
    plots = {name for name in found if name.startswith("plots/")}
    assert plots == {f"{stem}.{kind}" for stem in stems for kind in ("png", "svg")}
    for name in FRAMES:
        assert set(pd.read_csv(f"res/{name}.csv")["model"]) == {"crossed", "maximal"}
    assert pd.read_csv("res/missing.csv")["word"].tolist() == ["gone"]
    record = json.loads(found["run.json"])
    assert sorted(record["files"]) == sorted(found)
    assert record["arguments"]["seed"] == 1
    posterior = load_posterior("res/posterior-crossed.nc")
    assert record["hashes"]["table"] == posterior.attrs["table_hash"]
    assert main([*both, "again", "--quiet"]) == 0
    assert listing(Path("again")) == found


@pytest.mark.usefixtures("one_plot")
def test_the_command_in_the_record_makes_the_same_numbers(toy: list[str]) -> None:
    other = ["--seed", "3", "--ci-prob", "0.8", "--ci-kind", "eti"]
    assert main([*toy, "--out", "one", "--quiet", *other]) == 0
    assert "The range that holds the middle 80%" in Path("one/report.html").read_text()
    command = json.loads(Path("one/run.json").read_text())["command"]
    assert command.startswith("bayesbias run toy.toml --vectors toy.txt ")
    assert main([*command.split()[1:], "--out", "two", "--quiet"]) == 0
    assert Path("one/summary.csv").read_bytes() == Path("two/summary.csv").read_bytes()


@pytest.mark.usefixtures("one_plot")
def test_several_lists_get_folders_and_an_index(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("other.toml").write_text(LIST.replace("Toy", "Other <b>"), encoding="utf-8")
    assert main([*toy, "other.toml", "--out", "res"]) == 0
    out = capsys.readouterr().out
    assert all(f"{name} in toy.txt" in out for name in ("toy", "other"))
    found = listing(Path("res"))
    assert {f"{folder}/{name}" for folder in ("toy", "other") for name in OWN_NAMES} <= set(found)
    index = found["report.html"].decode()
    assert 'href="toy/report.html"' in index
    assert "Other &lt;b&gt;" in index
    assert sorted(json.loads(found["run.json"])["files"]) == sorted(found)
    assert main([*toy, "other.toml", "--out", "res"]) == 2


@pytest.mark.usefixtures("one_plot")
def test_force_replaces_our_files_and_never_deletes_others(toy: list[str]) -> None:
    out = "res"
    Path(out, "plots").mkdir(parents=True)
    others = ["notes.txt", "plots/mine.png", "data.csv", "posterior-of-mine.nc"]
    for name in others:
        Path(out, name).write_text("mine")
    assert main([*toy, "--plots", "png", "--out", out, "--quiet"]) == 0
    assert Path(out, "plots/headline-paper.png").exists()
    assert main([*toy, "--out", out, "--quiet"]) == 2
    record = json.loads(Path(out, "run.json").read_text())
    record["files"] += ["data.csv", "notes.txt", "../toy.toml", "/etc/hostname", 5]
    Path(out, "run.json").write_text(json.dumps(record))
    again = [*toy[:4], "--model", "paper-figures", "--draws", "200", "--out", out, "--quiet"]
    assert main([*again, "--force"]) == 0
    assert all(Path(out, name).read_text() == "mine" for name in others)
    assert Path("toy.toml").exists()
    assert not Path(out, "plots/headline-paper.png").exists()
    assert load_posterior(Path(out, "posterior.nc")).attrs["model"] == "paper-figures"
    assert not [name for name in listing(Path()) if "writing" in name]


SLOW = """
# A job that the shell started in the background ignores Ctrl-C unless told.
import signal, sys, bayesbias.sampling.fit as f, time
signal.signal(signal.SIGINT, signal.default_int_handler)
def slow(*_): print('sampling', flush=True); time.sleep(60)
f._nuts = slow
from bayesbias.cli import main; sys.exit(main(sys.argv[1:]))
"""


def test_a_run_that_is_interrupted_leaves_nothing(toy: list[str]) -> None:
    before = sorted(os.listdir())
    arguments = [sys.executable, "-c", SLOW, *toy, "--method", "nuts", "--out", "res"]
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "sampling\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert sorted(os.listdir()) == before
    assert "Traceback" not in said
    assert "bayesbias: interrupted; results are whole" in said


@pytest.mark.usefixtures("one_plot")
def test_sampling_warnings_give_exit_code_3_and_are_shown(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = (bundled_folder("models") / "paper.toml").read_text(encoding="utf-8")
    hard = 'family = "gamma"\nshape = 0.01\nrate = 1.0'  # a prior heaped at zero
    Path("hard.toml").write_text(spec.replace('family = "exponential"\nrate = 2.0', hard))
    assert main([*toy[:4], "--model", "hard.toml", "--method", "exact"]) == 3
    said = capsys.readouterr()
    lines = [line for line in said.err.splitlines() if "Pareto k of the exact" in line]
    assert len(lines) == 1
    assert lines[0].startswith("bayesbias: warning: ")
    html = Path("bayesbias-results/report.html").read_text()
    assert "Do not rely on these numbers yet" in html
    assert html.index("Pareto k of the exact") < html.index("What was found")


def test_missing_words_are_named_and_lower_case_is_hinted_at(
    toy: list[str], one_plot: None, capsys: pytest.CaptureFixture[str]
) -> None:
    content = LIST.replace('"son"', '"Son", "Puppi"').replace('"dancer"]', '"dancer", "Nurse"]')
    Path("toy.toml").write_text(content, encoding="utf-8")
    assert main(toy) == 0
    out = " ".join(capsys.readouterr().out.split())
    told = "entries: Son, Puppi, Nurse and 1 control word. No number includes them."
    spelled = "It has 2 missing words in another spelling (nurse for Nurse and son for Son)"
    assert f"{told} {spelled}" in out
    assert main([*toy, "--case", "fallback", "--force"]) == 0
    said = capsys.readouterr()
    assert "entries: Puppi and 1 control word." in said.out
    told = "Nurse as nurse of 'toy': these read the same vector, and count once"
    assert said.err == f"bayesbias: warning: {told}\n"
    assert told.replace("'", "&#39;") in Path("bayesbias-results/report.html").read_text()


def test_sets_with_too_few_words_are_marked_and_refused_if_asked(
    toy: list[str], one_plot: None, capsys: pytest.CaptureFixture[str]
) -> None:
    content = LIST
    for last, more in {"son": "lad", "maid": "lass", "dancer": 'cook", "gone'}.items():
        content = content.replace(f'"{last}"]', f'"{last}", "{more}"]')
    Path("toy.toml").write_text(content, encoding="utf-8")
    write_vectors(Path("toy.txt"), [*WORDS, "lad", "lass", "cook"])
    assert main([*toy, "--out", "res"]) == 0
    out = capsys.readouterr().out
    few = "Too few words are left of the stereotypes of women (3 of 4) and human (2 of 3)."
    assert few in " ".join(out.split())
    assert "  women †  " in out
    told = refused(capsys, [*toy, "--out", "other", "--max-missing", "0.2"], most=2)
    assert "women_stereotype (3 of 4 left), human (2 of 3 left)" in told
    assert told.endswith("or give --max-missing a larger share")
    assert main([*toy, "--out", "other", "--max-missing", "0.34", "--quiet"]) == 0
