"""Where a method reads words from: vectors in memory, or an embedding file in chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..embeddings.chunks import Vector
from ..embeddings.registry import Embedding
from ..embeddings.vocabulary import Lookup

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

CHUNK = 8192
"""Words in a chunk: 20 MB of float64 at 300 dimensions."""

ODD = "surrogateescape"
"""How bytes that are no UTF-8 become text and, unchanged, bytes again."""

Chunk = tuple[list[str], NDArray[np.floating]]
"""Some words that follow each other, and their vectors, (n, n_dims)."""


@dataclass(frozen=True, eq=False)
class MemorySource:
    """KeyedVectors as a source."""

    vectors: KeyedVectors

    def some(self, words: Iterable[str]) -> dict[str, Vector]:
        """Vectors of those of the words that are there."""
        found = (word for word in words if word in self.vectors.key_to_index)
        return {word: self.vectors[word] for word in found}

    def chunks(self, size: int = CHUNK) -> Iterator[Chunk]:
        """All words in their order."""
        words = self.vectors.index_to_key
        for start in range(0, len(words), size):
            chosen = slice(start, start + size)
            yield words[chosen], self.vectors.vectors[chosen]


@dataclass(eq=False)
class FileSource:
    """An embedding file or folder as a source; every question is one pass over it.

    ``count``, the words in it, is known after the first call of `some`.
    """

    embedding: Embedding
    count: int = 0

    def some(self, words: Iterable[str]) -> dict[str, Vector]:
        """Vectors of those of the words that are there; of a word twice there, the first."""
        wanted = {word.encode(errors=ODD): word for word in words}
        lookup, found, self.count = Lookup(wanted), dict[str, Vector](), 0
        for chunk in self.embedding.iterate():
            self.count += len(chunk)
            for row, name in lookup.find(chunk.vocabulary):
                found.setdefault(wanted[name], chunk.vectors[row].copy())
        return found

    def chunks(self, size: int = CHUNK) -> Iterator[Chunk]:
        """All words in their order."""
        for chunk in self.embedding.iterate(size):
            yield chunk.words(ODD), chunk.vectors


type Source = FileSource | MemorySource
