"""A file that remembers scores, so that a run that was stopped goes on where it was.

Scores are many and small: one number a sentence and measure. A folder with a file for each would
be tens of thousands of files; one SQLite file takes them in transactions, and a run killed at any
moment leaves the last whole one.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType

VERSION = 1
"""Raised whenever scores are computed in another way."""

KEYS_AT_ONCE = 500
"""Keys asked for in one statement; SQLite allows some thousands."""


def key_of(*parts: object) -> str:
    """SHA-256 of what a score depends on."""
    return hashlib.sha256(json.dumps([VERSION, *parts]).encode()).hexdigest()


class ScoreCache:
    """Scores by key, in one SQLite file; used as a context manager.

    Parameters
    ----------
    path : str, Path or None
        The file, made if it is not there; None remembers nothing after the run.

    Raises
    ------
    ValueError
        If the file is something else.
    FileNotFoundError
        If there is no folder to make it in.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.path = path
        if path is not None and not Path(path).absolute().parent.is_dir():
            raise FileNotFoundError(f"there is no folder {Path(path).parent} to keep scores in")
        try:
            self._file = _opened(":memory:" if path is None else path)
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{path} is not a file of remembered scores: {error}") from None

    def __enter__(self) -> ScoreCache:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def find(self, keys: Iterable[str]) -> dict[str, float]:
        """Give the scores there are, by key."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, float] = {}
        for start in range(0, len(wanted), KEYS_AT_ONCE):
            some = wanted[start : start + KEYS_AT_ONCE]
            marks = ",".join("?" * len(some))
            rows = self._file.execute(f"SELECT key, score FROM scores WHERE key IN ({marks})", some)
            found.update(rows.fetchall())
        return found

    def keep(self, scores: Mapping[str, float]) -> None:
        """Remember scores, all of them or, if the run ends here, none."""
        with self._file:
            self._file.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?)", scores.items())


def _opened(path: str | Path) -> sqlite3.Connection:
    file = sqlite3.connect(path)
    try:
        file.execute(
            "CREATE TABLE IF NOT EXISTS scores (key TEXT PRIMARY KEY, score REAL NOT NULL)"
        )
    except sqlite3.DatabaseError:
        file.close()
        raise
    return file
