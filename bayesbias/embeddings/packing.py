"""Files inside ``.gz`` and ``.zip``, unpacked as they are read."""

from __future__ import annotations

import errno
import gzip
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

ENDINGS = (".gz", ".zip")

DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile, struct.error, OverflowError)
"""What decompressors raise where a file is damaged, besides ValueErrors."""


@contextmanager
def opened(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes], str]]:
    """Open a file: itself, the stream inside it, and a name whose ending may tell its format.

    Raises
    ------
    ValueError
        With the path, where a decompressor stumbles over damage, also while the stream is read.
    """
    try:
        with path.open("rb") as raw, _unpacked(raw, path) as (stream, name):
            yield raw, stream, name
    except DAMAGE as error:
        raise ValueError(
            f"{path} is cut off, damaged, or not a {path.suffix} file ({error}); fetch or copy it "
            "again"
        ) from None


@contextmanager
def _unpacked(raw: IO[bytes], path: Path) -> Iterator[tuple[IO[bytes], str]]:
    packing = path.suffix.lower()
    if packing == ".gz":
        with gzip.GzipFile(fileobj=raw) as unpacked:
            yield cast("IO[bytes]", unpacked), path.stem
    elif packing == ".zip":
        with _refusal(path):
            archive = zipfile.ZipFile(raw)
        with archive:
            name = _only_member(archive, path)
            with _refusal(path):  # it has a password, or is packed by a method not known here
                stream = archive.open(name)
            with stream:
                yield stream, name
    else:
        yield raw, path.name


def _only_member(archive: zipfile.ZipFile, path: Path) -> str:
    members = sorted(name for name in archive.namelist() if not name.endswith("/"))
    if len(members) != 1:
        raise ValueError(
            f"{path} holds {len(members)} files, not one ({', '.join(members)[:200]}); unpack it "
            "and give the path of the one to read"
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
