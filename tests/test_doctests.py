"""Every public name has an example, and every example of the package runs as it stands."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import matplotlib as mpl
import pytest
from xarray import DataTree

import bayesbias as bb
from bayesbias.tables.schema import table_hash


def modules() -> Iterator[ModuleType]:
    for each in pkgutil.walk_packages(bb.__path__, "bayesbias."):
        yield importlib.import_module(each.name)


def examples() -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [test for module in modules() for test in finder.find(module, module.__name__)]
    return [test for test in found if test.examples]


@pytest.fixture(scope="module")
def fit_once() -> Callable[..., DataTree]:
    """Fit as `bb.fit` does, an equal table only once: most examples begin with the same fit."""
    known: dict[str, DataTree] = {}
    fit = bb.fit

    def once(table: Any, *given: Any, **keywords: Any) -> DataTree:
        key = f"{table_hash(table)} {given} {keywords}"
        return known[key] if key in known else known.setdefault(key, fit(table, *given, **keywords))

    return once


@pytest.fixture(scope="module")
def names(fit_once: Callable[..., DataTree]) -> dict[str, Any]:
    """What examples of posteriors and comparisons start with."""
    wordlist = bb.load_wordlist("religion")
    vectors = bb.load_vectors("glove-demo", wordlist)
    table = bb.distance_table(vectors, wordlist)
    glove = bb.load_vectors("glove-demo")
    embeddings = {"glove": glove, "debiased": bb.debias.soft(glove, "gender")}
    tables = bb.distance_tables(embeddings, ["gender"], case="fallback")
    return {
        **{"bb": bb, "wordlist": wordlist, "vectors": vectors, "table": table},
        **{"post": fit_once(table, seed=1), "embeddings": embeddings},
        "many": bb.fit_many(tables, seed=1),
    }


@pytest.mark.parametrize("test", examples(), ids=lambda test: test.name)
def test_examples_run(
    test: doctest.DocTest,
    fit_once: Callable[..., DataTree],
    names: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mpl.use("Agg")
    monkeypatch.setattr(bb, "fit", fit_once)
    test.globs = names | test.globs
    told: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=told.append)
    assert not told, "".join(told)


def test_every_public_name_has_an_example() -> None:
    named = {name: getattr(bb, name) for name in bb.__all__}
    lacking = [
        name
        for name, value in named.items()
        if callable(value) and ">>> " not in (value.__doc__ or "")
    ]
    assert not lacking
