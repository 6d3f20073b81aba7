"""The front door: help, versions, what is refused, what reaches the terminal, what there is."""

from __future__ import annotations

import re
import subprocess
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from cli_toy import LIST, refused
from cyclopts import App

import bayesbias as bb
from bayesbias._core.checks import Argument
from bayesbias._core.resources import bundled_folder
from bayesbias.cli import app, main
from bayesbias.cli.catalogue import pages, text_of
from bayesbias.cli.options import TOKENS, command_line
from bayesbias.cli.screen import in_one_line, table
from bayesbias.model.tree import SamplingWarning

PACKAGE = Path(bb.__file__).parent


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from bayesbias.cli import main; main(['--help']);"
        "print('loaded:', *sorted({name.split('.')[0] for name in sys.modules}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.rpartition("loaded:")[2].split())
    assert not loaded & {"numpy", "pandas", "pymc", "arviz", "gensim", "matplotlib", "jinja2"}
    run = subprocess.run(
        [sys.executable, "-m", "bayesbias", "--version"], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == f"bayesbias {bb.__version__}"


def commands(app: App, *names: str) -> Iterator[str]:
    for name in [name for name in app if not name.startswith("-")]:
        yield from commands(app[name], *names, name)
    if app.default_command:
        yield " ".join(names)


def test_help_of_every_command_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    known = set(commands(app)) - {"docs"}
    assert len(known) == 18
    for command in known:
        assert main([*command.split(), "--help"]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert re.search(f"Examples?: bayesbias {command} ", said)
    for arguments, told in (
        (["--help"], "2 bad input, nothing was written; 3 results were written"),
        ([], "-q or --quiet, a command prints nothing on stdout"),
        (["mlm"], "report Write a report on scored sentence pairs"),
    ):
        assert main(arguments) == 0
        said = capsys.readouterr()
        assert told in " ".join(said.out.split())
        assert said.err == ""


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
MLM = "mlm score --model {} --data {} --dataset {} --out out --measure {}"
BAD_ARGUMENTS = {
    "run religon": "unknown word list 'religon'; did you mean 'religion'",
    "run nowhere.toml": "no word list at nowhere.toml",
    "run glove-demo religion": "'glove-demo' is an embedding; write `bayesbias run religion --vec",
    "run religion glove-demo": "'glove-demo' is an embedding; write `bayesbias run religion --vec",
    "run toy.toml toy.txt": "'toy.txt' is an embedding; write `bayesbias run toy.toml --vectors to",
    "run toy.toml --model paper --model paper": "two models",
    "run toy.toml toy.toml": "given twice",
    "run neutral": "control words only",
    "run toy.toml --ci-prob 89": "for an 89% interval pass 0.89",
    "run toy.toml --rope -1": "--rope",
    "run toy.toml --draws 2": "--draws must be at least 7 with 4 chain",
    "run toy.toml --draws 1000000000": "GB",
    "run toy.toml --target-accept 1": "--target-accept must lie in (0",
    "run toy.toml --modl paper": "Did you mean --model?",
    "run toy.toml --vectors glove-dem": "did you mean 'glove-demo'",
    "run toy.toml --vectors ./": "is a folder",
    "run toy.toml --out toy.txt": "toy.txt is a file",
    "run toy.toml --compare-to nested": "is not the record of a run",
    "run": "give one or more word lists",
    "rum": 'Did you mean "run"? See `bayesbias --help`.',
    "models show crosed": "did you mean 'crossed'",
    "lists gender": "To see one: `bayesbias lists show NAME`.",
    "docs score": "did you mean 'scores'",
    "table glove-demo --out t.csv": "write `bayesbias table LIST --vectors glove-demo`",
    "table toy.toml --out t.txt": "must end in .csv or .parquet",
    "table toy.toml --out no/t.csv": "no folder no",
    "fit no.csv": "no table at no.csv",
    "fit no.csv --out a.csv": "must end in .nc",
    f"scores {TOY} --alternative more": "unknown alternative 'more'; known: greater, less, two-sid",
    f"scores {TOY} --n-resamples 100000000000": "Unable to allocate",
    "calibrate nowhere": "unknown scenario 'nowhere'",
    f"background {TOY} --alpha 5 --out o": "alpha must lie in (0, 1), got 5",
    f"background neutral {TOY} --out o": "the list 'neutral' has 0 group(s) with stereotypes",
    "convert none.txt toy": "no embedding file",
    # Names of a language model first: torch takes seconds to load.
    MLM.format("bert", "pairs.csv", "crows-pairs", "csp"): "unknown measure 'csp'; did you mean 'c",
    MLM.format("./none", "pairs.csv", "crows-pairs", "cps"): "no folder of a model at none",
    MLM.format("bert", "pairs.csv", "crows", "cps"): "unknown dataset 'crows'; did you mean 'crows",
    MLM.format("bert", "none.csv", "crows-pairs", "cps"): "no file at none.csv",
    "mlm report": "give one or more folders of scores",
}


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("arguments", BAD_ARGUMENTS)
def test_bad_arguments(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("nested").mkdir()
    Path("nested/run.json").write_text("[" * 100_000)
    assert BAD_ARGUMENTS[arguments] in refused(capsys, arguments.split())


@pytest.mark.usefixtures("toy")
def test_a_file_is_replaced_only_by_force(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = f"table {TOY} --out mine.csv".split()
    Path("mine.csv").write_text("mine", encoding="utf-8")
    assert "mine.csv already exists; pass --force" in refused(capsys, arguments)
    assert main([*arguments, "--force"]) == 0
    assert len(pd.read_csv("mine.csv"))


def test_messages_name_options_rather_than_arguments() -> None:
    parts = ("raise ", Argument("target_accept"), " toward 0.99, or use ")
    advice = SamplingWarning(*parts, Argument("method", "exact"), " for a Normal model")
    expected = "raise --target-accept toward 0.99, or use --method exact for a Normal model"
    assert in_one_line(advice) == expected
    assert str(advice) == expected.replace("--target-a", "target_a").replace(
        "--method exact", "method='exact'"
    )


def test_the_command_of_a_record_lacks_what_no_number_depends_on() -> None:
    given = "run a.toml -v b -o here --seed=2 --out=d --force --plots svg --draws 9"
    TOKENS.set([*given.split(), "--list", "my words"])
    assert command_line() == "bayesbias run a.toml -v b --seed=2 --draws 9 --list 'my words'"


def test_control_characters_and_markup_do_not_reach_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["lists", "--quiet"]) == 0  # later calls are not quiet
    table("\x1b[31mred", ["[bold]loud"], [[":smile:\x9b"]])
    out = capsys.readouterr().out
    assert all(text in out for text in ("[31mred", "[bold]loud", ":smile:"))
    assert not {"\x1b", "\x9b"} & set(out)


def test_lists_and_models_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for kind, folder, name in (("lists", "wordlists", "religion"), ("models", "models", "crossed")):
        assert main([kind]) == 0
        assert f" {name} " in capsys.readouterr().out
        assert main([kind, "show", name]) == 0
        file = bundled_folder(folder) / f"{name}.toml"
        assert capsys.readouterr().out == file.read_text(encoding="utf-8")


@pytest.mark.usefixtures("toy")
def test_lists_check_names_keys_and_exits_by_severity(capsys: pytest.CaptureFixture[str]) -> None:
    for old, new, code, text in (
        ("", "", 0, "nothing to report"),
        ('"clock"', '"walk"', 0, "mine.toml: warning: controls.human["),
        ('"son"', '"he"', 1, "mine.toml: error: groups.men[1]: 'he' is groups.men[0] already"),
    ):
        Path("mine.toml").write_text(LIST.replace(old, new, 1), encoding="utf-8")
        assert main(["lists", "check", "mine.toml"]) == code
        assert text in capsys.readouterr().out


def test_pages_are_listed_shown_and_opened(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["docs"]) == 0
    assert set(pages()) < set(capsys.readouterr().out.splitlines())
    assert main(["docs", "reading"]) == 0
    assert "89%" in capsys.readouterr().out
    assert all("8<" not in text_of(page) for page in pages().values())
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert main(["docs", "lesson"]) == 0
    assert opened == [pages()["lesson"].as_uri()]


def test_messages_name_pages_that_exist_and_no_path_of_a_checkout() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"docs/\w+\.md|README\.md|CONTRIBUTING", text), path
        assert set(re.findall(r"bayesbias docs ([a-z][\w-]*)", text)) <= set(pages()), path
