"""Many embeddings, lists and models: every cell fitted once, kept, and compared with the others.

A cell is an embedding, a list and a model. All embeddings and lists are also in one model, which
ranks them and gives their differences.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import pandas as pd

from .._core.jobs import RESULTS, Failure, Finished, Job, run_jobs
from ..comparison.many import fit_many
from ..comparison.ranks import embedding_differences, rank_embeddings, variance_shares
from ..embeddings.distances import distance_table, missing_words, undersized_sets
from ..embeddings.load import load_vectors
from ..model.spec import ModelSpec
from ..model.tree import SamplingWarning, warnings_of
from ..posterior.contrasts import contrasts
from ..posterior.summaries import summary
from ..sampling.fit import fit
from ..sampling.options import FitOptions
from ..tables.schema import table_hash
from . import output
from .results import joined
from .sweep_spec import SweepConfig

if TYPE_CHECKING:
    from xarray import DataTree

    from ..report.writer import Page

CELL = ("embedding", "list", "model")
"""What a cell is made of."""

JOINT = "all embeddings and lists"
"""What the one model is called in messages."""

FRAMES = ("summary", "contrasts", "ranks", "differences", "shares", "cells", "missing")
"""Frames that are written as CSV."""

UNMEASURED = (ValueError, OSError, ImportError)
"""Errors of an embedding that cannot be read, or of a list that cannot be measured in it."""


class Measured(NamedTuple):
    """A list in an embedding."""

    table: pd.DataFrame
    missing: pd.DataFrame
    thin: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Sweep:
    """The frames of a sweep, over all cells that have a result.

    A row of `cells` is a cell: ``embedding``, ``list``, ``model``, ``state`` (done or failed),
    ``method``, ``warnings``, ``error``, ``message``, ``key`` (of its result). `summary` and
    `contrasts` are as the functions of these names return them, with the cell before; `ranks`,
    `differences` and `shares` are of `bb.rank_embeddings`, `comparison.embedding_differences` and
    `comparison.variance_shares`, and empty where no list was in two embeddings that differ.
    A row of `tables` is a list in an embedding; `missing` and `thin` are of `bb.missing_words` and
    `bb.undersized_sets`. `uncompared` is the failure of the one model of all, if it failed.
    `reused` counts results that were there already, or are of a cell with equal distances.
    """

    config: SweepConfig
    cells: pd.DataFrame
    tables: pd.DataFrame
    missing: pd.DataFrame
    thin: pd.DataFrame
    reused: int
    summary: pd.DataFrame
    contrasts: pd.DataFrame
    ranks: pd.DataFrame
    differences: pd.DataFrame
    shares: pd.DataFrame
    uncompared: tuple[Failure, ...]
    posteriors: ClassVar[Mapping[str, DataTree]] = {}

    @property
    def failures(self) -> pd.DataFrame:
        """The cells that failed."""
        return self.cells[self.cells["state"] == "failed"]

    @property
    def doubtful(self) -> bool:
        """Whether some posterior carries a sampling warning."""
        return bool((self.cells["warnings"] != "").any())

    @property
    def frames(self) -> dict[str, pd.DataFrame]:
        """What is written as CSV, by the files' names."""
        return {name: getattr(self, name) for name in FRAMES}

    def page(self) -> Page:
        """Return the page of the report."""
        from ..report.sweep_page import sweep_page

        return sweep_page(self)

    def record(self) -> dict[str, Any]:
        """Return what is needed to make the same results again."""
        config = self.config
        return {
            "title": config.title,
            "arguments": config.of_fit().recorded,
            "embeddings": [asdict(embedding) for embedding in config.embeddings],
            "lists": [wordlist.name for wordlist in config.lists],
            "models": {spec.name: spec.to_dict() for spec in config.models},
            "cells": len(self.cells),
            "failed": len(self.failures),
            "tables": self.tables.to_dict(orient="records"),
        }


