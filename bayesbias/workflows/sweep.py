"""Sweeps of many embeddings, lists, and models: each cell is fitted once, saved, and compared.

A cell is one embedding, one list, and one model. A joint model of all embeddings and lists also
ranks the embeddings and estimates their differences.
"""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import pandas as pd

from .._core.checks import counted
from .._core.intervals import ERROR_SHARE
from .._core.jobs import RESULTS, Failure, Finished, Job, run_jobs
from .._core.warnings import BayesbiasWarning, SamplingWarning, warn
from ..comparison.many import fit_many
from ..comparison.ranks import (
    closeness_dots,
    embedding_differences,
    rank_embeddings,
    variance_shares,
)
from ..embeddings.distances import distance_table, missing_words, undersized_sets
from ..embeddings.load import load_vectors
from ..model.spec import ModelSpec
from ..records.sweeps import SweepRecord
from ..report import sweep_page
from ..report.page import Page
from ..sampling.fit import fit
from ..sampling.options import FitOptions
from ..tables.schema import table_hash
from ..tables.wordlists import WordList
from ..warnings import LeftOut, ListInOneEmbedding, PairsNotShared
from . import output
from .list_frames import READINGS
from .reference import matched_list, vocabulary_pool
from .results import ModelResult, Readings, joined, read_posterior
from .settings import Settings
from .sweep_spec import SweepConfig

if TYPE_CHECKING:
    from gensim.models import KeyedVectors
    from xarray import DataTree

    from ..background.reference_words import Pool

CELL = ("embedding", "list", "model")
"""Columns that identify a cell."""

JOINT = "all embeddings and lists"

CELL_READINGS: Readings = {name: READINGS[name] for name in ("summary", "contrasts")}
"""Functions that read frames from a cell's posterior, as in the analysis of a single list."""

JOINT_READINGS: Readings = {
    "ranks": lambda tree, options: rank_embeddings(tree, **options.intervals),
    "differences": lambda tree, options: embedding_differences(tree, **options.reading),
    "shares": lambda tree, options: variance_shares(tree, **options.intervals),
    "dots": lambda tree, options: closeness_dots(tree, **options.intervals),
}
"""Functions that read frames from the joint model's posterior."""

FRAMES = (*CELL_READINGS, *tuple(JOINT_READINGS)[:3], "cells", "missing")

UNMEASURED = (ValueError, OSError, ImportError)
"""Errors of an embedding that cannot be read, or of a list that cannot be measured in it."""

type ListKey = tuple[str, str]


class Measured(NamedTuple):
    """A list that was measured in an embedding."""

    table: pd.DataFrame
    missing: pd.DataFrame
    thin: pd.DataFrame
    hash: str

    @classmethod
    def of(
        cls, vectors: KeyedVectors, wordlist: WordList, pool: Pool | None, settings: Settings
    ) -> Measured:
        """Measure a list, with matched controls."""
        table = distance_table(*matched_list(vectors, wordlist, pool, settings))
        lost, thin = missing_words(vectors, wordlist), undersized_sets(vectors, wordlist)
        return cls(table, lost, thin, table_hash(table))


