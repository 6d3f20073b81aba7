"""The main analysis in one function: from vectors and a word list to everything in a report."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from .._core.arrays import one_thread
from .._core.display import stages
from .._core.warnings import ignored
from ..embeddings.load import VectorsLike
from ..embeddings.registry import open_embedding
from ..model.spec import ModelSpec
from ..posterior.loo import compare_models
from ..records.found import Frames, ListRecord, Without
from ..records.naming import GIVEN, naming_of
from ..sampling.fit import fit_checked
from ..tables.schema import table_hash
from ..tables.wordlists import WordList, WordListLike, load_wordlist, refuse_lists
from ..warnings import UnreliableLoo
from .frames import LIST_READINGS, list_frames, question_of
from .model_texts import run_fields
from .reference import (
    Held,
    baseline_rows,
    in_contexts,
    published_scores,
    read_against,
    read_source,
    split_rows,
)
from .results import Fitted, ModelResult, Tell, fit_models, noticed, quietly, written_call
from .ruler import of_same_measure
from .settings import NamedSettings, Settings, load_models, settings_of

if TYPE_CHECKING:
    from .._core.warnings import BayesbiasWarning
    from ..contextual import ContextualVectors


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(Fitted):
    """All results about one word list in one embedding, displayed as a headline.

    The frames of the record `found` are attributes, such as ``table``, ``missing``, ``thin``, and,
    for two groups, ``split``, the parts of the overall contrast relative to each baseline.
    `results` are keyed by model name, in the requested order; the last is the main one. `wordlist`
    includes the matched controls.
    """

    found: ListRecord
    results: Mapping[str, ModelResult]
    settings: Settings
    wordlist: WordList
    call: str = "bb.analyze(...)"

    @property
    def contrasts(self) -> pd.DataFrame:
        """Contrasts under the main model, as `bayesbias.contrasts` returns them."""
        return self.lead["contrasts"]


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
        ``cache=True``, to keep a copy of a text file that opens at once in the user's cache folder;
        ``covariates``, as in `bayesbias.fit`, with ``covariate_values``, the path of a CSV file
        whose first column contains words; and fit options, such as ``seed`` and ``draws``.

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
    source = vectors if in_file or in_contexts(vectors) else open_embedding(vectors)
    known = {"vectors": name or (str(vectors) if in_file else GIVEN), **settings}
    chosen = settings_of(NamedSettings if name else Settings, known)
    if in_contexts(source):
        replace(chosen, vectors=Settings.vectors).refuse_of_vectors()
    with stages(shown=None if chosen.progressbar else False) as tell:
        (analysis,) = analyze_lists(source, [load_wordlist(wordlist)], chosen, tell=tell)
    settings = {**({"name": name} if name else {}), **settings}
    given = {"vectors": vectors, "wordlist": wordlist}
    return replace(analysis, call=written_call("bb.analyze", given, settings))


analyse = analyze  # the British spelling, an alias


def analyze_lists(
    vectors: VectorsLike | ContextualVectors,
    lists: Sequence[WordList],
    settings: Settings,
    *,
    tell: Tell = quietly,
) -> list[Analysis]:
    """Analyze word lists in one embedding, from words to records; `analyze` calls this function.

    Each stage takes what the stages before it made. `tell` is called before the longer ones, with a
    description of the stage.
    """
    specs = load_models(settings.models)
    with noticed() as read:
        source = read_source(vectors, lists, settings)
    analyses, landmarks = [], None
    for wordlist in lists:
        with one_thread(), noticed() as notices:
            tell("measuring distances")
            held = source.read(wordlist)
            if landmarks is None:  # they are the same for all lists
                landmarks = source.landmarks(held, specs[-1])
            held = held.matched()
            table = held.measured()
            shown = settings.progressbar and tell is quietly
            how: dict[str, Any] = {"options": settings.of_fit(progressbar=shown)}
            how["covariates"] = settings.covariates
            fits = {spec.name: partial(fit_checked, table, spec, **how) for spec in specs}
            results = fit_models(fits, LIST_READINGS, settings, tell)
            tell("drawing reference lists")
            lead = results[specs[-1].name]
            reference, without = read_against(held, lead)
            compared = {
                "landmarks": of_same_measure(landmarks, [lead["contrasts"]]),
                "scores": partial(published_scores, held),
                "comparison": _compared(table.rows, results),
                "baseline": baseline_rows(held, lead),
                "split": split_rows(held, lead),
            }
            frames = list_frames(results, table.rows, held.wordlist, held.of_words())
        frames = frames | compared | reference
        record = _record(frames, held, results, notices=(*read, *notices), without=without)
        record = replace(record, n_entries=len(wordlist.to_frame()))
        analyses.append(Analysis(record, results, settings, held.wordlist))
    return analyses


def _compared(table: pd.DataFrame, results: Mapping[str, ModelResult]) -> pd.DataFrame:
    """Compare models by leaving out attributes or, if impossible, rows (see ``left_out``)."""
    if len(results) < 2:
        return pd.DataFrame()
    normal = all(one.spec.likelihood == "normal" for one in results.values())
    enough = table.groupby("connection", observed=True)["attribute"].nunique().gt(2).all()
    left_out = "attribute" if normal and enough else "row"
    posteriors = {name: one.posterior for name, one in results.items()}
    with ignored(UnreliableLoo):
        return compare_models(posteriors, leave_out=left_out, seed=0).assign(left_out=left_out)


def _record(
    frames: Frames,
    held: Held,
    results: Mapping[str, ModelResult],
    *,
    notices: Sequence[BayesbiasWarning],
    without: Without | None,
) -> ListRecord:
    """Return what was found, as data."""
    lead, wordlist, settings = [*results.values()][-1], held.wordlist, held.settings
    hashes = {
        "list": table_hash(wordlist.to_frame().drop(columns="group")),
        "vectors": held.hash(),
        "table": lead.posterior.attrs["table_hash"],
    }
    models = [one.name if isinstance(one, ModelSpec) else str(one) for one in settings.models]
    origin = {
        "list": wordlist.name,
        "arguments": {**settings.recorded, "models": models},
        "fits": {
            name: {key: one.posterior.attrs[key] for key in ("method", "method_reason", "seed")}
            for name, one in results.items()
        },
    }
    return ListRecord(
        **run_fields(results, settings, notices, hashes, **origin),
        frames=frames,
        rope=float(lead["contrasts"].attrs["rope"]),
        name=wordlist.name,
        title=(wordlist.title or wordlist.name).partition(":")[0],
        embedding=settings.embedding,
        naming=naming_of(wordlist).of(frames["table"]),
        question=question_of(frames["pairs"], lead["contrasts"]),
        frequency_removed=str(lead["contrasts"]["frequency"].iloc[0]) == "equal",
        without=without,
    )
