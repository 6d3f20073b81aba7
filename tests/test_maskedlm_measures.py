"""Measures of scored pairs, and the model of preferences: closed forms, and plain loops."""

from collections import defaultdict
from functools import partial
from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from builders import refused, rows_of
from numpy.random import SeedSequence, default_rng
from scipy.integrate import quad
from scipy.stats import binom, norm
from xarray import DataTree

import bayesbias as bb
from bayesbias import maskedlm
from bayesbias._core.intervals import describe_draws
from bayesbias.maskedlm import model_contrasts, model_ranks, pair_scales, pair_summary, preferences
from bayesbias.maskedlm.datasets import ROLES
from bayesbias.maskedlm.shares import EQUAL, shares, word_shares
from bayesbias.model.tree import keep_warnings
from bayesbias.posterior.summaries import compare_draws
from bayesbias.workflows.pairs import PairSettings, analyze_pairs


def true_js(fitted: maskedlm.Normals) -> float:
    """Compute the Jensen-Shannon divergence in bits by SciPy's adaptive quadrature."""
    one, other = (norm(*part) for part in zip(fitted.means, fitted.sds, strict=True))
    low = min(one.mean() - 30 * one.std(), other.mean() - 30 * other.std())
    high = max(one.mean() + 30 * one.std(), other.mean() + 30 * other.std())

    def integrand(x: float) -> float:
        p, q = one.pdf(x), other.pdf(x)
        m = (p + q) / 2
        return sum(0.5 * side * np.log2(side / m) for side in (p, q) if side > 0)

    places = sorted({*fitted.means, sum(fitted.means) / 2})
    return float(quad(integrand, low, high, points=places, limit=500, epsabs=1e-12)[0])


@pytest.mark.parametrize(
    ("means", "sds"), [((-3, 5), (2, 0.5)), ((0, 0.1), (1, 1)), ((0, 1), (20, 1)), ((0, 0), (1, 3))]
)
def test_js_is_the_integral_of_its_definition(means, sds) -> None:
    fitted = maskedlm.Normals(means, sds)
    # Both quadratures are accurate to 1e-10 or better.
    assert fitted.js_divergence() == pytest.approx(true_js(fitted), abs=1e-9)


def test_worked_numbers_of_the_published_code() -> None:
    """For N(0,1) and N(4,1), (2²/2 + 2²/2)/2 = 2 (true: .633 nats), and the code inverts it."""
    far = maskedlm.Normals((0.0, 4.0), (1.0, 1.0))
    assert far.js_divergence() * np.log(2) == pytest.approx(0.633, abs=5e-4)  # as printed
    assert far.jss("published") == pytest.approx(50.0)  # 100 (1 - 1/2) / (1 + 0)
    # The sds differ by 2, which the code also inverts to 1/2.
    wide = maskedlm.Normals((0.0, 0.0), (1.0, 3.0))
    js = (0.5 * np.log(5) + 0.1 - 0.5 + 0.5 * np.log(5 / 9) + 0.9 - 0.5) / 2  # Normal of variance 5
    assert wide.jss("published") == pytest.approx(100 * (1 - js) / 1.5)
    assert wide.jss() == pytest.approx(100 * (1 - true_js(wide)) / 3, abs=1e-6)


def test_kls_by_hand_and_jss_of_equal_scores() -> None:
    assert maskedlm.Normals((0.0, 9.0), (2.0, 2.0)).kls() == pytest.approx(
        50.0
    )  # however far apart
    # KL(N(0,1) | N(0,2)) = ln 2 + 1/8 - 1/2; the reverse is -ln 2 + 2 - 1/2.
    one, other = np.log(2) - 0.375, 1.5 - np.log(2)
    assert maskedlm.Normals((0, 0), (1, 2)).kls() == pytest.approx(100 * other / (one + other))
    same = maskedlm.Normals.fit([1.0, 2.0, 4.0], [1.0, 2.0, 4.0])
    assert (same.jss(), same.jss("published")) == pytest.approx((100, 100))
    assert same.sds[0] == pytest.approx(np.sqrt(7 / 3))  # with n - 1
    refused("KLS is undefined", same.kls)
    for sides in (([1.0, 2.0], [1.0]), ([1.0], [2.0]), ([[1.0, 2.0]], [[1.0, 2.0]])):
        refused("scores for the same pairs", maskedlm.Normals.fit, *sides)
    for sides in (([0.1] * 3, [1, 2, 4]), ([1, 2, 4], [0.1] * 3)):  # NumPy's sd is 1e-17
        refused("scores are equal", maskedlm.Normals.fit, *sides)
    for means, sds in (((0, 1), (0, 1)), ((0, 1), (-1, 1))):
        refused("above zero", maskedlm.Normals, means, sds)
    for means, sds in (((0,), (1, 1)), ((0, 1), (1,)), ((0, np.nan), (1, 1)), ((0, 1), (1, 2, 3))):
        refused("two finite means and sds", maskedlm.Normals, means, sds)
    refused("finite scores", maskedlm.Normals.fit, [1.0, 2.0], [1.0, np.inf])
    refused("all stereotypical scores are equal", maskedlm.Normals.fit, [1.0, 1.0], [2.0, 3.0])


