"""Every model in PyMC: variables, densities, and posteriors that PyMC can use."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytensor.tensor as pt
import pytest
from builders import grid, model_named, unit
from pymc.stats import compute_log_prior
from scipy.stats import matrix_normal, norm
from xarray import DataTree

from bayesbias.model.arviz_groups import add_groups
from bayesbias.model.design import Design, with_cosines
from bayesbias.model.indexing import make_design
from bayesbias.model.likelihood import Rows
from bayesbias.model.placing import RoughFit, placed
from bayesbias.model.spec import load_model
from bayesbias.model.tree import design_of, labels, observed, spec_of, variable_dims
from bayesbias.sampling.fit import fit, fit_design
from bayesbias.sampling.pymc_models import build_model

pytestmark = pytest.mark.usefixtures("uncompiled")


@pytest.fixture(scope="module")
def table(toy_table: pd.DataFrame) -> pd.DataFrame:
    """Return the toy table with contexts, which only the model contextual uses."""
    return toy_table.assign(context=[f"context {i % 3}" for i in range(len(toy_table))])


@pytest.fixture(scope="module", params=["contextual", "maximal", "by-group", "crossed with groups"])
def exact(request: pytest.FixtureRequest, table: pd.DataFrame) -> DataTree:
    design = make_design(table)
    n, rng = len(design.words) + len(design.attributes), np.random.default_rng(3)
    rows = np.split(unit(rng.standard_normal((n, 9))), [len(design.words)])
    cosines = (vectors @ vectors.T for vectors in rows)
    post = fit_design(
        with_cosines(design, *cosines),
        model_named(request.param),
        method="exact",
        draws=1000,  # with fewer draws, the largest models have too few effective proposals
        chains=2,
        seed=1,
    )
    return add_groups(post, "prior_predictive", seed=1)


@pytest.fixture(scope="module")
def model(exact: DataTree) -> pm.Model:
    return build_model(design_of(exact), spec_of(exact))


def thinned(tree: DataTree, n: int = 9) -> DataTree:
    few = tree.copy()
    few["posterior"] = tree["posterior"].to_dataset().isel(draw=slice(n))
    return few


def check_pymc_works_on(tree: DataTree, model: pm.Model) -> None:
    """Check that PyMC draws only the data, and computes the same log likelihoods."""
    drawn = pm.sample_posterior_predictive(
        tree, model=model, progressbar=False, random_seed=1, extend_inferencedata=False
    )["posterior_predictive"]
    assert set(drawn.data_vars) == {"cosine_distance"}
    ours = Rows(tree).predict(np.arange(len(observed(tree))), np.random.default_rng(2))
    theirs = drawn["cosine_distance"].values.reshape(ours.shape)
    # Use medians, because Student-t draws may have no variance. Allow 4.5 joint errors.
    spread = np.subtract(*np.percentile(ours, [75, 25], axis=0)) / 1.35
    error = 1.25 * spread * np.sqrt(2 / len(ours))
    difference = abs(np.median(ours, axis=0) - np.median(theirs, axis=0))
    np.testing.assert_array_less(difference, 4.5 * error)
    check_log_likelihood(tree, model)


def check_log_likelihood(tree: DataTree, model: pm.Model) -> None:
    few = thinned(tree)
    theirs = pm.compute_log_likelihood(
        few, model=model, progressbar=False, extend_inferencedata=False
    )
    ours = add_groups(few, "log_likelihood")["log_likelihood"]["cosine_distance"]
    found = theirs["cosine_distance"].transpose(*ours.dims)
    np.testing.assert_allclose(found, ours, rtol=1e-9, atol=1e-9)  # float64, terms reordered


def test_pymc_finds_our_log_likelihoods(exact: DataTree, model: pm.Model) -> None:
    check_log_likelihood(exact, model)


def test_a_known_error_is_part_of_the_residual_sd(toy_table) -> None:
    tree = fit(toy_table, "paper", draws=25, chains=1, seed=1)
    design, total = design_of(tree), tree["posterior"]["sigma"]
    known = float(total.min()) / 2
    rest = tree.copy()
    rest["posterior"] = tree["posterior"].to_dataset().assign(sigma=np.sqrt(total**2 - known**2))
    model = build_model(replace(design, rounding=known), spec_of(tree))
    theirs = pm.compute_log_likelihood(
        rest, model=model, progressbar=False, extend_inferencedata=False
    )
    ours = add_groups(tree, "log_likelihood")["log_likelihood"]["cosine_distance"]
    np.testing.assert_allclose(theirs["cosine_distance"], ours, rtol=1e-9, atol=1e-9)


def test_the_factor_of_correlations_is_lower(toy_table) -> None:
    model = build_model(toy_table, "maximal")
    (term,) = [term for term in load_model("maximal").terms if term.correlated]
    factor = model[term.correlation_factor]
    k = len(model.coords[term.by])
    moved = model.rvs_to_transforms[factor].backward(np.full(k * (k - 1) // 2, 0.3)).eval()
    np.testing.assert_allclose(np.linalg.norm(moved, axis=1), 1)
    assert moved[np.tril_indices(len(moved))].all()
    assert not np.triu(moved, 1).any()


def test_a_single_connection_correlates_with_itself() -> None:
    y = 0.9 + 0.1 * np.random.default_rng(1).standard_normal(16)
    model, spec = build_model(grid(4, 4, y, ("human",)), "maximal"), load_model("maximal")
    names = {term.correlation for term in spec.terms if term.correlated} & {*model.named_vars}
    assert names
    for name in names:
        np.testing.assert_array_equal(model[name].eval(), [[1.0]])


@pytest.mark.seconds
def test_the_robust_model_is_wired_through(toy_table, mock_nuts) -> None:
    """Use prior draws instead of NUTS, and compare PyMC's Student-t with ours."""
    tree = fit(toy_table, "robust", draws=500, chains=2, seed=1)
    tree = add_groups(tree, "prior_predictive", seed=1)
    assert tree["prior"]["nu"].shape == (1, 500)
    assert tree["prior_predictive"]["cosine_distance"].shape == (1, 500, 32)
    check_log_likelihood(tree, build_model(toy_table, "robust"))


