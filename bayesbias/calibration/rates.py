"""Compute how often methods claim bias in scenarios with a known truth."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import SeedSequence

from .._core.checks import check_numbers
from .._core.jobs import Job, plain_number, run_jobs
from .._core.random import Seed, as_seed_sequence
from ..nulls import BaseScenario
from ..nulls import scenario as named_scenario
from ..sampling.options import SIMULATED_ROPE
from .measures import BLOCK
from .methods import ANY_WORD, READINGS, Choices, Method
from .methods import method as named_method

BLOCKS_OF_SCORES = 20
"""Number of blocks in a job for scores; jobs for posteriors have one block."""

MONTE_CARLO = 0.95
"""Probability of Monte Carlo intervals."""

type Scenarios = str | Iterable[str] | Mapping[str, BaseScenario]
type Methods = str | Iterable[str] | Mapping[str, Method]


def calibrate(
    scenarios: Scenarios,
    methods: Methods,
    n: int = 1000,
    *,
    seed: Seed = None,
    n_jobs: int = 1,
    alpha: float = 0.05,
    ci_prob: float = 0.89,
    rope: float = SIMULATED_ROPE,
    draws: int = 4000,
    folder: str | Path | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Simulate tables with a known truth, and count how often methods claim bias in them.

    Parameters
    ----------
    scenarios : str, list of str, or mapping of str to scenario
        Names in `bayesbias.nulls.SCENARIOS`, or your own scenarios, keyed by name.
    methods : str, list of str, or mapping of str to Method
        Names that `method` accepts, or methods keyed by name, such as those that `posterior_method`
        makes for your own model.
    n : int
        Number of tables per scenario.
    seed : int, SeedSequence, Generator, or None
        The results for a seed do not depend on `n_jobs` or on other methods. All methods get the
        same tables. A smaller `n` uses the first tables of a larger `n`.
    n_jobs : int
        Number of processes, or -1 for one per core. ``joblib.parallel_config(backend="dask")`` uses
        a cluster.
    alpha, ci_prob, rope : float
        Level of tests, probability of HPDIs, and half-width of the region of practical equivalence.
    draws : int
        Number of posterior draws per table, 25 or more, as in `fit`.
    folder : str or Path, optional
        Folder for finished jobs, from which a stopped run resumes.
    progress : bool, optional
        Whether to show a progress bar; None shows one in terminals and notebooks.

    Returns
    -------
    DataFrame
        One row per ``scenario`` and ``method``. ``truth`` is the true answer to the ``question``,
        averaged over tables. ``kind`` is "coverage", "false alarms" (no table has a bias that
        matters), "power" (all do), or "mixed" (some do). ``nominal`` is the nominal share (NaN if
        there is none). ``rate`` is ``count`` divided by ``n``, the number of tables. ``low`` and
        ``high`` are its 95% Wilson interval, and ``mc_error`` is its standard error. ``width`` is
        the mean width of intervals (NaN for scores and ``any word``). ``doubtful`` is the number of
        posteriors whose Pareto k is not below 0.7; they are included.

    Examples
    --------
    >>> frame = calibrate("independent", ["weat-p"], n=200, seed=1)
    >>> frame[["scenario", "method", "nominal", "rate"]]
          scenario  method  nominal   rate
    0  independent  weat-p     0.05  0.045
    """
    choices = Choices(alpha, ci_prob, rope, draws)
    made = _by_name("scenario", scenarios, named_scenario, BaseScenario)
    asked = _by_name("method", methods, named_method, Method)
    check_numbers(n=n)
    sequence = as_seed_sequence(seed)
    jobs = {
        (place, name): _jobs(f"{place} · {name}", scenario, method, choices, n=n, seed=sequence)
        for (place, scenario), (name, method) in product(made.items(), asked.items())
    }
    finished = run_jobs(
        chain.from_iterable(jobs.values()),
        folder=folder,
        n_jobs=n_jobs,
        progress=progress,
        description="calibrating",
    )
    if finished.failures:
        first = finished.failures[0]
        raise (ValueError if first.error == "ValueError" else RuntimeError)(
            f"{len(finished.failures)} of {len(finished.failures) + len(finished.frames)} jobs "
            f"failed; the first was {first.name}: {first.error}: {first.message}"
        )
    rows = []
    for (place, name), parts in jobs.items():
        tables = pd.concat([finished.frames[job.name] for job in parts], ignore_index=True)
        rows.append({"scenario": place, "method": name, **_rate(tables, asked[name], choices)})
    frame = pd.DataFrame(rows)
    frame.attrs = {name: getattr(choices, name) for name in ("alpha", "ci_prob", "rope")}
    frame.attrs["mc_prob"] = MONTE_CARLO
    frame.attrs["seed"] = str(sequence.entropy)
    return frame


