"""The long-form table of vectors in contexts."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..embeddings.distances import distance_table
from ..tables.schema import validate_table
from ..tables.wordlists import WordList
from .encoding import ContextualVectors


def contextual_table(
    vectors: ContextualVectors,
    wordlist: WordList,
    *,
    turn: int = 0,
    max_missing: float | None = None,
) -> pd.DataFrame:
    """Compute the cosine distances of a word list's pairs, each in one context.

    Contexts are assigned as in a Latin square, so every word and every attribute occurs in all
    contexts about equally often. A pair's distances in several contexts would not be independent.

    Parameters
    ----------
    vectors : ContextualVectors
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
    parts = []
    for place, context in enumerate(vectors.contexts):
        keyed = vectors.in_context(context)
        table = distance_table(keyed, wordlist, embedding=vectors.encoder, max_missing=max_missing)
        word, attribute = (pd.factorize(table[name])[0] for name in ("protected_word", "attribute"))
        here = np.asarray((word + attribute + turn) % len(vectors.contexts) == place)
        parts.append(table[here].assign(context=context))
    return validate_table(pd.concat(parts, ignore_index=True))
