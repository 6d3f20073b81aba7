"""gensim's KeyedVectors, with a record of the form in which every word was read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..._core.display import abridged
from ...tables.spellings import FORM, Cure, resolved_forms
from ..source import Chunk, ChunksOf, Embedding, Ranks, Vector, array_chunks

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

__all__ = ["as_keyed", "cures", "keyed_chunks", "keyed_vectors", "resolved_forms"]

FOUND_BY = "found_by"
"""Name of the attribute that holds what would find the words that are missing."""

RANK = "frequency_rank"
"""Name of the attribute of every key that holds its frequency rank in the source, from 1 on."""

SAMPLE = "sample"
"""Name of the attribute that holds further words of the source, which have to be asked for."""


def keyed_vectors(
    words: Sequence[str],
    matrix: Vector,
    forms: Sequence[str],
    ranks: Sequence[int] | Ranks | None = None,
) -> KeyedVectors:
    """Build KeyedVectors of words, their vectors (n_words, n_dims), the forms read, and ranks."""
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(matrix.shape[1])
    # As gensim's own loaders do; add_vectors would copy the matrix three times.
    vectors.index_to_key = list(words)
    vectors.key_to_index = {word: row for row, word in enumerate(words)}
    vectors.vectors = matrix
    for word, form in zip(words, forms, strict=True):
        vectors.set_vecattr(word, FORM, form)
    if ranks is not None:
        vectors.expandos[RANK] = np.array(ranks, dtype=np.int64)
    return vectors


def with_words(
    vectors: KeyedVectors, words: Sequence[str], matrix: Vector, ranks: Sequence[int]
) -> KeyedVectors:
    """Return vectors with further words, all of which are new."""
    others, before = resolved_forms(vectors), list(vectors.index_to_key)
    extended = keyed_vectors(
        [*before, *words],
        np.vstack([vectors.vectors[: len(before)], matrix]).astype(np.float32, copy=False),
        [*(others.get(word, word) for word in before), *words],
        [*ranks_of(vectors).tolist(), *ranks],
    )
    setattr(extended, FOUND_BY, cures(vectors))
    return extended


def frequency_ranks(vectors: KeyedVectors) -> pd.DataFrame:
    """Return the frequency rank of every word, 1 for the most frequent.

    Embeddings begin with the most frequent word: a word's rank is its place in the source that
    `load_vectors` read. Where vectors of gensim have counts, these count.

    Parameters
    ----------
    vectors : KeyedVectors

    Returns
    -------
    DataFrame
        ``word``, ``rank``, in the order of the vectors.

    Examples
    --------
    >>> import bayesbias as bb
    >>> vectors = bb.load_vectors("glove-demo", ["people", "rabbi"])
    >>> bb.frequency_ranks(vectors)["rank"].tolist()
    [64, 6604]
    """
    return pd.DataFrame({"word": vectors.index_to_key, "rank": ranks_of(vectors)})


def ranks_of(vectors: KeyedVectors) -> Ranks:
    """Return the rank of every word, (n_words,)."""
    n = len(vectors.index_to_key)
    known, counts = (vectors.expandos.get(name) for name in (RANK, "count"))
    if known is not None and len(known) == n:
        return np.asarray(known, dtype=np.int64)
    if counts is None or len(counts) < n:
        return np.arange(1, n + 1)
    ranks = np.empty(n, dtype=np.int64)
    ranks[np.argsort(-np.asarray(counts[:n], dtype=float), kind="stable")] = np.arange(1, n + 1)
    return ranks


def cures(vectors: KeyedVectors) -> dict[str, Cure]:
    """Return what would find words that were asked for and are missing: arguments, or a form."""
    return dict(getattr(vectors, FOUND_BY, {}))


def sample_of(vectors: KeyedVectors) -> KeyedVectors | None:
    """Return further words of the source that vectors carry, if they do."""
    return getattr(vectors, SAMPLE, None)


def as_keyed(source: Any) -> KeyedVectors:  # noqa: ANN401
    """Return vectors in memory, as `load_vectors` takes them, as KeyedVectors."""
    vectors = source if isinstance(source, pd.DataFrame) else getattr(source, "wv", source)
    if hasattr(vectors, "key_to_index") and hasattr(vectors, "vectors"):
        return vectors
    words, rows = _words_and_rows(source)
    wrong = next((word for word in words if not isinstance(word, str)), None)
    if wrong is not None or len(set(words)) < len(words):
        what = "one of them twice" if wrong is None else repr(wrong)
        raise ValueError(f"a {type(source).__name__} of vectors names each word once; got {what}")
    try:
        matrix = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"vectors must be numbers, all of one length ({error})") from None
    if matrix.ndim != 2 or len(matrix) != len(words):
        raise ValueError(
            f"{len(words)} words need as many rows of numbers; got an array of shape {matrix.shape}"
        )
    return keyed_vectors(words, matrix, words)


def _words_and_rows(source: Any) -> tuple[list[Any], Any]:  # noqa: ANN401
    if isinstance(source, pd.DataFrame):
        return source.index.tolist(), source.to_numpy()
    if isinstance(source, tuple) and len(source) == 2:
        return list(source[0]), source[1]
    if isinstance(source, Mapping):
        if (word := name_of_embedding(source)) is None:
            return list(source), list(source.values())
        raise TypeError(
            "the vectors of one embedding are needed; got a mapping of embeddings: take one at "
            f"a time, such as that of {word!r}"
        )
    raise TypeError(
        "vectors come from a path, the name of a bundled set, KeyedVectors, a dict of arrays by "
        f"word, a DataFrame with words as its index, or (words, array); got {type(source).__name__}"
    )


def name_of_embedding(vectors: Mapping[str, Any]) -> str | None:
    """Return the first name of a mapping of embeddings; None for the vectors of words."""
    name, first = next(iter(vectors.items()), ("", None))
    of_many = isinstance(first, str | Mapping) or hasattr(first, "vectors")
    return name if of_many else None


def require_directions(words: Sequence[str], matrix: np.ndarray, where: str = "") -> None:
    """Raise a ValueError that names the words whose vectors have no direction, and no cosine."""
    bad = ~np.isfinite(matrix).all(axis=1) | ~(matrix != 0).any(axis=1)
    if bad.any():
        names = abridged([words[row] for row in np.flatnonzero(bad).tolist()])
        raise ValueError(
            f"{where}the vectors of {names} are all zeros or not finite; leave these words out"
        )


def chunks_of(
    vectors: KeyedVectors, rows: int | None = None, wanted: Collection[str] | None = None
) -> Iterator[Chunk]:
    """Yield all words of loaded vectors, or the wanted ones, also of their sample."""
    yield from array_chunks(vectors.index_to_key, vectors.vectors, rows, wanted, ranks_of(vectors))
    if wanted is not None and (sample := sample_of(vectors)) is not None:
        yield from chunks_of(sample, rows, set(wanted).difference(vectors.key_to_index))


def keyed_chunks(read: Callable[[Embedding], KeyedVectors]) -> ChunksOf:
    """Return the generator of a format that is loaded whole, and once, by ``read``."""

    def chunks(
        source: Embedding, rows: int | None = None, wanted: Collection[str] | None = None
    ) -> Iterator[Chunk]:
        if source.loaded is None:
            source.loaded = read(source)
        return chunks_of(source.loaded, rows, wanted)

    return chunks
