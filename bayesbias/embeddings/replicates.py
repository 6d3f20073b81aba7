"""Vectors that are known up to noise: one text trained several times, or estimates that scatter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .._core.random import Seed, as_seed_sequence
from ..tables.wordlists import WordListLike, load_wordlist
from .distances import distance_table
from .formats.keyed import Vectors
from .load import VectorsLike, read_vectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

type Document = Sequence[str]

MOST_TRAININGS = 100
"""Trainings at most; `fit_many` takes no more of a list."""

NEGATIVE = 1e-4
"""An eigenvalue above minus this share of the largest counts as zero: a matrix of low rank, stored
as singular vectors of single precision, has some of about 1e-7."""


def retrain(
    documents: Iterable[Document] | str | Path,
    wordlist: WordListLike,
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
    wordlist : str, Path, mapping or WordList
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

    models: dict[str, Any] = {"word2vec": Word2Vec, "fasttext": FastText}
    if method not in models:
        raise ValueError(unknown_name("training method", method, models))
    if isinstance(documents, str | Path):
        documents = [line.split() for line in Path(documents).read_text("utf-8").splitlines()]
    texts = [list(words) for words in documents if len(words)]
    if not texts:
        raise ValueError("there are no documents to train on")

    def vectors(rng: Generator) -> KeyedVectors:
        drawn = rng.integers(len(texts), size=len(texts)) if bootstrap else range(len(texts))
        chosen, number = [texts[i] for i in drawn], int(rng.integers(2**31))
        return models[method](chosen, seed=number, workers=1, **(settings or {})).wv

    return _replicate_tables(vectors, wordlist, n, embedding, seed)


def _replicate_tables(
    vectors: Callable[[Generator], KeyedVectors | Vectors],
    wordlist: WordListLike,
    n: int,
    embedding: str,
    seed: Seed,
) -> pd.DataFrame:
    """Measure a word list in ``n`` draws of vectors, each from a generator of its own."""
    if isinstance(n, bool) or not 2 <= n <= MOST_TRAININGS:
        raise ValueError(f"n must be from 2 to {MOST_TRAININGS}; got {n}")
    wordlist, tables = load_wordlist(wordlist), []
    for number, child in enumerate(as_seed_sequence(seed).spawn(n), start=1):
        table = distance_table(vectors(default_rng(child)), wordlist, embedding=embedding)
        tables.append(table.assign(wordlist=wordlist.name, replicate=str(number)))
    return pd.concat(tables, ignore_index=True)


def sample_vectors(
    vectors: VectorsLike,
    covariances: Mapping[str, FloatArray],
    wordlist: WordListLike,
    n: int = 10,
    *,
    embedding: str = "text",
    seed: Seed = None,
) -> pd.DataFrame:
    """Draw vectors from the uncertainty of their estimation, and measure a word list in each draw.

    Parameters
    ----------
    vectors : str, path, KeyedVectors, mapping, DataFrame or tuple
        As for `load_vectors`.
    covariances : mapping of str to (n_dims,) or (n_dims, n_dims) float
        Of every word of the list that has a vector, such as those that GloVe-V publishes; one
        dimension is the diagonal. Words are treated as independent.
    wordlist, n, embedding, seed
        As for `retrain`, of draws.

    Returns
    -------
    DataFrame
        As of `retrain`, for `fit_many`.

    Notes
    -----
    A draw has the noise of the estimate and its own, which increases its distances twice. Use the
    draws for how far trainings scatter, not for the bias of all of them.

    References
    ----------
    Vallebueno, Handan-Nader, Manning and Ho (2024), Statistical Uncertainty in Word Embeddings:
    GloVe-V, EMNLP.

    Examples
    --------
    >>> import bayesbias as bb
    >>> words = bb.load_wordlist("gender")
    >>> vectors = bb.load_vectors("glove-demo", words=words)
    >>> noise = {word: np.full(vectors.vector_size, 0.01) for word in vectors.index_to_key}
    >>> bb.sample_vectors(vectors, noise, words, 3, seed=1)["replicate"].nunique()
    3
    """
    wordlist = load_wordlist(wordlist)
    loaded = read_vectors(vectors, wordlist)
    words = loaded.index_to_key
    if without := [word for word in words if word not in covariances]:
        raise ValueError(f"{without[0]!r} has a vector and no covariance")
    roots = {word: _root(word, covariances[word], loaded.vector_size) for word in words}

    def draw(rng: Generator) -> Vectors:
        moved = []
        for word, root in roots.items():
            noise = rng.standard_normal(root.shape[-1])
            moved.append(loaded[word] + (root * noise if root.ndim == 1 else root @ noise))
        return Vectors(words, np.stack(moved).astype(np.float32))

    return _replicate_tables(draw, wordlist, n, embedding, seed)


def _root(word: str, covariance: ArrayLike, n_dims: int) -> FloatArray:
    """Return what turns independent standard Normals into a word's noise, of the same shape."""
    given = np.asarray(covariance, dtype=np.float64)
    if given.ndim > 2 or {*given.shape} != {n_dims}:
        raise ValueError(
            f"the covariance of {word!r} has the shape {given.shape}; vectors of {n_dims} "
            "dimensions have a square one, or its diagonal"
        )
    values, axes = (given, np.ones(1)) if given.ndim == 1 else np.linalg.eigh((given + given.T) / 2)
    if not np.isfinite(given).all() or values.min() < -NEGATIVE * abs(values).max():
        raise ValueError(f"the covariance of {word!r} has a negative or infinite variance")
    return np.asarray(axes * np.sqrt(np.maximum(values, 0)))
