"""Read external files: compressed files as streams, and small TOML and JSON files all at once."""

from __future__ import annotations

import ast
import bz2
import codecs
import errno
import gzip
import io
import json
import lzma
import os
import pickle
import re
import struct
import sys
import tarfile
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

from .checks import require_extra, unknown_name

MOST_BYTES = 1 << 26
"""Largest size of a text file that is read as a whole, enough for several million words."""

PART = 1 << 20
"""Bytes to read at once from a file whose size is not known."""

SHOWN, ZEROS = 4096, 40
"""Bytes that show whether a text is in UTF-16, and the number of bytes with one zero byte."""

_MAGIC = {
    rb"\x1f\x8b": ".gz",
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90|\Z)": ".bz2",  # a block, the end of an empty file, or a cut
    rb"\xfd7zXZ\0": ".xz",
    rb"\x28\xb5\x2f\xfd": ".zst",
    rb"PK(\x03\x04|\x05\x06)": ".zip",
}
"""Packings by a file's first bytes."""

_TAR_PLACE = 257
"""Position of the word ``ustar`` in a tar archive."""

ARCHIVES = (".zip", ".tar")
ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".tgz", *ARCHIVES)

_JUNK = re.compile(r"(^|/)(__MACOSX/|\.(?!/)|(readme|licen[cs]e)[^/]*$|thumbs\.db$)", re.IGNORECASE)
"""Files in archives that are never meant, such as the resource forks that Macs add."""

_OF_DATA = re.compile(
    r"(^|/)data\.pkl$|^(\[Content_Types\]|mimetype$|xl/workbook\.)"  # PyTorch, office programs
    r"|^_journal/start\.json$"  # logs of Inspect
)
"""Files in a zip file that is itself a file of data, unless a file in it is asked for."""

_OF_INSPECT = re.compile(
    r"(samples|_journal|config_updates)/|(header|start|summary|summaries|results|reductions)\.json$"
)
"""Files in logs of Inspect. Other archives may have some of them, next to other files."""

WITHIN = "::"
"""Separator between the path of an archive and the name of a file in it."""

_CONTENT = (ValueError, TypeError, OverflowError)
"""Errors in the content of a text: invalid TOML or Unicode, or numbers that are too large."""

_PARSERS: dict[type[Exception], str] = {
    RecursionError: "it nests lists or tables too deeply: ",
    tomllib.TOMLDecodeError: "not valid TOML: ",
    json.JSONDecodeError: "not a JSON file: ",
    UnicodeDecodeError: "it is not UTF-8 text; save it as UTF-8: ",
}

_PACKED = (
    *(EOFError, OSError, OverflowError),
    *(zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError, struct.error),
)
DAMAGE = (
    *(*_CONTENT, *_PACKED, LookupError, AttributeError, ArithmeticError, AssertionError),
    *(SyntaxError, TokenError, SystemError, MemoryError),  # from headers of NumPy arrays
    *(pickle.UnpicklingError, ImportError, RuntimeError),
)
"""Errors that decompressors and other libraries raise for a damaged file."""


@contextmanager
def located(path: Path | str) -> Iterator[None]:
    """Turn errors in content into a ValueError whose message starts with its path or place."""
    try:
        yield
    except (*_CONTENT, RecursionError) as error:
        text = f"{_PARSERS.get(type(error), '')}{error}"
        raise ValueError(text if text.startswith(str(path)) else f"{path}: {text}") from None


