"""Schröder, Schulz and Hammer (2024), The SAME score."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import bayesbias as bb

from .claims import Found, recomputed
from .semantic import DEMO, associations, rows_of


@recomputed
def gweat_of_two() -> Iterator[Found]:
    """Check that gWEAT of two groups is half the difference in mean association."""
    for name in ("weat1", "weat7"):
        X, Y = rows_of(name, "groups")
        A, B = rows_of(name, "stereotypes")
        half = (associations(X, A, B).mean() - associations(Y, A, B).mean()) / 2
        groups, attributes = ([rows.mean(axis=0) for rows in sets] for sets in ((X, Y), (A, B)))
        mean, center = (np.mean(sets, axis=0) for sets in (groups, attributes))
        gweat = sum((g - mean) @ (a - center) for g, a in zip(groups, attributes, strict=True))
        yield round(float(gweat), 6), {"half": f"{half:.6f}"}


@recomputed
def order_of_groups() -> Iterator[Found]:
    """Compute SAME of three groups in both orders, by the equation and by the published code."""
    wordlist = bb.load_wordlist("religion")
    vectors = bb.load_vectors(DEMO, words=wordlist, case="fallback")
    targets = [w for words in wordlist.stereotypes.values() for w in words if w in vectors]
    groups = list(wordlist.groups.values())
    scores = [bb.scores.same(vectors, targets, order).score for order in (groups, groups[::-1])]
    yield round(scores[1], 6), {"first": f"{scores[0]:.6f}"}
    means = [rows.mean(axis=0) for rows in rows_of("religion", "groups")]
    rows = np.vstack(rows_of("religion", "stereotypes"))
    added = [_added_components(rows, order) for order in (means, means[::-1])]
    yield round(added[1], 4), {"first": f"{added[0]:.4f}"}


def _added_components(rows: np.ndarray, means: list[np.ndarray]) -> float:
    """Return the mean sum of absolute components if the second direction is not normalized."""
    first, second = means[1] - means[0], means[2] - means[0]
    first = first / np.linalg.norm(first)
    second = second - (second @ first) * first
    return float((abs(rows @ first) + abs(rows @ second)).mean())


TABLE_3 = pd.DataFrame(
    {
        "SAME": [0.66, 0.61, 0.89, 0.58, 0.19, 0.83, 0.17, 0.75],
        "WEAT or gWEAT": [0.51, 0.59, 0.64, 0.53, 0.47, 0.67, 1.0, 0.0],
        "Direct Bias": [0.51, 0.51, 0.36, 0.57, 0.56, 0.83, 0.0, 0.5],
    }
)
"""Accuracies in the eight experiments: BIOS gender; Jigsaw race, religion, and gender; CrowS-Pairs
race, religion, gender, and age."""


@recomputed
def reached_bounds() -> Iterator[Found]:
    """Check that SAME is 1 in the span of the groups' differences and 0 orthogonal to it."""
    for name in ("gender", "religion"):
        means = np.array([rows.mean(axis=0) for rows in rows_of(name, "groups")])
        basis = np.linalg.qr((means[1:] - means[0]).T)[0].T
        target = np.random.default_rng(1).standard_normal(basis.shape[1])
        inside, outside = basis.T @ (basis @ target), target - basis.T @ (basis @ target)
        for vector in (inside, outside):
            yield round(float(np.linalg.norm(basis @ vector) / np.linalg.norm(vector)), 6)


@recomputed
def defining_sets() -> Iterator[Found]:
    """Count the defining sets in the bundled lists, which are from the authors' repository."""
    for name in ("race", "gender", "religion", "age"):
        yield len(bb.debias.load_defining_sets(f"same-{name}").defining)


@recomputed
def mean_ranks() -> Iterator[Found]:
    """Compute average ranks from the table's accuracies; ties share the better rank."""
    yield from TABLE_3.rank(axis=1, ascending=False, method="min").mean().round(3)
