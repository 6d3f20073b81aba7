"""Equal frequency against brute force, and changes of a table that may change no default row."""

from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from builders import by_name, groups_by_sets, only_row, plus, unit
from numpy.random import default_rng
from xarray import DataTree

import bayesbias as bb
from bayesbias.comparison.many import _of_unknowns
from bayesbias.comparison.runs import _slope_variances, runs_of
from bayesbias.model import frequency
from bayesbias.model.design import Design, with_cosines
from bayesbias.model.indexing import make_design
from bayesbias.model.likeness import likeness
from bayesbias.model.spec import load_model
from bayesbias.posterior.contrasts import contrast_quantiles
from bayesbias.posterior.estimands import (
    double_weights,
    relative_weights,
    slope_errors,
    slope_gaps,
    with_slope_errors,
)
from bayesbias.posterior.mixtures import contrast_weights, mixtures
from bayesbias.posterior.splits import split_by_baseline
from bayesbias.sampling.collapsed import moments
from bayesbias.sampling.exact import sample_exact
from bayesbias.sampling.reduction import collapse
from bayesbias.tables.cosines import table_cosines
from bayesbias.tables.descriptives import default_rows
from bayesbias.tables.schema import RANKS

N_MATCHED = 12
"""Number of matched controls in tables."""


def ranked_table(groups: str = "xyz", seed: int = 1, slope: float = 0.05) -> pd.DataFrame:
    """Return 3 words per group, 4 stereotypes per set, and matched controls, all with ranks.

    Distances grow with the log rank, for every word by another slope.
    """
    rng = default_rng(seed)
    table = groups_by_sets(groups, 3, 4)
    controls = table.drop_duplicates("protected_word").merge(
        pd.DataFrame({"control": [f"k{i}" for i in range(N_MATCHED)]}), how="cross"
    )
    controls = controls.assign(attribute=controls.pop("control"), attribute_set="matched")
    table = pd.concat([table, controls.assign(connection="matched")], ignore_index=True)
    for name, column in zip(RANKS, ("protected_word", "attribute"), strict=True):
        table[name] = by_name(table[column], rng.integers, 100, 40_000).astype(float)
    steep = slope * by_name(table["protected_word"], rng.uniform, 0.5, 1.5)
    moved = steep * (np.log(table["attribute_rank"]) - 8)
    noise = 0.05 * rng.standard_normal(len(table))
    return table.assign(cosine_distance=(0.9 + moved + noise).clip(0, 2))


def by_hand(table: pd.DataFrame) -> tuple[pd.Series, np.ndarray, pd.Series]:
    """Return y', the (n_groups, n_controls) residuals times x, and mean positions of sets."""
    log_rank = np.log(table["attribute_rank"])
    matched = table[table["connection"] == "matched"]
    ranks = np.log(matched.drop_duplicates("attribute").set_index("attribute")["attribute_rank"])
    wide = matched.pivot_table("cosine_distance", "protected_word", "attribute")[ranks.index]
    lines = {w: np.polyfit(ranks, row, 1) for w, row in wide.iterrows()}
    is_own = table["connection"] != "matched"
    limited = log_rank.clip(ranks.min(), ranks.max())
    mean = limited[is_own].groupby(table["attribute"]).first().mean()
    slope = table["protected_word"].map({w: line[0] for w, line in lines.items()})
    moved = table["cosine_distance"] - (slope * (limited - mean)).where(is_own, 0.0)
    x = ranks - ranks.mean()
    residuals = wide - np.array([np.polyval(lines[w], ranks) for w in wide.index])
    group = table.drop_duplicates("protected_word").set_index("protected_word")["protected_group"]
    of_groups = residuals.groupby(group).mean() * (x / (x**2).sum())
    return (
        moved,
        of_groups.to_numpy(),
        (limited - mean)[is_own].groupby(table["attribute_set"]).mean(),
    )


