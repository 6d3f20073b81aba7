"""Our own ``.npz`` files: words, vectors, licence and provenance, and no pickle."""

from __future__ import annotations

import errno
import struct
import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING

import numpy as np

from ..._core.files import replace_file
from ..source import Source
from .headers import one_line
from .keyed import functions_of, keyed_vectors, matched_forms

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

ENDINGS = (".npz",)
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
    """
    if Path(path).suffix != ENDINGS[0]:
        raise ValueError(f"vectors are saved as .npz; {path} must end in it")
    words = list(vectors.index_to_key)
    others = matched_forms(vectors)
    with replace_file(path) as temporary:
        np.savez_compressed(
            temporary,
            words=np.array(words, dtype=np.str_),
            read_as=np.array([others.get(word, word) for word in words], dtype=np.str_),
            vectors=np.asarray(vectors.vectors, dtype=np.float32),
            licence=np.array(licence),
            provenance=np.array(provenance),
        )


def read_npz(source: Source) -> KeyedVectors:
    """Read a file of `save_vectors`; only ``words`` and ``vectors`` need be there."""
    path = source.path
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            words = arrays["words"].astype(np.str_).tolist()
            matrix = np.asarray(arrays["vectors"], dtype=np.float32)
            forms = arrays["read_as"].tolist() if "read_as" in arrays else words
    except (*_DAMAGE, *ODD_HEADER, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # of the disk, not the file
            raise
        raise ValueError(
            f"{path} is damaged, or no file of save_vectors with arrays 'words' and 'vectors' "
            f"({one_line(error)})"
        ) from None
    if matrix.ndim != 2 or not len(words) == len(matrix) == len(forms):
        raise ValueError(f"{path}: {len(words)} words do not fit vectors of shape {matrix.shape}")
    return keyed_vectors(words, matrix, forms)


pick, iterate = functions_of(read_npz)
