"""Read external files: compressed files as streams, and small TOML and JSON files all at once."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import json
import lzma
import pickle
import struct
import tomllib
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

from .checks import unknown_name

MOST_BYTES = 1 << 26
"""Largest size of a text file that is read as a whole, enough for several million words."""

ENDINGS = (".gz", ".bz2", ".xz", ".zip")

WITHIN = "::"
"""Separator between the path of a ``.zip`` and the name of a file in it."""

_CONTENT = (ValueError, TypeError, OverflowError)
"""Errors in the content of a text: invalid TOML or Unicode, or numbers that are too large."""

_PARSERS: dict[type[Exception], str] = {
    RecursionError: "it nests lists or tables too deeply: ",
    tomllib.TOMLDecodeError: "not valid TOML: ",
    json.JSONDecodeError: "not a JSON file: ",
}

_PACKED = (
    *(EOFError, OSError, OverflowError),
    *(zlib.error, lzma.LZMAError, zipfile.BadZipFile, struct.error),
)
DAMAGE = (
    *(*_CONTENT, *_PACKED, LookupError, AttributeError, ArithmeticError, AssertionError),
    *(SyntaxError, TokenError, SystemError, MemoryError),  # from headers of NumPy arrays
    *(pickle.UnpicklingError, ImportError, RuntimeError),
)
"""Errors that decompressors and other libraries raise for a damaged file."""


@contextmanager
def located(path: Path) -> Iterator[None]:
    """Turn errors in a file's content into a ValueError whose message starts with the path."""
    try:
        yield
    except (*_CONTENT, RecursionError) as error:
        text = f"{_PARSERS.get(type(error), '')}{error}"
        raise ValueError(text if text.startswith(str(path)) else f"{path}: {text}") from None


@contextmanager
def damage_named(
    path: Path, what: str, *, errors: tuple[type[Exception], ...] = DAMAGE
) -> Iterator[None]:
    """Turn a library's errors for damaged files into a ValueError; leave disk errors unchanged.

    The message is ``{path} {what} ({the library's message, on one line})``.
    """
    try:
        yield
    except errors as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        if isinstance(error, MemoryError):
            what = f"{what}, or needs more memory than is available"
        told = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"{path} {what} ({told})") from None


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """Read a UTF-8 file of up to `most` bytes, with or without a byte-order mark."""
    size = path.stat().st_size if path.is_file() else most  # a pipe has no size
    with path.open("rb") as stream:
        content = stream.read(min(size, most) + 1)  # reading allocates as much as it asks for
    if len(content) > most:
        raise ValueError(f"{path} exceeds {most:,} bytes, the limit for this kind of file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not UTF-8 text (byte {error.start + 1} is invalid); save it as UTF-8"
        ) from None


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; if its content is invalid, raise a ValueError that starts with the path."""
    with located(path):
        return tomllib.loads(read_text(path))


def read_json(path: Path, most: int = MOST_BYTES) -> Any:  # noqa: ANN401
    """Read a JSON file; if its content is invalid, raise a ValueError that starts with the path."""
    with located(path):
        return json.loads(read_text(path, most))


def parts_of(path: Path) -> tuple[Path, str]:
    """Split a path such as ``a.zip::b.txt`` into an archive and the name of a file in it."""
    archive, mark, member = str(path).partition(f".zip{WITHIN}")
    return (Path(f"{archive}.zip"), member) if mark and not path.exists() else (path, "")


@contextmanager
def opened(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes], str]]:
    """Yield a file's raw stream, its unpacked stream, and the name of the unpacked file.

    If decompression fails, here or in the block, raise a ValueError that names the path.
    """
    path, member = parts_of(path)
    packing = path.suffix.lower()
    with path.open("rb") as raw:
        if packing not in ENDINGS:
            yield raw, raw, path.name
            return
        what = f"is cut off, damaged, or not a {path.suffix} file; download it again, or unpack it"
        with damage_named(path, what, errors=_PACKED):
            if packing == ".zip":
                stream: Any = _member(raw, path, member)
            else:
                stream = {".gz": gzip, ".bz2": bz2, ".xz": lzma}[packing].open(raw)
            with stream:
                name = stream.name if packing == ".zip" else path.stem
                yield raw, io.BufferedReader(stream), name


def _member(raw: IO[bytes], path: Path, asked: str) -> IO[bytes]:
    """Open the requested file in an archive, or its only file."""
    try:
        archive = zipfile.ZipFile(raw)
        members = sorted(name for name in archive.namelist() if not name.endswith("/"))
        if asked in members or (len(members) == 1 and not asked):
            return archive.open(asked or members[0])
    except (RuntimeError, ValueError) as error:  # a password, an unknown method, or damage
        raise zipfile.BadZipFile(str(error)) from None
    if asked:
        raise ValueError(f"{path}: {unknown_name('file', asked, members)[:400]}")
    if not members:
        raise ValueError(f"{path} contains no files")
    example = f"adding {WITHIN} and its name, as in {path}{WITHIN}{members[0]}"
    raise ValueError(f"{path} contains {len(members)} files; choose one by {example}")
