"""What a list's contrasts are compared with: reference lists and other measures."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import pandas as pd
from numpy.random import SeedSequence, default_rng

from .._core.resources import AFTER_WITH, OWN_FRAMES
from ..background.reference_words import (
    Match,
    Pool,
    TooFewWordsError,
    Vary,
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
from ..scores.table import score_table
from ..tables.descriptives import contrast_of
from ..tables.wordlists import WordList
from .results import ModelResult, joined
from .settings import Settings

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


HEADLINE = ("associated", "different")
"""The contrast that is compared with reference lists."""

REFERENCES: dict[Match, Vary] = {"frequency": "stereotypes", "topics": "stereotypes"}
"""Reference lists by what their words match, and which words of the list they replace."""

SCORES = ("weat", "mac", "same")
"""Scores of the literature that accompany the contrasts."""


@dataclass(frozen=True, eq=False)
class Reference:
    """What a list's contrasts are compared with.

    Parameters
    ----------
    placed : DataFrame
        ``match``, then as `bayesbias.vocabulary_contrasts` has them the levels of associated −
        different with their places among reference lists.
    lists : DataFrame
        ``match``, ``list``, ``level``, ``protected_group``, ``mean`` of every reference list.
    ranks : DataFrame
        ``role``, ``set``, ``word``, ``rank``: frequency ranks of the list's words.
    scores : DataFrame
        As `score_table` gives them, of the seed in `seed`.
    relative : DataFrame
        ``first``, ``second``, groups, and of their `RelativeBias` ``statistic``, ``z`` and
        ``p_normal``. Both are empty where fewer than two groups have stereotypes.
    n_words : int
        Words that reference lists were drawn from.
    """

    placed: pd.DataFrame
    lists: pd.DataFrame
    ranks: pd.DataFrame
    scores: pd.DataFrame
    relative: pd.DataFrame
    n_words: int

    @property
    def frames(self) -> dict[str, pd.DataFrame]:
        """What is written as CSV, by the files' names."""
        measures = {"ranks": self.ranks, "scores": self.scores, "relative": self.relative}
        return {"reference": self.placed, "reference_lists": self.lists, **measures}

    def of_match(self, match: str) -> pd.DataFrame:
        """Return the places among the reference lists of one kind."""
        rows = self.placed["match"] == match
        return self.placed[rows].drop(columns="match").reset_index(drop=True)

    def n_lists(self, match: str) -> int:
        """Count the reference lists of one kind."""
        return int(self.lists["list"][self.lists["match"] == match].nunique())


def vocabulary_pool(
    settings: Settings, lists: Iterable[WordList], source: VectorsLike
) -> Pool | None:
    """Draw the words of an embedding that controls and reference lists are made of.

    None where none are wanted, or where a warning reports that the embedding has too few words.
    """
    if not (settings.matched or settings.reference_lists):
        return None
    words = dict.fromkeys(word for wordlist in lists for word in wordlist.words)
    with warned_if_too_few("no matched controls, no reference lists"):
        return draw_pool(
            source,
            words,
            by_rank=True,
            rng=default_rng(_seeds(settings)[0]),
            **settings.chosen("case", "allow_pickle", "progressbar"),
        )
    return None


@contextmanager
def warned_if_too_few(what: str) -> Iterator[None]:
    """Warn, without an error, of what an embedding has too few words for."""
    try:
        yield
    except TooFewWordsError as reason:
        warnings.warn(f"{what}: {reason}", stacklevel=AFTER_WITH, skip_file_prefixes=OWN_FRAMES)


def matched_list(
    vectors: KeyedVectors, wordlist: WordList, pool: Pool, settings: Settings
) -> tuple[KeyedVectors, WordList]:
    """Add matched controls to a list, and their vectors to those of the list."""
    wider = with_matched(wordlist, pool, default_rng(_seeds(settings)[1]), n=settings.matched)
    place = {word: row for row, word in enumerate(pool.words)}
    new = [word for word in wider.controls["matched"] if word not in vectors.key_to_index]
    rows = [place[word] for word in new]
    return with_words(vectors, new, pool.vectors[rows], pool.ranks[rows].tolist()), wider


