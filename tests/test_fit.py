"""`fit`: its sampler, refusals, seeds, warnings, and options; fits of designs and with PyMC."""

import builtins
import inspect
import re
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import FAST, by_name, grid, refused, table_of
from numpy.random import SeedSequence, default_rng
from xarray import DataTree

import bayesbias as bb
from bayesbias import warnings
from bayesbias.model.design import Design
from bayesbias.model.indexing import make_design
from bayesbias.model.tree import observed, outcome_of, stacked, warnings_of
from bayesbias.posterior.summaries import summary
from bayesbias.sampling import fit as fitting
from bayesbias.sampling.fit import fit, fit_design
from bayesbias.sampling.options import FitKeywords, FitOptions
from bayesbias.sampling.pymc_models import build_model
from bayesbias.sampling.variation import settled_parts
from bayesbias.tables.schema import checked

SPIKES = {
    name: {"family": "gamma", "shape": 0.05, "rate": 1.0}
    for name in ("connection_sd", "sigma", "attribute_sd")
}
"""Priors with most of their mass at sds near zero: no proposal covers both e^-100 and 0.1."""


@pytest.fixture(scope="module")
def small_table() -> pd.DataFrame:
    """Return three words and four attributes, one per connection, which barely inform the sds."""
    return grid(3, 4, 0.9 + 0.05 * np.random.default_rng(0).standard_normal(12))


NO_EXACT = "effects of a student_t model cannot be integrated out"
HARD = r"Pareto k (\d+\.\d\d|inf) of the exact sampler is too high; NUTS samples the sds.*"
EASY = r"Normal model, Pareto k 0\.\d\d below 0\.7.*"


@pytest.mark.usefixtures("mock_nuts")
@pytest.mark.filterwarnings("ignore::bayesbias.SamplingWarning")  # the mock draws may mix badly
@pytest.mark.parametrize(
    ("model", "reason"),
    [("paper", EASY), ("maximal", EASY), ("robust", f".*{NO_EXACT}.*"), ("crossed", HARD)],
)
def test_auto_takes_the_exact_sampler_where_it_works(small_table, toy_table, model, reason) -> None:
    """Here, the crossed model's posterior is too hard for the exact sampler."""
    table, priors = (small_table, SPIKES) if model == "crossed" else (toy_table, {})
    tree = fit(table, model, priors=priors, draws=400, chains=2, seed=1)
    assert tree.attrs["method"] == ("exact" if reason == EASY else "nuts")
    assert re.fullmatch(reason, tree.attrs["method_reason"])
    stats = tree["sample_stats"]
    if reason == EASY:
        assert float(stats["importance_ess"]) <= int(stats["n_proposals"])
    else:
        assert "diverging" in stats


@pytest.mark.seconds
def test_the_exact_sampler_by_name_warns_instead(small_table: pd.DataFrame) -> None:
    with pytest.warns(warnings.SamplingWarning) as caught:
        tree = fit(small_table, "crossed", method="exact", priors=SPIKES, seed=1)
    assert tree.attrs["method_reason"] == "asked for"
    doubts = warnings_of(tree)
    assert warnings.HighParetoK in map(type, doubts)
    assert tuple(warning.message for warning in caught) == doubts
    assert caught[0].filename == __file__
    with pytest.warns(warnings.SamplingWarning) as again:
        assert summary(tree).attrs["warnings"] == list(map(str, doubts))
    assert tuple(warning.message for warning in again) == doubts


def test_divergences_and_poor_mixing_warn_with_what_to_do(toy_table, mock_nuts) -> None:
    mock_nuts["diverging"] = lambda size: np.arange(np.prod(size)).reshape(size) < 7
    with pytest.warns(warnings.SamplingWarning) as caught:
        tree = fit(toy_table, "paper", method="nuts", draws=30, chains=2, seed=1)
    told = tuple(warning.message for warning in caught)
    assert warnings.Divergences(7) in told
    assert warnings.FewEffectiveDraws in map(type, told)
    assert warnings_of(tree) == told


