"""The formats of embeddings, by ending. Adding one is a module in `formats` and a line here."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from .._core.checks import unknown_name
from .._core.packing import ENDINGS as PACKED_ENDINGS
from .._core.packing import opened, parts_of
from .._core.resources import bundled_folder, bundled_names
from .formats import binary, gensim_files, native, npz, parquet, text
from .formats.keyed import as_keyed
from .gensim_data import NAMES, gensim_path
from .source import ChunksOf, Embedding

FORMATS: dict[str, ChunksOf] = {
    ".bin": binary.chunks,
    ".txt": text.chunks,
    ".vec": text.chunks,
    ".npz": npz.chunks,
    ".npy": native.chunks,
    ".parquet": parquet.chunks,
    ".kv": gensim_files.pickle_chunks,
    ".model": gensim_files.pickle_chunks,
}
"""Generators by the ending of a file, in lower case."""

PACKED = (binary.chunks, text.chunks)
"""Formats that may lie in ``.gz`` or ``.zip``: they are read through `Embedding.stream` only."""

_CONTROL = re.compile(rb"[\0-\x08]")
"""Bytes that no text has, and some of the first thousand float32 numbers surely have."""

_HEAD = 4096
"""Bytes of a file that are looked at."""


def open_embedding(
    source: Any,  # noqa: ANN401
    *,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> Embedding:
    """Determine what a source is, as `load_vectors` does, before anything is read of it."""
    if not isinstance(source, str | os.PathLike):
        return Embedding(Path("the vectors given"), npz.chunks, loaded=as_keyed(source))
    path = _path_of(source)
    return Embedding(path, _format_of(path), allow_pickle, progressbar)


def _endings() -> str:
    return ", ".join((*FORMATS, *PACKED_ENDINGS))


def _path_of(source: str | os.PathLike[str]) -> Path:
    """Return the path of a file or folder by its name or path."""
    path = Path(source)
    archive, member = parts_of(path)
    bare = isinstance(source, str) and not re.search(r"[/\\]", source)
    if bare and not member and path.suffix.lower() not in (*FORMATS, *PACKED_ENDINGS):
        bundled = bundled_folder("vectors") / f"{source}.npz"
        if source and bundled.is_file():
            return bundled
        if source in NAMES and not path.exists():
            path = archive = gensim_path(str(source))
        elif not path.exists() or not source:
            known = [*bundled_names("vectors", ".npz"), *NAMES]
            raise ValueError(
                unknown_name("embedding", str(source), known)
                + f"; for a file of your own give its path, ending in {_endings()}"
            )
    if path.is_dir() and not all((path / name).is_file() for name in native.FILES):
        raise IsADirectoryError(f"{path} is a folder; give the path of an embedding file")
    if not archive.is_file() and not path.is_dir():
        raise FileNotFoundError(
            f"no embedding file at {archive}; `bayesbias docs own-words` lists where to download "
            "some"
        )
    return path


def _format_of(path: Path) -> ChunksOf:
    """Find the format of a folder, or of a file by its first bytes, its ending, or its content."""
    if path.is_dir():
        return native.chunks
    if not parts_of(path)[1]:
        with path.open("rb") as file:
            head = file.read(_HEAD)
        if head.startswith(binary.FASTTEXT_MAGIC):
            return gensim_files.fasttext_chunks
        if known := FORMATS.get(path.suffix.lower()):
            return known
        if path.suffix.lower() not in PACKED_ENDINGS:
            raise ValueError(f"{path}: unknown ending {path.suffix!r}; known are {_endings()}")
        if not head:
            raise ValueError(f"{path} is empty")
    with opened(path) as (_, stream, name):  # gensim's downloads are NAME.gz
        inner = FORMATS.get(Path(name).suffix.lower())
        peeked: Any = stream
        binary_content = _CONTROL.search(peeked.peek(_HEAD))
    if inner in PACKED:
        return inner
    return binary.chunks if binary_content else text.chunks
