"""Contrasts of many embeddings and lists, shrunken and raw, with the probability to be the most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..tables.schema import require_columns
from .axes_frame import Scale, finish, rope_band
from .forest_engine import beside_rows, block_rows, draw_intervals, forest_axes
from .forests import difference_label, rope_key, share
from .header import interval_key
from .palette import COLOURS, LINE, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RAISED = 0.24
"""How far the raw interval stands above the shrunken one, in rows."""


def rank_forest(
    frame: pd.DataFrame,
    *,
    first: str = "associated",
    second: str = "different",
    rope: float = 0.02,
    ax: Axes | None = None,
) -> Axes:
    """Draw the contrasts of embeddings in blocks of lists, shrunken and raw.

    Parameters
    ----------
    frame : DataFrame
        As `bayesbias.ranks` returns it.
    first, second, rope, ax : see `bayesbias.plots`

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If a column is missing, or `rope` is no distance.
    """
    band = rope_band(rope)
    require_columns(frame, ("wordlist", "embedding", "mean", "low", "high", "raw_mean", "p_most"))
    rows, drawn = block_rows(
        frame.assign(label=frame["embedding"], wordlist=frame["wordlist"].replace("", "all")),
        "wordlist",
        inside=True,
    )
    ax = forest_axes(ax, rows, row_height=0.32)
    raw = drawn.assign(**{name: drawn[f"raw_{name}"] for name in ("mean", "low", "high")})
    raw = raw.assign(position=raw["position"] - RAISED).dropna(subset=["mean"])
    grey = draw_intervals(ax, raw, "by itself", LINE, MARKERS["different"], size=4.0, width=1.2)
    main = draw_intervals(
        ax, drawn, "in the model of all", COLOURS["associated"], MARKERS["associated"]
    )
    ends = pd.concat([drawn[["low", "high"]], raw[["low", "high"]]])
    return finish(
        ax,
        Scale(difference_label(first, second), ends, 0.0, band),
        "Embeddings and lists in one model",
        f"{interval_key(frame)} {rope_key(rope)} Right: probability of the most negative contrast.",
        [main, grey],
        heading="probability\nto be lowest",
        column=beside_rows(drawn, map(share, drawn["p_most"])),
        tall=rows.is_tall,
    )
