r"""Gaussian distributions of one list's contrasts in several embeddings or training runs.

A run is an embedding or a retrained copy of it. The contrasts of each run have the mean and
variance of a fit to that run alone, at equal frequency in that run, with covariates at the run's
means over the pairs that all runs have, without matched controls. Runs correlate because they share
words. To estimate the correlations, let `y[u, w, a]` be the distance of word w and attribute a in
run u, minus the run's mean and divided by its spread. Let Q be an orthonormal matrix. Its first row
averages runs, the next rows compare averages of embeddings, and the others compare copies.

    z[q, w, a] = Σ_u Q[q, u] y[u, w, a]

are independent if runs are exchangeable. Each row of z is fitted with the same model, whose mean is
zero a priori, with the runs' mean covariates, and with the same sds for each kind of row. If `v[q]`
are the variances of the contrasts of z, the covariance of runs is `Σ_q v[q] Q[q]ᵀ Q[q]`, except for
each run's scale. Its correlations are those of equally precise runs. The variance that two runs
share is at most that of the more precise run, so the covariance is the correlation times the
smaller variance. With the product of sds instead, pooling would extrapolate beyond runs that
correlate but differ in precision. The variance of the difference of two nearly equal runs is
therefore too large: it is at least the difference of their variances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.random import Generator

from .._core.arrays import FloatArray, IntArray
from ..model.covariates import center_of, names_of, with_slopes
from ..model.defaults import RECOMMENDED
from ..model.design import Design, with_cosines
from ..model.frequency import MATCHED, Frequency, frequency_of
from ..model.indexing import index_table
from ..model.spec import ModelSpec, load_model
from ..posterior.estimands import (
    WITHIN,
    estimand_names,
    identifies_groups,
    pair_place,
    require_overall,
    slope_gaps,
)
from ..posterior.mixtures import contrast_weights
from ..sampling.collapsed import log_density, moments
from ..sampling.exact import sample_exact
from ..sampling.reduction import Collapsed, collapse
from ..sampling.variation import UNCHANGED_SD, require_variation, settled_parts
from ..tables.copies import warn_of_repeats
from ..tables.cosines import table_cosines
from ..tables.schema import checked
from .pairing import require_agreement, row_keys

ROUNDING = 1e-12
"""Distances in two runs are the same if their correlation is closer to 1."""

DRAWS = 500
"""Number of sd draws over which the moments of a run are averaged."""

CLOSE = 0.5
"""Share of effective draws from which a run can use the draws of another one."""

MOST_TRIED = 20
"""Number of other runs whose draws are tried; if none are close, 20 runs take 12% more time."""


@dataclass(frozen=True)
class Runs:
    """The distances of one list in all runs that contain it, embedding by embedding."""

    wordlist: str
    embeddings: tuple[str, ...]
    n_trainings: int  # per embedding
    designs: tuple[Design, ...]  # one per run: only pairs that all runs have
    specs: tuple[ModelSpec, ...]  # one per run: with slopes of its covariates
    n_left_out: int  # number of pairs that only some runs have, without matched controls
    measured: tuple[Design, ...]  # all pairs of each run, with its own matched controls

    @cached_property
    def design(self) -> Design:
        """The pairs that all runs have, with the covariates' means over runs."""
        return replace(self.designs[0], x=np.mean([each.x for each in self.designs], axis=0))

    @property
    def spec(self) -> ModelSpec:
        """The model of the first run."""
        return self.specs[0]

    @cached_property
    def y(self) -> FloatArray:
        """Distances, (n_runs, n_rows)."""
        return np.array([each.y for each in self.designs])


@dataclass(frozen=True)
class Contrasts:
    """The Gaussian distribution of one contrast of a word list across all runs."""

    embedding: IntArray  # (n_runs,); all copies of one embedding have the same
    mean: FloatArray  # (n_runs,)
    covariance: FloatArray  # (n_runs, n_runs)


