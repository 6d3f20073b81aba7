"""Many embeddings, lists, models and seeds: every cell fitted once, kept, and told of."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from .._core.checks import Argument, NamesArguments
from .._core.jobs import Failure, Finished, Job, run_jobs
from ..embeddings.load import load_vectors
from ..model.spec import spec_from_dict
from ..model.tree import SamplingWarning, warnings_of
from ..posterior.contrasts import contrasts
from ..posterior.summaries import summary
from ..sampling.fit import fit
from ..sampling.options import FitOptions
from ..tables.distances import distance_table, missing_words
from ..tables.schema import table_hash
from ..tables.wordlists import WordList
from .sweep_spec import Embedding, SweepConfig

CELLS = "cells"
"""Folder of the results of cells, each under the hash of what decides it."""

CELL_COLUMNS = ("embedding", "list", "model", "seed")
"""What tells one cell from another; ``model`` is the model's name, as in all other frames."""

_KEYS = ("level", "protected_group", "protected_word", "connection", "first", "second")

UNMEASURED = (ValueError, OSError, ImportError)
"""What stands in the way of reading an embedding or of measuring a list in it."""


@dataclass(frozen=True)
class Cell:
    """One fit of a sweep, by the names of its parts."""

    embedding: str
    wordlist: str
    model: str
    seed: int

    @property
    def name(self) -> str:
        """What the cell is called in messages."""
        return f"{self.embedding} / {self.wordlist} / {self.model} / seed {self.seed}"

    @property
    def labels(self) -> dict[str, Any]:
        """The cell's values of ``CELL_COLUMNS``."""
        return dict(
            zip(CELL_COLUMNS, (self.embedding, self.wordlist, self.model, self.seed), strict=True)
        )


@dataclass(frozen=True)
class Plan:
    """What is to be fitted, and what cannot be.

    Parameters
    ----------
    config : SweepConfig
    cells : tuple of Cell
        All of them, in the order of the configuration.
    jobs : mapping of Cell to Job
        Of the cells that can be fitted.
    refused : tuple of Failure
        The others, before anything is run.
    tables : DataFrame
        One row an embedding and list: ``embedding``, ``list``, ``rows``, ``missing``,
        ``table_hash``.
    missing : DataFrame
        As `missing_words` gives it, with ``embedding`` and ``list`` before.
    """

    config: SweepConfig
    cells: tuple[Cell, ...]
    jobs: Mapping[Cell, Job]
    refused: tuple[Failure, ...]
    tables: pd.DataFrame
    missing: pd.DataFrame


@dataclass(frozen=True)
class Sweep:
    """The frames of a sweep, over all cells that have a result.

    Parameters
    ----------
    plan : Plan
    cells : DataFrame
        One row a cell: ``CELL_COLUMNS``, ``state`` (done or failed), ``method``, ``warnings``,
        ``error``, ``message``, ``key`` (of its file).
    summary, contrasts : DataFrame
        As the functions of these names give them, with ``CELL_COLUMNS`` before.
    failures : tuple of Failure
        Of cells that could not be measured and of those that could not be fitted.
    reused : int
        Cells whose result was there already, or is that of a cell with equal distances.
    """

    plan: Plan
    cells: pd.DataFrame
    summary: pd.DataFrame
    contrasts: pd.DataFrame
    failures: tuple[Failure, ...]
    reused: int

    @property
    def doubtful(self) -> bool:
        """Whether some posterior carries a sampling warning."""
        return bool((self.cells["warnings"] != "").any())


