"""Control words that are as frequent as a list's stereotypes, whatever they mean."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator, default_rng

from .._core.checks import check_numbers
from .._core.random import Seed, as_seed_sequence
from ..tables.wordlists import WordList, load_wordlist
from .pool import Pool, draw_pool
from .reference_words import TOLERANCE, ReferenceWords, check_choice

if TYPE_CHECKING:
    from .psi_of_source import Source

N_MATCHED = 5
"""Matched words for each stereotype."""


def matched_controls(
    vectors: Source,
    wordlist: str | Path | WordList,
    *,
    n: int = N_MATCHED,
    tolerance: float = TOLERANCE,
    case: str = "exact",
    seed: Seed = None,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> WordList:
    """Add control words to a list that are as frequent as its stereotypes.

    Cosine distances follow the frequency of words: rare words lie farther from most others. Words
    about human life are more frequent than most stereotypes, so that *associated - human* is above
    zero for stereotypes of any meaning. Against matched words zero means: like words as frequent.

    Parameters
    ----------
    vectors
        An embedding to draw from, as for `background.distribution`: a bundled name, a path, or
        vectors in memory. Files begin with the most frequent word, and a word's place is its rank;
        where gensim's vectors have counts, these count.
    wordlist : str, Path or WordList
        With stereotypes.
    n : int
        Matched words for each stereotype that the embedding has.
    tolerance : float
        By which share the rank of a matched word may differ, in (0, 1).
    case, allow_pickle, progressbar
        As for `load_vectors`.
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    WordList
        The list with the control set ``matched``: words of letters alone, none of them the list's
        own, none of them twice. In tables they are the connection ``matched``.

    Raises
    ------
    ValueError
        If the list has no stereotypes in the embedding, or there are too few words as frequent.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.matched_controls("glove-demo", "gender", case="fallback", seed=1)
    >>> vectors = bb.load_vectors("glove-demo", wordlist, case="fallback")
    >>> table = bb.distance_table(vectors, wordlist)
    """
    loaded = load_wordlist(wordlist)
    rng = default_rng(as_seed_sequence(seed))
    pool = draw_pool(
        vectors,
        loaded.words,
        case=case,
        by_rank=True,
        rng=rng,
        allow_pickle=allow_pickle,
        progressbar=progressbar,
    )
    return with_matched(loaded, pool, rng, n=n, tolerance=tolerance)


def with_matched(
    wordlist: WordList,
    pool: Pool,
    rng: Generator,
    *,
    n: int = N_MATCHED,
    tolerance: float = TOLERANCE,
) -> WordList:
    """Add words of a pool, as frequent as the stereotypes of a list; see `matched_controls`."""
    check_numbers(n=n)
    check_choice("both", "frequency", tolerance)
    stereotypes = dict.fromkeys(word for words in wordlist.stereotypes.values() for word in words)
    there = [word for word in stereotypes if word in pool.found_ranks]
    if not there:
        raise ValueError(
            f"none of the stereotypes of {wordlist.name!r} is in the embedding, so that no words "
            "can be as frequent"
        )
    own = set(wordlist.words)
    free = np.array([word not in own for word in pool.words])
    rows = ReferenceWords(pool, "frequency", tolerance).as_frequent(there, n, free, rng)
    words = tuple(pool.words[row] for row in rows)
    return replace(wordlist, controls={**wordlist.controls, "matched": words})
