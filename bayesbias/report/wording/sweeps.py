"""Sentences about a sweep: its size, what seeds move, what the sampler warned of."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ...workflows.sweep import Sweep
from ...workflows.sweep_spec import SweepConfig
from .distances import left_of_zero
from .numbers import counted, number


def size_of(config: SweepConfig) -> str:
    """Word the numbers of embeddings, lists, models and seeds."""
    return " × ".join(
        counted(len(getattr(config, f"{one}s")), one)
        for one in ("embedding", "list", "model", "seed")
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
    """Return caption and alternative text of small multiples."""
    below, above = int((page["high"] < 0).sum()), int((page["low"] > 0).sum())
    return (
        f"{first} − {second}, overall. {left_of_zero(first, second)}",
        f"Small multiples of {first} minus {second}, one panel a word list, one row an embedding "
        f"and model. Of {len(page)} intervals {below} lie below zero and {above} above it. "
        "The numbers are in the table below.",
    )
