"""gensim's KeyedVectors, with a record of the form in which every word was read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..chunks import Chunk, Entry, Vector, array_chunks
from ..source import Source
from ..vocabulary import ODD

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

FORM = "matched_form"
"""Name of the attribute of every key that holds the form in which its word was read."""

LOWER = "in_lower_case"
"""Name of the attribute that holds the words asked for that are there in lower case only."""


def keyed_vectors(words: Sequence[str], matrix: Vector, forms: Sequence[str]) -> KeyedVectors:
    """Build KeyedVectors of words, their vectors (n_words, n_dims), and the forms read."""
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(matrix.shape[1])
    # As gensim's own loaders do; add_vectors would copy the matrix three times.
    vectors.index_to_key = list(words)
    vectors.key_to_index = {word: row for row, word in enumerate(words)}
    vectors.vectors = matrix
    for word, form in zip(words, forms, strict=True):
        vectors.set_vecattr(word, FORM, form)
    return vectors


def matched_forms(vectors: KeyedVectors) -> dict[str, str]:
    """Return the words that were read in another form than the one they are called by.

    Parameters
    ----------
    vectors : KeyedVectors

    Returns
    -------
    dict of str to str
        Word to the form that was read, such as ``{"Bill": "bill"}``; empty if all words were read
        as they stand, or if `load_vectors` did not make the vectors.
    """
    forms = vectors.expandos.get(FORM, ())
    pairs = zip(vectors.index_to_key, forms, strict=False)  # words added later have no form
    return {word: str(form) for word, form in pairs if form and form != word}


def in_lower_case(vectors: KeyedVectors) -> tuple[str, ...]:
    """Return the words asked for that were not found, but are there in lower case.

    Parameters
    ----------
    vectors : KeyedVectors

    Returns
    -------
    tuple of str
        Sorted; empty if there are none, or if `load_vectors` did not make the vectors.
    """
    return tuple(getattr(vectors, LOWER, ()))


def unwrapped(model: Any) -> KeyedVectors:  # noqa: ANN401
    """Return the KeyedVectors of a gensim model, or the KeyedVectors themselves."""
    vectors = getattr(model, "wv", model)
    if not hasattr(vectors, "key_to_index") or not hasattr(vectors, "vectors"):
        raise TypeError(
            "vectors come from a path, the name of a bundled set, or KeyedVectors; "
            f"got {type(model).__name__}"
        )
    return vectors


def pick_keyed(vectors: KeyedVectors, wanted: Collection[bytes] | None) -> Iterator[Entry]:
    """Yield the wanted words of loaded vectors."""
    rows = vectors.key_to_index
    if wanted is not None:
        words = (name.decode(errors=ODD) for name in wanted)
        rows = dict(sorted(((w, rows[w]) for w in words if w in rows), key=itemgetter(1)))
    for word, row in rows.items():
        yield word.encode(errors=ODD), vectors.vectors[row]


def functions_of(
    read: Callable[[Source], KeyedVectors],
) -> tuple[
    Callable[[Source, Collection[bytes] | None], Iterator[Entry]],
    Callable[[Source, int | None], Iterator[Chunk]],
]:
    """Return the two functions of a format that is loaded whole, and once, by ``read``."""

    def pick(source: Source, wanted: Collection[bytes] | None) -> Iterator[Entry]:
        return pick_keyed(source.vectors(read), wanted)

    def iterate(source: Source, rows: int | None = None) -> Iterator[Chunk]:
        vectors = source.vectors(read)
        return array_chunks(vectors.index_to_key, vectors.vectors, rows)

    return pick, iterate
