"""Contrasts against NumPy on the draws, and the probabilities they are read by."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from xarray import DataTree

import bayesbias as bb
from bayesbias.model.likelihood import locations
from bayesbias.model.tree import labels
from bayesbias.nulls import Scenario
from bayesbias.posterior.contrasts import compare_draws, contrasts
from bayesbias.sampling.fit import fit
from bayesbias.tables.levels import LEVELS, at_level

CONNECTIONS = ["associated", "different", "neutral", "human"]


@pytest.fixture(scope="module")
def frame(crossed_posterior: DataTree) -> pd.DataFrame:
    return contrasts(crossed_posterior, rope=0.05)


def test_every_pair_at_every_level_in_order(frame: pd.DataFrame) -> None:
    pairs = list(combinations(CONNECTIONS, 2))
    assert len(frame) == 7 * len(pairs)  # overall, 2 groups, 4 words
    for _, part in frame.groupby(["level", "protected_group", "protected_word"], sort=False):
        assert list(zip(part["first"], part["second"], strict=True)) == pairs


def test_levels_are_a_partition_of_a_frame(frame: pd.DataFrame) -> None:
    joined = pd.concat([at_level(frame, level) for level in LEVELS], ignore_index=True)
    pd.testing.assert_frame_equal(joined, frame)


def test_a_contrast_is_taken_draw_by_draw(frame: pd.DataFrame, crossed_posterior: DataTree) -> None:
    means = crossed_posterior["posterior"]["word_mean"].sel(protected_word="hers")
    apart = (means.sel(connection="associated") - means.sel(connection="neutral")).values.ravel()
    wanted = (frame["protected_word"] == "hers") & (frame["first"] == "associated")
    found = frame[wanted & (frame["second"] == "neutral")].iloc[0]
    assert found["mean"] == pytest.approx(apart.mean())
    assert found["sd"] == pytest.approx(apart.std(ddof=1))
    assert found["p_direction"] == pytest.approx(max((apart > 0).mean(), (apart < 0).mean()))
    assert found["p_rope"] == pytest.approx((abs(apart) < 0.05).mean())


def test_the_farthest_of_all_words(frame: pd.DataFrame, crossed_posterior: DataTree) -> None:
    means = crossed_posterior["posterior"]["word_mean"]
    apart = means.sel(connection="associated") - means.sel(connection="human")
    sizes = abs(apart.stack(sample=["chain", "draw"]).values)
    expected = np.bincount(sizes.argmax(axis=0), minlength=4) / sizes.shape[1]
    words = frame[(frame["first"] == "associated") & (frame["second"] == "human")]
    np.testing.assert_allclose(words["p_most"].iloc[3:], expected)
    assert frame.loc[frame["level"] != "word", "p_most"].isna().all()


def test_probabilities_of_a_known_normal() -> None:
    """Quantiles of Normal(.1, .2): P(> 0) = Phi(.5), P(|x| < .05) by two Phis."""
    quantiles = norm(0.1, 0.2).ppf((np.arange(50_000) + 0.5) / 50_000)
    found = compare_draws(np.column_stack([quantiles, -quantiles]), 0.89, 0.05).iloc
    expected = norm.cdf(0.05, 0.1, 0.2) - norm.cdf(-0.05, 0.1, 0.2)
    for row in (found[0], found[1]):
        assert row["p_direction"] == pytest.approx(norm.cdf(0.5), abs=1e-4)  # grid of 50,000
        assert row["p_rope"] == pytest.approx(expected, abs=1e-4)


def test_the_default_rope_follows_the_scale_of_the_distances() -> None:
    """A transformer's cosines spread a twentieth as far: relative to that, all is the same."""
    table = Scenario(n_words=4, n_attributes=5, effect=0.08).table(seed=3)
    frames = []
    for scale in (1.0, 0.05):
        scaled = 1 - (1 - table["cosine_distance"]) * scale
        frames.append(contrasts(fit(table.assign(cosine_distance=scaled), seed=1)))
    spread = table["cosine_distance"].std(ddof=0)
    for frame, scale in zip(frames, (1.0, 0.05), strict=True):
        assert frame.attrs["rope"] == pytest.approx(0.15 * scale * spread)
    small = frames[1].assign(**{name: frames[1][name] * 20 for name in ("mean", "low", "high")})
    columns = ["mean", "low", "high", "p_direction", "p_rope"]
    # Up to the draws, and to the prior of the mean, which is absolute and wide.
    np.testing.assert_allclose(frames[0][columns], small[columns], atol=0.02)


