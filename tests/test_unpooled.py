"""Contrasts of words that are not pooled with others."""

from __future__ import annotations

import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.nulls import Scenario


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """One word of sixteen is .16 closer to its own attributes, which is four standard errors."""
    made = Scenario(word_sd=0.04, attribute_sd=0.04, effect=0.16, planted="one word")
    return made.table(seed=1)


def test_a_word_on_its_own_is_where_its_rows_are(table: pd.DataFrame) -> None:
    """Attributes are all but known from the 15 other words, and the prior adds .04² / .28²."""
    post = bb.fit(table, "maximal", draws=500, seed=1)
    found = bb.unpooled_contrasts(post, "X1", seed=1).iloc[0]
    distances = table.pivot_table("cosine_distance", "protected_word", "attribute")
    own = table[table["protected_word"] == "X1"].set_index("attribute")["connection"]
    against_others = distances.loc["X1"] - distances.drop(index="X1").mean()
    means = against_others.groupby(own).mean()
    by_hand = means["associated"] - means["different"]
    pooled = bb.contrasts(post).query("protected_word == 'X1'").iloc[0]
    assert found["mean"] == pytest.approx(by_hand, abs=0.01)
    assert abs(pooled["mean"]) < abs(found["mean"]) - 0.05
    assert found["high"] < 0


def test_frames_have_the_columns_of_contrasts_and_a_seed(table: pd.DataFrame) -> None:
    post = bb.fit(table, "crossed", draws=200, seed=1)
    found = bb.unpooled_contrasts(post, ["Y2", "X1"])
    assert list(found.columns) == list(bb.contrasts(post).columns.drop(["p_most", "estimand"]))
    assert found["protected_word"].tolist() == ["Y2", "X1"]
    assert found["protected_group"].tolist() == ["Y", "X"]
    again = bb.unpooled_contrasts(post, ["Y2", "X1"], seed=found.attrs["seed"])
    pd.testing.assert_frame_equal(again, found)
    assert len(bb.unpooled_contrasts(post)) == table["protected_word"].nunique()
