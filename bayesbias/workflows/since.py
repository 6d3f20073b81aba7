"""What changed since an earlier run of a list: settings, inputs, versions and contrasts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from .._core.reading import read_json
from ..tables.table_files import read_frame
from .output import RECORD, versions

if TYPE_CHECKING:
    from .wordlist import Analysis


def changes_since(folder: Path, analysis: Analysis) -> pd.DataFrame:
    """Return ``what``, ``before`` and ``after`` of all that differs, contrasts by group last."""
    record = {"versions": versions(), **analysis.record()}
    before = _flat(load_record(folder), read_frame(folder / "contrasts.csv"))
    after = _flat(json.loads(json.dumps(record)), analysis.frame("contrasts"))
    frame = pd.concat({"before": before, "after": after}, axis=1).fillna("None")
    frame = frame[frame["before"] != frame["after"]].map(lambda text: text[:60])
    return frame.rename_axis("what").reset_index()


def load_record(folder: Path) -> dict[str, Any]:
    """Read the record of an earlier run."""
    path = folder / RECORD
    if not path.is_file():
        raise FileNotFoundError(f"no earlier run at {folder}; give a folder with {RECORD} in it")
    record = read_json(path)
    if not (isinstance(record, dict) and "hashes" in record):
        raise ValueError(f"{path} is not the record of a run of one word list")
    return record


def _flat(record: Mapping[str, Any], contrasts: pd.DataFrame) -> pd.Series[str]:
    """Return what decides the numbers, and the numbers of groups, by name."""
    parts = {key: record.get(key) for key in ("list", "arguments", "versions", "hashes", "models")}
    decided = pd.json_normalize(parts, sep=" ").iloc[0].map(str)
    rows = contrasts[contrasts["level"] != "word"]
    names = rows["model"] + ", " + rows["protected_group"].replace("", "all groups") + ": "
    names += rows["first"] + " - " + rows["second"]
    return pd.concat([decided, rows["mean"].map("{:+.3f}".format).set_axis(names)])
