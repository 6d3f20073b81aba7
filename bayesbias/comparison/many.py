"""Many embeddings, lists and trainings in one model: how contrasts differ, and who ranks where."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .._core.random import as_seed_sequence
from .._core.resources import OWN_FRAMES
from ..model.priors import Prior
from ..model.tree import SamplingWarning, versions
from ..sampling.fit import PARETO_K_LIMIT
from ..sampling.options import FitKeywords, FitOptions, fit_options, shows_fit_keywords
from ..tables.schema import require_columns
from .hierarchy import PRIORS, Hierarchy
from .runs import Contrasts, Runs, list_contrasts, runs_of

if TYPE_CHECKING:
    from xarray import DataTree

MOST_RUNS = 500
"""Runs at most, lists times embeddings times trainings: one matrix has a row for each."""

NAMES = {
    "embedding_sd": "embedding",
    "list_sd": "list",
    "interaction_sd": "embedding × list",
    "training_sd": "training",
}
"""What each sd is of, in words."""


@shows_fit_keywords
def fit_many(
    tables: pd.DataFrame | Iterable[pd.DataFrame],
    *,
    first: str = "associated",
    second: str = "different",
    priors: Mapping[str, Prior] | None = None,
    options: FitOptions | None = None,
    **keywords: Unpack[FitKeywords],
) -> DataTree:
    r"""Fit one model to the contrasts of many embeddings and lists.

    Words and attributes have effects that all embeddings share and effects of each embedding, so
    that what the same words do in all of them cancels out of differences. Contrasts of embeddings
    and lists are :math:`\mu + \alpha_e + \beta_l + \gamma_{el}`, shrunken towards one another as
    far as the tables say.

    Parameters
    ----------
    tables : DataFrame or iterable of DataFrame
        Long-form tables with a column ``embedding``; ``wordlist`` and ``replicate`` (which
        training) may be there too. Several are put below each other.
    first, second : str
        The contrast: mean distance of `first` less that of `second`, in [-2, 2]. Negative means
        that `first` lies closer: with the defaults, the more negative the more biased.
    priors : mapping of str to Prior, optional
        Of ``embedding_sd``, ``list_sd``, ``interaction_sd``, ``training_sd``.
    options, **keywords
        As for `fit`; the method is always the exact sampler.

    Returns
    -------
    DataTree
        ``contrast[wordlist, embedding]``, ``average[embedding]`` over lists, and the sds of
        embeddings, lists, both, and trainings. Cells that no table measured are predicted;
        ``constant_data`` says which were ``measured``, and holds every cell's ``raw_mean`` and
        ``raw_sd``, neither shrunken, and ``scale``. For `bb.rank_embeddings`,
        `bb.embedding_differences`, `bb.variance_shares` and `bb.predict_retraining`.

    Raises
    ------
    ValueError
        If there is one training of one embedding only, no list is in two of them, no pair of words
        is in all embeddings of a list, two embeddings are equal, numbers of trainings differ, or
        there are more than 500 runs, lists times embeddings times trainings.

    Warns
    -----
    UserWarning
        If pairs that some embedding of a list lacks are left out, or a list is in one embedding.
    SamplingWarning
        If Pareto k is not below 0.7.

    Notes
    -----
    `bayesbias.comparison.runs` has the model of one list: the average of embeddings follows
    ``maximal``, and orthonormal differences follow ``change-maximal`` with their sds in common.
    This is exact where embeddings are exchangeable but for a scale each, the sd that its contrast
    has by itself, which is taken as known. Lists are taken to be independent of one another; where
    they share words they are not quite.

    References
    ----------
    Gelman and Hill (2007), Data Analysis Using Regression and Multilevel/Hierarchical Models,
    chapters 12 and 22.

    Examples
    --------
    >>> table = bb.distance_tables(embeddings, ["gender"], case="fallback")
    >>> bb.rank_embeddings(bb.fit_many(table, seed=1))["embedding"].tolist()
    ['glove', 'debiased']
    """
    import xarray as xr

    if first == second:
        raise ValueError(f"first and second are both {first!r}; a contrast needs two")
    for name, prior in (priors or {}).items():
        if name not in PRIORS:
            raise ValueError(f"priors: {unknown_name('parameter', name, PRIORS)}")
        prior.require(name, "positive")
    sd_priors = {**PRIORS, **(priors or {})}
    lists = _split(tables)
    fitted = fit_options(options, keywords)
    if fitted.method not in {"auto", "exact"}:
        raise ValueError(
            f"method {fitted.method!r}: many embeddings are fitted by the exact sampler only; "
            "leave the method out"
        )
    n = fitted.draws * fitted.chains
    sequence = as_seed_sequence(fitted.seed)
    last, *seeds = sequence.spawn(len(lists) + 1)
    embeddings = list(dict.fromkeys(name for runs in lists for name in runs.embeddings))
    measured = [
        list_contrasts(runs, embeddings, (first, second), n, default_rng(seed))
        for runs, seed in zip(lists, seeds, strict=True)
    ]
    hierarchy, rng = Hierarchy(measured, len(embeddings)), default_rng(last)
    sds, pareto_k = hierarchy.draw_sds(sd_priors, n, rng)
    draws = {"contrast": hierarchy.draw_contrasts(sds, rng)}
    draws |= dict(zip(hierarchy.loadings, sds.T, strict=True))
    pareto_k = max(pareto_k, *(own.pareto_k for own in measured))
    tree = _tree(lists, measured, embeddings, draws, fitted.chains)
    tree["sample_stats"] = xr.Dataset({"pareto_k": pareto_k})
    doubts = _of_left_out(lists)
    unreliable = [
        f"Pareto k is {pareto_k:.2f}, not below {PARETO_K_LIMIT}: weights are not reliable; "
        "raise draws"
    ] * (not pareto_k < PARETO_K_LIMIT)
    tree.attrs |= {
        "model": "joint",
        "first": first,
        "second": second,
        "method": "exact",
        "method_reason": "Normal models; sds by importance resampling",
        "seed": str(sequence.entropy),
        "spread": np.mean([replace(runs.design, y=y).spread for runs in lists for y in runs.y]),
        "priors": json.dumps({name: prior.parameters for name, prior in sd_priors.items()}),
        "left_out": json.dumps({runs.wordlist: runs.n_left_out for runs in lists}),
        "warnings": json.dumps(unreliable),
        "versions": json.dumps(versions()),
    }
    for category, texts in ((UserWarning, doubts), (SamplingWarning, unreliable)):
        for text in texts:
            warnings.warn(text, category, skip_file_prefixes=OWN_FRAMES)
    return tree


def _split(tables: pd.DataFrame | Iterable[pd.DataFrame]) -> list[Runs]:
    """Return the runs of every list."""
    given = [tables] if isinstance(tables, pd.DataFrame) else list(tables)
    for table in given:
        require_columns(table, ("embedding",))
    if not given:
        raise ValueError("there is no table")
    whole = pd.concat(given, ignore_index=True)
    columns = ("wordlist", "embedding", "replicate")
    named = {name: whole[name].astype(str) if name in whole else "" for name in columns}
    labels = pd.DataFrame(named, index=whole.index)
    names = list(labels["embedding"].unique())
    n_runs = len(labels.drop_duplicates())
    if len(names) < 2 and labels["replicate"].nunique() < 2:
        raise ValueError(
            f"the tables have one embedding, {names[0]!r}, and one training of it; ranks and "
            "differences need two embeddings, and differences of trainings two trainings. For one "
            "embedding take bb.fit"
        )
    if n_runs > MOST_RUNS:
        raise ValueError(
            f"the tables have {n_runs:,} runs, lists times embeddings times trainings, and "
            f"{MOST_RUNS} is the most; take some of the trainings: 10 of each tell their sd within "
            "a quarter"
        )
    lists = []
    for wordlist, of_list in labels.groupby("wordlist", sort=False):
        parts = of_list.groupby(["embedding", "replicate"], sort=False)
        runs = {(str(name), str(k)): whole.loc[rows.index] for (name, k), rows in parts}
        by_embedding = sorted(runs, key=lambda run: names.index(run[0]))
        lists.append(runs_of(str(wordlist), {run: runs[run] for run in by_embedding}))
    if len(names) > 1 and all(len(runs.embeddings) < 2 for runs in lists):
        raise ValueError(
            "no list was measured in two embeddings, so that nothing tells lists from embeddings; "
            "measure one list in all of them"
        )
    return lists


def _tree(
    lists: Sequence[Runs],
    measured: Sequence[Contrasts],
    embeddings: Sequence[str],
    draws: Mapping[str, FloatArray],
    chains: int,
) -> DataTree:
    """Lay draws of contrasts and sds out as ArviZ expects them, with what was measured."""
    import xarray as xr

    raw = np.full((4, len(lists), len(embeddings)), np.nan)
    for place, (runs, own) in enumerate(zip(lists, measured, strict=True)):
        k = runs.n_trainings
        average = np.kron(np.eye(len(runs.embeddings)), np.full((1, k), 1 / k))
        sds = np.sqrt(np.einsum("eu,uv,ev->e", average, own.covariance, average))
        raw[:, place, own.embedding[::k]] = average @ own.mean, sds, own.scale[::k], [k] * len(sds)
    cells = ("wordlist", "embedding")
    constants = dict(zip(("raw_mean", "raw_sd", "scale", "n_trainings"), raw, strict=True))
    constants["measured"] = np.isfinite(raw[0])
    draws = {**draws, "average": draws["contrast"].mean(axis=1)}
    dims = {"contrast": cells, "average": cells[1:]}
    posterior = {
        name: (("chain", "draw", *dims.get(name, ())), v.reshape(chains, -1, *v.shape[1:]))
        for name, v in draws.items()
    }
    coords = {"wordlist": [runs.wordlist for runs in lists], "embedding": list(embeddings)}
    n_draws = len(draws["contrast"]) // chains
    sampled = {"chain": np.arange(chains), "draw": np.arange(n_draws)}
    return xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(posterior, {**coords, **sampled}),
            "constant_data": xr.Dataset({n: (cells, v) for n, v in constants.items()}, coords),
        }
    )


def _of_left_out(lists: Sequence[Runs]) -> list[str]:
    """Name the pairs that are left out, and the lists that compare nothing."""
    doubts = [
        f"{runs.n_left_out:,} of {runs.n_left_out + runs.y.shape[1]:,} pairs of words of the list "
        f"{runs.wordlist!r} are not in all of its embeddings, and are left out of all"
        for runs in lists
        if runs.n_left_out
    ]
    if any(len(runs.embeddings) > 1 for runs in lists):
        doubts += [
            f"the list {runs.wordlist!r} is in {runs.embeddings[0]} only, and does not compare "
            "embeddings; its contrasts in the others are predicted"
            for runs in lists
            if len(runs.embeddings) < 2
        ]
    return doubts
