"""The page of a sweep: the same contrast in every cell, side by side."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from ..plots.forests import difference_forest, rank_forest, sweep_forest
from ..plots.frame import difference_label
from ..tables.descriptives import PARTNERS
from ..tables.levels import AVERAGE, OVERALL
from .headline import NO_VERDICTS
from .list_page import DIFFERENCE, NO_VERDICT, NOTHING_ABOUT_PEOPLE, blocks_of
from .numbers import ROUNDED, counted, ends, named, probability, probability_name, signed
from .wording import THIN_MEANING
from .writer import Block, Figure, Line, Page, Section, Table, table

if TYPE_CHECKING:
    from ..workflows.sweep import Sweep
    from ..workflows.sweep_spec import SweepConfig

FIRST = "associated"
"""First of every contrast that is shown."""

MOST_RANKS = 6
"""Ranks of which the table shows the probability; ranks.csv has all."""

MOST_NAMED = 6
"""Embeddings that a sentence ranks."""

SIDE_BY_SIDE = Line(
    "Side by side",
    "Intervals of different cells are not independent: embeddings share texts, lists share words, "
    "models share the data. That many cells agree is not as much evidence as as many separate "
    "studies.",
)
JOINT = (
    "Associated − different, overall: below zero, stereotypes of a group's own lie closer. "
    "Embeddings and lists are in one model (bb.fit_many), in which words and attributes have "
    "effects that all embeddings share, and contrasts are drawn towards one another; gray is what "
    "each shows by itself. A rank without its probability means nothing."
)
PAIRED = (
    "Differences are of the distances that both embeddings have, pair by pair (the model "
    "change-maximal of bb.fit_change), so that what embeddings share cancels out. An order is "
    "settled only where the interval of the difference leaves zero out."
)
LIMITS = [
    NOTHING_ABOUT_PEOPLE,
    Line("Listing a stereotype does not endorse it", "The lists state where they come from."),
    Line(
        NO_VERDICT.of,
        f"{NO_VERDICT.text} Ranks are those of estimates; embeddings of which the interval of "
        "their difference includes zero are not put in order by them.",
    ),
]


def sweep_page(sweep: Sweep) -> Page:
    """Return the page of a sweep."""
    config, shown = sweep.plan.config, gaps(sweep)
    name, size, failed = config.title or "A sweep", size_of(config), len(sweep.failures)
    warned = sweep.cells["warnings"]
    doubts = warned[warned != ""].value_counts(sort=False)
    sizes = sweep.plan.tables.rename(columns={"rows": "distances", "missing": "words missing"})
    some = f" {failed} failed; the same command fits these alone." if failed else ""
    return Page(
        kind="Cosine distances in word embeddings, compared",
        title=name,
        lede=f"{size}: {len(sweep.cells) - failed} of {config.n_cells} cells have a result.{some} "
        "Each asks the same: are stereotypes closer to protected words than other words are, and "
        "how sure is that?",
        sections=[
            *_ranked(sweep),
            *_compared(sweep, shown),
            *(_contrast(sweep, second, frame) for second, frame in shown.items()),
            Section("reading", "How to read this", [_reading(config)]),
            *([Section("failed", "What failed", [failure_table(sweep)])] if failed else []),
            Section(
                "measured",
                "What was measured",
                [
                    table(sizes, "Tables", "embedding", "list", "distances", "words missing"),
                    "missing.csv has the words that are missing. Embeddings that lack different "
                    "words answer slightly different questions.",
                ],
            ),
            Section("limits", "What may not be concluded", [LIMITS]),
        ],
        facts=_facts(config),
        doubts=[f"{counted(int(count), 'cell')}: {text}" for text, count in doubts.items()],
    )


def size_of(config: SweepConfig) -> str:
    """Word the numbers of embeddings, lists and models."""
    kinds = ("embedding", "list", "model")
    return " × ".join(counted(len(getattr(config, f"{one}s")), one) for one in kinds)


def done_line(sweep: Sweep) -> str:
    """Word for the command line how many cells have a result."""
    made = len(sweep.cells) - len(sweep.failures)
    return (
        f"{made} of {len(sweep.cells)} cells have a result; {made - sweep.reused} were computed "
        "now."
    )


def gaps(sweep: Sweep) -> dict[str, pd.DataFrame]:
    """Return the overall contrasts of the associated attributes, one row a cell that has it.

    They stand by the second of the contrast; those that no cell has are left out.
    """
    frame = sweep.contrasts
    if frame.empty:
        return {}
    frame = frame[(frame["level"] == OVERALL) & (frame["first"] == FIRST)]
    parts = {second: frame[frame["second"] == second] for second in PARTNERS}
    return {second: part for second, part in parts.items() if len(part)}


def leading_gaps(sweep: Sweep, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the last model, list by list, lowest first.

    ``rank`` counts the embeddings of a list, and ``thin`` marks those of which a set has too few
    words.
    """
    config = sweep.plan.config
    frame = frame[frame["model"] == config.models[-1].name]
    order = frame["list"].map({each.name: place for place, each in enumerate(config.lists)})
    frame = frame.assign(order=order).sort_values(["order", "mean"], kind="stable")
    thin = set(zip(sweep.plan.thin["embedding"], sweep.plan.thin["list"], strict=True))
    keys = zip(frame["embedding"], frame["list"], strict=True)
    rank = frame.groupby("list", sort=False).cumcount() + 1
    return frame.drop(columns="order").assign(rank=rank, thin=[key in thin for key in keys])


