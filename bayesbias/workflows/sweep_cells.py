"""The jobs of a sweep: measure a list in an embedding, and fit a model, or one model to all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._core.arrays import IntArray
from .._core.checks import Argument
from .._core.jobs import Job
from .._core.warnings import ignored
from ..comparison.many import fit_many
from ..comparison.ranks import (
    closeness_dots,
    embedding_differences,
    rank_embeddings,
    variance_shares,
)
from ..embeddings.distances import measure, missing_words, undersized_sets
from ..embeddings.formats.keyed import Vectors, forms_of_keys, known_ranks
from ..embeddings.load import pick
from ..model.frequency import MATCHED
from ..model.spec import ModelSpec
from ..sampling.fit import fit_checked
from ..sampling.options import FitOptions
from ..tables.covariates import with_frame
from ..tables.schema import Checked, table_hash
from ..tables.wordlists import WordList
from ..warnings import CopyNotRanked, NoLikeness, NoRanks, PairsNotShared
from .frames import LIST_READINGS
from .reference import Held, in_contexts, read_source
from .results import ModelResult, Readings, joined, read_posterior
from .settings import Settings
from .sweep_spec import SweepConfig

JOINT = "all embeddings and lists"

CELL_READINGS: Readings = {name: LIST_READINGS[name] for name in ("summary", "contrasts")}
"""Functions that read frames from a cell's posterior, as in the analysis of a single list."""

JOINT_READINGS: Readings = {
    "ranks": lambda tree, options: rank_embeddings(tree, **options.intervals),
    "differences": lambda tree, options: embedding_differences(tree, **options.reading),
    "shares": lambda tree, options: variance_shares(tree, **options.intervals),
    "dots": lambda tree, options: closeness_dots(tree, **options.intervals),
}
"""Functions that read frames from the joint model's posterior."""

type ListKey = tuple[str, str]
type Matrix = NDArray[np.float32]

_Known = dict[str, tuple[int, Matrix]]
"""Rows in the matrix, and vectors, keyed by form."""


@dataclass(frozen=True, eq=False)
class Part:
    """A list in an embedding; the embedding's `matrix` is shared by all lists and models."""

    wordlist: WordList
    matched: tuple[str, ...]
    words: tuple[str, ...]
    rows: IntArray
    forms: tuple[str, ...]
    ranks: IntArray | None
    hint: tuple[str | Argument, ...]
    hash: str
    matrix: Matrix

    def __getstate__(self) -> dict[str, Any]:
        """Leave the matrix out, which travels by itself."""
        return vars(self) | {"matrix": None}

    @property
    def is_found(self) -> bool:
        """Whether words of two groups and of a set of stereotypes have vectors."""
        found, of = set(self.words), self.wordlist
        n_groups = sum(not found.isdisjoint(words) for words in of.groups.values())
        return n_groups > 1 and any(not found.isdisjoint(own) for own in of.stereotypes.values())

    def measured(self, matrix: Matrix) -> tuple[Checked, pd.DataFrame, pd.DataFrame]:
        """Return distances, with matched controls, missing words, and sets with too few words."""
        vectors = Vectors(self.words, matrix[self.rows], self.forms, self.ranks)
        vectors.hint = self.hint
        matched = {MATCHED: self.matched} if self.matched else {}
        wider = replace(self.wordlist, controls={**self.wordlist.controls, **matched})
        table = measure(vectors, wider)
        lost, thin = missing_words(vectors, self.wordlist), undersized_sets(vectors, self.wordlist)
        return table, lost, thin


def parts_of(
    lists: Sequence[WordList], settings: Settings, spec: ModelSpec | None = None
) -> tuple[dict[str, Part], pd.DataFrame]:
    """Read the vectors of all lists and their matched controls from an embedding, in one pass.

    With a model, the embedding's landmarks are measured, too.
    """
    source, known, parts = read_source(settings.vectors, lists, settings), _Known(), {}
    ruler = pd.DataFrame()
    for own in lists:
        listed = Held(Vectors([], np.empty((0, 1), dtype=np.float32)), own, settings)
        with suppress(ValueError):  # without any words or stereotypes, the list's cells fail
            listed = source.read(own)
            listed = listed.matched()
        parts[own.name] = _part(own, listed, known)
        if spec and ruler.empty and listed.parts[0].key_to_index:
            ruler = source.landmarks(listed, spec)
    if not known and not in_contexts(source.vectors):  # raises an error that says what is missing
        pick(source.vectors, chain.from_iterable(one.words for one in lists), settings.case)
    matrix = np.array([vector for _, vector in known.values()])
    return {name: replace(part, matrix=matrix) for name, part in parts.items()}, ruler


def _part(own: WordList, listed: Held, known: _Known) -> Part:
    """Return a list and a hash of what is measured; add its vectors to those that are known."""
    (vectors,), wider = listed.parts, listed.wordlist
    place, ranks = vectors.key_to_index, known_ranks(vectors)
    forms = dict(zip(vectors.index_to_key, forms_of_keys(vectors), strict=True))
    words = tuple(word for word in wider.words if word in place)
    rows = np.array([place[word] for word in words], dtype=np.int64)
    of_words, of_rows = tuple(forms[word] for word in words), None if ranks is None else ranks[rows]
    for word, form in zip(words, of_words, strict=True):
        if form not in known:
            known[form] = len(known), vectors[word].copy()
    sets = [wider.groups, wider.stereotypes, wider.controls, wider.stereotype_names, wider.baseline]
    codes = pd.factorize(np.array(of_words, dtype=object))[0].tolist()
    content = [sets, words, codes, None if of_rows is None else of_rows.tolist()]
    digest = hashlib.sha256(json.dumps(content).encode())
    digest.update(np.ascontiguousarray(vectors.vectors[rows], dtype="<f4").tobytes())
    return Part(
        wordlist=own,
        matched=() if wider is own else wider.controls[MATCHED],
        words=words,
        rows=np.array([known[form][0] for form in of_words], dtype=np.int64),
        forms=of_words,
        ranks=of_rows,
        hint=vectors.hint,
        hash=digest.hexdigest(),
        matrix=vectors.vectors,
    )


