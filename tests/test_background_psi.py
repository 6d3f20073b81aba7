"""ψ of every word against brute force, and what is left out or refused.

The oracle is `psi`, mean cosines word by word, which shares nothing with the reading in chunks
or the product.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from background_toys import ROUNDING, Z2, Z, keyed, random_vectors
from builders import refused
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import bayesbias as bb
from bayesbias import background as bg
from bayesbias.background.projection import products
from bayesbias.scores import psi


@pytest.fixture(scope="module")
def toy() -> Any:
    return random_vectors()


def brute(vectors: Any, Z: list[str], Z2: list[str]) -> np.ndarray:
    here = [[w for w in side if w in vectors] for side in (Z, Z2)]
    return psi(vectors.vectors, vectors[here[0]], vectors[here[1]])


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
def test_every_source_and_chunks_of_any_size_give_the_same_numbers(toy, tmp_path, kind) -> None:
    """To rounding; the last attribute word is the last word of the file, and none is the first."""
    path = write(toy, tmp_path, kind)
    expected = bg.distribution(toy, Z, Z2).psi
    for rows in (None, 1, 7, 1000, 3000, 9999):
        found = bg.distribution(path, Z, Z2, rows=rows, progressbar=False)
        assert_allclose(found.psi, expected, rtol=0, atol=1e-15)  # 37 products, in another order


@given(st.integers(1, 9), st.integers(1, 70), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_the_product_is_that_of_unit_vectors(n: int, dims: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, directions = rng.standard_normal((n, dims)), rng.standard_normal((count, dims))
    vectors = rows.astype(np.float32)
    found = products(vectors, directions)
    exact = vectors.astype(np.float64)
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
    found = [products(matrix, directions) for matrix in (rows, scaled)]
    # float32 rounds by 6e-8: a unit vector, a direction of length 3 or so, and a sum.
    assert_allclose(found[1], found[0], atol=1e-6)


def test_many_experiments_in_one_pass(toy: Any) -> None:
    pairs = {f"e{i}": ([f"w{i}", "w19"], [f"w{i + 20}"]) for i in range(9)}
    found = bg.distributions(toy, pairs)
    for name, (first, second) in pairs.items():
        assert_allclose(found[name].psi, brute(toy, first, second), atol=ROUNDING)
    assert len({id(each.vocabulary) for each in found.values()}) == 1


def test_vectors_of_another_length_are_refused(toy: Any) -> None:
    with pytest.raises(ValueError, match="vectors of 37 and of 9 dimensions: the"):
        products(toy.vectors, np.ones((1, 9)))


@pytest.mark.parametrize(("case", "row"), [("lower", 0), ("fallback", 1)])
def test_how_words_are_looked_up(case: str, row: int) -> None:
    rng = np.random.default_rng(2)
    vectors = keyed(["paul", "Paul", "ann", "x", "Y", "y"], rng.standard_normal((6, 5)))
    refused(
        "none of the 1 words of Z is in the embedding .Ann",
        bg.distribution,
        vectors,
        ["Ann"],
        ["Y"],
    )
    found = bg.distribution(vectors, ["Ann"], ["Y"], case=case)
    loaded = bb.load_vectors(vectors, ["Ann", "Y", "Paul"], case=case)
    expected = psi(vectors.vectors, loaded[["Ann"]], loaded[["Y"]])
    assert_allclose(found.psi, expected, atol=ROUNDING)
    assert found.psi_of(["Paul", "nobody"]).to_dict() == {"Paul": found.psi[row]}


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
    assert_allclose(found.psi, psi(good, matrix[[1]], matrix[[2]]), atol=ROUNDING)


def test_experiments_without_words_are_refused_or_left_out_with_a_word(toy: Any) -> None:
    made = {
        "whole": bg.Experiment("whole", ("w5",), ("w6",), ("w1",), ("w2",)),
        "no X": bg.Experiment("no X", ("W5", "Adam"), ("w6",), ("w1",), ("w2",)),
        "no Z": bg.Experiment("no Z", ("w5",), ("w6",), ("x",), ("w2",)),
    }
    refused("no Z: none of the 1 words of Z is in the embedding", bg.distributions, toy, made)
    with pytest.warns(UserWarning, match="it is left out") as told:
        found = bg.distributions(toy, made, lacking="skip")
    assert list(found) == ["whole"]
    texts = [str(each.message) for each in told]
    assert texts[0] == (
        "no X: none of the 2 words of X is in the vocabulary (W5, Adam); 1 of them are there in "
        "lower case: pass case='fallback'; it is left out"
    )
    assert texts[1].startswith("no Z: none of the 1 words of Z")
    refused("no Z: none", bg.distributions, toy, {"no Z": made["no Z"]}, lacking="skip")
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
    assert_allclose(found.psi, psi(rows, rows[[0]], rows[[1]]), atol=ROUNDING)
    refused("unknown duplicates 'last'", bg.distribution, path, ["a"], ["b"], duplicates="last")


@pytest.mark.parametrize(
    ("Z", "Z2", "error", "what"),
    [
        ("w1", ["w2"], TypeError, "Z must be a list of words; got the string 'w1'"),
        (["w1"], [], ValueError, "Z2 is empty"),
        (["w1", "w1"], ["w2"], ValueError, "Z holds 'w1' more than once"),
        (["x", "y"], ["w2"], ValueError, r"none of the 2 words of Z is .*\(x, y\).*case='lower'"),
    ],
)
def test_bad_attribute_sets(toy: Any, Z: Any, Z2: Any, error: type[Exception], what: str) -> None:
    refused(what, bg.distribution, toy, Z, Z2, error=error)


def test_a_vocabulary_that_is_too_small(toy: Any) -> None:
    two = keyed(["a", "b"], toy.vectors[:2])
    with pytest.raises(ValueError, match="holds 2 words with a direction; a background needs 3"):
        bg.distribution(two, ["a"], ["b"])
    few = bg.distribution(keyed([*"abcdefg"], toy.vectors[:7]), ["a"], ["b"])
    with pytest.raises(ValueError, match="has 5 words, fewer than the 6 that sets of 3 and 3 need"):
        few.among(0, 5).relative_bias([*"abc"], [*"def"])
    refused("a set of 7 words leaves none of the 7", few.phi, [*"abcdefg"], against="sets")
    refused("ranks 5 to None of 7 words hold 2", few.among, 5)
    words = bb.WordList("l", {"x": [*"abc"], "y": [*"def"]}, {"x": ["g"], "y": ["h"]})
    other = keyed([*"abcdefghijkl"], toy.vectors[:12])
    with pytest.raises(ValueError, match="has 4 words to choose from, fewer than the 6"):
        bg.reference_lists(other, words, n_lists=2)


def test_a_background_that_does_not_vary() -> None:
    same = keyed([*"abcd"], np.ones((4, 3)))
    found = bg.distribution(same, ["a"], ["b"])
    refused("does not vary", found.phi, ["c"])
    with pytest.raises(ValueError, match="the same for all words"):
        _ = found.fit
