"""`compare`: pairing, the joint posterior of change and level, and what is read from it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import SeedSequence
from xarray import DataTree

import bayesbias as bb
from bayesbias import comparison
from bayesbias.comparison import joint
from bayesbias.comparison.joint import compare, posterior_at
from bayesbias.comparison.pairing import pair, unpaired
from bayesbias.comparison.slopes import slopes
from bayesbias.model.spec import load_model, spec_from_dict
from bayesbias.model.tree import load_posterior, save_posterior, stacked
from bayesbias.sampling.fit import fit_design
from bayesbias.tables.schema import COLUMNS, CONNECTIONS

FAST = {"draws": 500, "chains": 2}
"""1,000 draws: a probability of a half has a Monte Carlo error of 0.016."""


@pytest.fixture(scope="module")
def tables(toy_table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The toy table, and the same with associated distances 0.1 larger and a little noise."""
    rng = np.random.default_rng(3)
    shift = np.where(toy_table["connection"] == "associated", 0.1, 0.0)
    moved = toy_table["cosine_distance"] + shift + 0.02 * rng.standard_normal(len(toy_table))
    return toy_table, toy_table.assign(cosine_distance=moved)


@pytest.fixture(scope="module")
def tree(tables: tuple[pd.DataFrame, pd.DataFrame]) -> DataTree:
    return compare(*tables, seed=1, **FAST)


