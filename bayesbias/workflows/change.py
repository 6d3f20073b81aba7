"""The analysis of a change in one function: from two tables or embeddings to a report."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import pandas as pd

from .. import comparison, debias
from .._core.checks import Argument, ArgumentError, unknown_name
from .._core.random import as_seed_sequence
from .._core.warnings import BayesbiasWarning, warn
from ..comparison.before_after import load_frequent, warn_if_only_listed_changed
from ..debias import DefiningSets, load_defining_sets
from ..embeddings.distances import distance_table, missing_words, undersized_sets
from ..embeddings.load import VectorsLike, load_vectors
from ..model.defaults import RECOMMENDED
from ..model.frequency import MATCHED
from ..model.spec import load_model
from ..model.tree import labels
from ..posterior.contrasts import contrasts
from ..posterior.summaries import sd_summary
from ..records.base import Frames
from ..records.changes import ChangeRecord
from ..records.naming import names_in, naming_of
from ..report import change_page
from ..report.answer import Answer
from ..report.page import Page
from ..report.write_up import WriteUp, change_paper
from ..sampling.options import FitOptions
from ..tables.schema import COLUMNS, STEREOTYPES
from ..tables.word_pairs import word_pairs
from ..tables.wordlists import WordList, WordListLike, load_wordlist, refuse_lists
from ..warnings import MissingWords, SameVectors, ThinSet
from .change_frames import change_leans, change_quantiles, end_frames, pairing_text
from .reference import matched_list, vocabulary_pool
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
from .ruler import landmark_rows, landmark_words
from .settings import ChangeSettings, Settings, settings_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors
    from xarray import DataTree

FRAMES = ("changes", "orders", "contrasts", "alignment", "check", "scales")
"""Frames that are written for each model, with the model's name in the column ``model``."""


def _if_ordered(read: Reading) -> Reading:
    """Return a function that reads a frame, or an empty one if a connection is missing."""

    def read_order(tree: DataTree, options: FitOptions) -> pd.DataFrame:
        present = set(STEREOTYPES) <= set(labels(tree, "connection"))
        return read(tree, options) if present else pd.DataFrame()

    return read_order


