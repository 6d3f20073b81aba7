"""The analysis of sentence pairs in one function: from scores to measures, models, and checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.checks import counted
from .._core.display import abridged
from .._core.intervals import describe_draws
from .._core.random import as_seed_sequence
from .._core.warnings import SamplingWarning, ignored, warn
from ..maskedlm.datasets import labeled, of_bias_types
from ..maskedlm.fitting import DEFAULT_MODEL, EqualPreferencesError, fit_pairs
from ..maskedlm.logs import said
from ..maskedlm.pair_statistics import measure_table
from ..maskedlm.pair_summaries import (
    NO_PREFERENCE,
    model_contrasts,
    model_ranks,
    pair_scales,
    pair_summary,
)
from ..maskedlm.preferences import NEEDED_COLUMNS
from ..maskedlm.shares import observed_shares
from ..model.spec import ModelSpec, load_model
from ..model.tree import labels, stacked
from ..records.found import Frames, PairRecord
from ..records.rows import N_QUANTILES, with_quantiles
from ..sampling.options import FitOptions
from ..warnings import LeftOut
from .model_texts import fitted
from .results import (
    Fitted,
    ModelResult,
    Readings,
    Tell,
    joined,
    noticed,
    quietly,
    read_posterior,
)

if TYPE_CHECKING:
    from xarray import DataTree


def share_dots(tree: DataTree, options: FitOptions) -> pd.DataFrame:
    """Return each model's share with 100 quantiles, and in ``p_closer`` P(above one half)."""
    draws, models = stacked(tree, "overall_share"), labels(tree, "language_model")
    above = (draws > NO_PREFERENCE).mean(axis=0) + 0.5 * (draws == NO_PREFERENCE).mean(axis=0)
    middles = (np.arange(N_QUANTILES) + 0.5) / N_QUANTILES
    rows = describe_draws(draws, **options.intervals).assign(p_closer=above)
    rows.insert(0, "model", models)
    return with_quantiles(rows, np.quantile(draws, middles, axis=0).T)


def _several(tree: DataTree) -> bool:
    return len(labels(tree, "language_model")) > 1


READINGS: Readings = {
    "summary": lambda tree, of: pair_summary(tree, **of.intervals),
    "contrasts": lambda tree, of: model_contrasts(tree, **of.intervals) if _several(tree) else None,
    "ranks": lambda tree, _: model_ranks(tree) if _several(tree) else None,
    "scales": lambda tree, of: pair_scales(tree, **of.intervals),
    "dots": share_dots,
}
"""Functions that read frames from the posterior of a measure; some need several models."""

WHOLE_SENTENCE = ("pll", "log-likelihood")
"""Measures of masked and of causal models for the same quantity: a sentence's probability."""


@dataclass(frozen=True)
class PairSettings(FitOptions):
    """How to analyze pairs: the fit options and a model of preferences."""

    spec: str | Path | ModelSpec = DEFAULT_MODEL


@dataclass(frozen=True, eq=False, repr=False)
class PairAnalysis(Fitted):
    """All results about sentence pairs, displayed as the main findings.

    `results` has one result per measure. The record `found` has the frames ``paired``,
    ``observed``, ``measures``, and ``bbq``, and those of ``READINGS``. The frames ``contrasts`` and
    ``ranks`` are empty if there is only one model, and ``bbq`` without logs of BBQ.
    """

    found: PairRecord
    results: Mapping[str, ModelResult]


def analyze_pairs(
    paired: pd.DataFrame,
    settings: PairSettings,
    *,
    scored: Sequence[Mapping[str, Any]] = (),
    tell: Tell = quietly,
) -> PairAnalysis:
    """Compute everything that a report shows about sentence pairs.

    `paired` comes from `paired_scores` or `read_scores`, and `scored` has the record of each folder
    or log. No model is fitted to a measure that some language models lack. Masked and causal models
    are compared by the probabilities of whole sentences. `tell` is called before each step, with a
    description of the step.
    """
    spec = load_model(settings.spec, "preference")
    paired, measures = comparable(labeled(paired, NEEDED_COLUMNS))
    rng = default_rng(as_seed_sequence(settings.seed))
    with noticed() as notices:
        warn_of_lacking(paired, measures)
        tell("published measures")
        frames = {
            "paired": paired,
            "observed": observed_shares(paired, settings.ci_prob, seed=rng),
            "measures": measure_table(paired),
            "bbq": pd.DataFrame([row for log in scored for row in log.get("bbq", ())]),
        }
        results = fit_measures(paired, measures, spec, settings, tell)
    for name in READINGS:
        frames[name] = joined({key: one[name] for key, one in results.items()}, "measure")
    models = tuple(fitted(measure, one) for measure, one in results.items())
    doubts = [str(doubt.concerning(one.name)) for one in models for doubt in one.doubts]
    doubts += [str(one) for one in notices if not isinstance(one, SamplingWarning)]
    record = PairRecord(
        frames=Frames(frames),
        models=models,
        ci_prob=settings.ci_prob,
        notices=tuple(notices),
        origin={"scored": scored, "spec": spec.to_dict(), "warnings": doubts},
        language_models=tuple(paired["model"].unique()),
        measures=tuple(results),
        notes=tuple(left_out(scored)),
        sources=tuple(sources_of(scored)),
    )
    return PairAnalysis(record, results)


