"""How fast, and in how much memory, ten reference distributions of an embedding are computed.

Beside the same file read from end to end without looking at it, and beside what WEFE does: gensim
loads all vectors, scales them to unit length, and takes cosines. Each runs in a fresh process that
has done its imports and compiled its loops; the file is in the page cache for all. Times are the
best of ``REPEATS`` runs in a process (gensim's of one, which takes minutes), memory is the
process's peak, the interpreter and its packages included.

BAYESBIAS_GLOVE6B names GloVe 6B in 50 dimensions (docs/background.md); without it, only the
generated file is measured.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

DIMS = 300
COUNT = 2_000_000
COUNT_QUICK = 100_000
REPEATS = 15
EXPERIMENTS, SET_SIZE = 10, 20

GOAL_RATIO_NATIVE, GOAL_RATIO_BINARY = 2.5, 4
GOAL_PEAK_MB = 500

READERS = {
    "plain": """
def warm(): pass
def run(path, pairs):
    buffer = bytearray(1 << 20)
    files = [path / "vectors.npy", path / "vocab.txt"] if path.is_dir() else [path]
    for name in files:
        with open(name, "rb", buffering=0) as file:
            while file.readinto(buffer):
                pass
""",
    "bayesbias": """
from bayesbias import background
def warm():
    rows = dict(zip(("a", "b", "c"), np.eye(3, dtype=np.float32)))
    packed = b"".join(f"{word} ".encode() + row.tobytes() for word, row in rows.items())
    Path("a.bin").write_bytes(b"3 3\\n" + packed)
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in rows.items()]
    Path("a.txt").write_text("\\n".join(lines) + "\\n")
    for name in ("a.bin", "a.txt"):
        background.distribution(name, ["a"], ["b"])
        os.unlink(name)
def run(path, pairs):
    made = background.distributions(path, pairs, progressbar=False)
    return [each.mean for each in made.values()]
""",
    "in memory": """
from gensim.models import KeyedVectors
def warm(): pass
def run(path, pairs):
    vectors = KeyedVectors.load_word2vec_format(str(path), binary=".bin" in path.name)
    unit = vectors.get_normed_vectors()
    means = []
    for Z, Z2 in pairs.values():
        to_z, to_z2 = (unit @ unit[[vectors.key_to_index[w] for w in side]].T for side in (Z, Z2))
        means.append(float((to_z.mean(axis=1) - to_z2.mean(axis=1)).mean()))
    return means
""",
}

MEASURE = """
import json, os, sys, time
from pathlib import Path
import numpy as np
{reader}
def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
path, pairs, repeats = Path(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3])
warm()
times = []
for _ in range(repeats):
    start, busy = time.perf_counter(), time.process_time()
    means = run(path, pairs)
    times.append((time.perf_counter() - start, time.process_time() - busy))
