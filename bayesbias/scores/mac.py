"""MAC, the mean average cosine distance between protected words and attribute sets."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.word_sets import WordVectors, look_up
from ..tables.descriptives import set_means
from ..tables.wordlists import WordList
from .list_rows import ListRows
from .registry import ListScore
from .result import ScoreResult


def mac(vectors: WordVectors, wordlist: WordList) -> ScoreResult:
    """MAC of a word list: protected words of all groups against every stereotype set.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    wordlist : WordList
        Control words do not enter. No word is compared with itself.

    Returns
    -------
    ScoreResult
        ``score`` in [0, 2], where 1 means that cosines average to zero; ``per_word``, the mean
        distance by protected word (rows) and attribute set (columns).

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
    if not wordlist.stereotypes:
        raise ValueError("MAC needs at least one attribute set; got none")
    groups = {f"group {name}": words for name, words in wordlist.groups.items()}
    stereotypes = {wordlist.set_name(name): ws for name, ws in wordlist.stereotypes.items()}
    sets = look_up(vectors, groups | stereotypes)
    words = tuple(word for group in groups for word in sets.words[group])
    units = unit_rows(np.vstack([sets.rows[group] for group in groups]))
    means = {
        name: _mean_distances(units, unit_rows(sets.rows[name]), words, sets.words[name])
        for name in stereotypes
    }
    frame = pd.DataFrame(means, index=pd.Index(words, name="word"))
    return ScoreResult(float(frame.to_numpy().mean()), frame, {}, sets.missing)


def _mean_distances(
    units: FloatArray, other_units: FloatArray, words: tuple[str, ...], others: tuple[str, ...]
) -> FloatArray:
    """Mean cosine distance of every word to the other words of a set, (n_words,)."""
    if not set(words) & set(others):
        return np.asarray(1 - units @ other_units.mean(axis=0))
    counted = np.not_equal.outer(words, others)
    if not counted.any(axis=1).all():
        word = words[int(np.argmin(counted.any(axis=1)))]
        raise ValueError(f"undefined: an attribute set holds only {word!r} itself")
    return np.asarray(np.mean(1 - units @ other_units.T, axis=1, where=counted))


def mac_of_table(table: pd.DataFrame) -> ScoreResult:
    """MAC of a long-form table: the mean of the mean distances by protected word and set.

    Parameters
    ----------
    table : DataFrame
        Columns ``protected_word``, ``attribute_set``, ``connection`` and ``cosine_distance``, as
        `distance_table` and `read_table` give them. Rows with ``connection`` other than
        ``associated`` or ``different`` do not enter; repeated rows count as often as they stand.

    Returns
    -------
    ScoreResult
        ``per_word`` has NaN where a word has no row for a set; such cells do not count.
    """
    means = set_means(table)
    return ScoreResult(float(np.nanmean(means.to_numpy())), means)


def mac_change(before: ScoreResult, after: ScoreResult) -> pd.Series:
    """Manzini et al.'s test of a change: a paired t-test of the averaged distances.

    The pairs are (protected word, attribute set). They share words and are averages, so that
    they are neither independent nor equally uncertain: read the p-value with the warning of
    Dobrzeniecka and Urbaniak (2024), section 3, in mind.

    Returns
    -------
    Series
        ``change``, the mean; ``t``; the two-sided ``p_value``; ``n_pairs``.
    """
    from scipy.stats import ttest_1samp

    one, other = before.per_word, after.per_word
    if not (one.index.equals(other.index) and one.columns.equals(other.columns)):
        raise ValueError("before and after must hold the same words and sets, in the same order")
    change = (other.to_numpy() - one.to_numpy()).ravel()
    change = change[np.isfinite(change)]
    if len(change) < 2 or np.ptp(change) == 0:
        raise ValueError("the t-test is undefined: all changes are equal, or there is only one")
    test = ttest_1samp(change, 0.0)
    values = {"change": change.mean(), "t": test.statistic, "p_value": test.pvalue}
    return pd.Series(values | {"n_pairs": len(change)}, dtype=object)


def _value(rows: ListRows) -> float:
    words = tuple(word for names in rows.protected_words for word in names)
    units = np.vstack(rows.protected_units)
    sets = zip(rows.stereotype_units, rows.stereotype_words, strict=True)
    return float(np.mean([_mean_distances(units, others, words, names) for others, names in sets]))


MAC = ListScore(
    _value,
    "all",
    choices="stereotypes only",
    note="1: cosines average to zero",
    no_bias=1.0,
    direction="lower",
    reading="closer to all stereotypes",
    width=2.0,
)
