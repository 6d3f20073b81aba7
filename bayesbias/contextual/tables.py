"""The long-form table of vectors in contexts."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from numpy.typing import ArrayLike

from .._core.checks import Argument, ArgumentError, is_whole
from ..embeddings.distances import distance_table
from ..tables.schema import validate_table
from ..tables.wordlists import WordList
from .encoding import ContextualVectors, as_contextual


def contextual_table(
    vectors: ContextualVectors | Mapping[str, ArrayLike],
    wordlist: WordList,
    *,
    turn: int = 0,
    max_missing: float | None = None,
) -> pd.DataFrame:
    """Compute the cosine distances of a word list's pairs, each in one context.

    Contexts are assigned as in a Latin square, so every word and every attribute occurs in all
    contexts about equally often. A pair's distances in several contexts would not be independent. A
    pair is left out if one of its words has no vector in the pair's context.

    Parameters
    ----------
    vectors : ContextualVectors or mapping of str to array_like
        From `contextual_vectors`, or each word's vectors from any model or layer, as an
        (n_occurrences, n_dims) array. Occurrence i of every word is context i; the word with the
        fewest occurrences limits their number.
    wordlist : WordList
    turn : int
        Number of contexts to shift all pairs by. Several shifts show how much contexts matter.
    max_missing : float, optional
        See `distance_table`.

    Returns
    -------
    DataFrame
        A table with the columns ``COLUMNS``, ``embedding``, and ``context`` (such as the template).
    """
    if not is_whole(turn):
        raise ArgumentError(Argument("turn"), f" must be a whole number; got {turn!r}")
    vectors, tables = as_contextual(vectors), []
    for place, context in enumerate(vectors.contexts):
        keyed = vectors.in_context(context)
        table = distance_table(keyed, wordlist, embedding=vectors.encoder, max_missing=max_missing)
        tables.append(table.assign(context=context, place=place))
    whole = pd.concat(tables, ignore_index=True)
    # A word may have no vector in some contexts, so its number must be the same in all of them.
    word, attribute = (pd.factorize(whole[name])[0] for name in ("protected_word", "attribute"))
    n = len(vectors.contexts)
    here = whole.pop("place") == (word + attribute + turn % n) % n
    return validate_table(whole[here])
