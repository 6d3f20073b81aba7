"""The main job as one function: vectors and a word list in, everything a report shows out."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._core.display import Sheet
from ..background.reference_words import Pool
from ..contextual import ContextualVectors, contextual_table, contextual_vectors
from ..embeddings.distances import distance_table, missing_words, undersized_sets
from ..embeddings.formats.keyed import as_keyed, frequency_ranks
from ..embeddings.load import VectorsLike, read_vectors, resolved_forms
from ..model.spec import ModelSpec
from ..posterior.loo import compare_models
from ..sampling.fit import fit
from ..tables.descriptives import contrast_of
from ..tables.schema import table_hash
from ..tables.wordlists import WordList, WordListLike, load_wordlist, wordlists
from .reference import (
    HEADLINE,
    Reference,
    baseline_rows,
    matched_list,
    read_against,
    vocabulary_pool,
    warned_if_too_few,
)
from .results import ModelResult, OfModels, Tell, noticed, written_call
from .settings import Settings, load_models, settings_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors
    from matplotlib.axes import Axes

    from ..report.write_up import WriteUp
    from ..report.writer import Page

CONTEXTUAL_MODELS = ("crossed", "contextual")
"""For words in contexts: without and with effects of the contexts."""

FRAMES = ("summary", "contrasts", "check", "scales", "sensitivity", "diagnostics", "influence")
"""Frames of a `ModelResult` that are written, one row's model in its column ``model``."""

LOADED = "the vectors given"
"""What an embedding is called that came as vectors, without a name."""


@dataclass(frozen=True, repr=False)
class Analysis(OfModels[ModelResult]):
    """What is known about one word list in one embedding; shows itself by its headline.

    `wordlist` has the matched controls, if there are any. `results` are by the model's name, in the
    order asked for; the last leads. `comparison` is of `bayesbias.compare_models`, None for a
    single model, and `reference` what the contrasts are compared with, None where nothing could be
    drawn. `resolved_forms` are words that were read in another form, `others` the forms in which
    missing ones are there; `thin` is of `bayesbias.undersized_sets`. `vectors_hash` is the SHA-256
    of the words and vectors that were used, `notices` what the package warned of on the way.
    `since` is what changed since an earlier run, `baseline` is of `bayesbias.baseline_contrasts`,
    and `call` the call that makes the same analysis.
    """

    wordlist: WordList
    settings: Settings
    table: pd.DataFrame
    missing: pd.DataFrame
    resolved_forms: Mapping[str, str]
    vectors_hash: str
    results: Mapping[str, ModelResult]
    comparison: pd.DataFrame | None = None
    notices: tuple[str, ...] = ()
    reference: Reference | None = None
    others: Mapping[str, str] = field(default_factory=dict)
    thin: pd.DataFrame = field(default_factory=pd.DataFrame)
    since: pd.DataFrame | None = None
    call: str = "bb.analyze(...)"
    baseline: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the packages that the posteriors were made with."""
        return dict(json.loads(str(self.posterior.attrs["versions"])))

    @property
    def frames(self) -> dict[str, pd.DataFrame | None]:
        """What is written as CSV, by the files' names."""
        kept = {name: getattr(self, name) for name in ("table", "missing", "comparison", "since")}
        reference = self.reference.frames if self.reference else {}
        reference |= {"baseline": self.baseline} if len(self.baseline) else {}
        return {**kept, **reference, **{name: self.frame(name) for name in FRAMES}}

    def plot(self) -> Axes:
        """Draw the contrast that leads, overall and by group, over its reference lists."""
        from ..report.list_page import headline_figure

        return headline_figure(self).draw()

    def write_up(self) -> WriteUp:
        """Write a methods and a results paragraph of the run, with references."""
        from ..report.write_up import write_up

        return write_up(self)

    def page(self) -> Page:
        """Return the page of the report."""
        from ..report.list_page import list_page

        return list_page(self)

    def record(self) -> dict[str, Any]:
        """Return what is needed to make the same result again, and to check that it is the same."""
        fits = {
            model: {key: tree.attrs[key] for key in ("method", "method_reason", "seed")}
            for model, tree in self.posteriors.items()
        }
        return {
            "list": self.wordlist.name,
            "arguments": {**self.settings.recorded, "models": list(self.settings.models)},
            "hashes": {
                "list": table_hash(self.wordlist.to_frame()),
                "vectors": self.vectors_hash,
                "table": self.posterior.attrs["table_hash"],
            },
            "fits": fits,
            "models": {model: result.spec.to_dict() for model, result in self.results.items()},
            "warnings": list(self.notices),
        }

    @property
    def texts(self) -> dict[str, str]:
        """The write-up, by the files' names."""
        from ..report.write_up import NAMES

        paper = self.write_up()
        return {name: str(getattr(paper, part)) for part, name in NAMES.items()}

    def _sheet(self, *, roomy: bool) -> Sheet:
        from ..report.headline import headline_sheet

        return headline_sheet(self)


