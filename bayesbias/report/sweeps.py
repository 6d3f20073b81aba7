"""The page on a sweep: the same contrast in every cell, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pandas as pd

from ..plots.small_multiples import MOST_PANELS, MOST_ROWS, small_multiples
from ..tables.levels import OVERALL
from ..workflows.sweep import Sweep
from .figures import Figure
from .page import Page, Section, section
from .tables import Table, frame_table, interval_table
from .wording import PARTNERS
from .wording import sweeps as said

FIRST = "associated"
"""First of every contrast that is shown."""


def sweep_page(sweep: Sweep) -> Page:
    """Return the page of a sweep."""
    failures, shown = failure_table(sweep), gaps(sweep)
    frame = sweep.plan.tables.rename(columns={"rows": "distances", "missing": "words missing"})
    names = ("embedding", "list", "distances", "words missing")
    sections = [
        *(_contrast(sweep, second, frame) for second, frame in shown.items()),
        section("reading", "How to read this", seeds=said.seed_sentences(list(shown.values()))),
        *([section("failed", "What failed", table=failures)] if failures.rows else []),
        section(
            "measured", "What was measured", table=frame_table(frame, "What was measured", *names)
        ),
        section("limits", "What may not be concluded"),
        section("provenance", "Provenance"),
    ]
    doubts, ci_prob = said.doubts_of_cells(sweep), sweep.plan.config.ci_prob
    return Page("sweep.html.j2", sweep, sections, ci_prob, doubts, contents=False)


def gaps(sweep: Sweep) -> dict[str, pd.DataFrame]:
    """Return the overall contrasts of the associated attributes, one row a cell that has it.

    They stand by the second of the contrast; those that no cell has are left out.
    """
    frame = sweep.contrasts
    if frame.empty:
        return {}
    frame = frame[(frame["level"] == OVERALL) & (frame["first"] == FIRST)]
    found = {second: frame[frame["second"] == second] for second in PARTNERS}
    return {second: part for second, part in found.items() if len(part)}


def gap_table(sweep: Sweep, second: str, frame: pd.DataFrame) -> Table:
    """Show one contrast in every cell."""
    names = ("embedding", "list", "model", "seed")
    ci_prob = sweep.plan.config.ci_prob
    caption = f"{FIRST} − {second}, overall"
    return interval_table(frame, caption, *names, ci_prob=ci_prob, reference=0.0)


def failure_table(sweep: Sweep) -> Table:
    """Show what failed and why; cells of one embedding that failed alike share a row."""
    failed = sweep.cells[sweep.cells["state"] == "failed"]
    alike = failed.groupby(["embedding", "error", "message"], sort=False)["list"]
    frame = alike.agg(lists=lambda names: ", ".join(names.unique()), cells="size").reset_index()
    frame["what happened"] = frame["error"] + ": " + frame["message"]
    return frame_table(frame, "Cells that failed", "embedding", "lists", "cells", "what happened")


def _contrast(sweep: Sweep, second: str, frame: pd.DataFrame) -> Section:
    """Return a contrast as small multiples, with a figure more where rows are many."""
    rope = sweep.plan.config.rope
    draw = partial(small_multiples, first=FIRST, second=second, rope=rope)
    figures = [
        Figure(
            f"sweep-{FIRST}-{second}{ending}",
            partial(draw, part),
            said.multiples_texts(part, FIRST, second),
        )
        for ending, part in _parts(frame)
    ]
    title, table = f"Associated against {second} attributes", gap_table(sweep, second, frame)
    return section(second, title, figures, contrast=table)


def _parts(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Break rows into what fits into figures, with an ending for their names."""
    lists, embeddings = frame["list"].unique(), frame["embedding"].unique()
    step = max(1, MOST_ROWS // frame["model"].nunique())
    parts = [
        (embeddings[row : row + step], lists[column : column + MOST_PANELS])
        for row in range(0, len(embeddings), step)
        for column in range(0, len(lists), MOST_PANELS)
    ]
    for at, (rows, panels) in enumerate(parts, start=1):
        part = frame[frame["embedding"].isin(rows) & frame["list"].isin(panels)]
        if not part.empty:
            yield f"-{at}" if len(parts) > 1 else "", part