def literal(text: str) -> object:
    """Return the value of a text that is a Python literal, or the text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return text


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
    """Read a (possibly compressed) UTF-8 file of up to `most` bytes, with or without a BOM."""
    archive, _ = parts_of(path)
    if archive.is_file():
        with opened(path) as (_, stream, _):
            content = _up_to(most, stream, max(archive.stat().st_size, PART))
    else:  # a pipe, which cannot be searched for packings
        with path.open("rb") as stream:
            content = _up_to(most, stream, PART)
    if len(content) > most:
        raise ValueError(f"{path} exceeds {most:,} bytes, the limit for this kind of file")
    try:
        return as_utf8(content).decode()
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not UTF-8 text (byte {error.start + 1} is invalid); save it as UTF-8"
        ) from None


def _up_to(most: int, stream: IO[bytes], part: int) -> bytes:
    """Read a stream in parts, because reading allocates as much memory as it asks for.

    Stop at its end, or one byte after `most`.
    """
    parts: list[bytes] = []
    length = 0
    while length <= most and (read := stream.read(min(part, most - length) + 1)):
        parts.append(read)
        length += len(read)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def utf16_of(head: bytes) -> str:
    """Return the kind of UTF-16 or UTF-32 that a text is in, or an empty string.

    Without a byte-order mark, the zero bytes of blanks, digits, and Latin letters show it: they are
    only in even or only in odd places.
    """
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    shown = any(head[:SHOWN]) and len(head) >= 4
    for kind, places in (("utf-32-be", (0, 1)), ("utf-32-le", (2, 3))):
        if shown and not any(any(head[place:SHOWN:4]) for place in places):
            return kind
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = head[:SHOWN]
    even, odd = head[::2].count(0), head[1::2].count(0)
    shown = min(even, odd) == 0 and ZEROS * max(even, odd) > len(head)
    return ("utf-16-be" if even else "utf-16-le") if shown else ""


def as_utf8(content: bytes) -> bytes:
    """Return a text in UTF-8, without a byte-order mark, given one in UTF-8 or UTF-16."""
    if kind := utf16_of(content):
        content = content.decode(kind, errors="replace").encode()
    return content.removeprefix(codecs.BOM_UTF8)


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; if its content is invalid, raise a ValueError that starts with the path."""
    with located(path):
        return tomllib.loads(read_text(path))


def read_json(path: Path, most: int = MOST_BYTES) -> Any:  # noqa: ANN401
    """Read a JSON file; if its content is invalid, raise a ValueError that starts with the path.

    If an object repeats a key, its last value counts.
    """
    with located(path):
        return json.loads(read_text(path, most))


def loads_json(text: str | bytes) -> Any:  # noqa: ANN401
    """Parse JSON; raise a ValueError if an object repeats a key."""
    return json.loads(text, object_pairs_hook=_unique)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in content if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} occurs twice in one object; keep one of them")
    return content


def parts_of(path: Path) -> tuple[Path, str]:
    """Split a path such as ``a.zip::b.txt`` into an archive and the name of a file in it.

    Names of files may contain the separator, too, so the longest path of a file is the archive's.
    """
    text = str(path)
    place = -1 if os.path.exists(path) else text.rfind(WITHIN)
    while place >= 0:
        archive, member = text[:place], text[place + len(WITHIN) :]
        if member and os.path.isfile(archive):
            return Path(archive), member
        place = text.rfind(WITHIN, 0, place + 1)
    return path, ""


def is_stored(path: Path) -> bool:
    """Return whether a path leads to a file, which may be in an archive."""
    archive, member = parts_of(path)
    if not member or not archive.is_file():
        return archive.is_file()
    try:
        with opened(path):
            return True
    except ValueError:
        return False


@contextmanager
def opened(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes], str]]:
    """Yield a file's raw stream, its unpacked stream, and the name of the unpacked file.

    What a file is packed with is determined from its content, one layer after another. If
    unpacking fails, here or in the block, raise a ValueError that names the path.
    """
    path, member = parts_of(path)
    with path.open("rb") as raw, ExitStack() as stack:
        stream: Any = raw
        name, how = path.name, packing(raw, as_archive=bool(member))
        while how:
            what = f"is cut off, damaged, or not a {how} file; download it again, or unpack it"
            stack.enter_context(damage_named(path, what, errors=(*_PACKED, *_errors(how))))
            if how in ARCHIVES:
                stream, name = _member(stream, how, path, member)
                member = ""
            else:
                stream, name = _UNPACK[how](stream), Path(name).stem
            stream = io.BufferedReader(stack.enter_context(stream))
            how = packing(stream, as_archive=bool(member))
        if member:
            raise ValueError(f"{path} is not an archive, so there is no {WITHIN}{member} in it")
        yield raw, stream, name