def run_sweep(
    config: SweepConfig,
    folder: Path | None = None,
    *,
    n_jobs: int = 1,
    allow_pickle: bool = False,
    progress: bool | None = None,
) -> Sweep:
    r"""Measure every list in every embedding, fit every model, and compare the embeddings.

    A result's key is made of the distances, the model's content and the settings: a changed vector,
    a changed prior or another seed makes another key, while a renamed or moved file does not.

    Parameters
    ----------
    config : SweepConfig
        From `load_sweep`.
    folder : Path, optional
        Where results are kept, in ``results/``; the next run takes them from there.
    n_jobs : int
        Processes; -1 for one a core. Within ``joblib.parallel_config(backend="dask")`` a Dask
        cluster does the work.
    allow_pickle : bool
        As `load_vectors` takes it.
    progress : bool, optional
        Show a bar; by default on a terminal only.

    Returns
    -------
    Sweep
        A cell that fails stops no other.

    Raises
    ------
    ValueError
        If no list can be measured in any embedding; then no folder is made.

    Warns
    -----
    SamplingWarning
        If some posterior is not to be trusted; each text once, with how many cells.
    UserWarning
        For embeddings that cannot be read and lists with too few words in one, and for a kept
        result that is damaged; it is computed again.

    Examples
    --------
    >>> import bayesbias as bb
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "sweep.toml")
    >>> text = 'lists = ["religion"]\nmodels = ["paper"]\n[embeddings]\ndemo = "glove-demo"'
    >>> _ = path.write_text(text)
    >>> sweep = bb.run_sweep(bb.load_sweep(path), progress=False)
    >>> sweep.cells[["embedding", "list", "model", "state"]]
      embedding      list  model state
    0      demo  religion  paper  done
    """
    measured, refused = _measure(config, allow_pickle=allow_pickle, progress=progress)
    hashes = {key: table_hash(part.table) for key, part in measured.items()}
    options = config.of_fit(progressbar=False)
    jobs = {}
    for key, spec in product(measured, config.models):
        settings = {"sweep": 1, "table": hashes[key], "spec": spec.to_dict(), **options.recorded}
        run = partial(fit_cell, measured[key].table, spec, options)
        jobs[*key, spec.name] = Job(" / ".join((*key, spec.name)), settings, run)
    done = run_jobs(
        [*jobs.values(), *_joint_jobs(measured, hashes, options)],
        folder=folder,
        n_jobs=n_jobs,
        progress=progress,
        description="fitting",
        category=SamplingWarning,
    )
    fitted = {cell: done.frames[job.name] for cell, job in jobs.items() if job.name in done.frames}
    joint = done.frames.get(JOINT)
    frames = {}
    for name in ("summary", "contrasts"):
        parts = {cell: _part(whole, name) for cell, whole in fitted.items()}
        frames[name] = joined(parts, *CELL)
    for name in ("ranks", "differences", "shares"):
        frames[name] = pd.DataFrame() if joint is None else _part(joint, name)
    for frame in frames.values():
        frame.attrs |= config.intervals
    sizes = [
        (*key, len(part.table), len(part.missing), hashes[key]) for key, part in measured.items()
    ]
    return Sweep(
        config=config,
        cells=_states(config, jobs, done, refused),
        tables=pd.DataFrame(sizes, columns=[*CELL[:2], "rows", "missing", "table_hash"]),
        missing=joined({key: part.missing for key, part in measured.items()}, *CELL[:2]),
        thin=joined({key: part.thin for key, part in measured.items()}, *CELL[:2]),
        uncompared=tuple(one for one in done.failures if one.name == JOINT),
        reused=done.reused,
        **frames,
    )


def _measure(
    config: SweepConfig, *, allow_pickle: bool, progress: bool | None
) -> tuple[dict[tuple[str, str], Measured], dict[tuple[str, str], Exception]]:
    """Measure every list in every embedding; return also why some were not, after a warning."""
    words = {word for wordlist in config.lists for word in wordlist.words}
    measured, refused = {}, dict[tuple[str, str], Exception]()
    for embedding in config.embeddings:
        keys = {(embedding.name, wordlist.name): wordlist for wordlist in config.lists}
        try:
            loading = {"allow_pickle": allow_pickle, "progressbar": progress is not False}
            vectors = load_vectors(embedding.source, words, embedding.case, **loading)
        except UNMEASURED as error:
            refused |= dict.fromkeys(keys, error)
            continue
        for key, wordlist in keys.items():
            try:
                table = distance_table(vectors, wordlist)
            except UNMEASURED as error:
                refused[key] = error
                continue
            thin = undersized_sets(vectors, wordlist)
            measured[key] = Measured(table, missing_words(vectors, wordlist), thin)
    reasons = Counter((key[0], str(error)) for key, error in refused.items())
    if not measured:
        raise ValueError(f"no cell can be fitted: {'; '.join(text for _, text in reasons)}")
    for (name, text), count in reasons.items():
        cells = f"{count * len(config.models)} of {config.n_cells} cells"
        warnings.warn(f"{name}: {cells} are left out: {text}", stacklevel=3)
    return measured, refused


