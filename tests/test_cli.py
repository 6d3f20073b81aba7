"""The front door: help, versions, what is refused, what reaches the terminal."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from cli_toy import LIST, refused, replaced

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


COMMANDS = (
    *("run", "table", "fit", "scores", "calibrate", "background", "convert", "compare", "sweep"),
    *("mlm score", "mlm report", "debias", "lists", "lists show", "lists check"),
    *("models", "models show"),
)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command.split(), "--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert re.search(f"Examples?: bayesbias {command} ", out)
    assert "--quiet -q" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--help"], "2 bad input, nothing was written; 3 results were written"),
        ([], "2 bad input, nothing was written; 3 results were written"),
        (["mlm"], "report Write a report on scored sentence pairs"),
    ],
)
def test_commands_alone_print_their_help(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    said = capsys.readouterr()
    assert told in " ".join(said.out.split())
    assert said.err == ""


def test_version_and_the_module_as_a_program() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "bayesbias", "--version"], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == f"bayesbias {__version__}"


def test_quiet_says_nothing(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        "--quiet lists",
        "--quiet lists show religion",
        "--quiet table toy.toml --vectors toy.txt --out t.csv",
        "fit t.csv --quiet",
        "scores weat7 -q --n-resamples 20",
        "calibrate independent -m weat-p -n 20 --quiet",
    ):
        assert main(arguments.split()) == 0
    assert capsys.readouterr() == ("", "")


TOY = "toy.toml --vectors toy.txt"
BAD_ARGUMENTS = {
    "run religon": "unknown word list 'religon'; did you mean 'religion'",
    "run nowhere.toml": "no word list at nowhere.toml",
    "run toy.toml --model crosed": "did you mean 'crossed'",
    "run toy.toml --model paper --model paper": "two models",
    "run toy.toml toy.toml": "given twice",
    "run neutral": "control words only",
    "run toy.toml --ci-prob 89": "for an 89% interval pass 0.89",
    "run toy.toml --ci-prob 0": "--ci-prob must lie in (0, 1)",
    "run toy.toml --ci-kind hpd": "did you mean 'hdi'",
    "run toy.toml --method nutz": "did you mean 'nuts'",
    "run toy.toml --case upper": "unknown case 'upper'",
    "run toy.toml --rope -1": "--rope",
    "run toy.toml --draws 0": "--draws",
    "run toy.toml --draws 2": "--draws must be at least 7 with 4 chain",
    "run toy.toml --draws 3 --chains 50": "--draws must be at least 4 with 50 chain",
    "run toy.toml --target-accept 1": "--target-accept must lie in (0",
    "run toy.toml --modl paper": "Did you mean --model?",
    "run toy.toml --vectors glove-dem": "did you mean 'glove-demo'",
    "run toy.toml --vectors no.bin": "no embedding file at no.bin",
    "run toy.toml --vectors ./": "is a folder",
    "run toy.toml --vectors toy.toml": "unknown ending '.toml'",
    "run toy.toml --out toy.txt": "toy.txt is a file",
    "run toy.toml --out toy.txt/a": "toy.txt",
    "run": "give one or more word lists",
    "rum": 'Did you mean "run"? See `bayesbias --help`.',
    "models robust": "To see one: `bayesbias models show robust`.",
    "models show crosed": "did you mean 'crossed'",
    "lists gender": "To see one: `bayesbias lists show gender`.",
    "lists chek": "bayesbias lists show chek",
    "lists check no.toml": "no word list at no.toml",
    "lists show rase": "did you mean 'race'",
    "table toy.toml --out t.txt": "must end in .csv or .parquet",
    "table toy.toml --out no/t.csv": "no folder no",
    "fit no.csv": "no table at no.csv",
    "fit no.csv --tune 0": "--tune",
    "fit no.csv --out a.csv": "must end in .nc",
    "fit toy.txt": "toy.txt: the table lacks the column(s)",
    "scores neutral": "has no groups with stereotypes",
    "scores gendr": "did you mean 'gender'",
    f"scores {TOY} --alternative more": "unknown alternative 'more'; known: greater, less, two-sid",
    f"scores {TOY} --ci-prob 89": "--ci-prob must lie in (0, 1), got 89",
    f"scores {TOY} --n-resamples 1": "n_resamples must be at least 2",
    f"scores {TOY} --case upper": "upper",
    f"scores {TOY} --out toy.txt": "--out must end in .csv",
    f"scores {TOY} --out nowhere/toy.csv": "there is no folder nowhere",
    f"scores {TOY} --posterior --model papr": "did you mean 'paper'",
    "scores toy.toml --vectors none.bin": "none.bin",
    "calibrate nowhere": "unknown scenario 'nowhere'",
    "calibrate independent -m weat": "unknown method 'weat'; did you mean 'weat-p'",
    "calibrate independent --alpha 5": "alpha must lie in (0, 1), got 5.0",
    "calibrate independent -n 0": "n must be",
    "calibrate independent --out rates.txt": ".csv",
    "calibrate independent --jobs 0": "n_jobs is a number of processes",
    f"background {TOY} --alpha 5 --out o": "alpha must lie in (0, 1), got 5",
    f"background {TOY} --case lowr --out o": "unknown case 'lowr'; did you mean 'lower'",
    f"background neutral {TOY} --out o": "the list 'neutral' has 0 group(s) with stereotypes",
    "background toy.toml --vectors none.txt --out o": "no embedding file at none.txt",
    "convert none.txt toy": "no embedding file",
    "convert glove-dmo toy": "did you mean 'glove",
    **{
        f"convert toy.txt toy.{end}": "the ending of a file" for end in ("npz", "bin", "VEC", "npy")
    },
}


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("arguments", BAD_ARGUMENTS)
def test_bad_arguments(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert BAD_ARGUMENTS[arguments] in refused(capsys, arguments.split())


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    "command",
    [f"table {TOY}", "scores weat7 --n-resamples 20", "calibrate independent -m weat-p -n 20"],
)
def test_a_file_is_replaced_only_by_force(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*command.split(), "--out", "mine.csv"]
    Path("mine.csv").write_text("mine", encoding="utf-8")
    assert "mine.csv is there already; pass --force" in refused(capsys, arguments)
    assert main([*arguments, "--force"]) == 0
    assert len(pd.read_csv("mine.csv"))


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
    assert why in refused(capsys, ["mlm", "score", *replaced(good, wrong)])


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
