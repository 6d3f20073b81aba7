"""Converting embeddings of any format into the native form, in little memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .._core.checks import Argument, ArgumentError, unknown_name
from .formats.blocks import Block
from .formats.native import is_native, native_shape, require_native_place, write_native
from .load import KNOWN_ENDINGS, vector_blocks
from .vocabulary import Rows, Vocabulary

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

DUPLICATES = ("error", "first")
"""What to do with words that stand twice: refuse the source, or let the first one count."""

_MOST_NAMED = 5

_OF_FILES = (*KNOWN_ENDINGS, ".npy")
"""Endings that no folder is given by intention."""


def convert_vectors(
    source: str | os.PathLike[str] | KeyedVectors,
    folder: str | os.PathLike[str],
    *,
    duplicates: str = "error",
    force: bool = False,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> tuple[int, int]:
    """Write an embedding as a folder of ``vectors.npy`` and ``vocab.txt``.

    The source is read and written in blocks. The folder appears under its name when it is
    complete.

    Parameters
    ----------
    source : str, path or KeyedVectors
        As for `load_vectors`.
    folder : path
        Which folder to make.
    duplicates : {"error", "first"}
        Refuse a source that has a word twice, or keep the first (the source is then read twice).
    force : bool
        Replace an earlier folder of this form.
    allow_pickle, progressbar : bool
        As for `load_vectors`.

    Returns
    -------
    tuple of int
        Number of words, and of dimensions.

    Raises
    ------
    ValueError
        If the source is damaged or has words twice, the folder's name ends as that of a file
        does, or the folder is there and `force` is not set.
    OSError
        If the folder cannot be written, for example because the disk is full. Nothing is left
        behind then, and an earlier folder stays as it was.
    """
    if duplicates not in DUPLICATES:
        raise ValueError(unknown_name("duplicates", str(duplicates), DUPLICATES))
    place = Path(folder)
    if place.suffix.lower() in _OF_FILES:
        raise ValueError(
            f"{place} has the ending of a file, and a folder is made: give it a name without "
            f"{place.suffix}, such as {place.stem}"
        )
    require_native_place(place, force=force)
    _refuse_itself(source, place)

    def blocks() -> Iterator[Block]:
        return vector_blocks(source, allow_pickle=allow_pickle, progressbar=progressbar)

    try:
        write_native(blocks(), place, force=force, approve=_refuse_duplicates)
    except _DuplicateWordsError as found:
        if duplicates == "error":
            raise ArgumentError(*found.args) from None
        write_native(_without(blocks(), found.rows), place, force=force)
    return native_shape(place)


class _DuplicateWordsError(ArgumentError):
    """Words stand twice; ``rows`` are those to leave out."""

    def __init__(self, vocabulary: Vocabulary, rows: Rows) -> None:
        self.rows = rows
        names = ", ".join(
            f"{vocabulary[row]!r} as word {row + 1:,}" for row in rows[:_MOST_NAMED].tolist()
        )
        more = f" and {len(rows) - _MOST_NAMED} more" if len(rows) > _MOST_NAMED else ""
        super().__init__(
            f"{len(rows)} word(s) stand in the embedding more than once (again: {names}{more}); "
            "mend the file, or keep the first of each with ",
            Argument("duplicates", "first"),
        )


def _refuse_duplicates(vocabulary: Vocabulary) -> None:
    rows = vocabulary.duplicates()
    if len(rows):
        raise _DuplicateWordsError(vocabulary, rows)


def _without(blocks: Iterable[Block], rows: Rows) -> Iterator[Block]:
    """The blocks without some rows, counted over all of them."""
    start = 0
    for block in blocks:
        kept = np.ones(len(block), dtype=np.bool_)
        inside = rows[(rows >= start) & (rows < start + len(block))] - start
        start += len(block)
        if not len(inside):
            yield block
            continue
        kept[inside] = False
        words = Vocabulary(block.names, block.hashes).subset(kept)
        if len(words):
            yield replace(
                block, names=bytes(words.names), hashes=words.hashes, starts=block.starts[kept]
            )


def _refuse_itself(source: object, place: Path) -> None:
    if not isinstance(source, str | os.PathLike) or not is_native(Path(source)):
        return
    if place.exists() and place.samefile(source):
        raise ValueError(f"{place} is the source itself; choose another folder")
