"""From a table to indices: every row is found again by its labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bayesbias.model.design import make_design
from bayesbias.tables.schema import COLUMNS


def test_every_row_is_found_again_by_its_labels(toy_table: pd.DataFrame) -> None:
    design = make_design(toy_table)
    for i, row in enumerate(toy_table.itertuples()):
        assert design.words[design.word[i]] == row.protected_word
        assert design.groups[design.word_group[design.word[i]]] == row.protected_group
        assert design.connections[design.connection[i]] == row.connection
        assert design.attributes[design.attribute[i]] == row.attribute
        assert design.y[i] == row.cosine_distance


def test_kinds_are_those_of_the_attributes(toy_table: pd.DataFrame) -> None:
    design = make_design(toy_table)
    kinds = {a: design.kinds[design.attribute_kind[i]] for i, a in enumerate(design.attributes)}
    assert kinds["nurse"] == "stereotype"
    assert kinds["park"] == "neutral"
    assert kinds["walk"] == "human"


def test_a_stereotype_word_that_is_also_a_control_counts_as_stereotype() -> None:
    rows = [
        ("he", "man", "nurse", "woman", "different", 0.9),
        ("she", "woman", "nurse", "neutral", "neutral", 0.8),
    ]
    design = make_design(pd.DataFrame(rows, columns=list(COLUMNS)))
    assert [design.kinds[i] for i in design.attribute_kind] == ["stereotype"]


def test_a_word_in_two_groups_is_refused(toy_table: pd.DataFrame) -> None:
    both = toy_table.assign(protected_group=["man", *toy_table["protected_group"].iloc[1:-1], "x"])
    with pytest.raises(ValueError, match=r"the protected word '\w+' is in two groups, .*'x'"):
        make_design(both)


@pytest.mark.parametrize(
    ("x", "match"),
    [
        (np.zeros((3, 1)), r"x needs \(\d+, 1\) finite covariates"),
        (np.nan, r"x needs \(\d+, 1\) finite covariates"),
    ],
)
def test_covariates_have_a_value_in_every_row(
    toy_table: pd.DataFrame, x: np.ndarray | float, match: str
) -> None:
    design = make_design(toy_table)
    values = np.full((len(design.y), 1), x) if isinstance(x, float) else x
    with pytest.raises(ValueError, match=match):
        replace(design, covariates=("length",), x=values)
