"""Commands of one result: table, fit, scores, convert, check-limits, calibrate, background."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import FAST, distances, kept_results
from cli_toy import LIST, WORDS, refused, write_vectors
from pandas.testing import assert_frame_equal

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.sampling.options import FitOptions
from bayesbias.scores import SCORES


@pytest.fixture
def balanced(toy: list[str]) -> None:
    """A list with groups of one size and of three words, as some scores need, and more words."""
    text = LIST.replace('"son"]', '"son", "king"]').replace('"maid"]', '"maid", "queen"]')
    Path("toy.toml").write_text(text.replace('"dancer"]', '"dancer", "absent"]'))
    write_vectors(Path("toy.txt"), [*WORDS, "king", "queen", *(f"w{i}" for i in range(298))])


def test_table_and_fit(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["table", *toy[1:4], "--out"]
    assert main([*arguments, "t.csv"]) == 0
    assert "Not in the embedding, and left out: gone" in capsys.readouterr().out
    assert main([*arguments, "t.parquet"]) == 0
    assert_frame_equal(bb.read_table("t.csv"), bb.read_table("t.parquet"))
    capsys.readouterr()
    assert main(["fit", "t.csv", "--model", "crossed", "--draws", "200", "--out", "p.nc"]) == 0
    out = capsys.readouterr().out
    assert "overall" in out
    assert "Posterior: p.nc" in out
    assert bb.load_posterior("p.nc").attrs["model"] == "crossed"


def test_what_warnings_advise_reaches_the_sampler(
    toy: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object, options: FitOptions) -> None:
        raise ValueError(f"tune is {options.tune} and acceptance {options.target_accept}")

    assert main(["table", *toy[1:4], "--out", "t.csv", "--quiet"]) == 0
    for name in ("fit", "workflows.wordlist.fit", "workflows.change.fit_change"):
        monkeypatch.setattr(f"bayesbias.{name}", stop)
    for arguments in (["fit", "t.csv"], toy, ["compare", "t.csv", "t.csv"]):
        said = refused(capsys, [*arguments, "--tune", "77", "--target-accept", "0.97"])
        assert "tune is 77 and acceptance 0.97" in said


@pytest.mark.usefixtures("balanced")
def test_scores_are_printed_with_how_to_read_them_and_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    few = ["scores", "toy.toml", "--vectors", "toy.txt", "--n-resamples", "20", "--seed", "3"]
    assert main([*few, "--out", "toy.csv", "--ci-prob", "0.5"]) == 0
    shown = capsys.readouterr()
    for text in (
        *(f" {name} " for name in SCORES),
        "toy in toy.txt: scores, 50% bootstrap intervals",
        "Lower than 1 means closer to all stereotypes: mac.",
        "Too few words of the stereotypes of women (2 of 3). † marks numbers of a set that lost",
        " men, women † ",
    ):
        assert text in shown.out
    assert shown.err == "bayesbias: not in the embedding, and left out: absent\n"
    words = bb.load_wordlist("toy.toml")
    vectors = bb.load_vectors("toy.txt", words=words)
    expected = bb.score_table(vectors, words, n_resamples=20, seed=3, ci_prob=0.5)
    written = pd.read_csv("toy.csv")
    columns = ["value", "low", "high", "p_value"]
    assert list(written) == list(expected)
    assert np.allclose(written[columns], expected[columns], equal_nan=True)


@pytest.mark.usefixtures("toy")
def test_convert_makes_a_folder_that_other_commands_take(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("toy.txt").write_text("a 1 2\nb 3 4\na 5 6\n", encoding="utf-8")
    assert main(["convert", "toy.txt", "toy"]) == 0
    said = capsys.readouterr()
    assert "toy: 2 words of 2 dimensions." in said.out
    assert "1 word(s) occur more than once in the embedding (a)" in said.err
    assert bb.load_vectors("toy").vectors.tolist() == [[1, 2], [3, 4]]
    assert "toy already exists; pass --force" in refused(capsys, ["convert", "toy.txt", "toy"])
    assert main(["convert", "toy.txt", "toy", "--force"]) == 0


def test_an_interval_that_leaves_its_limits_gives_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bb.save_posterior(bb.fit(distances(), "paper", seed=3, **FAST), tmp_path / "posterior.nc")
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
    assert "unknown connection 'humane'; did you mean 'human'" in capsys.readouterr().err


@pytest.mark.usefixtures("toy")
def test_calibrate_prints_and_writes_what_the_function_gives(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "calibrate independent planted -m weat-p -m t-cells-sets -n 60 --seed 3"
    assert main([*asked.split(), "--out", "rates.csv", "--keep", "parts"]) == 0
    expected = bb.calibration.calibrate(
        ["independent", "planted"], ["weat-p", "t-cells-sets"], 60, seed=3
    )
    assert_frame_equal(pd.read_csv("rates.csv"), expected, check_exact=False, rtol=1e-12)
    printed = capsys.readouterr().out
    assert "planted: share of 60 tables" in printed
    assert f"{expected['rate'].iloc[2]:.3f}" in printed
    assert len(kept_results(Path("parts"))) == 4
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["calibrate", "--list"]) == 0
    words = set(capsys.readouterr().out.replace(",", " ").split())
    assert {*bb.nulls.SCENARIOS, *bb.calibration.SCORE_METHODS, "crossed", "rope"} <= words


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
    assert pd.read_csv("out/words.csv")["word"].tolist() == [
        "he",
        "son",
        "king",
        "she",
        "maid",
        "queen",
    ]
    assert "(standalone.csv, run.json); pass --force" in refused(capsys, [*asked, "--out", "out"])


@pytest.mark.usefixtures("balanced")
def test_background_leaves_lists_without_words_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["background", "--draws", "500"]) == 0
    shown = capsys.readouterr()
    assert "weat7" in shown.out
    assert "weat6" not in shown.out
    left = [line for line in shown.err.splitlines() if "it is left out" in line]
    assert any("weat6: none of the 8 words of X" in line for line in left)
    assert all("in lower case pass --case fallback" in line for line in left)
    assert "Brett, Jay, Matthew, Neil and 10 more" in shown.err  # never all of them
    assert main(["background", "weat6", "--draws", "500"]) == 2
    assert "weat6: none of the 8 words of X is" in capsys.readouterr().err
