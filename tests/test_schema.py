"""The long-form table: what is valid, what is refused and how it is said."""

from __future__ import annotations

import io
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from bayesbias._core.checks import unknown_name
from bayesbias.tables.schema import (
    COLUMNS,
    CONNECTIONS,
    OPTIONAL_COLUMNS,
    ROUNDING,
    connections_present,
    require_columns,
    table_hash,
    validate_table,
)


def toy(**columns: object) -> pd.DataFrame:
    """Two rows, with columns replaced or added."""
    given_columns = {
        "protected_word": ["he", "she"],
        "protected_group": ["man", "woman"],
        "attribute": ["nurse", "<script>"],
        "attribute_set": ["woman_stereotype", "human"],
        "connection": ["different", "human"],
        "cosine_distance": [0.25, 1.5],
    }
    return pd.DataFrame({**given_columns, **columns})


words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"]), min_size=1, max_size=8
)


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    row = st.tuples(
        words, words, words, words, st.sampled_from(CONNECTIONS), st.floats(0, 2, width=64)
    )
    return pd.DataFrame(draw(st.lists(row, min_size=1, max_size=8)), columns=list(COLUMNS))


def test_valid_table_comes_back_in_order() -> None:
    table = toy(context="c", embedding="e", stranger=1)
    table = table[["stranger", "context", "embedding", *reversed(COLUMNS)]].iloc[::-1]
    valid = validate_table(table)
    assert tuple(valid.columns) == (*COLUMNS, *OPTIONAL_COLUMNS)
    assert valid.index.tolist() == [0, 1]
    assert valid["connection"].cat.ordered
    assert tuple(valid["connection"].cat.categories) == CONNECTIONS
    assert valid["cosine_distance"].dtype == np.float64
    assert valid["cosine_distance"].tolist() == [1.5, 0.25]


def test_the_table_that_is_given_stays_as_it_is() -> None:
    table = toy()
    before = table.copy(deep=True)
    valid = validate_table(table)
    valid["cosine_distance"] = 0.0
    assert_frame_equal(table, before)


@pytest.mark.parametrize("column", COLUMNS)
def test_missing_column_is_named(column: str) -> None:
    with pytest.raises(ValueError, match=rf"lacks the column\(s\) {column}; it has "):
        validate_table(toy().drop(columns=column))


def test_all_missing_columns_are_named() -> None:
    with pytest.raises(ValueError, match=r"lacks the column\(s\) b, c; it has a, 5"):
        require_columns(pd.DataFrame({"a": [1], 5: [2]}), ["a", "b", "c"])


def test_what_is_no_table_is_named() -> None:
    with pytest.raises(TypeError, match=r"a table \(DataFrame\) is needed; got a list"):
        validate_table([])  # type: ignore[arg-type]


def test_empty_table_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no rows; were all words missing"):
        validate_table(toy().iloc[:0])


IMPOSSIBLE = r"1 distance\(s\) are not in \[0, 2\], first in row 1 \('she', '<script>"


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        *product(COLUMNS[:4], ["", "  ", None, np.nan], ["row 1 has an empty {column}"]),
        *product(["cosine_distance"], [np.nan, np.inf, -0.1, 2.1, -100.0, None], [IMPOSSIBLE]),
        ("cosine_distance", "far", "row 1: cosine_distance is 'far', not a number"),
        ("connection", "asociated", "'asociated'.*mean 'associated'.*associated, different"),
        *product(["connection"], [None, np.nan], ["row 1 has an empty connection"]),
    ],
)
def test_what_cannot_be_in_a_table_is_refused(column: str, value: object, message: str) -> None:
    table = toy()
    table[column] = [table[column][0], value]
    with pytest.raises(ValueError, match=message.format(column=column)):
        validate_table(table)


def test_rounding_beyond_the_ends_is_clipped() -> None:
    valid = validate_table(toy(cosine_distance=[-ROUNDING / 2, 2 + ROUNDING / 2]))
    assert valid["cosine_distance"].tolist() == [0.0, 2.0]
    with pytest.raises(ValueError, match=r"not in \[0, 2\]"):
        validate_table(toy(cosine_distance=[0.5, 2 + 2 * ROUNDING]))


def test_connections_present_keep_the_order_of_the_schema() -> None:
    assert connections_present(toy(connection=["human", "associated"])) == ["associated", "human"]
    assert connections_present(validate_table(toy())) == ["different", "human"]


@given(tables())
def test_validating_twice_changes_nothing(table: pd.DataFrame) -> None:
    valid = validate_table(table)
    assert_frame_equal(validate_table(valid), valid)
    assert_frame_equal(valid.astype({"connection": "str"}), table, check_dtype=False)


@given(tables(), st.randoms(use_true_random=False))
def test_order_of_rows_is_kept(table: pd.DataFrame, random: np.random.RandomState) -> None:
    order = list(range(len(table)))
    random.shuffle(order)
    expected = validate_table(table).iloc[order].reset_index(drop=True)
    assert_frame_equal(validate_table(table.iloc[order]), expected)


@given(tables())
def test_csv_round_trip_keeps_table_and_hash(table: pd.DataFrame) -> None:
    valid = validate_table(table)
    text = valid.to_csv(index=False)
    texts = dict.fromkeys(COLUMNS[:-1], "str")
    read = validate_table(pd.read_csv(io.StringIO(text), keep_default_na=False, dtype=texts))
    assert_frame_equal(read, valid, check_dtype=False)
    assert table_hash(read) == table_hash(valid)


def test_equal_tables_have_equal_hashes_and_others_do_not() -> None:
    valid = validate_table(toy())
    assert table_hash(valid) == table_hash(validate_table(toy()))
    others = [
        toy(cosine_distance=[0.25, np.nextafter(1.5, 2)]),
        toy(protected_word=["he", "her"]),
        toy(connection=["different", "neutral"]),
        toy(embedding="glove"),
        toy().iloc[::-1],
    ]
    hashes = {table_hash(validate_table(other)) for other in others}
    assert len(hashes | {table_hash(valid)}) == len(others) + 1
    assert table_hash(valid).isalnum()
    assert len(table_hash(valid)) == 64


def test_unknown_name_gives_the_choices_and_the_nearest() -> None:
    message = unknown_name("model", "papr", ["paper", "crossed"])
    assert message.startswith("unknown model 'papr'; did you mean 'paper'?")
    assert message.endswith("Known: crossed, paper")
    assert "did you mean" not in unknown_name("model", "zzz", ["paper", "crossed"])
    assert "'paper'" in unknown_name("model", "PAPER", ["paper", "crossed"])


def test_hash_tells_apart_words_that_meet_at_the_edge_of_two_columns() -> None:
    first = pd.DataFrame({"p": ["a", "b"], "q": ["cd", "e"]})
    second = pd.DataFrame({"p": ["a", "bc"], "q": ["d", "e"]})
    assert table_hash(first) != table_hash(second)


@pytest.mark.parametrize("given", ["table.csv", Path("table.csv"), [toy()], None])
def test_what_is_no_table_is_told_how_to_make_one(given: object) -> None:
    told = rf"got a {type(given).__name__}. bb.read_table\(path\) reads a long-form table"
    with pytest.raises(TypeError, match=told):
        validate_table(given)  # type: ignore[arg-type]