def analyze(
    vectors: VectorsLike | ContextualVectors,
    wordlist: WordListLike,
    *,
    name: str = "",
    **settings: Any,  # noqa: ANN401
) -> Analysis:
    """Measure a word list in an embedding, fit the models, and word what was found.

    Parameters
    ----------
    vectors : str, path, KeyedVectors, mapping, DataFrame, tuple or ContextualVectors
        As for `bayesbias.load_vectors`. Matched controls and reference lists are drawn from all
        words of it: give the name or the path of an embedding, or all of its vectors.
    wordlist : str, Path, mapping or WordList
        As for `bayesbias.load_wordlist`.
    name : str
        What the embedding is called; by default its name or path.
    **settings
        ``models``, names or paths; the last leads (by default by-group alone);
        ``matched`` and ``reference_lists``, how many control words for each stereotype and how
        many lists are drawn; ``ci_prob``, ``ci_kind`` and ``rope`` of the intervals; ``case``,
        ``strip_accents``, ``subwords`` and ``allow_pickle`` of `bayesbias.load_vectors`;
        ``max_missing`` of `bayesbias.distance_table`; and the options of a fit, such as ``seed``
        and ``draws``.

    Returns
    -------
    Analysis
        Shows itself by its headline, and has ``table``, ``posterior``, ``contrasts``,
        ``plot()``, ``report(path)`` and ``write_up()``.

    Raises
    ------
    ValueError, FileNotFoundError
        As `bayesbias.load_wordlist` and `bayesbias.load_vectors`.
    TypeError
        If there is no such setting, or the list stands in the place of the vectors.

    Examples
    --------
    >>> import bayesbias as bb
    >>> analysis = bb.analyze("glove-demo", "religion", reference_lists=0, matched=0, seed=1)
    >>> overall = analysis.contrasts.query("level == 'overall' and second == 'different'")
    >>> overall[["first", "second", "mean", "low", "high"]].round(2)
            first     second  mean   low  high
    0  associated  different -0.04 -0.09  0.01
    """
    swapped = isinstance(vectors, str) and vectors in wordlists()
    as_list = isinstance(vectors, Mapping) and isinstance(vectors.get("groups"), Mapping)
    if swapped or as_list or isinstance(vectors, WordList):
        raise TypeError("vectors come first, then the list: analyze(vectors, wordlist)")
    in_file = isinstance(vectors, str | os.PathLike)
    source = vectors if in_file or isinstance(vectors, ContextualVectors) else as_keyed(vectors)
    known = {"vectors": name or (str(vectors) if in_file else LOADED), **settings}
    (analysis,) = analyze_lists(source, [load_wordlist(wordlist)], settings_of(Settings, known))
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
    """Analyze word lists in one embedding, which is read once; the function behind `analyze`.

    `tell` receives every step before it runs.
    """
    specs, pool, read = load_models(settings.models), None, list[str]()
    words = list(dict.fromkeys(word for wordlist in lists for word in wordlist.words))
    vectors: KeyedVectors | ContextualVectors
    if isinstance(source, ContextualVectors):
        vectors = source
    elif settings.templates:
        how = settings.chosen("layer", "pooling", "progressbar")
        vectors = contextual_vectors(settings.vectors, words, settings.templates, **how)
    else:
        with noticed() as read:
            how = settings.chosen("strip_accents", "subwords", "allow_pickle", "progressbar")
            vectors = read_vectors(source, words, settings.case, **how)
        pool = vocabulary_pool(settings, lists, source)
    return [
        _analysis(
            vectors, one, specs, settings=settings, pool=pool, source=source, read=read, tell=tell
        )
        for one in lists
    ]


