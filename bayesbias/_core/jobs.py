"""Run jobs in parallel, and save the frames that they return, so that no frame is computed twice.

Every frame is converted to JSON and back, so a resumed run returns the same frames as a full run.
The parent process writes the results, because Dask workers may be on other machines.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .. import __version__
from .arrays import one_thread
from .display import progress_bar
from .files import replace_file
from .reading import read_json
from .warnings import (
    BayesbiasWarning,
    DamagedResults,
    Overlapping,
    as_ours,
    from_dict,
    heard,
    to_dict,
    warn,
)

RESULTS = "results"
"""Name of the results folder in an output folder."""

_ONE_THREAD = Overlapping(one_thread)

DEATH = "a worker died (killed, crashed, or out of memory) in this job; run it again, or alone"


@dataclass(frozen=True)
class Job:
    """A computation, and the settings that determine its result.

    The result is saved under a key made from the settings and the package's version. ``run`` must
    be picklable; for example, use a `functools.partial` of a module-level function. It is called
    with ``shared``: large arrays that several jobs use, which travel to a Dask cluster only once.
    """

    name: str
    settings: Mapping[str, Any]
    run: Callable[..., pd.DataFrame]
    shared: tuple[NDArray[Any], ...] = ()

    @cached_property
    def key(self) -> str:
        """Hash of the settings and the package's version."""
        return result_key(self.settings)


@dataclass(frozen=True)
class Failure:
    """The name of a failed job, and the type and message of its error."""

    name: str
    error: str
    message: str


@dataclass(frozen=True)
class Finished:
    """Frames and warnings by job name, failed jobs, and how many saved results were reused.

    ``frames`` has what `run_jobs` was asked to keep of each frame; by default, all of it.
    """

    frames: dict[str, Any]
    warnings: dict[str, tuple[BayesbiasWarning, ...]]
    failures: tuple[Failure, ...]
    reused: int


type _Packed = dict[str, Any]
"""A packed frame, or the ``error`` and its ``message``."""

type _Result = tuple[Any, tuple[BayesbiasWarning, ...]]
"""What is kept of a frame, and the warnings."""

type _Keep = Callable[[_Packed], Any]


def pack_frame(frame: pd.DataFrame, found: Iterable[BayesbiasWarning] = ()) -> dict[str, Any]:
    """Convert a frame and warnings to JSON types; `unpack_frame` converts them back."""
    content = {
        "columns": {name: column.tolist() for name, column in frame.items()},
        "dtypes": {name: str(column.dtype) for name, column in frame.items()},
        "attrs": frame.attrs,
        "warnings": [to_dict(notice) for notice in found],
    }
    packed: dict[str, Any] = json.loads(json.dumps(content, default=plain_number))
    return packed


def unpack_frame(packed: Mapping[str, Any]) -> pd.DataFrame:
    """Return the frame that `pack_frame` packed."""
    columns: dict[str, Any] = {}
    for (name, values), dtype in zip(
        packed["columns"].items(), packed["dtypes"].values(), strict=True
    ):
        made = pd.Series if dtype == "object" else pd.array  # arrays need no alignment
        columns[name] = made(values, dtype=dtype)
    frame = pd.DataFrame(columns)
    frame.attrs = dict(packed["attrs"])
    return frame


def run_jobs(
    jobs: Iterable[Job],
    *,
    folder: str | Path | None = None,
    n_jobs: int = 1,
    progress: bool | None = None,
    description: str = "",
    keep: _Keep = unpack_frame,
) -> Finished:
    """Run jobs in parallel; a job that fails does not stop the others.

    If a folder is given, results are saved in its ``results/`` as soon as they are ready, and later
    runs read them. Jobs with equal settings are computed once. The frames do not depend on
    `n_jobs`, because every job uses one thread for linear algebra.

    Jobs run in ``n_jobs`` processes: -1 means one per core, and 1 means this process only. Within
    ``joblib.parallel_config(backend="dask")``, a Dask cluster runs the jobs instead. Each distinct
    warning is issued once, with the name of one job and the number of others.

    ``keep`` receives each packed frame, and returns what is held of it until all jobs have ended;
    by default, this is the frame. If a saved result is damaged, ``keep`` must raise a ValueError,
    TypeError, LookupError, or AttributeError.

    A damaged result is computed again, with a warning. If this process ends, its workers end, too;
    finished results are kept. If a worker dies, the job that it ran fails; the others still run.
    """
    jobs = list(jobs)
    if twice := [n for n, count in Counter(job.name for job in jobs).items() if count > 1]:
        raise ValueError(f"more than one job is called {twice[0]!r}; give each a unique name")
    results: dict[str, _Result] = {}
    place = None if folder is None else Path(folder).expanduser()
    if place is not None:
        (place / RESULTS).mkdir(parents=True, exist_ok=True)
        results |= read_results(place, {job.key: job for job in jobs}, keep)
    todo = {job.key: job for job in jobs if job.key not in results}
    failed, n_kept = dict[str, _Packed](), len(results)
    reused = sum(job.key in results for job in jobs)
    with (
        progress_bar(description, len(todo) + n_kept, done=n_kept, shown=progress) as update,
        closing(_run_all(todo, n_jobs)) as coming,
    ):
        for key, outcome in coming:
            if "error" in outcome:
                failed[key] = outcome
            else:
                results[key] = _opened(outcome, keep)
                if place is not None:
                    _save(place, key, {**outcome, "settings": todo[key].settings})
            update(len(results) + len(failed))
    done = {job.name: results[job.key] for job in jobs if job.key in results}
    _warn_once({name: found for name, (_, found) in done.items()})
    return Finished(
        {name: frame for name, (frame, _) in done.items()},
        {name: found for name, (_, found) in done.items()},
        tuple(Failure(job.name, **failed[job.key]) for job in jobs if job.key in failed),
        reused,
    )


