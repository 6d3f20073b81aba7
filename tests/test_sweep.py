"""Sweeps: what their cells say, what decides a result, and that a kill costs nothing."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
import pytest
from builders import kept_results
from pandas.testing import assert_frame_equal
from sweep_inputs import write_inputs

import bayesbias as bb
from bayesbias._core.jobs import Finished
from bayesbias.workflows.sweep import JOINT, Sweep, run_sweep
from bayesbias.workflows.sweep_spec import SweepConfig, load_sweep

CELLS = 12
"""Three embeddings, two lists, two models."""


@pytest.fixture(scope="module")
def config_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_inputs(tmp_path_factory.mktemp("sweep"))


@pytest.fixture(scope="module")
def config(config_path: Path) -> SweepConfig:
    return load_sweep(config_path)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the undisturbed run keeps its results, for tests that are about something else."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def undisturbed(config: SweepConfig, kept: Path) -> Sweep:
    return run_sweep(config, kept)


def calm(config: SweepConfig, **changes: Any) -> SweepConfig:
    """A third of the cells."""
    return replace(config, embeddings=config.embeddings[:1], **changes)


def same(one: Sweep, other: Sweep) -> None:
    for name in ("cells", "summary", "contrasts", "ranks", "differences"):
        assert_frame_equal(getattr(one, name), getattr(other, name), check_exact=True)


def test_every_cell_has_what_fit_gives(
    config: SweepConfig, undisturbed: Sweep, config_path: Path
) -> None:
    assert len(undisturbed.cells) == config.n_cells == CELLS
    assert (undisturbed.cells["state"] == "done").all()
    words = bb.load_wordlist(config_path.parent / "kin.toml")
    table = bb.distance_table(bb.load_vectors(config_path.parent / "rough.npz", words), words)
    tree = bb.fit(table, "crossed", draws=100, chains=2, seed=1)
    for name in ("summary", "contrasts"):
        expected = getattr(bb, name)(tree)
        found = getattr(undisturbed, name).query(
            "embedding == 'rough' and list == 'kin' and model == 'crossed'"
        )
        found = found.drop(columns=["embedding", "list", "model"]).reset_index(drop=True)
        expected.attrs = found.attrs = {}
        assert_frame_equal(found, expected, check_exact=True)


def test_ranks_and_differences_are_those_of_fit_many(
    config: SweepConfig, undisturbed: Sweep, config_path: Path
) -> None:
    paths = {one.name: one.source for one in config.embeddings}
    lists = [config_path.parent / f"{one.name}.toml" for one in config.lists]
    tables = [
        bb.distance_table(path, words, embedding=name).assign(wordlist=words.name)
        for name, path in paths.items()
        for words in map(bb.load_wordlist, lists)
    ]
    tree = bb.fit_many(tables, draws=100, chains=2, seed=1)
    assert_frame_equal(
        undisturbed.ranks[["embedding", "mean", "p_most"]],
        bb.rank_embeddings(tree)[["embedding", "mean", "p_most"]],
    )
    assert len(undisturbed.differences) == 3 * (len(lists) + 1)


def test_equal_embeddings_are_not_compared(config: SweepConfig) -> None:
    one = config.embeddings[0]
    twice = replace(config, embeddings=(one, replace(one, name="again")), models=config.models[:1])
    done = run_sweep(twice)
    assert done.ranks.empty
    assert done.uncompared == ()


def test_workers_and_kept_results_change_nothing(
    config: SweepConfig, undisturbed: Sweep, kept: Path
) -> None:
    again = run_sweep(config, kept)
    assert again.reused == CELLS + 1
    same(again, undisturbed)
    side_by_side = run_sweep(calm(config), n_jobs=2)
    for name in ("cells", "summary", "contrasts"):
        whole = getattr(undisturbed, name)
        part = whole[whole["embedding"] == "calm"]
        assert_frame_equal(getattr(side_by_side, name), part, check_exact=True)


def keys_of(config: SweepConfig, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The keys of all cells, by their names, without a fit."""

    def nothing(jobs: Any, **_: Any) -> Finished:
        keys.update({job.name: job.key for job in jobs if job.name != JOINT})
        raise StopIteration

    keys: dict[str, str] = {}
    monkeypatch.setattr("bayesbias.workflows.sweep.run_jobs", nothing)
    with pytest.raises(StopIteration):
        run_sweep(config)
    return keys


