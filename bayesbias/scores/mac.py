"""MAC, the mean average cosine distance between protected words and attribute sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, cosine_distance
from ..embeddings.word_sets import WordVectors, as_rows, look_up
from ..tables.descriptives import set_means
from ..tables.wordlists import WordList
from .list_rows import ListRows
from .registry import ListScore, Properties, Weights
from .resampling import ratio
from .result import COLUMNS, ScoreResult


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MacResult(ScoreResult):
    """MAC of protected words and attribute sets; see `mac`."""

    distance: FloatArray = field(metadata={COLUMNS: "attribute_sets"})
    attribute_sets: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MacChange(ScoreResult):
    """Paired t-test of two MACs; see `mac_change`."""

    t: float
    p_value: float
    n_pairs: int


def mac_of(targets: ArrayLike, attribute_sets: Sequence[ArrayLike]) -> MacResult:
    """MAC on arrays, (n_targets, n_dims) and sets of (n_attributes_i, n_dims); see `mac`.

    Mean over (target, set) of the mean cosine distance of the target to the set.
    """
    rows = as_rows("targets", targets)
    if not len(attribute_sets):
        raise ValueError("MAC needs at least one attribute set; got none")
    sets = [as_rows(f"attribute set {at}", each) for at, each in enumerate(attribute_sets)]
    means = np.column_stack([cosine_distance(rows, each).mean(axis=1) for each in sets])
    return MacResult(score=float(means.mean()), distance=means)


def mac(vectors: WordVectors, wordlist: WordList) -> MacResult:
    """MAC of a word list: protected words of all groups against every stereotype set.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    wordlist : WordList
        Control words do not enter. No word is compared with itself.

    Returns
    -------
    MacResult
        ``score`` in [0, 2], where 1 means that cosines average to zero; ``distance`` by
        protected word (rows) and attribute set (columns, ``attribute_sets``).

    Notes
    -----
    The authors call 1 ideal. It says that positive and negative cosines balance, not that any
    word is equally near to the sets, and it averages over associated and other sets alike.

    References
    ----------
    Manzini, Lim, Tsvetkov, Black (2019), section 3.3.
    """
    if not wordlist.groups:
        raise ValueError(f"the list {wordlist.name!r} has no groups; MAC needs protected words")
    groups = {f"group {name}": words for name, words in wordlist.groups.items()}
    stereotypes = {f"stereotypes of {name}": ws for name, ws in wordlist.stereotypes.items()}
    found = look_up(vectors, groups | stereotypes)
    words = tuple(word for group in groups for word in found.words[group])
    targets = np.vstack([found.rows[group] for group in groups])
    columns = []
    for each in stereotypes:
        other = np.not_equal.outer(words, found.words[each])
        counted = other.sum(axis=1)
        if not counted.all():
            raise ValueError(f"{each} holds only {words[int(np.argmin(counted))]!r} itself")
        distances = cosine_distance(targets, found.rows[each])
        columns.append((other * distances).sum(axis=1) / counted)
    means = np.column_stack(columns)
    return MacResult(
        score=float(means.mean()),
        distance=means,
        attribute_sets=tuple(map(wordlist.set_name, wordlist.stereotypes)),
        words=words,
        missing=found.missing,
    )


def mac_of_table(table: pd.DataFrame) -> MacResult:
    """MAC of a long-form table: the mean of the mean distances by protected word and set.

    Parameters
    ----------
    table : DataFrame
        Columns ``protected_word``, ``attribute_set``, ``connection`` and ``cosine_distance``, as
        `distance_table` and `read_table` give them. Rows with ``connection`` other than
        ``associated`` or ``different`` do not enter; repeated rows count as often as they stand.

    Returns
    -------
    MacResult
        ``distance`` has NaN where a word has no row for a set; such cells do not count.
    """
    means = set_means(table)
    return MacResult(
        score=float(np.nanmean(means.to_numpy())),
        distance=means.to_numpy(np.float64),
        attribute_sets=tuple(map(str, means.columns)),
        words=tuple(map(str, means.index)),
    )


def mac_change(before: MacResult, after: MacResult) -> MacChange:
    """Manzini et al.'s test of a change: a paired t-test of the averaged distances.

    The pairs are (protected word, attribute set). They share words and are averages, so that
    they are neither independent nor equally uncertain: read the p-value with the warning of
    Dobrzeniecka and Urbaniak (2024), section 3, in mind.

    Returns
    -------
    MacChange
        ``score``, the mean change; ``t``; the two-sided ``p_value``; ``n_pairs``.
    """
    from scipy.stats import ttest_rel

    kept = before.words == after.words and before.attribute_sets == after.attribute_sets
    if not kept or before.distance.shape != after.distance.shape:
        raise ValueError("before and after must hold the same words and sets, in the same order")
    change = (after.distance - before.distance).ravel()
    change = change[np.isfinite(change)]
    if len(change) < 2 or np.ptp(change) == 0:
        raise ValueError("the t-test is undefined: all changes are equal, or there is only one")
    test = ttest_rel(change, np.zeros_like(change))
    t, p_value = float(test.statistic), float(test.pvalue)
    return MacChange(score=float(change.mean()), t=t, p_value=p_value, n_pairs=len(change))


def _resampled(rows: ListRows, weights: Weights) -> FloatArray:
    """MAC with no word against itself."""
    total = sum(len(words) for words in rows.protected)
    value = np.zeros(len(weights.protected[0]))
    for group, names in enumerate(rows.protected_words):
        share = weights.protected[group].T * len(names) / total
        for at, others in enumerate(rows.stereotype_words):
            other = np.not_equal.outer(names, others).astype(float)
            distances = cosine_distance(rows.protected[group], rows.stereotypes[at])
            weight = weights.stereotypes[at].T
            means = ratio((distances * other) @ weight, other @ weight, 0.0)
            value += np.where(share > 0, share * means, 0.0).sum(axis=0)
    return value / len(rows.stereotypes)


def _value(rows: ListRows) -> float:
    every_word_once = rows.sizes.apply(lambda size: np.full((1, size), 1 / max(size, 1)))
    value = float(_resampled(rows, every_word_once)[0])
    if np.isnan(value):
        raise ValueError("undefined: an attribute set holds only the protected word itself")
    return value


SCORE = ListScore(
    value=_value,
    scope="all",
    choices="stereotypes only",
    resampled=_resampled,
    note="1: cosines average to zero",
    no_bias=1.0,
    direction="lower",
    reading="closer to all stereotypes",
    width=2.0,
    properties=Properties(
        comparable=(False, "its extremes depend on the attributes"),
        trustworthy=(False, "it is 1 when a target is near to one set and far from another"),
        range=("1 - ‖mean of the â_j‖", "1 + ‖mean of the â_j‖"),
    ),
)
