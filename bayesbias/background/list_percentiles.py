"""The place of a word list's scores among those of reference lists of the same size.

A score of 0.3 means little by itself: random words have scores as well, and their size depends on
the embedding and on the number of words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from .._core.checks import check_numbers
from .._core.random import Seed, as_seed_sequence
from ..embeddings.load import VectorsLike
from ..scores.list_rows import list_rows, selections
from ..scores.registry import Scores, chosen_scores
from ..tables.wordlists import WordListLike, load_wordlist
from .pool import among_references, draw_pool
from .reference_words import Match, Vary, check_choice, draw_lists, words_present
from .vocabulary import compared_groups

N_LISTS = 1000


def reference_lists(
    source: VectorsLike,
    wordlist: WordListLike,
    *,
    scores: Scores = ("same", "weat", "mac"),
    vary: Vary = "protected",
    match: Match = "random",
    n_lists: int = N_LISTS,
    ranks: tuple[int, int | None] = (0, None),
    case: str = "exact",
    seed: Seed = None,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> pd.DataFrame:
    """Percentiles of a list's scores among those of lists of other words, of the same size.

    Parameters
    ----------
    source, case, allow_pickle, progressbar
        As for `distribution`.
    wordlist : str, Path, mapping or WordList
        Groups with stereotypes, two or more. Control words play no part.
    scores : iterable of str, or mapping of str to ListScore
        As for `bayesbias.score_table`.
    vary, match
        Which words are replaced, and by which words; see `bayesbias.vocabulary_contrasts`.
    n_lists : int
        Reference lists.
    ranks : (first, stop)
        Words are drawn from these ranks in the file's order, such as ``(0, 50_000)`` for frequent
        ones.
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    DataFrame
        ``score``, ``groups``, ``vary``, ``match``, ``value``; ``percentile``, the share of
        reference lists with a smaller value, in [0, 1]; ``p_value``, two-sided,
        2 (b + 1)/(n_lists + 1) with b the lists as far out on its side, at most 1;
        ``reference_mean``, ``reference_sd``, ``reference_low`` and ``reference_high``, the middle
        95%; and ``n_lists``.
    """
    chosen = chosen_scores(scores)
    check_choice(vary, match)
    check_numbers(n_lists=n_lists)
    loaded = load_wordlist(wordlist)
    groups = compared_groups(loaded)
    tables = [{name: of[name] for name in groups} for of in (loaded.groups, loaded.stereotypes)]
    loaded = replace(loaded, groups=tables[0], stereotypes=tables[1], controls={})
    sequence = as_seed_sequence(seed)
    rng = np.random.default_rng(sequence)
    reading: dict[str, Any] = {"case": case, "ranks": ranks, "by_rank": match != "random"}
    reading |= {"allow_pickle": allow_pickle, "progressbar": progressbar}
    pool = draw_pool(source, loaded.words, rng=rng, **reading)
    rows, _ = list_rows(pool.found, loaded)
    jobs = [(name, at) for name, spec in chosen.items() for at in selections(rows, spec.scope)]

    def values(drawn: Mapping[str, int]) -> list[float]:
        vectors = {**pool.found, **{word: pool.vectors[row] for word, row in drawn.items()}}
        rows, _ = list_rows(vectors, present)
        return [chosen[name].value(rows.of_groups(at)) for name, at in jobs]

    present = words_present(loaded, pool.found)
    lists = draw_lists(pool, present, vary=vary, match=match, n_lists=n_lists, rng=rng)
    drawn, own = np.array([values(words) for words in lists]), np.array(values({}))
    names = [(name, ", ".join(rows.of_groups(at).groups)) for name, at in jobs]
    frame = pd.DataFrame(names, columns=["score", "groups"])
    frame = frame.assign(value=own, **among_references(own, drawn))
    frame = frame.assign(n_lists=n_lists, vary=vary, match=match)
    frame.attrs["seed"] = sequence.entropy
    return frame
