"""Jobs: the same frames however they run, nothing half-written, failures that stay alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from threadpoolctl import threadpool_info, threadpool_limits

from bayesbias._core.jobs import Job, pack_frame, result_key, run_jobs, unpack_frame


def product(seed: int) -> pd.DataFrame:
    """Something whose last bits depend on how many threads linear algebra has."""
    matrix = np.random.default_rng(seed).normal(size=(300, 300))
    values = (matrix @ matrix.T @ matrix).sum(axis=0)[:5]
    return pd.DataFrame({"seed": seed, "value": values})


def marked(seed: int, folder: Path) -> pd.DataFrame:
    """Leaves a trace each time that it runs."""
    with (folder / f"ran-{seed}").open("a") as file:
        file.write("x")
    return product(seed)


def failing(kind: str) -> pd.DataFrame:
    errors = {"value": ValueError, "file": OSError, "import": ImportError, "memory": MemoryError}
    raise errors[kind](f"no {kind} today")


def warning(text: str) -> pd.DataFrame:
    warnings.warn(text, UserWarning, stacklevel=1)
    warnings.warn("for developers", DeprecationWarning, stacklevel=1)
    return pd.DataFrame({"a": [1]})


def threads() -> pd.DataFrame:
    found = [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]
    return pd.DataFrame({"threads": found})


def deadly() -> pd.DataFrame:
    os.kill(os.getpid(), signal.SIGKILL)
    return pd.DataFrame()


def job(name: str, function: object, *arguments: object) -> Job:
    settings = {"job": name, "arguments": [str(each) for each in arguments]}
    return Job(name, settings, partial(function, *arguments))  # type: ignore[arg-type]


def products(n: int = 6) -> list[Job]:
    return [job(f"product {seed}", product, seed) for seed in range(n)]


def same(one: dict[str, pd.DataFrame], other: dict[str, pd.DataFrame]) -> None:
    assert list(one) == list(other)
    for name, frame in one.items():
        assert_frame_equal(frame, other[name], check_exact=True)


def kept_results(folder: Path) -> dict[str, bytes]:
    """Contents by key; without tests/builders.py, which workers would import for seconds."""
    return {path.stem: path.read_bytes() for path in (folder / "results").glob("*.json")}


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, pd.DataFrame]:
    return run_jobs(products()).frames


def test_frames_come_in_the_order_of_the_jobs_and_are_what_the_functions_give(
    undisturbed: dict[str, pd.DataFrame],
) -> None:
    with threadpool_limits(1):
        same(undisturbed, {f"product {seed}": product(seed) for seed in range(6)})


def test_frames_are_equal_whatever_the_number_of_workers(
    undisturbed: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    same(run_jobs(products(), n_jobs=2, folder=tmp_path).frames, undisturbed)
    again = run_jobs(products(), n_jobs=1, folder=tmp_path)
    assert again.reused == 6
    same(again.frames, undisturbed)


def test_what_is_there_is_not_computed_again(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    jobs = [job(f"job {seed}", marked, seed, tmp_path) for seed in range(3)]
    assert run_jobs(jobs[:2], folder=kept).reused == 0
    twin = Job("twin", jobs[2].settings, jobs[2].run)  # of equal settings: it is computed once
    finished = run_jobs([*jobs, twin], folder=kept)
    assert finished.reused == 3
    assert_frame_equal(finished.frames["twin"], finished.frames["job 2"])
    assert [(tmp_path / f"ran-{seed}").read_text() for seed in range(3)] == ["x", "x", "x"]
    assert set(kept_results(kept)) == {each.key for each in jobs}


def test_one_failing_job_does_not_stop_the_others(tmp_path: Path) -> None:
    kinds = ["value", "file", "import", "memory"]
    jobs = [*(job(kind, failing, kind) for kind in kinds), *products(2)]
    jobs.append(job("no frame", dict, {"a": 1}))
    finished = run_jobs(jobs, folder=tmp_path)
    assert list(finished.frames) == ["product 0", "product 1"]
    found = [(one.name, one.error, one.message) for one in finished.failures]
    assert found == [
        ("value", "ValueError", "no value today"),
        ("file", "OSError", "no file today"),
        ("import", "ImportError", "no import today"),
        ("memory", "MemoryError", "no memory today"),
        ("no frame", "TypeError", "a job must return a DataFrame; got dict"),
    ]
    assert "in failing" in finished.failures[0].traceback
    assert len(kept_results(tmp_path)) == 2, "failures are not kept: the next run tries again"


def test_warnings_come_back_from_workers_and_from_kept_results(tmp_path: Path) -> None:
    jobs = [job("one", warning, "mind"), job("two", warning, "mind"), job("three", product, 3)]
    for _ in range(2):
        with pytest.warns(UserWarning, match="one and 1 more: mind") as told:
            finished = run_jobs(jobs, n_jobs=2, folder=tmp_path)
        assert len(told) == 1
        assert len(finished.frames) == 3


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="two jobs are called 'product 0'"):
        run_jobs([*products(1), *products(1)])
    with pytest.raises(ValueError, match="n_jobs is a number of processes"):
        run_jobs([], n_jobs=0)
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        run_jobs([], folder=tmp_path / "file")


def stopping() -> pd.DataFrame:
    os.kill(os.getpid(), signal.SIGTERM)
    return pd.DataFrame()


def test_sigterm_stops_the_run_and_keeps_what_is_done(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="143"):
        run_jobs([*products(1), job("stop", stopping), *products(3)[1:]], folder=tmp_path)
    assert list(kept_results(tmp_path)) == [products(1)[0].key]


@pytest.mark.slow  # a pool of workers starts
def test_a_killed_worker_costs_no_kept_result(tmp_path: Path) -> None:
    jobs = [*products(3), job("deadly", deadly)]
    finished = run_jobs(jobs, n_jobs=2, folder=tmp_path)
    assert "deadly" in {failure.name for failure in finished.failures}
    assert all("a worker died" in failure.message for failure in finished.failures)
    assert set(run_jobs(products(3), folder=tmp_path).frames) == {f"product {i}" for i in range(3)}


INTERRUPTED = """
import sys, time
from functools import partial
from pathlib import Path
import pandas as pd
from bayesbias._core.jobs import Job, run_jobs

