"""Result folders: their contents, their replacement, and changes since an earlier run."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from .._core.checks import Argument, ArgumentError
from .._core.files import file_names, recover, replace_folder
from .._core.reading import located, read_json
from .._core.warnings import warn
from ..records.found import Frames
from ..report.page import PLOTS, REPORT, TEXT, Page, html, save_plots
from ..tables.levels import GROUP
from ..tables.schema import require_columns
from ..tables.table_files import read_frame
from ..warnings import LeftOut

RECORD, CONTRASTS = "run.json", "contrasts.csv"

COMPARED = ("model", "level", "protected_group", "first", "second", "mean")
"""Columns of contrasts that are compared with those of an earlier run."""

OWN_NAMES = (
    *(f"{name}.csv" for name in ("table", "missing", "summary", "contrasts", "check", "scales")),
    *(f"{name}.csv" for name in ("sensitivity", "diagnostics", "influence")),
    *(REPORT, TEXT, RECORD),
)
"""Files in every result folder of a list; a folder with one of them already has results."""

_OWN = re.compile(r"([^/\\]+/){0,2}[^/\\]+\.(png|svg|nc|html|md|json|bib|csv)")
"""Files that may be removed if an earlier run's record names them."""

_PACKAGES = ("bayesbias", "pymc", "arviz", "numpy", "scipy", "pandas", "gensim", "matplotlib")


def write_frames(frames: Mapping[str, pd.DataFrame], folder: Path) -> None:
    """Write each frame that has rows, or belongs to every folder, to a CSV file."""
    kept = frames if isinstance(frames, Frames) else Frames(frames)
    for name in kept:
        is_new, is_own = True, f"{name}.csv" in OWN_NAMES
        for piece in kept.pieces(name):
            if len(piece) or (is_new and is_own and len(piece.columns)):
                path = folder / f"{name}.csv"
                piece.to_csv(path, index=False, mode="w" if is_new else "a", header=is_new)
                is_new = False


def write_report[R](
    page: Page[R],
    command: str,
    origin: Mapping[str, object],
    folder: Path,
    kinds: Sequence[str] = (),
) -> None:
    """Write a page, its text, its figures as files of some `kinds`, and then the record."""
    if kinds:
        for name, reason in save_plots(page, folder / PLOTS, kinds).items():
            warn(LeftOut(1, 0, "figure", reason, (name,)))
    write_text(folder / TEXT, page.text())
    others = sorted({RECORD, *(path.name for path in folder.iterdir())})
    write_text(folder / REPORT, html(page, command, versions(), others))
    write_record({"versions": versions(), "command": command, **origin}, folder)


def write_text(path: Path, text: str) -> None:
    """Write a text; invalid Unicode, which file names can contain, is escaped."""
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def versions(*more: str) -> dict[str, str]:
    """Return the versions of this package and of the packages that compute the numbers."""
    return {name: version(name) for name in (*_PACKAGES, *more)}


def write_record(record: Mapping[str, Any], folder: Path) -> None:
    """Write ``run.json``; call this last, because the record lists all files in the folder."""
    files = sorted(file_names(folder) | {RECORD})
    text = json.dumps({**record, "files": files}, indent=2, ensure_ascii=True)
    (folder / RECORD).write_text(text + "\n", encoding="utf-8")


def load_earlier(folder: Path) -> pd.Series[str]:
    """Read the inputs, settings, and group contrasts of an earlier run of one list, as texts."""
    path = folder / RECORD
    if not path.is_file():
        raise FileNotFoundError(f"there is no earlier run in {folder}; pass a folder with {RECORD}")
    record = read_json(path)
    hashes = record.get("hashes") if isinstance(record, dict) else None
    if not (isinstance(hashes, dict) and "table" in hashes):
        raise ValueError(f"{path} does not record the run of a single word list")
    with located(folder / CONTRASTS):
        contrasts = require_columns(read_frame(folder / CONTRASTS, COMPARED[:-1]), COMPARED)
        if not is_numeric_dtype(contrasts["mean"]):
            raise ValueError("the column mean must contain numbers")
    return _flat(record, contrasts)


