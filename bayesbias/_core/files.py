"""Files and folders that are replaced as a whole, so that a killed run never leaves a half.

A new file is written into a hidden folder next to its place, and renamed. A new folder is written
into a hidden stage, ``.NAME.writing``, which the writer locks; the old folder is renamed into the
stage, and the new one into its place. A run that is killed between these two renames leaves the old
folder in the stage, and the next run puts it back.
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
from tempfile import TemporaryDirectory

if sys.platform != "win32":
    import fcntl


@contextmanager
def replace_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path of the same name, which takes the place of ``path`` in the end.

    An OSError is raised if the folder is not there or cannot be written to, ``path`` is a folder,
    or there is no room.
    """
    final = Path(path)
    if final.is_dir():
        raise IsADirectoryError(f"{final} is a folder; give the name of a file in it")
    if not final.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {final.parent} to write {final.name} into")
    hidden = TemporaryDirectory(
        prefix=f".{final.name}.", suffix=".writing", dir=final.parent, ignore_cleanup_errors=True
    )
    with _named_if_full(final), hidden as folder:
        yield Path(folder, final.name)
        Path(folder, final.name).replace(final)


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
    with _named_if_full(Path(path)), _stage(final) as stage:
        new, old = stage / "new", stage / "old"
        new.mkdir()
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
    """Put back what a killed run left in the stage of a folder, with a RuntimeWarning.

    An OSError is raised if another process writes there, or the folder cannot be renamed.
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
    """Yield a locked hidden folder, empty; put an old folder in it back, first and last."""
    stage = _stage_of(final)
    stage.mkdir(exist_ok=True)
    handle = None if sys.platform == "win32" else _locked(stage, final)
    try:
        if _put_back(stage, final):
            text = f"a run was stopped while it replaced {final}; the earlier results are back"
            warnings.warn(text, RuntimeWarning, stacklevel=4)
        for left_over in ("new", "old"):
            shutil.rmtree(stage / left_over, ignore_errors=True)
        yield stage
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
    except (BlockingIOError, FileNotFoundError):
        free = False
    except OSError:  # not every file system has locks
        free = True
    if not free:
        os.close(handle)
        text = f"another run writes {final} now; wait for its end, or choose another place"
        raise BlockingIOError(text)
    return handle


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
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise
        reason = os.strerror(error.errno)
        text = f"{reason} while it was written; make room, or choose another place"
        raise OSError(error.errno, text, str(path)) from None
