"""`bayesbias calibrate`: how often methods claim bias when the truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter as Option

import bayesbias as bb

from .._core.checks import check_numbers, counted
from .._core.intervals import DEFAULT_CI_PROB
from ..sampling.options import SIMULATED_ROPE
from . import options, screen
from .options import Force, Jobs, OutFile

DEFAULT_SCENARIOS = ("independent", "words-differ", "attributes-differ", "both-differ")
DEFAULT_METHODS = ("weat-p", "t-cells-groups", "t-cells-sets", "t-word-means")


def calibrate(
    *scenarios: str,
    method: Annotated[list[str] | None, Option(alias="-m")] = None,
    tables: Annotated[int, Option(alias="-n")] = 1000,
    jobs: Jobs = 1,
    alpha: options.Alpha = 0.05,
    ci_prob: options.CiProb = DEFAULT_CI_PROB,
    rope: float = SIMULATED_ROPE,
    seed: options.Seed = options.SEED,
    out: OutFile | None = None,
    keep: Path | None = None,
    known: Annotated[bool, Option(name="--list")] = False,
    force: Force = False,
) -> None:
    """Simulate tables with or without a known bias, and count how often methods claim bias.

    With a planted bias, the rate of claims is the power. Without bias, claims are false alarms;
    their nominal rate is --alpha for tests and 1 - --ci-prob for intervals. See `bayesbias docs
    calibration`.

    Example: `bayesbias calibrate both-differ planted -m weat-p -m crossed-hpdi -n 200 --jobs 2`

    Parameters
    ----------
    scenarios : str
        Names of scenarios; by default, independent, words-differ, attributes-differ, both-differ.
    method : list of str
        Name of a method; may be repeated.
    tables : int
        Number of tables per scenario.
    rope : float
        Half-width of the region of practical equivalence, a distance in [0, 2].
    out : Path
        The .csv file for the rates.
    keep : Path
        Folder for finished parts, from which a stopped run resumes.
    known : bool
        Print the scenarios and methods, and exit.
    """
    if known:
        if len(options.TOKENS.get()) > 2:
            raise ValueError("--list prints names and exits; leave out the other arguments")
        _show_known()
        return
    check_numbers(tables=tables)
    options.require_file(out, ".csv", force=force)
    frame = bb.calibration.calibrate(
        scenarios or DEFAULT_SCENARIOS,
        method or list(DEFAULT_METHODS),
        tables,
        seed=seed,
        n_jobs=jobs,
        alpha=alpha,
        ci_prob=ci_prob,
        rope=rope,
        folder=keep,
        progress=False if screen.QUIET.get() else None,
    )
    if out is not None:
        bb.write_table(frame, out)
    for scenario, part in frame.groupby("scenario", sort=False):
        title = f"{scenario}: share of {int(part['n'].iloc[0]):,} tables, with 95% intervals"
        screen.frame(title, part, "method", "kind", "rate", "low", "high", "nominal")
    if doubtful := int(frame["doubtful"].max()):
        some = counted(doubtful, "posterior")
        screen.say(f"Pareto k is 0.7 or more for up to {some} per scenario and method.")
    if out is not None:
        screen.say(f"Table: {out}")


def _show_known() -> None:
    from ..calibration import LEVELS, READINGS, SCORE_METHODS, normal_models

    scenarios = bb.nulls.ABOUT.items()
    screen.table("Scenarios", ("name", "description"), [[*pair] for pair in scenarios])
    rows = [[name, test.title] for name, test in SCORE_METHODS.items()]
    screen.table("Methods", ("name", "criterion for a claim"), rows)
    screen.table("Readings of models", ("name", "true if"), [[*pair] for pair in READINGS.items()])
    levels = dict.fromkeys(level for known in LEVELS.values() for level in known)
    screen.say(
        "For a model, write MODEL-READING or MODEL-READING-LEVEL, such as maximal-hpdi-group.",
        f"Models: {', '.join(normal_models())}.",
        f"Levels: {', '.join(level.replace(' ', '-') for level in levels)}.",
    )