def flat(table: pd.DataFrame, spread: float = 0.0) -> pd.DataFrame:
    """Give all human rows the same distance, or all rows distances with this small spread."""
    if spread:
        noise = np.random.default_rng(0).standard_normal(len(table))
        return table.assign(cosine_distance=0.9 + spread * noise)
    human = table["connection"] == "human"
    return table.assign(cosine_distance=table["cosine_distance"].mask(human, 0.9))


HUMAN = r"all 4 distances of human rows are 0\.9.*'common'"
REFUSALS: list[tuple[Callable[[pd.DataFrame], object], str]] = [
    (lambda t: fit(t, method="exct"), "unknown method 'exct'; did you mean 'exact'"),
    (lambda t: fit(t, draws=0), "^draws must be a whole number.*; got 0"),
    (lambda t: fit(t, draws=2), "^draws must be at least 7 if chains is 4"),
    (lambda t: fit(t, draws=10**9), r"1,000,000,000 draws of 4 chains needs about [\d,.]+ GB"),
    (lambda t: fit(t, seed=-1), "^seed must be a whole number.*; got -1"),
    (lambda t: fit(t, target_accept=90), r"^target_accept must lie in \(0, 1\); got 90"),
    (lambda _: FitOptions(ci_prob=89), "^ci_prob "),
    (lambda t: fit(t, drawz=3), "unknown fit option 'drawz'; did you mean 'draws'"),
    (lambda t: fit(t, "robust", method="exact"), "use method='nuts'"),
    (lambda t: fit(flat(t, 5e-6)), r"are 0\.9, give or take .e-0"),
    (lambda t: fit(t.iloc[:0]), "the table has no rows"),
    (lambda t: fit_design(replace(make_design(t), y=np.ones(32)), "paper"), "all 32 distances"),
    (lambda t: fit(flat(t), "crossed"), HUMAN),
    (lambda t: fit(t, method="nutpie"), r"needs nutpie: pip install 'bayesbias\[samplers\]'"),
]


@pytest.mark.seconds
def test_memory_grows_with_draws_and_chains(toy_table, monkeypatch) -> None:
    """A number takes eight bytes; by-group with two groups has more than 50 of them.

    Rows are asked for first, and in proportion to their number.
    """
    asked: list[float] = []
    monkeypatch.setattr(fitting, "require_memory", lambda size, what: asked.append(size))
    for draws, chains in ((100, 2), (300, 2), (100, 6)):
        fit(toy_table, draws=draws, chains=chains, seed=1)
    rows, few, *more = asked
    assert more == [rows, 3 * few, rows, 3 * few]
    assert few > 8 * 100 * 2 * 50
    once = toy_table.iloc[::2]
    tree = fit(once, "paper", draws=1000, chains=2, seed=1)
    assert asked[6] / len(once) == pytest.approx(rows / len(toy_table))
    stored = tree["posterior"].to_dataset().data_vars.values()
    assert asked[7] == sum(variable.nbytes for variable in stored)


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_what_is_refused(toy_table, call, message, monkeypatch) -> None:
    monkeypatch.setattr(fitting, "find_spec", lambda _: None)
    refused(message, call, toy_table, error=(ValueError, TypeError, ImportError))


def test_what_does_not_vary_is_fitted_where_another_sd_or_the_prior_decides(toy_table) -> None:
    assert fit(flat(toy_table), "paper", seed=1, **FAST).attrs["method"] == "exact"
    human = toy_table["connection"] == "human"
    one = toy_table[~human | (human.cumsum() == 1)]
    assert fit(one, "crossed", method="exact", seed=1, **FAST).attrs["method"] == "exact"


