"""Slopes of covariates: columns, dense algebra, PyMC, and refusals by name."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import by_name, groups_by_sets, model_named, plus, refused, sloped_model
from dense_oracle import conditional, effects, with_random_likeness

import bayesbias as bb
from bayesbias.comparison.joint import posterior_at
from bayesbias.comparison.runs import runs_of
from bayesbias.model.covariates import with_slopes
from bayesbias.model.design import Design
from bayesbias.model.indexing import make_design
from bayesbias.model.likelihood import expected_rows
from bayesbias.model.spec import ModelSpec, load_model
from bayesbias.posterior.slopes import _value_at
from bayesbias.records.found import Without
from bayesbias.sampling.collapsed import moments
from bayesbias.sampling.effects import draw_effects, shared_effects
from bayesbias.sampling.reduction import collapse
from bayesbias.tables.covariates import with_frame

COVARIATES = ("share:protected_group", "log_rank_word", "log_rank_word:log_rank_attribute")


def measured(slope: float = 0.0, seed: int = 1) -> pd.DataFrame:
    """Return distances with covariates of attributes and words; a slope differs by group."""
    rng = np.random.default_rng(seed)
    table = groups_by_sets("xy", 4, 5, controls="neutral")
    for column, values in (("share", rng.uniform), ("attribute_rank", rng.lognormal)):
        table[column] = by_name(table["attribute"], values)
    table["protected_word_rank"] = by_name(table["protected_word"], rng.lognormal, 3, 1)
    table["attribute_rank"] += 1
    side = np.where(table["protected_group"] == "x", 0.5, -0.5)
    noise = rng.normal(0, 0.05, len(table))
    return table.assign(cosine_distance=0.9 + slope * side * (table["share"] - 0.5) + noise)


@pytest.fixture(scope="module")
def modeled() -> tuple[Design, ModelSpec]:
    table = measured()
    design = with_random_likeness(make_design(table), np.random.default_rng(5))
    return with_slopes(design, load_model("by-group"), table, COVARIATES)


def test_slopes_have_the_dense_conditional_with_missing_pairs(modeled) -> None:
    design, spec = modeled
    kept = np.random.default_rng(2).random(len(design.y)) > 0.05
    design = design.take(np.flatnonzero(kept))
    posterior = collapse(design, spec)
    point = np.full((1, posterior.n_parameters), np.log(0.05))
    drawn = draw_effects(posterior, point, None)
    values = {block.name: drawn[block.name][0] for block in posterior.blocks}
    mean, left = conditional(design, posterior.spec, values)
    own = effects(design, posterior.spec)[0]["slope"]
    every = shared_effects(posterior, np.eye(len(posterior.layout.shared_parameter)))
    means, variances = moments(posterior, point, every["slope"])
    # Rounding in sums of hundreds of terms of order 100.
    np.testing.assert_allclose(means[0, :, 0], own @ mean, atol=1e-9)
    np.testing.assert_allclose(variances[0], np.diag(own @ left @ own.T), rtol=1e-8)
    np.testing.assert_allclose(drawn["slope"][0], own @ mean, atol=1e-9)


def test_columns_are_centered_and_products_by_group_are_in_the_table_s_units() -> None:
    table = measured()
    design, _ = with_slopes(make_design(table), load_model("by-group"), table, COVARIATES)
    assert design.covariates == ("share: x", "share: y", *COVARIATES[1:])
    x = table["share"] - table["share"].mean()
    expected = np.where(table["protected_group"] == "x", x, 0)
    np.testing.assert_allclose(design.x[:, 0], expected, atol=1e-12)
    word = np.log(table["protected_word_rank"])
    attribute = np.log(table["attribute_rank"])
    product = (word - word.mean()) * (attribute - attribute.mean())
    np.testing.assert_allclose(design.x[:, 3], product - product.mean(), atol=1e-12)
    np.testing.assert_allclose(
        design.covariate_unit, [x.std(ddof=0)] * 2 + [*design.x[:, 2:].std(0)]
    )
    small = table.assign(share=1e-12 * table["share"])
    other, _ = with_slopes(make_design(small), load_model("by-group"), small, COVARIATES)
    np.testing.assert_allclose(other.x[:, 0], 1e-12 * expected, rtol=1e-6, atol=1e-24)


def test_priors_of_slopes_are_a_tables_spread_in_models_of_any_scale() -> None:
    table = measured()
    for name in ("by-group", "crossed"):  # priors in spreads, and in distances
        design, spec = with_slopes(make_design(table), load_model(name), table, " share : share ")
        (value,) = spec.fitting(design).priors["slope_sd"].parameters.values()
        assert value == pytest.approx(design.spread)
        assert design.covariates == ("share:share",)


def test_a_planted_slope_is_found_in_the_units_of_the_column() -> None:
    table = measured(slope=0.4)
    fits = [
        bb.slopes(
            bb.fit(
                table.assign(share=scale * table["share"]),
                covariates=COVARIATES[:1],
                seed=1,
                draws=250,
            )
        )
        for scale in (1, 100)
    ]
    one, hundred = (frame.set_index("covariate") for frame in fits)
    row = one.loc["share: x − y"]
    assert row["low"] < 0.4 < row["high"]
    assert row["p_direction"] > 0.99
    # Equal up to rounding, which moves draws a little.
    np.testing.assert_allclose(100 * hundred["mean"], one["mean"], atol=0.02 * one["sd"].min())
    few = bb.fit(table, covariates=COVARIATES[:1], seed=2, draws=25, chains=2)
    # Means are exact given the sds; those of 50 draws of slopes err by .14 sds.
    error = (bb.slopes(few).set_index("covariate")["mean"] - one["mean"]) / one["sd"]
    assert error.abs().max() < 0.05


@pytest.mark.seconds
@pytest.mark.usefixtures("uncompiled")
def test_pymc_has_the_same_slopes_and_a_named_mean() -> None:
    """Draw from the prior: the mean adds up, and a slope has one spread per sd of its covariate."""
    import pymc as pm

    table = measured()
    model = bb.build_model(table, "crossed", covariates="share")
    names = ["mu", "connection_mean", "word_mean", "attribute_effect", "slope"]
    mu, *values = pm.draw([model[name] for name in names], draws=2000, random_seed=1)
    drawn = dict(zip(names[1:], values, strict=True))
    design, spec = with_slopes(make_design(table), load_model("crossed"), table, "share")
    flat = drawn | {"slope": 0 * drawn["slope"]}
    expected = expected_rows(spec, design.codes, flat.__getitem__, design.x)
    expected += drawn["slope"] @ design.x.T
    np.testing.assert_allclose(mu, expected, atol=1e-12)
    assert "mu" not in {each.name for each in model.deterministics}  # so that draws stay small
    sd = design.spread / table["share"].std(ddof=0)
    assert drawn["slope"].std() == pytest.approx(sd, rel=0.06)  # four standard errors


REFUSED = (
    ({"covariates": "shar"}, "unknown covariate 'shar'; did you mean 'share'"),
    ({"covariates": "protected_group"}, "needs a column of numbers"),
    ({"covariates": "name"}, "must be a column of numbers; got 'n0'"),
    ({"covariates": "same"}, "'same' is the same in all rows"),
    ({"covariates": "gaps"}, "no value for x-0, x-1; add the values"),
    ({"covariates": "of_group"}, "'of_group' is determined by groups and sets"),
    ({"covariates": ["share", "share"]}, "or by share"),
    ({"covariates": "share:protected_group", "model": "crossed"}, "by group, such as"),
    ({"covariates": "share : protected_group", "model": "crossed"}, "by group, such as"),
    ({"covariates": "share", "model": "paper"}, "effects of attributes; 'paper' has none"),
)


@pytest.mark.parametrize(("arguments", "fragment"), REFUSED)
def test_covariates_that_cannot_be_used_are_refused_by_name(arguments, fragment) -> None:
    table = measured()
    first = table["attribute"].isin(table["attribute"].unique()[:2])
    table = table.assign(
        name=[f"n{i}" for i in range(len(table))],
        same=0.1,
        gaps=table["share"].mask(first),
        of_group=table["protected_group"].map({"x": 1.0, "y": 2.0}),
    )
    refused(fragment, bb.fit, table, seed=1, **arguments)


@pytest.mark.parametrize("level", ["protected_group", "attribute_set", "connection"])
def test_what_is_one_value_of_a_word_needs_no_effects_of_attributes(level: str) -> None:
    """A slope has zeros in other groups and sets, which are no values of the word."""
    table = measured()
    words = table["protected_word"].unique()
    values = dict(zip(words, [1.0, -1.0] * (len(words) // 2), strict=True))
    table = table.assign(size=table["protected_word"].map(values))
    for model in ("paper", "crossed"):
        design, _ = with_slopes(make_design(table), load_model(model), table, f"size:{level}")
        assert set(np.unique(design.x)) == {-1.0, 0.0, 1.0}
    name = f"share:{level}"
    refused(
        "effects of attributes", with_slopes, make_design(table), load_model("paper"), table, name
    )


def test_ranks_are_needed_for_log_ranks_and_covariates_for_slopes(tmp_path: Path) -> None:
    table = measured().drop(columns="attribute_rank")
    refused("no column attribute_rank", bb.fit, table, covariates="log_rank_attribute")
    refused("has no covariates", bb.slopes, bb.fit(table, "crossed", seed=1, draws=100))
    path = sloped_model(tmp_path)
    refused("slopes of covariates", bb.fit, table, path)
    post = bb.fit(table, path, covariates="share", seed=1, draws=100)
    assert "slope_sd" in post["posterior"]


@pytest.mark.seconds
@pytest.mark.usefixtures("one_landmark")
def test_an_analysis_takes_covariates_by_rank_and_from_a_file(tmp_path: Path) -> None:
    words, path = bb.load_wordlist("weat6").words, tmp_path / "letters.csv"
    pd.Series({word: float(len(word)) for word in words}, name="letters").to_csv(path)
    asked = {"covariates": ("log_rank_attribute", "letters"), "covariate_values": str(path)}
    few = {"case": "fallback", "matched": 0, "draws": 100, "seed": 1}
    values = {"covariate_values": {"he": 1.0}}
    refused("covariate_values", bb.analyze, "glove-demo", "weat6", covariates="n", **values, **few)
    short = tmp_path / "short.csv"
    short.write_text("".join(path.read_text().splitlines(keepends=True)[:-3]))
    lacking = {"covariates": "letters", "covariate_values": str(short)}
    refused(
        f"{short}: covariate_values of .letters.: no number",
        bb.analyze,
        "glove-demo",
        "weat6",
        **lacking,
        **few,
    )
    analysis = bb.analyze("glove-demo", "weat6", **asked, **few)
    frame = analysis.frames["slopes"]
    assert isinstance(frame, pd.DataFrame)
    assert frame["covariate"].tolist() == ["log_rank_attribute", "letters"]
    assert frame.loc[0, "low"] > 0  # rare words are far from frequent ones
    assert analysis.found.without is Without.COVARIATES
    text, low = analysis.write_up().markdown, frame.loc[0, "low"]
    assert f"({low:.2g} to {frame.loc[0, 'high']:.2g})" in text


def test_values_that_lack_an_attribute_do_not_become_those_of_protected_words() -> None:
    table = measured()
    units = {of: table[of].unique() for of in ("attribute", "protected_word")}
    words = [word for of in units.values() for word in of]
    values = pd.DataFrame({"age": np.arange(len(words), dtype=float)}, index=words)

    def unit(given: pd.DataFrame) -> list[str]:
        ages = with_frame(table, given)["age"].groupby
        return [of for of in units if ages(table[of]).nunique().max() == 1]

    lost = units["attribute"][0]
    refused(lost, unit, values.drop(lost))
    refused("1 protected word", unit, values.loc[units["protected_word"][1:]])
    assert unit(values) == ["attribute"]
    assert unit(values.loc[units["protected_word"]]) == ["protected_word"]
    assert unit(values.drop(lost).rename_axis("protected_word")) == ["protected_word"]
    some = table["attribute"] == lost
    table["connection"] = table["connection"].astype(str).mask(some, "matched")
    table["attribute_set"] = table["attribute_set"].astype(str).mask(some, "matched")
    refused("matched=0", unit, values.drop(lost))
    names = dict(zip(units["attribute"], units["protected_word"], strict=False))
    table = table[table["attribute"].isin(names)].replace({"attribute": names})
    refused("'attribute' or 'protected_word'", unit, values.loc[units["protected_word"][1:]])


@pytest.mark.seconds
def test_the_slope_of_a_change_is_that_of_the_distances_after_it() -> None:
    """The change is a planted slope on the share, plus noise."""
    before, rng = measured(), np.random.default_rng(3)
    moved = 0.2 * (before["share"] - before["share"].mean()) + rng.normal(0, 0.02, len(before))
    post = bb.fit_change(before, plus(before, moved), covariates="share", seed=1, draws=250)
    row = bb.slopes(post).iloc[0]
    assert row["low"] < 0.2 < row["high"]
    assert row["sd"] < 0.03
    refused("has no covariates", bb.slopes, posterior_at(post, "before"))
    refused("posterior_at keeps", bb.contrasts, posterior_at(post, "before"), of="attribute")
    refused("posterior_at keeps", bb.plan, posterior_at(post, "before"))


def test_slopes_of_a_model_can_differ_by_connection() -> None:
    table = measured()
    own = table["connection"] == "associated"
    table["cosine_distance"] += 0.3 * own * (table["share"] - table["share"].mean())
    post = bb.fit(table, model_named("crossed with slopes"), covariates="share", seed=1)
    slope = bb.slopes(post).set_index("connection")["mean"]
    assert slope["associated"] > 0.2 > slope.drop("associated").abs().max()
    mean = float(table["share"].mean())
    frame = bb.predictions(post, table, {"share": [mean, mean + 0.1]})
    wide = frame.pivot_table("mean", ["protected_group", "connection"], "share")
    for (_, connection), moved in (wide[mean + 0.1] - wide[mean]).items():
        # The exact slope and that of the draws differ by their Monte Carlo error.
        assert moved == pytest.approx(0.1 * slope[connection], abs=5e-4)


@pytest.mark.seconds
def test_differences_between_slopes_of_groups_by_connection() -> None:
    options = {"covariates": "share:protected_group", "draws": 50, "chains": 1, "seed": 1}
    post = bb.fit(measured(), model_named("by-group with slopes"), **options)
    mean = bb.slopes(post).pivot(index="covariate", columns="connection", values="mean")
    (first, x), (second, y) = mean.drop("share: x − y").iterrows()
    assert (first, second) == ("share: x", "share: y")
    np.testing.assert_allclose(mean.loc["share: x − y"], x - y, atol=1e-12)


def test_names_of_groups_are_only_names() -> None:
    named = {"x": "US: north", "y": "US: south − west"}
    options = {"covariates": "share:protected_group", "draws": 100, "chains": 1, "seed": 1}
    table = measured()
    renamed = table.assign(protected_group=table["protected_group"].map(named))
    rows, again = (bb.slopes(bb.fit(of, **options)) for of in (table, renamed))
    assert again["covariate"].tolist() == [
        "share: US: north − US: south − west",
        "share: US: north",
        "share: US: south − west",
    ]
    values = rows.columns.drop("covariate")
    pd.testing.assert_frame_equal(again[values], rows[values])


@pytest.mark.seconds
def test_predictions_move_along_the_slope_of_the_group() -> None:
    """The mean distance at a value is the mean at the average plus the slope of the group."""
    table = measured(slope=0.4)
    names = ["share:protected_group", "log_rank_word:log_rank_attribute"]
    post = bb.fit(table, covariates=names, seed=1)
    slope = bb.slopes(post).set_index("covariate")["mean"]
    mean = float(table["share"].mean())
    for other in (table[1:], table.assign(share=table["share"] + table["share"] ** 2)):
        refused("other covariates", bb.predictions, post, other, {"share": [0.0]})
    for values in ([], 1.0, ["1"], [np.nan]):
        refused("list of finite numbers", bb.predictions, post, table, {"share": values})
    frame = bb.predictions(post, table, {"share": [mean, mean + 0.1]})
    wide = frame.pivot_table("mean", ["protected_group", "connection"], "share")
    moved = wide[mean + 0.1] - wide[mean]
    for (group, _), value in moved.items():
        # The exact slope and that of the draws differ by their Monte Carlo error.
        assert value == pytest.approx(0.1 * slope[f"share: {group}"], abs=5e-4)
    ranks = np.log(table[["protected_word_rank", "attribute_rank"]])
    corner = dict(zip(("log_rank_word", "log_rank_attribute"), ranks.mean() + 1, strict=True))
    at = bb.predictions(post, table, {name: [value] for name, value in corner.items()})
    base = bb.predictions(post, table, {"share": [mean]})
    level = bb.summary(post).query("level == 'group'")["mean"]
    np.testing.assert_allclose(base["mean"], level, atol=1e-6)  # ranks of pairs do not correlate
    gain = slope["log_rank_word:log_rank_attribute"]  # (1 · 1) times the slope
    np.testing.assert_allclose(at["mean"] - base["mean"], gain, atol=1e-3)
    skewed = table.assign(other=table["share"] + np.random.default_rng(1).random(len(table)))
    names = ["share", "other"]  # a centered product of two that correlate
    at_rows = [_value_at(skewed, names, row) for row in skewed[names].to_dict("records")]
    assert np.ptp(at_rows) > 0.1
    assert np.mean(at_rows) == pytest.approx(0, abs=1e-12)
    refused("did you mean 'share'", bb.predictions, post, table, {"shares": [1.0]})


def test_predictions_weigh_sets_as_means_do_whatever_their_sizes() -> None:
    """A word of x is as near to y's one attribute as to z's six."""
    table, rng = groups_by_sets("xyz", 3, 6), np.random.default_rng(1)
    table = table[~table["attribute"].isin([f"y-{place}" for place in range(1, 6)])]
    table = table.assign(size=rng.normal(size=len(table)))
    moved = table["size"] * table["attribute_set"].map({"x": 0.0, "y": 0.1, "z": -0.3})
    table["cosine_distance"] = 0.9 + moved + rng.normal(0, 0.01, len(table))
    post = bb.fit(table, covariates="size:attribute_set", seed=1, draws=250)
    slope = bb.slopes(post).set_index("covariate")["mean"]
    frame = bb.predictions(post, table, {"size": [0, 1]})
    wide = frame.pivot_table("mean", ["protected_group", "connection"], "size")
    rise = (wide[1] - wide[0])["x", "different"]
    # The exact slope and that of the draws differ by their Monte Carlo error.
    assert rise == pytest.approx((slope["size: y"] + slope["size: z"]) / 2, abs=5e-4)


def with_controls(seed: int = 1) -> pd.DataFrame:
    """Return distances of three groups whose sets differ in rank, with ranked controls."""
    rng = np.random.default_rng(seed)
    controls = groups_by_sets("xyz", 4, 10, controls="matched").query("connection == 'matched'")
    table = pd.concat([groups_by_sets("xyz", 4, 6, controls="human"), controls], ignore_index=True)
    rank = by_name(table["attribute"], rng.normal, 0, 0.7)
    rank += table["attribute_set"].map({"x": 7, "y": 8, "z": 9}).fillna(8)
    table["attribute_rank"] = np.exp(rank).round() + 1
    table["share"] = 0.3 * rank + by_name(table["attribute"], rng.uniform)
    return table.assign(cosine_distance=0.9 + rng.normal(0, 0.02, len(table)))


MOVED = ("log_rank_attribute", "share", "share:protected_group")


@pytest.mark.parametrize("names", [[name] for name in MOVED])
def test_what_covariates_add_moves_distances_at_equal_frequency_along_them(names) -> None:
    """Distances at equal frequency are linear in the measured ones, so y' + b x' is the model."""
    table = with_controls()
    design, _ = with_slopes(make_design(table), load_model("by-group"), table, names)
    raw = np.log(table["attribute_rank"]) if names[0] == "log_rank_attribute" else table["share"]
    slopes = np.array([0.4, -0.2, 0.1])[: design.x.shape[1]]
    own = np.resize(slopes, 3)[pd.factorize(table["protected_group"])[0]]
    added = table.assign(cosine_distance=table["cosine_distance"] + own * (raw - raw.mean()))
    moved = make_design(added).y - make_design(table).y
    np.testing.assert_allclose(moved, design.x @ slopes, atol=1e-12)


@pytest.mark.parametrize("name", ["share", "share:connection", "share:size:connection"])
def test_covariates_of_all_embeddings_are_zero_at_the_means_of_shared_words(name: str) -> None:
    """Only the first embedding has ranks, and human words with high values."""
    table, rng = with_controls(), np.random.default_rng(2)
    lost = table["attribute"].isin(["human-0", "human-1"])
    table["share"] += 5 * (lost | (table["connection"] == "matched"))
    table["size"] = by_name(table["protected_word"], rng.normal)
    other = plus(table, rng.normal(0, 0.02, len(table))).drop(columns="attribute_rank")[~lost]
    other["share"] += 7.0
    designs = runs_of("", {("a", ""): table, ("b", ""): other}, covariates=name).designs
    listed = (other["connection"] != "matched").to_numpy()
    factors = other[[*name.removesuffix(":connection").split(":")]]
    product = (factors - factors[listed].mean()).prod(axis=1)
    expected = product[listed] - product[listed].mean()
    for design in designs if ":" in name else designs[1:]:  # the share of a is at equal frequency
        own = [not label.endswith("matched") for label in design.covariates]
        found = design.x[np.ix_(listed, own)].sum(axis=1)
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.seconds
def test_frequency_is_removed_once_from_every_contrast() -> None:
    """What all words' distances change with log rank moves no contrast, also with controls."""
    table, rng = with_controls(), np.random.default_rng(2)
    steep = 0.05 * np.log(table["attribute_rank"])
    other = table.assign(cosine_distance=0.9 + rng.normal(0, 0.02, len(table)))
    how = {"covariates": "log_rank_attribute", "seed": 1, "draws": 100}

    def found(*tables: pd.DataFrame) -> list[np.ndarray]:
        one, two = tables
        names = dict(zip("ab", tables, strict=True))
        runs = [each.assign(embedding=name) for name, each in names.items()]
        runs[1] = runs[1].replace({"attribute": {f"matched-{i}": f"own-{i}" for i in range(10)}})
        ranked = bb.rank_embeddings(bb.fit_many(runs, second="human", **how), level="group")
        return [
            bb.contrasts(bb.fit(one, **how))["mean"].to_numpy(),
            bb.contrasts(bb.fit_change(one, two, **how))["mean"].to_numpy(),
            ranked.sort_values(["protected_group", "embedding"])["raw_mean"].to_numpy(),
        ]

    plain = found(table, other)
    added = (
        each.assign(cosine_distance=each["cosine_distance"] + steep) for each in (table, other)
    )
    # The slope's prior, whose sd is wider if distances spread more, and other draws of the sds.
    for one, two in zip(plain, found(*added), strict=True):
        np.testing.assert_allclose(one, two, atol=0.001)


