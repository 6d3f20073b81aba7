"""`FitOptions`: checked once, shown by every function, and known to few files."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from numpy.random import SeedSequence, default_rng

import bayesbias as bb
from bayesbias._core.checks import Argument, ArgumentError
from bayesbias.sampling.options import FitKeywords, FitOptions, fit_options

HOUSE = Path(__file__).parents[1]


def test_every_function_that_fits_shows_the_options_of_a_fit() -> None:
    functions = (bb.fit, bb.fit_change, bb.vocabulary_contrasts, bb.maskedlm.fit_pairs)
    for function in functions:
        shown = inspect.signature(function).parameters
        for each in fields(FitOptions):
            if each.name in FitKeywords.__annotations__:
                assert shown[each.name].default == each.default, (function.__name__, each.name)
        assert "keywords" not in shown


def test_keywords_replace_options_and_unknown_ones_are_named() -> None:
    given = FitOptions(draws=7, rope=0.1)
    assert fit_options(given, {"chains": 2}) == FitOptions(draws=7, rope=0.1, chains=2)
    with pytest.raises(TypeError, match="unknown option of a fit 'drawz'; did you mean 'draws'"):
        bb.fit(None, drawz=3)  # type: ignore[call-arg, arg-type]


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"draws": 0}, "draws"),
        ({"chains": 1.5}, "chains"),
        ({"tune": True}, "tune"),
        ({"target_accept": 1}, "target_accept"),
        ({"seed": -1}, "seed"),
        ({"ci_prob": 89}, "ci_prob"),
        ({"rope": 3}, "rope"),
    ],
)
def test_errors_know_their_argument(options: dict[str, Any], argument: str) -> None:
    with pytest.raises(ArgumentError, match=rf"^{argument} "):
        FitOptions(**options)


@pytest.mark.parametrize(("name", "known"), [("method", "exact"), ("ci_kind", "hdi")])
def test_unknown_choices_name_the_known_ones(name: str, known: str) -> None:
    with pytest.raises(ValueError, match=rf"unknown {name} 'x'.*{known}"):
        FitOptions(**{name: "x"})


def test_errors_survive_the_way_between_processes() -> None:
    error = ArgumentError("pass ", Argument("case", "lower"), " then")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) == "pass case='lower' then"
    assert again.args == error.args


def test_a_generator_is_not_drawn_from_by_the_check() -> None:
    rng = default_rng(1)
    FitOptions(seed=rng)
    assert rng.integers(2**31) == default_rng(1).integers(2**31)


def test_what_is_recorded_can_be_written_as_text() -> None:
    kept = FitOptions(seed=SeedSequence(3)).recorded
    assert "progressbar" not in kept
    assert "entropy=3" in kept["seed"]
    assert FitOptions().recorded["seed"] is None
