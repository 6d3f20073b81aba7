"""The formats of embeddings, by name. Adding one is a module in `formats` and a line here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._core.packing import ENDINGS as PACKED_ENDINGS
from .._core.packing import opened, parts_of
from .formats import binary, gensim_files, native, npz, text
from .formats.keyed import ChunksOf
from .source import Chunk, Source

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


@dataclass(frozen=True)
class Format:
    """A format: its generator, and what its files are known by.

    ``chunks`` is as the documentation of `formats` says. It is known by its files' ``endings``,
    in lower case, by the first bytes, ``magic``, of every one, or as a folder by the names of the
    ``files`` in it. ``packed`` ones may lie in ``.gz`` or ``.zip``, since they are read through
    `Source.stream` only.
    """

    chunks: ChunksOf
    endings: tuple[str, ...] = ()
    packed: bool = False
    magic: bytes = b""
    files: tuple[str, ...] = ()


FORMATS: dict[str, Format] = {
    "native": Format(native.chunks, files=native.FILES),
    "fastText model": Format(gensim_files.fasttext_chunks, magic=binary.FASTTEXT_MAGIC),
    "word2vec binary": Format(binary.chunks, binary.ENDINGS, packed=True),
    "text": Format(text.chunks, text.ENDINGS, packed=True),
    "npz": Format(npz.chunks, npz.ENDINGS),
    "gensim": Format(gensim_files.pickle_chunks, gensim_files.ENDINGS),
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

    def chunks(
        self, rows: int | None = None, wanted: Collection[str] | None = None
    ) -> Iterator[Chunk]:
        """Yield all words or the wanted ones with their vectors, in the order of the source."""
        return self.format.chunks(self.source, rows, wanted)


def embedding_at(path: Path, *, allow_pickle: bool = False, progressbar: bool = True) -> Embedding:
    """Return the embedding in a file or folder; a ValueError if its format is not known."""
    return Embedding(Source(path, allow_pickle, progressbar), format_of(path))


def embedding_of(vectors: KeyedVectors) -> Embedding:
    """Return vectors that are loaded already as an embedding: as a file that has been read."""
    return Embedding(Source(Path("the vectors given"), loaded=vectors), FORMATS["npz"])


def known_endings() -> tuple[str, ...]:
    """Return all endings of embedding files."""
    endings = [ending for form in FORMATS.values() for ending in form.endings]
    return (*endings, *PACKED_ENDINGS)


def is_folder_of(path: Path) -> Format | None:
    """Return the format of a folder, if it holds all files of one."""
    for form in FORMATS.values():
        if form.files and all((path / name).is_file() for name in form.files):
            return form
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
    for form in FORMATS.values():
        if ending in form.endings or (form.magic and head.startswith(form.magic)):
            return form
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
        for form in FORMATS.values():
            if form.packed and ending in form.endings:
                return form
        peeked: Any = stream
        head = peeked.peek(_HEAD)
    return FORMATS["word2vec binary" if _CONTROL.search(head) else "text"]