def runs_of(
    wordlist: str,
    tables: Mapping[tuple[str, str], pd.DataFrame],
    model: str | ModelSpec = RECOMMENDED["distance"],
    covariates: str | Sequence[str] = (),
) -> Runs:
    """Pair the rows of all runs of a list; tables are keyed by embedding and training run."""
    of_list = f"the list {wordlist!r}" if wordlist else "the tables"
    trainings = pd.Series([embedding for embedding, _ in tables]).value_counts(sort=False)
    names = tuple(map(str, trainings.index))
    if trainings.nunique() > 1:
        counts = ", ".join(f"{name} {n}" for name, n in trainings.items())
        raise ValueError(
            f"unequal numbers of training runs in {of_list} ({counts}); use "
            "the same number for every embedding"
        )
    valid = list[pd.DataFrame]()
    for (embedding, training), table in tables.items():
        known = checked(table)
        warn_of_repeats(known, " ".join(filter(None, [wordlist, "in", embedding, training])))
        valid.append(known.rows)
    measured = tuple(map(index_table, valid))
    require_agreement(valid, [" ".join(filter(None, ["in", *run])) for run in tables])
    keys = row_keys(valid)
    at_equal = zip(measured, keys, strict=True)  # each run has its own ranks and controls
    columns = pd.concat([pd.Series(each.y, own) for each, own in at_equal], axis=1)
    shared = columns.dropna()
    n_pairs = int((columns.index.get_level_values("connection") != MATCHED).sum())
    if shared.empty:
        raise ValueError(
            f"no pair of words of {of_list} is in all of {', '.join(names)}; leave "
            "out any embedding that lacks the list's words"
        )
    places = [own.get_indexer(shared.index) for own in keys]
    rows = [
        table.iloc[own].reset_index(drop=True) for table, own in zip(valid, places, strict=True)
    ]
    every, left = {*pd.concat(valid)["protected_group"]}, [*{*rows[0]["protected_group"]}]
    if len(left) == 1 < len(every):
        raise ValueError(
            f"only the group {left[0]!r} of {of_list} has words in all of "
            f"{', '.join(names)}; leave out any embedding that lacks the others"
        )
    y = shared.to_numpy(dtype=np.float64).T
    with np.errstate(invalid="ignore"):  # equal distances have no correlation
        same = np.argwhere(np.triu(np.atleast_2d(np.corrcoef(y)) > 1 - ROUNDING, 1))
    if len(same):
        one, other = (" ".join(filter(None, [*tables][run])) for run in same[0])
        raise ValueError(
            f"{one} and {other} have the same distances in {of_list}, except for a "
            "constant or a factor; leave one out"
        )
    design = index_table(rows[0])
    words, attributes = (
        [c for table in tables.values() if (c := table_cosines(table, names)).size]
        for names in (design.words, design.attributes)
    )
    if words and attributes:
        design = with_cosines(design, np.mean(words, axis=0), np.mean(attributes, axis=0))
    n_left_out = n_pairs - int((rows[0]["connection"] != MATCHED).sum())
    design = replace(design, attribute_rank=np.full(len(design.attributes), np.nan))
    spec, designs, specs = load_model(model), list[Design](), list[ModelSpec]()
    for run, part, table, whole, place in zip(y, rows, valid, measured, places, strict=True):
        listed = part[part["connection"] != MATCHED]
        centers = {name: center_of(listed, name) for name in names_of(covariates)}
        own, of_run = with_slopes(replace(design, y=run), spec, part, covariates, centers)
        if own.covariates and frequency_of(whole) is Frequency.EQUAL:  # by its own controls
            every_row, _ = with_slopes(whole, spec, table, covariates, centers)
            x = every_row.x[place][:, [*map(every_row.covariates.index, own.covariates)]]
            own = replace(own, x=x)
        designs.append(own)
        specs.append(of_run)
    n_trainings = int(trainings.iloc[0])
    return Runs(wordlist, names, n_trainings, tuple(designs), tuple(specs), n_left_out, measured)


def rotation(n_embeddings: int, n_trainings: int) -> tuple[FloatArray, ...]:
    """Return a basis whose rows average runs, compare embeddings, or compare retrained copies."""
    from scipy.linalg import helmert

    average = np.full((1, n_trainings), n_trainings**-0.5)
    embeddings = np.full((1, n_embeddings), n_embeddings**-0.5)
    between, within = helmert(n_embeddings), helmert(n_trainings)  # no rows for a single one
    pairs = (embeddings, average), (between, average), (np.eye(n_embeddings), within)
    return tuple(np.asarray(np.kron(*pair), dtype=np.float64) for pair in pairs)


def _in_spreads(spec: ModelSpec, spread: float) -> ModelSpec:
    """Return a model for distances in units of their spread, which its priors may be in already."""
    if spec.scale == "spread":
        return spec
    scaled = {name: prior.scaled(1 / spread) for name, prior in spec.priors.items()}
    return replace(spec, priors={**scaled, "connection_mean": spec.priors["connection_mean"]})


