"""What the command line refuses: options without effect, wrong input, and its own inputs."""

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from builders import distances
from cli_toy import LIST, refused, write_scored

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.maskedlm.pll import _remembered
from bayesbias.workflows.pairs import left_out, of_types

BAD_ARGUMENTS = {
    "run glove-demo religion": "'glove-demo' is an embedding; write `bayesbias run religion --vec",
    "run toy.toml toy.txt": "'toy.txt' is an embedding; write `bayesbias run toy.toml --vectors to",
    "compare glove-demo hard": "pass one (for example, --list gender)",
    "run toy.toml --draws 2": "--draws must be at least 7 if chains is 4",
    "run toy.toml --covariate-values c.csv": "--covariate-values needs --covariate, their names",
    "run toy.toml --layer 3": "--layer is for words in contexts; choose their model with --enc",
    "run toy.toml --modl paper": "Did you mean --model?",
    "run toy.toml --out toy.txt": "toy.txt is a file",
    "run toy.toml --compare-to nested": "run.json: it nests lists or tables too deeply",
    **{
        f"run toy.toml --encoder M {option}": f"{option.split()[0]} has no effect on words in con"
        for option in ("--vectors x", "--case lower", "--limit 0", "--matched 9", "--cache")
    },
    "compare toy.txt toy.txt --list toy.toml --sets race": "--sets is for a debiasing method",
    "compare toy.txt toy.txt --list toy.toml --recover-words 3": "--recover-words needs --recover",
    "lists check toy.toml --key X": "--key needs --vectors",
    "mlm report fa --metadata none.csv": "--metadata is for logs, not for folders of scores",
    "mlm report fa --out fa --force": "fa is read by this command; give another place to write",
    "scores toy.toml --out ./toy.toml --force": "toy.toml is read by this command",
    "run toy.toml --compare-to changed": "changed/run.json does not record the run of a single",
    "run toy.toml --compare-to cut": "cut/contrasts.csv: the table is missing columns: model",
    "run ~/none.toml --vectors=~/toy.txt": "no word list at /",
    "mlm report --out=": "a path must not be empty",
    f"lists check {os.devnull}": "is a pipe or a device; save its content as a file",
    f"sweep {os.devnull}": "is a pipe or a device; save its content as a file",
    "calibrate planted --list --out x.csv": "--list prints names and exits",
    "mlm score --data none.csv --model m --dataset csv --out x": "no data set at none.csv",
    "run": "there are no lists; add at least one",
    "rum": 'Did you mean "run"? See `bayesbias --help`.',
    "lists gender": "To see one: `bayesbias lists show NAME`.",
    "scores toy.toml -v toy.txt --n-resamples 100000000000": "Unable to allocate",
}


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("arguments", BAD_ARGUMENTS)
def test_bad_arguments(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("nested").mkdir()
    Path("nested/run.json").write_text("[" * 100_000)
    write_scored(Path("fa"))
    for folder, hashes in (("changed", {"pairs": "0"}), ("cut", {"table": "0"})):
        Path(folder).mkdir()
        Path(folder, "run.json").write_text(json.dumps({"hashes": hashes}))
        Path(folder, "contrasts.csv").write_text("a,b\n1,2\n")
    assert BAD_ARGUMENTS[arguments] in refused(capsys, arguments.split())


@pytest.mark.parametrize(
    "call",
    [
        lambda: bb.analyze(SimpleNamespace(in_context=None), "gender", case="lower"),
        lambda: bb.analyze("toy.txt", "gender", encoder="M"),
        lambda: bb.analyze_change(distances(), distances(), recover="gender"),
    ],
)
def test_settings_without_effect_are_refused_by_functions(call) -> None:
    with pytest.raises(ValueError, match=r"no effect on words in contexts|not for tables"):
        call()


@pytest.mark.usefixtures("toy")
def test_a_mistake_in_the_code_is_a_traceback_and_wrong_input_one_line(monkeypatch, capsys) -> None:
    monkeypatch.setattr(bb, "check_wordlist", lambda _: bb.run_sweep("s.toml"))  # a TypeError
    assert "pass bb.load_sweep('s.toml')" in refused(capsys, ["lists", "check", "gender"])
    monkeypatch.setattr(bb, "check_wordlist", lambda _: 1 + None)
    with pytest.raises(TypeError) as raised:
        main(["lists", "check", "gender"])
    assert "report it" in raised.value.__notes__[0]


def test_streams_may_be_closed(monkeypatch) -> None:
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    assert main(["lists"]) == 0
    assert main(["lists", "show", "none"]) == 2
    for stream in (sys.stdout, sys.stderr):
        stream.close()


@pytest.mark.usefixtures("toy")
def test_errors_in_a_list_say_that_no_embedding_was_read(capsys) -> None:
    Path("mine.toml").write_text(LIST.replace('"son"', '"he"', 1), encoding="utf-8")
    assert main(["lists", "check", "mine.toml", "--vectors", "none.bin"]) == 1
    assert "none.bin" in capsys.readouterr().out


def test_a_tilde_is_the_home_folder(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(LIST, encoding="utf-8")
    assert main(["convert", "glove-demo", "~/demo", "--limit", "9"]) == 0
    assert main(["scores", "~/mine.toml", "--vectors=~/demo", "--out=~/x.csv"]) == 2
    assert main(["lists", "check", "~/mine.toml"]) == 0
    assert bb.load_wordlist("~/mine.toml").name == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"mine.toml", "demo"}


def test_a_report_on_some_bias_types_tells_of_them_alone() -> None:
    log = {"log": "x", "models": ["m"], "layout": "inspect", "left_out": {"it is cut off": 2}}
    log["bbq"] = [{"bias_type": name} for name in ("age", "race", "all")]
    log["unscored"] = [{"pair_id": name} for name in "ab"]
    paired = pd.DataFrame({"pair_id": ["a", "b"], "bias_type": ["age", "race"]})
    paired.attrs["logs"] = [log]
    (kept,) = of_types(paired, ["age"]).attrs["logs"]
    assert kept["bbq"] == [{"bias_type": "age"}]
    assert kept["unscored"] == [{"pair_id": "a"}]
    assert "of all bias types" in " ".join(left_out([{**kept, "unscored": []}]))


@pytest.mark.parametrize("content", ["{", "[]", '{"a": "b"}', "null"])
def test_damaged_saved_scores_are_named_with_what_to_do(content: str, tmp_path: Path) -> None:
    path = tmp_path / "remembered.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"remembered\.json .*delete it"):
        _remembered(path)
