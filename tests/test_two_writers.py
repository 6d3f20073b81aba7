"""Two processes that write to one destination: the result of one or of the other, never a mix."""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from moments import files, states

import bayesbias as bb
from bayesbias._core.files import replace_file, replace_folder

N_ROUNDS = 300

WORDS = ["he", "she", "man", "woman", "nurse", "pilot"]


def table_of(seed: int) -> pd.DataFrame:
    """Return a table that names its seed, with the cosines of its vectors."""
    rng = np.random.default_rng(seed)
    vectors = {word: rng.normal(size=4) for word in WORDS}
    sets: dict[str, Any] = {
        "groups": {"men": WORDS[0:3:2], "women": WORDS[1:4:2]},
        "stereotypes": {"men": ["pilot"], "women": ["nurse"]},
    }
    return bb.distance_table(vectors, bb.load_wordlist(sets)).assign(seed=seed)


def write_folder(path: Path, seed: int) -> None:
    with replace_folder(path) as folder:
        for name in ("a.csv", "b.csv", "run.json"):
            (folder / name).write_text(str(seed))


def converted(path: Path, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(len(WORDS), 4))
    bb.convert_vectors((WORDS, rows), path, force=True, progressbar=False)


WRITERS: dict[str, Callable[[Path, int], object]] = {
    "t.csv": lambda path, seed: bb.write_table(table_of(seed), path),
    "folder": write_folder,
    "converted": converted,
}


def write_rounds(name: str, folder: Path, seed: int, barrier: Any) -> None:
    """Write again and again, at the same moment as the other process."""
    warnings.simplefilter("ignore")
    for number in range(N_ROUNDS):
        barrier.wait(60)
        try:
            WRITERS[name](folder / str(number) / name, seed)
        except BlockingIOError:
            continue


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_two_processes_never_mix_their_results(name: str, tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    expected = []
    for seed in (1, 2):
        place = tmp_path / f"alone-{seed}"
        place.mkdir()
        WRITERS[name](place / name, seed)
        expected.append(files(place))
    for number in range(N_ROUNDS):
        (tmp_path / str(number)).mkdir()
    barrier = context.Barrier(2)
    processes = [
        context.Process(target=write_rounds, args=(name, tmp_path, seed, barrier))
        for seed in (1, 2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(300)
        assert process.exitcode == 0
    found = [files(tmp_path / str(number)) for number in range(N_ROUNDS)]
    mixed = sum(one not in expected for one in found)
    winners = [sum(one == alone for one in found) for alone in expected]
    print(f"{name}: {mixed} of {N_ROUNDS} rounds mixed; written last by each: {winners}")
    assert mixed == 0
    assert min(winners) > 0


def test_a_kill_never_leaves_a_table_with_cosines_of_another(tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    bb.write_table(table_of(1), base / "t.csv")
    old = files(base)
    copies = states(base, tmp_path / "copies", lambda: bb.write_table(table_of(2), base / "t.csv"))
    new = files(base)
    assert set(old) == set(new) == {"t.csv", "t.cosines.csv"}
    assert old["t.cosines.csv"] != new["t.cosines.csv"]
    alone = [{"t.csv": whole["t.csv"]} for whole in (old, new)]
    assert all(files(copy) in (old, new, *alone) for copy in copies)
    plain = table_of(2)
    plain.attrs.clear()
    bb.write_table(plain, base / "t.csv")  # a table without cosines removes those of another
    assert set(files(base)) == {"t.csv"}


def test_a_renaming_that_fails_puts_everything_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a sticky folder, of a file of another user."""
    bb.write_table(table_of(1), tmp_path / "t.csv")
    old, replace = files(tmp_path), Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if target.name == "t.csv":
            raise PermissionError(1, "Operation not permitted", str(target))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(PermissionError):
        bb.write_table(table_of(2), tmp_path / "t.csv")
    assert files(tmp_path) == old
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(PermissionError), replace_file(tmp_path / "t.csv") as temporary:
        temporary.touch()
    assert files(tmp_path) == old
