"""Seconds of `bb.fit_many` against embeddings and lists.

    python -m benchmarks.joint

Lists have two groups of 8 words, two sets of 16 attributes and 30 controls, in embeddings that have
all of them. Processor time of one thread, 4,000 draws.

Beside it NUTS on the smallest, one list in two embeddings. Then the joint model is `maximal` of the
averages and `change-maximal` of the differences, independent of one another, and PyMC has both:
`build_model(..., whitened=True)`, with means and effects integrated out, which is its best known
form, sampled by nutpie. What shrinks two contrasts towards each other is left out there. Its
seconds are those of the processor, compilation and sampling apart.
"""

from __future__ import annotations

import os
import time
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd

import bayesbias as bb
from bayesbias.model.design import make_design
from bayesbias.model.pymc_model import model_of
from bayesbias.model.spec import load_model

SIZES = ((2, 1), (5, 1), (10, 1), (20, 1), (5, 3), (10, 3), (10, 10), (20, 10))


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


def by_nuts(table: pd.DataFrame) -> tuple[float, float, float]:
    """Sample both parts of one list in two embeddings: seconds to compile, to sample, worst ESS."""
    import arviz as az
    import nutpie

    one, two = (part.drop(columns="embedding") for _, part in table.groupby("embedding"))
    y = [part["cosine_distance"].to_numpy() for part in (one, two)]
    parts = (("maximal", (y[0] + y[1]) / 2), ("change-maximal", y[1] - y[0]))
    design = make_design(one)
    took, worst = [0.0, 0.0], np.inf
    for model, distance in parts:
        start = sum(os.times()[:4])
        compiled = nutpie.compile_pymc_model(
            model_of(replace(design, y=distance), load_model(model), whitened=True)
        )
        middle = sum(os.times()[:4])
        post = nutpie.sample(compiled, draws=1000, tune=1000, chains=4, seed=1, progress_bar=False)
        took = [took[0] + middle - start, took[1] + sum(os.times()[:4]) - middle]
        ess = az.ess(post["posterior"].to_dataset())
        worst = min(worst, *(float(each.min()) for each in ess.data_vars.values()))
    return took[0], took[1], worst


def main() -> None:
    """Print a line a size, and one of NUTS."""
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
    compiling, sampling, ess = by_nuts(one_list("list 0", 2, 0))
    print(f"\nNUTS, 2 x 1: {compiling:.0f} s to compile, {sampling:.0f} s to sample, ESS {ess:.0f}")


if __name__ == "__main__":
    main()