print(json.dumps([*(min(each) for each in zip(*times)), peak(), means]))
"""

Pairs = dict[str, tuple[list[str], list[str]]]


def write_file(path: Path, count: int) -> None:
    """Write random vectors as gensim would."""
    rng = np.random.default_rng(1)
    with path.open("wb") as file:
        file.write(f"{count} {DIMS}\n".encode())
        for start in range(0, count, 10_000):
            rows = rng.standard_normal((10_000, DIMS), dtype=np.float32)
            file.writelines(
                f"{_word(start + i)} ".encode() + row.tobytes() for i, row in enumerate(rows)
            )


def _word(row: int) -> str:
    return f"w{row}{'x' * (row % 7)}"


def common_pairs(count: int) -> Pairs:
    """Attribute words among the first twentieth of a file, as common words are."""
    rng = np.random.default_rng(2)
    made = {}
    for at in range(EXPERIMENTS):
        words = [_word(row) for row in rng.choice(count // 20, 2 * SET_SIZE, replace=False)]
        made[f"e{at}"] = (words[:SET_SIZE], words[SET_SIZE:])
    return made


def caliskan_pairs(folder: Path) -> Pairs:
    """The attribute words of the ten tests that a folder of the native form has."""
    from bayesbias import background

    words = set((folder / "vocab.txt").read_text(encoding="utf-8").split("\n"))

    def here(side: tuple[str, ...]) -> list[str]:
        return [word.lower() for word in side if word.lower() in words]

    return {name: (here(each.Z), here(each.Z2)) for name, each in background.experiments().items()}


def measure(
    reader: str, path: Path, pairs: Pairs, repeats: int = REPEATS
) -> tuple[float, float, float, list[float]]:
    """Seconds, processor seconds, peak megabytes and results of a reader in a fresh process."""
    code = MEASURE.format(reader=READERS[reader])
    run = subprocess.run(
        [sys.executable, "-c", code, str(path), json.dumps(pairs), str(repeats)],
        capture_output=True,
        text=True,
        check=True,
        cwd=path.parent,
    )
    seconds, busy, peak, means = json.loads(run.stdout)
    return seconds, busy, peak, means


def row_of(title: str, path: Path, pairs: Pairs, *, rival: bool) -> str:
    """One row of the table; results must agree with the rival's."""
    files = [path / "vectors.npy", path / "vocab.txt"] if path.is_dir() else [path]
    size = sum(each.stat().st_size for each in files) / 1e6
    plain, plain_busy, _, _ = measure("plain", path, pairs)
    ours, busy, peak, means = measure("bayesbias", path, pairs)
    other = other_peak = "–"
    if rival:
        theirs, their_busy, their_peak, their_means = measure("in memory", path, pairs, 1)
        # gensim's unit vectors are float32
        np.testing.assert_allclose(means, their_means, atol=1e-6)
        other, other_peak = f"{theirs:.2f} s, {their_busy:.2f} s", f"{their_peak:,.0f} MB"
    return (
        f"| {title} ({size:,.0f} MB) | {plain:.3f} s, {plain_busy:.3f} s | {ours:.3f} s, "
        f"{busy:.3f} s | **{ours / plain:.1f}**, {busy / plain_busy:.1f} | {other} "
        f"| **{peak:.0f} MB** | {other_peak} |"
    )


def glove_rows(glove: Path, folder: Path) -> list[str]:
    """GloVe 6B in four formats."""
    from bayesbias import load_vectors

    vectors, pairs = load_vectors(glove), caliskan_pairs(glove)
    vectors.save_word2vec_format(str(folder / "glove.bin"), binary=True)
    vectors.save_word2vec_format(str(folder / "glove.txt"), binary=False)
    with gzip.open(folder / "glove.txt.gz", "wb", 6) as packed:
        packed.write((folder / "glove.txt").read_bytes())
    rows = [row_of("GloVe 6B, 400,000 × 50, native", glove, pairs, rival=False)]
    for name, title in (
        ("glove.bin", "the same, word2vec binary"),
        ("glove.txt", "the same, text"),
        ("glove.txt.gz", "the same, text in gzip"),
    ):
        rows.append(row_of(title, folder / name, pairs, rival=name == "glove.bin"))
    return rows


def main(quick: bool = False) -> str:
    """Run the benchmark and give its table in Markdown."""
    from bayesbias import convert_vectors

    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if glove := os.environ.get("BAYESBIAS_GLOVE6B"):
            rows += glove_rows(Path(glove), folder)
        count = COUNT_QUICK if quick else COUNT
        path, pairs = folder / "vectors.bin", common_pairs(count)
        write_file(path, count)
        title = f"generated, {count:,} × {DIMS}"
        rows.append(row_of(f"{title}, word2vec binary", path, pairs, rival=True))
        last = {**pairs, "e0": ([*pairs["e0"][0], _word(count - 1)], pairs["e0"][1])}
        rows.append(row_of("the same, an attribute word at its end", path, last, rival=False))
        convert_vectors(path, folder / "native")
        path.unlink()
        rows.append(row_of("the same, native", folder / "native", pairs, rival=False))
    return "\n".join(
        [
            "### Ten reference distributions in one pass",
            "",
            "| file | plain read | bayesbias | ratio | in memory (gensim) | peak memory | peak, in "
            "memory |",
            "|---|---|---|---|---|---|---|",
            *rows,
            "",
            "Times are of the clock and, after the comma, of the processor, which a busy machine "
            "disturbs less: bayesbias works in two threads.",
            "",
            f"Promises, for the generated file: at most {GOAL_RATIO_NATIVE} times a plain read for "
            f"the native form, {GOAL_RATIO_BINARY} times for word2vec binary, and a peak below "
            f"{GOAL_PEAK_MB} MB. Text has to be parsed and gzip unpacked, which a plain read "
            "does not do. An attribute word at the very end has the whole file read twice.",
        ]
    )


if __name__ == "__main__":
    print(main())
