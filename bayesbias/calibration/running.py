"""Simulated tables, measured in jobs that may run anywhere and are not done twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd
from numpy.random import SeedSequence

from .._core.jobs import Job, run_jobs
from ..nulls import BaseScenario
from .sources import Choices, Source
from .truth import truth_columns

BLOCK = 50
"""Tables that are simulated from one seed. Sources differ in how many blocks they take at once,
and the tables of a scenario are the same for all of them."""


@dataclass(frozen=True)
class Plan:
    """How much is to be measured, and where."""

    n: int  # tables of each scenario
    sequence: SeedSequence
    choices: Choices
    n_jobs: int
    folder: Path | None  # where finished jobs are kept
    progress: bool | None


type Key = tuple[str, str]
"""Names of a scenario and of a source."""


def measure(
    scenarios: Mapping[str, BaseScenario], sources: Iterable[Source], plan: Plan
) -> dict[Key, pd.DataFrame]:
    """Measure tables of every scenario by every source: one row a table, with what is true.

    Raises
    ------
    ValueError, RuntimeError
        If jobs failed, by what the first of them raised; those that did not are kept in the
        folder.
    """
    jobs = {
        (scenario, source.name): list(_jobs(scenario, made, source, plan))
        for scenario, made in scenarios.items()
        for source in sources
    }
    finished = run_jobs(
        [job for part in jobs.values() for job in part],
        folder=plan.folder,
        n_jobs=plan.n_jobs,
        progress=plan.progress,
        description="calibrating",
    )
    if finished.failures:
        first = finished.failures[0]
        kept = f"; the others are kept in {plan.folder}" if plan.folder else ""
        error = ValueError if first.error == "ValueError" else RuntimeError
        raise error(
            f"{len(finished.failures)} of {sum(map(len, jobs.values()))} jobs failed, first "
            f"{first.name}: {first.error}: {first.message}{kept}"
        )
    return {
        key: pd.concat([finished.frames[job.name] for job in part], ignore_index=True)
        for key, part in jobs.items()
    }


def _jobs(name: str, scenario: BaseScenario, source: Source, plan: Plan) -> Iterator[Job]:
    entropy = _entropy(plan.sequence, scenario)
    step, drawn = BLOCK * source.blocks, {}
    if "spec" in source.settings:
        drawn = {"ci_prob": plan.choices.ci_prob, "draws": plan.choices.draws}
    for start in range(0, plan.n, step):
        stop = min(start + step, plan.n)
        settings = {
            "what": "calibration",
            "scenario": scenario.settings(),
            "source": {**source.settings, **drawn},
            "entropy": str(entropy),
            "tables": [start, stop],
        }
        run = partial(measure_tables, scenario, source, plan.choices, entropy, (start, stop))
        yield Job(f"{name} · {source.name} · tables {start}-{stop - 1}", settings, run)


def _entropy(sequence: SeedSequence, scenario: BaseScenario) -> int:
    """Entropy of a scenario's tables: of the seed and the scenario, not of what else is asked."""
    content = [str(sequence.entropy), list(sequence.spawn_key), scenario.settings()]
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()
    return int.from_bytes(digest[:16], "big")


def measure_tables(
    scenario: BaseScenario, source: Source, choices: Choices, entropy: int, tables: tuple[int, int]
) -> pd.DataFrame:
    """Simulate the tables from one number to another, measure them, and say what is true of them.

    The tables of a seed and scenario do not depend on how they are cut into jobs, nor on how many
    are asked for in all.
    """
    (start, stop), frames = tables, []
    for block in range(start // BLOCK, -(-stop // BLOCK)):
        simulated = SeedSequence(entropy, spawn_key=(block, 0))
        measured = SeedSequence(entropy, spawn_key=(block, 1))
        batch = scenario.simulate(BLOCK, simulated).first(stop - block * BLOCK)
        frame = source.measure(scenario, batch, measured, choices)
        truths = truth_columns(batch)
        own = truths.columns.intersection(frame.columns)  # a source's question may be another
        frames.append(pd.concat([frame, truths.drop(columns=own)], axis=1))
    return pd.concat(frames, ignore_index=True)
