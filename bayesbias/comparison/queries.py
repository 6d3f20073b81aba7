"""Compute the distances of many word lists in many embeddings, for a joint model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.random import default_rng

from .._core.warnings import warn
from ..background.pools import Pools, TooFewWordsError, draw_pools, with_drawn, word_seeds
from ..background.reference_words import N_MATCHED, with_matched
from ..embeddings.distances import distance_table
from ..embeddings.load import VectorsLike, load_vectors
from ..embeddings.registry import open_embedding
from ..embeddings.source import Embedding
from ..model.frequency import MATCHED
from ..tables.cosines import joined_tables
from ..tables.spellings import KeyedVectors
from ..tables.wordlists import WordList, WordListLike, load_wordlist
from ..warnings import NothingDrawn


def distance_tables(
    embeddings: Mapping[str, VectorsLike],
    wordlists: Iterable[WordListLike],
    *,
    case: str = "exact",
    drop_duplicates: bool = False,
    max_missing: float | None = None,
    matched: int = N_MATCHED,
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
    matched : int
        Number of equally frequent control words to draw for each stereotype in each embedding, so
        that distances are at equal frequency; 0 for none. They are those that `analyze` draws.

    Returns
    -------
    DataFrame
        All distance tables, concatenated, with the columns ``embedding`` and ``wordlist``. The
        frame also stores the mean cosines between words.

    Warns
    -----
    NothingDrawn
        If an embedding has too few words for matched controls.

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
    tables = []
    for embedding, source in embeddings.items():
        opened = open_embedding(source)
        pools = _pools(opened, lists, case, matched)
        for words in lists:
            try:
                vectors = load_vectors(opened, words, case)
                table = distance_table(
                    *_with_matched(vectors, words, pools, matched),
                    embedding=embedding,
                    drop_duplicates=drop_duplicates,
                    max_missing=max_missing,
                )
            except ValueError as error:
                raise ValueError(f"the list {words.name!r} in {embedding!r}: {error}") from None
            tables.append(table.assign(wordlist=words.name))
    return joined_tables(tables)


def _pools(
    embedding: Embedding, lists: Sequence[WordList], case: str, matched: int
) -> Pools | None:
    """Read the words of all lists at once, and those for controls, which depend on no seed."""
    words, rng = [one.words for one in lists], default_rng(word_seeds()[0])
    if not matched:
        embedding.keep(chain(*words))
        return None
    try:
        return draw_pools(embedding, words, by_rank=True, rng=rng, case=case)
    except TooFewWordsError as reason:
        warn(NothingDrawn("matched controls", str(reason)))
    return None


def _with_matched(
    vectors: KeyedVectors, wordlist: WordList, pools: Pools | None, n: int
) -> tuple[KeyedVectors, WordList]:
    """Add matched controls to a list without any, and their vectors to those of its words."""
    if pools is None or MATCHED in wordlist.controls:
        return vectors, wordlist
    try:
        pool = pools.of(wordlist.words)
        if not any(word in pool.found for part in wordlist.stereotypes.values() for word in part):
            return vectors, wordlist
        wider = with_matched(wordlist, pool, default_rng(word_seeds()[1]), n=n)
        return with_drawn(vectors, wider.controls[MATCHED], pool), wider
    except TooFewWordsError as reason:
        warn(NothingDrawn("matched controls", str(reason), about=wordlist.name))
    return vectors, wordlist
