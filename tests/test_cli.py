"""The command line's help and options, and commands with a single result."""

import json
import re
import subprocess
import sys
import webbrowser
from collections.abc import Iterator
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from builders import distances, kept_results
from cli_toy import LIST, WORDS, refused, write_vectors
from cyclopts import App
from pandas.testing import assert_frame_equal

import bayesbias as bb
from bayesbias._core.resources import bundled_folder
from bayesbias.cli import app, main
from bayesbias.cli.catalogue import pages, text_of
from bayesbias.cli.options import TOKENS, command_line
from bayesbias.cli.screen import table
from bayesbias.sampling.options import FitOptions
from bayesbias.scores import SCORES

PACKAGE = Path(bb.__file__).parent


@pytest.mark.slow  # processes start
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


@pytest.mark.seconds
def test_help_of_every_command_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    known = set(commands(app)) - {"docs"}
    for command in known:
        assert main([*command.split(), "--help"]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert re.search(f"Examples?: bayesbias {command} ", said)


OF_OTHERS = {"--host", "--port", "--nworkers", "--nthreads", "--size", "--log_samples", "--help"}
"""Options in the docs of other programs, and the one for help."""


@pytest.mark.seconds
def test_options_in_the_docs_exist_and_those_that_are_on_can_be_switched_off(capsys) -> None:
    shown = set[str]()
    for command in set(commands(app)):
        main([*command.split(), "--help"])
        own = set(re.findall(r"(?<![\w-])--[a-z][\w-]+", capsys.readouterr().out))
        shown |= own
        for argument in reduce(getitem, command.split(), app).assemble_argument_collection():
            if argument.parse and argument.field_info.default is True:
                assert argument.name.replace("--", "--no-", 1) in own, (command, argument.name)
    texts = [*bundled_folder("docs").glob("*.md"), PACKAGE.parent / "README.md"]
    named = re.findall(r"(?<![\w-])--[a-z][\w-]+", "".join(page.read_text() for page in texts))
    assert {*named} - OF_OTHERS <= shown


def test_subwords_can_be_left_out(tmp_path: Path) -> None:
    """Only a fastText model makes vectors for words outside its vocabulary."""
    from gensim.models import FastText

    (tmp_path / "l.csv").write_text(
        "role,set,word\nprotected,man,he\nprotected,woman,she\nstereotype,man,boss\n"
        "stereotype,woman,bosses\n"
    )
    model = FastText([["he", "she", "boss", "men"]] * 5, vector_size=3, min_count=1, seed=1)
    model.save(str(tmp_path / "ft.model"))
    given = [str(tmp_path / "l.csv"), "--vectors", str(tmp_path / "ft.model"), "--allow-pickle"]
    attributes = []
    for more in ([], ["--no-subwords"]):
        out = tmp_path / f"t{len(more)}.csv"
        assert main(["table", *given, "--out", str(out), *more]) == 0
        attributes.append({*bb.read_table(out)["attribute"]})
    assert attributes == [{"boss", "bosses"}, {"boss"}]


TOY = "toy.toml --vectors toy.txt"
STARTS = {
    "run": TOY,
    "table": f"{TOY} --out t.csv",
    "fit": "t.csv",
    "scores": TOY,
    "calibrate": "",
    "background": TOY,
    "convert": "toy.txt out",
    "compare": "a.csv b.csv",
    "sweep": "s.toml",
    "mlm score": "--model m --data d.csv --dataset csv --out out",
    "mlm report": "scores",
    "check-limits": "run men 0 1",
}
"""Valid arguments for every command with numbers."""

ALLOWED = {
    *(("--seed", "0"), ("--matched", "0"), ("--reference-lists", "0"), ("--max-missing", "0")),
    *(("--layer", "0"), ("--layer", "-1"), ("--rope", "0"), ("--rope", "1.5"), ("--ranks", "0")),
}
"""Numbers that an option accepts, or that mean something else where there are two."""


def numbers_of_commands(number: str) -> Iterator[tuple[str, str, str]]:
    """Yield each command, each of its options for numbers, and a number that it refuses."""
    for command in set(commands(app)) - {"docs"}:
        for argument in reduce(getitem, command.split(), app).assemble_argument_collection():
            kinds = {argument.hint, *get_args(argument.hint)} & {int, float, tuple[int, int]}
            if kinds and argument.parse and argument.name.startswith("--"):
                given = "-1" if number == "0" and (argument.name, "0") in ALLOWED else number
                if (argument.name, given) not in ALLOWED:
                    yield command, argument.name, given


@pytest.mark.seconds
@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    "number", ["0", *(pytest.param(one, marks=pytest.mark.slow) for one in ("1.5", "nan"))]
)
def test_numbers_that_an_option_refuses_name_the_option(number: str, capsys) -> None:
    for command, option, own in sorted(numbers_of_commands(number)):
        second = ["3"] * (option == "--ranks")
        given = [*command.split(), *STARTS[command].split(), option, own, *second]
        said = refused(capsys, given)
        assert option in said or option.lstrip("-") in said.split()[:2], (given, said)


