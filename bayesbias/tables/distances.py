"""The long-form table of cosine distances, built from vectors and a word list."""

from __future__ import annotations

import warnings
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, cosine_distance, unit_rows
from .._core.checks import Argument, ArgumentError
from .cosines import attach_word_cosines
from .schema import COLUMNS, CONNECTIONS, connections_present, validate
from .wordlists import WordList

LARGE = 2_000_000
"""Rows from which on a warning says, before they are made, how many there will be."""

BYTES_A_ROW = 220
"""Memory of a row: 16 million rows were seen to take 3.5 GB."""

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def distance_table(
    vectors: KeyedVectors, wordlist: WordList, *, embedding: str | None = None
) -> pd.DataFrame:
    """Compute the cosine distances between every protected word and every attribute of a word list.

    An attribute of the word's own group's stereotype is ``associated``, one of another group's is
    ``different``, control words are ``neutral`` or ``human``. A pair stands once, even where an
    attribute is in several sets (the first of these connections counts), and no word is compared
    with itself. Missing words are absent rows; `missing_words` names them.

    Parameters
    ----------
    vectors : KeyedVectors
        Keys are the words as the list spells them, as `load_vectors` gives them.
    wordlist : WordList
        At least two groups with stereotypes.
    embedding : str, optional
        If given, a column ``embedding`` holds it, so that tables can be joined.

    Returns
    -------
    DataFrame
        ``COLUMNS``, one row a pair; ``cosine_distance`` = 1 - cosine similarity, in [0, 2].
        ``.attrs`` hold the cosines of the protected words, which the model `kernel` needs.

    Raises
    ------
    ValueError
        If the arguments are swapped, no word is found, fewer than two groups have words, a
        connection gets no rows, or a vector is all zeros or not finite (the words are named).

    Warns
    -----
    UserWarning
        Before it begins, if the table will be large.
    """
    if isinstance(vectors, WordList):
        raise ValueError("the vectors come first, the words second: distance_table(vectors, words)")
    if not wordlist.groups:
        raise ValueError(f"the list {wordlist.name!r} has control words only; give one with groups")
    _require_words(vectors, wordlist)
    _warn_of_size(vectors, wordlist)
    pairs = _pairs(vectors, wordlist)
    _require_connections(pairs, wordlist)
    pairs["cosine_distance"] = _distances(vectors, pairs)
    if embedding is not None:
        pairs["embedding"] = embedding
    table = validate(pairs)
    words = table["protected_word"].unique()
    directions = unit_rows(_directions(vectors, words.astype(str)))
    attach_word_cosines(table, words, directions @ directions.T)
    return table


def missing_words(vectors: KeyedVectors, wordlist: WordList) -> pd.DataFrame:
    """Return the words of a list that the vectors lack.

    Returns
    -------
    DataFrame
        One row a missing word of a set: ``role`` (protected, stereotype or control), ``set``,
        ``word``. Empty if nothing is missing.
    """
    frame = wordlist.to_frame()
    present = frame["word"].map(lambda word: word in vectors.key_to_index)
    return frame[~present.astype(bool)].reset_index(drop=True)


def _require_words(vectors: KeyedVectors, wordlist: WordList) -> None:
    known = [group for group, ws in wordlist.groups.items() if any(w in vectors for w in ws)]
    if not any(word in vectors for word in wordlist.words):
        raise ValueError(
            f"none of the {len(wordlist.words)} words of {wordlist.name!r} has a vector"
        )
    if len(known) < 2:
        lost = {group: ws for group, ws in wordlist.groups.items() if group not in known}
        capitals = any(word != word.lower() for ws in lost.values() for word in ws)
        remedy = "check their spelling, or take an embedding that has them"
        if capitals:
            remedy = "if the embedding is in lower case, read it with "
        told = "; ".join(f"{group} ({', '.join(ws)})" for group, ws in lost.items())
        raise ArgumentError(
            f"no protected word of these groups has a vector: {told}. A comparison needs two "
            f"groups; {remedy}",
            *([Argument("case", "fallback")] if capitals else []),
        )


def _warn_of_size(vectors: KeyedVectors, wordlist: WordList) -> None:
    sets = (wordlist.groups, {**wordlist.stereotypes, **wordlist.controls})
    protected, attributes = (
        len({word for words in each.values() for word in words if word in vectors}) for each in sets
    )
    if (rows := protected * attributes) > LARGE:
        warnings.warn(
            f"the list {wordlist.name!r} makes a table of up to {rows:,} rows ({protected:,} "
            f"protected words by {attributes:,} attributes), which takes about "
            f"{rows * BYTES_A_ROW / 1e9:.1f} GB of memory",
            stacklevel=3,
        )


def _pairs(vectors: KeyedVectors, wordlist: WordList) -> pd.DataFrame:
    """All pairs with vectors, each once, without distances."""
    rows = []
    for group, protected in wordlist.groups.items():
        sets = _sets_around(wordlist, group)
        for word in protected:
            if word not in vectors:
                continue
            taken = {word}
            for connection, set_name, attributes in sets:
                for attribute in attributes:
                    if attribute in vectors and attribute not in taken:
                        taken.add(attribute)
                        rows.append((word, group, attribute, set_name, connection))
    return pd.DataFrame(rows, columns=list(COLUMNS[:-1]))


def _sets_around(wordlist: WordList, group: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """Attribute sets as a group meets them, its own first: connection, set name, attributes."""
    stereotypes = [
        ("associated" if g == group else "different", wordlist.set_name(g), words)
        for g, words in wordlist.stereotypes.items()
    ]
    controls = [(name, name, words) for name, words in wordlist.controls.items()]
    return sorted(stereotypes, key=itemgetter(0)) + controls


def _require_connections(pairs: pd.DataFrame, wordlist: WordList) -> None:
    expected = [*CONNECTIONS[:2], *(name for name in CONNECTIONS if name in wordlist.controls)]
    without = [name for name in expected if name not in connections_present(pairs)]
    if without:
        raise ValueError(
            f"no rows for the connection(s) {', '.join(without)} of {wordlist.name!r}: the "
            "embedding has none of these attribute words. Take one that has some or, for controls, "
            "leave them out of the list's [controls]"
        )


def _distances(vectors: KeyedVectors, pairs: pd.DataFrame) -> FloatArray:
    protected, rows = np.unique(pairs["protected_word"].to_numpy(str), return_inverse=True)
    attributes, columns = np.unique(pairs["attribute"].to_numpy(str), return_inverse=True)
    first, second = _directions(vectors, protected), _directions(vectors, attributes)
    return np.asarray(cosine_distance(first, second)[rows, columns])


def _directions(vectors: KeyedVectors, words: np.ndarray) -> FloatArray:
    matrix = np.asarray(vectors[words.tolist()], dtype=np.float64)
    bad = ~np.isfinite(matrix).all(axis=1) | ~matrix.any(axis=1)
    if bad.any():
        raise ValueError(
            f"the vectors of {', '.join(words[bad])} are all zeros or not finite, so they have no "
            "direction; leave these words out of the list or mend the embedding"
        )
    return matrix
