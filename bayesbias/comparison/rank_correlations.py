"""Whether two rankings of embeddings agree, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, interval
from ..model.tree import labels, stacked
from ..posterior.summaries import carry_warnings
from ..tables.levels import AVERAGE
from ..tables.schema import require_columns
from .queries import AGGREGATES
from .ranks import require_many

if TYPE_CHECKING:
    from xarray import DataTree

NO_INTERVAL = "two numbers for each embedding, without an interval"
"""Of the correlation of two scores."""


def rank_correlations(
    scored: pd.DataFrame,
    tree: DataTree | None = None,
    ci_prob: float = DEFAULT_CI_PROB,
    ci_kind: str = DEFAULT_CI_KIND,
) -> pd.DataFrame:
    """Compute how far scores, and a posterior, rank embeddings alike.

    In every draw of the posterior the embeddings have an order. Its correlation with the order by
    a score has a posterior of its own, and so has that of two draws with one another: how far the
    order is known at all.

    Parameters
    ----------
    scored : DataFrame
        From `score_many`.
    tree : DataTree, optional
        From `fit_many`, of the same lists and embeddings, such as `distance_tables` makes them.
    ci_prob : float
        Probability of the intervals, in (0, 1).
    ci_kind : {"hdi", "eti"}

    Returns
    -------
    DataFrame
        ``wordlist`` (with several lists first ``average``); ``first``, ``second``, scores or the
        posterior's model; ``method``, ``spearman`` or ``kendall`` (tau-b); ``correlation`` of the
        ranks, in [-1, 1], with the posterior its mean; ``low``, ``high``, ``p_same``, the
        probability that both orders are the same; and ``note``, which says where these three are
        missing: between two scores.

    Raises
    ------
    ValueError
        If the posterior has other lists or embeddings, it is not of many embeddings, all
        embeddings have the same score, there is one score and no posterior, or the frame comes
        from a file that has lost its ``attrs``.

    Notes
    -----
    The posterior is ranked as the scores are: with ``aggregate="mean"`` by its contrast, the most
    negative first, as `ranks` does; with ``"abs_mean"`` by the mean size of its contrasts.

    References
    ----------
    Kendall (1938), A new measure of rank correlation.

    Examples
    --------
    >>> import bayesbias as bb
    >>> glove = bb.load_vectors("glove-demo")
    >>> embeddings = {"glove": glove, "debiased": bb.debias.soft(glove, "gender")}
    >>> frame = bb.score_many(embeddings, ["gender"], ["weat", "mac"], case="fallback")
    >>> bb.rank_correlations(frame)[["method", "correlation"]].to_numpy().tolist()
    [['spearman', -1.0], ['kendall', -1.0]]
    """
    require_columns(scored, ("score", "wordlist", "embedding", "bias"))
    aggregate = scored.attrs.get("aggregate")
    if aggregate not in AGGREGATES:
        raise ValueError(
            f"the frame's attrs have no aggregate, which says how it was ranked ({AGGREGATES[0]} "
            f"or {AGGREGATES[1]}): CSV files lose attrs. Set frame.attrs['aggregate'] to what "
            "bb.score_many was asked for, or pass one from bb.score_many"
        )
    if tree is None and scored["score"].nunique() < 2:
        raise ValueError(
            f"the frame has {', '.join(scored['score'].unique()) or 'no score'} only, and a "
            "correlation needs two rankings: ask bb.score_many for two scores, or give the "
            "posterior of bb.fit_many as tree"
        )
    drawn = {} if tree is None else _drawn_bias(tree, scored, aggregate)
    rows: list[dict[str, Any]] = []
    for wordlist, part in scored.groupby("wordlist", sort=False):
        orders = _biases(part, scored)
        pairs = list(combinations(orders.items(), 2))
        if tree is not None:
            own, draws = str(tree.attrs["model"]), drawn[str(wordlist)]
            another = np.roll(draws, len(draws) // 2, axis=0)
            pairs += [(order, (own, draws)) for order in orders.items()]
            pairs.append(((own, draws), (own, another)))
        for (first, one), (second, other) in pairs:
            start = {"wordlist": wordlist, "first": first, "second": second}
            for method in METHODS:
                found = correlations(one, other, method)
                rows.append(start | {"method": method} | _described(found, ci_prob, ci_kind))
    columns = ["wordlist", "first", "second", "method", "correlation", "low", "high", "p_same"]
    frame = pd.DataFrame(rows, columns=[*columns, "note"])
    frame.attrs |= {"ci_prob": ci_prob, "ci_kind": ci_kind}
    return frame if tree is None else carry_warnings(frame, tree)


def correlations(first: FloatArray, second: FloatArray, method: str) -> FloatArray:
    """Rank correlations of the rows of (n, k) arrays, one of which may have a single row, (n,)."""
    one, other = METHODS[method](first), METHODS[method](second)
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return np.asarray(((one * other).sum(axis=1) / lengths).round(DIGITS))


def _centred_ranks(values: FloatArray) -> FloatArray:
    """Ranks less their mean, whose cosine is Spearman's correlation."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values, axis=1) - (values.shape[1] + 1) / 2)


