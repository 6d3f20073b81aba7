"""The report page for a sweep: one contrast in every cell, and how the embeddings differ."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from ..plots.forest import MOST_ROWS, intervals
from ..plots.forests import rank_forest
from ..plots.frame import interval_note
from ..tables.descriptives import PARTNERS
from ..tables.levels import AVERAGE, OVERALL, at_level
from .numbers import MOST_RANKS, counted
from .wording import THIN_MEANING, reading_lines
from .writer import Block, Figure, Line, Page, lines, prose, sections, table

if TYPE_CHECKING:
    from ..workflows.sweep import Sweep
    from ..workflows.sweep_spec import SweepConfig

FIRST = "associated"

TITLE = "Associated compared with {} attributes"


def page(sweep: Sweep) -> Page:
    """Return the page about a sweep."""
    config, failed = sweep.config, len(sweep.failures)
    sizes = sweep.tables.rename(columns={"rows": "distances", "missing": "words missing"})
    cell = ("embedding", "list", "model")
    size = " × ".join(counted(len(getattr(config, f"{kind}s")), kind) for kind in cell)
    some = f" {failed} failed; repeat the command to retry only these cells." if failed else ""
    names, reasons = (*cell[:2], "distances", "words missing"), (*cell, "error", "message")
    rope = "a share of each table's spread" if config.rope is None else f"±{config.rope:.2g}"
    reading = reading_lines(config, "reading.difference", "reading.sweep", rope=rope)
    return Page(
        kind="Comparison of cosine distances in word embeddings",
        title=config.title or "A sweep",
        lede=f"{size}: {len(sweep.cells) - failed} of {config.n_cells} cells have a result.{some} "
        "For each cell, the question is the same: are stereotypes closer to protected words than "
        "other words are, and how certain is the answer?",
        sections=sections(
            ("ranked", "How the embeddings rank", _ranked(sweep)),
            *((second, TITLE.format(second), _contrast(sweep, second)) for second in PARTNERS),
            ("reading", "How to read this", [reading]),
            ("failed", "What failed", [table(sweep.failures, "Cells that failed", *reasons)]),
            ("measured", "What was measured", [table(sizes, "Tables", *names), prose("missing")]),
            ("limits", "What you cannot conclude", [lines("limits.people", "limits.sweep")]),
        ),
        facts=_facts(config),
        doubts=sweep.doubts,
    )


def _ranked(sweep: Sweep) -> list[Block]:
    """Show the ranks of embeddings in the joint model, and their pairwise differences."""
    ranks, config = sweep.ranks, sweep.config
    if ranks.empty:
        return []
    ranks = ranks.assign(list=ranks["wordlist"].replace("", AVERAGE))
    rows = sweep.differences.assign(
        list=sweep.differences["wordlist"].replace("", AVERAGE),
        difference=sweep.differences["first"] + " − " + sweep.differences["second"],
    )
    rows.attrs["rope"] = config.rope or 0.0
    chances = ("p_most", *(f"p_rank_{rank}" for rank in range(2, MOST_RANKS + 1)))
    pairs = ("list", "difference", "mean", "interval", "p_direction", "p_rope")
    caption = "Contrasts of embeddings and lists, in the joint model and fitted separately."
    title = "Contrasts in the joint model of all embeddings and lists"
    return [
        table(ranks, title, "list", "embedding", "mean", "interval", *chances),
        *(
            Figure(f"sweep-joint{end}", partial(rank_forest, part, rope=config.rope), caption)
            for end, part in blocks_of(ranks, "list")
        ),
        prose("joint"),
        table(sweep.shares, "Variance between contrasts", "part", "mean", "interval"),
        prose("differences"),
        table(rows, f"Differences in {FIRST} − different", *pairs),
        prose("not_people"),
    ]


def _contrast(sweep: Sweep, second: str) -> list[Block]:
    """Return the overall contrast of associated with other attributes in every cell that has it.

    Cells that have a set with too few words are marked.
    """
    config, frame = sweep.config, sweep.contrasts
    if len(frame):
        frame = at_level(frame[(frame["first"] == FIRST) & (frame["second"] == second)], OVERALL)
    if frame.empty:
        return []
    thin = set(zip(sweep.thin["embedding"], sweep.thin["list"], strict=True))
    cells = zip(frame["embedding"], frame["list"], strict=True)
    frame = frame.assign(thin=[cell in thin for cell in cells])
    draw = partial(intervals, label="embedding", by="list", hue="model", pair=(FIRST, second))
    draw = partial(draw, rope=config.rope, title=TITLE.format(second), note=interval_note(frame))
    caption = f"{FIRST} − {second}, overall, with one block per list and one row per fit."
    figures = [
        Figure(f"sweep-{FIRST}-{second}{end}", partial(draw, part), caption)
        for end, part in blocks_of(frame, "list")
    ]
    names = ("embedding", "list", "model", "mean", "interval", "p_direction", "p_rope")
    frame.attrs["rope"] = config.rope or 0.0
    shown = table(frame, f"{FIRST} − {second}, overall", *names)
    return [*figures, shown, THIN_MEANING if thin else ""]


def _facts(config: SweepConfig) -> list[Line]:
    method = f"method {config.method}, {config.chains} × {config.draws} draws, seed {config.seed}"
    embeddings = [Line(f"Embedding {one.name}", str(one.source)) for one in config.embeddings]
    lists = [Line(f"List {one.name}", f"{one.title}. {one.reference}") for one in config.lists]
    models = [Line(f"Model {one.name}", f"{one.title}. {one.reference}") for one in config.models]
    return [*embeddings, *lists, *models, Line("Settings", method)]


def blocks_of(frame: pd.DataFrame, by: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Split blocks of rows across figures, and yield each figure's name suffix and rows."""
    if frame.empty:
        return
    sizes = frame.groupby(by, sort=False).size().clip(upper=MOST_ROWS - 1) + 1
    pages = frame[by].map(sizes.cumsum().sub(1) // MOST_ROWS)
    for number, part in frame.groupby(pages, sort=False):
        rows = part.groupby(by, sort=False).head(MOST_ROWS - 1)
        yield f"-{number + 1}" if pages.nunique() > 1 else "", rows
