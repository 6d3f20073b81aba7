"""Leave-one-out against ArviZ and refits; words left out against refits and dense normals."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from builders import grid, model_named
from dense_oracle import dense_log_density
from numpy.random import SeedSequence, default_rng
from scipy.special import logsumexp
from scipy.stats import norm
from xarray import DataTree

from bayesbias.model import likelihood as predictive
from bayesbias.model.design import make_design
from bayesbias.model.spec import load_model
from bayesbias.model.tree import SamplingWarning
from bayesbias.posterior.loo import (
    _folds,
    add_log_likelihood,
    compare_models,
    leave_words_out,
    pointwise_loo,
)
from bayesbias.sampling.exact import sample_exact
from bayesbias.sampling.fit import fit
from bayesbias.sampling.reduction import collapse

FEW_BAD_ROWS = pytest.mark.filterwarnings(
    "ignore:.* rows have Pareto k above", "ignore:Estimated shape parameter of Pareto"
)
"""With six words some rows move their attribute's effect by much, and are told of."""


def simulated(attribute_sd: float, n_words: int = 6, n_attributes: int = 24) -> pd.DataFrame:
    """Distances whose attribute words differ as much as said, residual sd .05."""
    rng = default_rng(3)
    effect = np.tile(attribute_sd * rng.standard_normal(n_attributes), n_words)
    return grid(n_words, n_attributes, 0.9 + effect + 0.05 * rng.standard_normal(len(effect)))


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return simulated(0.1)


@pytest.fixture(scope="module")
def posteriors(table: pd.DataFrame) -> dict[str, DataTree]:
    return {
        name: fit(table, name, method="exact", draws=500, seed=1) for name in ("paper", "crossed")
    }


@FEW_BAD_ROWS
def test_it_agrees_with_arviz(posteriors: dict[str, DataTree]) -> None:
    import arviz as az

    frame = compare_models(posteriors).set_index("model")
    assert list(frame.index) == ["crossed", "paper"]
    efficiency = {  # of the exact sampler's proposals, of which draws are copies
        name: min(1.0, float(tree["sample_stats"]["importance_ess"]) / 2_000)
        for name, tree in posteriors.items()
    }
    loos = {
        name: az.loo(add_log_likelihood(tree), pointwise=True, reff=efficiency[name])
        for name, tree in posteriors.items()
    }
    theirs = az.compare(loos, round_to="none")
    for name, loo in loos.items():
        found = frame.loc[name]
        expected = [loo.elpd, loo.se, loo.p]
        np.testing.assert_allclose(found[["elpd", "se", "p"]].astype(float), expected)
        assert found["elpd_diff"] == pytest.approx(theirs.loc[name, "elpd_diff"])
        # ArviZ divides the variance of differences by n, and that of elpd by n - 1 as we do.
        dse = theirs.loc[name, "dse"] * np.sqrt(144 / 143)
        assert found["dse"] == pytest.approx(dse)
        assert found["n_bad_k"] == int((loo.pareto_k > loo.good_k).sum())


@FEW_BAD_ROWS
def test_the_best_comes_first_and_trees_are_left_alone(posteriors: dict[str, DataTree]) -> None:
    frame = compare_models(posteriors)
    assert frame.loc[0, ["elpd_diff", "dse"]].tolist() == [0, 0]
    assert (frame["elpd_diff"].diff().dropna() < 0).all()
    assert frame.loc[1, "elpd_diff"] < -4 * frame.loc[1, "dse"]
    assert all("log_likelihood" not in tree.children for tree in posteriors.values())


def test_a_row_left_out_is_as_a_refit_predicts_it(
    table: pd.DataFrame, posteriors: dict[str, DataTree]
) -> None:
    found = pointwise_loo(posteriors["paper"]).elpd
    for row in (0, 50, 143):
        left = table.iloc[row]
        tree = fit(table.drop(index=row), "paper", method="exact", draws=1000, seed=2)
        cell = {name: left[name] for name in ("protected_word", "connection")}
        mean = tree["posterior"]["word_mean"].sel(cell).values.ravel()
        density = norm(mean, tree["posterior"]["sigma"].values.ravel()).logpdf(
            left["cosine_distance"]
        )
        refit = logsumexp(density) - np.log(len(density))
        # 2,000 weighted draws against 4,000 of a refit: log densities vary by about .3 a draw.
        assert found[row] == pytest.approx(refit, abs=4 * 0.3 / np.sqrt(1300))