@dataclass(frozen=True, eq=False)
class Sweep:
    """The results of a sweep, as frames; failed cells appear only in `cells`.

    `cells` has a row for each cell, with ``embedding``, ``list``, ``model``, ``state`` (done or
    failed), ``method``, ``warnings``, ``error``, ``message``, and the ``key`` of its result.
    `summary` and `contrasts` come from the functions with the same names; their first columns name
    the cell. `ranks`, `differences`, and `shares` come from `bb.rank_embeddings`,
    `comparison.embedding_differences`, and `comparison.variance_shares`. They are empty if no list
    has different distances in two embeddings, or if the joint model fails (see `uncompared` for the
    error). `tables` has a row for each list measured in an embedding. `missing` and `thin` come
    from `bb.missing_words` and `bb.undersized_sets`. `reused` counts results that already existed.
    `noticed` has the warnings of each job by its name.
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
    dots: pd.DataFrame
    uncompared: tuple[Failure, ...]
    noticed: Mapping[str, tuple[BayesbiasWarning, ...]] = field(default_factory=dict)
    posteriors: ClassVar[Mapping[str, DataTree]] = {}

    @property
    def failures(self) -> pd.DataFrame:
        """The cells that failed."""
        return self.cells[self.cells["state"] == "failed"]

    @property
    def warnings(self) -> list[BayesbiasWarning]:
        """Warnings from the sampler, each with the number of affected cells or the joint model."""
        places: dict[BayesbiasWarning, list[str]] = defaultdict(list)
        for name, found in self.noticed.items():
            for doubt in _doubts(found):
                places[doubt].append(name)
        return [
            doubt.concerning(JOINT if names == [JOINT] else counted(len(names), "cell"))
            for doubt, names in places.items()
        ]

    @property
    def doubts(self) -> list[str]:
        """The `warnings` in words."""
        return list(map(str, self.warnings))

    @property
    def frames(self) -> dict[str, pd.DataFrame]:
        """Frames to write as CSV, keyed by file name."""
        return {name: getattr(self, name) for name in FRAMES}

    @property
    def found(self) -> SweepRecord:
        """What was found, as data."""
        config = self.config
        sources = [(f"Embedding {one.name}", str(one.source)) for one in config.embeddings]
        sources += [(f"List {one.name}", f"{one.title}. {one.reference}") for one in config.lists]
        sources += [(f"Model {one.name}", f"{one.title}. {one.reference}") for one in config.models]
        others = ("failures", "tables", "thin", "dots")
        return SweepRecord(
            frames={**self.frames, **{name: getattr(self, name) for name in others}},
            models=(),
            ci_prob=config.ci_prob,
            rope=config.rope or 0.0,
            notices=tuple(self.warnings),
            title=config.title or "A sweep",
            embeddings=tuple(one.name for one in config.embeddings),
            lists=tuple(one.name for one in config.lists),
            n_models=len(config.models),
            settings=f"method {config.method}, {config.chains} × {config.draws} draws, "
            f"seed {config.seed}",
            sources=tuple(sources),
        )

    def page(self) -> Page:
        """Return the page of the report."""
        return sweep_page.page(self.found)

    def record(self) -> dict[str, Any]:
        """Return a record of where the numbers come from."""
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

    A result's key depends on the distances, the model's content, the settings, and the package's
    version. The key stays the same if an embedding's file is renamed or moved.

    Parameters
    ----------
    config : SweepConfig
        From `load_sweep`.
    folder : Path, optional
        Results are saved in the ``results`` subfolder, and the next run reuses them.
    n_jobs : int
        Number of processes; -1 for one per core. Within ``joblib.parallel_config(backend="dask")``,
        a Dask cluster runs the fits.
    allow_pickle : bool
        Whether to read pickle files, as in `load_vectors`.
    progress : bool, optional
        Show a progress bar; by default, only on a terminal or in a notebook.

    Returns
    -------
    Sweep
        If a cell fails, the other cells still run.

    Raises
    ------
    ValueError
        If no list can be measured in any embedding. In this case, no folder is created.

    Warns
    -----
    SamplingWarning
        If the sampler warned in any cell. Each warning is shown once for all affected cells.
    UserWarning
        If an embedding cannot be read, if a list cannot be measured in it, or if a saved result is
        damaged and must be computed again.

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
    options = config.of_fit(progressbar=False)
    jobs = {}
    for key, spec in product(measured, config.models):
        part, cell = measured[key], (*key, spec.name)
        settings = {"sweep": 1, "table": part.hash, "spec": spec.to_dict(), **options.recorded}
        jobs[cell] = Job(" / ".join(cell), settings, partial(fit_cell, part.table, spec, options))
    done = run_jobs(
        [*jobs.values(), *_joint_jobs(measured, options)],
        folder=folder,
        n_jobs=n_jobs,
        progress=progress,
        description="fitting",
    )
    whole = {cell: done.frames[job.name] for cell, job in jobs.items() if job.name in done.frames}
    frames = {
        name: joined({cell: _part(frame, name) for cell, frame in whole.items()}, *CELL)
        for name in CELL_READINGS
    }
    joint = done.frames.get(JOINT)
    frames |= {n: pd.DataFrame() if joint is None else _part(joint, n) for n in JOINT_READINGS}
    exact = all(spec.likelihood == "normal" for spec in config.models)
    for name, frame in frames.items():
        share = ERROR_SHARE if exact and name == "contrasts" else 1
        frame.attrs |= {**config.intervals, "n_draws": config.n_draws / share**2}
    sizes = [
        (*key, len(part.table), len(part.missing), part.hash) for key, part in measured.items()
    ]
    return Sweep(
        config=config,
        cells=_states(config, jobs, done, refused),
        tables=pd.DataFrame(sizes, columns=[*CELL[:2], "rows", "missing", "table_hash"]),
        missing=joined({key: part.missing for key, part in measured.items()}, *CELL[:2]),
        thin=joined({key: part.thin for key, part in measured.items()}, *CELL[:2]),
        uncompared=tuple(one for one in done.failures if one.name == JOINT),
        reused=done.reused,
        noticed=done.warnings,
        **frames,
    )


def _measure(
    config: SweepConfig, *, allow_pickle: bool, progress: bool | None
) -> tuple[dict[ListKey, Measured], dict[ListKey, Exception]]:
    """Measure every list in every embedding, warn about failures, and return their errors."""
    words = {word for wordlist in config.lists for word in wordlist.words}
    measured, refused = {}, dict[ListKey, Exception]()
    loading: dict[str, Any] = {"allow_pickle": allow_pickle, "progressbar": progress is not False}
    for embedding in config.embeddings:
        keys = {(embedding.name, wordlist.name): wordlist for wordlist in config.lists}
        settings = Settings(
            case=embedding.case, matched=config.matched, reference_lists=0, **loading
        )
        try:
            vectors = load_vectors(embedding.source, words, embedding.case, **loading)
            pool = vocabulary_pool(settings, words, embedding.source)
        except UNMEASURED as error:
            refused |= dict.fromkeys(keys, error)
            continue
        for key, wordlist in keys.items():
            try:
                measured[key] = Measured.of(vectors, wordlist, pool, settings)
            except UNMEASURED as error:
                refused[key] = error
    reasons = Counter((key[0], str(error)) for key, error in refused.items())
    if not measured:
        raise ValueError(f"no cell can be fitted: {'; '.join(text for _, text in reasons)}")
    for (name, text), count in reasons.items():
        warn(LeftOut(count * len(config.models), config.n_cells, "cell", text, about=name))
    return measured, refused


def _doubts(found: Iterable[BayesbiasWarning]) -> list[BayesbiasWarning]:
    return [warning for warning in found if isinstance(warning, SamplingWarning)]


def _states(
    config: SweepConfig,
    jobs: Mapping[tuple[str, str, str], Job],
    done: Finished,
    refused: Mapping[ListKey, Exception],
) -> pd.DataFrame:
    """Return the outcome of every cell."""
    failures, rows = {failure.name: failure for failure in done.failures}, []
    for embedding, wordlist, spec in product(config.embeddings, config.lists, config.models):
        cell = (embedding.name, wordlist.name, spec.name)
        job, reason = jobs.get(cell), refused.get(cell[:2])
        failure = failures.get(job.name) if job else Failure("", type(reason).__name__, str(reason))
        about: Mapping[Any, Any] = done.frames[job.name].attrs if job and not failure else {}
        doubts = _doubts(done.warnings[job.name]) if job and not failure else []
        row = {
            "state": "failed" if failure else "done",
            "method": about.get("method", ""),
            "warnings": "; ".join(map(str, doubts)),
            "error": failure.error if failure else "",
            "message": failure.message if failure else "",
            "key": job.key if job else "",
        }
        rows.append(dict(zip(CELL, cell, strict=True)) | row)
    return pd.DataFrame(rows)


def _joint_jobs(measured: Mapping[ListKey, Measured], options: FitOptions) -> list[Job]:
    """Return the job of the joint model, which uses equal tables once; no job if all are equal."""
    first = dict[tuple[str, str], ListKey]()
    for key, part in measured.items():
        first.setdefault((key[1], part.hash), key)
    keys = list(first.values())
    if len({wordlist for _, wordlist in keys}) == len(keys):
        return []
    options = options.of_fit(method="auto")
    named = [[wordlist, name, measured[name, wordlist].hash] for name, wordlist in keys]
    settings = {"sweep_joint": 2, "tables": named, **options.recorded}
    tables = [measured[key].table.assign(embedding=key[0], wordlist=key[1]) for key in keys]
    return [Job(JOINT, settings, partial(fit_joint, tables, options))]


def fit_cell(table: pd.DataFrame, spec: ModelSpec, options: FitOptions) -> pd.DataFrame:
    """Fit one cell in a worker, and return its summary and contrasts."""
    return _packed(read_posterior(fit(table, spec, options=options), CELL_READINGS, options))


def fit_joint(tables: Sequence[pd.DataFrame], options: FitOptions) -> pd.DataFrame:
    """Fit all tables in a worker, and return ranks, differences, and shares.

    Warnings about missing pairs are hidden, because the report names the missing words.
    """
    with warnings.catch_warnings():
        for category in (PairsNotShared, ListInOneEmbedding):
            warnings.simplefilter("ignore", category)
        return _packed(read_posterior(fit_many(tables, options=options), JOINT_READINGS, options))


def _packed(result: ModelResult) -> pd.DataFrame:
    """Join all frames into one; ``attrs`` contains their columns, and the method."""
    whole = joined(result.frames, "frame")
    whole.attrs = {
        "columns": {name: list(part) for name, part in result.frames.items()},
        "method": result.posterior.attrs.get("method", ""),
    }
    return whole


def _part(whole: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return one of the frames that a job joined."""
    part: pd.DataFrame = whole.loc[whole["frame"] == name, whole.attrs["columns"][name]]
    part.attrs = {}
    return part.reset_index(drop=True)


def require_sweep_place(out: Path) -> None:
    """Raise an error before any work is done if a sweep cannot use a folder.

    A folder with a sweep's results can be used again; a folder with other results is refused.
    """
    for folder in (out, out / RESULTS):
        output.require_folder(folder)
    if not (out / RESULTS).exists():
        names = dict.fromkeys((*output.OWN_NAMES, *(f"{name}.csv" for name in FRAMES)))
        output.require_place(out, force=False, names=[*names])
