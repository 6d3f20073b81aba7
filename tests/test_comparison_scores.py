"""Single numbers before and after, and what they hide on real vectors."""

from __future__ import annotations

import numpy as np
import pytest

import bayesbias as bb
from bayesbias import WordList
from bayesbias.comparison import bias_before_after, scores_before_after
from bayesbias.comparison.before_after import SCORE_CHANGE_COLUMNS, load_frequent
from bayesbias.debias import DefiningSets, load_defining_sets, remaining_bias

WORDS = WordList(
    name="toy",
    groups={"men": ("he", "son", "man"), "women": ("she", "hers", "woman")},
    stereotypes={"men": ("soldier", "pilot"), "women": ("nurse", "dancer")},
    controls={},
)


def toy(seed: int, words: tuple[str, ...] = WORDS.words) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {word: rng.standard_normal(5) for word in words}


def score(frame, name: str):
    return frame[frame["score"] == name].iloc[0]


def test_scores_are_those_of_either_embedding() -> None:
    before, after = toy(1), toy(2)
    frame = scores_before_after(before, after, WORDS, n_resamples=50, seed=0)
    assert list(frame.columns) == list(SCORE_CHANGE_COLUMNS)
    for when, vectors in (("before", before), ("after", after)):
        own = bb.score_table(vectors, WORDS, n_resamples=50, seed=0, scores=frame["score"])
        assert frame[when].tolist() == pytest.approx(own["value"].tolist())
    assert np.allclose(frame["change"], frame["after"] - frame["before"])
    assert (frame["low"] <= frame["high"]).all()
    assert frame["p_value"].notna().tolist() == [True, False, False, False]


def test_the_same_vectors_do_not_change_and_the_test_says_why() -> None:
    frame = scores_before_after(toy(1), toy(1), WORDS, n_resamples=20, seed=0)
    assert frame[["change", "low", "high"]].eq(0).all(axis=None)
    assert "the t-test is undefined" in score(frame, "mac")["note"]


def test_intervals_of_the_change_keep_words_together() -> None:
    """Vectors turned round and stretched as a whole: every score the same on any words."""
    before = toy(1)
    q, _ = np.linalg.qr(np.random.default_rng(3).standard_normal((5, 5)))
    after = {word: 3 * q @ vector for word, vector in before.items()}
    frame = scores_before_after(before, after, WORDS, n_resamples=50, seed=0)
    assert np.allclose(frame[["change", "low", "high"]], 0, atol=1e-9)


def test_words_of_one_embedding_only_are_named() -> None:
    after = {word: vector for word, vector in toy(2).items() if word != "nurse"}
    with pytest.raises(ValueError, match="in one of the two embeddings only: nurse"):
        scores_before_after(toy(1), after, WORDS)
    with pytest.raises(ValueError, match="did you mean 'weat'"):
        scores_before_after(toy(1), toy(2), WORDS, scores=["weatt"])
    with pytest.raises(ValueError, match=r"pass 0\.89"):
        scores_before_after(toy(1), toy(2), WORDS, ci_prob=89)


def test_what_mac_hides_of_hard_debiasing(shared_data) -> None:
    """GoogleNews, gender, hard: MAC stands still, since one side moves off and one comes near."""
    words = bb.load_wordlist("gender")
    vectors = bb.load_vectors(str(shared_data / "vectors" / "googlenews_subset.bin"))
    debiased = bb.debias.hard(vectors, "gender")
    frame = scores_before_after(vectors, debiased, words, n_resamples=50, seed=0)
    mac, same = score(frame, "mac"), score(frame, "same")
    assert abs(mac["change"]) < 0.01
    assert mac["p_value"] > 0.3  # .6
    assert same["before"] / same["after"] > 5  # .121 and .017
    direct = score(frame, "direct_bias")
    assert direct["before"] / direct["after"] > 5  # .117 and .019


def test_bias_before_after_is_made_of_its_parts() -> None:
    vectors = bb.load_vectors("glove-demo")
    after = bb.debias.hard(vectors, "gender")
    sets = load_defining_sets("gender").in_case("fallback", vectors)
    found = bias_before_after(vectors, after, "gender", n_words=40, seed=2)
    targets = [word for word in sets.targets if word in vectors]
    rows = found.set_index("check")
    for when, each in (("before", vectors), ("after", after)):
        assert (
            rows[when]["direct_bias"] == bb.scores.direct_bias(each, targets, sets.defining).score
        )
        assert rows[when]["same"] == bb.scores.same(each, targets, sets.groups).score
    checks = remaining_bias(vectors, after, sets, n_words=40, seed=2)
    assert found.iloc[2:].reset_index(drop=True).equals(checks)
    bare = DefiningSets(sets.defining, specific=sets.specific)
    assert (
        "direct_bias" not in bias_before_after(vectors, after, bare, n_words=40)["check"].tolist()
    )
    with pytest.raises(ValueError, match=r"n_words must lie in 1 to \d+, .* got 99999"):
        bias_before_after(vectors, after, sets, n_words=99_999)


def test_only_the_frequent_words_and_those_of_the_sets_are_loaded(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("bayesbias.comparison.before_after.VOCABULARY", 100)
    path = tmp_path / "some.txt"
    words = [f"w{i}" for i in range(1000)] + ["she", "he", "doctor", "caf\xe9"]
    path.write_text("".join(f"{word} {at} 1\n" for at, word in enumerate(words)), "utf-8")
    monkeypatch.setattr("bayesbias.embeddings.source.READ_SIZE", 256)
    sets = DefiningSets([("she", "he")], targets=["doctor", "caf\xe9", "absent"])
    loaded = load_frequent(str(path), sets)
    assert loaded.index_to_key == [*words[:100], *words[-4:]]
    assert loaded["doctor"].tolist() == [1002, 1]
