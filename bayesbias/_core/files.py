"""Replace entire files and folders, so that a killed run never leaves partial output.

New output is written to a hidden stage folder, ``.NAME.writing``, next to its destination. The
writer locks the stage, so a second writer gets an error. A new file is renamed over the old one.
Replacing a folder takes two renames: the old folder moves into the stage, and the new one moves to
the destination. If a run is killed between these renames, the next run moves the old folder back.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from .warnings import RunWasStopped, warn

if sys.platform != "win32":
    import fcntl


@contextmanager
def replace_file(path: str | Path, *companions: str) -> Iterator[Path]:
    """Yield a temporary path with the name of ``path``; a file written there replaces ``path``.

    ``companions`` are names of files that belong next to ``path``. Old companions are removed
    before ``path`` is replaced. New companions, written next to the temporary path, are moved last.
    A killed run may leave a file without companions, but never with the companions of another file.

    An OSError is raised if the folder does not exist or is not writable, or if ``path`` is a
    folder. It is also raised if the disk is full or another process is writing the same file.
    """
    path = Path(path).expanduser()
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path.name}: there is no folder {path.parent}")
    with _stage(path) as (final, new, _):
        yield new / path.name
        places = [final.with_name(name) for name in companions]
        with ExitStack() as put_back:
            for place in filter(Path.exists, places):
                aside = place.rename(new / f"old {place.name}")
                put_back.callback(aside.rename, place)
            (new / path.name).replace(final)
            put_back.pop_all()
        for place in places:
            if (new / place.name).exists():
                (new / place.name).replace(place)


@contextmanager
def replace_folder(
    path: str | Path, dropped: Callable[[set[str]], Collection[str]] = lambda _: ()
) -> Iterator[Path]:
    """Yield an empty folder, which replaces ``path`` if the block succeeds.

    Earlier files without a new version are kept. Missing parent folders are created. ``dropped``
    receives the names of all new files, relative to the folder, and returns the names of earlier
    files to delete. If ``dropped`` raises an error, nothing changes.

    An OSError is raised if the folder cannot be written or renamed, or if the disk is full. It is
    also raised if a new file has the name of an old folder, or another process is writing there.
    """
    path = Path(path).expanduser()
    path.resolve().parent.mkdir(parents=True, exist_ok=True)
    with _stage(path) as (final, new, old):
        yield new
        names = file_names(new)
        without = {*names, *dropped(names)}

        def ignored(folder: str, entries: list[str]) -> set[str]:
            paths = [Path(folder, name) for name in entries]
            files = [path for path in paths if path.is_symlink() or not path.is_dir()]
            return {path.name for path in files if path.relative_to(final).as_posix() in without}

        if final.exists():
            try:
                shutil.copytree(final, new, symlinks=True, ignore=ignored, dirs_exist_ok=True)
            except shutil.Error as error:
                kept, _, reason = error.args[0][0]
                raise OSError(f"cannot keep {kept} with the new files: {reason}") from None
            final.rename(old)
        new.rename(final)


def recover(path: str | Path) -> None:
    """Restore or remove what a killed run left next to a destination, and warn.

    An OSError is raised if another process is writing there, or if the folder cannot be renamed.
    """
    path = Path(path).expanduser()
    if _places(path)[1].is_dir():
        with _stage(path):
            pass


def file_stems(names: Iterable[str]) -> dict[str, str]:
    """Return what the files of things with these names can be called, no two in the same way.

    Only letters, digits, points, underscores, and hyphens are kept.
    """
    stems = dict[str, str]()
    for name in names:
        stem = first = re.sub(r"[^\w.-]", "-", name)
        taken, place = {one.lower() for one in stems.values()}, 2
        while stem.lower() in taken:
            stem, place = f"{first}-{place}", place + 1
        stems[name] = stem
    return stems


def file_names(folder: Path) -> set[str]:
    """Return the paths of all files in a folder and its subfolders, relative to the folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def _places(path: Path) -> tuple[Path, Path]:
    """Return the real path and its stage; raise an OSError if the folder cannot be renamed."""
    final = path.resolve()
    if final.is_dir() and (final.is_mount() or Path.cwd().is_relative_to(final)):
        raise OSError(
            f"{path} is the working directory or a mount point, so it cannot be replaced; "
            f"give a folder in it, such as {path / 'results'}"
        )
    return final, final.with_name(f".{final.name}.writing")


@contextmanager
def _stage(path: Path) -> Iterator[tuple[Path, Path, Path]]:
    """Lock and clear the stage; yield the real path, a new folder, and a path for the old one."""
    final, stage = _places(path)
    old, new = stage / "old", stage / uuid4().hex  # a unique name, in case locks do not work
    with suppress(FileExistsError):
        stage.mkdir()
    handle = None if sys.platform == "win32" else _locked(stage, final)
    try:
        back = _put_back(old, final)
        left_over = [*stage.iterdir()]
        if back or left_over:
            warn(RunWasStopped(str(final), restored=bool(back)))
        for folder in left_over:
            shutil.rmtree(folder, ignore_errors=True)
        new.mkdir()
        yield final, new, old
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise
        text = f"{os.strerror(error.errno)}; free up disk space, or choose another location"
        raise OSError(error.errno, text, str(path)) from None
    finally:
        _put_back(old, final)
        shutil.rmtree(stage, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def _put_back(old: Path, final: Path) -> bool:
    """Move the old folder back if the new one did not reach the destination."""
    lost = old.exists() and not final.exists()
    if lost:
        old.rename(final)
    return lost


def _locked(stage: Path, final: Path) -> int:
    """Lock a stage until its handle is closed, if the file system supports locks."""
    busy = f"another run is writing {final}; wait until it ends, or choose another location"
    try:
        handle = os.open(stage, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:  # the run that made it has just removed it
        raise BlockingIOError(busy) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = os.path.samestat(os.fstat(handle), stage.stat())  # False if it was removed
    except OSError as error:  # not every file system has locks
        free = not isinstance(error, BlockingIOError | FileNotFoundError)
    if free:
        return handle
    os.close(handle)
    raise BlockingIOError(busy)