@pytest.mark.parametrize("groups", ["xy", "xyz"])
def test_distances_and_the_error_of_slopes_are_those_of_plain_regressions(groups: str) -> None:
    table = ranked_table(groups)
    design, (moved, parts, positions) = make_design(table), by_hand(table)
    np.testing.assert_allclose(design.y, moved, atol=1e-12)
    expected = parts @ parts.T * N_MATCHED / (N_MATCHED - 2)
    np.testing.assert_allclose(
        frequency.slope_scores(design) @ frequency.slope_scores(design).T, expected, atol=1e-12
    )
    # A covariance of 40,000 draws varies by at most √(2/n) of the largest; allow five times that.
    drawn, error = np.cov(slope_errors(design, 40_000).T), 5 * expected.max() * (2 / 40_000) ** 0.5
    np.testing.assert_allclose(drawn, expected, atol=error)
    own = frequency.cell_positions(design)[:, : len(groups)]
    np.testing.assert_allclose(own, np.tile(positions[list(groups)], (len(groups), 1)), atol=1e-12)
    # A contrast's variance is that of the model plus v' C v.
    post = bb.fit(table, draws=50, chains=1, seed=1)
    weights = np.concatenate([double_weights(design)[None], relative_weights(design)])
    _, sds = mixtures(post)
    without = replace(design, attribute_rank=np.full(len(design.attributes), np.nan))
    post_without = post.copy()
    del post_without["constant_data"]["attribute_rank"]
    _, plain = mixtures(post_without)
    v = weights[:, :, : len(groups)] @ positions[list(groups)].to_numpy()
    added = np.einsum("lg,gh,lh->l", v, expected, v)
    n_pairs = len(design.connections) * (len(design.connections) - 1) // 2
    places = np.flatnonzero(~np.isnan(added)) * n_pairs if len(groups) > 2 else [0]
    np.testing.assert_allclose(
        (sds**2 - plain**2)[:, places], np.tile(added[~np.isnan(added)], (50, 1)), atol=1e-12
    )
    assert frequency.frequency_of(without) is frequency.Frequency.NO_RANKS
    ranks = design.attribute_rank.copy()
    ranks[design.attribute[design.set >= 0]] = np.nan  # ranks of controls alone do not suffice
    of_controls = frequency.frequency_of(replace(design, attribute_rank=ranks))
    assert of_controls is frequency.Frequency.NO_RANKS


def test_a_word_left_out_has_no_part_in_slopes_or_mean_ranks() -> None:
    """Leave out a stereotype, a matched control, or a protected word."""
    table = ranked_table()
    design = make_design(table)
    for column, name in (("attribute", "x-0"), ("attribute", "k0"), ("protected_word", "x0")):
        is_left = (table[column] != name).to_numpy()
        part = frequency.refitted(design, np.flatnonzero(is_left))
        np.testing.assert_allclose(part.y, by_hand(table[is_left])[0], atol=1e-12)


def test_stereotypes_without_a_rank_are_named() -> None:
    table = ranked_table()
    table.loc[table["attribute"].isin(["x-0", "k0"]), "attribute_rank"] = np.nan
    rows = (table["attribute"] == "x-0").to_numpy()
    raw = table["cosine_distance"].to_numpy()
    np.testing.assert_allclose(make_design(table).y[rows], raw[rows], atol=1e-12)
    with pytest.warns(bb.warnings.NoRanks, match="1 of 12 stereotypes have no .* average .x-0."):
        bb.fit(table, draws=50, chains=1, seed=1)


