"""One text trained several times: how far distances move with the seed or with the documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pandas as pd
from numpy.random import Generator, default_rng

from .._core.checks import unknown_name
from .._core.random import Seed, as_seed_sequence
from ..tables.wordlists import WordList
from .distances import distance_table

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

type Document = Sequence[str]

MOST_TRAININGS = 100
"""Trainings at most; `fit_many` takes no more of a list."""


def retrain(
    documents: Iterable[Document] | str | Path,
    wordlist: WordList,
    n: int = 10,
    *,
    method: str = "word2vec",
    bootstrap: bool = False,
    embedding: str = "text",
    seed: Seed = None,
    settings: Mapping[str, int | float] | None = None,
) -> pd.DataFrame:
    """Train one text several times, and measure a word list in each training.

    Parameters
    ----------
    documents : iterable of sequence of str, str or Path
        Documents as sequences of words; or the path of a UTF-8 text file with a document a line,
        split at white space.
    wordlist : WordList
    n : int
        Trainings, from 2 to 100.
    method : {"word2vec", "fasttext"}
    bootstrap : bool
        Draw the documents of every training with replacement; else only the seeds differ.
    embedding : str
        Name of the text in the table.
    seed : int, SeedSequence, Generator or None
        Equal seeds give equal tables; training takes one thread for that.
    settings : mapping, optional
        Of gensim's model, such as ``{"vector_size": 100, "epochs": 5, "min_count": 5, "sg": 1}``.

    Returns
    -------
    DataFrame
        The long-form tables of all trainings below each other, with ``embedding``, ``wordlist`` and
        ``replicate``, for `fit_many`.

    References
    ----------
    Antoniak and Mimno (2018), Evaluating the Stability of Embedding-based Word Similarities,
    Transactions of the Association for Computational Linguistics 6.

    Examples
    --------
    >>> import bayesbias as bb
    >>> tables = bb.retrain("texts.txt", bb.load_wordlist("gender"))  # doctest: +SKIP
    >>> bb.variance_shares(bb.fit_many(tables, seed=1))  # doctest: +SKIP
    """
    from gensim.models import FastText, Word2Vec

    models = {"word2vec": Word2Vec, "fasttext": FastText}
    if method not in models:
        raise ValueError(unknown_name("training method", method, models))
    if isinstance(documents, str | Path):
        with Path(documents).open(encoding="utf-8") as lines:
            texts = [line.split() for line in lines]
    else:
        texts = [list(words) for words in documents]
    texts = [words for words in texts if words]
    if not texts:
        raise ValueError("there are no documents to train on")

    def vectors(rng: Generator) -> KeyedVectors:
        drawn = rng.integers(len(texts), size=len(texts)) if bootstrap else range(len(texts))
        chosen, number = [texts[i] for i in drawn], int(rng.integers(2**31))
        model: Any = models[method](chosen, seed=number, workers=1, **(settings or {}))
        return cast("KeyedVectors", model.wv)

    return replicate_tables(vectors, wordlist, n, embedding, seed)


def replicate_tables(
    vectors: Callable[[Generator], KeyedVectors],
    wordlist: WordList,
    n: int,
    embedding: str,
    seed: Seed,
) -> pd.DataFrame:
    """Measure a word list in ``n`` draws of vectors, each from a generator of its own."""
    if isinstance(n, bool) or not 2 <= n <= MOST_TRAININGS:
        raise ValueError(f"n must be from 2 to {MOST_TRAININGS}; got {n}")
    tables = []
    for number, child in enumerate(as_seed_sequence(seed).spawn(n), start=1):
        table = distance_table(vectors(default_rng(child)), wordlist, embedding=embedding)
        tables.append(table.assign(wordlist=wordlist.name, replicate=str(number)))
    return pd.concat(tables, ignore_index=True)
