"""ψ of every word against brute force, and what is left out or refused.

The oracle is `psi`, mean cosines word by word, which shares nothing with the reading in chunks
or the product.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from background_toys import ROUNDING, Z2, Z, distribution, keyed, random_vectors
from builders import refused
from numpy.testing import assert_allclose

import bayesbias as bb
from bayesbias import background as bg
from bayesbias.background.vocabulary import products
from bayesbias.scores import psi


@pytest.fixture(scope="module")
def toy() -> Any:
    return random_vectors()


def brute(vectors: Any, Z: list[str], Z2: list[str]) -> np.ndarray:
    here = [[w for w in side if w in vectors] for side in (Z, Z2)]
    return psi(vectors.vectors, vectors[here[0]], vectors[here[1]])


def test_psi_is_that_of_every_single_word(toy: Any) -> None:
    found = distribution(toy, Z, Z2)
    expected = brute(toy, Z, Z2)
    assert_allclose(found.psi, expected, atol=ROUNDING)
    assert found.missing == ("absent",)
    assert found.mean == pytest.approx(expected.mean(), abs=ROUNDING)
    assert found.sd == pytest.approx(expected.std(ddof=1), abs=ROUNDING)
    assert found.vocabulary[:3].tolist() == ["w0", "w1", "w2"]
    assert "3,000 words" in repr(found)


@pytest.mark.parametrize("kind", [".vec.gz", ""])
def test_every_source_and_chunks_of_any_size_give_the_same_numbers(
    toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """To rounding; the last attribute word is the last word of the file, and none is the first."""
    path = tmp_path / f"toy{kind}"
    if kind:
        toy.save_word2vec_format(str(path))
    else:
        bb.convert_vectors(toy, path)
    expected = distribution(toy, Z, Z2).psi
    for rows in (9999, 7):
        monkeypatch.setattr("bayesbias.embeddings.source.READ_SIZE", rows * 4 * 37)
        found = distribution(path, Z, Z2, progressbar=False)
        assert_allclose(found.psi, expected, rtol=0, atol=1e-15)  # 37 products, in another order


@pytest.mark.parametrize("power", [-124, 124])
def test_lengths_of_vectors_make_no_difference(power: int) -> None:
    """Also where squares leave float32; powers of two, which the numbers themselves survive."""
    rows = random_vectors().vectors[:7]
    directions = np.random.default_rng(7).standard_normal((2, 37))
    scaled = rows * np.float32(2.0) ** power
    assert_allclose(products(scaled, directions), products(rows, directions), atol=1e-6)


@pytest.mark.parametrize(("case", "row"), [("lower", 0), ("fallback", 1)])
def test_how_words_are_looked_up(case: str, row: int) -> None:
    rng = np.random.default_rng(2)
    vectors = keyed(["paul", "Paul", "ann", "x", "Y", "y"], rng.standard_normal((6, 5)))
    found = distribution(vectors, ["Ann"], ["Y"], case=case)
    loaded = bb.load_vectors(vectors, ["Ann", "Y", "Paul"], case=case)
    expected = psi(vectors.vectors, loaded[["Ann"]], loaded[["Y"]])
    assert_allclose(found.psi, expected, atol=ROUNDING)
    assert found.psi_of(["Paul", "nobody"]).to_dict() == {"Paul": found.psi[row]}


def test_words_without_a_direction_are_left_out_with_a_word(toy: Any) -> None:
    matrix = toy.vectors[:50].copy()
    matrix[3], matrix[9, 0] = 0.0, np.nan
    vectors = keyed([f"w{i}" for i in range(50)], matrix)
    with pytest.warns(UserWarning, match=r"2 word.s. have no direction .*'w3', 'w9'"):
        found = distribution(vectors, ["w1"], ["w2"])
    assert len(found.psi) == len(found.vocabulary) == 48
    assert np.isfinite(found.psi).all()
    assert found.psi_of(["w3", "w4"]).index.tolist() == ["w4"]
    good = np.delete(matrix, [3, 9], axis=0)
    assert_allclose(found.psi, psi(good, matrix[[1]], matrix[[2]]), atol=ROUNDING)


def test_experiments_without_words_are_left_out_with_a_warning(toy: Any) -> None:
    made = {
        "whole": bg.Experiment("whole", ("w5",), ("w6",), ("w1",), ("w2",)),
        "no X": bg.Experiment("no X", ("W5", "Adam"), ("w6",), ("w1",), ("w2",)),
        "pair": (["w1", "w19"], ["w4"]),
        "no Z": bg.Experiment("no Z", ("w5",), ("w6",), ("x",), ("w2",)),
    }
    with pytest.warns(UserWarning, match="it is left out") as caught:
        found = bg.distributions(toy, made)
    assert list(found) == ["whole", "pair"]
    assert found["whole"].vocabulary is found["pair"].vocabulary
    assert_allclose(found["pair"].psi, brute(toy, *made["pair"]), atol=ROUNDING)
    texts = [str(warning.message) for warning in caught]
    assert texts[0].startswith("no X: none of the 2 words of X is in the embedding (W5, Adam)")
    assert texts[0].endswith("pass case='fallback'; it is left out")
    assert texts[1].startswith("no Z: none of the 1 words of Z")
    refused("no Z: none of the 1 words of Z", bg.distributions, toy, {"no Z": made["no Z"]})


def zeroed(row: int) -> Any:
    matrix = random_vectors().vectors[:9].copy()
    matrix[row] = 0.0
    return keyed([f"w{i}" for i in range(9)], matrix)


def seven() -> bg.Distribution:
    return distribution(keyed([*"abcdefg"], random_vectors().vectors[:7]), ["a"], ["b"])


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: distribution(random_vectors(), [], ["w2"]), "Z is empty"),
        (
            lambda: distribution(random_vectors(), ["x", "y"], ["w2"]),
            r"none of the 2 words of Z is .*\(x, y\).*case='fallback'",
        ),
        (lambda: distribution(zeroed(3), ["w3"], ["w2"]), "w3 are all zeros or not fin"),
        (
            lambda: seven().among(0, 5).relative_bias([*"abc"], [*"def"]),
            "has 5 words, fewer than the 6 that sets of 3 and 3 need",
        ),
        (lambda: seven().phi([*"abcdefg"], kind="sets"), "a set of 7 words leaves none of the"),
        (lambda: seven().among(5), "ranks 5 to None of 7 words hold 2"),
        (
            lambda: seven().phi(["A", "no"]),
            r"none of the 2 words of the set .*pass case='fallback'",
        ),
        (lambda: seven().phi([]), "none of the 0 words"),
        (lambda: seven().phi(["a"], tail="three"), "unknown tail 'three'"),  # type: ignore[arg-type]
        (lambda: seven().relative_bias([*"ab"], [*"bc"]), "X and Y share b; take"),
        (lambda: bg.relative({}, {}, alpha=5), r"alpha must lie in \(0, 1\), got 5"),
        (lambda: bg.experiments(["neutral"]), r"list 'neutral' has 0 group\(s\) with stereotypes"),
        (lambda: bg.distributions(random_vectors(), {}), "there are no experiments"),
        (
            lambda: distribution(keyed([*"abcd"], np.ones((4, 3))), ["a"], ["b"]).phi(["c"]),
            "the same for all words",
        ),
    ],
)
def test_what_is_refused(call: Callable[[], object], what: str) -> None:
    refused(what, call)


def test_a_text_is_no_set_of_words() -> None:
    refused("for one word pass", seven().phi, "a", error=TypeError)
    refused("must be a list", distribution, random_vectors(), "w1", ["w2"], error=TypeError)
