"""Fit many embeddings, lists, and training runs in one model; compare and rank contrasts."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.arrays import FloatArray
from .._core.checks import check_filled, unknown_name
from .._core.display import abridged
from .._core.random import as_seed_sequence
from .._core.warnings import BayesbiasWarning, warn
from ..model.defaults import RECOMMENDED
from ..model.design import one_hot
from ..model.frequency import Frequency, frequency_of, unranked
from ..model.layout import versions
from ..model.priors import Prior
from ..model.spec import ModelSpec, load_model
from ..model.tree import SAMPLED, DataTree, keep_warnings
from ..sampling.fit import lacks_likeness
from ..sampling.importance import PARETO_K_LIMIT
from ..sampling.options import FitKeywords, FitOptions, fit_options, shows_fit_keywords
from ..tables.cosines import joined_tables
from ..tables.levels import refuse_average
from ..tables.schema import as_table, is_frame
from ..warnings import (
    HighJointParetoK,
    ListInOneEmbedding,
    NoLikeness,
    NoRanks,
    OrderIgnored,
    PairsNotShared,
    SomeAtEqualFrequency,
)
from .hierarchy import PRIORS, Drawn, Hierarchy
from .order import look_ordered, values_of_x
from .runs import Contrasts, Runs, list_contrasts, runs_of

MOST_RUNS = 500
"""Largest number of runs (lists times embeddings times copies); a matrix has one row per run."""

OF_ROW = ("wordlist", "protected_group")
"""Coordinates of a contrast: its list and its group, which is empty for overall contrasts."""

RAW = ("raw_mean", "raw_sd")
"""Contrasts without shrinkage, in ``constant_data``; NaN if there is no table."""

NAMES = {
    "embedding_sd": "embedding",
    "list_sd": "list",
    "interaction_sd": "embedding × list",
    "training_sd": "training",
    "list_slope_sd": "trend × list",
}
"""The source of variation that each sd describes."""


@shows_fit_keywords
def fit_many(
    tables: pd.DataFrame | Iterable[pd.DataFrame],
    model: str | Path | ModelSpec = RECOMMENDED["distance"],
    *,
    covariates: str | Sequence[str] = (),
    x: Mapping[str, float] | None = None,
    first: str = "associated",
    second: str = "different",
    priors: Mapping[str, Prior] | None = None,
    options: FitOptions | None = None,
    **keywords: Unpack[FitKeywords],
) -> DataTree:
    r"""Fit one model to the contrasts of many embeddings and lists, overall and by group.

    The contrasts of each list in each embedding come from separate fits. Word effects that are the
    same in all embeddings cancel out in differences. Overall contrasts, `μ + α[e] + β[l] +
    γ[e, l]`, are shrunk toward one another, especially if they are uncertain or similar. They thus
    differ from ``raw_mean``, the contrast from a separate fit.

    Parameters
    ----------
    tables : DataFrame or iterable of DataFrame
        Long-form tables with a column ``embedding``. The columns ``wordlist`` and ``replicate``
        (the training run) are optional.
    model : str, Path, or ModelSpec
        A Normal model of distances. Models without group means give only overall contrasts.
    covariates : str or sequence of str
        Columns of the tables, or their products, whose slopes are estimated in each embedding; see
        `fit`. Contrasts are then those at equal values of the covariates: each embedding's means
        over the pairs of words that all embeddings have, without matched controls.
    x : mapping of str to float, optional
        A number for every embedding, such as its decade, with at least four different values. The
        contrasts then follow a line in x, and `bb.trend` reads its slope. Without x, embeddings are
        exchangeable: their order means nothing, and a trend shrinks.
    first, second : str
        The contrast is the mean distance of `first` minus that of `second`, in [-2, 2]. It is
        negative if `first` is closer. With the defaults, a more negative contrast means more bias.
    priors : mapping of str to Prior, optional
        Priors for ``embedding_sd``, ``list_sd``, ``interaction_sd``, ``training_sd``, and, with
        x, ``list_slope_sd``.
    options, **keywords
        See `fit`. The exact sampler is always used.

    Returns
    -------
    DataTree
        A posterior with ``contrast[contrast_row, embedding]``, its average over lists, and the sds
        that the tables identify, such as ``embedding_sd``. Each row has a ``wordlist`` and a
        ``protected_group``, which is empty for overall contrasts. A group whose contrast is not
        identified has no row. Unmeasured contrasts are predicted. ``constant_data`` has
        ``raw_mean`` and ``raw_sd``. With x, ``slope[contrast_row]`` is the change in the contrast
        for each unit of x. Summarize the posterior with `bb.rank_embeddings`,
        `bb.comparison.embedding_differences`, or `bb.comparison.variance_shares`.

    Raises
    ------
    ValueError
        If x lacks an embedding or has fewer than four different values, no list is in two
        embeddings (or, with one embedding, in two training runs), no pair of
        words is in all runs of a list, two runs are equal, a word's group or set differs between
        runs, or a list has unequal numbers of runs; or if the tables cannot carry the model or a
        covariate.

    Warns
    -----
    SomeAtEqualFrequency
        If only some embeddings of a list have the ranks and matched controls for contrasts at equal
        frequency.
    NoLikeness, NoRanks
        As in `fit`, but once for all embeddings.
    PairsNotShared
        If some embeddings lack pairs of words.

    Notes
    -----
    The measured contrasts of a list have a joint Normal likelihood (`bayesbias.comparison.runs`).
    Its means and sds come from fits to each run, and its correlations assume
    exchangeable embeddings. Groups and lists are treated as independent; this is only an
    approximation for lists that share words. Group contrasts are pooled over embeddings but not
    over groups or lists. Pairs of words that are not in all embeddings are left out with a warning.
    For two versions of one embedding, `bb.fit_change` is more precise.

    References
    ----------
    Gelman and Hill (2007), Data Analysis Using Regression and Multilevel/Hierarchical Models,
    chapters 12 and 22.

    Examples
    --------
    >>> table = bb.distance_tables(embeddings, ["gender"], case="fallback")
    >>> bb.rank_embeddings(bb.fit_many(table, seed=1)).iloc[:, :4].round(2)
      wordlist embedding  mean    sd
    0   gender     glove -0.04  0.01
    1   gender  debiased -0.02  0.01
    """
    from xarray import Dataset

    spec, fitted = load_model(model, "distance"), fit_options(options, keywords)
    _require_usable(spec, fitted, (first, second), priors or {})
    sd_priors = {**PRIORS, **(priors or {})}
    lists, sequence = _split(tables, spec, covariates), as_seed_sequence(fitted.seed)
    embeddings = list(dict.fromkeys(name for runs in lists for name in runs.embeddings))
    values = None if x is None else values_of_x(x, embeddings)
    if x is None and look_ordered(embeddings):
        warn(OrderIgnored(tuple(embeddings)))
    rng = default_rng(sequence)
    found = [list_contrasts(runs, embeddings, (first, second), rng) for runs in lists]
    rows = [
        (runs.wordlist, group, contrast)
        for runs, (of_list, _) in zip(lists, found, strict=True)
        for group, contrast in of_list.items()
    ]
    rows.sort(key=lambda row: row[1] != "")  # overall contrasts, which share effects, come first
    overall = [contrast for _, group, contrast in rows if not group]
    parts = [overall, *([contrast] for _, group, contrast in rows if group)]
    n = fitted.draws * fitted.chains
    drawn = [Hierarchy(part, len(embeddings), values).draw(sd_priors, n, rng) for part in parts]
    worst = max(*(k for _, k in found), *(k for _, _, _, k in drawn))
    tree = _tree(rows, drawn, embeddings, values, (fitted.chains, fitted.draws))
    tree["sample_stats"] = Dataset({"pareto_k": worst})
    tree.attrs |= {
        "model": "joint",
        "model_of_runs": spec.name,
        "covariates": json.dumps([covariates] if isinstance(covariates, str) else [*covariates]),
        "first": first,
        "second": second,
        "method": "exact",
        "method_reason": "Normal models; sds by importance resampling",
        "seed": str(sequence.entropy),
        "spread": np.mean([each.spread for runs in lists for each in runs.designs]),
        "priors": json.dumps({name: prior.parameters for name, prior in sd_priors.items()}),
        "left_out": json.dumps({runs.wordlist: runs.n_left_out for runs in lists}),
        "versions": json.dumps(versions()),
    }
    unreliable = [] if worst < PARETO_K_LIMIT else [HighJointParetoK(worst, PARETO_K_LIMIT)]
    keep_warnings(tree, unreliable)
    for warning in (*_of_left_out(lists), *_of_unknowns(lists, spec), *unreliable):
        warn(warning)
    return tree


def _require_usable(
    spec: ModelSpec, options: FitOptions, pair: tuple[str, str], priors: Mapping[str, Prior]
) -> None:
    """Raise a ValueError for a model, an option, a contrast, or a prior that cannot be used."""
    if pair[0] == pair[1]:
        raise ValueError(f"first and second are both {pair[0]!r}; a contrast needs two connections")
    for name, prior in priors.items():
        if name not in PRIORS:
            raise ValueError(f"priors: {unknown_name('parameter', name, PRIORS)}")
        prior.require(name, "a positive")
    if options.method not in {"auto", "exact"}:
        raise ValueError(
            f"fit_many always uses the exact sampler, so the method {options.method!r} is not "
            "available; leave out the method"
        )
    if spec.likelihood != "normal":
        raise ValueError(
            f"fit_many needs a Normal model, such as by-group; {spec.name!r} has a "
            f"{spec.likelihood} likelihood"
        )


def _tree(
    rows: Sequence[tuple[str, str, Contrasts]],
    drawn: Sequence[Drawn],
    embeddings: Sequence[str],
    x: FloatArray | None,
    shape: tuple[int, int],
) -> DataTree:
    """Arrange draws of all rows, ``shape`` chains and draws, with the measured contrasts."""
    import xarray as xr

    dims = {"contrast": ("contrast_row", "embedding"), "average": ("embedding",)}
    draws = {"contrast": np.concatenate([own for own, _, _, _ in drawn], axis=1), **drawn[0][2]}
    draws["average"] = drawn[0][0].mean(axis=1)
    measured = _raw([contrast for _, _, contrast in rows], len(embeddings))
    constants: dict[str, Any] = dict(
        zip(RAW, ((dims["contrast"], v) for v in measured), strict=True)
    )
    if x is not None:
        dims["slope"], constants["x"] = ("contrast_row",), ("embedding", x)
        draws["slope"] = np.concatenate([slopes for _, slopes, _, _ in drawn], axis=1)
    coords: dict[str, Any] = {"embedding": embeddings}
    coords |= {name: ("contrast_row", [row[i] for row in rows]) for i, name in enumerate(OF_ROW)}
    sampled = dict(zip(SAMPLED, map(np.arange, shape), strict=True))
    posterior = {
        name: ((*SAMPLED, *dims.get(name, ())), v.reshape(*shape, *v.shape[1:]))
        for name, v in draws.items()
    }
    groups = {"posterior": xr.Dataset(posterior, coords | sampled)}
    return xr.DataTree.from_dict(groups | {"constant_data": xr.Dataset(constants, coords)})


def _split(
    tables: pd.DataFrame | Iterable[pd.DataFrame], spec: ModelSpec, covariates: str | Sequence[str]
) -> list[Runs]:
    """Return the runs of every list."""
    if isinstance(tables, Mapping):
        raise TypeError(
            "tables need a column embedding; pass [table.assign(embedding=name) for name, table in "
            "tables.items()]"
        )
    parts: dict[str, dict[tuple[str, str], list[pd.DataFrame]]] = {}
    for part in [tables] if is_frame(tables) else tables:
        table = as_table(part, ("embedding",))
        keys = ("wordlist", "embedding", "replicate")
        check_filled({key: table[key] for key in keys[:2] if key in table})
        columns = [table[key].to_numpy(str) if key in table else "" for key in keys]
        labels = pd.DataFrame(dict(zip(keys, columns, strict=True)), range(len(table)))
        for (wordlist, *run), rows in labels.groupby(list(keys), sort=False):
            of_list = parts.setdefault(str(wordlist), {})
            of_list.setdefault((str(run[0]), str(run[1])), []).append(table.iloc[rows.index])
    if not parts:
        raise ValueError("no tables were given; pass tables of two or more embeddings")
    refuse_average(parts)
    names = list(dict.fromkeys(name for of_list in parts.values() for name, _ in of_list))
    n_runs = sum(map(len, parts.values()))
    if len({run for of_list in parts.values() for run in of_list}) < 2:
        raise ValueError(
            f"the tables have only one embedding, {names[0]!r}, with one training run; use bb.fit"
        )
    if n_runs > MOST_RUNS:
        raise ValueError(
            f"the tables have {n_runs:,} runs (lists times embeddings times copies), but at "
            f"most {MOST_RUNS} are supported; use fewer retrained copies of each embedding"
        )
    lists = []
    for wordlist, of_list in parts.items():
        runs = sorted(of_list, key=lambda run: names.index(run[0]))
        joined = {run: joined_tables(of_list[run]) for run in runs}
        lists.append(runs_of(wordlist, joined, spec, covariates))
    if len(names) > 1 and all(len(runs.embeddings) < 2 for runs in lists):
        raise ValueError("no list was measured in two embeddings; use the same list for each")
    return lists


def _raw(contrasts: Sequence[Contrasts], n_embeddings: int) -> FloatArray:
    """Return measured means and sds, (2, n_contrasts, n_embeddings); NaN if not measured."""
    raw = np.full((2, len(contrasts), n_embeddings), np.nan)
    for place, own in enumerate(contrasts):
        held, run = np.unique(own.embedding, return_inverse=True)
        average = one_hot(run, len(held)) / np.bincount(run)[:, None]
        variances = np.einsum("eu,uv,ev->e", average, own.covariance, average)
        raw[:, place, held] = average @ own.mean, np.sqrt(variances)
    return raw


def _of_left_out(lists: Sequence[Runs]) -> Iterator[BayesbiasWarning]:
    """Yield warnings about pairs that are left out and about lists in only one embedding."""
    several = any(len(runs.embeddings) > 1 for runs in lists)
    for runs in lists:
        if n := runs.n_left_out:
            total, why = n + runs.y.shape[1], "some embeddings of the list lack them"
            yield PairsNotShared(n, total, "word pair", why, about=runs.wordlist)
        if several and len(runs.embeddings) < 2:
            yield ListInOneEmbedding(runs.wordlist, runs.embeddings[0])


def _of_unknowns(lists: Sequence[Runs], spec: ModelSpec) -> Iterator[BayesbiasWarning]:
    """Yield each warning about unknown cosines and ranks once, and its lists unless all have it."""
    found = defaultdict[BayesbiasWarning, list[str]](list)
    for runs in lists:
        for warning in _unknowns_of(runs, spec):
            found[warning].append(runs.wordlist)
    for warning, names in found.items():
        yield warning if len(names) == len(lists) else warning.concerning(abridged(names))


def _unknowns_of(runs: Runs, spec: ModelSpec) -> Iterator[BayesbiasWarning]:
    """Yield warnings about one list, with its embeddings if not all are alike."""
    if lacks_likeness(runs.design, spec):
        yield NoLikeness(spec.name)
    of_run = np.repeat(runs.embeddings, runs.n_trainings).tolist()
    at_equal, lacking = defaultdict[bool, list[str]](list), dict[str, tuple[str, ...]]()
    for name, measured in zip(of_run, runs.measured, strict=True):
        at_equal[frequency_of(measured) is Frequency.EQUAL].append(name)
        shared = [word for word in unranked(measured)[0] if word in runs.design.attributes]
        lacking[name] = (*lacking.get(name, ()), *shared)
    if len(at_equal) > 1:
        parts = (tuple(dict.fromkeys(at_equal[is_equal])) for is_equal in (True, False))
        yield SomeAtEqualFrequency(*parts)
    if words := tuple(dict.fromkeys(chain(*lacking.values()))):
        places = [name for name, own in lacking.items() if own]
        is_same = len({frozenset(own) for own in lacking.values()}) == 1
        total = len(np.unique(runs.design.attribute[runs.design.set >= 0]))
        yield NoRanks(len(words), total, words, about="" if is_same else abridged(places))