def slow(n):
    time.sleep(0.2)
    return pd.DataFrame({"n": [n]})

jobs = [Job(str(n), {"n": n}, partial(slow, n)) for n in range(40)]
run_jobs(jobs, folder=Path(sys.argv[1]), n_jobs=2)
"""


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_run_ends_its_workers_and_keeps_what_is_done(
    sent: signal.Signals, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path)]
    run = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while not (kept := kept_results(tmp_path)) and run.poll() is None:
        time.sleep(0.05)
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text()
    workers = [Path("/proc", child) for child in children.split()]
    run.send_signal(sent)
    assert run.wait(timeout=30) == (143 if sent == signal.SIGTERM else -signal.SIGKILL)
    assert len(workers) >= 2
    deadline = time.monotonic() + 10
    while any(worker.exists() for worker in workers):
        assert time.monotonic() < deadline, "a worker outlives its parent"
        time.sleep(0.1)
    found = kept_results(tmp_path)
    assert kept.items() <= found.items()
    assert 1 <= len(kept) <= len(found) < 40
    for content in map(json.loads, found.values()):
        assert content["columns"]["n"] == [content["settings"]["n"]]


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_frames(
    cluster: object, undisturbed: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    with joblib.parallel_config(backend="dask"):
        finished = run_jobs([*products(), job("value", failing, "value")], folder=tmp_path)
    same(finished.frames, undisturbed)
    assert [one.error for one in finished.failures] == ["ValueError"]
    assert len(kept_results(tmp_path)) == 6


def test_threads_take_turns_and_have_one_of_linear_algebra(
    undisturbed: dict[str, pd.DataFrame],
) -> None:
    with joblib.parallel_config(backend="threading"):
        finished = run_jobs([*products(), job("one", threads)], n_jobs=3)
    assert (finished.frames.pop("one")["threads"] == 1).all()
    same(finished.frames, undisturbed)


# Kept results: what is read back is what was kept, bit for bit, and damage is noticed.


def through_text(frame: pd.DataFrame) -> pd.DataFrame:
    return unpack_frame(json.loads(json.dumps(pack_frame(frame))))[0]


@given(
    st.lists(st.tuples(st.floats(allow_nan=False), st.text()), max_size=20),
    st.sampled_from([np.float64, np.float32]),
)
def test_floats_keep_their_bits_and_texts_their_letters(
    rows: list[tuple[float, str]], kind: type
) -> None:
    with np.errstate(over="ignore"):
        numbers = np.asarray([row[0] for row in rows], dtype=kind)
    frame = pd.DataFrame({"x": numbers, "t": pd.Series([row[1] for row in rows], dtype="str")})
    back = through_text(frame)
    assert back["x"].to_numpy().tobytes() == frame["x"].to_numpy().tobytes()
    assert_frame_equal(back, frame, check_exact=True)


def test_types_missing_values_and_attrs_are_kept() -> None:
    frame = pd.DataFrame(
        {
            "text": pd.Series(["a", None, "ü\n"], dtype="str"),
            "float": [0.1 + 0.2, np.nan, -np.inf],
            "bool": [True, False, True],
            "mixed": pd.Series([None, 1.5, "x"], dtype=object),
        }
    )
    frame.attrs = {"warnings": ["mind"], "ci_prob": 0.89}
    back = through_text(frame)
    assert_frame_equal(back, frame, check_exact=True)
    assert back.attrs == frame.attrs
    for odd in (pd.to_datetime(["2020-01-01"]), np.array([1j])):
        with pytest.raises(TypeError, match="is not JSON"):
            pack_frame(pd.DataFrame({"a": odd}))


def test_the_key_follows_settings_and_version_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    base = result_key({"x": 1, "y": [1.5, "z"]})
    assert base == result_key({"y": (1.5, "z"), "x": 1})
    assert base != result_key({"x": 2, "y": [1.5, "z"]})
    for odd in (np.float32(1), float("nan")):
        with pytest.raises(ValueError, match="settings must be texts, finite numbers"):
            result_key({"x": odd})
    monkeypatch.setattr("bayesbias._core.jobs.__version__", "99")
    assert base != result_key({"x": 1, "y": [1.5, "z"]})


@pytest.mark.parametrize("content", [b"{", b"[" * 100_000, b"\xff", b"null", b"3", b'{"a": 1}'])
def test_a_damaged_result_is_computed_again_with_a_warning(
    content: bytes, tmp_path: Path, undisturbed: dict[str, pd.DataFrame]
) -> None:
    run_jobs(products(2), folder=tmp_path)
    (tmp_path / "results" / f"{products(2)[1].key}.json").write_bytes(content)
    with pytest.warns(UserWarning, match=r"1 result\(s\) in .* are damaged; they are computed"):
        finished = run_jobs(products(2), folder=tmp_path)
    assert finished.reused == 1
    same(finished.frames, {name: undisturbed[name] for name in ("product 0", "product 1")})
    assert run_jobs(products(2), folder=tmp_path).reused == 2
