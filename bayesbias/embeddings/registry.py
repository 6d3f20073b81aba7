"""The formats of embeddings, by name. Adding one is a module in `formats` and a line here."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._core.packing import ENDINGS as PACKED_ENDINGS
from .._core.packing import opened, parts_of
from .chunks import Chunk, Entry, ahead
from .formats import binary, fasttext, native, npz, pickles, text
from .source import Source

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


@dataclass(frozen=True)
class Format:
    """A format: its two functions, and what its files are known by.

    `pick` and `iterate` are as the documentation of `formats` says. It is known by its files'
    ``endings``, in lower case, by the first bytes, ``magic``, of every one, or as a folder by the
    names of the ``files`` in it. ``packed`` ones may lie in ``.gz`` or ``.zip``, since they are
    read through `Source.stream` only.
    """

    pick: Callable[[Source, Collection[bytes] | None], Iterator[Entry]]
    iterate: Callable[[Source, int | None], Iterator[Chunk]]
    endings: tuple[str, ...] = ()
    packed: bool = False
    magic: bytes = b""
    files: tuple[str, ...] = ()


FORMATS: dict[str, Format] = {
    "native": Format(native.pick, native.iterate, files=native.FILES),
    "fastText model": Format(fasttext.pick, fasttext.iterate, magic=fasttext.MAGIC),
    "word2vec binary": Format(binary.pick, binary.iterate, binary.ENDINGS, packed=True),
    "text": Format(text.pick, text.iterate, text.ENDINGS, packed=True),
    "npz": Format(npz.pick, npz.iterate, npz.ENDINGS),
    "gensim": Format(pickles.pick, pickles.iterate, pickles.ENDINGS),
}

_CONTROL = re.compile(rb"[\0-\x08]")
"""Bytes that no text has, and some of the first thousand float32 numbers surely have."""

_HEAD = 4096
"""Bytes of a file that are looked at."""


@dataclass(frozen=True, eq=False)
class Embedding:
    """An embedding whose format is known."""

    source: Source
    format: Format

    def pick(self, wanted: Collection[bytes] | None) -> Iterator[Entry]:
        """Yield the wanted words, or all, with their vectors, in the order of the source."""
        return self.format.pick(self.source, wanted)

    def iterate(self, rows: int | None = None) -> Generator[Chunk]:
        """Yield all words and vectors in chunks; a thread reads ahead of the caller."""
        return ahead(self.format.iterate(self.source, rows))


def embedding_at(path: Path, *, allow_pickle: bool = False, progressbar: bool = True) -> Embedding:
    """Return the embedding in a file or folder; a ValueError if its format is not known."""
    return Embedding(Source(path, allow_pickle, progressbar), format_of(path))


def embedding_of(vectors: KeyedVectors) -> Embedding:
    """Return vectors that are loaded already as an embedding: as a file that has been read."""
    return Embedding(Source(Path("the vectors given"), loaded=vectors), FORMATS["npz"])


def known_endings() -> tuple[str, ...]:
    """Return all endings of embedding files."""
    endings = [ending for each in FORMATS.values() for ending in each.endings]
    return (*endings, *PACKED_ENDINGS)


def is_folder_of(path: Path) -> Format | None:
    """Return the format of a folder, if it holds all files of one."""
    for each in FORMATS.values():
        if each.files and all((path / name).is_file() for name in each.files):
            return each
    return None


def format_of(path: Path) -> Format:
    """Find the format by the files of a folder, the first bytes of a file, or its ending."""
    if folder := is_folder_of(path):
        return folder
    if parts_of(path)[1]:
        return _format_within(path)
    ending = path.suffix.lower()
    with path.open("rb") as file:
        head = file.read(_HEAD)
    for each in FORMATS.values():
        if ending in each.endings or (each.magic and head.startswith(each.magic)):
            return each
    if ending in PACKED_ENDINGS:
        if not head:
            raise ValueError(f"{path} is empty")
        return _format_within(path)
    known = ", ".join(known_endings())
    raise ValueError(f"{path}: unknown ending {path.suffix!r}; known are {known}")


def _format_within(path: Path) -> Format:
    """Find the format inside ``.gz`` or ``.zip``: gensim's downloads are NAME.gz, by content."""
    with opened(path) as (_, stream, name):
        ending = Path(name).suffix.lower()
        for each in FORMATS.values():
            if each.packed and ending in each.endings:
                return each
        peeked: Any = stream
        head = peeked.peek(_HEAD)
    return FORMATS["word2vec binary" if _CONTROL.search(head) else "text"]