def leading_differences(sweep: Sweep, second: str) -> pd.DataFrame:
    """Return the overall differences of that contrast between embeddings."""
    frame = sweep.differences
    if frame.empty:
        return frame
    rows = (frame["level"] == OVERALL) & (frame["first"] == FIRST) & (frame["second"] == second)
    label = frame["embedding"] + " − " + frame["against"]
    return frame.assign(label=label, difference=label)[rows]


def _ranked(sweep: Sweep) -> list[Section]:
    """Return what one model of all embeddings and lists shows, where there is one."""
    frame, config = sweep.ranks, sweep.plan.config
    if frame.empty:
        return []
    ranks = {f"p_rank_{rank}": f"rank {rank}" for rank in range(2, MOST_RANKS + 1)}
    heads = {"p_most": "lowest"} | {name: head for name, head in ranks.items() if name in frame}
    shown = frame.assign(
        list=frame["wordlist"].replace("", AVERAGE),
        **{head: frame[name].map(probability, na_action="ignore") for name, head in heads.items()},
    )
    pairs = sweep.rank_differences
    pairs = pairs.assign(
        list=pairs["wordlist"], difference=pairs["first"] + " − " + pairs["second"]
    )
    caption = "Contrasts of embeddings and lists, in one model and by themselves."
    figures = [
        Figure(f"sweep-joint{end}", partial(rank_forest, part, rope=config.rope), caption)
        for end, part in blocks_of(shown, "list")
    ]
    numbers = ("mean", "interval", "p_direction")
    title, ci_prob = "Which embedding, all lists in one model", config.ci_prob
    every = "Every contrast in one model of all embeddings and lists"
    apart = "Every two embeddings, by the same model"
    blocks: list[Block] = [
        joint_lines(frame),
        *figures,
        JOINT,
        f"{'; '.join(sweep.shares['in_words'])}.",
        table(
            shown,
            every,
            "list",
            "embedding",
            *numbers[:2],
            *heads.values(),
            ci_prob=ci_prob,
            sign=True,
        ),
        table(pairs, apart, "list", "difference", *numbers, ci_prob=ci_prob, sign=True),
    ]
    return [Section("ranked", title, blocks)]


def joint_lines(ranks: pd.DataFrame) -> list[Line]:
    """Word for every list which embedding has the lowest contrast, and how probably."""
    lines, n_lists = [], ranks["wordlist"].nunique() - 1
    for name, rows in ranks.groupby("wordlist", sort=False):
        likely = named(
            [
                f"{row['embedding']} {probability(row['p_most'])} ({signed(row['mean'])})"
                for row in rows.to_dict("records")
            ]
        )
        of = f"all {n_lists} lists, on average" if name == AVERAGE else str(name)
        lines.append(Line(of, f"lowest with probability: {likely}."))
    return lines


def _compared(sweep: Sweep, shown: dict[str, pd.DataFrame]) -> list[Section]:
    """Return the contrast that leads in every embedding, and how far embeddings differ in it."""
    config = sweep.plan.config
    if not shown or len(config.embeddings) < 2:
        return []
    second, frame = next(iter(shown.items()))
    ranked, pairs = leading_gaps(sweep, frame), leading_differences(sweep, second)
    label = difference_label(FIRST, second)
    of = f"difference between embeddings of {FIRST} − {second}"
    parts = {
        "ranks": (ranked.assign(label=ranked["embedding"]), "Embeddings by the contrast", label),
        "differences": (pairs, "How far embeddings differ in it", of),
    }
    figures = [
        Figure(
            f"sweep-{name}{end}",
            partial(difference_forest, part, by="list", title=title, xlabel=axis, rope=config.rope),
            f"{title}, list by list. {_counts(part)}",
        )
        for name, (rows, title, axis) in parts.items()
        for end, part in blocks_of(rows, "list")
    ]
    numbers = ("mean", "interval", "p_direction", "p_rope")
    show = partial(table, ci_prob=config.ci_prob, sign=True)
    differences: tuple[Block, ...] = ()
    if len(pairs):
        differences = (PAIRED, show(pairs, "Differences", "list", "difference", *numbers))
    caption = f"{FIRST} − {second}, lowest first, model {config.models[-1].name}"
    blocks: list[Block] = [
        rank_lines(ranked, pairs),
        *figures,
        show(ranked, caption, "list", "rank", "embedding", *numbers),
        *differences,
        *([THIN_MEANING] if ranked["thin"].any() else []),
        f"{NO_VERDICTS}; see what may not be concluded.",
    ]
    return [Section("compared", "Which embedding, and how sure", blocks)]


