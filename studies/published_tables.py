"""Contrasts of the 18 published tables under four models, beside the raw values and the figures.

Needs the published tables in BAYESBIAS_DATA. ``size`` is the number of draws.
"""

from __future__ import annotations

import pandas as pd

import bayesbias as bb

from .literature.sources import TABLES, fitted, plotted, published_table

MODELS = ("paper", "crossed", "maximal", "maximal-topics")


def study(size: int = 4_000) -> pd.DataFrame:
    """Return associated - different, overall and by group, by table and model."""
    frames = [_rows(name, model, size) for name in TABLES for model in MODELS]
    return pd.concat(frames, ignore_index=True)


def _rows(name: str, model: str, draws: int) -> pd.DataFrame:
    table = published_table(name)
    posterior = fitted(name, model, method="exact", draws=draws // 4)
    frame = bb.contrasts(posterior).query("first == 'associated' and second == 'different'")
    frame = frame[frame["level"].isin(["overall", "group"])].copy()
    frame["raw"] = [_raw(table, group) for group in frame["protected_group"]]
    means = plotted(name).query("level == 'overall'").set_index("connection")["mean"]
    frame["plotted"] = (means["associated"] - means["different"]) if model == "paper" else None
    frame.insert(0, "table", name)
    frame.insert(1, "model", model)
    frame["pareto_k"] = float(posterior["sample_stats"]["pareto_k"])
    columns = ["table", "model", "level", "protected_group", "raw", "plotted"]
    return frame[[*columns, "mean", "low", "high", "p_direction", "pareto_k"]]


def _raw(table: pd.DataFrame, group: str) -> float:
    rows = table[table["protected_group"] == group] if group else table
    means = rows.groupby("connection", observed=True)["cosine_distance"].mean()
    return float(means["associated"] - means["different"])
