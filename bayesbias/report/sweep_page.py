"""The page of a sweep: the same contrast in every cell, and how embeddings differ in it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..plots.forest import intervals
from ..plots.forests import rank_forest
from ..plots.frame import interval_note
from ..tables.descriptives import PARTNERS
from ..tables.levels import AVERAGE, OVERALL, at_level
from .headline import CLOSING
from .list_page import blocks_of
from .numbers import ROUNDED, counted, named, probability, probability_name, signed
from .wording import THIN_MEANING
from .writer import Block, Figure, Line, Page, Section, Table, lines, prose, table

if TYPE_CHECKING:
    from ..workflows.sweep import Sweep
    from ..workflows.sweep_spec import SweepConfig

FIRST = "associated"
"""First of every contrast that is shown."""

MOST_RANKS = 6
"""Ranks whose probability the table shows; ranks.csv has all."""


def page(sweep: Sweep) -> Page:
    """Return the page of a sweep."""
    config, failed = sweep.config, len(sweep.failures)
    sizes = sweep.tables.rename(columns={"rows": "distances", "missing": "words missing"})
    kinds = ("embedding", "list", "model")
    size = " × ".join(counted(len(getattr(config, f"{kind}s")), kind) for kind in kinds)
    some = f" {failed} failed; the same command fits these alone." if failed else ""
    names = ("embedding", "list", "distances", "words missing")
    limits = lines("limits.people", "limits.sweep")
    sections = [
        Section("ranked", "Which embedding, and how sure", _ranked(sweep)),
        *(_contrast(sweep, second) for second in PARTNERS),
        Section("reading", "How to read this", [_reading(config)]),
        Section("failed", "What failed", [failure_table(sweep)] if failed else []),
        Section(
            "measured", "What was measured", [table(sizes, "Tables", *names), prose("missing")]
        ),
        Section("limits", "What you cannot conclude", [limits]),
    ]
    return Page(
        kind="Cosine distances in word embeddings, compared",
        title=config.title or "A sweep",
        lede=f"{size}: {len(sweep.cells) - failed} of {config.n_cells} cells have a result.{some} "
        "Each asks the same: are stereotypes closer to protected words than other words are, and "
        "how sure is that?",
        sections=[section for section in sections if section.blocks],
        facts=_facts(config),
        doubts=sweep.doubts,
    )


def _ranked(sweep: Sweep) -> list[Block]:
    """Show how embeddings rank in one model of all, and their differences pair by pair."""
    ranks, config = sweep.ranks, sweep.config
    if ranks.empty:
        return []
    heads = {f"p_rank_{rank}": f"rank {rank}" for rank in range(2, MOST_RANKS + 1)}
    heads = {"p_most": "lowest"} | {name: head for name, head in heads.items() if name in ranks}
    shown = ranks.assign(
        list=ranks["wordlist"].replace("", AVERAGE),
        **{head: ranks[name].map(probability, na_action="ignore") for name, head in heads.items()},
    )
    rows = sweep.differences.assign(
        list=sweep.differences["wordlist"].replace("", AVERAGE),
        difference=sweep.differences["first"] + " − " + sweep.differences["second"],
    )
    rows.attrs["rope"] = config.rope or 0.0
    names = ("list", "embedding", "mean", "interval", *heads.values())
    pairs = ("list", "difference", "mean", "interval", "p_direction", "p_rope")
    caption = "Contrasts of embeddings and lists, in one model and by themselves."
    title = "Every contrast in one model of all embeddings and lists"
    return [
        joint_lines(ranks),
        *(
            Figure(f"sweep-joint{end}", partial(rank_forest, part, rope=config.rope), caption)
            for end, part in blocks_of(shown, "list")
        ),
        prose("joint"),
        f"{'; '.join(map(share_line, sweep.shares.to_dict('records')))}.",
        table(shown, title, *names),
        prose("differences"),
        table(rows, f"{FIRST} − different: differences", *pairs),
        CLOSING,
    ]


def share_line(row: Mapping[Hashable, Any]) -> str:
    """Word a row of `bb.comparison.variance_shares`."""
    return (
        f"{row['mean']:.0%} of the variance between contrasts is the {row['part']} "
        f"({row['low']:.0%} to {row['high']:.0%})"
    )


def joint_lines(ranks: pd.DataFrame) -> list[Line]:
    """Word for every list which embedding has the lowest contrast, and how probably."""
    sentences, n_lists = [], ranks["wordlist"].nunique() - 1
    for name, rows in ranks.groupby("wordlist", sort=False):
        chances = [
            f"{row['embedding']} {probability(row['p_most'])} ({signed(row['mean'])})"
            for row in rows.to_dict("records")
        ]
        of = f"all {n_lists} lists, on average" if name == AVERAGE else str(name)
        sentences.append(Line(of, f"lowest with probability: {named(chances)}."))
    return sentences


def _contrast(sweep: Sweep, second: str) -> Section:
    """Return the overall contrast of associated with other attributes in every cell that has it.

    Cells of a set with too few words are marked.
    """
    config, frame = sweep.config, sweep.contrasts
    title = f"{FIRST.capitalize()} compared with {second} attributes"
    if len(frame):
        frame = frame[(frame["first"] == FIRST) & (frame["second"] == second)]
    if frame.empty:
        return Section(second, title, [])
    frame = at_level(frame, OVERALL)
    thin = set(zip(sweep.thin["embedding"], sweep.thin["list"], strict=True))
    cells = zip(frame["embedding"], frame["list"], strict=True)
    frame = frame.assign(thin=[cell in thin for cell in cells])
    draw = partial(intervals, label="embedding", by="list", hue="model", pair=(FIRST, second))
    draw = partial(draw, rope=config.rope, title=title, note=interval_note(frame))
    caption = f"{FIRST} − {second}, overall: a block a list, a row an embedding and model."
    figures = [
        Figure(f"sweep-{FIRST}-{second}{end}", partial(draw, part), caption)
        for end, part in blocks_of(frame, "list")
    ]
    names = ("embedding", "list", "model", "mean", "interval", "p_direction", "p_rope")
    frame.attrs["rope"] = config.rope or 0.0
    shown = table(frame, f"{FIRST} − {second}, overall", *names)
    return Section(second, title, [*figures, shown, *([THIN_MEANING] if thin else [])])


def failure_table(sweep: Sweep) -> Table:
    """Show what failed and why; cells of one embedding that failed alike share a row."""
    failed = sweep.cells[sweep.cells["state"] == "failed"]
    alike = failed.groupby(["embedding", "error", "message"], sort=False)["list"]
    frame = alike.agg(lists=lambda names: ", ".join(names.unique()), cells="size").reset_index()
    frame["what happened"] = frame["error"] + ": " + frame["message"]
    return table(frame, "Cells that failed", "embedding", "lists", "cells", "what happened")


def _reading(config: SweepConfig) -> list[Line]:
    return lines(
        "reading.difference",
        "reading.sweep",
        ci=probability_name(config.ci_prob),
        about=config.about_interval,
        rope="a share of each table's spread" if config.rope is None else f"±{config.rope:.2g}",
        rounded=ROUNDED,
    )


def _facts(config: SweepConfig) -> list[Line]:
    method = f"method {config.method}, {config.chains} × {config.draws} draws, seed {config.seed}"
    embeddings = [Line(f"Embedding {one.name}", str(one.source)) for one in config.embeddings]
    lists = [Line(f"List {one.name}", f"{one.title}. {one.reference}") for one in config.lists]
    models = [Line(f"Model {one.name}", f"{one.title}. {one.reference}") for one in config.models]
    return [*embeddings, *lists, *models, Line("Settings", method)]