def test_blocks_of_rows_change_nothing(
    posteriors: dict[str, DataTree], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pointwise_loo(posteriors["crossed"])
    monkeypatch.setattr(predictive, "NUMBERS_AT_ONCE", 2000 * 11)
    blocks = pointwise_loo(posteriors["crossed"])
    np.testing.assert_array_equal(whole.elpd, blocks.elpd)
    np.testing.assert_array_equal(whole.pareto_k, blocks.pareto_k)


def test_nuts_and_exact_posteriors_can_be_compared(
    crossed_posterior: DataTree, nuts_posterior: DataTree
) -> None:
    """They are of one model, so that only Monte Carlo error is between them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)  # 32 rows, 35 parameters
        frame = compare_models({"exact": crossed_posterior, "nuts": nuts_posterior})
    assert abs(frame.loc[1, "elpd_diff"]) < 1.5


def test_a_row_that_importance_sampling_cannot_leave_out_is_told(table: pd.DataFrame) -> None:
    outlier = table.copy()
    outlier.loc[0, "cosine_distance"] = 1.9
    posts = {
        name: fit(outlier, name, method="exact", seed=1) for name in ("paper-figures", "crossed")
    }
    with pytest.warns(SamplingWarning, match=r"\d+ of 144 rows have Pareto k above 0\.7") as caught:
        frame = compare_models(posts)
    assert frame["n_bad_k"].max() >= 1
    assert caught[0].filename == __file__


def test_posteriors_of_other_tables_are_refused(
    posteriors: dict[str, DataTree], crossed_posterior: DataTree
) -> None:
    with pytest.raises(ValueError, match="'other' were not fitted to that of 'paper'"):
        compare_models({"paper": posteriors["paper"], "other": crossed_posterior})
    with pytest.raises(ValueError, match="table_hash differs or is absent"):
        compare_models({"a": DataTree(), "b": DataTree()})
    with pytest.raises(ValueError, match="two posteriors or more; got 1"):
        compare_models({"paper": posteriors["paper"]})
    with pytest.raises(TypeError, match="posteriors come by name"):
        compare_models(list(posteriors.values()))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def left_out(posteriors: dict[str, DataTree]) -> pd.DataFrame:
    return compare_models(posteriors, leave_out="attribute", seed=0)


def test_attribute_effects_show_when_words_are_left_out(left_out: pd.DataFrame) -> None:
    assert left_out["model"].tolist() == ["crossed", "paper"]
    assert left_out.loc[1, "elpd_diff"] < -2 * left_out.loc[1, "dse"]
    assert (left_out["n_words"] == 24).all()
    assert (left_out["mcse"] < left_out["se"] / 10).all()
    columns = ["model", "elpd", "se", "elpd_diff", "dse", "mcse", "n_words"]
    assert list(left_out.columns) == columns


def test_attribute_effects_that_are_not_there_cost_little() -> None:
    table = simulated(0.0)
    posteriors = {name: fit(table, name, seed=1) for name in ("paper", "crossed")}
    frame = compare_models(posteriors, leave_out="attribute")
    # Of 144 rows. At sd .1 they gain about 100; a tenth of that is little. Seen: 4.9 to 5.3.
    assert list(frame["model"]) == ["paper", "crossed"]
    assert -10 < frame.loc[1, "elpd_diff"] < 0


def test_fits_without_a_word_come_from_the_seed(posteriors: dict[str, DataTree]) -> None:
    found = compare_models(posteriors, leave_out="protected_word")
    again = compare_models(posteriors, leave_out="protected_word", seed=found.attrs["seed"])
    pd.testing.assert_frame_equal(again, found)
    other = compare_models(posteriors, leave_out="protected_word", seed=1)
    assert (other["elpd"] != found["elpd"]).all()
    error = np.hypot(other["mcse"], found["mcse"])
    assert (abs(other["elpd"] - found["elpd"]) < 4 * error).all()


@pytest.mark.filterwarnings("ignore:.*repeat an earlier row exactly")
@pytest.mark.parametrize("name", ["paper", "crossed"])
@pytest.mark.parametrize("factor", ["attribute", "protected_word"])
def test_left_out_words_against_dense_normals(name: str, factor: str) -> None:
    """Draws of all effects of a fit to the other folds; given them a dense normal."""
    full = simulated(0.1, n_attributes=12)  # enough words that no density has a heavy tail
    table = pd.concat([full.iloc[1:], full.iloc[[5]]], ignore_index=True)
    design, model = make_design(table), model_named(name)
    codes = design.codes(factor)
    fold_of = np.arange(codes.max() + 1) % 3
    elpd, mcse = leave_words_out(design, model, factor, fold_of, SeedSequence(4))
    total, variance = 0.0, (mcse**2).sum()
    for unit, fold in enumerate(fold_of):
        kept = fold_of[codes] != fold
        rest, both = (design.take(np.flatnonzero(rows)) for rows in (kept, kept | (codes == unit)))
        values = sample_exact(collapse(rest, model), 400, default_rng(5)).values
        density = [
            dense_log_density(both, model, {name: each[i] for name, each in values.items()})
            - dense_log_density(rest, model, {name: each[i] for name, each in values.items()})
            for i in range(400)
        ]
        log_mean = logsumexp(density) - np.log(400)
        total += log_mean
        variance += np.exp(density - log_mean).var() / 400
    assert elpd.sum() == pytest.approx(total, abs=4 * np.sqrt(variance))


def test_words_of_a_group_or_connection_are_dealt_out_evenly(table: pd.DataFrame) -> None:
    design = make_design(table)
    fold_of = _folds(design, "attribute", SeedSequence(1))
    for connection in range(len(design.connections)):
        words = np.unique(design.attribute[design.connection == connection])
        assert np.ptp(np.bincount(fold_of[words], minlength=10)) <= 2  # sets share connections


def test_what_cannot_be_left_out_is_refused(
    posteriors: dict[str, DataTree], toy_table: pd.DataFrame
) -> None:
    with pytest.raises(ValueError, match=r"unknown choice 'word'.*attribute"):
        compare_models(posteriors, leave_out="word")
    robust = posteriors["paper"].copy()
    content = load_model("robust").to_dict()
    robust.attrs["spec"] = json.dumps(content)
    with pytest.raises(ValueError, match="'robust' has a student_t likelihood; leave_out='row'"):
        compare_models(posteriors | {"robust": robust}, leave_out="attribute")
    two = {name: fit(toy_table, name, seed=1) for name in ("paper", "crossed")}
    with pytest.raises(ValueError, match=r"connection\(s\) human have a single attribute word"):
        compare_models(two, leave_out="attribute")
