from __future__ import annotations

import math
import statistics
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from builders import cosine, normals, refused
from hypothesis import given
from hypothesis import strategies as st

import bayesbias as bb
from bayesbias.scores import mac, mac_change, mac_of, mac_of_table

ROUNDING = 1e-12
"""Means of a few cosines in float64."""


@given(seed=st.integers(0, 10_000))
def test_against_plain_loops(seed: int) -> None:
    T, A, B = (rows.tolist() for rows in normals(seed, 3, 2, 5, dims=4))
    means = [[statistics.fmean(1 - cosine(t, a) for a in each) for each in (A, B)] for t in T]
    result = mac_of(T, [A, B])
    assert result.distance == pytest.approx(np.array(means), abs=ROUNDING)
    assert result.score == pytest.approx(
        statistics.fmean(m for row in means for m in row), abs=ROUNDING
    )
    assert 0 <= result.score <= 2


@pytest.mark.parametrize(
    ("name", "printed"),
    # Dobrzeniecka and Urbaniak (2024), table 2, and the same from their tables to four places.
    [
        ("gender_group_google_dataset", 0.8128),
        ("race_group_google_dataset", 0.9526),
        ("religion_group_google_dataset", 0.8831),
        ("religion_group_reddit_dataset", 0.8614),
        ("debiased_religion_reddit", 0.9334),
    ],
)
def test_published_tables(published, name: str, printed: float) -> None:
    # Half a unit of the last place.
    assert mac_of_table(published(name)).score == pytest.approx(printed, abs=5e-5)


def test_published_change_is_paired(debiased_religion) -> None:
    before, after = map(mac_of_table, debiased_religion)
    change = mac_change(before, after)
    assert change.score == pytest.approx(0.9334 - 0.8614, abs=1e-4)  # two roundings
    assert change.n_pairs == 45
    differences = (after.distance - before.distance).ravel()
    t = differences.mean() / (differences.std(ddof=1) / math.sqrt(45))
    assert change.t == pytest.approx(t, rel=1e-10)
    refused("same words and sets", mac_change, before, mac_of([[1.0, 0.0]], [[[0.0, 1.0]]]))
    refused("t-test is undefined", mac_change, before, before)


def test_word_list_and_its_table_agree(google_news) -> None:
    words = bb.load_wordlist("gender")
    score, table = mac(google_news, words).score, bb.distance_table(google_news, words)
    assert score == pytest.approx(mac_of_table(table).score, abs=1e-6)  # float32
    assert score == pytest.approx(0.8128, abs=5e-5)  # the published table of the same words


def test_change_of_two_pairs_by_hand() -> None:
    before = mac_of([[1.0, 0.0]], [[[0.0, 1.0]], [[0.0, 2.0]]])  # distances 1 and 1
    after = mac_of([[1.0, 0.0]], [[[3.0, 4.0]], [[4.0, 3.0]]])  # 0.4 and 0.2
    change = mac_change(before, after)
    assert change.n_pairs == 2
    assert change.score == pytest.approx(-0.7)
    assert change.t == pytest.approx(-7)  # -0.7 over a standard error of 0.1
    # With one degree of freedom t is a Cauchy variable.
    assert change.p_value == pytest.approx(1 - 2 / math.pi * math.atan(7))


def test_only_equal_words_and_sets_are_pairs() -> None:
    both = mac(TOY, toy_list())
    other_word = mac(TOY | {"v": [0.2, 1.0]}, toy_list(group="v"))
    other_set = replace(both, attribute_sets=("g_stereotype", "another"))
    one_set = replace(both, distance=both.distance[:, :1])
    for after in (other_word, other_set, one_set):
        refused("same words and sets", mac_change, both, after)


def long_form(words: str, sets: str, connections, distances) -> pd.DataFrame:
    """A table of words and sets of one letter each."""
    named = {"protected_word": list(words), "attribute_set": list(sets)}
    return pd.DataFrame({**named, "connection": connections, "cosine_distance": distances})


TOY = {"x": [1.0, 0.0], "y": [0.0, 1.0], "a": [1.0, 1.0], "b": [3.0, 4.0], "z": [1.0, 0.0]}


def toy_list(group: str = "x", **stereotypes: tuple[str, ...]) -> bb.WordList:
    stereotypes = stereotypes or {"g": ("a",), "h": ("b", "lost")}
    return bb.WordList("toy", {"g": (group,), "h": ("y", "gone")}, stereotypes)


def test_on_a_word_list() -> None:
    result = mac(TOY, toy_list())
    root = math.sqrt(0.5)
    assert result.distance == pytest.approx(np.array([[1 - root, 0.4], [1 - root, 0.2]]))
    assert result.attribute_sets == ("g_stereotype", "h_stereotype")
    assert result.words == ("x", "y")
    assert result.missing == {"group h": ("gone",), "stereotypes of h": ("lost",)}


def test_no_word_is_compared_with_itself() -> None:
    result = mac(TOY, toy_list(g=("x", "y"), h=("b",)))
    assert result.distance[:, 0].tolist() == [1.0, 1.0]
    for word in "xy":
        with pytest.raises(ValueError, match=f"stereotypes of g holds only '{word}' itself"):
            mac(TOY, toy_list(g=(word,), h=("b",)))


def test_bad_input_is_named() -> None:
    refused("at least one attribute set", mac_of, [[1.0]], [])
    refused(r"^targets must be a matrix", mac_of, [1.0], [[[1.0]]])
    refused(r"^attribute set 1 must be a matrix", mac_of, [[1.0]], [[[1.0]], [1.0]])
    refused("has no groups", mac, TOY, bb.WordList(name="n", controls={"neutral": ("x",)}))
    table = long_form("x", "s", ["associated"], [-100.0])
    refused(r"not in \[0, 2\]", mac_of_table, table)
    refused("no associated or different rows", mac_of_table, table.assign(connection="neutral"))
    refused("lacks the column", mac_of_table, table.drop(columns="connection"))


def test_absent_cells_of_a_table_do_not_count() -> None:
    table = long_form("xxy", "sts", ["associated", "different", "different"], [0.2, 0.4, 0.9])
    assert mac_of_table(table).score == pytest.approx(0.5)


def test_words_and_sets_of_a_table_stand_in_its_order() -> None:
    connections = ["different", "different", "associated", "associated", "different"]
    distances = np.array([0.25, 0.75, 1.0, 1.25, 1.5], dtype=np.float32)
    result = mac_of_table(long_form("yyyxx", "ttsts", connections, distances))
    assert result.words == ("y", "x")
    assert result.attribute_sets == ("t", "s")
    assert result.distance.tolist() == [[0.5, 1.0], [1.25, 1.5]]
    assert result.distance.dtype == np.float64


@pytest.mark.parametrize(
    ("distance", "allowed"),
    # Published tables are of float32 cosines, whose rounding may leave [0, 2] by some 1e-6.
    [(-9e-6, True), (-1.1e-5, False), (2 + 9e-6, True), (2 + 1.1e-5, False), (2.5, False)],
)
def test_distances_of_a_table_lie_in_0_2(distance: float, allowed: bool) -> None:
    table = long_form("x", "s", ["associated"], [distance])
    if allowed:
        assert mac_of_table(table).score == distance
    else:
        refused(r"not in \[0, 2\]", mac_of_table, table)
