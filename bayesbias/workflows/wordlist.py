"""The main job as one function: a word list and vectors in, everything a report shows out."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._core.checks import Argument, ArgumentError, unknown_name
from ..contextual import ContextualVectors, contextual_table
from ..embeddings.load import CASES, in_lower_case, matched_forms
from ..model.defaults import DEFAULT_MODELS
from ..model.spec import ModelSpec, load_model
from ..model.tree import spec_of, warnings_of
from ..posterior.contrasts import contrasts
from ..posterior.loo import compare_models
from ..posterior.predictive import check
from ..posterior.sensitivity import prior_sensitivity
from ..posterior.summaries import scales, summary
from ..sampling.fit import fit
from ..sampling.options import FitOptions
from ..tables.distances import distance_table, missing_words
from ..tables.wordlists import WordList

if TYPE_CHECKING:
    from gensim.models import KeyedVectors
    from xarray import DataTree

CONTEXTUAL_MODELS = ("crossed", "contextual")
"""For words in contexts: without and with effects of the contexts."""

LEAST_DRAWS, LEAST_CHAIN = 25, 4
"""Draws of all chains, and of each: below, ArviZ fits no tail and knows no effective size."""

Tell = Callable[[str], None]
"""Is told what is being done, in a few words."""


FRAMES = ("summary", "contrasts", "check", "scales", "sensitivity")
"""Frames of a `ModelResult` that are written, one row's model in its column ``model``."""


@dataclass(frozen=True)
class Settings(FitOptions):
    """How to measure and to fit: the options of a fit, and of what it is fitted to.

    `vectors` are a bundled embedding's name or a file's path, `models` names or paths. With
    `templates`, a set of sentences, `vectors` is an encoder's name or folder. `case` and
    `allow_pickle` are for `load_vectors`, `pooling` and `layer` for `contextual_vectors`.
    """

    vectors: str = "glove-demo"
    models: tuple[str, ...] = DEFAULT_MODELS["distance"]
    case: str = "exact"
    allow_pickle: bool = False
    templates: str = ""
    pooling: str = "word"
    layer: int = -1

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

    @property
    def embedding(self) -> str:
        """What the embedding is called in tables and reports: a file's name without its folder."""
        return Path(self.vectors).name or self.vectors


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """A fitted model and the frames that are read from any, as functions of their names give them.

    `warnings` are what the sampler warned of; none if the posterior may be trusted.
    """

    spec: ModelSpec
    posterior: DataTree
    contrasts: pd.DataFrame
    check: pd.DataFrame
    scales: pd.DataFrame
    warnings: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelResult(Result):
    """One model of a list's distances; ``sensitivity`` is as `prior_sensitivity` gives it."""

    summary: pd.DataFrame
    sensitivity: pd.DataFrame


class OfModels[R: Result]:
    """What a list's and a change's results share: one result a model, in the order asked for."""

    results: Mapping[str, R]

    @property
    def lead(self) -> R:
        """The result of the model that detailed figures are drawn from: the last one asked for."""
        return next(reversed(list(self.results.values())))

    @property
    def doubtful(self) -> bool:
        """Whether some posterior carries a sampling warning."""
        return any(result.warnings for result in self.results.values())

    @property
    def posteriors(self) -> dict[str, DataTree]:
        """The posteriors of all models."""
        return {model: result.posterior for model, result in self.results.items()}

    def frame(self, name: str) -> pd.DataFrame:
        """Join one of the frames of all models, such as ``summary``, with a column ``model``."""
        parts = {model: getattr(result, name) for model, result in self.results.items()}
        return joined(parts, "model")


def joined(parts: Mapping[str, pd.DataFrame], column: str) -> pd.DataFrame:
    """Join frames, without their attrs, with the name of each in a first column."""
    plain = {name: part.copy() for name, part in parts.items()}
    for part in plain.values():
        part.attrs = {}
    return pd.concat(plain, names=[column]).reset_index(level=0).reset_index(drop=True)


@dataclass(frozen=True)
class Analysis(OfModels[ModelResult]):
    """All that is known about one word list in one embedding.

    `results` are by the model's name, in the order asked for; `comparison` is as `compare_models`
    gives it, None for a single model. `matched_forms` are words that were read in another form,
    `in_lower_case` missing ones that the embedding has in lower case. `vectors_hash` is the
    SHA-256 of the words and vectors that were used, `notices` all that the package warned of on
    the way, each once.
    """

    wordlist: WordList
    settings: Settings
    table: pd.DataFrame
    missing: pd.DataFrame
    matched_forms: Mapping[str, str]
    vectors_hash: str
    results: Mapping[str, ModelResult]
    comparison: pd.DataFrame | None = None
    notices: tuple[str, ...] = field(default=())
    in_lower_case: tuple[str, ...] = ()

    @property
    def frames(self) -> dict[str, pd.DataFrame | None]:
        """What is written as CSV, by the files' names."""
        of_models = {name: self.frame(name) for name in FRAMES}
        own = {"table": self.table, "missing": self.missing, "comparison": self.comparison}
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


def analyse(
    vectors: KeyedVectors | ContextualVectors,
    wordlist: WordList,
    settings: Settings,
    *,
    tell: Tell = lambda _: None,
) -> Analysis:
    """Measure a word list in an embedding, fit every model, and read the posteriors.

    `tell` is told of every step before it is taken. What the parts warn of is issued once a text.
    """
    specs = load_models(settings.models)
    with noticed() as notices:
        tell("measuring distances")
        if isinstance(vectors, ContextualVectors):
            table = contextual_table(vectors, wordlist)
            keyed = vectors.in_context(vectors.contexts[0])
        else:
            table = distance_table(vectors, wordlist, embedding=settings.embedding)
            keyed = vectors
        results = {}
        for spec in specs:
            tell(f"fitting {spec.name}")
            posterior = fit(table, spec, options=settings.of_fit())
            tell(f"reading and checking {spec.name}")
            results[spec.name] = ModelResult(
                summary=summary(posterior, **settings.intervals),
                sensitivity=prior_sensitivity(posterior),
                **read_any(posterior, settings),
            )
        comparison = None
        if len(results) > 1:
            tell("comparing the models")
            comparison = _compared(table, results)
    return Analysis(
        wordlist=wordlist,
        settings=settings,
        table=table,
        missing=missing_words(keyed, wordlist),
        matched_forms={
            word: form for word, form in matched_forms(keyed).items() if word in wordlist.words
        },
        vectors_hash=_vectors_hash(vectors, wordlist),
        results=results,
        comparison=comparison,
        notices=tuple(notices),
        in_lower_case=tuple(word for word in in_lower_case(keyed) if word in wordlist.words),
    )


def read_any(tree: DataTree, settings: FitOptions) -> dict[str, Any]:
    """Read from a posterior what every `Result` holds."""
    return {
        "spec": spec_of(tree),
        "posterior": tree,
        "contrasts": contrasts(tree, **settings.reading),
        "check": check(tree, sorted({0.5, settings.ci_prob}), ci_kind=settings.ci_kind, seed=0),
        "scales": scales(tree, **settings.intervals),
        "warnings": tuple(warnings_of(tree)),
    }


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


@contextmanager
def noticed() -> Iterator[list[str]]:
    """Collect the texts of warnings, each once, and issue them again when the block ends."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield texts
    for each in {str(one.message): one for one in reversed(caught)}.values():
        if issubclass(each.category, UserWarning | RuntimeWarning):
            texts.append(str(each.message))
        warnings.warn(each.message, each.category, stacklevel=3)


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
