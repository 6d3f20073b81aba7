"""Rows of single stereotypes against plain arithmetic on tables with almost no noise."""

import numpy as np
import pandas as pd
import pytest
from builders import by_name, groups_by_sets, plus, refused, table_of
from test_estimands import by_hand, raw
from test_frequency import ranked_table

import bayesbias as bb
from bayesbias.model.frequency import attribute_positions
from bayesbias.model.indexing import make_design
from bayesbias.model.likelihood import Rows
from bayesbias.nulls import Scenario
from bayesbias.posterior import attributes, summaries
from bayesbias.posterior.attributes import BETWEEN, GRID, _drawn_together, attribute_draws

KEYS = ["protected_group", "attribute"]


def leaning_table(groups: str) -> pd.DataFrame:
    """Return a table whose attributes lean to groups by amounts that average zero in a set."""
    table, rng = table_of(groups), np.random.default_rng(6)
    leans = pd.DataFrame(
        rng.normal(0, 0.05, (table["attribute"].nunique(), len(groups))),
        index=table["attribute"].unique(),
        columns=[*groups],
    )
    leans -= leans.groupby(leans.index.str[0]).transform("mean")
    pairs = zip(table["attribute"], table["protected_group"], strict=True)
    return plus(table, [leans.loc[pair] for pair in pairs])


@pytest.mark.parametrize("groups", ["xy", "xyz"])
def test_a_stereotype_varies_around_the_contrast_of_its_group(groups: str) -> None:
    """Pairs have an sd of .001, so rows are within a few .001 of the arithmetic.

    Three contrasts of groups are drawn together, so a group's average is between its own contrast
    and the average of all.
    """
    table = leaning_table(groups)
    cells = raw(table)
    words = table.groupby(["protected_group", "attribute"])["cosine_distance"].mean().unstack()
    post = bb.fit(table, draws=250, seed=1)
    frame = bb.contrasts(post, of="attribute").set_index(KEYS)
    assert len(frame) == len(groups) * 4
    overall = np.mean([cells.loc[g, g] - cells[g].drop(g).mean() for g in groups])
    for group, attribute in frame.index:
        lead = words.loc[group] - words.drop(group).mean()
        base = frame.loc[group, "mean"].mean() if len(groups) > 2 else overall
        of_set = lead[lead.index.str.startswith(group)].mean()
        row = frame.loc[(group, attribute)]
        assert row["raw"] == pytest.approx(lead[attribute], abs=1e-9)
        assert row["mean"] == pytest.approx(base + lead[attribute] - of_set, abs=0.01)
    if len(groups) > 2:
        own = np.array([by_hand(cells, group) for group in groups])
        found = np.array([frame.loc[group, "mean"].mean() for group in groups])
        shrunk = (found - own.mean()) / (own - own.mean())
        assert (shrunk > 0).all()
        assert (shrunk < 1).all()
    names = {"xy": "double difference", "xyz": "relative"}
    assert set(frame["estimand"]) == {names[groups]}


def test_stereotypes_of_a_single_set_are_compared_with_both_other_groups() -> None:
    """No set is different for two groups, so there is no baseline, as in lists of two groups."""
    table = leaning_table("xyz")
    table = table[table["attribute_set"].isin(["x", "human"])].reset_index(drop=True)
    words = table.groupby(["protected_group", "attribute"])["cosine_distance"].mean().unstack()
    frame = bb.contrasts(bb.fit(table, draws=250, seed=1), of="attribute").set_index(KEYS)
    lead = words.loc["x"] - words.loc[["y", "z"]].mean()
    assert set(frame.index) == {("x", name) for name in words.columns if name[0] == "x"}
    for (_, attribute), row in frame.iterrows():
        assert row["raw"] == pytest.approx(lead[attribute], abs=1e-9)
        assert row["mean"] == pytest.approx(lead[attribute], abs=0.01)


