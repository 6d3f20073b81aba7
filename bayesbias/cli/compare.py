"""`bayesbias compare`: what changed between two tables, with a report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options
from .run import WARNED
from .screen import Screen

if TYPE_CHECKING:
    import pandas as pd

    from ..change_analysis import ChangeAnalysis, ChangeSettings, Scored

HELP = (
    "Compare two tables pair by pair, as before and after debiasing, and write a report.\n\n"
    "BEFORE and AFTER are tables, .csv or .parquet, of ours or in the published layout, made with "
    "the same word list. DIR gets the pairs, the rows without a partner, posteriors, changes, "
    "orders, contrasts, scores, plots (PNG, SVG), run.json and a report.html that needs no "
    "network. Without --model both cards for changes are fitted: change, and change-crossed, in "
    "which attribute words have effects of their own.\n\n"
    "For WEAT, SAME and Direct Bias beside MAC, give --list and the vectors of both.\n\n"
    "Example: `bayesbias compare before.csv after.csv --out change`"
)

FRAMES = ("changes", "orders", "contrasts", "alignment", "check", "scales")
"""Frames of both cards that are written as CSV."""

Table = Annotated[
    Path, typer.Argument(metavar="TABLE", help="A table, .csv or .parquet, ours or as published.")
]


def compare(
    context: typer.Context,
    before: Table,
    after: Table,
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the results.")
    ] = Path("bayesbias-change"),
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="CARD", help="A card for changes, by name or path."),
    ] = None,
    method: options.Method = "auto",
    ci_prob: options.CiProb = 0.89,
    rope: options.Rope = 0.02,
    draws: options.Draws = 1000,
    chains: options.Chains = 4,
    seed: options.Seed = 1,
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
    case: options.Case = "exact",
    allow_pickle: options.AllowPickle = False,
    force: options.Force = False,
    open_report: Annotated[
        bool, typer.Option("--open", help="Open the report in a browser.")
    ] = False,
    quiet: options.Quiet = False,
) -> int:
    """Compare two tables pair by pair, and write a report."""
    from ..change_analysis import ChangeSettings
    from ..distances import read_table
    from ..results import require_place

    screen = options.screen_of(context, quiet)
    settings = ChangeSettings(
        names=(before.stem, after.stem),
        model=model,
        method=method,
        ci_prob=ci_prob,
        rope=rope,
        draws=draws,
        chains=chains,
        seed=seed,
    )
    sources = _sources(wordlist, before_vectors, after_vectors)
    require_place(out, [], force=force)
    tables = read_table(before), read_table(after)
    scored = _scored(sources, case, allow_pickle=allow_pickle, progressbar=not screen.quiet)
    extra = _extra_options(sources, case, allow_pickle=allow_pickle)
    command = command_of(before, after, settings, extra)
    analysis = _results(tables, settings, scored, out, command, force=force, screen=screen)
    _tell(analysis, out, screen)
    if open_report:
        typer.launch((out / "report.html").absolute().as_uri())
    return WARNED if analysis.doubtful else 0


def command_of(before: Path, after: Path, settings: ChangeSettings, extra: list[str]) -> str:
    """Write the command that makes the same numbers, with every setting spelt out."""
    words = ["bayesbias", "compare", str(before), str(after), "--out", "DIR"]
    words += ["--model", settings.model] if settings.model else []
    for name in ("method", "ci_prob", "rope", "draws", "chains", "seed"):
        words += [f"--{name.replace('_', '-')}", str(getattr(settings, name))]
    return shlex.join([*words, *extra])


def _sources(
    wordlist: str | None, before: str | None, after: str | None
) -> tuple[str, str, str] | None:
    """Give list and embeddings if all are given, None if none is."""
    if wordlist is not None and before is not None and after is not None:
        return wordlist, before, after
    if wordlist is None and before is None and after is None:
        return None
    raise ValueError(
        "scores need --list, --before-vectors and --after-vectors, all three; "
        "leave all out to get MAC alone"
    )


def _extra_options(
    sources: tuple[str, str, str] | None, case: str, *, allow_pickle: bool
) -> list[str]:
    if sources is None:
        return []
    words, before, after = sources
    given = ["--list", words, "--before-vectors", before, "--after-vectors", after, "--case", case]
    return [*given, *(["--allow-pickle"] if allow_pickle else [])]


def _scored(
    sources: tuple[str, str, str] | None, case: str, *, allow_pickle: bool, progressbar: bool
) -> Scored | None:
    if sources is None:
        return None
    from ..change_analysis import Scored
    from ..vectors import load_vectors
    from ..wordlists import load_wordlist

    words = load_wordlist(sources[0])
    before, after = (
        load_vectors(source, words, case, allow_pickle=allow_pickle, progressbar=progressbar)
        for source in sources[1:]
    )
    return Scored(before, after, words)


def _results(
    tables: tuple[pd.DataFrame, pd.DataFrame],
    settings: ChangeSettings,
    scored: Scored | None,
    out: Path,
    command: str,
    *,
    force: bool,
    screen: Screen,
) -> ChangeAnalysis:
    """Analyse the change and write all results, or none."""
    from ..change_analysis import analyse_change
    from ..results import publishing

    with screen.steps(8) as tell:
        analysis = analyse_change(
            *tables, settings, scored=scored, tell=tell, progressbar=not screen.quiet
        )
        with publishing(out, force=force) as stage:  # only now is anything written
            tell("drawing plots")
            _write(analysis, stage, command)
            tell(f"writing {out}")
    return analysis


def _write(analysis: ChangeAnalysis, folder: Path, command: str) -> None:
    """Write everything into the folder, the record last."""
    import matplotlib as mpl

    from .. import results
    from ..report import change_figures, change_report
    from ..report.figures import draw

    mpl.use("agg")  # no window, whatever the machine has
    _write_frames(analysis, folder)
    plots = folder / results.PLOTS
    plots.mkdir()
    figures = change_figures.change_figures_of(analysis)
    drawn = [draw(figure, plots, f"f{place}") for place, figure in enumerate(figures)]
    versions = results.versions()
    page = change_report.render_change_report(analysis, drawn, command, versions)
    results.write_page(page, folder)
    record = {
        "command": command,
        "versions": versions,
        "hashes": {"pairs": analysis.lead.posterior.attrs["table_hash"]},
        "cards": {model: result.card.to_dict() for model, result in analysis.results.items()},
        "warnings": list(analysis.notices),
    }
    results.write_record(record, folder)


def _write_frames(analysis: ChangeAnalysis, folder: Path) -> None:
    from ..comparison import pair
    from ..posterior import save_posterior

    pair(analysis.before, analysis.after).rows.to_csv(folder / "pairs.csv", index=False)
    for name in ("unpaired", "bands", "scores"):
        getattr(analysis, name).to_csv(folder / f"{name}.csv", index=False)
    for name in FRAMES:
        analysis.frame(name).to_csv(folder / f"{name}.csv", index=False)
    for model, result in analysis.results.items():
        save_posterior(result.posterior, folder / f"posterior-{model}.nc")


def _tell(analysis: ChangeAnalysis, out: Path, screen: Screen) -> None:
    from ..report.change_wording import headline, mac_sentence, pairing_sentences

    screen.say(" ".join(pairing_sentences(analysis)))
    screen.say(headline(analysis))
    screen.say(mac_sentence(analysis))
    screen.say(f"Report: {out / 'report.html'}")
