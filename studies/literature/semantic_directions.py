"""Schröder et al. (2024), Semantic properties: how far a bias direction depends on its pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from bayesbias._core.arrays import unit_rows
from bayesbias.embeddings.word_sets import WordVectors, look_up_tuples
from bayesbias.scores.subspace import principal_components


def direction_stability(vectors: WordVectors, pairs: Iterable[Sequence[str]]) -> pd.Series:
    """Cosine of the bias direction without a pair with that of all pairs, pair by pair.

    Near 1 for all pairs, no single pair makes the direction.

    Examples
    --------
    >>> import bayesbias as bb
    >>> pairs = [("he", "she"), ("man", "woman"), ("his", "her")]
    >>> vectors = bb.load_vectors("glove-demo", [word for pair in pairs for word in pair])
    >>> direction_stability(vectors, pairs).round(2).tolist()
    [0.98, 0.96, 0.98]
    """
    rows, kept, _ = look_up_tuples(vectors, "pairs", pairs)
    sets = [unit_rows(pair) for pair in rows]
    whole = principal_components(sets, 1)[0][0]
    rest = ([*sets[:at], *sets[at + 1 :]] for at in range(len(sets)))
    cosines = [abs(principal_components(some, 1)[0][0] @ whole) for some in rest]
    names = [" - ".join(words) for words in kept]
    return pd.Series(np.minimum(cosines, 1.0), index=names, name="cosine")
