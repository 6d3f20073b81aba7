"""Many jobs, each of which gives a frame: run side by side, kept, and not done twice.

What a job gives goes through the same text, whether it was computed now or read from its file
(`frame_files`), so that a resumed run and an undisturbed one give the same frames. The parent
process writes the files: workers of a Dask cluster may be on other machines.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from .. import __version__
from .store import pack_frame, read_result, unpack_frame, write_result

ENDING = ".json"
"""Of the files of results."""

BREAKDOWNS = 2
"""How often workers may die before the jobs that are left run one at a time, to find the cause."""

PATIENCE = 60.0
"""Seconds in which a Dask cluster without a worker left is to bring a new one."""

_GLANCE = 0.02
"""Seconds between two looks at whether a Dask cluster has finished a job."""

_STALE = 3600.0
"""Seconds after which a temporary file is taken to be what a killed run left."""

_ALONE = threading.Lock()
"""A process runs one job at a time: warnings and threads of linear algebra are the process's."""


@dataclass(frozen=True)
class Job:
    """Something to compute, and what decides its result.

    Parameters
    ----------
    name : str
        What a person calls it; no two jobs of a run share one.
    settings : mapping
        All that decides the result, in texts, numbers, lists and mappings. With the package's
        version it makes the key under which the result is kept: what is not in it, a later run
        does not notice.
    run : function without arguments
        Gives a DataFrame. Must be picklable: a `functools.partial` of a module's function.
    """

    name: str
    settings: Mapping[str, Any]
    run: Callable[[], pd.DataFrame]

    @property
    def key(self) -> str:
        """SHA-256, in hexadecimal, of the settings and of the package's version."""
        content = {"settings": self.settings, "version": __version__}
        try:
            text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"the settings of the job {self.name!r} must be texts, finite numbers, lists and "
                f"mappings: {error}"
            ) from None
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Failure:
    """A job that gave no frame: its name, the error's type and message, and where it happened."""

    name: str
    error: str
    message: str
    traceback: str = field(default="", repr=False)


@dataclass(frozen=True)
class Finished:
    """What has come of jobs.

    Parameters
    ----------
    frames : dict of str to DataFrame
        By the job's name, in the order of the jobs; without those that failed.
    failures : tuple of Failure
        In the order of the jobs.
    reused : int
        Jobs whose result was there already, or was computed for another job of equal settings.
    warnings : dict of str to tuple of str
        By the job's name: what was warned of while it ran, now or when its result was kept.
    """

    frames: dict[str, pd.DataFrame]
    failures: tuple[Failure, ...]
    reused: int
    warnings: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Outcome:
    """What a worker sends back: the packed result, or the failure."""

    key: str
    body: bytes
    failure: Failure | None
    seconds: float


def run_jobs(
    jobs: Iterable[Job],
    *,
    folder: Path | None = None,
    n_jobs: int = 1,
    progress: bool | None = None,
    description: str = "",
) -> Finished:
    """Run jobs side by side; one that fails does not stop the others.

    Each result is written to ``folder/<key>.json`` as soon as it is there, whole or not at all,
    and is not computed again by a later run. Jobs of equal settings are computed once. The frames
    are the same whatever `n_jobs`: every job has one thread of linear algebra.

    Parameters
    ----------
    jobs : iterable of Job
    folder : Path, optional
        Where results are kept; it is made if it is not there. None keeps nothing.
    n_jobs : int
        Processes; -1 for one a core, 1 for this process alone. Within
        ``joblib.parallel_config(backend="dask")`` the cluster's workers take the jobs instead.
    progress : bool, optional
        Show a bar on stderr; None does so on a terminal only.
    description : str
        What stands beside the bar.

    Returns
    -------
    Finished

    Raises
    ------
    ValueError
        If two jobs have one name, settings cannot make a key, or `n_jobs` is 0.
    OSError
        If a result cannot be written.
    KeyboardInterrupt
        On Ctrl-C; results that were there by then are kept.

    Warns
    -----
    UserWarning
        If a file of a result is damaged (it is computed again), and for what jobs warned of, each
        text once, with the number of jobs.
    """
    jobs = list(jobs)
    _require_names(jobs)
    if n_jobs == 0:
        raise ValueError("n_jobs is a number of processes from 1 on, or -1 for one a core; got 0")
    by_key: dict[str, Job] = {}
    keys = {job.name: job.key for job in jobs}
    for job in jobs:
        by_key.setdefault(keys[job.name], job)
    bodies = {} if folder is None else _kept(by_key, _swept(folder))
    done = {key: _Outcome(key, body, None, 0.0) for key, body in bodies.items()}
    left = {key: job for key, job in by_key.items() if key not in done}
    with (
        _bar(len(by_key), len(done), progress, description) as advance,
        closing(_outcomes(left, n_jobs)) as outcomes,
    ):
        for outcome in outcomes:
            done[outcome.key] = outcome
            if folder is not None and outcome.failure is None:
                _keep(outcome, by_key[outcome.key], folder)
            advance()
    fresh = sum(done[key].failure is None for key in left)
    return _finished(jobs, keys, done, fresh)


