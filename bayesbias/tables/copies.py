"""Words that a table holds twice: exact copies, and words made equidistant by construction.

Hard debiasing equalizes: it moves the words of a set to equal distance from every word that it has
neutralized. With fewer directions than the words of a set need, several of them get one vector.
A model cannot see this: it takes every name for a word of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from .._core.display import abridged
from .schema import OPTIONAL_COLUMNS, STEREOTYPES

TOLERANCE = 1e-5
"""Distances that differ by no more are one number: eight times the rounding of a 300-term sum."""

FEWEST = 3
"""Distances that two words must share: by chance two agree to 1e-5 once in some 100,000 times."""

WORD = "protected_word"
PARTNERS = {WORD: "attribute", "attribute": WORD}
"""A column of words, and that of the words they are measured to."""

COPY, EQUIDISTANT = "copy", "equidistant"

FOUND_COLUMNS = ("role", "kind", "word", "other", "n_distances", "difference")

MEANINGS = {
    COPY: (
        "{count} {names} are exact copies of another, in all distances ({pairs}). A model takes "
        "each name for a word of its own, so that its intervals are too short; "
        "drop_duplicates=True keeps the first name of each vector"
    ),
    EQUIDISTANT: (
        "{count} pairs of {names} of different groups are equally far from every stereotype "
        "attribute ({pairs}), as equalizing makes them: that associated and different are alike "
        "for them holds by algebra, and no interval of that contrast says how well the attributes "
        "were measured"
    ),
}
"""What copies and equidistant words do to intervals."""


def duplicate_vectors(table: pd.DataFrame, tolerance: float = TOLERANCE) -> pd.DataFrame:
    """List words of a table that are exact copies of another, or equidistant by construction.

    Parameters
    ----------
    table : DataFrame
        A long-form table.
    tolerance : float
        Distances that differ by no more than this count as equal; 0 or more.

    Returns
    -------
    DataFrame
        One row a pair: ``role`` (``protected_word`` or ``attribute``), ``kind``, ``word``, the
        first in the table, and ``other``; ``n_distances`` that both have and ``difference``, the
        largest between them. ``copy``: all distances are equal, so that both words have one
        vector, as far as the table can tell. ``equidistant``: two protected words of different
        groups are as far from every stereotype attribute, but not from the controls, as
        equalizing makes them; what is ``associated`` for one is then ``different`` for the other
        at the same distance, by algebra. Words that share fewer than three distances are left out.

    Raises
    ------
    ValueError
        If the tolerance is below zero.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> copied = table[table["protected_word"] == "jew"].replace("jew", "hebrew")
    >>> bb.duplicate_vectors(pd.concat([table, copied]))[["kind", "word", "other"]].values.tolist()
    [['copy', 'jew', 'hebrew']]
    """
    if not tolerance >= 0:
        raise ValueError(f"tolerance is a difference of distances, 0 or more; got {tolerance}")
    rows = [
        (role, COPY, *pair) for role in PARTNERS for pair in _equal_words(table, role, tolerance)
    ]
    copies = {(word, other) for _, _, word, other, *_ in rows}
    groups = table.drop_duplicates(WORD).astype({WORD: str}).set_index(WORD)["protected_group"]
    stereotypes = table[table["connection"].isin(STEREOTYPES)]
    rows += [
        (WORD, EQUIDISTANT, *pair)
        for pair in _equal_words(stereotypes, WORD, tolerance)
        if pair[:2] not in copies and groups[pair[0]] != groups[pair[1]]
    ]
    return pd.DataFrame(rows, columns=list(FOUND_COLUMNS))


def _equal_words(
    table: pd.DataFrame, role: str, tolerance: float
) -> Iterator[tuple[str, str, int, float]]:
    """Yield words with the first word at the same distances: both, how many, the largest gap.

    Only words next to one another in the distance that most words have are compared in all.
    """
    if table.empty:
        return
    partners = [PARTNERS[role], *(name for name in OPTIONAL_COLUMNS if name in table.columns)]
    places = table.groupby(partners, sort=False, observed=True).ngroup().to_numpy()
    rows, words = pd.factorize(table[role])
    distances = np.full((len(words), places.max() + 1), np.nan)
    distances[rows, places] = table["cosine_distance"]
    wide = pd.DataFrame(distances, words.astype(str))
    fullest = wide.iloc[:, int(wide.count().to_numpy().argmax())].dropna().sort_values()
    for _, run in fullest.groupby((fullest.diff() > tolerance).cumsum()):
        equal: set[str] = set()
        for word, other in combinations(wide.index[wide.index.isin(run.index)], 2):
            gaps = (wide.loc[word] - wide.loc[other]).abs()
            if not equal & {word, other} and gaps.count() >= FEWEST and gaps.max() <= tolerance:
                equal.add(other)
                yield word, other, int(gaps.count()), float(gaps.max())


def drop_duplicates(table: pd.DataFrame, tolerance: float = TOLERANCE) -> pd.DataFrame:
    """Return a table in which every vector stands once: of exact copies the first word is kept.

    A vector that two groups share then counts for the group of its first word. Words that are
    equidistant stay, for they have vectors of their own.

    Parameters
    ----------
    table, tolerance
        As for `duplicate_vectors`.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> vectors = bb.load_vectors("glove-demo", wordlist)
    >>> table = bb.distance_table(vectors, wordlist)
    >>> len(bb.drop_duplicates(table)) == len(table)
    True
    """
    copies = duplicate_vectors(table, tolerance).query("kind == @COPY")
    kept = pd.Series(data=True, index=table.index)
    for role, others in copies.groupby("role")["other"]:
        kept &= ~table[role].astype(str).isin(others)
    return table[kept].reset_index(drop=True)


def without_copies(table: pd.DataFrame, where: str, *, drop: bool, stacklevel: int) -> pd.DataFrame:
    """Return a table as it is, with a warning that names its copies, or without them."""
    pairs = duplicate_vectors(table)
    if drop and (pairs["kind"] == COPY).any():
        return drop_duplicates(table)
    for (kind, role), rows in pairs.groupby(["kind", "role"], sort=False):
        named = abridged([f"{row.word} = {row.other}" for row in rows.itertuples()], 6)
        names = "protected words" if role == WORD else "attribute words"
        text = MEANINGS[str(kind)].format(count=len(rows), names=names, pairs=named)
        warnings.warn(f"{where}: {text}", stacklevel=stacklevel + 1)
    return table
