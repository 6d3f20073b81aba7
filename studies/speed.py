"""Time the exact sampler and reference distributions, and their alternatives.

The sampler is compared with PyMC's NUTS in nutpie (extra ``samplers``), and the reference
distributions with gensim, which loads the whole file. All tasks run in the same call. ``size`` is
the number of repeats; each row shows the fastest.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import arviz as az
import numpy as np
import pandas as pd

import bayesbias as bb

from . import cliff, language_model_speed
from .literature.sources import published_table

COUNT, DIMS = 200_000, 300  # words and dimensions of the generated embedding


def study(size: int = 3, part: str | None = None) -> pd.DataFrame:
    """Return the processor and clock seconds of each task, or of the tasks of one part."""
    parts = PARTS if part is None else {part: PARTS[part]}
    return pd.DataFrame([row for tasks in parts.values() for row in tasks(size)])


def _timed(task: Callable[[], object], repeats: int) -> tuple[dict[str, float], object]:
    """Return the shortest processor and clock times of a task, in seconds, and its last result."""
    seconds, result = [], None
    for _ in range(repeats):
        start = time.process_time(), time.perf_counter()
        result = task()
        seconds.append((time.process_time() - start[0], time.perf_counter() - start[1]))
    processor, clock = np.min(seconds, axis=0)
    return {"processor_s": processor, "clock_s": clock}, result


def _sampler(repeats: int) -> Iterator[dict[str, object]]:
    for name in ("religion_reddit", "weat1_reddit"):
        table = published_table(name)
        for model in ("paper", "crossed", "maximal"):
            methods = {"exact": {"method": "exact"}}
            if find_spec("nutpie") and model != "maximal":
                methods["NUTS by nutpie"] = {"method": "nutpie", "tune": 1000}
            for label, options in methods.items():
                times, post = _timed(
                    lambda model=model, options=options, table=table: bb.fit(
                        table, model, seed=1, progressbar=False, **options
                    ),
                    repeats if label == "exact" else 1,
                )
                ess = float(az.ess(post["posterior"]["connection_mean"]).min())
                yield {"task": f"fit {name}, {model}", "by": label, **times, "ess": ess}


def _reference_distributions(repeats: int) -> Iterator[dict[str, object]]:
    from gensim.models import KeyedVectors

    rng = np.random.default_rng(1)
    words = [f"w{i}" for i in range(COUNT)]
    pairs = {
        f"e{i}": tuple(list(rng.choice(words[:10_000], 20, replace=False)) for _ in range(2))
        for i in range(10)
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "vectors.bin")
        vectors = KeyedVectors(DIMS)
        vectors.add_vectors(words, rng.standard_normal((COUNT, DIMS), dtype=np.float32))
        vectors.save_word2vec_format(str(path), binary=True)
        del vectors
        tasks = {
            "plain read": path.read_bytes,
            "bayesbias": lambda: bb.background.distributions(path, pairs, progressbar=False),
            "gensim": lambda: KeyedVectors.load_word2vec_format(str(path), binary=True),
        }
        for label, task in tasks.items():
            times, _ = _timed(task, repeats)
            yield {"task": f"ten distributions of {COUNT:,} words", "by": label, **times}


PARTS: dict[str, Callable[[int], Iterator[dict[str, object]]]] = {
    "sampler": _sampler,
    "reference-distributions": _reference_distributions,
    "language-models": language_model_speed.rows,
    "cliff": cliff.rows,
}
"""Parts by name. Each takes less than two minutes."""
