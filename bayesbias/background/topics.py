"""A prior for the contrasts of lists about arbitrary topics.

The words of any topic are closer to some topics than to others, so even a list about arbitrary
topics has a contrast.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

from .._core.arrays import FloatArray
from .._core.checks import check_numbers
from .._core.random import Seed, as_seed_sequence
from ..embeddings.distances import distance_table, homes_of
from ..embeddings.load import VectorsLike
from ..model.indexing import make_design
from ..model.priors import Prior
from ..model.spec import ModelSpec, load_model
from ..sampling.exact import sample_exact
from ..sampling.reduction import collapse
from ..sampling.variation import require_variation
from ..tables.schema import CONNECTIONS
from ..tables.wordlists import WordListLike, load_wordlist
from .pools import draw_pool
from .reference_words import draw_lists, words_present

SD = "topic_sd"

TABLE_DRAWS = 500
"""Number of posterior draws per list, over which the list's likelihood is averaged."""

WIDE = Prior("lognormal", {"log_mean": -4.0, "log_sd": 2.0}, "wide; divided out afterward")
"""Prior of the sd in the fits of single lists."""

NARROWEST = 0.1
"""Smallest sd of the log sd over lists; there are too few draws to learn a smaller sd."""


def topic_tables(
    source: VectorsLike,
    wordlist: WordListLike,
    *,
    n_tables: int = 200,
    ranks: tuple[int, int | None] = (0, None),
    case: str = "exact",
    seed: Seed = None,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> Iterator[pd.DataFrame]:
    """Yield long-form tables of lists about arbitrary topics; each list is as large as a given one.

    Each set is replaced by neighbors of a random word, with about the same mean cosine as the
    set. Control words are left out. The expected contrast is 0. For the parameters, see
    `bayesbias.vocabulary_contrasts`.

    Examples
    --------
    >>> import bayesbias as bb
    >>> tables = bb.background.topic_tables("glove-demo", "gender", n_tables=2, seed=1)
    >>> [len(table) for table in tables]
    [350, 350]
    """
    check_numbers(n_tables=n_tables)
    loaded, rng = load_wordlist(wordlist), default_rng(as_seed_sequence(seed))
    reading: dict[str, Any] = {"allow_pickle": allow_pickle, "progressbar": progressbar}
    pool = draw_pool(source, loaded.words, rng=rng, case=case, ranks=ranks, **reading)
    homes_of(pool.spellings, loaded)  # refuses a word in two groups as it is spelled in the list
    present = replace(words_present(loaded, pool.found, pool.spellings), controls={})
    vectors = dict(zip(pool.words, pool.vectors, strict=True))
    for drawn in draw_lists(pool, present, vary="both", match="topics", n_lists=n_tables, rng=rng):
        groups, stereotypes = (
            {name: [pool.words[rows[word]] for word in words] for name, words in sets.items()}
            for rows, sets in zip(drawn, (present.groups, present.stereotypes), strict=True)
        )
        other: Any = {"groups": groups, "stereotypes": stereotypes}
        yield distance_table(vectors, replace(present, **other))


def topic_prior(
    tables: Iterable[pd.DataFrame],
    model: str | Path | ModelSpec = "maximal-topics",
    *,
    seed: Seed = None,
) -> Prior:
    r"""Learn the prior of ``topic_sd`` from tables of lists about arbitrary topics.

    Each table k has a separate sd, `τ[k]`. The logs of these sds are Normal with mean m and sd s.
    The prior uses the m and s that maximize the likelihood

        Π_k ∫ p(y[k] | τ) LogNormal(τ | m, s) dτ.

    Up to a constant, each integral is the mean of `LogNormal(τ | m, s) / q(τ)` over draws from the
    posterior of `τ[k]` under a wide prior q (Hogg, Myers, and Bovy, 2010, The Astrophysical Journal
    725). All other parameters of a table are integrated out. Associated and different pairs have
    the same mean, because the choice of attributes for each group is arbitrary.

    Parameters
    ----------
    tables : iterable of DataFrame
        Two or more long-form tables, such as those from `topic_tables`. Controls are ignored.
    model : str, Path, or ModelSpec
        A Normal model with the sd ``topic_sd``.
    seed : int, SeedSequence, Generator, or None

    Returns
    -------
    Prior
        A lognormal prior, for ``bb.fit(table, "maximal-topics", priors={"topic_sd": prior})``.

    Examples
    --------
    >>> import bayesbias as bb
    >>> scenario = bb.nulls.vocabulary_scenario(lists="topics")
    >>> tables = [scenario.table(seed) for seed in range(3)]
    >>> bb.background.topic_prior(tables, seed=1).family
    'lognormal'
    """
    spec = load_model(model, "distance").with_priors({SD: WIDE})
    rng = default_rng(as_seed_sequence(seed))
    draws = np.array([_log_sds(table, spec, rng) for table in tables])
    if len(draws) < 2:
        raise ValueError(f"pass two or more tables to learn a prior; got {len(draws)}")
    log_mean, log_sd = _population(draws)
    return Prior(
        "lognormal",
        {"log_mean": round(log_mean, 3), "log_sd": round(log_sd, 3)},
        f"learned from {len(draws)} tables of lists about arbitrary topics",
    )


def _log_sds(table: pd.DataFrame, spec: ModelSpec, rng: Generator) -> FloatArray:
    """Draw the log sd of one table from its posterior, (TABLE_DRAWS,)."""
    stereotypes = table[table["connection"].isin(CONNECTIONS[:2])]
    design = make_design(stereotypes.assign(connection="different"))
    require_variation(design, spec)
    posterior = collapse(design, spec)
    drawn = sample_exact(posterior, TABLE_DRAWS, rng)
    return drawn.parameters[:, posterior.block(SD).where][:, 0]


def _population(draws: FloatArray) -> tuple[float, float]:
    """Return the maximum-likelihood mean and sd of log sds over tables, from draws for each."""
    from scipy.optimize import minimize
    from scipy.special import logsumexp

    wide = WIDE.log_density(np.exp(draws))

    def loss(values: FloatArray) -> float:
        narrow = {"log_mean": float(values[0]), "log_sd": float(np.exp(values[1]))}
        weight = Prior("lognormal", narrow).log_density(np.exp(draws)) - wide
        return -float(logsumexp(weight, axis=1).sum())

    start = np.array([np.median(draws), np.log(0.5)])
    bounds = [(draws.min(), draws.max()), (np.log(NARROWEST), np.log(WIDE.parameters["log_sd"]))]
    log_mean, log_sd = minimize(loss, start, bounds=bounds, method="L-BFGS-B").x
    return float(log_mean), float(np.exp(log_sd))
