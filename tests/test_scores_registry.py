"""A new score is its file and an entry in ``scores/__init__.py``, and then it is everywhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from builders import refused

import bayesbias
from bayesbias import WordList, scores
from bayesbias.scores import SCORES, ListScore

MODULE = '''
"""How far the means of two groups lie apart."""

import numpy as np

from .registry import ListScore, Properties
from .result import Result, of_words
from dataclasses import dataclass


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class GapResult(Result):
    score: float


def gap_of(X, Y):
    return GapResult(score=float(np.linalg.norm(np.mean(X, axis=0) - np.mean(Y, axis=0))))


def gap(vectors, X, Y):
    return of_words(gap_of, vectors, {"X": X, "Y": Y}, parts=["X", "Y"], apart=["X", "Y"])


SCORE = ListScore(
    value=lambda rows: gap_of(*rows.protected).score,
    scope="pair",
    properties=Properties((False, "it has a length"), (False, "groups may coincide"), ("0", "2")),
)
'''

IMPORTS = """
from .gap import SCORE as _GAP
from .gap import gap as gap
from .gap import gap_of as gap_of
"""

USE = """
import bayesbias as bb
from bayesbias.cli import main

words = bb.load_wordlist("list.toml")
vectors = bb.load_vectors("vectors.txt")
print(bb.scores.gap.__module__, bb.scores.gap(vectors, ["x", "u"], ["y"]).score)
print(set(bb.score_table(vectors, words, n_resamples=2, seed=0)["score"]) >= {"gap", "mac"})
print(bb.scores.bootstrap("gap", vectors, words, n_resamples=2, seed=0).score)
print("gap" in set(bb.scores.robustness(vectors, words, repeats=2, seed=0)["score"]))
print("gap" in set(bb.scores.properties()["score"]))
main(["scores", "list.toml", "--vectors", "vectors.txt", "--n-resamples", "2"])
"""


def test_a_new_score_touches_two_files(tmp_path: Path) -> None:
    package = Path(bayesbias.__file__).parent
    shutil.copytree(package, tmp_path / "bayesbias", ignore=shutil.ignore_patterns("_*cache*"))
    for name in ("wordlists", "vectors"):
        (tmp_path / name).symlink_to(package.parent / name)
    folder = tmp_path / "bayesbias" / "scores"
    (folder / "gap.py").write_text(MODULE, encoding="utf-8")
    entries, mac = (folder / "__init__.py").read_text(encoding="utf-8"), '    "mac": _MAC,\n'
    assert entries.count(mac) == 1
    entries = entries.replace("\nSCORES |=", f"{IMPORTS}\nSCORES |=")
    entries = entries.replace(mac, f'{mac}    "gap": _GAP,\n')
    (folder / "__init__.py").write_text(entries, encoding="utf-8")
    (tmp_path / "list.toml").write_text(
        'name = "toy"\n[groups]\ng = ["x", "u"]\nh = ["y"]\n'
        '[stereotypes]\ng = ["a", "c"]\nh = ["b"]\n',
        encoding="utf-8",
    )
    rows = ["x 1 0 0", "u 3 0 0", "y 0 2 0", "a 1 1 0", "c 1 0 2", "b 0 1 1"]
    (tmp_path / "vectors.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    command = [sys.executable, "-c", USE]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert not run.returncode, run.stderr
    first, *told = run.stdout.splitlines()
    apart = np.sqrt(8.0)  # (2, 0) and (0, 2)
    assert first == f"bayesbias.scores.gap {apart}"
    assert told[:4] == ["True", f"{apart}", "True", "True"]
    shown = " ".join(told[4:])
    assert "gap g, h † 2.828" in " ".join(shown.replace("│", " ").split())


def test_a_score_is_registered_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SCORES, "first", ListScore(lambda rows: rows.protected[0][0, 0], "pair"))
    vectors = {"x": [5.0, 1.0], "y": [1.0, 2.0], "a": [1.0, 1.0], "b": [1.0, 0.0]}
    words = WordList("toy", {"g": ("x",), "h": ("y",)}, {"g": ("a",), "h": ("b",)})
    table = scores.score_table(vectors, words, n_resamples=2, seed=0).set_index("score")
    assert table.loc["first", ["value", "low", "high"]].tolist() == [5, 5, 5]
    assert np.isnan(table.loc["first", "p_value"])
    drawn = scores.bootstrap("first", vectors, words, n_resamples=2, seed=0)
    assert drawn.values.tolist() == [5, 5]
    near = r"unknown score 'frist'; did you mean 'first'"
    refused(near, scores.score_table, vectors, words, scores=["frist"])


def test_every_score_can_be_called_by_its_name() -> None:
    fields = {"weat_statistic", "same_skew", "same_stereotype"}  # of the results of weat and same
    for name in set(SCORES) - fields:
        assert callable(getattr(scores, name))
        assert callable(getattr(scores, f"{name}_of"))
