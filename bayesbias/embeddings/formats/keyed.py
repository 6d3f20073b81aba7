"""gensim's KeyedVectors, with a record of the form in which every word was read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .headers import Vector

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

READ_AS = "read_as"
"""Name of the attribute of every key that tells in which form its word was read."""

LOWER = "in_lower_case"
"""Name of the attribute that holds the words asked for that are there in lower case only."""


def keyed_vectors(words: Sequence[str], matrix: Vector, forms: Sequence[str]) -> KeyedVectors:
    """Make KeyedVectors of words, their vectors (n_words, n_dims), and the forms read."""
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(matrix.shape[1])
    # As gensim's own loaders do; add_vectors would copy the matrix three times.
    vectors.index_to_key = list(words)
    vectors.key_to_index = {word: row for row, word in enumerate(words)}
    vectors.vectors = matrix
    for word, form in zip(words, forms, strict=True):
        vectors.set_vecattr(word, READ_AS, form)
    return vectors


def read_as(vectors: KeyedVectors) -> dict[str, str]:
    """Tell which words were read in another form than the one they are called by.

    Parameters
    ----------
    vectors : KeyedVectors

    Returns
    -------
    dict of str to str
        Word to the form that was read, such as ``{"Bill": "bill"}``; empty if all words were read
        as they stand, or if `load_vectors` did not make the vectors.
    """
    forms = vectors.expandos.get(READ_AS, ())
    pairs = zip(vectors.index_to_key, forms, strict=False)  # words added later have no form
    return {word: str(form) for word, form in pairs if form and form != word}


def in_lower_case(vectors: KeyedVectors) -> tuple[str, ...]:
    """Tell which words asked for were not found, but are there in lower case.

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
    """Give the KeyedVectors of a gensim model, or the KeyedVectors themselves."""
    vectors = getattr(model, "wv", model)
    if not hasattr(vectors, "key_to_index") or not hasattr(vectors, "vectors"):
        raise TypeError(
            "vectors come from a path, the name of a bundled set, or KeyedVectors; "
            f"got {type(model).__name__}"
        )
    return vectors
