"""Any source in blocks: a file of any format, a folder of the native form, or loaded vectors."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from ..vocabulary import Vocabulary
from . import is_binary, packing
from .binary_blocks import Place, binary_blocks, binary_pieces, binary_start
from .blocks import Block, Memory, ahead, rows_at_once
from .headers import Tick, Vector
from .native import is_native, native_blocks, native_pieces
from .pieces import CAN_READ_ANYWHERE, Looks, Piece, piece_of
from .progress import reading_bar
from .text_blocks import text_blocks

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def file_blocks(
    path: Path, *, rows: int | None = None, progressbar: bool = True
) -> Generator[Block]:
    """Read an embedding file, or a folder of the native form, from end to end.

    A thread reads and takes apart what comes next while the caller works on a block.

    Parameters
    ----------
    path : Path
        word2vec binary (``.bin``) or text (``.txt``, ``.vec``), also in ``.gz`` or in a ``.zip``
        that holds nothing else; or a folder of ``vectors.npy`` and ``vocab.txt``.
    rows : int, optional
        Words of a block at most; by default as many as three megabytes hold.
    progressbar : bool
        Show a bar on stderr while a large file is read.

    Raises
    ------
    ValueError
        If the file is empty, cut off, damaged, or not what its ending says. It comes when the
        walk gets there, so use nothing that was given before the walk has ended.
    """
    return ahead(_blocks(path, rows, progressbar))


def file_pieces(
    path: Path,
    memory: Memory,
    looks: Looks,
    *,
    first: int | None = None,
    rows: int | None = None,
    progressbar: bool = True,
) -> Generator[Piece]:
    """Look at an embedding file, or a folder of the native form, from end to end.

    A file that lies on disk unpacked and needs no parsing is looked at by several threads.

    Parameters
    ----------
    path : Path
        As for `file_blocks`, and so are the errors.
    memory : Memory
        For the pieces of this walk and of others.
    looks : function
        Gives what to look for when a piece is begun.
    first : int, optional
        Pieces that are wanted, counted from the start; what else is read is thrown away.
    rows : int, optional
        Words of a piece, about.
    progressbar : bool
    """
    if is_native(path):
        if CAN_READ_ANYWHERE:
            yield from native_pieces(path, looks, memory, first=first, rows=rows)
        else:
            yield from _looked_at(native_blocks(path, rows), looks)
        return
    with _opened(path, progressbar) as (stream, name, on_disk, tick):
        if not is_binary(stream, name):
            blocks = text_blocks(stream, path, tick, rows)
        else:
            header, place = binary_start(stream, path)
            if on_disk and CAN_READ_ANYWHERE:

                def reached(there: Place) -> None:
                    nonlocal place
                    place = there
                    stream.seek(place.offset)
                    tick()

                yield from binary_pieces(
                    stream.fileno(),
                    header,
                    place,
                    looks,
                    memory=memory,
                    reached=reached,
                    first=first,
                    rows=rows,
                )
            blocks = binary_blocks(stream, header, place, tick, rows)
        yield from _looked_at(blocks, looks)


def _looked_at(blocks: Iterator[Block], looks: Looks) -> Generator[Piece]:
    with closing(ahead(blocks)) as walked:
        for block in walked:
            yield piece_of(block, looks)


def _blocks(path: Path, rows: int | None, progressbar: bool) -> Iterator[Block]:
    if is_native(path):
        yield from native_blocks(path, rows)
        return
    with _opened(path, progressbar) as (stream, name, _, tick):
        if is_binary(stream, name):
            yield from binary_blocks(stream, *binary_start(stream, path), tick, rows)
        else:
            yield from text_blocks(stream, path, tick, rows)


@contextmanager
def _opened(path: Path, progressbar: bool) -> Iterator[tuple[IO[bytes], str, bool, Tick]]:
    """Give the stream in a file, its name, whether any place of it can be read, and the bar."""
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty")
    with (
        path.open("rb") as raw,
        reading_bar(raw, path, shown=progressbar) as tick,
        packing.named_damage(path),
        packing.unpacked(raw, path) as (stream, name),
    ):
        yield stream, name, stream is raw, tick


def array_blocks(words: Sequence[str], matrix: Vector, rows: int | None = None) -> Generator[Block]:
    """Give words and their (n_words, n_dims) vectors, which are in memory, in blocks."""
    most = rows_at_once(matrix.shape[1], rows)
    for start in range(0, len(words), most):
        some = Vocabulary.of(words[start : start + most])
        vectors = np.ascontiguousarray(matrix[start : start + most], dtype=np.float32)
        yield Block.of(bytes(some.names), some.hashes, vectors)


def keyed_blocks(vectors: KeyedVectors, rows: int | None = None) -> Generator[Block]:
    """Give vectors that are loaded already in blocks."""
    return array_blocks(vectors.index_to_key, vectors.vectors, rows)


def keyed_pieces(
    vectors: KeyedVectors, looks: Looks, *, first: int | None = None, rows: int | None = None
) -> Generator[Piece]:
    """Look at vectors that are loaded already."""
    for block in islice(keyed_blocks(vectors, rows), first):
        yield piece_of(block, looks)
