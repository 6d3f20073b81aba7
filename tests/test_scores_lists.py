"""Scores of word lists: tables, bootstrap, robustness, and scores of one's own."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from builders import leaning, refused
from gensim.models import KeyedVectors

import bayesbias as bb
from bayesbias import WordList, scores
from bayesbias.comparison import scores_before_after
from bayesbias.scores import SCORES, ListScore, robustness, score_table
from bayesbias.scores.list_rows import list_rows
from bayesbias.scores.table import SCORE_TABLE_COLUMNS, resampled_values, resamples


def keyed_vectors(rows: dict[str, np.ndarray]) -> KeyedVectors:
    vectors = KeyedVectors(6)
    vectors.add_vectors(list(rows), list(rows.values()))
    return vectors


def value(table, score: str, groups: str) -> float:
    return table[(table["score"] == score) & (table["groups"] == groups)]["value"].item()


def test_rows_are_the_scores_on_words(google_news) -> None:
    words = bb.load_wordlist("gender")
    table = score_table(google_news, words, n_resamples=20, seed=0)
    assert list(table.columns) == list(SCORE_TABLE_COLUMNS)
    assert set(table["score"]) == set(SCORES)
    (X, Y), (A, B) = words.groups.values(), (words.stereotypes[g] for g in words.groups)
    targets, pairs = [*A, *B], list(zip(X, Y, strict=True))
    both, turned = "man, woman", "woman, man"
    v = google_news
    expected = {
        ("weat", both): scores.weat(v, X, Y, A, B).effect_size,
        ("weat_statistic", both): scores.weat(v, X, Y, A, B).statistic,
        ("weam", both): scores.weam(v, X, A, B).score,
        ("weam", turned): scores.weam(v, Y, B, A).score,
        ("nas", turned): scores.nas(v, Y, B, A).score,
        ("semaxis", both): scores.semaxis(v, X, A, B).score,
        ("rnd", turned): scores.rnd(v, Y, X, B).score,
        ("ect", both): scores.ect(v, X, Y, targets).score,
        ("ripa", both): scores.ripa(v, targets, pairs).score,
        ("gweat", both): scores.gweat(v, [X, Y], [A, B]).score,
        ("mac", both): scores.mac(v, words).score,
        ("same", both): scores.same(v, targets, words.groups).score,
        ("same_skew", both): scores.same(v, targets, words.groups).skew,
        ("same_stereotype", both): scores.same(v, targets, words.groups).stereotype,
        ("direct_bias", both): scores.direct_bias(v, targets, pairs).score,
        ("rnsb", both): scores.rnsb(v, [*X, *Y], A, B).score,
    }
    for (score, groups), number in expected.items():
        assert value(table, score, groups) == pytest.approx(number, abs=1e-9)  # float64
    assert (table["low"] <= table["high"]).all()
    tested = table["score"].isin(["weat", "weat_statistic"])
    assert np.allclose(table[tested]["p_value"], scores.weat(v, X, Y, A, B).p_value)
    assert table[~tested][["p_value", "p_low", "p_high"]].isna().all(axis=None)
    part = score_table(v, words, n_resamples=20, seed=0, scores=["same", "weat"])
    rest = table[table["score"].isin(["same", "weat"])].sort_values("score")
    assert np.array_equal(rest["low"], part.sort_values("score")["low"])


def test_more_groups_give_all_pairs(google_news) -> None:
    words = bb.load_wordlist("religion")
    table = score_table(google_news, words, n_resamples=3, seed=0)
    count = table["score"].value_counts()
    assert (count["weat"], count["weam"], count["same"], count["same_skew"]) == (3, 6, 1, 3)
    assert table["note"].str.contains("left out, not in the embedding: judgemental").all()


def test_scores_of_ones_own_work_wherever_scores_are_taken() -> None:
    vectors, words = leaning("xyz")
    other = {word: row + 0.1 for word, row in vectors.items()}
    first = ListScore(lambda rows: float(rows.protected[0].sum()), "ordered")
    own = {"first": first}
    of_groups = {g: np.sum([vectors[w] for w in ws]) for g, ws in words.groups.items()}
    table = score_table(vectors, words, scores=own, n_resamples=3, seed=0)
    assert value(table, "first", "y, z") == pytest.approx(of_groups["y"])
    robust = robustness(vectors, words, scores=own, shares=[1.0], repeats=2, seed=0)
    assert robust["full"].tolist()[0] == pytest.approx(of_groups["x"])
    change = scores_before_after(vectors, other, words, scores=own, n_resamples=3, seed=0)
    assert change["change"].tolist() == pytest.approx([0.1 * 30] * 6)  # five words, six dimensions


@pytest.mark.parametrize("name", SCORES)
def test_resamplings_are_scores_of_the_drawn_words(name: str) -> None:
    """Each of the values is the score of a list in which words stand as often as drawn."""
    vectors, words = leaning("xyz")
    vectors |= {f"x{i}": row for i, row in enumerate(np.random.default_rng(0).normal(size=(5, 6)))}
    rows, _ = list_rows(vectors, words)
    spec, at = SCORES[name], (0, 1, 2) if SCORES[name].scope == "all" else (2, 0)
    picks = resamples(rows, 5, 0)
    (values,) = resampled_values([(spec, at)], rows, picks)
    if name == "rnsb":  # targets only: the classifier is that of the whole list
        pair = rows.of_groups(at)
        p = scores.rnsb(None, np.vstack(pair.protected), *pair.stereotypes).probability
        z, x = (picks.protected[i] for i in at)
        drawn = np.hstack([p[z], p[5 + x]])
        share = drawn / drawn.sum(axis=1, keepdims=True)
        # The classifier's solver stops at a gradient of 1e-8, in the same place for both.
        assert values == pytest.approx((share * np.log(10 * share)).sum(axis=1), abs=1e-9)
        return
    for number, found in enumerate(values):
        one = picks.of_resampling(number)
        named = {}
        for g, group in enumerate(words.groups):
            for kind, listed, chosen in (
                ("group", words.groups[group], one.protected[g]),
                ("stereotype", words.stereotypes[group], one.stereotypes[g]),
            ):
                named |= {f"{kind}{g}.{i}": vectors[listed[j]] for i, j in enumerate(chosen)}
        sets = [
            {
                group: tuple(word for word in named if word.startswith(f"{kind}{g}."))
                for g, group in enumerate(words.groups)
            }
            for kind in ("group", "stereotype")
        ]
        if (spec.scope == "pair" and name == "ripa") or name == "direct_bias":
            continue  # pairs are drawn as pairs, and not as words
        expected = spec.value_or_nan(list_rows(named, WordList("drawn", *sets))[0].of_groups(at))
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_intervals_are_quantiles_and_what_is_undefined_is_left_out() -> None:
    # Drawn alike, both words of a group coincide and the groups' associations are all equal.
    vectors = {"x": [1.0, 0.0], "y": [0.0, 1.0], "a": [2.0, 0.0], "b": [0.0, 3.0]}
    words = WordList("n", {"g": ("x", "y"), "h": ("a", "b", "gone")}, {"g": ("a",), "h": ("b",)})
    table = score_table(vectors, words, scores=["weat"], n_resamples=200, seed=0).iloc[0]
    rows, missing = list_rows(vectors, words)
    assert missing == {"group h": ("gone",)}
    (drawn,) = resampled_values([(SCORES["weat"], (0, 1))], rows, resamples(rows, 200, 0))
    undefined = np.isnan(drawn).sum()
    assert f"undefined in {undefined} of 200 resamplings; left out" in table["note"]
    low, high = np.nanquantile(drawn, [0.055, 0.945])
    assert (table["low"], table["high"]) == (low, high)
    uneven = score_table(vectors, words, scores=["ripa"], n_resamples=2, seed=0).iloc[0]
    assert "groups of equal size" in uneven["note"]
    assert np.isnan(uneven["value"])


def test_robustness_by_hand() -> None:
    vectors, words = leaning("xy", n=10)
    frame = robustness(vectors, words, repeats=10, seed=1)
    assert set(frame["score"]) == set(SCORES) - {"rnsb"}
    weat = frame[frame["score"] == "weat"]
    whole = scores.weat(vectors, *words.groups.values(), *words.stereotypes.values()).score
    assert weat["full"].to_numpy() == pytest.approx(np.full(len(weat), whole))
    part = weat.set_index("share")
    assert part.index.tolist() == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert part["n"].tolist() == [10, 10, 10, 10, 1]
    assert part.loc[0.2, "deviation"] > part.loc[0.8, "deviation"] > part.loc[1.0, "deviation"] == 0
    assert frame.equals(robustness(vectors, words, repeats=10, seed=1))


def test_scores_of_shuffled_groups_are_near_no_bias() -> None:
    vectors, words = leaning("xy", n=10)
    whole = robustness(vectors, words, scores=["weat"], seed=2).set_index("share")
    shuffled = robustness(vectors, words, scores=["weat"], shuffled=True, seed=2)
    assert shuffled["n"].tolist() == [50] * 5
    assert whole.loc[0.8, "mean"] - shuffled.set_index("share").loc[0.8, "mean"] > 1  # of 2


def test_refusals() -> None:
    vectors, words = leaning("xyz")
    table, robust = (partial(call, vectors, words) for call in (score_table, robustness))
    for call in (table, robust):
        refused("got the string 'weat'", call, scores="weat", error=TypeError)
        refused("unknown score 'waet'; did you mean 'weat'", call, scores=["waet"])
        refused("scores is empty; name some of weat", call, scores=[])
        refused("must be a bb.scores.ListScore", call, scores={"own": len}, error=TypeError)
        refused("for an 89% interval pass", call, ci_prob=89)
    refused("unknown alternative 'left'", table, scores=["mac"], alternative="left")
    refused("n_resamples must be at least 2, got 0", table, scores=["mac"], n_resamples=0)
    refused(r"shares must lie in \(0, 1\], got \[20\]", robust, shares=[20])
    refused("repeats must be at least 2", robust, repeats=1)
    without = WordList("n", words.groups, {"x": words.stereotypes["x"]})
    refused("has no stereotypes of y, z", score_table, vectors, without)
