"""Files and folders that are replaced as a whole, so that a killed run never leaves a half.

What is new is written into a hidden stage, ``.NAME.writing``, next to its place. The writer locks
the stage, so that a second one is refused. A file is renamed over the old one. A folder takes two
renames: the old one into the stage, and the new one into its place. A run that is killed between
them leaves the old folder in the stage, and the next run puts it back.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

if sys.platform != "win32":
    import fcntl

_NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


@contextmanager
def replace_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path of the same name, which takes the place of ``path`` in the end.

    An OSError is raised if the folder is not there or cannot be written to, ``path`` is a folder,
    there is no room, or another process writes the same file.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} to write {path.name} into")
    final = path.resolve()
    with _stage(path, final) as (new, _):
        yield new / path.name
        (new / path.name).replace(final)


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
    final.parent.mkdir(parents=True, exist_ok=True)
    with _stage(Path(path), final) as (new, old):
        yield new
        names = file_names(new)
        without = {*names, *dropped(names)}

        def ignored(folder: str, entries: list[str]) -> set[str]:
            paths = [Path(folder, name) for name in entries]
            files = [path for path in paths if path.is_symlink() or not path.is_dir()]
            return {path.name for path in files if path.relative_to(final).as_posix() in without}

        if final.exists():
            shutil.copytree(
                final, new, symlinks=True, ignore=ignored, copy_function=_link, dirs_exist_ok=True
            )
            final.rename(old)
        new.rename(final)


def recover(path: str | Path) -> None:
    """Put back or remove what a killed run left next to a destination, with a RuntimeWarning.

    An OSError is raised if another process writes there, or the folder cannot be renamed.
    """
    final = _movable(Path(path))
    if _stage_of(final).is_dir():
        with _stage(Path(path), final):
            pass


def file_names(folder: Path) -> set[str]:
    """Return the names of all files in a folder and its folders, relative to it."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def _movable(path: Path) -> Path:
    """Return the real path; raise an OSError for a folder that cannot be renamed."""
    final = path.resolve()
    if final.is_dir() and (final.is_mount() or Path.cwd().is_relative_to(final)):
        raise OSError(
            f"{path} is the working directory or a mount, and results replace their folder as a "
            f"whole; give a folder in it, such as {path / 'results'}"
        )
    return final


def _stage_of(final: Path) -> Path:
    return final.with_name(f".{final.name}.writing")


@contextmanager
def _stage(path: Path, final: Path) -> Iterator[tuple[Path, Path]]:
    """Lock the stage of a destination, clear it, and yield a new folder and a name for the old."""
    stage = _stage_of(final)
    stage.mkdir(exist_ok=True)
    handle = None if sys.platform == "win32" else _locked(stage, final)
    try:
        back, left_over = _put_back(stage, final), [*stage.iterdir()]
        if back or left_over:
            how = "the earlier results are back" if back else "what it left is removed"
            text = f"a run was stopped while it replaced {final}; {how}"
            warnings.warn(text, RuntimeWarning, stacklevel=4)
        for folder in left_over:
            shutil.rmtree(folder, ignore_errors=True)
        new = stage / uuid4().hex  # where there are no locks, two writers do not mix
        new.mkdir()
        yield new, stage / "old"
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        text = (
            f"{os.strerror(error.errno)} while it was written; make room, or choose another place"
        )
        raise OSError(error.errno, text, str(path)) from None
    finally:
        _put_back(stage, final)
        shutil.rmtree(stage, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def _put_back(stage: Path, final: Path) -> bool:
    """Rename the old folder back if the new one has not come into its place."""
    lost = (stage / "old").exists() and not final.exists()
    if lost:
        (stage / "old").rename(final)
    return lost


def _locked(stage: Path, final: Path) -> int:
    """Lock a stage as long as its handle is open, where the file system has locks."""
    handle = os.open(stage, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = os.path.samestat(os.fstat(handle), stage.stat())  # else its owner just removed it
    except OSError as error:  # not every file system has locks
        free = not isinstance(error, BlockingIOError | FileNotFoundError)
    if free:
        return handle
    os.close(handle)
    raise BlockingIOError(f"another run writes {final} now; wait for it, or choose another place")


def _link(path: str, new: str) -> None:
    try:
        os.link(path, new, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:  # not every file system has links
        shutil.copy2(path, new, follow_symlinks=False)
