from __future__ import annotations

import sys

import numpy as np
import pytest

import bayesbias as bb
from bayesbias import WordList, scores
from bayesbias.scores import SCORES, score_table
from bayesbias.scores.table import TABLE_COLUMNS


@pytest.fixture(scope="module")
def google_news(shared_data):
    from gensim.models import KeyedVectors

    path = shared_data / "vectors" / "googlenews_subset.bin"
    return KeyedVectors.load_word2vec_format(path, binary=True)


def value(table, score: str, groups: str) -> float:
    return table[(table["score"] == score) & (table["groups"] == groups)]["value"].item()


def test_rows_are_the_scores_on_words(google_news) -> None:
    words = bb.load_wordlist("gender")
    table = score_table(google_news, words, draws=20)
    assert list(table.columns) == list(TABLE_COLUMNS)
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
    table = score_table(google_news, bb.load_wordlist("religion"), draws=20, scores=SCORES)
    count = table["score"].value_counts()
    assert (count["weat"], count["weam"], count["same"], count["mac"]) == (3, 6, 1, 1)
    assert table["note"].str.contains("left out, not in the embedding: judgemental").all()


def test_what_does_not_apply_says_why(google_news) -> None:
    table = score_table(google_news, bb.load_wordlist("race"), draws=20)
    undefined = table[table["value"].isna()]
    assert set(undefined["score"]) == {"ripa", "direct_bias"}
    assert undefined["note"].str.contains("groups of equal size").all()


def test_same_seed_same_table_whatever_the_scores(google_news) -> None:
    words = bb.load_wordlist("weat9")
    whole = score_table(google_news, words, draws=30, seed=5)
    part = score_table(google_news, words, draws=30, seed=5, scores=["same", "weat"])
    rest = whole[whole["score"].isin(["same", "weat"])].sort_values("score")
    assert np.array_equal(rest["low"], part.sort_values("score")["low"])
    one = score_table(google_news, words, draws=30, scores=["weat"], sides="one")
    assert one["choices"].item() == "effect size, ddof=1, one-sided"
    with pytest.raises(ValueError, match="unknown score 'same_score'"):
        score_table(google_news, words, scores=["same_score"])


def test_equal_associations_are_a_note_not_a_number() -> None:
    vectors = {w: [1.0, 0.0] for w in "xyab"} | {"c": [0.0, 1.0]}
    words = WordList(
        name="flat", groups={"g": ("x",), "h": ("y",)}, stereotypes={"g": ("a",), "h": ("c",)}
    )
    table = score_table(vectors, words, draws=5, scores=["weat", "same"])
    assert table["value"].isna().all()
    assert table["note"].tolist()[0] == "undefined: all words have the same association"
    assert "same mean vector" in table["note"].tolist()[1]


def test_heavy_libraries_wait() -> None:
    import subprocess

    heavy = "{'gensim', 'sklearn', 'pymc', 'arviz', 'matplotlib', 'scipy.stats'}"
    code = f"import sys, bayesbias.scores; print({heavy} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
