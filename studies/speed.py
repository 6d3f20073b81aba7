"""Time the package and its alternatives, a part at a time: ``--part NAME``.

The sampler is compared with PyMC's NUTS in nutpie (extra ``samplers``), the reference distributions
with gensim, which loads the whole file, and with numpy's product, and p-values with permutations.
All tasks of a part run in the same call. ``size`` is the number of repeats; each row shows the
fastest.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import arviz as az
import numpy as np
import pandas as pd

import bayesbias as bb

from . import cliff, language_model_speed, sampler_speed, sweep_speed
from .literature.sources import published_table

VERSIONS = ("bayesbias", "numpy", "scipy", "pandas", "gensim", "pymc")

COUNT, DIMS = 200_000, 300  # words and dimensions of the generated embedding


def study(size: int = 3, part: str | None = None) -> pd.DataFrame:
    """Return the processor and clock seconds of each task, or of the tasks of one part."""
    parts = PARTS if part is None else {part: PARTS[part]}
    rows = [{"part": name, **row} for name, tasks in parts.items() for row in tasks(size)]
    rows.append({"part": "versions", "task": ", ".join(f"{n} {version(n)}" for n in VERSIONS)})
    return pd.DataFrame(rows)


def _timed[T](task: Callable[[], T], repeats: int) -> tuple[dict[str, float], T]:
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


def _permutations(repeats: int) -> Iterator[dict[str, object]]:
    """Time the exact p, and numpy's permutations, whose error the last column shows."""
    rng, n = np.random.default_rng(1), 100_000
    for size in (10, 50, 200):
        x, y = rng.normal(0.3 / np.sqrt(size / 10), 1, size), rng.normal(0, 1, size)
        both, task = np.concatenate([x, y]), f"p of {size} and {size} words"
        times, exact = _timed(lambda x=x, y=y: bb.scores.permutation_test(x, y).p_value, repeats)
        yield {"task": task, "by": "bayesbias", **times}

        def permuted(both: np.ndarray = both, size: int = size) -> float:
            sums = np.array([rng.permutation(both)[:size].sum() for _ in range(n)])
            gaps = abs(np.append(sums, both[:size].sum()) - both.sum() / 2)
            return float((gaps[:-1] >= gaps[-1]).mean())

        times, p = _timed(permuted, 1)
        yield {"task": task, "by": f"{n:,} permutations", **times, "error": abs(p / exact - 1)}


def _passes(_: int) -> Iterator[dict[str, object]]:
    """Count how often an analysis opens its file; once is a look at the first bytes."""
    opened: list[str] = []
    sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "vectors.txt")
        bb.load_vectors("glove-demo").save_word2vec_format(str(path))
        before = len(opened)
        times, _ = _timed(lambda: bb.analyze(path, "religion", seed=1, progressbar=False), 1)
        passes = opened[before:].count(str(path)) - 1
    yield {"task": "analyze a text file", "by": "bayesbias", **times, "passes": passes}


def _psi(repeats: int) -> Iterator[dict[str, object]]:
    """Time ψ of five pairs of sets in memory, and numpy's product alone."""
    rng, words = np.random.default_rng(1), [f"w{i}" for i in range(COUNT // 2)]
    vectors = rng.standard_normal((len(words), DIMS), dtype=np.float32)
    directions = rng.standard_normal((DIMS, 5))
    pairs = {f"e{i}": (words[i : i + 9], words[i + 20 : i + 29]) for i in range(5)}
    tasks = {
        "bayesbias": lambda: bb.background.distributions((words, vectors), pairs),
        "float64 product": lambda: vectors.astype(np.float64) @ directions,
        "float32 product": lambda: vectors @ directions.astype(np.float32),
    }
    for label, task in tasks.items():
        times, _ = _timed(task, repeats)
        yield {"task": f"ψ of {len(words):,} words, five pairs", "by": label, **times}


PARTS: dict[str, Callable[[int], Iterator[dict[str, object]]]] = {
    "sampler": _sampler,
    "reference-distributions": _reference_distributions,
    "language-models": language_model_speed.rows,
    "cliff": cliff.rows,
    "sweep": sweep_speed.rows,
    "p": _permutations,
    "passes": _passes,
    "psi": _psi,
    "nuts": sampler_speed.nuts,
    "groups": sampler_speed.groups,
    "missing": sampler_speed.missing,
}
"""Parts by name. Each takes less than two minutes."""
