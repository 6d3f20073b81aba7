"""Many embeddings, lists and models: every cell fitted once, kept, and told of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from .._core.checks import Argument, NamesArguments
from .._core.jobs import Failure, Finished, Job, run_jobs
from ..embeddings.distances import distance_table, missing_words, undersized_sets
from ..embeddings.load import load_vectors
from ..model.spec import spec_from_dict
from ..model.tree import SamplingWarning, warnings_of
from ..posterior.contrasts import contrasts
from ..posterior.summaries import summary
from ..sampling.fit import fit
from ..sampling.options import FitOptions
from ..tables.schema import table_hash
from ..tables.wordlists import WordList
from .results import joined
from .sweep_spec import Embedding, SweepConfig

CELL_COLUMNS = ("embedding", "list", "model")
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

    @property
    def name(self) -> str:
        """What the cell is called in messages."""
        return f"{self.embedding} / {self.wordlist} / {self.model}"

    @property
    def labels(self) -> dict[str, Any]:
        """The cell's values of ``CELL_COLUMNS``."""
        return dict(zip(CELL_COLUMNS, astuple(self), strict=True))


@dataclass(frozen=True)
class Plan:
    """What is to be fitted, and what cannot be.

    `cells` are all, in the order of the configuration: `jobs` has those that can be fitted, and
    `refused` the others, before anything is run. A row of `tables` is an embedding and list
    (``embedding``, ``list``, ``rows``, ``missing``, ``table_hash``); `missing` and `thin` are as
    `missing_words` and `undersized_sets` give them, with ``embedding`` and ``list`` before.
    `measured` has the tables, by embedding and list.
    """

    config: SweepConfig
    cells: tuple[Cell, ...]
    jobs: Mapping[Cell, Job]
    refused: tuple[Failure, ...]
    tables: pd.DataFrame
    missing: pd.DataFrame
    thin: pd.DataFrame
    measured: Mapping[tuple[str, str], pd.DataFrame]


@dataclass(frozen=True)
class Sweep:
    """The frames of a sweep, over all cells that have a result.

    A row of `cells` is a cell: ``CELL_COLUMNS``, ``state`` (done or failed), ``method``,
    ``warnings``, ``error``, ``message``, ``key`` (of its result). `summary` and `contrasts` are as
    the functions of these names give them, with ``CELL_COLUMNS`` before. `failures` are of cells
    that could not be measured or fitted; `reused` counts cells whose result was there already, or
    is that of a cell with equal distances. `differences` are of `embedding_differences`; `ranks`,
    `rank_differences` and `shares` of `joint_ranks`, and empty where nothing can be ranked.
    """

    plan: Plan
    cells: pd.DataFrame
    summary: pd.DataFrame
    contrasts: pd.DataFrame
    failures: tuple[Failure, ...]
    reused: int
    differences: pd.DataFrame = field(
        default_factory=partial(pd.DataFrame, columns=["list", "embedding", "against"])
    )
    ranks: pd.DataFrame = field(default_factory=partial(pd.DataFrame, columns=["wordlist"]))
    rank_differences: pd.DataFrame = field(
        default_factory=partial(pd.DataFrame, columns=["wordlist"])
    )
    shares: pd.DataFrame = field(default_factory=partial(pd.DataFrame, columns=["part"]))

    @property
    def doubtful(self) -> bool:
        """Whether some posterior carries a sampling warning."""
        return bool((self.cells["warnings"] != "").any())


def plan_sweep(
    config: SweepConfig, *, allow_pickle: bool = False, progressbar: bool = False
) -> Plan:
    r"""Read every embedding, measure every list in it, and say what is to be fitted.

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

    Examples
    --------
    >>> import bayesbias as bb
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "sweep.toml")
    >>> text = 'lists = ["religion"]\nmodels = ["paper"]\n[embeddings]\ndemo = "glove-demo"'
    >>> _ = path.write_text(text)
    >>> len(bb.plan_sweep(bb.load_sweep(path)).cells)
    1
    """
    loading = {"allow_pickle": allow_pickle, "progressbar": progressbar}
    models = [spec.name for spec in config.models]
    cells: list[Cell] = []
    jobs: dict[Cell, Job] = {}
    refused: list[Failure] = []
    sizes, missing, thin = [], [], []
    measured = {}
    for embedding in config.embeddings:
        for wordlist, found in _tables(config, embedding, **loading):
            own = [Cell(embedding.name, wordlist.name, model) for model in models]
            cells += own
            if isinstance(found, Failure):
                refused += [replace(found, name=cell.name) for cell in own]
                continue
            table, lacking, few = found
            measured[embedding.name, wordlist.name] = table
            jobs |= {cell: _job(config, cell, table) for cell in own}
            names = {"embedding": embedding.name, "list": wordlist.name}
            count = {"rows": len(table), "missing": len(lacking)}
            sizes.append(names | count | {"table_hash": table_hash(table)})
            missing.append(lacking.assign(**names))
            thin.append(few.assign(**names))
    return Plan(
        config,
        tuple(cells),
        jobs,
        tuple(refused),
        pd.DataFrame(sizes, columns=["embedding", "list", "rows", "missing", "table_hash"]),
        _joined(missing, ["embedding", "list", "role", "set", "word"]),
        _joined(thin, ["embedding", "list", "role", "set", "words", "found", "share"]),
        measured,
    )