READINGS: Readings = {
    "changes": lambda tree, options: comparison.changes(tree, **options.reading),
    "orders": _if_ordered(
        lambda tree, options: comparison.order_changes(tree, *STEREOTYPES, **options.reading)
    ),
    "contrasts": lambda tree, options: contrasts(tree, **options.reading),
    "dots": _if_ordered(lambda tree, _: change_quantiles(tree)),
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
    `notices` are warnings, `method` is the name of a debiasing method, if there is one, `landmarks`
    are the ruler of pages, and `call` repeats the analysis.
    """

    _frames: ClassVar[tuple[str, ...]] = ("pairs", "unpaired", "bands", "scores", "remains")
    _model_frames: ClassVar[tuple[str, ...]] = FRAMES

    settings: ChangeSettings
    before: pd.DataFrame
    after: pd.DataFrame
    unpaired: pd.DataFrame
    results: dict[str, ModelResult]
    bands: pd.DataFrame
    scores: pd.DataFrame
    remains: pd.DataFrame | None
    notices: tuple[BayesbiasWarning, ...]
    wordlist: WordList | None = None
    method: str = ""
    landmarks: pd.DataFrame = field(default_factory=pd.DataFrame)
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

    @property
    def frames(self) -> dict[str, pd.DataFrame | None]:
        """Frames to write as CSV, keyed by file name."""
        some = {name: self.found.frames[name] for name in ("before_after", "removed", "leans")}
        some["landmarks"] = self.landmarks
        return super().frames | {name: frame for name, frame in some.items() if len(frame)}

    @cached_property
    def found(self) -> ChangeRecord:
        """What was found, as data: the difference before, after, and removed, and all frames."""
        ends, removed = end_frames(self.lead)
        naming = naming_of(self.wordlist) if self.wordlist else names_in(self.before)
        remains = pd.DataFrame() if self.remains is None else self.remains
        parts: dict[str, pd.DataFrame | Callable[[], pd.DataFrame]] = {
            **{"table_before": self.before, "table_after": self.after, "bands": self.bands},
            **{"scores": self.scores, "remains": remains, "landmarks": self.landmarks},
            **{"before_after": ends, "removed": removed, "changes": self.changes},
            "leans": change_leans(self.before, self.after, naming),
            "word_pairs": word_pairs(self.before),
            **{name: partial(self.frame, name) for name in ("check", "orders")},
        }
        return ChangeRecord(
            frames=Frames(parts),
            models=self.fitted,
            ci_prob=self.settings.ci_prob,
            rope=float(self.changes.attrs["rope"]),
            notices=self.notices,
            hashes=self.hashes,
            name=self.wordlist.name if self.wordlist else "",
            title=self.wordlist.title.partition(":")[0] if self.wordlist else "",
            before=self.names[0],
            after=self.names[1],
            method=self.method,
            naming=naming.of(self.before),
            pairing=pairing_text(self.posterior.attrs),
        )

    @property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of the paired rows."""
        return {"pairs": self.posterior.attrs["table_hash"]}

    def page(self) -> Page:
        """Return the page of the report."""
        return change_page.page(self.found)

    @property
    def answer(self) -> Answer:
        """What pages, terminals, and notebooks lead with."""
        return change_page.change_answer(self.found)

    def write_up(self) -> WriteUp:
        """Write paragraphs for a paper, with references."""
        return change_paper(self.found)

    def record(self) -> dict[str, Any]:
        """Return a record of where the numbers come from."""
        return super().record() | {"hashes": self.hashes}


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
        Defining sets whose bias the analysis tries to recover before and after the change; by
        default, those with the same name as the list, if there are any.
    tell : callable, optional
        A function that is called before each step, with a description of the step.
    **settings
        ``models`` for changes (the last is the main one); ``names`` for `before` and `after`;
        ``ci_prob``, ``ci_kind``, and ``rope``; ``case`` and ``allow_pickle``, as in `load_vectors`;
        ``matched``, the number of control words to draw for each stereotype, so that distances are
        at equal frequency; ``recover_words``; ``drop_duplicates``; and fit options, such as
        ``seed``.

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
    associated  0.01 -0.00  0.03     0.24
    different  -0.03 -0.04 -0.01     0.80
    neutral    -0.00 -0.01  0.00     0.00
    human      -0.00 -0.01  0.01     0.01
    matched    -0.00 -0.01  0.00     0.00
    """
    refuse_lists("analyze_change(before, after, wordlist)", before, after)
    known = settings_of(ChangeSettings, settings)
    words = None if wordlist is None else load_wordlist(wordlist)
    ends = _read_ends(before, after, words, sets, known)
    known, (one, two) = replace(known, names=ends.names or known.names), ends.tables
    options = known.of_fit(progressbar=known.progressbar and tell is None)
    tell = tell or quietly
    with noticed() as notices:
        if words is not None and ends.held:
            _warn_if_incomplete(ends.held[0], words)
            pickle = known.allow_pickle
            first, second = ends.sources
            warn_if_only_listed_changed(first, second, words.words, allow_pickle=pickle)
        seeds = as_seed_sequence(known.seed).spawn(len(known.models))
        fit = partial(comparison.fit_change, drop_duplicates=known.drop_duplicates)
        fits = [
            (model, partial(fit, one, two, model, options=options.of_fit(seed=seed)))
            for model, seed in zip(known.models, seeds, strict=True)
        ]
        results = fit_models(fits, READINGS, known, tell)
        tell("computing scores and what can be recovered")
        scores, remains = _scores(ends, words, known), _remains(ends, words, recover, known)
    tell("measuring landmarks")
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
        wordlist=words,
        method=str(after) if ends.held and str(after) in debias.DEBIASING_METHODS else "",
        landmarks=_ruler(ends, known),
        call=written_call("bb.analyze_change", given, settings),
    )


class _Ends(NamedTuple):
    """Both ends of a change: their tables and, for embeddings, names, sources, and vectors."""

    tables: tuple[pd.DataFrame, pd.DataFrame]
    names: tuple[str, str] | None = None
    sources: tuple[VectorsLike, ...] = ()
    held: tuple[KeyedVectors, ...] = ()


def _read_ends(
    before: Any,  # noqa: ANN401
    after: Any,  # noqa: ANN401
    words: WordList | None,
    sets: str | Path | DefiningSets | None,
    known: ChangeSettings,
) -> _Ends:
    """Return two tables as they are, or measure the list in two embeddings, one pass for each."""
    if _is_table(before) and _is_table(after):
        return _Ends((before, after))
    if _is_table(before) or _is_table(after):
        raise TypeError("before and after must be two tables or two embeddings; got one table")
    if words is None:
        raise TypeError("vectors need a word list; pass one as wordlist")
    loading: dict[str, Any] = {"allow_pickle": known.allow_pickle, "progressbar": known.progressbar}
    sources = before, _debiased(before, after, words, sets, **loading)
    asked = [*words.words, *landmark_words()]
    one = load_vectors(sources[0], asked, known.case, **loading)
    one, wider = _matched(one, words, sources[0], known)
    controls = wider.controls.get(MATCHED, ())
    two = load_vectors(sources[1], [*asked, *controls], known.case, **loading)
    if controls:
        both = tuple(word for word in controls if word in two)
        wider = replace(wider, controls={**wider.controls, MATCHED: both})
    names = known.names or (_name(before), _name(after))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SameVectors)  # fitting repeats them
        tables = (
            distance_table(one, wider, embedding=names[0]),
            distance_table(two, wider, embedding=names[1]),
        )
    return _Ends(tables, names, sources, (one, two))


def _matched(
    vectors: KeyedVectors, words: WordList, source: VectorsLike, known: ChangeSettings
) -> tuple[KeyedVectors, WordList]:
    """Add matched controls from the embedding before the change, as for a single list."""
    chosen = {name: getattr(known, name) for name in ("case", "allow_pickle", "progressbar")}
    settings = Settings(matched=known.matched, reference_lists=0, **chosen)
    pool = vocabulary_pool(settings, words.words, source)
    return matched_list(vectors, words, pool, settings)


def _scores(ends: _Ends, words: WordList | None, known: ChangeSettings) -> pd.DataFrame:
    """Compute scores before and after; for tables without vectors, only MAC."""
    if words is None or not ends.held:
        return comparison.mac_before_after(*ends.tables)
    first, second = ends.held
    return comparison.scores_before_after(first, second, words, ci_prob=known.ci_prob, seed=0)


def _remains(
    ends: _Ends,
    words: WordList | None,
    recover: str | Path | DefiningSets | None,
    known: ChangeSettings,
) -> pd.DataFrame | None:
    """Check which bias can be recovered, with defining sets named like the list by default."""
    if recover is None and words is not None and words.name in debias.defining_sets():
        recover = words.name
    if recover is None or not ends.sources:
        return None
    lists = load_defining_sets(recover)
    loading: dict[str, Any] = {"allow_pickle": known.allow_pickle, "progressbar": False}
    first, second = (load_frequent(source, lists, **loading) for source in ends.sources)
    return comparison.bias_before_after(first, second, lists, n_words=known.recover_words, seed=1)


def _ruler(ends: _Ends, known: ChangeSettings) -> pd.DataFrame:
    """Return the landmarks in the embedding before the change."""
    if not ends.held:
        return pd.DataFrame()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return landmark_rows(ends.held[0], None, load_model(RECOMMENDED["distance"]), known)


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
