"""The one cache of results: contents by key in an SQLite file, and frames as such contents.

SQLite takes many small results in one file, lets two processes use it at once, and a process that
is killed at any moment leaves the last whole transaction. Contents are JSON, not pickles: Python
writes a float with as many digits as tell it from every other, so that reading gives back its bits.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import batched
from pathlib import Path
from typing import Any

import pandas as pd

from .. import __version__

RESULTS = "results.sqlite"
"""Name of the file in a folder of results."""

KEYS_AT_ONCE = 500
"""Keys asked for in one statement; SQLite allows some thousands."""

PATIENCE = 60.0
"""Seconds to wait for another process that is writing."""

_TABLE = """CREATE TABLE IF NOT EXISTS results
(key TEXT PRIMARY KEY, content BLOB NOT NULL, sha256 TEXT NOT NULL)"""


def result_key(settings: object) -> str:
    """Return the SHA-256, in hexadecimal, of what decides a result and of the package's version.

    A ValueError is raised if it is not made of texts, finite numbers, lists and mappings.
    """
    content = {"settings": settings, "version": __version__}
    try:
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"settings must be texts, finite numbers, lists and mappings; got {settings!r}: {error}"
        ) from None
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Store:
    """Results by key; made by `open_store`."""

    path: str
    connection: sqlite3.Connection

    def find(
        self, keys: Iterable[str], unpack: Callable[[Any], object] = lambda _: None
    ) -> dict[str, Any]:
        """Return the results that are there, by key; warn of damaged ones, and leave them out.

        A result of which ``unpack`` makes nothing is damaged, too.
        """
        found: dict[str, Any] = {}
        damaged = 0
        for some in batched(dict.fromkeys(keys), KEYS_AT_ONCE):
            wanted = f"key IN ({','.join('?' * len(some))})"
            rows = self.connection.execute(f"SELECT * FROM results WHERE {wanted}", some)
            for key, content, sha256 in rows:
                try:
                    if sha256 != _hash(key, content):
                        raise ValueError
                    unpack(result := json.loads(content))
                    found[key] = result
                except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
                    damaged += 1
        if damaged:
            warnings.warn(
                f"{damaged} result(s) in {self.path} are damaged; they are computed again",
                stacklevel=3,
            )
        return found

    def keep(self, results: Mapping[str, object]) -> None:
        """Write results, all of them or, if the process is killed meanwhile, none."""
        contents = {key: json.dumps(result).encode() for key, result in results.items()}
        rows = [(key, content, _hash(key, content)) for key, content in contents.items()]
        with self.connection:
            self.connection.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)


@contextmanager
def open_store(path: str | Path | None) -> Iterator[Store]:
    """Open a file of results.

    None keeps results in memory, until the block ends. The file is made if it is not there, in a
    folder that must be. An OSError is raised if it cannot be read or written, for example because
    the disk is full, and a ValueError if it is damaged, or something else.
    """
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {Path(path).parent} to keep results in")
    try:
        with closing(sqlite3.connect(path or ":memory:", timeout=PATIENCE)) as connection:
            _require_own(connection)
            yield Store(str(path), connection)
    except sqlite3.DatabaseError as error:
        # Python's own error, of a text that is not UTF-8, has no code.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        if isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_ERROR:
            raise OSError(f"results cannot be kept in {path}: {error}") from None
        raise ValueError(
            f"{path} is no file of results, or is damaged ({error}); move it away, and its "
            "results are computed again"
        ) from None


def _require_own(connection: sqlite3.Connection) -> None:
    """Make the table, and raise an error for a file with another one, a view or a trigger.

    These run on reading.
    """
    try:
        connection.execute(_TABLE)
        made = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError(f"its schema is no text: {error}") from None
    if made != [(_TABLE.replace("IF NOT EXISTS ", ""),)]:
        raise sqlite3.DatabaseError("it holds tables that are not ours")


def _hash(key: str, content: object) -> str:
    """Return the SHA-256 of a result and its key: one under another's key is damaged, too."""
    return hashlib.sha256(f"{key} {content!r}".encode()).hexdigest()


def pack_frame(frame: pd.DataFrame) -> dict[str, Any]:
    """Return a frame as plain lists and texts, of which `unpack_frame` makes an equal frame.

    A TypeError is raised if it would not come back as it is: with another index than 0 to n - 1, or
    values that are no booleans, numbers, texts or None.
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"a job must return a DataFrame; got a {type(frame).__name__}")
    from pandas.testing import assert_frame_equal

    columns = [
        {"name": name, "dtype": str(column.dtype), "values": column.tolist()}
        for name, column in frame.items()
    ]
    try:
        content = {"rows": len(frame), "columns": columns, "attrs": frame.attrs}
        packed: dict[str, Any] = json.loads(json.dumps(content))
        assert_frame_equal(unpack_frame(packed), frame, check_exact=True)
    except (TypeError, ValueError, AssertionError) as error:
        reason = " ".join(str(error).split())
        raise TypeError(f"the frame cannot be kept as JSON: {reason}") from None
    return packed


def unpack_frame(packed: Mapping[str, Any]) -> pd.DataFrame:
    """Return the frame of what `pack_frame` returned."""
    columns = {
        each["name"]: pd.Series(each["values"], dtype=each["dtype"]) for each in packed["columns"]
    }
    frame = pd.DataFrame(columns, index=pd.RangeIndex(packed["rows"]))
    frame.attrs = dict(packed["attrs"])
    return frame
