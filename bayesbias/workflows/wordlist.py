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
from ..model.spec import ModelSpec, load_model
from ..model.tree import warnings_of
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

DEFAULT_MODELS = ("paper", "crossed")
"""The published model, and the one that knows that attribute words repeat."""

CONTEXTUAL_MODELS = ("crossed", "contextual")
"""For words in contexts: without and with effects of the contexts."""

LEAST_DRAWS, LEAST_CHAIN = 25, 4
"""Draws of all chains, and of each: below, ArviZ fits no tail and knows no effective size."""

Tell = Callable[[str], None]
"""Is told what is being done, in a few words."""


@dataclass(frozen=True)
class Settings(FitOptions):
    """How to measure and to fit: the options of a fit, and of what it is fitted to.

    Parameters
    ----------
    vectors : str
        Name of a bundled embedding, or path of an embedding file; with templates, name or folder
        of an encoder.
    models : tuple of str
        Names or paths of models.
    case, allow_pickle
        As `load_vectors` takes them.
    draws : int
        Of each chain; of all chains together at least `LEAST_DRAWS`.
    templates : str
        Set of templates that words are encoded in; empty for vectors without contexts.
    pooling, layer
        As `contextual_vectors` takes them; for encoders only.

    Raises
    ------
    ValueError
        If a value is not allowed.
    """

    vectors: str = "glove-demo"
    models: tuple[str, ...] = DEFAULT_MODELS
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


@dataclass(frozen=True)
class ModelResult:
    """One fitted model and the frames read from it.

    Parameters
    ----------
    spec : ModelSpec
    posterior : DataTree
    summary, contrasts, check, scales : DataFrame
        As the functions of these names give them.
    sensitivity : DataFrame
        As `prior_sensitivity` gives it.
    warnings : tuple of str
        What the sampler warned of; empty if the posterior may be trusted.
    """

    spec: ModelSpec
    posterior: DataTree
    summary: pd.DataFrame
    contrasts: pd.DataFrame
    check: pd.DataFrame
    scales: pd.DataFrame
    sensitivity: pd.DataFrame
    warnings: tuple[str, ...]


class OfModels:
    """What a list's and a change's results share: one result a model, in the order asked for."""

    results: Mapping[str, Any]

    @property
    def doubtful(self) -> bool:
        """Whether some posterior carries a sampling warning."""
        return any(result.warnings for result in self.results.values())

    def frame(self, name: str) -> pd.DataFrame:
        """Join one of the frames of all models, such as ``summary``, with a column ``model``."""
        parts = []
        for model, result in self.results.items():
            part: pd.DataFrame = getattr(result, name).copy()
            part.insert(0, "model", model)
            part.attrs = {}
            parts.append(part)
        return pd.concat(parts, ignore_index=True)


@dataclass(frozen=True)
class Analysis(OfModels):
    """All that is known about one word list in one embedding.

    Parameters
    ----------
    wordlist : WordList
    settings : Settings
    table : DataFrame
        The distances, columns as in ``COLUMNS`` and ``embedding``.
    missing : DataFrame
        The list's words that the embedding lacks.
    matched_forms : mapping of str to str
        Words that were read in another form, such as lower case.
    in_lower_case : tuple of str
        Missing words that the embedding has in lower case.
    vectors_hash : str
        SHA-256 of the words and vectors that were used.
    results : mapping of str to ModelResult
        By the model's name, in the order asked for.
    comparison : DataFrame or None
        As `compare_models` gives it; None for a single model.
    notices : tuple of str
        All that the package warned of on the way, each once.
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
    def lead(self) -> ModelResult:
        """The model that detailed figures are drawn from: the last one asked for."""
        return next(reversed(list(self.results.values())))


def load_models(models: Sequence[str]) -> list[ModelSpec]:
    """Load models for distances whose names can stand side by side and in file names.

    Raises
    ------
    ValueError
        If a model is for another outcome, two models have one name, or a name cannot be part of a
        file name.
    """
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

    Parameters
    ----------
    vectors : KeyedVectors or ContextualVectors
        As `load_vectors` or `contextual_vectors` returns them.
    wordlist : WordList
    settings : Settings
    tell : function of str, optional
        Told of every step before it is taken.

    Returns
    -------
    Analysis

    Raises
    ------
    ValueError
        If the list has too few words in the embedding, or a setting is not valid.

    Warns
    -----
    SamplingWarning, UserWarning
        As the parts do, each text once.
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
            results[spec.name] = read_posterior(posterior, spec, settings)
        comparison = None
        if len(results) > 1:
            tell("comparing the models")
            comparison = _compared(results)
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


def read_posterior(posterior: DataTree, spec: ModelSpec, settings: Settings) -> ModelResult:
    """Read everything a report shows from one posterior."""
    probabilities = sorted({0.5, settings.ci_prob})
    return ModelResult(
        spec=spec,
        posterior=posterior,
        summary=summary(posterior, **settings.intervals),
        contrasts=contrasts(posterior, **settings.reading),
        check=check(posterior, probabilities, ci_kind=settings.ci_kind),
        scales=scales(posterior, **settings.intervals),
        sensitivity=prior_sensitivity(posterior),
        warnings=tuple(warnings_of(posterior)),
    )


def _compared(results: Mapping[str, ModelResult]) -> pd.DataFrame:
    """Compare the models; rows of which LOO is unsure are counted in the frame, not warned of."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* have Pareto k above")
        return compare_models({name: one.posterior for name, one in results.items()})


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