def test_rows_that_stand_twice_are_told(toy_table: pd.DataFrame) -> None:
    twice = pd.concat([toy_table, toy_table.iloc[[3, 3]]])
    with pytest.warns(warnings.RepeatedRows) as told:
        tree = fit(twice, "paper", seed=1, **FAST)
    assert told[0].message == warnings.RepeatedRows(n=2, total=34)
    assert told[0].filename == __file__
    assert tree["observed_data"].sizes["row"] == 34  # reported and left unchanged
    moved = toy_table.iloc[[3]].assign(cosine_distance=0.5)
    with pytest.warns(warnings.RepeatedPairs) as told:
        fit(pd.concat([toy_table, moved]), "paper", seed=1, **FAST)
    assert [one.message for one in told] == [warnings.RepeatedPairs(n=1, total=33)]


def test_embeddings_that_are_fitted_as_one_are_told(toy_table: pd.DataFrame) -> None:
    one = toy_table.assign(embedding="one")
    moved = one.assign(embedding="two", cosine_distance=one["cosine_distance"] * 0.9)
    with pytest.warns(warnings.SeveralEmbeddings) as told:
        fit(pd.concat([one, moved]), "paper", seed=1, **FAST)
    assert told[0].message == warnings.SeveralEmbeddings(("one", "two"))
    assert told[0].filename == __file__
    again = moved["replicate"] + " again"  # like two trainings or two contexts
    moved = moved.assign(embedding="one", replicate=again)
    fit(pd.concat([one, moved]), "paper", seed=1, **FAST)


def same_draws(first: DataTree, second: DataTree) -> bool:
    return bool(first["posterior"].to_dataset().equals(second["posterior"].to_dataset()))


def test_seeds_are_recorded_and_repeat_the_fit(toy_table: pd.DataFrame) -> None:
    def run(seed: object) -> DataTree:
        return fit(toy_table, "paper", method="exact", draws=400, chains=1, seed=seed)

    whole = run(5)
    assert whole.attrs["seed"] == "5"
    assert same_draws(whole, run(np.int64(5)))
    assert same_draws(whole, run(SeedSequence(5)))
    assert run(SeedSequence(5)).identical(whole)
    assert not same_draws(whole, run(6))
    by_generator = run(default_rng(5))
    assert same_draws(by_generator, run(default_rng(5)))
    assert same_draws(by_generator, run(int(by_generator.attrs["seed"])))
    by_chance = run(None)
    assert same_draws(by_chance, run(int(by_chance.attrs["seed"])))


def test_the_exact_way_needs_no_pymc(toy_table, monkeypatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *args: Any, **options: Any) -> Any:
        if name.partition(".")[0] in {"pymc", "pytensor"}:
            raise AssertionError(f"{name} is imported by the exact sampler")
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert fit(toy_table, "crossed", draws=200, seed=1).attrs["method"] == "exact"


def test_missing_pairs_that_make_a_fit_slow_are_named(toy_table, caplog, monkeypatch) -> None:
    gaps = toy_table.drop_duplicates(["protected_word", "attribute"])[1:]
    fit(gaps, "paper", seed=1, draws=20)
    assert not caplog.text
    monkeypatch.setattr("bayesbias.sampling.reduction.MUCH_WORK", 10)
    fit(gaps, "paper", seed=1, draws=20)
    assert "of 32 pairs of words, so the exact" in caplog.text
    design = make_design(gaps)
    fit_design(design.take(np.flatnonzero(design.word < 2)), "paper", seed=1, draws=20)
    assert f"of {2 * len(design.attributes)} pairs of words" in caplog.text  # that have rows


def test_every_function_that_fits_shows_the_options_of_a_fit() -> None:
    functions = (bb.fit, bb.fit_change, bb.vocabulary_contrasts, bb.maskedlm.fit_pairs)
    for function in functions:
        shown = inspect.signature(function).parameters
        for each in fields(FitOptions):
            if each.name in FitKeywords.__annotations__:
                assert shown[each.name].default == each.default, (function.__name__, each.name)
        assert "keywords" not in shown


def test_what_is_recorded_can_be_written_as_text() -> None:
    assert FitOptions(draws=4, chains=7).draws == 4  # the fewest of which there are diagnostics
    refused("draws", FitOptions, draws=3, chains=9)
    kept = FitOptions(seed=SeedSequence(3)).recorded
    assert "progressbar" not in kept
    assert "entropy=3" in kept["seed"]
    assert FitOptions().recorded["seed"] is None


