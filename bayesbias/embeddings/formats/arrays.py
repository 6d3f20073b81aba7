"""Read vectors and words from ``.npz``, native folders, ``.npy``, safetensors, and Parquet.

A native folder contains ``vectors.npy`` and ``words.txt`` (in UTF-8). Row i of the matrix belongs
to the word on line i. The matrix is memory-mapped, so reading a few words is fast even if the file
is large. The words for a ``NAME.npy`` or ``NAME.safetensors`` file are in ``NAME.txt``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import numpy as np

from ..._core.checks import require_extra
from ..._core.reading import DAMAGE, damage_named, located
from ...tables.spellings import KeyedVectors
from ...tables.table_files import read_parquet
from ..source import LARGEST_DIMS, ODD, Chunk, Embedding, array_chunks
from .held import as_keyed
from .keyed import Vectors

FILES = VECTORS, WORDS = "vectors.npy", "words.txt"


def read_npz(source: Embedding) -> KeyedVectors:
    """Read a file from `save_vectors`; only ``words`` and ``vectors`` are required."""
    with (
        damage_named(source.path, "is damaged, or is not a file from save_vectors"),
        source.path.open("rb") as file,
        np.load(file, allow_pickle=False) as arrays,
    ):
        vectors = _part(arrays, "")
        vectors.sample = _part(arrays, "sample_") if "sample_words" in arrays else None
        return vectors


def _part(arrays: Mapping[str, np.ndarray], first: str) -> Vectors:
    """Return the words, vectors, forms, and ranks in arrays whose names start with `first`."""
    # A member that is not an array is read as bytes, which become an array of shape ().
    vectors = np.asarray(arrays[f"{first}vectors"], dtype=np.float32)
    if vectors.ndim != 2 or not vectors.shape[1]:
        raise ValueError(f"{first}vectors has shape {vectors.shape}, not (n_words, n_dims)")
    words = np.asarray(arrays[f"{first}words"]).astype(np.str_)
    forms = np.asarray(arrays.get(f"{first}read_as", words)).astype(np.str_)
    ranks = np.asarray(arrays.get(f"{first}ranks", np.arange(1, words.size + 1))).astype(np.int64)
    for name, array in (("words", words), ("read_as", forms), ("ranks", ranks)):
        if array.shape != vectors.shape[:1]:
            text = f"{first}{name} has shape {array.shape}, but {first}vectors has {vectors.shape}"
            raise ValueError(text)
    return Vectors(words.tolist(), vectors, forms.tolist(), ranks)


def read_frame(source: Embedding) -> KeyedVectors:
    """Read a Parquet file; `words_and_rows` finds its words and vectors."""
    with located(source.path):
        return as_keyed(read_parquet(source.path))


def native_chunks(source: Embedding, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
    """Yield all words, or only the wanted words, with their vectors."""
    path = source.path
    names = path / WORDS if path.is_dir() else path.with_suffix(".txt")
    text = names.read_bytes().decode(errors=ODD)
    matrix = _matrix(path / VECTORS if path.is_dir() else path)
    if path.is_dir() and text and not text.endswith("\n"):  # from `write_native`
        raise ValueError(f"{names} does not end with a line break; it was cut off")
    words = text.removesuffix("\n").split("\n")
    if len(words) != len(matrix):
        raise ValueError(
            f"{path} has unequal numbers of words and vectors ({len(words):,} and "
            f"{len(matrix):,}); create it again"
        )
    yield from array_chunks(words, matrix, np.arange(1, len(words) + 1), wanted)


def _matrix(path: Path) -> np.ndarray:
    """Memory-map a matrix of floats, or read the matrix in a safetensors file."""
    what = f"is damaged, or is not a {path.suffix} file with one matrix"
    if path.suffix.lower() == ".npy":
        with damage_named(path, what):
            matrix: np.ndarray = np.lib.format.open_memmap(path, mode="r")
    else:
        require_extra("safetensors files", "safetensors", "safetensors")
        from safetensors import SafetensorError, numpy

        with damage_named(path, what, errors=(*DAMAGE, SafetensorError)):
            (matrix,) = numpy.load_file(path).values()
    fits = matrix.ndim == 2 and len(matrix) and 0 < matrix.shape[1] <= LARGEST_DIMS
    if not fits or matrix.dtype.kind != "f":
        raise ValueError(
            f"{path} has {matrix.dtype} values and shape {matrix.shape}; it must contain a matrix "
            "of floats with one row per word"
        )
    return matrix
