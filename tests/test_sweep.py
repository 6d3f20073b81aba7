"""Sweeps: what their cells say, what decides a result, and that a kill costs nothing."""

from __future__ import annotations

import contextlib
import csv
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
from bayesbias.cli import main
from bayesbias.workflows.sweep import Plan, Sweep, plan_sweep, run_sweep
from bayesbias.workflows.sweep_spec import load_sweep

CELLS = 18
"""Three embeddings, three lists, two models."""


@pytest.fixture(scope="module")
def config_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_inputs(tmp_path_factory.mktemp("sweep"))


@pytest.fixture(scope="module")
def plan(config_path: Path) -> Plan:
    return plan_sweep(load_sweep(config_path))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the undisturbed run keeps its results, for tests that are about something else."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def undisturbed(plan: Plan, kept: Path) -> Sweep:
    return run_sweep(plan, folder=kept)


def only_calm(plan: Plan, **changes: Any) -> Plan:
    """The plan of a third of the cells."""
    return plan_sweep(replace(plan.config, embeddings=plan.config.embeddings[:1], **changes))


def same(one: Sweep, other: Sweep) -> None:
    for name in ("cells", "summary", "contrasts"):
        assert_frame_equal(getattr(one, name), getattr(other, name), check_exact=True)


def test_every_cell_has_what_fit_gives(plan: Plan, undisturbed: Sweep, config_path: Path) -> None:
    assert len(undisturbed.cells) == plan.config.n_cells == CELLS
    assert (undisturbed.cells["state"] == "done").all()
    assert undisturbed.failures == ()
    words = bb.load_wordlist(config_path.parent / "kin.toml")
    table = bb.distance_table(bb.load_vectors(config_path.parent / "rough.npz", words), words)
    tree = bb.fit(table, "crossed", draws=100, chains=2, seed=1)
    for name in ("summary", "contrasts"):
        expected = getattr(bb, name)(tree)
        expected.attrs = {}
        found = getattr(undisturbed, name).query(
            "embedding == 'rough' and list == 'kin' and model == 'crossed'"
        )
        found = found[expected.columns].reset_index(drop=True)
        found.attrs = {}
        assert_frame_equal(found, expected, check_exact=True)


def test_differences_between_embeddings_are_those_of_their_pairs(
    plan: Plan, undisturbed: Sweep
) -> None:
    name, found = plan.config.lists[0].name, undisturbed.differences
    own = found[found["list"] == name]
    pairs = own[["embedding", "against"]].drop_duplicates().to_numpy().tolist()
    assert pairs == [["rough", "calm"], ["wild", "calm"], ["wild", "rough"]]
    tables = [plan.measured[each, name] for each in ("calm", "rough")]
    options = plan.config.of_fit(progressbar=False)
    expected = bb.contrasts(bb.fit_change(*tables, "change-by-group", options=options))
    expected = expected[expected["level"] != "word"].reset_index(drop=True)
    own = own[(own["embedding"] == "rough")].reset_index(drop=True)
    assert_frame_equal(own[expected.columns], expected, check_exact=True)


def test_equal_embeddings_are_not_compared(plan: Plan) -> None:
    calm = plan.config.embeddings[0]
    twice = only_calm(plan, models=plan.config.models[:1])
    twice = replace(twice.config, embeddings=(calm, replace(calm, name="again")))
    done = run_sweep(plan_sweep(twice))
    assert done.differences.empty
    assert done.ranks.empty
    assert done.uncompared == ()


def test_workers_and_kept_results_change_nothing(
    plan: Plan, undisturbed: Sweep, kept: Path
) -> None:
    again = run_sweep(plan, folder=kept)
    assert again.reused == CELLS
    same(again, undisturbed)
    side_by_side = run_sweep(only_calm(plan), n_jobs=2)
    for name in ("cells", "summary", "contrasts"):
        whole = getattr(undisturbed, name)
        part = whole[whole["embedding"] == "calm"]
        assert_frame_equal(getattr(side_by_side, name), part, check_exact=True)


def keys_of(plan: Plan) -> dict[str, str]:
    return {cell.name: job.key for cell, job in plan.jobs.items()}


def test_content_decides_the_key_and_names_do_not(
    plan: Plan, config_path: Path, tmp_path: Path
) -> None:
    config, base = plan.config, keys_of(plan)
    assert len(set(base.values())) == CELLS
    moved = tmp_path / "moved.npz"
    moved.write_bytes((config_path.parent / "calm.npz").read_bytes())
    calm = replace(config.embeddings[0], name="other", source=str(moved))
    renamed = keys_of(plan_sweep(replace(config, embeddings=(calm,))))
    assert {name.replace("other", "calm"): key for name, key in renamed.items()}.items() <= (
        base.items()
    )
    others = {"draws": 251, "rope": 0.03, "seed": 2, "method": "exact", "target_accept": 0.95}
    for name, value in others.items():
        other = keys_of(only_calm(plan, **{name: value}))
        assert not set(other.values()) & set(base.values())
    wider = config.models[0].with_priors({"connection_mean": {"sd": 0.3}})
    other = keys_of(plan_sweep(replace(config, models=(wider, config.models[1]))))
    changed = [name for name, key in base.items() if other[name] != key]
    assert changed == [name for name in base if "paper" in name]


