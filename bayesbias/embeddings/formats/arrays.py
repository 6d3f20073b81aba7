"""Read vectors and words from ``.npz``, native folders, ``.npy``, safetensors, and Parquet.

A native folder contains ``vectors.npy`` and ``words.txt`` (in UTF-8). Row i of the matrix belongs
to the word on line i. The matrix is memory-mapped, so reading a few words is fast even if the file
is large. The words for a ``NAME.npy`` or ``NAME.safetensors`` file are in ``NAME.txt``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._core.checks import require_extra
from ..._core.reading import DAMAGE, damage_named, located
from ...tables.spellings import KeyedVectors
from ...tables.table_files import read_csv, read_parquet
from ..source import LARGEST_DIMS, Chunk, ChunksOf, Embedding, array_chunks
from .held import as_keyed
from .keyed import Vectors
from .word_files import lines_of, words_next_to

FILES = VECTORS, WORDS = "vectors.npy", "words.txt"


def read_npz(source: Embedding) -> KeyedVectors:
    """Read a file from `save_vectors`; only ``words`` and ``vectors`` are required."""
    with (
        source.local() as path,
        damage_named(source.path, "is damaged, or is not a file from save_vectors"),
        path.open("rb") as file,
        np.load(file, allow_pickle=False) as arrays,
    ):
        vectors = _part(arrays, "")
        sample = any(name.startswith("sample_words") for name in arrays)
        vectors.sample = _part(arrays, "sample_") if sample else None
        return vectors


def _part(arrays: Mapping[str, np.ndarray], first: str) -> Vectors:
    """Return the words, vectors, forms, and ranks in arrays whose names start with `first`."""
    # A member that is not an array is read as bytes, which become an array of shape ().
    vectors = np.asarray(arrays[f"{first}vectors"], dtype=np.float32)
    if vectors.ndim != 2 or not vectors.shape[1]:
        raise ValueError(f"{first}vectors has shape {vectors.shape}, not (n_words, n_dims)")
    words = _texts(arrays, f"{first}words")
    forms = _texts(arrays, f"{first}read_as", words)
    given = arrays.get(f"{first}ranks")
    ranks = None if given is None else np.asarray(given).astype(np.int64)
    sizes = [("words", len(words)), ("read_as", len(forms))]
    sizes += [] if ranks is None else [("ranks", *ranks.shape)]
    for name, size in sizes:
        if size != len(vectors):
            text = f"{first}{name} has {size:,} entries, but {first}vectors has {vectors.shape}"
            raise ValueError(text)
    return Vectors(words, vectors, forms, ranks)


def _texts(
    arrays: Mapping[str, np.ndarray], name: str, otherwise: list[str] | None = None
) -> list[str]:
    """Return texts that `packed_texts` packed, or that earlier versions saved as an array."""
    if f"{name}_utf8" in arrays:
        ends = np.asarray(arrays[f"{name}_ends"]).astype(np.int64)
        content = np.asarray(arrays[f"{name}_utf8"], dtype=np.uint8).tobytes()
        starts = [0, *ends.tolist()]
        if starts[-1] != len(content) or (np.diff(starts) < 0).any():
            raise ValueError(f"{name}_ends does not fit {name}_utf8")
        return [content[a:b].decode(errors="surrogatepass") for a, b in pairwise(starts)]
    if otherwise is not None and name not in arrays:
        return otherwise
    # A member that is not an array is read as bytes, which become an array of shape ().
    texts: list[str] = np.asarray(arrays[name]).astype(np.str_).reshape(-1).tolist()
    return texts


def packed_texts(name: str, texts: Iterable[str]) -> dict[str, np.ndarray]:
    """Return texts as UTF-8 bytes with the position where each ends; one long text costs little."""
    parts = [text.encode(errors="surrogatepass") for text in texts]
    return {
        f"{name}_utf8": np.frombuffer(b"".join(parts), dtype=np.uint8),
        f"{name}_ends": np.cumsum([len(part) for part in parts], dtype=np.int64),
    }


def read_frame(source: Embedding) -> KeyedVectors:
    """Read a Parquet file, or text whose columns have names; `words_and_rows` finds the vectors."""
    with source.local() as path, located(source.path):
        if source.layout is None:
            with damage_named(source.path, "is damaged, or is not a table"):
                frame = read_parquet(path, nested=True)
        else:
            options: dict[str, Any] = {"keep_default_na": False, "low_memory": False}
            frame = read_csv(path, sep=source.layout.between.decode(), **options)
        return as_keyed(frame)


def matrix_chunks(source: Embedding, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
    """Yield words and vectors of lines of numbers whose words are next to them."""
    layout = source.layout
    with source.local() as path, located(source.path):
        options: dict[str, Any] = {"header": None, "dtype": np.float32, "na_filter": False}
        frame = pd.read_csv(path, sep=layout.between.decode(), **options)
        matrix = frame.to_numpy()
    words = words_next_to(source.path, len(matrix), allow_pickle=source.allow_pickle)
    yield from array_chunks(words, matrix, np.arange(1, len(words) + 1), wanted)


def native_chunks(source: Embedding, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
    """Yield all words, or only the wanted words, of a native folder."""
    path = source.path
    names = path / WORDS
    content = names.read_bytes()
    if content and not content.endswith(b"\n"):  # from `write_native`
        raise ValueError(f"{names} does not end with a line break; it was cut off")
    words, matrix = lines_of(content, names), _matrix(path / VECTORS, path / VECTORS, "npy")
    if len(words) != len(matrix):
        raise ValueError(
            f"{path} has unequal numbers of words and vectors ({len(words):,} and "
            f"{len(matrix):,}); create it again"
        )
    source.expected = len(words)
    yield from array_chunks(words, matrix, np.arange(1, len(words) + 1), wanted)


def array_file_chunks(kind: str) -> ChunksOf:
    """Return the generator for a file with a matrix, whose words are in a file next to it."""

    def chunks(source: Embedding, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
        with source.local() as path:
            matrix = _matrix(path, source.path, kind)
            words = words_next_to(source.path, len(matrix), allow_pickle=source.allow_pickle)
            yield from array_chunks(words, matrix, np.arange(1, len(words) + 1), wanted)

    return chunks


def _matrix(path: Path, named: Path, kind: str) -> np.ndarray:
    """Memory-map a matrix of floats, or read the matrix in a safetensors file."""
    what = f"is damaged, or is not a .{kind} file with one matrix"
    if kind == "npy":
        with damage_named(named, what):
            matrix: np.ndarray = np.lib.format.open_memmap(path, mode="r")
    else:
        require_extra("safetensors files", "safetensors", "safetensors")
        from safetensors import SafetensorError, numpy

        with damage_named(named, what, errors=(*DAMAGE, SafetensorError)):
            (matrix,) = numpy.load_file(path).values()
    fits = matrix.ndim == 2 and len(matrix) and 0 < matrix.shape[1] <= LARGEST_DIMS
    if not fits or matrix.dtype.kind != "f":
        raise ValueError(
            f"{named} has {matrix.dtype} values and shape {matrix.shape}; it must contain a matrix "
            "of floats with one row per word"
        )
    return matrix
