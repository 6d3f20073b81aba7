"""Sweeps of many embeddings, lists, and models: each cell is fitted once, saved, and compared.

A cell is one embedding, one list, and one model. A joint model of all embeddings and lists also
ranks the embeddings and estimates their differences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import batched, product
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd

from .._core.checks import counted
from .._core.jobs import RESULTS, Failure, Finished, Job, run_jobs
from .._core.warnings import BayesbiasWarning, SamplingWarning, warn
from ..records.found import Frames, SweepRecord
from ..warnings import LeftOut, ListInOneEmbedding, NotRanked, SomeAtEqualFrequency
from . import output
from .results import Fitted, ModelResult, joined
from .ruler import of_same_measure
from .settings import Settings
from .sweep_cells import (
    CELL_READINGS,
    JOINT,
    JOINT_READINGS,
    ListKey,
    Part,
    cell_job,
    joint_jobs,
    parts_of,
)
from .sweep_frames import AT_ONCE, Cell, CellFrames
from .sweep_spec import SweepConfig

CELL = ("embedding", "list", "model")
"""Columns that identify a cell."""

OF_TABLES = ("missing", "thin")
"""Frames about measured tables, which all models share."""

FRAMES = (*CELL_READINGS, *tuple(JOINT_READINGS)[:3], "cells", "missing")

OTHERS = ("failures", "tables", "thin", "dots", "landmarks")
"""Frames that do not mark a folder as one with results."""


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Fitted):
    """The results of a sweep, as frames; failed cells appear only in ``cells``.

    ``cells`` has a row for each cell, with ``embedding``, ``list``, ``model``, ``state`` (done or
    failed), ``method``, ``warnings``, ``error``, ``message``, and the ``key`` of its result; those
    that failed are also in ``failures``. ``summary`` and ``contrasts`` come from the functions with
    the same names; their first columns name the cell. ``ranks``, ``differences``, and ``shares``
    come from `bb.rank_embeddings`, `comparison.embedding_differences`, and
    `comparison.variance_shares`. They are empty if no list has different distances in two
    embeddings, or if the joint model fails. `uncompared` has the reason, and the embeddings that
    have no rank because their vectors are those of another. ``tables`` has a row for each list
    measured in an embedding. ``missing`` and ``thin`` come from `bb.missing_words` and
    `bb.undersized_sets`. ``summary`` and ``contrasts`` stay in a temporary file until they are
    read. `reused` counts results that already existed.
    """

    found: SweepRecord
    reused: int
    uncompared: tuple[Failure, ...]
    results: Mapping[str, ModelResult] = field(default_factory=dict, init=False)

    @property
    def lead(self) -> NoReturn:
        """A sweep has no main result."""
        raise TypeError(
            "a sweep keeps no posteriors; its frames summary and contrasts have the rows of every "
            "cell, as in sweep.contrasts, and bb.analyze fits a single cell"
        )


def run_sweep(
    config: SweepConfig,
    folder: str | Path | None = None,
    *,
    n_jobs: int = 1,
    allow_pickle: bool = False,
    progress: bool | None = None,
) -> Sweep:
    r"""Measure every list in every embedding, fit every model, and compare the embeddings.

    A result's key depends on the list, its vectors, the model's content, the settings, and the
    package's version. The key stays the same if an embedding's file is renamed or moved.

    Parameters
    ----------
    config : SweepConfig
        From `load_sweep`.
    folder : str or Path, optional
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
        If no list can be read from any embedding. In this case, no folder is created.

    Warns
    -----
    SamplingWarning
        If the sampler warned in any cell. Each warning is shown once for all affected cells.
    UserWarning
        If an embedding cannot be read, if its vectors are those of another, so that it has no rank
        of its own, or if a saved result is damaged and must be computed again.

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
    if not isinstance(config, SweepConfig):
        raise TypeError(f"a sweep needs a configuration; pass bb.load_sweep({config!r:.60})")
    parts, refused, ruler = _parts(config, allow_pickle=allow_pickle, progress=progress)
    jobs = {
        (*key, spec.name): cell_job((*key, spec.name), part, spec, config)
        for (key, part), spec in product(parts.items(), config.models)
    }
    (joint, left_out), kept = joint_jobs(parts, config), CellFrames()
    for one in left_out:
        warn(one)
    done = run_jobs(
        [*jobs.values(), *joint],
        keep=kept.keep,
        folder=folder,
        n_jobs=n_jobs,
        progress=progress,
        description="fitting",
    )
    cells = [(cell, done.frames[job.name]) for cell, job in jobs.items() if job.name in done.frames]
    compared = [((), done.frames[job.name]) for job in joint if job.name in done.frames]
    attrs = {**config.intervals, "n_draws": float(config.n_draws)}
    frames: dict[str, Any] = {name: kept.joined(name, compared, ()) for name in JOINT_READINGS}
    for frame in frames.values():
        frame.attrs |= attrs
    about = {cell: kept.about(one) for cell, one in cells}
    for name in CELL_READINGS:
        known = [one["n_draws"][name] for one in about.values() if "n_draws" in one]
        own = attrs | {"n_draws": min(known, default=attrs["n_draws"])}
        frames[name] = kept.later(name, cells, CELL, own)
    frames |= _of_tables(kept, cells)
    methods = {cell: str(one["method"]) for cell, one in about.items()}
    states = _states(config, jobs, done, methods, refused)
    failures = states[states["state"] == "failed"]
    frames |= {"cells": states, "failures": failures}
    lead = {spec.name for spec in config.exact_models[-1:]}  # the model of the landmarks
    led = (part[part["model"].isin(lead)] for part in frames["contrasts"].pieces())
    frames["landmarks"] = of_same_measure(ruler, led)
    failed = [one for one in done.failures if one.name == JOINT]
    unranked = [NotRanked(one.message) for one in failed]
    failed += [
        Failure(f"{one.other} / {one.wordlist}", type(one).__name__, str(one)) for one in left_out
    ]
    record = _record(config, frames, done.warnings)
    of_tables = ListInOneEmbedding, SomeAtEqualFrequency
    told = [one for one in done.warnings.get(JOINT, ()) if isinstance(one, of_tables)]
    notices = (*record.notices, *told, *left_out, *unranked)
    record = replace(record, notices=notices, joint_failed=bool(unranked))
    return Sweep(record, done.reused, tuple(failed))


