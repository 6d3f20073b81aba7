"""Words that a table holds twice: exact copies, and words made equidistant by construction.

Hard debiasing equalizes: it moves the words of a set to equal distance from every word that it has
neutralized, and may give several of them one vector. A model treats them as different words.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pandas as pd

from .._core.display import abridged
from .._core.resources import warn
from .schema import OPTIONAL_COLUMNS, STEREOTYPES

TOLERANCE = 1e-5
"""Distances that differ by no more are one number: eight times the rounding of a 300-term sum."""

FEWEST = 3
"""Distances that two words must share: by chance two agree to 1e-5 once in about 100,000 times."""

PARTNERS = {"protected_word": "attribute", "attribute": "protected_word"}
"""A column of words, and that of the words they are measured to."""

MEANINGS = {
    "copy": "{count} {names} are exact copies of another, in all distances ({pairs}). A model "
    "treats them as different words, so its intervals are too short; keep one name of each "
    "vector in the list, or pass drop_duplicates=True (--drop-duplicates of `bayesbias compare`)",
    "equidistant": "{count} pairs of {names} of different groups are equally far from every "
    "stereotype attribute ({pairs}), as equalizing makes them: associated and different are alike "
    "for them by algebra, and their contrast says nothing about the attributes",
}
"""What copies and equidistant words do to intervals."""


def duplicate_vectors(table: pd.DataFrame) -> pd.DataFrame:
    """List words of a table that are exact copies of another, or equidistant by construction.

    Parameters
    ----------
    table : DataFrame
        A long-form table. Distances are equal if they differ by at most 1e-5.

    Returns
    -------
    DataFrame
        One row per pair: ``role`` (``protected_word`` or ``attribute``), ``kind``, ``word``, the
        first in the table, and ``other``; ``n_distances`` that both have, three or more, and the
        largest ``difference``. ``copy``: all distances are equal. ``equidistant``: two protected
        words of different groups are equally far from every stereotype attribute, but not from the
        controls.

    Examples
    --------
    >>> import bayesbias as bb
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", "religion"), "religion")
    >>> copied = table[table["protected_word"] == "jew"].replace("jew", "hebrew")
    >>> bb.duplicate_vectors(pd.concat([table, copied]))[["kind", "word", "other"]].values.tolist()
    [['copy', 'jew', 'hebrew']]
    """
    rows = [(role, "copy", *pair) for role in PARTNERS for pair in _equal_words(table, role)]
    copies = {row[2:4] for row in rows}
    groups = dict(zip(table["protected_word"].astype(str), table["protected_group"], strict=True))
    stereotypes = table[table["connection"].isin(STEREOTYPES)]
    rows += [
        ("protected_word", "equidistant", *pair)
        for pair in _equal_words(stereotypes, "protected_word")
        if pair[:2] not in copies and groups[pair[0]] != groups[pair[1]]
    ]
    return pd.DataFrame(
        rows, columns=["role", "kind", "word", "other", "n_distances", "difference"]
    )


def _equal_words(table: pd.DataFrame, role: str) -> Iterator[tuple[str, str, int, float]]:
    """Yield pairs of words at the same distances, how many, and the largest gap."""
    partners = [PARTNERS[role], *(name for name in OPTIONAL_COLUMNS if name in table.columns)]
    wide = table.pivot_table(
        "cosine_distance", role, partners, aggfunc="last", observed=True, sort=False
    )
    if wide.empty:
        return
    wide.index = wide.index.astype(str)
    # Only words that are close in the distance that most words have are compared in all.
    fullest = wide.iloc[:, int(wide.count().to_numpy().argmax())].dropna().sort_values()
    for _, run in fullest.groupby((fullest.diff() > TOLERANCE).cumsum()):
        equal: set[str] = set()
        for word, other in combinations(wide.index[wide.index.isin(run.index)], 2):
            gaps = (wide.loc[word] - wide.loc[other]).abs()
            if not equal & {word, other} and gaps.count() >= FEWEST and gaps.max() <= TOLERANCE:
                equal.add(other)
                yield word, other, int(gaps.count()), float(gaps.max())


def drop_duplicates(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the first word of exact copies (`duplicate_vectors`); equidistant words stay.

    Examples
    --------
    >>> import bayesbias as bb
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", "religion"), "religion")
    >>> len(bb.drop_duplicates(table)) == len(table)
    True
    """
    pairs = duplicate_vectors(table)
    kept = pd.Series(data=True, index=table.index)
    for role, others in pairs[pairs["kind"] == "copy"].groupby("role")["other"]:
        kept &= ~table[role].astype(str).isin(others)
    return table[kept].reset_index(drop=True)


def without_copies(table: pd.DataFrame, where: str, *, drop: bool) -> pd.DataFrame:
    """Return a table as it is, with a warning that names its copies, or without them."""
    pairs = duplicate_vectors(table)
    if drop and (pairs["kind"] == "copy").any():
        return drop_duplicates(table)
    for (kind, role), rows in pairs.groupby(["kind", "role"], sort=False):
        named = abridged([f"{row.word} = {row.other}" for row in rows.itertuples()], 6)
        names = "protected words" if role == "protected_word" else "attribute words"
        text = MEANINGS[str(kind)].format(count=len(rows), names=names, pairs=named)
        warn(f"{where}: {text}")
    return table
