"""The main analysis in one function: from vectors and a word list to everything in a report."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from .._core.arrays import one_thread
from .._core.display import stages
from .._core.warnings import BayesbiasWarning
from ..embeddings.distances import distance_table, missing_words, undersized_sets
from ..embeddings.load import VectorsLike, pick
from ..embeddings.registry import open_embedding
from ..model.spec import ModelSpec
from ..posterior.loo import compare_models
from ..records.base import Frames
from ..records.lists import ListRecord
from ..records.naming import naming_of
from ..report import list_page
from ..report.answer import Answer
from ..report.page import Page
from ..report.write_up import GIVEN, WriteUp, list_paper
from ..sampling.fit import fit
from ..tables.covariates import with_values
from ..tables.schema import table_hash
from ..tables.spellings import resolved_forms
from ..tables.wordlists import WordList, WordListLike, load_wordlist, refuse_lists
from ..warnings import UnreliableLoo
from .list_frames import (
    FRAMES,
    READINGS,
    about_frames,
    headline_frame,
    question_of,
    table_frames,
    words_frame,
)
from .reference import baseline_rows, matched_list, read_against, split_rows, vocabulary_pool
from .results import ModelAnalysis, ModelResult, Tell, fit_models, noticed, quietly, written_call
from .ruler import landmark_rows, landmark_words
from .settings import Settings, load_models, settings_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors
    from typing_extensions import TypeIs

    from ..background.reference_words import Pool
    from ..contextual import ContextualVectors

FOUND = ("headline", "pairs", "blocks", "leans", "split")
"""Frames of the record that are written with those of the models."""


@dataclass(frozen=True, repr=False)
class Analysis(ModelAnalysis):
    """All results about one word list in one embedding, displayed as a headline.

    `wordlist` includes the matched controls. `results` are keyed by model name, in the requested
    order; the last is the main one. `comparison` comes from `bayesbias.compare_models`, or is None
    for a single model. `reference` contains frames on reference lists and other measures; it is
    empty if no lists were drawn. `resolved_forms` maps words to the other forms in which they were
    found. `others` maps missing words to other forms in the embedding. `thin` comes from
    `bayesbias.undersized_sets`. For two groups, `split` has the parts of the overall contrast
    relative to each baseline (`bayesbias.posterior.splits`). `vectors_hash` is the SHA-256 of the
    words and vectors used, and `notices` are warnings. `since` lists changes since an earlier run,
    `baseline` comes from `bayesbias.baseline_contrasts`, and `call` is the code that repeats the
    analysis.
    """

    _frames: ClassVar[tuple[str, ...]] = ("table", "missing", "comparison", "since")
    _model_frames: ClassVar[tuple[str, ...]] = FRAMES

    wordlist: WordList
    settings: Settings
    table: pd.DataFrame
    missing: pd.DataFrame
    thin: pd.DataFrame
    resolved_forms: Mapping[str, str]
    others: Mapping[str, str]
    vectors_hash: str
    results: Mapping[str, ModelResult]
    comparison: pd.DataFrame | None = None
    notices: tuple[BayesbiasWarning, ...] = ()
    reference: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    since: pd.DataFrame | None = None
    call: str = "bb.analyze(...)"
    baseline: pd.DataFrame = field(default_factory=pd.DataFrame)
    split: pd.DataFrame = field(default_factory=pd.DataFrame)
    landmarks: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def frames(self) -> dict[str, pd.DataFrame | None]:
        """Frames to write as CSV, keyed by file name."""
        some = {"baseline": self.baseline, "landmarks": self.landmarks}
        some |= {name: self.found.frames[name] for name in FOUND}
        kept = {name: frame for name, frame in some.items() if len(frame)}
        return super().frames | kept | dict(self.reference)

    @cached_property
    def found(self) -> ListRecord:
        """What was found, as data: the headline's rows, the raw data behind it, and all frames."""
        lead, raw = self.lead, table_frames(self.table)
        names = (
            "table",
            "missing",
            "thin",
            "split",
            "comparison",
            "since",
            "baseline",
            "landmarks",
        )
        own = {name: getattr(self, name) for name in names}
        parts: dict[str, pd.DataFrame | Callable[[], pd.DataFrame]] = {
            **{name: frame for name, frame in own.items() if frame is not None},
            **raw,
            "headline": headline_frame(lead["contrasts"], lead["quantiles"]),
            "words": words_frame(self.wordlist, self.missing),
            **about_frames(self.wordlist, self.resolved_forms, self.others),
            "comparison": pd.DataFrame() if self.comparison is None else self.comparison,
            **{name: partial(self.frame, name) for name in FRAMES},
            **{name: partial(lead.__getitem__, name) for name in ("influence", "sizes", "listed")},
            **{name: partial(self.reference.__getitem__, name) for name in self.reference},
        }
        frequency = lead["contrasts"]["frequency"].iloc[0]
        return ListRecord(
            frames=Frames(parts),
            models=self.fitted,
            ci_prob=self.settings.ci_prob,
            rope=self.rope,
            notices=self.notices,
            hashes=self.hashes,
            name=self.wordlist.name,
            title=(self.wordlist.title or self.wordlist.name).partition(":")[0],
            embedding=self.settings.embedding,
            naming=naming_of(self.wordlist).of(self.table),
            question=question_of(raw["pairs"]),
            frequency_removed=str(frequency) == "equal",
        )

    @property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of the list, of the words and vectors used, and of the table."""
        return {
            "list": table_hash(self.wordlist.to_frame().drop(columns="group")),
            "vectors": self.vectors_hash,
            "table": self.posterior.attrs["table_hash"],
        }

    def page(self) -> Page:
        """Return the page of the report."""
        return list_page.page(self.found)

    @property
    def answer(self) -> Answer:
        """What pages, terminals, and notebooks lead with."""
        return list_page.list_answer(self.found)

    def write_up(self) -> WriteUp:
        """Write paragraphs for a paper, with references."""
        return list_paper(self.found, self.settings.recorded)

    def record(self) -> dict[str, Any]:
        """Return a record of where the numbers come from, with hashes for comparisons."""
        keys, models = ("method", "method_reason", "seed"), self.settings.models
        named = [one.name if isinstance(one, ModelSpec) else str(one) for one in models]
        return super().record() | {
            "list": self.wordlist.name,
            "arguments": {**self.settings.recorded, "models": named},
            "hashes": self.hashes,
            "fits": {
                model: {key: tree.attrs[key] for key in keys}
                for model, tree in self.posteriors.items()
            },
        }


def analyze(
    vectors: VectorsLike | ContextualVectors,
    wordlist: WordListLike,
    *,
    name: str = "",
    **settings: Any,  # noqa: ANN401
) -> Analysis:
    """Measure a word list in an embedding, fit models, and describe the results.

    Parameters
    ----------
    vectors : str, path, KeyedVectors, mapping, DataFrame, tuple, or ContextualVectors
        Vectors in any form that `bayesbias.load_vectors` accepts. Matched controls and reference
        lists are drawn from all words, so pass a whole embedding, or its name or path.
    wordlist : str, Path, mapping, or WordList
        A word list in any form that `bayesbias.load_wordlist` accepts.
    name : str
        Name of the embedding in reports. The default is the name or file name that you pass.
    **settings
        ``models``, as names, paths, or results of `bayesbias.load_model` (the last is the main one;
        the default is by-group); ``matched`` and ``reference_lists``, the numbers of control words
        per stereotype and of reference lists; ``ci_prob``, ``ci_kind``, and ``rope``; ``case``,
        ``strip_accents``, ``subwords``, ``key``, ``limit``, and ``allow_pickle``, as in
        `bayesbias.load_vectors`; ``max_missing``, as in `bayesbias.distance_table`;
        ``covariates``, as in `bayesbias.fit`; and fit options, such as ``seed`` and ``draws``.

    Returns
    -------
    Analysis
        The results, displayed as a headline, with ``table``, ``posterior``, ``contrasts``,
        ``plot()``, ``report(path)``, and ``write_up()``.

    Raises
    ------
    ValueError, FileNotFoundError
        If the word list or the vectors cannot be loaded.
    TypeError
        If a setting is unknown, or if the list is passed before the vectors.

    Examples
    --------
    >>> import bayesbias as bb
    >>> analysis = bb.analyze("glove-demo", "religion", reference_lists=0, matched=0, seed=1)
    >>> overall = analysis.contrasts.query("level == 'overall' and second == 'different'")
    >>> overall[["first", "second", "mean", "low", "high"]].round(2)
            first     second  mean   low  high
    0  associated  different -0.04 -0.09  0.01
    """
    refuse_lists("analyze(vectors, wordlist)", vectors)
    in_file = isinstance(vectors, str | os.PathLike)
    source = vectors if in_file or _in_contexts(vectors) else open_embedding(vectors)
    known = {"vectors": name or (str(vectors) if in_file else GIVEN), **settings}
    chosen = settings_of(Settings, known)
    with stages(shown=None if chosen.progressbar else False) as tell:
        (analysis,) = analyze_lists(source, [load_wordlist(wordlist)], chosen, tell=tell)
    settings = {**({"name": name} if name else {}), **settings}
    given = {"vectors": vectors, "wordlist": wordlist}
    return replace(analysis, call=written_call("bb.analyze", given, settings))


analyse = analyze  # the British spelling, an alias


def analyze_lists(
    source: VectorsLike | ContextualVectors,
    lists: Sequence[WordList],
    settings: Settings,
    *,
    tell: Tell | None = None,
) -> list[Analysis]:
    """Analyze word lists in one embedding; `analyze` calls this function.

    `tell` is called before each step, with a description of the step.
    """
    specs, tell = load_models(settings.models), tell or quietly
    words = list(dict.fromkeys(word for wordlist in lists for word in wordlist.words))
    with noticed() as read:
        vectors, pool = _vectors_and_pool(source, words, settings)
    exact = specs[-1].likelihood == "normal"
    tell("measuring landmarks")
    landmarks = _ruler(vectors, pool, specs[-1], settings) if pool and exact else pd.DataFrame()
    analyses = []
    for wordlist in lists:
        with one_thread(), noticed() as notices:
            known, wider = matched_list(vectors, wordlist, pool, settings)
            analysis = _analysis(known, wider, specs, settings, tell)
            tell("drawing reference lists")
            reference: Mapping[str, pd.DataFrame] = {}
            if pool and exact and settings.reference_lists and not settings.covariates:
                reference = read_against(analysis.lead, wider, known, pool, settings)
            split = pd.DataFrame()
            if not _in_contexts(known):
                split = split_rows(known, wider, analysis.lead, pool)
        analysis = replace(analysis, reference=reference, split=split, landmarks=landmarks)
        analyses.append(replace(analysis, notices=(*read, *notices)))
    return analyses


def _vectors_and_pool(
    source: VectorsLike | ContextualVectors, words: Sequence[str], settings: Settings
) -> tuple[KeyedVectors | ContextualVectors, Pool | None]:
    """Return the vectors of the words and landmarks, and the words from which controls are drawn.

    Words in contexts have no pool.
    """
    if _in_contexts(source):
        return source, None
    if settings.encoder:
        from ..contextual import contextual_vectors

        how = settings.chosen("layer", "pooling", "progressbar")
        return contextual_vectors(settings.encoder, words, settings.templates, **how), None
    opened = open_embedding(
        source, **settings.chosen("key", "limit", "allow_pickle", "progressbar")
    )
    asked = [*words, *landmark_words()]
    pool = vocabulary_pool(settings, words, opened, keep=asked)
    how = settings.chosen("strip_accents", "subwords")
    return pick(opened, asked, settings.case, **how), pool


def _ruler(vectors: KeyedVectors, pool: Pool, spec: ModelSpec, settings: Settings) -> pd.DataFrame:
    """Return the landmarks in this embedding; their warnings are not about the list."""
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return landmark_rows(vectors, pool, spec, settings, settings.matched)


def _analysis(
    vectors: KeyedVectors | ContextualVectors,
    wordlist: WordList,
    specs: Sequence[ModelSpec],
    settings: Settings,
    tell: Tell,
) -> Analysis:
    """Measure a list, fit every model, and read the posteriors."""
    options = settings.of_fit(progressbar=settings.progressbar and tell is quietly)
    asked = set(wordlist.words)
    tell("measuring distances")
    if _in_contexts(vectors):
        from ..contextual import contextual_table

        parts = [vectors.in_context(context) for context in vectors.contexts]
        table = contextual_table(vectors, wordlist, max_missing=settings.max_missing)
    else:
        parts = [vectors]
        table = distance_table(vectors, wordlist, **settings.chosen("embedding", "max_missing"))
    if settings.covariate_values:
        table = with_values(table, settings.covariate_values)
    how: dict[str, Any] = {"covariates": settings.covariates, "options": options}
    fits = [(spec.name, partial(fit, table, spec, **how)) for spec in specs]
    results, keyed, baseline = fit_models(fits, READINGS, settings, tell), parts[0], pd.DataFrame()
    if wordlist.baseline and not _in_contexts(vectors):
        baseline = baseline_rows(vectors, wordlist, list(results.values())[-1], settings)
    return Analysis(
        wordlist=wordlist,
        settings=settings,
        table=table,
        missing=missing_words(keyed, wordlist),
        thin=undersized_sets(keyed, wordlist),
        resolved_forms={w: form for w, form in resolved_forms(keyed).items() if w in asked},
        others={w: form for w, form in getattr(keyed, "others", {}).items() if w in asked},
        vectors_hash=_vectors_hash(parts, wordlist),
        results=results,
        comparison=_compared(table, results) if len(results) > 1 else None,
        baseline=baseline,
    )


def _compared(table: pd.DataFrame, results: Mapping[str, ModelResult]) -> pd.DataFrame:
    """Compare the models by leaving out whole attributes or, if that is impossible, rows.

    The column ``left_out`` says which. Rows with unreliable LOO are counted without a warning.
    """
    normal = all(one.spec.likelihood == "normal" for one in results.values())
    enough = table.groupby("connection", observed=True)["attribute"].nunique().gt(2).all()
    left_out = "attribute" if normal and enough else "row"
    posteriors = {name: one.posterior for name, one in results.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreliableLoo)
        return compare_models(posteriors, leave_out=left_out, seed=0).assign(left_out=left_out)


def _in_contexts(vectors: object) -> TypeIs[ContextualVectors]:
    """Return whether vectors are contextual, without importing their module."""
    return hasattr(vectors, "in_context")


def _vectors_hash(parts: Sequence[KeyedVectors], wordlist: WordList) -> str:
    """Return a SHA-256 of a list's words and vectors in all contexts, for all file formats."""
    digest = hashlib.sha256()
    for vectors in parts:
        for word in sorted(word for word in wordlist.words if word in vectors.key_to_index):
            row = np.ascontiguousarray(vectors[word], dtype="<f4")
            digest.update(word.encode() + b"\0" + row.tobytes())
    return digest.hexdigest()
