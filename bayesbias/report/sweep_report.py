"""The report of a sweep: the same contrast in every cell, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import pandas as pd

from ..plots.small_multiples import MOST_PANELS, MOST_ROWS, small_multiples
from ..workflows.sweep import CELL_COLUMNS, Sweep
from .figures import DrawnFigure, Figure
from .pages import environment_of_templates, page_parts
from .sentences import PARTNERS, counted, number, probability, probability_name, signed
from .tables import Cell, Table, _Scale

MEASURED_HEADS = ("embedding", "list", "distances", "words missing")
FAILURE_HEADS = ("embedding", "lists", "cells", "what happened")


def sweep_figures(sweep: Sweep) -> list[Figure]:
    """Give the small multiples of a sweep: a figure a contrast, and more where rows are many."""
    return [
        Figure(
            f"sweep-{first}-{second}{ending}",
            second,
            "",
            f"{first} − {second}, overall. Left of zero: {first} attributes are closer than "
            f"{second} ones.",
            _alt(page, first, second),
            partial(small_multiples, page, first=first, second=second, rope=sweep.plan.config.rope),
        )
        for first, second in sweep_pairs(sweep)
        for ending, page in _pages(gaps(sweep, second))
    ]


def sweep_pairs(sweep: Sweep) -> list[tuple[str, str]]:
    """Give the contrasts of the associated attributes that some cell has."""
    return [("associated", second) for second in PARTNERS if not gaps(sweep, second).empty]


def gaps(sweep: Sweep, second: str) -> pd.DataFrame:
    """Give the overall contrasts associated − `second`, one row a cell that has it."""
    frame = sweep.contrasts
    if frame.empty:
        return frame
    wanted = (frame["level"] == "overall") & (frame["first"] == "associated")
    chosen = frame[wanted & (frame["second"] == second)].reset_index(drop=True)
    chosen.attrs = dict(frame.attrs)
    return chosen


def render_sweep(
    sweep: Sweep, drawn: Sequence[DrawnFigure], command: str, versions: dict[str, str]
) -> str:
    """Give the report of a sweep as a self-contained HTML page.

    Parameters
    ----------
    sweep : Sweep
    drawn : sequence of DrawnFigure
        What `draw` gives for `sweep_figures`.
    command : str
        What makes the same results again.
    versions : dict of str to str
        Packages and their versions.
    """
    from markupsafe import Markup

    environment = environment_of_templates()
    figures = [
        {
            "svg": Markup(each.svg),
            "caption": each.figure.caption,
            "name": each.figure.name,
            "section": each.figure.section,
        }
        for each in drawn
    ]
    sections = [
        {
            "second": second,
            "figures": [one for one in figures if one["section"] == second],
            "table": _gap_table(sweep, second),
        }
        for _, second in sweep_pairs(sweep)
    ]
    config = sweep.plan.config
    return environment.get_template("sweep.html.j2").render(
        config=config,
        title=config.title or "A sweep",
        size=_size(sweep),
        done=int((sweep.cells["state"] == "done").sum()),
        ci=probability_name(config.ci_prob),
        sections=sections,
        seeds=_seed_sentence(sweep),
        failures=failure_table(sweep),
        doubts=_doubts(sweep),
        measured=_measured_table(sweep),
        command=command,
        versions=versions,
        **page_parts(environment),
    )


def failure_table(sweep: Sweep) -> Table:
    """Tell what failed and why; cells of one embedding that failed alike share a row."""
    failed = sweep.cells[sweep.cells["state"] == "failed"]
    rows = [
        (
            Cell(str(embedding)),
            Cell(", ".join(part["list"].unique())),
            Cell(str(len(part)), float(len(part))),
            Cell(f"{error}: {message}"),
        )
        for (embedding, error, message), part in failed.groupby(
            ["embedding", "error", "message"], sort=False
        )
    ]
    return Table("Cells that failed", FAILURE_HEADS, tuple(rows))


def _alt(page: pd.DataFrame, first: str, second: str) -> str:
    below = int((page["high"] < 0).sum())
    above = int((page["low"] > 0).sum())
    return (
        f"Small multiples of {first} minus {second}, one panel a word list, one row an embedding "
        f"and model. Of {len(page)} intervals {below} lie below zero and {above} above it. "
        "The numbers are in the table below."
    )


def _pages(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Break rows into what fits into figures, with an ending for their names."""
    lists = list(frame["list"].drop_duplicates())
    embeddings = list(frame["embedding"].drop_duplicates())
    step = max(1, MOST_ROWS // frame["model"].nunique())
    pages = [
        (embeddings[row : row + step], lists[column : column + MOST_PANELS])
        for row in range(0, len(embeddings), step)
        for column in range(0, len(lists), MOST_PANELS)
    ]
    for place, (rows, panels) in enumerate(pages, start=1):
        page = frame[frame["embedding"].isin(rows) & frame["list"].isin(panels)]
        if not page.empty:
            yield f"-{place}" if len(pages) > 1 else "", page


def _gap_table(sweep: Sweep, second: str) -> Table:
    frame = gaps(sweep, second).assign(connection="associated")
    scale = _Scale.around(frame, 0.0)
    rows = []
    for _, row in frame.iterrows():
        names = [Cell(str(row[name])) for name in CELL_COLUMNS[:3]]
        names.append(Cell(str(row["seed"]), float(row["seed"])))
        numbers = [
            Cell(signed(row["mean"]), row["mean"]),
            Cell(f"{signed(row['low'])} … {signed(row['high'])}", row["low"]),
            Cell("", row["mean"], scale.strip(row)),
            *(Cell(probability(row[name]), row[name]) for name in ("p_direction", "p_rope")),
        ]
        rows.append((*names, *numbers))
    interval = f"{probability_name(sweep.plan.config.ci_prob)} interval"
    heads = ("embedding", "list", "spec", "seed", "mean", interval, "", "p_direction", "p_rope")
    return Table(f"associated − {second}, overall", heads, tuple(rows))


def _measured_table(sweep: Sweep) -> Table:
    rows = []
    for _, row in sweep.plan.tables.iterrows():
        counts = (int(row["rows"]), int(row["missing"]))
        cells = (Cell(f"{count:,}", float(count)) for count in counts)
        rows.append((Cell(str(row["embedding"])), Cell(str(row["list"])), *cells))
    return Table("What was measured", MEASURED_HEADS, tuple(rows))


def _doubts(sweep: Sweep) -> list[str]:
    """Tell the sampling warnings, each once with the number of cells."""
    told = sweep.cells["warnings"]
    return [
        f"{counted(int(count), 'cell')}: {text}"
        for text, count in told[told != ""].value_counts(sort=False).items()
    ]


def _size(sweep: Sweep) -> str:
    config = sweep.plan.config
    return " × ".join(
        counted(len(parts), one)
        for parts, one in (
            (config.embeddings, "embedding"),
            (config.lists, "list"),
            (config.models, "model"),
            (config.seeds, "seed"),
        )
    )


def _seed_sentence(sweep: Sweep) -> str:
    """Tell how far seeds move the means, which is noise of sampling and not of the data."""
    pairs = sweep_pairs(sweep)
    if len(sweep.plan.config.seeds) < 2 or not pairs:
        return ""
    frames = [gaps(sweep, second) for _, second in pairs]
    keys = ["embedding", "list", "model"]
    spread = max(
        float((part.max() - part.min()).max())
        for part in (frame.groupby(keys)["mean"] for frame in frames)
    )
    return (
        f"Between seeds a mean moves by at most {number(spread)}: noise of sampling, which more "
        "draws make smaller."
    )
