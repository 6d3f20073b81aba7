"""Many lists in many embeddings: scores against the scores' own functions, and tables in a loop."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import refused
from gensim.models import KeyedVectors

import bayesbias as bb
from bayesbias.scores import mac, rnd, weat

GROUPS = {"a": ["a0", "a1", "a2"], "b": ["b0", "b1", "b2"], "c": ["c0", "c1", "c2"]}
OWN = {"a": ["p0", "p1"], "b": ["q0", "q1"], "c": ["r0", "r1"]}
THREE = bb.WordList("three", GROUPS, OWN)
TWO = bb.WordList.from_query(GROUPS["b"], GROUPS["a"], OWN["b"], OWN["c"], name="two")
WORDS = [word for words in (*GROUPS.values(), *OWN.values()) for word in words]
EXACT = 1e-6
"""Vectors are float32 in both."""


@cache
def toys() -> dict[str, Any]:
    """Two embeddings, of different dimensions and lengths of vectors."""
    made = {}
    for seed, (name, dims) in enumerate({"small": 4, "large": 7}.items()):
        made[name] = KeyedVectors(dims)
        rows = np.random.default_rng(seed).normal(0, 1 + seed, (len(WORDS), dims))
        made[name].add_vectors(WORDS, rows.astype(np.float32))
    return made


def without(vectors: Any, *words: str) -> Any:
    return bb.load_vectors(vectors, [word for word in WORDS if word not in words])


def of(frame: pd.DataFrame, **chosen: str) -> dict[str, Any]:
    for name, value in chosen.items():
        frame = frame[frame[name] == value]
    assert len(frame) == 1
    return frame.iloc[0].to_dict()


def statistic(vectors: Any, first: str, second: str) -> float:
    sets = (GROUPS[first], GROUPS[second], OWN[first], OWN[second])
    return weat(vectors, *sets).statistic


def test_a_cell_is_the_mean_over_choices_of_groups() -> None:
    frame = bb.score_many(toys(), [THREE, TWO], ["weat_statistic", "mac", "rnd"])
    for name, vectors in toys().items():
        values = [statistic(vectors, *pair) for pair in ("ab", "ac", "bc")]
        found = of(frame, score="weat_statistic", wordlist="three", embedding=name)
        assert found["value"] == found["bias"] == pytest.approx(np.mean(values), abs=EXACT)
        found = of(frame, score="mac", wordlist="three", embedding=name)
        assert found["value"] == pytest.approx(mac(vectors, THREE).score, abs=EXACT)
        assert found["bias"] == pytest.approx(1 - found["value"])
        found = of(frame, score="rnd", wordlist="two", embedding=name)
        sides = (GROUPS["b"], GROUPS["a"], OWN["b"]), (GROUPS["a"], GROUPS["b"], OWN["c"])
        values = [rnd(vectors, *sets).score for sets in sides]
        assert found["value"] == pytest.approx(np.mean(values), abs=EXACT)
        assert found["bias"] == -found["value"]  # nearer to the own stereotype is below 0
        own = [of(frame, score="mac", wordlist=each, embedding=name) for each in ("three", "two")]
        average = of(frame, score="mac", wordlist="average", embedding=name)
        assert average["bias"] == pytest.approx((own[0]["bias"] + own[1]["bias"]) / 2)
    assert frame["wordlist"].tolist() == [*["average"] * 2, *["three"] * 2, *["two"] * 2] * 3
    for _, rows in frame.groupby(["score", "wordlist"]):
        assert rows["rank"].tolist() == [1, 2]
        assert rows["bias"].is_monotonic_decreasing
    assert frame.attrs == {"aggregate": "mean", "left_out": {"three": (), "two": ()}}


def test_sizes_count_leans_against_a_stereotype() -> None:
    frame = bb.score_many(toys(), [THREE], ["weat_statistic"], aggregate="abs_mean")
    for name, vectors in toys().items():
        values = [statistic(vectors, *pair) for pair in ("ab", "ac", "bc")]
        found = of(frame, embedding=name)
        assert found["value"] == pytest.approx(np.mean(values), abs=EXACT)
        assert found["bias"] == pytest.approx(np.mean(np.abs(values)), abs=EXACT)
        assert found["bias"] > abs(found["value"])  # the toys lean both ways


def test_lengths_of_vectors_count_unless_they_are_made_one() -> None:
    long = KeyedVectors(4)
    long.add_vectors(WORDS, 10 * toys()["small"][WORDS])
    pair = {"small": toys()["small"], "long": long}
    as_they_are = bb.score_many(pair, [TWO], ["rnd"])["value"]
    assert as_they_are.max() / as_they_are.min() in (pytest.approx(10), pytest.approx(0.1))
    unit = bb.score_many(pair, [TWO], ["rnd"], unit=True)
    assert unit["value"].to_numpy() == pytest.approx(unit.loc[0, "value"], abs=EXACT)
    assert np.linalg.norm(long["a0"]) > 5  # what was given stays as it was


def test_equal_scores_share_a_rank() -> None:
    pair = {"one": toys()["small"], "same": toys()["small"], "other": toys()["large"]}
    ranks = bb.score_many(pair, [TWO], ["mac"]).set_index("embedding")["rank"]
    assert ranks["one"] == ranks["same"]
    assert sorted(ranks) in ([1, 1, 3], [1, 2, 2])


def test_words_that_some_embedding_lacks_are_left_out_of_all() -> None:
    given = {"small": toys()["small"], "large": without(toys()["large"], "a1", "p0", "r1")}
    with pytest.warns(UserWarning, match=r"2 of 10 words .*'two' .*: a1, r1 \(not in large\)"):
        frame = bb.score_many(given, [TWO], ["weat_statistic"])
    same = {name: without(vectors, "a1", "r1") for name, vectors in toys().items()}
    alone = bb.score_many(same, [TWO], ["weat_statistic"])  # missing in all, so nothing to warn of
    assert frame["value"].tolist() == alone["value"].tolist()
    assert frame.attrs["left_out"] == alone.attrs["left_out"] == {"two": ("a1", "r1")}
    controlled = bb.score_many({"demo": "glove-demo", "same": "glove-demo"}, ["religion"], ["mac"])
    # One control word is missing, which no score is computed on.
    assert controlled.attrs["left_out"] == {"religion": ()}


def test_tables_are_those_of_each_list_and_embedding(tmp_path: Path) -> None:
    path = tmp_path / "small.txt"
    toys()["small"].save_word2vec_format(str(path))
    given = {"file": path, "large": toys()["large"]}
    whole = bb.distance_tables(given, [THREE, TWO])
    assert whole.groupby(["embedding", "wordlist"], sort=False).ngroups == 4
    loop = [
        bb.distance_table(vectors, words, embedding=name).assign(wordlist=words.name)
        for name, vectors in {"file": toys()["small"], "large": toys()["large"]}.items()
        for words in (THREE, TWO)
    ]
    # Text of gensim has the digits of float32.
    pd.testing.assert_frame_equal(whole, pd.concat(loop, ignore_index=True), atol=1e-6)
    dropped = bb.distance_tables({"demo": "glove-demo"}, ["gender"], case="lower", max_missing=0.5)
    assert dropped["wordlist"].unique().tolist() == ["gender"]


def test_lists_without_shared_words_are_refused() -> None:
    given = {"small": toys()["small"], "large": without(toys()["large"], *WORDS[:9])}
    with pytest.warns(UserWarning, match="are left out of all"):
        refused(r"in 'small': none of the 3 words of", bb.score_many, given, [TWO], ["mac"])
    only = bb.WordList("only", {"a": ["a0"], "b": ["b0"]}, {"a": ["p0"], "b": ["q0"]})
    given["large"] = without(toys()["large"], *only.words)
    with pytest.warns(UserWarning, match="are left out of all"):
        refused("'only' is in all of small, large", bb.score_many, given, [TWO, only], ["mac"])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"embeddings": {"small": toys()["small"]}, "unit": 1}, ValueError, "ranks need two"),
        ({"wordlists": [TWO, TWO]}, ValueError, "2 lists are called 'two'; give each a name"),
        ({"wordlists": []}, ValueError, "there is no word list"),
        ({"embeddings": []}, TypeError, r"a mapping of names to vectors or files.*got \[\]"),
        ({"scores": ["wheat"]}, ValueError, "unknown score 'wheat'; did you mean 'weat'"),
        ({"aggregate": "abs_avg"}, ValueError, "did you mean 'abs_mean'"),
        ({"wordlists": [["he", "she"]]}, TypeError, r"by its name or path, or as .*got list"),
    ],
)
def test_wrong_lists_scores_and_embeddings_are_refused(
    change: dict[str, Any], error: type[Exception], message: str
) -> None:
    given = {"embeddings": toys(), "wordlists": [TWO], "scores": ["mac"]} | change
    refused(message, bb.score_many, **given, error=error)
