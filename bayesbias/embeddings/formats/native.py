"""The native form: a folder with ``vectors.npy`` and ``vocab.txt``, read without any parsing.

Row i of the matrix, float32, belongs to line i of the words, UTF-8. Single words are read through
a memory map, so that reading them takes no longer for a large file than for a small one.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..._core.checks import Argument, ArgumentError
from ..chunks import Chunk, Entry, fill_buffer, rows_of_chunk
from ..source import Source
from ..vocabulary import Lookup, Vocabulary, hashes_of
from .headers import LARGEST_DIMS, one_line
from .npz import ODD_HEADER

type Mapped = np.memmap[Any, np.dtype[np.float32]]

FILES = VECTORS, WORDS = "vectors.npy", "vocab.txt"

_LETTERS = 8
"""Bytes of a word that are read at a time."""

LONGEST_HEADER = 1 << 16
"""Bytes; numpy refuses headers of a sixth of that."""


def is_native(path: Path) -> bool:
    """Return whether a path is a folder that holds the two files."""
    return all((path / name).is_file() for name in FILES)


def native_vocabulary(folder: Path) -> Vocabulary:
    """Read the words of a folder, and see whether there are as many vectors."""
    names, matrix = _read(folder)
    return Vocabulary(names, hashes_of(names, len(matrix)))


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
    vocabulary, matrix = native_vocabulary(source.path), _mapped(source.path)
    if wanted is None:
        names = bytes(vocabulary.names).split(b"\n")[:-1]
        yield from zip(names, np.array(matrix), strict=True)
        return
    for row, name in Lookup(wanted).find(vocabulary):
        yield name, np.array(matrix[row])


def iterate(source: Source, rows: int | None = None) -> Iterator[Chunk]:
    """Yield all words and vectors in chunks."""
    folder = source.path
    matrix = _read(folder)[1]
    count, n_dims = matrix.shape
    most = rows_of_chunk(n_dims, rows)
    letters = b""
    with (folder / VECTORS).open("rb", buffering=0) as stream, (folder / WORDS).open("rb") as words:
        stream.seek(matrix.offset)
        for start in range(0, count, most):
            vectors = np.empty((min(most, count - start), n_dims), dtype=np.float32)
            buffer = memoryview(vectors).cast("B")
            if fill_buffer(stream, buffer, 0) < len(buffer):
                raise ValueError(
                    f"{folder / VECTORS} was cut off, or cannot be read; make it again"
                )
            names, letters = _split_words(words, letters, len(vectors))
            yield Chunk(names, vectors)


def _split_words(stream: IO[bytes], letters: bytes, count: int) -> tuple[bytes, bytes]:
    """Read on behind ``letters``; return the next words, a newline behind each, and the rest."""
    while letters.count(b"\n") < count:
        more = stream.read(_LETTERS * count)
        if not more:
            raise ValueError(f"{stream.name} changed while it was read; make it again")
        letters += more
    cut = int(np.flatnonzero(np.frombuffer(letters, dtype=np.uint8) == ord("\n"))[count - 1]) + 1
    return letters[:cut], letters[cut:]


def native_shape(folder: Path) -> tuple[int, int]:
    """Number of words and of dimensions."""
    count, n_dims = _mapped(folder).shape
    return int(count), int(n_dims)


def write_native(
    chunks: Iterable[Chunk],
    folder: Path,
    *,
    force: bool = False,
    approve: Callable[[Vocabulary], object] | None = None,
) -> int:
    """Write chunks as a folder of the native form, whole or not at all; return the number of words.

    The folder is written beside its final path under another name, which is changed when `approve`,
    called with all words, has not raised anything.

    Raises
    ------
    ValueError
        If the folder is there and `force` is not set, or holds other things than the two files.
    OSError
        If it cannot be written, for example because the disk is full; nothing is left behind.
    """
    require_native_path(folder, force=force)
    hidden = folder.parent / f".{secrets.token_hex(8)}.writing"
    hidden.mkdir()
    try:
        count = _write(chunks, hidden)
        if approve is not None:
            approve(native_vocabulary(hidden))
        _put(hidden, folder)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise OSError(
                error.errno,
                f"{os.strerror(error.errno)}; nothing was written: make room, or choose another "
                "place",
                str(folder),
            ) from None
        raise
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
    return count


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


def _put(hidden: Path, folder: Path) -> None:
    """Change names; an earlier folder goes only when the new one can take its place."""
    old = hidden.with_suffix(".old")
    if folder.exists():
        folder.rename(old)
    try:
        hidden.rename(folder)
    except OSError:
        if old.exists():
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _write(chunks: Iterable[Chunk], hidden: Path) -> int:
    count = n_dims = 0
    with (hidden / VECTORS).open("wb") as vectors, (hidden / WORDS).open("wb") as words:
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
    return count


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
