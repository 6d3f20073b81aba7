"""`bayesbias run`, `compare`, and `sweep`: from lists, embeddings, or tables to a report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter as Option

import bayesbias as bb

from .._core.checks import counted
from .._core.warnings import ignored
from ..warnings import CopyNotRanked, SameVectors
from . import options, screen

if TYPE_CHECKING:
    from ..workflows.results import Tell
    from ..workflows.wordlist import Analysis

MOST_TOLD = 24
"""Maximum number of cells of a sweep to print; the report has all of them."""


def run(
    *lists: str,
    settings: options.Measuring = options.MEASURING,
    out: options.OutFolder = Path("bayesbias-results"),
    compare_to: Path | None = None,
    results: options.Results = options.RESULTS,
) -> int:
    """Measure word lists in an embedding, fit models, and write a report.

    The folder will contain tables, posteriors, run.json, and report.html, which works offline. If
    you pass several lists, each gets a subfolder. The exit code is 3 if the sampler warned.

    Example: `bayesbias run religion mine.toml --vectors GoogleNews.bin --out results`

    Parameters
    ----------
    lists : str
        One or more names of bundled lists, or paths to .toml, .json, or .csv files.
    compare_to : Path
        Folder of an earlier run; show which inputs, settings, and contrasts have changed since.
    """
    from ..workflows.output import changes_since, load_earlier
    from ..workflows.settings import require_lists
    from ..workflows.wordlist import analyze_lists

    options.require_no_embedding(lists, "run")
    wordlists = [bb.load_wordlist(name) for name in lists]
    require_lists(wordlists)
    parts = [wordlist.name if len(lists) > 1 else "" for wordlist in wordlists]
    earlier = [load_earlier(compare_to / part) for part in parts] if compare_to else []

    def make(tell: Tell) -> list[Analysis]:
        analyses = analyze_lists(settings.vectors, wordlists, settings.shown, tell=tell)
        for place, before in enumerate(earlier):
            one = analyses[place]
            since = changes_since(before, one.found.origin, one.frames["contrasts"])
            found = replace(one.found, frames=one.frames | {"since": since})
            analyses[place] = replace(one, found=found)
        return analyses

    return results.write(out, make, parts)


def compare(
    before: str,
    after: str,
    /,
    *,
    settings: options.Comparing = options.COMPARING,
    words: Annotated[str | None, Option(name="--list")] = None,
    sets: str | None = None,
    recover: str | None = None,
    out: options.OutFolder = Path("bayesbias-change"),
    results: options.Results = options.RESULTS,
) -> int:
    """Compare two tables or embeddings pair by pair (for example, before and after debiasing).

    BEFORE and AFTER are tables of the same word list. If you pass --list, they are two embeddings,
    or an embedding and a debiasing method such as hard. The exit code is 3 if the sampler warned.

    Examples: `bayesbias compare before.csv after.csv --out change`,
    `bayesbias compare glove-demo hard --list gender`

    Parameters
    ----------
    before : str
        A table (.csv, .tsv, or .parquet) in our layout or the published one, or an embedding.
    after : str
        A table, an embedding, or a debiasing method.
    words : str
        The word list, if you compare embeddings.
    sets : str
        Defining sets for a debiasing method: gender, religion, race, or a .toml file. By default,
        the sets with the same name as the list are used.
    recover : str
        Check whether bias can be recovered after debiasing, with these defining sets: gender,
        religion, race, or a .toml file. By default, the sets with the same name as the list are
        used.
    """
    from .._core.reading import unpacked_name
    from ..workflows.change_ends import names_of
    from ..workflows.settings import refuse_unused

    ends: list[Any] = [before, after]
    how: dict[str, Any] = {"wordlist": words, "sets": sets, "recover": recover}
    how |= vars(settings.shown)
    if all(_is_table(Path(end), words) for end in ends):
        refuse_unused({"wordlist": words}, " is for embeddings, not for tables; leave it out")
        one, two = (unpacked_name(Path(end)).stem for end in ends)
        how["names"] = (one, two) if one != two else names_of(*ends)
        with ignored(SameVectors):  # fitting repeats them
            ends = [bb.read_table(Path(end)) for end in ends]
    elif not words:
        raise ValueError("embeddings need a word list; pass one (for example, --list gender)")
    return results.write(out, lambda tell: [bb.analyze_change(*ends, tell=tell, **how)])


def _is_table(path: Path, words: str | None) -> bool:
    """Return whether a file is a table: by its name, or by its columns if a list is given."""
    from .._core.reading import parts_of, unpacked_name
    from ..tables.schema import COLUMNS
    from ..tables.table_files import read_csv

    ending = unpacked_name(path).suffix.lower()
    if words and ending in {".csv", ".tsv"} and parts_of(path)[0].is_file():
        return COLUMNS[-1] in read_csv(path, nrows=0)
    return ending in {".csv", ".tsv", ".parquet"}


def sweep(
    config: Path,
    /,
    *,
    out: options.OutFolder = Path("bayesbias-sweep"),
    jobs: options.Jobs = 1,
    allow_pickle: options.AllowPickle = False,
) -> int:
    """Fit models to many word lists in many embeddings, and compare the results.

    Example: `bayesbias sweep sweep.toml --out sweep --jobs 4`, with a sweep.toml such as

    ```toml
    title = "Do lists agree across embeddings?"
    lists = ["religion", "gender", "weat1"]  # names, or paths to .toml files
    models = ["crossed", "maximal"]           # names or paths
    seed = 1
    draws = 500                              # per chain
    matched = 5                              # equally frequent words per stereotype

    [embeddings]                             # must be last
    demo = "glove-demo"                      # or a path
    lower = { source = "glove-demo", case = "lower" }
    ```

    Paths are relative to the file's folder. Results are saved immediately, so repeating the command
    fits only what is missing. The exit code is 1 if cells failed, and 3 if the sampler warned.

    Parameters
    ----------
    config : Path
        The sweep's .toml file.
    """
    from ..report.sentences import NOT_SHOWN
    from ..tables.descriptives import contrast_of
    from ..workflows import output
    from ..workflows.results import fill_folder
    from ..workflows.sweep import require_sweep_place

    wanted = bb.load_sweep(config)
    require_sweep_place(out)
    progress = False if screen.QUIET.get() else None
    with output.replace_results(out, force=True) as stage:  # blocks other runs
        with ignored(CopyNotRanked):  # they are printed below
            done = bb.run_sweep(
                wanted, out, n_jobs=jobs, allow_pickle=allow_pickle, progress=progress
            )
        fill_folder(stage, {"": done}, options.command_line(), kinds=("png", "svg"))
    for row in done.failures[done.failures["key"] != ""].to_dict("records"):
        screen.complain(f"{row['embedding']} / {row['list']} / {row['model']}: {row['message']}")
    for failure in done.uncompared:
        screen.complain(f"{failure.name}: {failure.message}")
    made = len(done.cells) - len(done.failures)
    reused = f"{counted(done.reused, 'result')} already existed"
    screen.say(f"Cells with a result: {made} of {len(done.cells)}; {reused}.")
    if 0 < made <= MOST_TOLD:
        overall = done.contrasts[done.contrasts["level"] == "overall"]
        gaps = contrast_of(overall, "associated", "different")
        names = ("embedding", "list", "model", "mean", "interval")
        screen.frame("associated − different, overall", gaps, *names)
    code = options.RESULTS.finish([NOT_SHOWN], out, doubtful=bool(done.warnings))
    return options.FAILED if len(done.failures) else code
