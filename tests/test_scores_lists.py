"""Scores of word lists: tables, bootstrap, and scores of one's own."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from builders import leaning, refused

import bayesbias as bb
from bayesbias import WordList, scores
from bayesbias.comparison import scores_before_after
from bayesbias.scores import SCORES, ListScore, score_table
from bayesbias.scores.list_rows import list_rows
from bayesbias.scores.table import SCORE_TABLE_COLUMNS, resampled_values, resamples


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
    religion = score_table(v, bb.load_wordlist("religion"), n_resamples=3, seed=0)
    count = religion["score"].value_counts()
    assert (count["weat"], count["weam"], count["same"], count["same_skew"]) == (3, 6, 1, 3)
    assert religion["note"].str.contains("left out, not in the embedding: judgemental").all()


def test_scores_of_ones_own_work_wherever_scores_are_taken() -> None:
    vectors, words = leaning("xyz")
    other = {word: row + 0.1 for word, row in vectors.items()}
    own = {"first": ListScore(lambda rows: float(rows.protected[0].sum()), "ordered")}
    table = score_table(vectors, words, scores=own, n_resamples=3, seed=0)
    of_y = np.sum([vectors[word] for word in words.groups["y"]])
    assert value(table, "first", "y, z") == pytest.approx(of_y)
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
    for number, found in enumerate(values):
        drawn = [
            {
                group: {
                    f"{kind}{g}.{i}": vectors[listed[group][j]] for i, j in enumerate(of[number])
                }
                for g, (group, of) in enumerate(zip(words.groups, chosen, strict=True))
            }
            for kind, listed, chosen in (
                ("group", words.groups, picks.protected),
                ("stereotype", words.stereotypes, picks.stereotypes),
            )
        ]
        if name == "rnsb":  # targets only: the classifier is that of the whole list
            drawn[1] = {g: {w: vectors[w] for w in ws} for g, ws in words.stereotypes.items()}
        if name in {"ripa", "direct_bias"}:
            continue  # pairs are drawn as pairs, and not as words
        named = {word: row for sets in drawn for of in sets.values() for word, row in of.items()}
        sets = [{group: tuple(of) for group, of in kind.items()} for kind in drawn]
        listed, _ = list_rows(named, WordList("drawn", *sets))
        # The classifier's solver stops at a gradient of 1e-8, in the same place for both.
        error = 1e-9 if name == "rnsb" else 1e-12
        assert found == pytest.approx(spec.value(listed.of_groups(at)), abs=error)


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


def test_refusals() -> None:
    vectors, words = leaning("xyz")
    table = partial(score_table, vectors, words)
    refused("got the string 'weat'", table, scores="weat", error=TypeError)
    refused("unknown score 'waet'; did you mean 'weat'", table, scores=["waet"])
    refused("scores is empty; name some of weat", table, scores=[])
    refused("must be a bb.scores.ListScore", table, scores={"own": len}, error=TypeError)
    refused("for 89% pass", table, ci_prob=89)
    refused("unknown alternative 'left'", table, scores=["mac"], alternative="left")
    refused("n_resamples must be at least 2, got 0", table, scores=["mac"], n_resamples=0)
    without = WordList("n", words.groups, {"x": words.stereotypes["x"]})
    refused("has no stereotypes of y, z", score_table, vectors, without)
