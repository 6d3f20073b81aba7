"""Recovery of bias: whether clusters, a classifier and neighbours still tell the classes apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import Argument, ArgumentError
from .._core.random import Seed, as_seed_sequence
from ..scores.subspace import group_means
from .clusters import cluster_accuracy
from .defining_sets import DefiningSets, SetsLike, load_defining_sets
from .projection import unit_sets
from .sources import VOCABULARY

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

RECOVERY_COLUMNS = ("check", "measure", "before", "after", "chance", "n")

FEWEST_TARGETS = 3
"""A correlation of two is 1 or -1 whatever they are."""

MOST_AT_ONCE = 64
"""Target words whose neighbours are looked for at a time: 26 MB of cosines at 50,000 words."""


def remaining_bias(
    before: KeyedVectors,
    after: KeyedVectors,
    sets: SetsLike = "gender",
    *,
    targets: Iterable[str] | None = None,
    n_words: int = 500,
    neighbours: int = 100,
    vocabulary: int = VOCABULARY,
    folds: int = 5,
    seed: Seed = None,
) -> pd.DataFrame:
    """Ask whether bias can be recovered after debiasing, as Gonen and Goldberg do.

    The words of either class are those that lean to it most in ``before``: with â_c the mean unit
    vector of the defining words of class c, and ā the mean of these, a word leans to the class
    with the largest cosine of the word and â_c - ā, by as much as it exceeds the next. Words of
    the lists' defining, equalise and specific sets are left out.

    Parameters
    ----------
    before, after : KeyedVectors
        Words that only one of them has are left out.
    sets : str, path or DefiningSets
    targets : iterable of str, optional
        Words whose neighbours are looked at; those of the lists by default.
    n_words : int
        Most leaning words of each class.
    neighbours : int
        Nearest words of each target.
    vocabulary : int
        Words from the start of ``before`` among which all this is looked for.
    folds : int
        Parts of the cross-validation.
    seed : int, SeedSequence, Generator or None
        For the starts of the clustering and for the folds; kept in ``attrs["seed"]``.

    Returns
    -------
    DataFrame
        Columns `RECOVERY_COLUMNS`, one row a check: ``cluster``, the share of the words that
        k-means puts with their class; ``classifier``, the cross-validated share that a support
        vector machine with radial kernel does; ``neighbours``, the correlation over targets of how
        far a target leaned to a class before with the share of its neighbours that did, mean over
        classes (0 where the shares are all equal). ``chance`` is the value if nothing can be
        recovered; that of ``cluster`` is a lower bound. ``n`` is the number of words. Without
        three targets in both embeddings there is no row ``neighbours``.

    Raises
    ------
    ValueError
        If there are not so many leaning words in both embeddings.
    ImportError
        If scikit-learn is not installed.

    References
    ----------
    Gonen and Goldberg (2019), Lipstick on a Pig: debiasing methods cover up systematic gender
    biases in word embeddings but do not remove them, NAACL, section 4. They look at 500 words of
    each class for the clusters, train the classifier on 1,000 words of 5,000, and look at the 100
    nearest neighbours among 50,000 words.
    """
    lists = load_defining_sets(sets)
    lists = lists.in_case(lists.case, before)
    words = _shared_words(before, after, lists, vocabulary)
    both = [_rows(vectors, words) for vectors in (before, after)]
    leaning = _leaning(before, words, lists)
    chosen, labels = _most_leaning(leaning, n_words, lists)
    root = as_seed_sequence(seed)
    state = int(root.generate_state(1)[0])
    clustered = [cluster_accuracy(rows[chosen], labels, seed=root) for rows in both]
    classified = [
        classifier_accuracy(rows[chosen], labels, folds=folds, seed=state) for rows in both
    ]
    chance = 1 / lists.n_classes
    checks = [
        ("cluster", "accuracy", *clustered, chance, len(labels)),
        ("classifier", "accuracy", *classified, chance, len(labels)),
    ]
    wanted = dict.fromkeys(lists.targets if targets is None else targets)
    asked = [word for word in wanted if word in before and word in after]
    if len(asked) >= FEWEST_TARGETS:
        lean = _leaning(before, asked, lists)
        classes = np.eye(lists.n_classes)[leaning.argmax(axis=1)]
        shares = [
            neighbour_shares(
                asked, _rows(vectors, asked), words, rows, classes, neighbours=neighbours
            )
            for vectors, rows in zip((before, after), both, strict=True)
        ]
        found = [float(np.mean(list(map(_correlation, lean.T, each.T)))) for each in shares]
        checks.append(("neighbours", "correlation", *found, 0.0, len(asked)))
    frame = pd.DataFrame(checks, columns=list(RECOVERY_COLUMNS))
    frame.attrs["seed"] = root.entropy
    return frame


def classifier_accuracy(
    rows: FloatArray, labels: NDArray[np.intp], *, folds: int = 5, seed: int
) -> float:
    """Compute the share of rows whose class a support vector machine tells that has not seen them.

    Radial kernel, C = 1, and scikit-learn's own width; stratified folds drawn with the seed.
    """
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.svm import SVC

    split = StratifiedKFold(folds, shuffle=True, random_state=seed % 2**32)
    guesses = cross_val_predict(SVC(kernel="rbf"), rows, labels, cv=split)
    return float(np.mean(guesses == labels))


def _shared_words(
    before: KeyedVectors, after: KeyedVectors, lists: DefiningSets, vocabulary: int
) -> list[str]:
    """Words of both embeddings that are not specific, and have a direction in each."""
    words = [
        word
        for word in before.index_to_key[:vocabulary]
        if word not in lists.kept
        and word in after.key_to_index
        and before[word].any()
        and after[word].any()
    ]
    if not words:
        raise ValueError("the two embeddings share no word that is not specific")
    return words


def _rows(vectors: KeyedVectors, words: Iterable[str]) -> FloatArray:
    return unit_rows(vectors.vectors[[vectors.key_to_index[word] for word in words]])


def _leaning(vectors: KeyedVectors, words: list[str], lists: DefiningSets) -> FloatArray:
    """Cosines of words with the classes' centred means, (n_words, n_classes)."""
    found = {word: vectors[word] for word in lists.kept if word in vectors}
    means = group_means(list(np.stack(unit_sets(found, lists), axis=1)))
    return _rows(vectors, words) @ unit_rows(means - means.mean(axis=0)).T