def changes_since(
    before: pd.Series[str], record: Mapping[str, Any], contrasts: pd.DataFrame
) -> pd.DataFrame:
    """Return which inputs, settings, and group contrasts changed since an earlier run."""
    record = {"versions": versions(), **record}
    after = _flat(json.loads(json.dumps(record)), contrasts)
    frame = pd.concat({"before": before, "after": after}, axis=1).fillna("None")
    frame = frame[frame["before"] != frame["after"]].map(lambda text: text[:60])
    return frame.rename_axis("what").reset_index()


def _flat(record: Mapping[str, Any], contrasts: pd.DataFrame) -> pd.Series[str]:
    """Return a run's inputs and settings, and its contrasts by group, keyed by name."""
    parts = {key: record.get(key) for key in ("list", "arguments", "versions", "hashes", "models")}
    decided = pd.json_normalize(parts, sep=" ").iloc[0].map(str)
    rows = contrasts[contrasts["level"] != "word"]
    groups = ("group " + rows["protected_group"]).where(rows["level"] == GROUP, "all groups")
    names = rows["model"] + ", " + groups + ": " + rows["first"] + " - " + rows["second"]
    return pd.concat([decided, rows["mean"].map("{:+.3f}".format).set_axis(names)])


def require_place(
    out: Path, parts: Sequence[str] = (), *, force: bool, names: Sequence[str] = OWN_NAMES
) -> None:
    """Before any work is done, check whether results can be written to a folder.

    `parts` are subfolders for separate results. A folder has results if it contains any of the
    files in `names`. Results are replaced only with `force`.
    """
    for part in parts:
        if part.lower() in {PLOTS, *OWN_NAMES}:
            raise ValueError(
                f"the results of {part!r} cannot be in a folder of this name, because results "
                f"include {part.lower()}; rename the list"
            )
    places = ["", *parts]
    for part in places:
        require_folder(out / part)
    _refuse_results([str(Path(part, name)) for part in places for name in names], out, force=force)


def require_folder(out: Path) -> None:
    """Check that a folder can be made or written to, and clean up after a killed run."""
    recover(out)
    if out.exists() and not out.is_dir():
        raise NotADirectoryError(f"{out} is a file; pass the name of a folder")
    ancestor = next(path for path in (out.absolute(), *out.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=ancestor):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise PermissionError(f"cannot write to {ancestor}: {reason}") from None


def replace_results(out: Path, *, force: bool) -> AbstractContextManager[Path]:
    """Open an empty folder for results; when it is complete, all files move to `out` at once.

    Files from an earlier run are removed if the new run writes them again, or if the earlier
    ``run.json`` names them. Other files in `out` are kept. Without `force`, nothing is replaced.
    """

    def dropped(new: set[str]) -> set[str]:
        _refuse_results(sorted(new), out, force=force)
        places = {Path(name).parent for name in new if Path(name).name == RECORD}
        return {
            (place / name).as_posix()
            for place in places
            for name in _recorded_files(out / place)
            if _OWN.fullmatch(name) and ".." not in Path(name).parts
        }

    return replace_folder(out, dropped)


def _recorded_files(folder: Path) -> list[str]:
    """Return the files that an earlier run's record names, or none if there is no valid record."""
    try:
        files = read_json(folder / RECORD)["files"]
    except (OSError, ValueError, LookupError, TypeError):
        return []
    return [name for name in files if isinstance(name, str)] if isinstance(files, list) else []


def _refuse_results(names: Sequence[str], out: Path, *, force: bool) -> None:
    found = [name for name in names if (out / name).exists()]
    if found and not force:
        more = f", and {len(found) - 3} more" if len(found) > 3 else ""
        raise ArgumentError(
            f"{out} already has results ({', '.join(found[:3])}{more}); pass ",
            Argument("force", True),
            " to replace them, or choose another folder",
        )
