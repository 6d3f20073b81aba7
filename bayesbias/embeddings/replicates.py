"""Vectors that are known up to noise: text trained several times, and GloVe-V's covariances."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .._core.random import Seed, as_seed_sequence
from .._core.resources import OWN_FRAMES
from ..tables.wordlists import WordList
from .distances import distance_table
from .formats.keyed import Vectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

type Document = Sequence[str]

MOST_TRAININGS = 100
"""Trainings at most; `fit_many` takes no more of a list."""

APPROXIMATE, COMPLETE = "ApproximationVariances.safetensors", "CompleteVariances.safetensors"
"""Names of files of covariances, as glove_v.data of github.com/reglab/glove-v writes them."""

NEGATIVE = 1e-4
"""An eigenvalue above minus this share of the largest counts as zero: a matrix of low rank, stored
as singular vectors of single precision, has some of about 1e-7."""


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


def read_glove_v(
    folder: str | Path, words: Iterable[str] | WordList
) -> tuple[KeyedVectors, dict[str, FloatArray]]:
    """Read vectors and the covariances of their estimation, as GloVe-V publishes them.

    Parameters
    ----------
    folder : str or Path
        Holds ``vocab.txt``, ``vectors.safetensors`` and ``ApproximationVariances.safetensors`` or,
        read if the former is missing, ``CompleteVariances.safetensors``.
    words : iterable of str or WordList
        Words that the embedding lacks are left out.

    Returns
    -------
    KeyedVectors, dict of str to (n_dims,) or (n_dims, n_dims) float
        The vectors of the words that are there, and their covariances; of one dimension, the
        variances of a diagonal matrix.

    References
    ----------
    Vallebueno, Handan-Nader, Manning and Ho (2024), Statistical Uncertainty in Word Embeddings:
    GloVe-V, EMNLP. Data: huggingface.co/datasets/reglab/glove-v

    Examples
    --------
    >>> import bayesbias as bb
    >>> words = bb.load_wordlist("gender")
    >>> vectors, noise = bb.read_glove_v("COHA_1900-1999_300d", words)  # doctest: +SKIP
    """
    try:
        from safetensors import SafetensorError, safe_open
    except ModuleNotFoundError:
        text = "GloVe-V's files need safetensors: pip install 'bayesbias[covariances]'"
        raise ModuleNotFoundError(text, name="safetensors") from None
    place = Path(folder)
    asked = dict.fromkeys(words.words if isinstance(words, WordList) else words)
    with (place / "vocab.txt").open(encoding="utf-8") as lines:
        rows = {line.rstrip().split(" ")[0]: row for row, line in enumerate(lines)}
    present = {word: rows[word] for word in asked if word in rows}
    if not present:
        raise ValueError(f"{place} holds none of the {len(asked)} words, such as {min(asked)!r}")
    variances = place / (APPROXIMATE if (place / APPROXIMATE).exists() else COMPLETE)
    try:
        with safe_open(place / "vectors.safetensors", framework="numpy") as file:
            matrix = file.get_slice("center_vectors")
            if len(matrix.get_shape()) != 2:
                raise ValueError(f"vectors.safetensors in {place} has no matrix, a word a row")
            vectors = Vectors(list(present), np.stack([matrix[row] for row in present.values()]))
        with safe_open(variances, framework="numpy") as file:
            noise = {word: _stored(file, row, variances) for word, row in present.items()}
    except SafetensorError as error:
        raise ValueError(f"{place} is damaged, or no folder of GloVe-V: {error}") from None
    return vectors.keyed(), {word: _covariance(word, vectors, noise) for word in noise}


def _stored(file: Any, row: int, path: Path) -> FloatArray:  # noqa: ANN401
    """Read the covariance in a row, in whichever of four forms it is stored."""
    names = set(file.keys())
    parts = [f"{part}_{row}" for part in ("U", "s", "Vt")]
    if parts[0] in names:
        left, values, right = (np.asarray(file.get_tensor(name), float) for name in parts)
        return np.asarray((left * values) @ right)
    for name in (f"diag_{row}", f"complete_{row}"):
        if name in names:
            return np.asarray(file.get_tensor(name), dtype=np.float64)
    if "variances" in names:
        return np.asarray(file.get_slice("variances")[row], dtype=np.float64)
    raise ValueError(f"{path} has no variances of row {row}")


def sample_vectors(
    vectors: KeyedVectors,
    covariances: Mapping[str, FloatArray],
    wordlist: WordList,
    n: int = 10,
    *,
    embedding: str = "text",
    seed: Seed = None,
) -> pd.DataFrame:
    """Draw vectors from the uncertainty of their estimation, and measure a word list in each draw.

    Parameters
    ----------
    vectors : KeyedVectors
    covariances : mapping of str to (n_dims,) or (n_dims, n_dims) float
        Of every word in `vectors`; words are treated as independent.
    wordlist, n, embedding, seed
        As for `retrain`, of draws.

    Returns
    -------
    DataFrame
        As of `retrain`, for `fit_many`.

    Notes
    -----
    A draw has the noise of the estimate and its own, which increases its distances twice. Use
    `fit_many` for how far trainings scatter, and `vector_noise` for the bias of all of them.

    Examples
    --------
    >>> import bayesbias as bb
    >>> words = bb.load_wordlist("gender")
    >>> vectors = bb.load_vectors("glove-demo", words=words)
    >>> noise = {word: np.full(vectors.vector_size, 0.01) for word in vectors.index_to_key}
    >>> bb.sample_vectors(vectors, noise, words, 3, seed=1)["replicate"].nunique()
    3
    """
    words = vectors.index_to_key
    roots = {word: _root(_covariance(word, vectors, covariances), word) for word in words}

    def draw(rng: Generator) -> Vectors:
        moved = []
        for word, root in roots.items():
            noise = rng.standard_normal(root.shape[-1])
            moved.append(vectors[word] + (root * noise if root.ndim == 1 else root @ noise))
        return Vectors(words, np.stack(moved).astype(np.float32))

    return _replicate_tables(draw, wordlist, n, embedding, seed)


def vector_noise(
    vectors: KeyedVectors, covariances: Mapping[str, FloatArray], wordlist: WordList
) -> pd.DataFrame:
    """Compute how far noise in the vectors increases the distances of a word list.

    On average, independent noise leaves inner products as they are, and adds the trace of its
    covariance to a vector's squared length. Subtracting the trace corrects the distances by
    moments.

    Parameters
    ----------
    vectors, covariances, wordlist
        As for `sample_vectors`.

    Returns
    -------
    DataFrame
        A row a connection: ``connection``, ``n_rows``, the mean distances ``measured`` and
        ``without_noise``, and their difference ``too_far``. Rows of words with noise as long as
        they are, are left out with a warning.

    Examples
    --------
    >>> import bayesbias as bb
    >>> words = bb.load_wordlist("gender")
    >>> vectors = bb.load_vectors("glove-demo", words=words)
    >>> noise = {word: np.full(vectors.vector_size, 0.01) for word in vectors.index_to_key}
    >>> bool((bb.vector_noise(vectors, noise, words)["too_far"] != 0).all())
    True
    """
    table = distance_table(vectors, wordlist)
    traces = {}
    for word in dict.fromkeys([*table["protected_word"], *table["attribute"]]):
        given = _covariance(word, vectors, covariances)
        length = np.square(vectors[word].astype(np.float64)).sum()
        traces[word] = (given.sum() if given.ndim == 1 else np.trace(given)) / length
    share = pd.Series(traces)
    if lost := list(share.index[share >= 1]):
        warnings.warn(
            f"the noise of {', '.join(lost)} is as long as the vector: distances to them without "
            "noise are unknown, and their rows are left out",
            skip_file_prefixes=OWN_FRAMES,
        )
    kept = table[~(table["protected_word"].isin(lost) | table["attribute"].isin(lost))]
    longer = np.sqrt((1 - kept["protected_word"].map(share)) * (1 - kept["attribute"].map(share)))
    without = 1 - (1 - kept["cosine_distance"]) / longer
    frame = kept.assign(measured=kept["cosine_distance"], without_noise=without)
    means = frame.groupby("connection", sort=False, observed=True)
    distances = means[["measured", "without_noise"]].mean()
    distances.insert(0, "n_rows", means.size())
    too_far = distances["measured"] - distances["without_noise"]
    return distances.assign(too_far=too_far).reset_index()


def _covariance(
    word: str, vectors: KeyedVectors | Vectors, covariances: Mapping[str, FloatArray]
) -> FloatArray:
    """Return the covariance of a word, (n_dims,) or (n_dims, n_dims)."""
    if word not in covariances:
        raise ValueError(f"{word!r} has a vector and no covariance")
    given = np.asarray(covariances[word], dtype=np.float64)
    if given.ndim > 2 or {*given.shape} != {vectors.vector_size}:
        raise ValueError(
            f"the covariance of {word!r} has the shape {given.shape}; vectors of "
            f"{vectors.vector_size} dimensions have a square one, or its diagonal"
        )
    return given


def _root(covariance: FloatArray, word: str) -> FloatArray:
    """Return what turns independent standard Normals into a word's noise, of the same shape."""
    if covariance.ndim == 1:
        values, axes = covariance, np.ones(1)
    else:
        values, axes = np.linalg.eigh((covariance + covariance.T) / 2)
    if not np.isfinite(covariance).all() or values.min() < -NEGATIVE * abs(values).max():
        raise ValueError(f"the covariance of {word!r} has a negative or infinite variance")
    return np.asarray(axes * np.sqrt(np.maximum(values, 0)))
