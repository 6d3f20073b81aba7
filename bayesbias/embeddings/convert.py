"""Write an embedding to one file or to a native folder, also as a copy of a text in a cache."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._core.checks import Argument, ArgumentError
from .._core.files import recover, replace_file, replace_folder
from .._core.reading import parts_of, read_json
from .._core.warnings import as_ours, from_dict, heard, to_dict, warn
from ..warnings import LeftOut, NotCached, SlowText
from .formats.arrays import FILES, RANKS, VECTORS, WORDS, packed_texts
from .formats.keyed import forms_of_keys, is_unranked, known_ranks
from .formats.text import text_chunks
from .formats.word_files import native_words
from .load import VectorsLike, vectors_in_memory
from .registry import ENDINGS, open_embedding
from .source import Chunk, Embedding, first_of_each

NOTICES = "notices.json"
"""The warnings of the reading of a text, which every use of its copy in the cache repeats."""

_NO_LINE = re.compile("[\n\ud800-\udfff]")


def save_vectors(
    vectors: VectorsLike, path: str | Path, license: str = "", provenance: str = ""
) -> None:
    """Save vectors as a ``.npz`` file, which `load_vectors` reads without using pickle.

    Parameters
    ----------
    vectors : str, path, KeyedVectors, mapping, DataFrame, or tuple
        Vectors in any form that `load_vectors` accepts.
    path : str or Path
        Path ending in ``.npz``. The file appears under this name only when it is complete.
    license, provenance : str
        License and origin of the vectors; the file stores both.

    Examples
    --------
    >>> import bayesbias as bb
    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/two.npz"
    >>> bb.save_vectors({"cat": [1, 0], "dog": [0, 1]}, path)
    >>> bb.load_vectors(path).index_to_key
    ['cat', 'dog']
    """
    if Path(path).suffix != ".npz":
        raise ValueError(f"the path for saved vectors must end in .npz; got {path}")
    vectors = vectors_in_memory(vectors)
    arrays: dict[str, Any] = {"license": np.array(license), "provenance": np.array(provenance)}
    for first, some in (("", vectors), ("sample_", getattr(vectors, "sample", None))):
        if some is not None:
            arrays |= {
                **packed_texts(f"{first}words", some.index_to_key),
                **packed_texts(f"{first}read_as", forms_of_keys(some)),
                f"{first}vectors": np.asarray(some.vectors, dtype=np.float32),
            }
            if (ranks := known_ranks(some)) is not None:
                arrays[f"{first}ranks"] = ranks
    with replace_file(path) as temporary:
        np.savez_compressed(temporary, **arrays)


def convert_vectors(
    source: VectorsLike,
    folder: str | os.PathLike[str],
    *,
    force: bool = False,
    key: str = "",
    limit: int | None = None,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> tuple[int, int]:
    """Write an embedding in chunks to a folder with ``vectors.npy`` and ``words.txt``.

    If a word's frequency rank is not the number of its line, the file ``ranks.npy`` has the ranks.
    It has no entries if the source says nothing about frequency, as a dict does.

    Parameters
    ----------
    source, key, limit, allow_pickle, progressbar
        See `load_vectors`. If a word occurs twice, its first occurrence is kept.
    folder : path
        Path of the new folder, which appears only when it is complete.
    force : bool
        Replace an existing folder that has the same layout.

    Returns
    -------
    tuple of int
        The numbers of words and dimensions.

    Raises
    ------
    ValueError, OSError
        If the source is damaged, if the folder cannot be written, or if it contains files and
        `force` is False. An existing folder then remains unchanged.

    Examples
    --------
    >>> import bayesbias as bb
    >>> import tempfile
    >>> bb.convert_vectors({"cat": [1, 0], "dog": [0, 1]}, f"{tempfile.mkdtemp()}/two")
    (2, 2)
    """
    target = Path(folder).expanduser()
    how: dict[str, Any] = {"key": key, "limit": limit, "allow_pickle": allow_pickle}
    embedding = open_embedding(source, progressbar=progressbar, **how)
    require_native_path(target, embedding.path, force=force)
    with replace_folder(target, lambda _: FILES) as stage:
        return write_native(first_of_each(embedding.chunks()), stage, embedding)


def require_native_path(
    folder: Path, source: Path, *, force: bool, files: Collection[str] = FILES
) -> None:
    """Before any work is done, check that a folder with these files may be written."""
    if folder.exists() and source.exists() and folder.samefile(source):
        raise ValueError(f"{folder} is the source itself; choose another folder")
    if folder.suffix.lower() in ENDINGS or folder.is_file():
        raise ValueError(f"{folder} is a file or has the suffix of one; pass the path of a folder")
    if not folder.absolute().parent.is_dir():
        raise FileNotFoundError(f"cannot write {folder.name}: there is no folder {folder.parent}")
    recover(folder)
    others = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    if set(others).difference(files):
        raise ValueError(f"{folder} has other files ({', '.join(others[:3])}); use a new folder")
    if others and not force:
        text = f"{folder} already exists; pass "
        raise ArgumentError(text, Argument("force", True), " to replace it")


def write_native(chunks: Iterable[Chunk], folder: Path, embedding: Embedding) -> tuple[int, int]:
    """Write chunks of an embedding to an empty folder; return the numbers of words and dimensions.

    Ranks are written unless they are the numbers of lines. A warning says if a sample is left out.
    """
    count, n_dims, first, ranks = 0, 0, "", [np.empty(0, dtype=np.int64)]
    header = {"descr": "<f4", "fortran_order": False, "shape": (0, 0)}
    with (folder / VECTORS).open("wb") as vectors, (folder / WORDS).open("wb") as words:
        for chunk in chunks:
            if not count:
                n_dims, first = chunk.vectors.shape[1], chunk.words[0]
                np.lib.format.write_array_header_1_0(vectors, {**header, "shape": (0, n_dims)})
            vectors.write(np.ascontiguousarray(chunk.vectors, dtype="<f4").data)
            words.write(_lines(chunk.words, first=not count))
            ranks.append(chunk.ranks)
            count += len(chunk)
        if not count:
            raise ValueError("there are no words to write")
        vectors.seek(0)  # NumPy's header leaves room for a larger first number
        np.lib.format.write_array_header_1_0(vectors, {**header, "shape": (count, n_dims)})
    known = np.concatenate(ranks[:1] if is_unranked(embedding) else ranks)
    if not np.array_equal(known, np.arange(1, count + 1)):
        np.save(folder / RANKS, known)
    if "\r" in first and native_words(folder / WORDS)[0] != first:
        raise ValueError(
            f"words end with a carriage return, as lines do, such as {first!r}; remove it"
        )
    if (sample := getattr(embedding.loaded, "sample", None)) is not None:
        why = "a folder has only the vocabulary; bb.save_vectors also keeps the sample"
        warn(LeftOut(len(sample), 0, "rarer word", why, about=embedding.path.stem))
    return count, n_dims


def _lines(words: Sequence[str], *, first: bool) -> bytes:
    """Return words as lines in UTF-8; a byte-order mark keeps one that the first word begins with.

    Raise a ValueError for a word that cannot be a line.
    """
    if _NO_LINE.search("".join(words)):
        odd = next(filter(_NO_LINE.search, words))
        raise ValueError(
            f"the word {odd!r} contains a line break or half of a surrogate pair; remove it, or "
            "use bb.save_vectors, which keeps it"
        )
    mark = "\ufeff" * (first and words[0][:1] == "\ufeff")
    return (mark + "".join(f"{word}\n" for word in words)).encode()


def cached(source: VectorsLike, *, allow_pickle: bool, progressbar: bool) -> VectorsLike | Path:
    """Return the copy of a text file, written at its first use; other sources as they are.

    The copy belongs to the file's path, size, and time of change.
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
            write_native(opened.chunks(), stage, opened)
        kept = [to_dict(as_ours(one)) for one in found if not isinstance(one, SlowText)]
        (stage / NOTICES).write_text(json.dumps(kept), encoding="utf-8")


def _place(path: Path) -> Path:
    from platformdirs import user_cache_path

    state, whole = parts_of(path)[0].stat(), str(path.resolve())
    name = hashlib.sha256(f"{whole}\0{state.st_size}\0{state.st_mtime_ns}".encode()).hexdigest()
    return user_cache_path("bayesbias") / "vectors" / name[:32]
