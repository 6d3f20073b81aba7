"""Time NUTS over the sds alone, and the exact sampler on many groups and with missing pairs.

Processor times are also given in ``loops`` of 20 million squares in the same Python, because
machines differ by a factor of three. The ``ratio`` is to the first row of a part.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from xarray import DataTree

import bayesbias as bb
from bayesbias.sampling.doubts import of_chains

GROUPS = (2, 4, 6, 8, 12)
"""Numbers of groups, each with 8 words and a set of 12 stereotypes."""

SHARES = (0.0, 0.001, 0.01, 0.05)
"""Shares of missing pairs."""


def nuts(repeats: int) -> Iterator[dict[str, object]]:
    """Yield the time and the diagnostics of `fit` with NUTS, and its distance from exact means."""
    del repeats  # each fit takes a minute
    table = _table("religion")
    for model in ("crossed", "by-group"):
        options = {"seed": 1, "progressbar": False}
        row, post = _timed(f"religion, {model}", "NUTS", table, model, method="nuts", **options)
        exact = bb.fit(table, model, **options)
        names = ["connection_mean", *(n for n in exact["posterior"].data_vars if "_sd" in str(n))]
        gaps = [_in_sds(post, exact, str(name)) for name in names]
        yield {**row, **of_chains(post), "largest_gap": max(gaps)}


def groups(repeats: int) -> Iterator[dict[str, object]]:
    """Yield the time of 4,000 draws for lists with more and more groups."""
    first = None
    for n in GROUPS:
        table = bb.distance_table(*_list_of(n))
        row, _ = _timed(f"{n} groups", "exact", table, "by-group", repeats)
        first = first or float(str(row["processor_s"]))
        yield {**row, "ratio": float(str(row["processor_s"])) / first}


def missing(repeats: int) -> Iterator[dict[str, object]]:
    """Yield the time of 4,000 draws for tables that lack more and more pairs."""
    whole, first = _table("gender"), None
    for share in SHARES:
        kept = np.random.default_rng(1).random(len(whole)) >= share
        table = whole[kept].reset_index(drop=True)
        row, _ = _timed(f"gender, {share:.1%} missing", "exact", table, "by-group", repeats)
        first = first or float(str(row["processor_s"]))
        yield {**row, "ratio": float(str(row["processor_s"])) / first}


def _timed(
    task: str, by: str, table: pd.DataFrame, model: str, repeats: int = 1, **options: object
) -> tuple[dict[str, object], DataTree]:
    """Fit a table; return the shortest times and the last posterior."""
    seconds, loops = [], _seconds(_loop)
    for _ in range(repeats):
        start = time.process_time(), time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            post = bb.fit(table, model, **{"seed": 1, **options})
        seconds.append((time.process_time() - start[0], time.perf_counter() - start[1]))
    processor, clock = np.min(seconds, axis=0)
    row = {"task": task, "by": by, "processor_s": processor, "clock_s": clock}
    return {**row, "loops": processor / loops}, post


def _seconds(task: Callable[[], object]) -> float:
    start = time.process_time()
    task()
    return time.process_time() - start


def _loop() -> int:
    total = 0
    for i in range(20_000_000):
        total += i * i
    return total


def _table(name: str) -> pd.DataFrame:
    wordlist = bb.load_wordlist(name)
    return bb.distance_table(bb.load_vectors("glove-demo", wordlist, case="fallback"), wordlist)


def _list_of(n: int) -> tuple[dict[str, np.ndarray], dict[str, dict[str, list[str]]]]:
    """Return random vectors and a list with n groups, their stereotypes, and 40 controls."""
    rng, names = np.random.default_rng(n), [f"g{i}" for i in range(n)]
    groups = {name: [f"{name} word {i}" for i in range(8)] for name in names}
    sets = {name: [f"{name} stereotype {i}" for i in range(12)] for name in names}
    controls = {"neutral": [f"control {i}" for i in range(40)]}
    words = [word for part in (groups, sets, controls) for own in part.values() for word in own]
    vectors = {word: 0.5 + rng.normal(size=50) for word in words}
    return vectors, {"groups": groups, "stereotypes": sets, "controls": controls}


def _in_sds(one: DataTree, other: DataTree, name: str) -> float:
    """Return the largest difference in means, in posterior sds."""
    over = ("chain", "draw")
    means = one["posterior"][name].mean(over) - other["posterior"][name].mean(over)
    return float((abs(means) / other["posterior"][name].std(over)).max())
