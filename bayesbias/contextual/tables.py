"""From vectors in contexts to the long-form table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .._core.checks import unknown_name
from ..embeddings.distances import distance_table
from ..tables.schema import validate_table
from ..tables.wordlists import WordList
from .encoding import ContextualVectors

PAIRS = ("dealt", "all")


def contextual_table(
    vectors: ContextualVectors,
    wordlist: WordList,
    *,
    pairs: str = "dealt",
    turn: int = 0,
    max_missing: float | None = None,
) -> pd.DataFrame:
    """Cosine distances of a word list's pairs in contexts, both words in the same context.

    Parameters
    ----------
    vectors : ContextualVectors
        Of all words of the list.
    wordlist : WordList
    pairs : {"dealt", "all"}
        ``dealt``: every pair of words stands once, in a context that is dealt out so that every
        word and every attribute meets all contexts about equally often (a Latin square). ``all``:
        every pair in every context. Distances of one pair in several contexts are far from
        independent news, and models here do not know pairs: fitted to ``all``, their intervals
        are too narrow. It serves for looking, and for models of your own.
    turn : int
        Which of the ways to deal: they differ by a shift of the contexts. How far results of
        different turns lie apart shows what the contexts do to them.
    max_missing : float, optional
        As `distance_table` takes it.

    Returns
    -------
    DataFrame
        ``COLUMNS``, ``embedding`` and ``context``; contexts are called by their templates.

    Raises
    ------
    ValueError
        As `distance_table` does.
    """
    if pairs not in PAIRS:
        raise ValueError(unknown_name("choice of pairs", pairs, PAIRS))
    parts = []
    for at, context in enumerate(vectors.contexts):
        found = vectors.in_context(context)
        table = distance_table(found, wordlist, embedding=vectors.encoder, max_missing=max_missing)
        if pairs == "dealt":
            word, _ = pd.factorize(table["protected_word"])
            attribute, _ = pd.factorize(table["attribute"])
            table = table[np.asarray((word + attribute + turn) % len(vectors.contexts) == at)]
        parts.append(table.assign(context=context))
    return validate_table(pd.concat(parts, ignore_index=True))
