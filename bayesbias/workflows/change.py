"""The analysis of a change in one function: from two tables or embeddings to a report."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from .. import comparison, debias
from .._core.checks import Argument, ArgumentError, unknown_name
from .._core.intervals import describe_draws
from .._core.notices import MissingWords, SameVectors, ThinSet
from .._core.random import as_seed_sequence
from .._core.warnings import BayesbiasWarning, warn
from ..comparison.before_after import load_frequent, warn_if_only_listed_changed
from ..debias import DefiningSets, load_defining_sets
from ..embeddings.distances import distance_table, missing_words, undersized_sets
from ..embeddings.load import VectorsLike, load_vectors
from ..model.tree import labels
from ..posterior.contrasts import contrasts
from ..posterior.summaries import sd_summary
from ..report import change_page
from ..report.headline import ORDER
from ..sampling.options import FitOptions
from ..tables.schema import COLUMNS
from ..tables.wordlists import WordList, WordListLike, load_wordlist, refuse_lists
from .results import (
    ModelAnalysis,
    ModelResult,
    Reading,
    Readings,
    Tell,
    fit_models,
    noticed,
    predictive_coverage,
    quietly,
    written_call,
)
from .settings import ChangeSettings, settings_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors
    from xarray import DataTree

FRAMES = ("changes", "orders", "contrasts", "alignment", "check", "scales")
"""Frames that are written for each model, with the model's name in the column ``model``."""


def _if_ordered(read: Reading) -> Reading:
    """Return a function that reads ``ORDER``, or an empty frame if a connection is missing."""

    def read_order(tree: DataTree, options: FitOptions) -> pd.DataFrame:
        present = set(ORDER) <= set(labels(tree, "connection"))
        return read(tree, options) if present else pd.DataFrame()

    return read_order


READINGS: Readings = {
    "changes": lambda tree, options: comparison.changes(tree, **options.reading),
    "orders": _if_ordered(
        lambda tree, options: comparison.order_changes(tree, *ORDER, **options.reading)
    ),
    "turned": _if_ordered(
        lambda tree, options: describe_draws(
            comparison.turned_counts(tree, *ORDER)[:, None], **options.intervals
        )
    ),
    "contrasts": lambda tree, options: contrasts(tree, **options.reading),
    "alignment": lambda tree, options: comparison.alignment(tree, **options.intervals),
    "check": predictive_coverage,
    "scales": lambda tree, options: sd_summary(tree, **options.intervals),
}
"""Functions that read frames from the posterior of a change."""


@dataclass(frozen=True, eq=False, repr=False)
class ChangeAnalysis(ModelAnalysis):
    """All results about the change between two tables, displayed as a headline.

    `before` and `after` are the distances; `unpaired` contains rows without a partner. `results`
    are keyed by model name; the last model is the main one. `bands` comes from
    `comparison.band_shares`. `scores` comes from `scores_before_after`, or from `mac_before_after`
    if there are no vectors. `remains` comes from `bias_before_after`, or is None without `recover`.
    `notices` are warnings, `wordlist` is the list's name, and `call` repeats the analysis.
    """

    _frames: ClassVar[tuple[str, ...]] = ("pairs", "unpaired", "bands", "scores", "remains")
    _model_frames: ClassVar[tuple[str, ...]] = FRAMES
    _pages: ClassVar[Any] = change_page

    settings: ChangeSettings
    before: pd.DataFrame
    after: pd.DataFrame
    unpaired: pd.DataFrame
    results: dict[str, ModelResult]
    bands: pd.DataFrame
    scores: pd.DataFrame
    remains: pd.DataFrame | None
    notices: tuple[BayesbiasWarning, ...]
    wordlist: str = ""
    call: str = "bb.analyze_change(...)"

    @property
    def changes(self) -> pd.DataFrame:
        """How far each kind of attribute moved, as returned by `bayesbias.comparison.changes`."""
        return self.lead["changes"]

    @property
    def names(self) -> tuple[str, str]:
        """Names of the embeddings or tables before and after."""
        return self.settings.names or ("before", "after")

    @property
    def pairs(self) -> pd.DataFrame:
        """The matched rows before and after the change."""
        return comparison.pair(self.before, self.after).rows

    def record(self) -> dict[str, Any]:
        """Return a record of where the numbers come from."""
        return super().record() | {"hashes": {"pairs": self.posterior.attrs["table_hash"]}}


