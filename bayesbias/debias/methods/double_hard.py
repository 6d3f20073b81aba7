"""Double-hard debiasing: first a direction of word frequency goes, then that of gender."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..._core.arrays import FloatArray, unit_rows
from ..._core.random import Seed, as_seed_sequence
from ...embeddings.source import Embedding
from ..debiaser import Debiaser
from ..defining_sets import DefiningSets, SetsLike
from ..method import DebiasingMethod, Fittable
from ..recovery import cluster_accuracy
from ..subspace import bias_directions, equalised_words
from ..sums import VOCABULARY, VectorsByWord, moments, unit_chunks, without

CANDIDATES = 20
"""Leading principal components that are tried."""

BIASED = 500
"""Most biased words of each class whose clusters are looked at, as published."""


@dataclass(frozen=True)
class DoubleHard(DebiasingMethod):
    """Double-hard debiasing for two classes: first remove a direction of word frequency.

    Unit vectors are centered on the mean of all words. Of the leading principal components of the
    embedding, which tell frequent from rare words, that one is removed after whose removal hard
    debiasing leaves the clusters of the most biased words least alike to their classes. The most
    biased words are those of largest and of smallest cos(w, he) - cos(w, she), with the sets'
    ``representation`` as he and she. Then all words are debiased as `hard` does, with a direction
    learned again. The record holds the ``component`` removed and the ``accuracies`` of the clusters
    for each that was tried.

    Parameters
    ----------
    component : int, optional
        The component to remove, counted from 1; found if not given.
    candidates : int
        How many leading components are tried.
    n_words : int
        Most biased words of each class, specific words left out, that are clustered.
    vocabulary : int
        Words from the start of the embedding among which the most biased are looked for.
    equalise : bool
        Move the equalise sets. If not, their words stay as they are.
    seed : int, SeedSequence, Generator or None
        For the starts of the clustering: equal seeds give equal results. It is recorded.

    References
    ----------
    Wang, Lin, Rajani, McCann, Ordonez and Xiong (2020), Double-Hard Debias, ACL, algorithm 1.
    """

    component: int | None = None
    candidates: int = CANDIDATES
    n_words: int = BIASED
    vocabulary: int = VOCABULARY
    equalise: bool = True
    seed: Seed = None
    two_classes: ClassVar[bool] = True

    def fit(self, vectors: Fittable, sets: SetsLike) -> Debiaser:
        """Learn both directions, in one pass over all words or two."""
        embedding, lists, found = self.read(vectors, sets)
        frequency = leading_components(embedding, lists.kept)
        component = self.component
        search: dict[str, Any] = {}
        if component is None:
            component, search = self._find_component(embedding, lists, found, frequency)
        frequency.require("component", component)
        moved = frequency.moved(found, component)
        directions = bias_directions(moved, lists)
        parameters = {"equalise": self.equalise, **search, "component": component}
        return Debiaser(
            record=self.record(lists, found, parameters, equalise=self.equalise),
            everywhere=partial(frequency.remove, component=component),
            neutral=partial(without, directions=directions),
            kept=lists.kept,
            placed=equalised_words(moved, lists, directions) if self.equalise else {},
        )

    def _find_component(
        self, embedding: Embedding, lists: DefiningSets, found: VectorsByWord, frequency: Frequency
    ) -> tuple[int, dict[str, Any]]:
        """Return the component that hides bias best, and the record of the search."""
        frequency.require("candidates", self.candidates)
        lean = leaning_direction(found, lists)
        _, biased = most_biased(embedding, lean, lists.kept, self.n_words, self.vocabulary)
        labels = np.repeat([0, 1], self.n_words)
        seed = as_seed_sequence(self.seed)
        accuracies = []
        for component in range(1, self.candidates + 1):
            directions = bias_directions(frequency.moved(found, component), lists)
            rows = without(frequency.remove(biased, component), directions)
            accuracies.append(cluster_accuracy(unit_rows(rows), labels, seed=seed))
        return int(np.argmin(accuracies)) + 1, {
            "candidates": self.candidates,
            "n_words": self.n_words,
            "vocabulary": self.vocabulary,
            "seed": seed.entropy,
            "accuracies": [round(accuracy, 4) for accuracy in accuracies],
        }


@dataclass(frozen=True, eq=False)
class Frequency:
    """Mean of all unit vectors, and the principal components, the one of largest variance first."""

    center: FloatArray
    components: FloatArray

    def remove(self, rows: FloatArray, component: int) -> FloatArray:
        """Centre rows, and remove a component, counted from 1."""
        return without(rows - self.center, self.components[component - 1 : component])

    def moved(self, found: VectorsByWord, component: int) -> VectorsByWord:
        """Return unit vectors of words without a component."""
        rows = self.remove(unit_rows(list(found.values())), component)
        return dict(zip(found, rows, strict=True))

    def require(self, name: str, value: int) -> None:
        """Raise a ValueError if there are not so many components."""
        if not 1 <= value <= (most := len(self.components)):
            raise ValueError(f"{name} must lie in 1 to {most}, the dimensions; got {value}")


def leading_components(embedding: Embedding, kept: frozenset[str]) -> Frequency:
    """Compute the principal components of all unit vectors."""
    sums = moments(embedding, kept)
    center = sums.total / sums.count
    _, axes = np.linalg.eigh(sums.second / sums.count - np.outer(center, center))
    return Frequency(center, np.ascontiguousarray(axes[:, ::-1].T))


def leaning_direction(found: VectorsByWord, lists: DefiningSets) -> FloatArray:
    """Compute x - y, (n_dims,), of the pair's unit vectors: w·(x - y) = cos(w, x) - cos(w, y)."""
    pairs = [lists.representation] if lists.representation else lists.defining
    there = [pair for pair in pairs if all(word in found for word in pair)]
    if not there:
        raise ValueError(
            f"the pair that finds the most biased words, {' and '.join(pairs[0])}, is not in the "
            "embedding; give the sets another representation"
        )
    x, y = unit_rows([found[word] for word in there[0]])
    return np.asarray(x - y)


def most_biased(
    embedding: Embedding, direction: FloatArray, kept: frozenset[str], n_words: int, vocabulary: int
) -> tuple[tuple[str, ...], FloatArray]:
    """Find the words furthest along a direction, then those furthest against it: unit vectors."""
    words: list[str] = []
    parts, seen = [], 0
    for names, chunk in unit_chunks(embedding):
        free = [row for row, word in enumerate(names[: vocabulary - seen]) if word not in kept]
        words += [names[row] for row in free]
        parts.append(chunk[free])
        seen += len(names)
        if seen >= vocabulary:
            break
    if n_words < 1 or len(words) < 2 * n_words:
        raise ValueError(
            f"n_words={n_words} most biased words of each class need {2 * n_words} words that are "
            f"not specific; there are {len(words)} among the first {vocabulary:,}"
        )
    rows = np.concatenate(parts)
    order = np.argsort(-np.einsum("nd,d->n", rows, direction), kind="stable")
    order = np.r_[order[:n_words], order[-n_words:]]
    return tuple(words[row] for row in order.tolist()), rows[order]