def _require_names(jobs: Sequence[Job]) -> None:
    names: set[str] = set()
    for job in jobs:
        if job.name in names:
            raise ValueError(f"two jobs are called {job.name!r}; each needs a name of its own")
        names.add(job.name)


def _swept(folder: Path) -> Path:
    """Make the folder, or take out of it the temporary files of runs that were killed."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob(f".writing-*{ENDING}"):
        try:
            if time.time() - path.stat().st_mtime > _STALE:
                path.unlink()
        except FileNotFoundError:  # another run has just put it in its place
            continue
    return folder


def _kept(jobs: Iterable[str], folder: Path) -> dict[str, bytes]:
    """Read the results that are there, by key; damaged ones are told of and left out."""
    found = {}
    for key in jobs:
        path = folder / f"{key}{ENDING}"
        try:
            found[key] = read_result(path)
        except FileNotFoundError:
            continue
        except ValueError as error:
            warnings.warn(
                f"the result {path} cannot be used: {error}; it is computed again", stacklevel=3
            )
    return found


def _keep(outcome: _Outcome, job: Job, folder: Path) -> None:
    header = {
        "key": outcome.key,
        "name": job.name,
        "settings": job.settings,
        "version": __version__,
        "seconds": round(outcome.seconds, 3),
    }
    write_result(folder / f"{outcome.key}{ENDING}", header, outcome.body)


def _outcomes(jobs: Mapping[str, Job], n_jobs: int) -> Generator[_Outcome]:
    """Run jobs, on the cluster that joblib is told to use or in processes of this machine."""
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    if hasattr(backend, "client"):
        return _on_cluster(jobs, backend.client)
    return _on_this_machine(jobs, n_jobs)


def _on_cluster(jobs: Mapping[str, Job], client: Any) -> Generator[_Outcome]:  # noqa: ANN401
    """Run jobs on a Dask cluster, which runs those of a killed worker again elsewhere.

    Dask itself is asked, not joblib's bridge to it: that one waits forever for a job that Dask
    has given up since its workers died several times (joblib 1.6). Dask blames every job that was
    waiting on a worker when it died, too; so those that are lost run once more, each on its own.
    """
    KilledWorker = import_module("distributed.scheduler").KilledWorker

    workers = _Workers(client)
    lost = []
    for key, outcome, error in _submitted(jobs, workers):
        if isinstance(error, KilledWorker):
            lost.append(key)
        else:
            yield outcome
    for key in lost:
        for _, outcome, _ in _submitted({key: jobs[key]}, workers):
            yield outcome


class _Workers:
    """Those of a Dask cluster, and since when there are none.

    A cluster that has none yet is waited for: a queue may be long. One that has lost them all is
    given up after a while, as they may be gone for good: a `LocalCluster` closes a worker that
    happens to be starting again 15 s after a death (distributed 2026.8).
    """

    def __init__(self, client: Any) -> None:  # noqa: ANN401
        self.client = client
        self._seen = bool(client.nthreads())
        self._told = False
        self._asked = self._since = time.monotonic()

    def lost(self, waiting: int) -> bool:
        """Whether there were workers, and have been none for `PATIENCE`; asks once a second."""
        now = time.monotonic()
        if now - self._asked < 1.0:
            return False
        self._asked = now
        if self.client.nthreads():
            self._seen, self._since = True, now
        if now - self._since < PATIENCE:
            return False
        if not (self._seen or self._told):
            self._told = True
            text = f"the Dask cluster has no worker yet; {waiting} job(s) wait for one"
            warnings.warn(text, RuntimeWarning, stacklevel=6)
        return self._seen


def _submitted(
    jobs: Mapping[str, Job], workers: _Workers
) -> Iterator[tuple[str, _Outcome, BaseException | None]]:
    """Key, outcome, and the cluster's error, of every job as it comes."""
    distributed: Any = import_module("distributed")  # which has no types
    futures = {
        workers.client.submit(_outcome, key, job.name, job.run, pure=False): key
        for key, job in jobs.items()
    }
    coming = distributed.as_completed(list(futures), with_results=True, raise_errors=False)
    try:
        while not coming.is_empty():
            if coming.has_ready():
                future, result = coming.next()
                key = futures.pop(future)
                if future.status == "finished":
                    yield key, result, None
                else:
                    error = future.exception() if future.status == "error" else None
                    yield key, _lost(key, jobs[key].name, error or future.status), error
            elif workers.lost(len(futures)):
                why = f"its last worker went {PATIENCE:.0f} s ago and none has come since"
                yield from (
                    (key, _lost(key, jobs[key].name, TimeoutError(why)), None)
                    for key in futures.values()
                )
                return
            else:
                time.sleep(_GLANCE)
    finally:
        workers.client.cancel(list(futures))


