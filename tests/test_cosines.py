"""Cosines of protected words that are estimated from a table's control attributes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import FAST
from sklearn.covariance import ledoit_wolf

import bayesbias as bb
from bayesbias._core.arrays import FloatArray, unit_rows
from bayesbias.nulls.base import Layout
from bayesbias.tables.cosines import shrunken_covariance, word_cosines


def table_of(words: FloatArray, n_attributes: int, rng: np.random.Generator) -> pd.DataFrame:
    """Distances of two groups of words to two sets and two sets of controls, in all directions."""
    layout = Layout(("X", "Y"), len(words) // 2, n_attributes, ("neutral", "human"))
    attributes = unit_rows(rng.standard_normal((layout.shape[1], words.shape[1])))
    return layout.rows.assign(cosine_distance=(1 - words @ attributes.T).ravel())


@pytest.mark.parametrize("n", [5, 30, 300])
def test_shrinking_is_that_of_ledoit_and_wolf(n: int) -> None:
    x = np.random.default_rng(n).standard_normal((n, 12)) * np.arange(1, 13)
    expected, _ = ledoit_wolf(x, assume_centered=True)
    np.testing.assert_allclose(shrunken_covariance(x), expected, rtol=1e-12, atol=1e-12)


def test_many_controls_tell_the_cosines() -> None:
    rng = np.random.default_rng(1)
    words = unit_rows(rng.standard_normal((8, 20)) + 2 * rng.standard_normal(20))
    table = bb.estimate_word_cosines(table_of(words, 1000, rng))
    names = table["protected_word"].unique().tolist()
    # The standard error of a (co)variance near 1 is (2 / n) ** .5 or less, n = 2,000 controls.
    np.testing.assert_allclose(word_cosines(table, names), words @ words.T, atol=4 * 0.032)


def test_stereotypes_do_not_count_and_repeated_rows_are_one() -> None:
    rng = np.random.default_rng(2)
    table = table_of(unit_rows(rng.standard_normal((6, 10))), 15, rng)
    moved = table.assign(
        cosine_distance=table["cosine_distance"].where(
            table["connection"].isin(["neutral", "human"]), 0.5
        )
    )
    found = [
        bb.estimate_word_cosines(frame).attrs["word_cosines"]
        for frame in (table, moved, pd.concat([table, table[:50]]))
    ]
    assert found[0] == found[1] == found[2]
    assert "word_cosines" not in table.attrs


def test_gaps_leave_attributes_out_and_few_controls_are_refused() -> None:
    rng = np.random.default_rng(3)
    table = table_of(unit_rows(rng.standard_normal((6, 10))), 12, rng)
    gaps = table.drop(table.index[table["attribute"].eq("human3")][:2])
    less = table[~table["attribute"].eq("human3")]
    found = [bb.estimate_word_cosines(frame).attrs["word_cosines"] for frame in (gaps, less)]
    assert found[0] == found[1]
    with pytest.raises(
        ValueError, match="with a distance to every protected word; the table has 12"
    ):
        bb.estimate_word_cosines(table[table["connection"] != "human"])
    controls = table["connection"].isin(["neutral", "human"])
    even = table.assign(cosine_distance=table["cosine_distance"].mask(controls, 1.0))
    with pytest.raises(ValueError, match="to control attributes are equal"):
        bb.estimate_word_cosines(even)


def test_what_is_known_is_not_estimated_nor_several_embeddings_as_one() -> None:
    rng = np.random.default_rng(5)
    table = table_of(unit_rows(rng.standard_normal((6, 10))), 12, rng)
    known = bb.estimate_word_cosines(table.assign(embedding="one"))
    with pytest.raises(ValueError, match=r"already, .* drop table.attrs\['word_cosines'\] first"):
        bb.estimate_word_cosines(known)
    known.attrs.clear()
    assert bb.estimate_word_cosines(known).attrs["word_cosines"]
    several = pd.concat([known, known.assign(embedding="two")])
    with pytest.raises(
        ValueError, match=r"of 2 embeddings, in which .* pass one embedding at a time"
    ):
        bb.estimate_word_cosines(several)


def test_kernel_is_fitted_to_a_table_that_came_without_vectors() -> None:
    rng = np.random.default_rng(4)
    table = table_of(unit_rows(rng.standard_normal((6, 10))), 12, rng)
    with pytest.raises(ValueError, match=r"bb\.estimate_word_cosines\(table\) estimates them"):
        bb.fit(table, "kernel")
    tree = bb.fit(bb.estimate_word_cosines(table), "kernel", seed=1, **FAST)
    assert np.isfinite(bb.contrasts(tree)["mean"]).all()
