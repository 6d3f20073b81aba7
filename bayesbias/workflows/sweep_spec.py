"""The configuration file of a sweep: embeddings, lists, and models to compare."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from .._core.checks import unknown_name
from .._core.random import Seed
from .._core.reading import located, read_toml
from .._core.resources import bundled_names, no_file
from ..background.reference_words import N_MATCHED
from ..model.defaults import DEFAULT_MODELS
from ..model.spec import ModelSpec, load_model
from ..sampling.options import FitOptions
from ..tables.covariates import read_values
from ..tables.levels import refuse_average
from ..tables.spellings import CASES
from ..tables.wordlists import WordList, load_wordlist
from .settings import require_count, require_lists, require_names, settle_covariates

ALLOWED: dict[str, tuple[Any, str]] = {
    **dict.fromkeys(
        ("lists", "models", "covariates"), (list, "a list of names, placed before [embeddings]")
    ),
    "embeddings": (dict, 'a table of names and sources, as in [embeddings] demo = "glove-demo"'),
}
"""Types of the values that are not text or a number, with a description of each type."""


@dataclass(frozen=True)
class Embedding:
    """An embedding in a sweep: its name, its source, and how words are looked up."""

    name: str
    source: str
    case: str = "exact"


@dataclass(frozen=True)
class SweepConfig(FitOptions):
    """What a sweep compares: every combination of an embedding, a list, and a model.

    No two embeddings may have the same name, nor may two lists or two models. `matched` is the
    number of equally frequent control words to draw for each stereotype from each embedding.
    `covariates` and `covariate_values` are as in `analyze`.
    """

    embeddings: tuple[Embedding, ...]
    lists: tuple[WordList, ...]
    models: tuple[ModelSpec, ...]
    seed: Seed = field(default=1, kw_only=True)
    title: str = ""
    matched: int = N_MATCHED
    covariates: tuple[str, ...] = ()
    covariate_values: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("matched", self.matched)
        settle_covariates(self, self.covariates, self.covariate_values)
        require_names("embeddings", [embedding.name for embedding in self.embeddings])
        require_names("models", [spec.name for spec in self.models])
        require_lists(self.lists)
        refuse_average(wordlist.name for wordlist in self.lists)

    @cached_property
    def values(self) -> pd.DataFrame | None:
        """The values of covariates, by word."""
        path = self.covariate_values
        return read_values(path, self.covariates) if path else None

    @cached_property
    def contents(self) -> dict[str, dict[str, object]]:
        """The models' content by name, which the settings of all cells share."""
        return {spec.name: spec.to_dict() for spec in self.models}

    @property
    def exact_models(self) -> list[ModelSpec]:
        """The Normal models. The last one measures the landmarks."""
        return [spec for spec in self.models if spec.likelihood == "normal"]

    @cached_property
    def of_cells(self) -> FitOptions:
        """The options of each cell's fit."""
        return self.of_fit(progressbar=False)

    @property
    def n_cells(self) -> int:
        """The number of fits in the sweep."""
        return len(self.embeddings) * len(self.lists) * len(self.models)


def load_sweep(path: str | Path) -> SweepConfig:
    r"""Read the configuration of a sweep from a TOML file.

    Parameters
    ----------
    path : str or Path
        ``bayesbias sweep --help`` shows an example. ``lists`` and ``[embeddings]`` are required.
        Paths in the file are relative to its folder.

    Returns
    -------
    SweepConfig

    Raises
    ------
    FileNotFoundError
        If the file, or a list or model that it names by path, does not exist.
    ValueError
        If the file is not a valid configuration. The message gives the reason.

    Examples
    --------
    >>> import bayesbias as bb
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "sweep.toml")
    >>> text = 'lists = ["religion"]\nmodels = ["paper"]\n[embeddings]\ndemo = "glove-demo"'
    >>> _ = path.write_text(text)
    >>> [model.name for model in bb.load_sweep(path).models]
    ['paper']
    """
    path = Path(os.path.expanduser(path))
    if not path.is_file():
        raise no_file("sweep configuration", path)
    with located(path):
        return sweep_from_dict(read_toml(path), path.parent)


def sweep_from_dict(content: Mapping[str, Any], folder: Path) -> SweepConfig:
    """Make a configuration from a TOML file's content; paths are relative to `folder`."""
    known = {key.name: key.default for key in fields(SweepConfig) if key.name != "progressbar"}
    missing = {"models": list(DEFAULT_MODELS["distance"]), "lists": None, "embeddings": None}
    given = {**content, **{key: missing[key] for key in missing if key not in content}}
    for key, value in given.items():
        if key not in known:
            text = unknown_name("key", key, known)
            raise ValueError(f"{text}; `bayesbias sweep --help` shows an example")
        kind, allowed = (str, "text") if isinstance(known[key], str) else (int | float, "a number")
        kind, allowed = ALLOWED.get(key, (kind, allowed))
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{key} must be {allowed}; got {value!r:.60}")
    embeddings, lists, models = (given.pop(key) for key in ("embeddings", "lists", "models"))
    if given.get("covariate_values"):
        given["covariate_values"] = _located(given["covariate_values"], folder)
    names = {kind: bundled_names(kind, ".toml") for kind in ("wordlists", "models")}
    return SweepConfig(
        tuple(_embedding(name, raw, folder) for name, raw in embeddings.items()),
        tuple(load_wordlist(_located(str(one), folder, names["wordlists"])) for one in lists),
        tuple(
            load_model(_located(str(one), folder, names["models"]), "distance") for one in models
        ),
        **given,
    )


def _embedding(name: str, raw: object, folder: Path) -> Embedding:
    given = {"source": raw} if isinstance(raw, str) else raw
    if (
        not isinstance(given, dict)
        or not {"source"} <= {*given} <= {"source", "case"}
        or not all(one and isinstance(one, str) for one in given.values())
    ):
        raise ValueError(
            f"embeddings.{name} must be a name, a path, or {{ source = 'PATH', case = 'lower' }}; "
            f"got {raw!r:.60}. Options of the sweep must come before [embeddings]"
        )
    source = _located(given["source"], folder, bundled_names("vectors", ".npz"))
    embedding = Embedding(name, **given | {"source": source})
    if embedding.case not in CASES:
        raise ValueError(f"embeddings.{name}: {unknown_name('case', embedding.case, CASES)}")
    return embedding


def _located(source: str, folder: Path, bundled: Collection[str] = ()) -> str:
    """Return a name unchanged, or a path relative to the configuration's folder.

    Text without a slash or an ending is the name of a bundled file, of a file or folder in the
    configuration's folder, or of a download. The current folder is never searched.
    """
    path = folder / os.path.expanduser(source)
    is_path = "/" in source or "\\" in source or Path(source).suffix
    if source not in bundled and (is_path or os.path.exists(path) or os.path.exists(source)):
        return str(path)
    return source