def _lost(key: str, name: str, why: BaseException | str) -> _Outcome:
    kind = "CancelledError" if isinstance(why, str) else type(why).__name__
    return _Outcome(key, b"", Failure(name, kind, f"the cluster gave no result: {why}"), 0.0)


def _on_this_machine(jobs: Mapping[str, Job], n_jobs: int) -> Generator[_Outcome]:
    """Run jobs and give each outcome as it comes, also where workers die.

    A worker that is killed takes the pool of workers with it, and nothing tells which job was to
    blame. The jobs that are left run again together, then each on its own: what kills its worker
    then has failed.
    """
    left = dict(jobs)
    for _ in range(BREAKDOWNS):
        try:
            for outcome in _together(left, n_jobs):
                del left[outcome.key]
                yield outcome
        except BrokenExecutor as error:
            warnings.warn(
                f"a worker died ({type(error).__name__}); {len(left)} job(s) run again",
                RuntimeWarning,
                stacklevel=4,
            )
        if not left:
            return
    for key, job in left.items():
        try:
            yield from _together({key: job}, max(n_jobs, 2))  # 1 would be this very process
        except BrokenExecutor as error:
            message = "its worker died: killed, crashed or out of memory"
            yield _Outcome(key, b"", Failure(job.name, type(error).__name__, message), 0.0)


def _together(jobs: Mapping[str, Job], n_jobs: int) -> Iterator[_Outcome]:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    tasks = [delayed(_outcome)(key, job.name, job.run) for key, job in jobs.items()]
    with closing(parallel(tasks)) as outcomes:
        yield from outcomes


def _outcome(key: str, name: str, run: Callable[[], pd.DataFrame]) -> _Outcome:
    """Run one job, in a worker; everything that it says comes back as plain text."""
    import scipy.linalg  # noqa: F401 (brings a BLAS of its own, which is to be limited too)
    from threadpoolctl import threadpool_limits

    body, failure = b"", None
    start = time.perf_counter()
    with (
        _ALONE,
        threadpool_limits(limits=1, user_api="blas"),
        warnings.catch_warnings(record=True) as seen,
    ):
        warnings.simplefilter("always")
        try:
            packed = pack_frame(run())
        except Exception as error:  # noqa: BLE001 - a job is anyone's code; its failure is a result
            failure = Failure(name, type(error).__name__, str(error), traceback.format_exc())
        else:
            body = json.dumps({"frame": packed, "warnings": _texts(seen)}).encode()
    return _Outcome(key, body, failure, time.perf_counter() - start)


def _texts(seen: Sequence[warnings.WarningMessage]) -> list[str]:
    """Texts of what a user is to know, each once; not those meant for developers."""
    told = [one for one in seen if issubclass(one.category, UserWarning | RuntimeWarning)]
    return list(dict.fromkeys(str(one.message) for one in told))


def _finished(
    jobs: Sequence[Job], keys: Mapping[str, str], done: Mapping[str, _Outcome], fresh: int
) -> Finished:
    frames, failures, told = {}, [], {}
    for job in jobs:
        outcome = done[keys[job.name]]
        if outcome.failure is not None:
            one = outcome.failure
            failures.append(Failure(job.name, one.error, one.message, one.traceback))
            continue
        content = json.loads(outcome.body)
        frames[job.name] = unpack_frame(content["frame"])
        if content["warnings"]:
            told[job.name] = tuple(content["warnings"])
    _tell(told)
    return Finished(frames, tuple(failures), len(frames) - fresh, told)


def _tell(told: Mapping[str, Sequence[str]]) -> None:
    """Warn of what jobs warned of, each text once."""
    askers: dict[str, list[str]] = {}
    for name, texts in told.items():
        for text in texts:
            askers.setdefault(text, []).append(name)
    for text, names in askers.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        warnings.warn(f"{names[0]}{more}: {text}", stacklevel=4)


@contextmanager
def _bar(
    total: int, done: int, progress: bool | None, description: str
) -> Iterator[Callable[[], None]]:
    """Show how many jobs are done; give what tells of the next."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not (console.is_terminal if progress is None else progress):
        yield lambda: None
        return
    columns = (BarColumn(bar_width=24), MofNCompleteColumn(), TimeElapsedColumn())
    text = TextColumn("{task.description}", markup=False)
    with Progress(*columns, text, console=console, transient=console.is_terminal) as bar:
        task = bar.add_task(description, total=total, completed=done)
        yield lambda: bar.advance(task)
