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
from .warnings import BayesbiasWarning, DamagedResults, as_ours, from_dict, to_dict, warn

RESULTS = "results"
"""Name of the results folder in an output folder."""

_ALONE = threading.Lock()
"""Lock that lets one job run at a time, since the jobs of a process share warnings and threads."""


@dataclass(frozen=True)
class Job:
    """A computation, and the settings that determine its result.

    The result is saved under a key made from the settings and the package's version. ``run`` must
    be picklable; for example, use a `functools.partial` of a module-level function.
    """

    name: str
    settings: Mapping[str, Any]
    run: Callable[[], pd.DataFrame]

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
    """Frames and warnings by job name, failed jobs, and how many saved results were reused."""

    frames: dict[str, pd.DataFrame]
    warnings: dict[str, tuple[BayesbiasWarning, ...]]
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
) -> Finished:
    """Run jobs in parallel; a job that fails does not stop the others.

    If a folder is given, results are saved in its ``results/`` as soon as they are ready, and later
    runs read them. Jobs with equal settings are computed once. The frames do not depend on
    `n_jobs`, because every job uses one thread for linear algebra.

    Jobs run in ``n_jobs`` processes: -1 means one per core, and 1 means this process only. Within
    ``joblib.parallel_config(backend="dask")``, a Dask cluster runs the jobs instead. Each distinct
    warning is issued once, with the name of one job and the number of others.

    A damaged result is computed again, with a warning. If this process ends, its workers end, too;
    finished results are kept. If a worker dies, the jobs without a result fail; run them again.
    """
    jobs = list(jobs)
    if twice := [n for n, count in Counter(job.name for job in jobs).items() if count > 1]:
        raise ValueError(f"more than one job is called {twice[0]!r}; give each a unique name")
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
                    suppress(BlockingIOError),  # another run is saving the same result
                    replace_file(folder / RESULTS / f"{key}.json") as temporary,
                ):
                    temporary.write_text(content, encoding="utf-8")
            update(len(outcomes))
    ended = {job.name: outcomes[job.key] for job in jobs}
    done = {name: unpack_frame(part) for name, part in ended.items() if "error" not in part}
    notices: dict[BayesbiasWarning, list[str]] = defaultdict(list)
    for name, (_, found) in done.items():
        for notice in found:
            notices[notice].append(name)
    for notice, (first, *others) in notices.items():
        more = f" and {len(others)} more" if others else ""
        warn(notice.concerning(f"{first}{more}"))
    fresh = sum("error" not in outcomes[key] for key in todo)
    return Finished(
        {name: frame for name, (frame, _) in done.items()},
        {name: found for name, (_, found) in done.items()},
        tuple(Failure(name, **part) for name, part in ended.items() if name not in done),
        len(done) - fresh,
    )


def result_key(settings: object) -> str:
    """Return the SHA-256 of a result's settings (text and numbers) and the package's version."""
    content = {"settings": settings, "version": __version__}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def read_results(folder: Path, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the saved results by key; warn about damaged ones and leave them out."""
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
        warn(DamagedResults(damaged, str(folder / RESULTS)))
    return results


def pack_frame(frame: pd.DataFrame, found: Iterable[BayesbiasWarning] = ()) -> dict[str, Any]:
    """Convert a frame and warnings to JSON types; `unpack_frame` converts them back."""
    content = {
        "columns": {name: column.tolist() for name, column in frame.items()},
        "dtypes": {name: str(column.dtype) for name, column in frame.items()},
        "attrs": frame.attrs,
        "warnings": [to_dict(notice) for notice in found],
    }
    packed: dict[str, Any] = json.loads(json.dumps(content))
    return packed


def unpack_frame(
    packed: Mapping[str, Any],
) -> tuple[pd.DataFrame, tuple[BayesbiasWarning, ...]]:
    """Return the frame and the warnings that `pack_frame` packed."""
    dtypes = packed["dtypes"]
    columns = {n: pd.Series(values, dtype=dtypes[n]) for n, values in packed["columns"].items()}
    frame = pd.DataFrame(columns)
    frame.attrs = dict(packed["attrs"])
    return frame, tuple(map(from_dict, packed["warnings"]))


def _run_all(jobs: Mapping[str, Job], n_jobs: int) -> Generator[tuple[str, _Outcome]]:
    """Run jobs in parallel; if a worker dies, jobs without a result fail."""
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
    text = "a worker died (killed, crashed, or out of memory) before this job ended; run it again"
    for key in remaining:
        yield key, {"error": "BrokenExecutor", "message": text}


@cache
def _end_with(parent: int) -> None:
    """End a worker process within a second of its parent, even if the parent is killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if os.getppid() == parent:
        threading.Thread(target=watch, daemon=True).start()


def _outcome(key: str, run: Callable[[], pd.DataFrame], parent: int) -> tuple[str, _Outcome]:
    """Run one job in a worker; return its user and runtime warnings."""
    _end_with(parent)
    with _ALONE, one_thread(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            frame = run()
            kinds = UserWarning | RuntimeWarning
            found = [as_ours(one.message) for one in caught if issubclass(one.category, kinds)]
            return key, pack_frame(frame, dict.fromkeys(found))
        except Exception as error:  # noqa: BLE001 - a job can fail in any way
            return key, {"error": type(error).__name__, "message": str(error)}
