"""Recovery checks after debiasing, on words with planted or removed bias."""

import numpy as np
import pytest
from builders import keyed, refused, unit
from debias_toys import RELIGION, TRIPLES

import bayesbias as bb
from bayesbias.debias import DefiningSets, cluster_accuracy, hard, remaining_bias
from bayesbias.debias.recovery import _correlation, _most_leaning, nearest_words
from bayesbias.scores.subspace import principal_components

PAIRS = (("she", "he"), ("woman", "man"))
WORDS = tuple(f"word{at}" for at in range(80))
SETS = DefiningSets(PAIRS, targets=WORDS[::3])


def planted(*, elsewhere: bool, dims: int = 10):
    """Return words that lean along axis 0 and, on request, equally along axis 1."""
    random = np.random.default_rng(3)
    rows = 0.1 * random.normal(size=(84, dims))
    rows[[0, 2], 0] += 3
    rows[[1, 3], 0] -= 3
    lean = np.where(np.arange(80) % 2, 1.0, -1.0) * random.uniform(0.5, 1.5, size=80)
    rows[4:, 0] += lean
    if elsewhere:
        rows[4:, 1] += lean
    rows[4:, 2:] += random.normal(size=(80, dims - 2)) * 0.3
    return keyed(("she", "he", "woman", "man", *WORDS), rows)


def test_bias_that_lies_in_the_direction_only_is_gone() -> None:
    before = planted(elsewhere=False)
    frame = remaining_bias(before, hard(before, SETS), SETS, n_words=30, neighbors=20, seed=1)
    assert frame["check"].tolist() == ["cluster", "classifier", "neighbors"]
    assert (frame["before"] > [0.99, 0.99, 0.8]).all()
    # For 60 random words, allow three standard errors of one half, .5 ± .19. Clusters are
    # labeled in the best way, so their accuracy starts higher.
    assert frame["after"].iloc[0] < 0.75
    assert frame["after"].iloc[1] < 0.7
    assert abs(frame["after"].iloc[2]) < 3 / np.sqrt(27)
    assert frame["chance"].tolist() == [0.5, 0.5, 0.0]
    assert frame["n"].tolist() == [60, 60, 27]


def test_bias_that_has_a_second_home_is_recovered() -> None:
    before = planted(elsewhere=True)
    frame = remaining_bias(before, hard(before, SETS), SETS, n_words=30, neighbors=20, seed=1)
    assert (frame["after"] > [0.9, 0.95, 0.7]).all()


def test_cluster_accuracy_by_hand() -> None:
    rows = np.r_[np.zeros((6, 2)), np.ones((6, 2))] + np.linspace(0, 0.1, 24).reshape(12, 2)
    assert cluster_accuracy(rows, [1] * 6 + [0] * 6, seed=1) == 1
    assert cluster_accuracy(rows, [0] * 5 + [1] + [1] * 6, seed=1) == 11 / 12
    assert cluster_accuracy(rows, [0, 1] * 6, seed=1) == 0.5
    three = np.r_[rows, 5 + rows[:6]]
    assert cluster_accuracy(three, ["b"] * 6 + ["c"] * 6 + ["a"] * 6, seed=1) == 1
    refused("clusters require at least 2 different", cluster_accuracy, np.ones((6, 2)), [0, 1] * 3)


def test_neighbors_by_brute_force() -> None:
    random = np.random.default_rng(0)
    rows = unit(random.normal(size=(30, 4)))
    words = [f"w{at}" for at in range(30)]
    targets = [*words[:5], "other"]
    places = np.vstack([rows[:5], [[1.0, 0, 0, 0]]])
    found = nearest_words(targets, places, words, rows, 7)
    for row, target in enumerate(targets):
        near = sorted(
            (word for word in words if word != target),
            key=lambda word: -float(places[row] @ rows[words.index(word)]),
        )
        assert {words[at] for at in found[row]} == {*near[:7]}
    everyone = nearest_words(targets[:1], places[:1], words, rows, 99)
    assert sorted(everyone[0].tolist()) == [*range(1, 30)]


def test_zeros_stop_nothing_and_constants_are_not_correlated() -> None:
    before = planted(elsewhere=True)
    after = keyed(before.index_to_key, before.vectors * np.where(np.arange(10) == 4, 0, 1))
    left = remaining_bias(before, after, SETS, n_words=40, seed=1)  # all words are left
    assert left["n"].iloc[0] == 80
    assert _correlation(np.ones(5), np.arange(5.0)) == _correlation(np.arange(5.0), np.ones(5)) == 0
    assert _correlation(np.arange(5.0), -np.arange(5.0)) == pytest.approx(-1)


