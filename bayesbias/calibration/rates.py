"""`calibrate`: how often methods claim a bias in scenarios where it is known what is true."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._core.random import Seed, as_seed_sequence
from ..nulls import ScenarioLike
from ..nulls import scenario as named_scenario
from ..nulls.base import check_count
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
        Names of `CALIBRATED_METHODS`, or `posterior_methods` of a model of your own.
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
    made = _by_name(scenarios, named_scenario, ScenarioLike, "Scenario(word_sd=0.1)")
    asked = _by_name(methods, named_method, Method, "posterior_methods(model)['mine-hpdi']")
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
    if f"truth {method.question}" not in frame:
        raise ValueError(
            f"{method.title!r} is about {method.question!r}, which the tables of this scenario "
            "lack; give the scenario controls=('human',)"
        )
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


def _by_name[T](given: object, make: Callable[[str], T], kind: type, own: str) -> dict[str, T]:
    """Return scenarios or methods by name, of names, of one, or of a mapping."""
    what = "method" if kind is Method else "scenario"
    if isinstance(given, Mapping):
        found = dict(given)
    elif isinstance(given, Iterable):
        found = {}
        for name in [given] if isinstance(given, str) else given:
            if not isinstance(name, str):
                raise ValueError(
                    f"scenarios and methods are named; got {name!r:.80}. Give your own as a "
                    f"mapping, such as {{'mine': {own}}}"
                )
            found[name] = make(name)
    else:
        found = {} if given is None else {what: given}
    if not found:
        raise ValueError(f"no {what}s to calibrate; name one of bayesbias.{_REGISTRIES[what]}")
    for name, each in found.items():
        if not isinstance(each, kind):
            raise ValueError(f"{name!r} is no {what}, but {each!r:.80}; pass one such as {own}")
    return found


_REGISTRIES = {"scenario": "nulls.SCENARIOS", "method": "calibration.CALIBRATED_METHODS"}
