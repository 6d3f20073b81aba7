"""The collapsed density against the dense multivariate normal it stands for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from builders import grid, model_named
from scipy.stats import multivariate_normal

from bayesbias.model.design import Design, make_design
from bayesbias.model.spec import load_model
from bayesbias.sampling.collapsed import log_density
from bayesbias.sampling.exact import draw_effects
from bayesbias.sampling.reduction import Collapsed, collapse

NORMAL_MODELS = ("paper", "paper-figures", "crossed", "grouped")


def dense_log_density(design: Design, posterior: Collapsed, log_sds: np.ndarray) -> float:
    """Write the covariance of all rows down term by term, as the models state it."""
    spec = posterior.spec
    n, connection = len(design.y), design.connection
    covariance = np.zeros((n, n))
    sds = {block.name: np.exp(log_sds[block.where]) for block in posterior.blocks}
    prior = spec.priors["connection_mean"].parameters
    for i in range(n):
        for j in range(n):
            alike = connection[i] == connection[j]
            if alike:
                covariance[i, j] += prior["sd"] ** 2
            if alike and design.word[i] == design.word[j]:
                covariance[i, j] += sds["connection_sd"][connection[i]] ** 2
            same_group = design.word_group[design.word[i]] == design.word_group[design.word[j]]
            if "group_sd" in sds and alike and same_group:
                covariance[i, j] += sds["group_sd"][connection[i]] ** 2
            if "attribute_sd" in sds and design.attribute[i] == design.attribute[j]:
                kind = design.attribute_kind[design.attribute[i]]
                sd = sds["attribute_sd"][kind if len(sds["attribute_sd"]) > 1 else 0]
                covariance[i, j] += sd**2
            if i == j:
                sigma = sds["sigma"]
                covariance[i, i] += sigma[connection[i] if len(sigma) > 1 else 0] ** 2
    mean = np.full(n, prior["mean"])
    log_prior = sum(
        float(spec.priors[name].log_density(values).sum() + np.log(values).sum())
        for name, values in sds.items()
    )
    return float(multivariate_normal(mean, covariance).logpdf(design.y)) + log_prior


@pytest.fixture(params=["many words", "few words"])
def either_table(request: pytest.FixtureRequest, toy_table: pd.DataFrame) -> pd.DataFrame:
    """More classes of cells than of attributes, or fewer: the larger side is eliminated.

    Of the second's six cells one is empty, and its seven attributes all have other counts.
    """
    if request.param == "many words":
        return toy_table
    few = toy_table[toy_table["protected_word"].isin(["son", "she"])]
    few = few[few["connection"] != "human"]
    few = few[(few["protected_word"] != "son") | (few["connection"] != "neutral")]
    rng = np.random.default_rng(7)
    few = few.loc[few.index.repeat(rng.integers(1, 8, len(few)))]
    return few.assign(cosine_distance=few["cosine_distance"] + 0.05 * rng.standard_normal(len(few)))


@pytest.mark.parametrize(("name", "classes"), [("crossed", 2), ("grouped", 4)])
def test_groups_make_classes_of_cells_only_where_they_have_means(name: str, classes: int) -> None:
    distance = 0.9 + 0.05 * np.random.default_rng(0).random(48)
    table = grid(6, 8, distance, ("neutral", "human"))
    statistics = collapse(make_design(table), load_model(name)).statistics
    assert len(statistics.cells.size) == classes


def test_models_of_contexts_without_attributes_couple_nothing_with_them(
    toy_table: pd.DataFrame,
) -> None:
    spec = load_model("contextual")
    priors = {name: prior for name, prior in spec.priors.items() if name != "attribute_sd"}
    spec = replace(spec, priors=priors, attribute_effects="none")
    context = np.random.default_rng(2).choice(["first", "second"], len(toy_table))
    posterior = collapse(make_design(toy_table.assign(context=context)), spec)
    assert posterior.coupling.shape == (4, 0, 4 + 2)


@pytest.mark.parametrize("name", ["crossed", "grouped"])
def test_the_larger_side_is_eliminated(either_table: pd.DataFrame, name: str) -> None:
    posterior = collapse(make_design(either_table), load_model(name))
    n = len(posterior.statistics.cells.size)
    assert posterior.statistics.attributes is not None
    sizes = (n, len(posterior.statistics.attributes.size))
    assert posterior.cells_eliminated == (sizes[0] >= sizes[1])
    assert posterior.cells_eliminated == ("human" in posterior.design.connections)  # first table
    assert posterior.cross.shape[1] == max(sizes)
    assert len(posterior.kept.sd_index) == min(sizes)


@pytest.mark.parametrize("name", [*NORMAL_MODELS, "crossed by kind"])
def test_density_equals_the_dense_normal_up_to_one_constant(
    either_table: pd.DataFrame, name: str
) -> None:
    design = make_design(either_table)
    posterior = collapse(design, model_named(name))
    points = np.random.default_rng(1).normal(-2, 1, (5, posterior.n_sds))
    ours = log_density(posterior, points)
    dense = [dense_log_density(design, posterior, point) for point in points]
    # A constant apart, to the rounding of a sum of some tens of terms of order 100.
    assert np.ptp(ours - dense) < 1e-9


def effects_of(
    design: Design, posterior: Collapsed, log_sds: np.ndarray
) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Every variable as sums of independent effects, their prior sds, and the sds of the rows."""
    n, groups, words = (len(x) for x in (design.connections, design.groups, design.words))
    sds = {block.name: np.exp(log_sds[block.where]) for block in posterior.blocks}
    sizes = {"mean": n, "group": groups * n, "word": words * n, "attribute": len(design.attributes)}
    one = dict(
        zip(
            sizes, np.split(np.eye(sum(sizes.values())), np.cumsum([*sizes.values()])), strict=False
        )
    )
    mean = one["mean"]
    group = mean + (one["group"].reshape(groups, n, -1) if "group_sd" in sds else np.zeros(1))
    word = one["word"].reshape(words, n, -1)
    word = word + (group[design.word_group] if "group_sd" in sds else mean)
    variables = {"connection_mean": mean, "word_mean": word}
    if "group_sd" in sds:
        variables["group_mean"] = group
    own = np.zeros(len(design.attributes))
    if "attribute_sd" in sds:
        variables["attribute_effect"] = one["attribute"]
        own = sds["attribute_sd"][
            design.attribute_kind if len(sds["attribute_sd"]) > 1 else own.astype(int)
        ]
    prior = np.full(n, posterior.spec.priors["connection_mean"].parameters["sd"])
    between = np.tile(sds.get("group_sd", np.zeros(n)), groups)
    prior = np.concatenate([prior, between, np.tile(sds["connection_sd"], words), own])
    return variables, prior, np.resize(sds["sigma"], n)[design.connection]


