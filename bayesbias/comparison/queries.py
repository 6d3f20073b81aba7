"""Compute the distances of many word lists in many embeddings, for a joint model."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..embeddings.distances import distance_table
from ..embeddings.load import load_vectors
from ..tables.cosines import joined_tables
from ..tables.wordlists import WordList, WordListLike, load_wordlist

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def distance_tables(
    embeddings: Mapping[str, str | os.PathLike[str] | KeyedVectors],
    wordlists: Iterable[WordListLike],
    *,
    case: str = "exact",
    drop_duplicates: bool = False,
    max_missing: float | None = None,
) -> pd.DataFrame:
    """Compute the distances of every word list in every embedding, for `fit_many`.

    Parameters
    ----------
    embeddings : mapping of str to str, path, or KeyedVectors
        Embeddings in any form that `load_vectors` accepts, keyed by name.
    wordlists : iterable of WordList, str, Path, or mapping
        Lists in any form that `load_wordlist` accepts, each with a different name.
    case, drop_duplicates, max_missing
        See `load_vectors` and `distance_table`.

    Returns
    -------
    DataFrame
        All distance tables, concatenated, with the columns ``embedding`` and ``wordlist``. The
        frame also stores the mean cosines between words.

    Examples
    --------
    >>> table = bb.distance_tables(embeddings, ["gender", "weat7"], case="fallback")
    >>> table.groupby("wordlist")["embedding"].unique().map(list).tolist()
    [['glove', 'debiased'], ['glove', 'debiased']]
    """
    if not isinstance(embeddings, Mapping) or not embeddings:
        raise TypeError(
            "embeddings must be a mapping of names to vectors or files, such as "
            f"{{'glove': 'glove-demo'}}; got {embeddings!r}"
        )
    is_one = isinstance(wordlists, str | Path | Mapping | WordList)
    sources: list[Any] = [wordlists] if is_one else [*wordlists]
    lists = [load_wordlist(source) for source in sources]
    if not lists:
        raise ValueError("there is no word list; pass at least one")
    (name, count), *_ = Counter(words.name for words in lists).most_common(1)
    if count > 1:
        raise ValueError(f"{count} lists are called {name!r}; give each a different name")
    every_word, tables = list(dict.fromkeys(word for words in lists for word in words.words)), []
    for embedding, source in embeddings.items():
        vectors = load_vectors(source, every_word, case)
        for words in lists:
            try:
                table = distance_table(
                    vectors,
                    words,
                    embedding=embedding,
                    drop_duplicates=drop_duplicates,
                    max_missing=max_missing,
                )
            except ValueError as error:
                raise ValueError(f"the list {words.name!r} in {embedding!r}: {error}") from None
            tables.append(table.assign(wordlist=words.name))
    return joined_tables(tables)
