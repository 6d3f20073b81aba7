"""What a list's contrasts are compared with: reference lists and other measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
from numpy.random import SeedSequence, default_rng

from .._core.notices import NothingDrawn
from .._core.warnings import warn
from ..background.reference_words import (
    Match,
    Pool,
    TooFewWordsError,
    draw_lists,
    draw_pool,
    with_matched,
    words_present,
)
from ..background.vocabulary import distributions, experiments
from ..background.vocabulary_contrasts import list_contrasts, placed_among
from ..embeddings.distances import distance_table
from ..embeddings.formats.keyed import with_words
from ..embeddings.load import VectorsLike
from ..posterior.baseline_words import baseline_contrasts
from ..posterior.estimands import has_cells
from ..report.headline import ORDER
from ..scores.table import score_table
from ..tables.descriptives import contrast_of
from ..tables.wordlists import WordList
from .results import Frames, ModelResult, Tell, joined, quietly
from .settings import Settings

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

    from .wordlist import Analysis

MATCHES: tuple[Match, ...] = ("frequency", "topics")
"""Kinds of reference lists: equally frequent words, or other topics, replace the stereotypes."""

SCORES = ("weat", "mac", "same")
"""Published scores that reports show with the contrasts."""


def vocabulary_pool(settings: Settings, words: Iterable[str], source: VectorsLike) -> Pool | None:
    """Draw the words for matched controls and reference lists from an embedding.

    Return None if no words are needed. If the embedding has too few words, warn and return None.
    """
    if not (settings.matched or settings.reference_lists):
        return None
    loading = settings.chosen("case", "allow_pickle", "progressbar")
    with warned_if_too_few("matched controls and no reference lists"):
        return draw_pool(
            source, words, by_rank=True, rng=default_rng(_seeds(settings)[0]), **loading
        )
    return None


@contextmanager
def warned_if_too_few(what: str) -> Iterator[None]:
    """Warn about what is left out, rather than stop, if an embedding has too few words."""
    try:
        yield
    except TooFewWordsError as reason:
        warn(NothingDrawn(what, str(reason)))


def matched_list(
    vectors: KeyedVectors, wordlist: WordList, pool: Pool | None, settings: Settings
) -> tuple[KeyedVectors, WordList]:
    """Add matched controls and their vectors to a list, if they are requested.

    A list is returned unchanged if it already has matched controls, or if the embedding has too few
    words.
    """
    if pool is None or not settings.matched or "matched" in wordlist.controls:
        return vectors, wordlist
    with warned_if_too_few("matched controls"):
        wider = with_matched(wordlist, pool, default_rng(_seeds(settings)[1]), n=settings.matched)
        place = {word: row for row, word in enumerate(pool.words)}
        new = [word for word in wider.controls["matched"] if word not in vectors.key_to_index]
        rows = [place[word] for word in new]
        return with_words(vectors, new, pool.vectors[rows], pool.ranks[rows].tolist()), wider
    return vectors, wordlist


def read_against(
    analysis: Analysis,
    vectors: KeyedVectors,
    pool: Pool,
    source: VectorsLike,
    tell: Tell | None = None,
) -> Frames:
    """Compare the contrasts of a list with those of reference lists, and compute other measures.

    Frames are keyed by file name. ``reference`` contains the contrast associated − different at
    every level, with its place among reference lists. ``reference_lists`` contains every list's
    contrasts, with its kind in ``match``. ``scores`` comes from `score_table`. ``relative`` has
    z-scores of pairs of groups, relative to random words. ``scores`` and ``relative`` are empty if
    fewer than two groups have stereotypes. With too few words, no frames are returned.
    """
    settings, lead, wordlist = analysis.settings, analysis.lead, analysis.wordlist
    headline = contrast_of(lead["contrasts"], *ORDER)
    (tell or quietly)("drawing reference lists")
    own = replace(wordlist, controls=_baseline(analysis))
    held = {word: pool.found[word] for word in own.words if word in pool.found}
    controls = {word for words in own.controls.values() for word in words}
    held |= {word: vectors[word] for word in controls - held.keys() if word in vectors}
    known, present, lists = replace(pool, found=held), words_present(own, held), {}
    table = distance_table(held, present)
    how: dict[str, Any] = {"vary": "stereotypes", "n_lists": settings.reference_lists}
    with warned_if_too_few("reference lists"):
        for match, seed in zip(MATCHES, _seeds(settings)[3:], strict=True):
            drawn = draw_lists(known, present, match=match, rng=default_rng(seed), **how)
            lists[match] = contrast_of(list_contrasts(table, lead.posterior, known, drawn), *ORDER)
        placed = {match: placed_among(headline, part) for match, part in lists.items()}
        frames = {"reference": joined(placed, "match"), "reference_lists": joined(lists, "match")}
        frames = {name: frame.drop(columns=["first", "second"]) for name, frame in frames.items()}
        frames["reference_lists"].attrs["n_words"] = len(pool.words)
        return Frames(frames | _other_measures(vectors, present, settings, source))
    return Frames({})


def baseline_rows(
    vectors: KeyedVectors, wordlist: WordList, lead: ModelResult, settings: Settings
) -> pd.DataFrame:
    """Return the contrasts of groups relative to each set of baseline words in a list."""
    groups = {**wordlist.groups, **wordlist.baseline}
    table = distance_table(vectors, replace(wordlist, groups=groups, controls={}, baseline={}))
    reading = {**settings.chosen("ci_prob", "ci_kind"), "rope": lead["contrasts"].attrs["rope"]}
    frames = [
        baseline_contrasts(table, name, options=settings.of_fit(progressbar=False), **reading)
        for name in wordlist.baseline
    ]
    rows = pd.concat(frames, ignore_index=True)
    rows.attrs |= {**reading, "n_draws": settings.n_draws}
    return rows


def _baseline(analysis: Analysis) -> dict[str, tuple[str, ...]]:
    """Return the control words that group contrasts are relative to, if there are any."""
    controls = dict(analysis.wordlist.controls)
    if not has_cells(analysis.lead.spec):
        return {}
    return {"matched": controls["matched"]} if controls.get("matched") else controls


def _other_measures(
    vectors: KeyedVectors, wordlist: WordList, settings: Settings, source: VectorsLike
) -> dict[str, Any]:
    """Compute scores of the groups that have stereotypes, and their z among random words."""
    groups = {
        name: words for name, words in wordlist.groups.items() if name in wordlist.stereotypes
    }
    if len(groups) < 2:
        return {"scores": pd.DataFrame(), "relative": pd.DataFrame()}
    some = replace(wordlist, groups=groups)
    asked, rows = experiments([some]), []
    loading = settings.chosen("case", "allow_pickle", "progressbar")
    for name, one in distributions(source, asked, **loading).items():
        bias = one.relative_bias(asked[name].X, asked[name].Y, n_resamples=1)
        rows.append((*asked[name].labels[:2], bias.statistic, bias.z, bias.p_normal()))
    relative = pd.DataFrame(rows, columns=["first", "second", "statistic", "z", "p_normal"])
    how: dict[str, Any] = {"ci_prob": settings.ci_prob, "seed": _seed(settings)}
    scores = partial(score_table, vectors, some, scores=SCORES, **how)
    return {"scores": scores, "relative": relative}


def _seeds(settings: Settings) -> list[SeedSequence]:
    """Return seeds for the pool, the matched controls and, from the fourth on, reference lists.

    If the run's seed is not a number, seed 0 is used, so a list always has the same controls.
    """
    return SeedSequence(_seed(settings)).spawn(3 + len(MATCHES))


def _seed(settings: Settings) -> int:
    return settings.seed if isinstance(settings.seed, int) else 0
