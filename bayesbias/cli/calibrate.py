"""`bayesbias calibrate`: what methods claim in scenarios of known truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter as Option

from ..sampling.options import FitOptions
from . import options
from .options import Count, Force, Jobs, OutFile
from .screen import SCREEN, Screen, kept_in

DEFAULT_SCENARIOS = ("independent", "words-differ", "attributes-differ", "both-differ")
DEFAULT_METHODS = ("weat-p", "t-cells-groups", "t-cells-sets", "t-word-means")
"""What is simulated unless asked otherwise: it takes seconds."""

COLUMNS = {
    "method|": "method",
    "what|": "kind",
    **{f"{name}>": f"{name}:.3f" for name in ("rate", "low", "high")},
    "nominal>": "promise",
}


@options.takes_fit("method", "draws", "chains", "tune", "target_accept", "ci_kind")
def calibrate(
    *scenarios: str,
    method: Annotated[list[str] | None, Option(alias="-m")] = None,
    tables: Count = 1000,
    jobs: Jobs = 1,
    alpha: float = 0.05,
    fitting: FitOptions,
    out: OutFile | None = None,
    keep: Path | None = None,
    known: Annotated[bool, Option(name="--list")] = False,
    force: Force = False,
    screen: Screen = SCREEN,
) -> int:
    """Simulate tables of known truth, and count what methods claim in them.

    A claim of bias where none was planted is a false alarm, a claim where one was is power.
    `--list` prints the scenarios and the methods; tests promise a share of --alpha, intervals of
    1 - --ci-prob. Which method to use when: `bayesbias docs calibration`.

    Examples: `bayesbias calibrate --list`,
    `bayesbias calibrate independent words-differ --tables 2000`,
    `bayesbias calibrate both-differ planted -m weat-p -m crossed-hpdi -n 200 --jobs 2 --keep parts
    --out rates.csv`

    Parameters
    ----------
    scenarios : str
        Scenarios by name; independent, words-differ, attributes-differ, both-differ if none.
    method : list of str
        A method; may be repeated.
    tables : int
        Tables of each scenario.
    alpha : float
        Level of tests, in (0, 1).
    out : Path
        Where the rates go, .csv.
    keep : Path
        Folder for finished parts, from which a run that was stopped resumes.
    known : bool
        Print the scenarios and the methods, and stop.
    """
    from ..calibration import calibrate as run
    from ..tables.table_files import write_table
    from ..workflows.output import require_file_place

    if known:
        _show_known(screen)
        return 0
    if out is not None:
        require_file_place(out, (".csv",), force=force)
    with kept_in(keep):
        frame = run(
            scenarios or DEFAULT_SCENARIOS,
            method or list(DEFAULT_METHODS),
            tables,
            seed=fitting.seed,
            n_jobs=jobs,
            alpha=alpha,
            ci_prob=fitting.ci_prob,
            rope=fitting.rope,
            folder=keep,
            progress=False if screen.quiet else None,
        )
    if out is not None:
        write_table(frame, out)
    for scenario, part in frame.groupby("scenario", sort=False):
        title = f"{scenario}: share of {int(part['n'].iloc[0]):,} tables, with 95% intervals"
        promised = part["kind"].isin(["false alarms", "coverage"]) & part["nominal"].notna()
        shares = part["nominal"].map("{:.2f}".format).where(promised, "–")
        screen.frame(title, part.assign(promise=shares), COLUMNS)
    doubtful = int(frame["doubtful"].max())
    if doubtful:
        screen.say(f"In some scenario {doubtful} posteriors have a Pareto k from 0.7 on.")
    if out is not None:
        screen.say(f"Table: {out}")
    return 0


def _show_known(screen: Screen) -> None:
    from ..calibration import LEVELS, READINGS, SCORE_METHODS, normal_models
    from ..nulls import ABOUT

    screen.table("Scenarios", ("name|", "what happens in it"), [[*pair] for pair in ABOUT.items()])
    rows = [[name, test.title, test.null] for name, test in SCORE_METHODS.items()]
    screen.table("Methods", ("name|", "claims a bias by", "null hypothesis"), rows)
    screen.say("Of models MODEL-READING or MODEL-READING-LEVEL, such as maximal-hpdi-group:")
    screen.table("Models", ("model|",), [[name] for name in normal_models()])
    screen.table("Readings", ("reading|", "true if"), [[*pair] for pair in READINGS.items()])
    levels = dict.fromkeys(level for known in LEVELS.values() for level in known)
    screen.table("Levels", ("level|",), [[level.replace(" ", "-")] for level in levels])
