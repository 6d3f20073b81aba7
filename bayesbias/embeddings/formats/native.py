"""The native form: a folder with ``vectors.npy`` and ``vocab.txt``, read without any parsing.

Row i of the matrix, float32, belongs to line i of the words, UTF-8. Single words are read through
a memory map, so that reading them takes no longer for a large file than for a small one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..._core.checks import Argument, ArgumentError
from ..._core.files import replace_folder
from ..chunks import Bytes, Chunk, Entry, fill_buffer, rows_of_chunk
from ..source import Source
from ..vocabulary import Lookup, Vocabulary
from .headers import LARGEST_DIMS, one_line
from .npz import ODD_HEADER

type Mapped = np.memmap[Any, np.dtype[np.float32]]

FILES = VECTORS, WORDS = "vectors.npy", "vocab.txt"

_LETTERS = 16
"""Bytes of a word, for all but the longest."""

LONGEST_HEADER = 1 << 16
"""Bytes; numpy refuses headers of a sixth of that."""


def native_vocabulary(folder: Path) -> Vocabulary:
    """Read the words of a folder, and see whether there are as many vectors."""
    return Vocabulary(_read(folder)[0])


def _read(folder: Path) -> tuple[bytes, Mapped]:
    """Return the words, a newline behind each, and as many vectors, mapped."""
    names, matrix = (folder / WORDS).read_bytes(), _mapped(folder)
    if names and not names.endswith(b"\n"):
        raise ValueError(f"{folder / WORDS} does not end with a line break; it was cut off")
    count = names.count(b"\n")
    if count != len(matrix):
        raise ValueError(
            f"{folder} holds {count:,} words but {len(matrix):,} vectors; make it again with "
            "`bayesbias convert`"
        )
    return names, matrix


def pick(source: Source, wanted: Collection[bytes] | None) -> Iterator[Entry]:
    """Yield the wanted words; only their vectors are read."""
    names, matrix = _read(source.path)
    if wanted is None:
        words = names.split(b"\n")[:-1]
        yield from zip(words, np.array(matrix), range(1, len(words) + 1), strict=True)
        return
    for row, name in Lookup(wanted).find(Vocabulary(names)):
        yield name, np.array(matrix[row]), row + 1


def iterate(source: Source, rows: int | None = None) -> Iterator[Chunk]:
    """Yield all words and vectors in chunks."""
    folder = source.path
    names, matrix = _read(folder)
    letters = np.frombuffer(names, dtype=np.uint8)
    count, n_dims = matrix.shape
    most, first = rows_of_chunk(n_dims, rows), 0
    with (folder / VECTORS).open("rb", buffering=0) as stream:
        stream.seek(matrix.offset)
        for start in range(0, count, most):
            vectors = np.empty((min(most, count - start), n_dims), dtype=np.float32)
            buffer = memoryview(vectors).cast("B")
            if fill_buffer(stream, buffer, 0) < len(buffer):
                raise ValueError(
                    f"{folder / VECTORS} was cut off, or cannot be read; make it again"
                )
            last = _end_of(letters, first, len(vectors))
            yield Chunk(names[first:last], vectors)
            first = last


def _end_of(letters: Bytes, first: int, count: int) -> int:
    """Return where ``count`` words that begin at ``first`` end, their line breaks included."""
    reach = _LETTERS * count
    while len(ends := np.flatnonzero(letters[first : first + reach] == ord("\n"))) < count:
        reach *= 2
    return first + int(ends[count - 1]) + 1


def write_native(
    chunks: Iterable[Chunk],
    folder: Path,
    *,
    force: bool = False,
    approve: Callable[[Vocabulary], object] = lambda _: None,
) -> tuple[int, int]:
    """Write chunks as a folder of the native form, whole or not at all.

    Returns the numbers of words and of dimensions. `approve` is called with all words before the
    folder gets its name, and may raise an error. Errors are those of `require_native_path`,
    and OSErrors such as of a full disk.
    """
    require_native_path(folder, force=force)
    with replace_folder(folder) as new:
        shape = _write(chunks, new)
        approve(native_vocabulary(new))
    return shape


def require_native_path(folder: Path, *, force: bool) -> None:
    """Check, before any work is done, whether a folder may be written."""
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file; give the name of a folder that is to be")
    if not folder.absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {folder.parent} to write {folder.name} into")
    others = sorted(p.name for p in folder.iterdir()) if folder.exists() else []
    if set(others) - {VECTORS, WORDS}:
        raise ValueError(f"{folder} holds other files ({', '.join(others[:3])}); choose another")
    if others and not force:
        told = f"{folder} is there already; pass "
        raise ArgumentError(told, Argument("force", True), " to replace it")


def _write(chunks: Iterable[Chunk], folder: Path) -> tuple[int, int]:
    count = n_dims = 0
    with (folder / VECTORS).open("wb") as vectors, (folder / WORDS).open("wb") as words:
        for chunk in chunks:
            if not count:
                n_dims = chunk.vectors.shape[1]
                _write_header(vectors, (0, n_dims))
            vectors.write(np.ascontiguousarray(chunk.vectors, dtype="<f4").data)
            words.write(chunk.names)
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


def _require_no_null(path: Path) -> None:
    """Refuse a header with null bytes, over which CPython's tokenizer trips, perhaps later."""
    with path.open("rb") as stream:
        length = 2 if np.lib.format.read_magic(stream) == (1, 0) else 4
        size = min(int.from_bytes(stream.read(length), "little"), LONGEST_HEADER)
        if b"\0" in stream.read(size):
            raise ValueError("its header holds null bytes")


def _mapped(folder: Path) -> Mapped:
    path = folder / VECTORS
    try:
        _require_no_null(path)
        matrix: Mapped = np.lib.format.open_memmap(path, mode="r")
    except PermissionError:
        raise
    except (*ODD_HEADER, EOFError, OSError) as error:
        raise ValueError(f"{path} is damaged or no .npy file ({one_line(error)})") from None
    if matrix.ndim != 2 or matrix.dtype != np.dtype("<f4") or not matrix.flags.c_contiguous:
        raise ValueError(
            f"{path} holds {matrix.dtype} numbers in shape {matrix.shape}; the native form has "
            "float32 numbers, one row a word, rows after one another: make it with "
            "`bayesbias convert`"
        )
    if not matrix.size or matrix.shape[1] > LARGEST_DIMS:
        raise ValueError(f"{path} holds no vectors: its shape is {matrix.shape}")
    return matrix
