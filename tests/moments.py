"""The state of the disk before each operation of a process that changes files.

A killed process leaves the files that it has written so far. Inspecting the disk before each
operation of one run therefore shows what a kill at each of these times would leave.
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

CHANGES = {
    f"os.{name}"
    for name in ("mkdir", "link", "rename", "remove", "rmdir", "chmod", "utime", "symlink")
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT

_watcher: Callable[[], None] | None = None
"""Functions to call before every operation, because audit hooks cannot be removed."""


def _hook(event: str, arguments: Sequence[object]) -> None:
    global _watcher  # noqa: PLW0603
    if _watcher is None:
        return
    flags = arguments[2] if event == "open" else WRITING
    if (event in CHANGES or event == "open") and isinstance(flags, int) and flags & WRITING:
        watcher, _watcher = _watcher, None  # ignore the function's own operations
        try:
            watcher()
        finally:
            _watcher = watcher


@contextmanager
def before_every_write(act: Callable[[], None]) -> Iterator[None]:
    """Call a function before every operation in the block that changes files."""
    global _watcher  # noqa: PLW0603
    if _hook not in _hooked:
        sys.addaudithook(_hook)
        _hooked.append(_hook)
    _watcher = act
    try:
        yield
    finally:
        _watcher = None


_hooked: list[object] = []


def files(folder: Path, without: str = "") -> dict[str, bytes]:
    """Return the contents of all files, except staged ones and those with a text in the name."""
    found = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {
        name.as_posix(): path.read_bytes()
        for name, path in found.items()
        if not any(part.endswith(".writing") for part in name.parts)
        and not (without and without in name.as_posix())
    }


def states(folder: Path, aside: Path, action: Callable[[], object]) -> list[Path]:
    """Return copies of a folder from before every operation of an action, and after it."""
    copies: list[Path] = []

    def copy() -> None:
        copies.append(aside / str(len(copies)))
        shutil.copytree(folder, copies[-1], symlinks=True)

    with before_every_write(copy):
        action()
    copy()
    return copies
