"""Files and folders that are replaced as a whole, so that a killed run never leaves a half.

What is new is written into a hidden stage beside its place and gets there by renaming: one file or
folder in one step (folders by an exchange, where the system has it), several by a journal of
renamings in the stage. A stage is locked by the process that writes it. Whoever writes into the
same folder next finds those of processes that are gone, goes on with a journal, and removes them.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

if sys.platform != "win32":
    import fcntl

type Moves = Sequence[tuple[Path, Path]]
"""Paths and what they are to be called, in the order of renaming."""

_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
"""Errors of the system that say that there is no room."""

_NO_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
"""Errors of a system or a file system that cannot exchange two names."""

_ADVICE = "make room there, or choose another place"
_PREFIX, _SUFFIX = ".bayesbias-", ".writing"
_JOURNAL = "journal.json"
_STALE = 3600.0
"""Seconds after which a stage counts as left by a killed run, where the system has no locks."""

_written: ContextVar[list[Path] | None] = ContextVar("_written", default=None)


@contextmanager
def record_writes() -> Iterator[list[Path]]:
    """Yield a list that grows by every file and folder that is put into its place."""
    written: list[Path] = []
    token = _written.set(written)
    try:
        yield written
    finally:
        _written.reset(token)


def is_written(path: Path) -> bool:
    """Return whether a path was put into its place since `record_writes` began."""
    return path in (_written.get() or ())


@contextmanager
def replace_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path of the same name, which takes the place of ``path`` in the end.

    Errors are those of `replace_files`.
    """
    with replace_files(path) as (temporary,):
        yield temporary


@contextmanager
def replace_files(*paths: str | Path) -> Iterator[list[Path]]:
    """Yield temporary paths, which take the places of paths in one folder when the block ends well.

    They get there in their order. After a kill in between, the next write into the folder puts
    the others there.

    An OSError is raised if the folder is not there or cannot be written to, or a path is a
    folder; one of the block that says that there is no room gets the first path's name.
    """
    finals = [Path(path) for path in paths]
    for final in finals:
        if final.is_dir():
            raise IsADirectoryError(f"{final} is a folder; give the name of a file in it")
        if not final.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {final.parent} to write {final.name} into")
    try:
        with _stage(finals[0].parent) as stage:
            moves = [(stage / "new" / each.name, stage.parent / each.name) for each in finals]
            yield [temporary for temporary, _ in moves]
            _put(stage, moves, finals)
    except OSError as error:
        if error.errno in _FULL and error.filename is None:  # a write names no file
            error.filename = str(finals[0])
        raise


@contextmanager
def replace_folder(
    path: str | Path, dropped: Callable[[set[str]], Collection[str]] = lambda _: ()
) -> Iterator[Path]:
    """Yield an empty folder, which takes the place of ``path`` when the block ends well.

    Files of an earlier folder that the new one does not have stay, by links.

    A folder that must stay where it is (a mount, or one with the working directory in it) loses
    the files that are replaced before it gets the new ones, in the order of their writing. A
    kill in between leaves some files of one of the two, and never some of both; the next write
    there puts the new ones in their place.

    Folders above it are made. ``dropped`` gets the names of all new files, relative to the folder,
    and returns those of earlier ones that are not to stay; it may raise an error, which leaves
    everything as it is. An OSError is raised if the folder cannot be written, or a new file has the
    name of an earlier folder.
    """
    given = Path(path)
    final = given.absolute().resolve()
    recover(final)
    missing = [folder for folder in final.parents if not folder.exists()]
    final.parent.mkdir(parents=True, exist_ok=True)
    stays = final.exists() and _must_stay(final)
    try:
        with _stage(final if stays else final.parent) as stage:
            new = stage / "new"
            yield new
            names = file_names(new)
            for name in names:
                if (final / name).is_dir():
                    text = f"{given / name} is a folder, and a result has that name"
                    raise IsADirectoryError(text)
            away = {name for name in {*names, *dropped(names)} if os.path.lexists(final / name)}
            if stays:
                moves = _file_by_file(stage, final, names, away)
            else:
                _take_over(final, new, {*names, *away})
                moves = [(new, final)]
            _put(stage, moves, [given])
    except OSError as error:
        if error.errno not in _FULL:
            raise
        text = f"{os.strerror(error.errno)} while its results were written; {_ADVICE}"
        raise OSError(error.errno, text, str(given)) from None
    finally:
        for folder in missing:
            with contextlib.suppress(OSError):  # it is not empty: all went well
                folder.rmdir()


def recover(path: str | Path) -> None:
    """End what killed runs began in and beside a path, and remove what they left.

    A RuntimeWarning names what had not got its place before, and has it now.
    """
    final = Path(path).absolute().resolve()
    for folder in (final, final.parent):
        for stage in folder.glob(f"{_PREFIX}*{_SUFFIX}") if folder.is_dir() else ():
            with contextlib.suppress(OSError), _lock(stage) as locked:  # not another run's
                if locked or time.time() - stage.stat().st_mtime > _STALE:
                    _go_on(stage)
                    shutil.rmtree(stage, ignore_errors=True)