def cell_job(name: Sequence[str], part: Part, spec: ModelSpec, config: SweepConfig) -> Job:
    """Return the job of one cell, whose key is a hash of the list, its vectors, and the model."""
    options, (how, adjusted) = config.of_cells, _adjusted(config, part.words)
    settings = {"sweep": 4, "measured": part.hash, "spec": config.contents[spec.name]}
    settings |= options.recorded
    run = partial(fit_cell, part=part, spec=spec, options=options, **how)
    return Job(" / ".join(name), settings | adjusted, run, (part.matrix,))


def _adjusted(config: SweepConfig, words: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return covariates and the words' values as arguments of a job, and as its settings."""
    values, settings = config.values, dict[str, Any]()
    if config.covariates:
        settings["covariates"] = list(config.covariates)
    if values is not None:
        values = values[values.index.isin(words)]
        settings["values"] = hashlib.sha256(values.to_csv().encode()).hexdigest()
    return {"covariates": config.covariates, "values": values}, settings


def fit_cell(
    matrix: Matrix,
    *,
    part: Part,
    spec: ModelSpec,
    covariates: Sequence[str],
    values: pd.DataFrame | None,
    options: FitOptions,
) -> pd.DataFrame:
    """Measure and fit one cell in a worker, and return its summary and contrasts."""
    table, missing, thin = part.measured(matrix)
    if values is not None:
        table = replace(table, rows=with_frame(table.rows, values))
    tree = fit_checked(table, spec, covariates=covariates, options=options)
    whole = _packed(read_posterior(tree, CELL_READINGS, options))
    whole.attrs |= {"rows": len(table.rows), "table_hash": table_hash(table.rows)}
    whole.attrs |= {"missing": missing.to_dict("list"), "thin": thin.to_dict("list")}
    return whole


def joint_jobs(
    parts: Mapping[ListKey, Part], config: SweepConfig
) -> tuple[list[Job], list[CopyNotRanked]]:
    """Return the job of the joint model, which uses equal vectors once, and what it leaves out.

    There is no job if no list has different vectors in two embeddings.
    """
    parts = {key: part for key, part in parts.items() if part.is_found}
    first: dict[tuple[str, str], ListKey] = {}
    for key, part in parts.items():
        first.setdefault((key[1], part.hash), key)
    left_out = [
        CopyNotRanked(wordlist, first[wordlist, part.hash][0], embedding)
        for (embedding, wordlist), part in parts.items()
        if first[wordlist, part.hash] != (embedding, wordlist)
    ]
    keys = list(first.values())
    if len({wordlist for _, wordlist in keys}) == len(keys):
        return [], left_out
    options = config.of_fit(method="auto", progressbar=False)
    named = [[wordlist, name, parts[name, wordlist].hash] for name, wordlist in keys]
    settings = {"sweep_joint": 5, "measured": named, **options.recorded}
    some = {key: parts[key] for key in keys}
    matrices = {embedding: part.matrix for (embedding, _), part in some.items()}
    how, adjusted = _adjusted(config, [word for part in some.values() for word in part.words])
    run = partial(fit_joint, parts=some, options=options, **how)
    return [Job(JOINT, settings | adjusted, run, tuple(matrices.values()))], left_out


def fit_joint(
    *matrices: Matrix,
    parts: Mapping[ListKey, Part],
    covariates: Sequence[str],
    values: pd.DataFrame | None,
    options: FitOptions,
) -> pd.DataFrame:
    """Fit all lists in a worker, and return ranks, differences, and shares.

    Lists that cannot be measured are left out; their cells name the reason. Warnings about missing
    pairs are hidden, because the report names the missing words, and so are those that cells have.
    """
    embeddings = dict.fromkeys(embedding for embedding, _ in parts)
    matrix, tables = dict(zip(embeddings, matrices, strict=True)), []
    for (embedding, wordlist), part in parts.items():
        with suppress(ValueError):
            measured, *_ = part.measured(matrix[embedding])
            table = measured.rows if values is None else with_frame(measured.rows, values)
            tables.append(table.assign(embedding=embedding, wordlist=wordlist))
    if not tables:
        raise ValueError("no list could be measured, for the reasons that its cells name")
    with ignored(PairsNotShared, NoLikeness, NoRanks):
        tree = fit_many(tables, covariates=covariates, options=options)
    return _packed(read_posterior(tree, JOINT_READINGS, options))


def _packed(result: ModelResult) -> pd.DataFrame:
    """Join all frames into one; ``attrs`` has their columns, their ``n_draws``, and the method."""
    whole = joined(result.frames, "frame")
    whole.attrs = {
        "columns": {name: list(part) for name, part in result.frames.items()},
        "n_draws": {name: part.attrs["n_draws"] for name, part in result.frames.items()},
        "method": result.posterior.attrs.get("method", ""),
    }
    return whole