def _analysis(
    vectors: KeyedVectors | ContextualVectors,
    wordlist: WordList,
    specs: Sequence[ModelSpec],
    *,
    settings: Settings,
    pool: Pool | None,
    source: VectorsLike | ContextualVectors,
    read: Sequence[str],
    tell: Tell | None,
) -> Analysis:
    """Measure a list, fit every model, and read the posteriors."""
    keyed = vectors
    if isinstance(vectors, ContextualVectors):
        keyed = vectors.in_context(vectors.contexts[0])
    tell, bar = tell or (lambda _: None), settings.progressbar and tell is None
    reference, comparison, results = None, None, {}
    with noticed() as notices:
        if pool and settings.matched and "matched" not in wordlist.controls:
            with warned_if_too_few("no matched controls"):
                keyed, wordlist = matched_list(keyed, wordlist, pool, settings)
                vectors = keyed
        tell("measuring distances")
        if isinstance(vectors, ContextualVectors):
            table = contextual_table(vectors, wordlist, max_missing=settings.max_missing)
        else:
            table = distance_table(
                vectors,
                wordlist,
                embedding=settings.embedding,
                max_missing=settings.max_missing,
                ranks=frequency_ranks(vectors),
            )
        for spec in specs:
            tell(f"fitting {spec.name}")
            posterior = fit(table, spec, options=settings.of_fit(progressbar=bar))
            tell(f"reading and checking {spec.name}")
            results[spec.name] = ModelResult(posterior, settings)
            for name in FRAMES:  # now, while warnings are noticed
                getattr(results[spec.name], name)
        if len(results) > 1:
            tell("comparing the models")
            comparison = _compared(table, results)
        lead = list(results.values())[-1]
        if pool and settings.reference_lists and len(contrast_of(lead.contrasts, *HEADLINE)):
            tell("drawing reference lists")
            with warned_if_too_few("no reference lists"):
                reference = read_against(
                    keyed, wordlist, lead, pool, settings=settings, source=source
                )
        baseline = pd.DataFrame()
        if wordlist.baseline and not isinstance(vectors, ContextualVectors):
            baseline = baseline_rows(keyed, wordlist, lead, settings)
    asked = set(wordlist.words)
    return Analysis(
        wordlist=wordlist,
        settings=settings,
        table=table,
        missing=missing_words(keyed, wordlist),
        resolved_forms={
            word: form for word, form in resolved_forms(keyed).items() if word in asked
        },
        vectors_hash=_vectors_hash(vectors, wordlist),
        results=results,
        comparison=comparison,
        notices=(*read, *notices),
        reference=reference,
        others={w: form for w, form in getattr(keyed, "others", {}).items() if w in asked},
        thin=undersized_sets(keyed, wordlist),
        baseline=baseline,
    )


def _compared(table: pd.DataFrame, results: Mapping[str, ModelResult]) -> pd.DataFrame:
    """Compare the models on attributes left out whole, or on rows where that cannot be done.

    The column ``left_out`` says which. Rows with an unreliable LOO are counted, without a warning.
    """
    normal = all(one.spec.likelihood == "normal" for one in results.values())
    enough = table.groupby("connection", observed=True)["attribute"].nunique().gt(2).all()
    left_out = "attribute" if normal and enough else "row"
    posteriors = {name: one.posterior for name, one in results.items()}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* have Pareto k above")
        return compare_models(posteriors, leave_out=left_out, seed=0).assign(left_out=left_out)


def _vectors_hash(vectors: KeyedVectors | ContextualVectors, wordlist: WordList) -> str:
    """SHA-256 of a list's words and vectors, whatever file they came from."""
    digest = hashlib.sha256()
    if isinstance(vectors, ContextualVectors):
        for context in vectors.contexts:
            digest.update(context.encode() + b"\0")
            digest.update(_vectors_hash(vectors.in_context(context), wordlist).encode())
        return digest.hexdigest()
    for word in sorted(word for word in wordlist.words if word in vectors.key_to_index):
        row = np.ascontiguousarray(vectors[word], dtype="<f4")
        digest.update(word.encode() + b"\0" + row.tobytes())
    return digest.hexdigest()
