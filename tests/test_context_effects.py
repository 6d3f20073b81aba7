"""Effects of the contexts that distances were measured in, exactly and by NUTS.

test_collapsed.py holds the exact density and its draws against dense normals.
"""

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.model.design import make_design
from bayesbias.model.likelihood import locations
from bayesbias.model.tree import stacked
from bayesbias.tables.schema import COLUMNS

CONTEXTS = ("This is {}.", "Here is {}.", "{} was there.")
SHIFTS = dict(zip(CONTEXTS, (-0.05, 0.0, 0.08), strict=True))


@pytest.fixture(scope="module")
def dealt(toy_table: pd.DataFrame) -> pd.DataFrame:
    """Every row in one of three contexts, unevenly; irregular in words and attributes too."""
    context = np.random.default_rng(2).choice(CONTEXTS, len(toy_table), p=[0.5, 0.3, 0.2])
    return shifted(toy_table.assign(context=context))


@pytest.fixture(scope="module")
def crossed(toy_table: pd.DataFrame) -> pd.DataFrame:
    """Every pair once in every context."""
    rows = toy_table.drop_duplicates(list(COLUMNS[:3]))
    return shifted(pd.concat([rows.assign(context=each) for each in CONTEXTS]))


def shifted(table: pd.DataFrame) -> pd.DataFrame:
    noise = 0.02 * np.random.default_rng(3).standard_normal(len(table))
    moved = table["cosine_distance"] + table["context"].map(SHIFTS) + noise
    return bb.validate_table(table.assign(cosine_distance=moved))


def test_contexts_come_out_where_they_were_put(crossed: pd.DataFrame) -> None:
    tree = bb.fit(crossed, "contextual", draws=500, seed=1)
    assert tree.attrs["method"] == "exact"
    effects = tree["posterior"]["context_effect"]
    assert effects.dims == ("chain", "draw", "context")
    assert tuple(effects["context"].values) == CONTEXTS
    found = effects.mean(("chain", "draw")).values
    # Differences are all that data tell well: 33 pairs with noise .02, so errors of .005.
    expected = np.array([SHIFTS[each] for each in CONTEXTS])
    np.testing.assert_allclose(np.diff(found), np.diff(expected), atol=0.02)
    assert "context_sd" in set(bb.sd_summary(tree)["parameter"])
    assert {"overall", "group", "word"} == set(bb.summary(tree)["level"])
    assert bb.predictive_check(tree)["coverage"].between(0, 1).all()


def test_expected_distances_hold_the_context(crossed: pd.DataFrame) -> None:
    tree = bb.fit(crossed, "contextual", draws=200, chains=2, seed=1)
    rows = np.arange(len(crossed))
    design = make_design(crossed)
    by_hand = stacked(tree, "word_mean")[:, design.word, design.connection]
    by_hand = by_hand + stacked(tree, "attribute_effect")[:, design.attribute]
    by_hand = by_hand + stacked(tree, "context_effect")[:, design.context]
    np.testing.assert_allclose(locations(tree, rows), by_hand, rtol=1e-12)  # rounding


def test_no_contexts_or_one_is_told(toy_table: pd.DataFrame, dealt: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="'contextual' has an effect of every context, and there"):
        bb.fit(toy_table, "contextual")
    with pytest.raises(ValueError, match="there is one only; measure in two or more contexts"):
        bb.build_model(dealt[dealt["context"] == CONTEXTS[0]], "contextual")
    with pytest.raises(ValueError, match="row 3 has an empty context"):
        bb.fit(dealt.assign(context=["a", "b", "c", None] + ["a"] * (len(dealt) - 4)), "crossed")


def test_models_without_context_effects_do_not_see_contexts(
    toy_table: pd.DataFrame, dealt: pd.DataFrame
) -> None:
    bare = dealt.drop(columns="context")
    first, second = (bb.fit(each, "crossed", draws=200, seed=1) for each in (dealt, bare))
    assert first["posterior"].to_dataset().identical(second["posterior"].to_dataset())
