"""Words that a table holds twice: exact copies, and words made equidistant by construction.

Hard debiasing equalises: it moves the words of a set to equal distance from every word that it has
neutralised. With fewer directions than the words of a set need, several of them land on one vector.
A model cannot see this. It takes every name for a word of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.display import abridged
from .descriptives import STEREOTYPES
from .schema import OPTIONAL_COLUMNS, Coded, codes_and_names

TOLERANCE = 1e-5
"""Distances that differ by no more are one number: eight times the rounding of a 300-term sum."""

FEWEST = 3
"""Distances that two words must share: by chance two agree to 1e-5 once in some 100,000 times."""

WORD = "protected_word"
ROLES = {WORD: "attribute", "attribute": WORD}
"""A column of words, and that of the words they are measured to."""

KINDS = ("copy", "equidistant")


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
        equalising makes them; what is ``associated`` for one is then ``different`` for the other
        at the same distance, by algebra. Words that share fewer than three distances are left out.

    Raises
    ------
    ValueError
        If the tolerance is below zero.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", words=wordlist), wordlist)
    >>> len(duplicate_vectors(table))
    0
    """
    if not tolerance >= 0:
        raise ValueError(f"tolerance is a difference of distances, 0 or more; got {tolerance}")
    coded = {role: codes_and_names(table[role]) for role in ROLES}
    distances = table["cosine_distance"].to_numpy(np.float64)
    rows = [
        (role, KINDS[0], *found)
        for role in ROLES
        for found in _equal_words(table, coded, role, distances, tolerance)
    ]
    copies = {(word, other) for _, _, word, other, *_ in rows}
    marked = np.where(table["connection"].isin(STEREOTYPES), distances, np.nan)
    for found in _equal_words(table, coded, WORD, marked, tolerance):
        groups = {_group_of(table, word) for word in found[:2]}
        if found[:2] not in copies and len(groups) == 2:
            rows.append((WORD, KINDS[1], *found))
    columns = ["role", "kind", "word", "other", "n_distances", "difference"]
    return pd.DataFrame(rows, columns=columns)


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
    found = duplicate_vectors(table, tolerance)
    kept = pd.Series(data=True, index=table.index)
    for role in ROLES:
        others = found.loc[(found["kind"] == KINDS[0]) & (found["role"] == role), "other"]
        kept &= ~table[role].astype(str).isin(others)
    return table[kept].reset_index(drop=True)


def without_copies(table: pd.DataFrame, where: str, *, drop: bool, stacklevel: int) -> pd.DataFrame:
    """Return a table as it is, with a warning that names its copies, or without them."""
    found = duplicate_vectors(table)
    if found.empty:
        return table
    if drop and (found["kind"] == KINDS[0]).any():
        return drop_duplicates(table)
    for text in _told(found):
        warnings.warn(f"{where}: {text}", stacklevel=stacklevel + 1)
    return table


def _told(found: pd.DataFrame) -> Iterator[str]:
    """Say which words are copies, or equidistant, and what that does to intervals."""
    for (kind, role), rows in found.groupby(["kind", "role"], sort=False):
        pairs = [f"{row.word} = {row.other}" for row in rows.itertuples()]
        names = "protected words" if role == WORD else "attribute words"
        if kind == KINDS[0]:
            yield (
                f"{len(pairs)} {names} are exact copies of another, in all distances "
                f"({abridged(pairs, 6)}). A model takes each name for a word of its own, so that "
                "its intervals are too short; drop_duplicates=True keeps the first name of each "
                "vector"
            )
        else:
            yield (
                f"{len(pairs)} pairs of protected words of different groups are equally far from "
                f"every stereotype attribute ({abridged(pairs, 6)}), as equalising makes them: "
                "that associated and different are alike for them holds by algebra, and no "
                "interval of that contrast says how well the attributes were measured"
            )


def _group_of(table: pd.DataFrame, word: str) -> str:
    return str(table.loc[table["protected_word"].astype(str) == word, "protected_group"].iloc[0])


def _equal_words(
    table: pd.DataFrame,
    coded: Mapping[str, Coded],
    role: str,
    values: FloatArray,
    tolerance: float,
) -> Iterator[tuple[str, str, int, float]]:
    """Yield words with the first word that is at the same distances: both, how many, largest gap.

    Values are the distances of the rows, NaN for rows that do not count. Only words that are next
    to one another in one distance are compared in all of them.
    """
    (words, names), (partners, others) = coded[role], coded[ROLES[role]]
    occasions = [name for name in OPTIONAL_COLUMNS if name in table.columns]
    if occasions:  # a pair stands once in every embedding and context
        partners = partners + len(others) * table.groupby(occasions, sort=False).ngroup().to_numpy()
    distances = np.full((len(names), partners.max(initial=0) + 1), np.nan)
    distances[words, partners] = values
    for run in _near_runs(distances, tolerance):
        firsts: list[int] = []
        for row in run:
            for first in firsts:
                gaps = np.abs(distances[row] - distances[first])
                shared = int(np.isfinite(gaps).sum())
                if shared >= FEWEST and np.nanmax(gaps) <= tolerance:
                    yield names[first], names[row], shared, float(np.nanmax(gaps))
                    break
            else:
                firsts.append(row)


def _near_runs(distances: FloatArray, tolerance: float) -> Iterator[list[int]]:
    """Yield rows whose values in the column that most rows have lie within the tolerance."""
    values = distances[:, np.isfinite(distances).sum(axis=0).argmax()]
    order = np.argsort(values, kind="stable")
    near = np.diff(values[order]) <= tolerance  # not for NaN
    for run in np.split(order, np.flatnonzero(~near) + 1):
        if len(run) > 1:
            yield sorted(run.tolist())
