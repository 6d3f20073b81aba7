"""The native form: a folder with ``vectors.npy`` and ``vocab.txt``, read without any parsing.

Row i of the matrix, float32, belongs to line i of the words, UTF-8. Single words are read through
a memory map, so that reading them takes no longer for a large file than for a small one.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, NoReturn

import numpy as np

from .blocks import Block, Memory, Part, fill_buffer, rows_at_once
from .headers import LARGEST_DIMS, Entry, Vector, one_line
from .npz import ODD_HEADER
from .vocabulary import Vocabulary, hashes_of

VECTORS, WORDS = "vectors.npy", "vocab.txt"

LONGEST_HEADER = 1 << 16
"""Bytes; numpy refuses headers of a sixth of that."""

LINES_SIZE = 1 << 16
"""Bytes of words read at a time."""


def is_native(path: Path) -> bool:
    """Tell whether a path is a folder that holds the two files."""
    return (path / VECTORS).is_file() and (path / WORDS).is_file()


def native_vocabulary(folder: Path) -> Vocabulary:
    """Read the words of a folder, and see whether there are as many vectors."""
    names = (folder / WORDS).read_bytes()
    if names and not names.endswith(b"\n"):
        raise ValueError(f"{folder / WORDS} does not end with a line break; it was cut off")
    count = names.count(b"\n")
    shape = _mapped(folder).shape
    if count != shape[0]:
        raise ValueError(
            f"{folder} holds {count:,} words but {shape[0]:,} vectors; make it again with "
            "`bayesbias convert`"
        )
    return Vocabulary(names, hashes_of(names, count))


def native_entries(folder: Path, wanted: Iterable[bytes] | None) -> Iterator[Entry]:
    """Give the wanted words with their vectors, in the order of the folder."""
    vocabulary, matrix = native_vocabulary(folder), _mapped(folder)
    if wanted is None:
        names = vocabulary.names.split(b"\n")[:-1]
        yield from zip(names, np.array(matrix), strict=True)
        return
    rows = vocabulary.rows_of_names(set(wanted))
    for name, row in sorted(rows.items(), key=lambda item: item[1]):
        yield name, np.array(matrix[row])


def native_parts(folder: Path, rows: int | None = None) -> Iterator[Part]:
    """Read a folder in blocks of at most ``rows`` words."""
    count, n_dims = _mapped(folder).shape
    most = rows_at_once(n_dims, rows)
    memory = Memory()
    with (
        (folder / VECTORS).open("rb", buffering=0) as stream,
        (folder / WORDS).open("rb", buffering=0) as lines,
    ):
        _skip_header(stream)
        words = _Words(folder, lines)
        for start in range(0, count, most):
            vectors = memory.matrix(most, n_dims)[: min(most, count - start)]
            buffer = memoryview(vectors).cast("B")
            if fill_buffer(stream, buffer, 0) < len(buffer):
                raise ValueError(f"{folder / VECTORS} was cut off; make it again")
            yield partial(words.block, vectors)
        yield words.end
        yield partial(iter, ())  # the files stay open until then


class _Words:
    """The words of a folder, as they come to their vectors."""

    def __init__(self, folder: Path, stream: IO[bytes]) -> None:
        self.folder, self.stream = folder, stream
        self.left = b""

    def block(self, vectors: Vector) -> Iterator[Block]:
        """Give the words of the next vectors with these."""
        from .kernels import hash_names

        hashes = np.empty(len(vectors), dtype=np.uint64)
        count, used = 0, 0
        while count < len(hashes):
            count, used = hash_names(np.frombuffer(self.left, dtype=np.uint8), hashes)
            if count < len(hashes):
                if not (more := self.stream.read(LINES_SIZE)):
                    self._refuse()
                self.left += more
        names, self.left = self.left[:used], self.left[used:]
        yield Block.of(names, hashes, vectors)

    def end(self) -> Iterator[Block]:
        """See that no words are left."""
        if self.left or self.stream.read(1):
            self._refuse()
        return iter(())

    def _refuse(self) -> NoReturn:
        native_vocabulary(self.folder)  # says what is wrong with the words
        raise ValueError(f"{self.folder / WORDS} changed while it was read; make it again")


def native_shape(folder: Path) -> tuple[int, int]:
    """Number of words and of dimensions."""
    count, n_dims = _mapped(folder).shape
    return int(count), int(n_dims)


def write_native(
    blocks: Iterable[Block],
    folder: Path,
    *,
    force: bool = False,
    approve: Callable[[Vocabulary], object] | None = None,
) -> int:
    """Write blocks as a folder of the native form, whole or not at all; give the number of words.

    The folder is written beside its place under another name, which is changed when `approve`,
    called with all words, has not raised anything.

    Raises
    ------
    ValueError
        If the folder is there and `force` is not set, or holds other things than the two files.
    OSError
        If it cannot be written, for example because the disk is full; nothing is left behind.
    """
    require_native_place(folder, force=force)
    hidden = folder.parent / f".{secrets.token_hex(8)}.writing"
    hidden.mkdir()
    try:
        count = _write(blocks, hidden)
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


def require_native_place(folder: Path, *, force: bool) -> None:
    """Find out, before any work is done, whether a folder may be written."""
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file; give the name of a folder that is to be")
    if not folder.absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {folder.parent} to write {folder.name} into")
    others = sorted(p.name for p in folder.iterdir()) if folder.exists() else []
    if set(others) - {VECTORS, WORDS}:
        raise ValueError(f"{folder} holds other files ({', '.join(others[:3])}); choose another")
    if others and not force:
        raise ValueError(f"{folder} is there already; pass force=True to replace it")


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


def _write(blocks: Iterable[Block], hidden: Path) -> int:
    count = n_dims = 0
    with (hidden / VECTORS).open("wb") as vectors, (hidden / WORDS).open("wb") as words:
        for block in blocks:
            if not count:
                n_dims = block.n_dims
                _write_header(vectors, (0, n_dims))
            vectors.write(np.ascontiguousarray(block.vectors, dtype="<f4").data)
            words.write(block.names)
            count += len(block)
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


def _skip_header(stream: IO[bytes]) -> None:
    readers: dict[tuple[int, int], Callable[[IO[bytes]], object]] = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    version = np.lib.format.read_magic(stream)
    readers[version](stream)


def _require_no_null(path: Path) -> None:
    """Refuse a header with null bytes, over which CPython's tokenizer trips, perhaps later."""
    with path.open("rb") as stream:
        length = 2 if np.lib.format.read_magic(stream) == (1, 0) else 4
        size = min(int.from_bytes(stream.read(length), "little"), LONGEST_HEADER)
        if b"\0" in stream.read(size):
            raise ValueError("its header holds null bytes")


def _mapped(folder: Path) -> Vector:
    path = folder / VECTORS
    try:
        _require_no_null(path)
        matrix: Vector = np.lib.format.open_memmap(path, mode="r")
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
