"""Many embeddings, lists and models: every cell fitted once, kept, and compared with the others.

A cell is an embedding, a list and a model. Differences between two embeddings are fitted as a
change, pair by pair, so that what they share cancels out. All embeddings and lists are also in one
model, which ranks them.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from .._core.checks import Argument, NamesArguments
from .._core.jobs import Failure, Finished, Job, run_jobs
from ..comparison import fit_change
from ..comparison.many import fit_many
from ..comparison.ranks import embedding_differences, rank_embeddings, variance_shares
from ..embeddings.distances import distance_table, missing_words, undersized_sets
from ..embeddings.load import load_vectors
from ..model.defaults import RECOMMENDED
from ..model.spec import load_model, spec_from_dict
from ..model.tree import SamplingWarning, warnings_of
from ..sampling.fit import fit
from ..sampling.options import FitOptions
from ..tables.levels import WORD
from ..tables.schema import table_hash
from .results import ModelResult, joined
from .sweep_spec import SweepConfig

DIFFERENCE_MODEL = RECOMMENDED["change"]
"""The model of all differences between embeddings."""

MOST_ALL = 5
"""Up to so many embeddings, every two are compared; beyond, each with the first."""

JOINT = "all embeddings and lists"
"""What the one model is called in messages."""

KEYS = (
    *("embedding", "list", "model", "against"),
    *("level", "protected_group", "protected_word", "connection", "first", "second"),
)
"""Columns that stand first."""

UNMEASURED = (ValueError, OSError, ImportError)
"""What stands in the way of reading an embedding or of measuring a list in it."""


class Cell(NamedTuple):
    """One fit of a sweep, by the names of its parts."""

    embedding: str
    list: str
    model: str

    @property
    def name(self) -> str:
        """What the cell is called in messages."""
        return " / ".join(self)


@dataclass(frozen=True)
class Plan:
    """What is to be fitted, and what cannot be.

    `cells` are all, in the order of the configuration: `jobs` has those that can be fitted, and
    `refused` the others. A row of `tables` is an embedding and list (``embedding``, ``list``,
    ``rows``, ``missing``, ``table_hash``); `missing` and `thin` are as `missing_words` and
    `undersized_sets` return them, with ``embedding`` and ``list`` before. `measured` has the
    tables, by embedding and list.
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

    A row of `cells` is a cell: ``embedding``, ``list``, ``model``, ``state`` (done or failed),
    ``method``, ``warnings``, ``error``, ``message``, ``key`` (of its result). `summary` and
    `contrasts` are as the functions of these names return them, with the cell before; `differences`
    are contrasts of ``embedding`` - ``against``, overall and by group; `ranks`,
    `rank_differences` and `shares` are of `bb.rank_embeddings`, `bb.embedding_differences` and
    `bb.variance_shares`, and empty where no list was measured in two embeddings that differ.
    `failures` are of cells, `uncompared` of differences and ranks. `reused` counts cells whose
    result was there already, or is that of a cell with equal distances.
    """

    plan: Plan
    cells: pd.DataFrame
    summary: pd.DataFrame
    contrasts: pd.DataFrame
    failures: tuple[Failure, ...]
    reused: int
    differences: pd.DataFrame = field(default_factory=pd.DataFrame)
    ranks: pd.DataFrame = field(default_factory=pd.DataFrame)
    rank_differences: pd.DataFrame = field(default_factory=pd.DataFrame)
    shares: pd.DataFrame = field(default_factory=pd.DataFrame)
    uncompared: tuple[Failure, ...] = ()

    @property
    def doubtful(self) -> bool:
        """Whether some posterior carries a sampling warning."""
        return bool((self.cells["warnings"] != "").any())


def plan_sweep(
    config: SweepConfig, *, allow_pickle: bool = False, progressbar: bool = False
) -> Plan:
    r"""Read every embedding, measure every list in it, and plan what is to be fitted.

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
    >>> [cell.name for cell in bb.plan_sweep(bb.load_sweep(path)).cells]
    ['demo / religion / paper']
    """
    words = {word for wordlist in config.lists for word in wordlist.words}
    measured, missing, thin, sizes = {}, {}, {}, []
    refused: dict[tuple[str, str], Exception] = {}
    for embedding in config.embeddings:
        keys = {(embedding.name, wordlist.name): wordlist for wordlist in config.lists}
        try:
            loading = {"allow_pickle": allow_pickle, "progressbar": progressbar}
            vectors = load_vectors(embedding.source, words, embedding.case, **loading)
        except UNMEASURED as error:
            refused |= dict.fromkeys(keys, error)
            continue
        for key, wordlist in keys.items():
            try:
                measured[key] = distance_table(vectors, wordlist)
            except UNMEASURED as error:
                refused[key] = error
                continue
            missing[key] = missing_words(vectors, wordlist)
            thin[key] = undersized_sets(vectors, wordlist)
            hashed = table_hash(measured[key])
            sizes.append((*key, len(measured[key]), len(missing[key]), hashed))
    names = [[part.name for part in parts] for parts in (config.embeddings, config.lists)]
    specs = {spec.name: spec.to_dict() for spec in config.models}
    cells = [Cell(*names) for names in product(*names, specs)]
    options = config.of_fit(progressbar=False)
    jobs = {}
    for cell in cells:
        if cell[:2] in measured:
            table, spec = measured[cell[:2]], specs[cell.model]
            settings = {"sweep": 1, "table": table_hash(table), "spec": spec, **options.recorded}
            jobs[cell] = Job(cell.name, settings, partial(fit_cell, table, spec, options))
    return Plan(
        config,
        tuple(cells),
        jobs,
        tuple(_refusal(cell, refused[cell[:2]]) for cell in cells if cell[:2] in refused),
        pd.DataFrame(sizes, columns=["embedding", "list", "rows", "missing", "table_hash"]),
        _keyed(missing, ("embedding", "list")),
        _keyed(thin, ("embedding", "list")),
        measured,
    )


def _refusal(cell: Cell, error: Exception) -> Failure:
    """State a failure as a reader of the configuration can act on it."""

    def as_key(argument: Argument) -> str:
        key = f'case = "{argument.value}" under [embeddings]'
        return key if argument.name == "case" else str(argument)

    text = error.spelled(as_key) if isinstance(error, NamesArguments) else str(error)
    return Failure(cell.name, type(error).__name__, text or type(error).__name__)


def run_sweep(
    plan: Plan,
    *,
    folder: Path | None = None,
    n_jobs: int = 1,
    progress: bool | None = None,
) -> Sweep:
    r"""Fit every cell of a plan that has no result yet, and compare the embeddings.

    A cell that fails does not stop the others.

    Parameters
    ----------
    plan : Plan
        From `plan_sweep`.
    folder : Path, optional
        Where results are kept, in ``results/``; the next run takes them from there.
    n_jobs : int
        Processes; -1 for one a core. Within ``joblib.parallel_config(backend="dask")`` a Dask
        cluster does the work.
    progress : bool, optional
        Show a bar; by default on a terminal only.

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
    >>> sweep.cells[["embedding", "list", "model", "state"]]
      embedding      list  model state
    0      demo  religion  paper  done
    """
    differences, joint = _difference_jobs(plan), _joint_jobs(plan)
    settings: dict[str, Any] = {"folder": folder, "n_jobs": n_jobs, "progress": progress}
    settings["category"] = SamplingWarning
    fitted = run_jobs(plan.jobs.values(), description="fitting", **settings)
    compared = run_jobs([*differences.values(), *joint], description="comparing", **settings)

    cells = {cell: fitted.frames[cell.name] for cell in plan.jobs if cell.name in fitted.frames}
    pairs = {
        key: compared.frames[job.name]
        for key, job in differences.items()
        if job.name in compared.frames
    }
    joined_frames = compared.frames.get(JOINT, pd.DataFrame(columns=["frame", "wordlist"]))
    frames = {
        "differences": _keyed(pairs, ("list", "embedding", "against")),
        **{
            name: _keyed({c: _part(whole, name) for c, whole in cells.items()}, Cell._fields)
            for name in ("summary", "contrasts")
        },
        **{name: _part(joined_frames, name) for name in ("ranks", "rank_differences", "shares")},
    }
    for frame in frames.values():
        frame.attrs |= plan.config.intervals
    return Sweep(
        plan=plan,
        cells=_states(plan, fitted),
        failures=(*plan.refused, *fitted.failures),
        reused=fitted.reused,
        uncompared=compared.failures,
        **frames,
    )


def _part(whole: pd.DataFrame, name: str) -> pd.DataFrame:
    """Take one of the frames that a job joined."""
    part = whole[whole["frame"] == name].drop(columns="frame")
    part = part.dropna(axis=1, how="all") if len(part) else part
    part.attrs = {}
    return part.reset_index(drop=True)


def _keyed(parts: Mapping[Any, pd.DataFrame], names: Sequence[str]) -> pd.DataFrame:
    """Join frames with their keys in the first columns."""
    if not parts:
        return pd.DataFrame(columns=list(names))
    for part in parts.values():
        part.attrs = {}
    frame = pd.concat(
        [part.assign(**dict(zip(names, key, strict=True))) for key, part in parts.items()],
        ignore_index=True,
    )
    first = [*names, *(name for name in KEYS if name in frame and name not in names)]
    return frame[[*first, *(name for name in frame if name not in first)]]


def _states(plan: Plan, fitted: Finished) -> pd.DataFrame:
    """State what has come of every cell."""
    failures = {one.name: one for one in (*plan.refused, *fitted.failures)}
    rows = []
    for cell in plan.cells:
        failure = failures.get(cell.name, Failure(cell.name, "", ""))
        about = fitted.frames.get(cell.name, pd.DataFrame()).attrs
        state = {
            "state": "failed" if failure.error else "done",
            "method": about.get("method", ""),
            "warnings": "; ".join(about.get("warnings", [])),
            "error": failure.error,
            "message": failure.message,
            "key": plan.jobs[cell].key if cell in plan.jobs else "",
        }
        rows.append(cell._asdict() | state)
    return pd.DataFrame(rows)


def _difference_jobs(plan: Plan) -> dict[tuple[str, str, str], Job]:
    """Return the comparisons of two embeddings by list, embedding and the other embedding.

    Embeddings with the same distances are not compared.
    """
    options, spec = plan.config.of_fit(progressbar=False), load_model(DIFFERENCE_MODEL).to_dict()
    jobs = {}
    for wordlist in (each.name for each in plan.config.lists):
        names = [each.name for each in plan.config.embeddings]
        tables = {n: plan.measured[n, wordlist] for n in names if (n, wordlist) in plan.measured}
        hashes = {name: table_hash(table) for name, table in tables.items()}
        for first, second in combinations(tables, 2):
            with_first = first == next(iter(tables))
            if hashes[first] != hashes[second] and (len(tables) <= MOST_ALL or with_first):
                both = [hashes[first], hashes[second]]
                settings = {"sweep_difference": 1, "tables": both, "spec": spec}
                settings |= options.recorded
                run = partial(fit_difference, tables[first], tables[second], spec, options)
                name = f"{second} against {first} / {wordlist}"
                jobs[wordlist, second, first] = Job(name, settings, run)
    return jobs


def _joint_jobs(plan: Plan) -> list[Job]:
    """Return the one model of all embeddings and lists, each distance once in a list."""
    unique: dict[tuple[str, str], pd.DataFrame] = {}
    for (embedding, wordlist), table in plan.measured.items():
        named = table.assign(embedding=embedding, wordlist=wordlist)
        unique.setdefault((wordlist, table_hash(table)), named)
    tables = list(unique.values())
    if len({wordlist for wordlist, _ in unique}) == len(tables):
        return []
    options = plan.config.of_fit(progressbar=False, method="auto")
    keys = [
        [wordlist, str(table["embedding"].iloc[0]), hashed]
        for (wordlist, hashed), table in unique.items()
    ]
    settings = {"sweep_joint": 1, "tables": keys, **options.recorded}
    return [Job(JOINT, settings, partial(fit_joint, tables, options))]


def fit_cell(table: pd.DataFrame, spec: Mapping[str, Any], options: FitOptions) -> pd.DataFrame:
    """Fit one cell, in a worker, and return its summary and contrasts as one frame.

    A column ``frame`` says which a row is of; what it has no value for is missing. `spec` is as
    `ModelSpec.to_dict` returns it: models hold read-only mappings, which cannot be sent. The
    frame's ``attrs`` hold ``method`` and ``warnings``.
    """
    result = ModelResult(fit(table, spec_from_dict(spec), options=options), options)
    whole = joined({"summary": result.summary, "contrasts": result.contrasts}, "frame")
    method = result.posterior.attrs["method"]
    whole.attrs = {"method": method, "warnings": list(result.warnings)}
    return whole


def fit_difference(
    before: pd.DataFrame, after: pd.DataFrame, spec: Mapping[str, Any], options: FitOptions
) -> pd.DataFrame:
    """Fit after - before, in a worker, and return its contrasts overall and by group.

    Rows without a partner are of words that one embedding lacks, which the report names.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* have no partner in the other table")
        result = ModelResult(
            fit_change(before, after, spec_from_dict(spec), options=options), options
        )
    frame = result.contrasts[result.contrasts["level"] != WORD].reset_index(drop=True)
    frame.attrs = {"warnings": list(result.warnings)}
    return frame


def fit_joint(tables: Sequence[pd.DataFrame], options: FitOptions) -> pd.DataFrame:
    """Fit all tables, in a worker, and return ranks, differences and shares as one frame.

    Pairs that an embedding lacks are words that the report names.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* are not in all of its embeddings")
        warnings.filterwarnings("ignore", message="the list .* is in .* only")
        tree = fit_many(tables, options=options)
        parts = {
            "ranks": rank_embeddings(tree, **options.intervals),
            "rank_differences": embedding_differences(tree, **options.reading),
            "shares": variance_shares(tree, **options.intervals),
        }
    whole = joined(parts, "frame")
    whole.attrs = {"warnings": warnings_of(tree)}
    return whole
