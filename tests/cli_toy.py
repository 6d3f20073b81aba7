"""A small list and embedding for commands, and helpers for tests of commands."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayesbias.cli import main
from bayesbias.maskedlm import ROLES, SCORE_COLUMNS
from bayesbias.maskedlm.score_files import KIND
from bayesbias.workflows.output import versions

LIST = """
title = "Toy"
note = "A note."
[groups]
men = ["he", "son"]
women = ["she", "maid"]
[stereotypes]
men = ["soldier", "pilot", "rancher"]
women = ["nurse", "dancer"]
[controls]
neutral = ["clock", "park", "stone"]
human = ["walk", "eat", "gone"]
"""

WORDS = [
    *("he", "son", "she", "maid", "soldier", "pilot", "rancher", "nurse", "dancer", "clock"),
    *("park", "stone", "walk", "eat"),
]

FAST = ("--model", "paper", "--draws", "200")
"""Arguments for one model and few draws, for runs whose numbers do not matter."""


def write_vectors(path: Path, words: list[str], dims: int = 8) -> Path:
    rng = np.random.default_rng(5)
    lines = [" ".join([word, *(f"{x:.4f}" for x in rng.standard_normal(dims))]) for word in words]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def pair_scores(model: str = "toy", n_pairs: int = 30, seed: int = 1) -> pd.DataFrame:
    """Return scores of sentence pairs in the format of `score_pairs`."""
    rng = np.random.default_rng(seed)
    rows = [
        (model, "pll", str(i), ("age", "race")[i % 2], "stereo", f"c{i}", role, 8, 6, score)
        for i in range(n_pairs)
        for role, score in zip(ROLES, -rng.gamma(9.0, size=2), strict=True)
    ]
    frame = pd.DataFrame(rows, columns=[*SCORE_COLUMNS])
    frame.attrs["unscored"] = []
    return frame


def write_scored(folder: Path, model: str = "toy", **record: object) -> Path:
    """Write the files of `bayesbias mlm score`, with changes to the record."""
    folder.mkdir()
    # The models' scores differ, because equal scores would leave no residual sd.
    own = 1 if model == "toy" else sum(str(model).encode())
    pair_scores(str(model), seed=own).to_csv(folder / "scores.csv", index=False)
    told = {"made_by": KIND, "command": "bayesbias mlm score", "versions": versions()}
    told |= {"kind": "masked", "model": model, "model_hash": "0" * 64, "dtype": "float32"}
    told |= {"dataset": "crows-pairs", "data_hash": "1" * 64, "n_pairs": 30, "unscored": []}
    (folder / "run.json").write_text(json.dumps(told | record), encoding="utf-8")
    return folder


def listing(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def files_named(page: str) -> list[str]:
    """Return the files that a report says are in its folder."""
    told = page.rpartition("Next to this page: ")[2].partition("</p>")[0]
    return sorted(re.findall(r"[\w-]+\.(?:csv|nc|json|md|tex|bib)", told))


def files_beside(found: Iterable[str]) -> list[str]:
    return sorted(name for name in found if "/" not in name and name != "report.html")


def refused(capsys: pytest.CaptureFixture[str], arguments: list[str], most: int = 1) -> str:
    """Check that a command is refused as bad input, and return the line that says why.

    It prints at most this many lines; all but the last are warnings.
    """
    before = listing(Path())
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    *warnings, last = said.err.splitlines()
    assert len(warnings) < most
    assert all(line.startswith("bayesbias: warning: ") for line in warnings)
    assert last.startswith("bayesbias: ")
    assert listing(Path()) == before
    return last
