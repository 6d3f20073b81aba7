"""Debiasing methods compared with their published steps, and soft debiasing with brute force."""

from dataclasses import replace

import numpy as np
import pytest
from builders import cosine, keyed, refused
from debias_toys import (
    EQUALIZE,
    GENDER,
    NEUTRAL,
    PAIRS,
    RELIGION,
    SINGLE,
    SPECIFIC,
    direction_of,
    published_steps,
    toy,
    unit,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import bayesbias as bb
from bayesbias import debias
from bayesbias.debias import (
    DefiningSets,
    debiasing,
    double_hard,
    half_sibling,
    hard,
    multiclass_hard,
    soft,
)
from bayesbias.debias.methods.double_hard import leaning_direction, most_biased
from bayesbias.debias.methods.soft import root, solve
from bayesbias.debias.subspace import Moments
from bayesbias.embeddings.registry import open_embedding
from bayesbias.warnings import LittleRemoved


def test_hard_agrees_with_the_published_algorithm_word_by_word() -> None:
    vectors = bb.load_vectors("glove-demo")
    sets = bb.debias.load_defining_sets("gender").in_case("fallback", vectors)
    pairs, equalize = (
        [members for members in tuples if all(word in vectors for word in members)]
        for tuples in (sets.defining, sets.equalize)
    )
    words = vectors.index_to_key
    rows = dict(zip(words, unit(vectors, words), strict=True))
    expected = published_steps(rows, direction_of(vectors, pairs), sets.kept, equalize)
    copy = vectors.vectors.copy()
    result = hard(vectors, sets)
    assert np.array_equal(vectors.vectors, copy)
    assert result.index_to_key == words
    by_hand = np.stack([expected[word] for word in words])
    np.testing.assert_allclose(result.vectors, by_hand, rtol=0, atol=SINGLE)
    assert len(equalize) > 40


@pytest.mark.parametrize(("sets", "k"), [(GENDER, 1), (GENDER, 3), (RELIGION, 3)])
def test_neutral_words_lose_the_subspace_and_equalized_ones_are_equally_far(sets, k: int) -> None:
    vectors = toy()
    result = multiclass_hard(vectors, sets, k=k)
    centered = [unit(vectors, m) - unit(vectors, m).mean(axis=0) for m in sets.defining]
    directions = np.linalg.svd(np.vstack(centered))[2][:k]
    neutral = unit(result, NEUTRAL)
    assert np.abs(neutral @ directions.T).max() < SINGLE
    assert np.linalg.norm(result.vectors, axis=1) == pytest.approx(1, abs=SINGLE)
    for members in sets.equalize:
        assert np.ptp(unit(result, members) @ neutral.T, axis=0).max() < SINGLE
    if sets is GENDER:
        assert np.array_equal(hard(vectors, sets, k=k).vectors, result.vectors)


def test_too_few_directions_for_triplets_are_warned_of() -> None:
    with pytest.warns(bb.warnings.FewDirections) as told:
        multiclass_hard(toy(), RELIGION, k=1)
    assert told[0].message == bb.warnings.FewDirections(needed=2, k=1)


@settings(max_examples=25)
@given(st.integers(0, 50), st.floats(0.01, 100))
def test_lengths_and_the_order_of_pairs_do_not_matter(seed: int, scale: float) -> None:
    vectors = toy(seed)
    scaled = keyed(tuple(vectors.index_to_key), vectors.vectors * scale)
    turned = replace(
        GENDER,
        defining=tuple(pair[::-1] for pair in PAIRS[::-1]),
        equalize=tuple(pair[::-1] for pair in EQUALIZE[::-1]),
    )
    result = hard(vectors, GENDER).vectors
    # A product of float32 numbers rounds once, and neutralizing may magnify the error tenfold.
    assert hard(scaled, turned).vectors == pytest.approx(result, abs=10 * SINGLE)


def test_the_record_has_what_was_done_and_what_was_missing() -> None:
    sets = DefiningSets(
        (*PAIRS, ("gal", "he")), (*EQUALIZE, ("nun", "monk")), (*SPECIFIC, "gone"), name="more"
    )
    vectors = bb.load_vectors(toy(), words=["SHE", *GENDER.kept, *NEUTRAL], case="fallback")
    result = hard(vectors, sets)
    record = debiasing(result)
    assert (record.method, record.lists) == ("hard", "more")
    assert record.missing == {
        "defining sets": ("gal",),
        "specific words": ("gone",),
        "equalize sets": ("nun", "monk"),
    }
    assert record.sizes == {"defining sets": 3, "equalize sets": 4, "specific words": 2}
    assert debiasing(vectors) is None
    assert bb.resolved_forms(result) == bb.resolved_forms(vectors) == {"SHE": "she"}


@pytest.mark.parametrize(("sets", "alpha"), [(GENDER, 0.5), (GENDER, 60.0), (RELIGION, 2.0)])
def test_half_sibling_subtracts_what_a_ridge_regression_predicts(sets, alpha: float) -> None:
    vectors = toy()
    result = half_sibling(vectors, sets, alpha=alpha)
    design = np.stack([vectors[word] for word in sorted(sets.kept)]).astype(float).T
    penalty = np.sqrt(alpha) * np.eye(design.shape[1])
    for word in NEUTRAL[:20]:
        # Ridge regression as least squares, with added rows for the penalty.
        weights = np.linalg.lstsq(
            np.vstack([design, penalty]),
            np.r_[vectors[word].astype(float), np.zeros(design.shape[1])],
        )[0]
        # Float32 rounds coordinates of about 10 at 5e-7; allow sums of ten.
        assert result[word] == pytest.approx(vectors[word] - design @ weights, abs=1e-5)
    small = 2.0**-27  # a power of two changes no digit
    scaled = keyed(tuple(vectors.index_to_key), vectors.vectors * np.float32(small))
    again = half_sibling(scaled, sets, alpha=alpha * small**2)
    assert again.vectors / small == pytest.approx(result.vectors, abs=1e-5)
    record = debiasing(result)
    assert record.parameters == {"alpha": alpha, "unit": False, "class_words": len(sets.kept)}
    for word in sets.kept:
        assert np.array_equal(result[word], vectors[word])
    huge = half_sibling(vectors, sets, alpha=1e12, unit=True)
    rows = unit(vectors, vectors.index_to_key)
    assert huge.vectors == pytest.approx(rows, abs=SINGLE)
    ones = half_sibling(keyed(tuple(vectors.index_to_key), rows), sets, alpha=alpha)
    same = half_sibling(vectors, sets, alpha=alpha, unit=True)
    # Rounding to float32 before and after; what is subtracted may shorten a row tenfold.
    assert same.vectors == pytest.approx(unit(ones, ones.index_to_key), abs=10 * SINGLE)


def test_double_hard_is_the_published_algorithm() -> None:
    """Compare with the paper's Algorithm 1 for a given component."""
    vectors, component = toy(), 5
    words = tuple(vectors.index_to_key)
    rows = unit(vectors, words)
    rows = rows - rows.mean(axis=0)
    u = np.linalg.svd(rows, full_matrices=False)[2][component - 1]
    moved = {word: row - (row @ u) * u for word, row in zip(words, rows, strict=True)}
    moved = {word: row / np.linalg.norm(row) for word, row in moved.items()}
    halves = np.array([(moved[a] - moved[b]) / 2 for a, b in PAIRS])
    by_hand = published_steps(moved, np.linalg.svd(halves)[2][0], GENDER.kept, EQUALIZE)
    result = double_hard(vectors, GENDER, component=component)
    for word, row in by_hand.items():
        assert result[word] == pytest.approx(row, abs=SINGLE), word
    assert debiasing(result).parameters == {"equalize": True, "component": component}


@pytest.mark.seconds
def test_double_hard_finds_the_component_that_carries_the_clusters() -> None:
    """Words form two clusters along axis 1, and their small lean along axis 0 follows them."""
    random, words = np.random.default_rng(5), tuple(toy().index_to_key)
    rows = 0.3 * random.normal(size=(len(words), 10))
    first = {pair[0] for pair in EQUALIZE}
    for at, word in enumerate(words):
        side = 1 if at % 2 else -1
        if word in GENDER.kept:
            rows[at, 0] += 2 if word in first else -2
        else:
            rows[at, :2] += 0.6 * side, 2 * side
    vectors, options = keyed(words, rows), {"n_words": 20, "candidates": 4}
    result = double_hard(vectors, GENDER, **options)
    record = debiasing(result)
    rows = unit(vectors, words)
    axes = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2]
    component, accuracies = (record.parameters[name] for name in ("component", "accuracies"))
    assert component == 1 + np.abs(axes[:, 1]).argmax()
    assert len(accuracies) == 4
    assert sorted(accuracies)[1] > 0.9 > accuracies[component - 1]
    chosen = double_hard(vectors, GENDER, component=component)
    assert np.array_equal(result.vectors, chosen.vectors)
    again = double_hard(vectors, GENDER, **options, seed=record.parameters["seed"])
    assert debiasing(again) == record