@pytest.mark.filterwarnings("error")
def test_huge_scores_have_the_limits_of_the_measures() -> None:
    """Sds of 1 and 1e200: one divergence is infinite. Far means: the Normals do not overlap."""
    far = maskedlm.Normals((0.0, 1e200), (1.0, 1.0))
    refused("KLS is undefined", far.kls)
    assert (far.js_divergence(), far.jss()) == (1, 0)
    wide = maskedlm.Normals((0.0, 0.0), (1e200, 3e200))
    like = maskedlm.Normals((0.0, 0.0), (1.0, 3.0))  # KLS does not depend on the scale
    assert wide.kls() == pytest.approx(like.kls())
    assert wide.js_divergence() == pytest.approx(like.js_divergence())
    refused("two finite", maskedlm.Normals.fit, [1e200, -1e200], [1.0, 2.0])
    paired = pd.DataFrame({"stereotypical": [1e200, -1e200], "anti_stereotypical": [1.0, 2.0]})
    paired = paired.assign(model="m", measure="pll", bias_type="age")
    assert maskedlm.measure_table(paired)["kls"].isna().all()


def test_types_are_weighted_by_their_pairs_and_a_type_of_one_pair_stops_no_other() -> None:
    rng, n = np.random.default_rng(3), 43
    paired = pd.DataFrame({"model": "toy", "measure": "pll", "pair_id": np.arange(n).astype(str)})
    paired["bias_type"] = np.repeat(["a", "b", "one"], [12, 30, 1])
    paired["stereotypical"], paired["anti_stereotypical"] = rng.normal(-30, 6, (2, n))
    paired.loc[3, "anti_stereotypical"] = paired.loc[3, "stereotypical"]
    table = maskedlm.measure_table(paired).set_index("bias_type")
    assert list(table.index) == ["a", "b", "one", "all"]
    assert table["n_ties"].tolist() == [1, 0, 0, 1]
    for name in ("kls", "jss", "jss_published"):
        assert np.isnan(table.loc["one", name])
        by_hand = (12 * table[name].iloc[0] + 30 * table[name].iloc[1]) / 42
        assert table.loc["all", name] == pytest.approx(by_hand)
    won = (paired["stereotypical"] > paired["anti_stereotypical"]).mean() + 0.5 / n
    assert table.loc["all", "percentage"] == pytest.approx(100 * won)
    refused("is missing columns", maskedlm.measure_table, paired.drop(columns="stereotypical"))
    refused("no paired scores", maskedlm.measure_table, paired.iloc[:0])
    for name in ("model", "bias_type"):
        gaps = paired.assign(**{name: [None, *paired[name].iloc[1:]]})
        refused(f"row 0, .*has an empty {name}", maskedlm.measure_table, gaps)


MIXED = ["model", "measure", "pair_id", "bias_type", "cluster"]


@pytest.mark.parametrize(
    "read",
    [
        maskedlm.measure_table,
        maskedlm.preference_gaps,
        partial(maskedlm.observed_shares, seed=1),
        maskedlm.icat,
        lambda paired: maskedlm.pair_summary(maskedlm.fit_pairs(paired, draws=10, seed=1)),
        lambda paired: analyze_pairs(paired, PairSettings(draws=10)).found.frames["measures"],
    ],
)
def test_labels_that_are_numbers_are_those_of_text(read) -> None:
    """Frames of two sources may have 1, 1.0, and "1", which is one label."""
    rng = default_rng(4)
    paired = pd.DataFrame(rng.normal(size=(24, 3)), columns=[*ROLES, "unrelated"])
    paired["difference"] = paired[ROLES[0]] - paired[ROLES[1]]
    labels = {"model": np.repeat(["1", "2"], 12), "pair_id": [*map(str, range(12))] * 2}
    labels |= {"bias_type": ["1", "2"] * 12, "cluster": ["1", "2", "3"] * 8}
    paired = paired.assign(measure="1", **labels)
    mixed = paired.astype(dict.fromkeys(MIXED, object))
    for column, (start, kind) in product(MIXED, enumerate((int, float, np.float32))):
        mixed.loc[start::5, column] = mixed.loc[start::5, column].map(kind)
    pd.testing.assert_frame_equal(read(mixed), read(paired))