def test_the_command_of_a_record_lacks_what_no_number_depends_on() -> None:
    given = "run a.toml -v b -o here --seed=2 --out=d --force --plots svg --draws 9"
    TOKENS.set([*given.split(), "--list", "my words"])
    assert command_line() == "bayesbias run a.toml -v b --seed=2 --draws 9 --list 'my words'"


def test_control_characters_and_markup_do_not_reach_the_terminal(capsys) -> None:
    assert main(["lists", "--quiet"]) == 0  # later calls still show warnings
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
        ("", "", 0, "mine.toml: 0 errors, 3 warnings."),
        ('"clock"', '"walk"', 0, "mine.toml: warning: controls.human["),
        ('"son"', '"he"', 1, "mine.toml: error: groups.men[1]: 'he' is already in groups.men[0]"),
    ):
        Path("mine.toml").write_text(LIST.replace(old, new, 1), encoding="utf-8")
        assert main(["lists", "check", "mine.toml"]) == code
        assert text in capsys.readouterr().out
    assert main(["lists", "check", "religion", "--vectors", "glove-demo"]) == 0
    shown = capsys.readouterr().out
    assert "conservative (-0.001)" in shown
    assert "literaly" in shown  # a word that the embedding lacks


@pytest.mark.usefixtures("toy")
def test_hints_name_options_of_their_command(capsys: pytest.CaptureFixture[str]) -> None:
    """`lists check` has the option; `compare` needs an embedding that was converted with it."""
    lines = Path("toy.txt").read_text(encoding="utf-8").splitlines()
    Path("tagged.txt").write_text("\n".join(line.replace(" ", "_N ", 1) for line in lines))
    main(["lists", "check", "toy.toml", "--vectors", "tagged.txt"])
    assert "--key {word}_N" in capsys.readouterr().err
    assert main(["lists", "check", "toy.toml", "-v", "tagged.txt", "--key", "{word}_N"]) == 0
    assert "Words of the list" in capsys.readouterr().out
    said = refused(capsys, ["compare", "tagged.txt", "toy.txt", "--list", "toy.toml"])
    assert "bayesbias convert OLD NEW --key {word}_N" in said


def test_pages_are_listed_shown_and_opened(capsys, monkeypatch) -> None:
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


@pytest.fixture
def balanced(toy: list[str]) -> None:
    """Return a list whose groups have three words each, as some scores need, and more words."""
    text = LIST.replace('"son"]', '"son", "king"]').replace('"maid"]', '"maid", "queen"]')
    Path("toy.toml").write_text(text.replace('"dancer"]', '"dancer", "absent"]'))
    write_vectors(Path("toy.txt"), [*WORDS, "king", "queen", *(f"w{i}" for i in range(298))])


@pytest.mark.seconds
def test_table_and_fit(toy: list[str]) -> None:
    arguments = ["table", *toy[1:4], "--out"]
    assert main([*arguments, "t.csv"]) == 0
    assert main([*arguments, "t.parquet"]) == 0
    assert_frame_equal(bb.read_table("t.csv"), bb.read_table("t.parquet"))
    assert main(["fit", "t.csv", "--model", "crossed", "--draws", "200", "--out", "p.nc"]) == 0
    assert bb.load_posterior("p.nc").attrs["model"] == "crossed"


def test_what_warnings_advise_reaches_the_sampler(toy, monkeypatch, capsys) -> None:
    def stop(*_: object, options: FitOptions, **__: object) -> None:
        raise ValueError(f"tune is {options.tune} and acceptance {options.target_accept}")

    assert main(["table", *toy[1:4], "--out", "t.csv", "--quiet"]) == 0
    for name in ("fit", "workflows.wordlist.fit_checked", "comparison.fit_change"):
        monkeypatch.setattr(f"bayesbias.{name}", stop)
    for arguments in (["fit", "t.csv"], toy, ["compare", "t.csv", "t.csv"]):
        said = refused(capsys, [*arguments, "--tune", "77", "--target-accept", "0.97"])
        assert "tune is 77 and acceptance 0.97" in said