@pytest.mark.seconds
def test_what_embeddings_lack_is_told_once_with_their_names() -> None:
    """Embeddings differ in ranks, and none has cosines."""
    full = ranked_table()
    table, other, plain = (
        full.assign(attribute_rank=full["attribute_rank"].mask(full["attribute"].isin(words)))
        for words in (["x-0"], ["x-0", "y-0"], full["attribute"])
    )
    spec, rng = load_model("by-group"), default_rng(1)

    def told(*lists: dict[str, pd.DataFrame]) -> list[bb.warnings.BayesbiasWarning]:
        runs = []
        for place, tables in enumerate(lists):
            noise = rng.normal(0, 0.02, (len(tables), len(full)))
            moved = map(plus, tables.values(), noise)
            named = {(name, ""): each for name, each in zip(tables, moved, strict=True)}
            runs.append(runs_of(f"list {place}", named))
        return [*_of_unknowns(runs, spec)]

    lost, alike = bb.warnings.NoRanks, bb.warnings.NoLikeness("by-group")
    mixed = bb.warnings.SomeAtEqualFrequency(("a",), ("b",))
    assert told({"a": full, "b": full}) == [alike]
    assert told({"a": plain, "b": plain}) == [alike]
    assert told({"a": table, "b": table}) == [alike, lost(1, 12, ("x-0",))]
    assert told({"a": full, "b": table, "c": other}) == [
        alike,
        lost(2, 12, ("x-0", "y-0"), about="b, c"),
    ]
    of_first = {"a": full, "b": plain}
    assert told(of_first, of_first) == [alike, mixed]
    assert told(of_first, {"a": full, "b": full}) == [alike, mixed.concerning("list 0")]
    both = [full.assign(embedding="a"), plus(plain, 0.1 * full["cosine_distance"])]
    with pytest.warns(bb.warnings.SomeAtEqualFrequency) as given:
        bb.fit_many([both[0], both[1].assign(embedding="b")], draws=50, seed=1)
    assert mixed in [one.message for one in given]


def test_runs_of_many_embeddings_have_the_error_of_slopes_of_their_groups() -> None:
    """Groups may come in another order than in a run's table."""
    design = make_design(ranked_table("xyz"))
    weights = np.concatenate([double_weights(design)[None], relative_weights(design)])
    moved = weights[:, :, :3] @ frequency.cell_positions(design)[0, :3]
    scores = frequency.slope_scores(design)
    variances = np.einsum("lg,gh,lh->l", moved, scores @ scores.T, moved)
    pair = "associated", "different"
    found = _slope_variances(design, load_model("by-group"), ["z", "x", "y"], pair)
    np.testing.assert_allclose(found, variances[[0, 3, 1, 2]])


def test_errors_of_slopes_move_the_means_of_connections_and_groups() -> None:
    """A cell moves by minus its mean log rank per unit of a slope; means are over cells."""
    design = make_design(ranked_table("xyz"))
    moved = -frequency.slope_scores(design)[:, None] * frequency.cell_positions(design)[:, :, None]
    of, found = design.column_connection, slope_gaps(design, load_model("by-group"))
    n, place = len(design.connections), -1
    for first, second in combinations(range(n), 2):
        place += 1
        if place == 0:  # own minus other stereotypes, as above
            continue
        whole = moved[of == first].mean(axis=0) - moved[of == second].mean(axis=0)
        np.testing.assert_allclose(found[:, 0, place], whole, atol=1e-12)
        for g, cells in enumerate(of):
            own = moved[g, cells == first].mean(axis=0) - moved[g, cells == second].mean(axis=0)
            np.testing.assert_allclose(found[:, 1 + g, place], own, atol=1e-12)
    zero = {"word_mean": np.zeros((len(moved[0, 0]), len(design.words), n))}
    errors = frequency.slope_scores(design).T
    values = with_slope_errors(design, load_model("by-group"), zero.__getitem__, errors)
    for w, g in enumerate(design.word_group):
        own = [moved[g, of[g] == c].mean(axis=0) for c in range(n)]
        np.testing.assert_allclose(values("word_mean")[:, w].T, own, atol=1e-12)


