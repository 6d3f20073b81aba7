"""Where a posterior expects a row to lie: predictive draws and log likelihoods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray
from .design import IntArray
from .spec import ModelSpec
from .terms import apart_from_mean
from .tree import ROW_INDICES, index_of, n_draws, observed, spec_of, stacked

if TYPE_CHECKING:
    from xarray import DataTree


Draws = np.ndarray | slice
"""Which posterior draws to use."""

ALL = slice(None)

NUMBERS_AT_ONCE = 2_000_000
"""Draws times rows that are worked on together: 16 MB, and a few copies of it."""


def locations(tree: DataTree, rows: np.ndarray, draws: Draws = ALL) -> FloatArray:
    """Expected distance of rows under posterior draws, (n_draws, n_rows)."""
    return expected_rows(
        spec_of(tree),
        lambda dim: index_of(tree, ROW_INDICES[dim])[rows],
        lambda name: stacked(tree, name)[draws],
    )


def expected_rows(
    spec: ModelSpec, codes: Callable[[str], IntArray], values: Callable[[str], FloatArray]
) -> FloatArray:
    """Sum what a model expects of rows, (n_draws, n_rows).

    Parameters
    ----------
    spec : ModelSpec
        The model as it fits the design.
    codes : function of a dimension
        The place of every row along it; -1 where it has none.
    values : function of a variable
        Its draws, (n_draws, ...).
    """
    expected: FloatArray | float = 0.0
    if not spec.around_means:
        expected = values("connection_mean")[:, codes("connection")]
    for term in spec.summed_terms:
        index: tuple[Any, ...] = tuple(codes(dim) for dim in term.dims)
        effects = values(term.name)[:, *index]
        expected = expected + effects * (index[-1] >= 0)  # controls are in no attribute set
    return np.asarray(expected)


def residual_sds(tree: DataTree, rows: np.ndarray, draws: Draws = ALL) -> FloatArray:
    """Residual sd of rows under posterior draws, (n_draws, n_rows) or (n_draws, 1).

    It is marginal: what effects of known covariance add to a row is in it, that rows of other words
    share it is not. A word whose cosines are not known counts as orthogonal to the others.
    """
    spec = spec_of(tree)

    def in_rows(name: str, by: str) -> FloatArray:
        sd = stacked(tree, name)[draws]
        return np.asarray(sd[:, index_of(tree, ROW_INDICES[by])[rows]] if by else sd[:, None])

    sigma = in_rows("sigma", "connection" if spec.sigma == "connection" else "")
    terms = [term for term in spec.terms if term.known]
    if not terms:
        return sigma
    known = tree["constant_data"].to_dataset().get("word_cosines")
    of_word = np.ones(1) if known is None else np.diag(apart_from_mean(np.asarray(known)))
    share = np.broadcast_to(of_word, tree["posterior"].sizes["protected_word"])
    share = share[index_of(tree, "word_index")[rows]]
    own = [in_rows(term.sd, term.sd_by) ** 2 * share for term in terms]
    return np.asarray(np.sqrt(sigma**2 + sum(own)))


def require_listed(tree: DataTree) -> None:
    """Raise a ValueError if a posterior does not hold all effects of the attributes listed."""
    spec = spec_of(tree)
    if any(term.known for term in spec.terms):
        raise ValueError(
            f"the posterior of {spec.name!r} does not hold what single attributes do to single "
            "words; for means of the very attributes listed fit maximal"
        )


def predict_rows(
    tree: DataTree, rows: np.ndarray, rng: Generator, draws: Draws = ALL
) -> FloatArray:
    """Draw new distances for rows, one for each posterior draw, (n_draws, n_rows)."""
    expected = locations(tree, rows, draws)
    if "nu" in tree["posterior"]:
        noise = rng.standard_t(stacked(tree, "nu")[draws][:, None], expected.shape)
    else:
        noise = rng.standard_normal(expected.shape)
    return np.asarray(expected + residual_sds(tree, rows, draws) * noise)


def log_likelihood(tree: DataTree, rows: np.ndarray) -> FloatArray:
    """Log likelihood of rows under every draw, (n_draws, n_rows)."""
    y = observed(tree)[rows]
    sd = residual_sds(tree, rows)
    standard = (y - locations(tree, rows)) / sd
    if "nu" in tree["posterior"]:
        from scipy.special import gammaln

        nu = stacked(tree, "nu")[:, None]
        constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi)
        return np.asarray(constant - np.log(sd) - (nu + 1) / 2 * np.log1p(standard**2 / nu))
    return np.asarray(-0.5 * standard**2 - np.log(sd) - 0.5 * np.log(2 * np.pi))


def row_chunks(tree: DataTree) -> Iterator[IntArray]:
    """Iterate over the rows of a table in chunks, so that all draws of a chunk are few numbers."""
    n_rows, at_once = tree["observed_data"].sizes["row"], max(1, NUMBERS_AT_ONCE // n_draws(tree))
    for start in range(0, n_rows, at_once):
        yield np.arange(start, min(start + at_once, n_rows))
