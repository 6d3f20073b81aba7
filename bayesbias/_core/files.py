"""Files and folders that are replaced as a whole, so that a killed run never leaves a half."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
"""Errors of the system that say that there is no room."""

_ADVICE = "make room there, or choose another place"
_STALE = 3600.0
"""Seconds after which a folder that nobody has finished is taken to be what a killed run left."""


@contextmanager
def replace_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``, which takes its place when the block ends well.

    The temporary name keeps the ending, so that writers which look at it do the same as before.

    An OSError is raised if the folder is not there or cannot be written to, or the path is a
    folder; one of the block that says that there is no room gets the path's name.
    """
    final = Path(path)
    if final.is_dir():
        raise IsADirectoryError(f"{final} is a folder; give the name of a file in it")
    if not final.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {final.parent} to write {final.name} into")
    handle, name = tempfile.mkstemp(
        prefix=".writing-", suffix="".join(final.suffixes), dir=final.parent
    )
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(final)
    except OSError as error:
        if error.errno in _FULL and error.filename is None:  # a write names no file
            error.filename = str(final)
        raise
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def replace_folder(
    path: str | Path, dropped: Callable[[set[str]], Collection[str]] = lambda _: ()
) -> Iterator[Path]:
    """Yield an empty folder, which takes the place of ``path`` when the block ends well.

    It is written beside ``path`` under a hidden name. Then two renamings take an earlier folder
    away and put the new one in its place; after a kill between them, `restore_folder` brings the
    earlier one back. Files of an earlier folder that the new one does not have stay, by links.

    A folder that must stay where it is (a mount, or one with the working directory in it) loses
    the files that are replaced before it gets the new ones, in the order of their writing. A
    kill in between leaves some files of one of the two, and never some of both.

    Folders above it are made. ``dropped`` gets the names of all new files, relative to the folder,
    and returns those of earlier ones that are not to stay; it may raise an error, which leaves
    everything as it is. An OSError is raised if the folder cannot be written, or a new file has the
    name of an earlier folder.
    """
    given = Path(path)
    final = given.absolute().resolve()
    restore_folder(final)
    missing = [folder for folder in final.parents if not folder.exists()]
    final.parent.mkdir(parents=True, exist_ok=True)
    stays = final.exists() and _must_stay(final)
    beside = final if stays else final.parent
    new = Path(tempfile.mkdtemp(prefix=f".{final.name}.", suffix=".writing", dir=beside))
    new.chmod(0o777 & ~_umask())
    try:
        yield new
        names = file_names(new)
        for name in names:
            if (final / name).is_dir():
                raise IsADirectoryError(f"{given / name} is a folder, and a result has that name")
        (_refill if stays else _swap)(final, new, names, dropped(names))
    except OSError as error:
        if error.errno not in _FULL:
            raise
        text = f"{os.strerror(error.errno)} while its results were written; {_ADVICE}"
        raise OSError(error.errno, text, str(given)) from None
    finally:
        shutil.rmtree(new, ignore_errors=True)
        for folder in missing:
            with contextlib.suppress(OSError):  # it is not empty: all went well
                folder.rmdir()


def restore_folder(path: str | Path) -> None:
    """Bring back the folder that a run was replacing when it was killed, and clean up after it.

    A RuntimeWarning tells if there was none under its name any more, and the earlier one is back.
    """
    final = Path(path).absolute().resolve()
    backup = _backup_of(final)
    if backup.is_dir() and not final.exists():
        backup.rename(final)
        warnings.warn(
            f"a run was stopped while it replaced {path}; what was there before is back",
            RuntimeWarning,
            stacklevel=3,
        )
    shutil.rmtree(backup, ignore_errors=True)
    for left in (*final.glob(".*.writing"), *final.parent.glob(".*.writing")):
        with contextlib.suppress(FileNotFoundError):  # another run is faster
            old = time.time() - left.stat().st_mtime > _STALE
            if old and left.name.startswith(f".{final.name}."):
                shutil.rmtree(left, ignore_errors=True)


def file_names(folder: Path) -> set[str]:
    """Return the names of all files in a folder and its folders, relative to it."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def _must_stay(folder: Path) -> bool:
    """Return whether a folder cannot be renamed, or somebody would be left behind in it."""
    return (
        folder.is_mount()
        or not os.access(folder.parent, os.W_OK)
        or Path.cwd().is_relative_to(folder)
    )


def _backup_of(final: Path) -> Path:
    return final.with_name(f".{final.name}.bayesbias-old")


def _swap(final: Path, new: Path, names: Collection[str], dropped: Collection[str]) -> None:
    if not final.exists():
        new.rename(final)
        return
    _take_over(final, new, {*names, *dropped})
    backup = _backup_of(final)
    try:
        final.rename(backup)
        new.rename(final)
    except BaseException:
        with contextlib.suppress(OSError):
            backup.rename(final)
        raise
    shutil.rmtree(backup, ignore_errors=True)


def _take_over(old: Path, new: Path, without: Collection[str]) -> None:
    """Link files of the old folder into the new one, in folders that are as they were."""
    folders = {old: new}
    for path in sorted(old.rglob("*")):  # folders before what is in them
        name = path.relative_to(old).as_posix()
        if path.is_dir() and not path.is_symlink():
            (new / name).mkdir(exist_ok=True)
            folders[path] = new / name
        elif name not in without:
            _link(path, new / name)
    for one, other in reversed(folders.items()):
        shutil.copystat(one, other)


def _link(path: Path, new: Path) -> None:
    try:
        os.link(path, new, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:  # not every file system has links
        shutil.copy2(path, new, follow_symlinks=False)


def _refill(final: Path, new: Path, names: Collection[str], dropped: Collection[str]) -> None:
    written = sorted(names, key=lambda name: ((new / name).stat().st_mtime_ns, name))
    for name in written:
        (final / name).parent.mkdir(parents=True, exist_ok=True)
    for name in {*names, *dropped}:
        (final / name).unlink(missing_ok=True)
    for name in written:
        (new / name).rename(final / name)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
