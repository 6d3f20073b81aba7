"""The same table in another form gives the same results: other indices, types, and libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import refused
from pandas.testing import assert_frame_equal

import bayesbias as bb
from bayesbias import comparison
from bayesbias.model.covariates import numbers_of
from bayesbias.scores.groups import mac_of_table
from bayesbias.tables.descriptives import densities, mac_band, neighborhood, set_means
from bayesbias.tables.schema import LOG_RANKS
from bayesbias.workflows.change_ends import as_end

LETTERS = ("protected_word", "attribute")


def _polars(table: pd.DataFrame) -> Any:
    return pytest.importorskip("polars").from_pandas(table)


def _pyarrow(table: pd.DataFrame) -> Any:
    return pytest.importorskip("pyarrow").Table.from_pandas(table)


def _arrow(table: pd.DataFrame) -> pd.DataFrame:
    pytest.importorskip("pyarrow")
    return table.convert_dtypes(dtype_backend="pyarrow")


def _parts(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table as two parts that were joined with their own row numbers."""
    half = len(table) // 2
    return pd.concat([table[:half], table[half:].reset_index(drop=True)])


FORMS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "repeated index": _parts,
    "index named like a column": lambda t: t.set_index("protected_word", drop=False),
    "row numbers named like a column": lambda t: t.rename_axis("attribute"),
    "two levels named like columns": lambda t: t.set_index(list(LETTERS), drop=False),
    "distances as text": lambda t: t.astype({"cosine_distance": str}),
    "distances as objects": lambda t: t.astype({"cosine_distance": object}),
    "all columns as categories": lambda t: t.astype("category"),
    "Arrow types": _arrow,
    "one level of columns": lambda t: t.set_axis(pd.MultiIndex.from_arrays([t.columns]), axis=1),
    "polars": _polars,
    "lazy polars": lambda t: _polars(t).lazy(),
    "pyarrow": _pyarrow,
}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Return a table of two groups with a copied word, and with ranks but no cosines."""
    sets = {
        "groups": {"a": ["he", "man", "boy"], "b": ["she", "woman", "girl"]},
        "stereotypes": {"a": ["career", "office", "salary"], "b": ["family", "home", "children"]},
        "controls": {"neutral": ["water", "paper", "table", "stone"]},
    }
    table = bb.distance_table("glove-demo", sets)
    words = table["protected_word"].unique()
    copied = table[table["protected_word"] == words[0]].replace(words[0], "copied")
    table = pd.concat([table, copied], ignore_index=True)
    table.attrs = {}
    return table


def _after(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table after a change that is larger for later rows."""
    distances = table["cosine_distance"]
    return table.assign(cosine_distance=distances * np.linspace(1, 0.9, len(table)))


def _ranks(table: pd.DataFrame) -> pd.DataFrame:
    words = table["attribute"].unique()
    return pd.DataFrame({"word": words, "rank": range(1, len(words) + 1)})


def _drawn(ax: Any) -> pd.DataFrame:
    """Return the numbers and labels in a plot: of images, lines, and annotations."""
    shown = [np.asarray(image.get_array()).ravel() for image in ax.images]
    shown += [np.ravel(line.get_xydata()) for line in ax.lines]
    shown += [np.ravel([one.xy, one.xyann]) for one in ax.texts if hasattr(one, "xyann")]
    return pd.DataFrame({"at": np.concatenate([np.asarray(part, float) for part in shown])})


OF_ONE: dict[str, Callable[[Any], pd.DataFrame]] = {
    "validate_table": bb.validate_table,
    "duplicate_vectors": bb.duplicate_vectors,
    "drop_duplicates": lambda t: bb.validate_table(bb.drop_duplicates(t)),
    "set_means": set_means,
    "mac_band": mac_band,
    "mac_of_table": lambda t: mac_of_table(t).per_word,
    "densities": lambda t: densities(t, 20),
    "neighborhood": lambda t: neighborhood(t, "copied"),
    "heatmap": lambda t: _drawn(bb.plots.heatmap(t)),
}
"""Functions of one table."""

OF_TWO: dict[str, Callable[[Any, Any], pd.DataFrame]] = {
    "pair": lambda a, b: comparison.pair(a, b).rows,
    "mac_before_after": comparison.mac_before_after,
    "band_shares": comparison.band_shares,
    "plots.change": lambda a, b: _drawn(bb.plots.change(a, b)),
    "before": lambda a, b: as_end(a),
}
"""Functions of two tables; `as_end` is the first step of `analyze_change`."""


