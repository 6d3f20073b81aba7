"""Planned widths against closed forms and the pilot itself; the jackknife by leaving words out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from builders import only_row, refused, table_of
from scipy.stats import nct, t
from test_frequency import ranked_table

import bayesbias as bb
from bayesbias.model.frequency import cell_positions, slope_scores
from bayesbias.model.indexing import make_design
from bayesbias.model.spec import load_model
from bayesbias.posterior import planning
from bayesbias.posterior.estimands import double_weights, relative_weights
from bayesbias.posterior.planning import half_widths, planned_design, typical_sds


@pytest.fixture(scope="module")
def religion() -> pd.DataFrame:
    return bb.distance_table("glove-demo", "religion")


@pytest.mark.parametrize("sigma", [0.04, 0.3])
def test_half_widths_have_the_variance_of_a_balanced_design(sigma: float) -> None:
    """Half of the sum of two groups' differences: v = (lean² / n) + (lean² / m) + σ² / (n m)."""
    n, m, effect = 6, 9, 0.04
    design = planned_design(None, n, m, m)  # every word is of another kind, so there is no likeness
    sds = typical_sds(design) | {"lean_sd": np.array([[0.03]])}
    sds["attribute_lean_sd"], sds["sigma"] = np.array([[0.05]]), np.array([[sigma, sigma]])
    parts = 0.03**2 / n, 0.05**2 / m, sigma**2 / n / m
    total, df = sum(parts), (2 * n - 2, 2 * m - 2)
    sizes = (*df, df[0] * df[1])
    nu = total**2 / sum(part**2 / size for part, size in zip(parts, sizes, strict=True))
    reach, sd = t.ppf(0.945, nu), np.sqrt(total)
    spec = load_model("by-group")
    half, power = half_widths(design, spec, sds, ci_prob=0.89, effect=effect)["overall"]
    # The prior of cells, with an sd of .4, takes 1e-3 of a variance of .0005, and 1% of .002.
    rel = 2e-3 if sigma < 0.1 else 0.01
    assert half == pytest.approx(reach * sd, rel=rel)
    noncentral = nct.sf(reach, nu, effect / sd) + nct.cdf(-reach, nu, effect / sd)
    assert power == pytest.approx(noncentral, rel=0.01 if sigma < 0.1 else 0.05)
    extra = np.array([0.02**2])  # variance that has no part in the degrees of freedom
    wider, _ = half_widths(design, spec, sds, ci_prob=0.89, extra=extra)["overall"]
    assert wider == pytest.approx(half * np.sqrt(1 + extra[0] / total), rel=rel)


