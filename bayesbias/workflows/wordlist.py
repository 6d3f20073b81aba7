"""The main job as one function: a word list and vectors in, everything a report shows out."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.checks import Argument, ArgumentError, is_whole, unknown_name
from ..background.pool import Pool
from ..background.reference_words import N_MATCHED
from ..background.vocabulary_contrasts import N_LISTS
from ..contextual import ContextualVectors, contextual_table
from ..embeddings.distances import distance_table, missing_words, undersized_sets
from ..embeddings.formats.keyed import as_keyed, frequency_ranks
from ..embeddings.load import CASES, VectorsLike, cures, load_vectors, resolved_forms
from ..model.defaults import DEFAULT_MODELS
from ..model.spec import ModelSpec, load_model
from ..posterior.diagnostics import diagnostics, prior_sensitivity
from ..posterior.influence import influence
from ..posterior.loo import compare_models
from ..posterior.summaries import summary
from ..sampling.fit import fit
from ..sampling.options import FitKeywords, FitOptions
from ..tables.descriptives import leading_pair
from ..tables.spellings import Cure
from ..tables.wordlists import WordList
from .reference import (
    Reference,
    leads,
    matched_list,
    read_against,
    told_if_it_cannot,
    vocabulary_pool,
)
from .results import FRAMES, ModelResult, OfModels, Tell, noticed, read_any

if TYPE_CHECKING:
    from gensim.models import KeyedVectors
    from xarray import DataTree


CONTEXTUAL_MODELS = ("crossed", "contextual")
"""For words in contexts: without and with effects of the contexts."""

LEAST_DRAWS, LEAST_CHAIN = 25, 4
"""Draws of all chains, and of each: below, ArviZ fits no tail and knows no effective size."""

REFERENCE_FRAMES = {
    "reference": "placed",
    "reference_lists": "lists",
    "ranks": "ranks",
    "scores": "scores",
    "relative": "relative",
}
"""Frames of a `Reference` by the names of their files."""


@dataclass(frozen=True)
class Settings(FitOptions):
    """How to measure and to fit: the options of a fit, and of what it is fitted to.

    `vectors` are a bundled embedding's name or a file's path, `models` names or paths. With
    `templates`, a set of sentences, `vectors` is an encoder's name or folder. `case`,
    `strip_accents` and `allow_pickle` are for `load_vectors`, `max_missing` is for
    `distance_table`, `pooling` and `layer` are for `contextual_vectors`. `matched` is how many
    control words as frequent are drawn for each stereotype, and `reference_lists` how many lists
    the contrasts are compared with, of either kind; 0 leaves them out.
    """

    vectors: str = "glove-demo"
    models: tuple[str, ...] = DEFAULT_MODELS["distance"]
    case: str = "exact"
    strip_accents: bool = False
    max_missing: float | None = None
    allow_pickle: bool = False
    templates: str = ""
    pooling: str = "word"
    layer: int = -1
    matched: int = N_MATCHED
    reference_lists: int = N_LISTS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.case not in CASES:
            raise ValueError(unknown_name("case", self.case, CASES))
        least = max(LEAST_CHAIN, -(-LEAST_DRAWS // self.chains))
        if self.draws < least:
            raise ArgumentError(
                Argument("draws"),
                f" must be at least {least} with {self.chains} chain(s), for checks of the "
                f"posterior need {LEAST_DRAWS} in all; got {self.draws}. For results to rely on "
                "take 1000",
            )
        if not self.models:
            raise ValueError("at least one model is needed")
        for name in ("matched", "reference_lists"):
            if not is_whole(value := getattr(self, name)) or value < 0:
                raise ArgumentError(
                    Argument(name), f" must be a whole number from 0 on; got {value!r}"
                )
        if self.reference_lists == 1:
            raise ArgumentError(
                Argument("reference_lists"), " must be 0, or two or more for a range; got 1"
            )

    @property
    def embedding(self) -> str:
        """What the embedding is called in tables and reports: a file's name without its folder."""
        return Path(self.vectors).name or self.vectors


@dataclass(frozen=True)
class Analysis(OfModels[ModelResult]):
    """All that is known about one word list in one embedding.

    `wordlist` has the matched controls, if there are any. `results` are by the model's name, in the
    order asked for; `comparison` is as `compare_models` gives it, None for a single model, and
    `reference` what the contrasts are compared with, None where nothing could be drawn.
    `resolved_forms` are words that were read in another form, `cures` what would find missing ones.
    `thin` is as `undersized_sets` gives it. `vectors_hash` is the SHA-256 of the words and vectors
    that were used, `notices` all that the package warned of on the way, each once. `since` is what
    changed since an earlier run, if it was compared with one.
    """

    wordlist: WordList
    settings: Settings
    table: pd.DataFrame
    missing: pd.DataFrame
    resolved_forms: Mapping[str, str]
    vectors_hash: str
    results: Mapping[str, ModelResult]
    comparison: pd.DataFrame | None = None
    notices: tuple[str, ...] = field(default=())
    reference: Reference | None = None
    cures: Mapping[str, Cure] = field(default_factory=dict)
    thin: pd.DataFrame = field(default_factory=pd.DataFrame)
    since: pd.DataFrame | None = None

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the packages that the posteriors were made with."""
        return dict(json.loads(str(self.lead.posterior.attrs["versions"])))

    @property
    def frames(self) -> dict[str, pd.DataFrame | None]:
        """What is written as CSV, by the files' names."""
        of_models = {name: self.frame(name) for name in FRAMES}
        own: dict[str, pd.DataFrame | None] = {
            "table": self.table,
            "missing": self.missing,
            "comparison": self.comparison,
        }
        if self.reference is not None:
            own |= {
                name: getattr(self.reference, field) for name, field in REFERENCE_FRAMES.items()
            }
        if self.since is not None:
            own["since"] = self.since
        return own | of_models


