"""Which model expects unseen rows, or unseen words, better: leave-one-out cross-validation.

Leaving out a row asks for one more distance between words that were all seen. Leaving out an
attribute or a protected word asks for a word that was not, which is what a list of words stands
for. Rows that share a word are not exchangeable, so the answers may differ.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.arrays import FloatArray
from .._core.blas import one_thread
from .._core.checks import unknown_name
from .._core.random import Seed, as_seed_sequence
from ..model.arviz_groups import complete
from ..model.design import Design
from ..model.likelihood import log_likelihood, row_chunks
from ..model.tree import (
    SamplingWarning,
    design_of,
    n_draws,
    spec_of,
    varying,
)
from ..sampling.fit import PARETO_K_LIMIT
from .leave_out import draws_by_weight, leave_words_out
from .psis import psis_loo

if TYPE_CHECKING:
    from xarray import DataTree

LEAVE_OUT = ("row", "attribute", "protected_word")
"""What models may be asked to expect unseen."""


@dataclass(frozen=True)
class PointwiseLoo:
    """Leave-one-out of every row of a posterior; arrays are (n_rows,)."""

    elpd: FloatArray  # log density of the row given all others
    p_loo: FloatArray  # how much higher it is with the row among the data
    pareto_k: FloatArray  # shape of the tail of the row's importance weights
    good_k: float  # highest k that so many draws allow, min(1 - 1 / log10(draws), 0.7)

    @property
    def n_bad_k(self) -> int:
        """How many rows have a k beyond ``good_k``."""
        return int((self.pareto_k > self.good_k).sum())


def compare_models(
    posteriors: Mapping[str, DataTree], leave_out: str = "row", seed: Seed = None
) -> pd.DataFrame:
    r"""Compare posteriors of one table by leave-one-out cross-validation.

    .. math:: \mathrm{elpd} = \sum_i \log p(y_i | y_{-i}), \quad
       \mathrm{se} = \sqrt{n \, \mathrm{var}_i \, \log p(y_i | y_{-i})}

    where i is a row, or stands for all rows of an attribute or of a protected word. Draws of the
    posteriors are weighted (Pareto-smoothed importance sampling), with a word's effects integrated
    out exactly. An attribute whose Pareto k is 0.7 or more, and every protected word, takes a fit
    without it: that is exact, and takes seconds.

    Parameters
    ----------
    posteriors : mapping of str to DataTree
        Two or more posteriors from `fit`, all of the same table, by the name of the model.
    leave_out : str
        ``row``, ``attribute`` or ``protected_word``; words for Normal models only.
    seed : int, SeedSequence, Generator or None
        Of the fits without a word. None takes fresh entropy, which ``.attrs["seed"]`` records.

    Returns
    -------
    DataFrame
        A row a model, the best first: ``model``, ``elpd``, ``se``, ``p`` (effective number of
        parameters, of rows only), ``elpd_diff`` to the best model (0 or below), ``dse``; of rows
        ``n_bad_k`` (rows whose Pareto k is beyond what so many draws allow, 0.7 at most), of words
        ``mcse`` (Monte Carlo error of elpd) and ``n_words``. Standard errors are over what was
        left out.

    Raises
    ------
    ValueError
        With fewer than two posteriors, posteriors of different tables, an unknown ``leave_out``,
        or words left out of a model that is not Normal.

    Warns
    -----
    SamplingWarning
        If rows have bad Pareto k.

    References
    ----------
    Vehtari, Gelman and Gabry (2017), Statistics and Computing 27; Vehtari, Simpson, Gelman, Yao
    and Gabry (2024), Journal of Machine Learning Research 25; for words left out whole Merkle, Furr
    and Rabe-Hesketh (2019), Psychometrika 84.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> posteriors = {name: bb.fit(table, name, seed=1) for name in ("paper", "crossed")}
    >>> bb.compare_models(posteriors, leave_out="attribute", seed=0)["model"].tolist()
    ['crossed', 'paper']
    """
    _check_same_table(posteriors)
    if leave_out not in LEAVE_OUT:
        raise ValueError(f"leave_out: {unknown_name('choice', leave_out, LEAVE_OUT)}")
    if leave_out != "row":
        return _compare_words(posteriors, leave_out, seed)
    found = {name: pointwise_loo(tree) for name, tree in posteriors.items()}
    frame = ranked({name: loo.elpd for name, loo in found.items()})
    frame.insert(3, "p", [float(found[name].p_loo.sum()) for name in frame["model"]])
    frame["n_bad_k"] = [found[name].n_bad_k for name in frame["model"]]
    for name, loo in found.items():
        if loo.n_bad_k:
            warnings.warn(
                f"{name}: {loo.n_bad_k} of {len(loo.elpd)} rows have Pareto k above "
                f"{loo.good_k:.2f}: their share of the elpd is not reliable; raise draws, or "
                "compare with leave_out='attribute'",
                SamplingWarning,
                stacklevel=2,
            )
    return frame


def _compare_words(posteriors: Mapping[str, DataTree], factor: str, seed: Seed) -> pd.DataFrame:
    for name, tree in posteriors.items():
        likelihood = spec_of(tree).likelihood
        if likelihood != "normal":
            raise ValueError(
                f"words are left out of Normal models, and {name!r} has a {likelihood} likelihood; "
                "leave_out='row' takes posteriors of any model"
            )
        if factor == "attribute":
            _check_attributes(design_of(tree))
    sequence = as_seed_sequence(seed)
    children = sequence.spawn(len(posteriors))
    with one_thread():
        found = {
            name: leave_words_out(tree, factor, default_rng(child))
            for (name, tree), child in zip(posteriors.items(), children, strict=True)
        }
    frame = ranked({name: each.elpd for name, each in found.items()})
    frame["mcse"] = [float(np.sqrt((found[name].mcse ** 2).sum())) for name in frame["model"]]
    frame["n_words"] = [len(found[name].elpd) for name in frame["model"]]
    frame.attrs["seed"] = sequence.entropy
    return frame


def _check_attributes(design: Design) -> None:
    pairs = np.unique(np.stack([design.connection, design.attribute]), axis=1)
    words = np.bincount(pairs[0], minlength=len(design.connections))
    single = [design.connections[i] for i in np.flatnonzero(words == 1)]
    if single:
        raise ValueError(
            f"the connection(s) {', '.join(single)} have a single attribute word; left out, it "
            "leaves nothing to predict it from"
        )


def pointwise_loo(tree: DataTree) -> PointwiseLoo:
    """Leave-one-out of every row by PSIS, in blocks of rows so that memory is bounded."""
    efficiency = _relative_efficiency(tree)
    parts = [psis_loo(log_likelihood(tree, rows), efficiency) for rows in row_chunks(tree)]
    elpd, k, p_loo = (np.concatenate(part) for part in zip(*parts, strict=True))
    good_k = min(1 - 1 / np.log10(max(n_draws(tree), 2)), PARETO_K_LIMIT)
    return PointwiseLoo(elpd=elpd, p_loo=p_loo, pareto_k=k, good_k=good_k)


def _check_same_table(posteriors: Mapping[str, DataTree]) -> None:
    if not isinstance(posteriors, Mapping):
        raise TypeError('posteriors come by name, such as {"paper": post, "crossed": other}')
    if len(posteriors) < 2:
        raise ValueError(f"a comparison takes two posteriors or more; got {len(posteriors)}")
    hashes = {name: str(tree.attrs.get("table_hash")) for name, tree in posteriors.items()}
    first, *others = hashes
    apart = [name for name in others if hashes[name] != hashes[first]]
    if "None" in hashes.values() or apart:
        names = ", ".join(map(repr, apart or posteriors))
        raise ValueError(
            f"models are compared on one table, and the posterior(s) {names} were not fitted to "
            f"that of {first!r}: their table_hash differs or is absent"
        )


def ranked(pointwise: Mapping[str, FloatArray]) -> pd.DataFrame:
    """Return sums with their standard errors and differences to the best, the best first."""
    totals = {name: float(values.sum()) for name, values in pointwise.items()}
    order = sorted(totals, key=lambda name: -totals[name])
    best = pointwise[order[0]]
    frame = pd.DataFrame({"model": order, "elpd": [totals[name] for name in order]})
    frame["se"] = [_standard_error(pointwise[name]) for name in order]
    frame["elpd_diff"] = frame["elpd"] - frame["elpd"].iloc[0]
    frame["dse"] = [_standard_error(pointwise[name] - best) for name in order]
    return frame


def _standard_error(values: FloatArray) -> float:
    """Of a sum of independent values."""
    return float(np.sqrt(len(values) * values.var(ddof=1)))


def _relative_efficiency(tree: DataTree) -> float:
    """Effective draws a draw: by weights of the exact sampler, or on average over parameters."""
    n = n_draws(tree)
    if tree.attrs.get("method") == "exact" or tree["posterior"].sizes["chain"] == 1:
        return draws_by_weight(tree, n) / n
    import arviz as az

    ess = az.ess(varying(tree), method="mean")
    every = np.concatenate([values.values.ravel() for values in ess.values()])
    return float(every.mean()) / n


def add_log_likelihood(tree: DataTree) -> DataTree:
    """Return a copy of a posterior with ArviZ's group ``log_likelihood``; see `complete`.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> vectors = bb.load_vectors("glove-demo", wordlist)
    >>> table = bb.distance_table(vectors, wordlist)
    >>> post = bb.fit(table, seed=1)
    >>> "log_likelihood" in bb.add_log_likelihood(post).children
    True
    """
    return complete(tree, ("log_likelihood",))
