"""The change that a fitted method makes to each row of an embedding, whatever the other rows are.

Fitting needs some words and, for some methods, sums over all words. Transforming needs one chunk
of rows at a time, so that embeddings may be larger than memory.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from .._core.display import abridged
from .._core.resources import OWN_FRAMES
from ..embeddings.formats.keyed import Vectors, resolved_forms
from ..embeddings.load import VectorsLike, vectors_in_memory
from ..embeddings.registry import open_embedding
from .sums import CHUNK, lengths

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

Change = Callable[[FloatArray], FloatArray]
"""A change of (n, n_dims) rows, each by itself."""

ATTRIBUTE = "debiasing"
"""Name of the attribute of KeyedVectors that holds a `Debiasing`; gensim's own save keeps it."""

VANISHED = 1e-6
"""A row that keeps a smaller share of its length has no direction but that of rounding:
float32 rounds coordinates at 6e-8."""


@dataclass(frozen=True)
class Debiasing:
    """How vectors were debiased.

    Parameters
    ----------
    method : str
        Name of the method in `DEBIASING_METHODS`.
    lists : str
        Name of the `DefiningSets`.
    parameters : mapping of str to plain values
        The method's options, and its own choices.
    missing : mapping of str to tuple of str
        Words of the lists that the embedding lacks, by set.
    sizes : mapping of str to int
        What was left of each set: whole defining and equalise sets, and specific words.
    case : str
        How words were looked up; see `DefiningSets.in_case`.
    """

    method: str
    lists: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    case: str = "exact"


@dataclass(frozen=True, eq=False)
class Debiaser:
    """A fitted debiasing method.

    Parameters
    ----------
    record : Debiasing
    everywhere : function of rows, optional
        What happens to all words.
    neutral : function of rows, optional
        What happens then to the words that are not kept.
    kept : frozenset of str
    placed : mapping of str to (n_dims,) array
        Words that are given a vector outright, as equalised ones are.
    unit : bool
        Bring rows to unit length before and after.
    """

    record: Debiasing
    everywhere: Change | None = None
    neutral: Change | None = None
    kept: frozenset[str] = frozenset()
    placed: Mapping[str, FloatArray] = field(default_factory=dict)
    unit: bool = True

    def transform(self, vectors: VectorsLike) -> KeyedVectors:
        """Debias vectors, as `transform_rows` does; the record stays with the new ones."""
        before = vectors_in_memory(vectors)
        chunks = open_embedding(before).chunks(CHUNK)
        rows = [self.transform_rows(chunk.words, chunk.vectors) for chunk in chunks]
        matrix = np.concatenate(rows)
        warn_of_empty(int((~matrix.any(axis=1)).sum()))
        others, words = resolved_forms(before), list(before.index_to_key)
        after = Vectors(words, matrix, [others.get(word, word) for word in words]).keyed()
        setattr(after, ATTRIBUTE, self.record)
        return after

    def transform_rows(
        self, words: Sequence[str], rows: NDArray[np.floating]
    ) -> NDArray[np.float32]:
        """Debias a chunk, (n, n_dims): float32 rows; those of zeros stay zeros.

        A ValueError is raised if a row is not finite, or nothing is left of one.
        """
        matrix = np.asarray(rows, dtype=np.float64)
        before = lengths(matrix, words)
        empty = before == 0
        if self.unit:
            matrix = matrix / np.where(empty, 1.0, before)[:, None]
            before = np.ones(len(matrix))
        if self.everywhere is not None:
            matrix = self.everywhere(matrix)
        if self.neutral is not None:
            free = np.array([word not in self.kept for word in words], dtype=bool)
            matrix = np.where(free[:, None], self.neutral(matrix), matrix)
        after = np.linalg.norm(matrix, axis=1)
        lost = np.flatnonzero(~empty & (after <= VANISHED * before)).tolist()
        if names := [words[row] for row in lost if words[row] not in self.placed]:
            raise ValueError(
                f"nothing is left of the vector(s) of {abridged(names)} after {self.record.method} "
                "debiasing: they lie in what is removed; add them to the specific words, or remove "
                "less"
            )
        if self.unit:
            matrix = matrix / np.where(empty, 1.0, after)[:, None]
        result = matrix.astype(np.float32)
        for row, word in enumerate(words):
            if word in self.placed:
                result[row] = self.placed[word]
        result[empty] = 0.0
        return result


def debiasing(vectors: KeyedVectors) -> Debiasing | None:
    """Return how vectors were debiased: None if no function of `bayesbias.debias` made them.

    The record is an attribute of the KeyedVectors. It stays with them in memory and in gensim's
    own files; formats that hold only words and numbers lose it.
    """
    record = getattr(vectors, ATTRIBUTE, None)
    return record if isinstance(record, Debiasing) else None


def warn_of_empty(count: int) -> None:
    """Warn of words whose vector is zero: they have no direction and stay as they are."""
    if count:
        warnings.warn(
            f"the vectors of {count:,} word(s) are all zeros and were left so",
            skip_file_prefixes=OWN_FRAMES,
        )
