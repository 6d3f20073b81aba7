"""Find the logs at a path, and the layout of each of them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .._core.checks import check_path
from .._core.reading import as_utf8, opened, parts_of, unpacked_name
from .._core.warnings import warn
from ..warnings import LeftOut
from .harness_logs import read_harness
from .inspect_logs import is_eval, read_inspect
from .logs import Content
from .score_tables import read_score_table

SCORE_TABLE, PAIRED, RECORD = "scores.csv", "paired.csv", "run.json"
"""Tables in a folder of scores and in a report, and the record next to them."""

HARNESS_FIELDS = ("sent_more", "answer_info", "participant")
"""Fields of documents in CrowS-Pairs, BBQ, and Winogender."""


class Layout(NamedTuple):
    """The endings of a layout's files, and its reader."""

    endings: tuple[str, ...]
    read: Callable[[Path, Content], None]


def places_of(path: str | Path | Sequence[str | Path]) -> list[Path]:
    """Return one or more paths as a list; raise an error if there is none."""
    given: Any = path
    alone = isinstance(given, str | os.PathLike) or not isinstance(given, Iterable)
    places = [given] if alone else [*given]
    for place in places:
        check_path("path", place, "a path, or a list of paths")
    if not places:
        raise ValueError("path is an empty list; pass one or more folders or logs")
    return [Path(place).expanduser() for place in places]


def logs_at(path: Path, layout: str) -> list[tuple[Path, str]]:
    """Return the logs at a path and the layout of each log, which its content decides.

    In a folder, hidden files and the tables of reports do not count.
    """
    wanted = list(LAYOUTS) if layout == "auto" else [layout]
    if parts_of(path)[0].is_file():
        found = [(path, name) for name in wanted if layout == name or is_log(path, name)]
        if not found:
            raise ValueError(
                f"{path} is not a log of lm-evaluation-harness (JSON lines with doc and "
                "filtered_resps), of Inspect (.eval, or JSON with eval and samples), or a CSV file "
                "with the columns model, pair_id, and bias_type; pass one of these, or name its "
                "layout"
            )
        return found[:1]
    files = _visible(path)
    logs = [
        (place, name)
        for name in wanted
        for place in files
        if unpacked_name(place).suffix.lower() in LAYOUTS[name].endings and is_log(place, name)
    ]
    if not logs:
        endings = " or ".join(
            dict.fromkeys(f"*{end}" for name in wanted for end in LAYOUTS[name].endings)
        )
        raise FileNotFoundError(
            f"no log at {path}: no file ({endings}) has samples of crows_pairs, bbq, winogender, "
            "or stereoset, or the columns of scores; run lm-evaluation-harness with --log_samples"
        )
    return logs


def _visible(folder: Path) -> list[Path]:
    """Return the files in a folder that may be logs, and warn about others that look like some."""
    endings = {end for layout in LAYOUTS.values() for end in layout.endings}
    places = [
        place
        for place in sorted(folder.rglob("*"))
        if unpacked_name(place).suffix.lower() in endings and place.is_file()
        if not any(part.startswith(".") for part in place.relative_to(folder).parts)
    ]
    recorded = {place for place in places if (place.parent / RECORD).is_file()}
    scores = {place for place in recorded if place.name == SCORE_TABLE}
    empty = {place for place in places if not place.stat().st_size}
    for why, some in (
        ("it is empty, as after a run that was stopped", empty),
        ("its folder is one of scores; pass that folder by itself", scores),
    ):
        if names := tuple(map(str, sorted(some))):
            warn(LeftOut(len(names), 0, "file", why, names, about=str(folder)))
    skipped = empty | scores | {place for place in recorded if place.name == PAIRED}
    return [place for place in places if place not in skipped]


def is_log(path: Path, layout: str) -> bool:
    """Return whether a file begins like a log in a layout."""
    if is_eval(path):
        return layout == "inspect"
    with opened(path) as (_, stream, _):
        start = as_utf8(stream.read(1 << 16)).decode(errors="replace")
    if layout == "lm-eval":
        return '"doc"' in start and any(f'"{name}"' in start for name in HARNESS_FIELDS)
    if layout == "inspect":
        return '"eval"' in start and '"task"' in start
    head = re.sub(r"^sep=.\s+", "", start).partition("\n")[0]
    return {"model", "pair_id", "bias_type"} <= {*re.split(r"[,;|\"\s]+", head.lower())}


LAYOUTS = {
    "lm-eval": Layout((".jsonl", ".json"), read_harness),
    "inspect": Layout((".eval", ".json"), read_inspect),
    "csv": Layout((".csv", ".tsv"), read_score_table),
}
"""Endings and reader of every layout. To add a layout, add a line."""
