"""What a folder of results holds, read without the package."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def kept_results(folder: Path) -> dict[str, bytes]:
    """Return the content of every result, by key; none where nothing has been written yet."""
    path = folder / "results.sqlite"
    if not path.exists():
        return {}
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        if not connection.execute("SELECT * FROM sqlite_master").fetchall():
            return {}
        return dict(connection.execute("SELECT key, content FROM results"))
