"""The native form: a folder with ``vectors.npy`` and ``vocab.txt``, read without any parsing.

Row i of the matrix, float32, belongs to line i of the words, UTF-8. Single words are read through
a memory map, so that reading them takes no longer for a large file than for a small one.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np

from ..._core.checks import Argument, ArgumentError
from ..vocabulary import Vocabulary, hashes_of, rows_in
from . import pieces
from .blocks import Block, Memory, fill_buffer, rows_at_once
from .headers import LARGEST_DIMS, Entry, one_line
from .npz import ODD_HEADER
from .pieces import Looks, Piece, found_in, in_order

type Mapped = np.memmap[Any, np.dtype[np.float32]]

VECTORS, WORDS = "vectors.npy", "vocab.txt"

LONGEST_HEADER = 1 << 16
"""Bytes; numpy refuses headers of a sixth of that."""


def is_native(path: Path) -> bool:
    """Tell whether a path is a folder that holds the two files."""
    return (path / VECTORS).is_file() and (path / WORDS).is_file()


def native_vocabulary(folder: Path) -> Vocabulary:
    """Read the words of a folder, and see whether there are as many vectors."""
    names, matrix = _read(folder)
    return Vocabulary(names, hashes_of(names, len(matrix)))


def _read(folder: Path) -> tuple[bytes, Mapped]:
    """Give the words, a newline behind each, and as many vectors, mapped."""
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


def native_entries(folder: Path, wanted: Iterable[bytes] | None) -> Iterator[Entry]:
    """Give the wanted words with their vectors, in the order of the folder."""
    vocabulary, matrix = native_vocabulary(folder), _mapped(folder)
    if wanted is None:
        names = bytes(vocabulary.names).split(b"\n")[:-1]
        yield from zip(names, np.array(matrix), strict=True)
        return
    rows = vocabulary.rows_of_names(set(wanted))
    for name, row in sorted(rows.items(), key=lambda item: item[1]):
        yield name, np.array(matrix[row])


def native_blocks(folder: Path, rows: int | None = None) -> Iterator[Block]:
    """Read a folder in blocks of at most ``rows`` words."""
    from .kernels import hash_names

    names, matrix = _read(folder)
    count, n_dims = matrix.shape
    most, memory = rows_at_once(n_dims, rows), Memory()
    letters, at = np.frombuffer(names, dtype=np.uint8), 0
    with (folder / VECTORS).open("rb", buffering=0) as stream:
        stream.seek(matrix.offset)
        for start in range(0, count, most):
            vectors = memory.matrix(most, n_dims)[: min(most, count - start)]
            buffer = memoryview(vectors).cast("B")
            if fill_buffer(stream, buffer, 0) < len(buffer):
                _refuse_cut(folder)
            hashes = np.empty(len(vectors), dtype=np.uint64)
            _, used = hash_names(letters[at:], hashes)
            yield Block.of(names[at : at + used], hashes, vectors)
            at += used


@dataclass(frozen=True, eq=False)
class _Span:
    """Some words of a folder, and where their vectors are.

    Parameters
    ----------
    file : int
        Descriptor of the vectors' file.
    names : bytes
        A newline behind each.
    count, n_dims : int
    place : int
        Where the first vector begins.
    memory : Memory
    """

    file: int
    names: bytes
    count: int
    n_dims: int
    place: int
    memory: Memory

    def look(self, looks: Looks) -> Piece | None:
        """Hash the words, and take the vectors' products; None if the file ends before."""
        from .kernels import hash_names
        from .span_kernels import look_at_rows

        look, names = looks(self.n_dims), np.frombuffer(self.names, dtype=np.uint8)
        hashes = self.memory.bytes(8 * self.count).view(np.uint64)
        hash_names(names, hashes)
        rows = np.array(rows_in(hashes, look.table), dtype=np.int64)
        vectors = np.empty((len(rows), self.n_dims), dtype=np.float32)
        at_once = max(1, pieces.CHUNK // (4 * self.n_dims))
        buffer = self.memory.bytes(4 * at_once * self.n_dims)
        starts = 4 * self.n_dims * np.arange(at_once)
        products = self.memory.matrix(look.count, self.count)
        whole = look_at_rows(
            self.file, self.place, look.directions, buffer, starts, products, rows, vectors
        )
        found = found_in(names, rows, vectors)
        return Piece(names, hashes, products, found, look) if whole else None


def native_pieces(
    folder: Path,
    looks: Looks,
    memory: Memory,
    *,
    first: int | None = None,
    rows: int | None = None,
) -> Generator[Piece]:
    """Look at a folder from end to end, several spans of it at a time.

    Spans are cut where words end, so that the words, too, are hashed side by side.
    """
    with (
        (folder / VECTORS).open("rb", buffering=0) as file,
        (folder / WORDS).open("rb") as words,
    ):
        spans = islice(_spans(folder, file.fileno(), words, memory, rows), first)
        with closing(in_order(partial(_Span.look, looks=looks), spans)) as walked:
            for piece in walked:
                if piece is None:
                    _refuse_cut(folder)
                yield piece


def _spans(
    folder: Path, file: int, words: IO[bytes], memory: Memory, rows: int | None
) -> Iterator[_Span]:
    """Cut the words where the vectors are cut, more or less, and count them."""
    matrix = _mapped(folder)
    count, n_dims = matrix.shape
    n_bytes, n_letters = 4 * count * n_dims, (folder / WORDS).stat().st_size
    row, read, left = 0, 0, b""
    for place in pieces.cut_places(n_bytes, n_dims, rows)[1:]:
        stop = n_letters * place // n_bytes
        text = left + words.read(stop - read)
        read, cut = stop, text.rfind(b"\n") + 1
        names, left = text[:cut], text[cut:]
        n = names.count(b"\n")
        if row + n > count:
            break
        if n:
            yield _Span(file, names, n, n_dims, matrix.offset + 4 * n_dims * row, memory)
        row += n
    if left or row != count:
        native_vocabulary(folder)  # says what is wrong with the words
        raise ValueError(f"{folder / WORDS} changed while it was read; make it again")


def _refuse_cut(folder: Path) -> NoReturn:
    raise ValueError(f"{folder / VECTORS} was cut off, or cannot be read; make it again")


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
