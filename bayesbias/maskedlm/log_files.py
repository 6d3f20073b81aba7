"""Find the logs at a path, and the layout of each of them."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from .._core.checks import check_path
from .._core.reading import (
    ENDINGS,
    WITHIN,
    as_utf8,
    members_of,
    opened,
    parts_of,
    read_json,
    unpacked_name,
    utf16_of,
)
from .._core.warnings import warn
from ..warnings import LeftOut
from .harness_logs import read_harness
from .inspect_logs import TASKS, is_eval, read_header, read_inspect, task_of
from .logs import MOST_LOG_BYTES, Content
from .score_tables import read_score_table

SCORE_TABLE, PAIRED, RECORD = "scores.csv", "paired.csv", "run.json"
"""Tables in a folder of scores and in a report, and the record next to them."""

HARNESS_FIELDS = ({"sent_more"}, {"answer_info", "example_id"}, {"participant"})
"""Fields of documents in CrowS-Pairs, BBQ, and Winogender; translations of BBQ lack the id."""

HARNESS_KEYS = ("doc", "resps", "filtered_resps")
"""Fields of samples of any task."""

LATE = (b'"doc"', b'"eval"', b'"samples"')
"""Fields of logs in indented JSON; in a file without them, only its beginning is looked at."""

OF_OTHER_TASK = "other"
"""What is returned for a log of the harness without these fields, or for other tasks of Inspect."""

HEAD, MOST_HEAD = 1 << 16, 1 << 26
"""Bytes that are looked at in every file, and the most bytes of a long first line."""

MOST_LISTED = 1 << 26
"""Most bytes of a packed tar in a folder that are unpacked to list its files."""

NOT_READ = "its task is not crows_pairs, bbq, winogender, or (of Inspect) stereoset or bbq"
"""Why logs of other tasks are not read."""

_BEGINNING = re.compile(r'\s*\{(\s*"\w+"\s*:\s*("[^"\\]*"|[\w.+-]+)\s*,)*\s*"eval"\s*:\s*')
"""Beginning of a JSON log of Inspect, up to what it says about the evaluation."""


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
        path = _within(path)
        found = layout if layout != "auto" else layout_of(path, wanted)
        if found == OF_OTHER_TASK:
            raise ValueError(f"{path}: {NOT_READ}")
        if found not in LAYOUTS:
            raise ValueError(
                f"{path} is not a log of lm-evaluation-harness (JSON lines with doc and "
                "filtered_resps), of Inspect (.eval, or JSON with eval and samples), or a CSV file "
                "with the columns model, pair_id, and bias_type; pass one of these, or name its "
                "layout"
            )
        return [(path, found)]
    loose, packed = _visible(path)
    loose = [place if unpacked_name(place) == place else _within(place) for place in loose]
    kinds = {
        place: layout_of(place, wanted, {unpacked_name(place).suffix.lower()}) for place in loose
    }
    kinds |= _unrepeated(kinds, _in_archives(packed, wanted, path), path)
    others = [place for place, kind in kinds.items() if kind == OF_OTHER_TASK]
    _warn_of(NOT_READ, others, path)
    logs = [(place, name) for name in wanted for place, kind in kinds.items() if kind == name]
    if not logs:
        endings = " or ".join(
            dict.fromkeys(f"*{end}" for name in wanted for end in LAYOUTS[name].endings)
        )
        raise FileNotFoundError(
            f"no log at {path}: no file ({endings}) has samples of crows_pairs, bbq, winogender, "
            "or stereoset, or the columns of scores; run lm-evaluation-harness with --log_samples"
        )
    return logs


def _visible(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the files in a folder that are named like logs, and other archives or packed files.

    Warn about files that are named like logs and are not read.
    """
    known = {end for layout in LAYOUTS.values() for end in layout.endings}
    places = [
        place
        for place in sorted(folder.rglob("*"))
        if {unpacked_name(place).suffix.lower(), place.suffix.lower()} & {*known, *ENDINGS}
        if place.is_file()
        if not any(part.startswith(".") for part in place.relative_to(folder).parts)
    ]
    named = [place for place in places if unpacked_name(place).suffix.lower() in known]
    recorded = {place for place in named if (place.parent / RECORD).is_file()}
    scores = {place for place in recorded if place.name == SCORE_TABLE}
    empty = {place for place in places if not place.stat().st_size}
    skipped = empty | scores | {place for place in recorded if place.name == PAIRED}
    _warn_of("it is empty, as after a run that was stopped", empty.intersection(named), folder)
    _warn_of("its folder is one of scores; pass that folder by itself", scores, folder)
    return (
        [place for place in named if place not in skipped],
        [place for place in places if place not in {*named, *skipped}],
    )


def _within(path: Path) -> Path:
    """Return the path of an archive's only file, or the path of any other file."""
    if parts_of(path)[1]:
        return path
    try:
        members = members_of(path, MOST_LOG_BYTES)
    except ValueError:  # readers say what to do about a damaged file
        return path
    return Path(f"{path}{WITHIN}{members[0]}") if members and len(members) == 1 else path


