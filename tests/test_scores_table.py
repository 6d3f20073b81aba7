from __future__ import annotations

import sys

import numpy as np
import pytest

import bayesbias as bb
from bayesbias import WordList, scores
from bayesbias.scores import SCORES, score_table
from bayesbias.scores.table import SCORE_TABLE_COLUMNS


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
        ("ect", both): scores.ect(v, X, Y, A, B).score,
        ("ripa", both): scores.ripa(v, targets, pairs).score,
        ("gweat", both): scores.gweat(v, X, Y, A, B).score,
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


def test_more_groups_give_all_pairs(google_news) -> None:
    words = bb.load_wordlist("religion")
    table = score_table(google_news, words, n_resamples=20, seed=0, scores=SCORES)
    count = table["score"].value_counts()
    assert (count["weat"], count["weam"], count["same"], count["mac"]) == (3, 6, 1, 1)
    assert (count["same_skew"], count["same_stereotype"]) == (3, 3)
    assert table["note"].str.contains("left out, not in the embedding: judgemental").all()


def test_skew_and_stereotype_of_many_groups_are_of_pairs_with_intervals(google_news) -> None:
    """Moments of the cosines of a pair's stereotypes with the difference of its mean vectors."""
    words = bb.load_wordlist("religion")
    table = score_table(google_news, words, scores=["same_skew", "same_stereotype"], seed=0)

    def unit(names) -> np.ndarray:
        rows = np.array([google_news[name] for name in names if name in google_news], float)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    for first, second in (("jew", "christian"), ("jew", "muslim"), ("christian", "muslim")):
        toward = unit(words.groups[first]).mean(axis=0) - unit(words.groups[second]).mean(axis=0)
        targets = np.vstack([unit(words.stereotypes[each]) for each in (first, second)])
        leaning = targets @ toward / np.linalg.norm(toward)
        both = f"{first}, {second}"
        assert value(table, "same_skew", both) == pytest.approx(leaning.mean(), abs=1e-9)
        assert value(table, "same_stereotype", both) == pytest.approx(leaning.std(), abs=1e-9)
    assert (table["low"] < table["high"]).all()


def test_same_seed_same_table_whatever_the_scores(google_news) -> None:
    words = bb.load_wordlist("weat9")
    whole = score_table(google_news, words, n_resamples=30, seed=5)
    part = score_table(google_news, words, n_resamples=30, seed=5, scores=["same", "weat"])
    rest = whole[whole["score"].isin(["same", "weat"])].sort_values("score")
    assert np.array_equal(rest["low"], part.sort_values("score")["low"])


def toy(size: int = 4) -> tuple[dict[str, np.ndarray], WordList]:
    random = np.random.default_rng(size)
    groups = {g: tuple(f"{g}{i}" for i in range(size)) for g in "xy"}
    stereotypes = {"x": ("a0", "a1", "a2"), "y": ("b0", "b1")}
    words = WordList(name="toy", groups=groups, stereotypes=stereotypes)
    return {word: random.normal(size=5) for word in words.words}, words


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("size", [4, 19])  # counted, and bounded from both sides
def test_p_values_are_those_of_weat(size: int, alternative) -> None:
    vectors, words = toy(size)
    (X, Y), (A, B) = words.groups.values(), words.stereotypes.values()
    choices = {"scores": ["weat", "weat_statistic"], "n_resamples": 2, "seed": 0}
    table = score_table(vectors, words, alternative=alternative, **choices)
    expected = scores.weat(vectors, X, Y, A, B, alternative=alternative)
    assert table["p_value"].tolist() == [expected.p_value] * 2
    assert table["p_low"].tolist() == [expected.p_bounds[0]] * 2
    assert table["p_high"].tolist() == [expected.p_bounds[1]] * 2
    told = [f"effect size, ddof=1, {alternative}", f"sum, {alternative}"]
    assert table["choices"].tolist() == told
    attrs = {"ci_prob": 0.89, "ci_kind": "eti", "alternative": alternative, "seed": 0}
    assert table.attrs == attrs


def test_rows_tell_how_to_read_them() -> None:
    table = score_table(*toy(), n_resamples=2, seed=0)
    assert (table["interval"] == "bootstrap").all()
    for row in table.itertuples():
        for name in ("no_bias", "direction", "reading"):
            assert getattr(row, name) == getattr(SCORES[row.score], name)


def test_no_scores_give_a_frame_with_its_columns() -> None:
    table = score_table(*toy(), scores=[], n_resamples=2, seed=0)
    assert list(table.columns) == list(SCORE_TABLE_COLUMNS)
    assert table.empty


def test_intervals_are_those_of_the_bootstrap_and_tell_what_was_left_out() -> None:
    # Drawn alike, both words of a group coincide and the groups' associations are all equal.
    vectors = {"x": [1.0, 0.0], "y": [0.0, 1.0], "a": [2.0, 0.0], "b": [0.0, 3.0]}
    words = WordList("n", {"g": ("x", "y"), "h": ("a", "b", "gone")}, {"g": ("a",), "h": ("b",)})
    table = score_table(vectors, words, scores=["weat", "nas"], n_resamples=200, seed=0)
    table = table.set_index("score")
    drawn = scores.bootstrap("weat", vectors, words, n_resamples=200, seed=0)
    assert drawn.undefined > 0
    assert (table.loc["weat", "low"], table.loc["weat", "high"]) == (drawn.low, drawn.high)
    left_out = "left out, not in the embedding: gone"
    undefined = f"undefined in {drawn.undefined} of 200 resamplings"
    assert table.loc["weat", "note"] == f"{undefined}; {left_out}"
    assert (table.loc["nas", "note"] == f"{SCORES['nas'].note}; {left_out}").all()
    itself = WordList("i", {"g": ("x",), "h": ("y",)}, {"g": ("x", "a"), "h": ("b",)})
    (note,) = score_table(vectors, itself, scores=["mac"], n_resamples=40, seed=0)["note"]
    undefined = scores.bootstrap("mac", vectors, itself, n_resamples=40, seed=0).undefined
    assert note == f"{SCORES['mac'].note}; undefined in {undefined} of 40 resamplings"


def test_equal_associations_are_a_note_not_a_number() -> None:
    vectors = {w: [1.0, 0.0] for w in "xyab"} | {"c": [0.0, 1.0]}
    words = WordList("flat", {"g": ("x",), "h": ("y",)}, {"g": ("a",), "h": ("c",)})
    table = score_table(vectors, words, n_resamples=5, seed=0, scores=["weat", "same"])
    assert table["value"].isna().all()
    assert table["note"].tolist()[0] == "undefined: all words have the same association"
    assert "same mean vector" in table["note"].tolist()[1]


def test_heavy_libraries_wait() -> None:
    import subprocess

    heavy = "{'gensim', 'sklearn', 'pymc', 'arviz', 'matplotlib', 'scipy.stats'}"
    code = f"import sys, bayesbias.scores; print({heavy} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