@pytest.mark.parametrize("pair", [(), ("mother", "father")])
def test_the_most_biased_words_are_those_nearer_to_he_than_to_she(pair) -> None:
    """Compare with cos(w, she) - cos(w, he), as in the article and its authors' notebook."""
    vectors = toy()
    lean = leaning_direction(vectors, replace(GENDER, representation=pair))
    words, rows = most_biased(open_embedding(vectors), lean, GENDER.kept, 5, 40)
    assert rows == pytest.approx(unit(vectors, tuple(words)), abs=SINGLE)
    she, he = (vectors[word].tolist() for word in pair or ("she", "he"))
    free = [word for word in vectors.index_to_key[:40] if word not in GENDER.kept]
    free.sort(
        key=lambda word: cosine(vectors[word].tolist(), he) - cosine(vectors[word].tolist(), she)
    )
    assert words == [*free[:5], *free[-5:]]


PAIR = DefiningSets([["gal", "guy"]])
GONE = replace(GENDER, defining=(("gal", "guy"), *PAIRS), representation=("gal", "guy"))
BAD = [
    ("hard", RELIGION, {}, "hard debiasing is for two classes, but 'toy religion'"),
    ("hard", PAIR, {}, "every tuple in defining sets has a word without a vector"),
    ("hard", GENDER, {"subspace": 3}, "unknown option of hard 'subspace'; known: equalize, k"),
    ("multiclass_hard", GENDER, {"k": 0}, r"k must be from 1 to 3, .*; got 0"),
    ("soft", GENDER, {"strength": -1}, "strength must be a finite number of at least 0; got -1"),
    ("soft", GENDER, {"weighting": "means"}, "unknown weighting 'means'; did you mean 'mean'"),
    ("half_sibling", GENDER, {"alpha": 0}, "alpha must be above 0 and finite; got 0"),
    ("double_hard", GONE, {"candidates": 3}, "gal and guy, is not in the embedding"),
    ("double_hard", GENDER, {"component": 9}, r"component must be from 1 to 8, .*; got 9"),
    ("double_hard", GENDER, {"candidates": 3}, "n_words must be from 1 to .*; got 500"),
]


