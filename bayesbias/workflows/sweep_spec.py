"""The file of a sweep: embeddings, lists and models to compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from .._core.checks import unknown_name
from .._core.random import Seed
from .._core.reading import located, parse_toml, read_text
from ..embeddings.load import CASES
from ..model.defaults import DEFAULT_MODELS, EXTRA_GROUPS
from ..model.spec import ModelSpec, load_model
from ..sampling.options import FitOptions
from ..tables.wordlists import WordList, load_wordlist

LOADERS: dict[str, Callable[[str], WordList | ModelSpec]] = {
    "lists": load_wordlist,
    "models": lambda source: load_model(source, "distance"),
}
"""What makes the parts of a sweep of names and paths."""

WORDS = {int: "a whole number", float: "a number", str: "text"}
"""What options of a fit take."""


@dataclass(frozen=True)
class Embedding:
    """An embedding of a sweep: what it is called, where it is, and how words are looked up."""

    name: str
    source: str
    case: str = "exact"


@dataclass(frozen=True)
class SweepConfig(FitOptions):
    """What a sweep compares: every embedding, list and model with every other.

    No two of a kind have one name.
    """

    embeddings: tuple[Embedding, ...]
    lists: tuple[WordList, ...]
    models: tuple[ModelSpec, ...]
    seed: Seed = field(default=1, kw_only=True)
    title: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        for kind in ("embeddings", "lists", "models"):
            names = [each.name for each in getattr(self, kind)]
            if not names:
                raise ValueError(f"{kind} is empty; a sweep needs at least one of them")
            for name in names:
                if not name.strip() or not name.isprintable():
                    raise ValueError(f"{kind} holds the name {name!r}, which cannot be printed")
                if names.count(name) > 1:
                    raise ValueError(f"{kind} holds {name!r} twice; each needs a name of its own")
        for wordlist in self.lists:
            if not wordlist.groups:
                raise ValueError(
                    f"the list {wordlist.name!r} has control words only; give one with groups"
                )

    @property
    def n_cells(self) -> int:
        """How many fits the sweep has."""
        return len(self.embeddings) * len(self.lists) * len(self.models)


KINDS: dict[str, type] = {
    each.name: {"seed": int, "rope": float}.get(each.name, type(each.default))
    for each in fields(FitOptions)
    if each.name not in {"progressbar", *EXTRA_GROUPS}
} | {"title": str}
"""Types of the keys that take one value."""

KEYS = {
    "lists": "a list of names or paths of word lists",
    "models": "a list of names or paths of models",
    **{name: WORDS[kind] for name, kind in KINDS.items()},
    "embeddings": "a table of names and sources: [embeddings], and below it lines such as "
    'demo = "glove-demo"',
}
"""Keys of the file, and what each takes."""


def load_sweep(path: str | Path) -> SweepConfig:
    r"""Read the configuration of a sweep from a TOML file.

    Parameters
    ----------
    path : str or Path
        ``bayesbias sweep --help`` shows an example. ``lists`` and ``[embeddings]`` are needed.
        Paths in it are relative to its folder.

    Returns
    -------
    SweepConfig

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no such file, or no list or model at a path in it. Missing embeddings are found
        when the sweep is planned, and stop only their own cells.
    ValueError
        If the file is not a configuration: names the key, and what it takes.

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
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the sweep's .toml file")
    if not path.is_file():
        raise FileNotFoundError(f"no sweep configuration at {path}")
    with located(path):
        return sweep_from_dict(parse_toml(read_text(path), "a sweep"), path.parent)


def sweep_from_dict(content: Mapping[str, Any], folder: Path) -> SweepConfig:
    """Make a configuration of the content of its TOML file; paths are relative to `folder`."""
    for key, kind in {"groups": "a word list", "priors": "a model"}.items():
        if key in content:
            raise ValueError(
                f"this is {kind}, not a sweep, which has lists and [embeddings]; `bayesbias sweep "
                "--help` shows one"
            )
    for key in content:
        if key not in KEYS:
            raise ValueError(unknown_name("key", key, KEYS))
    for key in ("lists", "embeddings"):
        if key not in content:
            raise ValueError(f"the key {key!r} is lacking; it takes {KEYS[key]}")
    whole = {"models": list(DEFAULT_MODELS["distance"]), **content}
    return SweepConfig(**{key: _read(key, value, folder) for key, value in whole.items()})


def _read(key: str, value: object, folder: Path) -> Any:  # noqa: ANN401
    """Return a key's value as `SweepConfig` takes it, which checks whether it is allowed."""
    if key == "embeddings" and isinstance(value, Mapping):
        return tuple(_embedding(str(name), each, folder) for name, each in value.items())
    if key in LOADERS and isinstance(value, list) and all(isinstance(v, str) for v in value):
        return tuple(LOADERS[key](_located(each, folder)) for each in value)
    kind = KINDS.get(key)
    if (
        kind is None
        or isinstance(value, bool)
        or not isinstance(value, (int, float) if kind is float else kind)
    ):
        raise ValueError(f"{key} must be {KEYS[key]}; got {value!r:.60}")
    return value


def _embedding(name: str, raw: object, folder: Path) -> Embedding:
    where = f"embeddings.{name}"
    raw = {"source": raw} if isinstance(raw, str) else raw
    if not isinstance(raw, Mapping):
        hint = f"; {name} stands before [embeddings]" if name in KEYS else ""
        raise ValueError(f"{where} must be a path, or a table with source; got {raw!r:.60}{hint}")
    for key, value in raw.items():
        if key not in {"source", "case"}:
            raise ValueError(f"{where}: {unknown_name('key', key, ['source', 'case'])}")
        if not isinstance(value, str) or not value:
            raise ValueError(f"{where}.{key} must be text; got {value!r:.60}")
    if "source" not in raw:
        raise ValueError(f"{where} lacks source, the name or path of the embedding")
    case = raw.get("case", "exact")
    if case not in CASES:
        raise ValueError(f"{where}: {unknown_name('case', case, CASES)}")
    return Embedding(name, _located(raw["source"], folder), case)


def _located(source: str, folder: Path) -> str:
    """Return a bundled name as it is, and a path as seen from the configuration's folder."""
    if max(map(len, source.encode().split(b"/")), default=0) > 255 or len(source.encode()) > 2048:
        raise ValueError(f"{source[:40]!r}... is too long for the name of a file or a bundled one")
    if not re.search(r"[/\\]", source) and not Path(source).suffix:
        return source
    return str(folder / Path(source).expanduser())
