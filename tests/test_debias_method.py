"""A debiasing method is one class: what a new one brings with it, and what a registry refused."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from builders import refused
from debias_toys import GENDER, RELIGION, toy, vectors_of
from gensim.models import KeyedVectors

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.debias import (
    DEBIASING_METHODS,
    Debiaser,
    DebiasingMethod,
    DefiningSets,
    debias_file,
    debiasing,
    debiasing_method,
)


@pytest.fixture
def halves() -> Iterator[type[DebiasingMethod]]:
    """A method that multiplies some coordinates of neutral words, while a test runs."""

    @dataclass(frozen=True)
    class ToyHalves(DebiasingMethod):
        """Halve the first coordinates.

        Parameters
        ----------
        first : int, optional
            Coordinates that are halved; all if not given. More is said of them here.
        factor : float
            What they are multiplied by.
        part : {"neutral", "all"}
            Which words change.
        unit : bool
            Bring words to unit length.
        """

        first: int | None = None
        factor: float = 0.5
        part: str = "neutral"
        unit: bool = True

        def fit(self, vectors, sets) -> Debiaser:
            _, lists, found = self.read(vectors, sets)
            factors = np.ones(len(found["she"]))
            factors[: self.first] = self.factor
            return Debiaser(
                record=self.record(lists, found, {"factor": self.factor}, equalise=False),
                neutral=lambda rows: rows * factors,
                kept=lists.kept if self.part == "neutral" else frozenset(),
                unit=self.unit,
            )

    yield ToyHalves
    del DEBIASING_METHODS["toy_halves"]


def by_hand(vectors: KeyedVectors, first: int, factor: float) -> np.ndarray:
    rows = vectors.vectors.copy()
    neutral = [word not in GENDER.kept for word in vectors.index_to_key]
    rows[neutral, :first] *= factor
    return rows


def test_a_new_method_is_a_function(halves: type[DebiasingMethod]) -> None:
    vectors = toy()
    result = bb.debias.toy_halves(vectors, GENDER, first=3, factor=0.25, unit=False)
    assert np.array_equal(result.vectors, by_hand(vectors, 3, 0.25))
    assert debiasing(result).method == "toy_halves"
    assert debiasing(result).parameters == {"factor": 0.25}
    assert "toy_halves" in dir(bb.debias)
    with pytest.raises(TypeError, match="unexpected keyword argument 'k'"):
        bb.debias.toy_halves(vectors, GENDER, k=1)


def test_it_is_fitted_once_and_transforms_whatever_is_given(halves) -> None:
    vectors, method = toy(), halves(first=2, unit=False)
    debiaser = method.fit(vectors, GENDER)
    assert np.array_equal(debiaser.transform(vectors).vectors, by_hand(vectors, 2, 0.5))
    words = vectors.index_to_key[40:50]
    rows = debiaser.transform_rows(words, vectors.vectors[40:50])
    assert np.array_equal(rows, by_hand(vectors, 2, 0.5)[40:50])


def test_it_debiases_files_and_is_in_the_command(halves, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    vectors = toy()
    vectors.save_word2vec_format("toy.bin", binary=True)
    Path("mine.toml").write_text(
        f"defining = {[*map(list, GENDER.defining)]}\nspecific = {[*GENDER.kept]}\n"
    )
    debias_file("toy.bin", "file", "toy-halves", GENDER, first=3, unit=False, chunk_size=7)
    command = ["debias", "--method", "toy_halves", "--vectors", "toy.bin", "--lists", "mine.toml"]
    options = ["--first", "3", "--part", "neutral", "--unit", "False", "--out", "command"]
    assert main([*command, *options]) == 0
    assert "Method toy_halves, lists mine." in capsys.readouterr().out
    assert Path("command/vectors.npy").read_bytes() == Path("file/vectors.npy").read_bytes()
    found = bb.load_vectors("file")
    assert np.array_equal(found.vectors, by_hand(vectors, 3, 0.5))


@pytest.mark.parametrize("name", DEBIASING_METHODS)
def test_functions_show_what_they_take(name: str) -> None:
    function = getattr(bb.debias, name)
    assert function is getattr(bb.debias, name)
    taken = inspect.signature(function).parameters
    options = inspect.signature(DEBIASING_METHODS[name]).parameters
    assert list(taken) == ["vectors", "sets", *options]
    assert all(f"\n{option} : " in function.__doc__ for option in options)
    assert f"``{name}(vectors, sets)``" in function.__doc__


def test_methods_by_name() -> None:
    assert debiasing_method("multiclass-hard", k=2) == DEBIASING_METHODS["multiclass_hard"](k=2)
    assert {"hard", "multiclass_hard", "soft", "double_hard", "half_sibling"} <= {*dir(bb.debias)}
    refused("unknown debiasing method 'hrad'; did you mean 'hard'", debiasing_method, "hrad")
    with pytest.raises(ValueError, match="unknown option of hard 'strength'; known: equalise, k"):
        debiasing_method("hard", strength=1)
    with pytest.raises(AttributeError, match="has no attribute 'hrad'"):
        _ = bb.debias.hrad


PAIR = DefiningSets([["gal", "guy"]])
BAD = [
    ("hard", RELIGION, {}, "hard debiasing is for two classes, and 'toy religion'"),
    ("hard", PAIR, {}, "no tuple of defining sets is in the embedding"),
    ("hard", GENDER, {"k": 4}, r"k must lie in 1 to 3, .*; got 4"),
    ("multiclass_hard", GENDER, {"k": 0}, r"k must lie in 1 to 3, .*; got 0"),
    ("hard", GENDER, {"k": 1.5}, r"k must be a whole number of directions; got 1\.5"),
    ("multiclass_hard", RELIGION, {"subspace": "mean"}, "'mean'; did you mean 'means'"),
    ("multiclass_hard", RELIGION, {"subspace": "means", "k": 1}, 'k is for subspace="comp'),
    ("soft", GENDER, {"strength": -1}, "strength must be 0 or more and finite; got -1"),
    ("soft", GENDER, {"strength": float("nan")}, "must be 0 or more and finite; got nan"),
    ("soft", GENDER, {"weighting": "means"}, "unknown weighting 'means'; did you mean 'mean'"),
    ("half_sibling", GENDER, {"alpha": 0}, "alpha must be above 0 and finite; got 0"),
    ("double_hard", RELIGION, {}, "double_hard debiasing is for two classes"),
    ("double_hard", GENDER, {"component": 9}, r"component must lie in 1 to 8, .*; got 9"),
    ("double_hard", GENDER, {"n_words": 5}, r"candidates must lie in 1 to 8, .*; got 20"),
    ("double_hard", GENDER, {"candidates": 3}, r"n_words=500 most biased words .* need 1000"),
    (
        "double_hard",
        GENDER,
        {"candidates": 3, "n_words": 5, "seed": -1},
        "seed must be a whole number",
    ),
]


@pytest.mark.parametrize(("name", "sets", "options", "words"), BAD)
def test_what_methods_refuse(name: str, sets: DefiningSets, options: dict, words: str) -> None:
    refused(words, getattr(bb.debias, name), toy(), sets, **options)


def test_embeddings_of_which_nothing_would_be_left_are_refused() -> None:
    few, pair = vectors_of(("she", "he"), np.eye(3)[:2]), DefiningSets([["she", "he"]])
    refused("all words of the embedding are specific", bb.debias.soft, few, pair)
    words = "nothing is left of the vector.* half_sibling"
    refused(words, bb.debias.half_sibling, toy(dims=4), GENDER, alpha=1e-9)