@pytest.mark.seconds
def test_without_ranks_or_controls_nothing_moves_and_frames_say_why() -> None:
    table = ranked_table()
    for part, status in (
        (table.drop(columns="attribute_rank"), "no ranks"),
        (table[table["connection"] != "matched"], "no matched controls"),
        (table[~table["attribute"].isin([f"k{i}" for i in range(2, 12)])], "no matched controls"),
    ):
        np.testing.assert_array_equal(make_design(part).y, part["cosine_distance"])
        post = bb.fit(part, draws=50, chains=1, seed=1)
        for frame in (
            bb.contrasts(post),
            bb.hypothesis(post, "x < y"),
            bb.contrasts(post, named="x0"),
        ):
            assert set(frame["frequency"]) == {status}
    assert set(bb.contrasts(fitted())["frequency"]) == {"equal"}


@cache
def fitted(seed: int = 1) -> DataTree:
    return bb.fit(ranked_table(seed=seed), draws=250, chains=2, seed=1)


def means(table: pd.DataFrame) -> pd.Series:
    """Return the means of the default rows and of words, given fixed sds."""
    design = make_design(table)
    post = bb.fit(table, draws=200, chains=1, seed=1)
    frame = bb.contrasts(post)
    frame = frame[(frame["first"] == "associated") & (frame["second"] == "different")]
    assert make_design(table) == design
    return frame.set_index(["level", "protected_group", "protected_word"])["mean"]


def test_what_is_not_bias_moves_no_default_row() -> None:
    """A frequency slope of every word, and levels of all distances, a group, a set, and controls.

    Ranks of stereotypes are inside the range of controls, so slopes cancel exactly.
    """
    table, rng = ranked_table(slope=0.0), default_rng(3)
    matched = table["connection"] == "matched"
    ends = np.quantile(table.loc[matched, "attribute_rank"], [0.1, 0.9])
    table["attribute_rank"] = table["attribute_rank"].where(
        matched, table["attribute_rank"].clip(*ends)
    )
    slope = 0.02 * by_name(table["protected_word"], rng.normal)
    moved = 0.05 + slope * np.log(table["attribute_rank"] / 3e3)
    moved += 0.05 * (table["protected_group"] == "y") + 0.03 * (table["attribute_set"] == "y")
    moved += 0.1 * (matched & (table["protected_group"] == "x"))
    before, after = means(table), means(plus(table, moved))
    np.testing.assert_allclose(after["overall"], before["overall"], atol=4e-3)
    np.testing.assert_allclose(after["group"], before["group"], atol=4e-3)
    np.testing.assert_allclose(after["word"], before["word"], atol=6e-3)


@pytest.mark.seconds
def test_contrasts_before_a_change_are_at_equal_frequency() -> None:
    """A slope of one group, before and after, moves all its distances y' alike."""
    table, rng = ranked_table(), default_rng(2)
    after = plus(table, 0.05 * rng.standard_normal(len(table)))
    matched = table.loc[table["connection"] == "matched", "attribute_rank"]
    log_rank = np.log(table["attribute_rank"].clip(matched.min(), matched.max()))
    steeper = 0.1 * (log_rank - log_rank.mean()).where(table["protected_group"] == "x", 0.0)
    flat, steep = (
        only_row(
            bb.comparison.order_changes(
                bb.fit_change(plus(table, more), plus(after, more), draws=200, seed=1)
            ),
            level="group",
            protected_group="x",
        )["before"]
        for more in (0.0, steeper)
    )
    assert steep == pytest.approx(flat, abs=0.005)


def test_baselines_of_two_groups_are_at_equal_frequency() -> None:
    """A slope of one group moves its distances y' to stereotypes and controls alike."""
    table = ranked_table("xy")
    log_rank = np.log(table["attribute_rank"])
    steeper = 0.1 * (log_rank - log_rank.mean()).where(table["protected_group"] == "x", 0.0)
    flat, steep = (
        split_by_baseline(bb.fit(plus(table, more), draws=200, seed=1))["mean"]
        for more in (0.0, steeper)
    )
    np.testing.assert_allclose(steep, flat, atol=0.005)


