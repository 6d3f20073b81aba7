"""`bayesbias scores`: what it prints, writes, refuses, and says on which stream."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.scores import SCORES
from bayesbias.scores.table import SCORE_TABLE_COLUMNS

LIST = """
title = "Toy"
note = "A note."
[groups]
men = ["he", "son", "king"]
women = ["she", "maid", "queen"]
[stereotypes]
men = ["soldier", "pilot", "rancher"]
women = ["nurse", "dancer", "absent"]
[controls]
neutral = ["clock", "lost"]
human = ["walk"]
"""

WORDS = ("he", "son", "king", "she", "maid", "queen", "soldier", "pilot", "rancher", "nurse")
CONTROLS = ("dancer", "clock", "walk")


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list and an embedding in the working folder; arguments of a fast call on them."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    rows = [
        " ".join([word, *(f"{x:.4f}" for x in rng.standard_normal(8))])
        for word in (*WORDS, *CONTROLS)
    ]
    Path("toy.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    Path("toy.toml").write_text(LIST, encoding="utf-8")
    return ["scores", "toy.toml", "--vectors", "toy.txt", "--n-resamples", "20"]


def test_it_prints_every_score_and_how_to_read_it(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(toy) == 0
    shown = capsys.readouterr()
    for name in SCORES:
        assert f" {name} " in shown.out
    assert "toy in toy.txt: scores, 89% bootstrap intervals" in shown.out
    assert "Lower than 1 means closer to all stereotypes: mac." in shown.out
    assert "Lower than 0 means closer to own stereotype: rnd." in shown.out
    assert "posterior" not in shown.out.lower()
    assert max(map(len, shown.out.splitlines()[:10])) <= 80


def test_missing_words_are_told_on_stderr(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(toy)
    shown = capsys.readouterr()
    assert shown.err == "bayesbias: not in the embedding, and left out: absent\n"
    assert "absent" not in shown.out


def test_the_file_is_the_table_and_the_terminal_rounds_it(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*toy, "--out", "toy.csv", "--seed", "3", "--ci-prob", "0.5"]) == 0
    assert capsys.readouterr().out.endswith("Table: toy.csv\n")
    frame = pd.read_csv("toy.csv")
    assert list(frame.columns) == list(SCORE_TABLE_COLUMNS)
    words = bb.load_wordlist("toy.toml")
    vectors = bb.load_vectors("toy.txt", words=words)
    expected = bb.score_table(vectors, words, n_resamples=20, seed=3, ci_prob=0.5)
    for column in ("value", "low", "high", "p_value"):
        assert np.allclose(frame[column], expected[column], equal_nan=True)


def test_equal_seeds_give_equal_files(toy: list[str]) -> None:
    for name in ("one.csv", "other.csv"):
        main([*toy, "--quiet", "--out", name])
    assert Path("one.csv").read_bytes() == Path("other.csv").read_bytes()
    main([*toy, "--quiet", "--seed", "2", "--out", "third.csv"])
    assert Path("one.csv").read_bytes() != Path("third.csv").read_bytes()


def test_alternatives(toy: list[str]) -> None:
    p_values = set()
    for name in ("greater", "less", "two-sided"):
        main([*toy, "--quiet", "--alternative", name, "--out", f"{name}.csv"])
        frame = pd.read_csv(f"{name}.csv").set_index("score")
        p_values.add(frame.loc["weat", "p_value"])
        assert frame.loc["weat", "choices"] == f"effect size, ddof=1, {name}"
    assert len(p_values) == 3


def test_posteriors_join_the_table(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*toy, "--posterior", "--model", "paper", "--out", "toy.csv"]) == 0
    shown = capsys.readouterr().out
    assert "toy in toy.txt: posterior means, 89% highest-density" in " ".join(shown.split())
    bootstrap, posterior = (
        shown.index(f"{kind} intervals ") for kind in ("Bootstrap", "Posterior")
    )
    assert bootstrap < shown.index("posterior means") < posterior  # each under its own table
    assert "Posterior intervals are about these words, and narrower" in shown
    frame = pd.read_csv("toy.csv")
    rows = frame[frame["interval"] == "posterior"]
    assert list(rows["score"]) == ["mac", "gweat", "weat_mean_difference", "weat_effect_size"]
    assert rows["choices"].str.contains("model paper").all()
    assert ((rows["low"] < rows["value"]) & (rows["value"] < rows["high"])).all()


def test_quiet_prints_nothing_on_stdout(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quiet", *toy]) == main([*toy, "-q"]) == 0
    assert capsys.readouterr().out == ""


def test_a_score_without_a_value_is_told(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("toy.toml").write_text(LIST.replace(', "king"', ""), encoding="utf-8")
    assert main(toy) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "No direct_bias of men, women: needs groups of equal size" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--alternative", "more"], "unknown alternative 'more'; known: greater, less, two-sided"),
        (["--ci-prob", "89"], "--ci-prob must lie in (0, 1), got 89"),
        (["--n-resamples", "1"], "--n-resamples"),
        (["--case", "upper"], "upper"),
        (["--out", "toy.txt"], "--out must end in .csv"),
        (["--out", "nowhere/toy.csv"], "there is no folder nowhere"),
        (["--posterior", "--model", "papr"], "did you mean 'paper'"),
        (["--vectors", "none.bin"], "none.bin"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(
    toy: list[str], arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(Path().iterdir())
    assert main([*toy, *arguments]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""
    assert sorted(Path().iterdir()) == before


def test_lists_that_have_no_scores(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scores", "neutral"]) == 2
    assert "has no groups with stereotypes" in capsys.readouterr().err
    assert main(["scores", "gendr"]) == 2
    assert "did you mean 'gender'" in capsys.readouterr().err


def test_a_file_is_kept_unless_force_is_given(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("toy.csv").write_text("mine", encoding="utf-8")
    assert main([*toy, "--out", "toy.csv"]) == 2
    assert "pass --force" in capsys.readouterr().err
    assert Path("toy.csv").read_text(encoding="utf-8") == "mine"
    assert main([*toy, "--out", "toy.csv", "--force"]) == 0


def test_doubtful_posteriors_give_code_3(
    toy: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bayesbias.sampling import fit as fitting

    fit = fitting.fit

    def doubtful(*arguments: object, **options: object) -> object:
        tree = fit(*arguments, **options)  # type: ignore[arg-type]
        tree.attrs["warnings"] = '["it did not mix"]'
        return tree

    monkeypatch.setattr(fitting, "fit", doubtful)
    assert main([*toy, "--posterior", "--model", "paper", "--out", "toy.csv"]) == 3
    assert Path("toy.csv").is_file()
    assert "did not mix" in capsys.readouterr().err


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scores", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "bayesbias scores weat1 --vectors GoogleNews.bin --alternative greater" in shown
    for option in ("--case", "--ci-prob", "--n-resamples", "--alternative", "--posterior"):
        assert option in shown
