"""The native form: a folder with ``vectors.npy`` and ``words.txt``, read without any parsing.

Row i of the matrix belongs to line i of the words, UTF-8. The matrix is a memory map, so that
reading a few words takes no longer for a large file than for a small one. Any ``NAME.npy`` with its
words in ``NAME.txt`` is read in the same way.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import IO

import numpy as np

from ..source import LARGEST_DIMS, ODD, Chunk, Embedding, Vector, array_chunks, one_line
from .npz import ODD_HEADER

FILES = VECTORS, WORDS = "vectors.npy", "words.txt"

LONGEST_HEADER = 1 << 16
"""Bytes; numpy refuses headers of a sixth of that."""


def chunks(
    source: Embedding, rows: int | None = None, wanted: Collection[str] | None = None
) -> Iterator[Chunk]:
    """Yield words and vectors; only the vectors of wanted words are read."""
    path = source.path
    names = path / WORDS if path.is_dir() else path.with_suffix(".txt")
    text = names.read_bytes().decode(errors=ODD)
    matrix = _mapped(path / VECTORS if path.is_dir() else path)
    if text and not text.endswith("\n"):
        raise ValueError(f"{names} does not end with a line break; it was cut off")
    words = text.split("\n")[:-1]
    if len(words) != len(matrix):
        raise ValueError(
            f"{path} holds {len(words):,} words but {len(matrix):,} vectors; make it again"
        )
    yield from array_chunks(words, matrix, rows, wanted)


def write_native(chunks: Iterable[Chunk], folder: Path) -> tuple[int, int]:
    """Write chunks into an empty folder; return the numbers of words and of dimensions."""
    count = n_dims = 0
    with (folder / VECTORS).open("wb") as vectors, (folder / WORDS).open("wb") as words:
        for chunk in chunks:
            if not count:
                n_dims = chunk.vectors.shape[1]
                _write_header(vectors, (0, n_dims))
            if odd := [word for word in chunk.words if "\n" in word]:
                raise ValueError(f"the word {odd[0]!r} holds a line break; take it out")
            vectors.write(np.ascontiguousarray(chunk.vectors, dtype="<f4").data)
            words.write("".join(f"{word}\n" for word in chunk.words).encode(errors=ODD))
            count += len(chunk)
        if not count:
            raise ValueError("there are no words to write")
        vectors.seek(0)
        _write_header(vectors, (count, n_dims))
        for file in (vectors, words):
            file.flush()
            os.fsync(file.fileno())
    return count, n_dims


def _write_header(file: IO[bytes], shape: tuple[int, int]) -> None:
    """Write the header of an .npy file; numpy leaves room in it for the first number to grow."""
    header = {"descr": "<f4", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)


def _mapped(path: Path) -> Vector:
    try:
        with path.open("rb") as stream:  # CPython's tokenizer trips over null bytes, perhaps later
            length = 2 if np.lib.format.read_magic(stream) == (1, 0) else 4
            size = min(int.from_bytes(stream.read(length), "little"), LONGEST_HEADER)
            if b"\0" in stream.read(size):
                raise ValueError("its header holds null bytes")
        matrix: Vector = np.lib.format.open_memmap(path, mode="r")
    except (FileNotFoundError, PermissionError):
        raise
    except (*ODD_HEADER, EOFError, OSError) as error:
        raise ValueError(f"{path} is damaged or no .npy file ({one_line(error)})") from None
    if matrix.ndim != 2 or matrix.dtype.kind != "f":
        raise ValueError(
            f"{path} holds {matrix.dtype} numbers in shape {matrix.shape}; it should be a matrix "
            "of float32 numbers, one row a word"
        )
    if not matrix.size or matrix.shape[1] > LARGEST_DIMS:
        raise ValueError(f"{path} holds no vectors: its shape is {matrix.shape}")
    return matrix
