"""All that is told of the scores of sentence pairs: measures, models, checks, as tidy frames."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from numpy.random import default_rng

from .._core.random import as_seed_sequence
from ..maskedlm.bayes import fit_pairs
from ..maskedlm.measures import measure_table
from ..maskedlm.pair_checks import pair_check, preference_check
from ..maskedlm.pair_summaries import model_contrasts, pair_scales, pair_summary
from ..maskedlm.pll import paired_scores
from ..maskedlm.score_sets import sampling_robustness, score_analysis
from ..model.spec import ModelSpec, load_model
from ..model.tree import SamplingWarning, warnings_of
from ..sampling.options import FitOptions
from .wordlist import Tell, joined

if TYPE_CHECKING:
    from xarray import DataTree

FRAMES: dict[str, Callable[..., pd.DataFrame]] = {
    "summary": pair_summary,
    "contrasts": model_contrasts,
    "scales": pair_scales,
    "preference": partial(preference_check, seed=0),
    "check": lambda tree, ci_prob, ci_kind: pair_check(tree, ci_kind=ci_kind, seed=0),
}
"""Frames made of every posterior, by name; the check has probabilities of its own."""


@dataclass(frozen=True)
class PairSettings(FitOptions):
    """How pairs are analysed: the options of a fit, and a model for differences of scores.

    `repeats` are random samples of pairs, for how far published measures depend on which there are.
    """

    spec: str | Path | ModelSpec = "pll"
    repeats: int = 20


@dataclass(frozen=True)
class PairAnalysis:
    """Frames by name, and one posterior a measure.

    `paired` is from `paired_scores`, `spec` as given, before its priors are put in the unit of a
    measure. `frames` are ``measures``, ``distribution``, ``sampling`` and those of ``FRAMES``, the
    measure in a column; ``contrasts`` is empty with one language model.
    """

    paired: pd.DataFrame
    settings: PairSettings
    spec: ModelSpec
    posteriors: Mapping[str, DataTree]
    frames: Mapping[str, pd.DataFrame] = field(repr=False)

    @property
    def models(self) -> list[str]:
        """Language models, in the order they came."""
        return [str(name) for name in self.paired["model"].unique()]

    @property
    def doubts(self) -> list[str]:
        """Warnings of the sampler, with the measure before each."""
        return [
            f"{name}: {text}"
            for name, tree in self.posteriors.items()
            for text in warnings_of(tree)
        ]


def analyse_pairs(
    scores: pd.DataFrame,
    settings: PairSettings = PairSettings(),
    *,
    tell: Tell = lambda _: None,
) -> PairAnalysis:
    """Compute all that a report tells of the scores of sentence pairs, as `score_pairs` gives them.

    Measures that not all language models have are left to `measure_table`. `tell` is told of every
    step before it is taken.
    """
    spec = load_model(settings.spec, "score_difference")
    paired = paired_scores(scores)
    rng = default_rng(as_seed_sequence(settings.seed))
    tell("published measures")
    frames = {
        "measures": measure_table(paired),
        "distribution": score_analysis(paired),
        "sampling": sampling_robustness(paired, repeats=settings.repeats, seed=rng),
        "contrasts": pd.DataFrame(),
    }
    posteriors = {}
    for measure in shared_measures(paired):
        tell(f"fitting {spec.name} to {measure}")
        posteriors[measure] = fit_pairs(paired, measure, spec, options=settings.of_fit())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)  # `PairAnalysis.doubts` tells them
        for name, make in FRAMES.items():
            if name == "contrasts" and paired["model"].nunique() == 1:
                continue
            parts = {key: make(tree, **settings.intervals) for key, tree in posteriors.items()}
            frames[name] = joined(parts, "measure")
    return PairAnalysis(paired, settings, spec, posteriors, frames)


def shared_measures(paired: pd.DataFrame) -> list[str]:
    """Measures that every language model has, in the order they came."""
    n_models = paired["model"].nunique()
    counts = paired.groupby("measure", sort=False)["model"].nunique()
    shared = [str(name) for name, count in counts.items() if count == n_models]
    if not shared:
        raise ValueError(
            "the language models share no measure; masked and causal ones cannot be compared"
        )
    return shared
