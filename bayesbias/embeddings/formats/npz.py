"""Our own ``.npz`` files: words, vectors, licence and provenance, and no pickle."""

from __future__ import annotations

import errno
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._core.files import replace_file
from ..chunks import Vector
from ..source import Source
from .headers import one_line
from .keyed import (
    SAMPLE,
    functions_of,
    keyed_vectors,
    ranks_of,
    resolved_forms,
    sample_of,
)

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

ENDINGS = (".npz",)
FIRSTS = ("", "sample_")
"""How the names of the arrays of the vocabulary, and of further words, begin."""

_DAMAGE = (EOFError, zipfile.BadZipFile, zlib.error, struct.error, RuntimeError, MemoryError)
ODD_HEADER = (
    ValueError,
    TypeError,
    LookupError,
    SyntaxError,
    SystemError,  # CPython's tokenizer, of null bytes in some places
    TokenError,
    ArithmeticError,
    MemoryError,  # CPython's parser, of many operators in a row
)
"""What numpy raises where the header of an array is damaged."""


def save_vectors(
    vectors: KeyedVectors, path: str | Path, licence: str = "", provenance: str = ""
) -> None:
    """Save vectors as a ``.npz`` file, which `load_vectors` reads without any pickle.

    Parameters
    ----------
    vectors : KeyedVectors
    path : str or Path
        Must end in ``.npz``. The file appears under this name only when it is complete.
    licence, provenance : str
        Under which terms the vectors may be used, and where they come from; kept in the file.

    Raises
    ------
    ValueError
        If the path has another ending.
    FileNotFoundError, IsADirectoryError
        If the folder is not there, or the path is a folder.

    Examples
    --------
    >>> import bayesbias as bb
    >>> import tempfile
    >>> vectors = bb.load_vectors("glove-demo", ["he", "she"])
    >>> bb.save_vectors(vectors, f"{tempfile.mkdtemp()}/two.npz")
    """
    if Path(path).suffix != ENDINGS[0]:
        raise ValueError(f"vectors are saved as .npz; {path} must end in it")
    words = list(vectors.index_to_key)
    others = resolved_forms(vectors)
    with replace_file(path) as temporary:
        arrays: dict[str, Any] = {
            "words": np.array(words, dtype=np.str_),
            "read_as": np.array([others.get(word, word) for word in words], dtype=np.str_),
            "vectors": np.asarray(vectors.vectors, dtype=np.float32),
            "ranks": ranks_of(vectors),
            "licence": np.array(licence),
            "provenance": np.array(provenance),
            **_sample_arrays(vectors),
        }
        np.savez_compressed(temporary, **arrays)


def _sample_arrays(vectors: KeyedVectors) -> dict[str, np.ndarray]:
    """Words beyond the vocabulary, their vectors and ranks, if there are any."""
    sample = sample_of(vectors)
    if sample is None:
        return {}
    return {
        "sample_words": np.array(sample.index_to_key, dtype=np.str_),
        "sample_vectors": np.asarray(sample.vectors, dtype=np.float32),
        "sample_ranks": ranks_of(sample),
    }


def read_npz(source: Source) -> KeyedVectors:
    """Read a file of `save_vectors`; only ``words`` and ``vectors`` need be there."""
    path = source.path
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            firsts = [first for first in FIRSTS if not first or f"{first}words" in arrays]
            parts = [_arrays(arrays, first) for first in firsts]
    except (*_DAMAGE, *ODD_HEADER, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # of the disk, not the file
            raise
        raise ValueError(
            f"{path} is damaged, or no file of save_vectors with arrays 'words' and 'vectors' "
            f"({one_line(error)})"
        ) from None
    for words, matrix, forms, ranks in parts:
        if matrix.ndim != 2 or not len(words) == len(matrix) == len(forms) == len(ranks):
            raise ValueError(
                f"{path}: {len(words)} words do not fit vectors of shape {matrix.shape}"
            )
    vectors, *samples = (keyed_vectors(*part) for part in parts)
    setattr(vectors, SAMPLE, next(iter(samples), None))
    return vectors


def _arrays(
    arrays: Mapping[str, np.ndarray], first: str
) -> tuple[list[str], Vector, list[str], NDArray[np.int64]]:
    """Words, vectors, forms read and ranks of the arrays whose names begin so."""
    words = arrays[f"{first}words"].astype(np.str_).tolist()
    matrix = np.asarray(arrays[f"{first}vectors"], dtype=np.float32)
    forms = arrays[f"{first}read_as"].tolist() if f"{first}read_as" in arrays else words
    places = np.arange(1, len(words) + 1)
    ranks = arrays.get(f"{first}ranks", places)
    return words, matrix, forms, ranks.astype(np.int64)


pick, iterate = functions_of(read_npz)