def _most_leaning(
    leaning: FloatArray, n_words: int, lists: DefiningSets
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows of the words that lean most to each class, and the class of each."""
    chosen = []
    for at, name in enumerate(lists.classes):
        advantage = leaning[:, at] - np.delete(leaning, at, axis=1).max(axis=1)
        there = int((advantage > 0).sum())
        if not 1 <= n_words <= there:
            raise ArgumentError(
                Argument("n_words"),
                f" must lie in 1 to {there}, the number of words that lean to {name!r}; "
                f"got {n_words}",
            )
        chosen.append(np.argsort(-advantage, kind="stable")[:n_words])
    return np.concatenate(chosen), np.repeat(np.arange(len(chosen)), n_words)


def neighbour_shares(
    targets: list[str],
    target_rows: FloatArray,
    words: list[str],
    rows: FloatArray,
    classes: FloatArray,
    *,
    neighbours: int,
) -> FloatArray:
    """Compute the share of each target's nearest words that are of each class.

    Targets and words come with their unit vectors; ``classes``, (n_words, n_classes), has a 1 in
    the column of a word's class. A target is not its own neighbour.
    """
    size = min(neighbours, len(words) - 1)
    own = {word: at for at, word in enumerate(words)}
    shares = []
    for start in range(0, len(targets), MOST_AT_ONCE):
        some = slice(start, start + MOST_AT_ONCE)
        cosines = target_rows[some] @ rows.T
        for row, word in zip(cosines, targets[some], strict=True):
            if word in own:
                row[own[word]] = -np.inf
            nearest = np.argpartition(-row, size - 1)[:size]
            shares.append(classes[nearest].mean(axis=0))
    return np.stack(shares)


def _correlation(first: FloatArray, second: FloatArray) -> float:
    """Pearson's, and 0 where one is constant: then it tells nothing of the other."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])
