"""Schröder, Schulz, Hinder and Hammer (2024), Semantic properties of cosine based bias scores."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np

import bayesbias as bb

from .claims import Claim, recomputes

at = partial(recomputes, "Schröder et al. (2024), Semantic properties")
DEMO = "glove-demo"
FloatArray = np.ndarray


def rows_of(name: str, kind: str) -> list[FloatArray]:
    """Unit vectors of the groups, or of the stereotypes, of a list in the bundled embedding."""
    wordlist = bb.load_wordlist(name)
    vectors = bb.load_vectors(DEMO, words=wordlist, case="fallback")
    sets = [
        [word for word in words if word in vectors] for words in getattr(wordlist, kind).values()
    ]
    return [vectors.vectors_for_all(words).get_normed_vectors() for words in sets]


def associations(targets: FloatArray, A: FloatArray, B: FloatArray) -> FloatArray:
    """s(w, A, B) of unit vectors, mean cosine with A less mean cosine with B."""
    return (targets @ A.T).mean(axis=1) - (targets @ B.T).mean(axis=1)


@at("theorem 1")
def extremes_of_association() -> Iterator[Claim]:
    """Extremes of s(w, A, B): ±‖â - b̂‖, reached along the difference of the means."""
    A, B = rows_of("weat7", "stereotypes")
    direction = A.mean(axis=0) - B.mean(axis=0)
    limit = float(np.linalg.norm(direction))
    reached = float(associations(direction[None] / limit, A, B)[0])
    random = np.random.default_rng(1).standard_normal((10_000, A.shape[1]))
    random /= np.linalg.norm(random, axis=1, keepdims=True)
    note = f"10,000 random directions reach {abs(associations(random, A, B)).max():.3f}"
    yield Claim("largest s(w, A, B), weat7", round(limit, 6), round(reached, 6), 1e-6, note=note)


@at("theorems 3 and 4")
def effect_size_extremes() -> Iterator[Claim]:
    """WEAT's d at its bound for a tiny difference, and 0 where every word leans."""
    bound = _effect_size(np.full(4, 1e-6), np.full(4, -1e-6))
    nothing = _effect_size(np.array([0.5, -0.5]), np.array([0.5, -0.5]))
    yield Claim("d of X at +1e-6 and Y at -1e-6: comparable", 2.0, bound, 1e-9)
    yield Claim("d where every word leans by .5, both ways: not trustworthy", 0.0, nothing, 1e-9)


@at("lemma 1")
def lemma_1() -> Iterator[Claim]:
    """The largest |sum of m standardized values of n|, searched for in its extreme arrangement."""
    for n, m in ((10, 5), (10, 3), (7, 2)):
        values = np.r_[np.ones(m), np.zeros(n - m)]
        standardized = (values - values.mean()) / values.std()
        sums = [abs(standardized[list(pick)].sum()) for pick in combinations(range(n), m)]
        claim = f"n = {n}, m = {m}: √(m(n - m)) is reached"
        yield Claim(claim, round(float(np.sqrt(m * (n - m))), 6), round(max(sums), 6), 1e-6)


@at("theorem 6")
def direct_bias_misses() -> Iterator[Claim]:
    """Direct Bias of a target along a direction that the first component leaves out."""
    pairs = np.array([[[2, 0, 1], [-2, 0, 1]], [[0, 0.5, 1], [0, -0.5, 1]]])
    units = pairs / np.linalg.norm(pairs, axis=-1, keepdims=True)
    centered = (units - units.mean(axis=1, keepdims=True)).reshape(-1, 3)
    component = np.linalg.svd(centered)[2][0]
    cosines = units[1] @ np.eye(3)[1]
    note = f"its cosines with the second pair are {cosines[0]:+.2f} and {cosines[1]:+.2f}"
    score = round(abs(float(component[1])), 9)
    yield Claim("Direct Bias of a target that leans", 0.0, score, 1e-9, note=note)


@at("table 2")
def association_limit() -> Iterator[Claim]:
    """‖â - b̂‖ of unit vectors is at most 2; table 2 has 5.206 for one language model."""
    A, B = rows_of("gender", "groups")
    note = (
        "the authors' db_weat_examples.ipynb takes mean(norm([A - B], axis=1)) of raw embeddings, "
        "a norm over 25 pairs averaged over dimensions, without a bound. In glove-demo the "
        f"norm for gender is {np.linalg.norm(A.mean(axis=0) - B.mean(axis=0)):.3f}"
    )
    claim = "xlnet-base-cased; largest norm that unit vectors allow"
    yield Claim(claim, 5.206, 2.0, 0, "xlnet-base-cased 5.206", note, comparable=False)


def _effect_size(x: FloatArray, y: FloatArray) -> float:
    return float((x.mean() - y.mean()) / np.concatenate([x, y]).std())