def run_sweep(
    plan: Plan,
    *,
    folder: Path | None = None,
    n_jobs: int = 1,
    progress: bool | None = None,
) -> Sweep:
    r"""Fit every cell of a plan that has no result yet; one that fails does not stop the others.

    Parameters
    ----------
    plan : Plan
        From `plan_sweep`.
    folder : Path, optional
        Where results are kept, in ``results/``; the next run takes them from there.
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

    Examples
    --------
    >>> import bayesbias as bb
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "sweep.toml")
    >>> text = 'lists = ["religion"]\nmodels = ["paper"]\n[embeddings]\ndemo = "glove-demo"'
    >>> _ = path.write_text(text)
    >>> sweep = bb.run_sweep(bb.plan_sweep(bb.load_sweep(path)), progress=False)
    >>> len(sweep.cells)
    1
    """
    finished = run_jobs(
        plan.jobs.values(),
        folder=folder,
        n_jobs=n_jobs,
        progress=progress,
        description="fitting",
        category=SamplingWarning,
    )
    return Sweep(
        plan,
        _states(plan, finished),
        _frame(plan, finished, "summary"),
        _frame(plan, finished, "contrasts"),
        (*plan.refused, *finished.failures),
        finished.reused,
    )


def _tables(
    config: SweepConfig, embedding: Embedding, **loading: bool
) -> Iterator[tuple[WordList, tuple[pd.DataFrame, ...] | Failure]]:
    """Measure every list in an embedding: distances, missing words, thin sets; or why not."""
    asked = {word for wordlist in config.lists for word in wordlist.words}
    try:
        vectors = load_vectors(embedding.source, asked, embedding.case, **loading)
    except UNMEASURED as error:
        failure = _failed(embedding.name, error)
        yield from ((wordlist, failure) for wordlist in config.lists)
        return
    for wordlist in config.lists:
        try:
            table = distance_table(vectors, wordlist)
            yield (
                wordlist,
                (table, missing_words(vectors, wordlist), undersized_sets(vectors, wordlist)),
            )
        except UNMEASURED as error:
            yield wordlist, _failed(embedding.name, error)


def _failed(name: str, error: BaseException) -> Failure:
    """State a failure as a reader of the configuration can act on it."""

    def as_key(argument: Argument) -> str:
        key = f'case = "{argument.value}" under [embeddings]'
        return key if argument.name == "case" else str(argument)

    text = error.spelled(as_key) if isinstance(error, NamesArguments) else str(error)
    return Failure(name, type(error).__name__, text or type(error).__name__)


def _job(config: SweepConfig, cell: Cell, table: pd.DataFrame) -> Job:
    spec = next(spec for spec in config.models if spec.name == cell.model).to_dict()
    options = config.of_fit(progressbar=False)
    settings = {"sweep": 1, "table": table_hash(table), "spec": spec, **options.recorded}
    return Job(cell.name, settings, partial(fit_cell, table, spec, options))


def fit_cell(table: pd.DataFrame, spec: Mapping[str, Any], options: FitOptions) -> pd.DataFrame:
    """Fit one cell, in a worker, and return its summary and contrasts as one frame.

    A column ``frame`` says which a row is of; what it has no value for is missing. `spec` is as
    `ModelSpec.to_dict` returns it: models hold read-only mappings, which cannot be sent. The
    frame's ``attrs`` hold ``method`` and ``warnings``.
    """
    tree = fit(table, spec_from_dict(spec), options=options)
    parts = {
        "summary": summary(tree, **options.intervals),
        "contrasts": contrasts(tree, **options.reading),
    }
    whole = joined(parts, "frame")
    whole.attrs = {"method": tree.attrs["method"], "warnings": warnings_of(tree)}
    return whole


def _frame(plan: Plan, finished: Finished, name: str) -> pd.DataFrame:
    """Join one of the frames of all cells, in the order of the cells."""
    parts = []
    for cell in plan.cells:
        whole = finished.frames.get(cell.name, pd.DataFrame({"frame": []}))
        part = whole[whole["frame"] == name].drop(columns="frame").dropna(axis=1, how="all")
        part.attrs = {}
        if len(part):
            parts.append(part.assign(**cell.labels))
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
    """State of every cell what has come of it."""
    failures = {one.name: one for one in (*plan.refused, *finished.failures)}
    rows = []
    for cell in plan.cells:
        failure = failures.get(cell.name, Failure(cell.name, "", ""))
        about = finished.frames.get(cell.name, pd.DataFrame()).attrs
        state = {
            "state": "failed" if failure.error else "done",
            "method": about.get("method", ""),
            "warnings": "; ".join(about.get("warnings", [])),
            "error": failure.error,
            "message": failure.message,
            "key": plan.jobs[cell].key if cell in plan.jobs else "",
        }
        rows.append(cell.labels | state)
    return pd.DataFrame(rows)
