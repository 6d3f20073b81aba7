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


@at("theorem 1", "4.1")
def extremes_of_association() -> Iterator[Claim]:
    """Check that s(w, A, B) has the extremes ±‖â - b̂‖, along the difference of the means."""
    A, B = rows_of("weat7", "stereotypes")
    direction = A.mean(axis=0) - B.mean(axis=0)
    limit = float(np.linalg.norm(direction))
    reached = float(associations(direction[None] / limit, A, B)[0])
    random = np.random.default_rng(1).standard_normal((10_000, A.shape[1]))
    random /= np.linalg.norm(random, axis=1, keepdims=True)
    largest = abs(associations(random, A, B)).max()
    note = f"‖â - b̂‖ = {limit:.6f}; 10,000 random directions reach {largest:.3f}"
    quoted = "of WEAT is not magnitude-comparable."
    values = (round(limit, 6), round(reached, 6), 1e-6, quoted, note)
    yield Claim("largest s(w, A, B), weat7 in glove-demo", *values, shown="‖â - b̂‖")


@at("theorems 3 and 4", "4.1")
def effect_size_extremes() -> Iterator[Claim]:
    """Compute WEAT's d for a tiny difference, and for words that all lean but cancel."""
    bound = _effect_size(np.full(4, 1e-6), np.full(4, -1e-6))
    nothing = _effect_size(np.array([0.5, -0.5]), np.array([0.5, -0.5]))
    quoted = "the effect size reaches its extreme values only if all"
    yield Claim("d of X at +1e-6 and Y at -1e-6: magnitude-comparable", 2.0, bound, 1e-9, quoted)
    quoted = "WEAT can report no bias even if the embeddings contain associations"
    claim = "d if every word leans by .5, half each way: not unbiased-trustworthy"
    yield Claim(claim, 0.0, nothing, 1e-9, quoted)


@at("lemma 1", "APPENDIX")
def lemma_1() -> Iterator[Claim]:
    """Find the largest absolute sum of m out of n standardized values, in the extreme case."""
    for n, m in ((10, 5), (10, 3), (7, 2)):
        values = np.r_[np.ones(m), np.zeros(n - m)]
        standardized = (values - values.mean()) / values.std()
        sums = [abs(standardized[list(pick)].sum()) for pick in combinations(range(n), m)]
        claim = f"n = {n}, m = {m}: √(m(n - m)) is reached"
        bound = round(float(np.sqrt(m * (n - m))), 6)
        yield Claim(claim, bound, round(max(sums), 6), 1e-6, "the bound is obtained if and only if")


@at("theorem 6", "4.2")
def direct_bias_misses() -> Iterator[Claim]:
    """Check the paper's example: a biased word has Direct Bias 0, and an unbiased word has 1."""
    x, r = 1.0, 2.0
    A = np.array([[-x, r * x], [-x, -r * x]]) / np.hypot(x, r * x)
    component = np.linalg.svd(np.concatenate([A, -A]))[2][0]
    none, most = "but the Direct Bias would report no bias.", "the Direct Bias would report bmax=1"
    for claim, printed, word, quoted in (
        ("biased word", 0, np.array([1.0, 0.0]), none),
        ("word as close to A as to C", 1, np.array([0.0, 1.0]), most),
    ):
        lean = associations(word[None], A, -A)[0]
        found = round(abs(float(word @ component)), 9)
        note = f"its mean cosines with A and C differ by {abs(lean):.2f}"
        yield Claim(f"Direct Bias of the {claim}", printed, found, 1e-9, quoted, note)


@at("table 2", "5.2")
def association_limit() -> Iterator[Claim]:
    """Compare ‖â - b̂‖ in table 2, 5.206 for one language model, with its maximum of 2."""
    note = (
        "theorem 1 defines â and b̂ as means of unit vectors, so this norm is at most 2. The "
        "authors' notebook (db_weat_examples.ipynb, 751dafa) computes another quantity (mean over "
        "dimensions of a norm over 25 pairs), so the table does show that models differ, but on "
        "another scale. Nine of the ten values are in the notebook's output. For albert-base-v2, "
        "the notebook has 1.126, and the table has 1.123, the value of bert-large-uncased"
    )
    claim = "xlnet-base-cased: norm, at most 2 for unit vectors"
    yield Claim(claim, 5.206, "at most 2", 0, "xlnet-base-cased 5.206", note)


@at("section 5", "5")
def attribute_pairs() -> Iterator[Claim]:
    """Compare the number of gender pairs with the authors' list for the SAME experiments."""
    found = len(bb.debias.load_defining_sets("same-gender").defining)
    note = "the paper prints one pair, man and woman; the list for the SAME experiments has 25"
    values = ("pairs of gender attributes", 25, found, 0, "based on 25 attributes per gender")
    yield Claim(*values, note=note, comparable=False)


def _effect_size(x: FloatArray, y: FloatArray) -> float:
    return float((x.mean() - y.mean()) / np.concatenate([x, y]).std())
