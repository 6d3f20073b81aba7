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


def test_moments_of_cell_classes(
    toy_table: pd.DataFrame, design: Design, statistics: Statistics
) -> None:
    cells = statistics.cells
    pairs = list(product(design.words, design.connections))
    sums = np.array([rows_of(toy_table, protected_word=w, connection=c).sum() for w, c in pairs])
    for k in range(len(cells.size)):
        members = np.flatnonzero(cells.of_cell == k)
        word, connection = pairs[members[0]]
        assert cells.size[k] == len(members)
        assert cells.count[k] == len(rows_of(toy_table, protected_word=word, connection=connection))
        assert design.connections[cells.connection[k]] == connection
        own = sums[members]
        assert cells.mean_sum[k] == pytest.approx(own.sum() / np.sqrt(len(own)))
        assert cells.deviation[k] == pytest.approx(((own - own.mean()) ** 2).sum(), abs=1e-12)


def test_moments_of_attribute_classes(design: Design, statistics: Statistics) -> None:
    attributes = statistics.attributes
    assert attributes is not None
    for k in range(len(attributes.size)):
        members = np.flatnonzero(attributes.of_attribute == k)
        sums = statistics.attribute_sums[:, members]
        assert attributes.size[k] == len(members)
        assert set(design.attribute_kind[members]) == {attributes.kind[k]}
        np.testing.assert_allclose(
            attributes.mean_sum[:, k], sums.sum(axis=1) / np.sqrt(len(members))
        )
        apart = sums - sums.mean(axis=1, keepdims=True)
        np.testing.assert_allclose(attributes.deviation[:, :, k], apart @ apart.T, atol=1e-12)


def test_incidence_counts_rows_of_a_cell_and_an_attribute(
    toy_table: pd.DataFrame, design: Design, statistics: Statistics
) -> None:
    attributes = statistics.attributes
    assert attributes is not None
    pairs = list(product(design.words, design.connections))
    for i, (word, connection) in enumerate(pairs):
        for a, attribute in enumerate(design.attributes):
            n = len(
                rows_of(toy_table, protected_word=word, connection=connection, attribute=attribute)
            )
            found = statistics.incidence[statistics.cells.of_cell[i], attributes.of_attribute[a]]
            assert found == n


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


@pytest.mark.parametrize("with_attributes", [True, False])
def test_rows_of_every_context_are_counted_alone_and_with_each_class(
    toy_table: pd.DataFrame, with_attributes: bool
) -> None:
    context = np.random.default_rng(2).choice(["first", "second"], len(toy_table))
    table = toy_table.assign(context=context)
    design = make_design(table)
    statistics = sufficient_statistics(
        design, CENTRE, with_attributes=with_attributes, grouped=False, with_contexts=True
    )
    contexts, attributes = statistics.contexts, statistics.attributes
    assert contexts is not None
    assert (attributes is not None) == with_attributes
    n_classes = 0 if attributes is None else len(attributes.size)
    assert contexts.of_attribute.shape == (len(design.connections), n_classes, 2)
    assert contexts.of_cell.shape == (len(statistics.cells.size), 2)
    for t, name in enumerate(design.contexts):
        here = table[table["context"] == name]
        for c, connection in enumerate(design.connections):
            rows = rows_of(here, connection=connection)
            assert contexts.rows[c, t] == len(rows)
            assert contexts.sums[c, t] == pytest.approx(rows.sum())
            for a, attribute in enumerate(design.attributes if attributes is not None else ()):
                n = len(rows_of(here, attribute=attribute, connection=connection))
                assert contexts.of_attribute[c, attributes.of_attribute[a], t] == n
        for i, (word, connection) in enumerate(product(design.words, design.connections)):
            n = len(rows_of(here, protected_word=word, connection=connection))
            assert contexts.of_cell[statistics.cells.of_cell[i], t] == n


def test_a_connection_without_rows_counts_nothing(design: Design, statistics: Statistics) -> None:
    """Such as a part of the rows leaves, the last connection too."""
    last = len(design.connections) - 1
    part = design.take(np.flatnonzero(design.connection != last))
    found = sufficient_statistics(part, CENTRE, with_attributes=True, grouped=False)
    np.testing.assert_array_equal(found.rows, [*statistics.rows[:last], 0])
    np.testing.assert_array_equal(found.squares, [*statistics.squares[:last], 0])
