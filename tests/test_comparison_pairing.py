"""Rows of two tables, paired."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from builders import pair_table
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesbias.comparison.pairing import pair
from bayesbias.tables.schema import COLUMNS, CONNECTIONS

BEFORE = [
    ("he", "nurse", "different", 0.9),
    ("he", "pilot", "associated", 0.5),
    ("he", "pilot", "associated", 0.6),
    ("he", "clock", "neutral", 1.0),
]
AFTER = [
    ("he", "pilot", "associated", 0.7),
    ("he", "pilot", "associated", 0.9),
    ("he", "nurse", "different", 0.8),
    ("he", "walk", "human", 0.3),
]


def test_rows_pair_by_hand_and_repeated_ones_in_their_order() -> None:
    pairs = pair(pair_table(BEFORE), pair_table(AFTER))
    assert pairs.rows[["attribute", "before", "after"]].to_numpy().tolist() == [
        ["nurse", 0.9, 0.8],
        ["pilot", 0.5, 0.7],
        ["pilot", 0.6, 0.9],
    ]
    assert pairs.rows["change"].tolist() == pytest.approx([-0.1, 0.2, 0.3])
    assert pairs.n_repeated == 1
    left = pairs.unpaired[["table", "attribute", COLUMNS[-1]]].to_numpy().tolist()
    assert left == [["before", "clock", 1.0], ["after", "walk", 0.3]]
    once = pair(pair_table(BEFORE), pair_table(AFTER[:1])).unpaired  # repeats in one table only
    assert once[["table", COLUMNS[-1]]].to_numpy().tolist() == [
        ["before", 0.9],
        ["before", 0.6],
        ["before", 1.0],
    ]


def test_context_is_part_of_the_pair_if_both_tables_have_it() -> None:
    one = pair_table(BEFORE[1:3]).assign(context=["a", "b"])
    other = pair_table(AFTER[:2]).assign(context=["b", "a"])
    assert pair(one, other).rows["after"].tolist() == [0.9, 0.7]
    assert pair(one, other.drop(columns="context")).rows["after"].tolist() == [0.7, 0.9]


@settings(max_examples=5)
@given(st.permutations(range(16)))
def test_the_order_of_rows_without_repeats_does_not_matter(order: list[int]) -> None:
    keys = [(f"w{i // 8}", f"a{i % 8}", CONNECTIONS[i % 4], 0.02 * i) for i in range(16)]
    before, after = pair_table(keys), pair_table(keys).assign(cosine_distance=0.9)
    shuffled = after.iloc[order].reset_index(drop=True)
    pd.testing.assert_frame_equal(pair(before, shuffled).rows, pair(before, after).rows)


def test_the_repeated_rows_of_a_published_table_all_find_their_partner(
    published: Callable[[str], pd.DataFrame],
) -> None:
    """2,608 of 5,868 rows of the race tables repeat an earlier one (data README)."""
    table = published("race_group_google_dataset")
    pairs = pair(table, table)
    assert (len(pairs.rows), pairs.n_repeated, len(pairs.unpaired)) == (5868, 2608, 0)
    assert not pairs.rows["change"].any()


@pytest.mark.parametrize(
    ("after", "message"),
    [
        ({"protected_word": "she"}, r"no row in common \(before .*'he nurse.*, after .*'she pilot"),
        ({"protected_group": "h"}, "'he' is of the group 'g' before and 'h' after"),
        ({"embedding": list("xyxy")}, r"after holds 2 embeddings \(x, y\).* use fit_many"),
        ({"connection": "odd"}, "odd"),
    ],
)
def test_tables_that_cannot_be_paired_say_why(after: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pair(pair_table(BEFORE), pair_table(AFTER).assign(**after))
