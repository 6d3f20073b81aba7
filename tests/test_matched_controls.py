"""Words as frequent as the stereotypes: ranks, controls, and lists of such words."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import only_row, refused
from gensim.models import KeyedVectors
from numpy.random import default_rng

import bayesbias as bb
from bayesbias.background.reference_words import draw_pool
from bayesbias.embeddings.formats.keyed import ranks_of

N_WORDS = 4_000


def vocabulary(seed: int = 1) -> KeyedVectors:
    """Words in order of frequency that lie the farther from all others the rarer they are."""
    rng = default_rng(seed)
    vectors = KeyedVectors(20)
    common = 2.0 - 1.5 * np.log10(np.arange(1, N_WORDS + 1)) / np.log10(N_WORDS)
    matrix = rng.normal(size=(N_WORDS, 20))
    matrix[:, 0] += 2 * common
    letters = [
        chr(97 + i // 400 % 26) + chr(97 + i // 20 % 20) + chr(97 + i % 20) for i in range(N_WORDS)
    ]
    vectors.add_vectors([f"w{name}" for name in letters], matrix.astype(np.float32))
    return vectors


def wordlist(vectors: KeyedVectors, ranks: np.ndarray) -> bb.WordList:
    """A list about nothing: protected words, human ones of high rank, stereotypes of some ranks."""
    names = vectors.index_to_key
    return bb.WordList(
        name="nothing",
        groups={"a": tuple(names[50:56]), "b": tuple(names[56:62])},
        stereotypes={
            "a": tuple(names[rank] for rank in ranks[::2]),
            "b": tuple(names[rank] for rank in ranks[1::2]),
        },
        controls={"human": tuple(names[100:130])},
    )


def test_matched_words_are_as_frequent_and_none_of_the_list() -> None:
    vectors = vocabulary()
    ranks = np.linspace(1_500, 3_000, 16).astype(int)
    words = wordlist(vectors, ranks)
    found = bb.matched_controls(vectors, words, n=3, seed=1)
    matched = found.controls["matched"]
    assert len(set(matched)) == len(matched) == 48
    assert not set(matched) & set(words.words)
    place = {word: rank for rank, word in enumerate(vectors.index_to_key, start=1)}
    for at, stereotype in enumerate([*words.stereotypes["a"], *words.stereotypes["b"]]):
        ratio = np.array([place[word] for word in matched[3 * at : 3 * at + 3]]) / place[stereotype]
        assert (abs(ratio - 1) <= 0.2).all()
    assert found == bb.matched_controls(vectors, words, n=3, seed=1)
    assert found.controls != bb.matched_controls(vectors, words, n=3, seed=2).controls
    table = bb.distance_table(vectors, found)
    assert (table["connection"] == "matched").sum() == 48 * 12


def test_reference_lists_of_like_frequency_lie_where_the_frequency_puts_them() -> None:
    vectors = vocabulary()
    words = wordlist(vectors, np.linspace(1_500, 3_000, 16).astype(int))
    options = {"vary": "stereotypes", "n_lists": 30, "draws": 100, "chains": 1, "seed": 1}
    by = {
        match: only_row(
            bb.vocabulary_contrasts(vectors, words, "paper", match=match, **options).table.query(
                "level == 'overall'"
            ),
            first="associated",
            second="human",
        )
        for match in ("random", "frequency")
    }
    assert by["frequency"]["reference_low"] > 0
    assert by["frequency"]["reference_mean"] > by["random"]["reference_mean"]
    assert 0.01 < by["frequency"]["percentile"] < 0.99


def test_a_pool_by_rank_has_as_many_words_of_any_order_of_magnitude() -> None:
    vectors = vocabulary()
    pool = draw_pool(vectors, (), size=300, by_rank=True, rng=default_rng(1), progressbar=False)
    counts = [((pool.ranks > low) & (pool.ranks <= 2 * low)).sum() for low in (500, 1_000, 2_000)]
    # Expected equal; each is about 60, of sd 8.
    assert max(counts) - min(counts) < 40
    whole = draw_pool(vectors, ("waab", "nothing"), rng=default_rng(1), progressbar=False)
    assert whole.found_ranks == {"waab": 1 + vectors.key_to_index["waab"]}


def test_pools_are_drawn_among_the_ranks_asked_for_in_any_chunks(monkeypatch) -> None:
    vectors = vocabulary()
    names = vectors.index_to_key

    def draw(size: int) -> Any:
        return draw_pool(
            vectors, [names[0], names[150]], ranks=(100, 400), size=size, rng=default_rng(3)
        )

    pool = draw(50)
    assert len(set(pool.words)) == 50
    assert set(pool.words) <= {*names[100:150], *names[151:400]}
    assert set(pool.found) == {names[0], names[150]}
    np.testing.assert_array_equal(pool.vectors, vectors[list(pool.words)])
    assert len(draw(9999).words) == 299
    monkeypatch.setattr("bayesbias.embeddings.source.READ_SIZE", 7 * 80)
    assert draw(50).words == pool.words
    options = {"ranks": (99_999, None), "rng": default_rng(3)}
    refused("no words to sample from at ranks", draw_pool, vectors, [], **options)


def test_ranks_are_places_in_a_file_or_counts_or_those_of_the_source(tmp_path: Path) -> None:
    path = tmp_path / "some.txt"
    path.write_text("the 1 0\nof 0 1\nrare 1 1\n")
    vectors = bb.load_vectors(path, ["rare", "the"])
    bb.save_vectors(vectors, tmp_path / "some.npz")
    again = bb.load_vectors(tmp_path / "some.npz", ["rare"])
    counted = KeyedVectors(2)
    counted.add_vectors(["few", "many"], np.eye(2))
    counted.set_vecattr("few", "count", 3)
    counted.set_vecattr("many", "count", 30)
    assert [ranks_of(v).tolist() for v in (vectors, again, counted)] == [[1, 3], [3], [2, 1]]
    words = bb.WordList("w", {"x": ["the"], "y": ["of"]}, {"x": ["rare"]})
    whole = bb.load_vectors(path)
    table = bb.distance_table(whole, words, ranks=bb.frequency_ranks(whole))
    assert table[["protected_word_rank", "attribute_rank"]].to_numpy().tolist() == [[1, 3], [2, 3]]


def test_the_bundled_vectors_have_further_words_that_are_as_frequent() -> None:
    found = bb.matched_controls("glove-demo", "religion", case="fallback", seed=1)
    vectors = bb.load_vectors("glove-demo", found, case="fallback")
    matched = set(found.controls["matched"])
    assert matched <= set(vectors.index_to_key)
    assert not matched <= set(bb.load_vectors("glove-demo").index_to_key)
    ranks = dict(zip(vectors.index_to_key, ranks_of(vectors).tolist(), strict=True))
    stereotypes = {w for words in found.stereotypes.values() for w in words if w in ranks}
    medians = [np.median([ranks[word] for word in words]) for words in (stereotypes, matched)]
    assert medians[1] == pytest.approx(medians[0], rel=0.2)


def test_what_is_refused() -> None:
    vectors = vocabulary()
    words = wordlist(vectors, np.array([3, 1_000, 2_000, 3_000]))
    nothing = bb.WordList("x", {"a": ["waaa"], "b": ["waab"]}, {"a": ["q"], "b": ["r"]})
    for given, n, fragment in (
        (words, 5, "'waad' is word 4 by frequency, and the embedding has"),
        (words, 0, "n must be a whole number, 1 or more"),
        (nothing, 5, "none of the stereotypes of 'x'"),
    ):
        refused(fragment, bb.matched_controls, vectors, given, n=n)
