"""Recovery of bias: whether clusters, a classifier, and neighbors still separate the classes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import (
    Argument,
    ArgumentError,
    check_labels,
    check_numbers,
    check_words,
    counted,
    is_whole,
)
from .._core.random import Seed, as_seed_sequence
from .._core.warnings import warn
from ..embeddings.load import VectorsLike, vectors_in_memory
from ..scores.subspace import group_means
from ..tables.spellings import KeyedVectors
from ..warnings import MissingWords
from .defining_sets import DefiningSets, SetsLike, defining_sets, load_defining_sets
from .subspace import unit_sets

NEIGHBORS = 100
"""Number of nearest words that Gonen and Goldberg compare."""

VOCABULARY = 50_000
"""Number of words from the start of an embedding that are searched for biased words. Files list
frequent words first, and Gonen and Goldberg (2019) use the same number."""

FOLDS = 5
"""Number of folds of the cross-validation."""

N_WORDS = 500
"""Number of words of each class, as Gonen and Goldberg cluster."""

FEWEST_TARGETS = 3
"""Smallest number of targets: the correlation of two points is always 1 or -1."""


def remaining_bias(
    before: VectorsLike,
    after: VectorsLike,
    sets: SetsLike = "gender",
    *,
    targets: Iterable[str] | None = None,
    n_words: int | None = None,
    neighbors: int | None = None,
    vocabulary: int = VOCABULARY,
    seed: Seed = None,
) -> pd.DataFrame:
    """Measure how much bias can be recovered after debiasing, as Gonen and Goldberg do.

    Each class is represented by the words that lean most toward it in ``before``. Let â_c be the
    mean unit vector of the defining words of class c, and let ā be the mean of all â_c. A word
    leans toward the class whose â_c - ā has the largest cosine with the word; the lean is the
    margin over the next class. Words in the defining, equalize, and specific sets are left out.

    Parameters
    ----------
    before, after : str, path, KeyedVectors, mapping, DataFrame, or tuple
        See `load_vectors`. Words that are in only one embedding are left out.
    sets : str, path, mapping, or DefiningSets
    targets : iterable of str, optional
        Words whose neighbors are compared, three or more. The default is the ``targets`` of
        ``sets``. A warning names those that are not in both embeddings, except for bundled lists.
    n_words : int, optional
        Number of words that represent each class, at least 5, one for each fold of the
        cross-validation. The default is 500, or as many as lean toward each class if these are
        fewer; the column ``n`` counts them.
    neighbors : int, optional
        Number of each target's nearest words to compare. The default is 100, or a tenth of the
        words searched if these are fewer than 1,000.
    vocabulary : int
        Number of words, from the start of ``before``, to search for biased words and neighbors.
    seed : int, SeedSequence, Generator, or None
        Seed for the clustering's starting points and for the folds, stored in ``attrs["seed"]``.

    Returns
    -------
    DataFrame
        ``check``, ``measure``, ``before``, ``after``, ``chance`` (the value if nothing can be
        recovered; a lower bound for ``cluster``), and ``n``, the number of words. ``cluster`` is
        the share of words that k-means assigns to their own class. ``classifier`` is the
        cross-validated share of words that a support vector machine with a radial kernel assigns
        correctly. With three or more targets, ``neighbors`` is the correlation of cos(target, â_c -
        ā) in ``before`` with the share of neighbors leaning toward c, averaged over classes.

    References
    ----------
    Gonen and Goldberg (2019), Lipstick on a Pig, NAACL, section 4. They cluster 500 words of each
    class, train on 1,000 of 5,000 words, and use the 100 nearest neighbors among 50,000 words.
    """
    check_numbers(vocabulary=vocabulary)
    before, after = vectors_in_memory(before), vectors_in_memory(after)
    lists = load_defining_sets(sets)
    lists = lists.in_case(lists.case, before)
    free = [word for word in before.index_to_key[:vocabulary] if word not in lists.kept]
    free = [word for word in free if word in after.key_to_index]
    words = [word for word in free if before[word].any() and after[word].any()]
    if not words:
        raise ValueError("the embeddings have no words in common except those in the lists")
    check_words("targets", targets)
    if neighbors is None:
        neighbors = min(NEIGHBORS, -(-len(words) // 10))
    if not is_whole(neighbors) or not 1 <= neighbors < max(len(words), 2):
        text = (
            f" must be from 1 to {len(words) - 1}, less than the words searched; got {neighbors!r}"
        )
        raise ArgumentError(Argument("neighbors"), text)
    wanted = [*dict.fromkeys(lists.targets if targets is None else targets)]
    asked = [word for word in wanted if word in before and word in after]
    if targets is not None or lists.name not in defining_sets():
        _warn_of_lost(wanted, asked)
    leaning, root = _leaning(before, words, lists), as_seed_sequence(seed)
    chosen, labels = _most_leaning(leaning, n_words, lists)
    chance = 1 / lists.n_classes
    checks = [(name, "accuracy", chance, len(labels)) for name in ("cluster", "classifier")]
    correlated = len(asked) >= FEWEST_TARGETS
    if correlated:
        checks += [("neighbors", "correlation", 0.0, len(asked))]
    frame = pd.DataFrame(checks, columns=["check", "measure", "chance", "n"])
    for place, (name, vectors) in enumerate({"before": before, "after": after}.items(), start=2):
        rows = _rows(vectors, words)
        values = [
            cluster_accuracy(rows[chosen], labels, seed=root),
            _classifier_accuracy(rows[chosen], labels, int(root.generate_state(1)[0])),
        ]
        if correlated:
            near = nearest_words(asked, _rows(vectors, asked), words, rows, neighbors)
            shares = np.eye(lists.n_classes)[leaning.argmax(axis=1)][near].mean(axis=1)
            lean = _leaning(before, asked, lists)
            values.append(float(np.mean(list(map(_correlation, lean.T, shares.T)))))
        frame.insert(place, name, values)
    frame.attrs["seed"] = root.entropy
    return frame


def cluster_accuracy(rows: ArrayLike, labels: ArrayLike, *, seed: Seed = None) -> float:
    """Compute the accuracy of k-means under the best assignment of clusters to classes.

    ``rows`` has shape (n, n_dims), and ``labels`` has the class of each row. There are as many
    clusters as classes. Because the best assignment is used, the accuracy usually exceeds 1 divided
    by the number of classes, even if the rows and classes are unrelated.
    """
    from scipy.optimize import linear_sum_assignment
    from sklearn.cluster import KMeans
    from sklearn.metrics import confusion_matrix

    check_labels({"rows": rows, "labels": labels})
    matrix = np.asarray(rows, dtype=np.float64)
    names, classes = np.unique(np.asarray(labels), return_inverse=True)
    if len(np.unique(matrix, axis=0)) < len(names):
        raise ValueError(f"{len(names)} clusters require at least {len(names)} different rows")
    state = int(as_seed_sequence(seed).generate_state(1)[0])
    clusters = KMeans(len(names), n_init=10, random_state=state).fit_predict(matrix)
    table = confusion_matrix(classes, clusters)
    return float(table[linear_sum_assignment(table, maximize=True)].sum() / len(matrix))


def _classifier_accuracy(rows: FloatArray, labels: NDArray[np.intp], seed: int) -> float:
    """Compute the cross-validated accuracy of a support vector machine."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.svm import SVC

    split = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    guesses = cross_val_predict(SVC(kernel="rbf", random_state=seed), rows, labels, cv=split)
    return float(np.mean(guesses == labels))


