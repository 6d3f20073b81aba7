"""Many jobs that return a frame each: run side by side, kept, and not done twice.

Every frame goes through JSON, computed now or read from the folder of results, so a resumed
run and an undisturbed one return the same ones. The parent process writes the results, because
workers of a Dask cluster may be on other machines.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from .. import __version__
from .arrays import one_thread
from .display import progress_bar
from .files import replace_file
from .reading import read_json
from .resources import warn

RESULTS = "results"
"""Name of the folder of results in a folder of output."""

_ALONE = threading.Lock()
"""A process runs one job at a time: warnings and threads of linear algebra are the process's."""


@dataclass(frozen=True)
class Job:
    """Something to compute, and the settings that decide its result.

    The settings and the package's version make the key under which the result is kept. ``run`` must
    be picklable: a `functools.partial` of a module's function.
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
    """A job without a frame: its name, and the error's type and message."""

    name: str
    error: str
    message: str


@dataclass(frozen=True)
class Finished:
    """Frames by name, failures, and how many results were kept before or are of equal settings."""

    frames: dict[str, pd.DataFrame]
    failures: tuple[Failure, ...]
    reused: int


type _Outcome = dict[str, Any]
"""A packed frame, or the ``error`` and its ``message``."""


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

    Each result is kept in ``results/`` of the folder as soon as it is there, and a later run reads
    it. Jobs of equal settings are computed once. The frames are the same whatever `n_jobs`: every
    job has one thread of linear algebra.

    Jobs run in ``n_jobs`` processes: -1 for one per core, 1 for this process alone. Within
    ``joblib.parallel_config(backend="dask")`` the cluster's workers take them instead. Warnings of
    jobs, new or kept, are repeated in a category: each text once, with the number of jobs.

    A damaged result is computed again, with a warning. Workers end with this process, and results
    that were there are kept. Where a worker dies, the jobs without a result fail; run them again.
    """
    jobs = list(jobs)
    if twice := [n for n, count in Counter(job.name for job in jobs).items() if count > 1]:
        raise ValueError(f"two jobs are called {twice[0]!r}; each needs a name of its own")
    outcomes: dict[str, _Outcome] = {}
    if folder is not None:
        (folder / RESULTS).mkdir(parents=True, exist_ok=True)
        outcomes |= read_results(folder, {job.key: job for job in jobs})
    todo = {job.key: job for job in jobs if job.key not in outcomes}
    total = len(todo) + len(outcomes)
    with (
        progress_bar(description, total, done=len(outcomes), shown=progress) as update,
        closing(_run_all(todo, n_jobs)) as coming,
    ):
        for key, outcome in coming:
            outcomes[key] = outcome
            if folder is not None and "error" not in outcome:
                content = json.dumps({**outcome, "settings": todo[key].settings})
                with (
                    suppress(BlockingIOError),  # another run keeps the same result
                    replace_file(folder / RESULTS / f"{key}.json") as temporary,
                ):
                    temporary.write_text(content, encoding="utf-8")
            update(len(outcomes))
    ended = {job.name: outcomes[job.key] for job in jobs}
    done = {name: unpack_frame(part) for name, part in ended.items() if "error" not in part}
    notices: dict[str, list[str]] = defaultdict(list)
    for name, (_, texts) in done.items():
        for text in texts:
            notices[text].append(name)
    for text, (first, *others) in notices.items():
        more = f" and {len(others)} more" if others else ""
        warn(f"{first}{more}: {text}", category)
    fresh = sum("error" not in outcomes[key] for key in todo)
    return Finished(
        {name: frame for name, (frame, _) in done.items()},
        tuple(Failure(name, **part) for name, part in ended.items() if name not in done),
        len(done) - fresh,
    )


def result_key(settings: object) -> str:
    """Return the SHA-256 of what decides a result, in texts and numbers, and of the version."""
    content = {"settings": settings, "version": __version__}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def read_results(folder: Path, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the results that are there, by key; warn of damaged ones, and leave them out."""
    results, damaged = {}, 0
    for key in keys:
        try:
            result = read_json(folder / RESULTS / f"{key}.json")
            unpack_frame(result)
            results[key] = result
        except FileNotFoundError:
            pass
        except (ValueError, TypeError, LookupError, AttributeError):
            damaged += 1
    if damaged:
        warn(f"{damaged} result(s) in {folder / RESULTS} are damaged; they are computed again")
    return results


def pack_frame(frame: pd.DataFrame, texts: Iterable[str] = ()) -> dict[str, Any]:
    """Return a frame and warnings as plain lists and texts, which `unpack_frame` reads."""
    content = {
        "columns": {name: column.tolist() for name, column in frame.items()},
        "dtypes": {name: str(column.dtype) for name, column in frame.items()},
        "attrs": frame.attrs,
        "warnings": list(texts),
    }
    packed: dict[str, Any] = json.loads(json.dumps(content))
    return packed


def unpack_frame(packed: Mapping[str, Any]) -> tuple[pd.DataFrame, list[str]]:
    """Return the frame and the warnings that `pack_frame` packed."""
    dtypes = packed["dtypes"]
    columns = {n: pd.Series(values, dtype=dtypes[n]) for n, values in packed["columns"].items()}
    frame = pd.DataFrame(columns)
    frame.attrs = dict(packed["attrs"])
    return frame, [str(text) for text in packed["warnings"]]


def _run_all(jobs: Mapping[str, Job], n_jobs: int) -> Generator[tuple[str, _Outcome]]:
    """Run jobs together; where a worker dies, those without an outcome fail."""
    from joblib import Parallel, delayed

    parallel = Parallel(
        n_jobs=min(n_jobs, max(len(jobs), 1)), return_as="generator_unordered", batch_size=1
    )
    remaining = set(jobs)
    tasks = [delayed(_outcome)(key, job.run, os.getpid()) for key, job in jobs.items()]
    with suppress(BrokenExecutor), closing(parallel(tasks)) as outcomes:
        for key, outcome in outcomes:
            remaining.remove(key)
            yield key, outcome
    text = "a worker died (killed, crashed or out of memory) before this job ended; run it again"
    for key in remaining:
        yield key, {"error": "BrokenExecutor", "message": text}


@cache
def _end_with(parent: int) -> None:
    """Let a worker process end within a second of its parent, also where that is killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if os.getppid() == parent:
        threading.Thread(target=watch, daemon=True).start()


def _outcome(key: str, run: Callable[[], pd.DataFrame], parent: int) -> tuple[str, _Outcome]:
    """Run one job, in a worker; warnings come back as plain text, but for developers' ones."""
    _end_with(parent)
    with _ALONE, one_thread(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            frame = run()
            kinds = UserWarning | RuntimeWarning
            texts = [str(one.message) for one in caught if issubclass(one.category, kinds)]
            return key, pack_frame(frame, dict.fromkeys(texts))
        except Exception as error:  # noqa: BLE001 - a job is anyone's code; its failure is a result
            return key, {"error": type(error).__name__, "message": str(error)}
