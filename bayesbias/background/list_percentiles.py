"""The place of a word list's SAME, WEAT and MAC among reference lists of the same size.

A score of 0.3 means little by itself: random words have scores as well, and their size depends on
the embedding and on the number of words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, cosine_similarity
from .._core.checks import check_numbers, unknown_name
from .._core.random import Seed, as_seed_sequence
from ..embeddings.load import VectorsLike
from ..scores.directions import same
from ..scores.poles import effect_sizes, psi
from ..tables.wordlists import WordListLike, load_wordlist
from .experiment import compared_groups
from .pool import Pool, TooFewWordsError, among_references, draw_pool
from .reference_words import Vary, check_choice

Groups = Sequence[FloatArray]
"""Vectors of the words of each group."""

N_LISTS = 1000
"""Reference lists: lists of random words."""


def _same(protected: Groups, stereotypes: Groups) -> float:
    return same(None, np.vstack(stereotypes), protected).score


def _weat(protected: Groups, stereotypes: Groups) -> float:
    x, y = (psi(words, *stereotypes) for words in protected)
    return float(effect_sizes(x, y))


def _mac(protected: Groups, stereotypes: Groups) -> float:
    words = np.vstack(protected)
    return float(np.mean([1 - cosine_similarity(words, A).mean(axis=1) for A in stereotypes]))


SCORES: dict[str, Callable[[Groups, Groups], float]] = {"same": _same, "weat": _weat, "mac": _mac}
"""Score of protected words and stereotypes by group; ``weat`` is of two groups."""


def reference_lists(
    source: VectorsLike,
    wordlist: WordListLike,
    *,
    scores: Iterable[str] = ("same", "weat", "mac"),
    vary: Vary = "protected",
    n_lists: int = N_LISTS,
    ranks: tuple[int, int | None] = (0, None),
    case: str = "exact",
    seed: Seed = None,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> pd.DataFrame:
    """Percentiles of a list's scores among reference lists, of random words and the same size.

    Parameters
    ----------
    source, case, allow_pickle, progressbar
        As for `distribution`.
    wordlist : str, Path, mapping or WordList
        Groups with stereotypes, two or more. Control words play no part.
    scores : iterable of {"same", "weat", "mac"}
        SAME of the stereotypes along the differences of the groups, WEAT's d (ddof 1) for every
        pair of groups, MAC.
    vary : {"protected", "stereotypes", "both"}
        Which words are random; the others stay as they are.
    n_lists : int
        Reference lists.
    ranks : (first, stop)
        Random words have these ranks in the file's order, such as ``(0, 50_000)`` for frequent
        ones.
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    DataFrame
        ``score``, ``groups``, ``vary``, ``value``; ``percentile``, the share of reference lists
        with a smaller value, in [0, 1]; ``p_value``, two-sided, 2 (b + 1)/(n_lists + 1) with b the
        lists as far out on its side, at most 1; ``reference_mean``, ``reference_sd``,
        ``reference_low`` and ``reference_high``, the middle 95%; and ``n_lists``.
    """
    names = tuple(scores)
    if unknown := [name for name in names if name not in SCORES]:
        raise ValueError(unknown_name("score", unknown[0], SCORES))
    check_choice(vary)
    check_numbers(n_lists=n_lists)
    loaded = load_wordlist(wordlist)
    groups = tuple(compared_groups(loaded))
    sequence = as_seed_sequence(seed)
    rng = np.random.default_rng(sequence)
    pool = draw_pool(
        source,
        loaded.words,
        rng=rng,
        case=case,
        ranks=ranks,
        allow_pickle=allow_pickle,
        progressbar=progressbar,
    )
    kinds = {"protected": loaded.groups, "stereotypes": loaded.stereotypes}
    sets = [
        [_vectors(pool, words[group], f"{kind} of {group}") for group in groups]
        for kind, words in kinds.items()
    ]
    varies = [vary in (kind, "both") for kind in kinds]
    places = range(len(groups))
    rows = [
        (name, some)
        for name in names
        for some in (combinations(places, 2) if name == "weat" else [tuple(places)])
    ]
    drawn = [_values(rows, _with_random_words(pool, sets, varies, rng)) for _ in range(n_lists)]
    values = _values(rows, sets)
    frame = pd.DataFrame(
        [(name, ", ".join(groups[place] for place in some)) for name, some in rows],
        columns=["score", "groups"],
    )
    placed = among_references(values, np.stack(drawn))
    frame = frame.assign(value=values, **placed, n_lists=n_lists, vary=vary)
    frame.attrs["seed"] = sequence.entropy
    return frame


def _vectors(pool: Pool, words: Iterable[str], name: str) -> FloatArray:
    """Return the vectors of the words that are there, (n_words, n_dims)."""
    found = [pool.found[word] for word in words if word in pool.found]
    if not found:
        raise ValueError(f"none of the words of {name} is in the embedding")
    return np.stack(found).astype(np.float64)


def _with_random_words(
    pool: Pool, sets: Sequence[Groups], varies: Sequence[bool], rng: np.random.Generator
) -> list[Groups]:
    """Replace the words of some kinds by random ones, no word in two sets."""
    sizes = [
        len(rows) for of_kind, new in zip(sets, varies, strict=True) if new for rows in of_kind
    ]
    if sum(sizes) > len(pool.words):
        raise TooFewWordsError(
            f"the embedding has {len(pool.words)} words to choose from, fewer than the "
            f"{sum(sizes)} that the list needs; take a larger vocabulary"
        )
    rows = rng.choice(len(pool.words), sum(sizes), replace=False)
    parts = iter(np.split(pool.vectors[rows].astype(np.float64), np.cumsum(sizes)[:-1]))
    pairs = zip(sets, varies, strict=True)
    return [[next(parts) for _ in of_kind] if new else of_kind for of_kind, new in pairs]


def _values(rows: Iterable[tuple[str, Sequence[int]]], sets: Sequence[Groups]) -> FloatArray:
    """Compute scores, each of some groups."""
    return np.array(
        [SCORES[name](*([of_kind[i] for i in some] for of_kind in sets)) for name, some in rows]
    )
