"""Binary fastText models, which gensim reads once they have been found to be whole.

gensim waits for ever for the end of a word that was cut off, and asks for as much memory as a
damaged number names; the check here costs little beside loading.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..source import Source
from .binary import FASTTEXT_MAGIC, LONGEST_WORD
from .headers import LARGEST_DIMS, one_line
from .keyed import functions_of, unwrapped

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

MAGIC = FASTTEXT_MAGIC

# The layout, after Args::save, Dictionary::save and DenseMatrix::save of fastText's source.
_ARGUMENTS = struct.Struct("<2i12id")
_COUNTS = struct.Struct("<3i2q")
_ENTRY_BYTES = struct.calcsize("<qb")
_PRUNED_BYTES = struct.calcsize("<2i")
_MATRIX = struct.Struct("<?2q")


def read_fasttext(source: Source) -> KeyedVectors:
    """Read the vectors of a fastText model's words; it is loaded whole, n-grams and all."""
    from gensim.models.fasttext import load_facebook_vectors

    path = source.path
    damage = (struct.error, EOFError, AssertionError, NotImplementedError, MemoryError)
    try:
        _require_whole(path)
        with np.errstate(over="ignore", invalid="ignore"):  # load_vectors refuses these by word
            return unwrapped(load_facebook_vectors(str(path)))
    except (*damage, ValueError, LookupError, ArithmeticError) as error:
        raise ValueError(
            f"{path} is a binary fastText model that cannot be read ({one_line(error)}); fetch it "
            "again, or give the .vec file that fastText writes beside it"
        ) from None


def _require_whole(path: Path) -> None:
    """Compare what a model's numbers promise with what the file holds."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        _, _, dims, *others, _ = _ARGUMENTS.unpack_from(content)
        buckets, shortest, longest = others[7:10]
        offset = _ARGUMENTS.size
        n_words, n_known, _, _, n_pruned = _COUNTS.unpack_from(content, offset)
        _promise("dimensions", dims, 1, LARGEST_DIMS)
        _promise("words", n_words, 1, len(content) // (_ENTRY_BYTES + 1))
        _promise("words that are no labels", n_known, n_words, n_words)
        _promise("buckets", buckets, 0, len(content) // 4)
        _promise("letters of an n-gram", longest, 0, LONGEST_WORD)
        _promise("letters of the shortest n-gram", shortest, 0, LONGEST_WORD)
        offset = _end_of_words(content, offset + _COUNTS.size, n_words)
        _promise("pruned words", n_pruned, -1, (len(content) - offset) // _PRUNED_BYTES)
        offset += max(n_pruned, 0) * _PRUNED_BYTES
        _, n_rows, n_columns = _MATRIX.unpack_from(content, offset)
        _promise("columns", n_columns, dims, dims)
        _promise("vectors", n_rows, n_words + buckets, n_words + buckets)
        left = len(content) - offset - _MATRIX.size
        _promise("numbers", n_rows * n_columns, 1, left // 4)


def _end_of_words(content: mmap.mmap, offset: int, n_words: int) -> int:
    for word in range(n_words):
        end = content.find(b"\0", offset, offset + LONGEST_WORD)
        if end < 0:
            raise ValueError(f"word {word + 1:,} of {n_words:,} does not end")
        offset = end + 1 + _ENTRY_BYTES
    return offset


def _promise(what: str, number: int, least: int, most: int) -> None:
    if not least <= number <= most:
        raise ValueError(f"it promises {number:,} {what}, where {least:,} to {most:,} can be")


pick, iterate = functions_of(read_fasttext)