def _in_archives(places: Iterable[Path], wanted: Sequence[str], folder: Path) -> dict[Path, str]:
    """Return the layouts of logs in archives and packed files whose names are not those of logs.

    Warn about archives of several files if one is named like a log, and about those that cannot be
    looked into.
    """
    endings = {end for name in wanted for end in LAYOUTS[name].endings}
    kinds, several, unseen = dict[Path, str](), list[Path](), list[Path]()
    for place in places:
        try:
            members = members_of(place, MOST_LISTED)
            if members is None or len(members) == 1:
                log = Path(f"{place}{WITHIN}{members[0]}") if members else place
                with opened(log) as (_, _, name):
                    ending = Path(name).suffix.lower()
                kinds[log] = layout_of(log, wanted, {ending})
            elif any(unpacked_name(Path(name)).suffix.lower() in endings for name in members):
                several.append(place)
        except (ValueError, ImportError, OSError):
            unseen.append(place)
    _warn_of("it contains several files; unpack it to read its logs", several, folder)
    _warn_of(
        "its content cannot be seen: it is large, damaged, or protected, or needs a permission or "
        "bayesbias[zstd]; unpack it if it has logs",
        unseen,
        folder,
    )
    return kinds


def _unrepeated(
    loose: Mapping[Path, str], packed: Mapping[Path, str], folder: Path
) -> dict[Path, str]:
    """Return the packed logs, without copies of other logs, which a warning names."""
    logs = {place: kind for place, kind in packed.items() if kind}
    known = {_digest(place) for place, kind in loose.items() if kind} if logs else set()
    kept, copies = dict[Path, str](), list[Path]()
    for place, kind in logs.items():
        if (digest := _digest(place)) in known:
            copies.append(place)
        else:
            known.add(digest)
            kept[place] = kind
    _warn_of("it is packed, and another log has the same content", copies, folder)
    return kept


def _digest(path: Path) -> str:
    with opened(path) as (_, stream, _):
        return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]  # IO lacks readinto


def _warn_of(why: str, places: Iterable[Path | str], folder: Path) -> None:
    """Warn about files in a folder that are not read."""
    if names := tuple(sorted(map(str, places))):
        warn(LeftOut(len(names), 0, "file", why, names, about=str(folder)))


def layout_of(path: Path, wanted: Iterable[str], endings: Collection[str] | None = None) -> str:
    """Return the layout that a file's content shows, among those that are wanted.

    It is empty for files that are no logs, and ``OF_OTHER_TASK`` for logs that cannot be read. If
    the possible `endings` of its name are given, only layouts with one of them count.
    """
    if is_eval(path):
        named = unpacked_name(path).suffix.lower() == ".eval"
        unknown = "inspect" if named else OF_OTHER_TASK  # the reader says what is missing
        return (_of_task(read_header(path)) or unknown) if "inspect" in wanted else ""
    allowed = [
        name
        for name in wanted
        if endings is None or not {*endings}.isdisjoint(LAYOUTS[name].endings)
    ]
    if not allowed:
        return ""
    head = _head(path)
    fields = {name for name in {*HARNESS_KEYS}.union(*HARNESS_FIELDS) if f'"{name}"' in head}
    if "lm-eval" in allowed and "doc" in fields:
        if any(known <= fields for known in HARNESS_FIELDS):
            return "lm-eval"
        if fields.intersection(HARNESS_KEYS[1:]):
            return OF_OTHER_TASK
    if "inspect" in allowed and (found := _inspect_layout(path, head)):
        return found
    columns = re.sub(r"^sep=.\s+", "", head).partition("\n")[0].lower()
    is_table = {"model", "pair_id", "bias_type"} <= {*re.split(r"[,;|\"\s]+", columns)}
    return "csv" if is_table and "csv" in allowed else ""


def _head(path: Path) -> str:
    """Return how a file begins, with its first line, or a large part of JSON that is indented."""
    with opened(path) as (_, stream, _):
        start = stream.read(HEAD)
        line, end, _ = as_utf8(start).partition(b"\n")
        if line.strip() in {b"[", b"{"}:
            more = stream.read(MOST_HEAD)
            if utf16_of(start) or any(name in part for name in LATE for part in (start, more)):
                start += more
        elif not end:
            start += stream.readline(MOST_HEAD)
    return as_utf8(start).decode(errors="replace")


def _of_task(log: object) -> str:
    """Return the layout of a log of Inspect, ``OF_OTHER_TASK``, or an empty string for no log."""
    task = task_of(log)
    return "inspect" if task in TASKS else OF_OTHER_TASK * bool(task)


_CUT = re.compile(r'"eval"\s*:\s*\{.*"task"', re.DOTALL)
"""The header of a log of Inspect, also if it is cut off."""


def _inspect_layout(path: Path, head: str) -> str:
    """Return the layout of JSON that may be a log of Inspect, by its beginning, or by all of it."""
    if found := _BEGINNING.match(head):
        with suppress(ValueError, RecursionError):  # it is cut off or damaged
            return _of_task({"eval": json.JSONDecoder().raw_decode(head, found.end())[0]})
    late = '"eval"' in head or (len(head) >= MOST_HEAD and '"samples"' in head)
    if not late or not head.lstrip().startswith("{"):
        return ""
    try:
        return _of_task(read_json(path, MOST_LOG_BYTES))
    except ValueError:  # its reader names what is wrong
        return "inspect" if _CUT.search(head) else ""


LAYOUTS = {
    "lm-eval": Layout((".jsonl", ".json"), read_harness),
    "inspect": Layout((".eval", ".json"), read_inspect),
    "csv": Layout((".csv", ".tsv"), read_score_table),
}
"""Endings and reader of every layout. To add a layout, add a line."""
