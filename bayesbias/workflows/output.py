"""The folder of results: what is in it, what it may replace, and how it is replaced whole."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._core.checks import Argument, ArgumentError
from .._core.files import file_names, recover, replace_folder
from ..model.posterior_files import save_posterior

if TYPE_CHECKING:
    import pandas as pd

    from ..report.writer import Page
    from .pairs import PairAnalysis
    from .results import ModelAnalysis
    from .sweep import Sweep

REPORT = "report.html"
RECORD = "run.json"
PLOTS = "plots"

OWN_NAMES = (
    *(f"{name}.csv" for name in ("table", "missing", "summary", "contrasts", "check", "scales")),
    *(f"{name}.csv" for name in ("sensitivity", "diagnostics", "influence")),
    *(REPORT, RECORD),
)
"""Files that every result of a list holds; one of them means that there is a result already."""

_OWN = re.compile(
    r"([^/\\]+/)?(plots/[^/\\]+\.(png|svg)|posterior(-[^/\\]+)?\.nc|report\.(html|md)|run\.json|"
    r"write-up\.(md|tex)|references\.bib|"
    r"(table|missing|summary|contrasts|check|scales|sensitivity|comparison|remains"  # of a list
    r"|diagnostics|influence|since|reference|reference_lists|ranks|scores"
    r"|pairs|unpaired|bands|changes|orders|alignment"  # of a change
    r"|paired|observed|measures|cells|differences|shares"  # of sentence pairs, of a sweep
    r"|fits|standalone|relative|words)\.csv)"  # of a background
)
"""What the record of an earlier run may name for removal, if it is not written again."""

_PACKAGES = ("bayesbias", "pymc", "arviz", "numpy", "scipy", "pandas", "gensim", "matplotlib")


def write_results(
    result: ModelAnalysis | PairAnalysis | Sweep,
    folder: Path,
    command: str,
    *,
    posteriors: bool = True,
    kinds: Sequence[str] = (),
) -> None:
    """Write everything about an analysis into its folder, the record last.

    A single posterior is ``posterior.nc``, several are named after their models.
    """
    texts: Mapping[str, str] = getattr(result, "texts", {})
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")
    write_frames(result.frames, folder)
    trees = result.posteriors if posteriors else {}
    for name, tree in trees.items():
        file = f"posterior-{name}.nc" if len(trees) > 1 else "posterior.nc"
        save_posterior(tree, folder / file)
    write_report(result.page(), {"command": command, **result.record()}, folder, kinds)


def write_frames(frames: Mapping[str, pd.DataFrame | None], folder: Path) -> None:
    """Write frames under their names as CSV, if they have columns."""
    for name, frame in frames.items():
        if frame is not None and len(frame.columns):
            frame.to_csv(folder / f"{name}.csv", index=False)


def write_report(
    page: Page, record: Mapping[str, Any], folder: Path, kinds: Sequence[str] = ()
) -> None:
    """Draw and write a page, and last of all the record, whose command it shows."""
    from ..report.writer import write_page

    record = {"versions": versions(), **record}
    write_page(page, record, folder, kinds=kinds)
    write_record(record, folder)


def versions(*more: str) -> dict[str, str]:
    """Return the versions of this package and of those that the numbers come from."""
    return {name: version(name) for name in (*_PACKAGES, *more)}


def write_record(record: Mapping[str, Any], folder: Path) -> None:
    """Write ``run.json``, last of all, with the names of all files of the folder."""
    files = sorted(file_names(folder) | {RECORD})
    text = json.dumps({**record, "files": files}, indent=2, ensure_ascii=True)
    (folder / RECORD).write_text(text + "\n", encoding="utf-8")


def lead_posterior(folder: Path) -> Path:
    """Return the file of the posterior that leads in a folder of results."""
    models = _recorded(folder, "models")
    several = folder / f"posterior-{[*models][-1]}.nc" if models else folder
    return several if several.is_file() else folder / "posterior.nc"


def _recorded(folder: Path, key: str) -> Collection[Any]:
    """Return what the record of an earlier run has under a key, if there is a record of ours."""
    try:
        value = json.loads((folder / RECORD).read_text(encoding="utf-8"))[key]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ()
    return value if isinstance(value, list | dict) else ()


def require_place(
    out: Path, parts: Sequence[str] = (), *, force: bool, names: Sequence[str] = OWN_NAMES
) -> None:
    """Check, before any work is done, whether results can be put into a folder.

    `parts` are folders in it that get results of their own. One of the files `names` means that
    there are results, which only `force` allows to replace.
    """
    places = ["", *parts]
    for part in places:
        require_folder(out / part)
    _refuse_results([str(Path(part, name)) for part in places for name in names], out, force=force)


def require_folder(out: Path) -> None:
    """Check whether a folder can be made or written to, and end what a killed run began in it."""
    recover(out)
    if out.exists() and not out.is_dir():
        raise NotADirectoryError(f"{out} is a file; give --out the name of a folder")
    ancestor = next(path for path in (out.absolute(), *out.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=ancestor):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise PermissionError(f"cannot write into {ancestor}: {reason}") from None


@contextmanager
def replace_results(out: Path, *, force: bool) -> Iterator[Path]:
    """Yield an empty folder to write results into, which takes the place of `out` as a whole.

    Files of others in `out` stay. Those of an earlier run go: the ones that are written again, and
    the ones that the earlier ``run.json`` names. Without `force` nothing is replaced.
    """

    def dropped(new: set[str]) -> set[str]:
        _refuse_results(sorted(new), out, force=force)
        places = {Path(name).parent for name in new if Path(name).name == RECORD}
        return {
            (place / name).as_posix()
            for place in places
            for name in _recorded(out / place, "files")
            if isinstance(name, str) and _OWN.fullmatch(name) and ".." not in Path(name).parts
        }

    with replace_folder(out, dropped) as folder:
        yield folder


def _refuse_results(names: Sequence[str], out: Path, *, force: bool) -> None:
    found = [name for name in names if (out / name).exists()]
    if found and not force:
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        raise ArgumentError(
            f"{out} holds results already ({', '.join(found[:3])}{more}); pass ",
            Argument("force", True),
            " to replace them, or another folder",
        )


def require_file_place(path: Path, endings: Sequence[str], *, force: bool) -> None:
    """Check, before any work is done, whether a file can be written under a name."""
    recover(path)
    if path.suffix not in endings:
        raise ValueError(f"--out must end in {' or '.join(endings)}; got {path.name!r}")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give --out the name of a file in it")
    if path.exists() and not force:
        raise ValueError(f"{path} already exists; pass --force to replace it")
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} to write {path.name} into")
