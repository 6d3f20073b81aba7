"""`bayesbias compare`: what changed between two tables, with a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..sampling.options import FitOptions
from . import options
from .run import WARNED
from .screen import Screen

if TYPE_CHECKING:
    import pandas as pd

    from ..workflows.change import ChangeAnalysis, ChangeSettings, Scored, Searched

HELP = (
    "Compare two tables pair by pair, as before and after debiasing, and write a report.\n\n"
    "BEFORE and AFTER are tables, .csv or .parquet, of ours or in the published layout, made with "
    "the same word list. DIR gets the pairs, the rows without a partner, posteriors, changes, "
    "orders, contrasts, scores, plots (PNG, SVG), run.json and a report.html that needs no "
    "network. Without --model both models for changes are fitted: change, and change-crossed, in "
    "which attribute words have effects of their own.\n\n"
    "For WEAT, SAME and Direct Bias beside MAC, give --list and the vectors of both. --recover "
    "then asks, too, whether clusters, a classifier and neighbours find the bias again.\n\n"
    "Examples:\n\n"
    "`bayesbias compare before.csv after.csv --out change`\n\n"
    "`bayesbias compare before.csv after.csv --list gender --before-vectors glove.bin "
    "--after-vectors hard.bin --recover gender`"
)

FRAMES = ("changes", "orders", "contrasts", "alignment", "check", "scales")
"""Frames of both models that are written as CSV."""

TABLE = "A table, .csv or .parquet, ours or as published."


@options.fit_options()
def compare(
    context: typer.Context,
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help=TABLE)],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help=TABLE)],
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the results.")
    ] = Path("bayesbias-change"),
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="MODEL", help="A model for changes: name or path."),
    ] = None,
    fitting: FitOptions,
    wordlist: Annotated[
        str | None,
        typer.Option("--list", metavar="LIST", help="The word list of both tables, for scores."),
    ] = None,
    before_vectors: Annotated[
        str | None, typer.Option(metavar="SOURCE", help="The embedding before, for scores.")
    ] = None,
    after_vectors: Annotated[
        str | None, typer.Option(metavar="SOURCE", help="The embedding after, for scores.")
    ] = None,
    recover: Annotated[
        str | None,
        typer.Option(
            metavar="SETS",
            help="Look for the bias of these defining sets in the embedding after: gender, "
            "religion, race or a .toml file. Needs the extra learn.",
        ),
    ] = None,
    recover_words: Annotated[
        int, typer.Option(min=1, metavar="N", help="Most leaning words of each class to look at.")
    ] = 500,
    case: options.Case = "exact",
    allow_pickle: options.AllowPickle = False,
    force: options.Force = False,
    open_report: Annotated[
        bool, typer.Option("--open", help="Open the report in a browser.")
    ] = False,
    quiet: options.Quiet = False,
) -> int:
    """Compare two tables pair by pair, and write a report."""
    from ..tables.table_files import read_table
    from ..workflows.change import ChangeSettings
    from ..workflows.output import require_place

    screen = options.screen_of(context, quiet)
    settings = ChangeSettings(
        names=(before.stem, after.stem),
        model=model,
        **vars(replace(fitting, progressbar=not screen.quiet)),
    )
    sources = _sources(wordlist, before_vectors, after_vectors, recover)
    require_place(out, force=force)
    tables = read_table(before), read_table(after)
    scored = _scored(sources, case, allow_pickle=allow_pickle, progressbar=not screen.quiet)
    loading = {"allow_pickle": allow_pickle, "progressbar": not screen.quiet}
    searched = _searched(sources, recover, recover_words, **loading)
    idle = (() if sources else ("case", "allow_pickle"), () if recover else ("recover_words",))
    command = options.command_of(context, **dict.fromkeys([*idle[0], *idle[1]]))
    from_vectors = {"scored": scored, "searched": searched}
    analysis = _results(tables, settings, from_vectors, out, command, force=force, screen=screen)
    _tell(analysis, out, screen)
    if open_report:
        typer.launch((out / "report.html").absolute().as_uri())
    return WARNED if analysis.doubtful else 0


def _sources(
    wordlist: str | None, before: str | None, after: str | None, recover: str | None
) -> tuple[str, str, str] | None:
    """Return list and embeddings if all are given, None if none is."""
    if wordlist is not None and before is not None and after is not None:
        return wordlist, before, after
    if wordlist is None and before is None and after is None and recover is None:
        return None
    raise ValueError(
        "scores and --recover need --list, --before-vectors and --after-vectors, all three; "
        "leave all out to get MAC alone"
    )


def _scored(
    sources: tuple[str, str, str] | None, case: str, *, allow_pickle: bool, progressbar: bool
) -> Scored | None:
    if sources is None:
        return None
    from ..embeddings.load import load_vectors
    from ..tables.wordlists import load_wordlist
    from ..workflows.change import Scored

    wordlist = load_wordlist(sources[0])
    before, after = (
        load_vectors(source, wordlist, case, allow_pickle=allow_pickle, progressbar=progressbar)
        for source in sources[1:]
    )
    return Scored(before, after, wordlist)


def _searched(
    sources: tuple[str, str, str] | None, recover: str | None, n_words: int, **loading: bool
) -> Searched | None:
    if sources is None or recover is None:
        return None
    from ..comparison.bias_checks import load_frequent
    from ..debias import load_defining_sets
    from ..workflows.change import Searched

    sets = load_defining_sets(recover)
    before, after = (load_frequent(source, sets, **loading) for source in sources[1:])
    return Searched(before, after, sets, n_words)


def _results(
    tables: tuple[pd.DataFrame, pd.DataFrame],
    settings: ChangeSettings,
    from_vectors: Mapping[str, Any],
    out: Path,
    command: str,
    *,
    force: bool,
    screen: Screen,
) -> ChangeAnalysis:
    """Analyse the change and write all results, or none."""
    from ..workflows.change import analyse_change
    from ..workflows.output import replace_results

    with screen.steps(8) as tell:
        analysis = analyse_change(*tables, settings, **from_vectors, tell=tell)
        with replace_results(out, force=force) as stage:  # only now is anything written
            tell("drawing plots")
            _write(analysis, stage, command)
            tell(f"writing {out}")
    return analysis


def _write(analysis: ChangeAnalysis, folder: Path, command: str) -> None:
    """Write everything into the folder, the record last."""
    from ..report.changes import change_page
    from ..report.figures import draw_figures
    from ..report.page import render
    from ..workflows import output as results

    _write_frames(analysis, folder)
    page, versions = change_page(analysis), results.versions()
    drawn = draw_figures(page.figures, folder / results.PLOTS)
    results.write_page(render(page, drawn, command, versions), folder)
    record = {
        "command": command,
        "versions": versions,
        "hashes": {"pairs": analysis.lead.posterior.attrs["table_hash"]},
        "models": {model: result.spec.to_dict() for model, result in analysis.results.items()},
        "warnings": list(analysis.notices),
    }
    results.write_record(record, folder)


def _write_frames(analysis: ChangeAnalysis, folder: Path) -> None:
    from ..comparison import pair
    from ..model.tree import save_posterior
    from ..workflows.output import REMAINS

    pair(analysis.before, analysis.after).rows.to_csv(folder / "pairs.csv", index=False)
    for name in ("unpaired", "bands", "scores"):
        getattr(analysis, name).to_csv(folder / f"{name}.csv", index=False)
    if analysis.remains is not None:
        analysis.remains.to_csv(folder / REMAINS, index=False)
    for name in FRAMES:
        analysis.frame(name).to_csv(folder / f"{name}.csv", index=False)
    for model, result in analysis.results.items():
        save_posterior(result.posterior, folder / f"posterior-{model}.nc")


def _tell(analysis: ChangeAnalysis, out: Path, screen: Screen) -> None:
    from ..report.wording.changes import told_lines

    for line in told_lines(analysis):
        screen.say(line)
    screen.say(f"Report: {out / 'report.html'}")
