"""Vectors that are known up to noise: GloVe-V's files, draws, and how far noise moves distances."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from .._core.arrays import FloatArray
from .._core.random import Seed
from .._core.resources import OWN_FRAMES
from ..tables.wordlists import WordList
from .distances import distance_table
from .formats.keyed import keyed_vectors
from .retrain import replicate_tables

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

VOCABULARY, VECTORS = "vocab.txt", "vectors.safetensors"
APPROXIMATE, COMPLETE = "ApproximationVariances.safetensors", "CompleteVariances.safetensors"
"""Names of the files, as glove_v.data of github.com/reglab/glove-v writes them."""

NEGATIVE = 1e-4
"""An eigenvalue above minus this share of the largest counts as zero: a matrix of low rank, stored
as singular vectors of single precision, has some of about 1e-7."""


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
    with (place / VOCABULARY).open(encoding="utf-8") as lines:
        rows = {line.rstrip().split(" ")[0]: row for row, line in enumerate(lines)}
    present = {word: rows[word] for word in asked if word in rows}
    if not present:
        raise ValueError(f"{place} holds none of the {len(asked)} words, such as {min(asked)!r}")
    variances = place / (APPROXIMATE if (place / APPROXIMATE).exists() else COMPLETE)
    try:
        with safe_open(place / VECTORS, framework="numpy") as file:
            matrix = file.get_slice("center_vectors")
            if len(matrix.get_shape()) != 2:
                raise ValueError(f"{place / VECTORS} has no matrix, a word a row")
            vectors = np.stack([matrix[row] for row in present.values()])
        with safe_open(variances, framework="numpy") as file:
            noise = {word: _stored(file, row, variances) for word, row in present.items()}
    except SafetensorError as error:
        raise ValueError(f"{place} is damaged, or no folder of GloVe-V: {error}") from None
    keyed = keyed_vectors(list(present), vectors, list(present))
    return keyed, {word: _covariance(word, keyed, noise) for word in noise}


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
    wordlist : WordList
    n : int
        Draws, from 2 to 100.
    embedding : str
        Name of the embedding in the table.
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    DataFrame
        The tables of all draws below each other, with ``embedding``, ``wordlist`` and
        ``replicate``, for `fit_many`.

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

    def draw(rng: Generator) -> KeyedVectors:
        moved = []
        for word, root in roots.items():
            noise = rng.standard_normal(root.shape[-1])
            moved.append(vectors[word] + (root * noise if root.ndim == 1 else root @ noise))
        return keyed_vectors(words, np.stack(moved).astype(np.float32), words)

    return replicate_tables(draw, wordlist, n, embedding, seed)


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
            f"the noise of {', '.join(lost)} is as long as the vector: nothing can be said of "
            "distances to them without noise, and their rows are left out",
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
    word: str, vectors: KeyedVectors, covariances: Mapping[str, FloatArray]
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
