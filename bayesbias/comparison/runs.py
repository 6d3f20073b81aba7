r"""One list in several embeddings, or trainings of them: what they say of a contrast together.

Write :math:`y_{uwa}` for the distance of word w and attribute a in run u, which is an embedding or
one training of it, over a scale :math:`s_u` that makes runs exchangeable. Every effect of the model
is one that all runs share, plus one of each embedding, plus one of each training. Then, with an
orthonormal Q whose first row averages, whose next rows compare averages of embeddings, and whose
others compare trainings of one embedding,

.. math:: z_{qwa} = \sum_u Q_{qu} y_{uwa}

are independent: the first follows the model for distances, the others that for changes, and those
of a kind have their sds in common. So a list with 20 embeddings is no larger than one of them, and
the exact sampler carries it. The contrasts of the runs, :math:`c_u = s_u \sum_q Q_{qu} \gamma_q`,
are jointly Gaussian given the sds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.random import Generator

from .._core.arrays import FloatArray
from ..model.design import Design, IntArray, index_table
from ..model.spec import load_model
from ..posterior.influence import contrast_weights
from ..sampling.collapsed import mean_moments
from ..sampling.exact import mode_of, sample_exact
from ..sampling.reduction import Collapsed, collapse
from ..tables.schema import validate_table

KEYS = ["protected_word", "attribute", "connection"]
"""What makes a row of one run the partner of a row of another."""

FLAT = {"connection_mean": {"sd": 3.0}}
"""Prior of the means in each list: so wide that the hierarchy of contrasts is their only prior."""

type Part = tuple[FloatArray, Collapsed]
"""Weights of the runs, (n, n_runs), in sums that are alike; and the posterior of these."""


@dataclass(frozen=True)
class Runs:
    """The distances of one list in all runs that hold it."""

    wordlist: str
    embeddings: tuple[str, ...]
    n_trainings: int  # of every embedding
    design: Design  # of the pairs that every run has
    y: FloatArray  # (n_embeddings * n_trainings, n_rows), embedding by embedding
    n_left_out: int  # pairs that some run has and another lacks


@dataclass(frozen=True)
class Contrasts:
    """The Gaussian of the contrasts of all runs of a list, over the draws of its sds."""

    embedding: IntArray  # (n_runs,); trainings of one embedding share it
    mean: FloatArray  # (n_runs,)
    covariance: FloatArray  # (n_runs, n_runs)
    scale: FloatArray  # (n_runs,), by which the sds of a run are larger than usual
    pareto_k: float  # the largest of the parts


def runs_of(wordlist: str, tables: Mapping[tuple[str, str], pd.DataFrame]) -> Runs:
    """Pair the rows of all runs of a list: tables by their embedding and training."""
    trainings = pd.Series([embedding for embedding, _ in tables]).value_counts(sort=False)
    names = tuple(map(str, trainings.index))
    if trainings.nunique() > 1:
        counts = ", ".join(f"{name} {n}" for name, n in trainings.items())
        raise ValueError(
            f"the list {wordlist!r} has unequal numbers of trainings ({counts}); give every "
            "embedding of a list the same number of replicates"
        )
    valid = [validate_table(table).drop_duplicates(KEYS) for table in tables.values()]
    y = [table.set_index(KEYS)["cosine_distance"] for table in valid]
    columns = pd.concat(y, axis=1)
    shared = columns.dropna().index
    rows = valid[0][y[0].index.isin(shared)].reset_index(drop=True)
    if rows.empty:
        raise ValueError(
            f"no pair of words of the list {wordlist!r} is in all of {', '.join(names)}; leave the "
            "embedding out that lacks them"
        )
    values = columns.loc[pd.MultiIndex.from_frame(rows[KEYS])].to_numpy(dtype=np.float64).T
    labels = [" ".join(filter(None, run)) for run in tables]
    _, first, of_run = np.unique(values, axis=0, return_index=True, return_inverse=True)
    for run, same in enumerate(first[of_run.ravel()]):
        if run != same:
            raise ValueError(
                f"{labels[same]} and {labels[run]} have the same distances for the list "
                f"{wordlist!r}; leave one out"
            )
    design, n_left_out = index_table(rows), len(columns) - len(rows)
    return Runs(wordlist, names, int(trainings.iloc[0]), design, values, n_left_out)


def rotation(n_embeddings: int, n_trainings: int) -> tuple[FloatArray, ...]:
    """Rows that average runs, compare embeddings, and compare trainings of one embedding.

    Returns
    -------
    (1, n_runs), (n_embeddings - 1, n_runs), (n_embeddings * (n_trainings - 1), n_runs) float
        Orthonormal, together a basis.
    """
    from scipy.linalg import helmert

    average = np.full((1, n_trainings), n_trainings**-0.5)
    embeddings = np.full((1, n_embeddings), n_embeddings**-0.5)
    between = helmert(n_embeddings) if n_embeddings > 1 else np.empty((0, 1))
    within = helmert(n_trainings) if n_trainings > 1 else np.empty((0, 1))
    pairs = (embeddings, average), (between, average), (np.eye(n_embeddings), within)
    return tuple(np.asarray(np.kron(*pair), dtype=np.float64) for pair in pairs)


def list_contrasts(
    runs: Runs, embeddings: Sequence[str], pair: tuple[str, str], n_draws: int, rng: Generator
) -> Contrasts:
    """Compute the Gaussian of first - second of the pair in all runs of a list.

    ``embeddings`` are the names that ``Contrasts.embedding`` counts. The Gaussian has the moments
    of those given each of `n_draws` draws of the list's sds.
    """
    connections = runs.design.connections
    if lacking := [name for name in pair if name not in connections]:
        raise ValueError(
            f"the list {runs.wordlist!r} has no {lacking[0]} rows that all its runs share; it has "
            f"{', '.join(connections)}"
        )
    weights = contrast_weights(connections, *pair)
    scale = _scales(runs, weights)
    parts = parts_of(runs, scale)
    drawn = [sample_exact(posterior, n_draws, rng, effects=False) for _, posterior in parts]
    means, covariances = gaussians(parts, [draws.parameters for draws in drawn], weights)
    covariance = covariances.mean(axis=0) + np.atleast_2d(np.cov(means.T, bias=True))
    embedding = [embeddings.index(name) for name in runs.embeddings]
    return Contrasts(
        np.repeat(embedding, runs.n_trainings),
        means.mean(axis=0) * scale,
        covariance * np.outer(scale, scale),
        scale,
        max(draws.pareto_k for draws in drawn),
    )


def parts_of(runs: Runs, scale: FloatArray) -> list[Part]:
    """Rotate the distances of all runs over their scales, (n_runs,), into independent parts."""
    scaled = runs.y / scale[:, None]
    average, *differences = rotation(len(runs.embeddings), runs.n_trainings)
    # Sums over the root of their number are no distances; their averages are.
    rows = [(average / np.sqrt(len(scale)), "maximal")]
    rows += [(q, "change-maximal") for q in differences if len(q)]
    parts = []
    for q, model in rows:
        spec = load_model(model).with_priors(FLAT)
        first, *others = (collapse(replace(runs.design, y=row @ scaled), spec) for row in q)
        parts.append((q, replace(first, alike=tuple(others))))
    return parts


def gaussians(
    parts: Sequence[Part], parameters: Sequence[FloatArray], weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Compute the Gaussians of the contrasts of all runs, over their scales, given the parameters.

    Parameters of every part are (n_draws, n_parameters), weights those of the connection means in
    the contrast. Returns means, (n_draws, n_runs), and covariances, (n_draws, n_runs, n_runs).
    """
    n_draws, n_runs = len(parameters[0]), parts[0][0].shape[1]
    mean, covariance = np.zeros((n_draws, n_runs)), np.zeros((n_draws, n_runs, n_runs))
    for (rows, posterior), values in zip(parts, parameters, strict=True):
        back = rows / (rows**2).sum(axis=1, keepdims=True)
        centers, variance = mean_moments(posterior, values, weights)
        mean += centers @ back
        covariance += variance[:, None, None] * (back.T @ back)
    return mean, covariance


def _scales(runs: Runs, weights: FloatArray) -> FloatArray:
    """Sd of the contrast of every embedding by itself, at the mode, over their geometric mean.

    It is the square root of the mean variance of an embedding's trainings.
    """
    spec = load_model("maximal").with_priors(FLAT)

    def variance(y: FloatArray) -> float:
        posterior = collapse(replace(runs.design, y=y), spec)
        return float(mean_moments(posterior, mode_of(posterior)[None], weights)[1][0])

    variances = np.reshape([variance(y) for y in runs.y], (-1, runs.n_trainings))
    log = 0.5 * np.log(variances.mean(axis=1))
    return np.repeat(np.exp(log - log.mean()), runs.n_trainings)