@pytest.mark.parametrize(("name", "sets", "options", "words"), BAD)
def test_what_methods_refuse(name: str, sets: DefiningSets, options: dict, words: str) -> None:
    refused(words, getattr(debias, name), toy(), sets, **options)


def test_vectors_that_have_or_get_no_direction() -> None:
    vectors = toy()
    row = vectors.key_to_index["word3"]
    vectors.vectors[row] = 0
    vectors.vectors[vectors.key_to_index["beard"], 0] = 0  # it has a direction, and is kept
    with pytest.warns(bb.warnings.ZeroVectors) as told:
        result = hard(vectors, GENDER)
    assert told[0].message == bb.warnings.ZeroVectors(1)
    assert not result["word3"].any()
    assert np.isfinite(result.vectors).all()
    vectors.vectors[row] = np.inf
    refused("not finite: word3", hard, vectors, GENDER)
    vectors = toy()
    vectors.vectors[vectors.key_to_index["king"]] = vectors["queen"]
    refused("a word in the equalize set queen, king is at", hard, vectors, GENDER)
    pair = DefiningSets([["she", "he"]])
    few = keyed(("she", "he", "gendered"), np.array([[1.0, -1, 0], [-1, 1, 0], [1, -1, 0]]))
    refused("reduces these vectors to zero: .*gendered", hard, few, pair)
    few = keyed(("she", "he"), np.eye(3)[:2])
    refused("no word in the embedding is neutral", soft, few, pair)
    refused("half_sibling debiasing reduces these", half_sibling, toy(dims=4), GENDER, alpha=1e-9)


def printed(T, W, N, B, strength: float, *, mean: bool) -> float:
    """Return the objective as printed in the papers, with words as columns, entry by entry."""
    inner = (T @ W).T @ (T @ W) - W.T @ W
    bias = (T @ N).T @ (T @ B)
    if mean:
        return (inner**2).mean() + strength * (bias**2).mean()
    return (inner**2).sum() + strength * (bias**2).sum()


def solved(W, N, B, strength: float, *, mean: bool) -> np.ndarray:
    sums = Moments(W.shape[1], N.shape[1], W.sum(axis=1), W @ W.T, N @ N.T)
    return solve(sums, B.T, strength, "mean" if mean else "sum")[0]