@pytest.mark.usefixtures("balanced")
def test_scores_are_printed_with_how_to_read_them_and_written(capsys) -> None:
    few = ["scores", "toy.toml", "--vectors", "toy.txt", "--n-resamples", "20", "--seed", "3"]
    assert main([*few, "--out", "toy.csv", "--ci-prob", "0.5"]) == 0
    shown = capsys.readouterr().out
    assert all(f" {name} " in shown for name in SCORES)
    words = bb.load_wordlist("toy.toml")
    vectors = bb.load_vectors("toy.txt", words=words)
    expected = bb.score_table(vectors, words, n_resamples=20, seed=3, ci_prob=0.5)
    written = pd.read_csv("toy.csv")
    columns = ["value", "low", "high", "p_value"]
    assert list(written) == list(expected)
    assert np.allclose(written[columns], expected[columns], equal_nan=True)


@pytest.mark.usefixtures("toy")
def test_convert_makes_a_folder_that_other_commands_take(capsys) -> None:
    Path("toy.txt").write_text("a 1 2\nb 3 4\na 5 6\n", encoding="utf-8")
    assert main(["convert", "toy.txt", "toy"]) == 0
    assert "2 words" in capsys.readouterr().out
    assert bb.load_vectors("toy").vectors.tolist() == [[1, 2], [3, 4]]
    assert "toy already exists; pass --force" in refused(capsys, ["convert", "toy.txt", "toy"])
    assert main(["convert", "toy.txt", "toy", "--force"]) == 0
    for asked in (["convert", "glove-demo", "glove"], ["debias", "--out", "hard"]):
        assert main(asked) == 0
        assert "6,000 rarer words" in capsys.readouterr().err


@pytest.mark.seconds
def test_an_interval_that_leaves_its_limits_gives_exit_code_1(tmp_path, capsys) -> None:
    bb.save_posterior(bb.fit(distances(), "paper", draws=50, seed=3), tmp_path / "posterior.nc")
    gap = "associated - different"
    row = bb.hypothesis(bb.load_posterior(tmp_path / "posterior.nc"), f"{gap} > 0").iloc[0]
    for low, high, code in (
        (row["low"] - 1e-9, row["high"] + 1e-9, 0),
        (row["low"] + 1e-9, 1.0, 1),
        (-1.0, row["high"] - 1e-9, 1),
    ):
        assert main(["check-limits", str(tmp_path), gap, str(low), str(high)]) == code
        assert capsys.readouterr().out.startswith(f"{('inside', 'OUTSIDE')[code]}: {gap}")
    assert main(["check-limits", str(tmp_path), "humane", "0", "1"]) == 2
    assert main(["check-limits", str(tmp_path), "men < women", "0", "1"]) == 2
    assert "without < and >" in capsys.readouterr().err


@pytest.mark.usefixtures("toy")
def test_calibrate_prints_and_writes_what_the_function_gives(capsys) -> None:
    asked = "calibrate independent planted -m weat-p -m t-cells-sets -n 60 --seed 3"
    assert main([*asked.split(), "--out", "rates.csv", "--keep", "parts"]) == 0
    expected = bb.calibration.calibrate(
        ["independent", "planted"], ["weat-p", "t-cells-sets"], 60, seed=3
    )
    assert_frame_equal(pd.read_csv("rates.csv"), expected, check_exact=False, rtol=1e-12)
    assert f"{expected['rate'].iloc[2]:.3f}" in capsys.readouterr().out
    assert len(kept_results(Path("parts"))) == 4


@pytest.mark.usefixtures("balanced")
def test_background_writes_frames(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["background", "toy.toml", "--vectors", "toy.txt", "--draws", "500"]
    assert main([*asked, "--out", "out", "--ranks", "0", "200", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    names = {path.relative_to("out").as_posix() for path in Path("out").rglob("*.*")}
    frames = {f"{name}.csv" for name in ("fits", "standalone", "relative", "words")}
    record = json.loads(Path("out/run.json").read_text())
    assert set(record["files"]) == names
    assert record["command"].endswith("--ranks 0 200")
    assert names == frames | {"run.json"}
    assert pd.read_csv("out/fits.csv")["n_words"].tolist() == [200]
    words = {"he", "son", "king", "she", "maid", "queen"}
    assert set(pd.read_csv("out/words.csv")["word"]) == words
    assert "(standalone.csv, run.json); pass --force" in refused(capsys, [*asked, "--out", "out"])