def broken(plan: Plan, source: str) -> Plan:
    wild = replace(plan.config.embeddings[2], source=source)
    return plan_sweep(replace(plan.config, embeddings=(*plan.config.embeddings[:2], wild)))


def test_a_missing_embedding_is_told_cell_by_cell_before_the_run(
    plan: Plan, undisturbed: Sweep, kept: Path
) -> None:
    lost = broken(plan, "nowhere.bin")
    assert len(lost.refused) == 6
    assert {one.error for one in lost.refused} == {"FileNotFoundError"}
    assert lost.refused[0].name == "wild / jobs / paper"
    assert "no embedding file at nowhere.bin" in lost.refused[0].message
    done = run_sweep(lost, folder=kept)
    assert done.failures == lost.refused
    assert list(done.cells["state"]) == ["done"] * 12 + ["failed"] * 6
    others = undisturbed.contrasts[undisturbed.contrasts["embedding"] != "wild"]
    assert_frame_equal(done.contrasts, others, check_exact=True)


def test_a_cell_that_cannot_be_fitted_stops_no_other(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit(table: pd.DataFrame, spec: Any, *arguments: Any, **options: Any) -> Any:
        if spec.name == "crossed":
            raise MemoryError("no room")
        return bb.fit(table, spec, *arguments, **options)

    monkeypatch.setattr("bayesbias.workflows.sweep.fit", fit)
    done = run_sweep(only_calm(plan))
    assert [one.error for one in done.failures] == ["MemoryError"] * 3
    assert set(done.contrasts["model"]) == {"paper"}
    told = done.cells[done.cells["state"] == "failed"]
    assert set(told["model"]) == {"crossed"}
    assert set(told["message"]) == {"no room"}


def test_sampling_warnings_are_kept_with_the_result(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit(*arguments: Any, **options: Any) -> Any:
        tree = bb.fit(*arguments, **options)
        tree.attrs["warnings"] = json.dumps(["do not trust it"])
        return tree

    monkeypatch.setattr("bayesbias.workflows.sweep.fit", fit)
    few = only_calm(plan, lists=plan.config.lists[:1])
    for _ in range(2):
        with pytest.warns(bb.SamplingWarning, match="and 1 more: do not trust it"):
            done = run_sweep(few, folder=tmp_path)
        assert done.doubtful
        assert list(done.cells["warnings"]) == ["do not trust it"] * 2


RUN = """
import sys
from pathlib import Path
from bayesbias.workflows.sweep import plan_sweep, run_sweep
from bayesbias.workflows.sweep_spec import load_sweep
run_sweep(plan_sweep(load_sweep(sys.argv[1])), folder=Path(sys.argv[2]), n_jobs=int(sys.argv[3]))
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
    plan: Plan, undisturbed: Sweep, config_path: Path, tmp_path: Path
) -> None:
    rng = random.Random(1)
    found: dict[str, bytes] = {}
    for life, goal in enumerate((3, 9)):

        def wait(run: subprocess.Popen[bytes], goal: int = goal) -> None:
            while run.poll() is None and len(kept_results(tmp_path)) < goal:
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 0.2))

        command = [sys.executable, "-c", RUN, str(config_path), str(tmp_path), "1"]
        assert killed(command, wait, group=life == 0)
        found = check_cells(tmp_path, found)
        assert goal <= len(found) < CELLS
    done = run_sweep(plan, folder=tmp_path)
    assert done.reused == len(found)
    check_cells(tmp_path, found)
    same(done, undisturbed)


@pytest.mark.slow
def test_a_dask_worker_killed_half_way_costs_nothing(
    cluster: Any,
    plan: Plan,
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
        done = run_sweep(plan, folder=tmp_path)
    thread.join(timeout=30)
    assert not thread.is_alive()
    same(done, undisturbed)
    assert victims[0] not in cluster.run(os.getpid).values()


@pytest.mark.slow
def test_the_command_line_uses_a_cluster(
    cluster: Any,
    undisturbed: Sweep,
    config_path: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    address = cluster.scheduler.address
    assert main(["sweep", str(config_path), "--out", str(tmp_path), "--dask", address]) == 0
    shown = capsys.readouterr()
    assert f"warning: the scheduler at {address} and its workers can run any program" in shown.err
    with (tmp_path / "contrasts.csv").open(encoding="utf-8", newline="") as file:
        means = [float(row["mean"]) for row in csv.DictReader(file)]
    assert means == undisturbed.contrasts["mean"].tolist()
