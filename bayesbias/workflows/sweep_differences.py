"""Differences between the embeddings of a sweep: pairs of words that both have, fitted as a change.

Two fits of one list, each in its own embedding, share their words, so that the difference of their
contrasts is better known than two independent intervals say. `bb.fit_change` takes what a pair of
words has in common out of it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

from .._core.jobs import Failure, Job, run_jobs
from ..comparison import fit_change
from ..model.defaults import RECOMMENDED
from ..model.spec import load_model, spec_from_dict
from ..model.tree import SamplingWarning, warnings_of
from ..posterior.contrasts import contrasts
from ..sampling.options import FitOptions
from ..tables.levels import WORD
from ..tables.schema import table_hash
from .sweep import Plan

MODEL = RECOMMENDED["change"]
"""The model of all differences."""

MOST_ALL = 5
"""Embeddings of which every two are compared; of more, each with the first."""


def embedding_differences(
    plan: Plan,
    *,
    folder: Path | None = None,
    n_jobs: int = 1,
    progress: bool | None = None,
) -> tuple[pd.DataFrame, tuple[Failure, ...]]:
    """Compare the embeddings of a sweep, list by list, by the model ``MODEL``.

    Parameters
    ----------
    plan : Plan
    folder, n_jobs, progress
        As `run_sweep` takes them.

    Returns
    -------
    DataFrame
        ``list``, ``embedding`` and ``against``, then the columns of `bb.contrasts` overall and by
        group, of embedding - against. Embeddings with the same distances are not compared.
    tuple of Failure
        Comparisons that could not be fitted.
    """
    jobs = {key: _job(plan, *key) for key in _pairs(plan)}
    finished = run_jobs(
        jobs.values(),
        folder=folder,
        n_jobs=n_jobs,
        progress=progress,
        description="comparing",
        category=SamplingWarning,
    )
    names = ("list", "embedding", "against")
    parts = []
    for key, job in jobs.items():
        if job.name in finished.frames:
            part = finished.frames[job.name]
            part.attrs = {}
            parts.append(part.assign(**dict(zip(names, key, strict=True))))
    if not parts:
        return pd.DataFrame(columns=list(names)), finished.failures
    whole = pd.concat(parts, ignore_index=True)
    whole = whole[[*names, *(each for each in whole.columns if each not in names)]]
    whole.attrs |= plan.config.intervals
    return whole, finished.failures


def _pairs(plan: Plan) -> list[tuple[str, str, str]]:
    """Return list, embedding, and the embedding that it is compared with."""
    found = []
    for wordlist in plan.config.lists:
        names = (one.name for one in plan.config.embeddings)
        own = [name for name in names if (name, wordlist.name) in plan.measured]
        every = list(combinations(own, 2))
        chosen = every if len(own) <= MOST_ALL else [pair for pair in every if pair[0] == own[0]]
        hashes = {name: table_hash(plan.measured[name, wordlist.name]) for name in own}
        found += [
            (wordlist.name, second, first)
            for first, second in chosen
            if hashes[first] != hashes[second]
        ]
    return found


def _job(plan: Plan, wordlist: str, embedding: str, against: str) -> Job:
    before, after = (plan.measured[name, wordlist] for name in (against, embedding))
    options = plan.config.of_fit(progressbar=False)
    spec = load_model(MODEL).to_dict()
    hashes = [table_hash(table) for table in (before, after)]
    settings = {"sweep_difference": 1, "tables": hashes, "spec": spec, **options.recorded}
    name = f"{embedding} against {against} / {wordlist}"
    return Job(name, settings, partial(fit_difference, before, after, spec, options))


def fit_difference(
    before: pd.DataFrame, after: pd.DataFrame, spec: Mapping[str, Any], options: FitOptions
) -> pd.DataFrame:
    """Fit after - before, in a worker, and return its contrasts overall and by group.

    Rows without a partner are of words that one embedding lacks, which the report names.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* have no partner in the other table")
        tree = fit_change(before, after, spec_from_dict(spec), options=options)
    frame = contrasts(tree, **options.reading)
    frame = frame[frame["level"] != WORD].reset_index(drop=True)
    frame.attrs = {"warnings": warnings_of(tree)}
    return frame