@pytest.fixture(scope="module")
def design(toy_table: pd.DataFrame) -> Design:
    return make_design(toy_table)


@pytest.mark.parametrize(("spec", "scale"), [("paper-figures", 1000.0), ("crossed", -1.0)])
def test_the_scale_of_the_outcome_does_not_matter(design: Design, spec: str, scale: float) -> None:
    """Scaling outcomes and priors by a factor scales the posterior by the same factor."""
    size = abs(scale)
    priors: dict[str, dict[str, Any]] = {
        name: {"rate": 2.0 / size} for name in bb.load_model(spec).priors
    }
    priors["connection_mean"] = {"mean": scale, "sd": 0.3 * size}
    stretched = replace(design, y=scale * design.y, outcome="score")
    draws = {"draws": 1000, "chains": 4}
    base = fit_design(design, spec, **draws, seed=1)
    got = fit_design(stretched, spec, priors=priors, **draws, seed=2)
    assert got.attrs["method"] == "exact"
    for name in ("connection_mean", "word_mean"):
        one, other = stacked(base, name), stacked(got, name) / scale
        error = np.sqrt((one.var(axis=0) + other.var(axis=0)) / len(one))
        apart = np.abs(one.mean(axis=0) - other.mean(axis=0))
        assert (apart < 5 * error).all()
        # Some words have a kurtosis near 25, so four errors of the ratio of sds are about .25.
        assert np.allclose(one.std(axis=0), other.std(axis=0), rtol=0.25)


@pytest.mark.filterwarnings(
    "ignore::bayesbias.warnings.PriorConflict"
)  # far outside the priors of changes
def test_the_outcome_has_its_name_everywhere(design, mock_nuts) -> None:
    named = replace(design, y=design.y - 2, outcome="score")
    exact = bb.add_groups(fit_design(named, "change", seed=1, **FAST))
    assert outcome_of(exact) == "score"
    assert np.array_equal(observed(exact), named.y)
    for group in ("posterior_predictive", "prior_predictive", "log_likelihood"):
        assert "score" in exact[group]
    assert bb.predictive_check(exact)["n_rows"].iloc[0] == len(named.y)
    assert [rv.name for rv in build_model(named, bb.load_model("robust")).observed_RVs] == ["score"]


def test_two_equal_rows_have_no_sd(toy_table: pd.DataFrame) -> None:
    human = toy_table["connection"] == "human"
    table = toy_table[~human | (human.cumsum() <= 2)].copy()
    table.loc[table["connection"] == "human", "cosine_distance"] = 0.9
    refused(r"of human rows are 0\.9", fit, table, "crossed", seed=1)


@pytest.mark.parametrize("gaps", [0, 3])
def test_a_table_without_residuals_is_refused_before_sampling(gaps: int) -> None:
    """A constant for each word and connection, and one for each attribute and group."""
    table = table_of("xy").iloc[gaps:]
    rng, levels = np.random.default_rng(2), (["protected_word", "connection"], ["attribute"])
    shift = sum(
        table.groupby(keys, observed=True)["cosine_distance"].transform(lambda _: rng.uniform())
        for keys in levels
    )
    refused("no residual sd", bb.fit, table.assign(cosine_distance=0.2 + 0.3 * shift))
    moved = table.assign(cosine_distance=table["cosine_distance"] + 0.05 * shift)
    refused("no residual sd", bb.fit_change, table, moved)


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e6])
def test_whether_residuals_are_left_does_not_depend_on_the_unit(unit: float) -> None:
    design, spec = make_design(checked(table_of("xyz"))), bb.load_model("crossed")
    rng = np.random.default_rng(3)
    y = rng.normal(size=len(design.words))[design.word]
    noise = rng.normal(0, 1e-3, len(y))
    settled = settled_parts(replace(design, y=unit * y), spec)
    assert [*settled] == [*design.connections]
    assert not settled_parts(replace(design, y=unit * (y + noise)), spec)