def fit_measures(
    paired: pd.DataFrame,
    measures: Sequence[str],
    spec: ModelSpec,
    settings: PairSettings,
    tell: Tell,
) -> dict[str, ModelResult]:
    """Fit each measure and read its posterior.

    Warn about measures whose preferences are all equal; if all measures are such, raise the error.
    """
    results, unfitted = dict[str, ModelResult](), dict[str, str]()
    for measure in measures:
        tell(f"fitting {spec.name} to {measure}")
        try:
            tree = fit_pairs(paired, measure, spec, options=settings.of_fit())
        except EqualPreferencesError as error:
            unfitted[measure] = str(error)
            continue
        with ignored(SamplingWarning):  # the record has them
            results[measure] = read_posterior(tree, READINGS, settings)
    if not results:
        raise EqualPreferencesError("; ".join(f"{name}: {why}" for name, why in unfitted.items()))
    for name, why in unfitted.items():
        warn(LeftOut(1, len(measures), "measure", why, (name,)))
    return results


def of_types(paired: pd.DataFrame, bias_types: Sequence[str]) -> pd.DataFrame:
    """Return the pairs with some bias types, and what the logs in ``attrs`` say about these types.

    BBQ's scores of all types together do not apply, and the samples that a log leaves out have no
    types.
    """
    kept = of_bias_types(paired, bias_types)
    others = {*paired["pair_id"]} - {*kept["pair_id"]}
    for log in (logs := [{**log} for log in paired.attrs["logs"]]):
        if "bbq" in log:
            log["bbq"] = [row for row in log["bbq"] if row["bias_type"] in bias_types]
        if "unscored" in log:
            rows = log["unscored"]
            log["unscored"] = [row for row in rows if str(row["pair_id"]) not in others]
        log["bias_types"] = [*bias_types]
    kept.attrs = {**paired.attrs, "logs": logs}
    return kept


def left_out(scored: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say what each folder or log left out."""
    for one in scored:
        if pairs := {str(row["pair_id"]) for row in one.get("unscored", [])}:
            yield (
                f"A measure of {one['model']} has no value for {counted(len(pairs), 'pair')} "
                "because a sentence has no tokens that the measure uses; see run.json."
            )
        if one.get("left_out"):
            of = " (samples of all bias types)" if "bias_types" in one else ""
            yield f"{one['log']}: the results leave out {said(one['left_out'])}{of}."


def warn_of_lacking(paired: pd.DataFrame, measures: Sequence[str]) -> None:
    """Warn about each measure that is not compared because some language models lack it."""
    by = dict([*paired.groupby("measure", sort=False)["model"]])
    for measure in (name for name in by if name not in measures):
        without = [*paired.loc[~paired["model"].isin(by[measure]), "model"].unique()]
        why = f"it is not compared, because there are no scores of {abridged(without)}"
        warn(LeftOut(1, len(by), "measure", why, (str(measure),)))


def sources_of(scored: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Name the source of each language model's scores."""
    for one in scored:
        if "log" in one:
            yield ", ".join(one["models"]), f"{one['log']}, a log in the layout {one['layout']}"
        else:
            yield one["model"], f"{one['kind']} language model; {one['dataset']}"


def comparable(paired: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return scores and the measures of every model; those in ``WHOLE_SENTENCE`` are one."""
    n_models, both = paired["model"].nunique(), " or ".join(WHOLE_SENTENCE)
    as_one = paired["measure"].replace(dict.fromkeys(WHOLE_SENTENCE, both))
    for frame in (paired, paired.assign(measure=as_one)):
        counts = frame.groupby("measure", sort=False)["model"].nunique()
        if (counts == n_models).any():
            return frame, [*counts.index[counts == n_models]]
    raise ValueError(
        "the language models have no measure in common; score masked models with pll and causal "
        "models with log-likelihood"
    )