def analyze_change(
    before: pd.DataFrame | VectorsLike,
    after: pd.DataFrame | VectorsLike,
    wordlist: WordListLike | None = None,
    *,
    sets: str | Path | DefiningSets | None = None,
    recover: str | Path | DefiningSets | None = None,
    tell: Tell | None = None,
    **settings: Any,  # noqa: ANN401
) -> ChangeAnalysis:
    """Model and describe how a word list's distances change between two embeddings.

    Parameters
    ----------
    before, after : str, path, KeyedVectors, mapping, DataFrame, or tuple
        Vectors in any form that `bayesbias.load_vectors` accepts, or two long-form tables. `after`
        may also be the name of a debiasing method, such as ``"hard"``, to apply to `before`.
    wordlist : str, Path, mapping, or WordList, optional
        Required for vectors.
    sets : str, Path, or DefiningSets, optional
        Defining sets for a debiasing method; by default, those with the same name as the list.
    recover : str, Path, or DefiningSets, optional
        Defining sets whose bias the analysis tries to recover before and after the change.
    tell : callable, optional
        A function that is called before each step, with a description of the step.
    **settings
        ``models`` for changes (the last is the main one); ``names`` for `before` and `after`;
        ``ci_prob``, ``ci_kind``, and ``rope``; ``case`` and ``allow_pickle``, as in `load_vectors`;
        ``recover_words``; ``drop_duplicates``; and fit options, such as ``seed``.

    Returns
    -------
    ChangeAnalysis
        The results, displayed as a headline, with ``changes``, ``contrasts``, ``scores``,
        ``plot()``, ``report(path)``, and ``write_up()``.

    Examples
    --------
    >>> import bayesbias as bb
    >>> change = bb.analyze_change("glove-demo", "hard", "gender", seed=1)
    >>> overall = change.changes.query("level == 'overall'").set_index("connection")
    >>> overall[["mean", "low", "high", "p_moved"]].round(2)
                mean   low  high  p_moved
    connection
    associated  0.02  0.00  0.03     0.38
    different  -0.03 -0.05 -0.01     0.86
    neutral    -0.00 -0.00  0.00     0.00
    human      -0.00 -0.02  0.01     0.02
    """
    refuse_lists("analyze_change(before, after, wordlist)", before, after)
    known = settings_of(ChangeSettings, settings)
    words = None if wordlist is None else load_wordlist(wordlist)
    loading: dict[str, Any] = {"allow_pickle": known.allow_pickle, "progressbar": known.progressbar}
    sources: list[VectorsLike] = []
    held: list[KeyedVectors] = []
    tables: list[Any] = [before, after]
    if not all(map(_is_table, tables)):
        if any(map(_is_table, tables)):
            raise TypeError("before and after must be two tables or two embeddings; got one table")
        if words is None:
            raise TypeError("vectors need a word list; pass one as wordlist")
        names = known.names or (_name(before), _name(after))
        known = replace(known, names=names)
        sources = [before, _debiased(before, after, words, sets, **loading)]
        held = [load_vectors(source, words, known.case, **loading) for source in sources]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SameVectors)  # fitting repeats them
            ends = zip(held, names, strict=True)
            tables = [distance_table(vectors, words, embedding=name) for vectors, name in ends]
    one, two = tables
    options = known.of_fit(progressbar=known.progressbar and tell is None)
    tell, remains = tell or quietly, None
    with noticed() as notices:
        if words is not None and held:
            _warn_if_incomplete(held[0], words)
            warn_if_only_listed_changed(
                sources[0], sources[1], words.words, allow_pickle=known.allow_pickle
            )
        seeds = as_seed_sequence(known.seed).spawn(len(known.models))
        fit = partial(comparison.fit_change, drop_duplicates=known.drop_duplicates)
        fits = [
            (model, partial(fit, one, two, model, options=options.of_fit(seed=seed)))
            for model, seed in zip(known.models, seeds, strict=True)
        ]
        results = fit_models(fits, READINGS, known, tell)
        tell("computing scores")
        if words is not None and held:
            how: dict[str, Any] = {"ci_prob": known.ci_prob, "seed": 0}
            scores = comparison.scores_before_after(held[0], held[1], words, **how)
        else:
            scores = comparison.mac_before_after(one, two)
        if recover is not None and sources:
            lists, n_words = load_defining_sets(recover), known.recover_words
            first, second = (load_frequent(source, lists, **loading) for source in sources)
            remains = comparison.bias_before_after(first, second, lists, n_words=n_words, seed=1)
    given = {"before": before, "after": after, "wordlist": wordlist}
    return ChangeAnalysis(
        settings=known,
        before=one,
        after=two,
        unpaired=comparison.pair(one, two).unpaired,
        results=results,
        bands=comparison.band_shares(one, two),
        scores=scores,
        remains=remains,
        notices=tuple(notices),
        wordlist=words.name if words else "",
        call=written_call("bb.analyze_change", given, settings),
    )


def _warn_if_incomplete(vectors: KeyedVectors, wordlist: WordList) -> None:
    """Warn about missing protected words and stereotypes, and about depleted sets."""
    lost, thin = missing_words(vectors, wordlist), undersized_sets(vectors, wordlist)
    if words := lost["word"][lost["role"] != "control"].unique().tolist():
        why = "they are not in the embedding before the change"
        warn(MissingWords(len(words), len(wordlist.words), "word", why, tuple(words)))
    for name, found, n in zip(thin["set"], thin["found"], thin["words"], strict=True):
        warn(ThinSet(name, int(found), int(n)))


def _is_table(end: object) -> bool:
    return isinstance(end, pd.DataFrame) and set(COLUMNS) <= {*end}


def _name(source: object) -> str:
    return Path(source).name if isinstance(source, str | os.PathLike) else "vectors"


def _debiased(
    before: VectorsLike,
    after: VectorsLike,
    words: WordList,
    sets: str | Path | DefiningSets | None,
    **loading: Any,  # noqa: ANN401
) -> VectorsLike:
    """If `after` names a debiasing method, apply it to `before`; otherwise, return `after`."""
    if not isinstance(after, str):
        return after
    methods, path = debias.DEBIASING_METHODS, Path(after)
    if after not in methods:
        if get_close_matches(after, methods) and not (path.exists() or path.suffix):
            raise ValueError(unknown_name("embedding or debiasing method", after, methods))
        return after
    if sets is None and words.name not in (known := debias.defining_sets()):
        text = (
            f"no defining sets are called {words.name!r}; pass one of {', '.join(known)}, or a "
            "file with pairs of words (see bayesbias docs debiasing),"
        )
        raise ArgumentError(f"{text} as ", Argument("sets"))
    method: Callable[..., KeyedVectors] = getattr(debias, after)
    return method(load_vectors(before, **loading), words.name if sets is None else sets)
