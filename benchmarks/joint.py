"""Seconds of `bb.fit_many` against embeddings and lists.

    python -m benchmarks.joint

Lists have two groups of 8 words, two sets of 16 attributes and 30 controls, in embeddings that have
all of them. Processor time of one thread, 4,000 draws.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
import pandas as pd

import bayesbias as bb

SIZES = ((2, 1), (5, 1), (10, 1), (20, 1), (5, 3), (10, 3))


def one_list(name: str, n_embeddings: int, seed: int) -> pd.DataFrame:
    """Distances of a list in all embeddings."""
    rng = np.random.default_rng(seed)
    controls = [(f"n{i}", "neutral", "neutral") for i in range(30)]
    rows = [
        (f"{g}{i}", g, attribute, of, connection or ("associated" if of == g else "different"))
        for g in "xy"
        for i in range(8)
        for attribute, of, connection in (
            *((f"{s}_{j}", s, "") for s in "xy" for j in range(16)),
            *controls,
        )
    ]
    base = pd.DataFrame(rows, columns=list(bb.COLUMNS[:5])).assign(wordlist=name)
    shared = rng.normal(0.8, 0.06, len(base))
    frames = [
        base.assign(
            cosine_distance=shared + rng.normal(0, 0.06, len(base)), embedding=f"embedding {at}"
        )
        for at in range(n_embeddings)
    ]
    return pd.concat(frames, ignore_index=True)


def main() -> None:
    """Print a line a size."""
    warnings.simplefilter("ignore")
    bb.fit_many(one_list("warm", 2, 0), draws=100, seed=1)  # imports
    print("| embeddings | lists | seconds | Pareto k |\n|---|---|---|---|")
    for n_embeddings, n_lists in SIZES:
        tables = [one_list(f"list {at}", n_embeddings, at) for at in range(n_lists)]
        start = time.process_time()
        post = bb.fit_many(tables, seed=1)
        took = time.process_time() - start
        k = float(post["sample_stats"]["pareto_k"])
        print(f"| {n_embeddings} | {n_lists} | {took:.1f} | {k:.2f} |", flush=True)


if __name__ == "__main__":
    main()
