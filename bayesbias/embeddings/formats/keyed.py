"""Keep words and vectors in memory, in a lightweight class with the attributes of KeyedVectors.

Importing gensim takes more than a second, so vectors become KeyedVectors only
when they are returned to the user.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..._core.display import abridged
from ...tables.spellings import FORM, KeyedVectors, resolved_forms
from ..source import Chunk, ChunksOf, Embedding, Ranks, Vector, array_chunks

RANK = "frequency_rank"
"""Name of the key attribute with each word's frequency rank in the source, from 1."""


class Vectors:
    """Words with (n_words, n_dims) vectors, forms, and ranks, under gensim's attribute names.

    `others` maps each missing word to another form that the source contains. `sample` contains
    additional words, which are used only on request.
    """

    def __init__(
        self,
        words: Sequence[str],
        matrix: Vector,
        forms: Sequence[str] | None = None,
        ranks: ArrayLike | None = None,
        *,
        others: Mapping[str, str] | None = None,
        sample: KeyedVectors | None = None,
    ) -> None:
        self.index_to_key = list(words)
        self.key_to_index = {word: row for row, word in enumerate(words)}
        self.vectors, self.vector_size = matrix, matrix.shape[1]
        self.expandos = {FORM: np.array(words if forms is None else forms, dtype=object)}
        if ranks is not None:
            self.expandos[RANK] = np.array(ranks, dtype=np.int64)
        self.others, self.sample = dict(others or {}), sample

    def __len__(self) -> int:
        return len(self.index_to_key)

    def __contains__(self, word: object) -> bool:
        return word in self.key_to_index

    def __getitem__(self, words: str | Sequence[str]) -> Vector:
        rows = self.key_to_index
        return self.vectors[rows[words] if isinstance(words, str) else [rows[w] for w in words]]

    def keyed(self) -> KeyedVectors:
        """Return the vectors as gensim's KeyedVectors."""
        from gensim import models

        vectors = models.KeyedVectors(self.vector_size)
        vars(vectors).update(vars(self))
        return vectors


def with_words(
    vectors: KeyedVectors, words: Sequence[str], matrix: Vector, ranks: Sequence[int]
) -> KeyedVectors:
    """Return a copy of the vectors with additional words, including their vectors and ranks."""
    before = vectors.index_to_key
    return Vectors(
        [*before, *words],
        np.vstack([vectors.vectors[: len(before)], matrix]).astype(np.float32, copy=False),
        [*forms_of_keys(vectors), *words],
        [*ranks_of(vectors).tolist(), *ranks],
        others=getattr(vectors, "others", None),
    )


def frequency_ranks(vectors: KeyedVectors) -> pd.DataFrame:
    """Return the frequency rank of every word, with 1 for the most frequent word.

    Most embeddings start with the most frequent word, so a word's rank is its position in the
    source that `load_vectors` read. If gensim vectors have word counts, the ranks follow them.

    Returns
    -------
    DataFrame
        ``word`` and ``rank``, in the order of the vectors.

    Examples
    --------
    >>> import bayesbias as bb
    >>> vectors = bb.load_vectors("glove-demo", ["people", "rabbi"])
    >>> bb.frequency_ranks(vectors)
         word  rank
    0  people    64
    1   rabbi  6604
    """
    return pd.DataFrame({"word": vectors.index_to_key, "rank": ranks_of(vectors)})


def ranks_of(vectors: KeyedVectors) -> Ranks:
    """Return the rank of every word, as an (n_words,) array."""
    n = len(vectors.index_to_key)
    known, counts = (vectors.expandos.get(name) for name in (RANK, "count"))
    if known is not None and len(known) == n:
        return np.asarray(known, dtype=np.int64)
    if counts is None or len(counts) < n:
        return np.arange(1, n + 1)
    ranks = pd.Series(counts[:n]).rank(method="first", ascending=False)
    return np.asarray(ranks, dtype=np.int64)


def forms_of_keys(vectors: KeyedVectors) -> list[str]:
    """Return the form in which each word was found."""
    others = resolved_forms(vectors)
    return [others.get(word, word) for word in vectors.index_to_key]


def as_keyed(source: Any) -> KeyedVectors:  # noqa: ANN401
    """Convert vectors in memory to an object with the attributes of KeyedVectors."""
    vectors = source if isinstance(source, pd.DataFrame) else getattr(source, "wv", source)
    if hasattr(vectors, "key_to_index") and hasattr(vectors, "vectors"):
        return vectors
    words, rows = _words_and_rows(source)
    wrong = next((repr(word) for word in words if not isinstance(word, str)), "")
    if wrong or len(set(words)) < len(words):
        what = wrong or "a word twice"
        raise ValueError(
            f"each word in a {type(source).__name__} must be text and occur once; got {what}"
        )
    try:
        matrix = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"vectors must be numeric and of the same length ({error})") from None
    if matrix.ndim != 2 or len(matrix) != len(words) or not matrix.shape[1]:
        raise ValueError(f"vectors must have shape ({len(words)}, n_dims); got {matrix.shape}")
    return Vectors(words, matrix)


def _words_and_rows(source: Any) -> tuple[list[Any], Any]:  # noqa: ANN401
    if isinstance(source, pd.DataFrame):
        return source.index.tolist(), source.to_numpy()
    if isinstance(source, tuple) and len(source) == 2:
        return list(source[0]), source[1]
    if not isinstance(source, Mapping):
        raise TypeError(
            "vectors must be a path, the name of an embedding, KeyedVectors, a dict of arrays "
            "by word, a DataFrame with words as its index, or (words, array); got "
            f"{type(source).__name__}"
        )
    if (word := name_of_embedding(source)) is not None:
        raise TypeError(
            "the vectors of one embedding are needed; got a mapping of embeddings. Pass one "
            f"embedding at a time, such as {word!r}"
        )
    return list(source), list(source.values())


def name_of_embedding(vectors: Mapping[str, Any]) -> str | None:
    """Return a mapping's first key if its values are embeddings, or None if they are vectors."""
    name, first = next(iter(vectors.items()), ("", None))
    of_many = isinstance(first, str | Mapping) or hasattr(first, "vectors")
    return name if of_many else None


def require_directions(words: Sequence[str], matrix: np.ndarray, where: str = "") -> None:
    """Raise a ValueError that names the words whose vectors have no direction and so no cosine."""
    bad = ~np.isfinite(matrix).all(axis=1) | ~(matrix != 0).any(axis=1)
    if bad.any():
        names = abridged([words[row] for row in np.flatnonzero(bad).tolist()])
        raise ValueError(
            f"{where}leave out words whose vectors are all zeros or not finite: {names}"
        )


def chunks_of(vectors: KeyedVectors, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
    """Yield all loaded words, or only the wanted words, including those in the sample."""
    yield from array_chunks(vectors.index_to_key, vectors.vectors, ranks_of(vectors), wanted)
    sample = getattr(vectors, "sample", None)
    if wanted is not None and sample is not None:
        yield from chunks_of(sample, set(wanted).difference(vectors.key_to_index))


def loaded_whole(read: Callable[[Embedding], KeyedVectors]) -> ChunksOf:
    """Return the generator for a format whose files are read whole and only once."""

    def chunks(source: Embedding, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
        if source.loaded is None:
            source.loaded = read(source)
        return chunks_of(source.loaded, wanted)

    return chunks
