"""What a change did, read from its joint posterior: sizes, orders, side effects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from ..model.tree import labels
from ..posterior.contrasts import compare_draws
from ..posterior.summaries import Level, carry_warnings, levels
from ..sampling.options import DEFAULT_ROPE
from ..tables.descriptives import UNRELATED, mac_band
from ..tables.wordlist_files import CONTROLS
from .joint import WHEN, posterior_at

if TYPE_CHECKING:
    from xarray import DataTree


def changes(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float = DEFAULT_ROPE,
    ci_kind: str = DEFAULT_CI_KIND,
) -> pd.DataFrame:
    """Means before and after and their change, at every level and for every connection.

    Parameters
    ----------
    tree : DataTree
        As `compare` gives it.
    ci_prob : float
        Probability of the intervals, in (0, 1).
    rope : float
        Changes smaller than this, in units of distance, count as none.
    ci_kind : {"hdi", "eti"}
        Highest-density or equal-tailed intervals.

    Returns
    -------
    DataFrame
        ``level``, ``protected_group``, ``protected_word``, ``connection``; ``before`` and
        ``after``, posterior means; of the change after - before ``mean``, ``sd``, ``low``,
        ``high``, ``p_direction`` and ``p_rope`` as `bb.contrasts` has them; ``p_moved`` =
        1 - p_rope; ``p_towards_one``, the probability that abs(1 - after) < abs(1 - before).
    """
    names = labels(tree, "connection")
    frames = []
    for before, after in _ends(tree):
        frame = compare_draws(after.draws - before.draws, ci_prob, rope, ci_kind)
        _insert(frame, before=before.draws.mean(axis=0), after=after.draws.mean(axis=0))
        frame["p_moved"] = 1 - frame["p_rope"]
        nearer = abs(UNRELATED - after.draws) < abs(UNRELATED - before.draws)
        frame["p_towards_one"] = nearer.mean(axis=0)
        frames.append(_at(before, frame, connection=names))
    return carry_warnings(pd.concat(frames, ignore_index=True), tree)


def side_effects(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float = DEFAULT_ROPE,
    ci_kind: str = DEFAULT_CI_KIND,
) -> pd.DataFrame:
    """Return how far neutral and human words moved, which no debiasing is meant to move.

    Returns
    -------
    DataFrame
        The rows of `changes` for neutral and human words; ``p_moved`` is the probability that
        they moved by more than `rope`.

    Raises
    ------
    ValueError
        If the tables have neither.
    """
    frame = changes(tree, ci_prob, rope, ci_kind)
    kept = frame[frame["connection"].isin(CONTROLS)]
    if kept.empty:
        raise ValueError("the tables have no neutral or human rows, so there are no side effects")
    return kept.reset_index(drop=True)


def order_changes(
    tree: DataTree,
    first: str = "associated",
    second: str = "different",
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float = DEFAULT_ROPE,
    *,
    ci_kind: str = DEFAULT_CI_KIND,
) -> pd.DataFrame:
    """Return whether the order of two connections turned, overall, by group and by word.

    Parameters
    ----------
    tree : DataTree
        As `compare` gives it.
    first, second : str
        Connections; first - second below zero: the first lies closer.
    ci_prob, rope, ci_kind
        As for `changes`.

    Returns
    -------
    DataFrame
        ``level``, ``protected_group``, ``protected_word``, ``first``, ``second``; the posterior
        mean and interval of first - second ``before`` and ``after`` (``before_low`` and so on);
        of its change ``mean``, ``sd``, ``low``, ``high``, ``p_direction``, ``p_rope``;
        ``p_closer_before`` and ``p_closer_after``, the probabilities that the first lies closer;
        ``p_turned``, the probability that the sign before and the sign after differ. The latter is
        taken draw by draw, since before and after go together: it is not made of the former two.

    Notes
    -----
    Where the gap was about zero to begin with, a turn means little; read it with the gaps. The sum
    of ``p_turned`` over words is the expected number of words whose order turned.
    """
    names = labels(tree, "connection")
    for name in (first, second):
        if name not in names:
            raise ValueError(unknown_name("connection", name, names))
    if first == second:
        raise ValueError(f"an order needs two connections, got {first!r} twice")
    one, other = names.index(first), names.index(second)
    frames = []
    for ends in _ends(tree):
        gaps = [level.draws[:, [one]] - level.draws[:, [other]] for level in ends]
        frame = compare_draws(gaps[1] - gaps[0], ci_prob, rope, ci_kind)
        for when, gap in zip(WHEN, gaps, strict=True):
            told = describe_draws(gap, ci_prob, ci_kind)
            frame[[when, f"{when}_low", f"{when}_high"]] = told[["mean", "low", "high"]]
            frame[f"p_closer_{when}"] = (gap < 0).mean(axis=0)
        frame["p_turned"] = ((gaps[0] < 0) != (gaps[1] < 0)).mean(axis=0)
        frames.append(_at(ends[0], frame, first=first, second=second))
    return carry_warnings(pd.concat(frames, ignore_index=True)[_ORDER_COLUMNS], tree)


_ORDER_COLUMNS = [
    *("level", "protected_group", "protected_word", "first", "second"),
    *(f"{when}{end}" for when in WHEN for end in ("", "_low", "_high")),
    *("mean", "sd", "low", "high", "p_direction", "p_rope"),
    *("p_closer_before", "p_closer_after", "p_turned"),
]


def alignment(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Return whether the connections came to lie closer together, at every level.

    Returns
    -------
    DataFrame
        ``level``, ``protected_group``, ``protected_word``; ``before`` and ``after``, posterior
        means of the range of the connections' means (largest less smallest); of the change of the
        range ``mean``, ``sd``, ``low``, ``high``; ``p_narrower``, the probability that the
        range shrank; ``p_same_order``, the probability that all connections stand in the order
        in which they stood.
    """
    frames = []
    for ends in _ends(tree):
        before, after = (np.ptp(level.draws, axis=1, keepdims=True) for level in ends)
        frame = describe_draws(after - before, ci_prob, ci_kind)
        _insert(frame, before=before.mean(axis=0), after=after.mean(axis=0))
        frame["p_narrower"] = (after < before).mean(axis=0)
        orders = [level.draws.argsort(axis=1) for level in ends]
        frame["p_same_order"] = (orders[0] == orders[1]).all(axis=1).mean()
        frames.append(ends[0].label(frame))
    return carry_warnings(pd.concat(frames, ignore_index=True), tree)


