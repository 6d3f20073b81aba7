"""Leave-one-out against ArviZ and refits; leave-words-out against refits aligned by label."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import grid
from numpy.random import default_rng
from scipy.special import logsumexp
from scipy.stats import norm
from xarray import DataTree

from bayesbias.model import likelihood as predictive
from bayesbias.model.design import make_design
from bayesbias.model.tree import SamplingWarning
from bayesbias.posterior.attribute_folds import _deal, attribute_kfold
from bayesbias.posterior.loo import add_log_likelihood, compare_models, pointwise_loo
from bayesbias.sampling.fit import fit
from bayesbias.tables.schema import validate

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
    loos = {
        name: az.loo(add_log_likelihood(tree), pointwise=True, reff=1.0)
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
def folded(table: pd.DataFrame) -> pd.DataFrame:
    return attribute_kfold(table, ["paper", "crossed"], folds=6, draws=500, seed=0)


def test_attribute_effects_show_when_words_are_left_out(folded: pd.DataFrame) -> None:
    assert folded["model"].tolist() == ["crossed", "paper"]
    assert folded.loc[1, "elpd_diff"] < -2 * folded.loc[1, "dse"]
    assert (folded["n_attributes"] == 24).all()
    assert (folded["mcse"] < folded["se"] / 10).all()
    columns = ["model", "elpd", "se", "elpd_diff", "dse", "mcse", "n_attributes"]
    assert list(folded.columns) == columns


def test_without_attribute_effects_neither_model_wins() -> None:
    frame = attribute_kfold(simulated(0.0), folds=4, draws=500, seed=0)
    assert abs(frame.loc[1, "elpd_diff"]) < 5  # of 144 rows; at sd .1 it is about 100


def test_equal_seeds_share_folds_and_other_models_change_nothing(
    table: pd.DataFrame, folded: pd.DataFrame
) -> None:
    alone = attribute_kfold(table, "paper", folds=6, draws=500, seed=0)
    assert alone.loc[0, "elpd"] == folded.loc[1, "elpd"]
    assert alone.loc[0, "se"] == folded.loc[1, "se"]
    other = attribute_kfold(table, "paper", folds=6, draws=500, seed=default_rng(1))
    assert other.loc[0, "elpd"] != alone.loc[0, "elpd"]
    by_chance = attribute_kfold(table, "paper", folds=2, draws=100)
    again = attribute_kfold(table, "paper", folds=2, draws=100, seed=by_chance.attrs["seed"])
    pd.testing.assert_frame_equal(again, by_chance)


@pytest.mark.parametrize(
    "spec", ["paper", "crossed", pytest.param("grouped", marks=pytest.mark.slow)]
)
def test_left_out_words_against_refits_aligned_by_label(spec: str) -> None:
    """One word at a time, by `fit` on a subset: means and effects found by name, densely."""
    full = simulated(0.1, n_attributes=12)  # enough words that no density has a heavy tail
    table = pd.concat([full.iloc[1:], full.iloc[[5]]], ignore_index=True)
    words = table["attribute"].unique()
    frame = attribute_kfold(table, spec, folds=len(words), draws=2000, seed=0)
    refits = [refit_density(table, spec, word) for word in words]
    total, error = sum(mean for mean, _ in refits), np.sqrt(sum(e**2 for _, e in refits))
    assert frame.loc[0, "elpd"] == pytest.approx(total, abs=4 * np.hypot(error, frame["mcse"][0]))


def refit_density(table: pd.DataFrame, spec: str, word: str) -> tuple[float, float]:
    rows = table[table["attribute"] == word]
    rest = table[table["attribute"] != word]
    posterior = fit(rest, spec, method="exact", seed=5)["posterior"]
    n = posterior.sizes["chain"] * posterior.sizes["draw"]
    pairs = zip(rows["protected_word"], rows["connection"], strict=True)
    means = [posterior["word_mean"].sel(protected_word=w, connection=c) for w, c in pairs]
    mean = np.stack([values.values.ravel() for values in means], axis=1)
    sigma = posterior["sigma"]
    sds = [sigma.sel(connection=c) if sigma.ndim > 2 else sigma for c in rows["connection"]]
    sd = np.stack([values.values.ravel() for values in sds], axis=1)
    shared = posterior["attribute_sd"].values.ravel() if "attribute_sd" in posterior else None
    covariance = sd[:, :, None] * np.eye(len(rows)) * sd[:, None, :]
    if shared is not None:
        covariance += shared[:, None, None] ** 2
    apart = rows["cosine_distance"].to_numpy() - mean
    solved = np.linalg.solve(covariance, apart[:, :, None])[:, :, 0]
    log_det = np.linalg.slogdet(2 * np.pi * covariance)[1]
    density = -0.5 * (log_det + (apart * solved).sum(axis=1))
    log_mean = float(logsumexp(density) - np.log(n))
    return log_mean, float(np.exp(density - log_mean).std() / np.sqrt(n))


def test_folds_are_even_and_spread_every_set(table: pd.DataFrame) -> None:
    design = make_design(table)
    fold_of = _deal(validate(table), design, 5, default_rng(0))
    assert np.bincount(fold_of).tolist() == [5, 5, 5, 5, 4]
    of_set = table.drop_duplicates("attribute").set_index("attribute")["attribute_set"]
    frame = pd.DataFrame({"fold": fold_of, "set": of_set[list(design.attributes)].to_numpy()})
    counts = frame.groupby(["set", "fold"]).size()
    assert counts.max() - counts.min() <= 1
    assert not np.array_equal(fold_of, _deal(validate(table), design, 5, default_rng(1)))


@pytest.mark.parametrize(
    ("models", "options", "message"),
    [
        (["robust"], {}, "needs a normal likelihood; 'robust' has student_t"),
        (["paper"], {"folds": 1}, r"folds must be a whole number from 2 to 24.*got 1"),
        (["paper"], {"folds": 25}, "got 25"),
        (["paper"], {"folds": 2.5}, "got 2.5"),
        (["paper", "paper"], {}, "two models have the same name"),
        ([], {}, "at least one model"),
        (["papr"], {}, "did you mean 'paper'"),
        (["paper"], {"seed": -1}, "seed must be a whole number"),
        (["paper"], {"draws": 0}, "draws must be a whole number from 1 on"),
    ],
)
def test_what_cannot_be_folded_is_refused(
    table: pd.DataFrame, models: list[str], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        attribute_kfold(table, models, **options)


def test_a_connection_of_one_word_is_refused(toy_table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r"connection\(s\) human have a single attribute word"):
        attribute_kfold(toy_table, folds=2)


def test_models_may_be_named(table: pd.DataFrame) -> None:
    from bayesbias.model.spec import load_model

    tight = load_model("paper").with_priors({"connection_mean": {"sd": 0.01}})
    frame = attribute_kfold(table, {"wide": "paper", "tight": tight}, folds=2, draws=200)
    assert set(frame["model"]) == {"wide", "tight"}
