"""From vectors in contexts to the long-form table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .._core.checks import unknown_name
from ..embeddings.distances import distance_table
from ..tables.schema import validate_table
from ..tables.wordlists import WordList
from .encoding import ContextualVectors


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
    wordlist : WordList
    pairs : {"dealt", "all"}
        ``dealt``: every pair of words once, in a context dealt out so that every word and every
        attribute meets all contexts about equally often (a Latin square). ``all``: every pair in
        every context. Distances of one pair in several contexts are far from independent, and
        models here do not know pairs: fitted to ``all``, their intervals are too narrow. Use it for
        looking, and for models of your own.
    turn : int
        Shifts which context a pair is dealt. How much results of different turns differ shows what
        the contexts do to them.
    max_missing : float, optional
        As for `distance_table`.

    Returns
    -------
    DataFrame
        ``COLUMNS``, ``embedding`` and ``context``; contexts are called by their templates.

    Raises
    ------
    ValueError
        As `distance_table` does.
    """
    if pairs not in {"dealt", "all"}:
        raise ValueError(unknown_name("choice of pairs", pairs, ("dealt", "all")))
    parts = []
    for place, context in enumerate(vectors.contexts):
        keyed = vectors.in_context(context)
        table = distance_table(keyed, wordlist, embedding=vectors.encoder, max_missing=max_missing)
        if pairs == "dealt":
            word, _ = pd.factorize(table["protected_word"])
            attribute, _ = pd.factorize(table["attribute"])
            table = table[np.asarray((word + attribute + turn) % len(vectors.contexts) == place)]
        parts.append(table.assign(context=context))
    return validate_table(pd.concat(parts, ignore_index=True))
