"""Many jobs, each of which returns a frame: run side by side, kept, and not done twice.

What a job returns goes through the same JSON, whether it was computed now or read from the cache
(`store`), so that a resumed run and an undisturbed one return the same frames. The parent process
writes the cache: workers of a Dask cluster may be on other machines.
"""

from __future__ import annotations

import signal
import threading
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from .blas import one_thread
from .progress import progress_bar
from .store import pack_frame, read_results, result_key, unpack_frame, write_result

_ALONE = threading.Lock()
"""A process runs one job at a time: warnings and threads of linear algebra are the process's."""


@dataclass(frozen=True)
class Job:
    """Something to compute, and what decides its result.

    No two jobs of a run share a name. With the package's version the settings, in texts, numbers,
    lists and mappings, make the key under which the result is kept: what is not in them, a later
    run does not notice. ``run`` must be picklable: a `functools.partial` of a module's function.
    """

    name: str
    settings: Mapping[str, Any]
    run: Callable[[], pd.DataFrame]

    @cached_property
    def key(self) -> str:
        """Hash of the settings and of the package's version."""
        return result_key(self.settings)


@dataclass(frozen=True)
class Failure:
    """A job without a frame: its name, the error's type and message, and where it happened."""

    name: str
    error: str
    message: str
    traceback: str = field(default="", repr=False)


@dataclass(frozen=True)
class Finished:
    """What has come of jobs: frames by name and failures, both in the order of the jobs.

    ``reused`` counts results that were there already, or were computed for a job of equal settings.
    """

    frames: dict[str, pd.DataFrame]
    failures: tuple[Failure, ...]
    reused: int


type _Outcome = dict[str, Any] | Failure
"""What a worker sends back: the packed frame and the warnings, or what went wrong."""

type _Keyed = tuple[str, _Outcome]


def run_jobs(
    jobs: Iterable[Job],
    *,
    folder: Path | None = None,
    n_jobs: int = 1,
    progress: bool | None = None,
    description: str = "",
    category: type[Warning] = UserWarning,
) -> Finished:
    """Run jobs side by side; one that fails does not stop the others.

    Each result is kept in ``results/`` in a folder as soon as it is there, whole or not at all, and
    is not computed again by a later run. Jobs of equal settings are computed once. The frames are
    the same whatever `n_jobs`: every job has one thread of linear algebra.

    They run in ``n_jobs`` processes: -1 for one a core, 1 for this process alone. Within
    ``joblib.parallel_config(backend="dask")`` the cluster's workers take them instead. The folder
    is made; None keeps nothing. The bar on stderr, labeled by ``description``, is shown on
    a terminal only if ``progress`` is None. Warnings of jobs, now or when their results were kept,
    are repeated in a category: each text once, with the number of jobs.

    A ValueError is raised if two jobs have one name, settings cannot make a key, or `n_jobs` is 0,
    and an OSError if a result cannot be written. One that is damaged is computed again, with a
    warning. After Ctrl-C or SIGTERM, which end the workers too, results that were there are kept.
    """
    jobs = list(jobs)
    counts = Counter(job.name for job in jobs)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise ValueError(f"two jobs are called {twice[0]!r}; each needs a name of its own")
    if n_jobs == 0:
        raise ValueError("n_jobs is a number of processes from 1 on, or -1 for one a core; got 0")
    by_key: dict[str, Job] = {}
    for job in jobs:
        by_key.setdefault(job.key, job)
    outcomes: dict[str, _Outcome] = {}
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        outcomes |= read_results(folder, by_key)
    todo = {key: job for key, job in by_key.items() if key not in outcomes}
    with (
        progress_bar(description, len(by_key), done=len(outcomes), shown=progress) as update,
        _sigterm_raises(),
        closing(_run_all(todo, n_jobs)) as coming,
    ):
        for key, outcome in coming:
            outcomes[key] = outcome
            if folder is not None and not isinstance(outcome, Failure):
                write_result(folder, key, {**outcome, "settings": todo[key].settings})
            update(len(outcomes))
    fresh = sum(not isinstance(outcomes[key], Failure) for key in todo)
    return _finished(jobs, outcomes, fresh, category)


def _finished(
    jobs: Sequence[Job], outcomes: Mapping[str, _Outcome], fresh: int, category: type[Warning]
) -> Finished:
    frames, failures = {}, []
    notices: dict[str, list[str]] = {}
    for job in jobs:
        outcome = outcomes[job.key]
        if isinstance(outcome, Failure):
            failures.append(replace(outcome, name=job.name))
            continue
        frames[job.name], texts = unpack_frame(outcome)
        for text in texts:
            notices.setdefault(text, []).append(job.name)
    for text, names in notices.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        warnings.warn(f"{names[0]}{more}: {text}", category, stacklevel=3)
    return Finished(frames, tuple(failures), len(frames) - fresh)


@contextmanager
def _sigterm_raises() -> Iterator[None]:
    """Let SIGTERM raise a SystemExit, on whose way out joblib ends the workers."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def _run_all(jobs: Mapping[str, Job], n_jobs: int) -> Generator[_Keyed]:
    """Run jobs together; where a worker dies, those without an outcome again, one at a time.

    A dead worker does not tell which job was to blame. A job that kills its worker alone failed.
    """
    remaining = dict(jobs)
    for key, outcome in _run(jobs, n_jobs):
        del remaining[key]
        yield key, outcome
    if remaining:
        text = f"a worker died; {len(remaining)} job(s) run again, one at a time"
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    for key, job in remaining.items():
        message = "its worker died: killed, crashed or out of memory"
        outcomes = dict(_run({key: job}, n_jobs))
        yield key, outcomes.get(key, Failure(job.name, "BrokenExecutor", message))


def _run(jobs: Mapping[str, Job], n_jobs: int) -> Iterator[_Keyed]:
    """Run jobs by joblib's backend, until a worker dies and takes the others with it."""
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    tasks = [delayed(_outcome)(key, job.name, job.run) for key, job in jobs.items()]
    with suppress(BrokenExecutor), closing(parallel(tasks)) as outcomes:
        yield from outcomes


def _outcome(key: str, name: str, run: Callable[[], pd.DataFrame]) -> _Keyed:
    """Run one job, in a worker; everything that it warns of comes back as plain text."""
    with _ALONE, one_thread(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            packed = pack_frame(run())
        except Exception as error:  # noqa: BLE001 - a job is anyone's code; its failure is a result
            return key, Failure(name, type(error).__name__, str(error), traceback.format_exc())
    # Those that are meant for developers are left out.
    kinds = UserWarning | RuntimeWarning
    texts = [str(warning.message) for warning in caught if issubclass(warning.category, kinds)]
    return key, {**packed, "warnings": list(dict.fromkeys(texts))}