def test_content_decides_the_key_and_names_do_not(
    config: SweepConfig, config_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = keys_of(config, monkeypatch)
    assert len(set(base.values())) == CELLS
    moved = tmp_path / "moved.npz"
    moved.write_bytes((config_path.parent / "calm.npz").read_bytes())
    other = replace(config.embeddings[0], name="other", source=str(moved))
    renamed = keys_of(replace(config, embeddings=(other,)), monkeypatch)
    assert {name.replace("other", "calm"): key for name, key in renamed.items()}.items() <= (
        base.items()
    )
    others = {"draws": 251, "rope": 0.03, "seed": 2, "method": "exact", "target_accept": 0.95}
    for name, value in others.items():
        changed = keys_of(calm(config, **{name: value}), monkeypatch)
        assert not set(changed.values()) & set(base.values())
    wider = config.models[0].with_priors({"connection_mean": {"sd": 0.3}})
    changed = keys_of(replace(config, models=(wider, config.models[1])), monkeypatch)
    assert [name for name, key in base.items() if changed[name] != key] == [
        name for name in base if "paper" in name
    ]


def test_a_missing_embedding_loses_its_cells_alone(
    config: SweepConfig, undisturbed: Sweep, kept: Path
) -> None:
    lost = replace(config.embeddings[2], source="nowhere.bin")
    with pytest.warns(UserWarning, match="wild: 4 of 12 cells are left out: no embedding file"):
        done = run_sweep(replace(config, embeddings=(*config.embeddings[:2], lost)), kept)
    assert list(done.cells["state"]) == ["done"] * 8 + ["failed"] * 4
    assert set(done.failures["error"]) == {"FileNotFoundError"}
    others = undisturbed.contrasts[undisturbed.contrasts["embedding"] != "wild"]
    assert_frame_equal(done.contrasts, others, check_exact=True)


def test_a_cell_that_cannot_be_fitted_stops_no_other(
    config: SweepConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit(table: pd.DataFrame, spec: Any, *arguments: Any, **options: Any) -> Any:
        if spec.name == "crossed":
            raise MemoryError("no room")
        return bb.fit(table, spec, *arguments, **options)

    monkeypatch.setattr("bayesbias.workflows.sweep.fit", fit)
    done = run_sweep(calm(config))
    assert set(done.contrasts["model"]) == {"paper"}
    assert set(done.failures["model"]) == {"crossed"}
    assert set(done.failures["message"]) == {"no room"}


def test_sampling_warnings_are_kept_with_the_result(
    config: SweepConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit(*arguments: Any, **options: Any) -> Any:
        tree = bb.fit(*arguments, **options)
        tree.attrs["warnings"] = json.dumps(["do not trust it"])
        return tree

    monkeypatch.setattr("bayesbias.workflows.sweep.fit", fit)
    few = calm(config, lists=config.lists[:1])
    for _ in range(2):
        with pytest.warns(bb.SamplingWarning, match="and 1 more: do not trust it"):
            done = run_sweep(few, tmp_path)
        assert done.doubts
        assert list(done.cells["warnings"]) == ["do not trust it"] * 2


RUN = """
import sys
from pathlib import Path
from bayesbias import load_sweep, run_sweep
run_sweep(load_sweep(sys.argv[1]), Path(sys.argv[2]), n_jobs=int(sys.argv[3]))
"""


def check_cells(folder: Path, before: dict[str, bytes]) -> dict[str, bytes]:
    """Return the results that are kept: none that was there is lost or another one now."""
    found = kept_results(folder)
    assert before.items() <= found.items()
    return found


def killed(command: list[str], when: Any, *, group: bool) -> bool:
    """Start a program and kill it by SIGKILL when `when` returns; False if it ended before."""
    run = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
    when(run)
    early = run.poll() is None
    if early:
        (os.killpg if group else os.kill)(run.pid, signal.SIGKILL)
    run.wait()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)  # workers that outlive their parent
    return early


def test_a_sweep_that_is_killed_and_resumed_is_as_if_undisturbed(
    config: SweepConfig, undisturbed: Sweep, config_path: Path, tmp_path: Path
) -> None:
    rng = random.Random(1)
    found: dict[str, bytes] = {}
    for life, goal in enumerate((2, 5)):

        def wait(run: subprocess.Popen[bytes], goal: int = goal) -> None:
            while run.poll() is None and len(kept_results(tmp_path)) < goal:
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 0.2))

        command = [sys.executable, "-c", RUN, str(config_path), str(tmp_path), "1"]
        assert killed(command, wait, group=life == 0)
        found = check_cells(tmp_path, found)
        assert goal <= len(found) < CELLS
    done = run_sweep(config, tmp_path)
    assert done.reused == len(found)
    check_cells(tmp_path, found)
    same(done, undisturbed)


@pytest.mark.slow
def test_a_dask_worker_killed_half_way_costs_nothing(
    cluster: Any,
    config: SweepConfig,
    undisturbed: Sweep,
    tmp_path: Path,
) -> None:
    victims = list(cluster.run(os.getpid).values())

    def strike() -> None:
        while len(kept_results(tmp_path)) < CELLS // 3:
            time.sleep(0.01)
        os.kill(victims[0], signal.SIGKILL)

    thread = threading.Thread(target=strike, daemon=True)
    thread.start()
    with joblib.parallel_config(backend="dask"):
        done = run_sweep(config, tmp_path)
    thread.join(timeout=30)
    assert not thread.is_alive()
    same(done, undisturbed)
    assert victims[0] not in cluster.run(os.getpid).values()