def nearest_words(
    targets: list[str], target_rows: FloatArray, words: list[str], rows: FloatArray, size: int
) -> NDArray[np.intp]:
    """Find the rows of each target's nearest words, as an array of shape (n_targets, size)."""
    size, names, near = min(size, len(words) - 1), np.array(words), []
    for target, vector in zip(targets, target_rows, strict=True):
        cosines = np.where(names == target, -np.inf, rows @ vector)
        near.append(np.argpartition(-cosines, size - 1)[:size])
    return np.array(near)


def _warn_of_lost(wanted: list[str], found: list[str]) -> None:
    """Warn of targets that are not in both embeddings."""
    if lost := tuple(word for word in wanted if word not in found):
        few = f", and neighbors need {FEWEST_TARGETS}" * (len(found) < FEWEST_TARGETS)
        why = f"they are not in both embeddings{few}"
        warn(MissingWords(len(lost), len(wanted), "target", why, lost))


def _rows(vectors: KeyedVectors, words: Iterable[str]) -> FloatArray:
    return unit_rows(vectors.vectors[[vectors.key_to_index[word] for word in words]])


def _leaning(vectors: KeyedVectors, words: list[str], lists: DefiningSets) -> FloatArray:
    """Return cosines of words with the classes' centered means, (n_words, n_classes)."""
    listed = {word: vectors[word] for word in lists.kept if word in vectors}
    means = group_means(list(np.stack(unit_sets(listed, lists), axis=1)))
    return _rows(vectors, words) @ unit_rows(means - means.mean(axis=0)).T


def _most_leaning(
    leaning: FloatArray, n_words: int | None, lists: DefiningSets
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows of the words that lean most toward each class, and their classes."""
    others = [np.delete(leaning, column, axis=1).max(axis=1) for column in range(leaning.shape[1])]
    advantage = leaning - np.stack(others, axis=1)
    leans = (advantage > 0).sum(axis=0)
    most, fewest = int(leans.min()), lists.classes[int(leans.argmin())]
    if most < FOLDS:
        raise ValueError(
            f"only {counted(most, 'word leans', 'words lean')} toward {fewest!r}, but the "
            f"classifier needs {FOLDS} words of each class; pass embeddings with more words"
        )
    number = min(most, N_WORDS) if n_words is None else n_words
    if not is_whole(number) or not FOLDS <= number <= most:
        raise ArgumentError(
            Argument("n_words"),
            f" must be a whole number from {FOLDS} to {most}, the number of words that lean toward "
            f"{fewest!r}; got {number!r}",
        )
    chosen = np.argsort(-advantage, axis=0, kind="stable")[:number]
    return chosen.T.ravel(), np.repeat(np.arange(leaning.shape[1]), number)


def _correlation(first: FloatArray, second: FloatArray) -> float:
    """Return Pearson's correlation; 0 if one of the two is constant."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])
