"""Jobs: equal frames under every executor, no partial files, and isolated failures."""

import json
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from threadpoolctl import threadpool_info, threadpool_limits

from bayesbias._core.jobs import Job, _outcome, pack_frame, result_key, run_jobs, unpack_frame
from bayesbias._core.warnings import warn
from bayesbias.warnings import DamagedResults, OtherWarning


def product(seed: int) -> pd.DataFrame:
    """Return a product whose last bits depend on the number of linear-algebra threads."""
    matrix = np.random.default_rng(seed).normal(size=(300, 300))
    values = (matrix @ matrix.T @ matrix).sum(axis=0)[:5]
    return pd.DataFrame({"seed": seed, "value": values})


def marked(seed: int, folder: Path) -> pd.DataFrame:
    """Leave a file behind on each run."""
    with (folder / f"ran-{seed}").open("a") as file:
        file.write("x")
    return product(seed)


def failing(error: type[Exception]) -> pd.DataFrame:
    raise error("not today")


def warning(text: str) -> pd.DataFrame:
    warnings.warn(text, UserWarning, stacklevel=1)
    warnings.warn("for developers", DeprecationWarning, stacklevel=1)
    return pd.DataFrame({"a": [1]})


def threads() -> pd.DataFrame:
    found = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    return pd.DataFrame({"threads": found})


def deadly() -> pd.DataFrame:
    os.kill(os.getpid(), signal.SIGKILL)
    return pd.DataFrame()


def job(name: str, function: Callable[..., Any], *arguments: object) -> Job:
    settings = {"job": name, "arguments": [str(argument) for argument in arguments]}
    return Job(name, settings, partial(function, *arguments))


def products(n: int = 6) -> list[Job]:
    return [job(f"product {seed}", product, seed) for seed in range(n)]


def same(one: dict[str, pd.DataFrame], other: dict[str, pd.DataFrame]) -> None:
    assert list(one) == list(other)
    for name, frame in one.items():
        assert_frame_equal(frame, other[name], check_exact=True)


def kept_results(folder: Path) -> dict[str, bytes]:
    """Return contents by key. Importing tests/builders.py would take workers seconds."""
    return {path.stem: path.read_bytes() for path in (folder / "results").glob("*.json")}


@pytest.fixture(scope="module")
def expected() -> dict[str, pd.DataFrame]:
    """Return the functions' results with one thread of linear algebra."""
    with threadpool_limits(1):
        return {f"product {seed}": product(seed) for seed in range(6)}


@pytest.mark.slow  # processes start
def test_frames_are_equal_and_in_order_whatever_the_workers(expected, tmp_path) -> None:
    same(run_jobs(products()).frames, expected)
    same(run_jobs(products(), n_jobs=2, folder=tmp_path).frames, expected)
    again = run_jobs(products(), n_jobs=1, folder=tmp_path)
    assert again.reused == 6
    same(again.frames, expected)
    with joblib.parallel_config(backend="threading"):
        finished = run_jobs([*products(), job("one", threads)], n_jobs=3)
    assert (finished.frames.pop("one")["threads"] == 1).all()
    same(finished.frames, expected)


def test_what_is_there_is_not_computed_again(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    kept = tmp_path / "kept"
    jobs = [job(f"job {seed}", marked, seed, tmp_path) for seed in range(3)]
    assert run_jobs(jobs[:2], folder=kept).reused == 0
    twin = Job("twin", jobs[2].settings, jobs[2].run)  # equal settings, so it is computed once
    finished = run_jobs([*jobs, twin], folder="~/kept")
    assert finished.reused == 2
    assert_frame_equal(finished.frames["twin"], finished.frames["job 2"])
    assert [(tmp_path / f"ran-{seed}").read_text() for seed in range(3)] == ["x", "x", "x"]
    assert set(kept_results(kept)) == {one.key for one in jobs}


def test_one_failing_job_does_not_stop_the_others(tmp_path: Path) -> None:
    errors = [ValueError, OSError, ImportError, MemoryError]
    jobs = [*(job(error.__name__, failing, error) for error in errors), *products(2)]
    finished = run_jobs(jobs, folder=tmp_path)
    assert list(finished.frames) == ["product 0", "product 1"]
    found = [(one.name, one.error) for one in finished.failures]
    assert found == [(name, name) for name in (e.__name__ for e in errors)]
    messages = [one.message for one in finished.failures]
    assert messages == ["not today"] * 4
    assert len(kept_results(tmp_path)) == 2, "failures are not kept: the next run tries again"


def test_progress_counts_kept_finished_and_failed_jobs(tmp_path: Path, monkeypatch) -> None:
    told: list[tuple[int, int] | int] = []

    @contextmanager
    def bar(_: str, total: int, *, done: int, shown: bool | None) -> Iterator[Any]:
        told.append((total, done))
        yield told.append

    monkeypatch.setattr("bayesbias._core.jobs.progress_bar", bar)
    run_jobs(products(2), folder=tmp_path)
    run_jobs(
        [*products(3), job("no", failing, ValueError), job("last", product, 9)], folder=tmp_path
    )
    assert told == [(2, 0), 1, 2, (5, 2), 3, 4, 5]


@pytest.mark.seconds
def test_warnings_come_back_from_workers_and_from_kept_results(tmp_path: Path) -> None:
    jobs = [job("one", warning, "mind"), job("two", warning, "mind"), job("three", product, 3)]
    for _ in range(2):
        with pytest.warns(OtherWarning) as told:
            finished = run_jobs(jobs, n_jobs=2, folder=tmp_path)
        notice = OtherWarning("UserWarning", "mind")
        assert [each.message for each in told] == [notice.concerning("one and 1 more")]
        assert finished.warnings == {"one": (notice,), "two": (notice,), "three": ()}
        assert len(finished.frames) == 3


REFUSALS: list[tuple[Callable[[], object], str]] = [
    (lambda: run_jobs([*products(1), *products(1)]), "one job is called 'product 0'"),
    (lambda: run_jobs([], folder=Path(__file__)), "Not a directory"),
    (lambda: result_key(float("nan")), "not JSON compliant"),
    (lambda: pack_frame(pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])})), "is not JSON"),
]