def test_labels_that_differ_by_a_blank_are_two() -> None:
    paired = preferred(("a", "a "), n_clusters=4)
    for read in (maskedlm.measure_table, partial(maskedlm.observed_shares, seed=1)):
        both = read(paired).groupby("model")["n_pairs"].max()
        assert both.to_dict() == {"a": len(paired) / 2, "a ": len(paired) / 2}


def published_icat(scores: pd.DataFrame) -> tuple[float, float, float]:
    """Follow `ScoreEvaluator` in moinnadeem/StereoSet's evaluation.py with plain loops."""
    counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for row in scores.to_dict("records"):
        stereo, anti, other = row["stereotypical"], row["anti_stereotypical"], row["unrelated"]
        of_target = counts[row["cluster"]]
        of_target["pro"] += stereo > anti
        of_target["related"] += (stereo > other) + (anti > other)
        of_target["total"] += 1
    ss = np.mean([100 * target["pro"] / target["total"] for target in counts.values()])
    lms = np.mean([50 * target["related"] / target["total"] for target in counts.values()])
    return float(ss), float(lms), float(lms * min(ss, 100 - ss) / 50)


def test_icat_is_that_of_the_published_code() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 4, (60, 3))  # ties too
    frame = pd.DataFrame(rows, columns=["stereotypical", "anti_stereotypical", "unrelated"])
    frame = frame.assign(model="toy", bias_type=np.repeat(["race", "gender"], 30))
    frame["cluster"] = frame["bias_type"] + rng.integers(0, 4, 60).astype(str)
    found = maskedlm.icat(frame).set_index("bias_type")
    assert list(found.index) == ["all", "race", "gender"]
    for name, some in (("all", frame), *frame.groupby("bias_type")):
        ours = found.loc[name, ["ss", "lms", "icat"]].to_numpy(dtype=float)
        np.testing.assert_allclose(ours, published_icat(some))
    best = frame.assign(unrelated=-1, stereotypical=[1, 3] * 30, anti_stereotypical=2, cluster="t")
    assert maskedlm.icat(best).loc[0, ["ss", "lms", "icat"]].tolist() == [50, 100, 100]


