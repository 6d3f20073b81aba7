"""`bayesbias compare`: what changed between two tables, with a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter as Option

from ..sampling.options import FitOptions
from . import options
from .options import AllowPickle, Force, Models, OpenReport, OutFolder
from .screen import SCREEN, Screen

TAKEN_WITH_VECTORS = ("case", "allow_pickle", "recover_words")
"""Options that do nothing where no vectors are given."""


@options.takes_fit()
def compare(
    before: Path,
    after: Path,
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
    case: str = "exact",
    allow_pickle: AllowPickle = False,
    force: Force = False,
    open_report: OpenReport = False,
    screen: Screen = SCREEN,
) -> int:
    """Compare two tables pair by pair, as before and after debiasing, and write a report.

    BEFORE and AFTER are made with the same word list. The folder gets the pairs, the rows without
    a partner, posteriors, changes, orders, contrasts, scores, plots (PNG, SVG), run.json and a
    report.html that needs no network. In both default models words and attributes have effects of
    their own; in change-maximal they also lean, to one stereotype or group more than to another.
    For WEAT, SAME and Direct Bias beyond MAC, give --list and the vectors of both. --recover then
    also asks whether clusters, a classifier and neighbours find the bias again.

    Examples: `bayesbias compare before.csv after.csv --out change`,
    `bayesbias compare before.csv after.csv --list gender --before-vectors glove.bin
    --after-vectors hard.bin --recover gender`

    Parameters
    ----------
    before, after : Path
        A table, .csv or .parquet, of ours or in the published layout.
    model : list of str
        A model for changes by name or path; may be repeated, and the last leads. By default
        change-crossed and change-maximal.
    reference_list : str
        The word list of both tables, for scores.
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
    from ..report.change_page import change_page, told_lines
    from ..report.folder import write_report
    from ..tables.table_files import read_table
    from ..workflows.change import ChangeSettings, analyse_change
    from ..workflows.output import replace_results, require_place, versions, write_frames

    settings = ChangeSettings(
        names=(before.stem, after.stem),
        models=tuple(model or DEFAULT_MODELS["change"]),
        **vars(fitting),
    )
    sources = _sources(reference_list, before_vectors, after_vectors, recover)
    require_place(out, force=force)
    tables = read_table(before), read_table(after)
    loading = {"allow_pickle": allow_pickle, "progressbar": not screen.quiet}
    given = _from_vectors(sources, case, recover, recover_words, **loading) if sources else {}
    idle = () if recover else ("recover_words",) if sources else TAKEN_WITH_VECTORS
    command = options.command_line(*idle, model=list(settings.models))
    with screen.steps(8) as tell:
        analysis = analyse_change(*tables, settings, **given, tell=tell)
        with replace_results(out, force=force) as stage:  # only now is anything written
            write_frames(analysis.frames, analysis.posteriors, stage)
            record = {
                "command": command,
                "versions": versions(),
                "hashes": {"pairs": analysis.lead.posterior.attrs["table_hash"]},
                "models": {
                    name: result.spec.to_dict() for name, result in analysis.results.items()
                },
                "warnings": list(analysis.notices),
            }
            write_report(change_page(analysis), record, stage, tell)
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