@pytest.fixture(scope="module")
def religion(
    published: Callable[[str], pd.DataFrame],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    return published("religion_group_reddit_dataset"), published("debiased_religion_reddit")


@pytest.fixture(scope="module")
def religion_tree(religion: tuple[pd.DataFrame, pd.DataFrame]) -> DataTree:
    return compare(*religion, seed=1)


def row(frame: pd.DataFrame, **keys: str) -> pd.Series:
    for name, value in keys.items():
        frame = frame[frame[name] == value]
    assert len(frame) == 1
    return frame.iloc[0]


# pairing -------------------------------------------------------------------------------------


def make(rows: list[tuple[str, str, str, float]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["protected_word", "attribute", "connection", COLUMNS[-1]])
    return frame.assign(protected_group="g", attribute_set="s")


BEFORE = [
    ("he", "nurse", "different", 0.9),
    ("he", "pilot", "associated", 0.5),
    ("he", "pilot", "associated", 0.6),
    ("he", "clock", "neutral", 1.0),
]
AFTER = [
    ("he", "pilot", "associated", 0.7),
    ("he", "pilot", "associated", 0.9),
    ("he", "nurse", "different", 0.8),
    ("he", "walk", "human", 0.3),
]


def test_rows_pair_by_hand_and_repeated_ones_in_their_order() -> None:
    pairs = pair(make(BEFORE), make(AFTER))
    assert pairs.rows[["attribute", "before", "after"]].to_numpy().tolist() == [
        ["nurse", 0.9, 0.8],
        ["pilot", 0.5, 0.7],
        ["pilot", 0.6, 0.9],
    ]
    assert pairs.rows["change"].tolist() == pytest.approx([-0.1, 0.2, 0.3])
    assert pairs.n_repeated == 1
    left = pairs.unpaired[["table", "attribute", COLUMNS[-1]]].to_numpy().tolist()
    assert left == [["before", "clock", 1.0], ["after", "walk", 0.3]]


def test_a_row_that_repeats_in_one_table_only_is_left_over() -> None:
    left = unpaired(make(BEFORE), make(AFTER[:1]))
    assert left["table"].tolist() == ["before"] * 3
    assert left[COLUMNS[-1]].tolist() == [0.9, 0.6, 1.0]


def test_context_is_part_of_the_pair_if_both_tables_have_it() -> None:
    one = make(BEFORE[1:3]).assign(context=["a", "b"])
    other = make(AFTER[:2]).assign(context=["b", "a"])
    assert pair(one, other).rows["after"].tolist() == [0.9, 0.7]
    assert pair(one, other.drop(columns="context")).rows["after"].tolist() == [0.7, 0.9]


@settings(max_examples=15)
@given(st.permutations(range(16)))
def test_the_order_of_rows_without_repeats_does_not_matter(order: list[int]) -> None:
    keys = [(f"w{i // 8}", f"a{i % 8}", CONNECTIONS[i % 4], 0.02 * i) for i in range(16)]
    before, after = make(keys), make(keys).assign(cosine_distance=0.9)
    shuffled = after.iloc[order].reset_index(drop=True)
    pd.testing.assert_frame_equal(pair(before, shuffled).rows, pair(before, after).rows)


def test_the_repeated_rows_of_a_published_table_all_find_their_partner(
    published: Callable[[str], pd.DataFrame],
) -> None:
    """2,608 of 5,868 rows of the race tables repeat an earlier one (data README)."""
    table = published("race_group_google_dataset")
    pairs = pair(table, table)
    assert (len(pairs.rows), pairs.n_repeated, len(pairs.unpaired)) == (5868, 2608, 0)
    assert not pairs.rows["change"].any()


@pytest.mark.parametrize(
    ("after", "message"),
    [
        (
            make([("she", "maid", "associated", 0.5)]),
            r"no row in common.* no protected_word is in both \(before: he; after: she\)",
        ),
        (
            make([("he", "nurse", "associated", 0.5)]),
            "each of their words is, but never in the same combination",
        ),
        (make(AFTER).assign(protected_group="h"), "'he' is of the group 'g' before and 'h' after"),
        (
            make(AFTER).assign(embedding=["x", "y", "x", "y"]),
            r"the table after holds 2 embeddings \(x, y\).* use compare_embeddings",
        ),
        (make(AFTER).drop(columns="connection"), "lacks the column"),
    ],
)
def test_tables_that_cannot_be_paired_say_why(after: pd.DataFrame, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pair(make(BEFORE), after)


# fitting -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("attributes", "twin"), [(False, "paper-figures"), (True, "crossed")])
def test_the_change_is_the_model_of_distances_on_the_differences(
    tables: tuple[pd.DataFrame, pd.DataFrame], attributes: bool, twin: str
) -> None:
    """Changes + 1 are a table that `fit` takes, with the prior mean moved by 1 as well."""
    many = {"draws": 4000, "chains": 2}
    got = compare(*tables, attributes=attributes, seed=1, **many)
    pairs = pair(*tables)
    raised = pairs.rows.assign(cosine_distance=pairs.rows["change"] + 1)
    first, _ = SeedSequence(1).spawn(2)
    expected = bb.fit(raised, twin, seed=first, **many)
    same, other = bb.summary(got), bb.summary(expected)
    # Posterior sds are about .04 and draws 8,000: eight Monte Carlo errors of two runs.
    assert np.allclose(same["mean"] + 1, other["mean"], atol=0.005)
    assert np.allclose(same["sd"], other["sd"], rtol=0.25)  # heavy tails: few rows a cell
    assert got.attrs["model"] == ("change-crossed" if attributes else "change")
    assert list(got["observed_data"].data_vars) == ["change"]


def test_before_after_and_change_are_one_set_of_draws(tree: DataTree) -> None:
    before, after = posterior_at(tree, "before"), posterior_at(tree, "after")
    for name in ("connection_mean", "word_mean"):
        change = stacked(after, name) - stacked(before, name)
        assert np.allclose(change, stacked(tree, name), atol=1e-12)
    frame = comparison.changes(tree)
    assert np.allclose(frame["after"] - frame["before"], frame["mean"], atol=1e-12)
    names = ["level", "protected_word", "connection", "mean", "sd", "low", "high"]
    pd.testing.assert_frame_equal(frame[names], bb.summary(tree)[names])


def test_summary_contrasts_check_and_files_apply_to_a_change(
    tree: DataTree, tmp_path: Path
) -> None:
    top = row(bb.summary(tree), level="overall", connection="associated")
    assert top["low"] < 0.1 < top["high"]
    contrast = row(bb.contrasts(tree), level="overall", first="associated", second="human")
    assert contrast["mean"] == pytest.approx(0.1, abs=0.05)  # sd of the shift 0.02 over few rows
    assert set(bb.check(tree)["connection"]) == {"all", *CONNECTIONS}
    save_posterior(tree, tmp_path / "change.nc")
    back = load_posterior(tmp_path / "change.nc")
    pd.testing.assert_frame_equal(comparison.changes(back), comparison.changes(tree))
    assert back.attrs["n_pairs"] == 32


def test_swapping_the_tables_turns_the_sign(tables: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    before, after = tables
    there, back = (compare(*each, seed=2, **FAST) for each in ((before, after), (after, before)))
    means = [bb.summary(one)["mean"] for one in (there, back)]
    # Posterior sds here are at most 0.1, of 1,000 draws: five Monte Carlo errors of two runs.
    assert np.allclose(means[0], -means[1], atol=0.025)


def test_equal_seeds_give_equal_posteriors(
    tables: tuple[pd.DataFrame, pd.DataFrame], tree: DataTree
) -> None:
    again = compare(*tables, seed=1, **FAST)
    other = compare(*tables, seed=2, **FAST)
    assert np.array_equal(stacked(again, "word_mean"), stacked(tree, "word_mean"))
    assert np.array_equal(again["before"]["word_mean"], tree["before"]["word_mean"])
    assert not np.array_equal(stacked(other, "word_mean"), stacked(tree, "word_mean"))


@pytest.mark.parametrize("crossed", [False, True])
def test_slopes_are_least_squares_about_means(
    monkeypatch: pytest.MonkeyPatch, crossed: bool, religion: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    """By numpy's least squares with a column for every cell (and attribute) of one connection."""
    monkeypatch.setattr("bayesbias.comparison.slopes.PRIOR_PAIRS", 0.0)
    pairs = pair(*religion)
    kept = pairs.rows[pairs.rows["connection"].isin(["neutral"])].reset_index(drop=True)
    design = comparison.Pairs(kept, pairs.unpaired, 0).design()
    before = kept["before"].to_numpy(np.float64)
    columns = [pd.get_dummies(kept["protected_word"])]
    columns += [pd.get_dummies(kept["attribute"])] if crossed else []
    x = np.column_stack([kept["change"], *(each.to_numpy(float) for each in columns)])
    expected = np.linalg.lstsq(x, before, rcond=None)[0][0]
    # The cells are balanced, so that sweeps out of means converge at once.
    assert slopes(design, before, crossed=crossed)[0] == pytest.approx(expected, abs=1e-9)


def test_slopes_of_few_pairs_lean_on_the_common_one(tree: DataTree) -> None:
    values = tree["constant_data"]["slope"].values
    assert np.isfinite(values).all()
    design = pair(make(BEFORE[:2]), make([AFTER[2], AFTER[0]])).design()
    assert slopes(design, np.array([0.9, 0.5]), crossed=False).tolist() == [0.0, 0.0]


def test_rows_without_a_partner_are_told_and_counted(
    tables: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    before, after = tables
    with pytest.warns(UserWarning, match="1 of before and 3 of after have no partner") as caught:
        tree = compare(before.drop(index=[3, 4, 5]), after.drop(index=[7]), seed=1, **FAST)
    assert caught[0].filename == __file__
    counts = {name: tree.attrs[name] for name in ("n_unpaired_before", "n_unpaired_after")}
    assert counts == {"n_unpaired_before": 1, "n_unpaired_after": 3}
    assert tree.attrs["n_pairs"] == 28


def test_what_no_change_can_be_learnt_from_is_refused(
    tables: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    before, after = tables
    with pytest.raises(ValueError, match="the tables are the same: all 32 paired distances"):
        compare(before, before.assign(cosine_distance=before["cosine_distance"] + 1e-8))
    kept = after.assign(
        cosine_distance=after["cosine_distance"].where(
            after["connection"] != "human", before["cosine_distance"]
        )
    )
    with pytest.raises(ValueError, match=r"all 4 changes of human rows are 0.*sigma = 'common'"):
        compare(before, kept)
    common = load_model("change").to_dict() | {"sigma": "common"}
    assert compare(before, kept, spec_from_dict(common), seed=1, **FAST).attrs["n_pairs"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"model": "paper"},
            "'paper' is for distances, and here are changes.*take change, change-",
        ),
        ({"model": "change", "attributes": True}, "either model or attributes=True"),
        ({"model": "pll"}, "'pll' is for differences of scores"),
        ({"model": "chnge"}, "did you mean 'change'.* [Kk]nown: change, change-crossed; for"),
        ({"draws": 0}, "draws must be a whole number"),
        ({"priors": {"sigm": {"rate": 1}}}, "did you mean 'sigma'"),
    ],
)
def test_wrong_options_say_what_is_allowed(
    tables: tuple[pd.DataFrame, pd.DataFrame], options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        compare(*tables, **options)


def test_warnings_of_either_fit_travel(
    tables: tuple[pd.DataFrame, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = fit_design

    def doubtful(design: object, *args: object, **options: object) -> DataTree:
        tree = real(design, *args, **options)  # type: ignore[arg-type]
        if design.outcome != "change":  # type: ignore[attr-defined]
            tree.attrs["warnings"] = '["doubt"]'
        return tree

    monkeypatch.setattr(joint, "fit_design", doubtful)
    tree = compare(*tables, seed=1, **FAST)
    with pytest.warns(bb.SamplingWarning, match="of the distances before: doubt"):
        assert comparison.changes(tree).attrs["warnings"] == ["of the distances before: doubt"]


# reading -------------------------------------------------------------------------------------


def test_probabilities_are_shares_of_draws(tree: DataTree) -> None:
    at = list(tree["posterior"]["protected_word"].values).index("hers")
    before, after = (stacked(posterior_at(tree, when), "word_mean")[:, at] for when in joint.WHEN)
    frame = comparison.changes(tree, rope=0.05)
    one = row(frame, level="word", protected_word="hers", connection="neutral")
    change = after[:, 2] - before[:, 2]
    assert one["p_moved"] == pytest.approx((abs(change) >= 0.05).mean(), abs=1e-12)
    nearer = abs(1 - after[:, 2]) < abs(1 - before[:, 2])
    assert one["p_towards_one"] == nearer.mean()
    order = row(comparison.order_changes(tree), level="word", protected_word="hers")
    closer = [draws[:, 0] < draws[:, 1] for draws in (before, after)]
    assert order["p_closer_before"] == closer[0].mean()
    assert order["p_closer_after"] == closer[1].mean()
    assert order["p_turned"] == (closer[0] != closer[1]).mean()
    assert order["before"] == pytest.approx((before[:, 0] - before[:, 1]).mean())
    aligned = row(comparison.alignment(tree), level="word", protected_word="hers")
    ranges = [np.ptp(draws, axis=1) for draws in (before, after)]
    assert aligned["p_narrower"] == (ranges[1] < ranges[0]).mean()
    same = [
        tuple(a) == tuple(b) for a, b in zip(np.argsort(before), np.argsort(after), strict=True)
    ]
    assert aligned["p_same_order"] == np.mean(same)


def test_turned_words_are_counted_draw_by_draw(tree: DataTree) -> None:
    counts = comparison.turned_counts(tree)
    orders = comparison.order_changes(tree)
    words = orders[orders["level"] == "word"]
    assert counts.mean() == pytest.approx(words["p_turned"].sum())
    assert counts.shape == (1000,)
    assert set(counts) <= set(range(len(words) + 1))


def test_side_effects_are_the_controls(tree: DataTree) -> None:
    frame = comparison.side_effects(tree)
    assert set(frame["connection"]) == {"neutral", "human"}
    assert len(frame) == 2 * (1 + 2 + 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda tree: comparison.changes(tree, ci_prob=89), "pass 0.89"),
        (lambda tree: comparison.changes(tree, rope=-1), r"must lie in \[0, 2\]"),
        (lambda tree: comparison.order_changes(tree, "asociated"), "did you mean 'associated'"),
        (lambda tree: comparison.order_changes(tree, "human", "human"), "got 'human' twice"),
        (lambda tree: posterior_at(tree, "during"), "unknown time 'during'"),
    ],
)
def test_wrong_readings_say_what_is_allowed(
    tree: DataTree, call: Callable[[DataTree], object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        call(tree)


def test_other_posteriors_are_no_change(crossed_posterior: DataTree) -> None:
    with pytest.raises(ValueError, match=r"pass one that bb.compare gave"):
        comparison.changes(crossed_posterior)


# the published tables ------------------------------------------------------------------------


def test_religion_reddit_shares_inside_the_band_are_the_published_ones(
    religion: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    """Dobrzeniecka and Urbaniak, text to figures 15-17: ±.14, 36/44/56/53% and 64/64/59/59%."""
    bands = comparison.band_shares(*religion).set_index("connection")
    assert bands["band_high"].iloc[0] == pytest.approx(1.14)
    shares = (100 * bands[["share_before", "share_after"]]).round().astype(int)
    assert shares["share_before"].to_dict() == dict(zip(CONNECTIONS, (36, 44, 56, 53), strict=True))
    assert shares["share_after"].to_dict() == dict(zip(CONNECTIONS, (64, 64, 59, 59), strict=True))


def test_religion_reddit_mac_before_and_after(religion: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    """Table 2 of the paper prints .859 and .934; the tables themselves give .8614 and .9334."""
    from scipy.stats import ttest_rel

    got = comparison.mac_before_after(*religion).iloc[0]
    assert got["before"] == pytest.approx(0.8614, abs=5e-5)  # as rounded
    assert got["after"] == pytest.approx(0.9334, abs=5e-5)
    assert got["change"] == pytest.approx(got["after"] - got["before"])
    means = [
        table[table["connection"].isin(["associated", "different"])]
        .groupby(["protected_word", "attribute_set"])["cosine_distance"]
        .mean()
        for table in religion
    ]
    test = ttest_rel(means[1], means[0])
    assert (got["t"], got["p_value"]) == pytest.approx((test.statistic, test.pvalue))
    assert got["n_pairs"] == 45


def test_what_was_found_by_eye_on_religion_reddit(religion_tree: DataTree) -> None:
    """The findings of the paper's section on debiasing, each as a probability.

    Bounds leave room for Monte Carlo error: .015 at a probability of .9 of 4,000 draws is three
    standard errors.
    """
    overall = comparison.alignment(religion_tree).iloc[0]
    assert overall["p_narrower"] > 0.85  # the overall coefficients align: .93
    assert overall["after"] < 0.6 * overall["before"]
    orders = comparison.order_changes(religion_tree)
    words = orders[orders["level"] == "word"]
    assert (words["p_turned"] < 0.5).all()  # no word's order is likely to have turned
    assert 1.5 < words["p_turned"].sum() < 4.5  # of 15: 2.9
    muslim = words[words["protected_group"] == "muslim"]
    assert (muslim["p_turned"] < 0.12).all()
    moved = comparison.side_effects(religion_tree)
    human = row(moved, level="overall", connection="human")
    assert human["p_direction"] > 0.95  # human words move too: .98
    by_word = moved[(moved["level"] == "word") & (moved["connection"] == "human")]
    assert {"jew", "torah", "synagogue", "mosque"} <= set(
        by_word[by_word["p_moved"] > 0.9]["protected_word"]
    )
    # Neutral words move for single words, not overall: what the eye saw is not all there is.
    neutral = row(moved, level="overall", connection="neutral")
    assert neutral["p_moved"] < 0.02
    single = moved[(moved["level"] == "word") & (moved["connection"] == "neutral")]
    assert 2 < single["p_moved"].sum() < 6
    associated = row(comparison.changes(religion_tree), level="overall", connection="associated")
    assert associated["p_towards_one"] > 0.95
    assert associated["mean"] == pytest.approx(0.10, abs=0.01)


def test_pairs_are_sharper_than_two_fits(
    religion: tuple[pd.DataFrame, pd.DataFrame], religion_tree: DataTree
) -> None:
    """Sds of the change against sqrt(sd_before² + sd_after²) of the two fits of the paper."""
    fits = [bb.summary(bb.fit(each, "paper-figures", seed=1)) for each in religion]
    change = bb.summary(religion_tree)
    apart = np.hypot(fits[0]["sd"], fits[1]["sd"])
    ratio = (apart / change["sd"]).groupby([change["level"], change["connection"]]).mean()
    assert (ratio["overall"] > 1.8).all()  # 2.2 to 3.3
    assert (ratio["word"] > 1.5).all()  # 1.8 to 3.6
    raw = fits[1]["mean"] - fits[0]["mean"]
    overall = change["level"] == "overall"
    assert np.allclose(raw[overall], change["mean"][overall], atol=0.004)


def test_attribute_effects_widen_overall_intervals(
    religion: tuple[pd.DataFrame, pd.DataFrame], religion_tree: DataTree
) -> None:
    crossed = compare(*religion, attributes=True, seed=1)
    assert crossed.attrs["method"] == "exact"
    sds = [bb.summary(one).query("level == 'overall'")["sd"] for one in (religion_tree, crossed)]
    assert (sds[1] / sds[0] > 1.15).all()  # 1.26 to 2.1


# embeddings ----------------------------------------------------------------------------------


def joint_table(toy_table: pd.DataFrame) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    parts = []
    for name, shift in (("a", 0.0), ("b", 0.05), ("c", 0.15)):
        moved = np.where(toy_table["connection"] == "associated", shift, 0.0)
        noise = 0.01 * rng.standard_normal(len(toy_table))
        distance = toy_table["cosine_distance"] + moved + noise
        parts.append(toy_table.assign(cosine_distance=distance, embedding=name))
    return pd.concat(parts, ignore_index=True)


def test_embeddings_are_compared_two_by_two(toy_table: pd.DataFrame) -> None:
    trees = comparison.compare_embeddings(joint_table(toy_table), seed=1, **FAST)
    assert list(trees) == [("a", "b"), ("a", "c"), ("b", "c")]
    frame = comparison.embedding_changes(trees)
    top = frame[(frame["level"] == "overall") & (frame["first"] == "associated")]
    top = top[top["second"] == "human"]
    for low, high, truth in zip(top["low"], top["high"], (0.05, 0.15, 0.10), strict=True):
        assert low < truth < high
    means = comparison.embedding_changes(trees, "connections")
    assert {"before", "after", "p_towards_one"} <= set(means.columns)
    assert list(means.columns[:2]) == ["first_embedding", "second_embedding"]


def test_google_and_reddit_differ_in_controls_but_not_in_stereotypes(
    published: Callable[[str], pd.DataFrame],
) -> None:
    """The published religion tables; sds are .02 to .05, of 4,000 draws each."""
    names = {"google": "religion_group_google_dataset", "reddit": "religion_group_reddit_dataset"}
    table = pd.concat([published(file).assign(embedding=name) for name, file in names.items()])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*no partner")
        trees = comparison.compare_embeddings(table, attributes=True, seed=1)
    frame = comparison.embedding_changes(trees).query("level == 'overall'")
    controls = row(frame, first="neutral", second="human")
    assert controls["mean"] == pytest.approx(0.064, abs=0.005)
    assert controls["low"] > 0.01  # .025
    stereotypes = frame[frame["first"].isin(["associated", "different"])]
    assert ((stereotypes["low"] < 0) & (stereotypes["high"] > 0)).all()


def test_embeddings_need_two_and_a_kind(toy_table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="lacks the column"):
        comparison.compare_embeddings(toy_table)
    with pytest.raises(ValueError, match="has one embedding, 'x'"):
        comparison.compare_embeddings(toy_table.assign(embedding="x"))
    with pytest.raises(ValueError, match="did you mean 'contrasts'"):
        comparison.embedding_changes({}, "contrast")


# a planted change, many times ------------------------------------------------------------------


def planted(rng: np.random.Generator, attribute_sd: float) -> tuple[pd.DataFrame, ...]:
    """Tables of 15 words in 3 groups with drawn means, changes and scales; and the true cells.

    Single distances before and after have sds .18 and .14 and correlate by .7, means before and
    changes of words are independent: the slope of one on the other is 0 between words and -.88
    within, unlike what `compare` takes for granted.
    """
    rows = []
    for word in range(15):
        sets = [
            (f"s{k}_{a}", "associated" if k == word % 3 else "different")
            for k in range(3)
            for a in range(4)
        ]
        sets += [(f"n{a}", "neutral") for a in range(30)] + [(f"h{a}", "human") for a in range(20)]
        rows += [(f"w{word}", f"g{word % 3}", a, c) for a, c in sets]
    frame = pd.DataFrame(
        rows, columns=["protected_word", "protected_group", "attribute", "connection"]
    ).assign(attribute_set="s")
    overall = rng.normal(0.9, 0.08, 4), rng.normal(0.03, 0.05, 4)
    before = overall[0] + rng.uniform(0.04, 0.12) * rng.standard_normal((15, 4))
    change = overall[1] + rng.uniform(0.02, 0.1) * rng.standard_normal((15, 4))
    word = frame["protected_word"].str[1:].astype(int).to_numpy()
    connection = pd.Categorical(frame["connection"], categories=list(CONNECTIONS)).codes
    attribute, names = pd.factorize(frame["attribute"])
    effects = attribute_sd * rng.standard_normal((2, len(names)))
    covariance = [[0.18**2, 0.7 * 0.18 * 0.14], [0.7 * 0.18 * 0.14, 0.14**2]]
    noise = rng.multivariate_normal([0, 0], covariance, len(frame))
    first = before[word, connection] + effects[0, attribute] + noise[:, 0]
    second = (before + change)[word, connection] + effects.sum(axis=0)[attribute] + noise[:, 1]
    tables = [frame.assign(cosine_distance=y.clip(0, 2)) for y in (first, second)]
    truth = pd.DataFrame({"before": before.ravel(), "change": change.ravel()})
    return (*tables, truth, pd.DataFrame({"change": overall[1]}))


def inside(frame: pd.DataFrame, truth: np.ndarray, prefix: str = "") -> np.ndarray:
    low, high = (frame[f"{prefix}{end}"].to_numpy() for end in ("low", "high"))
    return np.asarray((low <= truth) & (truth <= high))


@pytest.mark.slow
def test_planted_changes_and_turns_are_covered_as_they_should_be() -> None:
    """Nominal coverage of .89; 40 tables of 15 words, whose cells share a few scales.

    With 40 tables overall coverage of 160 means has a standard error of .025, and by word it
    varies by less; .8 and .96 are some three standard errors off.
    """
    rng = np.random.default_rng(0)
    covered: dict[str, list[np.ndarray]] = {}
    turned, said, apart = [], [], []
    for seed in range(40):
        before, after, truth, overall = planted(rng, 0.0)
        tree = compare(before, after, seed=seed, method="exact", **FAST)
        frame = comparison.changes(tree)
        cells = truth.to_numpy().reshape(15, 4, 2)
        words = frame[frame["level"] == "word"]
        parts = {
            "overall": inside(frame[frame["level"] == "overall"], overall["change"].to_numpy()),
            "word": inside(words, truth["change"].to_numpy()),
        }
        orders = comparison.order_changes(tree).query("level == 'word'")
        gaps = {"before": cells[:, 0, 0] - cells[:, 1, 0]}
        gaps["after"] = gaps["before"] + cells[:, 0, 1] - cells[:, 1, 1]
        parts |= {f"gap {name}": inside(orders, gap, f"{name}_") for name, gap in gaps.items()}
        for name, part in parts.items():
            covered.setdefault(name, []).append(part)
        turned.append((gaps["before"] < 0) != (gaps["after"] < 0))
        said.append(orders["p_turned"].to_numpy())
        apart.append(_turned_apart(before, after, seed))
    for name, shares in covered.items():
        assert 0.8 < np.concatenate(shares).mean() < 0.96, name
    p, q, fact = (np.concatenate(each) for each in (said, apart, turned))
    # 600 words: the share of turns is known to .02, and turns of one table go together.
    assert p.mean() == pytest.approx(fact.mean(), abs=0.05)
    assert ((p - fact) ** 2).mean() < ((q - fact) ** 2).mean()  # better than two separate fits
    shares = [(p[at].mean(), fact[at].mean(), at.sum()) for at in _bins(p)]
    for predicted, happened, n in shares:
        assert happened == pytest.approx(predicted, abs=0.04 + 3 * np.sqrt(0.25 / n))


def _turned_apart(before: pd.DataFrame, after: pd.DataFrame, seed: int) -> np.ndarray:
    """Probabilities that the order turned by two fits as if before and after were unrelated."""
    gaps = []
    for at, table in enumerate((before, after)):
        means = stacked(
            bb.fit(table, "paper-figures", seed=100 + 2 * seed + at, **FAST), "word_mean"
        )
        gaps.append(means[:, :, 0] < means[:, :, 1])
    return np.asarray((gaps[0] != gaps[1]).mean(axis=0))


def _bins(p: np.ndarray) -> list[np.ndarray]:
    return [
        at
        for low, high in pairwise((0, 0.1, 0.25, 0.5, 1.01))
        if (at := (p >= low) & (p < high)).sum() >= 30
    ]


@pytest.mark.slow
def test_attribute_effects_are_needed_where_attributes_move() -> None:
    """30 tables in which attributes' own movement has an sd of .06: only the crossed model covers.

    120 overall means: a coverage of .89 has a standard error of .03.
    """
    rng = np.random.default_rng(1)
    covered: dict[bool, list[np.ndarray]] = {False: [], True: []}
    for seed in range(30):
        before, after, _, overall = planted(rng, 0.06)
        for attributes, found in covered.items():
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                tree = compare(
                    before, after, attributes=attributes, seed=seed, method="exact", **FAST
                )
            frame = bb.summary(tree).query("level == 'overall'")
            found.append(inside(frame, overall["change"].to_numpy()))
    shares = {attributes: np.concatenate(found).mean() for attributes, found in covered.items()}
    assert shares[True] > 0.8
    assert shares[False] < shares[True] - 0.03
