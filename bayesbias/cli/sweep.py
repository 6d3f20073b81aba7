"""`bayesbias sweep`: many embeddings, lists and models, compared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import bayesbias as bb

from . import options, screen
from .options import AllowPickle, Jobs, OutFolder

CONNECT_SECONDS = 15
"""How long a Dask scheduler has to answer."""

MOST_TOLD = 24
"""Cells whose numbers are printed; more are in the report."""

COLUMNS = {"embedding": "embedding", "list": "list", "model": "model"} | {
    f"{name}>": f"{name}:.3f" for name in ("mean", "low", "high")
}


def sweep(
    config: Path,
    /,
    *,
    out: OutFolder = Path("bayesbias-sweep"),
    jobs: Jobs = 1,
    dask: str = "",
    allow_pickle: AllowPickle = False,
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

    [embeddings]                             # comes last
    demo = "glove-demo"                      # or a path
    lower = { source = "glove-demo", case = "lower" }
    ```

    Paths in it are relative to the file. Every result is kept at once, so the same command fits
    only what is missing. The exit code is 1 if some cells failed, and 3 if the sampler warned.

    Parameters
    ----------
    config : Path
        The sweep's .toml file.
    dask : str
        A Dask scheduler whose workers, with the same bayesbias, do the fits. A scheduler can run
        any program on this machine, so use only one that you trust.
    """
    from ..report.headline import CLOSING
    from ..tables.descriptives import contrast_of
    from ..workflows import output
    from ..workflows.sweep import require_sweep_place

    if jobs == 0:
        raise ValueError("--jobs must be 1 or more, or -1 for one process per core; got 0")
    wanted = bb.load_sweep(config)
    require_sweep_place(out)
    progress = False if screen.QUIET.get() else None
    with _workers(dask):
        done = bb.run_sweep(wanted, out, n_jobs=jobs, allow_pickle=allow_pickle, progress=progress)
        with output.replace_results(out, force=True) as stage:
            output.write_results(done, stage, options.command_line(), kinds=("png", "svg"))
    for row in done.failures[done.failures["key"] != ""].to_dict("records"):
        screen.complain(f"{row['embedding']} / {row['list']} / {row['model']}: {row['message']}")
    for failure in done.uncompared:
        screen.complain(f"{failure.name}: {failure.message}")
    made = len(done.cells) - len(done.failures)
    reused = f"{done.reused} results already existed"
    screen.say(f"{made} of {len(done.cells)} cells have a result; {reused}.")
    if 0 < made <= MOST_TOLD:
        overall = done.contrasts[done.contrasts["level"] == "overall"]
        gaps = contrast_of(overall, "associated", "different")
        screen.frame("associated − different, overall", gaps, COLUMNS)
    code = options.RESULTS.finish([CLOSING], out, doubtful=bool(done.doubts))
    return options.FAILED if len(done.failures) else code


@contextmanager
def _workers(address: str) -> Iterator[None]:
    """Let a Dask cluster do the work, if one is asked for."""
    if not address:
        yield
        return
    import joblib

    try:
        distributed: Any = import_module("distributed")  # which has no types
    except ModuleNotFoundError:
        raise ImportError("--dask needs distributed: pip install 'bayesbias[dask]'") from None
    screen.complain(
        f"warning: the scheduler at {address} and its workers can run any program on this "
        "machine; use only a cluster that you trust"
    )
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"no Dask scheduler answers at {address}: {error!r:.200}") from None
    with client, joblib.parallel_config(backend="dask", client=client):
        yield
