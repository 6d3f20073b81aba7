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

from ..._core.files import replace_file
from ..source import Ranks, Source, Vector, one_line
from .keyed import SAMPLE, keyed_chunks, keyed_vectors, ranks_of, resolved_forms, sample_of

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
    sample, others = sample_of(vectors), resolved_forms(vectors)
    words = list(vectors.index_to_key)
    arrays: dict[str, Any] = {
        "words": np.array(words, dtype=np.str_),
        "read_as": np.array([others.get(word, word) for word in words], dtype=np.str_),
        "vectors": np.asarray(vectors.vectors, dtype=np.float32),
        "ranks": ranks_of(vectors),
        "licence": np.array(licence),
        "provenance": np.array(provenance),
    }
    if sample is not None:
        arrays |= {
            "sample_words": np.array(sample.index_to_key, dtype=np.str_),
            "sample_vectors": np.asarray(sample.vectors, dtype=np.float32),
            "sample_ranks": ranks_of(sample),
        }
    with replace_file(path) as temporary:
        np.savez_compressed(temporary, **arrays)


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
    vectors, *samples = (keyed_vectors(*part) for part in parts)
    setattr(vectors, SAMPLE, next(iter(samples), None))
    return vectors


def _arrays(
    arrays: Mapping[str, np.ndarray], first: str
) -> tuple[list[str], Vector, list[str], Ranks]:
    """Words, vectors, forms read and ranks of the arrays whose names begin so."""
    words = arrays[f"{first}words"].astype(np.str_)
    vectors = np.asarray(arrays[f"{first}vectors"], dtype=np.float32)
    forms = arrays.get(f"{first}read_as", words).astype(np.str_)
    ranks = arrays.get(f"{first}ranks", np.arange(1, words.size + 1)).astype(np.int64)
    if vectors.ndim != 2 or not vectors.shape[1]:
        raise ValueError(f"{first}vectors has shape {vectors.shape}, not (n_words, n_dims)")
    for name, array in (("words", words), ("read_as", forms), ("ranks", ranks)):
        if array.shape != vectors.shape[:1]:
            text = f"{first}{name} has shape {array.shape}, and {first}vectors {vectors.shape}"
            raise ValueError(text)
    return words.tolist(), vectors, forms.tolist(), ranks


chunks = keyed_chunks(read_npz)