def test_sets_can_be_several_shared_or_of_one_group_only() -> None:
    """The set p is that of x and y, and q has pairs with x only, so it says nothing.

    Pairs have an sd of .001, so rows of a set differ as the table's means do, within a few .001.
    """
    table = leaning_table("xyz")
    names = table["attribute"][table["attribute_set"] == "x"].unique()
    alone = table[table["attribute"].isin(names[:2]) & (table["protected_group"] == "x")]
    alone = alone.assign(attribute=alone["attribute"] + "q", attribute_set="q")
    of_y = table["protected_group"] == "y"
    moved = table["attribute"].isin(names[2:])
    table.loc[moved, "attribute_set"] = "p"
    table.loc[moved & of_y, "connection"] = "associated"
    table = pd.concat([table[~(of_y & (table["attribute"] == names[3]))], alone])
    words = table.groupby(["protected_group", "attribute"])["cosine_distance"].mean().unstack()
    frame = bb.contrasts(bb.fit(table, draws=250, seed=1), of="attribute").set_index(KEYS)
    assert len(frame) == 3 * 4 + 2
    for (group, attribute), row in frame.iterrows():
        others = ["z"] if row["attribute_set"] == "p" else [*{*"xyz"} - {group}]
        lead = words.loc[group, attribute] - words.loc[others, attribute].mean()
        assert row["raw"] == pytest.approx(lead, abs=1e-9, nan_ok=True)
    assert frame.index[frame["raw"].isna()].tolist() == [("y", names[3])]
    for _, rows in frame.dropna().groupby(["protected_group", "attribute_set"]):
        apart = rows["mean"] - rows["raw"]
        assert apart.max() - apart.min() < 0.01


def test_weights_of_a_word_in_several_sets_cancel_the_level_of_each_group() -> None:
    """For x, one word is in the set p; for other groups, it is in the set x."""
    table = leaning_table("vwxyz")
    names = table["attribute"][table["attribute_set"] == "x"].unique()
    moved = table["attribute"].isin(names[2:])
    moved |= (table["attribute"] == names[0]) & (table["protected_group"] == "x")
    sets = table["attribute_set"].mask(moved, "p")
    rows = attributes._Rows(make_design(table.assign(attribute_set=sets)))
    several = np.flatnonzero((rows.columns[:, rows.attribute] != rows.column).any(axis=0))
    weights = rows._across_columns(several)
    assert len(weights)
    assert np.abs(weights).sum(axis=2).max() > 1
    np.testing.assert_allclose(weights.sum(axis=2), 0, atol=1e-12)


def test_the_surest_attributes_come_first_and_then_the_farthest_from_zero() -> None:
    """With few draws, several on either side of zero have the same probability."""
    frame = bb.contrasts(bb.fit(leaning_table("xyz"), draws=25, seed=1), of="attribute")
    by = frame.assign(p=-frame["p_direction"], z=-frame["mean"].abs() / frame["sd"])
    assert (frame["mean"] > 0).groupby(frame["p_direction"]).nunique().max() == 2
    assert by.sort_values(["p", "z"]).index.tolist() == [*range(len(frame))]


def test_a_set_without_pairs_of_the_other_group_has_no_rows() -> None:
    table = leaning_table("xy")
    table = table[(table["attribute_set"] != "x") | (table["protected_group"] == "x")]
    frame = bb.contrasts(bb.fit(table, draws=50, seed=1), of="attribute")
    assert set(frame["attribute_set"]) == {"y"}
    assert np.isfinite(frame[["raw", "mean"]].to_numpy()).all()


def test_two_groups_with_a_contrast_are_drawn_together_beside_one_without() -> None:
    table = leaning_table("xyz")
    table = table[table["attribute_set"] != "z"]
    of_x = (table["attribute_set"] == "x") & (table["protected_group"] == "x")
    table.loc[of_x, "cosine_distance"] -= 0.2  # else, x and y would hardly differ
    post = bb.fit(table, draws=250, seed=1)
    rows = bb.contrasts(post, of="attribute").groupby("protected_group")["mean"].mean()
    groups = bb.contrasts(post).query("level == 'group' and estimand == 'relative'")
    own = groups.set_index("protected_group")["mean"]
    assert rows.index.tolist() == own.index.tolist() == ["x", "y"]
    shrunk = (rows["x"] - rows["y"]) / (own["x"] - own["y"])
    assert 0 < shrunk < 1  # between no difference and their own


