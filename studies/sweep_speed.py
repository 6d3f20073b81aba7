"""Time the parts of a sweep that are not fits: measuring, reused results, workers, and threads."""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import joblib
import numpy as np
import pandas as pd

import bayesbias as bb
from bayesbias._core.jobs import Job, run_jobs
from bayesbias.workflows.settings import Settings
from bayesbias.workflows.sweep import run_sweep
from bayesbias.workflows.sweep_cells import JOINT, cell_job, joint_jobs, parts_of
from bayesbias.workflows.sweep_spec import Embedding, SweepConfig

from ._timing import in_turns

EMBEDDINGS, LISTS, MODELS = 20, 50, ("paper", "crossed")
NAPS, THREADS = 16, 8


def rows(repeats: int) -> Iterator[dict[str, object]]:
    """Yield the seconds of each task; most run once, because they repeat their parts."""
    with tempfile.TemporaryDirectory() as folder:
        config = sweep_config(Path(folder))
        yield from _reused(config, Path(folder, "sweep"))
        yield from _processes(config, repeats)
    naps = [Job(str(i), {"nap": i}, partial(nap, 1.0)) for i in range(NAPS)]
    with joblib.parallel_config(backend="threading"):
        start = time.perf_counter()
        run_jobs(naps, n_jobs=THREADS)
    took = time.perf_counter() - start
    yield {"task": f"{NAPS} jobs that sleep for 1 s", "by": f"{THREADS} threads", "clock_s": took}


def sweep_config(folder: Path) -> SweepConfig:
    """Return a sweep of noisy copies of the bundled vectors, and of parts of a list."""
    rng, vectors, embeddings = np.random.default_rng(1), bb.load_vectors("glove-demo"), []
    numbers = vectors.vectors
    for name in (f"noise {i}" for i in range(EMBEDDINGS)):
        vectors.vectors = numbers + rng.normal(0, 0.05, numbers.shape).astype(np.float32)
        path = folder / f"{name}.npz"
        bb.save_vectors(vectors, path)
        embeddings.append(Embedding(name, str(path)))
    whole = bb.load_wordlist("religion")
    stereotypes = {
        i: {group: list(rng.permutation(words)[:8]) for group, words in whole.stereotypes.items()}
        for i in range(LISTS)
    }
    lists = tuple(
        bb.load_wordlist({"name": f"part {i}", "groups": whole.groups, "stereotypes": sets})
        for i, sets in stereotypes.items()
    )
    models = tuple(map(bb.load_model, MODELS))
    return SweepConfig(tuple(embeddings), lists, models, draws=250)


def _reused(config: SweepConfig, folder: Path) -> Iterator[dict[str, object]]:
    """Time a sweep whose results exist: those of one cell of each model, under all keys."""
    start, parts = time.process_time(), {}
    for one in config.embeddings:
        settings = Settings(vectors=one.source, progressbar=False)
        found, _ = parts_of(config.lists, settings)
        parts |= {(one.name, name): part for name, part in found.items()}
    cells = product(parts.items(), config.models)
    jobs = [cell_job((*key, spec.name), part, spec, config) for (key, part), spec in cells]
    jobs += joint_jobs(parts, config)
    few = replace(config, embeddings=config.embeddings[:5])
    names = [one.name for one in few.embeddings]
    jobs += joint_jobs({key: part for key, part in parts.items() if key[0] in names}, few)
    took = time.process_time() - start
    yield {"task": "read, match, and hash a table in the parent", "processor_s": took / len(parts)}
    run_sweep(replace(config, embeddings=config.embeddings[:2], lists=config.lists[:1]), folder)
    places = [folder / "results" / f"{job.key}.json" for job in jobs]
    (other,) = {*(folder / "results").iterdir()} - {*places}
    known = {JOINT: other.read_bytes()}
    for job, place in zip(jobs, places, strict=True):
        kind = job.name.rpartition(" / ")[2]
        if kind not in known:  # the first cell of each model was fitted
            known[kind] = place.read_bytes()
        place.write_bytes(known[kind])
    del jobs, parts
    before = _peak_mb()
    for one in (few, config):
        start = time.process_time()
        done = run_sweep(one, folder, progress=False)
        took, more = time.process_time() - start, _peak_mb() - before
        task = f"a sweep of {len(done.cells):,} cells and a joint model"
        yield {
            "task": f"{task}, {done.reused:,} of them reused",
            "processor_s": took,
            "more_mb": more,
        }
    start, size = time.process_time(), done.summary.size + done.contrasts.size
    took, more = time.process_time() - start, _peak_mb() - before
    yield {"task": f"{size:,} values of its frames", "processor_s": took, "more_mb": more}


def _processes(config: SweepConfig, repeats: int) -> Iterator[dict[str, object]]:
    """Time cells in one and two processes, which are started before."""
    some = replace(config, embeddings=config.embeddings[:1], lists=config.lists[:30])
    tasks = {
        f"{n} process{'es' * (n > 1)}": partial(run_sweep, some, n_jobs=n, progress=False)
        for n in (1, 2)
    }
    tasks["2 processes"]()  # the first time, processes start
    for row, _ in in_turns(tasks, repeats):
        task = f"a sweep of {some.n_cells} cells"
        yield {"task": task, "by": row["by"], "clock_s": row["clock_s"]}


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def nap(seconds: float) -> pd.DataFrame:
    """Sleep."""
    time.sleep(seconds)
    return pd.DataFrame({"slept": [seconds]})
