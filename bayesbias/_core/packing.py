"""Files inside ``.gz``, ``.bz2``, ``.xz`` and ``.zip``, unpacked as they are read."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from .checks import unknown_name

if TYPE_CHECKING:
    from collections.abc import Buffer

_STREAMS: dict[str, Callable[[IO[bytes]], IO[bytes]]] = {
    ".gz": lambda raw: cast("IO[bytes]", gzip.GzipFile(fileobj=raw)),
    ".bz2": lambda raw: cast("IO[bytes]", bz2.BZ2File(raw)),
    ".xz": lambda raw: cast("IO[bytes]", lzma.LZMAFile(raw)),  # noqa: SIM115
}

ENDINGS = (*_STREAMS, ".zip")

WITHIN = "::"
"""Stands between the path of a ``.zip`` and the name of a file in it."""

DAMAGE = (
    EOFError,
    zlib.error,
    lzma.LZMAError,
    gzip.BadGzipFile,
    zipfile.BadZipFile,
    struct.error,
    OverflowError,
)
"""What decompressors raise where a file is damaged, besides ValueErrors."""

MOST_BLANK = 1 << 22
"""Bytes of blanks and line breaks in a row; a small packed file may hold nothing else."""

_BLOCK = 1 << 16
"""Bytes that are unpacked at a time."""


def parts_of(path: Path) -> tuple[Path, str]:
    """Return a path, and the name of the file in it that is meant: ``a.zip::b.txt``, or none."""
    archive, mark, member = str(path).partition(f".zip{WITHIN}")
    return (Path(f"{archive}.zip"), member) if mark and not path.exists() else (path, "")


@contextmanager
def opened(
    path: Path, longest_line: int | None = None
) -> Iterator[tuple[IO[bytes], IO[bytes], str]]:
    """Open a file: itself, the stream inside it, and a name whose ending may tell its format.

    A file among others in a ``.zip`` is ``archive.zip::name``. A ValueError with the path is raised
    where a decompressor stumbles over damage, or where blanks or, if there is to be a longest one,
    a line have no end; also while it is read.
    """
    path, member = parts_of(path)
    try:
        with path.open("rb") as raw, _unpacked(raw, path, member) as (stream, name):
            if stream is raw and not longest_line:
                yield raw, raw, name
            else:
                bounded = _Bounded(stream, path, longest_line)
                yield raw, io.BufferedReader(bounded, _BLOCK), name
    except (*DAMAGE, OSError) as error:
        if isinstance(error, OSError) and (error.errno is not None or not _is_packed(path)):
            raise  # of the disk; what decompressors say of damage has no number
        raise ValueError(
            f"{path} is cut off, damaged, or not a {path.suffix} file ({error}); fetch or copy it "
            "again"
        ) from None


@contextmanager
def _unpacked(raw: IO[bytes], path: Path, member: str) -> Iterator[tuple[IO[bytes], str]]:
    packing = path.suffix.lower()
    if packing in _STREAMS:
        with _STREAMS[packing](raw) as unpacked:
            yield unpacked, path.stem
    elif packing == ".zip":
        with _refusal(path):
            archive = zipfile.ZipFile(raw)
        with archive:
            name = _member(archive, path, member)
            with _refusal(path):  # it has a password, or is packed by a method not known here
                stream = archive.open(name)
            with stream:
                yield stream, name
    else:
        yield raw, path.name


class _Bounded(io.RawIOBase):
    """A stream of lines, of which none and no run of blank ones goes on for ever."""

    def __init__(self, stream: IO[bytes], path: Path, longest_line: int | None) -> None:
        self.stream, self.path = stream, path
        self.longest_line, self.in_line, self.blank = longest_line, 0, 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        """Read into a buffer; a ValueError says what does not end."""
        content = self.stream.read(len(memoryview(buffer)))
        memoryview(buffer)[: len(content)] = content
        self.blank = self.blank + len(content) if content.isspace() else 0
        last = content.rfind(b"\n")
        self.in_line = len(content) - 1 - last + (self.in_line if last < 0 else 0)
        if self.longest_line and self.in_line > self.longest_line:
            raise ValueError(f"{self.path} has a line without an end; this is not a text file")
        if self.blank > MOST_BLANK:
            raise ValueError(f"{self.path} goes on with blank lines only; it is damaged")
        return len(content)


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() in ENDINGS


def _member(archive: zipfile.ZipFile, path: Path, asked: str) -> str:
    """Find the file that is asked for, or the only one there is."""
    members = sorted(name for name in archive.namelist() if not name.endswith("/"))
    if asked in members:
        return asked
    if asked:
        raise ValueError(f"{path}: {unknown_name('file in it', asked, members)[:400]}")
    if len(members) != 1:
        example = f", such as {path}{WITHIN}{members[0]}" if members else ""
        raise ValueError(
            f"{path} holds {len(members)} files, not one ({', '.join(members)[:200]}); name the "
            f"one to read behind {WITHIN}{example}"
        )
    return members[0]


@contextmanager
def _refusal(path: Path) -> Iterator[None]:
    """Make a ValueError with the path of what is wrong with a file rather than with the disk."""
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # a place before the start
            raise
        raise ValueError(f"{path} cannot be unpacked here ({error}); unpack it first") from None