def test_exchanged_stereotypes_of_two_groups_change_the_sign() -> None:
    table = ranked_table("xy")
    turned = table.replace({"attribute_set": {"x": "y", "y": "x"}})
    is_own = turned["attribute_set"] == turned["protected_group"]
    named = np.where(is_own, "associated", "different")
    turned["connection"] = np.where(turned["connection"] == "matched", "matched", named)
    one, other = means(table)["overall"].item(), means(turned)["overall"].item()
    assert one == pytest.approx(-other, abs=2e-3)  # residual sds of connections are exchanged


def test_quantiles_and_all_functions_are_of_one_distribution() -> None:
    post = fitted()
    frame = bb.contrasts(post)
    rows, dots = default_rows(frame), contrast_quantiles(post, 400)
    assert rows["estimand"].tolist() == ["double difference", *["relative"] * 3]
    assert len(contrast_quantiles(post)) == 100 * len(rows)
    assert set(zip(dots["level"], dots["protected_group"], strict=True)) == set(
        zip(rows["level"], rows["protected_group"], strict=True)
    )
    for row in rows.to_dict("records"):
        own = dots[
            (dots["level"] == row["level"]) & (dots["protected_group"] == row["protected_group"])
        ]
        below = (own["value"] < 0).mean()
        assert max(below, 1 - below) == pytest.approx(row["p_direction"], abs=1 / 400)
        assert own["value"].mean() == pytest.approx(row["mean"], abs=0.02 * row["sd"])  # tails


@pytest.mark.parametrize(("groups", "seed"), [("xyz", 1), ("wxyz", 2)])
def test_one_question_has_one_answer(groups: str, seed: int) -> None:
    """Contrasts, statements, and differences of groups come from the same distribution."""
    post = bb.fit(ranked_table(groups, seed), draws=100, chains=1, seed=seed)
    frame = bb.contrasts(post)
    texts = ["all < 0", *(f"{g}: bias < 0" for g in groups), "x: associated < different"]
    asked = bb.hypothesis(post, *texts, "x < y - 0.05")
    rows = default_rows(frame)
    for answer, row in zip(asked.to_dict("records"), rows.to_dict("records"), strict=False):
        below = row["p_direction"] if row["mean"] < 0 else 1 - row["p_direction"]
        if abs(row["p_direction"] - 0.5) > 0.02:  # the sign of the mean is that of the median
            assert answer["probability"] == pytest.approx(below, abs=1e-9)
        for name in ("mean", "sd", "low", "high", "estimand", "frequency"):
            assert answer[name] == (
                row[name] if isinstance(row[name], str) else pytest.approx(row[name])
            )
    assert asked["mean"].iloc[-2] == pytest.approx(asked["mean"][1 + groups.index("x")])
    pairs = bb.contrasts(post, between="groups")
    pair = only_row(
        pairs, first="associated", second="different", protected_group="x", other_group="y"
    )
    assert asked["mean"].iloc[-1] == pytest.approx(pair["mean"] + 0.05)
    assert asked["sd"].iloc[-1] == pytest.approx(pair["sd"])
    word = only_row(frame, first="associated", second="different", protected_word="x1")
    of_word = bb.hypothesis(post, "x1 < 0").iloc[0]
    assert (of_word["mean"], of_word["estimand"]) == (pytest.approx(word["mean"]), word["estimand"])
    named = bb.contrasts(post, named="x1", seed=1).iloc[0]
    assert named["estimand"] == word["estimand"]
    assert abs(named["mean"] - word["mean"]) < 3 * named["sd"]  # pooled and unpooled


