"""The tables of a report on a change."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..change_analysis import ORDER, ChangeAnalysis
from .change_wording import p_value
from .sentences import number, percent, probability, probability_name, signed
from .tables import Cell, Table, intervals


def overall(analysis: ChangeAnalysis) -> Table:
    """Overall changes of every connection, under every card."""
    frame = analysis.frame("changes")
    frame = frame[frame["level"] == "overall"]
    frame = pd.concat(part for _, part in frame.groupby("connection", sort=False))
    return _changes(analysis, frame, "Overall changes", ("connection", "model"))


def words(analysis: ChangeAnalysis, level: str) -> Table:
    """Changes by group or by word, under the lead card."""
    frame = analysis.lead.changes
    names = {"group": ("protected_group",), "word": ("protected_word", "protected_group")}[level]
    return _changes(
        analysis, frame[frame["level"] == level], f"Changes by {level}", (*names, "connection")
    )


def contrasts(analysis: ChangeAnalysis) -> Table:
    """Overall changes of every contrast, under every card."""
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
    rows = tuple(
        (
            Cell(row["protected_word"] or row["protected_group"] or "all protected words"),
            _signed(row["before"]),
            Cell(probability(row["p_closer_before"]), row["p_closer_before"]),
            _signed(row["after"]),
            Cell(probability(row["p_closer_after"]), row["p_closer_after"]),
            _signed(row["mean"]),
            Cell(probability(row["p_turned"]), row["p_turned"]),
        )
        for row in analysis.lead.orders.to_dict("records")
    )
    closer = f"p {first} closer"
    heads = ("of", "before", closer, "after", closer, "change", "p turned")
    return Table(f"{first} − {second}, before and after", heads, rows)


def scores(analysis: ChangeAnalysis) -> Table:
    """Single numbers before and after."""
    ci = probability_name(float(analysis.scores.attrs.get("ci_prob", analysis.settings.ci_prob)))
    rows = []
    for row in analysis.scores.to_dict("records"):
        known = np.isfinite(row["low"])
        interval = f"{signed(row['low'])} … {signed(row['high'])}" if known else "–"
        test = "–"
        if np.isfinite(row["t"]):
            test = f"t = {number(row['t'], 2)}, p {p_value(row['p_value'])}"
        rows.append(
            (
                Cell(str(row["score"])),
                Cell(str(row["groups"])),
                _number(row["before"]),
                _number(row["after"]),
                _signed(row["change"]),
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
    rows = tuple(
        (
            Cell(str(row["check"]).replace("_", " ")),
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


def _number(value: float) -> Cell:
    return Cell(number(value) if np.isfinite(value) else "–", value)


def _signed(value: float) -> Cell:
    return Cell(signed(value) if np.isfinite(value) else "–", value)
