"""Folders that ``bayesbias mlm score`` wrote: scores and the record of how they came about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._core.reading import located, read_json
from ..tables.schema import require_columns
from ..tables.table_files import read_csv
from .datasets import PAIR_LABELS, ROLES
from .pll import SCORE_COLUMNS
from .questions import MEASURES

SCORES = "scores.csv"
RECORD = "run.json"

KIND = "bayesbias mlm score"
"""What the record of a folder of scores says that it is."""

_FIELDS: dict[str, type] = {
    **dict.fromkeys(("kind", "model", "model_hash", "dataset", "data_hash", "dtype"), str),
    "n_pairs": int,
    "unscored": list,
    "versions": dict,
}
"""What a record holds, and of which type."""


def read_scored(folder: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read the scores of a folder and its record.

    A FileNotFoundError says which file is not there, a ValueError what is wrong with one.
    """
    for name in (SCORES, RECORD):
        if not (folder / name).is_file():
            raise FileNotFoundError(f"{folder} holds no {name}; give a folder that `{KIND}` wrote")
    record = read_json(folder / RECORD)
    if not isinstance(record, dict) or record.get("made_by") != KIND:
        raise ValueError(f"{folder / RECORD} is not of `{KIND}`")
    for name, kind in _FIELDS.items():
        if not isinstance(record.get(name), kind):
            raise ValueError(
                f"{folder / RECORD} lacks {name!r}, or it is no {kind.__name__}; score the pairs "
                "again"
            )
    if not all(isinstance(row, dict) and "pair_id" in row for row in record["unscored"]):
        raise ValueError(f"{folder / RECORD}: 'unscored' is no list of pairs; score them again")
    path = folder / SCORES
    try:
        scores = read_csv(
            path,
            dtype=dict.fromkeys(("model", "measure", *PAIR_LABELS, "role"), str),
            keep_default_na=False,
        )
        _require_scores(scores, record["model"])
    except (ValueError, TypeError) as error:  # pandas has TypeErrors of odd columns
        raise ValueError(located(path, error)) from None
    return scores, record


def _require_scores(scores: pd.DataFrame, model: str) -> None:
    require_columns(scores, SCORE_COLUMNS)
    if not len(scores):
        raise ValueError("there are no scores in it")
    known = {"role": ROLES, "measure": MEASURES, "model": (model,)}
    for name, values in known.items():
        odd = scores.loc[~scores[name].isin(list(values)), name]
        if len(odd):
            raise ValueError(f"{name} {odd.iloc[0]!r:.60} is none of {', '.join(values)}")
    for name in ("n_tokens", "n_scored", "score"):
        numbers = pd.to_numeric(scores[name], errors="coerce")
        if not np.isfinite(numbers.to_numpy(dtype=float)).all():
            raise ValueError(f"{name} must be finite numbers")
