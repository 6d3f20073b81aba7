"""The ruler of report pages: the same measure for well-known lists in the same embedding.

The lists in ``wordlists/landmarks`` were written before any of them was measured. Every page shows
the same three, in this order, whatever the result, with the estimand, controls, and model of the
list: a ruler, not a threshold. A landmark is left out if the embedding lacks more than a fifth of
its words, as embeddings of other languages do, or if the sampler of its fit warns.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.arrays import one_thread
from .._core.resources import bundled_folder
from .._core.warnings import heard
from ..background.pools import Pools, TooFewWordsError, with_drawn
from ..background.reference_words import with_matched, words_present
from ..embeddings.distances import measure
from ..embeddings.formats.keyed import frequency_ranks
from ..model.spec import ModelSpec
from ..model.tree import warnings_of
from ..posterior.contrasts import contrasts
from ..sampling.fit import fit_checked
from ..sampling.layout import CannotCollapse
from ..sampling.options import FitOptions
from ..tables.descriptives import default_rows, probability_below
from ..tables.levels import OVERALL
from ..tables.schema import MOST_MISSING, Checked
from ..tables.spellings import KeyedVectors
from ..tables.wordlists import WordList, load_wordlist
from .results import joined

LANDMARKS = ("flowers", "pronouns", "sport")

N_DRAWS = 60
"""Draws in each of four chains; the mean and the interval need few, because they are averages."""


MOST_KEPT = 16
"""Number of embeddings, models, and options whose landmarks are kept for the next analyses."""

_KEPT: dict[tuple[object, ...], pd.DataFrame] = {}
_KEEPING = threading.Lock()


@cache
def landmark_lists() -> dict[str, WordList]:
    """Return the bundled landmark lists by name, in the order of the ruler."""
    folder = bundled_folder("wordlists") / "landmarks"
    return {name: load_wordlist(folder / f"{name}.toml") for name in LANDMARKS}


def landmark_words() -> list[str]:
    """Return all words of the landmarks."""
    return [word for wordlist in landmark_lists().values() for word in wordlist.words]


def landmark_rows(
    vectors: KeyedVectors, pools: Pools | None, spec: ModelSpec, options: FitOptions, matched: int
) -> pd.DataFrame:
    """Return each landmark's overall contrast, with its ``landmark`` and ``p_closer``.

    The embedding's `pools` provide `matched` controls for each stereotype, as for any list. So
    landmarks do not depend on the list that is analyzed, and are kept for the next one.
    """
    how = options.of_fit(method="exact", draws=N_DRAWS, chains=4, seed=0, progressbar=False)
    content = _content(vectors, pools if matched else None)
    key = content, spec, tuple(how.recorded.items()), matched
    whole = _KEPT.get(key)
    if whole is None:
        with one_thread(), heard():  # warnings are not about the list
            whole = joined(dict(_rows(vectors, pools, spec, how, matched)), "landmark")
        whole = whole.assign(p_closer=probability_below(whole)) if len(whole) else whole
        with _KEEPING:
            _KEPT[key] = whole
            for oldest in list(_KEPT)[:-MOST_KEPT]:
                del _KEPT[oldest]
    return whole.copy()


def of_same_measure(landmarks: pd.DataFrame, parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the landmarks with the estimand that all overall contrasts of stereotypes have."""
    if landmarks.empty:
        return landmarks
    rows = pd.concat([default_rows(part)[["level", "estimand"]] for part in parts])
    measures = {*rows.loc[rows["level"] == OVERALL, "estimand"]}
    return landmarks[[{one} == measures for one in landmarks["estimand"]]]


def _content(vectors: KeyedVectors, pools: Pools | None) -> bytes:
    """Return a hash of all words, vectors, and ranks on which the landmarks depend."""
    digest = hashlib.blake2b()
    ranks = dict(frequency_ranks(vectors).itertuples(index=False, name=None))
    for word in landmark_words():
        if word in vectors:
            digest.update(f"{word}\0{ranks.get(word)}\0".encode())
            digest.update(np.ascontiguousarray(vectors[word]).tobytes())
    if pools:
        for part in pools.first([one.words for one in landmark_lists().values()]):
            digest.update("\0".join(part).encode() if part.dtype == object else part.tobytes())
    return digest.digest()


def _rows(
    vectors: KeyedVectors, pools: Pools | None, spec: ModelSpec, options: FitOptions, matched: int
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the name and the overall contrast of each landmark that can be measured."""
    ranks = dict(frequency_ranks(vectors).itertuples(index=False, name=None))
    for place, (name, wordlist) in enumerate(landmark_lists().items()):
        found = {word for word in wordlist.words if word in vectors}
        if len(found) < (1 - MOST_MISSING) * len(wordlist.words):
            continue
        known, present = vectors, words_present(wordlist, found)
        if pools and matched:
            try:
                found_ranks = {word: int(ranks[word]) for word in present.words}
                pool = replace(pools.of(wordlist.words), found_ranks=found_ranks)
                present = with_matched(present, pool, default_rng(place), n=matched)
                known = with_drawn(vectors, present.controls["matched"], pool)
            except TooFewWordsError:
                continue
        rows = _overall(measure(known, present), spec, replace(options, seed=place))
        if rows is not None:
            yield name, rows


def _overall(table: Checked, spec: ModelSpec, options: FitOptions) -> pd.DataFrame | None:
    """Return a list's overall row of `contrasts`, or None if the exact sampler gives none."""
    try:
        posterior = fit_checked(table, spec, options=options)
    except CannotCollapse:
        return None
    row = default_rows(contrasts(posterior, **options.reading)).head(1)
    return None if warnings_of(posterior) or row.empty else row
