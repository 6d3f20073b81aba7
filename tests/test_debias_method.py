"""A debiasing method is one function: what a new one brings with it, and what methods refuse."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from builders import refused
from debias_toys import GENDER, RELIGION, toy, vectors_of

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.debias import (
    DEBIASING_METHODS,
    Debiaser,
    DefiningSets,
    Material,
    debias_file,
    debiasing,
    debiasing_method,
    fit_debiaser,
)


@pytest.fixture
def toy_halves() -> Iterator[Callable]:
    """A method that multiplies some coordinates of neutral words, while a test runs."""

    @debiasing_method()
    def toy_halves(
        material: Material, *, first: int | None = None, factor: float = 0.5
    ) -> Debiaser:
        """Halve the first coordinates."""
        factors = np.ones(len(material.found["she"]))
        factors[:first] = factor
        return material.debiaser(
            {"factor": factor}, equalise=False, neutral=lambda rows: rows * factors, unit=False
        )

    yield toy_halves
    del DEBIASING_METHODS["toy_halves"]


def test_a_new_method_is_a_function_and_debiases_files(
    toy_halves, tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    vectors = toy()
    by_hand = vectors.vectors.copy()
    neutral = [word not in GENDER.kept for word in vectors.index_to_key]
    by_hand[neutral, :3] *= 0.25
    result = toy_halves(vectors, GENDER, first=3, factor=0.25)
    assert np.array_equal(result.vectors, by_hand)
    assert debiasing(result).method == "toy_halves"
    assert debiasing(result).parameters == {"factor": 0.25}
    with pytest.raises(TypeError, match="unexpected keyword argument 'k'"):
        toy_halves(vectors, GENDER, k=1)
    rows = fit_debiaser(vectors, "toy_halves", GENDER, first=3, factor=0.25).transform_rows(
        vectors.index_to_key[40:50], vectors.vectors[40:50]
    )
    assert np.array_equal(rows, by_hand[40:50])
    vectors.save_word2vec_format("toy.bin", binary=True)
    Path("mine.toml").write_text(
        f"defining = {[*map(list, GENDER.defining)]}\nspecific = {[*GENDER.kept]}\n"
    )
    debias_file("toy.bin", "file", "toy_halves", GENDER, first=3, factor=0.25)
    command = ["debias", "--method", "toy_halves", "--vectors", "toy.bin", "--lists", "mine.toml"]
    assert main([*command, "--first", "3", "--factor", ".25", "--out", "command"]) == 0
    assert "Method toy_halves, lists mine." in capsys.readouterr().out
    assert Path("command/vectors.npy").read_bytes() == Path("file/vectors.npy").read_bytes()
    assert np.array_equal(bb.load_vectors("file").vectors, by_hand)


@pytest.mark.parametrize("name", DEBIASING_METHODS)
def test_functions_show_what_they_take(name: str) -> None:
    function = getattr(bb.debias, name)
    vectors, sets, *options = inspect.signature(function).parameters
    assert (vectors, sets) == ("vectors", "sets")
    assert options == list(inspect.signature(DEBIASING_METHODS[name]).parameters)[2:]
    assert all(f"\n{option} : " in function.__doc__ for option in options)
    assert f"``{name}(vectors, sets)``" in function.__doc__


def test_methods_by_name() -> None:
    assert {"hard", "multiclass_hard", "soft", "double_hard", "half_sibling"} <= {*dir(bb.debias)}
    words = "unknown debiasing method 'hrad'; did you mean 'hard'"
    refused(words, fit_debiaser, toy(), "hrad", GENDER)
    words = "unknown option of hard 'strength'; known: equalise, k"
    refused(words, fit_debiaser, toy(), "hard", GENDER, strength=1)


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
