"""Schröder, Schulz, Hinder and Hammer (2024), Semantic properties of cosine based bias scores."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

import bayesbias as bb

from .claims import Found, recomputed

DEMO = "glove-demo"
FloatArray = np.ndarray


def rows_of(name: str, kind: str) -> list[FloatArray]:
    """Return unit vectors of a list's groups or stereotypes in the bundled embedding."""
    wordlist = bb.load_wordlist(name)
    vectors = bb.load_vectors(DEMO, words=wordlist, case="fallback")
    sets = [
        [word for word in words if word in vectors] for words in getattr(wordlist, kind).values()
    ]
    return [vectors.vectors_for_all(words).get_normed_vectors() for words in sets]


def associations(targets: FloatArray, A: FloatArray, B: FloatArray) -> FloatArray:
    """Return s(w, A, B) of unit vectors: mean cosine with A minus mean cosine with B."""
    return (targets @ A.T).mean(axis=1) - (targets @ B.T).mean(axis=1)


@recomputed
def extremes_of_association() -> Iterator[Found]:
    """Check that s(w, A, B) has the extremes ±‖â - b̂‖, along the difference of the means."""
    A, B = rows_of("weat7", "stereotypes")
    direction = A.mean(axis=0) - B.mean(axis=0)
    limit = float(np.linalg.norm(direction))
    reached = float(associations(direction[None] / limit, A, B)[0])
    random = np.random.default_rng(1).standard_normal((10_000, A.shape[1]))
    random /= np.linalg.norm(random, axis=1, keepdims=True)
    largest = abs(associations(random, A, B)).max()
    yield round(reached, 6), {"limit": f"{limit:.6f}", "largest": f"{largest:.3f}"}


@recomputed
def effect_size_extremes() -> Iterator[Found]:
    """Compute WEAT's d for a tiny difference, and for words that all lean but cancel."""
    yield _effect_size(np.full(4, 1e-6), np.full(4, -1e-6))
    yield _effect_size(np.array([0.5, -0.5]), np.array([0.5, -0.5]))


@recomputed
def lemma_1() -> Iterator[Found]:
    """Find the largest absolute sum of m out of n standardized values, in the extreme case."""
    for n, m in ((10, 5), (10, 3), (7, 2)):
        values = np.r_[np.ones(m), np.zeros(n - m)]
        standardized = (values - values.mean()) / values.std()
        sums = [abs(standardized[list(pick)].sum()) for pick in combinations(range(n), m)]
        yield round(max(sums), 6)


@recomputed
def direct_bias_misses() -> Iterator[Found]:
    """Check the paper's example: a biased word has Direct Bias 0, and an unbiased word has 1."""
    x, r = 1.0, 2.0
    A = np.array([[-x, r * x], [-x, -r * x]]) / np.hypot(x, r * x)
    component = np.linalg.svd(np.concatenate([A, -A]))[2][0]
    for word in np.eye(2):
        lean = associations(word[None], A, -A)[0]
        yield round(abs(float(word @ component)), 9), {"lean": f"{abs(lean):.2f}"}


@recomputed
def association_limit() -> Iterator[Found]:
    """Compare ‖â - b̂‖ in table 2, 5.206 for one language model, with its maximum of 2."""
    yield "at most 2"


@recomputed
def attribute_pairs() -> Iterator[Found]:
    """Compare the number of gender pairs with the authors' list for the SAME experiments."""
    yield len(bb.debias.load_defining_sets("same-gender").defining)


def _effect_size(x: FloatArray, y: FloatArray) -> float:
    return float((x.mean() - y.mean()) / np.concatenate([x, y]).std())
