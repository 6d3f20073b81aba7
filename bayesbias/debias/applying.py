"""Learnt debiasing applied to vectors in memory."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ..embeddings.formats.keyed import keyed_vectors, matched_forms, unwrapped
from .record import ATTRIBUTE
from .sources import MemorySource
from .transform import Transform

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def memory_source(vectors: Any) -> MemorySource:  # noqa: ANN401
    """Give KeyedVectors, or the KeyedVectors of a gensim model, as a source."""
    source = MemorySource(unwrapped(vectors))
    if not len(source.vectors.index_to_key):
        raise ValueError("the vectors hold no word")
    return source


def warn_of_empty(count: int) -> None:
    """Tell of words whose vector is zero, which have no direction and stay as they are."""
    if count:
        warnings.warn(
            f"the vectors of {count:,} word(s) are all zeros and were left so", stacklevel=3
        )


def debiased(source: MemorySource, transform: Transform) -> KeyedVectors:
    """Apply a learnt debiasing to all words; the record stays with the new vectors."""
    before = source.vectors
    matrix = np.empty(before.vectors.shape, dtype=np.float32)
    start = 0
    for block in source.blocks():
        stop = start + len(block.words)
        matrix[start:stop] = transform.apply(block.words, block.rows)
        start = stop
    warn_of_empty(int((~matrix.any(axis=1)).sum()))
    others = matched_forms(before)
    words = list(before.index_to_key)
    after = keyed_vectors(words, matrix, [others.get(word, word) for word in words])
    setattr(after, ATTRIBUTE, transform.record)
    return after
