"""The tables of the report: frames made into cells that show, and cells that sort."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from ..plots.scales import MEANINGS as SCALE_MEANINGS
from ..workflows.analysis import Analysis
from .sentences import MEANINGS, number, percent, probability, probability_name, signed, signed_end


@dataclass(frozen=True)
class Strip:
    """An interval drawn in a cell: places along the axis in percent.

    Parameters
    ----------
    low, mean, high : float
    reference : float or None
        Where 1, or no difference, is; None if it is off the axis.
    connection : str
        Whose colour it has.
    """

    low: float
    mean: float
    high: float
    reference: float | None
    connection: str


@dataclass(frozen=True)
class Cell:
    """What a cell shows, what it sorts by, and the interval that it draws, if any."""

    text: str
    key: float | None = None
    strip: Strip | None = None
    connection: str = ""


@dataclass(frozen=True)
class Table:
    """A table of the report: caption, heads and cells."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def word_counts(analysis: Analysis) -> Table:
    """Count what was asked for and what was found, set by set."""
    frame = analysis.wordlist.to_frame()
    missing = analysis.missing.groupby(["role", "set"]).size()
    rows = []
    for (role, name), part in frame.groupby(["role", "set"], sort=False):
        lost = int(missing.get((role, name), 0))
        words = ", ".join(part["word"])
        counts = (_count(len(part)), _count(len(part) - lost))
        rows.append((Cell(str(role)), Cell(str(name)), *counts, Cell(words)))
    return Table("The list, set by set", ("role", "set", "words", "found", "which"), tuple(rows))


def missing_words(analysis: Analysis) -> Table:
    """Name the words that the embedding lacks, set by set."""
    rows = [
        (Cell(str(role)), Cell(str(name)), _count(len(part)), Cell(", ".join(part["word"])))
        for (role, name), part in analysis.missing.groupby(["role", "set"], sort=False)
    ]
    return Table("Missing words", ("role", "set", "missing", "which"), tuple(rows))


def distance_counts(analysis: Analysis) -> Table:
    """Count rows, words and attributes of each connection, with the raw mean distance."""
    rows = []
    for name, part in analysis.table.groupby("connection", observed=True):
        rows.append(
            (
                Cell(str(name), connection=str(name)),
                Cell(MEANINGS[str(name)]),
                _count(len(part)),
                _count(part["attribute"].nunique()),
                _number(float(part["cosine_distance"].mean())),
            )
        )
    heads = ("connection", "what it is", "distances", "attribute words", "plain mean")
    return Table("Distances by connection", heads, tuple(rows))


def overall(analysis: Analysis) -> Table:
    """Overall means of every model, side by side."""
    frame = analysis.frame("summary")
    frame = _side_by_side(frame[frame["level"] == "overall"], "connection")
    return _intervals(
        analysis, frame, "Overall mean distances", ("connection", "model"), reference=1.0
    )


def words(analysis: Analysis, level: str) -> Table:
    """Means of groups or words under every model."""
    frame = analysis.frame("summary")
    frame = frame[frame["level"] == level]
    names = {"group": ("protected_group",), "word": ("protected_word", "protected_group")}[level]
    frame = _side_by_side(frame, *names, "connection")
    caption = f"Mean distances by {level}"
    return _intervals(analysis, frame, caption, (*names, "connection", "model"), reference=1.0)


def contrasts(analysis: Analysis, pair: tuple[str, str] | None, level: str) -> Table:
    """Contrasts at one level: of one pair, or of all pairs."""
    frame = analysis.frame("contrasts")
    frame = frame[frame["level"] == level]
    if pair:
        frame = frame[(frame["first"] == pair[0]) & (frame["second"] == pair[1])]
    names = {
        "overall": (),
        "group": ("protected_group",),
        "word": ("protected_word", "protected_group"),
    }[level]
    frame = frame.assign(contrast=frame["first"] + " − " + frame["second"])
    frame = _side_by_side(frame.assign(connection=frame["first"]), *names, "contrast")
    caption = f"Differences, {level if level == 'overall' else 'by ' + level}"
    return _intervals(analysis, frame, caption, (*names, "contrast", "model"), reference=0.0)


def coverage(analysis: Analysis) -> Table:
    """Share of the measured distances inside the predictive intervals."""
    frame = analysis.frame("check")
    rows = [
        (
            Cell(row["model"]),
            Cell(probability_name(row["ci_prob"]), row["ci_prob"]),
            Cell(row["connection"], connection=row["connection"]),
            _count(int(row["n_rows"])),
            Cell(percent(row["coverage"], 1), row["coverage"]),
        )
        for _, row in frame.iterrows()
    ]
    heads = ("model", "interval", "connection", "distances", "inside")
    return Table("Predictive coverage", heads, tuple(rows))


