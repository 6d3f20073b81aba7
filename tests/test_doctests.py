"""Every public name has an example, and every example of the package runs as it stands."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import pytest
from xarray import DataTree

import bayesbias as bb
from bayesbias.tables.schema import table_hash


def examples() -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = [found.name for found in pkgutil.walk_packages(bb.__path__, "bayesbias.")]
    tests = [test for name in names for test in finder.find(importlib.import_module(name), name)]
    return [test for test in tests if test.examples]


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
    public = {name: getattr(bb, name) for name in bb.__all__}
    examples = {name: value.__doc__ or "" for name, value in public.items() if callable(value)}
    assert not [name for name, text in examples.items() if ">>> " not in text]
