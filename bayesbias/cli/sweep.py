"""`bayesbias sweep`: compare many embeddings, lists, and models."""

from __future__ import annotations

from pathlib import Path

import bayesbias as bb

from .._core.checks import counted
from . import options, screen
from .options import AllowPickle, Jobs, OutFolder

MOST_TOLD = 24
"""Maximum number of cells to print; the report has all of them."""


def sweep(
    config: Path,
    /,
    *,
    out: OutFolder = Path("bayesbias-sweep"),
    jobs: Jobs = 1,
    allow_pickle: AllowPickle = False,
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
    from ..workflows.sweep import require_sweep_place

    if jobs == 0:
        raise ValueError("--jobs must not be 0; pass 1 or more, or -1 for one process per core")
    wanted = bb.load_sweep(config)
    require_sweep_place(out)
    progress = False if screen.QUIET.get() else None
    with output.replace_results(out, force=True) as stage:  # blocks other runs
        done = bb.run_sweep(wanted, out, n_jobs=jobs, allow_pickle=allow_pickle, progress=progress)
        output.fill_folder(stage, {"": done}, options.command_line(), kinds=("png", "svg"))
    for row in done.failures[done.failures["key"] != ""].to_dict("records"):
        screen.complain(f"{row['embedding']} / {row['list']} / {row['model']}: {row['message']}")
    for failure in done.uncompared:
        screen.complain(f"{failure.name}: {failure.message}")
    made = len(done.cells) - len(done.failures)
    reused = f"{counted(done.reused, 'result')} already existed"
    screen.say(f"{made} of {len(done.cells)} cells have a result; {reused}.")
    if 0 < made <= MOST_TOLD:
        overall = done.contrasts[done.contrasts["level"] == "overall"]
        gaps = contrast_of(overall, "associated", "different")
        names = ("embedding", "list", "model", "mean", "interval")
        screen.frame("associated − different, overall", gaps, *names)
    code = options.RESULTS.finish([NOT_SHOWN], out, doubtful=bool(done.warnings))
    return options.FAILED if len(done.failures) else code
