"""`calibrate`: how often methods claim a bias in scenarios where it is known what is true."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._core.random import Seed, as_seed_sequence
from ..nulls import ScenarioLike
from ..nulls import scenario as named_scenario
from ..nulls.additive import check_count
from .choices import Choices
from .methods import Method
from .methods import method as named_method
from .running import Plan, measure

MONTE_CARLO = 0.95
"""Probability of Monte Carlo intervals."""

type Scenarios = str | ScenarioLike | Iterable[str] | Mapping[str, ScenarioLike]
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
    rope: float = 0.02,
    draws: int = 4000,
    folder: str | Path | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Simulate tables of known truth and count what methods claim in them.

    Parameters
    ----------
    scenarios : str, list of str, scenario, or mapping of str to scenario
        Names of `bayesbias.nulls.SCENARIOS`, or scenarios of your own by name.
    methods : str, list of str, or mapping of str to Method
        Names of `METHODS`, or `posterior_methods` of a model of your own.
    n : int
        Tables of each scenario.
    seed : int, SeedSequence, Generator or None
        Equal seeds give equal frames, whatever `n_jobs`, and whatever else is asked; a smaller
        `n` uses the first tables of a larger one. All methods see the same tables.
    n_jobs : int
        Processes; -1 for one a core. Within ``joblib.parallel_config(backend="dask")`` the
        workers of a Dask cluster.
    alpha, ci_prob, rope : float
        Level of tests; probability of HPDIs; half-width of the region of practical equivalence.
    draws : int
        Posterior draws of each table.
    folder : str or Path, optional
        Where finished jobs are kept, so that a run that was stopped resumes.
    progress : bool, optional
        Whether to show a bar; None shows it on a terminal.

    Returns
    -------
    DataFrame
        One row a scenario and method: ``scenario``; ``method``; ``question`` and ``truth``, what it
        is about and the true value (its mean over tables); ``kind``, "false alarms" where there is
        no bias, "power" where there is, "mixed" where some tables have one, or "coverage";
        ``nominal``, the share that the method promises (NaN: none); ``n``; ``count``; ``rate``;
        ``low``, ``high``, 95% Wilson interval of the rate; ``mc_error``, its standard error;
        ``width``, mean width of the intervals read (NaN for methods that read none);
        ``doubtful``, posteriors whose Pareto k is not below 0.7 (they count all the same).

    Raises
    ------
    ValueError
        If a name is unknown, a number out of range, or a method does not fit a scenario, such as
        WEAT one with three groups.

    Examples
    --------
    >>> frame = calibrate("independent", ["weat-p"], n=200, seed=1)
    >>> frame["kind"].tolist()
    ['false alarms']
    """
    choices = Choices(alpha, ci_prob, rope, draws)
    made, asked = scenarios_of(scenarios), methods_of(methods)
    sequence = as_seed_sequence(seed)
    place = None if folder is None else Path(folder)
    plan = Plan(check_count(n), sequence, choices, n_jobs, place, progress)
    sources = {method.source.name: method.source for method in asked.values()}
    found = measure(made, sources.values(), plan)
    rows = [
        {
            "scenario": scenario,
            "method": name,
            **_row(found[scenario, method.source.name], method, choices),
        }
        for scenario in made
        for name, method in asked.items()
    ]
    frame = pd.DataFrame(rows)
    frame.attrs = {"alpha": alpha, "ci_prob": ci_prob, "rope": rope, "mc_prob": MONTE_CARLO}
    frame.attrs["seed"] = str(sequence.entropy)
    return frame


def _row(frame: pd.DataFrame, method: Method, choices: Choices) -> dict[str, Any]:
    count, n = int(method.verdict(frame, choices).sum()), len(frame)
    low, high = wilson(count, n)
    truth = frame[f"truth {method.question}"]
    width = float("nan")
    if method.interval:
        width = float((frame[f"{method.interval} high"] - frame[f"{method.interval} low"]).mean())
    return {
        "question": method.question,
        "truth": float(truth.mean()) + 0.0,  # no -0
        "kind": _kind(truth, method, choices),
        "nominal": method.nominal(choices),
        "n": n,
        "count": count,
        "rate": count / n,
        "low": low,
        "high": high,
        "mc_error": float(np.sqrt(count * (n - count) / n**3)),
        "width": width,
        "doubtful": int(frame["doubtful"].sum()) if "doubtful" in frame else 0,
    }


def _kind(truth: pd.Series[float], method: Method, choices: Choices) -> str:
    if method.says == "covers":
        return "coverage"
    there = truth.abs() > (choices.rope if method.practical else 0.0)
    return "power" if there.all() else "mixed" if there.any() else "false alarms"


def wilson(count: int, n: int, probability: float = MONTE_CARLO) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson, 1927; Brown, Cai and DasGupta, 2001).

    Parameters
    ----------
    count, n : int
        Successes, of so many trials.
    probability : float
        Of the interval, in (0, 1).
    """
    from scipy.special import ndtri

    z = float(ndtri(0.5 + probability / 2))
    share, spread = count / n, z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * np.sqrt(share * (1 - share) / n + spread / (4 * n))
    low, high = middle - half, middle + half
    return (0.0 if count == 0 else float(low), 1.0 if count == n else float(high))


_SAY_SCENARIOS = "give one of bayesbias.nulls, such as Scenario(word_sd=0.1)"
_SAY_METHODS = "take one of bayesbias.calibration.METHODS, or of posterior_methods(model)"


def scenarios_of(scenarios: Scenarios) -> dict[str, ScenarioLike]:
    """Give scenarios by name, of names, a scenario, or a mapping."""
    if isinstance(scenarios, str):
        scenarios = [scenarios]
    if isinstance(scenarios, Mapping):
        made = dict(scenarios)
    elif isinstance(scenarios, Iterable):
        made = {name: named_scenario(name) for name in map(_a_name, scenarios)}
    else:
        made = {"scenario": scenarios}
    for name, each in made.items():
        if not hasattr(each, "simulate"):
            raise ValueError(
                f"{name!r} is no scenario to simulate, but {each!r:.80}; {_SAY_SCENARIOS}"
            )
    if not made:
        raise ValueError("no scenarios to simulate; name one of bayesbias.nulls.SCENARIOS")
    return made


def methods_of(methods: Methods) -> dict[str, Method]:
    """Give methods by name, of names or a mapping."""
    if isinstance(methods, str):
        methods = [methods]
    if isinstance(methods, Mapping):
        asked = dict(methods)
    else:
        asked = {name: named_method(name) for name in map(_a_name, methods or ())}
    for name, each in asked.items():
        if not isinstance(each, Method):
            raise ValueError(f"{name!r} is no Method, but {each!r:.80}; {_SAY_METHODS}")
    if not asked:
        raise ValueError("no methods to try; name one of bayesbias.calibration.METHODS")
    return asked


def _a_name(name: object) -> str:
    if not isinstance(name, str):
        raise ValueError(
            f"scenarios and methods are named; got {name!r:.80}. Give your own as a mapping, "
            "such as {'mine': Scenario(word_sd=0.1)}"
        )
    return name
