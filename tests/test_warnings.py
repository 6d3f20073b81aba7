"""Warnings are classes with fields: every class is public, has a sentence, and can be kept."""

import json
import pickle
from dataclasses import fields
from typing import get_type_hints

import pytest

import bayesbias as bb
from bayesbias._core.checks import Argument
from bayesbias._core.warnings import as_ours, from_dict, to_dict

VALUES = {
    int: 2,
    float: 0.25,
    bool: True,
    str: "some {text}",
    int | None: 3,
    tuple[str | Argument, ...]: ("pass ", Argument("case", "fallback")),
    tuple[str, ...]: ("he", "she"),
    tuple[tuple[str, str], ...]: (("he", "He"), ("she", "She")),
}
"""A value for each type of field."""

ABSTRACT = {"BayesbiasWarning", "SamplingWarning", "SameVectors"}


def example(kind: type[bb.warnings.BayesbiasWarning]) -> bb.warnings.BayesbiasWarning:
    """Return a warning with a value in each field."""
    hints = get_type_hints(kind)
    return kind(**{one.name: VALUES[hints[one.name]] for one in fields(kind)})


def subclasses(kind: type) -> set[type]:
    """Return a class and all its subclasses."""
    return {kind}.union(*map(subclasses, kind.__subclasses__()))


KINDS = subclasses(bb.warnings.BayesbiasWarning)
CONCRETE = sorted((k for k in KINDS if k.__name__ not in ABSTRACT), key=lambda k: k.__name__)


def test_every_class_is_public() -> None:
    assert all(getattr(bb.warnings, kind.__name__) is kind for kind in KINDS)
    assert issubclass(bb.warnings.BayesbiasWarning, UserWarning)
    assert bb.SamplingWarning is bb.warnings.SamplingWarning


@pytest.mark.parametrize("kind", CONCRETE, ids=lambda kind: kind.__name__)
def test_every_warning_has_a_sentence_and_can_be_kept(kind) -> None:
    one = example(kind)
    assert str(one).startswith("some {text}: ")
    assert "None" not in str(one)
    assert all(isinstance(part, str | Argument) for part in one.parts)
    kept = json.loads(json.dumps(to_dict(one)))
    for again in (from_dict(kept), pickle.loads(pickle.dumps(one))):
        assert type(again) is kind
        assert (again, hash(again), str(again)) == (one, hash(one), str(one))
    assert one.concerning("more") != one


def test_arguments_are_spelled_where_the_warning_is_shown() -> None:
    few = bb.warnings.FewProposals(80.0, 400, about="mine")
    options = [part for part in few.parts if isinstance(part, Argument)]
    assert options == [Argument("draws"), Argument("method", "nuts")]
    assert few.concerning("list").about == "list: mine"


def test_warnings_of_other_packages_are_kept_as_text() -> None:
    assert as_ours(RuntimeWarning("odd")) == bb.warnings.OtherWarning("RuntimeWarning", "odd")
    few = bb.warnings.FewProposals(80.0, 400)
    assert as_ours(few) is few
