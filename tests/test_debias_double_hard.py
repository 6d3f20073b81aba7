"""Double-hard debiasing against its steps written out, and the search for the component."""

from dataclasses import replace

import numpy as np
import pytest
from builders import cosine, refused
from debias_toys import EQUALISE, GENDER, PAIRS, SINGLE, published_steps, toy, unit, vectors_of

from bayesbias.debias import cluster_accuracy, debiasing, double_hard
from bayesbias.debias.methods.double_hard import leaning_direction, most_biased
from bayesbias.embeddings.registry import open_embedding


def by_hand(vectors, component: int) -> dict[str, np.ndarray]:
    """Algorithm 1 of the paper for a given component, with explicit loops."""
    words = tuple(vectors.index_to_key)
    rows = unit(vectors, words)
    rows = rows - rows.mean(axis=0)
    _, _, axes = np.linalg.svd(rows, full_matrices=False)
    u = axes[component - 1]
    moved = {word: row - (row @ u) * u for word, row in zip(words, rows, strict=True)}
    moved = {word: row / np.linalg.norm(row) for word, row in moved.items()}
    halves = np.array([(moved[a] - moved[b]) / 2 for a, b in PAIRS])
    return published_steps(moved, np.linalg.svd(halves)[2][0], GENDER.kept, EQUALISE)


def test_it_is_the_published_algorithm() -> None:
    vectors, component = toy(), 5
    result = double_hard(vectors, GENDER, component=component)
    for word, row in by_hand(vectors, component).items():
        assert result[word] == pytest.approx(row, abs=SINGLE), word
    assert debiasing(result).parameters == {"equalise": True, "component": component}


def frequency_toy() -> tuple[object, int]:
    """Words in two clusters along axis 1, by which their slight lean along axis 0 goes."""
    random = np.random.default_rng(5)
    words = tuple(toy().index_to_key)
    rows = 0.3 * random.normal(size=(len(words), 10))
    first = {pair[0] for pair in EQUALISE}
    for at, word in enumerate(words):
        side = 1 if at % 2 else -1
        if word in GENDER.kept:
            rows[at, 0] += 2 if word in first else -2
        else:
            rows[at, :2] += 0.6 * side, 2 * side
    return vectors_of(words, rows), 1


def test_it_finds_the_component_that_carries_the_clusters() -> None:
    vectors, axis = frequency_toy()
    result = double_hard(vectors, GENDER, n_words=20, candidates=4, seed=1)
    told = debiasing(result).parameters
    rows = unit(vectors, tuple(vectors.index_to_key))
    axes = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2]
    assert told["component"] == 1 + np.abs(axes[:, axis]).argmax()
    assert len(told["accuracies"]) == 4
    assert sorted(told["accuracies"])[1] > 0.9 > told["accuracies"][told["component"] - 1]
    chosen = double_hard(vectors, GENDER, component=told["component"])
    assert np.array_equal(result.vectors, chosen.vectors)


@pytest.mark.parametrize("pair", [(), ("mother", "father")])
def test_the_most_biased_words_are_those_nearer_to_he_than_to_she(pair) -> None:
    """cos(w, she) - cos(w, he) word by word, as in the article and its authors' notebook."""
    vectors = toy()
    lean = leaning_direction(vectors, replace(GENDER, representation=pair))
    words, rows = most_biased(open_embedding(vectors), lean, GENDER.kept, 5, 40)
    assert rows == pytest.approx(unit(vectors, tuple(words)), abs=SINGLE)
    she, he = (vectors[word].tolist() for word in pair or ("she", "he"))
    free = [word for word in vectors.index_to_key[:40] if word not in GENDER.kept]
    free.sort(
        key=lambda word: cosine(vectors[word].tolist(), he) - cosine(vectors[word].tolist(), she)
    )
    assert words == [*free[:5], *free[-5:]]


def test_the_pair_must_be_there_and_the_entropy_is_recorded() -> None:
    pair, options = ("gal", "guy"), {"n_words": 10, "candidates": 3}
    sets = replace(GENDER, defining=(pair, *GENDER.defining), representation=pair)
    refused("gal and guy, is not in the embedding", double_hard, toy(), sets, **options)
    told = debiasing(double_hard(toy(), GENDER, **options))
    again = double_hard(toy(), GENDER, **options, seed=told.parameters["seed"])
    assert debiasing(again) == told


def test_cluster_accuracy_by_hand() -> None:
    rows = np.r_[np.zeros((6, 2)), np.ones((6, 2))] + np.linspace(0, 0.1, 24).reshape(12, 2)
    assert cluster_accuracy(rows, [0] * 6 + [1] * 6, seed=1) == 1
    assert cluster_accuracy(rows, [1] * 6 + [0] * 6, seed=1) == 1
    assert cluster_accuracy(rows, [0] * 5 + [1] + [1] * 6, seed=1) == 11 / 12
    assert cluster_accuracy(rows, [0, 1] * 6, seed=1) == 0.5
    three = np.r_[rows, 5 + rows[:6]]
    assert cluster_accuracy(three, ["b"] * 6 + ["c"] * 6 + ["a"] * 6, seed=1) == 1
    refused("the 6 rows do not fall into 2 clusters", cluster_accuracy, np.ones((6, 2)), [0, 1] * 3)
