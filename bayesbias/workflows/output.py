"""The folder of results: written aside, then put in its place whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .._core.files import FULL
from ..model.tree import save_posterior
from ..tables.distances import write_table
from ..tables.schema import table_hash
from .analysis import Analysis

FRAMES = ("summary", "contrasts", "check", "scales", "sensitivity")
"""Frames of an `Analysis` that are written as CSV, one row's model in its column ``model``."""

REPORT = "report.html"
RECORD = "run.json"
PLOTS = "plots"

COMPARISON = "comparison.csv"
REMAINS = "remains.csv"
"""Files that a result holds if it was asked for them."""

OWN_NAMES = ("table.csv", "missing.csv", *(f"{name}.csv" for name in FRAMES), REPORT, RECORD)
"""Files that every result holds; finding one of them means that there is a result already."""

_OWN = re.compile(
    r"([^/\\]+/)?(plots/[^/\\]+\.(png|svg)|posterior(-[^/\\]+)?\.nc|"
    + "|".join(map(re.escape, (*OWN_NAMES, COMPARISON, REMAINS)))
    + ")"
)
"""What the record of an earlier run may name for removal, if it is not written anew."""

_PACKAGES = ("bayesbias", "pymc", "arviz", "numpy", "scipy", "pandas", "gensim", "matplotlib")


def write_frames(analysis: Analysis, folder: Path) -> None:
    """Write the table, the missing words, the frames and the posteriors of an analysis."""
    write_table(analysis.table, folder / "table.csv")
    analysis.missing.to_csv(folder / "missing.csv", index=False)
    for name in FRAMES:
        analysis.frame(name).to_csv(folder / f"{name}.csv", index=False)
    if analysis.comparison is not None:
        analysis.comparison.to_csv(folder / COMPARISON, index=False)
    for place, (model, result) in enumerate(analysis.results.items()):
        path = folder / f"posterior-{model}.nc"
        save_posterior(result.posterior, path)
        if place == 0:
            shutil.copyfile(path, folder / "posterior.nc")


def record_of(analysis: Analysis, command: str) -> dict[str, Any]:
    """Give what is needed to make the same result again, and to tell whether it is the same."""
    settings = analysis.settings
    fits = {
        model: {key: result.posterior.attrs[key] for key in ("method", "method_reason", "seed")}
        for model, result in analysis.results.items()
    }
    return {
        "command": command,
        "list": analysis.wordlist.name,
        "arguments": {
            **settings.recorded,
            "models": list(settings.models),
        },
        "versions": versions(),
        "hashes": {
            "list": table_hash(analysis.wordlist.to_frame()),
            "vectors": analysis.vectors_hash,
            "table": table_hash(analysis.table),
        },
        "fits": fits,
        "models": {model: result.spec.to_dict() for model, result in analysis.results.items()},
        "warnings": list(analysis.notices),
    }


def versions() -> dict[str, str]:
    """Give the versions of this package and of those that the numbers come from."""
    return {name: version(name) for name in _PACKAGES}


def write_record(record: Mapping[str, Any], folder: Path) -> None:
    """Write ``run.json``, last of all, with the names of all files of the folder."""
    files = sorted(_files(folder) | {RECORD})
    text = json.dumps({**record, "files": files}, indent=2, ensure_ascii=True)
    (folder / RECORD).write_text(text + "\n", encoding="utf-8")


def write_page(html: str, folder: Path) -> None:
    """Write the report; what is no Unicode, as odd file names may be, shows as an escape."""
    (folder / REPORT).write_text(html, encoding="utf-8", errors="backslashreplace")


