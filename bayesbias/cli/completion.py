"""What the shell completes: names of lists, models, embeddings and pages, and files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .._core.resources import bundled_names
from ..embeddings.gensim_data import NAMES

LIST_ENDINGS = (".toml", ".json", ".csv")
"""Endings of word lists, written again: what knows them takes a second to import."""


def lists(incomplete: str) -> list[str]:
    """Complete a word list: bundled names, and files."""
    names = bundled_names("wordlists", ".toml")
    return [*starting(incomplete, names), *files(incomplete, LIST_ENDINGS)]


def models(incomplete: str) -> list[str]:
    """Complete a model: bundled names, and TOML files."""
    names = bundled_names("models", ".toml")
    return [*starting(incomplete, names), *files(incomplete, (".toml",))]


def vectors(incomplete: str) -> list[str]:
    """Complete an embedding: bundled names, gensim's names, and files."""
    names = [*bundled_names("vectors", ".npz"), *NAMES]
    return [*starting(incomplete, names), *files(incomplete)]


def files(incomplete: str, endings: tuple[str, ...] = ()) -> list[str]:
    """Complete a path: of folders, and of files, with one of some endings if any are given."""
    folder, start = os.path.split(incomplete)
    try:
        found = sorted(Path(folder or ".").expanduser().iterdir())
    except OSError:  # no such folder, or none that may be read
        return []
    known = [path for path in found if path.name.startswith(start)]
    known = [path for path in known if start or not path.name.startswith(".")]
    return [
        os.path.join(folder, path.name) + ("/" if path.is_dir() else "")
        for path in known
        if path.is_dir() or not endings or path.suffix.lower() in endings
    ]


def starting(incomplete: str, names: Iterable[str]) -> list[str]:
    """Return the names that start so."""
    return [name for name in names if name.startswith(incomplete)]