def read_against(
    vectors: KeyedVectors,
    wordlist: WordList,
    lead: ModelResult,
    pool: Pool,
    *,
    settings: Settings,
    source: VectorsLike,
) -> Reference:
    """Place the contrasts of a list under its leading model, and compute the other measures."""
    own = replace(wordlist, controls=_baseline(wordlist, lead))
    held = {word: pool.found[word] for word in own.words if word in pool.found}
    controls = {word for words in own.controls.values() for word in words}
    held |= {word: vectors[word] for word in controls - held.keys() if word in vectors}
    known, present = replace(pool, found=held), words_present(own, held)
    table = distance_table(held, present)
    _, _, *seeds = _seeds(settings)
    n_lists = settings.reference_lists
    drawn = chain.from_iterable(
        draw_lists(known, present, vary=vary, match=match, n_lists=n_lists, rng=default_rng(seed))
        for (match, vary), seed in zip(REFERENCES.items(), seeds[1:], strict=True)
    )
    reference = list_contrasts(table, lead.spec, known, drawn, default_rng(seeds[0]))
    reference = reference[(reference[["first", "second"]] == [*HEADLINE]).all(axis=1)]
    match = (reference["list"] // n_lists).map(dict(enumerate(REFERENCES)))
    lists = reference.assign(list=reference["list"] % n_lists)
    headline = contrast_of(lead.contrasts, *HEADLINE)
    parts = {
        match: placed_among(headline, part) for match, part in lists.groupby(match, sort=False)
    }
    ranks = wordlist.to_frame()
    known_ranks = {**dict(zip(pool.words, pool.ranks.tolist(), strict=True)), **pool.found_ranks}
    ranks["rank"] = ranks["word"].map(known_ranks).astype("Int64")
    return Reference(
        placed=joined(parts, "match").drop(columns=["first", "second"]),
        lists=lists.assign(match=match)[["match", *lists.columns.drop(["first", "second"])]],
        ranks=ranks.dropna(subset="rank").reset_index(drop=True),
        **_other_measures(vectors, present, settings, source),
        n_words=len(pool.words),
    )


def baseline_rows(
    vectors: KeyedVectors, wordlist: WordList, lead: ModelResult, settings: Settings
) -> pd.DataFrame:
    """Return the contrasts of groups relative to each baseline of a list."""
    groups = {**wordlist.groups, **wordlist.baseline}
    table = distance_table(vectors, replace(wordlist, groups=groups, controls={}, baseline={}))
    reading = {**settings.chosen("ci_prob", "ci_kind"), "rope": lead.contrasts.attrs["rope"]}
    frames = [
        baseline_contrasts(table, name, options=settings.of_fit(progressbar=False), **reading)
        for name in wordlist.baseline
    ]
    return pd.concat(frames, ignore_index=True)


def _baseline(wordlist: WordList, lead: ModelResult) -> dict[str, tuple[str, ...]]:
    """Return the controls that contrasts of groups are relative to, if they are relative."""
    if not has_cells(lead.spec):
        return {}
    matched = {"matched": wordlist.controls.get("matched", ())}
    return matched if matched["matched"] else dict(wordlist.controls)


def _other_measures(
    vectors: KeyedVectors, wordlist: WordList, settings: Settings, source: VectorsLike
) -> dict[str, pd.DataFrame]:
    """Compute the scores of the groups that have stereotypes, and z among random words."""
    groups = {
        name: wordlist.groups[name] for name in wordlist.groups if name in wordlist.stereotypes
    }
    if len(groups) < 2:
        return {"scores": pd.DataFrame(), "relative": pd.DataFrame()}
    some = replace(wordlist, groups=groups)
    asked, rows = experiments([some]), []
    loading = settings.chosen("case", "allow_pickle", "progressbar")
    found = distributions(source, asked, **loading)
    for name, one in found.items():
        bias = one.relative_bias(asked[name].X, asked[name].Y, n_resamples=1)
        labels = asked[name].labels[:2]
        rows.append((*labels, bias.statistic, bias.z, bias.p_normal()))
    columns = ["first", "second", "statistic", "z", "p_normal"]
    scores = score_table(
        vectors, some, scores=SCORES, ci_prob=settings.ci_prob, seed=_seed(settings)
    )
    return {"scores": scores, "relative": pd.DataFrame(rows, columns=columns)}


def _seeds(settings: Settings) -> list[SeedSequence]:
    """Seeds of the pool, the matched controls, the sds and the reference lists.

    Without a number as the run's seed they are those of the seed 0, so that a list has the same
    controls whenever it is run.
    """
    return SeedSequence(_seed(settings)).spawn(3 + len(REFERENCES))


def _seed(settings: Settings) -> int:
    return settings.seed if isinstance(settings.seed, int) else 0
