"""Many embeddings, lists and trainings in one model: how contrasts differ, and who ranks where."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.checks import unknown_name
from .._core.random import as_seed_sequence
from .._core.resources import OWN_FRAMES
from ..model.priors import Prior
from ..model.tree import SamplingWarning, versions
from ..sampling.fit import PARETO_K_LIMIT
from ..sampling.options import FitKeywords, FitOptions, fit_options, shows_fit_keywords
from ..tables.schema import require_columns
from .hierarchy import PRIORS, HierarchyDraws, sample_hierarchy
from .runs import Contrasts, Runs, list_contrasts, runs_of

if TYPE_CHECKING:
    from xarray import DataTree

MOST_RUNS = 100
"""Runs of one list at most; more take long, and tell nothing that some of them do not."""

LABELS = ("wordlist", "embedding", "replicate")
"""Columns that say which run a row is of; absent ones have one value."""

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
        is in all embeddings of a list, two embeddings are equal, numbers of trainings differ, or a
        list has more than 100 runs.

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
    >>> import bayesbias as bb
    >>> words = bb.load_wordlist("religion")
    >>> vectors = bb.load_vectors("glove-demo", words)
    >>> table = bb.distance_table(vectors, words, embedding="glove")
    >>> other = table.assign(embedding="other", cosine_distance=table["cosine_distance"] ** 1.1)
    >>> post = bb.fit_many([table, other], seed=1)
    >>> bb.rank_embeddings(post)["embedding"].tolist()
    ['other', 'glove']
    """
    if first == second:
        raise ValueError(f"first and second are both {first!r}; a contrast needs two")
    chosen = _priors(priors or {})
    lists = _split(tables)
    fitted = fit_options(options, keywords)
    if fitted.method not in {"auto", "exact"}:
        raise ValueError(
            f"method {fitted.method!r}: many embeddings are fitted by the exact sampler only; "
            "leave the method out"
        )
    n = fitted.draws * fitted.chains
    sequence = as_seed_sequence(fitted.seed)
    last, *of_lists = sequence.spawn(len(lists) + 1)
    embeddings = list(dict.fromkeys(name for runs in lists for name in runs.embeddings))
    found = [
        list_contrasts(runs, embeddings, (first, second), n, default_rng(seed))
        for runs, seed in zip(lists, of_lists, strict=True)
    ]
    drawn = sample_hierarchy(found, chosen, n, default_rng(last))
    tree = _tree(lists, found, embeddings, drawn, fitted.chains)
    left_out = {runs.wordlist: runs.n_left_out for runs in lists}
    ks = {runs.wordlist: own.pareto_k for runs, own in zip(lists, found, strict=True)}
    doubts = _doubts({**ks, "all lists together": drawn.pareto_k})
    tree.attrs |= {
        "model": "joint",
        "first": first,
        "second": second,
        "method": "exact",
        "method_reason": "Normal models; sds by importance resampling",
        "seed": str(sequence.entropy),
        "priors": json.dumps({name: prior.parameters for name, prior in chosen.items()}),
        "left_out": json.dumps(left_out),
        "warnings": json.dumps(doubts),
        "versions": json.dumps(versions()),
    }
    for doubt in [*_absences(lists), *map(SamplingWarning, doubts)]:
        warnings.warn(doubt, skip_file_prefixes=OWN_FRAMES)
    return tree


def _priors(overrides: Mapping[str, Prior]) -> dict[str, Prior]:
    for name, prior in overrides.items():
        if name not in PRIORS:
            raise ValueError(f"priors: {unknown_name('parameter', name, PRIORS)}")
        if not prior.positive:
            raise ValueError(f"{name} is positive and cannot take the {prior.family} prior")
    return {**PRIORS, **overrides}


