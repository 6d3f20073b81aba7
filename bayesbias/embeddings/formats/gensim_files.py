"""gensim's own files, which are Python pickles, and binary fastText models, which gensim reads.

gensim waits forever for the end of a word in a fastText model that was cut off, and asks for as
much memory as a damaged number names: the model's numbers are checked first.
"""

from __future__ import annotations

import mmap
import pickle
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..._core.checks import Argument, ArgumentError
from ..source import LARGEST_DIMS, Embedding, one_line
from .binary import LONGEST_WORD
from .keyed import as_keyed, keyed_chunks

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

# The layout, after Args::save, Dictionary::save and DenseMatrix::save of fastText's source.
_ARGUMENTS = struct.Struct("<2i12id")
_COUNTS = struct.Struct("<3i2q")
_ENTRY_BYTES = struct.calcsize("<qb")
_PRUNED_BYTES = struct.calcsize("<2i")
_MATRIX = struct.Struct("<?2q")


def read_pickle(source: Embedding) -> KeyedVectors:
    """Read KeyedVectors, or the KeyedVectors of a model, that gensim saved."""
    path = source.path
    if not source.allow_pickle:
        raise ArgumentError(
            f"{path} is a Python pickle, which can run any program when it is opened; if you trust "
            "its maker pass ",
            Argument("allow_pickle", True),
            ", else get the vectors as .bin, .txt or .vec",
        )
    from gensim.models import KeyedVectors

    damage = (pickle.UnpicklingError, EOFError, AttributeError, ImportError, LookupError)
    try:  # large arrays lie in files next to the pickle; mapped, they need not fit in memory
        return as_keyed(KeyedVectors.load(str(path), mmap="r"))
    except (*damage, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no file of gensim's vectors ({one_line(error)})") from None


def read_fasttext(source: Embedding) -> KeyedVectors:
    """Read the vectors of a fastText model's words; it is loaded whole, n-grams and all."""
    from gensim.models.fasttext import load_facebook_vectors

    path = source.path
    damage = (struct.error, EOFError, AssertionError, NotImplementedError, MemoryError)
    try:
        _require_whole(path)
        with np.errstate(over="ignore", invalid="ignore"):  # load_vectors refuses these by word
            return as_keyed(load_facebook_vectors(str(path)))
    except (*damage, ValueError, LookupError, ArithmeticError) as error:
        raise ValueError(
            f"{path} is a binary fastText model that cannot be read ({one_line(error)}); fetch it "
            "again, or give the .vec file that fastText writes next to it"
        ) from None


def _require_whole(path: Path) -> None:
    """Compare what a model's numbers promise with what the file holds."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        _, _, dims, *others, _ = _ARGUMENTS.unpack_from(content)
        offset = _ARGUMENTS.size
        n_words, n_known, _, _, n_pruned = _COUNTS.unpack_from(content, offset)
        _promise("dimensions", dims, 1, LARGEST_DIMS)
        _promise("words", n_words, 1, len(content) // (_ENTRY_BYTES + 1))
        _promise("words that are no labels", n_known, n_words, n_words)
        buckets, shortest, longest = others[7:10]
        _promise("buckets", buckets, 0, len(content) // 4)
        for letters in (shortest, longest):
            _promise("letters of an n-gram", letters, 0, LONGEST_WORD)
        offset += _COUNTS.size
        for word in range(n_words):
            end = content.find(b"\0", offset, offset + LONGEST_WORD)
            if end < 0:
                raise ValueError(f"word {word + 1:,} of {n_words:,} does not end")
            offset = end + 1 + _ENTRY_BYTES
        _promise("pruned words", n_pruned, -1, (len(content) - offset) // _PRUNED_BYTES)
        offset += max(n_pruned, 0) * _PRUNED_BYTES
        _, n_rows, n_columns = _MATRIX.unpack_from(content, offset)
        _promise("columns", n_columns, dims, dims)
        _promise("vectors", n_rows, n_words + buckets, n_words + buckets)
        _promise("numbers", n_rows * n_columns, 1, (len(content) - offset - _MATRIX.size) // 4)


def _promise(what: str, number: int, least: int, most: int) -> None:
    if not least <= number <= most:
        raise ValueError(f"it promises {number:,} {what}, where {least:,} to {most:,} can be")


pickle_chunks, fasttext_chunks = keyed_chunks(read_pickle), keyed_chunks(read_fasttext)