def load_models(models: Sequence[str]) -> list[ModelSpec]:
    """Load models for distances whose names can stand side by side and in file names."""
    specs: dict[str, ModelSpec] = {}
    for source in models:
        spec = load_model(source, "distance")
        if spec.name in specs:
            raise ValueError(
                f"two models are called {spec.name!r}; "
                "leave one out, or give the copy a name of its own"
            )
        ending = spec.name.lower().endswith((".png", ".svg"))  # plots are named after models
        if not spec.name.strip() or ending or any(mark in spec.name for mark in "/\\\0"):
            raise ValueError(
                f"the model's name {spec.name!r} must do as part of a file name; "
                "leave slashes, .png and .svg out"
            )
        specs[spec.name] = spec
    return list(specs.values())


def analyze(
    vectors: KeyedVectors | ContextualVectors,
    wordlist: WordList,
    settings: Settings,
    *,
    pool: Pool | None = None,
    source: VectorsLike | None = None,
    tell: Tell = lambda _: None,
) -> Analysis:
    """Measure a word list in an embedding, fit every model, and read the posteriors.

    `pool` are words of the embedding to draw matched controls and reference lists from, as
    `vocabulary_pool` draws them. `source` is the whole embedding, by default the settings' vectors.
    `tell` receives every step before it runs. What the parts warn of is issued once a text.
    """
    specs = load_models(settings.models)
    with noticed() as notices:
        if pool is not None and settings.matched and "matched" not in wordlist.controls:
            with told_if_it_cannot("no matched controls"):
                vectors, wordlist = matched_list(vectors, wordlist, pool, settings)
        tell("measuring distances")
        if isinstance(vectors, ContextualVectors):
            table = contextual_table(vectors, wordlist, max_missing=settings.max_missing)
            keyed = vectors.in_context(vectors.contexts[0])
        else:
            table = distance_table(
                vectors,
                wordlist,
                embedding=settings.embedding,
                max_missing=settings.max_missing,
                ranks=frequency_ranks(vectors),
            )
            keyed = vectors
        results = {}
        for spec in specs:
            tell(f"fitting {spec.name}")
            posterior = fit(table, spec, options=settings.of_fit())
            tell(f"reading and checking {spec.name}")
            results[spec.name] = ModelResult(
                summary=summary(posterior, **settings.intervals),
                sensitivity=prior_sensitivity(posterior),
                diagnostics=diagnostics(posterior),
                influence=_influence(posterior, spec, *leading_pair(table)),
                **read_any(posterior, settings),
            )
        comparison = None
        if len(results) > 1:
            tell("comparing the models")
            comparison = _compared(table, results)
        reference, lead = None, next(reversed(list(results.values())))
        if pool is not None and settings.reference_lists and leads(lead.contrasts):
            tell("drawing reference lists")
            with told_if_it_cannot("no reference lists"):
                reference = read_against(keyed, wordlist, lead, pool, settings, source=source)
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
        notices=tuple(notices),
        reference=reference,
        cures={word: cure for word, cure in cures(keyed).items() if word in asked},
        thin=undersized_sets(keyed, wordlist),
    )


class SettingsKeywords(FitKeywords, total=False):
    """The fields of `Settings` that may be given by name."""

    ci_prob: float
    ci_kind: str
    rope: float
    models: tuple[str, ...]
    case: str
    strip_accents: bool
    max_missing: float | None
    allow_pickle: bool
    matched: int
    reference_lists: int


def analyze_source(
    source: VectorsLike, wordlist: WordList, keywords: SettingsKeywords, *, name: str = ""
) -> Analysis:
    """Analyse a list in an embedding that is given by name, by path, or as loaded vectors.

    `name` is what the embedding is called, by default that of its file.
    """
    known = SettingsKeywords.__annotations__
    for each in keywords:
        if each not in known:
            raise TypeError(unknown_name("setting of an analysis", each, known))
    in_file = isinstance(source, str | os.PathLike)
    if not isinstance(source, str | os.PathLike):
        source = as_keyed(source)
    settings = Settings(vectors=name or (str(source) if in_file else LOADED), **keywords)
    load_models(settings.models)
    own = {"allow_pickle": settings.allow_pickle, "progressbar": settings.progressbar}
    vectors = load_vectors(
        source, wordlist, settings.case, strip_accents=settings.strip_accents, **own
    )
    pool = vocabulary_pool(settings, [wordlist], source)
    return analyze(vectors, wordlist, settings, pool=pool, source=source)


LOADED = "the vectors given"
"""What an embedding is called that came as vectors, without a name."""


def _influence(posterior: DataTree, spec: ModelSpec, first: str, second: str) -> pd.DataFrame:
    """Return what `influence` gives, which needs a Normal model; else an empty frame."""
    if spec.likelihood != "normal":
        return pd.DataFrame()
    return influence(posterior, first, second)


def _compared(table: pd.DataFrame, results: Mapping[str, ModelResult]) -> pd.DataFrame:
    """Compare the models on attributes left out whole, or on rows where that cannot be done.

    The column ``left_out`` says which. Rows of which LOO is unsure are counted, not warned of.
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