def preferred(
    models: tuple[str, ...] = ("one",), n_clusters: int = 40, size: int = 3, seed: int = 1
) -> pd.DataFrame:
    """Return pairs of two types in clusters, on which language models mostly agree."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(n_clusters), size)
    types = np.array(["age", "race"])[cluster % 2]
    mean = np.where(types == "age", 0.5, -0.3) + rng.standard_normal(n_clusters)[cluster]
    tokens = rng.integers(-1, 2, len(cluster))
    pairs = pd.DataFrame({"pair_id": np.arange(len(cluster)).astype(str), "bias_type": types})
    pairs["direction"] = np.where(cluster % 5 == 0, "antistereo", "stereo")
    pairs = pairs.assign(measure="pll", cluster=cluster.astype(str), token_difference=tokens)
    frames = []
    for shift, name in enumerate(models):
        difference = mean + 0.6 * shift - tokens + rng.standard_normal(len(cluster))
        frames.append(pairs.assign(model=name, difference=difference))
    return pd.concat(frames, ignore_index=True)


BOTH = ("one", "other")


def shares_of(tree: DataTree, quantity: str = "p_stereotypical") -> pd.DataFrame:
    frame = maskedlm.pair_summary(tree)
    frame = frame[(frame["quantity"] == quantity) & (frame["level"] != "population")]
    return frame.set_index(["bias_type", "model"])


def test_shares_and_their_differences_follow_what_was_observed() -> None:
    paired = preferred(BOTH)
    tree = maskedlm.fit_pairs(paired, seed=1, chains=2)
    found, won = shares_of(tree), paired["difference"] > 0
    for key, share in won.groupby([paired["bias_type"], paired["model"]]).mean().items():
        # Types with 20 clusters shrink toward each other by less than one posterior sd.
        assert abs(found["mean"][key] - share) < found["sd"][key]
    overall = won.groupby(paired["model"]).mean()
    # Shrinkage of slopes and clusters barely changes the mean of all pairs.
    np.testing.assert_allclose(found["mean"][""][overall.index], overall, atol=0.02)
    row = maskedlm.model_contrasts(tree).query("level == 'overall'").iloc[0]
    assert (row["first"], row["second"]) == BOTH
    assert row["mean"] == pytest.approx(overall["one"] - overall["other"], abs=0.02)
    assert row["sd"] < 0.9 * np.hypot(*found["sd"][""])  # pairs and clusters cancel
    scales = maskedlm.pair_scales(tree).set_index(["parameter", "model"])
    assert scales.loc[("slope of token_difference", "one"), "high"] < 0
    assert {"type_sd", "cluster_sd", "sigma"} <= set(scales.index.get_level_values(0))


@pytest.mark.parametrize("agree", [False, True])
def test_an_interval_is_that_of_means_of_clusters_where_these_are_many(*, agree: bool) -> None:
    """Compare with the closed-form variance of a mean of equally large clusters."""
    paired = preferred(n_clusters=300, size=4)
    paired = paired.assign(bias_type="age").drop(columns=["token_difference", "direction"])
    if agree:
        paired["difference"] = paired.groupby("cluster")["difference"].transform("first")
    found = shares_of(maskedlm.fit_pairs(paired, seed=1, chains=2)).loc[("age", "one")]
    of_clusters = (paired["difference"] > 0).groupby(paired["cluster"]).mean()
    assert found["mean"] == pytest.approx(of_clusters.mean(), abs=0.005)  # 2,000 draws with sd .02
    # Two variances estimated from 300 clusters have errors of 5% each.
    assert found["sd"] == pytest.approx(of_clusters.std() / np.sqrt(300), rel=0.15)


@pytest.mark.parametrize("settled_by", ["clusters", "clusters and tokens", "tokens"])
def test_pairs_without_residuals_have_shares_as_uncertain_as_their_clusters(
    settled_by: str,
) -> None:
    """Their residual sd would pile up at zero, where no sampler ends."""
    rng = np.random.default_rng(5)
    paired = preferred(n_clusters=12, size=1 if settled_by == "tokens" else 2)
    paired = paired.drop(columns="direction")
    chosen = rng.permutation(12) < 7
    likes = np.resize(np.repeat(chosen, len(paired) // 12), len(paired))
    paired["token_difference"] = 0
    if settled_by != "clusters":
        odd = [0, 4, 5]
        likes[odd] = ~likes[odd]
        paired.loc[odd, "token_difference"] = np.where(likes[odd], 1, -1)
    if settled_by == "tokens":
        paired["token_difference"] = np.where(likes, 1, -1)
    paired["difference"] = np.where(likes, 1.0, -1.0)
    tree = maskedlm.fit_pairs(paired, seed=1, draws=500)
    assert tree.attrs["method"] == "exact"
    found = shares_of(tree).loc[("", "one")]
    # Shares of the two types shrink toward each other by less than a fifth of the binomial sd.
    assert found["mean"] == pytest.approx(likes.mean(), abs=0.03)
    assert settled_by == "tokens" or found["sd"] > 0.8 * likes.std() / np.sqrt(12)


def test_equal_token_differences_are_no_covariate() -> None:
    """The sd of a hundred values of .1 is 1e-17."""
    paired = preferred(n_clusters=25).drop(columns="direction").assign(token_difference=0.1)
    assert preferences(paired, "pll").design.covariates == ()


def test_posteriors_do_not_depend_on_the_scale_of_scores_nor_on_the_order_of_models() -> None:
    paired, options = preferred(BOTH, n_clusters=12), {"draws": 50, "seed": 4}
    one = maskedlm.fit_pairs(paired, **options)
    ten = maskedlm.fit_pairs(paired.assign(difference=10 * paired["difference"]), **options)
    assert one["posterior"].equals(ten["posterior"])
    turned = maskedlm.fit_pairs(
        paired.sort_values("model", ascending=False), **options | {"draws": 500}
    )
    means = turned["posterior"]["overall_share"].mean(("chain", "draw"))
    expected = one["posterior"]["overall_share"].mean(("chain", "draw"))
    # Each of four chains has fifty draws with an sd of .1.
    np.testing.assert_allclose(means.sel(language_model=[*BOTH]), expected, atol=0.04)


def test_ties_count_half_and_columns_and_pairs_may_be_absent() -> None:
    paired = preferred(n_clusters=4).drop(columns=["cluster", "direction", "token_difference"])
    data = maskedlm.preferences(paired.assign(difference=0.0, token_difference=0.1))
    form = bb.build_model(  # in PyMC
        data.design_of(data.y[:, 0], "one"), bb.load_model("pairs-signs").without("slope")
    )
    assert {"word_mean", "cluster_sd", "sigma"} <= {each.name for each in form.free_RVs}
    assert (data.y == 0.5).all()
    assert data.design.covariates == ()
    assert data.design.attributes == tuple(paired["pair_id"])
    two = preferred(BOTH)
    two.loc[two["model"] == "other", "token_difference"] *= np.resize([1, 2], len(two) // 2)
    names = maskedlm.preferences(two).design.covariates[:2]
    assert names == ("token_difference, one", "token_difference, other")
    assert maskedlm.preferences(two.iloc[3:]).n_left_out == 3
    with pytest.warns(bb.warnings.LeftOut) as told:
        maskedlm.fit_pairs(two.iloc[3:], seed=1, draws=10)
    assert (told[0].message.n, told[0].message.total) == (3, len(two) // 2)


@pytest.mark.parametrize("rows", [slice(0, 3), slice(None)])
def test_token_differences_are_a_covariate_only_if_all_are_known(rows, tmp_path) -> None:
    """As without the column: in frames and in files, also if only some rows lack it."""
    paired = preferred(n_clusters=4)
    paired.loc[paired.index[rows], "token_difference"] = np.nan
    paired.to_csv(tmp_path / "scores.csv", index=False)
    without = maskedlm.preferences(paired.drop(columns="token_difference"))
    for frame in (paired, maskedlm.read_scores(tmp_path / "scores.csv")):
        if "token_difference" not in frame:
            continue  # no row of a file had it
        with pytest.warns(bb.warnings.IncompleteCovariate) as told:
            data = maskedlm.preferences(frame)
        assert (told[0].message.n, told[0].message.total) == (len(paired[rows]), len(paired))
        assert data.design.covariates == without.design.covariates
        np.testing.assert_array_equal(data.y, without.y)


@pytest.mark.parametrize(
    ("change", "options", "match"),
    [
        ({}, {"model": "maximal"}, "'maximal' is for distances"),
        ({"difference": np.nan}, {}, "row 0, pair '0' .*, needs finite numbers in difference"),
        (lambda f: {"cluster": f.index.astype(str)}, {}, "pair '0' .*, is in two clusters"),
        (lambda f: {"pair_id": f.index.astype(str)}, {}, "no pair has scores from every model"),
        ({"difference": 1.0}, {}, "intervals cannot be estimated"),
        (
            lambda f: {
                "difference": np.where(f["model"] == "one", 1, -1) * (-1.0) ** (f.index % 2)
            },
            {},
            "preferences of one and other are the same, opposite",
        ),
    ],
)
def test_preferences_that_cannot_be_modelled(change, options, match: str) -> None:
    paired = preferred(BOTH, n_clusters=4)
    changed = change(paired) if callable(change) else change
    refused(match, maskedlm.fit_pairs, paired.assign(**changed), **options)


READERS = (
    maskedlm.measure_table,
    maskedlm.preference_gaps,
    maskedlm.observed_shares,
    maskedlm.fit_pairs,
    maskedlm.icat,
)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("difference", np.nan, "row 2, .*needs finite numbers in difference"),
        ("difference", np.inf, "row 2, .*needs finite numbers in difference"),
        ("difference", True, "row 2, .*needs finite numbers in difference"),
        ("unrelated", np.nan, "row 2, .*needs finite numbers in .* and unrelated"),
        ("model", None, "row 2, .*has an empty model"),
        ("pair_id", np.nan, "row 2, .*has an empty pair_id"),
        ("bias_type", " ", "row 2, .*has an empty bias_type"),
        ("bias_type", "all", "row 2, .*has the bias_type 'all'"),
        ("cluster", np.nan, "row 2, .*has an empty cluster"),
        (None, None, "no paired scores|pass a measure"),
    ],
)
def test_rows_that_would_not_count_are_refused(read, column, value, why) -> None:
    paired = preferred(n_clusters=4).assign(stereotypical=0.0, anti_stereotypical=1.0, unrelated=2)
    if column is None:
        return refused(why, read, paired.iloc[:0])
    paired[column] = paired[column].astype(object)
    paired.loc[2, column] = value
    if (column == "unrelated") != (read is maskedlm.icat) and column in {"unrelated", "difference"}:
        return None  # the other column is not read
    return refused(why, read, paired)


def test_pairs_are_sums_and_differences_of_two_sentences() -> None:
    """The gaps are mean differences on either side of zero, without ties."""
    rng, labels = default_rng(3), {"bias_type": "age", "direction": "stereo", "cluster": "c"}
    scores = pd.DataFrame(
        [
            {"model": model, "measure": "pll", "pair_id": str(pair), **labels, "role": role}
            for model in "ab"
            for pair in range(6)
            for role in ("stereotypical", "anti_stereotypical")
        ]
    )
    scores["score"], scores["n_tokens"] = rng.normal(size=24), rng.integers(3, 9, 24)
    scores["n_scored"] = scores["n_tokens"] - rng.integers(0, 3, 24)
    scores.loc[[10, 11], "score"] = -1.0  # a tie
    fewer = scores.drop(index=23).sample(frac=1, random_state=1)
    with pytest.warns(bb.warnings.LeftOut) as told:
        paired = maskedlm.paired_scores(fewer)
    assert (told[0].message.n, told[0].message.names) == (1, ("5",))
    fewer.attrs["unscored"] = [{"measure": "pll", "pair_id": "5"}]  # told already
    pd.testing.assert_frame_equal(maskedlm.paired_scores(fewer), paired)
    assert len(paired) == 11
    wide = scores.pivot(index=["model", "pair_id"], columns="role")
    gaps: dict[str, list[float]] = defaultdict(list)
    for row in paired.to_dict("records"):
        own = wide.loc[row["model"], row["pair_id"]]
        one, other = (own.xs(role, level="role") for role in maskedlm.ROLES)
        assert [row[role] for role in maskedlm.ROLES] == [one["score"], other["score"]]
        assert row["difference"] == one["score"] - other["score"]
        assert row["n_scored"] == (one["n_scored"] + other["n_scored"]) / 2
        assert row["token_difference"] == one["n_tokens"] - other["n_tokens"]
        gaps[row["model"]].append(row["difference"])
    for row in maskedlm.preference_gaps(paired).to_dict("records"):
        own = np.array(gaps[row["model"]])
        above, below = own[own > 0], own[own < 0]
        assert (row["n_st"], row["n_at"]) == (len(above), len(below))
        expected = [above.mean(), -below.mean(), above.mean() + below.mean()]
        assert [row[k] for k in ("delta_st", "delta_at", "difference")] == pytest.approx(expected)


def test_observed_shares_of_single_pairs_are_binomial_and_name_the_largest_cluster() -> None:
    paired = preferred(n_clusters=200, size=1)
    row = maskedlm.observed_shares(paired, 0.89, n_resamples=20_000, seed=1).iloc[0]
    assert row["share"] == (paired["difference"] > 0).mean()
    assert (row["bias_type"], row["n_clusters"]) == ("all", 200)
    # Quantiles of a discrete distribution may differ by one pair.
    expected = binom.ppf([0.055, 0.945], 200, row["share"]) / 200
    np.testing.assert_allclose(row[["low", "high"]].to_list(), expected, atol=1.01 / 200)
    together = maskedlm.observed_shares(paired.assign(cluster="all"), 0.89, seed=1)
    assert (together["low"] == together["high"]).all()
    paired = preferred(n_clusters=8, size=3)
    paired.loc[paired["bias_type"] == "age", "cluster"] = ["gay / straight"] * 7 + ["0"] * 5
    frame = maskedlm.observed_shares(paired, seed=1).set_index("bias_type")
    assert frame["largest_share"].to_dict() == {"all": 7 / 24, "age": 7 / 12, "race": 3 / 12}
    assert frame["largest_cluster"].tolist()[:2] == ["gay / straight"] * 2
    paired.loc[:4, "difference"] = 0.0
    refused("n_resamples must be .* 25 or more", maskedlm.observed_shares, paired, n_resamples=24)
    tied = maskedlm.observed_shares(paired, seed=1).set_index("bias_type").loc["all"]
    assert tied["n_ties"] == 5
    assert tied["share"] == ((paired["difference"] > 0).sum() + 5 / 2) / 24


def test_contrasts_that_share_words_go_together() -> None:
    names = ["black / white", "poor / white", "/ poor", "age"]
    shared = word_shares(names, np.array([2, 1, 1, 1]))
    # Numbers of pairs with black, white, and poor: 2, 3, and 2.
    expected = np.eye(4)
    expected[0, 1] = expected[1, 0] = 9 / np.sqrt((4 + 9) * (9 + 4))
    expected[1, 2] = expected[2, 1] = 2 / np.sqrt(9 + 4)
    np.testing.assert_allclose((shared @ shared.T).toarray(), expected, atol=1e-12)


def test_shares_of_preferences_are_averages_over_pairs_and_new_clusters() -> None:
    """Of 40,000 equal draws, means and sds are those of sums over pairs and words."""
    rng, n = default_rng(5), 40_000
    clusters = ["black / white", "poor / white", "age"] * 2 + ["old / young"]
    pairs = pd.DataFrame({"cluster": clusters, "bias_type": [*"aaabbbb"], "measure": "pll"})
    pairs = pairs.assign(
        pair_id=[*map(str, range(7))], direction=["stereo", "antistereo"] * 3 + ["stereo"]
    )
    frames = [
        pairs.assign(
            model=name, difference=rng.normal(size=7), token_difference=[0, 1, 2, 0, 0, 1, 3]
        )
        for name in "mn"
    ]
    design = preferences(pd.concat(frames)).design
    assert design.covariates == ("token_difference", "direction")
    tokens = np.array([0, 1, 2, 0, 0, 1, 3])
    np.testing.assert_allclose(design.x.T, [tokens / tokens.std(), [1, -1, 1, -1, 1, -1, 1]])
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    one = {
        "mean": np.array([0.6, 0.1]),
        "type": rng.normal([0.6, 0.1], 0.02, (2, 2)),
        "cluster": rng.normal(0, 0.02, (4, 2)),
        "slope": rng.normal(0, 0.02, (2, 2)),
        "type_sd": np.array([0.1, 0.2]),
        "cluster_sd": np.array([0.01, 0.02]),
        "sigma": np.array([0.3, 0.4]),
    }
    effects = {name: np.repeat(value[None], n, axis=0) for name, value in one.items()}
    found = shares(effects, turn, design, SeedSequence(1))
    alike = word_shares(design.attributes, np.bincount(design.attribute)).toarray()
    alike = alike @ alike.T
    of = np.stack([design.word == 0, design.word == 1, design.word >= 0])
    weight = np.array(
        [[(rows & (design.attribute == c)).sum() / rows.sum() for c in range(4)] for rows in of]
    )
    rest = np.maximum(1 - (weight[:2] @ alike).max(axis=0), 0.5)
    means = np.array([design.x[rows].mean(axis=0) for rows in of])
    within = np.array([design.x[design.attribute == c].mean(axis=0) for c in range(4)])
    expected = one["type"][design.word] + one["cluster"][design.attribute] + design.x @ one["slope"]
    tokens = design.x[:, :1] @ one["slope"][:1]
    for row, rows in enumerate(of):
        new = weight[row] / np.sqrt(rest)
        slopes = one["slope"] @ turn.T  # (n_covariates, n_models)
        moved = new[:, None] * ((within - means[row]) @ slopes)
        variance = (one["cluster_sd"] ** 2 * (new @ alike @ new)) @ (turn**2).T
        variance = variance + np.einsum("cm,cd,dm->m", moved, alike, moved)
        name = ("share", "share", "overall_share")[row]
        for ending, mean in (("", expected[rows]), (EQUAL, (expected - tokens)[rows])):
            draws = found[name + ending]
            draws = draws[:, row] if name == "share" else draws
            error = 5 * np.sqrt(variance / n)
            assert (np.abs(draws.mean(axis=0) - mean.mean(axis=0) @ turn.T) < error).all()
            np.testing.assert_allclose(draws.std(axis=0), np.sqrt(variance), rtol=0.02)
    everywhere = one["mean"] + means[2] @ one["slope"]
    np.testing.assert_allclose(found["population_share"][0], everywhere @ turn.T)
    equal = everywhere - means[2, 0] * one["slope"][0]
    np.testing.assert_allclose(found[f"population_share{EQUAL}"][0], equal @ turn.T)
    for name in ("type_sd", "cluster_sd", "sigma"):
        np.testing.assert_allclose(found[name][0] ** 2, turn**2 @ one[name] ** 2)
    np.testing.assert_allclose(found["slope"][0], one["slope"] @ turn.T)
    for sign in (1, -1):  # beyond a share of one, or below zero
        beyond = {name: 9.0 * sign * value for name, value in effects.items()}
        ends = shares(beyond, np.eye(2), design, SeedSequence(1))
        for name in ("share", "overall_share", "population_share"):
            assert set(np.unique(ends[name][..., 0])) == {float(sign > 0)}


def test_language_models_are_ranked_and_compared_draw_by_draw() -> None:
    rng, models, types = default_rng(7), ["m", "n", "o"], ["age", "race"]
    coords = {"language_model": models, "bias_type": types, "covariate": ["token_difference"]}
    sample, of = ("chain", "draw"), ("language_model",)
    shape = {"share": ("bias_type", *of), "overall_share": of, "population_share": of}
    shape |= {"type_sd": of, "cluster_sd": of, "sigma": of, "slope": ("covariate", *of)}
    posterior = {
        name: ((*sample, *dims), rng.uniform(0.3, 0.7, (2, 10, *(len(coords[d]) for d in dims))))
        for name, dims in shape.items()
    }
    for name in ("share", "overall_share"):
        posterior[name][1][0, ..., 1] = posterior[name][1][0, ..., 0]  # equal in half of the draws
    tree = xr.DataTree.from_dict({"posterior": xr.Dataset(posterior, coords)})
    keep_warnings(tree, [])
    values = {name: of.reshape(20, *of.shape[2:]) for name, (_, of) in posterior.items()}
    draws = {
        ("overall", ""): values["overall_share"],
        ("population", ""): values["population_share"],
    }
    draws |= {("bias_type", name): values["share"][:, at] for at, name in enumerate(types)}
    summary, ranks = pair_summary(tree, 0.8, "eti"), model_ranks(tree)
    apart = model_contrasts(tree, 0.8, "eti")
    for key, share in draws.items():
        label = dict(zip(("level", "bias_type"), key, strict=True))
        own = rows_of(summary, label)
        expected = describe_draws(share, 0.8, "eti")
        np.testing.assert_allclose(own[[*expected]], expected)
        np.testing.assert_allclose(own["p_above"], (share > 0.5).mean(axis=0))
        table = rows_of(ranks, label).pivot(index="model", columns="rank", values="probability")
        counted = np.zeros((3, 3))
        for draw in share:  # all orders of the models that agree with the draw
            orders = [
                order for order in permutations(range(3)) if (np.diff(draw[[*order]]) <= 0).all()
            ]
            for order in orders:
                counted[[*order], range(3)] += 1 / (len(orders) * len(share))
        np.testing.assert_allclose(table.loc[models, [1, 2, 3]], counted)
        gaps = np.column_stack([one - other for one, other in combinations(share.T, 2)])
        described = compare_draws(gaps, 0.8, 0.0, "eti")[
            ["mean", "sd", "low", "high", "p_direction"]
        ]
        pairs = rows_of(apart, label)
        assert [*zip(pairs["first"], pairs["second"], strict=True)] == [*combinations(models, 2)]
        np.testing.assert_allclose(pairs[[*described]], described)
    scales = pair_scales(tree, 0.8, "eti").set_index("parameter")
    slope = describe_draws(values["slope"][:, 0], 0.8, "eti")
    np.testing.assert_allclose(scales.loc["slope of token_difference", [*slope]], slope)


def test_icat_by_hand() -> None:
    """Targets count equally; which of the two sentences is the stereotype does not matter."""
    scores = [(2, 1, 0), (2, 1, 3), (1, 2, 0), (5, 4, 4)]  # the last two are of one target
    rows = [("m", "race", target, *of) for target, of in zip("abcc", scores, strict=True)]
    columns = ["model", "bias_type", "cluster", "stereotypical", "anti_stereotypical", "unrelated"]
    frame = pd.DataFrame(rows, columns=columns)
    turned = frame.rename(
        columns={"stereotypical": "anti_stereotypical", "anti_stereotypical": "stereotypical"}
    )
    ss, lms = 100 * np.mean([1, 1, 0.5]), 100 * np.mean([1, 0, (1 + 0.5) / 2])
    for scored, share in ((frame, ss), (turned, 100 - ss)):
        for row in maskedlm.icat(scored).to_dict("records"):
            assert (row["n_clusters"], row["n_targets"]) == (4, 3)
            found = row["ss"], row["lms"], row["icat"]
            assert found == pytest.approx((share, lms, lms * (100 - ss) / 50))
