"""Keep words and vectors in memory, in a lightweight class with the attributes of KeyedVectors.

Importing gensim takes more than a second, so vectors become KeyedVectors only
when they are returned to the user.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..._core.checks import Argument
from ..._core.display import abridged
from ..._core.warnings import warn
from ...tables.spellings import FORM, KeyedVectors, resolved_forms
from ...warnings import EmptyVectors
from ..source import Chunk, ChunksOf, Embedding, Ranks, Vector, array_chunks

RANK = "frequency_rank"
"""Name of the key attribute with each word's frequency rank in the source, from 1."""


class Vectors:
    """Words with (n_words, n_dims) vectors, forms, and ranks, under gensim's attribute names.

    Lists and arrays are kept, not copied, as is the dict of words' `places`. `others` maps each
    missing word to another form that the source contains, and `hint` says how to read such forms.
    `sample` contains additional words, which are used only on request.
    """

    def __init__(
        self,
        words: Sequence[str],
        matrix: Vector,
        forms: Sequence[str] | None = None,
        ranks: ArrayLike | None = None,
        places: dict[str, int] | None = None,
    ) -> None:
        self.index_to_key = words if isinstance(words, list) else list(words)
        self.key_to_index = places or first_places(words)
        self.vectors, self.vector_size = matrix, matrix.shape[1]
        self.expandos: dict[str, np.ndarray] = {}
        if forms is not None:
            self.expandos[FORM] = np.array(forms, dtype=object)
        if ranks is not None:
            self.expandos[RANK] = np.asarray(ranks, dtype=np.int64)
        self.others: dict[str, str] = {}
        self.sample: KeyedVectors | None = None
        self.hint: tuple[str | Argument, ...] = ()

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


def first_places(words: Sequence[str]) -> dict[str, int]:
    """Return where each word occurs first, in the order of the words."""
    places = {word: row for row, word in enumerate(words)}
    if len(places) < len(words):
        places |= {word: row for row, word in reversed([*enumerate(words)])}
    return places


def with_words(
    vectors: KeyedVectors, words: Sequence[str], matrix: Vector, ranks: Sequence[int]
) -> KeyedVectors:
    """Return a copy of the vectors with additional words; ranks are kept only if all are known."""
    before, known = vectors.index_to_key, known_ranks(vectors)
    wider = Vectors(
        [*before, *words],
        np.vstack([vectors.vectors[: len(before)], matrix]).astype(np.float32, copy=False),
        [*forms_of_keys(vectors), *words],
        None if known is None else [*known.tolist(), *ranks],
    )
    wider.others, wider.hint = getattr(vectors, "others", {}), getattr(vectors, "hint", ())
    return wider


def frequency_ranks(vectors: KeyedVectors) -> pd.DataFrame:
    """Return the frequency rank of every word, with 1 for the most frequent word.

    Most embedding files start with the most frequent word, so a word's rank is its position in the
    file. Gensim's word counts and columns such as ``count`` or ``rank`` of a table are used if they
    are there. For other vectors in memory, frequency is unknown, and ranks are mere positions.

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
    if not hasattr(vectors, "index_to_key"):
        raise TypeError(
            f"ranks need vectors from bb.load_vectors; got the {type(vectors).__name__}, which has "
            "no order of words by frequency"
        )
    return pd.DataFrame({"word": vectors.index_to_key, "rank": ranks_of(vectors)})


def ranks_of(vectors: KeyedVectors) -> Ranks:
    """Return the rank of every word, as an (n_words,) array; by default, the words' positions."""
    known = known_ranks(vectors)
    return np.arange(1, len(vectors.index_to_key) + 1) if known is None else known


def known_ranks(vectors: KeyedVectors) -> Ranks | None:
    """Return the ranks or counts that come with vectors, as ranks, or None if there are none.

    The positions of a few words, or of words in a dict, say nothing about their frequency. gensim
    counts down from the number of words if a file has no counts, also in alphabetical order.
    """
    n = len(vectors.index_to_key)
    known, counts = (vectors.expandos.get(name) for name in (RANK, "count"))
    if known is not None and len(known) == n:
        return np.asarray(known, dtype=np.int64)
    if counts is None or len(counts) < n:
        return None
    if (np.diff(counts[:n]) == -1).all() and is_alphabetical(filter(None, vectors.index_to_key)):
        return None
    ranks = pd.Series(counts[:n]).rank(method="first", ascending=False)
    return np.asarray(ranks, dtype=np.int64)


def is_ranked(embedding: Embedding, words: Iterable[str]) -> bool:
    """Return whether ranks are known: by counts, or because a file's order is not alphabetical.

    The words are in the file's order.
    """
    in_memory = embedding.loaded is not None
    return not is_unranked(embedding) and (in_memory or not is_alphabetical(words))


def is_unranked(embedding: Embedding) -> bool:
    """Return whether an embedding says, whatever the order of its words, that it has no ranks."""
    if embedding.loaded is not None:
        return known_ranks(embedding.loaded) is None
    return embedding.makes or embedding.ranked is False


def is_alphabetical(words: Iterable[str]) -> bool:
    """Return whether words are in alphabetical order, in which ten words are not by chance."""
    some = [*islice(words, 1_000)]
    return len(some) >= 10 and some == sorted(some)


def forms_of_keys(vectors: KeyedVectors) -> list[str]:
    """Return the form in which each word was found."""
    others = resolved_forms(vectors)
    return [others.get(word, word) for word in vectors.index_to_key]


def require_directions(words: Sequence[str], matrix: np.ndarray, where: str = "") -> None:
    """Raise a ValueError that names the words whose vectors have no direction and so no cosine."""
    if bad := np.flatnonzero(~directed(matrix)).tolist():
        names = abridged([words[row] for row in bad])
        raise ValueError(
            f"{where}leave out words whose vectors are all zeros or not finite: {names}"
        )


def without_empty(chunk: Chunk) -> tuple[Chunk, list[str]]:
    """Leave out words whose vectors are all zeros or not finite; return these words, too."""
    kept = directed(chunk.vectors)
    lost = [word for word, known in zip(chunk.words, kept.tolist(), strict=True) if not known]
    return (chunk.take(np.flatnonzero(kept).tolist()) if lost else chunk), lost


def warn_of_empty(words: Sequence[str], where: str) -> None:
    """Name the words that count as missing because their vectors have no direction."""
    if words:
        warn(EmptyVectors(tuple(words), about=where))


def directed(matrix: np.ndarray) -> NDArray[np.bool_]:
    """Return which rows have a direction: finite numbers that are not all zero."""
    return np.asarray(np.isfinite(matrix).all(axis=-1) & (matrix != 0).any(axis=-1))


def chunks_of(vectors: KeyedVectors, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
    """Yield all loaded words, or only the wanted words, including those in the sample."""
    words, ranks, places = vectors.index_to_key, ranks_of(vectors), vectors.key_to_index
    if wanted is None or len(places) < len(words):  # repeated words are yielded, too
        yield from array_chunks(words, vectors.vectors, ranks, wanted)
    else:
        rows = sorted(places[word] for word in {*wanted} if word in places)
        some = [words[row] for row in rows]
        yield from array_chunks(some, vectors.vectors[rows], ranks[rows])
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
