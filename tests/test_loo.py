"""Leave-one-out compared with refits; left-out words compared with refits and dense Normals."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from builders import grid, groups_by_sets, model_named, refused
from dense_oracle import conditional, dense_log_densities
from numpy.random import SeedSequence, default_rng
from scipy.special import logsumexp
from scipy.stats import norm
from xarray import DataTree

import bayesbias as bb
from bayesbias.model.indexing import make_design
from bayesbias.model.tree import design_of, spec_of, stacked
from bayesbias.posterior import loo
from bayesbias.posterior.loo import compare_models, leave_rows_out, leave_words_out
from bayesbias.sampling.exact import sample_exact
from bayesbias.sampling.fit import fit
from bayesbias.sampling.reduction import collapse
from bayesbias.warnings import UnreliableLoo


def test_folds_divide_each_group() -> None:
    table = groups_by_sets("xyz", 7, 4)
    design = make_design(table.assign(cosine_distance=np.linspace(0.5, 1, len(table))))
    fold_of = loo._folds(design, "protected_word", SeedSequence(1))
    for group in range(3):
        assert np.bincount(fold_of[design.word_group == group], minlength=loo.N_FOLDS).max() == 1


def simulated(attribute_sd: float, n_words: int = 6, n_attributes: int = 24) -> pd.DataFrame:
    """Return distances with this sd between attribute words, and a residual sd of .05."""
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


def test_a_row_left_out_is_as_a_refit_predicts_it(table, posteriors) -> None:
    found = leave_rows_out(posteriors["paper"]).elpd_i.values
    for row in (0, 50, 143):
        left = table.iloc[row]
        tree = fit(table.drop(index=row), "paper", method="exact", draws=1000, seed=2)
        cell = {name: left[name] for name in ("protected_word", "connection")}
        mean = tree["posterior"]["word_mean"].sel(cell).values.ravel()
        density = norm(mean, tree["posterior"]["sigma"].values.ravel()).logpdf(
            left["cosine_distance"]
        )
        refit = logsumexp(density) - np.log(len(density))
        # Compare 2,000 weighted draws with 4,000 of a refit. Log densities have an sd of about .3.
        assert found[row] == pytest.approx(refit, abs=4 * 0.3 / np.sqrt(1300))


def test_a_row_that_importance_sampling_cannot_leave_out_is_told(table: pd.DataFrame) -> None:
    outlier = table.copy()
    outlier.loc[0, "cosine_distance"] = 1.9
    posts = {
        name: fit(outlier, name, method="exact", seed=1) for name in ("paper-figures", "crossed")
    }
    with pytest.warns(UnreliableLoo) as caught:
        frame = compare_models(posts)
    found = {each.message.about: (each.message.n, each.message.total) for each in caught}
    counts = frame.set_index("model")["n_bad_k"]
    assert found == {name: (n, 144) for name, n in counts[counts > 0].items()}
    assert frame["n_bad_k"].max() >= 1
    assert [*frame.columns][:4] == ["model", "elpd", "se", "p"]
    assert caught[0].filename == __file__


@pytest.mark.seconds
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.UnreliableLoo")
def test_results_are_compared_as_their_posteriors_are(posteriors: dict[str, DataTree]) -> None:
    results = {name: SimpleNamespace(posterior=tree) for name, tree in posteriors.items()}
    for choice in ({}, {"leave_out": "protected_word", "seed": 1}):
        expected = compare_models(posteriors, **choice)
        pd.testing.assert_frame_equal(compare_models(results, **choice), expected)
    refused("posterior .* is needed", compare_models, {"a": 1, "b": 2}, error=TypeError)


@pytest.mark.seconds
def test_attribute_effects_show_when_words_are_left_out(posteriors: dict[str, DataTree]) -> None:
    left_out = compare_models(posteriors, leave_out="attribute", seed=1)
    assert left_out["model"].tolist() == ["crossed", "paper"]
    assert left_out.loc[1, "elpd_diff"] < -2 * left_out.loc[1, "dse"]
    assert (left_out["n_words"] == 24).all()
    assert (left_out["mcse"] < left_out["se"] / 10).all()
    columns = ["model", "elpd", "se", "elpd_diff", "dse", "mcse", "n_words"]
    assert list(left_out.columns) == columns


@pytest.mark.seconds
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.RepeatedRows")
@pytest.mark.parametrize("factor", ["attribute", "protected_word"])
def test_left_out_words_against_dense_normals(factor: str) -> None:
    """Use draws of all effects from a fit to the other folds, and a dense Normal given these."""
    full = simulated(0.1, n_attributes=12)  # with enough words, no density has a heavy tail
    table = pd.concat([full.iloc[1:], full.iloc[[5]]], ignore_index=True)
    design, model = make_design(table), model_named("crossed")
    codes = design.codes(factor)
    fold_of = np.arange(codes.max() + 1) % 3
    elpd, mcse = leave_words_out(design, model, factor, fold_of, SeedSequence(4))
    again, same = leave_words_out(design, model, factor, fold_of, SeedSequence(6))
    # Units of a fold share draws, so the root mean square of some 12 differences is near 1.
    assert 0.4 < np.sqrt(np.mean((elpd - again) ** 2 / (mcse**2 + same**2))) < 2.5
    total, variance, n = 0.0, (mcse**2).sum(), 100
    for fold in range(3):
        kept = fold_of[codes] != fold
        rest = design.take(np.flatnonzero(kept))
        values = sample_exact(collapse(rest, model), n, default_rng(5)).values
        draws = [{name: drawn[i] for name, drawn in values.items()} for i in range(n)]
        without = dense_log_densities(rest, model, draws)
        for unit in np.flatnonzero(fold_of == fold):
            both = design.take(np.flatnonzero(kept | (codes == unit)))
            density = dense_log_densities(both, model, draws) - without
            log_mean = logsumexp(density) - np.log(n)
            total += log_mean
            variance += np.exp(density - log_mean).var() / n
    assert elpd.sum() == pytest.approx(total, abs=4 * np.sqrt(variance))


@pytest.fixture(scope="module")
def post() -> DataTree:
    """Fit two groups of four words and two sets of six; one attribute drives the contrast."""
    rng = np.random.default_rng(2)
    table = groups_by_sets("xy", 4, 6)
    table["cosine_distance"] = 0.9 + rng.normal(0, 0.05, len(table))
    driven = (table["attribute"] == "x-3") & (table["connection"] == "associated")
    table.loc[driven, "cosine_distance"] -= 0.5
    return bb.fit(table, draws=50, chains=2, seed=1)


def test_means_without_a_word_equal_a_dense_conditional(post: DataTree) -> None:
    frame = bb.influence(post, draws=1).set_index("name")
    design, spec = design_of(post), spec_of(post)
    names = [*(term.sd for term in spec.terms if term.sd not in spec.fixed), "sigma"]
    names += [term.correlation for term in spec.terms if term.correlated]
    values = {name: stacked(post, name)[0] for name in names}
    for name, left in (("x1", design.word == 1), ("x-3", design.attribute == 3)):
        means, _ = conditional(design.take(np.flatnonzero(~left)), spec, values)
        # Double precision, with condition numbers below 1e6.
        assert frame.loc[name, "mean_without"] == pytest.approx(means[0] - means[1], abs=1e-8)


def test_what_drives_the_contrast_comes_first(post: DataTree) -> None:
    frame = bb.influence(post)
    assert frame.loc[0, ["factor", "name", "of"]].tolist() == ["attribute", "x-3", "x"]
    assert frame.loc[0, "change"] > 0  # without it the contrast is less negative
    columns = ["factor", "name", "of", "n_rows", "mean", "mean_without", "change", "sds"]
    assert [*frame] == columns
    assert [*frame.index] == [*range(8 + 12)]
    assert frame.loc[0, "n_rows"] == 8
    assert frame["change"].abs().is_monotonic_decreasing
    overall = bb.contrasts(post)["sd"].iloc[0]  # 100 draws have an error of a tenth
    np.testing.assert_allclose(frame["sds"], frame["change"] / overall, rtol=0.4)


def test_a_word_without_which_nothing_varies_is_not_left_out() -> None:
    """All other words are as far from one control as from the other one."""
    table = groups_by_sets("xy", 3, 4, "neutral")
    rng = np.random.default_rng(2)
    table["cosine_distance"] = 0.9 + 0.05 * rng.standard_normal(len(table))
    alone = (table["connection"] == "neutral") & (table["protected_word"] != "x0")
    of_word = table[alone].groupby("protected_word")["cosine_distance"].transform("first")
    table.loc[alone, "cosine_distance"] = of_word
    posteriors = {name: fit(table, name, seed=1, draws=50) for name in ("by-group", "crossed")}
    refused("without .*x0.* neutral rows", compare_models, posteriors, "protected_word", seed=1)


def test_totals_and_errors_are_sums_over_words(posteriors, monkeypatch) -> None:
    """Errors of independent words add in squares; the best model comes first."""
    rng = default_rng(1)
    parts = {name: (rng.normal(size=24), rng.uniform(size=24)) for name in posteriors}
    given = iter(parts.values())
    monkeypatch.setattr(loo, "leave_words_out", lambda *_: next(given))
    frame = compare_models(posteriors, leave_out="attribute", seed=1).set_index("model")
    totals = {name: elpd.sum() for name, (elpd, _) in parts.items()}
    best, last = sorted(totals, key=totals.__getitem__, reverse=True)
    assert frame.index.tolist() == [best, last]
    gap = parts[last][0] - parts[best][0]
    for name, (elpd, mcse) in parts.items():
        expected = [elpd.sum(), np.sqrt(24 * elpd.var(ddof=1)), np.sqrt((mcse**2).sum())]
        assert frame.loc[name, ["elpd", "se", "mcse"]].tolist() == pytest.approx(expected)
    found = frame.loc[last, ["elpd_diff", "dse"]].tolist()
    assert found == pytest.approx([gap.sum(), np.sqrt(24 * gap.var(ddof=1))])
