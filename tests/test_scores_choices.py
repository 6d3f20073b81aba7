"""Every function on words is the one on arrays of its words, with the same choices."""

from __future__ import annotations

from dataclasses import fields
from inspect import signature
from typing import Any

import numpy as np
import pytest
from builders import refused

from bayesbias import scores
from bayesbias.scores.result import Result

RANDOM = np.random.default_rng(0)
SIZES = {"x": 4, "y": 3, "a": 5, "b": 4}
VECTORS = {f"{k}{i}": RANDOM.normal(size=5) for k, size in SIZES.items() for i in range(size)}
WORDS = {k: [f"{k}{i}" for i in range(size)] for k, size in SIZES.items()}
ROWS = {k: np.stack([VECTORS[word] for word in words]) for k, words in WORDS.items()}

DDOF = [{"ddof": 0}, {"ddof": "pooled"}]
TEST = [{"alternative": "greater"}]

CALLS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "weat": ("xyab", [*DDOF, *TEST]),
    "gweat": ("xyab", []),
    "rnd": ("xya", [{"unit": True}, {"average": False}, {"distance": "cosine"}]),
    "ect": ("xya", [{"unit": True}]),
    "weam": ("xab", []),
    "psi": ("xab", []),
    "nas": ("xab", DDOF),
    "sc_weat": ("xab", [*DDOF, *TEST]),
    "semaxis": ("xab", [{"unit": True}]),
    "rnsb": ("xab", [{"C": 0.1}, {"unit": True}]),
}
"""The sets that a score takes, and what may be chosen."""

PAIRED: dict[str, list[dict[str, Any]]] = {
    "ripa": [{"relation": "mean"}],
    "direct_bias": [{"k": 2}, {"c": 2.0}, {"unit": False}],
}


def parts(result: Result) -> dict[str, Any]:
    """All of a result but the words that it tells of."""
    told = {"words", "missing", "pairs", "defining_sets"}
    return {f.name: getattr(result, f.name) for f in fields(result) if f.name not in told}


def agree(first: Result, second: Result) -> bool:
    there, here = parts(first), parts(second)
    return all(np.array_equal(there[name], here[name]) for name in there)


def of_arrays(name: str, sets: str, **choices: Any) -> Result:
    rows = [ROWS[each] for each in sets]
    if name == "gweat":
        return scores.gweat_of(rows[:2], rows[2:])
    return getattr(scores, f"{'weam' if name == 'psi' else name}_of")(*rows, **choices)


@pytest.mark.parametrize("name", CALLS)
def test_words_are_looked_up_and_choices_passed_on(name: str) -> None:
    sets, choices = CALLS[name]

    def of_words(**choice: Any) -> Result:
        return getattr(scores, name)(VECTORS, *(WORDS[each] for each in sets), **choice)

    usual = of_words()
    assert agree(usual, of_arrays(name, sets))
    for choice in choices:
        chosen = of_words(**choice)
        assert agree(chosen, of_arrays(name, sets, **choice))
        assert not agree(chosen, usual)


@pytest.mark.parametrize("name", PAIRED)
def test_pairs_are_looked_up_and_choices_passed_on(name: str) -> None:
    pairs = list(zip(WORDS["x"], WORDS["b"], strict=True))
    first, second = ROWS["x"], ROWS["b"]
    of = getattr(scores, f"{name}_of")
    for choice in ({}, *PAIRED[name]):
        chosen = getattr(scores, name)(VECTORS, WORDS["a"], pairs, **choice)
        rows = [first, second] if name == "ripa" else [np.stack([first, second], axis=1)]
        assert agree(chosen, of(ROWS["a"], *rows, **choice))
        assert not choice or not agree(chosen, getattr(scores, name)(VECTORS, WORDS["a"], pairs))
        assert chosen.words == tuple(WORDS["a"])


@pytest.mark.parametrize("name", sorted({*CALLS, "association_limit", "ripa"} - {"weat", "gweat"}))
def test_arrays_that_are_no_sets_of_vectors_are_named(name: str) -> None:
    """The message calls the array as the parameter is called."""
    of = getattr(scores, f"{name}_of")
    sets = [each.name for each in signature(of).parameters.values() if each.default is each.empty]
    sets = [each for each in sets if each != "choices"]
    for at, called in enumerate(sets):
        rows = [np.eye(4)[each : each + 2] for each in range(len(sets))]
        rows[at] = rows[at][0]
        refused(f"^{called} must be a matrix", of, *rows)


def test_sets_among_several_are_named() -> None:
    row, rows = [1.0, 0.0], np.eye(2)
    refused(r"^targets must be a matrix", scores.same_of, row, [rows[:1], rows[1:]])
    refused(r"^group 1 must be a matrix", scores.same_of, rows, [rows, row])
    refused(r"^targets must be a matrix", scores.direct_bias_of, row, [rows])
    refused(r"^defining set 1 must be a matrix", scores.direct_bias_of, rows, [rows, row])
    refused(r"^group 1 must be a matrix", scores.gweat_of, [rows, row], [rows, rows])


def test_results_name_the_words_that_their_parts_belong_to() -> None:
    x, y, a, b = WORDS.values()
    for name in ("weam", "psi", "nas", "sc_weat", "semaxis", "rnsb"):
        assert getattr(scores, name)(VECTORS, x, a, b).words == tuple(x)
    for name in ("rnd", "ect"):
        assert getattr(scores, name)(VECTORS, x, y, a, b).words == (*a, *b)
    assert scores.weat(VECTORS, x, y, a, b).words == (*x, *y)
    assert scores.same(VECTORS, a, [x, y]).words == tuple(a)
    assert scores.gweat(VECTORS, x, y, a, b).words == ("target group 0", "target group 1")


SHARED = {"he": [1.0, 0.0], "she": [-1.0, 0.5], "t": [1.0, 1.0]}


@pytest.mark.parametrize(
    ("name", "sets"),
    [
        ("same", {"men": ["he"], "women": ["she"]}),
        ("direct_bias", [("he", "she")]),
        ("ripa", [("he", "she")]),
    ],
)
def test_targets_that_span_the_direction_can_be_left_out(name: str, sets: Any) -> None:
    call = getattr(scores, name)
    without = call(SHARED, ["he", "t", "gone"], sets, drop_shared=True)
    assert without.words == ("t",)
    assert without.score == call(SHARED, ["t"], sets).score
    assert call(SHARED, ["he", "t"], sets).score != without.score
    refused("no target is left", call, SHARED, ["he", "she"], sets, drop_shared=True)
    string = "targets must be a list"
    refused(string, call, SHARED, "he", sets, drop_shared=True, error=TypeError)