@pytest.mark.parametrize("name", [*NORMAL_MODELS, "crossed by kind"])
def test_drawn_effects_have_the_dense_conditional(either_table: pd.DataFrame, name: str) -> None:
    """Means and covariances of all variables together, those of empty cells and groups too."""
    design = make_design(either_table)
    posterior = collapse(design, model_named(name))
    point = np.random.default_rng(4).normal(-2.5, 0.5, posterior.n_sds)
    variables, prior, residual = effects_of(design, posterior, point)
    columns = variables["word_mean"][design.word, design.connection]
    if "attribute_effect" in variables:
        columns = columns + variables["attribute_effect"][design.attribute]
    centre = posterior.spec.priors["connection_mean"].parameters["mean"]
    total = (columns * prior**2) @ columns.T + np.diag(residual**2)
    gain = np.linalg.solve(total, columns * prior**2).T
    mean, covariance = gain @ (design.y - centre), np.diag(prior**2) - gain @ columns * prior**2
    n_draws = 20_000
    drawn = draw_effects(posterior, np.repeat(point[None], n_draws, 0), np.random.default_rng(5))
    assert set(drawn) == set(variables) | {block.name for block in posterior.blocks}
    every = np.concatenate([drawn[each].reshape(n_draws, -1) for each in variables], axis=1)
    of = np.concatenate([each.reshape(-1, len(prior)) for each in variables.values()])
    expected = of @ mean
    is_mean = np.concatenate(
        [np.full(drawn[each][0].size, each.endswith("_mean")) for each in variables]
    )
    expected[is_mean] += centre
    cov = of @ covariance @ of.T
    sd = np.sqrt(np.diag(cov))
    z = (every.mean(axis=0) - expected) / (sd / np.sqrt(n_draws))
    assert np.abs(z).max() < 4.5  # 1 in 4,000 chance over some forty normal errors
    error = np.sqrt((np.outer(sd, sd) ** 2 + cov**2) / n_draws)  # of a normal's covariances
    assert np.abs((np.cov(every.T) - cov) / error).max() < 5.5  # 1 in 10,000 over 2,000 of them


@pytest.mark.parametrize("name", NORMAL_MODELS)
def test_density_is_finite_and_smooth_as_an_sd_goes_to_zero(
    toy_table: pd.DataFrame, name: str
) -> None:
    posterior = collapse(make_design(toy_table), load_model(name))
    where = posterior.blocks[0].where
    points = np.full((2, posterior.n_sds), -2.0)
    points[0, where], points[1, where] = -40.0, -30.0
    low, high = log_density(posterior, points)
    # Below the data's resolution only the Jacobian is left: log sd itself, 10 a connection.
    assert high - low == pytest.approx(10 * len(posterior.design.connections), abs=1e-6)


