"""Keep a memory-mapped copy of an embedding in text in the user's cache folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .._core.files import replace_folder
from .._core.reading import parts_of, read_json
from .._core.warnings import as_ours, from_dict, heard, to_dict, warn
from ..warnings import NotCached, SlowText
from .convert import write_native
from .formats.text import text_chunks
from .load import VectorsLike
from .registry import open_embedding
from .source import Chunk, Embedding

NOTICES = "notices.json"
"""The warnings of the reading of the text, which every use of the copy repeats."""


def cached(source: VectorsLike, *, allow_pickle: bool, progressbar: bool) -> VectorsLike | Path:
    """Return the copy of a text file, written at its first use; other sources as they are.

    The copy belongs to the file's path, size, and time of change. Line n of the text is row n, so
    words keep their ranks.
    """
    opened = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    if opened.format is not text_chunks:
        return source
    target = _place(opened.path)
    if not (target / NOTICES).is_file():
        try:
            _keep(opened, target)
        except OSError as reason:  # such as another run that is writing the copy
            warn(NotCached(opened.path.name, str(reason)))
            return source
    for notice in read_json(target / NOTICES):
        warn(from_dict(notice))
    return target


def _keep(opened: Embedding, target: Path) -> None:
    with replace_folder(target) as stage:
        with heard() as found:
            write_native(_in_place(opened), stage)
        kept = [to_dict(as_ours(one)) for one in found if not isinstance(one, SlowText)]
        (stage / NOTICES).write_text(json.dumps(kept), encoding="utf-8")


def _place(path: Path) -> Path:
    from platformdirs import user_cache_path

    state, whole = parts_of(path)[0].stat(), str(path.resolve())
    name = hashlib.sha256(f"{whole}\0{state.st_size}\0{state.st_mtime_ns}".encode()).hexdigest()
    return user_cache_path("bayesbias") / "vectors" / name[:32]


def _in_place(opened: Embedding) -> Iterator[Chunk]:
    """Yield the chunks of a text, with an empty word and zeros for each line that is left out."""
    count = 0
    for chunk in opened.chunks():
        places = chunk.ranks - count - 1
        words = [""] * (int(places[-1]) + 1)
        vectors = np.zeros((len(words), chunk.vectors.shape[1]), dtype=np.float32)
        vectors[places] = chunk.vectors
        for place, word in zip(places.tolist(), chunk.words, strict=True):
            words[place] = word
        count += len(words)
        yield Chunk(words, vectors, np.arange(count - len(words) + 1, count + 1))