@pytest.mark.parametrize("seed", range(20))
def test_residuals_are_missing_where_dummies_fit_and_are_too_few_to_fit_anything(seed: int) -> None:
    """Compare with the rank of dummies of words and attributes, in tables that lack most rows."""
    rng = np.random.default_rng(seed)
    table = table_of("xyz")
    table = table.iloc[np.sort(rng.permutation(len(table))[: rng.integers(20, 60)])]
    table["word"] = table["protected_word"] + " " + table["connection"]
    y = sum(
        table.groupby(key)["word"].transform(lambda _: rng.normal())
        for key in ("word", "attribute")
    )
    table["cosine_distance"] = 1 + 0.1 * y.astype(float)
    noisy = table["connection"] == rng.choice(table["connection"].unique())
    table.loc[noisy, "cosine_distance"] += rng.normal(0, 0.01, noisy.sum())
    expected = {
        name
        for name, part in table.groupby("connection", observed=True)
        if np.linalg.matrix_rank(pd.get_dummies(part[["word", "attribute"]]).astype(float))
        < len(part)
    } - {*table.loc[noisy, "connection"]}
    design = make_design(checked(table.drop(columns="word")))
    assert {*settled_parts(design, bb.load_model("crossed"))} == expected


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.ExactCopies")
@pytest.mark.parametrize("model", ["by-group", "crossed", "maximal"])
def test_controls_with_one_vector_are_refused_before_sampling(model: str) -> None:
    """Every word is as far from one control as from the other one."""
    words = bb.WordList(
        "toy",
        {"f": ["she", "her", "woman"], "m": ["he", "him", "man"]},
        {"f": ["nurse", "maid", "cook"], "m": ["boss", "king", "captain"]},
        {"neutral": ["table", "tables"]},
    )
    rng = np.random.default_rng(1)
    vectors = {word: rng.normal(size=50) for word in words.words}
    vectors["tables"] = vectors["table"]
    table = bb.distance_table(vectors, words)
    refused(r"all 12 distances of neutral rows", fit, table, model, seed=1)
    moved = bb.distance_table({**vectors, "she": rng.normal(size=50)}, words)
    refused("of neutral rows|in all neutral rows", bb.fit_change, table, moved, seed=1)
    both = [part.assign(embedding=name) for part, name in ((table, "a"), (moved, "b"))]
    refused(r"all 12 distances of neutral rows", bb.fit_many, both, seed=1)


def test_a_prior_without_mass_at_zero_makes_residuals_of_none_proper() -> None:
    """With one column of controls for all words, the likelihood of sigma is a power of it."""
    table = table_of("xy", "neutral")
    alone = table["connection"] == "neutral"
    of_word = table[alone].groupby("protected_word")["cosine_distance"].transform("first")
    table.loc[alone, "cosine_distance"] = of_word
    refused("of neutral rows", fit, table, "crossed", seed=1)
    prior = {"family": "lognormal", "log_mean": -3.0, "log_sd": 0.1}
    post = fit(table, "crossed", priors={"sigma": prior}, seed=1, draws=500)
    sigma = post["posterior"]["sigma"].sel(connection="neutral")
    # The power is the number of rows less that of their words; attributes hardly have effects.
    power = alone.sum() - table["protected_word"].nunique()
    expected = -3.0 - power * 0.1**2  # the mean log of a lognormal times a power
    assert float(np.log(sigma).mean()) == pytest.approx(expected, abs=0.01)  # of sd .1


def test_effects_of_attributes_are_residuals_of_models_without_them() -> None:
    table = table_of("xy")
    shift = by_name(table["attribute"], np.random.default_rng(3).normal, 0, 0.1)
    post = fit(table.assign(cosine_distance=1 + shift), "paper", seed=1, draws=500)
    rest = shift - shift.groupby([table["protected_word"], table["connection"]]).transform("mean")
    # The shares of sigma's 72 rows that 4 connections and 6 words take up differ by less than 10%.
    assert float(post["posterior"]["sigma"].mean()) == pytest.approx(float(rest.std()), rel=0.15)
