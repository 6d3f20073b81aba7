"""Time the exact sampler on many groups, with missing pairs, and on long lists, and NUTS.

Processor times are also given in ``loops`` of 20 million squares in the same Python, because
machines differ by a factor of three. The ``ratio`` is to the first row of a part.
"""

from __future__ import annotations

import resource
import warnings
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from xarray import DataTree

import bayesbias as bb
from bayesbias.sampling.doubts import of_chains

from ._timing import in_turns, seconds_of

GROUPS = (2, 4, 6, 8, 12)
"""Numbers of groups, each with 8 words and a set of 12 stereotypes."""

SHARES = (0.0, 0.001, 0.01, 0.05)
"""Shares of missing pairs."""

SIZES = (600, 900, 1_002, 2_000, 5_500)
"""Numbers of words of long lists. Tables of more than 1,000 words once had no cosines."""

CLUSTERS, DIMS = 10, 100  # of the stereotypes of a long list, and of its vectors

Words = tuple[dict[str, np.ndarray], dict[str, dict[str, list[str]]]]
"""Vectors, and a list."""


def nuts(_: int) -> Iterator[dict[str, object]]:
    """Yield times, and NUTS's diagnostics and largest gap to exact means, in posterior sds."""
    table = _table("religion")
    for model in ("crossed", "by-group"):
        fits = {
            "exact": lambda model=model: _fit(table, model),
            "NUTS": lambda model=model: _fit(table, model, method="nuts", progressbar=False),
        }
        (row, exact), (of_nuts, post) = in_turns(fits)
        yield {"task": f"religion, {model}", **row}
        draws, known = (fit["posterior"].dataset for fit in (post, exact))
        over = "chain", "draw"
        gaps = abs(draws.mean(over) - known.mean(over)) / known.std(over)
        names = ["connection_mean", *(name for name in known if "_sd" in str(name))]
        largest = float(gaps[names].to_array().max())
        yield {"task": f"religion, {model}", **of_nuts, **of_chains(post), "largest_gap": largest}


def groups(repeats: int) -> Iterator[dict[str, object]]:
    """Yield the time of 4,000 draws for lists with more and more groups."""
    yield from _fits({f"{n} groups": bb.distance_table(*_list_of(n)) for n in GROUPS}, repeats)


def missing(repeats: int) -> Iterator[dict[str, object]]:
    """Yield the time of 4,000 draws for tables that lack more and more pairs."""
    whole, tables = _table("gender"), {}
    for share in SHARES:
        kept = np.random.default_rng(1).random(len(whole)) >= share
        tables[f"gender, {share:.1%} missing"] = whole[kept].reset_index(drop=True)
    yield from _fits(tables, repeats)


def cliff(_: int) -> Iterator[dict[str, object]]:
    """Yield the sd of the overall contrast of long lists, and the peak memory so far in MB.

    With ten clusters, more words of the same clusters add little, so the sd must not step down.
    Without cosines, all words count as unrelated, and the sd falls as if every word were new.
    """
    for size in SIZES:
        table = bb.distance_table(*_clustered(size))
        fits = {"with cosines": lambda table=table: _fit(table, draws=250)}
        if size < SIZES[-1]:
            bare = table.copy()
            bare.attrs = {}
            fits["without cosines"] = lambda bare=bare: _fit(bare, draws=250)
        for row, post in in_turns(fits):
            sd, peak = bb.contrasts(post)["sd"].iloc[0], resource.getrusage(resource.RUSAGE_SELF)
            row |= {"sd": sd, "peak_mb": peak.ru_maxrss / 1000}
            yield {"task": f"fit of {size:,} words", **row}


def _fits(tables: Mapping[str, pd.DataFrame], repeats: int) -> Iterator[dict[str, object]]:
    tasks = {name: lambda table=table: _fit(table) for name, table in tables.items()}
    loops = seconds_of(lambda: sum(i * i for i in range(20_000_000)))
    for row, _ in in_turns(tasks, repeats):
        taken = {"by": "exact", "loops": float(str(row["processor_s"])) / loops}
        yield {"task": row["by"], **row, **taken}


def _fit(table: pd.DataFrame, model: str = "by-group", **options: object) -> DataTree:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bb.fit(table, model, seed=1, **options)


def _table(name: str) -> pd.DataFrame:
    wordlist = bb.load_wordlist(name)
    return bb.distance_table(bb.load_vectors("glove-demo", wordlist, case="fallback"), wordlist)


def _list_of(n: int) -> Words:
    """Return random vectors and a list with n groups, their stereotypes, and 40 controls."""
    rng, names = np.random.default_rng(n), [f"g{i}" for i in range(n)]
    parts = {
        "groups": {name: [f"{name} word {i}" for i in range(8)] for name in names},
        "stereotypes": {name: [f"{name} stereotype {i}" for i in range(12)] for name in names},
        "controls": {"neutral": [f"control {i}" for i in range(40)]},
    }
    words = [word for part in parts.values() for own in part.values() for word in own]
    return {word: 0.5 + rng.normal(size=50) for word in words}, parts


def _clustered(size: int) -> Words:
    """Return vectors and a list of 16 protected words, with stereotypes in ten clusters a set."""
    words = {group: [f"{group}{i}" for i in range(8)] for group in "ab"}
    sets = {group: [f"{group} stereotype {i}" for i in range((size - 16) // 2)] for group in "ab"}
    vectors = {}
    for seed, group in enumerate(words):
        rng = np.random.default_rng(seed)
        center, centers = rng.normal(size=DIMS), rng.normal(size=(CLUSTERS, DIMS))
        vectors |= {word: center / 2 + rng.normal(size=DIMS) for word in words[group]}
        for i, word in enumerate(sets[group]):
            vectors[word] = centers[i % CLUSTERS] + rng.normal(size=DIMS)
    return vectors, {"groups": words, "stereotypes": sets}