def _save(folder: Path, key: str, content: Mapping[str, Any]) -> None:
    with (
        suppress(BlockingIOError),  # another run is saving the same result
        replace_file(folder / RESULTS / f"{key}.json") as temporary,
    ):
        temporary.write_text(json.dumps(content, default=plain_number), encoding="utf-8")


def _warn_once(found: Mapping[str, Iterable[BayesbiasWarning]]) -> None:
    """Issue each distinct warning once, with the name of a job and the number of others."""
    names: dict[BayesbiasWarning, list[str]] = defaultdict(list)
    for name, notices in found.items():
        for notice in notices:
            names[notice].append(name)
    for notice, (first, *others) in names.items():
        more = f" and {len(others)} more" if others else ""
        warn(notice.concerning(f"{first}{more}"))


def plain_number(value: object) -> object:
    """Return a number of NumPy as Python's, for `json.dumps`, which refuses other objects."""
    return value.item() if isinstance(value, np.generic) else json.JSONEncoder().default(value)


def result_key(settings: object) -> str:
    """Return the SHA-256 of a result's settings (text and numbers) and the package's version."""
    content = {"settings": settings, "version": __version__}
    how: dict[str, Any] = {"sort_keys": True, "separators": (",", ":"), "allow_nan": False}
    text = json.dumps(content, default=plain_number, **how)
    return hashlib.sha256(text.encode()).hexdigest()


def _opened(packed: _Packed, keep: _Keep) -> _Result:
    return keep(packed), tuple(map(from_dict, packed["warnings"]))


def read_results(
    folder: Path, keys: Iterable[str], keep: _Keep = unpack_frame
) -> dict[str, _Result]:
    """Return the saved results by key; warn about damaged ones and leave them out."""
    results, damaged = {}, 0
    for key in keys:
        try:
            results[key] = _opened(read_json(folder / RESULTS / f"{key}.json"), keep)
        except FileNotFoundError:
            pass
        except (ValueError, TypeError, LookupError, AttributeError):
            damaged += 1
    if damaged:
        warn(DamagedResults(damaged, str(folder / RESULTS)))
    return results


def _run_all(jobs: Mapping[str, Job], n_jobs: int) -> Generator[tuple[str, _Packed]]:
    """Run jobs in parallel. If a worker dies, the jobs that may have run are then run one by one.

    A job that kills its worker again fails.
    """
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    client = getattr(get_active_backend()[0], "client", None)
    waiting, most = dict(jobs), effective_n_jobs(n_jobs)

    def run(some: Mapping[str, Job]) -> Generator[tuple[str, _Packed]]:
        for key, outcome in _on_cluster(some, client) if client else _in_processes(some, n_jobs):
            del waiting[key]
            yield key, outcome

    while waiting:
        yield from run(dict(waiting))
        for key in [*waiting][:most]:
            yield from run({key: jobs[key]})
            if waiting.pop(key, None):
                yield key, {"error": "WorkerDied", "message": DEATH}


def _in_processes(jobs: Mapping[str, Job], n_jobs: int) -> Generator[tuple[str, _Packed]]:
    """Run jobs in parallel until all have ended, or a worker dies."""
    from joblib import Parallel, delayed

    most = n_jobs if n_jobs < 2 else max(2, min(n_jobs, len(jobs)))  # one runs in this process
    parallel = Parallel(n_jobs=most, return_as="generator_unordered", batch_size=1)
    arguments = (os.getpid(), __version__)
    tasks = (delayed(_outcome)(key, job.run, *arguments, *job.shared) for key, job in jobs.items())
    with suppress(BrokenExecutor), closing(parallel(tasks)) as outcomes:
        yield from outcomes


def _on_cluster(jobs: Mapping[str, Job], client: Any) -> Generator[tuple[str, _Packed]]:  # noqa: ANN401
    """Run jobs on a Dask cluster, a few more at a time than it has threads.

    Jobs of workers that died have no outcome; joblib would wait for them forever. Shared arrays are
    tasks, so that the cluster can make them again.
    """
    import distributed

    shared = {id(array): array for job in jobs.values() for array in job.shared}
    placed = {n: client.submit(np.asarray, array, pure=False) for n, array in shared.items()}

    def submitted(key: str) -> Any:  # noqa: ANN401
        job = jobs[key]
        arrays = [placed[id(array)] for array in job.shared]
        return client.submit(_outcome, key, job.run, os.getpid(), __version__, *arrays, pure=False)

    coming = iter(jobs)
    first = islice(coming, 2 * sum(client.ncores().values()) + 2)
    ended: Any = distributed.as_completed(map(submitted, first))  # type: ignore[no-untyped-call]
    for future in ended:
        with suppress(distributed.KilledWorker, CancelledError):
            yield future.result()
        for key in islice(coming, 1):
            ended.add(submitted(key))


@cache
def _end_with(parent: int) -> None:
    """End a worker process within a second of its parent, even if the parent is killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if os.getppid() == parent:
        threading.Thread(target=watch, daemon=True).start()


def _outcome(
    key: str, run: Callable[..., pd.DataFrame], parent: int, version: str, *shared: NDArray[Any]
) -> tuple[str, _Packed]:
    """Run one job in a worker; return its frame with user and runtime warnings, or its error."""
    _end_with(parent)
    try:
        if version != __version__:
            raise ImportError(f"the worker has bayesbias {__version__}; install {version} there")
        with _ONE_THREAD, heard() as found:
            frame = run(*shared)
        return key, pack_frame(frame, dict.fromkeys(map(as_ours, found)))
    except Exception as error:  # noqa: BLE001 - a job can fail in any way
        return key, {"error": type(error).__name__, "message": str(error)}
