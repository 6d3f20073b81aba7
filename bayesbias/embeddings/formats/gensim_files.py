"""Read gensim's files, which are Python pickles, and binary fastText models."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

import numpy as np

from ..._core.reading import damage_named, unpacked_name
from ...tables.spellings import KeyedVectors
from ..source import LARGEST_DIMS, Embedding
from .held import as_keyed
from .word2vec import LONGEST_WORD
from .word_files import require_trust

# The layout follows Args::save, Dictionary::save, and DenseMatrix::save in fastText's source.
_ARGUMENTS = struct.Struct("<2i12id")
_COUNTS = struct.Struct("<3i2q")
_ENTRY_BYTES = struct.calcsize("<qb")
_PRUNED_BYTES = struct.calcsize("<2i")
_MATRIX = struct.Struct("<?2q")

NO_VECTORS = (
    "is a pickle, but not of vectors; open it with the library that wrote it, such as joblib, and "
    "pass (words, array)"
)


def read_pickle(source: Embedding) -> KeyedVectors:
    """Read vectors or a model that gensim saved, or another object that `as_keyed` takes."""
    path = source.path
    require_trust(path, "the vectors as .bin, .txt, or .vec", allowed=source.allow_pickle)
    from gensim import models, utils

    # Large arrays are in files next to the pickle. Mapped arrays do not have to fit in memory.
    with source.local() as local:
        with damage_named(path, NO_VECTORS):
            if not hasattr(found := utils.unpickle(str(local)), "_load_specials"):
                return as_keyed(found)
        try:
            with damage_named(path, NO_VECTORS):
                found = models.KeyedVectors.load(str(local), mmap=None if source.packed else "r")
        except FileNotFoundError as error:  # a large array that is not next to the pickle
            name = Path(error.filename or "").name.replace(local.name, unpacked_name(path).name, 1)
            way = f"{'unpack it, and ' * source.packed}copy {name} next to it"
            text = f"{path} is only a part of what gensim saved; {way}"
            raise FileNotFoundError(text) from None
        with damage_named(path, "has vectors that cannot be used"):
            _require_own_arrays(getattr(found, "wv", found))
            return as_keyed(found)


def _require_own_arrays(vectors: KeyedVectors) -> None:
    """Refuse arrays in other files that do not belong to the words."""
    n_words = len(vectors.index_to_key)
    rows = {"vectors_vocab": n_words, "vectors_ngrams": getattr(vectors, "bucket", 0)}
    rows["vectors"] = n_words  # which gensim makes of the others, if they are there
    for name, n in rows.items():
        array, shape = getattr(vectors, name, None), (n, vectors.vector_size)
        if isinstance(array, np.memmap) and array.shape != shape:
            file = Path(str(array.filename)).name
            raise ValueError(
                f"{file} next to it is of other vectors: its shape is {array.shape}, not {shape}; "
                "copy both files again, or save KeyedVectors with one row for each word"
            )


def read_fasttext(source: Embedding) -> KeyedVectors:
    """Read a fastText model, including the n-grams for words outside its vocabulary."""
    from gensim.models.fasttext import load_facebook_vectors

    what = (
        "is a binary fastText model that cannot be read; download it again, or use the .vec file "
        "that fastText writes next to it"
    )
    with source.local() as path, damage_named(source.path, what):
        _require_whole(path)
        with np.errstate(over="ignore", invalid="ignore"):  # load_vectors leaves out these words
            return as_keyed(load_facebook_vectors(str(path)))


def _require_whole(path: Path) -> None:
    """Reject files whose sizes do not match; gensim would hang on them or fill the memory."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        arguments = _ARGUMENTS.unpack_from(content)
        dims, buckets, letters = arguments[2], arguments[10], arguments[11:13]
        offset, size = _ARGUMENTS.size + _COUNTS.size, len(content)
        n_words, n_known, _, _, n_pruned = _COUNTS.unpack_from(content, _ARGUMENTS.size)
        fit = 0 < dims <= LARGEST_DIMS and 0 < n_words == n_known < size and -1 <= n_pruned < size
        fit = fit and min(letters) >= 0 and max(letters) <= LONGEST_WORD and buckets >= 0
        for _ in range(n_words if fit else 0):
            end = content.find(b"\0", offset, offset + LONGEST_WORD)
            offset = end + 1 + _ENTRY_BYTES if end >= 0 else size
        offset += max(n_pruned, 0) * _PRUNED_BYTES
        quantized, *shape = _MATRIX.unpack_from(content, offset) if fit and offset < size else (0,)
        if quantized:
            raise ValueError("it is quantized, as .ftz files are; use the full .bin file")
        numbers = (size - offset - _MATRIX.size) // 4
        if shape != [n_words + buckets, dims] or shape[0] * dims > numbers:
            raise ValueError("the counts do not match the size of the file")