def members_of(path: Path, most: int | None = None) -> list[str] | None:
    """Return the names of an archive's files, the largest first, or None for other files.

    Raise a ValueError if they cannot be listed, or only after unpacking `most` bytes of a tar.
    """
    with path.open("rb") as raw, ExitStack() as stack:
        stream: Any = raw
        what = "cannot be unpacked"
        stack.enter_context(damage_named(path, what, errors=(*_PACKED, RuntimeError)))
        while (how := packing(stream)) and how not in ARCHIVES:
            stack.enter_context(damage_named(path, what, errors=_errors(how)))
            stream = io.BufferedReader(stack.enter_context(_UNPACK[how](stream)))
        if not how:
            return None
        names, _ = _listed(stream, how, None if stream is raw else most)
    return [name for name in names if not _JUNK.search(name)]


def unpacked_name(path: Path) -> Path:
    """Return a path without the endings of packings, such as ``a.jsonl`` for ``a.jsonl.gz``."""
    while path.suffix.lower() in ENDINGS:
        path = path.with_suffix("")
    return path


def packing(stream: IO[bytes], *, as_archive: bool = False) -> str:
    """Return the name of the packing that a stream starts with, or an empty string.

    A zip file that is itself a file of data has none, unless it is to be read `as_archive`.
    """
    head = stream.read(_TAR_PLACE + 5)
    stream.seek(0)
    if head[_TAR_PLACE:] == b"ustar":
        return ".tar"
    how = next((how for magic, how in _MAGIC.items() if re.match(magic, head)), "")
    return "" if how == ".zip" and not as_archive and is_data(stream) else how


def is_data(stream: IO[bytes]) -> bool:
    """Return whether a zip file is itself a file of data, such as ``.npz`` or an Inspect log."""
    try:
        names = zipfile.ZipFile(stream).namelist()
    except (RuntimeError, ValueError, *_PACKED):
        return False
    finally:
        stream.seek(0)
    arrays = any(names) and all(name.endswith(".npy") for name in names)
    meant = [name for name in names if not _JUNK.search(name)]
    log = {"header.json", "start.json"} & {*meant} and all(map(_OF_INSPECT.match, meant))
    return bool(arrays or log or any(map(_OF_DATA.search, names)))


def _zstd() -> Any:  # noqa: ANN401  a module of Python 3.14, or of a package
    """Import the module for Zstandard."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        require_extra(".zst files", "zstd", "backports")
        from backports import zstd
    return zstd


def _errors(how: str) -> tuple[type[Exception], ...]:
    """Return the errors that only one kind of packing raises."""
    return (_zstd().ZstdError,) if how == ".zst" else ()


_UNPACK: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zst": lambda stream: _zstd().open(stream),
}


def _member(stream: IO[bytes], how: str, path: Path, asked: str) -> tuple[IO[bytes], str]:
    """Open the requested file in an archive, or its only file; return its name, too."""
    try:
        names, read = _listed(stream, how)
        members = [name for name in names if not _JUNK.search(name)]
        if not asked:
            found = members
        elif asked in names:
            found = [asked]
        else:  # a Path has changed names such as a//b
            found = [name for name in names if Path(name) == Path(asked)]
        if len(found) == 1:
            return read(found[0]), found[0]
    except (RuntimeError, ValueError, tarfile.TarError) as error:  # a password, or damage
        raise zipfile.BadZipFile(str(error)) from None
    if asked:
        raise ValueError(f"{path}: {unknown_name('file', asked, members)[:400]}")
    if not members:
        raise ValueError(f"{path} contains no files")
    example = f"adding {WITHIN} and its name, as in {path}{WITHIN}{members[0]}"
    raise ValueError(f"{path} contains {len(members)} files; choose one by {example}")


def _listed(
    stream: IO[bytes], how: str, most: int | None = None
) -> tuple[list[str], Callable[[str], Any]]:
    """Return an archive's files, the largest first, and a function that opens one of them.

    Raise a ValueError if the list of a tar needs more than `most` bytes of it.
    """
    if how == ".zip":
        packed = zipfile.ZipFile(stream)
        sizes = {each.filename: each.file_size for each in packed.infolist() if not each.is_dir()}
        return sorted(sizes, key=sizes.__getitem__, reverse=True), packed.open
    archive = tarfile.open(fileobj=stream, mode="r:")  # noqa: SIM115  closed with the stream
    sizes = {}
    for each in archive:
        if most is not None and each.offset_data + each.size > most:
            raise ValueError(f"its list of files needs more than {most:,} bytes")
        if each.isfile():
            sizes[each.name] = each.size
    return sorted(sizes, key=sizes.__getitem__, reverse=True), archive.extractfile