def spreads(analysis: Analysis) -> Table:
    """Standard deviations of every model; degrees of freedom, which are none, are left out."""
    frame = analysis.frame("scales")
    frame = frame[frame["parameter"].isin(list(SCALE_MEANINGS))]
    frame = frame.assign(
        what=frame["parameter"].map(SCALE_MEANINGS),
        connection=frame["of"],
        of=frame["of"].replace("", "all"),
    )
    return _intervals(
        analysis, frame, "Standard deviations", ("what", "of", "model"), reference=None
    )


def comparison(analysis: Analysis) -> Table:
    """Expected log predictive densities of the models by PSIS-LOO, best first."""
    frame = analysis.comparison
    rows = []
    for row in frame.to_dict("records") if frame is not None else ():
        behind, error = row["elpd_diff"], row["dse"]
        rows.append(
            (
                Cell(row["model"]),
                _number(row["elpd"], 1),
                _number(row["p"], 1),
                Cell(signed(behind, 1) if behind else "best", behind),
                Cell(number(error, 1) if behind else "", error),
                _count(row["n_bad_k"]),
            )
        )
    heads = ("model", "elpd", "effective parameters", "against the best", "standard error", "bad k")
    return Table("Leave-one-out prediction (PSIS-LOO)", heads, tuple(rows))


def sensitivity(analysis: Analysis) -> Table:
    """Sensitivity of every model's parameters to their priors and to the data."""
    frame = _side_by_side(analysis.frame("sensitivity"), "parameter", "of")
    rows = tuple(
        (
            Cell(row["parameter"]),
            Cell(row["of"] or "all"),
            Cell(row["model"]),
            _number(row["prior"]),
            _number(row["likelihood"]),
            Cell(row["diagnosis"] or "–"),
        )
        for row in frame.to_dict("records")
    )
    heads = ("parameter", "of", "model", "prior", "data", "diagnosis")
    return Table("Sensitivity by power-scaling", heads, rows)


def _side_by_side(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Put the rows that models have in common beside each other, in the first one's order."""
    return pd.concat(part for _, part in frame.groupby(list(names), sort=False))


_HEADS = {
    "protected_group": "group",
    "protected_word": "word",
    "what": "spread",
}

_Show = Callable[[float], str]


def _intervals(
    analysis: Analysis,
    frame: pd.DataFrame,
    caption: str,
    names: Sequence[str],
    *,
    reference: float | None,
) -> Table:
    return intervals(frame, caption, names, ci_prob=analysis.settings.ci_prob, reference=reference)


def intervals(
    frame: pd.DataFrame,
    caption: str,
    names: Sequence[str],
    *,
    ci_prob: float,
    reference: float | None,
    extra: Sequence[str] = ("p_direction", "p_rope"),
) -> Table:
    """Rows of names, a mean, an interval in numbers and as a strip, and probabilities if any."""
    show, end = (signed, signed_end) if reference == 0 else (number, number)
    scale = _Scale.around(frame, reference)
    extra = [name for name in extra if name in frame]
    interval = f"{probability_name(ci_prob)} interval"
    heads = [*(_HEADS.get(name, name) for name in names), "mean", interval, "", *extra]
    rows = []
    for _, row in frame.iterrows():
        cells = [
            Cell(str(row[name]), connection=str(row[name]) if name == "connection" else "")
            for name in names
        ]
        cells += [
            Cell(show(row["mean"]), row["mean"]),
            Cell(f"{end(row['low'])} … {end(row['high'])}", row["low"]),
            Cell("", row["mean"], scale.strip(row)),
            *(Cell(probability(row[name]), row[name]) for name in extra),
        ]
        rows.append(tuple(cells))
    return Table(caption, tuple(heads), tuple(rows))


@dataclass(frozen=True)
class _Scale:
    """The common axis of a table's strips."""

    low: float
    high: float
    reference: float | None

    @classmethod
    def around(cls, frame: pd.DataFrame, reference: float | None) -> _Scale:
        ends = [float(frame["low"].min()), float(frame["high"].max())]
        ends += [reference] if reference is not None else [0.0]
        margin = 0.04 * (max(ends) - min(ends)) or 0.01
        return cls(min(ends) - margin, max(ends) + margin, reference)

    def strip(self, row: pd.Series) -> Strip:
        low, mean, high = (self._place(row[name]) for name in ("low", "mean", "high"))
        at = None if self.reference is None else self._place(self.reference)
        return Strip(low, mean, high, at, str(row["connection"]))

    def _place(self, value: float) -> float:
        return round(100 * (float(value) - self.low) / (self.high - self.low), 2)


def _number(value: float, digits: int = 3) -> Cell:
    return Cell(number(value, digits), value)


def _count(value: int) -> Cell:
    return Cell(f"{value:,}", value)