def plan_sweep(
    config: SweepConfig, *, allow_pickle: bool = False, progressbar: bool = False
) -> Plan:
    """Read every embedding, measure every list in it, and say what is to be fitted.

    A job's key is made of the distances themselves, of the model's content and of the settings: a
    changed vector, a changed prior or another seed makes another key, while a renamed or moved
    file does not.

    Parameters
    ----------
    config : SweepConfig
    allow_pickle : bool
        As `load_vectors` takes it.
    progressbar : bool
        Show a bar while a large embedding is read.

    Returns
    -------
    Plan
        Embeddings that cannot be read and lists that have too few words in one are in
        ``refused``, cell by cell, with the reason.
    """
    jobs: dict[Cell, Job] = {}
    refused: list[Failure] = []
    sizes, missing = [], []
    for embedding in config.embeddings:
        for wordlist, measured in _measured(config, embedding, allow_pickle, progressbar):
            cells = _cells_of(config, embedding.name, wordlist.name)
            if isinstance(measured, Failure):
                refused += [Failure(each.name, measured.error, measured.message) for each in cells]
                continue
            jobs |= {cell: _job(config, cell, measured.table) for cell in cells}
            names = {"embedding": embedding.name, "list": wordlist.name}
            count = {"rows": len(measured.table), "missing": len(measured.missing)}
            sizes.append(names | count | {"table_hash": table_hash(measured.table)})
            missing.append(measured.missing.assign(**names))
    return Plan(
        config,
        tuple(
            cell
            for embedding, wordlist in product(config.embeddings, config.lists)
            for cell in _cells_of(config, embedding.name, wordlist.name)
        ),
        jobs,
        tuple(refused),
        pd.DataFrame(sizes, columns=["embedding", "list", "rows", "missing", "table_hash"]),
        _joined(missing, ["embedding", "list", "role", "set", "word"]),
    )


def run_sweep(
    plan: Plan,
    *,
    folder: Path | None = None,
    n_jobs: int = 1,
    progress: bool | None = None,
) -> Sweep:
    """Fit every cell of a plan that has no result yet; one that fails does not stop the others.

    Parameters
    ----------
    plan : Plan
        From `plan_sweep`.
    folder : Path, optional
        Where results are kept, in ``cells/``; the next run takes them from there.
    n_jobs, progress
        As `bayesbias._core.jobs.run_jobs` takes them. Within
        ``joblib.parallel_config(backend="dask")`` a Dask cluster does the work.

    Returns
    -------
    Sweep

    Warns
    -----
    SamplingWarning
        If some posterior is not to be trusted; each text once, with how many cells.
    UserWarning
        If a kept result is damaged; it is computed again.
    """
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        finished = run_jobs(
            plan.jobs.values(),
            folder=None if folder is None else folder / CELLS,
            n_jobs=n_jobs,
            progress=progress,
            description="fitting",
        )
    texts = {text for told in finished.warnings.values() for text in told}
    for one in seen:
        doubt = any(str(one.message).endswith(text) for text in texts)
        warnings.warn(str(one.message), SamplingWarning if doubt else one.category, stacklevel=2)
    return Sweep(
        plan,
        _states(plan, finished),
        _frame(plan, finished, "summary"),
        _frame(plan, finished, "contrasts"),
        (*plan.refused, *finished.failures),
        finished.reused,
    )


@dataclass(frozen=True)
class _Measured:
    table: pd.DataFrame
    missing: pd.DataFrame


def _measured(
    config: SweepConfig, embedding: Embedding, allow_pickle: bool, progressbar: bool
) -> Iterator[tuple[WordList, _Measured | Failure]]:
    """Measure every list in an embedding, or say why that is not possible."""
    asked = {word for wordlist in config.lists for word in wordlist.words}
    try:
        vectors = load_vectors(
            embedding.source,
            asked,
            embedding.case,
            allow_pickle=allow_pickle,
            progressbar=progressbar,
        )
    except UNMEASURED as error:
        failure = Failure(embedding.name, type(error).__name__, _told(error))
        yield from ((wordlist, failure) for wordlist in config.lists)
        return
    for wordlist in config.lists:
        try:
            yield (
                wordlist,
                _Measured(distance_table(vectors, wordlist), missing_words(vectors, wordlist)),
            )
        except UNMEASURED as error:
            yield wordlist, Failure(embedding.name, type(error).__name__, _told(error))


