"""Schröder, Schulz and Hammer (2024), The SAME score."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

import bayesbias as bb

from .claims import Claim, recomputes
from .semantic import DEMO, associations, rows_of

at = partial(recomputes, "Schröder, Schulz and Hammer (2024), SAME")


@at("equation 3", "2.1.2")
def gweat_of_two() -> Iterator[Claim]:
    """Check that gWEAT of two groups is half the difference in mean association."""
    for name in ("weat1", "weat7"):
        X, Y = rows_of(name, "groups")
        A, B = rows_of(name, "stereotypes")
        half = (associations(X, A, B).mean() - associations(Y, A, B).mean()) / 2
        groups, attributes = ([rows.mean(axis=0) for rows in sets] for sets in ((X, Y), (A, B)))
        mean, center = (np.mean(sets, axis=0) for sets in (groups, attributes))
        gweat = sum((g - mean) @ (a - center) for g, a in zip(groups, attributes, strict=True))
        note = f"for two groups, equation 3 is half of WEAT's difference of means, {half:.6f}"
        values = (round(float(half), 6), round(float(gweat), 6), 1e-6)
        quoted = "A generalization of WEAT’s test statistic for an arbitrary number"
        yield Claim(f"gWEAT, {name}", *values, quoted, note, shown="equation 3")


@at("equations 13-16", "3.2")
def order_of_groups() -> Iterator[Claim]:
    """Compute SAME of three groups in both orders, by the equation and by the published code."""
    wordlist = bb.load_wordlist("religion")
    vectors = bb.load_vectors(DEMO, words=wordlist, case="fallback")
    targets = [w for words in wordlist.stereotypes.values() for w in words if w in vectors]
    groups = list(wordlist.groups.values())
    scores = [bb.scores.same(vectors, targets, order).score for order in (groups, groups[::-1])]
    claim = "SAME of the groups in reverse order"
    quoted = "and the bias magnitude is"
    note = (
        f"the value is {scores[0]:.6f} in the first order; the norm in equation 15 does not depend "
        "on the order. The paper makes no statement about the order's effect on the norm"
    )
    values = (round(scores[0], 6), round(scores[1], 6), 1e-6, quoted, note)
    yield Claim(claim, *values, comparable=False, shown="equation 15")
    means = [rows.mean(axis=0) for rows in rows_of("religion", "groups")]
    rows = np.vstack(rows_of("religion", "stereotypes"))
    added = [_added_components(rows, order) for order in (means, means[::-1])]
    note = (
        f"the value is {added[0]:.4f} in the first order. The paper's repository imports SAME from "
        "the group's EmbeddingBiasScores. At ef1c49f, that code adds the components and does not "
        "normalize the later ones; equation 15 uses the norm. We do not know which version the "
        "paper used"
    )
    claim = "the sum of components in the code, in reverse order"
    values = (round(added[0], 4), round(added[1], 4), 0, quoted, note)
    yield Claim(claim, *values, comparable=False, shown="equation 15")


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


@at("theorem 2", "3.3")
def reached_bounds() -> Iterator[Claim]:
    """Check that SAME is 1 in the span of the groups' differences and 0 orthogonal to it."""
    quoted = "both can be reached independent of"
    for name in ("gender", "religion"):
        means = np.array([rows.mean(axis=0) for rows in rows_of(name, "groups")])
        basis = np.linalg.qr((means[1:] - means[0]).T)[0].T
        target = np.random.default_rng(1).standard_normal(basis.shape[1])
        inside, outside = basis.T @ (basis @ target), target - basis.T @ (basis @ target)
        for claim, printed, vector in (("largest", 1, inside), ("smallest", 0, outside)):
            found = np.linalg.norm(basis @ vector) / np.linalg.norm(vector)
            yield Claim(f"{name}, {claim} SAME", printed, round(float(found), 6), 1e-6, quoted)


@at("table 1", "4.3")
def defining_sets() -> Iterator[Claim]:
    """Count the defining sets in the bundled lists, which are from the authors' repository."""
    rows = {"race": (15, "race white, black, asian 15"), "gender": (25, "gender male, female 25")}
    rows |= {"religion": (14, "religion christian, muslim, jewish 14")}
    rows |= {"age": (8, "age young, old 8")}
    for name, (printed, quoted) in rows.items():
        found = len(bb.debias.load_defining_sets(f"same-{name}").defining)
        note = "this is the length of the list in the authors' repository"
        yield Claim(f"{name}: defining sets", printed, found, 0, quoted, note)


@at("table 3, average ranks", "5.1")
def mean_ranks() -> Iterator[Claim]:
    """Compute average ranks from the table's accuracies; ties share the better rank."""
    ranks = TABLE_3.rank(axis=1, ascending=False, method="min").mean()
    quotes = {"SAME": "0.75 1.4", "WEAT or gWEAT": "0.0 2.3", "Direct Bias": "0.0 0.5 2.1"}
    for score, quoted in quotes.items():
        printed, found = float(quoted.split()[-1]), round(ranks[score], 3)
        yield Claim(f"{score}, average rank", printed, found, 0.0501, quoted)
