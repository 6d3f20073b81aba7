"""Background distributions against brute force, closed forms, and sets planted where theory says.

The brute-force oracle is `psi_of`, mean cosines word by word, which shares nothing with the walk
of the file or the compiled product.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import bayesbias as bb
from bayesbias import background as bg
from bayesbias.background import projection
from bayesbias.background.frames import CUTS
from bayesbias.background.normal_fit import normal_fit, qq
from bayesbias.background.relative_bias import random_rows, relative_bias
from bayesbias.embeddings.formats.pieces import Look, Piece, piece_of
from bayesbias.embeddings.formats.whole import array_blocks
from bayesbias.embeddings.vocabulary import table_of
from bayesbias.scores.weam import psi_of

ROUNDING = 3e-7
"""Of ψ in [-2, 2]: unit vectors, directions and sums of products in float32 round by 6e-8 each."""


def keyed(words: list[str], matrix: np.ndarray) -> Any:
    vectors = KeyedVectors(matrix.shape[1])
    vectors.add_vectors(words, matrix.astype(np.float32))
    return vectors


@pytest.fixture(scope="module")
def toy() -> Any:
    """3,000 words of 37 dimensions, which is no multiple of anything."""
    rng = np.random.default_rng(11)
    return keyed([f"w{i}" for i in range(3000)], rng.standard_normal((3000, 37)) + 0.2)


Z, Z2 = ["w2", "w2999", "w40", "absent"], ["w7", "w1500"]


def brute(vectors: Any, Z: list[str], Z2: list[str]) -> np.ndarray:
    here = [[w for w in side if w in vectors] for side in (Z, Z2)]
    return psi_of(vectors.vectors, vectors[here[0]], vectors[here[1]])


# -- one value a word -------------------------------------------------------------------------


def test_psi_is_that_of_every_single_word(toy: Any) -> None:
    found = bb.background.distribution(toy, Z, Z2)
    expected = brute(toy, Z, Z2)
    assert_allclose(found.psi, expected, atol=ROUNDING)
    assert (found.Z, found.Z2) == (("w2", "w2999", "w40"), ("w7", "w1500"))
    assert found.missing == ("absent",)
    assert found.mean == pytest.approx(expected.mean(), abs=ROUNDING)
    assert found.sd == pytest.approx(expected.std(ddof=1), abs=ROUNDING)
    assert list(found.vocabulary)[:3] == ["w0", "w1", "w2"]
    assert "3,000 words" in repr(found)


def write(vectors: Any, folder: Path, kind: str) -> Path:
    path = folder / f"toy{kind}"
    if kind:
        vectors.save_word2vec_format(str(path), binary=".bin" in kind)
    else:
        bb.convert_vectors(vectors, path)
    return path


@pytest.mark.parametrize("kind", [".bin", ".bin.gz", ".txt", ".vec.gz", ""])
def test_every_source_and_blocks_of_any_size_give_the_same_numbers(
    toy: Any, tmp_path: Path, kind: str
) -> None:
    """Bit for bit; the last attribute word is the last word of the file, and none is the first."""
    path = write(toy, tmp_path, kind)
    expected = bg.distribution(toy, Z, Z2).psi
    for rows in (None, 1, 7, 1000, 3000, 9999):
        found = bg.distribution(path, Z, Z2, rows=rows, progressbar=False)
        assert_array_equal(found.psi, expected)


def products(block: Any, directions: Any) -> Any:
    look = Look.of(table_of([]), directions)
    return piece_of(block, lambda _: look).products


@given(
    n=st.integers(1, 9),
    dims=st.integers(1, 70),
    count=st.integers(1, 6),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_compiled_product_is_the_product(n: int, dims: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, directions = rng.standard_normal((n, dims)), rng.standard_normal((count, dims))
    (block,) = array_blocks([f"w{i}" for i in range(n)], rows.astype(np.float32))
    found = products(block, directions)
    exact = block.vectors.astype(np.float64)
    expected = directions @ (exact / np.linalg.norm(exact, axis=1, keepdims=True)).T
    # float32 rounds by 6e-8: a unit vector, a direction and a sum, each by at most its length.
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    assert (np.abs(found - expected) < 2e-7 * lengths).all()


@pytest.mark.parametrize("power", [-124, -80, -34, -33, 0, 31, 32, 33, 80, 124])
def test_lengths_of_vectors_make_no_difference(power: int) -> None:
    """Also where squares leave float32; powers of two, which the numbers themselves survive."""
    rng = np.random.default_rng(7)
    rows = (rng.uniform(1, 2, (7, 9)) * rng.choice([-1, 1], (7, 9))).astype(np.float32)
    directions = rng.standard_normal((2, 9))
    scaled = rows.copy()
    scaled[2:4] *= np.float32(2.0) ** power
    found = [
        products(block, directions)
        for matrix in (rows, scaled)
        for block in array_blocks(list("abcdefg"), matrix)
    ]
    # float32 rounds by 6e-8: a unit vector, a direction of length 3 or so, and a sum.
    assert_allclose(found[1], found[0], atol=1e-6)


def test_many_experiments_in_one_walk(toy: Any) -> None:
    pairs = {f"e{i}": ([f"w{i}", "w19"], [f"w{i + 20}"]) for i in range(9)}
    found = bg.distributions(toy, pairs)
    for name, (first, second) in pairs.items():
        assert_allclose(found[name].psi, brute(toy, first, second), atol=ROUNDING)
    assert len({id(each.vocabulary) for each in found.values()}) == 1


def test_room_for_words_grows(toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = bg.distribution(toy, Z, Z2)
    monkeypatch.setattr("bayesbias.background.projection.ROOM", 7)
    found = bg.distribution(toy, Z, Z2, rows=11)
    assert_array_equal(found.psi, expected.psi)
    assert list(found.vocabulary) == list(expected.vocabulary)


class Walks:
    """Walks of words and vectors in pieces of ten, that tell how many pieces each has given."""

    def __init__(self, *embeddings: tuple[list[str], Any]) -> None:
        self.embeddings = embeddings
        self.given: list[int] = []

    def __call__(self, looks: Any, *, first: int | None = None) -> Iterator[Piece]:
        words, matrix = self.embeddings[min(len(self.given), len(self.embeddings) - 1)]
        self.given.append(0)
        for block in array_blocks(words, matrix, 10):
            self.given[-1] += 1
            yield piece_of(block, looks)


def test_vectors_of_different_lengths_are_refused(toy: Any) -> None:
    def walk(looks: Any, *, first: int | None = None) -> Iterator[Piece]:
        for words, matrix in ((["a", "b"], toy.vectors[:2]), (["c"], toy.vectors[:1, :9])):
            for block in array_blocks(words, matrix):
                yield piece_of(block, looks)

    with pytest.raises(ValueError, match="vectors of 37 and of 9 dimensions"):
        projection.project(walk, [(["a"], ["c"])], "exact")


@pytest.mark.parametrize(
    ("Z", "given"),
    [
        (["w3", "w25"], [2, 300, 3]),  # a piece without attribute words ends the first look
        (["w3", "w15"], [2, 300]),  # so does the last of them
        (["w3", "W2"], [2, 300]),
        (["w3", "w1502"], [2, 300, 151]),
        (["w3", "w2999"], [2, 300, 300]),
        (["w3", "absent"], [2, 300]),
    ],
)
def test_no_more_is_walked_than_has_to_be(toy: Any, Z: list[str], given: list[int]) -> None:
    walks = Walks((toy.index_to_key, toy.vectors))
    found = projection.project(walks, [(Z, ["w1"])], "fallback")
    assert walks.given == given
    here = [word.lower() for word in Z if word != "absent"]
    assert_allclose(found.psi[0], brute(toy, list(dict.fromkeys(here)), ["w1"]), atol=ROUNDING)


@pytest.mark.parametrize("change", ["shorter", "other words"])
def test_an_embedding_that_changes_between_two_walks_is_refused(toy: Any, change: str) -> None:
    words, matrix = toy.index_to_key[:100], toy.vectors[:100]
    other = (words[:50], matrix[:50]) if change == "shorter" else (words[::-1], matrix)
    walks = Walks((words, matrix), (words, matrix), other)
    with pytest.raises(ValueError, match="the embedding changed while it was read; try again"):
        projection.project(walks, [(["w3"], ["w95"])], "exact")


@pytest.mark.parametrize("case", ["exact", "lower", "fallback"])
def test_how_words_are_looked_up(case: str) -> None:
    rng = np.random.default_rng(2)
    vectors = keyed(["paul", "Paul", "ann", "x", "Y", "y"], rng.standard_normal((6, 5)))
    if case == "exact":
        with pytest.raises(ValueError, match=r"none of the 1 words of Z is in the embedding .Ann"):
            bg.distribution(vectors, ["Ann"], ["Y"], case=case)
        return
    found = bg.distribution(vectors, ["Ann"], ["Y"], case=case)
    loaded = bb.load_vectors(vectors, ["Ann", "Y", "Paul"], case=case)
    expected = psi_of(vectors.vectors, loaded[["Ann"]], loaded[["Y"]])
    assert_allclose(found.psi, expected, atol=ROUNDING)
    row = {"lower": 0, "fallback": 1}[case]
    assert found.psi_of(["Paul", "nobody"]).to_dict() == {"Paul": found.psi[row]}


# -- what is left out or refused --------------------------------------------------------------


def test_words_without_a_direction_are_left_out_with_a_word(toy: Any) -> None:
    matrix = toy.vectors[:50].copy()
    matrix[3], matrix[9, 0] = 0.0, np.nan
    vectors = keyed([f"w{i}" for i in range(50)], matrix)
    with pytest.warns(UserWarning, match=r"2 word.s. have no direction .*'w3', 'w9'"):
        found = bg.distribution(vectors, ["w1"], ["w2"])
    assert len(found.psi) == len(found.vocabulary) == 48
    assert np.isfinite(found.psi).all()
    assert found.psi_of(["w3", "w4"]).index.tolist() == ["w4"]
    good = np.delete(matrix, [3, 9], axis=0)
    assert_allclose(found.psi, psi_of(good, matrix[[1]], matrix[[2]]), atol=ROUNDING)


def test_experiments_without_words_are_refused_or_left_out_with_a_word(toy: Any) -> None:
    made = {
        "whole": bg.Experiment("whole", ("w5",), ("w6",), ("w1",), ("w2",)),
        "no X": bg.Experiment("no X", ("W5", "Adam"), ("w6",), ("w1",), ("w2",)),
        "no Z": bg.Experiment("no Z", ("w5",), ("w6",), ("x",), ("w2",)),
    }
    with pytest.raises(ValueError, match="no Z: none of the 1 words of Z is in the embedding"):
        bg.distributions(toy, made)
    with pytest.warns(UserWarning, match="it is left out") as told:
        found = bg.distributions(toy, made, lacking="skip")
    assert list(found) == ["whole"]
    texts = [str(each.message) for each in told]
    assert texts[0] == (
        "no X: none of the 2 words of X is in the vocabulary (W5, Adam); 1 of them are there in "
        'lower case: pass case="fallback"; it is left out'
    )
    assert texts[1].startswith("no Z: none of the 1 words of Z")
    with pytest.raises(ValueError, match="no Z: none"):
        bg.distributions(toy, {"no Z": made["no Z"]}, lacking="skip")
    with pytest.raises(ValueError, match="unknown lacking 'skp'; did you mean 'skip'"):
        bg.distributions(toy, made, lacking="skp")


def test_an_attribute_without_a_direction(toy: Any) -> None:
    matrix = toy.vectors[:9].copy()
    matrix[3] = 0.0
    with pytest.raises(ValueError, match="attribute word 'w3' is all zeros or not finite"):
        bg.distribution(keyed([f"w{i}" for i in range(9)], matrix), ["w3"], ["w2"])


def test_words_that_stand_twice(tmp_path: Path) -> None:
    path = tmp_path / "twice.txt"
    path.write_text("a 1 2\nb 3 -4\na 5 6\nc 7 8\nd -1 1\nb 0 1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"2 word.s. stand .*more than once \('a', 'b'\).*first"):
        bg.distribution(path, ["a"], ["b"])
    found = bg.distribution(path, ["a"], ["b"], duplicates="first")
    assert list(found.vocabulary) == ["a", "b", "c", "d"]
    rows = np.array([[1, 2], [3, -4], [7, 8], [-1, 1]])
    assert_allclose(found.psi, psi_of(rows, rows[[0]], rows[[1]]), atol=ROUNDING)
    with pytest.raises(ValueError, match="unknown duplicates 'last'"):
        bg.distribution(path, ["a"], ["b"], duplicates="last")


@pytest.mark.parametrize(
    ("Z", "Z2", "error", "what"),
    [
        ("w1", ["w2"], TypeError, "Z must be a list of words; got the string 'w1'"),
        (["w1"], [], ValueError, "Z2 is empty"),
        (["w1", "w1"], ["w2"], ValueError, "Z holds 'w1' more than once"),
        (["x", "y"], ["w2"], ValueError, r"none of the 2 words of Z is .*\(x, y\).*case=\"lower\""),
    ],
)
def test_bad_attribute_sets(toy: Any, Z: Any, Z2: Any, error: type[Exception], what: str) -> None:
    with pytest.raises(error, match=what):
        bg.distribution(toy, Z, Z2)


def test_a_vocabulary_that_is_too_small(toy: Any) -> None:
    two = keyed(["a", "b"], toy.vectors[:2])
    with pytest.raises(ValueError, match="holds 2 words with a direction; a background needs 3"):
        bg.distribution(two, ["a"], ["b"])
    few = bg.distribution(keyed([*"abcdefg"], toy.vectors[:7]), ["a"], ["b"])
    with pytest.raises(ValueError, match="has 5 words, fewer than the 6 that sets of 3 and 3 need"):
        few.among(0, 5).relative_bias([*"abc"], [*"def"])
    with pytest.raises(ValueError, match="a set of 7 words leaves none of the 7"):
        few.phi([*"abcdefg"], against="sets")
    with pytest.raises(ValueError, match="ranks 5 to None of 7 words hold 2"):
        few.among(5)
    words = bb.WordList("l", {"x": [*"abc"], "y": [*"def"]}, {"x": ["g"], "y": ["h"]})
    other = keyed([*"abcdefghijkl"], toy.vectors[:12])
    with pytest.raises(ValueError, match="has 4 words to choose from, fewer than the 6"):
        bg.random_lists(other, words, lists=2)


def test_a_file_that_is_damaged_behind_all_words_asked_for(toy: Any, tmp_path: Path) -> None:
    path = tmp_path / "toy.bin"
    toy.save_word2vec_format(str(path), binary=True)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match="ends within entry 3,000 of the 3,000"):
        bg.distribution(path, ["w1"], ["w2"])


def test_a_background_that_does_not_vary() -> None:
    same = keyed([*"abcd"], np.ones((4, 3)))
    found = bg.distribution(same, ["a"], ["b"])
    with pytest.raises(ValueError, match="does not vary"):
        found.phi(["c"])
    with pytest.raises(ValueError, match="the same for all words"):
        _ = found.fit


# -- Φ ----------------------------------------------------------------------------------------

N = 200_000
"""Words of a background that is known: enough for its mean and sd to be good to 0.3%."""


@pytest.fixture(scope="module")
def planted() -> bg.Distribution:
    """ψ ~ Normal(0.02, 0.05) by construction, with words planted at known places.

    In the plane of e1 and e2 with Z = e1 and Z2 = -e1, a unit vector (c, sqrt(1 - c²)) has
    ψ = 2c: any value can be given to any word.
    """
    rng = np.random.default_rng(3)
    psi = 0.02 + 0.05 * rng.standard_normal(N)
    psi[:2] = 2.0, -2.0
    psi[10:14] = 0.02 + 0.05 * np.array([1.5, 2.5, 1.9, 2.1])  # mean 2 sd up
    psi[20:22] = 0.0
    c = psi / 2
    words = ["up", "down", *(f"w{i}" for i in range(2, N))]
    rows = np.column_stack([c, np.sqrt(1 - c**2)]).astype(np.float32)
    vectors = KeyedVectors(2)
    vectors.index_to_key, vectors.vectors = words, rows
    vectors.key_to_index = {word: row for row, word in enumerate(words)}
    return bg.distribution(vectors, ["up"], ["down"])


UP = [f"w{i}" for i in range(10, 14)]

NEAR = 0.01
"""Mean and sd of 200,000 draws: standard errors of 0.0022 and 0.0016 sd, and Φ is flatter."""


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({}, stats.norm.cdf(2)),
        ({"tail": "upper"}, stats.norm.sf(2)),
        ({"tail": "one"}, stats.norm.sf(2)),
        ({"tail": "two"}, 2 * stats.norm.sf(2)),
        ({"about": "zero"}, stats.norm.cdf(2.4)),
        ({"about": "zero", "tail": "two"}, 2 * stats.norm.sf(2.4)),
        ({"kind": "empirical"}, stats.norm.cdf(2)),
        ({"kind": "empirical", "about": "zero"}, stats.norm.cdf(2.4)),
        ({"kind": "empirical", "tail": "two"}, 2 * stats.norm.sf(2)),
        ({"against": "sets"}, stats.norm.cdf(4)),
        ({"against": "sets", "tail": "upper"}, stats.norm.sf(4)),
        ({"against": "sets", "kind": "empirical"}, stats.norm.cdf(4)),
    ],
)
def test_a_planted_set_gets_the_phi_that_theory_says(
    planted: bg.Distribution, choice: dict[str, Any], expected: float
) -> None:
    """Mean ψ two sd above the mean, 2.4 above 0, and four sd of means of four words."""
    assert planted.phi(UP, **choice) == pytest.approx(expected, abs=NEAR, rel=0.05)


def test_zero_is_not_the_baseline(planted: bg.Distribution) -> None:
    at_zero = ["w20", "w21"]
    assert planted.phi(at_zero, "zero") == pytest.approx(0.5, abs=1e-6)
    assert planted.phi(at_zero) == pytest.approx(stats.norm.cdf(-0.4), abs=NEAR)


def test_tails_fit_together(planted: bg.Distribution) -> None:
    for kind in ("normal", "empirical"):
        lower, upper, one, two = (
            planted.phi(UP, tail=tail, kind=kind) for tail in ("lower", "upper", "one", "two")
        )
        assert lower + upper == pytest.approx(1, abs=1e-12)
        assert one == min(lower, upper)
        assert two == 2 * one


def test_empirical_ranks_count_ties_half(toy: Any) -> None:
    found = bg.distribution(toy, ["w1"], ["w2"])
    order = np.argsort(found.psi)
    middle = f"w{order[700]}"
    assert found.phi([middle], kind="empirical") == pytest.approx(700.5 / 3000, abs=1e-15)


def test_phi_leaves_missing_words_out_and_refuses_what_it_cannot_do(toy: Any) -> None:
    found = bg.distribution(toy, ["w1"], ["w2"])
    assert found.phi(["w5", "w6", "absent"]) == found.phi(["w6", "w5"])
    with pytest.raises(ValueError, match=r"none of the 2 words of the set is in .*absent, no"):
        found.phi(["absent", "no"])
    with pytest.raises(ValueError, match="the set is empty"):
        found.phi([])
    with pytest.raises(TypeError, match=r"for one word pass \['w1'\]"):
        found.phi("w1")
    for name, wrong in (("about", "mean"), ("tail", "three"), ("kind", "t"), ("against", "all")):
        with pytest.raises(ValueError, match=f"unknown {name} '{wrong}'"):
            found.phi(["w1"], **{name: wrong})


# -- the fit ----------------------------------------------------------------------------------


def test_moments_and_distances_as_scipy_has_them() -> None:
    values = np.sort(np.random.default_rng(5).gamma(3, size=5000))
    fit = normal_fit(values)
    z = (values - values.mean()) / values.std(ddof=1)
    assert fit.skew == pytest.approx(stats.skew(values), rel=1e-9)
    assert fit.kurtosis == pytest.approx(stats.kurtosis(values), rel=1e-9)
    assert fit.ks == pytest.approx(stats.kstest(z, "norm").statistic, rel=1e-9)
    assert fit.outside_95 == pytest.approx((np.abs(z) > stats.norm.ppf(0.975)).mean(), abs=1e-12)
    assert fit.largest_gap > 1  # the 99.9% quantile of a gamma(3) lies 1.7 sd beyond a Normal's


def test_a_normal_background_fits(planted: bg.Distribution) -> None:
    fit = planted.fit
    # Standard errors at 200,000 draws: skew .0055, kurtosis .011, share .0005.
    assert abs(fit.skew) < 0.03
    assert fit.outside_95 == pytest.approx(0.05, abs=0.003)
    assert fit.ks < 0.005  # 1.95/sqrt(n), the .001 point of Kolmogorov's distribution, is .0044
    frame = planted.qq(9)
    middle = frame[frame["probability"].between(0.04, 0.96)]
    assert middle["gap"].abs().max() < 0.03


def test_quantiles_beside_quantiles() -> None:
    frame = qq(np.sort(np.random.default_rng(1).standard_normal(1000)), 5)
    assert {0.1, 0.3, 0.5, 0.7, 0.9, 0.001, 0.999} <= set(frame["probability"].round(6))
    assert frame["probability"].is_monotonic_increasing
    with pytest.raises(ValueError, match="points must be a whole number from 1 on; got 0"):
        qq(np.arange(9.0), 0)


# -- relative bias ----------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 1), (1, 3), (2, 2)])
def test_the_closed_form_is_that_of_all_pairs_of_sets(n: int, m: int) -> None:
    """Every ordered choice of n + m of six words, by brute force."""
    values = np.array([0.3, -1.2, 2.5, 0.1, 0.9, -0.4])
    every = np.array([values[list(p)] for p in permutations(range(6), n + m)])
    statistic = every[:, :n].sum(axis=1) - every[:, n:].sum(axis=1)
    found = relative_bias(values, values[:n], values[n : n + m], draws=10, seed=1)
    assert found.expected == pytest.approx(statistic.mean(), abs=1e-12)
    assert found.sd == pytest.approx(statistic.std(), abs=1e-12)


@pytest.mark.parametrize(("n", "m", "total"), [(8, 8, 5000), (25, 10, 5000), (20, 30, 60)])
def test_the_closed_form_against_simulation(n: int, m: int, total: int) -> None:
    """Large vocabularies, and one that the sets nearly use up, which takes the other sampler."""
    values = np.random.default_rng(4).gamma(2, size=total)
    draws = 20_000
    found = relative_bias(values, values[:n], values[n : n + m], draws=draws, seed=2)
    assert found.draws.shape == (draws,)
    # Four standard errors of the mean and, for near-Normal sums, of the sd.
    assert abs(found.draws.mean() - found.expected) < 4 * found.sd / np.sqrt(draws)
    assert found.draws.std() == pytest.approx(found.sd, rel=4 / np.sqrt(2 * draws) + 0.005)
    assert found.p_normal() == pytest.approx(found.p_simulated(), abs=0.02)


@pytest.mark.parametrize(("n_words", "size"), [(10_000, 20), (8, 5), (5, 5)])
def test_random_sets_hold_no_word_twice_and_every_word_as_often(n_words: int, size: int) -> None:
    rows = random_rows(n_words, size, 4000, np.random.default_rng(6))
    ranked = np.sort(rows, axis=1)
    assert (ranked[:, 1:] > ranked[:, :-1]).all()
    assert ranked.min() >= 0
    assert ranked.max() < n_words
    if n_words < 10:
        # Each word in each place: 4,000/n_words times, sd below 28; five of them.
        for column in rows.T:
            counts = np.bincount(column, minlength=n_words)
            assert np.abs(counts - 4000 / n_words).max() < 140


def test_equal_seeds_give_equal_draws_however_many_go_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = np.random.default_rng(1).standard_normal(500)
    first = bg.random_sums(values, (3, 2), 1000, seed=7)
    assert_array_equal(first, bg.random_sums(values, (3, 2), 1000, seed=7))
    assert (first != bg.random_sums(values, (3, 2), 1000, seed=8)).any()
    with pytest.raises(ValueError, match=r"must be 1 or more; got 0 and \(3,\)"):
        bg.random_sums(values, (3,), 0)


def test_p_values_of_a_planted_pair(planted: bg.Distribution) -> None:
    """Σ over four words two sd up less that over four at the mean: 8 sd of ψ, z = 8/sqrt(8)."""
    level = [f"w{i}" for i in np.argsort(np.abs(planted.psi - planted.mean))[:4]]
    found = planted.relative_bias(UP, level, draws=20_000, seed=1)
    assert found.z == pytest.approx(8 / np.sqrt(8), abs=0.03)
    assert found.p_normal() == pytest.approx(2 * stats.norm.sf(8 / np.sqrt(8)), rel=0.1)
    # 20,000 draws at p = .0047: standard error .0005.
    assert found.p_simulated() == pytest.approx(found.p_normal(), abs=0.002)
    assert found.p_simulated("greater") == pytest.approx(found.p_normal("greater"), abs=0.002)
    assert found.p_simulated("less") > 0.99
    with pytest.raises(ValueError, match="unknown alternative 'both'"):
        found.p_normal("both")  # type: ignore[arg-type]


def test_p_values_are_never_zero_and_need_disjoint_sets(toy: Any) -> None:
    found = bg.distribution(toy, ["w1"], ["w2"])
    order = np.argsort(found.psi)
    best, worst = ([f"w{i}" for i in part] for part in (order[-9:], order[:9]))
    assert found.relative_bias(best, worst, draws=99).p_simulated() == 1 / 100
    with pytest.raises(ValueError, match="X and Y share w5; take"):
        found.relative_bias(["w4", "w5"], ["w5", "w6"])


# -- experiments, frames, reading -------------------------------------------------------------


def test_the_ten_experiments_of_caliskan() -> None:
    made = bg.experiments()
    assert list(made) == [f"weat{i}" for i in range(1, 11)]
    first = made["weat1"]
    assert first.labels == ("flowers", "insects", "pleasant", "unpleasant")
    assert (len(first.X), len(first.Y), len(first.Z), len(first.Z2)) == (25, 25, 25, 25)
    assert first.X[0] == "aster"
    assert first.Z2[0] == "abuse"


def test_lists_of_more_groups_make_an_experiment_of_every_pair() -> None:
    made = bg.experiments(["religion"])
    assert len(made) == 3
    assert all(name.startswith("religion: ") for name in made)
    with pytest.raises(ValueError, match=r"list 'neutral' has 0 group\(s\) with stereotypes"):
        bg.experiments(["neutral"])
    with pytest.raises(ValueError, match="there are no word lists"):
        bg.experiments([])


@pytest.fixture(scope="module")
def three(planted: bg.Distribution) -> tuple[dict[str, Any], dict[str, Any]]:
    """Experiments on the planted background that must get three different readings."""
    order = np.argsort(planted.psi)
    high = tuple(f"w{i}" for i in order[-30:-1:2] if i > 1)
    low = tuple(f"w{i}" for i in order[1:30:2] if i > 1)
    level = tuple(f"w{i}" for i in np.argsort(np.abs(planted.psi - planted.mean))[:15])
    made = {
        name: bg.Experiment(name, X, Y, ("up",), ("down",))
        for name, X, Y in (("apart", high, low), ("one", (*high, "absent"), level))
    }
    return dict.fromkeys(made, planted), made


def test_standalone_sets(three: tuple[dict[str, Any], dict[str, Any]]) -> None:
    distributions, made = three
    frame = bg.standalone(distributions, made)
    assert frame["role"].tolist() == ["X", "Y"] * 2
    row = frame.iloc[2]
    each = distributions["one"]
    assert row["n_missing"] == 1
    assert row["psi"] == pytest.approx(each.psi_of(made["one"].X).mean())
    assert row["phi_background"] == each.phi(made["one"].X)
    assert row["p_zero"] == each.phi(made["one"].X, "zero", "two")
    with pytest.raises(ValueError, match=r"no experiment for the background\(s\) one"):
        bg.standalone(distributions, {"apart": made["apart"]})


def test_readings(three: tuple[dict[str, Any], dict[str, Any]]) -> None:
    distributions, made = three
    frame = bg.relative(distributions, made, draws=2000, seed=1).set_index("experiment")
    apart, one = frame.loc["apart"], frame.loc["one"]
    assert apart["reading"] == "X and Y outside on opposite sides, significant relative bias"
    assert apart["x_share"] == pytest.approx(0.5, abs=0.05)
    assert one["reading"] == "X alone outside, significant relative bias"
    assert one["x_share"] > 0.99
    assert (apart["x_biased"], apart["y_biased"]) == (1, -1)
    again = bg.relative(distributions, made, draws=2000, seed=1).set_index("experiment")
    pd.testing.assert_frame_equal(frame, again)
    with pytest.raises(ValueError, match=r"alpha must lie in \(0, 1\), got 5"):
        bg.relative(distributions, made, alpha=5)


@pytest.mark.parametrize(
    ("significant", "x", "y", "text"),
    [
        (True, 0, 0, "X and Y inside, significant relative bias"),
        (False, 0, 0, "X and Y inside, no relative bias"),
        (True, -1, -1, "X and Y outside on one side, significant relative bias"),
        (False, 0, 1, "Y alone outside, no relative bias"),
    ],
)
def test_the_words_of_readings(significant: bool, x: int, y: int, text: str) -> None:
    assert bg.reading(significant, x, y) == text


def test_strata_cover_the_vocabulary(planted: bg.Distribution) -> None:
    frame = bg.strata({"planted": planted})
    assert frame["last"].tolist() == [*CUTS, N]
    assert frame["first"].tolist() == [1, *(cut + 1 for cut in CUTS)]
    assert frame["n_words"].sum() == N
    weighted = (frame["mean"] * frame["n_words"]).sum() / N
    assert weighted == pytest.approx(planted.mean, abs=1e-12)
    part = planted.among(1_000, 10_000)
    assert frame["sd"][1] == part.sd == planted.psi[1_000:10_000].std(ddof=1)
    with pytest.raises(ValueError, match=r"cuts must be ascending ranks above 0; got \(5, 5\)"):
        bg.strata({"planted": planted}, (5, 5))


def test_a_background_of_some_ranks_still_knows_all_words(planted: bg.Distribution) -> None:
    part = planted.among(100_000)
    assert part.n_words == 100_000
    assert part.psi_of(UP).equals(planted.psi_of(UP))


def test_densities_have_area_one(planted: bg.Distribution) -> None:
    frame = bg.densities({"planted": planted})
    step = frame["psi"].diff().median()
    for column in ("density", "normal"):
        assert frame[column].sum() * step == pytest.approx(1, abs=2e-3)  # 0.02% is off the grid
    # Binned and smoothed by 0.08 sd, of 200,000 draws: within 3% of the peak everywhere.
    assert (frame["density"] - frame["normal"]).abs().max() < 0.03 * frame["normal"].max()
    low, high = frame.attrs["ticks"]["planted"]
    assert (low, high) == pytest.approx((0.02 - 0.098, 0.02 + 0.098), abs=1e-3)


def test_words_with_their_places(planted: bg.Distribution) -> None:
    frame = bg.words(planted, {"high": UP, "zero": ["w20", "absent"]})
    assert frame["word"].tolist() == [*UP, "w20"]
    assert frame["z"].tolist() == pytest.approx([1.5, 2.5, 1.9, 2.1, -0.4], abs=0.03)
    assert frame["rank"].tolist() == pytest.approx(
        stats.norm.cdf([1.5, 2.5, 1.9, 2.1, -0.4]), abs=NEAR
    )


# -- random lists -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def leaning() -> tuple[Any, bb.WordList]:
    """Two groups that lean to their own stereotypes, among 2,000 words that do not."""
    rng = np.random.default_rng(8)
    rows = {f"w{i}": rng.standard_normal(20) for i in range(2000)}
    for axis, group in enumerate("xy"):
        for kind, count in (("", 6), ("s", 5)):
            for at in range(count):
                rows[f"{group}{kind}{at}"] = rng.standard_normal(20) + 6 * np.eye(20)[axis]
    words = bb.WordList(
        "leaning",
        {g: [f"{g}{i}" for i in range(6)] for g in "xy"},
        {g: [f"{g}s{i}" for i in range(5)] for g in "xy"},
    )
    return keyed(list(rows), np.stack(list(rows.values()))), words


def test_the_observed_scores_are_those_of_the_scores(leaning: tuple[Any, bb.WordList]) -> None:
    vectors, words = leaning
    frame = bg.random_lists(vectors, words, lists=20, seed=1).set_index("score")
    x, y, a, b = (*words.groups.values(), *words.stereotypes.values())
    # The pool holds float32 vectors, as the embedding does.
    assert frame["value"]["weat"] == pytest.approx(bb.scores.weat(vectors, x, y, a, b).score)
    assert frame["value"]["mac"] == pytest.approx(bb.scores.mac(vectors, words).score)
    same = bb.scores.same(vectors, [*a, *b], words.groups).score
    assert frame["value"]["same"] == pytest.approx(same)


@pytest.mark.parametrize("vary", ["protected", "stereotypes", "both"])
def test_a_leaning_list_stands_out(leaning: tuple[Any, bb.WordList], vary: Any) -> None:
    frame = bg.random_lists(*leaning, vary=vary, lists=200, seed=2).set_index("score")
    assert frame["percentile"]["weat"] == 100
    assert frame["p_value"]["weat"] == 2 / 201
    assert frame["percentile"]["mac"] == 0
    # Random words lean nowhere: 200 draws of a d that has an sd of at most 1.2.
    assert abs(frame["random_mean"]["weat"]) < 5 * 1.2 / np.sqrt(200)
    assert frame["reference_low"]["weat"] < 0 < frame["reference_high"]["weat"]
    again = bg.random_lists(*leaning, vary=vary, lists=200, seed=2).set_index("score")
    pd.testing.assert_frame_equal(frame, again)


def test_percentiles_of_random_lists_are_even(leaning: tuple[Any, bb.WordList]) -> None:
    """A list that is random itself: its percentiles over many lists are spread from 0 to 100."""
    vectors, words = leaning
    rng = np.random.default_rng(5)
    found = []
    for seed in range(40):
        picked = [f"w{i}" for i in rng.choice(2000, 12, replace=False)]
        groups = {"x": picked[:6], "y": picked[6:]}
        other = bb.WordList("random", groups, dict(words.stereotypes))
        frame = bg.random_lists(vectors, other, scores=["weat"], lists=60, seed=seed)
        found.append(frame["percentile"][0] / 100)
    # Kolmogorov's .001 point for 40 values is 1.95/sqrt(40) = .31.
    assert stats.kstest(found, "uniform").statistic < 0.31


def test_pools_are_drawn_among_the_ranks_asked_for_in_any_blocks(
    leaning: tuple[Any, bb.WordList], monkeypatch: pytest.MonkeyPatch
) -> None:
    from bayesbias.background.pool import draw_pool

    vectors, _ = leaning

    def draw(size: int, **options: Any) -> Any:
        rng = np.random.default_rng(3)
        return draw_pool(vectors, ["x0", "w150"], ranks=(100, 400), size=size, rng=rng, **options)

    pool = draw(50)
    assert len(set(pool.words)) == 50
    assert all(100 <= int(word[1:]) < 400 and word != "w150" for word in pool.words)
    assert pool.n_vocabulary == 299
    assert set(pool.found) == {"x0", "w150"}
    assert_array_equal(pool.vectors, vectors[list(pool.words)])
    assert len(draw(9999).words) == 299
    real = bb.vector_blocks
    monkeypatch.setattr(
        "bayesbias.background.pool.vector_blocks", lambda source, **_: real(source, rows=7)
    )
    assert draw(50).words == pool.words


def test_what_random_lists_refuse(leaning: tuple[Any, bb.WordList]) -> None:
    for options, what in (
        ({"scores": ["sme"]}, "unknown score 'sme'; did you mean 'same'"),
        ({"vary": "all"}, "unknown vary 'all'"),
        ({"lists": 0}, "lists must be a whole number from 1 on; got 0"),
        ({"ranks": (99_999, None)}, "no words to sample from at ranks"),
    ):
        with pytest.raises(ValueError, match=what):
            bg.random_lists(*leaning, **options)
    with pytest.raises(ValueError, match=r"none of the words of stereotypes of y is in the emb"):
        bg.random_lists(
            leaning[0], bb.WordList("l", {"x": ["x0"], "y": ["y0"]}, {"x": ["xs0"], "y": ["no"]})
        )


def test_a_table_of_scores_with_its_percentiles(leaning: tuple[Any, bb.WordList]) -> None:
    vectors, words = leaning
    frame = bb.score_table(vectors, words, scores=["weat", "same", "gweat"], n_resamples=10, seed=0)
    found = bg.with_percentiles(frame, vectors, words, lists=50, seed=3).set_index("score")
    alone = bg.random_lists(vectors, words, scores=["same", "weat"], lists=50, seed=3)
    alone = alone.set_index("score")
    for name in ("same", "weat"):
        assert found["background_percentile"][name] == alone["percentile"][name]
        assert found["background_p_value"][name] == alone["p_value"][name]
        assert found["value"][name] == pytest.approx(alone["value"][name])
    assert np.isnan(found["background_percentile"]["gweat"])
    with pytest.raises(ValueError, match="none of the scores same, weat, mac"):
        bg.with_percentiles(frame[frame["score"] == "gweat"], vectors, words)
