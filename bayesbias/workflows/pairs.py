"""The analysis of sentence pairs in one function: from scores to measures, models, and checks."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
from numpy.random import default_rng

from .._core.random import as_seed_sequence
from .._core.warnings import SamplingWarning
from ..maskedlm.fitting import DEFAULT_MODEL, fit_pairs
from ..maskedlm.pair_statistics import measure_table
from ..maskedlm.pair_summaries import model_contrasts, model_ranks, pair_scales, pair_summary
from ..maskedlm.shares import observed_shares
from ..model.spec import ModelSpec, load_model
from ..report import pairs_page
from ..sampling.options import FitOptions
from .results import Fitted, ModelResult, Readings, Tell, joined, quietly, read_posterior

READINGS: Readings = {
    "summary": lambda tree, options: pair_summary(tree, **options.intervals),
    "contrasts": lambda tree, options: model_contrasts(tree, **options.intervals),
    "ranks": lambda tree, _: model_ranks(tree),
    "scales": lambda tree, options: pair_scales(tree, **options.intervals),
}
"""Functions that read frames from the posterior of a measure."""

OF_SEVERAL = ("contrasts", "ranks")

WHOLE_SENTENCE = ("pll", "log-likelihood")
"""Measures of masked and of causal models for the same quantity: a sentence's probability."""


@dataclass(frozen=True)
class PairSettings(FitOptions):
    """How to analyze pairs: the fit options and a model of preferences."""

    spec: str | Path | ModelSpec = DEFAULT_MODEL


@dataclass(frozen=True, repr=False)
class PairAnalysis(Fitted):
    """All results about sentence pairs, displayed as the main findings.

    `results` has one result per measure. `frames` has ``paired``, ``observed``, ``measures``, and
    ``bbq``, and the frames of ``READINGS``. The frames in ``OF_SEVERAL`` are empty if there is only
    one model, and ``bbq`` without logs of BBQ. `scored` has the record of each folder or log.
    """

    _pages: ClassVar[Any] = pairs_page

    paired: pd.DataFrame
    settings: PairSettings
    spec: ModelSpec
    results: Mapping[str, ModelResult]
    frames: Mapping[str, pd.DataFrame]
    scored: Sequence[Mapping[str, Any]] = ()

    @property
    def models(self) -> list[str]:
        """Language models, in order of appearance."""
        return [str(name) for name in self.paired["model"].unique()]

    def record(self) -> dict[str, Any]:
        """Return a record of where the numbers come from."""
        return {
            "scored": self.scored,
            "spec": self.spec.to_dict(),
            "warnings": self.doubts,
        }


def analyze_pairs(
    paired: pd.DataFrame,
    settings: PairSettings,
    *,
    scored: Sequence[Mapping[str, Any]] = (),
    tell: Tell = quietly,
) -> PairAnalysis:
    """Compute everything that a report shows about sentence pairs.

    `paired` comes from `paired_scores` or `read_scores`. No model is fitted to a measure that some
    language models lack. Masked and causal models are compared by the probabilities of whole
    sentences. `tell` is called before each step, with a description of the step.
    """
    spec = load_model(settings.spec, "preference")
    paired, measures = comparable(paired)
    rng = default_rng(as_seed_sequence(settings.seed))
    tell("published measures")
    frames = {
        "paired": paired,
        "observed": observed_shares(paired, settings.ci_prob, seed=rng),
        "measures": measure_table(paired),
        "bbq": pd.DataFrame([row for log in scored for row in log.get("bbq", ())]),
        **dict.fromkeys(READINGS, pd.DataFrame()),
    }
    readings = READINGS
    if paired["model"].nunique() == 1:
        readings = {name: read for name, read in READINGS.items() if name not in OF_SEVERAL}
    results = {}
    for measure in measures:
        tell(f"fitting {spec.name} to {measure}")
        tree = fit_pairs(paired, measure, spec, options=settings.of_fit())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SamplingWarning)  # `PairAnalysis.doubts` has them
            results[measure] = read_posterior(tree, readings, settings)
    for name in readings:
        frames[name] = joined({key: one[name] for key, one in results.items()}, "measure")
    return PairAnalysis(paired, settings, spec, results, frames, scored)


def comparable(paired: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return paired scores, and the measures that every language model has.

    If the models have no common measure, the two in ``WHOLE_SENTENCE`` count as the same measure.
    """
    n_models, both = paired["model"].nunique(), " or ".join(WHOLE_SENTENCE)
    as_one = paired["measure"].replace(dict.fromkeys(WHOLE_SENTENCE, both))
    for frame in (paired, paired.assign(measure=as_one)):
        counts = frame.groupby("measure", sort=False)["model"].nunique()
        if (counts == n_models).any():
            return frame, [str(name) for name in counts.index[counts == n_models]]
    raise ValueError(
        "the language models have no measure in common; score masked models with pll and causal "
        "models with log-likelihood"
    )
