"""The state of the disk before each operation of a process that changes files.

A killed process leaves the files that it has written so far. Inspecting the disk before each
operation of one run therefore shows what a kill at each of these times would leave.
"""

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

CHANGES = {
    f"os.{name}"
    for name in ("mkdir", "link", "rename", "remove", "rmdir", "chmod", "utime", "symlink")
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


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
    watched = [folder]

    def copy() -> None:
        copies.append(aside / str(len(copies)))
        shutil.copytree(folder, copies[-1], symlinks=True)

    def hook(event: str, arguments: Sequence[object]) -> None:
        flags = arguments[2] if event == "open" else WRITING
        changes = event in CHANGES or event == "open"
        if watched and changes and isinstance(flags, int) and flags & WRITING:
            watched.clear()  # ignore the operations of copying
            copy()
            watched.append(folder)

    sys.addaudithook(hook)  # it cannot be removed
    try:
        action()
    finally:
        watched.clear()
    copy()
    return copies
