"""Converting embeddings of any format into the native form, in little memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .._core.checks import Argument, ArgumentError, unknown_name
from .._core.display import abridged
from .chunks import Chunk
from .formats.native import require_native_path, write_native
from .load import open_embedding
from .registry import known_endings
from .vocabulary import Rows, Vocabulary

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

DUPLICATES = ("error", "first")
"""What to do with words that stand twice: refuse the source, or let the first one count."""

_MOST_NAMED = 5


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

    The source is read and written in chunks. The folder appears under its name when it is
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

    Examples
    --------
    >>> import bayesbias as bb
    >>> import tempfile
    >>> folder = f"{tempfile.mkdtemp()}/glove"
    >>> bb.convert_vectors("glove-demo", folder, progressbar=False)
    (5846, 100)
    """
    if duplicates not in DUPLICATES:
        raise ValueError(unknown_name("duplicates", str(duplicates), DUPLICATES))
    target = Path(folder)
    if target.suffix.lower() in (*known_endings(), ".npy"):
        raise ValueError(
            f"{target} has the ending of a file, and a folder is made: give it a name without "
            f"{target.suffix}, such as {target.stem}"
        )
    require_native_path(target, force=force)
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    if embedding.format.files and target.exists() and target.samefile(embedding.source.path):
        raise ValueError(f"{target} is the source itself; choose another folder")
    try:
        return write_native(embedding.iterate(), target, force=force, approve=_refuse_duplicates)
    except _DuplicateWordsError as found:
        if duplicates == "error":
            raise ArgumentError(*found.args) from None
        return write_native(_without(embedding.iterate(), found.rows), target, force=force)


class _DuplicateWordsError(ArgumentError):
    """Words stand twice; ``rows`` are those to leave out."""

    def __init__(self, vocabulary: Vocabulary, rows: Rows) -> None:
        self.rows = rows
        again = [f"{vocabulary[row]!r} as word {row + 1:,}" for row in rows.tolist()]
        super().__init__(
            f"{len(rows)} word(s) stand in the embedding more than once (again: "
            f"{abridged(again, _MOST_NAMED)}); mend the file, or keep the first of each with ",
            Argument("duplicates", "first"),
        )


def _refuse_duplicates(vocabulary: Vocabulary) -> None:
    rows = vocabulary.duplicates()
    if len(rows):
        raise _DuplicateWordsError(vocabulary, rows)


def _without(chunks: Iterable[Chunk], rows: Rows) -> Iterator[Chunk]:
    """Yield the chunks without some rows, counted over all of them."""
    start = 0
    for chunk in chunks:
        inside = rows[(rows >= start) & (rows < start + len(chunk))] - start
        start += len(chunk)
        kept = np.ones(len(chunk), dtype=np.bool_)
        kept[inside] = False
        if kept.any():
            yield Chunk(bytes(chunk.vocabulary.subset(kept).names), chunk.vectors[kept])
