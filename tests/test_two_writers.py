"""Two processes that write to one destination leave the result of one of them, never a mix.

BAYESBIAS_ROUNDS=300 runs as many rounds as the docs report.
"""

import io
import multiprocessing
import os
import random
import shutil
import time
import warnings
from contextlib import redirect_stderr
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from moments import files, states
from test_kills import COMMANDS, NEW, OLD, prepare, run

import bayesbias as bb
from bayesbias._core.files import replace_file
from bayesbias.workflows import output

N_ROUNDS = int(os.environ.get("BAYESBIAS_ROUNDS", "30"))

WORDS = ["he", "she", "man", "woman", "nurse", "pilot"]

COMPUTED_ONCE = {
    "run": "workflows.wordlist.analyze_lists",
    "compare": "workflows.change.analyze_change",
    "sweep": "workflows.sweep._parts",
    "fit": "sampling.fit.fit",
    "mlm report": "workflows.pairs.analyze_pairs",
}
"""Slow steps, which are computed once and then reused in every round."""


def table_of(seed: int) -> pd.DataFrame:
    """Return a table that includes its seed, with the cosines of its vectors."""
    rng = np.random.default_rng(seed)
    vectors = {word: rng.normal(size=4) for word in WORDS}
    sets: dict[str, Any] = {
        "groups": {"men": WORDS[0:3:2], "women": WORDS[1:4:2]},
        "stereotypes": {"men": ["pilot"], "women": ["nurse"]},
    }
    return bb.distance_table(vectors, bb.load_wordlist(sets)).assign(seed=seed)


class Writer:
    """A command that computes and draws once for each number, and after that only writes."""

    def __init__(self, command: str, patch: pytest.MonkeyPatch) -> None:
        self.command, self.number = command, 0
        results, pages = dict[int, Any](), dict[int, dict[str, bytes]]()
        if command in COMPUTED_ONCE:
            module, _, name = COMPUTED_ONCE[command].rpartition(".")
            module = import_module(f"bayesbias.{module}")
            compute = getattr(module, name)

            def computed(*given: object, **named: object) -> object:
                if self.number not in results:
                    results[self.number] = compute(*given, **named)
                return results[self.number]

            for place in (module, *([bb] if hasattr(bb, name) else [])):
                patch.setattr(place, name, computed)
        fill = output.fill_folder

        def filled(stage: Path, *given: object, **named: object) -> None:
            if self.number not in pages:
                fill(stage, *given, **named)
                pages[self.number] = files(stage)
            for file, content in pages[self.number].items():
                (stage / file).parent.mkdir(parents=True, exist_ok=True)
                (stage / file).write_bytes(content)

        patch.setattr(output, "fill_folder", filled)

    def write(self, number: int) -> int:
        self.number = number
        return run(self.command, number)

    def rounds(self, number: int, longest: float, barrier: Any) -> None:
        """Write repeatedly while the other process does the same."""
        warnings.simplefilter("ignore")
        wait = random.Random(number)
        for _ in range(N_ROUNDS):
            barrier.wait(60)
            time.sleep(wait.choice([0, wait.uniform(0, longest)]))
            with redirect_stderr(io.StringIO()) as told:
                code = self.write(number)
            assert code in (0, 3) or "another run is writing" in told.getvalue()
            barrier.wait(60)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_two_processes_never_mix_their_results(command, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(command, monkeypatch)
    writer, here, expected = Writer(command, monkeypatch), Path("here"), []
    for number in (OLD, NEW):
        writer.write(number)
        started = time.monotonic()
        assert writer.write(number) in (0, 3)
        expected.append(files(here, "results/"))
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(3)
    how = time.monotonic() - started, barrier
    processes = [context.Process(target=writer.rounds, args=(n, *how)) for n in (OLD, NEW)]
    for process in processes:
        process.start()
    found = []
    for number in range(N_ROUNDS):
        if number % 2 and command != "sweep":  # with and without earlier results
            shutil.rmtree(here)
            here.mkdir()
        barrier.wait(60)
        barrier.wait(60)
        found.append(files(here, "results/"))
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    mixed = sum(one not in expected for one in found)
    winners = [sum(one == alone for one in found) for alone in expected]
    print(f"{command}: {mixed} of {N_ROUNDS} rounds mixed; written last by each: {winners}")
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
    bb.write_table(plain, base / "t.csv")  # a table without cosines removes the old cosines
    assert set(files(base)) == {"t.csv"}


def test_a_renaming_that_fails_puts_everything_back(tmp_path, monkeypatch) -> None:
    """This happens in a sticky folder if a file belongs to another user."""
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
