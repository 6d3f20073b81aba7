"""Double-hard debiasing: first a direction of word frequency goes, then that of gender."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.arrays import FloatArray, unit_rows
from .._core.random import as_seed_sequence
from .applying import debiased, memory_source
from .clusters import cluster_accuracy
from .defining_sets import DefiningSets
from .directions import Found, Learnt, learn_directions
from .hard import equalised_words, missing_specific, require_pairs
from .moments import VOCABULARY, moments, unit_blocks
from .record import Debiasing
from .sources import Source
from .transform import Step, Transform, without

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

CANDIDATES = 20
"""Leading principal components that are tried."""

BIASED = 500
"""Most biased words of each class whose clusters are looked at, as published."""


def double_hard(
    vectors: KeyedVectors,
    sets: str | Path | DefiningSets = "gender",
    *,
    component: int | None = None,
    candidates: int = CANDIDATES,
    n_words: int = BIASED,
    vocabulary: int = VOCABULARY,
    equalise: bool = True,
    seed: int | np.random.SeedSequence | np.random.Generator | None = 1,
) -> KeyedVectors:
    """Double-hard debiasing for two classes.

    Unit vectors are centred on the mean of all words. Of the leading principal components of the
    embedding, which tell frequent from rare words, that one is removed after whose removal hard
    debiasing leaves the clusters of the most biased words least alike to their classes. Then all
    words are debiased as `hard` does, with a direction learnt anew.

    Parameters
    ----------
    vectors : KeyedVectors
    sets : str, path or DefiningSets
        A name of `defining_sets()`, a TOML file, or sets made by hand; of pairs.
    component : int, optional
        The component to remove, counted from 1; by default it is found.
    candidates : int
        How many leading components are tried.
    n_words : int
        Most biased words of each class, specific words left out, that are clustered.
    vocabulary : int
        They are looked for among so many words from the start of the embedding.
    equalise : bool
        Move the equalise sets too.
    seed : int, SeedSequence, Generator or None
        For the starts of the clustering.

    Returns
    -------
    KeyedVectors
        Unit length, float32. `debiasing(result)` tells the ``component`` removed and the
        ``accuracies`` of the clusters for each that was tried.

    Raises
    ------
    ValueError
        As `hard`; and if the component or the number of candidates is not between 1 and the
        number of dimensions, or there are too few words to cluster.

    References
    ----------
    Wang, Lin, Rajani, McCann, Ordonez and Xiong (2020), Double-Hard Debias, ACL, algorithm 1.
    """
    source = memory_source(vectors)
    learnt = learn_double_hard(
        source,
        sets,
        component=component,
        candidates=candidates,
        n_words=n_words,
        vocabulary=vocabulary,
        equalise=equalise,
        seed=seed,
    )
    return debiased(source, learnt)


def learn_double_hard(
    source: Source,
    sets: str | Path | DefiningSets,
    *,
    component: int | None = None,
    candidates: int = CANDIDATES,
    n_words: int = BIASED,
    vocabulary: int = VOCABULARY,
    equalise: bool = True,
    seed: int | np.random.SeedSequence | np.random.Generator | None = 1,
) -> Transform:
    """Learn what `double_hard` does to each word; walks all words once or twice."""
    lists = require_pairs("double_hard", sets)
    found = source.some(lists.kept)
    first = learn_directions(found, lists)
    centre, components = leading_components(source, lists.kept)
    parameters: dict[str, Any] = {"equalise": equalise}
    if component is None:
        _require_within("candidates", candidates, len(components))
        biased = most_biased(source, first.directions[0], lists.kept, n_words, vocabulary)
        search = _Search(found, lists, centre, components, biased, as_seed_sequence(seed))
        accuracies = [search.accuracy(at) for at in range(candidates)]
        component = int(np.argmin(accuracies)) + 1
        parameters |= {
            "candidates": candidates,
            "n_words": n_words,
            "vocabulary": vocabulary,
            "seed": seed if isinstance(seed, int) else None,
            "accuracies": [round(each, 4) for each in accuracies],
        }
    _require_within("component", component, len(components))
    frequency = components[component - 1 : component]
    return _transform(found, lists, centre, frequency, parameters | {"component": component})


def _transform(
    found: Found,
    lists: DefiningSets,
    centre: FloatArray,
    frequency: FloatArray,
    parameters: dict[str, Any],
) -> Transform:
    moved = _moved(found, centre, frequency)
    second = learn_directions(moved, lists)
    placed: dict[str, FloatArray] = {}
    absent: dict[str, tuple[str, ...]] = {}
    if parameters["equalise"]:
        placed, absent = equalised_words(moved, lists, second.directions)
    missing = second.missing | missing_specific(found, lists) | absent
    return Transform(
        record=Debiasing("double_hard", lists.name, parameters, missing),
        steps=(
            Step(centre=centre, directions=frequency, everywhere=True),
            Step(directions=second.directions),
        ),
        kept=lists.kept,
        placed=placed,
    )


def leading_components(source: Source, kept: frozenset[str]) -> tuple[FloatArray, FloatArray]:
    """Mean of all unit vectors, and the principal components, the one of largest variance first."""
    sums = moments(source, kept)
    centre = sums.total / sums.count
    _, axes = np.linalg.eigh(sums.second / sums.count - np.outer(centre, centre))
    return centre, np.ascontiguousarray(axes[:, ::-1].T)


@dataclass(frozen=True, eq=False)
class Biased:
    """The most biased words of two classes: unit vectors, (2 n, n_dims), and the class of each."""

    words: tuple[str, ...]
    rows: FloatArray
    labels: FloatArray


def most_biased(
    source: Source, direction: FloatArray, kept: frozenset[str], n_words: int, vocabulary: int
) -> Biased:
    """Find the words furthest along a direction, and furthest against it."""
    words: list[str] = []
    rows = np.empty((0, len(direction)))
    seen = 0
    for names, block in unit_blocks(source):
        free = [at for at, word in enumerate(names[: vocabulary - seen]) if word not in kept]
        seen += len(names)
        words += [names[at] for at in free]
        rows = np.vstack([rows, block[free]])
        order = np.argsort(-np.einsum("nd,d->n", rows, direction), kind="stable")
        if len(order) > 2 * n_words:
            order = np.r_[order[:n_words], order[-n_words:]]
        words, rows = [words[at] for at in order.tolist()], rows[order]
        if seen >= vocabulary:
            break
    if n_words < 1 or len(words) < 2 * n_words:
        raise ValueError(
            f"n_words={n_words} most biased words of each class need {2 * n_words} words that are "
            f"not specific; there are {len(words)} among the first {vocabulary:,}"
        )
    return Biased(tuple(words), rows, np.repeat([0.0, 1.0], n_words))


@dataclass(frozen=True, eq=False)
class _Search:
    """What is needed to try a component."""

    found: Found
    lists: DefiningSets
    centre: FloatArray
    components: FloatArray
    biased: Biased
    seed: np.random.SeedSequence

    def accuracy(self, at: int) -> float:
        """How well clusters of the most biased words, debiased without it, match their classes."""
        removed = self.components[at : at + 1]
        learnt: Learnt = learn_directions(_moved(self.found, self.centre, removed), self.lists)
        rows = without(without(self.biased.rows - self.centre, removed), learnt.directions)
        return cluster_accuracy(unit_rows(rows), self.biased.labels, seed=self.seed)


def _moved(found: Found, centre: FloatArray, removed: FloatArray) -> Found:
    words = list(found)
    if not words:
        return {}
    rows = unit_rows(np.stack([found[word] for word in words]))
    return dict(zip(words, without(rows - centre, removed), strict=True))


def _require_within(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise ValueError(f"{name} must lie in 1 to {most}, the number of dimensions; got {value}")
