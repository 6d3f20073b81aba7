"""Compute values for plots: bands, densities, neighbors, and selected contrasts."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
import pandas as pd

from .._core.checks import Argument, ArgumentError, check_choice, check_numbers
from .schema import (
    LARGEST_DISTANCE,
    ROUNDING,
    STEREOTYPES,
    connections_present,
    require_columns,
    validate_table,
)

PARTNERS = ("different", "matched", "human", "neutral")
"""Connections to compare associated attributes with; the first one that a table contains is used.

Control words and stereotypes also differ in frequency, which affects distances.
"""

UNRELATED = 1.0
"""Cosine distance of orthogonal directions."""

AT_ENDPOINT = float(np.finfo(np.float32).eps)
"""A distance this far outside a band is at its endpoint; it may come from single precision."""

FEWEST_FOR_DENSITY = 3
"""Fewest distinct distances that a kernel density needs."""


def mac_band(table: pd.DataFrame, half_width: float | None = None) -> pd.DataFrame:
    """Return MAC, the band around 1, and each connection's share of distances inside the band.

    The band includes its endpoints. By default, it extends abs(1 - MAC) on each side of 1, rounded
    up to two decimals. These are the widths of Dobrzeniecka and Urbaniak (2024), figures 3-5 and
    15-17: .14 for religion, .38 for gender, and .11 for race.
    """
    valid = validate_table(table)
    mac = float(np.nanmean(set_means(valid).to_numpy()))
    usual = math.ceil(100 * abs(UNRELATED - mac) - ROUNDING) / 100
    width = np.asarray(usual if half_width is None else half_width)[()]
    if not isinstance(width, Real) or not 0 <= width <= UNRELATED:  # a truth value is not Real
        text = f" is a distance from 1 and must lie in [0, 1]; got {half_width!r}"
        raise ArgumentError(Argument("half_width"), text)
    low, high = UNRELATED - width, UNRELATED + width
    inside = valid["cosine_distance"].between(low - AT_ENDPOINT, high + AT_ENDPOINT)
    by = inside.groupby(valid["connection"].astype(str))
    counts = by.agg(n_rows="size", n_inside="sum", share="mean").loc[connections_present(valid)]
    band = {"mac": mac, "band_low": low, "band_high": high}
    return counts.reset_index().assign(**band)[["connection", *band, *counts.columns]]


def set_means(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean distances from words (rows) to stereotype sets (columns), with NaN if missing."""
    table = validate_table(table)
    rows = table[table["connection"].isin(STEREOTYPES)]
    if rows.empty:
        raise ValueError("MAC needs associated or different rows, but the table lacks both")
    by = [rows["protected_word"], rows["attribute_set"]]
    return rows["cosine_distance"].groupby(by, sort=False).mean().unstack(sort=False)


def densities(table: pd.DataFrame, n_points: int = 300) -> pd.DataFrame:
    """Return kernel densities, on a common grid, for connections with enough distinct distances."""
    from scipy.stats import gaussian_kde

    check_numbers(n_points=n_points)
    valid = validate_table(table)
    kernels = {}
    for name in connections_present(valid):
        part = valid["cosine_distance"][valid["connection"] == name].to_numpy(np.float64)
        if len(np.unique(part)) >= FEWEST_FOR_DENSITY:
            kernels[name] = gaussian_kde(part)
    widths = [float(np.sqrt(kernel.covariance[0, 0])) for kernel in kernels.values()]
    margin, distances = 2 * max(widths, default=0), valid["cosine_distance"]
    ends = np.clip([distances.min() - margin, distances.max() + margin], 0, LARGEST_DISTANCE)
    grid = np.linspace(ends[0], ends[1], n_points)
    columns = ["connection", "cosine_distance", "density"]
    curves = {name: kernel(grid) for name, kernel in kernels.items()}
    frame = pd.DataFrame(curves, pd.Index(grid, name=columns[1])).reset_index()
    return frame.melt(columns[1], var_name=columns[0], value_name=columns[2])[columns]


def neighborhood(table: pd.DataFrame, word: str, most: int = 10) -> pd.DataFrame:
    """Return a protected word's nearest attributes and all its stereotypes, nearest first.

    ``n_available`` is the number of attributes that the table contains for the word.
    """
    valid = validate_table(table)
    check_choice("protected word", word, valid["protected_word"].unique())
    check_numbers(least=0, most=most)
    rows = valid[valid["protected_word"] == word]
    by = [rows["attribute"].astype(str), rows["connection"].astype(str)]
    pairs = rows["cosine_distance"].groupby(by, sort=False).mean().reset_index()
    pairs = pairs.sort_values("cosine_distance", kind="stable", ignore_index=True)
    kept = (pairs.index < most) | (pairs["connection"] == "associated")
    return pairs.assign(n_available=len(pairs))[kept].reset_index(drop=True)


def probability_below(frame: pd.DataFrame) -> pd.Series:
    """Return the probability that each row's quantity is below zero, from its ``p_direction``."""
    return frame["p_direction"].where(frame["mean"] < 0, 1 - frame["p_direction"])


def default_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `contrasts` that reports show first, with their index.

    These are the rows of own minus other stereotypes, overall and for every group with a relative
    contrast. In a list of two groups, no group has one.
    """
    require_columns(frame, ("level", "first", "second", "estimand"))
    is_pair = (frame["first"] == STEREOTYPES[0]) & (frame["second"] == STEREOTYPES[1])
    is_relative = (frame["level"] == "group") & (frame["estimand"] != "within")
    return frame[is_pair & ((frame["level"] == "overall") | is_relative)]


def lead_contrasts(frame: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Return a contrast's rows without groups that are not identified.

    Groups of models without group means are kept, because users choose these models by name.
    """
    rows = contrast_of(frame, first, second)
    if "estimand" not in rows or (rows["estimand"][rows["level"] == "word"] == "within").all():
        return rows
    is_within = (rows["level"] == "group") & (rows["estimand"] == "within")
    return rows[~is_within].reset_index(drop=True)


def contrast_of(frame: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Return the rows of `contrasts` for a pair of connections, with signs reversed if needed."""
    require_columns(frame, ("first", "second", "mean"))
    there = frame[(frame["first"] == first) & (frame["second"] == second)]
    if len(there):
        return there.reset_index(drop=True)
    turned = frame[(frame["first"] == second) & (frame["second"] == first)].reset_index(drop=True)
    if turned.empty:
        pairs = frame[["first", "second"]].drop_duplicates().agg(" - ".join, axis=1)
        raise ValueError(f"the frame has no contrast {first} - {second}, only {', '.join(pairs)}")
    ends = {"low": "high", "high": "low"} if {"low", "high"} <= set(turned) else {}
    values = {end: -turned[other] for end, other in (ends | {"mean": "mean"}).items()}
    return turned.assign(first=first, second=second, **values)
