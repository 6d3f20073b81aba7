"""Time the package and its alternatives, a part at a time: ``--part NAME``.

The sampler is compared with PyMC's NUTS, reading with gensim, the reference distributions and
debiasing with numpy's operations, and p-values with permutations. ``size`` is the number of
repeats; each row shows the fastest, and its ``ratio`` to the first task that it took turns with.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd

import bayesbias as bb
from bayesbias.debias.method import BLOCK
from bayesbias.embeddings.registry import open_embedding
from bayesbias.workflows.reference import read_source
from bayesbias.workflows.settings import Settings

from . import analysis_speed, language_model_speed, sampler_speed, sweep_speed
from ._timing import in_turns

VERSIONS = ("bayesbias", "numpy", "scipy", "pandas", "gensim", "pymc")

COUNT, DIMS = 200_000, 300  # words and dimensions of the generated embedding


def study(size: int = 3, part: str | None = None) -> pd.DataFrame:
    """Return the processor and clock seconds of each task, or of the tasks of one part."""
    parts = PARTS if part is None else {part: PARTS[part]}
    rows = [{"part": name, **row} for name, tasks in parts.items() for row in tasks(size)]
    rows.append({"part": "versions", "task": ", ".join(f"{n} {version(n)}" for n in VERSIONS)})
    return pd.DataFrame(rows)


def _reading(repeats: int) -> Iterator[dict[str, object]]:
    """Time reading a text whole, and what an analysis reads with and without a cached copy."""
    from gensim.models import KeyedVectors

    rng, wordlist = np.random.default_rng(1), bb.load_wordlist("weat1")
    tails = [" ".join(f"{x:.5f}" for x in row) for row in rng.standard_normal((500, DIMS))]
    words = [*wordlist.words, *map("w{}".format, range(COUNT // 40))]
    lines = [f"{word} {tails[place % 500]}" for place, word in enumerate(words)]
    with tempfile.TemporaryDirectory() as folder, patch.dict("os.environ", XDG_CACHE_HOME=folder):
        path = Path(folder, "vectors.txt")
        path.write_text("\n".join([f"{len(words)} {DIMS}", *lines, ""]))
        readers: dict[str, Callable[[], object]] = {
            "bayesbias": lambda: bb.load_vectors(path, progressbar=False),
            "gensim": lambda: KeyedVectors.load_word2vec_format(str(path)),
        }
        for row, _ in in_turns(readers, repeats):
            micro = 1e6 * float(str(row["processor_s"])) / len(words)
            yield {"task": f"read {len(words):,} lines of text", **row, "us_a_line": micro}
        settings = Settings(cache=True, progressbar=False)

        def read() -> object:
            return read_source(path, [wordlist], settings).read(wordlist)

        for row, _ in in_turns({"first": read, "again": read}):
            yield {"task": "words and pool of an analysis with --cache", **row}


def _debias(repeats: int) -> Iterator[dict[str, object]]:
    """Time hard debiasing, and its floor: two scalings and a projection in numpy."""
    demo, rng = bb.load_vectors("glove-demo"), np.random.default_rng(1)
    words = [*demo.index_to_key, *map("w{}".format, range(COUNT // 2 - len(demo)))]
    vectors = rng.standard_normal((len(words), DIMS), dtype=np.float32)
    vectors[: len(demo), : demo.vector_size] += demo.vectors
    direction, held = np.eye(DIMS)[:1], open_embedding((words, vectors)).loaded

    def floor() -> np.ndarray:
        out = np.empty_like(vectors)
        for start in range(0, len(vectors), BLOCK):
            rows = vectors[start : start + BLOCK].astype(np.float64)
            rows /= np.linalg.norm(rows, axis=1)[:, None]
            rows -= (rows @ direction.T) @ direction
            out[start : start + BLOCK] = rows / np.linalg.norm(rows, axis=1)[:, None]
        return out

    tasks: dict[str, Callable[[], object]] = {"floor": floor}
    for row, _ in in_turns({**tasks, "bayesbias": lambda: bb.debias.hard(held)}, repeats):
        yield {"task": f"hard debiasing of {len(words):,} vectors", **row}


def _permutations(repeats: int) -> Iterator[dict[str, object]]:
    """Time the exact p, and numpy's permutations, whose error the last column shows."""
    rng, n = np.random.default_rng(1), 100_000
    for size in (10, 50, 200):
        x, y = rng.normal(0.3 / np.sqrt(size / 10), 1, size), rng.normal(0, 1, size)
        both = np.concatenate([x, y])

        def exact(x: np.ndarray = x, y: np.ndarray = y) -> float:
            return bb.scores.permutation_test(x, y).p_value

        def permuted(both: np.ndarray = both, size: int = size) -> float:
            sums = np.array([rng.permutation(both)[:size].sum() for _ in range(n)])
            gaps = abs(np.append(sums, both[:size].sum()) - both.sum() / 2)
            return float((gaps[:-1] >= gaps[-1]).mean())

        tasks = {"bayesbias": exact, f"{n:,} permutations": permuted}
        for row, p in in_turns(tasks, repeats):
            yield {"task": f"p of {size} and {size} words", **row, "error": abs(p / exact() - 1)}


def _passes(_: int) -> Iterator[dict[str, object]]:
    """Count how often an analysis opens its file; once is a look at the first bytes."""
    opened: list[str] = []
    sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "vectors.txt")
        bb.load_vectors("glove-demo").save_word2vec_format(str(path))
        before = len(opened)
        bb.analyze(path, "religion", seed=1, progressbar=False)
        passes = opened[before:].count(str(path)) - 1
    yield {"task": "analyze a text file", "by": "bayesbias", "passes": passes}


def _psi(repeats: int) -> Iterator[dict[str, object]]:
    """Time ψ of five pairs of sets in a memory-mapped folder, and numpy's product alone."""
    rng, words = np.random.default_rng(1), [f"w{i}" for i in range(COUNT // 2)]
    directions = rng.standard_normal((DIMS, 5))
    pairs = {f"e{i}": (words[i : i + 9], words[i + 20 : i + 29]) for i in range(5)}
    with tempfile.TemporaryDirectory() as folder:
        vectors = rng.standard_normal((len(words), DIMS), dtype=np.float32)
        bb.convert_vectors((words, vectors), Path(folder, "f"), progressbar=False)
        vectors = np.load(Path(folder, "f", "vectors.npy"), mmap_mode="r")
        tasks: dict[str, Callable[[], object]] = {
            "float64 product": lambda: vectors.astype(np.float64) @ directions,
            "float32 product": lambda: vectors @ directions.astype(np.float32),
            "bayesbias": lambda: bb.background.distributions(Path(folder, "f"), pairs),
        }
        for row, _ in in_turns(tasks, repeats):
            yield {"task": f"ψ of {len(words):,} words, five pairs", **row}


PARTS: dict[str, Callable[[int], Iterator[dict[str, object]]]] = {
    "reading": _reading,
    "analysis": analysis_speed.rows,
    "debias": _debias,
    "language-models": language_model_speed.rows,
    "cliff": sampler_speed.cliff,
    "sweep": sweep_speed.rows,
    "p": _permutations,
    "passes": _passes,
    "psi": _psi,
    "nuts": sampler_speed.nuts,
    "groups": sampler_speed.groups,
    "missing": sampler_speed.missing,
}
"""Parts by name. Each takes less than two minutes."""