@pytest.mark.parametrize(("call", "fragment"), REFUSALS)
def test_refusals(call: Callable[[], object], fragment: str) -> None:
    with pytest.raises((ValueError, TypeError, OSError), match=fragment):
        call()


@pytest.mark.slow  # pools of workers start
def test_a_killed_worker_costs_only_its_job(tmp_path: Path) -> None:
    jobs = [*products(2), job("deadly", deadly), *products(5)[2:]]
    finished = run_jobs(jobs, n_jobs=2, folder=tmp_path)
    assert [failure.name for failure in finished.failures] == ["deadly"]
    assert "a worker died" in finished.failures[0].message
    assert set(finished.frames) == {f"product {i}" for i in range(5)}


def napping(seconds: float, text: str) -> pd.DataFrame:
    for _ in range(2):
        time.sleep(seconds / 2)
        warn(OtherWarning("UserWarning", text))
    return pd.DataFrame({"a": [1]})


@pytest.mark.seconds
def test_jobs_in_threads_overlap_and_keep_their_own_warnings() -> None:
    jobs = [job(str(i), napping, 0.6, f"from {i}") for i in range(8)]
    start = time.monotonic()
    with joblib.parallel_config(backend="threading"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        finished = run_jobs(jobs, n_jobs=8)
    assert time.monotonic() - start < 3  # one by one, they sleep for 4.8 s
    assert finished.warnings == {
        str(i): (OtherWarning("UserWarning", f"from {i}"),) for i in range(8)
    }


def test_a_worker_with_another_version_is_named() -> None:
    _, outcome = _outcome("key", partial(product, 1), 0, "0.0")
    assert outcome["error"] == "ImportError"
    assert "install 0.0" in outcome["message"]


STOPPED = """
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
def test_a_stopped_run_ends_its_workers_and_keeps_what_is_done(sent, tmp_path) -> None:
    command = [sys.executable, "-c", STOPPED, str(tmp_path)]
    run = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while not (kept := kept_results(tmp_path)) and run.poll() is None:
        time.sleep(0.05)
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text()
    workers = [Path("/proc", child) for child in children.split()]
    run.send_signal(sent)
    assert run.wait(timeout=30) == -sent
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
def test_a_dask_cluster_gives_the_same_frames_and_loses_only_deadly_jobs(
    cluster, expected, tmp_path
) -> None:
    jobs = [*products(3), job("deadly", deadly), job("value", failing, ValueError)]
    with joblib.parallel_config(backend="dask"):
        finished = run_jobs([*jobs, *products()[3:]], folder=tmp_path)
    same(finished.frames, expected)
    assert {one.name for one in finished.failures} == {"deadly", "value"}
    assert len(kept_results(tmp_path)) == 6


@given(
    st.lists(st.tuples(st.floats(), st.none() | st.text(), st.booleans()), max_size=20),
    st.sampled_from([np.float64, np.float32]),
)
def test_frames_come_back_bit_for_bit(rows: list[tuple[Any, ...]], kind: type) -> None:
    numbers, texts, booleans = ([row[place] for row in rows] for place in range(3))
    with np.errstate(over="ignore"):
        columns: dict[str, Any] = {"x": np.asarray(numbers, dtype=kind)}
    columns |= {"t": pd.Series(texts, dtype="str"), "b": np.asarray(booleans, dtype=bool)}
    frame = pd.DataFrame({**columns, "mixed": pd.Series([*texts], dtype=object)})
    frame.attrs = {"warnings": ["mind"], "ci_prob": 0.89}
    back = unpack_frame(json.loads(json.dumps(pack_frame(frame))))
    assert_frame_equal(back, frame, check_exact=True)
    assert back.attrs == frame.attrs


def test_the_key_follows_settings_and_version_and_nothing_else(monkeypatch) -> None:
    base = result_key({"x": 1, "y": [1.5, "z"]})
    assert base == result_key({"y": (1.5, "z"), "x": 1})
    assert base != result_key({"x": 2, "y": [1.5, "z"]})
    monkeypatch.setattr("bayesbias._core.jobs.__version__", "99")
    assert base != result_key({"x": 1, "y": [1.5, "z"]})


@pytest.mark.parametrize("content", [b"{", b"[" * 100_000, b"\xff", b"null", b"3", b'{"a": 1}'])
def test_a_damaged_result_is_computed_again_with_a_warning(content, tmp_path, expected) -> None:
    run_jobs(products(2), folder=tmp_path)
    (tmp_path / "results" / f"{products(2)[1].key}.json").write_bytes(content)
    with pytest.warns(DamagedResults):
        finished = run_jobs(products(2), folder=tmp_path)
    assert finished.reused == 1
    same(finished.frames, {name: expected[name] for name in ("product 0", "product 1")})
    assert run_jobs(products(2), folder=tmp_path).reused == 2
