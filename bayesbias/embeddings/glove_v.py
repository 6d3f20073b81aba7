"""GloVe-V's files: vectors with the covariances of their estimation."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from .._core.arrays import FloatArray
from ..tables.wordlists import WordList
from .formats.keyed import keyed_vectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


class Read(Protocol):
    """Reads a tensor of a file, or a row of it."""

    def __call__(self, name: str, row: int | slice = ..., /) -> FloatArray:
        """Return the numbers of a name."""


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
        Holds ``vocab.txt``, ``vectors.safetensors`` and ``ApproximationVariances.safetensors`` or
        ``CompleteVariances.safetensors``. The former is read where both are there.
    words : iterable of str or WordList
        Words that the embedding lacks are left out, as `missing_words` tells.

    Returns
    -------
    KeyedVectors, dict of str to (n_dims,) or (n_dims, n_dims) float
        The vectors of the words that are there, and their covariances; of one dimension, the
        variances of a diagonal matrix.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ModuleNotFoundError
        If safetensors is not installed: ``pip install 'bayesbias[covariances]'``.
    ValueError
        If none of the words is there, or a file does not hold what it should.

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

            def read(name: str, row: int | slice = slice(None)) -> FloatArray:
                return np.asarray(file.get_slice(name)[row], dtype=np.float64)

            names = set(file.keys())
            noise = {
                word: _covariance(read, names, row, variances) for word, row in present.items()
            }
    except SafetensorError as error:
        raise ValueError(f"{place} is damaged, or no folder of GloVe-V: {error}") from None
    for word, covariance in noise.items():
        if {*covariance.shape} != {vectors.shape[1]}:
            raise ValueError(
                f"{variances.name} has a covariance of shape {covariance.shape} for {word!r}, "
                f"whose vector has {vectors.shape[1]} dimensions"
            )
    return keyed_vectors(list(present), vectors, list(present)), noise


def _covariance(read: Read, names: set[str], row: int, path: Path) -> FloatArray:
    """Read the covariance in a row, in whichever of four forms it is stored."""
    if f"diag_{row}" in names:
        return read(f"diag_{row}")
    if f"U_{row}" in names:
        left, values, right = (read(f"{part}_{row}") for part in ("U", "s", "Vt"))
        return (left * values) @ right
    if f"complete_{row}" in names:
        return read(f"complete_{row}")
    if "variances" in names:
        return read("variances", row)
    raise ValueError(f"{path} has no variances of row {row}")
