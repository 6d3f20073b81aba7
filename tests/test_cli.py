"""The front door: help, versions, what is refused, what reaches the terminal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from cli_toy import LIST, refused

from bayesbias import __version__
from bayesbias._core.checks import Argument
from bayesbias.cli import main
from bayesbias.cli.screen import in_one_line
from bayesbias.model.tree import SamplingWarning


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from bayesbias.cli import main; main(['--help']);"
        "print('loaded:', *sorted({name.split('.')[0] for name in sys.modules}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.rpartition("loaded:")[2].split())
    assert not loaded & {"numpy", "pandas", "pymc", "arviz", "gensim", "matplotlib", "jinja2"}


@pytest.mark.parametrize(
    "command",
    ["run", "table", "fit", "lists", "lists show", "lists check", "models", "models show"],
)
def test_help_of_every_command_has_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command.split(), "--help"]) == 0
    out = capsys.readouterr().out
    assert "Example" in out
    assert f"bayesbias {command}" in out


def test_help_names_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "2 bad input, nothing was written; 3 results were written" in out


def test_version_and_the_module_as_a_program() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "bayesbias", "--version"], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == f"bayesbias {__version__}"


def test_quiet_says_nothing(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--quiet", "lists"], ["--quiet", "lists", "show", "religion"]):
        assert main(arguments) == 0
    assert main(["--quiet", "table", "toy.toml", "--vectors", "toy.txt", "--out", "t.csv"]) == 0
    assert main(["fit", "t.csv", "--quiet"]) == 0
    said = capsys.readouterr()
    assert said.out == said.err == ""


BAD_ARGUMENTS = {
    "list": (["run", "religon"], "unknown word list 'religon'; did you mean 'religion'"),
    "no file": (["run", "nowhere.toml"], "no word list at nowhere.toml"),
    "spec": (["run", "toy.toml", "--model", "crosed"], "did you mean 'crossed'"),
    "twice": (["run", "toy.toml", "--model", "paper", "--model", "paper"], "two models"),
    "same list": (["run", "toy.toml", "toy.toml"], "given twice"),
    "controls": (["run", "neutral"], "control words only"),
    "percent": (["run", "toy.toml", "--ci-prob", "89"], "for an 89% interval pass 0.89"),
    "zero": (["run", "toy.toml", "--ci-prob", "0"], "--ci-prob must lie in (0, 1)"),
    "kind": (["run", "toy.toml", "--ci-kind", "hpd"], "did you mean 'hdi'"),
    "method": (["run", "toy.toml", "--method", "nutz"], "did you mean 'nuts'"),
    "case": (["run", "toy.toml", "--case", "upper"], "unknown case 'upper'"),
    "rope": (["run", "toy.toml", "--rope", "-1"], "--rope"),
    "draws": (["run", "toy.toml", "--draws", "0"], "--draws"),
    "few draws": (["run", "toy.toml", "--draws", "2"], "--draws must be at least 7 with 4 chain"),
    "few in a chain": (
        ["run", "toy.toml", "--draws", "3", "--chains", "50"],
        "--draws must be at least 4 with 50 chain",
    ),
    "tune": (["fit", "no.csv", "--tune", "0"], "--tune"),
    "acceptance": (["run", "toy.toml", "--target-accept", "1"], "--target-accept must lie in (0"),
    "a model as a command": (["models", "pll"], "to see a model: `bayesbias models show pll`."),
    "a list as a command": (["lists", "gender"], "to see a list: `bayesbias lists show gender`."),
    "a list's command": (["lists", "chek"], "Did you mean 'check'? See `bayesbias lists --help`."),
    "a slip": (["rum"], "Did you mean 'run'? See `bayesbias --help`."),
    "option": (["run", "toy.toml", "--modl", "paper"], "No such option"),
    "no list": (["run"], "Missing argument"),
    "command": (["rum"], "rum"),
    "embedding": (["run", "toy.toml", "--vectors", "glove-dem"], "did you mean 'glove-demo'"),
    "no vectors": (["run", "toy.toml", "--vectors", "no.bin"], "no embedding file at no.bin"),
    "folder": (["run", "toy.toml", "--vectors", "./"], "is a folder"),
    "ending": (["run", "toy.toml", "--vectors", "toy.toml"], "unknown ending '.toml'"),
    "out is a file": (["run", "toy.toml", "--out", "toy.txt"], "toy.txt is a file"),
    "out in a file": (["run", "toy.toml", "--out", "toy.txt/a"], "toy.txt"),
    "table out": (["table", "toy.toml", "--out", "t.txt"], "must end in .csv or .parquet"),
    "table folder": (["table", "toy.toml", "--out", "no/t.csv"], "no folder no"),
    "fit no table": (["fit", "no.csv"], "no table at no.csv"),
    "fit no columns": (["fit", "toy.txt"], "toy.txt: the table lacks the column(s)"),
    "fit out": (["fit", "no.csv", "--out", "a.csv"], "must end in .nc"),
    "check": (["lists", "check", "no.toml"], "no word list at no.toml"),
    "show": (["lists", "show", "rase"], "did you mean 'race'"),
}


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_bad_arguments(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, expected = BAD_ARGUMENTS[case]
    assert expected in refused(capsys, arguments)


def test_advice_names_options_rather_than_arguments() -> None:
    parts = ("raise ", Argument("target_accept"), " towards 0.99, or use ")
    advice = SamplingWarning(*parts, Argument("method", "exact"), " for a Normal model")
    assert (
        str(advice) == "raise target_accept towards 0.99, or use method='exact' for a Normal model"
    )
    assert in_one_line(advice) == (
        "raise --target-accept towards 0.99, or use --method exact for a Normal model"
    )


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (["--measure", "csp"], "unknown measure 'csp'; did you mean 'cps'"),
        (["--model", "./nowhere"], "no folder of a model at nowhere"),
        (["--dataset", "crows-pair"], "unknown dataset 'crows-pair'; did you mean 'crows-pairs'"),
        (["--data", "none.csv"], "no file at none.csv"),
    ],
)
def test_mlm_score_checks_names_before_it_loads_what_takes_long(
    wrong: list[str], why: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: object, **__: object) -> None:
        raise ImportError("too late")

    monkeypatch.setattr("bayesbias.maskedlm.load_language_model", late)
    good = ["--model", "bert", "--data", "pairs.csv", "--dataset", "crows-pairs", "--out", "out"]
    sentences = {"sent_more": ["She is bad at maths."], "sent_less": ["He is bad at maths."]}
    kinds = {"stereo_antistereo": ["stereo"], "bias_type": ["gender"]}
    pd.DataFrame(sentences | kinds).to_csv("pairs.csv")
    assert "too late" in refused(capsys, ["mlm", "score", *good])
    assert why in refused(capsys, ["mlm", "score", *good, *wrong])


def test_mlm_alone_prints_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mlm"]) == 0
    said = capsys.readouterr()
    assert "report" in said.out
    assert said.err == ""


def test_control_characters_and_markup_do_not_reach_the_terminal(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("toy.toml").write_text(
        LIST.replace('"Toy"', '"\\u001b[31mred [bold]loud[/bold] :smile:"'), encoding="utf-8"
    )
    assert main(["lists", "show", toy[1]]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "[bold]loud[/bold] :smile:" in " ".join(out.split())
