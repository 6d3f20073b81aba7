"""Public names of `import bayesbias as bb`, each with an example that runs."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pandas as pd
import pytest
from builders import distances, refused
from printed import NumberChecker

import bayesbias as bb
from bayesbias.tables.schema import table_hash


@pytest.mark.slow  # a process starts
def test_dir_shows_public_names_only() -> None:
    code = (
        "import bayesbias as bb, bayesbias.model.spec; bb.load_wordlist;"
        "print(*(name for name in dir(bb) if not name.startswith('__')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == set(bb.__all__) - {"__version__"}
    assert bb.__version__ == version("bayesbias")


ONE = distances()
WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: bb.debias.hard({"she": [1.0, 2.0]}, [("she", "he")]), r"bb\.debias\.DefiningSets"),
    (lambda: bb.predict_words(5), "bb.fit or bb.fit_change"),
    (lambda: bb.anlyze, "did you mean 'analyze'"),  # type: ignore[attr-defined]
    (lambda: bb.analyze("weat7", "glove-demo"), "the vectors first"),
    (lambda: bb.distance_table("weat7", "glove-demo"), "the vectors first"),
    (lambda: bb.analyze_change("weat7", "glove-demo", "hard"), "the vectors first"),
    (lambda: bb.load_wordlist("glove-demo"), "name of an embedding"),
    (lambda: bb.load_vectors("religion"), "name of a word list"),
    (lambda: bb.frequency_ranks({"he": [1.0, 2.0]}), "from bb.load_vectors; got the dict"),
    (lambda: bb.read_table(pd.DataFrame()), "a table to read must be a path; got the DataFrame"),
    (lambda: bb.load_posterior(None), "must be a path; got the NoneType"),
    (lambda: bb.load_model(None), "a model must be a name or a path; got the NoneType"),
    (lambda: bb.save_posterior(pd.DataFrame(), "x.nc"), "a posterior from bb.fit or"),
    (lambda: bb.fit_many({"e": pd.DataFrame()}), "need a column embedding"),
    (lambda: bb.fit(ONE, options={"draws": 5}), "must be bb.FitOptions"),
    (lambda: bb.fit(ONE, covariates=5), "must be names of columns; got 5"),
    (lambda: bb.analyze_change(ONE, ONE, names="ab"), "must be two names"),
]


def test_mistakes_are_named_with_what_to_pass_instead() -> None:
    for call, message in WRONG:
        refused(message, call, error=(TypeError, ValueError, AttributeError))


def examples() -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = [found.name for found in pkgutil.walk_packages(bb.__path__, "bayesbias.")]
    tests = [test for name in names for test in finder.find(importlib.import_module(name), name)]
    return [test for test in tests if test.examples]


def key_of(value: Any) -> str:
    if isinstance(value, list):
        return str([*map(key_of, value)])
    return table_hash(value) if isinstance(value, pd.DataFrame) else repr(value)


def cached(call: Callable[..., Any]) -> Callable[..., Any]:
    """Remember results, because many examples begin with the same fit."""
    known: dict[str, Any] = {}

    def once(*given: Any, **keywords: Any) -> Any:
        key = f"{[*map(key_of, given)]} {keywords}"
        return known[key] if key in known else known.setdefault(key, call(*given, **keywords))

    return once


@pytest.fixture(scope="module")
def fits() -> dict[str, Callable[..., Any]]:
    """Return functions that fit or analyze, each with a cache."""
    names = ("fit", "fit_change", "fit_many", "analyze")
    return {name: cached(getattr(bb, name)) for name in names}


@pytest.fixture(scope="module")
def names(fits: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    """Return the variables that examples of posteriors and comparisons use."""
    wordlist = bb.load_wordlist("religion")
    vectors = bb.load_vectors("glove-demo", wordlist)
    table = bb.distance_table(vectors, wordlist)
    post = fits["fit"](table, seed=1)
    return {"bb": bb, "wordlist": wordlist, "vectors": vectors, "table": table, "post": post}


@pytest.fixture(scope="module")
def of_many(fits: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    """Return the variables that examples of several embeddings use."""
    glove = bb.load_vectors("glove-demo")
    embeddings = {"glove": glove, "debiased": bb.debias.soft(glove, "gender")}
    tables = bb.distance_tables(embeddings, ["gender"], case="fallback")
    return {"embeddings": embeddings, "many": fits["fit_many"](tables, seed=1)}


LONG = (".closeness", ".analyze_change", ".changes", ".order_changes", ".slopes", ".trend")
LONG += (".variance_shares", ".vocabulary_contrasts", ".compare_models", ".baseline_contrasts")
LONG += (".stability", ".predictions", ".distance_tables", ".influence", ".split_by_baseline")
LONG += (".analyze", ".save_posterior", ".load_posterior", ".run_sweep", ".prior_sensitivity")
LONG += (".false_alarms", ".fit_change", ".topic_prior", ".add_groups", ".contrast_quantiles")
LONG += (".contrasts", ".predict_words", ".posterior_scores", ".predictive_check")
"""Functions whose examples take more than a quarter of a second."""

OF_MANY = (".distance_tables", ".fit_many", ".rank_embeddings", ".embedding_differences")
OF_MANY += (".variance_shares", ".trend")
"""Functions whose examples use several embeddings."""


CASES = [
    pytest.param(test, id=test.name, marks=[pytest.mark.slow] * test.name.endswith(LONG + OF_MANY))
    for test in examples()
]


@pytest.mark.parametrize("test", CASES)
def test_examples_run(test, fits, names, request, monkeypatch) -> None:
    for name, once in fits.items():
        monkeypatch.setattr(bb, name, once)
    if test.name.endswith(OF_MANY):
        names = names | request.getfixturevalue("of_many")
    test.globs = names | test.globs
    told: list[str] = []
    runner = doctest.DocTestRunner(NumberChecker(), optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=told.append)
    assert not told, "".join(told)


def test_every_public_name_has_an_example() -> None:
    public = {name: getattr(bb, name) for name in bb.__all__}
    examples = {name: value.__doc__ or "" for name, value in public.items() if callable(value)}
    assert not [name for name, text in examples.items() if ">>> " not in text]
