"""A comparison as one function: two tables in, everything its report shows out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from .._core.arrays import FloatArray
from .._core.random import as_seed_sequence
from ..comparison import (
    alignment,
    band_shares,
    bias_before_after,
    changes,
    fit_change,
    mac_before_after,
    order_changes,
    pair,
    posterior_at,
    require_table_source,
    scores_before_after,
    turned_counts,
    unpaired,
)
from ..comparison.bias_checks import N_WORDS
from ..debias import DefiningSets
from ..embeddings.word_sets import WordVectors
from ..model.defaults import DEFAULT_MODELS
from ..model.tree import labels
from ..posterior.summaries import summary
from ..sampling.options import FitOptions
from ..tables.wordlists import WordList
from .results import OfModels, Result, Tell, noticed, read_any

if TYPE_CHECKING:
    from gensim.models import KeyedVectors
    from xarray import DataTree

ORDER = ("associated", "different")
"""The connections whose order is watched."""

FRAMES = ("changes", "orders", "contrasts", "alignment", "check", "scales")
"""Frames of a `ChangeResult` that are written, one row's model in its column ``model``."""


@dataclass(frozen=True)
class ChangeSettings(FitOptions):
    """How to fit and read a change: the options of a fit, and what the two tables are called.

    `models` are names or paths of models for changes; the last leads.
    """

    names: tuple[str, str] = ("before", "after")
    models: tuple[str, ...] = DEFAULT_MODELS["change"]


@dataclass(frozen=True, eq=False)
class Scored:
    """What single numbers before and after are computed from, besides the tables."""

    before: WordVectors
    after: WordVectors
    wordlist: WordList


@dataclass(frozen=True, eq=False)
class Searched:
    """Vocabularies in which `bias_before_after` looks for the bias of some sets."""

    before: KeyedVectors
    after: KeyedVectors
    sets: DefiningSets
    n_words: int = N_WORDS


@dataclass(frozen=True, eq=False, kw_only=True)
class ChangeResult(Result):
    """One model of the change, summaries of both ends, and frames as functions of their names give.

    ``orders`` and ``turned`` are of `order_changes` and `turned_counts`: an empty frame and None
    where a connection of ``ORDER`` is not in the tables.
    """

    changes: pd.DataFrame
    orders: pd.DataFrame
    alignment: pd.DataFrame
    before: pd.DataFrame
    after: pd.DataFrame
    turned: FloatArray | None


@dataclass(frozen=True, eq=False)
class ChangeAnalysis(OfModels[ChangeResult]):
    """All that is known about the change between two tables.

    `unpaired` are rows that have no partner, `results` by model, `bands` as `band_shares` gives
    them. `scores` are of `scores_before_after` or, without vectors, of `mac_before_after`;
    `remains` of `bias_before_after`, None without vocabularies to search. `notices` are all that
    the package warned of on the way, each once; `wordlist` is the name of the list that the
    tables were made with, if it is known.
    """

    settings: ChangeSettings
    before: pd.DataFrame
    after: pd.DataFrame
    unpaired: pd.DataFrame
    results: dict[str, ChangeResult]
    bands: pd.DataFrame
    scores: pd.DataFrame
    remains: pd.DataFrame | None
    notices: tuple[str, ...]
    wordlist: str = ""

    @property
    def frames(self) -> dict[str, pd.DataFrame | None]:
        """What is written as CSV, by the files' names."""
        own = {name: getattr(self, name) for name in ("unpaired", "bands", "scores", "remains")}
        of_models = {name: self.frame(name) for name in FRAMES}
        return {"pairs": pair(self.before, self.after).rows, **own, **of_models}


def analyse_change(
    before: pd.DataFrame,
    after: pd.DataFrame,
    settings: ChangeSettings,
    *,
    scored: Scored | None = None,
    searched: Searched | None = None,
    tell: Tell = lambda _: None,
) -> ChangeAnalysis:
    """Fit the change between two tables and read everything a report shows.

    `scored` is for scores that a table does not give, `searched` for whether the bias can be found
    again; `tell` receives every step before it runs.
    """
    if scored is not None:
        sources = {"before": scored.before, "after": scored.after}
        require_table_source({"before": before, "after": after}, sources, scored.wordlist)
    sequence = as_seed_sequence(settings.seed)
    results = {}
    with noticed() as notices:
        seeds = sequence.spawn(len(settings.models))
        for model, seed in zip(settings.models, seeds, strict=True):
            tell(f"fitting {model}")
            tree = fit_change(before, after, model, options=settings.of_fit(seed=seed))
            tell(f"reading {model}")
            results[str(tree.attrs["model"])] = read_change(tree, settings)
        tell("computing scores")
        bands = band_shares(before, after)
        if scored is None:
            scores = mac_before_after(before, after)
        else:
            of_vectors = (scored.before, scored.after, scored.wordlist)
            scores = scores_before_after(*of_vectors, ci_prob=settings.ci_prob, seed=0)
        remains = (
            None
            if searched is None
            else bias_before_after(
                searched.before, searched.after, searched.sets, n_words=searched.n_words, seed=1
            )
        )
    return ChangeAnalysis(
        settings=settings,
        before=before,
        after=after,
        unpaired=unpaired(before, after),
        results=results,
        bands=bands,
        scores=scores,
        remains=remains,
        notices=tuple(notices),
        wordlist="" if scored is None else scored.wordlist.name,
    )


def read_change(tree: DataTree, settings: ChangeSettings) -> ChangeResult:
    """Read everything a report shows from one posterior of a change."""
    intervals, reading = settings.intervals, settings.reading
    watched = set(ORDER) <= set(labels(tree, "connection"))
    return ChangeResult(
        changes=changes(tree, **reading),
        orders=order_changes(tree, *ORDER, **reading) if watched else pd.DataFrame(),
        alignment=alignment(tree, **intervals),
        before=summary(posterior_at(tree, "before"), **intervals),
        after=summary(posterior_at(tree, "after"), **intervals),
        turned=turned_counts(tree, *ORDER) if watched else None,
        **read_any(tree, settings),
    )