def _states(
    config: SweepConfig,
    jobs: Mapping[tuple[str, str, str], Job],
    done: Finished,
    refused: Mapping[tuple[str, str], Exception],
) -> pd.DataFrame:
    """State what has come of every cell."""
    failures = {failure.name: failure for failure in done.failures}
    parts = [[part.name for part in getattr(config, f"{name}s")] for name in CELL]
    rows = []
    for cell in product(parts[0], parts[1], parts[2]):
        state = dict.fromkeys(("method", "warnings", "error", "message", "key"), "")
        if job := jobs.get(cell):
            state["key"] = job.key
            if job.name in done.frames:
                about = done.frames[job.name].attrs
                state |= {"method": about["method"], "warnings": "; ".join(about["warnings"])}
            else:
                failure = failures[job.name]
                state |= {"error": failure.error, "message": failure.message}
        else:
            error = refused[cell[0], cell[1]]
            state |= {"error": type(error).__name__, "message": str(error)}
        state = {"state": "failed" if state["error"] else "done"} | state
        rows.append(dict(zip(CELL, cell, strict=True)) | state)
    return pd.DataFrame(rows)


def _joint_jobs(
    measured: Mapping[tuple[str, str], Measured],
    hashes: Mapping[tuple[str, str], str],
    options: FitOptions,
) -> list[Job]:
    """Return the one model of all embeddings and lists, each distance once in a list."""
    first = dict[tuple[str, str], tuple[str, str]]()
    for key in measured:
        first.setdefault((key[1], hashes[key]), key)
    keys = list(first.values())
    if len({wordlist for _, wordlist in keys}) == len(keys):
        return []
    options = options.of_fit(method="auto")
    named = [[wordlist, name, hashes[name, wordlist]] for name, wordlist in keys]
    settings = {"sweep_joint": 1, "tables": named, **options.recorded}
    tables = [measured[key].table.assign(embedding=key[0], wordlist=key[1]) for key in keys]
    return [Job(JOINT, settings, partial(fit_joint, tables, options))]


def fit_cell(table: pd.DataFrame, spec: ModelSpec, options: FitOptions) -> pd.DataFrame:
    """Fit one cell, in a worker, and return its summary and contrasts."""
    tree = fit(table, spec, options=options)
    frames = {
        "summary": summary(tree, **options.intervals),
        "contrasts": contrasts(tree, **options.reading),
    }
    return _packed(frames, tree)


def fit_joint(tables: Sequence[pd.DataFrame], options: FitOptions) -> pd.DataFrame:
    """Fit all tables, in a worker, and return ranks, differences and shares.

    Pairs that an embedding lacks are words that the report names.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* are not in all of its embeddings")
        warnings.filterwarnings("ignore", message="the list .* is in .* only")
        tree = fit_many(tables, options=options)
        parts = {
            "ranks": rank_embeddings(tree, **options.intervals),
            "differences": embedding_differences(tree, **options.reading),
            "shares": variance_shares(tree, **options.intervals),
        }
    return _packed(parts, tree)


def _packed(parts: Mapping[str, pd.DataFrame], tree: DataTree) -> pd.DataFrame:
    """Join frames as one, with their columns, the method and warnings in ``attrs``."""
    whole = joined(parts, "frame")
    whole.attrs = {
        "columns": {name: list(part) for name, part in parts.items()},
        "method": tree.attrs.get("method", ""),
        "warnings": warnings_of(tree),
    }
    return whole


def _part(whole: pd.DataFrame, name: str) -> pd.DataFrame:
    """Take one of the frames that a job joined."""
    part: pd.DataFrame = whole.loc[whole["frame"] == name, whole.attrs["columns"][name]]
    part.attrs = {}
    return part.reset_index(drop=True)


def require_sweep_place(out: Path) -> None:
    """Raise an error, before any work is done, if a sweep cannot use a folder.

    A sweep goes on in a folder with its results; results of something else are in its way.
    """
    for folder in (out, out / RESULTS):
        output.require_folder(folder)
    if not (out / RESULTS).exists():
        names = dict.fromkeys((*output.OWN_NAMES, *(f"{name}.csv" for name in FRAMES)))
        output.require_place(out, force=False, names=[*names])