def require_place(out: Path, parts: Sequence[str], *, force: bool) -> None:
    """Find out, before any work is done, whether results can be put into a folder.

    Parameters
    ----------
    out : Path
        The folder; it need not be there.
    parts : sequence of str
        Folders in it that get results of their own, if any.
    force : bool
        Whether earlier results may be replaced.

    Raises
    ------
    ValueError
        If there are results already and `force` is not set.
    OSError
        If the folder is a file or cannot be written to.
    """
    for folder in (out, *(out / part for part in parts)):
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(f"{folder} is a file; give --out the name of a folder")
    names = [*OWN_NAMES, *(f"{part}/{name}" for part in parts for name in OWN_NAMES)]
    _refuse_results([name for name in names if (out / name).exists()], out, force=force)
    ancestor = next(path for path in (out.absolute(), *out.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=ancestor):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise PermissionError(f"cannot write into {ancestor}: {reason}") from None


@contextmanager
def publishing(out: Path, *, force: bool) -> Iterator[Path]:
    """Give an empty folder to write results into, which are put into `out` if all goes well.

    The folder is in the system's place for temporary files, so that even a run that is killed
    leaves nothing where results belong. A new `out` appears by one renaming. In an `out` that is
    there, every file is put in its place by one renaming, ``run.json`` last; files of others
    stay, and of an earlier run go those that its ``run.json`` names.

    Raises
    ------
    ValueError
        If a file would be replaced and `force` is not set.
    OSError
        If the files cannot be put there.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="bayesbias-") as name:
            stage = Path(name) / "results"
            stage.mkdir()
            yield stage
            if out.exists():
                _merge(stage, out, force=force)
            else:
                _appear(stage, out)
    except OSError as error:
        if error.errno not in FULL:
            raise
        text = (
            f"{os.strerror(error.errno)} while its results were written; make room there and in "
            f"{tempfile.gettempdir()}, where they are put together, or choose another place"
        )
        raise OSError(error.errno, text, str(out)) from None


def _appear(stage: Path, out: Path) -> None:
    """Make a folder that is not there yet."""
    made = [path for path in (out, *out.parents) if not path.exists()][1:]
    out.parent.mkdir(parents=True, exist_ok=True)
    hidden = out.parent / f".{secrets.token_hex(8)}.writing"
    try:
        _copy(stage, hidden)
        hidden.rename(out)
    except BaseException:
        shutil.rmtree(hidden, ignore_errors=True)
        _remove_empty(made)
        raise


def _merge(stage: Path, out: Path, *, force: bool) -> None:
    """Put files into a folder that is there, and take those of an earlier run out."""
    new = _files(stage)
    _refuse_results(sorted(name for name in new if (out / name).exists()), out, force=force)
    for name in new:
        if (out / name).is_dir():
            raise IsADirectoryError(f"{out / name} is a folder, and a result has that name")
    old = _earlier(out, new) - new
    hidden = out / f".{secrets.token_hex(8)}.writing"
    try:
        _copy(stage, hidden)
        for name in sorted(new, key=lambda name: (Path(name).name == RECORD, name)):
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (hidden / name).replace(out / name)
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
    for name in old:
        (out / name).unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    """Copy a folder's files, and stop at the first that finds no room."""
    for name in sorted(_files(source)):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)


def _refuse_results(found: Sequence[str], out: Path, *, force: bool) -> None:
    if found and not force:
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        raise ValueError(
            f"{out} holds results already ({', '.join(found[:3])}{more}); "
            "pass --force to replace them, or another --out"
        )


def _earlier(out: Path, new: Iterable[str]) -> set[str]:
    """Files that the records of earlier runs in the same places name as theirs."""
    names: set[str] = set()
    for place in sorted({Path(name).parent for name in new if Path(name).name == RECORD}):
        try:
            listed = json.loads((out / place / RECORD).read_text(encoding="utf-8"))["files"]
        except (OSError, ValueError, KeyError, TypeError):
            continue  # no record, or not one of ours: then nothing here is known to be ours
        for name in listed if isinstance(listed, list) else ():
            if isinstance(name, str) and _OWN.fullmatch(name) and ".." not in Path(name).parts:
                names.add((place / name).as_posix())
    return {name for name in names if (out / name).is_file()}


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def _remove_empty(folders: Iterable[Path]) -> None:
    for folder in folders:
        try:
            folder.rmdir()
        except OSError as error:
            if error.errno not in {errno.ENOENT, errno.ENOTEMPTY}:
                raise


def require_file_place(path: Path, endings: Sequence[str], *, force: bool) -> None:
    """Find out, before any work is done, whether a file can be written under a name.

    Raises
    ------
    ValueError
        If the ending is not one of `endings`, or the file is there and `force` is not set.
    OSError
        If the path is a folder, or there is no folder to write it into.
    """
    if path.suffix not in endings:
        raise ValueError(f"--out must end in {' or '.join(endings)}; got {path.name!r}")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give --out the name of a file in it")
    if path.exists() and not force:
        raise ValueError(f"{path} is there already; pass --force to replace it")
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} to write {path.name} into")
