"""Files and folders that are replaced as a whole, so a killed run never leaves a half.

What is new is written into a hidden stage, ``.NAME.writing``, next to its place. The writer locks
the stage, so a second one is refused. A file is renamed over the old one. A folder takes two
renames: the old one into the stage, and the new one into its place. A run that is killed between
them leaves the old folder in the stage, and the next run puts it back.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from .resources import warn

if sys.platform != "win32":
    import fcntl


@contextmanager
def replace_file(path: str | Path, *companions: str) -> Iterator[Path]:
    """Yield a temporary path of the same name, which takes the place of ``path`` in the end.

    ``companions`` are names of files next to it that belong to it. Earlier ones go before ``path``
    is replaced, and new ones, written next to the temporary path, follow it: a killed run may
    leave a file without its companions, but not with those of another.

    An OSError is raised if the folder is not there or cannot be written to, ``path`` is a folder,
    there is no room, or another process writes the same file.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} to write {path.name} into")
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
    """Yield an empty folder, which takes the place of ``path`` when the block ends well.

    Files of an earlier folder that the new one does not have stay. Folders above it are made.
    ``dropped`` gets the names of all new files, relative to the folder, and returns those of
    earlier ones that are not to stay; it may raise an error, which leaves everything as it is.

    An OSError is raised if the folder cannot be written or renamed, there is no room, a new file
    has the name of an earlier folder, or another process writes the same folder.
    """
    path = Path(path)
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
            shutil.copytree(final, new, symlinks=True, ignore=ignored, dirs_exist_ok=True)
            final.rename(old)
        new.rename(final)


def recover(path: str | Path) -> None:
    """Put back or remove what a killed run left next to a destination, with a RuntimeWarning.

    An OSError is raised if another process writes there, or the folder cannot be renamed.
    """
    if _places(Path(path))[1].is_dir():
        with _stage(Path(path)):
            pass


def file_names(folder: Path) -> set[str]:
    """Return the names of all files in a folder and its folders, relative to it."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def _places(path: Path) -> tuple[Path, Path]:
    """Return the real path and its stage; raise an OSError for a folder that cannot be renamed."""
    final = path.resolve()
    if final.is_dir() and (final.is_mount() or Path.cwd().is_relative_to(final)):
        raise OSError(
            f"{path} is the working directory or a mount, and results replace their folder as a "
            f"whole; give a folder in it, such as {path / 'results'}"
        )
    return final, final.with_name(f".{final.name}.writing")


@contextmanager
def _stage(path: Path) -> Iterator[tuple[Path, Path, Path]]:
    """Lock and clear the stage; yield the real path, a new folder and a name for the old one."""
    final, stage = _places(path)
    old, new = stage / "old", stage / uuid4().hex  # where there are no locks, writers do not mix
    with suppress(FileExistsError):
        stage.mkdir()
    handle = None if sys.platform == "win32" else _locked(stage, final)
    try:
        back = _put_back(old, final)
        left_over = [*stage.iterdir()]
        if back or left_over:
            how = "the earlier results are back" if back else "what it left is removed"
            text = f"a run was stopped before it had written {final}; {how}"
            warn(text, RuntimeWarning)
        for folder in left_over:
            shutil.rmtree(folder, ignore_errors=True)
        new.mkdir()
        yield final, new, old
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise
        text = f"{os.strerror(error.errno)} while it was written; make room, or choose another"
        raise OSError(error.errno, f"{text} place", str(path)) from None
    finally:
        _put_back(old, final)
        shutil.rmtree(stage, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def _put_back(old: Path, final: Path) -> bool:
    """Rename the old folder back if the new one has not come into its place."""
    lost = old.exists() and not final.exists()
    if lost:
        old.rename(final)
    return lost


def _locked(stage: Path, final: Path) -> int:
    """Lock a stage as long as its handle is open, where the file system has locks."""
    busy = f"another run writes {final} now; wait for it, or choose another place"
    try:
        handle = os.open(stage, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:  # its owner has just removed it
        raise BlockingIOError(busy) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = os.path.samestat(os.fstat(handle), stage.stat())  # else its owner just removed it
    except OSError as error:  # not every file system has locks
        free = not isinstance(error, BlockingIOError | FileNotFoundError)
    if free:
        return handle
    os.close(handle)
    raise BlockingIOError(busy)