def brute_force(W, N, B, strength: float, *, mean: bool) -> float:
    """Minimize the printed objective over all T by descent from several starts."""
    dims = len(W)

    def value(entries):
        return printed(entries.reshape(dims, dims), W, N, B, strength, mean=mean)

    random = np.random.default_rng(9)
    starts = [np.eye(dims).ravel(), *random.normal(size=(2, dims**2))]
    best = min((minimize(value, start, method="BFGS") for start in starts), key=lambda r: r.fun)
    options = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 20_000, "maxfev": 20_000}
    return float(minimize(value, best.x, method="Nelder-Mead", options=options).fun)


PROBLEMS = [(seed, 4, dims, strength) for seed, dims in ((0, 2), (1, 3)) for strength in (0.2, 5)]
BOUND = [(3, 1, 3, 5.0), (17, 2, 3, 50.0)]
"""Seed, neutral words, dimensions, and strength with an indefinite unconstrained optimum."""


@pytest.mark.parametrize("mean", [True, False])
@pytest.mark.parametrize(("seed", "size", "dims", "strength"), [*PROBLEMS, *BOUND])
def test_it_finds_what_brute_force_finds(seed, size, dims, strength, mean) -> None:
    random = np.random.default_rng(seed)
    W = random.normal(size=(dims, 7))
    W /= np.linalg.norm(W, axis=0)
    n_directions = 1 + (strength == 0.2 and dims == 3)
    N, B = W[:, :size], np.linalg.qr(random.normal(size=(dims, n_directions)))[0]
    best = brute_force(W, N, B, strength, mean=mean)
    gram = solved(W, N, B, strength, mean=mean)
    # The first sum is a product of four vectors, and the other one of two and unit directions.
    scaled = solved(1e-5 * W, 1e-5 * N, B, 1e-10 * strength, mean=mean)
    np.testing.assert_allclose(scaled, gram, atol=1e-6)
    assert np.linalg.eigvalsh(gram)[0] > -1e-8
    ours = printed(root(gram), W, N, B, strength, mean=mean)
    # Descent stops at differences of 1e-8, so it is accurate to about 1e-5 and never below ours.
    assert ours <= best * (1 + 1e-8) + 1e-13
    assert ours == pytest.approx(best, rel=1e-5, abs=1e-11)


def test_the_stronger_the_less_bias_is_left() -> None:
    vectors = toy()
    assert debiasing(soft(vectors, GENDER, strength=0)).parameters["bias_left"] == 1
    with pytest.warns(LittleRemoved):
        slight = soft(vectors, GENDER, strength=1e-6, weighting="sum")
    # The map departs from the identity in proportion to the strength, at most by λ·d.
    assert slight.vectors == pytest.approx(unit(vectors, vectors.index_to_key), abs=1e-5 + SINGLE)
    few = soft(toy(dims=100), GENDER, strength=5)  # fewer words than dimensions
    assert debiasing(few).parameters["bias_left"] < 0.5
    left = [
        debiasing(soft(vectors, GENDER, strength=strength)).parameters["bias_left"]
        for strength in (0.2, 1, 10, 1000, 1e6)
    ]
    assert left == sorted(left, reverse=True)
    assert left[0] < 0.8
    assert left[3] < 0.01
    # Bias is measured through TᵀT: words and direction are orthogonal only after the map.
    assert left[4] < 1e-4


def test_bias_left_is_that_of_the_words_before_they_are_made_unit() -> None:
    vectors = toy()
    result = soft(vectors, GENDER, strength=1)
    g = direction_of(vectors)
    words = tuple(vectors.index_to_key)
    before = unit(vectors, words)
    neutral = unit(vectors, tuple(word for word in words if word not in GENDER.kept))
    T = root(solved(before.T, neutral.T, g[:, None], 1.0, mean=True))
    moved = before @ T
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    assert result.vectors == pytest.approx(moved, abs=SINGLE)
    share = np.linalg.norm(neutral @ T @ T @ g) / np.linalg.norm(neutral @ g)
    assert debiasing(result).parameters["bias_left"] == pytest.approx(share)


def test_three_classes_and_all_words_change() -> None:
    vectors = toy()
    result = soft(vectors, RELIGION, strength=10)
    assert debiasing(result).parameters["k"] == 2
    assert not np.allclose(unit(vectors, ("rabbi",)), result["rabbi"])
    assert np.linalg.norm(result.vectors, axis=1) == pytest.approx(1, abs=SINGLE)