@pytest.mark.seconds
def test_a_value_at_the_mean_is_a_value() -> None:
    """Scales with a middle, as of three levels, have slopes, predictions, and clusters, too."""
    table = groups_by_sets("xy", 4, 6, controls="neutral")
    rng = np.random.default_rng(1)
    level = by_name(table["attribute"], lambda size: np.resize([-1.0, 0, 1], size))
    table = table.assign(
        level=level, cosine_distance=0.9 + 0.1 * level + rng.normal(0, 0.03, len(table))
    )
    for names in ("level", "level:protected_group", "level:attribute_set"):
        post = bb.fit(table, covariates=names, seed=1, draws=250)
        frame = bb.predictions(post, table, {"level": [-1, 1]})
        wide = frame.pivot_table("mean", ["protected_group", "connection"], "level")
        # The prior shrinks little, and the sd of noise in six attributes is .01.
        np.testing.assert_allclose((wide[1] - wide[-1]) / 2, 0.1, atol=0.02)
    binary = table.assign(level=table["level"].abs() - (table["level"] == -1))  # 0 and 1, by rows
    for model, each in (
        ("paper", table),
        ("paper", binary),
        ("paper", table.assign(level=level / 1e12)),
    ):
        refused("effects of attributes", bb.fit, each, model, covariates="level")


@pytest.mark.parametrize("scale", [1e160, 1e-160])
def test_values_without_squares_are_refused(scale: float) -> None:
    table = measured()
    refused(
        "differ from their mean",
        bb.fit,
        table.assign(share=scale * table["share"]),
        covariates="share",
    )


@pytest.mark.seconds
def test_one_group_of_two_sets_is_compared_across_embeddings() -> None:
    table, rng = measured().query("protected_group == 'x'"), np.random.default_rng(1)
    noise = (rng.normal(0, 0.02, len(table)) for _ in "ab")
    tables = [
        table.assign(embedding=name, cosine_distance=table["cosine_distance"] + each)
        for name, each in zip("ab", noise, strict=True)
    ]
    many = bb.rank_embeddings(bb.fit_many(tables, seed=1, draws=250)).set_index("embedding")
    for each, name in zip(tables, "ab", strict=True):
        rows = bb.contrasts(bb.fit(each.drop(columns="embedding"), seed=1, draws=250))
        own = rows.query("level == 'overall' and first == 'associated' and second == 'different'")
        # Both are draws of the sds, of which the mean depends little.
        assert many.loc[name, "raw_mean"] == pytest.approx(own["mean"].item(), abs=0.003)
