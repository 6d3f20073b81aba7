"""Any source in blocks: a file of any format, a folder of the native form, or loaded vectors."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from . import is_binary, packing
from .binary_blocks import binary_parts
from .blocks import Block, Part, ahead, as_parts, blocks_of, rows_at_once
from .headers import Vector
from .native import is_native, native_parts
from .progress import reading_bar
from .text_blocks import text_blocks
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def file_parts(path: Path, *, rows: int | None = None, progressbar: bool = True) -> Generator[Part]:
    """Read an embedding file, or a folder of the native form, from end to end.

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
    if is_native(path):
        yield from native_parts(path, rows)
        return
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty")
    with (
        path.open("rb") as raw,
        reading_bar(raw, path, shown=progressbar) as tick,
        packing.named_damage(path),
        packing.unpacked(raw, path) as (stream, name),
    ):
        if is_binary(stream, name):
            yield from binary_parts(stream, path, tick, rows)
        else:
            yield from as_parts(text_blocks(stream, path, tick, rows))


def file_blocks(
    path: Path, *, rows: int | None = None, progressbar: bool = True
) -> Iterator[Block]:
    """Read a file as `file_parts` does, in blocks.

    A thread reads and takes apart what comes next while the caller works on a block.
    """
    return ahead(blocks_of(file_parts(path, rows=rows, progressbar=progressbar)))


def array_blocks(words: Sequence[str], matrix: Vector, rows: int | None = None) -> Iterator[Block]:
    """Give words and their (n_words, n_dims) vectors, which are in memory, in blocks."""
    most = rows_at_once(matrix.shape[1], rows)
    vocabulary = Vocabulary.of(words)
    for start in range(0, len(words), most):
        stop = min(start + most, len(words))
        yield Block.of(
            vocabulary.names_of(start, stop),
            vocabulary.hashes[start:stop],
            np.ascontiguousarray(matrix[start:stop], dtype=np.float32),
        )


def keyed_blocks(vectors: KeyedVectors, rows: int | None = None) -> Iterator[Block]:
    """Give vectors that are loaded already in blocks."""
    return array_blocks(vectors.index_to_key, vectors.vectors, rows)
