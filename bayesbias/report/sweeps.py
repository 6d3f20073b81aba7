"""The page on a sweep: the same contrast in every cell, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..plots.forest import MOST_ROWS
from ..plots.forests import difference_forest, rank_forest, sweep_forest
from ..plots.frame import difference_label
from ..tables.descriptives import PARTNERS
from ..tables.levels import OVERALL
from ..workflows.sweep import Sweep
from .figures import Figure
from .numbers import probability
from .page import Page, Section, section
from .tables import Cell, Table, frame_table, interval_table
from .wording import sweeps as said

FIRST = "associated"
"""First of every contrast that is shown."""

MOST_RANKS = 6
"""Ranks of which the table shows the probability; ranks.csv has all."""


def sweep_page(sweep: Sweep) -> Page:
    """Return the page of a sweep."""
    failures, shown = failure_table(sweep), gaps(sweep)
    frame = sweep.plan.tables.rename(columns={"rows": "distances", "missing": "words missing"})
    names = ("embedding", "list", "distances", "words missing")
    sections = [
        *_ranked(sweep),
        *_compared(sweep, shown),
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


def leading_gaps(sweep: Sweep, shown: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the contrast that leads in every embedding and list, list by list, lowest first.

    It is of the last model and the first seed; ``rank`` counts the embeddings of a list, and
    ``thin`` marks those of which a set has too few words.
    """
    config = sweep.plan.config
    frame = next(iter(shown.values()))
    model, seed = config.models[-1].name, config.seeds[0]
    frame = frame[(frame["model"] == model) & (frame["seed"] == seed)]
    lists = frame["list"].map({each.name: at for at, each in enumerate(config.lists)})
    frame = frame.assign(at=lists).sort_values(["at", "mean"], kind="stable").drop(columns="at")
    thin = set(zip(sweep.plan.thin["embedding"], sweep.plan.thin["list"], strict=True))
    keys = zip(frame["embedding"], frame["list"], strict=True)
    rank = frame.groupby("list", sort=False).cumcount() + 1
    return frame.assign(rank=rank, thin=[key in thin for key in keys])


def leading_differences(sweep: Sweep, second: str) -> pd.DataFrame:
    """Return the overall differences of that contrast between embeddings."""
    frame = sweep.differences
    if frame.empty:
        return frame
    rows = (frame["level"] == OVERALL) & (frame["first"] == FIRST) & (frame["second"] == second)
    of = frame["embedding"] + " − " + frame["against"]
    return frame.assign(label=of, difference=of)[rows]


def _ranked(sweep: Sweep) -> list[Section]:
    """Return what one model of all embeddings and lists says, where there is one."""
    frame, config = sweep.ranks, sweep.plan.config
    if frame.empty:
        return []
    chances = {"lowest": "p_most"}
    chances |= {f"rank {at}": f"p_rank_{at}" for at in range(2, MOST_RANKS + 1)}
    chances = {head: name for head, name in chances.items() if name in frame}
    about: dict[str, Any] = {"ci_prob": config.ci_prob, "reference": 0.0}
    blocks = frame.assign(first=FIRST, list=frame["wordlist"])
    shown: dict[str, Any] = {
        head: [Cell("–" if np.isnan(p) else probability(p), p) for p in frame[name]]
        for head, name in chances.items()
    }
    apart = sweep.rank_differences
    apart = apart.assign(
        list=apart["wordlist"], difference=apart["first"] + " − " + apart["second"], first=FIRST
    )
    figures = [
        Figure(
            f"sweep-joint{ending}",
            partial(rank_forest, part, rope=config.rope),
            said.joint_texts(part),
            narrow=True,
        )
        for ending, part in _filled(blocks)
    ]
    return [
        section(
            "ranked",
            "Which embedding, all lists in one model",
            figures,
            lines=said.joint_lines(frame),
            about=said.about_joint(sweep),
            ranks=interval_table(
                blocks.assign(**shown), said.JOINT, "list", "embedding", extra=[*shown], **about
            ),
            differences=interval_table(
                apart, said.JOINT_DIFFERENCES, "list", "difference", extra=("p_direction",), **about
            ),
        )
    ]


def _compared(sweep: Sweep, shown: Mapping[str, pd.DataFrame]) -> list[Section]:
    """Return what the page leads with, where there is more than one embedding."""
    config = sweep.plan.config
    if not shown or len(config.embeddings) < 2:
        return []
    second, ranked = next(iter(shown)), leading_gaps(sweep, shown)
    differences = leading_differences(sweep, second)
    about: dict[str, Any] = {"ci_prob": config.ci_prob, "reference": 0.0, "extra": ("p_direction",)}
    names = ("list", "rank", "embedding")
    ranks = interval_table(ranked, f"{FIRST} − {second}, lowest first", *names, **about)
    table = Table("Differences between embeddings")
    if len(differences):
        table = interval_table(differences, table.caption, "list", "difference", **about)
    label = difference_label(FIRST, second)
    blocks = {
        "ranks": (ranked.assign(label=ranked["embedding"]), said.RANKS, label),
        "differences": (differences, said.DIFFERENCES, f"{said.DIFFERENCE_OF} {FIRST} − {second}"),
    }
    figures = [
        Figure(
            f"sweep-{name}{ending}",
            partial(
                difference_forest, part, by="list", title=title, xlabel=label, rope=config.rope
            ),
            said.block_texts(part, title),
            narrow=True,
        )
        for name, (frame, title, label) in blocks.items()
        for ending, part in _filled(frame)
    ]
    return [
        section(
            "compared",
            "Which embedding, and how sure",
            figures,
            ranks=ranks,
            differences=table,
            lines=said.rank_lines(ranked, differences),
            about=said.about_ranks(sweep, second, ranked, differences),
        )
    ]


def _filled(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Break rows in blocks of lists into what fits into figures, with an ending for their names."""
    if frame.empty:
        return
    sizes = frame.groupby("list", sort=False).size() + 1
    at = frame["list"].map(sizes.cumsum().sub(1) // MOST_ROWS)
    for number, part in frame.groupby(at, sort=False):
        yield f"-{number + 1}" if at.nunique() > 1 else "", part


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
    """Return a contrast in every cell, with a figure more where rows are many."""
    rope = sweep.plan.config.rope
    draw = partial(sweep_forest, first=FIRST, second=second, rope=rope)
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
    step = MOST_ROWS // (min(len(embeddings), MOST_ROWS - 1) + 1)
    parts = [
        (embeddings[row : row + MOST_ROWS - 1], lists[column : column + step])
        for row in range(0, len(embeddings), MOST_ROWS - 1)
        for column in range(0, len(lists), step)
    ]
    for at, (rows, blocks) in enumerate(parts, start=1):
        part = frame[frame["embedding"].isin(rows) & frame["list"].isin(blocks)]
        if not part.empty:
            yield f"-{at}" if len(parts) > 1 else "", part
