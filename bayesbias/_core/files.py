"""Files and folders that are replaced as a whole, so that a killed run never leaves a half.

New content is written into a hidden stage next to its place, ``.NAME.writing``, and renamed. An old
folder is renamed into the stage first and removed last. The writer locks the stage. A run that
is killed between two renames leaves the old folder in the stage; the next run puts it back.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
"""Errors of a system without room."""

_NEW, _OLD = "new", "old"
"""Names in a stage: the folder of new content, and an old folder that gives way."""


@contextmanager
def replace_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path of the same name, which takes the place of ``path`` in the end.

    An OSError is raised if the folder is not there or cannot be written to, ``path`` is a folder,
    there is no room, or another process writes the same file.
    """
    final = Path(path)
    if final.is_dir():
        raise IsADirectoryError(f"{final} is a folder; give the name of a file in it")
    if not final.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {final.parent} to write {final.name} into")
    with _stage(final.absolute()) as stage, _named_if_full(final):
        yield stage / _NEW / final.name
        (stage / _NEW / final.name).replace(final)


@contextmanager
def replace_folder(
    path: str | Path, dropped: Callable[[set[str]], Collection[str]] = lambda _: ()
) -> Iterator[Path]:
    """Yield an empty folder, which takes the place of ``path`` when the block ends well.

    Files of an earlier folder that the new one does not have stay, by links. Folders above it are
    made. ``dropped`` gets the names of all new files, relative to the folder, and returns those of
    earlier ones that are not to stay; it may raise an error, which leaves everything as it is.

    An OSError is raised if the folder cannot be written or renamed, there is no room, a new file
    has the name of an earlier folder, or another process writes the same folder.
    """
    final = _movable(Path(path))
    missing = [folder for folder in final.parents if not folder.exists()]
    final.parent.mkdir(parents=True, exist_ok=True)
    try:
        with _stage(final) as stage, _named_if_full(Path(path)):
            new = stage / _NEW
            yield new
            names = file_names(new)
            if blocked := sorted(name for name in names if (final / name).is_dir()):
                text = f"{final / blocked[0]} is a folder, and a result has that name"
                raise IsADirectoryError(text)
            _take_over(final, new, {*names, *dropped(names)})
            if final.exists():
                final.rename(stage / _OLD)
            new.rename(final)
    finally:
        for folder in missing:
            with suppress(OSError):  # it is not empty: all went well
                folder.rmdir()


def recover(path: str | Path) -> None:
    """Put back what a killed run left in the stage of a path, with a RuntimeWarning.

    An OSError is raised if another process writes there, or a folder there cannot be renamed.
    """
    final = _movable(Path(path))
    if _stage_of(final).is_dir():
        with _stage(final):
            pass


def file_names(folder: Path) -> set[str]:
    """Return the names of all files in a folder and its folders, relative to it."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def _movable(path: Path) -> Path:
    """Return the real path; raise an OSError for a folder that cannot be renamed."""
    final = path.absolute().resolve()
    if final.is_dir() and (final.is_mount() or Path.cwd().is_relative_to(final)):
        raise OSError(
            f"{path} is the working directory or a mount, and results replace their folder as a "
            f"whole; give a folder in it, such as {path / 'results'}"
        )
    return final


def _stage_of(final: Path) -> Path:
    return final.with_name(f".{final.name}.writing")


@contextmanager
def _stage(final: Path) -> Iterator[Path]:
    """Yield a locked hidden folder with an empty one, ``new``; nothing of it is left afterwards."""
    stage = _stage_of(final)
    stage.mkdir(exist_ok=True)
    with _lock(stage, final):
        if _put_back(stage, final):
            text = f"a run was stopped while it replaced {final}; the results of before are back"
            warnings.warn(text, RuntimeWarning, stacklevel=4)
        for name in (_NEW, _OLD):
            shutil.rmtree(stage / name, ignore_errors=True)
        try:
            (stage / _NEW).mkdir()
            yield stage
        finally:
            _put_back(stage, final)
            shutil.rmtree(stage, ignore_errors=True)


def _put_back(stage: Path, final: Path) -> bool:
    """Rename the old folder back if the new one has not come into its place."""
    lost = (stage / _OLD).exists() and not final.exists()
    if lost:
        (stage / _OLD).rename(final)
    return lost


@contextmanager
def _lock(stage: Path, final: Path) -> Iterator[None]:
    """Lock a stage as long as the block and this process last, where the system has locks."""
    if sys.platform == "win32":
        yield
        return
    handle = os.open(stage, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _lock_or_refuse(handle, stage, final)
        yield
    finally:
        os.close(handle)


def _lock_or_refuse(handle: int, stage: Path, final: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = os.path.samestat(os.fstat(handle), stage.stat())  # else its owner just removed it
    except (BlockingIOError, FileNotFoundError):
        free = False
    except OSError:  # not every file system has locks
        return
    if not free:
        text = f"another run writes {final} now; wait for its end, or choose another place"
        raise BlockingIOError(text)


def _take_over(old: Path, new: Path, without: Collection[str]) -> None:
    """Link files of the old folder into the new one, in folders that are as they were."""
    if not old.exists():
        return

    def ignored(folder: str, names: list[str]) -> set[str]:
        place = Path(folder).relative_to(old)
        return {name for name in names if (place / name).as_posix() in without}

    shutil.copytree(
        old, new, symlinks=True, ignore=ignored, copy_function=_link, dirs_exist_ok=True
    )


def _link(path: str, new: str) -> None:
    try:
        os.link(path, new, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:  # not every file system has links
        shutil.copy2(path, new, follow_symlinks=False)


@contextmanager
def _named_if_full(path: Path) -> Iterator[None]:
    """Name the result that there is no room for."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        text = (
            f"{os.strerror(error.errno)} while it was written; make room, or choose another place"
        )
        raise OSError(error.errno, text, str(path)) from None