def _signs_of_pairs(values: FloatArray) -> FloatArray:
    """Signs of the differences of all pairs, whose cosine is Kendall's tau-b."""
    first, second = np.triu_indices(values.shape[1], 1)
    return np.asarray(np.sign(values[:, first] - values[:, second]))


METHODS = {"spearman": _centred_ranks, "kendall": _signs_of_pairs}
"""Rank correlations: each a cosine of what stands here."""

DIGITS = 12
"""To which correlations are rounded, so that equal orders have 1 exactly."""


def _biases(of_list: pd.DataFrame, scored: pd.DataFrame) -> dict[str, FloatArray]:
    """Bias by each score, (1, n_embeddings), in the order of the embeddings' names."""
    wide = of_list.pivot(index="embedding", columns="score", values="bias").reindex(
        index=sorted(set(scored["embedding"])), columns=list(dict.fromkeys(scored["score"]))
    )
    wordlist = of_list["wordlist"].iloc[0]
    for score in wide:
        if wide[score].isna().any():
            raise ValueError(
                f"the frame lacks the {score} of the list {wordlist!r} in some embedding; pass "
                "all that bb.score_many gave, of the same lists and embeddings"
            )
        if wide[score].nunique() == 1:
            raise ValueError(
                f"all embeddings have the same {score} of the list {wordlist!r}, and no order"
            )
    return {str(score): wide[score].to_numpy(dtype=np.float64)[None] for score in wide}


def _described(found: FloatArray, ci_prob: float, ci_kind: str) -> dict[str, Any]:
    row: dict[str, Any] = {"correlation": float(found.mean())}
    if len(found) == 1:
        return row | {"note": NO_INTERVAL}
    low, high = interval(found[:, None], ci_prob, ci_kind)[0]
    return row | {"low": low, "high": high, "p_same": float((found == 1).mean()), "note": ""}


def _drawn_bias(tree: DataTree, scored: pd.DataFrame, aggregate: str) -> Mapping[str, FloatArray]:
    """Draws of how biased embeddings are, in the order of their names, (n, n_embeddings)."""
    require_many(tree)
    for name in ("wordlist", "embedding"):
        theirs, ours = set(labels(tree, name)), set(scored[name]) - {AVERAGE}
        if theirs != ours:
            raise ValueError(
                f"the posterior has the {name}s {', '.join(sorted(theirs))}, and the scores have "
                f"{', '.join(sorted(ours))}; measure both in the same, as bb.distance_tables does"
            )
    order = np.argsort(labels(tree, "embedding"))
    contrast = stacked(tree, "contrast")[:, :, order]
    bias = abs(contrast) if aggregate == "abs_mean" else -contrast
    by_list = {name: bias[:, at] for at, name in enumerate(labels(tree, "wordlist"))}
    return {AVERAGE: bias.mean(axis=1)} | by_list
