"""Sufficient statistics, recomputed row by row from the table."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from bayesbias.model.design import Design, make_design
from bayesbias.sampling.sufficient import Statistics, sufficient_statistics

CENTRE = 1.0


@pytest.fixture(scope="module")
def design(toy_table: pd.DataFrame) -> Design:
    return make_design(toy_table)


@pytest.fixture(scope="module")
def statistics(design: Design) -> Statistics:
    return sufficient_statistics(design, CENTRE, with_attributes=True, grouped=False)


def rows_of(table: pd.DataFrame, **labels: str) -> pd.Series:
    for column, label in labels.items():
        table = table[table[column].astype(str) == label]
    return table["cosine_distance"] - CENTRE


def signature(table: pd.DataFrame, word: str, connection: str) -> tuple[int, ...]:
    """Rows of every attribute in one cell."""
    return tuple(
        len(rows_of(table, protected_word=word, connection=connection, attribute=attribute))
        for attribute in sorted(table["attribute"].unique())
    )


def test_sums_of_cells_attributes_and_connections(
    toy_table: pd.DataFrame, design: Design, statistics: Statistics
) -> None:
    for c, connection in enumerate(design.connections):
        rows = rows_of(toy_table, connection=connection)
        assert statistics.rows[c] == len(rows)
        assert statistics.squares[c] == pytest.approx((rows**2).sum())
        for w, word in enumerate(design.words):
            cell = rows_of(toy_table, protected_word=word, connection=connection)
            assert statistics.cell_sums[w, c] == pytest.approx(cell.sum())
        for a, attribute in enumerate(design.attributes):
            column = rows_of(toy_table, attribute=attribute, connection=connection)
            assert statistics.attribute_sums[c, a] == pytest.approx(column.sum())


def test_cells_are_classed_by_their_counts_and_by_nothing_else(
    toy_table: pd.DataFrame, design: Design, statistics: Statistics
) -> None:
    cells = list(product(design.words, design.connections))
    keys = [(connection, signature(toy_table, word, connection)) for word, connection in cells]
    of_cell = statistics.cells.of_cell
    for i, j in product(range(len(cells)), repeat=2):
        assert (of_cell[i] == of_cell[j]) == (keys[i] == keys[j])


def test_grouped_cells_have_the_parent_of_their_group(design: Design) -> None:
    grouped = sufficient_statistics(design, CENTRE, with_attributes=False, grouped=True)
    n = len(design.connections)
    for i, (w, c) in enumerate(product(range(len(design.words)), range(n))):
        assert grouped.cells.parent[grouped.cells.of_cell[i]] == design.word_group[w] * n + c
    assert grouped.attributes is None
    assert grouped.incidence.shape == (len(grouped.cells.size), 0)


def test_classes_do_not_grow_with_the_table(toy_table: pd.DataFrame) -> None:
    """A balanced design has one class of cells a connection, and one of attributes a kind."""
    whole = toy_table.drop_duplicates(["protected_word", "attribute"])
    balanced = whole[whole["protected_word"] != "he"]
    balanced = balanced[~balanced["attribute"].isin(["soldier", "rancher", "maid"])]
    statistics = sufficient_statistics(
        make_design(balanced[balanced["protected_group"] == "woman"]),
        CENTRE,
        with_attributes=True,
        grouped=False,
    )
    assert len(statistics.cells.size) == 3  # associated, neutral, human
    assert statistics.attributes is not None
    assert len(statistics.attributes.size) == 3


def test_a_connection_without_rows_counts_nothing(design: Design, statistics: Statistics) -> None:
    """Such as a part of the rows leaves, the last connection too."""
    last = len(design.connections) - 1
    part = design.take(np.flatnonzero(design.connection != last))
    found = sufficient_statistics(part, CENTRE, with_attributes=True, grouped=False)
    np.testing.assert_array_equal(found.rows, [*statistics.rows[:last], 0])
    np.testing.assert_array_equal(found.squares, [*statistics.squares[:last], 0])
