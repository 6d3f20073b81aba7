"""Double-hard debiasing: remove a direction of word frequency, then the direction of gender."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from ..._core.arrays import FloatArray, unit_rows
from ..._core.checks import Argument, ArgumentError, check_numbers, is_whole
from ..._core.random import Seed, as_seed_sequence
from ...embeddings.source import Embedding
from ..defining_sets import DefiningSets
from ..method import Debiaser, Material, debiasing_method
from ..recovery import VOCABULARY, cluster_accuracy
from ..subspace import (
    VectorsByWord,
    bias_directions,
    equalized_words,
    moments,
    unit_chunks,
    without,
)


@debiasing_method()
def double_hard(
    material: Material,
    *,
    component: int | None = None,
    candidates: int = 20,
    n_words: int = 500,
    vocabulary: int = VOCABULARY,
    equalize: bool = True,
    seed: Seed = None,
) -> Debiaser:
    """Apply double-hard debiasing for two classes: first remove a frequency direction, then bias.

    Unit vectors are centered on the mean of all words. The leading principal components of the
    embedding distinguish frequent from rare words. The method removes the component whose removal,
    followed by hard debiasing, makes clusters of the most biased words agree least with the words'
    classes. The most biased words have the largest and smallest cos(w, he) - cos(w, she), where he
    and she are the sets' ``representation``. Words are then debiased as in `hard`, with a newly
    learned direction. The record has the removed ``component`` and the ``accuracies`` of the
    clusters for all components tried.

    Parameters
    ----------
    component : int, optional
        The component to remove, counted from 1. By default, it is found by clustering.
    candidates : int
        Number of leading components to try.
    n_words : int
        Number of most biased neutral words to cluster for each class.
    vocabulary : int
        Number of words, from the start of the embedding, to search for biased words.
    equalize : bool
        Whether to equalize words, as in `hard`.
    seed : int, SeedSequence, Generator, or None
        Seed for the clustering's starting points, stored in the record.

    References
    ----------
    Wang, Lin, Rajani, McCann, Ordonez, and Xiong (2020), Double-Hard Debias, ACL, algorithm 1.
    """
    vectors, lists = material.vectors, material.sets
    sums = moments(material.embedding, lists.kept)
    center = sums.total / sums.count
    _, axes = np.linalg.eigh(sums.second / sums.count - np.outer(center, center))
    axes = np.ascontiguousarray(axes[:, ::-1].T)
    name, tried = ("candidates", candidates) if component is None else ("component", component)
    if not is_whole(tried) or not 1 <= tried <= len(axes):
        need = f" must be from 1 to {len(axes)}, the number of dimensions; got {tried!r}"
        raise ArgumentError(Argument(name), need)

    def removed(rows: FloatArray, component: int) -> FloatArray:
        return without(rows - center, axes[component - 1 : component])

    def learned(component: int) -> tuple[VectorsByWord, FloatArray]:
        rows = removed(unit_rows(list(vectors.values())), component)
        moved = dict(zip(vectors, rows, strict=True))
        return moved, bias_directions(moved, lists)

    search: dict[str, Any] = {}
    if component is None:
        lean, sequence = leaning_direction(vectors, lists), as_seed_sequence(seed)
        _, biased = most_biased(material.embedding, lean, lists.kept, n_words, vocabulary)
        labels, accuracies = np.repeat([0, 1], n_words), []
        for number in range(1, candidates + 1):
            rows = without(removed(biased, number), learned(number)[1])
            accuracies.append(cluster_accuracy(unit_rows(rows), labels, seed=sequence))
        component = int(np.argmin(accuracies)) + 1
        search = {"candidates": candidates, "n_words": n_words, "vocabulary": vocabulary}
        search |= {"seed": sequence.entropy, "accuracies": [round(x, 4) for x in accuracies]}
    moved, directions = learned(component)
    return material.debiaser(
        {"equalize": equalize, **search, "component": component},
        equalize=equalize,
        everywhere=partial(removed, component=component),
        neutral=partial(without, directions=directions),
        placed=equalized_words(moved, lists, directions) if equalize else {},
    )


def leaning_direction(vectors: VectorsByWord, lists: DefiningSets) -> FloatArray:
    """Compute x - y for the unit vectors of a pair, so that w·(x - y) = cos(w, x) - cos(w, y)."""
    pairs = [lists.representation] if lists.representation else lists.defining
    known = [pair for pair in pairs if all(word in vectors for word in pair)]
    if not known:
        raise ValueError(
            f"the pair used to find the most biased words, {' and '.join(pairs[0])}, is not in the "
            "embedding; choose another pair as the representation"
        )
    x, y = unit_rows([vectors[word] for word in known[0]])
    return np.asarray(x - y)


def most_biased(
    embedding: Embedding, direction: FloatArray, kept: frozenset[str], n_words: int, vocabulary: int
) -> tuple[list[str], FloatArray]:
    """Find the words that are farthest along and against a direction, with their unit vectors."""
    check_numbers(n_words=n_words, vocabulary=vocabulary)
    every = (pair for chunk in unit_chunks(embedding) for pair in zip(*chunk, strict=True))
    free = [(word, row) for word, row in islice(every, vocabulary) if word not in kept]
    if len(free) < 2 * n_words:
        raise ArgumentError(
            Argument("n_words"),
            f" must be from 1 to {len(free) // 2}, half the number of neutral words among the "
            f"first {vocabulary:,} words; got {n_words}",
        )
    rows = np.stack([row for _, row in free])
    order = np.argsort(-np.einsum("nd,d->n", rows, direction), kind="stable")
    order = np.r_[order[:n_words], order[-n_words:]]
    return [free[row][0] for row in order], rows[order]
