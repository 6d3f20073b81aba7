"""How fast, and in how much memory, 1,000 words are read from a word2vec binary file.

The rival is gensim's ``KeyedVectors.load_word2vec_format``, which reads the whole file. Each
reading runs in a fresh process that has done its imports already; the file is in the page cache
for both. Times are the median of ``REPEATS`` runs, memory is their highest peak above what the
process held before.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

DIMS = 300
WORDS_READ = 1_000
REPEATS = 3
SIZES = {"300,000 × 300": 300_000, "600 MB": 500_000}
"""Entries of each file; one takes 1,200 bytes of numbers and some ten of word."""

GOAL_RATIO = 10
GOAL_PEAK_MB = 150

READERS = {
    "bayesbias": """
from bayesbias import load_vectors
def read(path, words): return load_vectors(path, words, progressbar=False)
""",
    "gensim": """
def read(path, words): return KeyedVectors.load_word2vec_format(path, binary=True)
""",
}

MEASURE = """
import json, sys, time
from gensim.models import KeyedVectors
{reader}
def status(field):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))
path, words = sys.argv[1], json.loads(sys.argv[2])
before, start = status("VmRSS"), time.perf_counter()
vectors = read(path, words)
seconds = time.perf_counter() - start
assert all(word in vectors for word in words)
print(json.dumps([seconds, status("VmHWM") - before]))
"""


def write_file(path: Path, count: int) -> list[str]:
    """Write random vectors as gensim would, and give some words from all over the file."""
    rng = np.random.default_rng(1)
    with path.open("wb") as file:
        file.write(f"{count} {DIMS}\n".encode())
        for start in range(0, count, 10_000):
            rows = rng.standard_normal((10_000, DIMS), dtype=np.float32)
            file.writelines(
                f"{_word(start + i)} ".encode() + row.tobytes() for i, row in enumerate(rows)
            )
    return [_word(row) for row in range(0, count, count // WORDS_READ)]


def _word(row: int) -> str:
    return f"w{row}{'x' * (row % 7)}"


def measure(reader: str, path: Path, words: list[str]) -> tuple[float, float]:
    """Seconds and megabytes of reading a file in a fresh process."""
    code = MEASURE.format(reader=READERS[reader])
    command = [sys.executable, "-c", code, str(path), json.dumps(words)]
    runs = []
    for _ in range(REPEATS):
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        runs.append(json.loads(run.stdout))
    seconds, megabytes = zip(*runs, strict=True)
    return statistics.median(seconds), max(megabytes)


def main() -> str:
    """Run the benchmark and give its table in Markdown."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for title, count in SIZES.items():
            path = Path(folder) / "vectors.bin"
            words = write_file(path, count)
            size = path.stat().st_size / 1e6
            (ours, our_peak), (theirs, their_peak) = (measure(r, path, words) for r in READERS)
            rows.append(
                f"| {title} ({size:.0f} MB) | {ours:.2f} s | {theirs:.2f} s | {theirs / ours:.1f} "
                f"| {our_peak:.0f} MB | {their_peak:.0f} MB |"
            )
    return "\n".join(
        [
            f"### Reading {WORDS_READ:,} words from a word2vec binary file",
            "",
            "| file | bayesbias | gensim | ratio | peak memory, bayesbias | peak memory, gensim |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
            f"Goals: a ratio of {GOAL_RATIO} or more, and less than {GOAL_PEAK_MB} MB above the "
            f"interpreter's. Median of {REPEATS} fresh processes, imports and page cache warm.",
        ]
    )


if __name__ == "__main__":
    print(main())