@pytest.fixture(scope="module")
def ends(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the table before and after a change."""
    return bb.validate_table(table), bb.validate_table(_after(table))


@pytest.fixture(scope="module")
def of_one(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return what each function of one table gives for the plain table."""
    return {name: function(table) for name, function in OF_ONE.items()}


@pytest.fixture(scope="module")
def of_two(ends: tuple[pd.DataFrame, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return what each function of two tables gives for the plain ones."""
    return {name: function(*ends) for name, function in OF_TWO.items()}


LONGEST = {"heatmap", "mac_before_after", "plots.change"}
"""Functions that take as long as all others together."""

SOME = ("repeated index", "two levels named like columns", "all columns as categories", "polars")
"""Forms for the longest functions."""


def _cases(functions: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name, form) for name in functions for form in (SOME if name in LONGEST else FORMS)]


@pytest.mark.parametrize(("name", "form"), _cases(OF_ONE))
def test_a_table_in_another_form_gives_the_same_results(table, of_one, name, form) -> None:
    assert_frame_equal(OF_ONE[name](FORMS[form](table)), of_one[name])


@pytest.mark.parametrize(("name", "form"), _cases(OF_TWO))
def test_two_tables_in_another_form_give_the_same_results(ends, of_two, name, form) -> None:
    assert_frame_equal(OF_TWO[name](*map(FORMS[form], ends)), of_two[name])


@pytest.mark.seconds
def test_one_table_of_several_embeddings_has_any_form(table: pd.DataFrame) -> None:
    both = pd.concat([table.assign(embedding="one"), _after(table).assign(embedding="two")])
    forms = [FORMS[form](both) for form in ("polars", "pyarrow", "repeated index")]
    first, *others = (
        bb.rank_embeddings(bb.fit_many(each, draws=50, chains=1, seed=1)) for each in (both, *forms)
    )
    for other in others:
        assert_frame_equal(other, first)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("of", ["attribute", "protected_word", "row"])
def test_a_covariate_is_added_to_every_form(table: pd.DataFrame, of: str, form: str) -> None:
    """The lengths of words, or of both words of a row."""
    words = table[list(LETTERS) if of == "row" else [of]]
    lengths = words.apply(lambda column: column.str.len()).sum(axis=1)
    values = lengths.tolist() if of == "row" else dict(zip(table[of], lengths, strict=True))
    found = bb.with_covariate(FORMS[form](table), "letters", values, of=of)
    assert found["letters"].tolist() == lengths.tolist()


@pytest.mark.parametrize("name", LOG_RANKS)
def test_the_name_of_a_built_in_covariate_is_taken(table: pd.DataFrame, name: str) -> None:
    """Else, `fit` would use either the column or the logarithm of the rank in silence."""
    values = {word: len(word) for word in table["attribute"]}
    refused(name, bb.with_covariate, table, name, values)
    own = table.assign(**{name: range(len(table))})
    refused(f"also has a column '{name}'", numbers_of, own, name)
    ranks = table[LOG_RANKS[name][1]].to_numpy()
    np.testing.assert_allclose(numbers_of(table, name), np.log(ranks))


LIST = pd.DataFrame(
    [
        *(("protected", "a", word) for word in ("he", "man")),
        *(("protected", "b", word) for word in ("she", "woman")),
        *(("stereotype", "a_stereotype", word) for word in ("career", "office")),
        *(("stereotype", "b_stereotype", word) for word in ("family", "home")),
        (None, None, None),
    ],
    columns=["role", "set", "word"],
)
"""A list as a frame, with an empty row, as spreadsheets have at their end."""

EMPTY: dict[str, Callable[[pd.DataFrame], Any]] = {
    "objects": lambda f: f.astype(object),
    "categories": lambda f: f.astype("category"),
    "pandas text": lambda f: f.convert_dtypes(),
    "Arrow text": _arrow,
    "polars": _polars,
    "polars categories": lambda f: _polars(f.astype("category")),
    "an empty column of numbers": lambda f: f.assign(group=np.nan),
    "an empty column of whole numbers": lambda f: f.assign(note=pd.array([None] * 9, "Int64")),
    "an empty column of flags": lambda f: f.assign(note=pd.array([None] * 9, "boolean")),
    "an empty column of Arrow": lambda f: _arrow(f.assign(note=pd.array([None] * 9, "Float64"))),
    "an empty column of categories": lambda f: f.assign(
        group=pd.Categorical([None] * 9, categories=["a"])
    ),
}
"""Frames of a list with missing values of one type."""


@pytest.mark.parametrize("form", EMPTY)
def test_missing_values_in_a_list_are_empty_whatever_their_type(form: str) -> None:
    found = bb.load_wordlist(EMPTY[form](LIST))
    assert found.groups == {"a": ("he", "man"), "b": ("she", "woman")}
    assert found.stereotypes == {"a": ("career", "office"), "b": ("family", "home")}
