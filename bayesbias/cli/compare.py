"""`bayesbias compare`: what changed between two tables, with a report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..sampling.options import FitOptions
from . import options
from .screen import Screen

if TYPE_CHECKING:
    from ..workflows.change import ChangeAnalysis

TAKEN_WITH_VECTORS = ("case", "allow_pickle", "recover_words")
"""Options that do nothing where no vectors are given."""

TABLE = "A table, .csv or .parquet, ours or as published."


@options.command(
    "bayesbias compare before.csv after.csv --out change",
    "bayesbias compare before.csv after.csv --list gender --before-vectors glove.bin "
    "--after-vectors hard.bin --recover gender",
)
def compare(
    context: typer.Context,
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help=TABLE)],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help=TABLE)],
    *,
    out: options.OutFolder = Path("bayesbias-change"),
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="A model for changes by name or path; may be repeated, and the last leads. "
            "By default change-crossed and change-maximal.",
        ),
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
    open_report: options.OpenReport = False,
    screen: Screen,
) -> int:
    """Compare two tables pair by pair, as before and after debiasing, and write a report.

    BEFORE and AFTER are tables, .csv or .parquet, of ours or in the published layout, made with
    the same word list. DIR gets the pairs, the rows without a partner, posteriors, changes,
    orders, contrasts, scores, plots (PNG, SVG), run.json and a report.html that needs no network.
    In both default models words and attributes have effects of their own; in change-maximal they
    lean besides, to one stereotype or group more than to another.

    For WEAT, SAME and Direct Bias beside MAC, give --list and the vectors of both. --recover then
    asks, too, whether clusters, a classifier and neighbours find the bias again.
    """
    from ..model.defaults import DEFAULT_MODELS
    from ..report.wording.changes import told_lines
    from ..tables.table_files import read_table
    from ..workflows.change import ChangeSettings, analyse_change
    from ..workflows.output import replace_results, require_place

    settings = ChangeSettings(
        names=(before.stem, after.stem),
        models=tuple(model or DEFAULT_MODELS["change"]),
        **vars(fitting),
    )
    sources = _sources(wordlist, before_vectors, after_vectors, recover)
    require_place(out, force=force)
    tables = read_table(before), read_table(after)
    loading = {"allow_pickle": allow_pickle, "progressbar": not screen.quiet}
    given = _from_vectors(sources, case, recover, recover_words, **loading) if sources else {}
    idle = () if recover else ("recover_words",) if sources else TAKEN_WITH_VECTORS
    command = options.command_of(context, **dict.fromkeys(idle))
    with screen.steps(8) as tell:
        analysis = analyse_change(*tables, settings, **given, tell=tell)
        with replace_results(out, force=force) as stage:  # only now is anything written
            _write(analysis, stage, command, tell)
            tell(f"writing {out}")
    lines = told_lines(analysis)
    return options.finish(screen, lines, out, open_report=open_report, doubtful=analysis.doubtful)


def _sources(
    wordlist: str | None, before: str | None, after: str | None, recover: str | None
) -> tuple[str, str, str] | None:
    """Return list and embeddings if all are given, None if none is."""
    if wordlist is not None and before is not None and after is not None:
        return wordlist, before, after
    if {wordlist, before, after, recover} == {None}:
        return None
    raise ValueError(
        "scores and --recover need --list, --before-vectors and --after-vectors, all three; "
        "leave all out to get MAC alone"
    )


def _from_vectors(
    sources: tuple[str, str, str], case: str, recover: str | None, n_words: int, **loading: bool
) -> dict[str, Any]:
    """Load what `analyse_change` takes besides the tables."""
    from ..comparison.bias_checks import load_frequent
    from ..debias import load_defining_sets
    from ..embeddings.load import load_vectors
    from ..tables.wordlists import load_wordlist
    from ..workflows.change import Scored, Searched

    wordlist = load_wordlist(sources[0])
    before, after = (load_vectors(each, wordlist, case, **loading) for each in sources[1:])
    scored = Scored(before, after, wordlist)
    if recover is None:
        return {"scored": scored}
    sets = load_defining_sets(recover)
    first, second = (load_frequent(source, sets, **loading) for source in sources[1:])
    return {"scored": scored, "searched": Searched(first, second, sets, n_words)}


def _write(
    analysis: ChangeAnalysis, folder: Path, command: str, tell: Callable[[str], None]
) -> None:
    """Write everything into the folder, the record last."""
    from ..report.changes import change_page
    from ..report.folder import write_report
    from ..workflows import output

    output.write_frames(analysis.frames, analysis.posteriors, folder)
    record = {
        "command": command,
        "versions": output.versions(),
        "hashes": {"pairs": analysis.lead.posterior.attrs["table_hash"]},
        "models": {model: result.spec.to_dict() for model, result in analysis.results.items()},
        "warnings": list(analysis.notices),
    }
    write_report(change_page(analysis), record, folder, tell)