def _split(tables: pd.DataFrame | Iterable[pd.DataFrame]) -> list[Runs]:
    """Return the runs of every list."""
    given = [tables] if isinstance(tables, pd.DataFrame) else list(tables)
    if not given:
        raise ValueError("there is no table")
    for table in given:
        require_columns(table, ("embedding",))
    whole = pd.concat([pd.DataFrame(table) for table in given], ignore_index=True)
    for name in LABELS:
        whole[name] = whole[name].astype(str) if name in whole else ""
    names = list(whole["embedding"].unique())
    if len(names) < 2 and whole["replicate"].nunique() < 2:
        raise ValueError(
            f"the tables have one embedding, {names[0]!r}, and one training of it; ranks and "
            "differences need two embeddings, and what trainings differ by needs two of them. For "
            "one embedding take bb.fit"
        )
    lists = []
    for wordlist, of_list in whole.groupby("wordlist", sort=False):
        runs = {
            (embedding, str(replicate)): rows
            for embedding in names
            for replicate, rows in of_list[of_list["embedding"] == embedding].groupby(
                "replicate", sort=False
            )
        }
        if len(runs) > MOST_RUNS:
            raise ValueError(
                f"the list {wordlist!r} has {len(runs):,} runs, embeddings times trainings, and "
                f"{MOST_RUNS} is the most; take some of the trainings: 10 of each tell their sd "
                "within a quarter"
            )
        lists.append(runs_of(str(wordlist), runs))
    if len(names) > 1 and all(len(runs.embeddings) < 2 for runs in lists):
        raise ValueError(
            "no list was measured in two embeddings, so that nothing tells lists from embeddings; "
            "measure one list in all of them"
        )
    return lists


def _tree(
    lists: Sequence[Runs],
    contrasts: Sequence[Contrasts],
    embeddings: Sequence[str],
    drawn: HierarchyDraws,
    chains: int,
) -> DataTree:
    """Lay the draws out as ArviZ expects them."""
    import xarray as xr

    dims = ("wordlist", "embedding")
    shape = (len(lists), len(embeddings))
    raw = {name: np.full(shape, np.nan) for name in ("raw_mean", "raw_sd", "scale", "n_trainings")}
    for row, (runs, own) in enumerate(zip(lists, contrasts, strict=True)):
        places = own.embedding[:: runs.n_trainings]
        average = (np.equal.outer(places, own.embedding) / runs.n_trainings).astype(np.float64)
        raw["raw_mean"][row, places] = average @ own.mean
        raw["raw_sd"][row, places] = np.sqrt(np.diagonal(average @ own.covariance @ average.T))
        raw["scale"][row, places] = own.scale[:: runs.n_trainings]
        raw["n_trainings"][row, places] = runs.n_trainings
    draws = {
        "contrast": (dims, drawn.contrast),
        "average": (dims[1:], drawn.contrast.mean(axis=1)),
        **{name: ((), values) for name, values in drawn.sds.items()},
    }
    sampled = {
        name: (("chain", "draw", *own_dims), values.reshape(chains, -1, *values.shape[1:]))
        for name, (own_dims, values) in draws.items()
    }
    coords = {"wordlist": [runs.wordlist for runs in lists], "embedding": list(embeddings)}
    numbered = {"chain": np.arange(chains), "draw": np.arange(len(drawn.contrast) // chains)}
    constant = {name: (dims, values) for name, values in raw.items()}
    constant["measured"] = (dims, np.isfinite(raw["raw_mean"]))
    k = max(drawn.pareto_k, *(own.pareto_k for own in contrasts))
    return xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(sampled, {**coords, **numbered}),
            "constant_data": xr.Dataset(constant, coords),
            "sample_stats": xr.Dataset({"pareto_k": k}),
        }
    )


def _absences(lists: Sequence[Runs]) -> list[UserWarning]:
    """Return warnings of pairs and embeddings that a list lacks."""
    texts = [
        f"{runs.n_left_out:,} of {runs.n_left_out + runs.y.shape[1]:,} pairs of words of the list "
        f"{runs.wordlist!r} are not in all of its embeddings, and are left out of all"
        for runs in lists
        if runs.n_left_out
    ]
    texts += [
        f"the list {runs.wordlist!r} is in {runs.embeddings[0]} only, and says nothing of "
        "differences between embeddings; those of the others are predicted"
        for runs in lists
        if len(runs.embeddings) < 2 and any(len(each.embeddings) > 1 for each in lists)
    ]
    return [UserWarning(text) for text in texts]


def _doubts(pareto_k: Mapping[str, float]) -> list[str]:
    return [
        f"Pareto k of {name or 'the list'} is {k:.2f}, not below {PARETO_K_LIMIT}: weights not to "
        "be trusted; raise draws"
        for name, k in pareto_k.items()
        if not k < PARETO_K_LIMIT
    ]