def file_names(folder: Path) -> set[str]:
    """Return the names of all files in a folder and its folders, relative to it."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


@contextmanager
def _stage(beside: Path) -> Iterator[Path]:
    """Yield a hidden folder with an empty one, ``new``; nothing of it is left afterwards."""
    recover(beside)
    with contextlib.ExitStack() as stack:
        while True:
            stage = Path(tempfile.mkdtemp(prefix=_PREFIX, suffix=_SUFFIX, dir=beside))
            stack.callback(shutil.rmtree, stage, ignore_errors=True)
            with contextlib.suppress(BlockingIOError, FileNotFoundError):  # another swept it
                stack.enter_context(_lock(stage))
                (stage / "new").mkdir()
                break
        yield stage


@contextmanager
def _lock(folder: Path) -> Iterator[bool]:
    """Lock a folder as long as the block and this process last; yield whether there are locks.

    A BlockingIOError is raised if another has the lock, and an OSError if it is no folder.
    """
    if sys.platform == "win32":
        yield False
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        locked = True
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # not every file system has locks
            locked = False
        yield locked
    finally:
        os.close(handle)


def _put(stage: Path, moves: Moves, written: Sequence[Path]) -> None:
    """Rename all, or with an error none; Ctrl-C waits. Then `written` are recorded as such."""
    with _undisturbed():
        source, target = moves[0]
        if len(moves) > 1:
            _put_by_journal(stage, moves)
        elif not target.is_dir():
            source.replace(target)
        elif not _exchange(source, target):
            _put_by_journal(stage, [(target, stage / "old"), (source, target)])
        within = any(_is_stage(folder) for folder in stage.parents)
        if (record := _written.get()) is not None and not within:
            record.extend(written)


def _put_by_journal(stage: Path, moves: Moves) -> None:
    names = [[path.relative_to(stage.parent).as_posix() for path in move] for move in moves]
    (stage / "journal").write_text(json.dumps(names), encoding="utf-8")
    (stage / "journal").replace(stage / _JOURNAL)
    try:
        _rename(stage, moves)
    except OSError:
        for source, target in reversed(moves):
            if os.path.lexists(target) and not os.path.lexists(source):
                target.replace(source)
        raise
    finally:
        (stage / _JOURNAL).unlink()


def _rename(stage: Path, moves: Moves) -> None:
    """Rename what has not been renamed yet; what is put away into the stage is put there once."""
    for source, target in moves:
        away = target.is_relative_to(stage) and os.path.lexists(target)
        if os.path.lexists(source) and not away:
            source.replace(target)


def _go_on(stage: Path) -> None:
    """Do the renamings of a journal that are left, if there is one."""
    try:
        moves = [
            _move(stage.parent, *names) for names in json.loads((stage / _JOURNAL).read_bytes())
        ]
    except (OSError, ValueError, TypeError, RecursionError):
        return  # none had been begun, or it is not ours
    _rename(stage, moves)
    (stage / _JOURNAL).unlink()
    done = ", ".join(sorted(str(path) for _, path in moves if not path.is_relative_to(stage)))
    warnings.warn(
        f"a run was stopped while it put its results into place; they are there now: {done}",
        RuntimeWarning,
        stacklevel=3,
    )


def _move(folder: Path, *names: str) -> tuple[Path, Path]:
    """Return the paths of a journal, which must not lead out of the folder."""
    source, target = (folder / name for name in names)
    for path in (source, target):
        if not path.parent.resolve().is_relative_to(folder.resolve()) or path.name == "..":
            raise ValueError(f"{path} is not in {folder}")
    return source, target


def _exchange(one: Path, other: Path) -> bool:
    """Give each of two paths the other's name in one step; return False if that cannot be done."""
    libc = ctypes.CDLL(None, use_errno=True)
    names, exchange = (os.fsencode(one), os.fsencode(other)), 2  # RENAME_EXCHANGE, RENAME_SWAP
    if hasattr(libc, "renameat2"):  # Linux
        here = -100  # AT_FDCWD
        failed = libc.renameat2(here, names[0], here, names[1], exchange)
    elif hasattr(libc, "renamex_np"):  # macOS
        failed = libc.renamex_np(*names, exchange)
    else:
        return False
    if failed and ctypes.get_errno() not in _NO_EXCHANGE:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(other))
    return not failed


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let Ctrl-C and a polite end of the process wait until the block has ended."""
    came: list[int] = []
    waiting = {}
    if threading.current_thread() is threading.main_thread():
        for each in (signal.SIGINT, signal.SIGTERM):
            if (handler := signal.getsignal(each)) is not None:  # one that Python knows
                waiting[each] = handler
                signal.signal(each, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for each, handler in waiting.items():
            signal.signal(each, handler)
        for number in came:
            signal.raise_signal(number)


def _must_stay(folder: Path) -> bool:
    """Return whether a folder cannot be renamed, or somebody would be left behind in it."""
    return (
        folder.is_mount()
        or not os.access(folder.parent, os.W_OK)
        or Path.cwd().is_relative_to(folder)
    )


def _is_stage(folder: Path) -> bool:
    return folder.name.startswith(_PREFIX) and folder.name.endswith(_SUFFIX)


def _file_by_file(stage: Path, final: Path, names: Collection[str], away: Collection[str]) -> Moves:
    """Return the moves that take the old files away, the record first, and put the new ones in."""
    new = stage / "new"
    written = sorted(names, key=lambda name: ((new / name).stat().st_mtime_ns, name))
    for name in written:
        (final / name).parent.mkdir(parents=True, exist_ok=True)
    order = [name for name in reversed(written) if name in away]
    gone = [*order, *sorted(set(away) - set(order))]
    return [
        *((final / name, stage / f"old-{i}") for i, name in enumerate(gone)),
        *((new / name, final / name) for name in written),
    ]


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
    for one, other in reversed(folders.items()) if old.exists() else ():
        shutil.copystat(one, other)


def _link(path: Path, new: Path) -> None:
    try:
        os.link(path, new, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:  # not every file system has links
        shutil.copy2(path, new, follow_symlinks=False)
