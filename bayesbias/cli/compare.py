"""`bayesbias compare`: what changed between two tables, with a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter as Option

from ..sampling.options import FitOptions
from . import options
from .options import AllowPickle, Force, Models, OpenReport, OutFolder, Plots
from .screen import SCREEN, Screen

TAKEN_WITH_VECTORS = ("case", "allow_pickle", "recover_words")
"""Options that do nothing where no vectors are given."""

INCOMPLETE = (
    "scores and --recover need --list, --before-vectors and --after-vectors, all three; "
    "leave all out to get MAC alone"
)


@options.takes_fit()
def compare(
    before: str,
    after: str,
    /,
    *,
    out: OutFolder = Path("bayesbias-change"),
    model: Models = None,
    fitting: FitOptions,
    reference_list: Annotated[str | None, Option(name="--list")] = None,
    before_vectors: str | None = None,
    after_vectors: str | None = None,
    recover: str | None = None,
    recover_words: int = 500,
    plots: Plots = None,
    case: str = "exact",
    allow_pickle: AllowPickle = False,
    force: Force = False,
    open_report: OpenReport = False,
    screen: Screen = SCREEN,
) -> int:
    """Compare two tables pair by pair, as before and after debiasing, and write a report.

    BEFORE and AFTER are tables of the same word list; or, with --list, two embeddings, or an
    embedding and a debiasing method such as hard, which is applied to it. The folder gets the
    pairs, the rows without a partner, posteriors, changes, orders, contrasts, scores,
    run.json and a report.html that needs no network. With tables, give --list and the vectors
    of both for scores beyond MAC. --recover also asks whether clusters, a classifier and neighbors
    find the bias again.

    Examples: `bayesbias compare before.csv after.csv --out change`,
    `bayesbias compare glove-demo hard --list gender`,
    `bayesbias compare before.csv after.csv --list gender --before-vectors glove.bin
    --after-vectors hard.bin --recover gender`

    Parameters
    ----------
    before, after : str
        A table, .csv or .parquet, of ours or in the published layout; or an embedding.
    model : list of str
        A model for changes by name or path; may be repeated, and the last leads. By default
        change-by-group.
    reference_list : str
        The word list: for embeddings, and for scores of tables.
    before_vectors, after_vectors : str
        The embedding before, and after, for scores.
    recover : str
        Look for the bias of these defining sets in the embedding after: gender, religion, race or
        a .toml file.
    recover_words : int
        Most leaning words of each class to look at.
    case : str
        How words are looked up: exact, lower or fallback.
    """
    from ..model.defaults import DEFAULT_MODELS
    from ..report.change_page import change_lines
    from ..tables.table_files import read_table
    from ..workflows import output
    from ..workflows.change import analyze_change

    of_tables = all(Path(end).suffix in {".csv", ".parquet"} for end in (before, after))
    vectors = (before_vectors, after_vectors) if before_vectors and after_vectors else None
    sources = {bool(reference_list), bool(before_vectors), bool(after_vectors)}
    if of_tables and (len(sources) > 1 or (recover and not vectors)):
        raise ValueError(INCOMPLETE)
    output.require_place(out, force=force)
    ends: list[Any] = [before, after]
    if of_tables:
        ends = [read_table(Path(end)) for end in ends]
    settings: dict[str, Any] = vars(fitting)
    models = tuple(model or DEFAULT_MODELS["change"])
    read = bool(vectors) or not of_tables
    idle = () if recover else ("recover_words",) if read else TAKEN_WITH_VECTORS
    command = options.command_line(*idle, model=list(models))
    with screen.steps(8) as tell:
        analysis = analyze_change(
            ends[0],
            ends[1],
            reference_list,
            vectors=vectors,
            recover=recover,
            recover_words=recover_words,
            models=models,
            case=case,
            allow_pickle=allow_pickle,
            names=(Path(before).stem, Path(after).stem) if of_tables else None,
            tell=tell,
            **settings,
        )
        tell("writing the report")
        with output.replace_results(out, force=force) as stage:  # only now is anything written
            output.write_change(analysis, stage, command, kinds=options.kinds(plots))
    lines = change_lines(analysis)
    return options.finish(screen, lines, out, open_report=open_report, doubtful=analysis.doubtful)
