"""Reliability: of raters, of items, and of a word list's sets and scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import distances, refused
from gensim.models import KeyedVectors
from scipy.optimize import minimize

import bayesbias as bb
from bayesbias.scores import internal_consistency, list_items, rater_agreement, scores_by_pair
from bayesbias.scores.reliability import alpha_of, omega_of, one_factor

SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]
"""Table 2 of Shrout and Fleiss (1979): six targets, four judges."""

ANSWERS = """
1,1,1,1,1,1,1,1,1,1,1 1,1,1,1,1,1,1,1,0,1,0 1,1,1,0,1,1,0,1,1,0,0 1,1,1,1,1,0,0,0,1,0,0
1,1,1,1,0,0,1,0,0,0,0 1,1,1,1,1,0,0,0,0,0,0 0,1,0,1,1,0,0,0,0,1,0 1,1,1,0,0,0,0,0,0,0,0
1,0,0,1,0,0,0,0,0,0,0
"""
"""The cases without gaps of pingouin's `cronbach_wide_missing`, of real-statistics.com."""

LIKERT = """
3 5 7 2 6 1 4 2 6 5 4 4 5 6 4 / 2 4 3 4 5 2 3 4 5 4 3 2 5 5 3 / 4 6 5 3 6 3 5 4 5 6 5 3 6 5 5
1 3 5 3 5 4 3 3 5 4 2 2 2 4 5 / 4 5 6 2 4 2 5 7 1 3 5 5 3 2 3 / 5 1 4 2 4 5 2 2 6 5 3 3 3 2 1
1 2 3 2 4 2 1 2 5 3 2 4 2 1 3 / 4 5 3 6 6 3 2 4 2 1 3 2 4 4 2 / 3 5 6 6 7 5 4 6 3 7 4 3 4 6 3
2 5 5 3 5 2 3 5 2 2 1 4 5 5 4
"""
"""pingouin's `cronbach_alpha`: 10 items of 15 cases, an item a row."""


def likert() -> np.ndarray:
    rows = LIKERT.replace("\n", "/").strip("/").split("/")
    return np.array([row.split() for row in rows], dtype=float).T


def test_intraclass_correlations_of_shrout_and_fleiss() -> None:
    """Values of their tables 4 and 5; 95% intervals as R's psych and pingouin print them."""
    found = rater_agreement(SHROUT_FLEISS, 0.95).set_index("form")
    forms = ["ICC(2,1)", "ICC(3,1)", "ICC(2,k)", "ICC(3,k)"]
    assert found.index.tolist() == forms
    assert found["value"].round(2).tolist() == [0.29, 0.71, 0.62, 0.91]
    assert found["low"].round(2).tolist() == [0.02, 0.34, 0.07, 0.68]
    assert found["high"].round(2).tolist() == [0.76, 0.95, 0.93, 0.99]
    assert found[["n_cases", "n_raters"]].drop_duplicates().values.tolist() == [[6, 4]]


def test_alpha_of_published_examples() -> None:
    """pingouin's documentation, which was checked with R's psych.

    The interval that it prints for the first, .581 to .933, is that of 12 cases; three of them have
    gaps, and alpha is that of the other 9.
    """
    answers = np.array([row.split(",") for row in ANSWERS.split()], dtype=float)
    first = internal_consistency(answers, 0.95, n_resamples=20, seed=1)
    assert first.alpha == pytest.approx(0.8016949152542373, abs=1e-12)
    assert (first.n_cases, first.n_items) == (9, 11)
    second = internal_consistency(likert(), 0.95, n_resamples=20, seed=1)
    assert second.alpha == pytest.approx(0.5917188485995826, abs=1e-12)
    assert (round(second.alpha_low, 3), round(second.alpha_high, 3)) == (0.195, 0.84)


def test_consistency_of_one_sd_is_the_mean_correlation() -> None:
    values = np.random.default_rng(1).normal(size=(20, 1)) + np.random.default_rng(2).normal(
        size=(20, 4)
    )
    frame = pd.DataFrame((values - values.mean(axis=0)) / values.std(axis=0, ddof=1))
    off = frame.corr().to_numpy()[np.triu_indices(4, 1)]
    found = rater_agreement(frame).set_index("form")["value"]
    assert found["ICC(3,1)"] == pytest.approx(off.mean(), abs=1e-12)
    assert found["ICC(3,k)"] == pytest.approx(internal_consistency(frame, seed=1).alpha, abs=1e-12)


def test_levels_count_for_agreement_only() -> None:
    values = np.array([[1.0, 2.0], [2.0, 3.0], [4.0, 5.0]])
    found = rater_agreement(values).set_index("form")["value"]
    assert found["ICC(3,1)"] == 1
    assert found["ICC(2,1)"] == pytest.approx(values[:, 0].var(ddof=1) / 2.8333333333333335)
    assert (rater_agreement(values[:, [0, 0]])["value"] == 1).all()