def band_shares(
    before: pd.DataFrame, after: pd.DataFrame, half_width: float | None = None
) -> pd.DataFrame:
    """Share of single distances inside one band around 1, before and after.

    Parameters
    ----------
    before, after : DataFrame
        Long-form tables.
    half_width : float, optional
        Of the band, in units of distance; by default abs(1 - MAC) before, to two decimals as
        published.

    Returns
    -------
    DataFrame
        A row a connection: ``connection``, ``band_low``, ``band_high``, ``share_before``,
        ``share_after``, ``n_before``, ``n_after``.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figures 15-17.
    """
    if half_width is None:
        half_width = round(abs(UNRELATED - float(mac_band(before)["mac"].iloc[0])), 2)
    bands = [mac_band(table, half_width).set_index("connection") for table in (before, after)]
    names = [name for name in bands[0].index if name in bands[1].index]
    first, second = (band.loc[names] for band in bands)
    return pd.DataFrame(
        {
            "connection": names,
            "band_low": first["band_low"].to_numpy(),
            "band_high": first["band_high"].to_numpy(),
            "share_before": first["share"].to_numpy(),
            "share_after": second["share"].to_numpy(),
            "n_before": first["n_rows"].to_numpy(),
            "n_after": second["n_rows"].to_numpy(),
        }
    )


def turned_counts(
    tree: DataTree, first: str = "associated", second: str = "different"
) -> FloatArray:
    """Draws of how many protected words had the order of two connections turned, (n_draws,)."""
    names = labels(tree, "connection")
    one, other = names.index(first), names.index(second)
    turned = [
        (ends[0].draws[:, one] < ends[0].draws[:, other])
        != (ends[1].draws[:, one] < ends[1].draws[:, other])
        for ends in _ends(tree)
        if ends[0].level == "word"
    ]
    return np.asarray(np.sum(turned, axis=0), dtype=np.float64)


def _ends(tree: DataTree) -> Iterator[tuple[Level, Level]]:
    """Return every level's draws before and after."""
    before, after = (levels(posterior_at(tree, when)) for when in WHEN)
    return zip(before, after, strict=True)


def _at(level: Level, frame: pd.DataFrame, **columns: object) -> pd.DataFrame:
    """Return a frame with a level's names and other columns in front."""
    return level.label(_insert(frame, **columns))


def _insert(frame: pd.DataFrame, **columns: Any) -> pd.DataFrame:  # noqa: ANN401
    for at, (name, values) in enumerate(columns.items()):
        frame.insert(at, name, values)
    return frame
