"""What changed since an earlier run of a list, and by how much its contrasts did."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..tables.levels import WORD
from ..tables.table_files import read_frame

if TYPE_CHECKING:
    from .wordlist import Analysis

PAIR = ["protected_word", "attribute"]
KEYS = ["model", "level", "protected_group", "first", "second"]

ROUNDING = 1e-6
"""Distances of the same float32 vectors differ by less."""

CHANGES = ["part", "what", "before", "after"]
"""Columns of what changed: ``part`` is list, embedding, setting, model or version."""


@dataclass(frozen=True, eq=False)
class Earlier:
    """What is read of an earlier run: its folder, its record, and its frames by name."""

    folder: Path
    record: Mapping[str, Any]
    frames: Mapping[str, pd.DataFrame]


@dataclass(frozen=True, eq=False)
class Since:
    """What changed since an earlier run.

    ``changes`` has the columns `CHANGES`, none if all that decides the numbers is the same.
    ``contrasts`` has ``model``, ``level`` (overall, group), ``protected_group``, ``first``,
    ``second``, the ``mean``, ``low`` and ``high`` of each run (``_before``, ``_after``), and
    ``change``, of models and groups that both runs have.
    """

    folder: Path
    changes: pd.DataFrame
    contrasts: pd.DataFrame


def load_earlier(folder: str | Path, name: str = "") -> Earlier:
    """Read an earlier run of a list from its folder, or from the folder `name` in it.

    Raises
    ------
    FileNotFoundError
        If there is no run.
    ValueError
        If it is not of a word list, or damaged.
    """
    place = Path(folder)
    place = place / name if name and (place / name / "run.json").is_file() else place
    path = place / "run.json"
    if not path.is_file():
        raise FileNotFoundError(
            f"no earlier run at {place}; give a folder that `bayesbias run` wrote, with run.json"
        )
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        parts = [record[key] for key in ("arguments", "models", "versions")]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no record of a run of one word list ({error})") from None
    if not all(isinstance(part, dict) for part in parts):
        raise ValueError(f"{path} is no record of a run of one word list")
    names = ("table", "missing", "contrasts")
    return Earlier(place, record, {each: read_frame(place / f"{each}.csv") for each in names})


def since(earlier: Earlier, analysis: Analysis, record: Mapping[str, Any]) -> Since:
    """Compare an analysis, and the record that is to be written of it, with an earlier run."""
    frames = {"table": analysis.table, "missing": analysis.missing}
    rows = [
        *_words(earlier.frames, frames),
        *_vectors(earlier, frames["table"], record),
        *_settings(earlier.record["arguments"], record["arguments"]),
        *_differing("model", earlier.record["models"], record["models"]),
        *_differing("version", earlier.record["versions"], record["versions"]),
    ]
    before, after = earlier.frames["contrasts"], analysis.frame("contrasts")
    both = before.merge(after, on=[*KEYS, "protected_word"], suffixes=("_before", "_after"))
    both = both[both["level"] != WORD].reset_index(drop=True)
    ends = [f"{name}_{when}" for when in ("before", "after") for name in ("mean", "low", "high")]
    change = both["mean_after"] - both["mean_before"]
    changes = pd.DataFrame(rows, columns=CHANGES)
    return Since(earlier.folder, changes, both[[*KEYS, *ends]].assign(change=change))


def _own(frames: Mapping[str, pd.DataFrame]) -> set[tuple[str, str]]:
    """Return the list's own words with their sets: measured or missing, and not drawn."""
    table, missing = frames["table"], frames["missing"]
    table = table[table["connection"] != "matched"].astype(str)
    found = {*zip(table["protected_group"], table["protected_word"], strict=True)}
    found |= {*zip(table["attribute_set"], table["attribute"], strict=True)}
    missing = missing[missing["set"] != "matched"].astype(str)
    return found | {*zip(missing["set"], missing["word"], strict=True)}


def _words(
    earlier: Mapping[str, pd.DataFrame], now: Mapping[str, pd.DataFrame]
) -> Iterator[tuple[str, ...]]:
    before, after = _own(earlier), _own(now)
    if before != after:
        told = (
            ", ".join(sorted(f"{word} ({of})" for of, word in some))
            for some in (before - after, after - before)
        )
        yield ("list", "words of one run only", *told)


def _vectors(
    earlier: Earlier, table: pd.DataFrame, record: Mapping[str, Any]
) -> Iterator[tuple[str, ...]]:
    names = [str(each["arguments"].get("vectors", "")) for each in (earlier.record, record)]
    if names[0] != names[1]:
        yield ("embedding", "name", *names)
    columns = [*PAIR, *(["context"] if "context" in table else [])]
    old = earlier.frames["table"]
    if not set(columns) <= set(old):
        return
    texts = dict.fromkeys(columns, str)
    both = old.astype(texts).merge(table.astype(texts), on=columns, suffixes=("_old", "_new"))
    apart = (both["cosine_distance_new"] - both["cosine_distance_old"]).abs()
    moved = int((apart > ROUNDING).sum())
    if moved:
        told = f"{moved:,} of {len(both):,} distances of the same words, by up to {apart.max():.3f}"
        yield ("embedding", told, "", "")


def _settings(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    aside = ("vectors", "models")
    own = [{k: v for k, v in each.items() if k not in aside} for each in (before, after)]
    yield from _differing("setting", *own)


def _differing(
    part: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[tuple[str, ...]]:
    """Yield what stands in one mapping only, or otherwise in the other."""
    for name in dict.fromkeys([*before, *after]):
        old, new = (json.loads(json.dumps(each.get(name))) for each in (before, after))
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            keys = [key for key in dict.fromkeys([*old, *new]) if old.get(key) != new.get(key)]
            yield (part, f"{name}: {', '.join(keys)}", "", "")
        else:
            yield (part, name, *("there" if isinstance(e, dict) else _text(e) for e in (old, new)))


def _text(value: object) -> str:
    return "none" if value is None else str(value)
