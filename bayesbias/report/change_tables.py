"""The tables of a report on a change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..workflows.change import ORDER, ChangeAnalysis
from .change_wording import p_value
from .sentences import number, percent, probability, probability_name, signed, signed_end, step
from .tables import Cell, Table, intervals

LISTED = " (words and groups of the list)"
TARGETED = " (targets and classes of the defining sets)"
"""What tells two scores of one name apart."""


def overall(analysis: ChangeAnalysis) -> Table:
    """Overall changes of every connection, under every model."""
    frame = analysis.frame("changes")
    frame = frame[frame["level"] == "overall"]
    frame = pd.concat(part for _, part in frame.groupby("connection", sort=False))
    return _changes(analysis, frame, "Overall changes", ("connection", "model"))


def words(analysis: ChangeAnalysis, level: str) -> Table:
    """Changes by group or by word, under the lead model."""
    frame = analysis.lead.changes
    names = {"group": ("protected_group",), "word": ("protected_word", "protected_group")}[level]
    return _changes(
        analysis, frame[frame["level"] == level], f"Changes by {level}", (*names, "connection")
    )


def contrasts(analysis: ChangeAnalysis) -> Table:
    """Overall changes of every contrast, under every model."""
    frame = analysis.frame("contrasts")
    frame = frame[frame["level"] == "overall"]
    frame = frame.assign(contrast=frame["first"] + " − " + frame["second"])
    frame = pd.concat(part for _, part in frame.groupby("contrast", sort=False))
    return intervals(
        frame.assign(connection=frame["first"]),
        "Changes of the differences between connections",
        ("contrast", "model"),
        ci_prob=analysis.settings.ci_prob,
        reference=0.0,
    )


def orders(analysis: ChangeAnalysis) -> Table:
    """The gap of associated and different before and after, word by word."""
    first, second = ORDER
    rows = []
    for row in analysis.lead.orders.to_dict("records"):
        before, after, change = _step(row | {"change": row["mean"]}, signed)
        cells = (
            Cell(row["protected_word"] or row["protected_group"] or "all protected words"),
            before,
            Cell(probability(row["p_closer_before"]), row["p_closer_before"]),
            after,
            Cell(probability(row["p_closer_after"]), row["p_closer_after"]),
            change,
            Cell(probability(row["p_turned"]), row["p_turned"]),
        )
        rows.append(cells)
    closer = f"p {first} closer"
    heads = ("of", "before", closer, "after", closer, "change", "p turned")
    return Table(f"{first} − {second}, before and after", heads, tuple(rows))


def scores(analysis: ChangeAnalysis) -> Table:
    """Single numbers before and after."""
    ci = probability_name(float(analysis.scores.attrs.get("ci_prob", analysis.settings.ci_prob)))
    twice = () if analysis.remains is None else analysis.remains["check"].tolist()
    rows = []
    for row in analysis.scores.to_dict("records"):
        known = np.isfinite(row["low"])
        interval = f"{signed_end(row['low'])} … {signed_end(row['high'])}" if known else "–"
        test = "–"
        if np.isfinite(row["t"]):
            test = f"t = {number(row['t'], 2)}, p {p_value(row['p_value'])}"
        rows.append(
            (
                Cell(str(row["score"]) + (LISTED if row["score"] in twice else "")),
                Cell(str(row["groups"])),
                *_step(row),
                Cell(interval),
                Cell(test),
                Cell(str(row["note"])),
            )
        )
    heads = ("score", "groups", "before", "after", "change", f"{ci} bootstrap", "test", "note")
    return Table("Single numbers, before and after", heads, tuple(rows))


def remains(analysis: ChangeAnalysis) -> Table | None:
    """Scores of targets, and whether the bias is found again; None if nobody looked."""
    if analysis.remains is None:
        return None
    twice = analysis.scores["score"].tolist()
    rows = tuple(
        (
            Cell(str(row["check"]).replace("_", " ") + (TARGETED if row["check"] in twice else "")),
            Cell(str(row["measure"])),
            _number(row["before"]),
            _number(row["after"]),
            _number(row["chance"]),
            Cell(f"{row['n']:,}", row["n"]),
        )
        for row in analysis.remains.to_dict("records")
    )
    heads = ("check", "measure", "before", "after", "without bias", "words")
    return Table("Is the bias found again?", heads, rows)


def bands(analysis: ChangeAnalysis) -> Table:
    """Shares of single distances inside the band around 1."""
    rows = tuple(
        (
            Cell(row["connection"], connection=row["connection"]),
            Cell(percent(row["share_before"]), row["share_before"]),
            Cell(percent(row["share_after"]), row["share_after"]),
            Cell(f"{row['n_before']:,}", row["n_before"]),
        )
        for row in analysis.bands.to_dict("records")
    )
    heads = ("connection", "inside before", "inside after", "distances")
    return Table("Single distances inside the band around 1", heads, rows)


def coverage(analysis: ChangeAnalysis) -> Table:
    """Share of the measured changes inside the predictive intervals."""
    rows = tuple(
        (
            Cell(row["model"]),
            Cell(probability_name(row["ci_prob"]), row["ci_prob"]),
            Cell(row["connection"], connection=row["connection"]),
            Cell(f"{row['n_rows']:,}", row["n_rows"]),
            Cell(percent(row["coverage"], 1), row["coverage"]),
        )
        for row in analysis.frame("check").to_dict("records")
    )
    heads = ("model", "interval", "connection", "pairs", "inside")
    return Table("Predictive coverage of the changes", heads, rows)


def _changes(
    analysis: ChangeAnalysis, frame: pd.DataFrame, caption: str, names: tuple[str, ...]
) -> Table:
    return intervals(
        frame,
        caption,
        names,
        ci_prob=analysis.settings.ci_prob,
        reference=0.0,
        extra=("p_direction", "p_moved", "p_towards_one"),
    )


def _step(
    row: Mapping[Hashable, Any], write: Callable[[float, int], str] = number
) -> tuple[Cell, Cell, Cell]:
    """Cells of before, after and change, whose shown digits add up."""
    values = row["before"], row["after"], row["change"]
    texts = step(*values[:2], write) if np.isfinite(values).all() else ("–",) * 3
    first, second, third = (Cell(*each) for each in zip(texts, values, strict=True))
    return first, second, third


def _number(value: float) -> Cell:
    return Cell(number(value) if np.isfinite(value) else "–", value)
