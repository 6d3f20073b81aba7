"""Headline rows: a difference in distance, its interval, its probability, and its quantiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .verdicts import Verdict

N_QUANTILES = 100
QUANTILES = [f"q{place:02d}" for place in range(1, N_QUANTILES + 1)]
"""Columns with the middles of 100 equally probable parts of the posterior."""


@dataclass(frozen=True)
class Row:
    """A difference in distance, read as closeness: positive numbers mean closer.

    Frames hold distances, in which the signs are reversed.
    """

    key: str
    mean: float
    low: float
    high: float
    verdict: Verdict
    quantiles: tuple[float, ...] = ()


def rows_of(frame: pd.DataFrame, key: str, sign: int = -1) -> Iterator[Row]:
    """Yield rows of a frame with ``mean``, ``low``, ``high``, ``p_closer``, and quantiles.

    `sign` is -1 for differences of distances, and 1 for quantities that are read as they are.
    """
    columns = [name for name in QUANTILES if name in frame]
    for _, row in frame.iterrows():
        low, high = sorted(sign * float(row[name]) for name in ("low", "high"))
        values = np.sort(sign * row[columns].to_numpy(np.float64))
        verdict = Verdict(float(row["p_closer"]))
        yield Row(
            str(row[key]), sign * float(row["mean"]), low, high, verdict, tuple(values.tolist())
        )


def wide_quantiles(frame: pd.DataFrame, keys: list[tuple[str, str]]) -> np.ndarray:
    """Return (n_keys, 100) quantiles for keys of level and group, from `contrast_quantiles`."""
    wide = frame.pivot_table("value", ["level", "protected_group"], "probability", sort=False)
    return wide.loc[keys].to_numpy()[:, :N_QUANTILES]


def with_quantiles(frame: pd.DataFrame, quantiles: np.ndarray) -> pd.DataFrame:
    """Add (n_rows, 100) quantiles to a frame as its last columns."""
    return pd.concat([frame, pd.DataFrame(quantiles, frame.index, QUANTILES)], axis=1)
