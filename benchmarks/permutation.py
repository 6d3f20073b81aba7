"""Exact permutation p-values: all ten WEAT tests, and 10,000 null data sets, beside sampling."""

from __future__ import annotations

import os
from pathlib import Path
from time import perf_counter

import numpy as np

import bayesbias as bb
from bayesbias._core.arrays import FloatArray
from bayesbias.scores.permutation import permutation_p_values, permutation_test
from bayesbias.scores.weam import psi_of

SAMPLED = 100_000
NULLS = 10_000
NULL_WORDS = 16


def associations() -> dict[str, tuple[FloatArray, FloatArray]]:
    """Associations of the words of X and Y of every WEAT list, on the GoogleNews subset."""
    from gensim.models import KeyedVectors

    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("BAYESBIAS_DATA") or beside)
    path = folder / "vectors" / "googlenews_subset.bin"
    vectors = KeyedVectors.load_word2vec_format(path, binary=True)
    found = {}
    for name in (f"weat{number}" for number in range(1, 11)):
        words = bb.load_wordlist(name)
        sets = [
            np.stack([vectors[word] for word in each if word in vectors])
            for each in (*words.groups.values(), *(words.stereotypes[g] for g in words.groups))
        ]
        found[name] = psi_of(sets[0], sets[2], sets[3]), psi_of(sets[1], sets[2], sets[3])
    return found


def main() -> str:
    """Time both and give a Markdown table."""
    lines = [
        "| test | words | splits | exact two-sided p (lower, upper bound) | s | "
        f"{SAMPLED:,} sampled splits | s |",
        "|---|---|---|---|---|---|---|",
    ]
    totals = [0.0, 0.0]
    for name, (x, y) in associations().items():
        times = [perf_counter()]
        exact = permutation_test(x, y)
        times.append(perf_counter())
        sampled = permutation_test(x, y, method="sampled", n_permutations=SAMPLED, seed=1)
        times.append(perf_counter())
        spans = np.diff(times)
        totals = [total + span for total, span in zip(totals, spans, strict=True)]
        low, high = exact.p_bounds
        lines.append(
            f"| {name} | {len(x)} + {len(y)} | {exact.n_splits:.3g} | {low:.4g}, {high:.4g} | "
            f"{spans[0]:.3f} | {sampled.p_value:.4g} | {spans[1]:.3f} |"
        )
    lines.append(f"| all ten | | | | **{totals[0]:.2f}** | | **{totals[1]:.2f}** |")
    return "\n".join([*lines, "", *_nulls()])


def _nulls() -> list[str]:
    scores = np.random.default_rng(0).normal(size=(NULLS, NULL_WORDS))
    start = perf_counter()
    exact = permutation_p_values(scores, NULL_WORDS // 2)
    middle = perf_counter()
    sampled = permutation_p_values(
        scores, NULL_WORDS // 2, method="sampled", n_permutations=exact.n_splits, seed=1
    )
    end = perf_counter()
    lines = [f"| {NULLS:,} null data sets of 8 + 8 words | s | share of p ≤ .05 |", "|---|---|---|"]
    for label, span, p in (
        ("every split", middle - start, exact.p_value),
        ("as many sampled splits", end - middle, sampled.p_value),
    ):
        lines.append(f"| {label} ({exact.n_splits:,}) | {span:.2f} | {(p <= 0.05).mean():.4f} |")
    return lines


if __name__ == "__main__":
    print(main())
