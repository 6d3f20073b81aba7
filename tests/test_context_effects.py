"""Effects of the contexts that distances were measured in, exactly and by NUTS.

The oracles write the covariance of all rows down term by term.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal

import bayesbias as bb
from bayesbias.model.design import Design, make_design
from bayesbias.model.likelihood import locations
from bayesbias.model.spec import load_model
from bayesbias.model.tree import stacked
from bayesbias.sampling.collapsed import log_density
from bayesbias.sampling.exact import draw_effects
from bayesbias.sampling.reduction import collapse
from bayesbias.tables.schema import COLUMNS
from benchmarks import sbc
from benchmarks.agreement import ENDS, HIGHEST_RMS, HIGHEST_Z, exact_and_nuts, z_scores

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
    return bb.validate(table.assign(cosine_distance=moved))


def effect_columns(design: Design, spec: bb.ModelSpec) -> list[tuple[str, np.ndarray]]:
    """Every effect's name and its column of the design, in no clever way."""
    of = {c: design.connection == c for c in range(len(design.connections))}
    columns = [("connection_mean", rows) for rows in of.values()]
    if spec.group_effects != "none":
        group = design.word_group[design.word]
        for g in range(len(design.groups)):
            columns += [(f"group_sd {c}", rows & (group == g)) for c, rows in of.items()]
    for w in range(len(design.words)):
        columns += [(f"connection_sd {c}", rows & (design.word == w)) for c, rows in of.items()]
    if spec.attribute_effects != "none":
        columns += [
            ("attribute_sd 0", design.attribute == a) for a in range(len(design.attributes))
        ]
    columns += [("context_sd 0", design.context == t) for t in range(len(design.contexts))]
    return [(name, column.astype(float)) for name, column in columns]


