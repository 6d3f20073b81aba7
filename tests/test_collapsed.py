"""The collapsed density and its draws, compared with the dense multivariate Normal."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from builders import by_name, groups_by_sets, model_named, refused
from dense_oracle import (
    beyond_main_effects,
    conditional,
    dense_log_densities,
    effects,
    residual_variance,
    with_random_likeness,
    within_connections,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bayesbias.model.design import Design
from bayesbias.model.indexing import make_design
from bayesbias.model.spec import load_model, models
from bayesbias.posterior.mixtures import mixtures_of
from bayesbias.sampling.blocks import LARGEST_BY_HAND, cholesky, cholesky_blocks, solve_blocks
from bayesbias.sampling.cells import CellSystem
from bayesbias.sampling.collapsed import log_density, moments
from bayesbias.sampling.effects import draw_effects
from bayesbias.sampling.exact import sample_exact
from bayesbias.sampling.parameters import log_prior
from bayesbias.sampling.reduction import Collapsed, collapse
from bayesbias.sampling.scales import UNPOOLED_SD
from bayesbias.sampling.sides import SideSystem
from bayesbias.tables.schema import COLUMNS

NORMAL = tuple(name for name in models("distance") if load_model(name).likelihood == "normal")


VARIANTS = (
    "crossed by kind",
    "contextual of one sigma",
    "contextual without attributes",
    "contextual with groups",
    "contextual with slopes",
    "maximal with slopes and of sigma by word",
    "maximal with a level first",
)


def of_three_groups(*more: tuple[str, str], share: float = 1.0) -> pd.DataFrame:
    """Return seven words by attributes of three sets and two kinds of controls, and more."""
    rng = np.random.default_rng(7)
    sets = {"a": "x", "b": "x", "c": "y", "d": "z", "e": "z", "n": "neutral", "h": "human"}
    rows = [
        (f"{group}{i}", group, word, of, of if of in {"neutral", "human"} else own)
        for group in "xyz"
        for i in range(2 + (group == "x"))
        for word, of in [*sets.items(), *more]
        for own in ["associated" if of == group else "different"]
        if rng.random() < share
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS[:5])).assign(cosine_distance=0.9)


def noisy(table: pd.DataFrame, rng: np.random.Generator) -> Design:
    """Return noisy distances in two contexts, with two covariates."""
    y = table["cosine_distance"] + 0.05 * rng.standard_normal(len(table))
    context = rng.choice(["first", "second"], len(table))
    design = make_design(table.assign(cosine_distance=y, context=context))
    x = np.column_stack([rng.integers(-2, 3, len(y)), rng.standard_normal(len(y))])
    return replace(design, covariates=("steps", "free"), x=x, covariate_unit=np.array([2.0, 0.5]))


@pytest.fixture(params=["many words", "few words", "three groups"])
def irregular(request: pytest.FixtureRequest, toy_table: pd.DataFrame) -> Design:
    """Return tables with gaps and repeats, measured in two contexts.

    There are more classes of cells than of attributes, or fewer. The second has an empty cell. In
    the third, an attribute is in two sets, and some words lack whole connections. In the second,
    a known error is part of the residual sd.
    """
    rng, table = np.random.default_rng(7), toy_table
    if request.param == "few words":
        few = table[table["protected_word"].isin(["son", "she"])]
        few = few[few["connection"] != "human"]
        few = few[(few["protected_word"] != "son") | (few["connection"] != "neutral")]
        table = few.loc[few.index.repeat(rng.integers(1, 8, len(few)))]
    if request.param == "three groups":
        table = of_three_groups(("a", "y"), share=0.8)
        own = (table["attribute_set"] == "y") == (table["protected_group"] == "y")
        table = table[own | (table["attribute"] != "a")].reset_index(drop=True)
    known = 0.03 if request.param == "few words" else 0.0
    return replace(noisy(table, rng), rounding=known)


@pytest.fixture
def likened() -> Design:
    """Return a complete table whose words and attributes have random similarities."""
    rng, more = np.random.default_rng(11), [("f", "x"), ("g", "y"), ("m", "neutral")]
    more += [("i", "x"), ("j", "x")]
    return with_random_likeness(noisy(of_three_groups(*more), rng), rng)


def points_of(posterior: Collapsed, n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    sds = posterior.is_sd
    return rng.normal(np.where(sds, -2.0, 0.0), np.where(sds, 0.7, 0.5), (n, len(sds)))


@pytest.mark.parametrize(
    ("name", "unpooled"),
    [*((name, ()) for name in (*NORMAL, *VARIANTS)), ("crossed", (1,)), ("maximal", (0, 1))],
)
def test_density_equals_the_dense_normal_up_to_one_constant(irregular, name, unpooled) -> None:
    posterior = collapse(irregular, model_named(name), unpooled)
    points = points_of(posterior, 5, seed=1)
    drawn = draw_effects(posterior, points, np.random.default_rng(2))  # holds sds and correlations
    values = [{block.name: drawn[block.name][i] for block in posterior.blocks} for i in range(5)]
    dense = dense_log_densities(irregular, posterior.spec, values, (unpooled, UNPOOLED_SD))
    ours = log_density(posterior, points) - log_prior(posterior.spec, posterior.blocks, points)
    # They differ by a constant, up to rounding in a sum of tens of terms of order 100.
    assert np.ptp(ours - dense) < 1e-9


@pytest.mark.parametrize(
    ("name", "constraint", "expected"),
    [("maximal", "interaction", beyond_main_effects), ("by-group", "cells", within_connections)],
)
def test_effects_of_tables_span_what_other_effects_leave(
    irregular: Design, name: str, constraint: str, expected: Callable[[Design], np.ndarray]
) -> None:
    """Terms without columns are dropped, here and in the dense model, so columns are compared."""
    (term,) = [one for one in load_model(name).terms if one.constraint == constraint]
    basis, projection = term.basis(irregular), expected(irregular)
    np.testing.assert_allclose(basis @ basis.T, projection, atol=1e-12)
    free = np.random.default_rng(3).standard_normal((2, *term.shape(irregular)))
    flat = term.projected(free, irregular).reshape(2, -1)
    np.testing.assert_allclose(flat, free.reshape(2, -1) @ projection, atol=1e-12)


@pytest.mark.parametrize("name", [*NORMAL, *VARIANTS])
def test_both_systems_of_equations_have_one_density(irregular, name, monkeypatch) -> None:
    found = []
    for few, kind in ((-np.inf, SideSystem), (np.inf, CellSystem)):
        monkeypatch.setattr("bayesbias.sampling.reduction.FEW_MULTIPLICATIONS", few)
        posterior = collapse(irregular, model_named(name))
        assert isinstance(posterior.system, kind)
        found.append(log_density(posterior, points_of(posterior, 4, seed=3)))
    np.testing.assert_allclose(*found, atol=1e-8)  # sums of terms of order 100


def test_the_equations_with_fewer_multiplications_are_solved(monkeypatch) -> None:
    """A factor of n cells takes n³/3; eliminating e of e + k coordinates, e k² + k³/3."""
    for kind in (CellSystem, SideSystem):
        monkeypatch.setattr(kind, "of", staticmethod(lambda _, kind=kind: kind))

    def chosen(n_cells: int, eliminated: int, kept: int, n_columns: int = 1) -> object:
        loading, sums = np.empty((n_cells, eliminated + kept)), np.empty((1, 1, n_columns))
        statistics = SimpleNamespace(loading=loading, sums=sums)
        sides = [SimpleNamespace(parameter=np.empty(eliminated))]
        return Collapsed.system.func(SimpleNamespace(statistics=statistics, sides=sides))

    for e, k in ((100, 20), (8, 40), (3000, 5), (2, 2)):
        most = 3 * (e * k**2 + k**3 / 3 + 5_000)  # 5,000 take no time
        n = int(most ** (1 / 3))
        assert chosen(n, e, k) is CellSystem
        assert chosen(n + 1, e, k) is SideSystem
        assert chosen(n + 1, e, k, n_columns=2) is CellSystem  # of many parameter vectors


@pytest.mark.parametrize("name", [*NORMAL, *VARIANTS])
def test_drawn_effects_have_the_dense_conditional(irregular: Design, name: str) -> None:
    """Check joint means and covariances of all variables, including empty cells and groups."""
    posterior = collapse(irregular, model_named(name))
    spec = posterior.spec
    point = points_of(posterior, 1, seed=4)
    n_draws = 2_000
    drawn = draw_effects(posterior, np.repeat(point, n_draws, 0), np.random.default_rng(5))
    values = {block.name: drawn[block.name][0] for block in posterior.blocks}
    variables, _ = effects(irregular, spec)
    variables = {name: of for name, of in variables.items() if name in drawn}
    (mean, left), center = conditional(irregular, spec, values), spec.center
    every = np.concatenate([drawn[each].reshape(n_draws, -1) for each in variables], axis=1)
    of = np.concatenate([each.reshape(-1, len(mean)) for each in variables.values()])
    around = {"connection_mean"} | {term.name for term in spec.terms if term.around}
    shift = [np.full(drawn[each][0].size, center * (each in around)) for each in variables]
    cov = of @ left @ of.T
    known = np.diag(cov) < 1e-12  # contrasts are zero for controls
    assert np.all(every[:, known] == 0)
    every, of, shift = every[:, ~known], of[~known], [np.concatenate(shift)[~known]]
    cov = of @ left @ of.T
    sd = np.sqrt(np.diag(cov))
    z = (every.mean(axis=0) - of @ mean - np.concatenate(shift)) / (sd / np.sqrt(n_draws))
    assert np.abs(z).max() < 5  # a chance of 1 in 20,000 over about 80 Normal errors
    error = np.sqrt((np.outer(sd, sd) ** 2 + cov**2) / n_draws)  # of a normal's covariances
    assert np.abs((np.cov(every.T) - cov) / error).max() < 5.7  # 1 in 10,000 over 8,000 errors
    n_slopes, n = posterior.n_known - posterior.n_gaps, len(irregular.connections)
    first = np.eye(posterior.layout.n_shared + n_slopes)[:, :n]
    found, variance = (each[0].ravel() for each in moments(posterior, point, first))
    of = variables["connection_mean"]
    np.testing.assert_allclose(found, of @ mean + center, atol=1e-8)  # rounding
    np.testing.assert_allclose(variance, np.diag(of @ left @ of.T), rtol=1e-6)


@pytest.mark.parametrize("name", ["paper", "crossed", "maximal"])
def test_density_is_finite_and_smooth_as_an_sd_goes_to_zero(toy_table, name) -> None:
    posterior = collapse(make_design(toy_table), load_model(name))
    where = posterior.blocks[0].where
    points = np.full((2, posterior.n_parameters), -2.0)
    points[0, where], points[1, where] = -40.0, -30.0
    low, high = log_density(posterior, points)
    # Below the data's resolution, only the Jacobian is left: log sd, which adds 10 for each sd.
    assert high - low == pytest.approx(10 * (where.stop - where.start), abs=1e-6)


@pytest.mark.parametrize("name", ["crossed", "maximal"])
def test_sds_beyond_double_precision_count_for_nothing_and_spare_their_neighbors(
    toy_table: pd.DataFrame, name: str
) -> None:
    """With effects of e^25 residual sds, the rounded precision may have either sign."""
    posterior = collapse(make_design(toy_table), load_model(name))
    points = points_of(posterior, 5, seed=6)
    absurd = np.array([True, False, False, True, False])
    points[np.ix_(absurd, posterior.is_sd)] = 20.0
    points[absurd, posterior.block("sigma").where] = -5.0
    found = log_density(posterior, points)
    assert (found[absurd] < found[~absurd].min() - 1e6).all()
    # They differ only by rounding, because the order of products depends on the block size.
    np.testing.assert_allclose(found[~absurd], log_density(posterior, points[~absurd]), atol=1e-10)


@pytest.mark.parametrize("name", ["paper", "crossed", "maximal"])
def test_no_residual_sd_is_below_what_distances_resolve(toy_table: pd.DataFrame, name: str) -> None:
    posterior = collapse(make_design(toy_table), load_model(name))
    points = np.full((2, posterior.n_parameters), -2.0)
    last = posterior.block("sigma").where.stop - 1
    points[:, last] = np.log(1e-6) + np.array([0.01, -0.01])  # the documented end
    above, below = log_density(posterior, points)
    assert np.isfinite(above)
    assert below == -np.inf


def test_blocks_of_proposals_do_not_change_the_density(toy_table, monkeypatch) -> None:
    posterior = collapse(make_design(toy_table), load_model("maximal"))
    points = points_of(posterior, 7, seed=1)
    whole = log_density(posterior, points)
    monkeypatch.setattr("bayesbias.sampling.collapsed.MOST_NUMBERS", 1)
    np.testing.assert_allclose(log_density(posterior, points), whole, atol=1e-10)  # rounding


@pytest.mark.parametrize("d", [1, 3, LARGEST_BY_HAND, LARGEST_BY_HAND + 1])
def test_blocks_of_any_size_are_factored_and_solved_one_by_one(d: int) -> None:
    """Numbers of blocks, columns, and vectors differ, so axes cannot be exchanged in silence."""
    rng, m, k, n = np.random.default_rng(1), 4, 2, 5
    roots, right = rng.standard_normal((m, n, d, d)), rng.standard_normal((m, n, d, k))
    matrices = roots @ roots.swapaxes(2, 3) + np.eye(d)  # condition numbers below about 100
    factor = cholesky_blocks(np.moveaxis(matrices, 1, -1).copy())
    found = np.tril(np.moveaxis(factor, -1, 1))
    np.testing.assert_allclose(found @ found.swapaxes(2, 3), matrices, atol=1e-12)
    factor = np.moveaxis(found, 1, -1)
    for transposed in (False, True):
        solved = solve_blocks(factor, np.moveaxis(right, 1, -1).copy(), transposed=transposed)
        rows = found.swapaxes(2, 3) if transposed else found
        np.testing.assert_allclose(rows @ np.moveaxis(solved, -1, 1), right, atol=1e-12)


def test_a_matrix_without_a_factor_spoils_no_other() -> None:
    matrices = np.array([np.eye(2), [[1.0, 2.0], [2.0, 1.0]], [[4.0, 2.0], [2.0, 2.0]]])
    found = cholesky(matrices)
    np.testing.assert_array_equal(found[[0, 2]], [np.eye(2), [[2.0, 0.0], [1.0, 1.0]]])
    assert np.isnan(np.diagonal(found[1])).all()


def without_some(design: Design, share: float = 0.1, seed: int = 3) -> Design:
    """Return a design that lacks some pairs of words."""
    kept = np.random.default_rng(seed).random(len(design.y)) > share
    return design.take(np.flatnonzero(kept))


@pytest.mark.parametrize(
    ("share", "kind", "name"),
    [
        (0.0, SideSystem, "by-group"),
        (0.1, CellSystem, "by-group"),
        (0.1, CellSystem, "by-group with slopes"),
        (0.4, SideSystem, "by-group with slopes"),
    ],
)
def test_likeness_enters_the_density_and_the_draws_as_the_dense_covariance(
    likened: Design, name: str, share: float, kind: type, monkeypatch
) -> None:
    """Either system of equations gives the dense result; small tables would always use cells."""
    likened = without_some(likened, share)
    least = -np.inf if kind is SideSystem else np.inf
    monkeypatch.setattr("bayesbias.sampling.reduction.FEW_MULTIPLICATIONS", least)
    assert type(collapse(likened, model_named(name)).system) is kind
    test_density_equals_the_dense_normal_up_to_one_constant(likened, name, ())
    test_drawn_effects_have_the_dense_conditional(likened, name)


@pytest.mark.parametrize("name", ["by-group", "maximal"])
def test_shared_effects_need_only_the_means_of_classes(likened: Design, name: str) -> None:
    whole, part = (collapse(likened, model_named(name), means_only=only) for only in (False, True))
    points = points_of(whole, 3, seed=1)
    weights = np.eye(len(whole.layout.shared_parameter))[:, :3]
    for one, other in zip(*(moments(each, points, weights) for each in (whole, part)), strict=True):
        np.testing.assert_allclose(other, one, atol=1e-10)  # rounding


def test_layouts_can_be_reused_and_likeness_matters(likened: Design) -> None:
    apart = replace(likened, word_likeness=np.zeros((0, 0)), attribute_likeness=np.zeros((0, 0)))
    spec, mirrored = model_named("by-group"), replace(apart, y=1.8 - apart.y)  # of the same spread
    point = points_of(collapse(likened, spec), 1, seed=1)
    known, unknown = (log_density(collapse(design, spec), point) for design in (likened, apart))
    assert abs(known - unknown) > 0.1
    reused = collapse(likened, spec, layout=collapse(mirrored, spec).layout)
    assert log_density(reused, point) == known


def test_a_word_without_rows_leaves_the_posterior_of_a_table_without_this_word(likened) -> None:
    """Leaving out all rows of one word must not look like many missing pairs."""
    absent = likened.take(np.flatnonzero(likened.word != 0))
    fewer = replace(
        absent,
        words=absent.words[1:],
        word=absent.word - 1,
        word_group=absent.word_group[1:],
        word_likeness=absent.word_likeness[1:, 1:],
    )
    one, other = (collapse(each, model_named("by-group")) for each in (absent, fewer))
    assert one.n_gaps == 0
    points = points_of(one, 3, seed=1)
    # They differ by rounding, because the classes have another order.
    np.testing.assert_allclose(log_density(one, points), log_density(other, points), atol=1e-9)


def test_too_many_missing_pairs_are_refused(likened, monkeypatch) -> None:
    monkeypatch.setattr("bayesbias.sampling.gaps.MOST_GAPS", 3)
    refused("pairs of words are missing", collapse, without_some(likened), model_named("by-group"))


def test_likeness_that_the_exact_sampler_cannot_use_is_refused(likened: Design) -> None:
    spec = model_named("by-group of sigma by word")
    refused("the sds of similar protected_words differ", collapse, likened, spec)


@pytest.mark.seconds
@given(
    seed=st.integers(0, 10_000),
    share=st.floats(0, 0.5),
    name=st.sampled_from(["by-group", "by-group with slopes", "change-by-group", "crossed"]),
)
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_missing_pairs_and_covariates_give_the_dense_density(
    likened: Design, seed: int, share: float, name: str
) -> None:
    design = without_some(likened, share, seed)
    test_density_equals_the_dense_normal_up_to_one_constant(design, name, ())


@pytest.mark.parametrize(
    ("name", "equal"), [("by-group", False), ("by-group with slopes", False), ("by-group", True)]
)
def test_outcomes_of_gaps_give_the_dense_density_of_full_tables(likened, name, equal) -> None:
    """Words are alike in all ways, or in one way while attributes are exchangeable."""
    if equal:
        own = likened.word_likeness != 0
        alike = np.where(np.eye(len(own)) > 0, 1.0, 0.3 * own)
        likened = replace(likened, word_likeness=alike, attribute_likeness=np.zeros((0, 0)))
    posterior, rng = collapse(without_some(likened), model_named(name)), np.random.default_rng(8)
    spec, points = posterior.spec, points_of(posterior, 4, seed=1)
    gaps = 0.1 * rng.standard_normal((4, posterior.n_gaps))
    found = draw_effects(posterior, points, None, gaps)
    ours = log_density(posterior, points, gaps) - log_prior(spec, posterior.blocks, points)
    for i, own in enumerate(gaps):
        y = np.append(posterior.design.y, own + spec.center)
        full = replace(posterior.layout.design, y=y)
        expected = draw_effects(collapse(full, spec), points[[i]], None)
        for each in ("connection_mean", "lean", "attribute_effect"):
            # Both are conditional means; they differ by rounding.
            np.testing.assert_allclose(found[each][i], expected[each][0], atol=1e-9)
        values = {block.name: found[block.name][i] for block in posterior.blocks}
        variance = residual_variance(full, spec, values)[-len(own) :]
        # The density leaves out the gaps' part of the residual precisions.
        ours[i] -= dense_log_densities(full, spec, [values], ((), UNPOOLED_SD))[0]
        ours[i] -= np.log(variance).sum() / 2
    assert np.ptp(ours) < 1e-9  # rounding in a sum of terms of order 100


@pytest.mark.seconds
def test_more_outcomes_than_pairs_have_the_sum_of_their_densities(likened: Design) -> None:
    design, rng = without_some(likened), np.random.default_rng(9)
    y = design.y + 0.1 * rng.standard_normal((len(design.y) + 5, len(design.y)))
    spec = model_named("by-group with slopes")
    joint = collapse(replace(design, y=y[0]), spec, others=y[1:])
    alone = [collapse(replace(design, y=own), spec, layout=joint.layout) for own in y]
    points = points_of(joint, 3, seed=1)
    prior = log_prior(joint.spec, joint.blocks, points)  # which each density counts
    likelihoods = [log_density(one, points) - prior for one in alone]
    found = log_density(joint, points) - prior
    np.testing.assert_allclose(found, np.sum(likelihoods, axis=0), rtol=1e-10)  # rounding
    weights = rng.standard_normal((len(joint.layout.shared_parameter), 2))
    means, variances = moments(joint, points, weights)
    for at, one in enumerate(alone):
        mean, variance = moments(one, points, weights)
        np.testing.assert_allclose(means[..., at], mean[..., 0], atol=1e-9)  # rounding
        np.testing.assert_allclose(variances, variance, rtol=1e-9)


@pytest.mark.parametrize(
    ("share", "close"),
    [(0.1, 0.5), (0.1, 1.1), pytest.param(0.2, 0.5, marks=pytest.mark.slow)],
    ids=["few", "few, in two steps", "many"],
)
def test_draws_by_way_of_full_tables_are_those_of_the_exact_density(
    monkeypatch: pytest.MonkeyPatch, share: float, close: float
) -> None:
    """No first proposals keep more than all draws, so there is a second step."""
    rng, table = np.random.default_rng(1), groups_by_sets("xy", 6, 8)
    parts = [
        by_name(table[column], rng.normal, 0.0, 0.1) for column in ("protected_word", "attribute")
    ]
    table["cosine_distance"] = 0.9 + sum(parts) + rng.normal(0, 0.05, len(table))
    design = without_some(with_random_likeness(make_design(table), rng), share)
    posterior = collapse(design, model_named("by-group"))
    monkeypatch.setattr("bayesbias.sampling.exact.CLOSE", close)
    monkeypatch.setattr("bayesbias.sampling.exact.FEW_GAPS", 0)
    filled = sample_exact(posterior, 1000, np.random.default_rng(1), effects=False)
    monkeypatch.setattr("bayesbias.sampling.exact.MANY_GAPS", np.inf)
    exact = sample_exact(posterior, 1000, np.random.default_rng(2), effects=False)
    found = [log_density(posterior, one.parameters) for one in (exact, filled)]
    np.testing.assert_allclose(exact.log_density, found[0], atol=1e-8)  # rounding
    # The other estimate varies with the gaps that were drawn: little, if they are few.
    assert 1e-3 < np.std(filled.log_density - found[1]) < 4 * share
    one, other = np.exp(filled.parameters), np.exp(exact.parameters)
    error = np.sqrt(
        one.var(axis=0) / filled.importance_ess + other.var(axis=0) / exact.importance_ess
    )
    assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) < 5 * error).all()
    assert filled.importance_ess > 800


def test_fewer_sds_are_averaged_over_if_missing_pairs_cost_much_time(
    likened: Design, monkeypatch: pytest.MonkeyPatch
) -> None:
    design, spec = without_some(likened), model_named("by-group")
    drawn = sample_exact(collapse(design, spec), 2000, np.random.default_rng(1), effects=False)
    every = mixtures_of(design, spec, drawn.parameters, np.asarray)
    monkeypatch.setattr("bayesbias.posterior.mixtures.MOST_WORK", 0)
    some = mixtures_of(design, spec, drawn.parameters, np.asarray)
    assert [len(means) for means, _ in (every, some)] == [2000, 500]
    # The sds move contrasts by less than half of their sd, so 500 draws leave 2% of an sd.
    for means, sds in (every, some):
        assert np.nanmax(means.std(axis=0) / sds.mean(axis=0)) < 0.5
    apart = (some[0].mean(axis=0) - every[0].mean(axis=0)) / every[1].mean(axis=0)
    assert np.nanmax(np.abs(apart)) < 4 * 0.02


def test_the_log_counts_missing_pairs(
    likened: Design, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    design = without_some(likened)
    monkeypatch.setattr("bayesbias.sampling.reduction.MUCH_WORK", 0)
    collapse(design, model_named("by-group"))
    pairs = {*zip(design.word.tolist(), design.attribute.tolist(), strict=True)}
    whole = len(design.words) * len(design.attributes)
    assert caplog.records[0].args == (f"{whole - len(pairs):,}", f"{whole:,}")