def test_what_is_drawn_together_are_the_contrasts_of_groups(monkeypatch) -> None:
    """Without their average: its draws would pull all groups toward it twice."""
    given = list[np.ndarray]()
    monkeypatch.setattr(
        attributes, "_drawn_together", lambda draws, of, _: given.append(of) or draws
    )
    post = bb.fit(leaning_table("xyz"), draws=250, seed=1)
    attribute_draws(post)
    rows = bb.contrasts(post).query("level == 'group' and estimand == 'relative'")
    # 2,000 draws in pairs around their means: an error of at most .002
    np.testing.assert_allclose(given[0].mean(axis=0), rows["mean"], atol=0.004)


@pytest.mark.parametrize("lost", ["", "z"])
def test_a_stereotype_of_two_groups_has_a_row_for_each(lost, monkeypatch) -> None:
    """Rows are sums of the effects in the table's rows, or in the set's if the table has none.

    The other group that shares it is not compared. Both x and y are compared with z, which has the
    word in the set x, and the set of the other is different for both. Sums of 1,000 draws have an
    error of about .002; the other connection would move them by .02.
    """
    monkeypatch.setattr(attributes, "_drawn_together", lambda draws, *_: draws)
    table = leaning_table("xyz")
    name = table["attribute"][table["attribute_set"] == "x"].iloc[0]
    is_shared = (table["attribute"] == name) & (table["protected_group"] == "y")
    table.loc[is_shared, ["attribute_set", "connection"]] = ["y", "associated"]
    table.loc[is_shared, "cosine_distance"] -= 0.2
    table = table[(table["attribute"] != name) | (table["protected_group"] != lost)]
    post = bb.fit(table, draws=1000, chains=1, seed=1)
    drawn = post["posterior"].to_dataset().sel(attribute=name).mean(("chain", "draw"))
    sides = pd.Series({True: "associated", False: "different"})
    cells = {
        (group, column): float(
            drawn["connection_mean"].sel(connection=sides[group == column])
            + drawn["cell"].sel(protected_group=group, attribute_column=column)
        )
        for group in "xyz"
        for column in "xyz"
    }
    rows = table[table["attribute"] == name].groupby("protected_group")
    measured = rows["cosine_distance"].mean()
    kinds = pd.Series({"x": "associated", "y": "associated", "z": "different"})
    effects = pd.Series(
        {
            group: float(
                drawn["attribute_effect"]
                + drawn["attribute_lean"].sel(protected_group=group)
                + drawn["attribute_own_lean"].sel(stereotype_connection=kind)
            )
            for group, kind in kinds.items()
        }
    )
    frame = bb.contrasts(post, of="attribute").set_index("attribute").loc[name]
    assert len(frame) == 2
    for group, row in frame.set_index("protected_group").iterrows():
        assert row["attribute_set"] == group
        if not lost:
            assert row["raw"] == pytest.approx(measured[group] - measured["z"], abs=1e-9)
        other = {"x": "y", "y": "x"}[group]
        base = cells[group, group] - cells["z", "x"] - cells[group, other] + cells["z", other]
        lead = effects[group] - effects["z"]
        assert row["mean"] == pytest.approx(base + lead, abs=0.008)


