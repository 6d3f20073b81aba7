"""Where SAME, WEAT and MAC of a word list lie among reference lists of the same size.

A score of 0.3 says little by itself: random words have scores as well, and how large depends on
the embedding and on the number of words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, cosine_similarity
from .._core.checks import check_numbers, unknown_name
from .._core.random import Seed, as_seed_sequence
from ..scores.association import psi
from ..scores.same import same
from ..scores.weat import effect_sizes
from ..tables.wordlists import WordList, load_wordlist
from .pool import Pool, among_references, draw_pool
from .reference_words import Vary

if TYPE_CHECKING:
    from .psi_of_source import Source

Groups = Sequence[FloatArray]
Sets = dict[str, FloatArray]

KEYS = ["score", "groups"]

N_LISTS = 1000
"""Reference lists: lists of random words."""


def _weat(protected: Groups, stereotypes: Groups) -> float:
    x, y = (psi(words, *stereotypes) for words in protected)
    return float(effect_sizes(x, y))


SCORES: dict[str, tuple[Callable[[Groups, Groups], float], bool]] = {
    "same": (lambda groups, sets: same(None, np.vstack(sets), groups).score, False),
    "weat": (_weat, True),
    "mac": (
        lambda groups, sets: float(
            np.mean([1 - cosine_similarity(np.vstack(groups), each).mean(axis=1) for each in sets])
        ),
        False,
    ),
}
"""Score of protected words and stereotypes by group, and whether it is of two groups."""


def reference_lists(
    source: Source,
    wordlist: str | Path | WordList,
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
    source
        As for `distribution`.
    wordlist : str, Path or WordList
        Groups with stereotypes, two or more. Control words play no part.
    scores : iterable of {"same", "weat", "mac"}
        SAME of the stereotypes along the differences of the groups, WEAT's d (ddof 1) for every
        pair of groups, MAC.
    vary : {"protected", "stereotypes", "both"}
        Which words are random; the others stay as they are.
    n_lists : int
        Reference lists.
    ranks : (first, stop)
        Random words are from these ranks in the file's order only, such as ``(0, 50_000)`` for
        frequent ones.
    case, allow_pickle, progressbar
        As for `distribution`.
    seed : int, SeedSequence, Generator or None

    Returns
    -------
    DataFrame
        ``score``, ``groups``, ``vary``, ``value``; ``percentile``, the share of reference lists
        with a smaller value, in [0, 1]; ``p_value``, two-sided, 2 (b + 1)/(n_lists + 1) with b the
        lists as far out on its side, at most 1; ``reference_mean``, ``reference_sd``,
        ``reference_low`` and ``reference_high``, the middle 95%; and ``n_lists``.

    Raises
    ------
    ValueError
        If a score or a choice is unknown, a set of the list has no word in the embedding, or there
        are too few words to choose from.
    """
    names = tuple(scores)
    for name in names:
        if name not in SCORES:
            raise ValueError(unknown_name("score", name, SCORES))
    if vary not in get_args(Vary):
        raise ValueError(unknown_name("vary", str(vary), get_args(Vary)))
    check_numbers(n_lists=n_lists)
    loaded = load_wordlist(wordlist)
    sequence = as_seed_sequence(seed)
    rng = np.random.default_rng(sequence)
    pool = draw_pool(
        source,
        loaded.words,
        case=case,
        ranks=ranks,
        rng=rng,
        allow_pickle=allow_pickle,
        progressbar=progressbar,
    )
    given = _sets(pool, loaded)
    groups = tuple(given["protected"])
    rows = [
        (name, some)
        for name in names
        for some in (combinations(groups, 2) if SCORES[name][1] else [groups])
    ]
    drawn = [_values(rows, _randomised(pool, given, vary, rng)) for _ in range(n_lists)]
    values = _values(rows, given)
    placed = among_references(values, np.stack(drawn))
    frame = pd.DataFrame([(name, ", ".join(some)) for name, some in rows], columns=KEYS)
    frame = frame.assign(value=values, **placed, n_lists=n_lists, vary=vary)
    frame.attrs["seed"] = sequence.entropy
    return frame


def with_percentiles(
    frame: pd.DataFrame,
    source: Source,
    wordlist: str | Path | WordList,
    **options: Any,  # noqa: ANN401
) -> pd.DataFrame:
    """Add to a table of scores where SAME, WEAT and MAC lie among reference lists.

    Parameters
    ----------
    frame : DataFrame
        As `score_table` gives it for the list.
    source, wordlist, **options
        As for `reference_lists`.

    Returns
    -------
    DataFrame
        The frame with ``reference_percentile`` and ``reference_p_value``; both are missing for
        other scores.
    """
    wanted = [name for name in SCORES if name in set(frame["score"])]
    if not wanted:
        raise ValueError(f"the table has none of the scores {', '.join(SCORES)}")
    found = reference_lists(source, wordlist, scores=wanted, **options)
    keys = pd.MultiIndex.from_frame(frame[KEYS].astype(str))
    added = found.set_index(KEYS)[["percentile", "p_value"]].reindex(keys).to_numpy(np.float64)
    out = frame.assign(reference_percentile=added[:, 0], reference_p_value=added[:, 1])
    out.attrs = frame.attrs | {"reference_seed": found.attrs["seed"]}
    return out


def _sets(pool: Pool, wordlist: WordList) -> dict[str, Sets]:
    """Vectors of every group's words, ``protected`` and ``stereotypes``."""
    groups = [name for name in wordlist.groups if name in wordlist.stereotypes]
    if len(groups) < 2:
        raise ValueError(
            f"the list {wordlist.name!r} has {len(groups)} group(s) with stereotypes; these scores "
            "need two or more"
        )
    found: dict[str, Sets] = {}
    for kind, sets in {"protected": wordlist.groups, "stereotypes": wordlist.stereotypes}.items():
        found[kind] = {}
        for group in groups:
            there = [pool.found[word] for word in sets[group] if word in pool.found]
            if not there:
                what = "group" if kind == "protected" else "stereotypes of"
                raise ValueError(f"none of the words of {what} {group} is in the embedding")
            found[kind][group] = np.stack(there).astype(np.float64)
    return found


def _values(rows: Iterable[tuple[str, Sequence[str]]], given: dict[str, Sets]) -> FloatArray:
    """Compute scores, each of some groups."""
    return np.array(
        [
            SCORES[name][0](*([sets[group] for group in groups] for sets in given.values()))
            for name, groups in rows
        ]
    )


def _randomised(
    pool: Pool, given: dict[str, Sets], vary: Vary, rng: np.random.Generator
) -> dict[str, Sets]:
    """Replace some sets by random words, as many as there are."""
    changed = [vary] if vary != "both" else list(given)
    picks = iter(pool.sets([len(rows) for kind in changed for rows in given[kind].values()], rng))
    return given | {
        kind: {name: pool.vectors[next(picks)].astype(np.float64) for name in given[kind]}
        for kind in changed
    }
