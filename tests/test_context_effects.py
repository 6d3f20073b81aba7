"""Effects of the contexts that distances were measured in, exactly and by NUTS.

test_collapsed.py holds the exact density and its draws against dense normals.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.model.design import make_design
from bayesbias.model.likelihood import locations
from bayesbias.model.tree import stacked
from bayesbias.tables.schema import COLUMNS
from studies import sbc
from studies.agreement import ENDS, HIGHEST_RMS, HIGHEST_Z, exact_and_nuts, z_scores

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


def test_a_posterior_with_contexts_survives_a_file(crossed: pd.DataFrame, tmp_path) -> None:
    tree = bb.fit(crossed, "contextual", draws=200, chains=2, seed=1)
    bb.save_posterior(tree, tmp_path / "one.nc")
    back = bb.load_posterior(tmp_path / "one.nc")
    assert back["posterior"].to_dataset().identical(tree["posterior"].to_dataset())
    assert back["constant_data"]["context_index"].values.tolist() == (
        make_design(crossed).context.tolist()
    )


def test_nuts_knows_the_same_variables(crossed: pd.DataFrame, mock_nuts: object) -> None:
    with pytest.warns(bb.SamplingWarning):  # of prior draws, few of them
        tree = bb.fit(crossed, "contextual", method="nuts", draws=20, chains=1, tune=20, seed=1)
    exact = bb.fit(crossed, "contextual", method="exact", draws=400, chains=1, seed=1)
    for name, values in exact["posterior"].data_vars.items():
        assert tree["posterior"][name].dims == values.dims


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


@pytest.fixture(scope="module")
def simulated() -> pd.DataFrame:
    """A table of 96 irregular rows in six contexts, whose sds are far enough from zero for NUTS."""
    rng, design = np.random.default_rng(9), sbc.small_design("irregular")
    n, context = len(design.y), np.random.default_rng(10).integers(6, size=len(design.y))
    y = 0.9 + rng.normal(0, 0.08, (6, 4))[design.word, design.connection]
    y += rng.normal(0, 0.06, len(design.attributes))[design.attribute]
    y += rng.normal(0, 0.08, 6)[context] + rng.normal(0, 0.05, n)
    table = pd.DataFrame({"cosine_distance": y, "context": [f"t{each}" for each in context]})
    table["protected_word"] = np.array(design.words)[design.word]
    table["protected_group"] = np.array(design.groups)[design.word_group[design.word]]
    table["attribute"] = table["attribute_set"] = np.array(design.attributes)[design.attribute]
    table["connection"] = np.array(design.connections)[design.connection]
    return bb.validate_table(table)


@pytest.mark.slow
def test_nuts_agrees_within_monte_carlo_error(simulated: pd.DataFrame) -> None:
    exact, nuts, diverging = exact_and_nuts(simulated, "contextual", draws=1000)
    assert diverging < 40  # 1% of the transitions: few words leave some sds near zero open
    assert set(exact.data_vars) == set(nuts.data_vars)
    for probability in (None, *ENDS):
        z = z_scores(exact, nuts, probability)
        assert z.abs().max() < HIGHEST_Z, z.abs().nlargest(5)
        assert (z**2).mean() < HIGHEST_RMS**2


@pytest.mark.slow
def test_ranks_of_simulated_truths_are_uniform() -> None:
    design = sbc.small_design("irregular")
    context = np.random.default_rng(8).integers(5, size=len(design.y))
    design = replace(design, contexts=tuple("abcde"), context=context)
    calibration = sbc.calibrate("contextual", design, n_tables=300)
    p = sbc.judged(calibration).set_index("quantity")["p"]
    assert {"context_sd", "context_effect[a]"} <= set(p.index)
    assert p.min() > (1 - sbc.BAND) / len(p), p.sort_values().head()  # as in test_sbc
