"""Writing files so that a killed run never leaves half a file under a final name."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
"""Errors of the system that say that there is no room."""


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside ``path``, which takes its place when the block ends well.

    The temporary name keeps the ending, so that writers which look at it do the same as before.

    Raises
    ------
    FileNotFoundError, IsADirectoryError, PermissionError
        If the folder is not there, the path is a folder, or the folder cannot be written to.
    OSError
        If the block raises it; where that says that there is no room, with the path's name.
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
        if error.errno in FULL and error.filename is None:  # a write names no file
            error.filename = str(final)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