def _of_tables(kept: CellFrames, cells: Sequence[Cell]) -> dict[str, pd.DataFrame]:
    """Return the tables' sizes, missing words, and sets with too few words, from their cells."""
    tables = {names[:2]: one for names, one in cells}
    sizes, parts = list[tuple[Any, ...]](), {name: list[pd.DataFrame]() for name in OF_TABLES}
    for batch in batched(tables.items(), AT_ONCE):
        about = {key: kept.about(one) for key, one in batch}
        for key, found in about.items():
            n_missing = len(found["missing"]["word"])
            sizes.append((*key, found["rows"], n_missing, found["table_hash"]))
        for name, joint in parts.items():
            own = {key: pd.DataFrame(found[name]) for key, found in about.items()}
            joint.append(joined(own, *CELL[:2]))
    frames = {
        name: pd.concat(joint, ignore_index=True) if joint else pd.DataFrame()
        for name, joint in parts.items()
    }
    columns = [*CELL[:2], "rows", "missing", "table_hash"]
    return {"tables": pd.DataFrame(sizes, columns=columns), **frames}


def _record(
    config: SweepConfig,
    frames: Mapping[str, Any],
    noticed: Mapping[str, Iterable[BayesbiasWarning]],
) -> SweepRecord:
    """Return what was found, as data; `noticed` has the warnings of each job by its name."""
    sources = [(f"Embedding {one.name}", str(one.source)) for one in config.embeddings]
    sources += [(f"List {one.name}", f"{one.title}. {one.reference}") for one in config.lists]
    sources += [(f"Model {one.name}", f"{one.title}. {one.reference}") for one in config.models]
    places: dict[BayesbiasWarning, list[str]] = defaultdict(list)
    for name, found in noticed.items():
        for doubt in _doubts(found):
            places[doubt].append(name)
    return SweepRecord(
        frames=Frames({name: frames[name] for name in (*FRAMES, *OTHERS)}),
        ci_prob=config.ci_prob,
        rope=config.rope or 0.0,
        notices=tuple(
            doubt.concerning(JOINT if names == [JOINT] else counted(len(names), "cell"))
            for doubt, names in places.items()
        ),
        title=config.title or "A sweep",
        embeddings=tuple(one.name for one in config.embeddings),
        lists=tuple(one.name for one in config.lists),
        n_models=len(config.models),
        settings=f"method {config.method}, {config.chains} × {config.draws} draws, "
        f"seed {config.seed}",
        sources=tuple(sources),
        origin={
            "title": config.title,
            "arguments": config.of_fit().recorded | {"covariates": config.covariates},
            "embeddings": [asdict(embedding) for embedding in config.embeddings],
            "lists": [wordlist.name for wordlist in config.lists],
            "models": {spec.name: spec.to_dict() for spec in config.models},
            "cells": len(frames["cells"]),
            "failed": len(frames["failures"]),
            "tables": frames["tables"].to_dict(orient="records"),
        },
    )