def dense(
    design: Design, spec: bb.ModelSpec, sds: dict[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns of the design, prior variances of the effects, and residual variances of the rows."""
    columns = effect_columns(design, spec)
    own = {f"{name} {i}": sd for name, values in sds.items() for i, sd in enumerate(values)}
    own["connection_mean"] = spec.priors["connection_mean"].parameters["sd"]
    variances = np.array([own[name] ** 2 for name, _ in columns])
    sigma = np.resize(sds["sigma"], len(design.connections))  # one for all, or one for each
    return np.stack([column for _, column in columns], axis=1), variances, sigma**2


KINDS = {
    "contextual": {},
    "common sigma": {"sigma": "common"},
    "no attributes": {"attribute_effects": "none"},
    "grouped": {"group_effects": "connection"},
}


def model_named(name: str) -> bb.ModelSpec:
    spec = load_model("contextual")
    priors = dict(spec.priors)
    if name == "no attributes":
        del priors["attribute_sd"]
    if name == "grouped":
        priors["group_sd"] = priors["attribute_sd"]
    return replace(spec, priors=priors, **KINDS[name])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", ["dealt", "crossed"])
def test_the_density_equals_the_dense_normal_up_to_one_constant(request, shape, kind) -> None:
    design, spec = make_design(request.getfixturevalue(shape)), model_named(kind)
    posterior = collapse(design, spec)
    points = np.random.default_rng(1).normal(-2, 1, (5, posterior.n_sds))
    expected = []
    for point in points:
        sds = {block.name: np.exp(point[block.where]) for block in posterior.blocks}
        columns, variances, residual = dense(design, spec, sds)
        covariance = (columns * variances) @ columns.T + np.diag(residual[design.connection])
        mean = np.full(len(design.y), spec.priors["connection_mean"].parameters["mean"])
        log_prior = sum(
            spec.priors[name].log_density(values).sum() + np.log(values).sum()
            for name, values in sds.items()
        )
        expected.append(multivariate_normal(mean, covariance).logpdf(design.y) + log_prior)
    # A constant apart, to the rounding of sums of some hundred terms of order 100.
    assert np.ptp(log_density(posterior, points) - expected) < 1e-9


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", ["dealt", "crossed"])
def test_drawn_effects_have_the_dense_conditional(request, shape, kind) -> None:
    design, spec = make_design(request.getfixturevalue(shape)), model_named(kind)
    posterior = collapse(design, spec)
    point = np.random.default_rng(4).normal(-2.5, 0.5, posterior.n_sds)
    sds = {block.name: np.exp(point[block.where]) for block in posterior.blocks}
    columns, variances, residual = dense(design, spec, sds)
    weighted = columns / residual[design.connection][:, None]
    covariance = np.linalg.inv(columns.T @ weighted + np.diag(1 / variances))
    centre = spec.priors["connection_mean"].parameters["mean"]
    mean = covariance @ weighted.T @ (design.y - centre)
    n_draws = 20_000
    drawn = draw_effects(posterior, np.repeat(point[None], n_draws, 0), np.random.default_rng(5))
    fitted = drawn["word_mean"][:, design.word, design.connection] - centre
    if "attribute_effect" in drawn:
        fitted = fitted + drawn["attribute_effect"][:, design.attribute]
    fitted = fitted + drawn["context_effect"][:, design.context]
    last = np.eye(len(mean))[-len(design.contexts) :]
    # Expected distances of all rows, and contexts alone: the only things that name the effects.
    checks = [(fitted, columns), (drawn["context_effect"], last)]
    for draws, design_of in checks:
        sd = np.sqrt(np.einsum("ij,jk,ik->i", design_of, covariance, design_of))
        z = (draws.mean(axis=0) - design_of @ mean) / (sd / np.sqrt(n_draws))
        assert np.abs(z).max() < 4.5  # 1 in 4,000 chance over some forty normal errors
        np.testing.assert_allclose(draws.std(axis=0), sd, rtol=0.03)  # six of its errors


def test_a_regular_design_stays_small_whatever_its_size() -> None:
    shapes = set()
    for n_words, n_attributes in ((4, 6), (20, 30)):
        rows = [
            (f"w{w}", "xy"[w % 2], f"a{a}", "ab"[a % 2], ["associated", "different"][(w + a) % 2])
            for w in range(n_words)
            for a in range(n_attributes)
        ]
        table = pd.DataFrame(rows, columns=list(COLUMNS[:5]))
        table["cosine_distance"] = 0.9 + 0.05 * np.random.default_rng(0).random(len(table))
        table = pd.concat([table.assign(context=each) for each in CONTEXTS])
        shapes.add(collapse(make_design(table), load_model("contextual")).cross.shape)
    assert shapes == {(2, 4, 4 + len(CONTEXTS))}  # as without contexts, and the contexts


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
    assert "context_sd" in set(bb.scales(tree)["parameter"])
    assert {"overall", "group", "word"} == set(bb.summary(tree)["level"])
    assert bb.check(tree)["coverage"].between(0, 1).all()


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


def test_folds_of_attributes_refuse_contexts(dealt: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="context effects"):
        bb.attribute_kfold(dealt, ["crossed", "contextual"], folds=2, seed=1)


@pytest.fixture(scope="module")
def simulated() -> pd.DataFrame:
    """A table of 96 irregular rows in six contexts, whose sds are far enough from zero for NUTS."""
    rng, design = np.random.default_rng(9), sbc.small_design(regular=False)
    n, context = len(design.y), np.random.default_rng(10).integers(6, size=len(design.y))
    y = 0.9 + rng.normal(0, 0.08, (6, 4))[design.word, design.connection]
    y += rng.normal(0, 0.06, len(design.attributes))[design.attribute]
    y += rng.normal(0, 0.08, 6)[context] + rng.normal(0, 0.05, n)
    table = pd.DataFrame({"cosine_distance": y, "context": [f"t{each}" for each in context]})
    table["protected_word"] = np.array(design.words)[design.word]
    table["protected_group"] = np.array(design.groups)[design.word_group[design.word]]
    table["attribute"] = table["attribute_set"] = np.array(design.attributes)[design.attribute]
    table["connection"] = np.array(design.connections)[design.connection]
    return bb.validate(table)


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
    design = sbc.small_design(regular=False)
    context = np.random.default_rng(8).integers(5, size=len(design.y))
    design = replace(design, contexts=tuple("abcde"), context=context)
    calibration = sbc.calibrate("contextual", design, n_tables=300)
    p = sbc.judged(calibration).set_index("quantity")["p"]
    assert {"context_sd", "context_effect[a]"} <= set(p.index)
    assert p.min() > (1 - sbc.BAND) / len(p), p.sort_values().head()  # as in test_sbc