@pytest.mark.parametrize(("groups", "shared"), [("xy", "xy"), ("xyz", "xyz"), ("xyz", "xy")])
def test_rows_of_shared_stereotypes_agree_with_fitted_means(groups: str, shared: str) -> None:
    """Groups have equal distances to other sets, so rows are within an sd of fitted differences.

    Without the rule that groups that share a word are not compared, x would be .05 closer to it.
    """
    rng = np.random.default_rng(0)
    table = groups_by_sets(groups, 4, 4, "")
    one = table["attribute"] == "x-0"
    is_own = table["protected_group"] == table["attribute_set"]
    of_shared = one & table["protected_group"].isin([*shared])
    table.loc[of_shared, "attribute_set"] = table["protected_group"]
    table.loc[of_shared, "connection"] = "associated"
    table["cosine_distance"] = np.where(is_own | of_shared, 0.95, 1)
    closeness = by_name(table["attribute"], rng.normal, 0, 0.05)
    table["cosine_distance"] += closeness + rng.normal(0, 0.02, len(table))
    post = bb.fit(table, draws=500, seed=1)
    table["fitted"] = Rows(post).expected(np.arange(len(table))).mean(axis=0)
    means = table.groupby(["attribute", "protected_group"])[["fitted", "cosine_distance"]].mean()
    frame = bb.contrasts(post, of="attribute").set_index(KEYS)
    apart = [*{*groups} - {*shared}]
    own = {name for name, word in frame.index if word == "x-0"}
    assert own == ({*shared} if apart else set())
    assert len(frame) == 4 * len(groups) - 1 + len(own)
    for (group, attribute), row in frame.iterrows():
        others = apart if attribute == "x-0" else [*{*groups} - {group}]
        lead = means.loc[attribute].loc[group] - means.loc[attribute].loc[others].mean()
        assert row["raw"] == pytest.approx(lead["cosine_distance"], abs=1e-9)
        if attribute == "x-0":
            assert row["mean"] == pytest.approx(lead["fitted"], abs=row["sd"])


def test_signs_are_right_together_in_the_order_of_certainty() -> None:
    table = Scenario(effect=0.04, attribute_bias_sd=0.06).table(seed=4)
    posts = [bb.fit(table, seed=seed) for seed in (1, 2)]
    frame, again = (bb.contrasts(post, of="attribute") for post in posts)
    assert frame["p_direction"].is_monotonic_decreasing
    assert frame["all_right"].is_monotonic_decreasing
    assert frame["all_right"][0] == frame["p_direction"][0]
    _, draws = attribute_draws(posts[0])
    n_wrong = ((draws > 0) != ((draws > 0).mean(axis=0) > 0.5)).any(axis=1).mean()
    assert frame["all_right"].iloc[-1] == pytest.approx(1 - n_wrong)
    # Means are exact given the sds, whose draws move them by about .005 sd.
    one, other = (rows.set_index(KEYS).sort_index() for rows in (frame, again))
    assert (abs(one["mean"] - other["mean"]) / one["sd"]).max() < 0.02


@pytest.mark.parametrize("k", [2, 3])
def test_groups_are_drawn_together_as_in_a_hierarchical_model(k: int) -> None:
    """Compare with the posterior in terms of precisions, averaged over a grid of sds."""
    rng, spread = np.random.default_rng(2), 0.1
    root = rng.normal(0, 0.03, (k + 4, k + 4))
    mean = rng.normal(0, 0.06, k + 4)
    z = rng.standard_normal((20_000, k + 4))
    z = np.concatenate([z, -z])
    draws = mean + z @ np.linalg.inv(np.linalg.cholesky(np.cov(z.T))).T @ root.T
    found = _drawn_together(draws[:, k:], draws[:, :k], spread)
    m, total, one = mean[:k], root @ root.T, np.ones(k)
    v, across = total[:k, :k], total[k:, :k]
    sds = np.linspace(1e-4, 8 * BETWEEN * spread, 2000)
    log_p, moments = [], []
    for sd in sds:
        s = np.linalg.inv(v + sd**2 * np.eye(k))
        log_p.append(
            -sd / (BETWEEN * spread)
            + (np.linalg.slogdet(s)[1] - np.log(one @ s @ one)) / 2
            - (m @ s @ m - (one @ s @ m) ** 2 / (one @ s @ one)) / 2
        )
        prior = (np.eye(k) - 1 / k) / sd**2
        left = np.linalg.inv(np.linalg.inv(v) + prior)
        b = across @ np.linalg.inv(v)
        of_rows = mean[k:] + b @ (left @ np.linalg.solve(v, m) - m)
        moments.append((of_rows, np.diag(total[k:, k:] - b @ (v - left) @ b.T)))
    p = np.exp(np.array(log_p) - max(log_p))
    means, variances = (np.average(each, axis=0, weights=p) for each in zip(*moments, strict=True))
    variances += np.average((np.array([each for each, _ in moments]) - means) ** 2, 0, weights=p)
    sd = np.sqrt(variances)
    # 20,000 independent draws: four errors of .007 sd in means, and of .005 in sds.
    np.testing.assert_allclose(found.mean(axis=0), means, atol=0.03 * sd.min())
    np.testing.assert_allclose(found.std(axis=0), sd, rtol=0.02)
    assert (abs(found.mean(axis=0) - mean[k:]) / sd).max() > 0.1
    # Noise cancels out in opposite draws, so their sum depends only on the sd between groups.
    assert len(np.unique((found[:20_000] + found[20_000:]).round(9), axis=0)) <= len(GRID)