def test_alpha_without_an_item_is_that_of_the_others() -> None:
    items = pd.DataFrame(likert()[:, :4], columns=list("abcd"))
    found = internal_consistency(items, seed=1, n_resamples=10).items
    assert found["item"].tolist() == list("abcd")
    for at, name in enumerate(items):
        rest = items.drop(columns=name)
        alone = internal_consistency(rest, seed=1, n_resamples=10).alpha
        assert found["alpha_without"][at] == pytest.approx(alone, abs=1e-12)
        expected = np.corrcoef(items[name], rest.sum(axis=1))[0, 1]
        assert found["item_rest"][at] == pytest.approx(expected, abs=1e-12)


def test_loadings_of_an_exact_factor_come_back() -> None:
    """Closed forms: omega of the model; for three items λ₁² = S₁₂ S₁₃ / S₂₃."""
    loadings, unique = np.array([0.4, 0.9, 1.3, 0.7, 1.0]), np.array([0.5, 1.0, 0.2, 0.7, 0.3])
    covariance = np.outer(loadings, loadings) + np.diag(unique)
    # A thousandth of what 1e-7 in the last sweep may leave after slow convergence.
    np.testing.assert_allclose(one_factor(covariance[None])[0], loadings, atol=1e-5)
    common = loadings.sum() ** 2
    np.testing.assert_allclose(omega_of(covariance[None]), common / (common + unique.sum()), 1e-5)
    assert alpha_of(covariance) < omega_of(covariance[None])[0]
    alike = np.ones((4, 4)) + np.diag([1.0, 2.0, 3.0, 0.5])
    np.testing.assert_allclose(omega_of(alike[None])[0], alpha_of(alike), atol=1e-6)


@pytest.mark.parametrize("n", [4, 40])
def test_loadings_are_those_of_a_general_optimiser(n: int) -> None:
    """Also for more items than cases, and where an item would have a negative unique variance."""
    rng = np.random.default_rng(n)
    values = rng.normal(size=(n, 1)) * [1, 1, 0.8, 0.5, 2, 1] + 0.6 * rng.normal(size=(n, 6))
    covariance = np.cov(values.T)
    sd = np.sqrt(np.diag(covariance))
    off = ~np.eye(6, dtype=bool)

    def loss(loadings: np.ndarray) -> float:
        return float(((covariance - np.outer(loadings, loadings))[off] ** 2).sum())

    found = one_factor(covariance[None])[0]
    best = minimize(loss, 0.7 * sd, bounds=list(zip(-sd, sd, strict=True)), options={"ftol": 1e-15})
    assert loss(found) <= best.fun * (1 + 1e-6) + 1e-12
    np.testing.assert_allclose(found, best.x, atol=1e-3)  # the optimiser's gradient is numerical


def test_intervals_of_omega_hold_the_truth() -> None:
    """300 sets of 15 cases had .86 to .88 of intervals of 89%, and alpha's .91 to .95; here 60."""
    loadings, rng = np.array([0.2, 0.6, 1.0, 1.4, 1.8]), np.random.default_rng(3)
    truth = loadings.sum() ** 2 / (loadings.sum() ** 2 + 5)
    held = 0
    for _ in range(60):
        items = rng.normal(size=(40, 1)) * loadings + rng.normal(size=(40, 5))
        found = internal_consistency(items, n_resamples=200, seed=1)
        held += found.omega_low <= truth <= found.omega_high
    assert 45 <= held <= 59  # 89% of 60 are 53; four standard deviations are 10


def test_seeds_repeat_omegas_interval() -> None:
    first, again, other = (internal_consistency(likert(), seed=seed) for seed in (1, 1, 2))
    assert (first.omega_low, first.omega_high) == (again.omega_low, again.omega_high)
    assert first.omega_low != other.omega_low
    assert first.omega == other.omega
    assert (first.seed, first.ci_prob) == (1, 0.89)


def test_what_cannot_be_rated_is_told() -> None:
    refused("3 cases or more are needed in rows, and 2 raters", rater_agreement, [[1, 2], [3, 4]])
    refused("and 3 items or more", internal_consistency, np.eye(4)[:, :2])
    refused("row 1 has nan in column 0", rater_agreement, [[1, 2], [np.nan, 4], [1, 3]])
    turned = [[1, 2, 3], [2, 3, 1], [3, 1, 2]]
    refused("the means over raters are equal", rater_agreement, turned)
    refused("the means over items are equal", internal_consistency, np.ones((4, 3)))
    assert np.isnan(alpha_of(np.cov(np.array(turned).T)))
    refused("ci_prob must lie in", rater_agreement, SHROUT_FLEISS, ci_prob=89)


def test_a_fit_without_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bayesbias.scores.reliability.SWEEPS", 1)
    with pytest.warns(UserWarning, match="still moves after 1 sweeps"):
        internal_consistency(likert(), n_resamples=1, seed=1)


# A word list.


def of_groups(spread: float) -> pd.DataFrame:
    """Two groups of four words and stereotypes; distances are less within a group by `spread`."""
    rng, rows = np.random.default_rng(5), []
    groups = {"a": [f"a{at}" for at in range(4)], "b": [f"b{at}" for at in range(4)]}
    for own, words in groups.items():
        for word in words:
            for of, others in groups.items():
                kind = "associated" if of == own else "different"
                for other in others:
                    distance = 1 - spread * (of == own) + 0.05 * rng.normal()
                    rows.append((word, own, f"s{other}", of, kind, distance))
    return bb.validate(pd.DataFrame(rows, columns=list(bb.COLUMNS)))


