"""Describe a change from its joint posterior: its size, its side effects, and changes of order."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from ..model.tree import DataTree, labels
from ..posterior.contrasts import contrast_draws
from ..posterior.estimands import pair_place
from ..posterior.mixtures import use_moments
from ..posterior.summaries import (
    compare_draws,
    in_front,
    labeled,
    level_means,
    reading_of,
    reads_posterior,
)
from ..tables.descriptives import UNRELATED, mac_band
from .joint import posterior_at
from .pairing import ENDS, pair


@reads_posterior
def changes(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float | None = None,
    ci_kind: str = DEFAULT_CI_KIND,
) -> pd.DataFrame:
    """Compute the mean distances before and after a change, for every level and connection.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit_change`.
    ci_prob, rope, ci_kind
        See `bb.contrasts`. Changes smaller than `rope` count as negligible.

    Returns
    -------
    DataFrame
        ``level``, ``protected_group``, ``protected_word``, and ``connection`` identify a row.
        ``before`` and ``after`` are posterior means. ``mean``, ``sd``, ``low``, ``high``,
        ``p_direction``, and ``p_rope`` describe after - before, as in `bb.contrasts`. ``p_moved``
        is 1 - p_rope. ``p_toward_one`` is the probability that abs(1 - after) < abs(1 - before).

    Examples
    --------
    >>> after = bb.distance_table(bb.debias.multiclass_hard(vectors, equalize=False), wordlist)
    >>> frame = bb.comparison.changes(bb.fit_change(table, after, seed=1))
    >>> frame[["connection", "before", "after"]].head(2).round(2)
       connection  before  after
    0  associated    0.88   0.91
    1   different    0.92   0.91
    """
    levels, *ends = _ends(tree)
    before, after = (draws.reshape(len(draws), -1) for draws in ends)
    frame = compare_draws(after - before, **reading_of(tree, ci_prob, rope, ci_kind))
    frame["p_moved"] = 1 - frame["p_rope"]
    frame["p_toward_one"] = (abs(UNRELATED - after) < abs(UNRELATED - before)).mean(axis=0)
    in_front(frame, before=before.mean(axis=0), after=after.mean(axis=0))
    return labeled(frame, levels, connection=labels(tree, "connection"))


@reads_posterior
def order_changes(
    tree: DataTree,
    first: str = "associated",
    second: str = "different",
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float | None = None,
    *,
    ci_kind: str = DEFAULT_CI_KIND,
) -> pd.DataFrame:
    """At every level, compute the probability that a change reversed the order of two connections.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit_change`.
    first, second : str
        The two connections. If first - second is below zero, the first is closer.
    ci_prob, rope, ci_kind
        See `changes`.

    Returns
    -------
    DataFrame
        ``level``, ``protected_group``, ``protected_word``, ``first``, and ``second`` identify a
        row. ``before`` and ``after`` are posterior means of first - second, with interval ends such
        as ``before_low``. ``mean``, ``sd``, ``low``, ``high``, ``p_direction``, and ``p_rope``
        describe the change in this difference. ``p_closer_before`` and ``p_closer_after`` are the
        probabilities that the first is closer. ``p_turned`` is the share of draws in which the sign
        changes. If the difference before the change is near zero, a reversal means little.

    Examples
    --------
    >>> after = bb.distance_table(bb.debias.multiclass_hard(vectors, equalize=False), wordlist)
    >>> frame = bb.comparison.order_changes(bb.fit_change(table, after, seed=1))
    >>> frame[["level", "before", "p_turned"]].head(1).round({"before": 2, "p_turned": 1})
         level  before  p_turned
    0  overall   -0.04       0.3
    """
    levels, before, after = _gaps(tree, first, second)
    reading = reading_of(tree, ci_prob, rope, ci_kind)
    frame = compare_draws(after - before, **reading)
    place, sign = pair_place(labels(tree, "connection"), first, second)
    use_moments(frame, tree, reading, lambda weights: sign * weights[..., place])
    bounds: dict[str, pd.Series[float]] = {}
    for when, gap in zip(ENDS, (before, after), strict=True):
        end = describe_draws(gap, ci_prob, ci_kind)
        bounds |= {when: end["mean"], f"{when}_low": end["low"], f"{when}_high": end["high"]}
        frame[f"p_closer_{when}"] = (gap < 0).mean(axis=0)
    frame["p_turned"] = ((before < 0) != (after < 0)).mean(axis=0)
    in_front(frame, first=first, second=second, **bounds)
    return labeled(frame, levels)


@reads_posterior
def alignment(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Compute how a change affects the range of the connections' means, at every level.

    Returns
    -------
    DataFrame
        ``level``, ``protected_group``, and ``protected_word`` identify a row. The range is the
        largest minus the smallest of the means of its connections. ``before`` and ``after`` are its
        posterior means, and ``mean``, ``sd``, ``low``, and ``high`` describe its change.
        ``p_narrower`` is the probability that the range shrank. ``p_same_order`` is the probability
        that all connections keep their order.
    """
    levels, *ends = _ends(tree)
    before, after = (np.nanmax(draws, axis=2) - np.nanmin(draws, axis=2) for draws in ends)
    frame = describe_draws(after - before, ci_prob, ci_kind)
    frame["p_narrower"] = (after < before).mean(axis=0)
    first, last = (draws.argsort(axis=2) for draws in ends)
    frame["p_same_order"] = (first == last).all(axis=2).mean(axis=0)
    in_front(frame, before=before.mean(axis=0), after=after.mean(axis=0))
    return labeled(frame, levels)


def band_shares(
    before: pd.DataFrame, after: pd.DataFrame, half_width: float | None = None
) -> pd.DataFrame:
    """Compute the share of distances inside a band around 1, before and after a change.

    Parameters
    ----------
    before, after : DataFrame
        Long-form tables. Only rows that both have are used; a warning counts the others.
    half_width : float, optional
        Half-width of the band, in units of distance. The default is abs(1 - MAC) of `before`,
        rounded up to two decimals, as in the publication.

    Returns
    -------
    DataFrame
        One row per connection: ``connection``, ``band_low``, ``band_high``, ``share_before``,
        ``share_after``, ``n_before``, and ``n_after``.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figures 15-17.
    """
    pairs = pair(before, after)
    pairs.warn_of_unpaired()
    before, after = pairs.tables
    first = mac_band(before, half_width).set_index("connection")
    width = UNRELATED - float(first["band_low"].iloc[0])
    bands = [first, mac_band(after, round(width, 10)).set_index("connection")]
    frame = first[["band_low", "band_high"]].copy()
    for column, source in (("share", "share"), ("n", "n_rows")):
        for when, band in zip(ENDS, bands, strict=True):
            frame[f"{column}_{when}"] = band[source]
    return frame.reset_index()


def _gaps(tree: DataTree, first: str, second: str) -> tuple[pd.DataFrame, FloatArray, FloatArray]:
    """Return levels whose contrast is identified, with draws of first - second before and after."""
    place, sign = pair_place(labels(tree, "connection"), first, second)
    (levels, before, _), (_, after, _) = (
        contrast_draws(posterior_at(tree, when), "population") for when in ENDS
    )
    before, after = sign * before[..., place], sign * after[..., place]
    identified = np.isfinite(before[0])
    return levels[identified].reset_index(drop=True), before[:, identified], after[:, identified]


def _ends(tree: DataTree) -> tuple[pd.DataFrame, FloatArray, FloatArray]:
    """Return levels and mean draws before and after, (n_draws, n_levels, n_connections)."""
    (levels, before), (_, after) = (level_means(posterior_at(tree, when)) for when in ENDS)
    return levels, before, after
