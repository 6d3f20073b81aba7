"""The long-form table: what is valid, what is refused and how it is said."""

from __future__ import annotations

import io
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from bayesbias.tables.schema import (
    COLUMNS,
    CONNECTIONS,
    OPTIONAL_COLUMNS,
    ROUNDING,
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
row = st.tuples(words, words, words, words, st.sampled_from(CONNECTIONS), st.floats(0, 2, width=64))
tables = st.lists(row, min_size=1, max_size=8).map(
    lambda rows: pd.DataFrame(rows, columns=list(COLUMNS))
)


def test_valid_table_comes_back_in_order() -> None:
    ends = [-ROUNDING / 2, 2 + ROUNDING / 2]  # rounding beyond the ends is clipped
    table = toy(context="c", embedding="e", stranger=1, cosine_distance=ends)
    valid = validate_table(
        table[["stranger", "context", "embedding", *reversed(COLUMNS)]].iloc[::-1]
    )
    assert tuple(valid.columns) == (*COLUMNS, *OPTIONAL_COLUMNS)
    assert valid.index.tolist() == [0, 1]
    assert valid["connection"].cat.ordered
    assert tuple(valid["connection"].cat.categories) == CONNECTIONS
    assert valid["cosine_distance"].tolist() == [2.0, 0.0]


IMPOSSIBLE = r"1 distance\(s\) are not numbers in \[0, 2\], first in row 1 \('she', '<script>"

REFUSED: list[tuple[object, str]] = [
    *((toy().drop(columns=name), rf"lacks the column\(s\) {name}; it has ") for name in COLUMNS),
    (pd.DataFrame({"a": [1], 5: [2]}), r"lacks the column\(s\) protected_word, .*; it has a, 5"),
    (pd.concat([toy(), toy()[["attribute"]]], axis=1), "has two columns named 'attribute'"),
    (toy().iloc[:0], "no rows; were all words missing"),
    *(
        (toy(**{name: [toy()[name][0], value]}), f"row 1 has an empty {name}")
        for name, value in product(COLUMNS[:5], ["  ", None])
    ),
    *(
        (toy(cosine_distance=[0.5, value]), IMPOSSIBLE)
        for value in (np.nan, -0.1, None, 2 + 2 * ROUNDING, "far")
    ),
    (toy(connection=["human", "asociated"]), "'asociated'.*mean 'associated'.*, different"),
    ("table.csv", r"got str. bb.read_table\(path\) reads a long-form table"),
]


@pytest.mark.parametrize(("table", "message"), REFUSED)
def test_what_cannot_be_a_table_is_refused(table: pd.DataFrame, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        validate_table(table)


@settings(max_examples=50)
@given(tables, st.randoms(use_true_random=False))
def test_validation_keeps_rows_and_csv_files_keep_the_hash(
    table: pd.DataFrame, random: np.random.RandomState
) -> None:
    valid = validate_table(table)
    assert_frame_equal(validate_table(valid), valid)
    assert_frame_equal(valid.astype({"connection": "str"}), table, check_dtype=False)
    order = list(range(len(table)))
    random.shuffle(order)
    expected = valid.iloc[order].reset_index(drop=True)
    assert_frame_equal(validate_table(table.iloc[order]), expected)
    texts = dict.fromkeys(COLUMNS[:-1], "str")
    content = io.StringIO(valid.to_csv(index=False))
    read = validate_table(pd.read_csv(content, keep_default_na=False, dtype=texts))
    assert_frame_equal(read, valid, check_dtype=False)
    assert table_hash(read) == table_hash(valid)


def test_other_tables_have_other_hashes() -> None:
    others = [
        toy(),
        toy(cosine_distance=[0.25, np.nextafter(1.5, 2)]),
        toy(protected_word=["he", "her"]),
        toy(connection=["different", "neutral"]),
        toy(embedding="glove"),
        toy().iloc[::-1],
    ]
    hashes = {table_hash(validate_table(other)) for other in others}
    assert len(hashes) == len(others)
    assert {len(digest) for digest in hashes} == {64}
