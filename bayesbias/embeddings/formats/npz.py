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
from ..source import Embedding, one_line
from .keyed import SAMPLE, keyed_chunks, keyed_vectors, ranks_of, resolved_forms, sample_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

ODD_HEADER = (
    *(ValueError, TypeError, LookupError, SyntaxError, TokenError, ArithmeticError),
    *(SystemError, MemoryError),  # CPython's tokenizer and parser, of null bytes and operators
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
    if Path(path).suffix != ".npz":
        raise ValueError(f"vectors are saved as .npz; {path} must end in it")
    arrays: dict[str, Any] = {"licence": np.array(licence), "provenance": np.array(provenance)}
    for first, some in (("", vectors), ("sample_", sample_of(vectors))):
        if some is not None:
            words, others = list(some.index_to_key), resolved_forms(some)
            arrays |= {
                f"{first}words": np.array(words, dtype=np.str_),
                f"{first}read_as": np.array([others.get(w, w) for w in words], dtype=np.str_),
                f"{first}vectors": np.asarray(some.vectors, dtype=np.float32),
                f"{first}ranks": ranks_of(some),
            }
    with replace_file(path) as temporary:
        np.savez_compressed(temporary, **arrays)


def read_npz(source: Embedding) -> KeyedVectors:
    """Read a file of `save_vectors`; only ``words`` and ``vectors`` need be there."""
    path = source.path
    damage = (EOFError, zipfile.BadZipFile, zlib.error, struct.error, RuntimeError, OSError)
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            vectors = _part(arrays, "")
            setattr(vectors, SAMPLE, _part(arrays, "sample_") if "sample_words" in arrays else None)
    except (*damage, *ODD_HEADER) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # of the disk, not the file
            raise
        raise ValueError(
            f"{path} is damaged, or no file of save_vectors with arrays 'words' and 'vectors' "
            f"({one_line(error)})"
        ) from None
    return vectors


def _part(arrays: Mapping[str, np.ndarray], first: str) -> KeyedVectors:
    """Return the words, vectors, forms and ranks of the arrays whose names begin so."""
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
    return keyed_vectors(words.tolist(), vectors, forms.tolist(), ranks)


chunks = keyed_chunks(read_npz)
