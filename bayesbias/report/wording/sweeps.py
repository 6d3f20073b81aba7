"""Sentences about a sweep: its size, what seeds move, what the sampler warned of."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ...tables.levels import AVERAGE
from ...workflows.sweep import Sweep
from ...workflows.sweep_differences import MODEL
from ...workflows.sweep_spec import SweepConfig
from ..numbers import (
    MOST_NAMED,
    counted,
    ends,
    number,
    probability,
    probability_name,
    signed,
)
from . import Line, marked
from .distances import left_of_zero
from .thin import MEANING


def size_of(config: SweepConfig) -> str:
    """Word the numbers of embeddings, lists, models and seeds."""
    return " × ".join(
        counted(len(getattr(config, f"{one}s")), one)
        for one in ("embedding", "list", "model", "seed")
    )


RANKS = "Embeddings by the contrast that leads"
DIFFERENCES = "How far embeddings differ in it"
DIFFERENCE_OF = "difference between embeddings of"


def about_ranks(
    sweep: Sweep, second: str, ranked: pd.DataFrame, differences: pd.DataFrame
) -> list[str]:
    """Word what is ranked, of which model, and how the differences are computed."""
    config = sweep.plan.config
    told = (
        f"Associated − {second}, overall: below zero, stereotypes of a group's own lie closer. "
        f"Means and {probability_name(config.ci_prob)} intervals of the model "
        f"{config.models[-1].name}, the lowest first."
    )
    paired = (
        f"Differences are of the distances that both embeddings have, pair by pair (the model "
        f"{MODEL} of bb.fit_change), so that what embeddings share cancels out. An order is "
        "settled only where the interval of the difference leaves zero out."
    )
    return [
        told,
        *([paired] if len(differences) else []),
        *([MEANING] if ranked["thin"].any() else []),
    ]


JOINT = "Every contrast in one model of all embeddings and lists"
JOINT_DIFFERENCES = "Differences between embeddings in that model"


def joint_lines(ranks: pd.DataFrame) -> list[Line]:
    """Word for every list which embedding has the lowest contrast, and how probably."""
    lines = []
    for name, rows in ranks.groupby("wordlist", sort=False):
        told = ", ".join(
            f"{row['embedding']} {probability(row['p_most'])} ({signed(row['mean'])})"
            for _, row in rows.head(MOST_NAMED).iterrows()
        )
        of = f"all {ranks['wordlist'].nunique() - 1} lists, on average" if name == AVERAGE else name
        lines.append(Line(str(of), f"lowest with probability: {told}."))
    return lines


def about_joint(sweep: Sweep) -> list[str]:
    """Word what the model of all is, and where the variance between contrasts comes from."""
    told = (
        "Associated − different, overall: below zero, stereotypes of a group's own lie closer. "
        "Embeddings and lists are in one model (bb.fit_many), in which words and attributes have "
        "effects that all embeddings share, and contrasts are drawn towards one another; grey is "
        "what each says by itself. A rank without its probability says nothing."
    )
    return [told, "; ".join(sweep.shares["in_words"]) + "."]


def joint_texts(ranks: pd.DataFrame) -> tuple[str, str]:
    """Return caption and alternative text of the forest of ranks."""
    below = int((ranks["high"] < 0).sum())
    return (
        "Contrasts of embeddings and lists, in one model and by themselves.",
        f"Forest plot of {len(ranks)} contrasts in blocks of lists, {below} of their intervals "
        "below zero. The numbers are in the table.",
    )


def rank_lines(ranked: pd.DataFrame, differences: pd.DataFrame) -> list[Line]:
    """Word for every list which embedding lies lowest, which highest, and how they differ."""
    lines = []
    for name, rows in ranked.groupby("list", sort=False):
        low, high = rows.iloc[0], rows.iloc[-1]
        text = "; ".join(
            f"{where} in {row['embedding']}, {signed(row['mean'])} ({marked(ends(row), row)})"
            for where, row in (("lowest", low), ("highest", high))
        )
        if len(rows) == 1:
            text = text.partition("; ")[0].removeprefix("lowest ")
        lines.append(Line(str(name), f"{text}{_between(low, high, differences)}."))
    return lines


def _between(low: pd.Series, high: pd.Series, differences: pd.DataFrame) -> str:
    """Word the difference of two embeddings in a list, if they were compared."""
    names = (low["embedding"], high["embedding"])
    for first, second in (names, names[::-1]) if len(differences) else ():
        rows = differences[differences["list"] == low["list"]]
        rows = rows[(rows["embedding"] == first) & (rows["against"] == second)]
        for _, row in rows.iterrows():
            open_ = row["low"] <= 0 <= row["high"]
            rest = "which includes zero: the order is not settled" if open_ else "without zero"
            return f"; {row['difference']} is {signed(row['mean'])} ({ends(row)}), {rest}"
    return ""


def block_texts(rows: pd.DataFrame, title: str) -> tuple[str, str]:
    """Return caption and alternative text of a forest of embeddings or their differences."""
    below, above = int((rows["high"] < 0).sum()), int((rows["low"] > 0).sum())
    return (
        f"{title}, list by list.",
        f"Forest plot: {title}. Of {len(rows)} intervals {below} lie below zero and {above} above "
        "it. The numbers are in the tables.",
    )


def seed_sentences(gaps: Sequence[pd.DataFrame]) -> list[str]:
    """Word how far seeds move the means, which is noise of sampling and not of the data."""
    if not gaps or gaps[0]["seed"].nunique() < 2:
        return []
    parts = [frame.groupby(["embedding", "list", "model"])["mean"] for frame in gaps]
    spread = max(float((part.max() - part.min()).max()) for part in parts)
    return [
        f"Between seeds a mean moves by at most {number(spread)}: noise of sampling, which more "
        "draws make smaller."
    ]


def doubts_of_cells(sweep: Sweep) -> list[str]:
    """Return the sampling warnings, each once with the number of cells."""
    warned = sweep.cells["warnings"]
    return [
        f"{counted(int(count), 'cell')}: {text}"
        for text, count in warned[warned != ""].value_counts(sort=False).items()
    ]


def done_line(sweep: Sweep) -> str:
    """Word for the command line how many cells have a result."""
    made = len(sweep.cells) - len(sweep.failures)
    return (
        f"{made} of {len(sweep.cells)} cells have a result; {made - sweep.reused} were computed "
        "now."
    )


def multiples_texts(page: pd.DataFrame, first: str, second: str) -> tuple[str, str]:
    """Return caption and alternative text of a contrast in every cell."""
    below, above = int((page["high"] < 0).sum()), int((page["low"] > 0).sum())
    return (
        f"{first} − {second}, overall. {left_of_zero(first, second)}",
        f"Forest plot of {first} minus {second}, one block a word list, one row an embedding "
        f"and model. Of {len(page)} intervals {below} lie below zero and {above} above it. "
        "The numbers are in the table below.",
    )
