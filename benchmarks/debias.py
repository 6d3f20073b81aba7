"""How fast, and in how much memory, a whole embedding file is hard-debiased.

The file has as many words and dimensions as GloVe 6B's smallest, 400,000 of 50, among them the
words of the list for gender; its numbers are random, which changes nothing about the speed. The
rival is Bolukbasi et al.'s algorithm in plain numpy on KeyedVectors that gensim reads and writes.
Each runs in a fresh process that has done its imports already; the file is in the page cache for
both. Times are the processor's, so that a busy machine does not change them, in the median of
``REPEATS`` runs; memory is their highest peak, with all that Python and the imports take and
without.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from bayesbias.debias import load_defining_sets

WORDS, DIMS = 400_000, 50
REPEATS = 3
GOAL_SECONDS, GOAL_PEAK_MB = 10, 300

RUNNERS = {
    "bayesbias": """
import bayesbias
from bayesbias.debias import debias_file
def run(source, out): debias_file(source, out, "hard", "gender", progressbar=False)
""",
    "gensim and numpy": """
import numpy as np
from gensim.models import KeyedVectors
from bayesbias.debias import load_defining_sets
def run(source, out):
    sets = load_defining_sets("gender")
    binary = source.endswith(".bin")
    vectors = KeyedVectors.load_word2vec_format(source, binary=binary)
    rows = vectors.vectors / np.linalg.norm(vectors.vectors, axis=1, keepdims=True)
    at = vectors.key_to_index
    pairs = [(at[a], at[b]) for a, b in sets.defining if a in at and b in at]
    halves = np.array([(rows[a] - rows[b]) / 2 for a, b in pairs])
    g = np.linalg.svd(halves, full_matrices=False)[2][0]
    new = rows - np.outer(rows @ g, g)
    new /= np.linalg.norm(new, axis=1, keepdims=True)
    kept = [at[word] for word in sets.kept if word in at]
    new[kept] = rows[kept]
    for a, b in ((at[a], at[b]) for a, b in sets.equalise if a in at and b in at):
        y = (rows[a] + rows[b]) / 2
        y -= (y @ g) * g
        z = np.sqrt(1 - y @ y) * np.sign((rows[a] - rows[b]) @ g)
        new[a], new[b] = y + z * g, y - z * g
    vectors.vectors = new
    vectors.save_word2vec_format(out, binary=binary)
""",
}

MEASURE = """
import sys, time, json
{runner}
def status(field):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))
before, start = status("VmRSS"), time.process_time()
run(*sys.argv[1:])
seconds = time.process_time() - start
print(json.dumps([seconds, status("VmHWM"), status("VmHWM") - before]))
"""


def write_files(folder: Path) -> dict[str, Path]:
    """Write the same random embedding in word2vec's binary and text formats."""
    kept = sorted(load_defining_sets("gender").kept)
    words = [*kept, *(f"w{at}{'x' * (at % 7)}" for at in range(WORDS - len(kept)))]
    rows = np.random.default_rng(1).standard_normal((WORDS, DIMS), dtype=np.float32)
    paths = {"binary": folder / "vectors.bin", "text": folder / "vectors.txt"}
    with paths["binary"].open("wb") as file:
        file.write(f"{WORDS} {DIMS}\n".encode())
        file.writelines(
            word.encode() + b" " + row.tobytes() for word, row in zip(words, rows, strict=True)
        )
    line = " ".join(["%.5g"] * DIMS)  # as many digits as GloVe's files have
    with paths["text"].open("w", encoding="utf-8") as file:
        file.write(f"{WORDS} {DIMS}\n")
        file.writelines(
            f"{word} {line % tuple(row)}\n" for word, row in zip(words, rows.tolist(), strict=True)
        )
    return paths


def measure(runner: str, source: Path, repeats: int) -> tuple[float, float, float]:
    """Seconds, peak memory, and peak above what the process held before, in fresh processes."""
    code = MEASURE.format(runner=RUNNERS[runner])
    out = source.with_name(f"out{source.suffix}")
    runs = []
    for _ in range(repeats):
        run = subprocess.run(
            [sys.executable, "-c", code, str(source), str(out)],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )
        runs.append(json.loads(run.stdout))
    seconds, peaks, above = zip(*runs, strict=True)
    return statistics.median(seconds), max(peaks), max(above)


def main(*, quick: bool = False) -> str:
    """Run the benchmark and give its table in Markdown; quickly, each only once."""
    repeats = 1 if quick else REPEATS
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for title, path in write_files(Path(folder)).items():
            ours, theirs = (measure(runner, path, repeats) for runner in RUNNERS)
            rows.append(
                f"| {title} ({path.stat().st_size / 1e6:.0f} MB) "
                f"| {ours[0]:.1f} s | {theirs[0]:.1f} s | {theirs[0] / ours[0]:.1f} "
                f"| {ours[1]:.0f} MB ({ours[2]:.0f}) | {theirs[1]:.0f} MB ({theirs[2]:.0f}) |"
            )
    return "\n".join(
        [
            f"### Hard-debiasing {WORDS:,} words of {DIMS} dimensions, file to file",
            "",
            "| file | bayesbias | gensim and numpy | ratio | peak memory, bayesbias "
            "| peak memory, gensim and numpy |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
            f"Goals: the binary file under {GOAL_SECONDS} s and {GOAL_PEAK_MB} MB. In brackets, "
            f"memory above the interpreter's and the imports'. Median of {repeats} fresh "
            "processes, imports and page cache warm, one thread.",
        ]
    )


if __name__ == "__main__":
    print(main())
