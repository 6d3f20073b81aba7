"""GloVe-V's files: vectors with the covariances of their estimation."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.arrays import FloatArray
from ..tables.wordlists import WordList
from .formats.keyed import keyed_vectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


VOCABULARY, VECTORS = "vocab.txt", "vectors.safetensors"
APPROXIMATE, COMPLETE = "ApproximationVariances.safetensors", "CompleteVariances.safetensors"
"""Names of the files, as glove_v.data of github.com/reglab/glove-v writes them."""


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

    Raises
    ------
    FileNotFoundError, ModuleNotFoundError
        If a file is missing, or safetensors is: ``pip install 'bayesbias[covariances]'``.
    ValueError
        If none of the words is there, or a file is damaged.

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
        raise ModuleNotFoundError(
            "GloVe-V's files need safetensors: pip install 'bayesbias[covariances]'",
            name="safetensors",
        ) from None
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
            noise = {word: _covariance(file, row, variances) for word, row in present.items()}
    except SafetensorError as error:
        raise ValueError(f"{place} is damaged, or no folder of GloVe-V: {error}") from None
    for word, covariance in noise.items():
        if {*covariance.shape} != {vectors.shape[1]}:
            raise ValueError(
                f"{variances.name} has a covariance of shape {covariance.shape} for {word!r}, "
                f"whose vector has {vectors.shape[1]} dimensions"
            )
    return keyed_vectors(list(present), vectors, list(present)), noise


def _covariance(file: Any, row: int, path: Path) -> FloatArray:  # noqa: ANN401
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