def _parts(
    config: SweepConfig, *, allow_pickle: bool, progress: bool | None
) -> tuple[dict[ListKey, Part], dict[str, Exception], pd.DataFrame]:
    """Read every embedding; return each list in it, errors, and the landmarks of the first."""
    parts, refused, ruler = dict[ListKey, Part](), dict[str, Exception](), pd.DataFrame()
    for embedding in config.embeddings:
        settings = Settings(
            vectors=embedding.source,
            case=embedding.case,
            matched=config.matched,
            reference_lists=0,
            allow_pickle=allow_pickle,
            **config.intervals,
            progressbar=progress is not False,
        )
        try:
            exact = config.exact_models if not (parts or config.covariates) else []
            spec = exact[-1] if exact else None
            found, marks = parts_of(config.lists, settings, spec)
        except (ValueError, OSError, ImportError) as error:
            refused[embedding.name] = error
        else:
            parts |= {(embedding.name, name): part for name, part in found.items()}
            if len(marks):
                ruler = marks.assign(embedding=embedding.name)
    if not parts:
        raise ValueError(
            f"no cell can be fitted: {'; '.join(dict.fromkeys(map(str, refused.values())))}"
        )
    for name, reason in refused.items():
        n = config.n_cells // len(config.embeddings)
        warn(LeftOut(n, config.n_cells, "cell", str(reason), about=name))
    return parts, refused, ruler


def _doubts(found: Iterable[BayesbiasWarning]) -> list[BayesbiasWarning]:
    return [warning for warning in found if isinstance(warning, SamplingWarning)]


def _states(
    config: SweepConfig,
    jobs: Mapping[tuple[str, str, str], Job],
    done: Finished,
    methods: Mapping[tuple[str, str, str], str],
    refused: Mapping[str, Exception],
) -> pd.DataFrame:
    """Return the outcome of every cell."""
    failures, rows = {failure.name: failure for failure in done.failures}, []
    for embedding, wordlist, spec in product(config.embeddings, config.lists, config.models):
        cell = (embedding.name, wordlist.name, spec.name)
        job, reason = jobs.get(cell), refused.get(cell[0])
        failure = failures.get(job.name) if job else Failure("", type(reason).__name__, str(reason))
        doubts = _doubts(done.warnings[job.name]) if job and not failure else []
        row = {
            "state": "failed" if failure else "done",
            "method": methods.get(cell, ""),
            "warnings": "; ".join(map(str, doubts)),
            "error": failure.error if failure else "",
            "message": failure.message if failure else "",
            "key": job.key if job else "",
        }
        rows.append(dict(zip(CELL, cell, strict=True)) | row)
    return pd.DataFrame(rows)


def require_sweep_place(out: Path) -> None:
    """Refuse a folder with results that are not a sweep's, before any work is done."""
    for folder in (out, out / RESULTS):
        output.require_folder(folder)
    names = {*output.OWN_NAMES, *(f"{name}.csv" for name in FRAMES)}
    found = sorted(name for name in names if (out / name).exists())
    if found and not (out / RESULTS).exists():
        text = f"{out} has results ({', '.join(found[:3])}) but no results of a sweep"
        raise ValueError(f"{text}; choose another folder")