@pytest.mark.parametrize("name", NORMAL_MODELS)
def test_residuals_that_drown_everything_leave_the_density_right(
    toy_table: pd.DataFrame, name: str
) -> None:
    """Rows that say nothing: the precision of every coordinate is that of its prior, one."""
    design = make_design(toy_table)
    posterior = collapse(design, load_model(name))
    points = np.full((2, posterior.n_sds), -2.0)
    sigma = posterior.block("sigma")
    assert sigma is not None
    points[1, sigma.where] = 20.0
    apart = log_density(posterior, points) - [
        dense_log_density(design, posterior, point) for point in points
    ]
    assert abs(apart[1] - apart[0]) < 1e-5  # rounding of the prior's terms of order 1e9


def test_sds_beyond_double_precision_count_for_nothing_and_spare_their_neighbours(
    toy_table: pd.DataFrame,
) -> None:
    """With effects e^25 times the residual sd the rounded precision is not positive definite."""
    posterior = collapse(make_design(toy_table), load_model("crossed"))
    sigma = posterior.block("sigma")
    assert sigma is not None
    points = np.random.default_rng(6).normal(-2, 1, (5, posterior.n_sds))
    absurd = np.array([True, False, False, True, False])
    points[absurd] = 20.0
    points[absurd, sigma.where] = -5.0
    found = log_density(posterior, points)
    assert (found[absurd] == -np.inf).all()
    # Rounding only: blocks of one size are multiplied in another order than those of another.
    np.testing.assert_allclose(found[~absurd], log_density(posterior, points[~absurd]), atol=1e-10)


@pytest.mark.parametrize("name", NORMAL_MODELS)
def test_no_residual_sd_is_below_what_distances_resolve(toy_table: pd.DataFrame, name: str) -> None:
    posterior = collapse(make_design(toy_table), load_model(name))
    sigma = posterior.block("sigma")
    assert sigma is not None
    points = np.full((2, posterior.n_sds), -2.0)
    points[:, sigma.where.stop - 1] = np.log(1e-6) + np.array([0.01, -0.01])  # the documented end
    above, below = log_density(posterior, points)
    assert np.isfinite(above)
    assert below == -np.inf


@pytest.mark.parametrize("name", ["paper", "paper-figures"])
def test_models_without_shared_effects_need_no_factor(toy_table: pd.DataFrame, name: str) -> None:
    """Their means are not coupled: the short way and the general one give the same draws."""
    short, general = (collapse(make_design(toy_table), load_model(name)) for _ in range(2))
    assert short.mean_of is not None
    vars(general)["mean_of"] = None
    points = np.random.default_rng(4).normal(-2, 1, (50, short.n_sds))
    # Rounding of a sum of 33 terms of order 100, and of effects of order one.
    np.testing.assert_allclose(log_density(short, points), log_density(general, points), atol=1e-9)
    one, other = (draw_effects(each, points, np.random.default_rng(5)) for each in (short, general))
    for variable, values in one.items():
        np.testing.assert_allclose(values, other[variable], atol=1e-9)


@pytest.mark.parametrize("name", ["crossed", "grouped"])
def test_models_with_shared_effects_need_one(toy_table: pd.DataFrame, name: str) -> None:
    assert collapse(make_design(toy_table), load_model(name)).mean_of is None


def test_one_class_of_cells_and_one_of_attributes_are_coupled_all_the_same() -> None:
    """The least coupling there is: with a class of attributes and a mean, and with no other."""
    rng = np.random.default_rng(8)
    design = make_design(grid(3, 4, 0.9 + 0.1 * rng.standard_normal(12), ("neutral",)))
    posterior = collapse(design, load_model("crossed"))
    assert posterior.cross.shape == (1, 1, 2)
    assert posterior.mean_of is None
    points = rng.normal(-2, 1, (5, posterior.n_sds))
    dense = [dense_log_density(design, posterior, point) for point in points]
    assert np.ptp(log_density(posterior, points) - dense) < 1e-9  # rounding, as above


def test_blocks_of_proposals_do_not_change_the_density(
    toy_table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    posterior = collapse(make_design(toy_table), load_model("crossed"))
    points = np.random.default_rng(1).normal(-2, 1, (7, posterior.n_sds))
    whole = log_density(posterior, points)
    monkeypatch.setattr("bayesbias.sampling.reduction.MOST_NUMBERS", 1)
    np.testing.assert_allclose(log_density(posterior, points), whole, atol=1e-10)  # rounding


def test_work_does_not_grow_with_rows_words_or_attributes_of_a_regular_design() -> None:
    sizes = set()
    for n_words, n_attributes in ((4, 6), (40, 60)):
        distance = np.random.default_rng(0).normal(0.9, 0.05, n_words * n_attributes)
        table = grid(n_words, n_attributes, distance)
        group_of = np.where(pd.factorize(table["attribute"])[0] % 2, "g1", "g0")
        own = table["protected_group"] == group_of
        table["connection"] = np.where(own, "associated", "different")
        sizes.add(collapse(make_design(table), load_model("crossed")).cross.shape)
    assert sizes == {(2, 4, 4)}  # two groups by two connections; two sets and two means