def list_contrasts(
    runs: Runs, embeddings: Sequence[str], pair: tuple[str, str], rng: Generator
) -> tuple[dict[str, Contrasts], float]:
    """Compute the Gaussian distribution of each contrast in all runs, and Pareto k.

    Keys are group names, or empty for the overall contrast. Groups whose contrast is not identified
    are left out. ``Contrasts.embedding`` contains positions in ``embeddings``.
    """
    design = runs.design
    if lacking := [name for name in pair if name not in design.connections]:
        raise ValueError(
            f"the list {runs.wordlist!r} has no {lacking[0]} rows that all its runs share; choose "
            f"from {', '.join(design.connections)}"
        )
    place, sign = pair_place(design.connections, *pair)
    require_overall(design, runs.spec, *pair)
    of_run = np.repeat(runs.embeddings, runs.n_trainings)
    for embedding, own, spec in zip(of_run, runs.designs, runs.specs, strict=True):
        require_variation(own, spec, about=" in ".join(filter(None, [runs.wordlist, embedding])))
    alone = [collapse(*each) for each in zip(runs.designs, runs.specs, strict=True)]
    weights = sign * contrast_weights(alone[0])[..., place]
    is_default = estimand_names(design, alone[0].spec)[0, place] != WITHIN
    if is_default and not identifies_groups(design):
        weights[:, 1:] = np.nan
    is_known = ~np.isnan(weights[0])
    weights = weights[:, is_known]
    mean, variances, pareto_k = moments_of_runs(alone, weights, rng)
    of_slopes = np.array(
        [_slope_variances(one, alone[0].spec, design.groups, pair) for one in runs.measured]
    )
    sds = np.sqrt(variances + of_slopes[:, is_known])
    spreads = np.array([[posterior.design.spread] for posterior in alone])
    y = (runs.y - runs.y.mean(axis=1, keepdims=True)) / spreads
    spec = _in_spreads(runs.spec, spreads.mean()).with_priors({"connection_mean": {"mean": 0.0}})
    shared = np.zeros((weights.shape[1], len(y), len(y)))
    for q in rotation(len(runs.embeddings), runs.n_trainings):
        if len(q):
            first, *others = rotated = q @ y
            settled = [{*settled_parts(replace(design, y=row), spec)} for row in rotated]
            rounding = UNCHANGED_SD * float(rotated.std()) if set.intersection(*settled) else 0.0
            joined = collapse(
                replace(design, y=first, rounding=rounding), spec, others=np.array(others)
            )
            drawn = sample_exact(joined, DRAWS, rng, effects=False)
            variance = moments(joined, drawn.parameters, weights)[1].mean(axis=0)
            shared += variance[:, None, None] * (q.T @ q)
            pareto_k = max(pareto_k, drawn.pareto_k)
    lengths, variances = np.sqrt(np.diagonal(shared, axis1=1, axis2=2)), sds.T**2
    correlation = shared / (lengths[:, :, None] * lengths[:, None])
    covariance = correlation * np.minimum(variances[:, :, None], variances[:, None])
    embedding = np.repeat([embeddings.index(name) for name in runs.embeddings], runs.n_trainings)
    names = np.array(["", *design.groups])[: len(is_known)][is_known]
    return {
        str(name): Contrasts(embedding, mean[:, i], covariance[i]) for i, name in enumerate(names)
    }, pareto_k


def _slope_variances(
    design: Design, spec: ModelSpec, groups: Sequence[str], pair: tuple[str, str]
) -> FloatArray:
    """Return the variances that equal frequency adds, overall and, if there are any, by group."""
    place, _ = pair_place(design.connections, *pair)
    variances = (slope_gaps(design, spec)[..., place] ** 2).sum(axis=0)
    levels = [0, *(1 + design.groups.index(name) for name in groups)]
    return variances[levels[: len(variances)]]


def moments_of_runs(
    runs: Sequence[Collapsed], weights: FloatArray, rng: Generator
) -> tuple[FloatArray, FloatArray, float]:
    """Return contrast means and variances, (n_runs, k), and the largest Pareto k.

    A run with nearly the same posterior of the sds as an earlier run uses that run's draws with
    importance weights. Monte Carlo errors of similar runs are thus nearly equal and cancel out in
    the difference of two variances, which may be most of the variance of a difference.
    """
    from scipy.special import softmax

    found, sets = [], list[tuple[FloatArray, FloatArray]]()
    worst = -np.inf
    for run in runs:
        for parameters, density in sets:
            shares = softmax(log_density(run, parameters) - density)
            if 1 / (shares**2).sum() > CLOSE * DRAWS:
                break
        else:
            drawn = sample_exact(run, DRAWS, rng, effects=False)
            parameters, shares = drawn.parameters, np.full(DRAWS, 1 / DRAWS)
            if len(sets) < MOST_TRIED:
                sets.append((parameters, log_density(run, parameters)))
            worst = max(worst, drawn.pareto_k)
        means, variances = moments(run, parameters, weights)
        mean = shares @ means[..., 0]
        found.append((mean, shares @ (variances + (means[..., 0] - mean) ** 2)))
    means, variances = map(np.array, zip(*found, strict=True))
    return means, variances, worst