def test_opposite_draws_have_the_conditional_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    """It varies only with the sds, which matter little; in equal draws, it would be the draws."""
    monkeypatch.setattr(attributes, "_drawn_together", lambda draws, *_: draws)
    post = bb.fit(leaning_table("xyz"), draws=250, chains=2, seed=1)
    _, draws = attribute_draws(post)
    assert len(draws) == 2 * 500
    pairs = (draws[:500] + draws[500:]) / 2
    assert (pairs.std(axis=0) < 0.5 * draws.std(axis=0)).all()


def test_the_error_of_slopes_moves_a_word_by_its_own_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    table = ranked_table("xyz")
    post = bb.fit(table, draws=100, chains=1, seed=1)
    errors, found = np.array([[0.03, -0.01, 0.02]] * 100), []
    monkeypatch.setattr(attributes, "_drawn_together", lambda draws, *_: draws)
    for factor in (0, 1):
        for module in (attributes, summaries):
            monkeypatch.setattr(module, "slope_errors", lambda *_, f=factor: f * errors)
        found.append(attribute_draws(post))
    (labels, plain), (_, moved) = found
    design = make_design(table)
    position = pd.Series(attribute_positions(design), design.attributes)
    of_set = position.groupby(position.index.str[0]).mean()
    error = pd.Series(errors[0], [*"xyz"])
    words = table.groupby(["protected_group", "attribute"])["cosine_distance"].mean().unstack()
    for place, row in labels.iterrows():
        group, others = row["protected_group"], [*{*"xyz"} - {row["protected_group"]}]
        apart = error[group] - error[others]
        thirds = of_set[others[::-1]].to_numpy()
        expected = -(apart * (position[row["attribute"]] - thirds)).mean()
        for draws, sign in ((slice(100), 1), (slice(100, None), -1)):  # errors have opposites, too
            shift = (moved - plain)[draws, place]
            np.testing.assert_allclose(shift, sign * expected, atol=1e-12)
        measured = words.loc[group] - words.loc[others].mean()  # not at equal frequency
        assert row["raw"] == pytest.approx(measured[row["attribute"]], abs=1e-9)


def test_rows_of_attributes_need_effects_of_cells_and_no_other_option() -> None:
    table = groups_by_sets("xy", 3, 3).assign(cosine_distance=0.9)
    table["cosine_distance"] += np.random.default_rng(1).normal(0, 0.05, len(table))
    with pytest.raises(ValueError, match="by-group; the model is 'crossed'"):
        bb.contrasts(bb.fit(table, "crossed", draws=50, seed=1), of="attribute")
    post = bb.fit(table, draws=50, seed=1)
    for options in ({"named": "x0"}, {"between": "groups"}, {"over": "listed"}):
        refused("cannot be combined", bb.contrasts, post, of="attribute", **options)