def _told(error: BaseException) -> str:
    """Write an error as a reader of the configuration can act on it."""
    if isinstance(error, NamesArguments):
        return error.spelled(_as_key)
    return str(error) or type(error).__name__


def _as_key(argument: Argument) -> str:
    """Return an argument as the configuration writes it."""
    if argument.name != "case":
        return str(argument)
    return f'case = "{argument.value}" under [embeddings]'


def _cells_of(config: SweepConfig, embedding: str, wordlist: str) -> list[Cell]:
    return [
        Cell(embedding, wordlist, spec.name, seed)
        for spec, seed in product(config.models, config.seeds)
    ]


def _job(config: SweepConfig, cell: Cell, table: pd.DataFrame) -> Job:
    spec = next(spec for spec in config.models if spec.name == cell.model).to_dict()
    options = config.of_fit(seed=cell.seed, progressbar=False)
    settings = {"sweep": 1, "table": table_hash(table), "spec": spec, **options.recorded}
    return Job(cell.name, settings, partial(fit_cell, table, spec, options))


def fit_cell(table: pd.DataFrame, spec: Mapping[str, Any], options: FitOptions) -> pd.DataFrame:
    """Fit one cell, in a worker, and give its summary and contrasts as one frame.

    Parameters
    ----------
    table : DataFrame
        Columns as in ``COLUMNS``.
    spec : mapping
        As `ModelSpec.to_dict` gives it: models hold read-only mappings, which cannot be sent.
    options : FitOptions

    Returns
    -------
    DataFrame
        The rows of both, with a column ``frame`` that says which; what a row has no value for is
        missing. Its ``attrs`` hold ``method`` and ``warnings``.
    """
    tree = fit(table, spec_from_dict(spec), options=options)
    parts = {
        "summary": summary(tree, **options.intervals),
        "contrasts": contrasts(tree, **options.reading),
    }
    frames = []
    for name, part in parts.items():
        part.attrs = {}
        part.insert(0, "frame", name)
        frames.append(part)
    whole = pd.concat(frames, ignore_index=True)
    whole.attrs = {"method": tree.attrs["method"], "warnings": warnings_of(tree)}
    return whole


def _frame(plan: Plan, finished: Finished, name: str) -> pd.DataFrame:
    """Join one of the frames of all cells, in the order of the cells."""
    parts = []
    for cell in plan.cells:
        if cell.name not in finished.frames:
            continue
        whole = finished.frames[cell.name]
        part = whole[whole["frame"] == name].drop(columns="frame").dropna(axis=1, how="all")
        part.attrs = {}
        for place, (column, value) in enumerate(cell.labels.items()):
            part.insert(place, column, value)
        parts.append(part)
    frame = _joined(parts, (*CELL_COLUMNS, *_KEYS))
    frame.attrs |= plan.config.intervals
    return frame


def _joined(parts: Sequence[pd.DataFrame], first: Sequence[str]) -> pd.DataFrame:
    """Join frames, those of some columns that there are first."""
    if not parts:
        return pd.DataFrame(columns=list(first))
    whole = pd.concat(parts, ignore_index=True)
    names = [name for name in first if name in whole.columns]
    return whole[[*names, *(name for name in whole.columns if name not in names)]]


def _states(plan: Plan, finished: Finished) -> pd.DataFrame:
    """Say of every cell what has come of it."""
    failures = {one.name: one for one in (*plan.refused, *finished.failures)}
    rows = []
    for cell in plan.cells:
        failure = failures.get(cell.name)
        attrs = {} if failure else finished.frames[cell.name].attrs
        rows.append(
            {
                **cell.labels,
                "state": "failed" if failure else "done",
                "method": attrs.get("method", ""),
                "warnings": "; ".join(attrs.get("warnings", [])),
                "error": failure.error if failure else "",
                "message": failure.message if failure else "",
                "key": plan.jobs[cell].key if cell in plan.jobs else "",
            }
        )
    return pd.DataFrame(rows)
