"""What changed since an earlier run of a list: settings, inputs, versions and contrasts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ..tables.levels import WORD
from ..tables.table_files import read_frame

DECIDING = ("list", "arguments", "versions", "hashes", "models")
"""Parts of ``run.json`` that decide the numbers."""


def load_earlier(folder: Path) -> tuple[dict[str, Any], pd.DataFrame]:
    """Read the record and the contrasts of an earlier run."""
    path = folder / "run.json"
    if not path.is_file():
        raise FileNotFoundError(f"no earlier run at {folder}; give a folder with run.json in it")
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # no JSON or UTF-8, or nested too deeply
        raise ValueError(f"{path} cannot be read as the record of a run: {error}") from None
    if not isinstance(record, dict) or "hashes" not in record:
        raise ValueError(f"{path} is not the record of a run of one word list")
    return record, read_frame(folder / "contrasts.csv")


def changes_since(
    earlier: tuple[Mapping[str, Any], pd.DataFrame], record: Mapping[str, Any], now: pd.DataFrame
) -> pd.DataFrame:
    """Return ``what``, ``before`` and ``after`` of all that differs, contrasts by group last."""
    old_record, old = earlier
    before, after = ({key: each.get(key) for key in DECIDING} for each in (old_record, record))
    rows = [
        *_differences("", before, json.loads(json.dumps(after))),
        *_differences("", _means(old), _means(now)),
    ]
    return pd.DataFrame(rows, columns=["what", "before", "after"])


def _differences(name: str, old: object, new: object) -> Iterator[tuple[str, str, str]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from _differences(f"{name} {key}".strip(), old.get(key), new.get(key))
    elif old != new:
        yield name, str(old)[:60], str(new)[:60]


def _means(contrasts: pd.DataFrame) -> dict[str, str]:
    rows = contrasts[contrasts["level"] != WORD]
    names = rows["model"] + ", " + rows["protected_group"].replace("", "all groups") + ": "
    names += rows["first"] + " - " + rows["second"]
    return dict(zip(names, rows["mean"].map("{:+.3f}".format), strict=True))