@pytest.mark.parametrize("model", ["by-group", "maximal"])
@pytest.mark.parametrize("attributes", ["population", "listed"])
def test_a_new_word_shares_the_error_of_its_groups_slope(attributes: str, model: str) -> None:
    table = ranked_table()
    is_x = table["attribute_set"] == "x"  # so rare that the slope matters
    table.loc[is_x, "attribute_rank"] = 30_000.0
    cell = table["protected_group"] + table["attribute"]  # chance that the words of a group share
    chance = by_name(cell, default_rng(2).normal, 0, 0.25).where(
        table["connection"] == "matched", 0
    )
    table = plus(table, chance)
    post = bb.fit(table, model, draws=1000, chains=2, seed=1)
    without = post.copy()
    del without["constant_data"]["attribute_rank"]
    keys = {"protected_group": "x", "first": "associated", "second": "matched"}
    one, other = (
        only_row(bb.predict_words(tree, attributes=attributes, seed=1), **keys)
        for tree in (post, without)
    )
    assert (one["estimand"], one["frequency"]) == ("within", "equal")
    parts, positions = by_hand(table)[1:]
    added = positions["x"] ** 2 * (parts[0] ** 2).sum() * N_MATCHED / (N_MATCHED - 2)
    assert added > other["sd"] ** 2 / 4
    # Variances of 2,000 draws have an error of 3%, and a correlation by chance adds 4%.
    assert one["sd"] ** 2 == pytest.approx(other["sd"] ** 2 + added, rel=0.15)


def test_controls_do_not_change_the_likeness_of_stereotypes() -> None:
    rng = default_rng(1)
    vectors = unit(rng.normal(size=(60, 20)) + 0.5)
    cosines, block = vectors @ vectors.T, np.repeat([0, 1, 2, 3], [5, 5, 10, 40])
    whole = likeness(cosines, block, n_sets=2)
    np.testing.assert_array_equal(whole[:10, :10], likeness(cosines[:10, :10], block[:10]))
    assert whole[0, 1] == pytest.approx(
        (cosines[0, 1] - cosines[:5, 5:10].mean()) / (1 - cosines[:5, 5:10].mean())
    )
    everything = likeness(cosines, block)
    np.testing.assert_array_equal(whole[10:, 10:], everything[10:, 10:])


def shuffled(design: Design, cosines: np.ndarray, order: np.ndarray) -> Design:
    """Return a design in which stereotypes are exchanged between sets, with their ranks."""
    wide = np.empty((len(design.words), len(design.attributes)))
    wide[design.word, design.attribute] = design.y
    y = wide[design.word, order[design.attribute]]
    words = np.eye(len(design.words))
    return with_cosines(replace(design, y=y), words, cosines[np.ix_(order, order)])


def test_shuffled_stereotypes_of_a_real_list_have_no_contrast_on_average() -> None:
    """Given the sds, over 100 shuffles; means of rows have standard errors of .001 to .004."""
    wordlist = bb.load_wordlist("religion")
    bare = replace(wordlist, controls={})
    wider = bb.matched_controls("glove-demo", bare, seed=1, progressbar=False)
    table = bb.distance_table("glove-demo", wider)
    design = make_design(table)
    cosines = table_cosines(table, design.attributes)
    fit = collapse(design, load_model("by-group"))
    parameters = sample_exact(fit, 20, default_rng(1), effects=False).parameters.mean(axis=0)
    stereotypes = np.flatnonzero(design.attribute_column < len(design.sets))
    found, rng = [], default_rng(2)
    for _ in range(100):
        order = np.arange(len(design.attributes))
        order[stereotypes] = rng.permutation(stereotypes)
        other = collapse(shuffled(design, cosines, order), fit.spec, layout=fit.layout)
        weights = contrast_weights(other)[:, :, 0]
        found.append(moments(other, parameters[None], weights)[0][0, :, 0])
    assert np.abs(np.mean(found, axis=0)).max() < 0.012
    assert frequency.slopes(design).shape == (len(design.words),)