def test_two_of_three_members_set_the_sign_of_an_axis() -> None:
    random = np.random.default_rng(2)
    for _ in range(5):
        sets = random.normal(size=(2, 3, 6))
        directions, shares = principal_components(sets)
        assert (directions @ (sets[:, 0] - sets[:, -1]).sum(axis=0) > 0).all()
        centered = (sets - sets.mean(axis=1, keepdims=True)).reshape(6, 6)
        lengths = np.linalg.norm(centered @ directions.T, axis=0) ** 2
        np.testing.assert_allclose(shares, lengths / (centered**2).sum())


def test_three_classes() -> None:
    random = np.random.default_rng(1)
    words = (*(word for each in TRIPLES for word in each), *WORDS)
    rows = 0.1 * random.normal(size=(len(words), 9))
    rows[np.arange(9), np.arange(9) % 3] += 2
    rows[9:, :3] += random.normal(size=(80, 3))
    before = keyed(words, rows)
    options = {"n_words": 15, "neighbors": 10, "seed": 1}
    frame = remaining_bias(before, before, RELIGION, **options)
    assert frame.equals(remaining_bias(before, before, RELIGION, **options))
    assert frame["before"].tolist() == frame["after"].tolist()
    assert frame["chance"].tolist()[:2] == [1 / 3, 1 / 3]
    assert frame["n"].tolist() == [45, 45, 10]
    assert (frame["before"].iloc[:2] > 0.9).all()


def test_the_most_leaning_words_are_nearer_to_their_class_than_to_any_other() -> None:
    leaning = np.random.default_rng(4).normal(size=(60, 3))
    rows, classes = _most_leaning(leaning, 8, RELIGION)
    for place in range(3):
        rest = np.delete(leaning, place, axis=1)
        order = sorted(range(60), key=lambda row: max(rest[row]) - leaning[row, place])
        assert rows[classes == place].tolist() == order[:8]


def test_words_that_one_embedding_lacks_are_left_out() -> None:
    before = planted(elsewhere=True)
    fewer = bb.load_vectors(before, words=[*WORDS[:50]])
    options = {"n_words": 20, "neighbors": 5, "seed": 1}
    targets = ["word1", "word2", WORDS[-1], "gone"]
    found = []
    for given, sets in (
        ({"targets": [*targets, "word7"]}, SETS),
        ({}, DefiningSets(PAIRS, targets=targets)),
    ):
        with pytest.warns(bb.warnings.MissingWords) as caught:
            found.append(remaining_bias(before, fewer, sets, **options, **given))
        assert caught[0].message.names == (WORDS[-1], "gone")
    assert found[0]["n"].tolist() == [40, 40, 3]
    assert found[1]["check"].tolist() == ["cluster", "classifier"]
    few = remaining_bias(before, fewer, SETS, **options, targets=["word1", "word2", "word2"])
    assert few.equals(found[1])
    alone = keyed(("alone",), np.ones((1, 10)))
    refused("have no words in common", remaining_bias, before, alone, SETS)


def test_the_number_of_words_is_from_the_number_of_folds_to_what_there_is() -> None:
    before, sets = planted(elsewhere=True), DefiningSets(PAIRS)
    for start, fewest in enumerate(("class 1", "class 2")):  # odd words lean toward class 1
        some = bb.load_vectors(before, words=[*WORDS[start : start + 51]])
        for n_words in (0, 1, 4, 26, True, 7.5, "7"):
            told = f"n_words must .* from 5 to 25, .* '{fewest}'"
            refused(told, remaining_bias, before, some, sets, n_words=n_words)
        for n_words, used in ((5, 5), (np.int64(25), 25), (None, 25)):
            frame = remaining_bias(before, some, sets, n_words=n_words, seed=1)
            assert frame["n"].tolist() == [2 * used] * 2
    few = bb.load_vectors(before, words=[*WORDS[:9]])
    refused("only 4 words lean toward 'class 1'", remaining_bias, before, few, sets)
    one = bb.load_vectors(before, words=[*WORDS[:3]])
    refused("only 1 word leans", remaining_bias, before, one, sets, n_words=5)


def test_only_the_first_words_are_searched() -> None:
    before, sets = planted(elsewhere=True), DefiningSets(PAIRS)
    for vocabulary in (0, -5, 50.5, True, "50"):
        refused("vocabulary must", remaining_bias, before, before, sets, vocabulary=vocabulary)
    # Four of the first 44 words are defining words; half of the others lean toward each class.
    assert remaining_bias(before, before, sets, vocabulary=44, seed=1)["n"].tolist() == [40, 40]


def test_neighbors_and_targets_are_checked() -> None:
    vectors = bb.load_vectors("glove-demo")
    for neighbors in (0, 10**6, 2.5):
        refused("neighbors must be from 1", remaining_bias, vectors, vectors, neighbors=neighbors)
    refused(r"pass \['nurse'\]", remaining_bias, vectors, vectors, targets="nurse", error=TypeError)
    refused("classes must have different", DefiningSets, [("she", "he")], classes=("x", "x"))
