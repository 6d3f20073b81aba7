from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from bayesbias import WordList
from bayesbias.scores.list_rows import ListRows, list_rows
from bayesbias.scores.robustness import reference_lists, sublists, without_each

Vectors = dict[str, np.ndarray]


def toy(*sizes: int, seed: int = 0) -> tuple[Vectors, WordList, ListRows]:
    """Groups of these sizes with ten and five stereotypes in turn, and random vectors."""
    groups = {f"g{i}": tuple(f"p{i}{j}" for j in range(size)) for i, size in enumerate(sizes)}
    stereotypes = {g: tuple(f"{g}s{j}" for j in range((10, 5)[g == "g1"])) for g in groups}
    words = WordList(name="toy", groups=groups, stereotypes=stereotypes)
    random = np.random.default_rng(seed)
    vectors = {word: random.normal(size=3) for word in words.words}
    return vectors, words, list_rows(vectors, words)[0]


def are_rows_of(rows: ListRows, vectors: Vectors) -> bool:
    """Whether every word stands beside its own vector."""
    pairs = [*zip(rows.protected, rows.protected_words, strict=True)]
    pairs += zip(rows.stereotypes, rows.stereotype_words, strict=True)
    return all(
        np.array_equal(row, vectors[word])
        for each, words in pairs
        for row, word in zip(each, words, strict=True)
    )


@pytest.mark.parametrize(
    ("share", "sizes"), [(0.2, (2, 1)), (0.25, (3, 2)), (0.7, (7, 4)), (0.99, (10, 5))]
)
def test_a_sublist_holds_its_share_of_every_set_rounded_up(share: float, sizes) -> None:
    vectors, _, rows = toy(10, 10)
    lists = sublists(rows, [share], 6, np.random.default_rng(0))
    assert set(lists) == {share, 1.0}
    assert len(lists[share]) == 6
    for each in lists[share]:
        assert tuple(map(len, each.stereotypes)) == sizes
        assert tuple(map(len, each.protected)) == (sizes[0], sizes[0])
        assert len(each.defining_words) == len(each.defining_sets) == sizes[0]
        assert are_rows_of(each, vectors)
        for words in (*each.protected_words, *each.stereotype_words):
            assert list(words) == sorted(set(words))  # none twice, in the list's order
    assert len({each.protected_words for each in lists[share]}) > 1 or sizes == (10, 5)


def test_rounding_of_a_product_adds_no_word() -> None:
    _, _, rows = toy(25, 25)
    assert 0.28 * 25 > 7  # in float64
    (each, *_) = sublists(rows, [0.28], 2, np.random.default_rng(0))[0.28]
    assert tuple(map(len, each.protected)) == (7, 7)


def test_the_whole_list_is_always_there_once() -> None:
    _, _, rows = toy(4, 3)
    assert sublists(rows, [], 5, np.random.default_rng(0)) == {1.0: [rows]}
    lists = sublists(rows, [1.0, 0.5, 0.5], 5, np.random.default_rng(0))
    assert {share: len(each) for share, each in lists.items()} == {0.5: 5, 1.0: 1}
    assert lists[1.0] == [rows]
    assert lists[0.5][0].defining is None


@pytest.mark.parametrize("sizes", [(4, 4, 4), (4, 2, 3)])
def test_shuffling_deals_words_out_again(sizes: tuple[int, ...]) -> None:
    vectors, words, rows = toy(*sizes)
    random = np.random.default_rng(0)
    given = sublists(rows, [0.5], 8, random)
    dealt = reference_lists("shuffled", words, rows, given, random)
    assert {share: len(each) for share, each in dealt.items()} == {0.5: 8, 1.0: 8}
    for before, after in zip([*given[0.5], *[rows] * 8], dealt[0.5] + dealt[1.0], strict=True):
        assert tuple(map(len, after.protected)) == tuple(map(len, before.protected))
        assert Counter(sum(after.protected_words, ())) == Counter(sum(before.protected_words, ()))
        assert after.stereotype_words == before.stereotype_words
        assert are_rows_of(after, vectors)
        if before.defining is None:
            assert after.defining is None
        else:
            assert after.defining_sets.shape == before.defining_sets.shape
            was, now = (each.defining_sets.reshape(-1, 3).tolist() for each in (before, after))
            assert sorted(was) == sorted(now)
    assert len({each.protected_words for each in dealt[1.0]}) > 1
    if rows.defining is not None:
        assert any(not np.array_equal(each.defining, rows.defining) for each in dealt[1.0])


def test_pairs_that_the_embedding_lacks_are_not_shuffled() -> None:
    vectors, words, _ = toy(2, 2)
    del vectors["p00"], vectors["p11"]
    rows, _ = list_rows(vectors, words)
    dealt = reference_lists("shuffled", words, rows, {1.0: [rows]}, np.random.default_rng(0))
    assert len(dealt[1.0][0].defining) == 0


def test_a_reference_embedding_gives_as_many_lists() -> None:
    _, words, rows = toy(4, 4)
    other, _, _ = toy(4, 4, seed=1)
    given = sublists(rows, [0.5], 8, np.random.default_rng(0))
    lists = reference_lists(other, words, rows, given, np.random.default_rng(0))
    assert {share: len(each) for share, each in lists.items()} == {0.5: 8, 1.0: 1}
    assert all(are_rows_of(each, other) for each in lists[0.5] + lists[1.0])
    assert reference_lists(None, words, rows, given, np.random.default_rng(0)) == {}
    with pytest.raises(ValueError, match="'shuffled', got 'glove'; load an embedding"):
        reference_lists("glove", words, rows, given, np.random.default_rng(0))


def test_each_pair_is_left_out_of_words_and_pairs() -> None:
    vectors, _, rows = toy(3, 3)
    left = list(without_each(rows))
    assert [name for name, _ in left] == ["p00, p10", "p01, p11", "p02, p12"]
    for at, (_, rest) in enumerate(left):
        kept = [i for i in range(3) if i != at]
        assert rest.protected_words == tuple(tuple(f"p{g}{i}" for i in kept) for g in (0, 1))
        assert rest.defining_words == tuple((f"p0{i}", f"p1{i}") for i in kept)
        assert np.array_equal(rest.defining_sets, rows.defining_sets[kept])
        assert rest.stereotype_words == rows.stereotype_words
        assert are_rows_of(rest, vectors)


def test_without_pairs_words_are_left_out_but_none_that_is_alone() -> None:
    _, _, rows = toy(2, 1)
    left = {name: rest.protected_words for name, rest in without_each(rows)}
    assert left == {"p00": (("p01",), ("p10",)), "p01": (("p00",), ("p10",))}
    assert list(without_each(toy(1, 1)[2])) == []