def test_a_plan_adds_the_error_of_the_pilot_s_slopes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a pilot, words are as spread and as similar as those of bundled lists."""
    found = []
    monkeypatch.setattr(planning, "half_widths", lambda *_, extra, **__: found.append(extra) or {})
    table = ranked_table("xyz")
    design = make_design(table)
    bb.plan(bb.fit(table, draws=50, chains=1, seed=1), words=4, attributes=4, clusters=1)
    weights = np.stack([double_weights(design), *relative_weights(design)])
    moved = weights[:, :, :3] @ cell_positions(design)[0, :3]
    scores = slope_scores(design)
    overall, *of_groups = [v @ scores @ scores.T @ v for v in moved]
    assert np.ptp(of_groups) > 0.1 * max(of_groups)  # so their mean is not one of them
    np.testing.assert_allclose(found[0], [overall, np.mean(of_groups)])
    typical = planned_design(None, 4, 6, 1)
    own = (typical.y[typical.connection < 2] - typical.y[typical.connection < 2].mean()).std()
    assert own == pytest.approx(0.135)
    likeness = typical.word_likeness[0, 1], typical.attribute_likeness[0, 1]
    assert likeness == pytest.approx((0.23, 0.10))


@pytest.mark.seconds
def test_a_plan_of_the_pilot_s_size_has_the_pilot_s_width(religion: pd.DataFrame) -> None:
    post = bb.fit(religion, seed=1, draws=250)
    frame = bb.plan(post, words=[5, 20], attributes=4, clusters=[1, 4])
    found = bb.contrasts(post)
    row = only_row(found, level="overall", first="associated", second="different")
    planned = frame.query("level == 'overall'").set_index(["words", "clusters"])["half_width"]
    assert planned[5, 1] == pytest.approx((row["high"] - row["low"]) / 2, rel=0.15)
    assert planned[20, 4] < planned[20, 1] < planned[5, 1]
    few = bb.plan(bb.fit(religion, draws=15, chains=2, seed=1), words=[5], attributes=4)
    # Sds vary by a third between draws, so a mean of 30 has an error of a tenth.
    assert few["half_width"].iloc[0] == pytest.approx(planned[5, 1], rel=0.3)
    assert set(frame["level"]) == {"overall", "group"}
    sizes = frame.drop_duplicates(["words", "clusters"]).set_index(["words", "clusters"])
    alike = (5 / sizes["effective_words"][5, 1] - 1) / 4
    assert sizes["effective_words"][20, 4] == pytest.approx(20 / (1 + 4 * alike))
    alike = planning.likeness_of(make_design(religion))[
        1
    ]  # of the mean of four attributes, or of none
    assert sizes["effective_attributes"][5, 1] == pytest.approx(4 / (1 + 3 * alike), rel=1e-6)
    assert sizes["effective_attributes"][5, 4] == pytest.approx(4)
    refused("a pilot has its own groups", bb.plan, post, groups=3)
    uneven = replace(load_model("crossed"), name="uneven", sigma="protected_word")
    refused("the model is 'uneven'", bb.plan, bb.fit(religion, uneven, draws=50, seed=1))
    post["posterior"]["sigma"].values[0, 0] = np.nan
    for read in (bb.contrasts, bb.plan):
        refused("draws of sigma contain NaN", read, post)


def test_likeness_can_have_single_precision(religion: pd.DataFrame) -> None:
    design, spec = make_design(religion), load_model("by-group")
    names = ("word_likeness", "attribute_likeness")
    single = replace(design, **{name: getattr(design, name).astype(np.float32) for name in names})
    halves = [half_widths(of, spec, typical_sds(of))["overall"][0] for of in (design, single)]
    assert halves[1] == pytest.approx(halves[0], rel=1e-5)  # seven digits


def test_the_jackknife_leaves_words_out(religion: pd.DataFrame) -> None:
    frame = bb.list_check(religion).set_index("word")

    def contrast(table: pd.DataFrame) -> float:
        design = make_design(table)
        place = design.codes("protected_group"), design.codes("attribute_column")
        means = pd.Series(design.y).groupby([*place]).mean().unstack().to_numpy()
        return float((double_weights(design) * means).sum())

    for column, word in (("protected_word", "imam"), ("attribute", "greedy")):
        left = religion[religion[column] != word].reset_index(drop=True)
        moved = contrast(left) - contrast(religion)
        assert frame.loc[word, "jackknife"] == pytest.approx(moved, abs=1e-12)
    variance, df = {}, {}
    for (role, _), rows in frame.groupby(["role", "name"]):
        n, effective = rows["n_words"].iloc[0], rows["n_effective"].iloc[0]
        assert (n, effective <= n) == (len(rows), True)
        error = (rows["jackknife"] ** 2).sum() * (n - 1) / n * (n / effective)
        variance[role] = variance.get(role, 0.0) + error
        df[role] = df.get(role, 0) + n - 1
    total = sum(variance.values())
    nu = total**2 / sum(variance[role] ** 2 / df[role] for role in df)
    expected = t.ppf(0.75, nu) * np.sqrt(total)
    assert bb.list_check(religion, ci_prob=0.5).attrs["half_width"] == pytest.approx(expected)
    vectors = bb.load_vectors("glove-demo", "religion")
    own = frame.index[frame["name"] == "muslim"]
    unit = np.array([vectors[word] / np.linalg.norm(vectors[word]) for word in own])
    cosines = (unit @ unit.T).sum(axis=1) - 1
    np.testing.assert_allclose(
        frame.loc[own, "cosine"], cosines / (len(own) - 1), atol=1e-5
    )  # stored cosines are rounded
    refused("no cosines", bb.list_check, pd.DataFrame(religion.to_dict("list")))


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.WordsInTwoRoles")
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.WordsInTwoSets")
def test_the_jackknife_leaves_words_out_that_lack_pairs() -> None:
    """Groups share a stereotype, and others are protected words too, so some pairs have no row."""
    rng = np.random.default_rng(2)
    groups = {"x": ["x0", "x1", "x2"], "y": ["y0", "y1", "y2", "y3"]}
    own = {"x": ["s0", "s1", "both", "x0"], "y": ["both", "s2", "s3", "s4", "y0"]}
    words = {word for sets in (groups, own) for listed in sets.values() for word in listed}
    vectors = {word: rng.normal(size=12) + 0.4 for word in sorted(words)}
    table = bb.distance_table(vectors, {"groups": groups, "stereotypes": own})

    def contrast(rows: pd.DataFrame) -> float:
        mean = rows.groupby(["protected_group", "connection"], observed=True)["cosine_distance"]
        return float(mean.mean().unstack().eval("associated - different").mean())

    frame = bb.list_check(table)
    for row in frame.itertuples():
        column = "protected_word" if row.role == "protected_group" else "attribute"
        moved = contrast(table[table[column] != row.word]) - contrast(table)
        assert row.jackknife == pytest.approx(moved, abs=1e-12)  # rounding of sums
    assert len(frame) == 7 + 8


def test_single_words_vary_as_words_of_other_groups_do() -> None:
    """Two groups of three, one of which loses all words but one."""
    rng = np.random.default_rng(1)
    words = [f"{group}{i}" for group in "xy" for i in range(3)]
    attributes = [f"{name}{i}" for name in "ab" for i in range(4)]
    vectors = {name: rng.normal(size=20) for name in [*words, *attributes]}  # nearly unrelated
    sets = {"x": attributes[:4], "y": attributes[4:]}

    def checked(n: int, m: int) -> pd.DataFrame:
        groups = {"x": words[:n], "y": words[3 : 3 + m]}
        table = bb.distance_table(vectors, {"groups": groups, "stereotypes": sets})
        return bb.list_check(table, ci_prob=0.9)

    frame = checked(3, 1)
    of_x = frame[frame["name"] == "x"]
    variance = 2 * (of_x["jackknife"] ** 2).sum()  # of one word
    parts = {"word": (variance / of_x["n_effective"].iloc[0] + variance, 2), "attribute": (0, 6)}
    for _, rows in frame[frame["role"] == "attribute_set"].groupby("name"):
        added = 3 * (rows["jackknife"] ** 2).sum() / rows["n_effective"].iloc[0]
        parts["attribute"] = parts["attribute"][0] + added, 6
    total = sum(part for part, _ in parts.values())
    nu = total**2 / sum(part**2 / df for part, df in parts.values())
    expected = t.ppf(0.95, nu) * np.sqrt(total)
    assert frame.attrs["half_width"] == pytest.approx(expected)
    assert np.isnan(checked(1, 1).attrs["half_width"])


def test_fewer_words_or_attributes_give_wider_intervals() -> None:
    """A single one says nothing about differences among them, and leaves one degree of freedom."""
    frame = bb.plan(words=[1, 2], attributes=[1, 2], clusters=1).query("level == 'overall'")
    widths = frame.pivot_table("half_width", "words", "attributes")
    assert widths.shape == (2, 2)
    assert (widths.diff().iloc[1:] < 0).all(axis=None)
    assert (widths.diff(axis=1).iloc[:, 1:] < 0).all(axis=None)


def test_the_sign_of_the_effect_does_not_matter_and_there_are_two_groups() -> None:
    small = {"words": 4, "attributes": 4, "clusters": 1}
    found = bb.plan(**small, effect=0.04)
    pd.testing.assert_frame_equal(bb.plan(**small, effect=-0.04), found)
    pd.testing.assert_frame_equal(bb.plan(**small, effect=0.04, groups=2), found)


@pytest.mark.seconds
def test_effects_of_many_sds_are_found() -> None:
    """The power rises from the share of intervals that miss zero by chance to one."""
    design = planned_design(None, 8, 32, 1)
    spec, sds = load_model("by-group"), typical_sds(design)
    _, alone = half_widths(design, spec, sds, ci_prob=0.9)["overall"]
    assert alone == pytest.approx(0.1)
    last = 0.1
    for effect in np.geomspace(0.02, 2, 30):
        power = half_widths(design, spec, sds, ci_prob=0.9, effect=effect)["overall"][1]
        assert last - 1e-9 <= power <= 1 + 1e-9  # errors of nct
        last = power
    assert last == pytest.approx(1)
    frame = bb.plan(words=[8, 32], attributes=[32, 128], effect=0.2)
    assert (frame["power"] > 0.99).all()  # the half-width is at most a fourth of the effect
    assert (frame["half_width"] < 0.05).all()


@pytest.mark.parametrize("effect", [[0.02, 0.05], "0.05", np.nan, True, 5, None])
def test_an_effect_is_one_number_in_range(effect: object) -> None:
    refused("effect", bb.plan, words=4, attributes=4, effect=effect)


def test_numbers_of_words_are_whole_and_positive() -> None:
    small = {"attributes": 4, "clusters": 1}
    pd.testing.assert_frame_equal(bb.plan(words=np.int64(4), **small), bb.plan(words=[4], **small))
    refused("words", bb.plan, words=0)
    refused("attributes", bb.plan, attributes=[4, 2.5])
    for name in ("words", "attributes", "clusters"):
        refused(name, bb.plan, **{name: []})


def test_a_pilot_with_effects_of_contexts_is_refused() -> None:
    table = pd.concat([table_of("xy", seed=seed).assign(context=str(seed)) for seed in (1, 2)])
    pilot = bb.fit(table.reset_index(drop=True), "contextual", draws=50, chains=1, seed=1)
    refused("without effects of contexts", bb.plan, pilot)