@pytest.fixture(scope="module")
def varied() -> Design:
    """Return ten words in five groups, twelve attributes, and four contexts, each with sd .1."""
    rng = np.random.default_rng(0)
    table = pd.concat([grid(10, 12, 0.9).assign(context=f"context {at}") for at in range(4)])
    table["protected_group"] = table["protected_word"].map(lambda word: f"g{int(word[1:]) % 5}")
    y = 0.9 + 0.1 * rng.standard_normal(len(table))
    for keys in ("protected_group", "connection"), ("protected_word", "connection"):
        y += effects(table.groupby(list(keys)), rng)
    for key in ("attribute", "context"):
        y += effects(table.groupby(key), rng)
    return make_design(table.assign(cosine_distance=y))


def effects(groups: Any, rng: np.random.Generator) -> np.ndarray:
    return (0.1 * rng.standard_normal(groups.ngroups))[groups.ngroup()]


# Chains with attribute effects mix slowly, so their warnings are not errors.
@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore:.*fork:DeprecationWarning", "default::bayesbias.SamplingWarning"
)
@pytest.mark.parametrize("spec", ["contextual", "robust"])
def test_every_model_samples_by_nuts_and_its_warnings_come_through(varied, spec) -> None:
    nuts = {"method": "nuts", "draws": 500, "chains": 2, "target_accept": 0.95}
    tree = fit_design(varied, spec, seed=1, progressbar=False, **nuts)
    assert np.isfinite(tree["posterior"].to_dataset().to_dataarray()).all()
    check_pymc_works_on(tree, build_model(varied, load_model(spec)))


def test_variables_and_dims_are_those_that_posteriors_have(exact, model) -> None:
    theirs = {variable.name for variable in (*model.free_RVs, *model.deterministics)}
    assert theirs == set(exact["posterior"].data_vars) == set(exact["prior"].data_vars)
    dims = variable_dims(spec_of(exact))
    for name in theirs:
        assert tuple(model.named_vars_to_dims.get(name) or ()) == dims[name]
    for dim in ("connection", "protected_word", "attribute"):
        assert list(model.coords[dim]) == labels(exact, dim)
    assert [variable.name for variable in model.observed_RVs] == ["cosine_distance"]


def test_priors_have_the_density_the_model_states(exact: DataTree, model: pm.Model) -> None:
    """The sampler's coordinates must not change the model. Effects also follow their Normal."""
    few = thinned(exact)
    theirs = compute_log_prior(few, model=model, progressbar=False, extend_inferencedata=False)
    ours = add_groups(exact, "log_prior")["log_prior"].to_dataset().isel(draw=slice(0, 9))
    spec = spec_of(exact)
    for name in {*spec.needed_priors} - {*spec.fixed, *(term.correlation for term in spec.terms)}:
        values = theirs[name]
        summed = values.sum([dim for dim in values.dims if dim not in ("chain", "draw")])
        # PyMC folds the logs of constant parameters in single precision.
        np.testing.assert_allclose(summed, ours[name], rtol=1e-6, atol=1e-6)
    design = design_of(exact)
    for term in spec.terms:
        if not term.by or (units := term.unit_covariance(design)) is None:
            continue
        values, sds = (few["posterior"][name].values for name in (term.name, term.sd))
        for place in np.ndindex(values.shape[:2]):
            rows, columns = np.ones(len(units)), np.ones(values.shape[-1])
            if term.sd_by in {"", term.by}:
                columns *= sds[place]
            else:
                rows *= sds[place][design.attribute_kind]
            normal = matrix_normal(rowcov=np.outer(rows, rows) * units, colcov=np.diag(columns**2))
            density = theirs[term.name].values[place].sum()
            assert density == pytest.approx(normal.logpdf(values[place]), rel=1e-6)
    if "word_mean" not in theirs:  # a sum of other effects
        return
    mean, sd = (few["posterior"][f"connection_{of}"].values[:, :, None] for of in ("mean", "sd"))
    density = norm(mean, sd).logpdf(few["posterior"]["word_mean"].values)
    np.testing.assert_allclose(theirs["word_mean"], density, rtol=1e-9, atol=1e-9)