def _counts(frame: pd.DataFrame) -> str:
    below, above = int((frame["high"] < 0).sum()), int((frame["low"] > 0).sum())
    return f"Of {len(frame)} intervals {below} lie below zero and {above} above it."


def rank_lines(ranked: pd.DataFrame, pairs: pd.DataFrame) -> list[Line]:
    """Word for every list which embedding lies lowest, which highest, and how they differ."""
    lines = []
    for name, rows in ranked.groupby("list", sort=False):
        low, high = rows.iloc[0], rows.iloc[-1]
        text = f"lowest in {low['embedding']}, {signed(low['mean'])} ({ends(low)})"
        if len(rows) > 1:
            text += f"; highest in {high['embedding']}, {signed(high['mean'])} ({ends(high)})"
        lines.append(Line(str(name), f"{text}{_between(low, high, pairs)}."))
    return lines


def _between(low: pd.Series, high: pd.Series, pairs: pd.DataFrame) -> str:
    """Word the difference of two embeddings in a list, if they were compared."""
    if pairs.empty:
        return ""
    names = {low["embedding"], high["embedding"]}
    rows = pairs[(pairs["list"] == low["list"])]
    for row in rows.to_dict("records"):
        if {row["embedding"], row["against"]} == names:
            zero = row["low"] <= 0 <= row["high"]
            rest = "which includes zero: the order is not settled" if zero else "without zero"
            return f"; {row['difference']} is {signed(row['mean'])} ({ends(row)}), {rest}"
    return ""


def _contrast(sweep: Sweep, second: str, frame: pd.DataFrame) -> Section:
    """Return a contrast in every cell."""
    draw = partial(sweep_forest, first=FIRST, second=second, rope=sweep.plan.config.rope)
    caption = f"{FIRST} − {second}, overall: a block a list, a row an embedding and model."
    figures = [
        Figure(f"sweep-{FIRST}-{second}{end}", partial(draw, part), f"{caption} {_counts(part)}")
        for end, part in blocks_of(frame, "list")
    ]
    title = f"Associated against {second} attributes"
    return Section(second, title, [*figures, gap_table(sweep, second, frame)])


def gap_table(sweep: Sweep, second: str, frame: pd.DataFrame) -> Table:
    """Show one contrast in every cell."""
    names = ("embedding", "list", "model", "mean", "interval", "p_direction", "p_rope")
    caption, ci_prob = f"{FIRST} − {second}, overall", sweep.plan.config.ci_prob
    return table(frame, caption, *names, ci_prob=ci_prob, sign=True)


def failure_table(sweep: Sweep) -> Table:
    """Show what failed and why; cells of one embedding that failed alike share a row."""
    failed = sweep.cells[sweep.cells["state"] == "failed"]
    alike = failed.groupby(["embedding", "error", "message"], sort=False)["list"]
    frame = alike.agg(lists=lambda names: ", ".join(names.unique()), cells="size").reset_index()
    frame["what happened"] = frame["error"] + ": " + frame["message"]
    return table(frame, "Cells that failed", "embedding", "lists", "cells", "what happened")


def _reading(config: SweepConfig) -> list[Line]:
    return [
        DIFFERENCE,
        Line(
            f"{probability_name(config.ci_prob)} interval",
            f"{config.about_interval}: given the model and these words, the difference lies in it "
            "with that probability.",
        ),
        Line(
            "Shaded, probability of no practical difference",
            f"Differences smaller than ±{config.rope:g} are taken to make no difference in "
            "practice.",
        ),
        Line("Rounding", ROUNDED),
        SIDE_BY_SIDE,
    ]


def _facts(config: SweepConfig) -> list[Line]:
    def cited(part: object) -> str:
        reference = getattr(part, "reference", "")
        return f"{getattr(part, 'title', '')}{f' ({reference})' if reference else ''}"

    embeddings = [
        Line(f"Embedding {one.name}", f"{one.source}, words looked up: {one.case}")
        for one in config.embeddings
    ]
    return [
        *embeddings,
        *(Line(f"List {one.name}", cited(one)) for one in config.lists),
        *(Line(f"Model {one.name}", cited(one)) for one in config.models),
        Line(
            "Settings",
            f"method {config.method}, {config.chains} × {config.draws} draws, seed {config.seed}",
        ),
    ]
