"""`bayesbias calibrate`: what methods claim in scenarios where it is known what is true."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..sampling.options import FitOptions
from . import options
from .screen import Screen, StoppedError

if TYPE_CHECKING:
    import pandas as pd

EXAMPLES = (
    "Simulate tables of known truth, and count what methods claim in them.\n\n"
    "A claim of bias where none was planted is a false alarm, a claim where one was is power. "
    "`--list` prints the scenarios and the methods; tests promise a share of --alpha, intervals of "
    "1 - --ci-prob. Which method to use when: docs/calibration.md.\n\n"
    "Examples:\n\n"
    "`bayesbias calibrate --list`\n\n"
    "`bayesbias calibrate independent words-differ --tables 2000`\n\n"
    "`bayesbias calibrate both-differ planted -m weat-p -m crossed-hpdi -n 200 --jobs 2 "
    "--keep parts --out rates.csv`\n\n"
    "With `--keep` a run that was stopped resumes from what is done."
)
"""What ``bayesbias calibrate --help`` says."""

DEFAULT_SCENARIOS = ("independent", "words-differ", "attributes-differ", "both-differ")
DEFAULT_METHODS = ("weat-p", "t-cells-groups", "t-cells-sets", "t-word-means")
"""What is simulated unless asked otherwise: it takes seconds."""

HEADS = ("method|", "what|", "rate>", "low>", "high>", "nominal>")

PROMISED = ("false alarms", "coverage")
"""What methods promise a rate of."""


@options.fit_options("seed", "ci_prob", "rope")
def calibrate(
    context: typer.Context,
    scenarios: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SCENARIO...",
            help=f"Scenarios by name; {', '.join(DEFAULT_SCENARIOS)} if none.",
        ),
    ] = None,
    *,
    method: Annotated[
        list[str] | None,
        typer.Option("--method", "-m", metavar="NAME", help="A method; may be given repeatedly."),
    ] = None,
    tables: Annotated[
        int, typer.Option("--tables", "-n", min=1, metavar="N", help="Tables of each scenario.")
    ] = 1000,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", help="Processes; -1 for one a core.")
    ] = 1,
    alpha: Annotated[
        float, typer.Option("--alpha", metavar="P", help="Level of tests, in (0, 1).")
    ] = 0.05,
    fitting: FitOptions,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where the rates go, .csv."),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="DIR", help="Keep finished parts here, to resume."),
    ] = None,
    known: Annotated[
        bool, typer.Option("--list", help="Print the scenarios and the methods, and stop.")
    ] = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> int:
    """Simulate, count, print the rates and write them."""
    from ..calibration import calibrate as run
    from ..workflows.output import require_file_place

    screen = options.screen_of(context, quiet)
    if known:
        _show_known(screen)
        return 0
    if out is not None:
        require_file_place(out, (".csv",), force=force)
    try:
        frame = run(
            scenarios or list(DEFAULT_SCENARIOS),
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
    except KeyboardInterrupt:
        kept = f"what was done is kept in {keep}, and the same command goes on"
        raise StoppedError(kept if keep else "nothing was written") from None
    if out is not None:
        _write(frame, out)
    _show(frame, screen)
    if out is not None:
        screen.say(f"Table: {out}")
    return 0


def _show_known(screen: Screen) -> None:
    from ..calibration import CALIBRATED_METHODS
    from ..nulls import ABOUT

    screen.table("Scenarios", ("name|", "what happens in it"), [[*pair] for pair in ABOUT.items()])
    rows = [[name, made.title, made.null] for name, made in CALIBRATED_METHODS.items()]
    screen.table("Methods", ("name|", "claims a bias by", "null hypothesis"), rows)


def _write(frame: pd.DataFrame, out: Path) -> None:
    from .._core.files import replace_file

    with replace_file(out) as temporary:
        frame.to_csv(temporary, index=False)


def _show(frame: pd.DataFrame, screen: Screen) -> None:
    for scenario, part in frame.groupby("scenario", sort=False):
        title = f"{scenario}: share of {int(part['n'].iloc[0]):,} tables, with 95% intervals"
        screen.table(title, HEADS, [_cells(row) for row in part.to_dict("records")])
    doubtful = int(frame["doubtful"].max())
    if doubtful:
        screen.say(f"In some scenario {doubtful} posteriors have a Pareto k from 0.7 on.")


def _cells(row: Mapping[Hashable, Any]) -> list[str]:
    numbers = [f"{row[name]:.3f}" for name in ("rate", "low", "high")]
    kept = row["kind"] in PROMISED and not math.isnan(row["nominal"])
    promised = f"{row['nominal']:.2f}" if kept else "–"
    return [row["method"], row["kind"], *numbers, promised]