def test_pymc_works_on_slopes_and_a_sigma_by_word(table: pd.DataFrame) -> None:
    """The posterior stores them with their covariates and all indexes of the rows."""
    x = np.random.default_rng(3).standard_normal((len(table), 2))
    design = replace(make_design(table), covariates=("one", "other"), x=x)
    spec = model_named("crossed with slopes and of sigma by word")
    tree = fit_design(design, spec, method="exact", draws=500, chains=2, seed=1)
    assert design_of(tree).digest == design.digest
    check_log_likelihood(tree, build_model(design_of(tree), spec))


def test_placed_effects_have_the_conditional_mean_and_sd() -> None:
    """Compare with a product of two Normals; the transform and its inverse cancel."""
    precision, data = np.array([0.0, 4.0, 9.0]), np.array([0.3, 0.7, -0.2])
    transform, value = placed(precision, data), np.array([-1.0, 2.0, 0.5])
    prior = 0.5, 0.4
    total = precision + 0.4**-2
    center, sd = (precision * data + 0.5 * 0.4**-2) / total, total**-0.5
    effect = transform.backward(pt.as_tensor(value), *prior)
    np.testing.assert_allclose(effect.eval(), center + sd * value)
    np.testing.assert_allclose(transform.forward(effect, *prior).eval(), value)
    logs = transform.log_jac_det(pt.as_tensor(value), *prior).eval()
    np.testing.assert_allclose(logs, np.log(sd))
    # Without rough values, each effect still has a Jacobian of its own.
    logs = placed(0.0, 0.0).log_jac_det(pt.as_tensor(value), *prior).eval()
    np.testing.assert_allclose(logs, [np.log(0.4)] * 3, strict=True)


def test_correlations_are_products_of_their_factor(table: pd.DataFrame) -> None:
    model = build_model(make_design(table), load_model("maximal"))
    names = [name for name in model.named_vars if name.endswith("correlation")]
    assert names
    for name in names:
        factor, found = pm.draw([model[f"{name}_factor"], model[name]], random_seed=1)
        np.testing.assert_allclose(found, factor @ factor.T)


def test_rough_precisions_are_those_of_means_within_cells(table: pd.DataFrame) -> None:
    """A word without rows of a connection has a precision of zero there, also the last ones."""
    whole = make_design(table)
    ends = [whole.words[0], whole.words[-1]]
    lost = (table["connection"] == whole.connections[-1]) & table["protected_word"].isin(ends)
    assert lost.any()
    design = make_design(table[~lost])
    assert design.words == whole.words
    rough, y = RoughFit(design), pd.Series(design.y)
    cells = y.groupby([design.word, design.connection])
    weight = 1 / rough.variance[design.connection]
    attributes = pd.DataFrame({"weight": weight, "sum": weight * (y - cells.transform("mean"))})
    attributes = attributes.groupby(design.attribute).sum()
    expected = attributes["weight"], attributes["sum"] / attributes["weight"]
    equal = replace(design, y=0.1 * (1.0 + rough.cell))  # in each cell
    exact = replace(design, y=1.0 + rough.cell)
    np.testing.assert_allclose(RoughFit(equal).variance, RoughFit(exact).variance / 100)
    of_words = next(
        term
        for term in load_model("crossed").terms
        if (term.of, term.by) == ("protected_word", "connection")
    )
    precision, mean = rough.of_term(design, of_words)
    for (word, connection), part in cells:
        assert mean[word, connection] == pytest.approx(part.mean())
        assert precision[word, connection] == pytest.approx(len(part) / rough.variance[connection])
    assert np.count_nonzero(precision == 0) == len(ends)
    of_attributes = next(term for term in load_model("crossed").terms if term.of == "attribute")
    np.testing.assert_allclose(rough.of_term(design, of_attributes), expected)