def _jobs(
    name: str,
    scenario: BaseScenario,
    method: Method,
    choices: Choices,
    *,
    n: int,
    seed: SeedSequence,
) -> list[Job]:
    """Split a scenario's tables into jobs, which methods with the same settings share.

    The entropy of the tables depends only on the seed and the scenario's parameters, so that the
    numbers of a class do not depend on where it is defined.
    """
    jobs, place = [], scenario.settings()
    drawn = {name: value for name, value in place.items() if name != "class"}
    known = [str(seed.entropy), list(seed.spawn_key), drawn]
    content = json.dumps(known, default=plain_number, sort_keys=True)
    entropy = int.from_bytes(hashlib.sha256(content.encode()).digest()[:16], "big")
    step = BLOCK * (BLOCKS_OF_SCORES if isinstance(method.source, str) else 1)
    for start in range(0, n, step):
        stop = min(start + step, n)
        settings: dict[str, Any] = {"scenario": place, "method": method.settings(choices)}
        settings |= {"entropy": str(entropy), "tables": [start, stop]}
        run = partial(measure_tables, scenario, method, choices, entropy, (start, stop))
        jobs.append(Job(f"{name} · tables {start}-{stop - 1}", settings, run))
    return jobs


def measure_tables(
    scenario: BaseScenario, method: Method, choices: Choices, entropy: int, tables: tuple[int, int]
) -> pd.DataFrame:
    """Simulate a range of tables; return the statistics that a method uses, and the truth.

    The tables for a seed and scenario do not depend on the jobs or on the number of tables.
    """
    (start, stop), frames = tables, []
    for block in range(start // BLOCK, -(-stop // BLOCK)):
        simulated, measured = (SeedSequence(entropy, spawn_key=(block, part)) for part in (0, 1))
        batch = scenario.simulate(BLOCK, simulated).first(stop - block * BLOCK)
        frames.append(method.measure(batch, measured, choices))
    return pd.concat(frames, ignore_index=True)


def _rate(frame: pd.DataFrame, method: Method, choices: Choices) -> dict[str, object]:
    """Count a method's claims, and describe their rate."""
    from scipy.stats import binomtest

    needed = f"{method.level} margin" if method.level == ANY_WORD else f"{method.level} low"
    if f"truth {method.level}" not in frame or (method.reading in READINGS and needed not in frame):
        hint = "two groups do not tell groups apart; use three groups, or the level overall"
        if method.level.startswith("human "):
            hint = "set controls=('human',)"
        raise ValueError(
            f"a method needs the level {method.level!r}, which is not in the tables of this "
            f"scenario; {hint}"
        )
    count, n = int(method.verdicts(frame, choices).sum()), len(frame)
    interval = binomtest(count, n).proportion_ci(MONTE_CARLO, method="wilson")
    truth, width = frame[f"truth {method.level}"], float("nan")
    if method.reading in READINGS and method.level != ANY_WORD:
        width = float((frame[f"{method.level} high"] - frame[f"{method.level} low"]).mean())
    there = truth.abs() > method.smallest(choices)
    kind = "power" if there.all() else "mixed" if there.any() else "false alarms"
    return {
        "question": method.level,
        "truth": float(truth.mean()) + 0.0,  # no -0
        "kind": "coverage" if method.reading == "coverage" else kind,
        "nominal": method.nominal(choices),
        "n": n,
        "count": count,
        "rate": count / n,
        "low": interval.low,
        "high": interval.high,
        "mc_error": float(np.sqrt(count * (n - count) / n**3)),
        "width": width,
        "doubtful": int(frame["doubtful"].sum()) if "doubtful" in frame else 0,
    }


def _by_name[T](what: str, given: object, make: Callable[[str], T], kind: type[T]) -> dict[str, T]:
    """Return scenarios or methods keyed by name, from a name, names, or a mapping."""
    if isinstance(given, Mapping):
        made = dict(given)
    else:
        names = [given] if isinstance(given, str) or not isinstance(given, Iterable) else [*given]
        made = {name: make(name) if isinstance(name, str) else name for name in names}
    named = all(isinstance(n, str) and isinstance(value, kind) for n, value in made.items())
    if not made or not named:
        raise ValueError(
            f"{what}s must be names, or a mapping such as {{'mine': {what}}}; got {given!r:.80}"
        )
    return made
