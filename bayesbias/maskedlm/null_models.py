"""Null models of a language model: its architecture and tokenizer, with random weights.

They have read nothing, so whatever they prefer comes from tokens and lengths, and from chance. How
often an interval of theirs excludes one half is how often a finding says nothing.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd

from .._core.checks import check_numbers, is_whole
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB
from ..model.spec import ModelSpec
from ..model.tree import SamplingWarning
from ..sampling.options import FitOptions
from .fitting import DEFAULT_MODEL, fit_pairs
from .language_models import LOADERS, LanguageModel
from .measures import ALL_TYPES
from .pair_summaries import pair_summary

DEFAULT_SEEDS = 20


def null_models(
    model: LanguageModel, seeds: int | Iterable[int] = DEFAULT_SEEDS
) -> Iterator[LanguageModel]:
    """Yield language models of the same architecture and tokenizer, with random weights.

    Weights are drawn as transformers initialises a model before training.

    Parameters
    ----------
    model : LanguageModel
        From `load_language_model`; its weights are not used.
    seeds : int or iterable of int
        How many, from seed 0 on, or the seeds themselves.

    Yields
    ------
    LanguageModel
        Called ``NAME, random weights SEED``, one at a time.

    Raises
    ------
    ValueError
        If a number of seeds is below one, or a seed is not a whole number from 0 on.

    Examples
    --------
    >>> import bayesbias as bb
    >>> model = bb.maskedlm.load_language_model("./bert")  # doctest: +SKIP
    >>> nulls = bb.maskedlm.null_models(model, 20)  # doctest: +SKIP
    >>> scores = [bb.maskedlm.score_pairs(pairs, one, "pll") for one in nulls]  # doctest: +SKIP
    """
    if isinstance(seeds, int):
        check_numbers(seeds=seeds)
        seeds = range(seeds)
    chosen = list(seeds)
    for seed in chosen:
        if not is_whole(seed) or seed < 0:
            raise ValueError(f"a seed must be a whole number from 0 on; got {seed!r}")
    return (_null_model(model, seed) for seed in chosen)


def _null_model(model: LanguageModel, seed: int) -> LanguageModel:
    import torch
    import transformers

    config = copy.deepcopy(model.network.config)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = getattr(transformers, LOADERS[model.kind]).from_config(
            config, attn_implementation="eager"
        )
    network = network.to(device=model.device, dtype=model.network.dtype).eval()
    return replace(model, name=f"{model.name}, random weights {seed}", network=network)


def null_rates(
    paired: pd.DataFrame,
    model: str | Path | ModelSpec = DEFAULT_MODEL,
    *,
    ci_prob: float = DEFAULT_CI_PROB,
    ci_kind: str = DEFAULT_CI_KIND,
    options: FitOptions | None = None,
) -> pd.DataFrame:
    """Count null models whose interval of the share of stereotypical preferences excludes one half.

    Every language model is fitted by itself.

    Parameters
    ----------
    paired : DataFrame
        From `paired_scores`, of the scores of `null_models`.
    model : str, Path or ModelSpec
        As for `fit_pairs`.
    ci_prob : float
        Probability of the intervals, in (0, 1); 1 - ci_prob is the rate to expect.
    ci_kind : {"hdi", "eti"}
    options : FitOptions, optional

    Returns
    -------
    DataFrame
        ``measure``, ``quantity`` (p_stereotypical, or p_equal_length: see `pair_summary`),
        ``bias_type`` (``all`` for all pairs), ``n_models``, ``n_excluding``, ``rate``.
    """
    rows = []
    for (_, measure), part in paired.groupby(["model", "measure"], sort=False):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SamplingWarning)
            found = pair_summary(fit_pairs(part, model=model, options=options), ci_prob, ci_kind)
        found = found[found["quantity"].str.startswith("p_") & (found["level"] != "population")]
        excluding = (found["low"] > 0.5) | (found["high"] < 0.5)
        named = found["bias_type"].replace("", ALL_TYPES)
        rows.append(found.assign(bias_type=named, excluding=excluding, measure=str(measure)))
    by = pd.concat(rows).groupby(["measure", "quantity", "bias_type"], sort=False)["excluding"]
    frame = by.agg(n_models="size", n_excluding="sum", rate="mean").reset_index()
    frame.attrs = {"ci_prob": ci_prob, "ci_kind": ci_kind}
    return frame
