"""Sufficient statistics, recomputed row by row from the table."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from builders import model_named

from bayesbias.model.design import Design, make_design
from bayesbias.sampling.reduction import Classes, Collapsed, between, collapse, row_types

MODELS = ("crossed", "crossed by kind", "crossed around groups", "maximal")

KINDS = ("stereotype", "neutral", "human")


@pytest.fixture(scope="module")
def table(toy_table: pd.DataFrame) -> pd.DataFrame:
    """Two connections of one word have no rows."""
    lacks = toy_table["connection"].isin(["neutral", "human"])
    return toy_table[~lacks | (toy_table["protected_word"] != "he")]


@pytest.fixture(scope="module")
def design(table: pd.DataFrame) -> Design:
    return make_design(table)


@pytest.fixture(params=MODELS)
def posterior(request: pytest.FixtureRequest, design: Design) -> Collapsed:
    return collapse(design, model_named(request.param))


def kind_of(row: pd.Series) -> str:
    return row["connection"] if row["connection"] in KINDS else "stereotype"


def by_hand(name: str, row: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """How a row depends on the coordinates of its word, and on those of its attribute.

    Under maximal a word has a level for each kind and leans to one of two sets; an attribute has
    an effect and leans to one of two groups.
    """
    if name != "maximal":
        return np.ones(1), np.ones(1)
    sign = {"man": 1, "woman": -1}
    lean = sign.get(row["attribute_set"], 0) / np.sqrt(2)
    level = [kind_of(row) == kind for kind in KINDS]
    return np.array([*level, lean]), np.array([1, sign[row["protected_group"]] / np.sqrt(2)])


def unit_of(name: str, design: Design, row: pd.Series) -> tuple[int, int]:
    """Units of a row's word and attribute: a word is one under each connection, if split."""
    word = design.words.index(row["protected_word"])
    if name != "maximal":
        word = word * len(design.connections) + design.connections.index(row["connection"])
    return word, design.attributes.index(row["attribute"])


def by_row(
    posterior: Collapsed, table: pd.DataFrame, side: int
) -> list[tuple[int, int, np.ndarray, float]]:
    """Connection, unit, loading and outcome of every row."""
    name, design = posterior.spec.name, posterior.design
    return [
        (
            design.connections.index(row["connection"]),
            unit_of(name, design, row)[side],
            by_hand(name, row)[side],
            row["cosine_distance"] - 1.0,
        )
        for _, row in table.iterrows()
    ]


@pytest.mark.parametrize("side", [0, 1])
def test_sums_and_cross_products_of_every_unit(
    table: pd.DataFrame, posterior: Collapsed, side: int
) -> None:
    found = posterior.sides[side]
    gram = np.zeros_like(found.gram)[:, found.of_unit]
    sums = np.zeros(gram.shape[:3])
    for c, unit, loading, y in by_row(posterior, table, side):
        sums[c, unit] += loading * y
        gram[c, unit] += np.outer(loading, loading)
    np.testing.assert_allclose(found.gram[:, found.of_unit], gram, atol=1e-12)  # rounding of sums
    check_classes_of_sums(found, sums)


def check_classes_of_sums(found: Classes, sums: np.ndarray) -> None:
    """Means of classes, what units are apart from them, and the cross-products of that."""
    for i, size in enumerate(found.size):
        of_class = found.of_unit == i
        own, apart = sums[:, of_class], found.apart[:, :, of_class]
        assert own.shape[1] == size
        mean = found.projection[:, i] / np.sqrt(size)
        np.testing.assert_allclose(mean, own.mean(axis=1), atol=1e-12)
        np.testing.assert_allclose(apart, (own - mean[:, None]).swapaxes(1, 2), atol=1e-12)
        units, axes = (
            each.reshape(-1, each.shape[-1]) for each in (apart, found.deviation[0][:, i])
        )
        np.testing.assert_allclose(axes @ axes.T, units @ units.T, atol=1e-12)


def test_coupling_of_words_and_attributes(table: pd.DataFrame, posterior: Collapsed) -> None:
    words, attributes = posterior.sides
    found = between(words, attributes, row_types(posterior.design, posterior.spec))
    expected = np.zeros_like(found)
    rows = zip(*(by_row(posterior, table, side) for side in (0, 1)), strict=True)
    for (c, word, one, _), (_, attribute, other, _) in rows:
        i, j = words.of_unit[word], attributes.of_unit[attribute]
        both = np.sqrt(words.size[i] * attributes.size[j])
        expected[c, i, :, j] += np.outer(one, other) / both
    np.testing.assert_allclose(found, expected, atol=1e-12)  # rounding of square roots


@pytest.mark.parametrize("side", [0, 1])
def test_units_are_classed_by_their_partners_and_sds_and_by_nothing_else(
    table: pd.DataFrame, posterior: Collapsed, side: int
) -> None:
    name, design = posterior.spec.name, posterior.design
    has_groups = name == "maximal" or posterior.spec.terms_of("protected_group")
    partners = [Counter[tuple[str, ...]]() for _ in posterior.sides[side].of_unit]
    for _, row in table.iterrows():
        other = row[["attribute", "protected_word"][side]]
        seen = [row["connection"]]
        seen += [row["protected_group"]] if has_groups else []
        seen += [row["attribute_set"]] if name == "maximal" else []
        partners[unit_of(name, design, row)[side]][other, *seen] += 1
    # Words that are split have an sd for each connection, without rows too.
    n = len(design.connections) if side == 0 and name != "maximal" else 1
    of_unit = posterior.sides[side].of_unit
    for i, j in product(range(len(of_unit)), repeat=2):
        alike = partners[i] == partners[j] and i % n == j % n
        assert (of_unit[i] == of_unit[j]) == alike
