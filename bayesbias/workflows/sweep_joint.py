"""All embeddings and lists of a sweep in one model: ranks with probabilities, and differences."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TypedDict

import pandas as pd

from .._core.jobs import Failure, Job, run_jobs
from ..comparison.many import fit_many
from ..comparison.ranks import embedding_differences, rank_embeddings, variance_shares
from ..model.tree import SamplingWarning, warnings_of
from ..sampling.options import FitOptions
from ..tables.schema import table_hash
from .results import joined
from .sweep import Plan

NAME = "all embeddings and lists"
"""What the one model is called in messages."""


FRAMES = ("ranks", "rank_differences", "shares")
"""What is said of them: fields of a `Sweep`."""


class Joint(TypedDict, total=False):
    """The frames of ``FRAMES``."""

    ranks: pd.DataFrame
    rank_differences: pd.DataFrame
    shares: pd.DataFrame


def joint_ranks(
    plan: Plan,
    *,
    folder: Path | None = None,
    n_jobs: int = 1,
    progress: bool | None = None,
) -> tuple[Joint, tuple[Failure, ...]]:
    """Fit one model to the embeddings and lists of a sweep.

    Parameters
    ----------
    plan : Plan
    folder, n_jobs, progress
        As `run_sweep` takes them.

    Returns
    -------
    Joint
        ``ranks``, ``rank_differences`` and ``shares``, as `bb.rank_embeddings`,
        `bb.embedding_differences` and `bb.variance_shares` give them. Empty where no list was
        measured in two embeddings that differ; of
        embeddings with the same distances for a list the first counts.
    tuple of Failure
        Why it could not be fitted.
    """
    tables = _tables(plan)
    lists = [table["wordlist"].iloc[0] for table in tables]
    if len(set(lists)) == len(lists):
        return Joint(), ()
    options = plan.config.of_fit(progressbar=False, method="auto")
    hashes = [
        [*(str(table[name].iloc[0]) for name in ("wordlist", "embedding")), table_hash(table)]
        for table in tables
    ]
    settings = {"sweep_joint": 1, "tables": hashes, **options.recorded}
    job = Job(NAME, settings, partial(fit_joint, tables, options))
    finished = run_jobs(
        [job],
        folder=folder,
        n_jobs=n_jobs,
        progress=progress,
        description="ranking",
        category=SamplingWarning,
    )
    if NAME not in finished.frames:
        return Joint(), finished.failures
    whole = finished.frames[NAME]

    def part(name: str) -> pd.DataFrame:
        found = whole[whole["frame"] == name].drop(columns="frame").dropna(axis=1, how="all")
        found = found.reset_index(drop=True)
        found.attrs.clear()
        found.attrs |= {**plan.config.intervals, "warnings": whole.attrs["warnings"]}
        return found

    ranked, apart, shares = (part(name) for name in FRAMES)
    return Joint(ranks=ranked, rank_differences=apart, shares=shares), finished.failures


def _tables(plan: Plan) -> list[pd.DataFrame]:
    """Return the tables of embeddings and lists, each distance once in a list."""
    found, seen = [], set()
    for (embedding, wordlist), table in plan.measured.items():
        key = wordlist, table_hash(table)
        if key not in seen:
            seen.add(key)
            found.append(table.assign(embedding=embedding, wordlist=wordlist))
    return found


def fit_joint(tables: Sequence[pd.DataFrame], options: FitOptions) -> pd.DataFrame:
    """Fit all tables, in a worker, and return the three frames as one.

    Pairs that an embedding lacks are words that the report names.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* are not in all of its embeddings")
        warnings.filterwarnings("ignore", message="the list .* is in .* only")
        tree = fit_many(tables, options=options)
        parts = {
            "ranks": rank_embeddings(tree, **options.intervals),
            "rank_differences": embedding_differences(tree, **options.reading),
            "shares": variance_shares(tree, **options.intervals),
        }
    whole = joined(parts, "frame")
    whole.attrs = {"warnings": warnings_of(tree)}
    return whole
