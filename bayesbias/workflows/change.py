"""A comparison as one function: two tables in, everything its report shows out."""

from __future__ import annotations

from collections.abc import Callable
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
    compare,
    mac_before_after,
    order_changes,
    posterior_at,
    require_table_source,
    scores_before_after,
    turned_counts,
    unpaired,
)
from ..comparison.bias_checks import N_WORDS
from ..debias import DefiningSets
from ..embeddings.word_sets import WordVectors
from ..model.spec import ModelSpec
from ..model.tree import labels, spec_of, warnings_of
from ..posterior.contrasts import contrasts
from ..posterior.predictive import check
from ..posterior.summaries import scales, summary
from ..sampling.options import FitOptions
from ..tables.wordlists import WordList
from .wordlist import OfModels, noticed

if TYPE_CHECKING:
    from gensim.models import KeyedVectors
    from xarray import DataTree

ORDER = ("associated", "different")
"""The connections whose order is watched."""


@dataclass(frozen=True)
class ChangeSettings(FitOptions):
    """How to fit and read a change: the options of a fit, and of what it is fitted to.

    Parameters
    ----------
    names : (str, str)
        What the two tables are called.
    model : str or None
        A model; None for ``change`` and, beside it, ``change-crossed``.
    """

    names: tuple[str, str] = ("before", "after")
    model: str | None = None


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


@dataclass(frozen=True, eq=False)
class ChangeResult:
    """One posterior of the change and the frames read from it.

    Parameters
    ----------
    spec : ModelSpec
    posterior : DataTree
        As `compare` gives it.
    changes, contrasts, orders, alignment, check, scales : DataFrame
        As the functions of these names give them (`order_changes` for the orders); ``orders`` is
        empty where a connection of ``ORDER`` is not in the tables.
    before, after : DataFrame
        Summaries of both ends.
    turned : (n_draws,) float or None
        As `turned_counts` gives it.
    warnings : tuple of str
    """

    spec: ModelSpec
    posterior: DataTree
    changes: pd.DataFrame
    contrasts: pd.DataFrame
    orders: pd.DataFrame
    alignment: pd.DataFrame
    check: pd.DataFrame
    scales: pd.DataFrame
    before: pd.DataFrame
    after: pd.DataFrame
    turned: FloatArray | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ChangeAnalysis(OfModels):
    """All that is known about the change between two tables.

    Parameters
    ----------
    settings : ChangeSettings
    before, after : DataFrame
        The tables.
    unpaired : DataFrame
        Rows that have no partner.
    results : dict of str to ChangeResult
        By model; detailed figures are drawn from the first.
    bands : DataFrame
        As `band_shares` gives it.
    scores : DataFrame
        As `scores_before_after` or, without vectors, `mac_before_after` gives it.
    remains : DataFrame or None
        As `bias_before_after` gives it; None without vocabularies to search.
    notices : tuple of str
        All that the package warned of on the way, each once.
    wordlist : str
        Name of the list that the tables were made with; empty if it is not known.
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
    def lead(self) -> ChangeResult:
        """The result that detailed figures are drawn from: the first."""
        return next(iter(self.results.values()))


def analyse_change(
    before: pd.DataFrame,
    after: pd.DataFrame,
    settings: ChangeSettings,
    *,
    scored: Scored | None = None,
    searched: Searched | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> ChangeAnalysis:
    """Fit the change between two tables and read everything a report shows.

    Parameters
    ----------
    before, after : DataFrame
        Long-form tables.
    settings : ChangeSettings
    scored : Scored, optional
        Vectors and a word list, for scores that a table does not give.
    searched : Searched, optional
        Vocabularies, for whether the bias can be found again.
    tell : function of str, optional
        Told of every step before it is taken.

    Raises
    ------
    ValueError
        As `compare` does; or if the tables are not of the words and vectors of `scored`.
    """
    _require_table_source(before, after, scored)
    sequence = as_seed_sequence(settings.seed)
    models: list[str | None] = [settings.model] if settings.model else ["change", "change-crossed"]
    results = {}
    with noticed() as notices:
        for model, seed in zip(models, sequence.spawn(len(models)), strict=True):
            tell(f"fitting {model}")
            tree = compare(before, after, model, options=settings.of_fit(seed=seed))
            tell(f"reading {model}")
            results[str(tree.attrs["model"])] = read_change(tree, settings)
        tell("computing scores")
        bands = band_shares(before, after)
        scores = _scores(before, after, settings, scored)
        remains = _remains(searched)
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
        spec=spec_of(tree),
        posterior=tree,
        changes=changes(tree, **reading),
        contrasts=contrasts(tree, **reading),
        orders=order_changes(tree, *ORDER, **reading) if watched else pd.DataFrame(),
        alignment=alignment(tree, **intervals),
        check=check(tree, sorted({0.5, settings.ci_prob}), ci_kind=settings.ci_kind),
        scales=scales(tree, **intervals),
        before=summary(posterior_at(tree, "before"), **intervals),
        after=summary(posterior_at(tree, "after"), **intervals),
        turned=turned_counts(tree, *ORDER) if watched else None,
        warnings=tuple(warnings_of(tree)),
    )


def _require_table_source(before: pd.DataFrame, after: pd.DataFrame, scored: Scored | None) -> None:
    if scored is not None:
        tables = {"before": before, "after": after}
        require_table_source(
            tables, {"before": scored.before, "after": scored.after}, scored.wordlist
        )


def _scores(
    before: pd.DataFrame, after: pd.DataFrame, settings: ChangeSettings, scored: Scored | None
) -> pd.DataFrame:
    if scored is None:
        return mac_before_after(before, after)
    return scores_before_after(
        scored.before, scored.after, scored.wordlist, ci_prob=settings.ci_prob, seed=0
    )


def _remains(searched: Searched | None) -> pd.DataFrame | None:
    if searched is None:
        return None
    return bias_before_after(
        searched.before, searched.after, searched.sets, n_words=searched.n_words, seed=1
    )
