"""Find duplicate words in a table: exact copies, and words that are equidistant by construction.

Hard debiasing moves the words of an equalized set to equal distances from every neutralized word.
Some of these words may then have the same vector, but a model treats them as different words.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from .._core.warnings import warn
from ..warnings import EquidistantWords, ExactCopies, RepeatedPairs, RepeatedRows
from .cosines import table_cosines
from .schema import COLUMNS, IDS, OPTIONAL_COLUMNS, STEREOTYPES, Checked, as_table

TOLERANCE = 1e-5
"""Largest gap between distances counted as equal: eight times a 300-term sum's rounding error."""

FEWEST = 3
"""Fewest equal distances of a pair; two agree to 1e-5 by chance about once in 100,000 times."""

SAME_COSINE = 0.999
"""Smallest cosine of one vector with itself, which a table stores with four decimals."""

PARTNERS = {"protected_word": "attribute", "attribute": "protected_word"}
"""For each column of words, the column of the words they are compared with."""

PARTS = (*OPTIONAL_COLUMNS, "wordlist", "replicate")
"""Columns that tell rows with the same words apart."""

KINDS = {"copy": ExactCopies, "equidistant": EquidistantWords}
"""Warnings for copies and for equidistant words."""


def duplicate_vectors(table: pd.DataFrame) -> pd.DataFrame:
    """List pairs of words that are exact copies or are equidistant by construction.

    Parameters
    ----------
    table : DataFrame
        A long-form table. Distances that differ by at most 1e-5 count as equal.

    Returns
    -------
    DataFrame
        One row per pair: ``role`` (``protected_word`` or ``attribute``), ``kind``, ``word`` (the
        first in the table), ``other``, ``n_distances`` (how many were compared, at least three),
        and the largest ``difference``. If ``kind`` is ``copy``, all compared distances are equal,
        and so are the vectors, if the table has cosines. If ``kind`` is ``equidistant``, two other
        protected words from different groups have the same distance to every stereotype attribute.

    Examples
    --------
    >>> import bayesbias as bb
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", "religion"), "religion")
    >>> copied = table[table["protected_word"] == "jew"].replace("jew", "hebrew")
    >>> bb.duplicate_vectors(pd.concat([table, copied]))[["kind", "word", "other"]].values.tolist()
    [['copy', 'jew', 'hebrew']]
    """
    table = as_table(table, COLUMNS)
    rows = [
        (role, "copy", *pair)
        for role in PARTNERS
        for pair in _equal_words(table, role)
        if _one_direction(table, *pair[:2])
    ]
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


def _one_direction(table: pd.DataFrame, word: str, other: str) -> bool:
    """Return whether two words may have one vector: so say their cosine, or no cosines."""
    cosines = table_cosines(table, (word, other))
    return not cosines.size or bool(cosines[0, 1] > SAME_COSINE)


def _equal_words(table: pd.DataFrame, role: str) -> Iterator[tuple[str, str, int, float]]:
    """Yield pairs of words with equal distances, the number of distances, and the largest gap."""
    if table.empty:
        return
    partners = [PARTNERS[role], *(name for name in OPTIONAL_COLUMNS if name in table.columns)]
    rows, names = pd.factorize(table[role].astype(object))
    columns = table.groupby(partners, observed=True, sort=False).ngroup().to_numpy()
    wide = np.full((len(names), columns.max() + 1), np.nan)
    wide[rows, columns] = table["cosine_distance"]  # of repeated rows, the last one counts
    # Compare all distances only for words that agree in the fullest column.
    fullest = wide[:, np.isfinite(wide).sum(axis=0).argmax()]
    order = np.argsort(fullest, kind="stable")[: np.isfinite(fullest).sum()]
    for run in np.split(order, np.flatnonzero(np.diff(fullest[order]) > TOLERANCE) + 1):
        equal: set[int] = set()
        for word, other in combinations(sorted(run.tolist()), 2):
            gaps = np.abs(wide[word] - wide[other])
            gaps = gaps[np.isfinite(gaps)]
            if equal.isdisjoint({word, other}) and len(gaps) >= FEWEST and gaps.max() <= TOLERANCE:
                equal.add(other)
                yield str(names[word]), str(names[other]), len(gaps), float(gaps.max())


def drop_duplicates(table: pd.DataFrame) -> pd.DataFrame:
    """Drop exact copies of earlier words (see `duplicate_vectors`), but keep equidistant words.

    Examples
    --------
    >>> import bayesbias as bb
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", "religion"), "religion")
    >>> len(bb.drop_duplicates(table)) == len(table)
    True
    """
    table = as_table(table, COLUMNS)
    pairs = duplicate_vectors(table)
    kept = pd.Series(data=True, index=table.index)
    for role, others in pairs[pairs["kind"] == "copy"].groupby("role")["other"]:
        kept &= ~table[role].astype(str).isin(others)
    for name in ("protected_group", "attribute_set"):
        if lost := [*dict.fromkeys(table.loc[~table[name].isin(table.loc[kept, name]), name])]:
            raise ValueError(
                f"all words of {', '.join(map(str, lost))} are copies of words of another set; use "
                "vectors that tell them apart, or leave the set out of the list"
            )
    return table[kept].reset_index(drop=True)


def warn_of_repeats(table: Checked, about: str = "") -> None:
    """Warn about rows that repeat an earlier row, or its words with another distance."""
    rows, codes = table.rows, {name: codes for name, (codes, _) in table.coded.items()}
    parts = pd.DataFrame(
        {name: codes.get(name, rows[name]) for name in (*IDS, *PARTS) if name in rows}
    )
    paired = parts.duplicated()
    if not paired.any():
        return
    repeated = parts.assign(distance=rows[COLUMNS[-1]]).duplicated()
    n, several = int(repeated.sum()), int((paired & ~repeated).sum())
    if n:
        warn(RepeatedRows(n, len(rows), about=about))
    if several:
        warn(RepeatedPairs(several, len(rows), about=about))


def without_copies(table: pd.DataFrame, where: str, *, drop: bool) -> pd.DataFrame:
    """Return a table, without copies if `drop` is true, and warn about duplicates that remain."""
    if drop:
        table = drop_duplicates(table)
    for (kind, role), rows in duplicate_vectors(table).groupby(["kind", "role"], sort=False):
        named = zip(rows["word"], rows["other"], strict=True)
        warn(KINDS[str(kind)](str(role), tuple(named), about=where))
    return table
