"""`bayesbias sweep`: many embeddings, lists and models, compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import options
from .options import AllowPickle, Jobs, OutFolder
from .screen import SCREEN, Screen, complain, kept_in

if TYPE_CHECKING:
    from ..report.writer import Table
    from ..workflows.sweep import Sweep

CONNECT_SECONDS = 15
"""How long a Dask scheduler has to answer."""

MOST_TOLD = 24
"""Cells whose numbers are printed; more are in the report."""

TOLD_COLUMNS = 5
"""Columns of the report's table that are printed: up to the interval."""


def sweep(
    config: Path,
    /,
    *,
    out: OutFolder = Path("bayesbias-sweep"),
    jobs: Jobs = 1,
    dask: str = "",
    allow_pickle: AllowPickle = False,
    screen: Screen = SCREEN,
) -> int:
    """Fit many embeddings, word lists and models, and compare them.

    Examples: `bayesbias sweep sweep.toml --out sweep --jobs 4`,
    `bayesbias sweep sweep.toml --dask tcp://cluster:8786`, with a sweep.toml such as

    ```toml
    title = "Do lists agree across embeddings?"
    lists = ["religion", "gender", "weat1"]  # names, or paths of .toml files
    models = ["crossed", "maximal"]           # the same
    seed = 1
    draws = 500                              # of each chain
    chains = 4

    [embeddings]                             # comes last
    demo = "glove-demo"                      # or a path
    lower = { source = "glove-demo", case = "lower" }
    ```

    Paths in it are relative to the file. Every embedding, list and model makes a cell, whose
    result is kept as soon as it is there: after a kill, or with an embedding more, the same
    command fits only what is lacking. A cell that fails stops no other. The folder gets
    summary.csv, contrasts.csv, cells.csv, missing.csv, plots and a report.html that needs no
    network. Exit code 1 if some cells failed, the others were written; 3 if the sampler warned.

    Parameters
    ----------
    config : Path
        The sweep's .toml file.
    dask : str
        A Dask scheduler whose workers do the fits, such as tcp://host:8786. They need the same
        bayesbias. Any scheduler can run any program here: only one that you trust.
    """
    from ..report.headline import CLOSING
    from ..workflows.sweep import plan_sweep, run_sweep
    from ..workflows.sweep_output import begin, require_sweep_place, write_sweep
    from ..workflows.sweep_spec import load_sweep

    if jobs == 0:
        raise ValueError("--jobs is a number of processes from 1 on, or -1 for one a core; got 0")
    wanted = load_sweep(config)
    require_sweep_place(out)
    plan = plan_sweep(wanted, allow_pickle=allow_pickle, progressbar=not screen.quiet)
    reasons = Counter((one.name.split(" / ")[0], one.message) for one in plan.refused)
    if not plan.jobs:
        raise ValueError(f"no cell can be fitted: {'; '.join(text for _, text in reasons)}")
    for (name, message), count in reasons.items():
        complain(f"{name}: {count} of {len(plan.cells)} cells are left out: {message}")
    command = options.command_line()
    with _workers(dask), kept_in(out):
        begin(plan, out, command)
        progress = False if screen.quiet else None
        done = run_sweep(plan, folder=out, n_jobs=jobs, progress=progress)
        write_sweep(done, out, command)
    for failure in done.uncompared:
        complain(f"{failure.name}: not compared: {failure.message}")
    _tell(done, screen)
    code = options.finish(screen, [CLOSING], out, doubtful=done.doubtful)
    return options.FAILED if done.failures else code


@contextmanager
def _workers(address: str) -> Iterator[None]:
    """Let a Dask cluster do the work, if one is asked for."""
    if not address:
        yield
        return
    if find_spec("distributed") is None:
        raise ImportError("--dask needs distributed: pip install 'bayesbias[dask]'")
    import joblib

    distributed: Any = import_module("distributed")  # which has no types
    complain(
        f"warning: the scheduler at {address} and its workers can run any program on this "
        "machine; use only a cluster that you trust"
    )
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error) or type(error).__name__
        raise ValueError(f"no Dask scheduler answers at {address}: {reason}") from None
    with client, joblib.parallel_config(backend="dask", client=client):
        yield


def _tell(done: Sweep, screen: Screen) -> None:
    """Print the numbers of a small sweep, and what failed."""
    from ..report.sweep_page import failure_table, gap_table, gaps

    made = len(done.cells) - len(done.failures)
    screen.say(
        f"{made} of {len(done.cells)} cells have a result; {made - done.reused} were computed now."
    )
    tables: list[tuple[Table, int | None]] = []
    if 0 < made <= MOST_TOLD:
        second, frame = next(iter(gaps(done).items()))
        tables.append((gap_table(done, second, frame), TOLD_COLUMNS))
    if done.failures:
        tables.append((failure_table(done), None))
    for table, most in tables:
        columns = list(zip(table.heads, table.numeric, strict=True))[:most]
        heads = [f"{head}>" if numeric else head for head, numeric in columns]
        screen.table(table.caption, heads, [row[:most] for row in table.rows])