def test_sets_of_a_group_are_more_consistent_than_mixed_ones() -> None:
    found = bb.list_consistency(of_groups(0.2), seed=1)
    assert found["items"].tolist() == ["stereotypes"] * 2 + ["protected words"] * 2
    assert found["group"].tolist() == ["a", "b"] * 2
    assert (found["alpha"] > 0.9).all()
    assert (found["mixed"] < found["low"]).all()
    assert (found["p_mixed"] < 0.1).all()  # two of 70 sets of four are of one group
    none = bb.list_consistency(of_groups(0.0), seed=1)
    assert (none["low"] < 0.3).all()
    assert (none["p_mixed"] > 0.05).all()


def test_sets_are_those_of_the_table() -> None:
    table = of_groups(0.2)
    values = list_items(table, "protected words", "b")
    assert values.columns.tolist() == ["b0", "b1", "b2", "b3"]
    assert values.shape == (8, 4)
    row = table[(table["protected_word"] == "b2") & (table["attribute"] == "sa1")].iloc[0]
    assert values.loc["sa1", "b2"] == row["cosine_distance"]
    found = bb.list_consistency(table, seed=1).query("items == 'protected words' and group == 'b'")
    assert found["alpha"].item() == internal_consistency(values, seed=1).alpha
    gap = table.drop(row.name)
    assert list_items(gap, "stereotypes", "a").shape == (7, 4)  # b2 is left out


def test_tables_without_sets_are_told() -> None:
    table = of_groups(0.2)
    twice = pd.concat([table, table.assign(cosine_distance=table["cosine_distance"] / 2)])
    refused("have several distances; pass one embedding", bb.list_consistency, twice)
    refused("unknown set of items 'words'", list_items, table, "words", "a")
    refused("unknown group 'c'", list_items, table, "stereotypes", "c")
    words = {"she": "woman", "he": "man"}
    refused("2 cases have their distances", bb.list_consistency, distances(words))
    few = table[table["attribute"].isin(["sa0", "sa1", "sb0", "sb1"])]
    few = few[few["protected_word"].isin(["a0", "a1", "b0", "b1"])]
    refused("no set of the table has 3 words or more", bb.list_consistency, few)
    with pytest.warns(
        UserWarning, match="no row: protected words of woman, protected words of man"
    ):
        bb.list_consistency(distances(words | {"her": "woman", "him": "man"}), seed=1)


def test_a_long_form_table_is_no_table_of_items() -> None:
    for call in (internal_consistency, rater_agreement):
        refused(r"float: 'a0'. .* bb.list_consistency\(table\) makes them", call, of_groups(0.2))


def test_scores_of_words_agree_on_real_vectors() -> None:
    """One construct by algebra: scores of one direction, of which SAME's is that of weam."""
    wordlist = bb.load_wordlist("gender")
    vectors = bb.load_vectors("glove-demo", wordlist)
    found = bb.score_agreement(vectors, wordlist)
    assert found["form"].tolist() == ["ICC(3,1)", "ICC(3,k)"]
    values = bb.scores.word_scores(vectors, wordlist)["man", "woman"]
    assert found["scores"][0] == ", ".join(values.columns)
    off = values.corr().to_numpy()[np.triu_indices(values.shape[1], 1)]
    assert found["value"][0] == pytest.approx(off.mean(), abs=1e-12)
    groups = {name: wordlist.groups[name] for name in ("man", "woman")}
    same = bb.scores.same(vectors, values.index, groups)
    ratio = same.signed / values["weam"]
    np.testing.assert_allclose(ratio, ratio.iloc[0], rtol=1e-6)  # of float32 vectors
    unequal = bb.load_wordlist("race")
    scores = bb.score_agreement(bb.load_vectors("glove-demo", unequal), unequal)["scores"]
    assert set(scores) == {"weam, nas, semaxis, rnd"}


def test_scores_by_pair_by_hand() -> None:
    vectors = KeyedVectors(2)
    vectors.add_vectors(list("xyuvst"), [[1, 0], [0, 2], [3, 4], [4, 3], [1, 1], [0, 5]])
    wordlist = bb.WordList(
        name="toy",
        groups={"p": ("x", "u"), "q": ("y", "v")},
        stereotypes={"p": ("s",), "q": ("t",)},
    )
    found = scores_by_pair(vectors, wordlist)["p", "q"]
    assert found.columns.tolist() == ["x - y", "u - v"]
    expected = pd.DataFrame([[0.0, 0.0], [-1.0, 0.2]], index=["s", "t"], columns=found.columns)
    pd.testing.assert_frame_equal(found, expected, atol=1e-7)  # float32
    unequal = bb.load_wordlist("race")
    loaded = bb.load_vectors("glove-demo", unequal)
    refused("needs groups of equal size", scores_by_pair, loaded, unequal)
