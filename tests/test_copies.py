"""Words that a table holds twice: found by comparing all pairs, named in warnings, left out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from gensim.models import KeyedVectors

import bayesbias as bb
from bayesbias.tables.copies import drop_duplicates, duplicate_vectors

WORDS = bb.WordList(
    name="pets",
    groups={"cat": ["cat", "kitten", "puss"], "dog": ["dog", "puppy", "hound"]},
    stereotypes={"cat": ["aloof", "quiet", "proud"], "dog": ["loyal", "loud", "keen"]},
    controls={"neutral": ["table", "clock", "grass"]},
)

RELIGION_PAIRS = {
    ("judaism", "christianity"),
    ("jew", "muslim"),
    ("synagogue", "mosque"),
    ("torah", "quran"),
    ("rabbi", "priest"),
}


def vectors_of(**same: str) -> KeyedVectors:
    """Irregular vectors, with words that have the vector of another."""
    made = KeyedVectors(8)
    rows = np.random.default_rng(7).standard_normal((len(WORDS.words), 8)).astype(np.float32)
    by_word = dict(zip(sorted(WORDS.words), rows, strict=True))
    by_word |= {word: 2 * by_word[other] for word, other in same.items()}
    made.add_vectors(list(by_word), list(by_word.values()))
    return made


def told_by(call: Callable[[], object]) -> tuple[object, list[str]]:
    """What a call returns, and the texts of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = call()
    return made, [str(warning.message) for warning in caught]


def by_brute_force(table: pd.DataFrame) -> set[frozenset[str]]:
    """Pairs of protected words that are equal in all distances that both have."""
    wide = table.pivot_table(
        index="protected_word", columns="attribute", values="cosine_distance", aggfunc="last"
    )
    return {
        frozenset(pair)
        for pair in combinations(wide.index, 2)
        if (wide.loc[pair[0]] - wide.loc[pair[1]]).abs().max() <= 1e-5
    }


def test_copies_across_groups_and_among_attributes_are_named() -> None:
    vectors = vectors_of(hound="kitten", puppy="cat", loud="quiet")
    table, texts = told_by(lambda: bb.distance_table(vectors, WORDS))
    words, attributes = texts
    assert "2 protected words are exact copies" in words
    assert "cat = puppy, kitten = hound" in words
    assert (
        "1 attribute words are exact copies of another, in all distances (quiet = lou" in attributes
    )
    found = duplicate_vectors(table)
    assert set(found["kind"]) == {"copy"}
    pairs = found[found["role"] == "protected_word"][["word", "other"]]
    assert set(map(frozenset, pairs.to_numpy())) == by_brute_force(table)
    assert (found["difference"] <= 1e-6).all()  # vectors of float32, of two lengths


def test_each_vector_is_kept_once_and_under_its_first_name() -> None:
    vectors = vectors_of(hound="kitten", puppy="kitten", loud="quiet")
    whole, _ = told_by(lambda: bb.distance_table(vectors, WORDS))
    once = bb.distance_table(vectors, WORDS, drop_duplicates=True)
    assert list(once["protected_word"].unique()) == ["cat", "kitten", "puss", "dog"]
    assert "loud" not in set(once["attribute"])
    pd.testing.assert_frame_equal(once, drop_duplicates(whole))
    assert duplicate_vectors(once).empty


def test_words_at_one_distance_from_stereotypes_alone_are_equidistant() -> None:
    table = bb.distance_table(vectors_of(), WORDS)
    sides = table["attribute_set"].isin(["neutral"])
    like = table[table["protected_word"] == "cat"].set_index("attribute")["cosine_distance"]
    moved = table["cosine_distance"].mask(
        (table["protected_word"] == "dog") & ~sides, table["attribute"].map(like)
    )
    found = duplicate_vectors(table.assign(cosine_distance=moved))
    assert found[["kind", "word", "other"]].to_numpy().tolist() == [["equidistant", "cat", "dog"]]
    assert found["n_distances"].tolist() == [6]
    within_group = table["cosine_distance"].mask(
        (table["protected_word"] == "puss") & ~sides, table["attribute"].map(like)
    )
    assert duplicate_vectors(table.assign(cosine_distance=within_group)).empty


def test_missing_pairs_tolerance_and_few_distances() -> None:
    table, _ = told_by(lambda: bb.distance_table(vectors_of(hound="kitten"), WORDS))
    holes = (table["protected_word"] == "hound") & (table["attribute"] == "clock")
    assert duplicate_vectors(table[~holes])["n_distances"].tolist() == [8]
    few = table[table["attribute"].isin(["clock", "grass"])]
    assert duplicate_vectors(few).empty
    moved = table["cosine_distance"] + 2e-5 * (table["protected_word"] == "hound")
    near = table.assign(cosine_distance=moved)
    assert duplicate_vectors(near).empty


def test_the_published_debiased_religion_table_warns_and_names_its_five_pairs(
    shared_data: Path,
) -> None:
    path = shared_data / "paper_tables" / "debiased_religion_reddit.csv"
    table, texts = told_by(lambda: bb.read_table(path))
    text = next(text for text in texts if "5 protected words are exact copies" in text)
    assert path.name in text
    assert all(f"{word} = {other}" in text for word, other in RELIGION_PAIRS)
    found = duplicate_vectors(table).query("kind == 'copy'")
    assert set(zip(found["word"], found["other"], strict=True)) == RELIGION_PAIRS
    assert set(found["n_distances"]) == {322}
    assert by_brute_force(table) == set(map(frozenset, RELIGION_PAIRS))


def test_compare_warns_of_copies_after_and_can_leave_them_out(
    debiased_religion: tuple[pd.DataFrame, ...],
) -> None:
    fast = {"draws": 200, "chains": 2, "method": "exact", "seed": 1}
    _, texts = told_by(lambda: bb.fit_change(*debiased_religion, "change", **fast))
    assert any("the table after: 5 protected words are exact copies" in text for text in texts)
    tree, texts = told_by(
        lambda: bb.fit_change(*debiased_religion, "change", drop_duplicates=True, **fast)
    )
    assert not any("copies" in text for text in texts)
    kept = set(tree["posterior"]["protected_word"].values)
    assert len(kept) == 10
    assert not kept & {other for _, other in RELIGION_PAIRS}
