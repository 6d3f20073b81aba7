"""Seconds to a posterior: the exact sampler beside NUTS by nutpie, in two forms of each model.

``nutpie`` samples the model as `build_model` makes it: zero-sum effects, each placed between
centred and non-centred by what the data say. ``whitened`` is `build_model(..., whitened=True)`: the
same model with means and effects integrated out, so that NUTS moves on the density of the sds, as
the exact sampler does; effects are drawn by independent coordinates. It is left out for `maximal`,
which takes minutes to compile, and a factor of a thousand rows in every step: the tests sample it
(`tests/test_exact_against_nuts.py`). So the ratios of `maximal` are to a sampler that hardly moves,
and say no more than that.

Every (table, model, sampler) runs in a process of its own. *Cold* is the time from its first line
to the first 4,000 draws: imports, reading the table, and all compilation, into an empty cache;
byte code is there. *Warm* is the next fit in the same process with another seed, for the exact
sampler the median of 50; for NUTS that of three without what compiled it, and of `maximal` one.
Beside it stand the seconds of processor time of all its processes and threads, which a busy machine
disturbs less. Effective draws are ArviZ's bulk figure for the worst parameter, the mean of up to
three fits; for the exact sampler at most the draws there are, and at most its effective proposals.

BAYESBIAS_DATA names the folder of the published tables.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from numpy.random import default_rng

TABLES = {"religion_reddit": "religion_group_reddit_dataset", "weat_1_reddit": "weat_1_reddit"}
METHODS = {
    "paper": ("exact", "nutpie", "whitened"),
    "crossed": ("exact", "nutpie", "whitened"),
    "maximal": ("exact", "nutpie"),
}
CHAINS, DRAWS = 4, 1_000
EXACT_FITS, NUTS_FITS = 51, 3
"""Fits with other seeds, of which the median counts; of `maximal` NUTS makes one."""

WARM_GOALS = {
    ("religion_reddit", "paper"): 0.1,
    ("weat_1_reddit", "paper"): 0.1,
    ("religion_reddit", "crossed"): 1.0,
    ("weat_1_reddit", "crossed"): 3.0,
    ("religion_reddit", "maximal"): 0.5,
    ("weat_1_reddit", "maximal"): 1.0,
}
GOAL_EFFECTIVE, GOAL_COLD = 100, 3

ROWS = (1_000, 10_000, 100_000, 1_000_000)
WORDS = (10, 30, 100, 300, 1_000)
PAIRS = (20, 50)
"""Protected words and attributes of the tables whose rows grow: their pairs repeat."""

MEASURE = """
import time
start = time.perf_counter()
import json, logging, os, statistics, sys, warnings
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
import bayesbias as bb
path, model, method, draws, chains, repeats = sys.argv[1:]
table = bb.read_table(path)
options = {"draws": int(draws), "chains": int(chains)}
if method == "exact":
    def fit(seed):
        return bb.fit(table, model, method=method, seed=seed, **options)
else:
    import nutpie
    compiled = nutpie.compile_pymc_model(
        bb.build_model(table, model, whitened=method == "whitened")
    )
    def fit(seed):
        return nutpie.sample(compiled, seed=seed, tune=int(draws), progress_bar=False, **options)
def processor():
    return sum(os.times()[:4])
def effective(post):
    import arviz as az
    drawn = post["posterior"].to_dataset()
    shown = [name for name in drawn if not name.endswith(("whitened", "coordinates", "factor"))]
    moves = drawn[shown].std(("chain", "draw")) > 0  # correlations of a word with itself do not
    ess = min(float(v.min()) for v in az.ess(drawn[shown]).where(moves).data_vars.values())
    if method == "exact":
        ess = min(ess, float(post["sample_stats"]["importance_ess"]))
    return ess
warm, cpu, ess, diverging = [], [], [], 0
for seed in range(int(repeats)):
    begun, used = time.perf_counter(), processor()
    post = fit(1 + seed)
    warm.append(time.perf_counter() - begun)
    cpu.append(processor() - used)
    if seed == 0:
        cold = time.perf_counter() - start
    if seed < 3:
        ess.append(effective(post))
    if method != "exact":
        diverging += int(post["sample_stats"]["diverging"].sum())
if method == "exact":
    del warm[0], cpu[0]
