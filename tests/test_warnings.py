"""Warnings are classes with fields: every class is public, has a sentence, and can be kept."""

import json
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from threading import Barrier
from typing import get_type_hints

import pytest

import bayesbias as bb
from bayesbias._core.checks import Argument
from bayesbias._core.warnings import as_ours, from_dict, heard, to_dict, warn, without
from bayesbias.workflows.results import noticed

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
    assert from_dict("odd") == bb.warnings.OtherWarning("UserWarning", "odd")  # in old records
    few = bb.warnings.FewProposals(80.0, 400)
    assert as_ours(few) is few


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.BayesbiasWarning")
def test_blocks_in_threads_notice_their_own_warnings() -> None:
    """All blocks are open at the same time; each warns in our way and in that of other packages."""
    filters, everyone = list(warnings.filters), Barrier(4)

    def notices(place: int) -> list[str]:
        with heard() as again:
            with noticed() as found:
                everyone.wait(10)
                warn(bb.warnings.ZeroVectors(place))
                warnings.warn(f"of {place}", RuntimeWarning, stacklevel=1)
                everyone.wait(10)
            assert len(again) == 2
        return [str(one) for one in found]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(notices, range(4)))
    own = [{str(bb.warnings.ZeroVectors(place)), f"of {place}"} for place in range(4)]
    assert [*map(set, found)] == own
    assert list(warnings.filters) == filters


@pytest.mark.slow  # eight analyses
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.BayesbiasWarning")
def test_warnings_of_overlapping_analyses_stay_apart() -> None:
    """Each of eight pairs of analyses in threads has its own warnings, and no filter is left."""
    words = {
        "groups": {"a": ["he", "man", "boy"], "b": ["she", "woman", "girl"]},
        "stereotypes": {"a": ["career", "office"], "b": ["family", "home"]},
    }
    whole = bb.load_vectors("glove-demo", words)
    held = dict(zip(whole.index_to_key, whole.vectors, strict=True))
    filters, shown = list(warnings.filters), warnings.showwarning
    how = {"seed": 1, "draws": 50, "chains": 2, "reference_lists": 0, "progressbar": False}

    def notices(source: object) -> list[str]:
        return [type(one).__name__ for one in bb.analyze(source, words, **how).notices]

    with ThreadPoolExecutor(4) as pool:
        alone = [notices(source) for source in ("glove-demo", held)]
        together = list(pool.map(notices, ["glove-demo", held] * 4))
    assert alone[0] != alone[1]
    assert together == alone * 4
    assert (list(warnings.filters), warnings.showwarning) == (filters, shown)


@pytest.mark.parametrize("kind", [UserWarning, RuntimeWarning, DeprecationWarning])
def test_warnings_of_other_packages_are_dropped_by_class_and_beginning(kind) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        with without(kind, "this"):
            for text in ("that stays", "this goes"):
                warnings.warn(text, kind, stacklevel=1)
    of_developers = ["this goes"] * issubclass(kind, DeprecationWarning)
    assert [str(one.message) for one in found] == ["that stays", *of_developers]
