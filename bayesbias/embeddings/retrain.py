"""Train embeddings on one text repeatedly, to see how much the seed changes their distances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.random import default_rng

from .._core.checks import Argument, ArgumentError, check_choice, is_whole
from .._core.random import Seed, as_seed_sequence
from ..tables.cosines import joined_tables
from ..tables.wordlists import WordListLike, load_wordlist
from .distances import distance_table

MOST_TRAININGS = 100
"""Largest number of training runs."""


def retrain(
    documents: Iterable[Sequence[str]] | str | Path,
    wordlist: WordListLike,
    n: int = 10,
    *,
    method: str = "word2vec",
    bootstrap: bool = False,
    embedding: str = "text",
    seed: Seed = None,
    settings: Mapping[str, int | float] | None = None,
) -> pd.DataFrame:
    """Train several embeddings on one text, and compute a word list's distances in each.

    Parameters
    ----------
    documents : iterable of sequence of str, str, or Path
        Documents as sequences of words, or the path of a UTF-8 text file with one document per
        line. Lines are split at whitespace.
    wordlist : str, Path, mapping, or WordList
    n : int
        Number of training runs, from 2 to 100.
    method : {"word2vec", "fasttext"}
    bootstrap : bool
        Draw each run's documents with replacement. By default, only the seeds differ.
    embedding : str
        Name of the text, for the table's column ``embedding``.
    seed : int, SeedSequence, Generator, or None
        Seed for the runs. The same seed gives the same tables, because training uses one thread.
    settings : mapping, optional
        Settings for gensim's model, such as ``{"vector_size": 100, "epochs": 5, "min_count": 5,
        "sg": 1}``.

    Returns
    -------
    DataFrame
        The concatenated long-form tables of all runs, for `fit_many`, with the columns
        ``embedding``, ``wordlist``, and ``replicate``.

    References
    ----------
    Antoniak and Mimno (2018), Evaluating the Stability of Embedding-based Word Similarities,
    Transactions of the Association for Computational Linguistics 6.

    Examples
    --------
    >>> import bayesbias as bb
    >>> tables = bb.retrain("texts.txt", bb.load_wordlist("gender"))  # doctest: +SKIP
    >>> bb.comparison.variance_shares(bb.fit_many(tables, seed=1))  # doctest: +SKIP
    """
    from gensim.models import FastText, Word2Vec

    models: dict[str, Any] = {"word2vec": Word2Vec, "fasttext": FastText}
    check_choice("training method", method, models)
    if not is_whole(n) or not 2 <= n <= MOST_TRAININGS:
        raise ArgumentError(Argument("n"), f" must be from 2 to {MOST_TRAININGS}; got {n!r}")
    if isinstance(documents, str | Path):
        documents = [line.split() for line in Path(documents).read_text("utf-8").splitlines()]
    texts = [list(words) for words in documents if len(words)]
    if not texts:
        raise ValueError("there are no documents to train on")
    wordlist, tables = load_wordlist(wordlist), []
    for number, child in enumerate(as_seed_sequence(seed).spawn(n), start=1):
        rng = default_rng(child)
        drawn = rng.integers(len(texts), size=len(texts)) if bootstrap else range(len(texts))
        chosen, model_seed = [texts[i] for i in drawn], int(rng.integers(2**31))
        model = models[method](chosen, seed=model_seed, workers=1, **(settings or {}))
        table = distance_table(model.wv, wordlist, embedding=embedding)
        tables.append(table.assign(wordlist=wordlist.name, replicate=str(number)))
    return joined_tables(tables)