@pytest.mark.parametrize("kind", ["eti", "hdi"])
def test_numbers_given_the_sds_are_those_of_sampled_effects(
    crossed_posterior: DataTree, kind: str
) -> None:
    found = contrasts(crossed_posterior, 0.8, rope=0.1, ci_kind=kind)
    gap = found[(found["first"] == "associated") & (found["second"] == "human")].iloc[0]
    means = crossed_posterior["posterior"]["connection_mean"]
    apart = (means.sel(connection="associated") - means.sel(connection="human")).values.ravel()
    expected = compare_draws(apart[:, None], 0.8, 0.1, kind).iloc[0]
    # Of 2,000 draws: four errors of a mean, of a share, and of a quantile at 10% (1.7 times the
    # mean's); the shortest of many intervals errs three times as much.
    error = 4 * apart.std() / np.sqrt(2000)
    assert gap["mean"] == pytest.approx(expected["mean"], abs=error)
    np.testing.assert_allclose(
        gap[["low", "high"]].astype(float),
        expected[["low", "high"]].astype(float),
        atol=error * {"eti": 1.7, "hdi": 5.1}[kind],
    )
    for name in ("p_direction", "p_rope"):
        assert gap[name] == pytest.approx(expected[name], abs=4 * 0.5 / np.sqrt(2000))
    assert (found.attrs["ci_prob"], found.attrs["ci_kind"]) == (0.8, kind)


def test_means_of_the_listed_words_are_averages_over_their_rows(
    crossed_posterior: DataTree,
) -> None:
    found = contrasts(crossed_posterior, over="listed")
    rows = np.arange(crossed_posterior["observed_data"].sizes["row"])
    expected = locations(crossed_posterior, rows)
    constants = crossed_posterior["constant_data"]
    connection, word = constants["connection_index"].values, constants["word_index"].values
    group = constants["group_index"].values
    names = labels(crossed_posterior, "connection")

    def mean(w: int, name: str) -> np.ndarray:
        return expected[:, (word == w) & (connection == names.index(name))].mean(axis=1)

    by_word = [mean(w, "associated") - mean(w, "different") for w in range(len(group))]
    first = (found["first"] == "associated") & (found["second"] == "different")
    ours = found[first].set_index("level")["mean"]
    assert ours["overall"] == pytest.approx(np.mean(by_word), abs=1e-12)
    by_group = [np.mean([by_word[w] for w in np.flatnonzero(group == g)]) for g in (0, 1)]
    np.testing.assert_allclose(ours["group"], by_group, atol=1e-12)
    np.testing.assert_allclose(ours["word"], np.mean(by_word, axis=1), atol=1e-12)


def test_a_set_near_to_all_is_in_the_listed_words_and_not_in_the_population() -> None:
    """Set B lies .2 nearer to the words of both groups: A's group would seem to be far from A."""
    table = Scenario().table(seed=1)
    nearer = table["attribute_set"] == "B"
    table["cosine_distance"] -= 0.2 * nearer
    post = fit(table, "maximal", draws=500, seed=1)
    group = {}
    for over in ("population", "listed"):
        frame = contrasts(post, over=over)
        group[over] = frame[frame["level"] == "group"]["mean"].to_numpy()
    assert np.abs(group["population"]).max() < 0.03  # three standard errors of 64 cells
    np.testing.assert_allclose(group["listed"], [0.2, -0.2], atol=0.03)


@pytest.fixture(scope="module")
def one_biased_word() -> pd.DataFrame:
    """One word of sixteen is .16 closer to its own attributes, which is four standard errors."""
    made = Scenario(word_sd=0.04, attribute_sd=0.04, effect=0.16, planted="one word")
    return made.table(seed=1)


def test_a_word_on_its_own_is_where_its_rows_are(one_biased_word: pd.DataFrame) -> None:
    """Attributes are all but known from the 15 other words, and the prior adds .04² / .28²."""
    table = one_biased_word
    post = bb.fit(table, "maximal", draws=500, seed=1)
    found = bb.unpooled_contrasts(post, "X1", seed=1).iloc[0]
    distances = table.pivot_table("cosine_distance", "protected_word", "attribute")
    own = table[table["protected_word"] == "X1"].set_index("attribute")["connection"]
    against_others = distances.loc["X1"] - distances.drop(index="X1").mean()
    means = against_others.groupby(own).mean()
    by_hand = means["associated"] - means["different"]
    pooled = bb.contrasts(post).query("protected_word == 'X1'").iloc[0]
    assert found["mean"] == pytest.approx(by_hand, abs=0.01)
    assert abs(pooled["mean"]) < abs(found["mean"]) - 0.05
    assert found["high"] < 0


def test_frames_have_the_columns_of_contrasts_and_a_seed(one_biased_word: pd.DataFrame) -> None:
    table = one_biased_word
    post = bb.fit(table, "crossed", draws=200, seed=1)
    found = bb.unpooled_contrasts(post, ["Y2", "X1"])
    assert list(found.columns) == list(bb.contrasts(post).columns.drop(["p_most", "estimand"]))
    assert found["protected_word"].tolist() == ["Y2", "X1"]
    assert found["protected_group"].tolist() == ["Y", "X"]
    again = bb.unpooled_contrasts(post, ["Y2", "X1"], seed=found.attrs["seed"])
    pd.testing.assert_frame_equal(again, found)
    assert len(bb.unpooled_contrasts(post)) == table["protected_word"].nunique()