print(json.dumps({
    "cold": cold, "warm": statistics.median(warm), "cpu": statistics.mean(cpu),
    "ess": statistics.mean(ess), "diverging": diverging,
}))
"""


def measure(path: Path, spec: str, method: str, draws: int = DRAWS) -> dict[str, float]:
    """Fit in a fresh process: seconds ``cold``, ``warm`` and ``cpu``, ``ess``, ``diverging``."""
    repeats = EXACT_FITS if method == "exact" else 1 if spec == "maximal" else NUTS_FITS
    arguments = [str(path), spec, method, str(draws), str(CHAINS), str(repeats)]
    with tempfile.TemporaryDirectory() as caches:
        environment = {**os.environ, "PYTENSOR_FLAGS": f"base_compiledir={caches}"}
        environment |= {"NUMBA_CACHE_DIR": caches}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        ran = subprocess.run(
            [sys.executable, "-c", MEASURE, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    if ran.returncode:
        raise RuntimeError(f"{method} on {path.name} failed:\n{ran.stderr[-2000:]}")
    result: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return result


def samplers(*, quick: bool = False) -> str:
    """Time all samplers on both tables and models, and hold them against the goals."""
    frames = []
    paths = {name: _folder() / "paper_tables" / f"{file}.csv" for name, file in TABLES.items()}
    _compile_bytes()
    for name, path in paths.items():
        for spec, methods in METHODS.items():
            found = {}
            for method in methods:
                found[method] = measure(path, spec, method, 100 if quick else DRAWS)
                print(name, spec, method, found[method], file=sys.stderr, flush=True)
            frame = pd.DataFrame.from_dict(found, orient="index").rename_axis("sampler")
            frames.append(frame.assign(table=name, spec=spec).reset_index())
    found = pd.concat(frames, ignore_index=True)
    found["per_second"] = found["ess"] / found["cpu"]
    return f"{_sampler_table(found)}\n\n{_goal_table(found)}"


def growth(*, quick: bool = False) -> str:
    """Time the exact sampler against rows and against protected words."""
    rows = [(size, *PAIRS, size // (PAIRS[0] * PAIRS[1])) for size in ROWS[: 2 if quick else None]]
    words = [(n * PAIRS[1], n, PAIRS[1], 1) for n in WORDS[: 2 if quick else None]]
    lines = [
        "| rows | protected words | attributes | rows a pair | model | index the table, s | "
        "statistics, s | 4,000 draws, s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for size, n_words, n_attributes, repeats in rows + words:
        table = simulated(n_words, n_attributes, repeats)
        for spec in METHODS:
            index, statistics, draws = _stages(table, spec)
            lines.append(
                f"| {size:,} | {n_words:,} | {n_attributes} | {repeats:,} | {spec} | "
                f"{index:.3f} | {statistics:.3f} | {draws:.3f} |"
            )
    return "\n".join(lines)


def simulated(n_words: int, n_attributes: int, repeats: int, seed: int = 1) -> pd.DataFrame:
    """Simulate a table of every word against every attribute, so many rows a pair."""
    rng = default_rng(seed)
    word = np.tile(np.repeat(np.arange(n_words), n_attributes), repeats)
    attribute = np.tile(np.arange(n_attributes), n_words * repeats)
    side = (attribute // 4) % 2
    controls = [attribute % 4 == 0, attribute % 4 == 1]
    sets = np.select([*controls, side == 0], ["neutral", "human", "one"], default="other")
    connection = np.select(
        [*controls, word % 2 == side], ["neutral", "human", "associated"], default="different"
    )
    effects = 0.05 * rng.standard_normal(n_words), 0.05 * rng.standard_normal(n_attributes)
    noise = 0.08 * rng.standard_normal(len(word))
    return pd.DataFrame(
        {
            "protected_word": np.array([f"w{i}" for i in range(n_words)])[word],
            "protected_group": np.array(["one", "other"])[word % 2],
            "attribute": np.array([f"a{i}" for i in range(n_attributes)])[attribute],
            "attribute_set": sets,
            "connection": connection,
            "cosine_distance": np.clip(
                0.9 + effects[0][word] + effects[1][attribute] + noise, 0, 2
            ),
        }
    )


def _stages(table: pd.DataFrame, spec: str) -> tuple[float, float, float]:
    """Seconds to index a table, to make the statistics, and to draw: the best of three."""
    from bayesbias.model.design import make_design
    from bayesbias.model.spec import load_model
    from bayesbias.sampling.exact import sample_exact
    from bayesbias.sampling.reduction import collapse

    found = []
    for _ in range(3):
        times = [perf_counter()]
        design = make_design(table)
        times.append(perf_counter())
        posterior = collapse(design, load_model(spec))
        times.append(perf_counter())
        sample_exact(posterior, CHAINS * DRAWS, default_rng(1))
        times.append(perf_counter())
        found.append(np.diff(times))
    index, statistics, draws = np.min(found, axis=0)
    return float(index), float(statistics), float(draws)


def _sampler_table(found: pd.DataFrame) -> str:
    lines = [
        "| table | model | sampler | cold, s | warm, s | warm, processor s | "
        "effective draws of 4,000 | effective draws a processor second | divergences |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.table} | {row.spec} | {row.sampler} | {row.cold:.2f} | {row.warm:.3f} | "
        f"{row.cpu:.2f} | {row.ess:,.0f} | {row.per_second:,.1f} | {row.diverging:.0f} |"
        for row in found.itertuples()
    ]
    return "\n".join(lines)


def _goal_table(found: pd.DataFrame) -> str:
    lines = [
        "| table | model | exact, processor s (goal) | effective draws a second, times best NUTS "
        f"(goal {GOAL_EFFECTIVE}) | cold, times faster than the fastest NUTS (goal {GOAL_COLD}) |",
        "|---|---|---|---|---|",
    ]
    for (table, spec), goal in WARM_GOALS.items():
        part = found[(found["table"] == table) & (found["spec"] == spec)].set_index("sampler")
        exact, others = part.loc["exact"], part.drop(index="exact")
        effective = exact["per_second"] / others["per_second"].max()
        cold = others["cold"].min() / exact["cold"]
        lines.append(
            f"| {table} | {spec} | {exact['cpu']:.3f} ({goal:g}) {_met(exact['cpu'] < goal)} | "
            f"{effective:,.0f} {_met(effective >= GOAL_EFFECTIVE)} | "
            f"{cold:.1f} {_met(cold >= GOAL_COLD)} |"
        )
    return "\n".join(lines)


def _met(condition: object) -> str:
    return "met" if condition else "**missed**"


def _folder() -> Path:
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("BAYESBIAS_DATA") or beside)


def _compile_bytes() -> None:
    """Have Python write the byte code of all that is imported, which happens once for a user."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    modules = "arviz, bayesbias.sampling.fit, bayesbias.model.pymc_model, nutpie, pymc"
    subprocess.run([sys.executable, "-c", f"import {modules}"], env=environment, check=True)


def main(*, quick: bool = False) -> str:
    """Run both parts and give Markdown tables."""
    return f"{samplers(quick=quick)}\n\n{growth(quick=quick)}"


if __name__ == "__main__":
    print(main(quick="--quick" in sys.argv[1:]))
