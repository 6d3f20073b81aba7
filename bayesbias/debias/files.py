"""Whole embedding files, debiased in chunks, so that memory does not grow with the file."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._core.files import replace_file
from ..embeddings.load import load_vectors, open_embedding, save_vectors
from .debiaser import Debiaser, Debiasing, warn_of_empty
from .defining_sets import SetsLike, load_defining_sets
from .method import debiasing_method
from .sources import CHUNK, FileSource
from .word2vec_writer import format_of, writer

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

NPZ = ".npz"
RECORD_ENDING = ".json"
"""Added to a file's whole name: ``glove.bin`` has its record in ``glove.bin.json``."""


@dataclass(frozen=True)
class DebiasedFile:
    """A debiased file.

    Parameters
    ----------
    out, record_path : Path
        The vectors, and the JSON file that tells how they were made.
    words, dims : int
    record : Debiasing
    """

    out: Path
    record_path: Path
    words: int
    dims: int
    record: Debiasing


def debias_file(
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    method: str = "hard",
    sets: SetsLike = "gender",
    *,
    case: str | None = None,
    allow_pickle: bool = False,
    progressbar: bool = True,
    chunk_size: int = CHUNK,
    **options: Any,  # noqa: ANN401
) -> DebiasedFile:
    """Debias a whole embedding file and write the result, which gensim reads.

    The source is read two to four times, once for the words that the method needs and once to
    write, and is never in memory as a whole, but for formats that have to be loaded whole
    (`iter_vectors`) and the ending ``.npz`` of ``out``.

    Parameters
    ----------
    source : str or path
        What `load_vectors` reads.
    out : str or path
        Ends in ``.bin`` (word2vec's binary format), ``.txt`` or ``.vec`` (its text format, with a
        header), any of them with ``.gz`` after it, or ``.npz``. It appears when it is complete,
        after a record beside it with ``.json`` added to its name.
    method : str
        A name of `DEBIASING_METHODS`.
    sets : str, path or DefiningSets
    case : {"fallback", "exact", "lower"}, optional
        How words of the sets are looked up; see `DefiningSets.in_case`. As the sets say if not
        given, which is ``fallback`` unless they say otherwise.
    allow_pickle, progressbar
        As for `load_vectors`.
    chunk_size : int
        Words in memory at a time.
    **options
        Those of the method, such as ``k=2``.

    Returns
    -------
    DebiasedFile

    Raises
    ------
    ValueError
        If ``out`` is the source or has an unknown ending, the method or an option is unknown, or
        as the method; nothing is written then.
    FileNotFoundError, IsADirectoryError
        If the source or the folder of ``out`` is not there, or ``out`` is a folder.
    """
    chosen = debiasing_method(method, **options)
    lists = load_defining_sets(sets)
    lists = lists if case is None else replace(lists, case=case)
    target = _require_path(Path(out), Path(source))
    if chunk_size < 1:
        raise ValueError(f"chunk_size must be at least one word; got {chunk_size}")
    reading: dict[str, Any] = {"allow_pickle": allow_pickle, "progressbar": progressbar}
    with replace_file(record_path(target)) as record, replace_file(target) as vectors:
        if target.suffix == NPZ:
            held = load_vectors(source, **reading)
            debiaser = chosen.fit(held, lists)
            count, dims = _save_npz(held, debiaser, vectors, str(source))
        else:
            opened = FileSource(open_embedding(source, **reading))
            debiaser = chosen.fit(opened, lists)
            count, dims = _stream(opened, debiaser, vectors, chunk_size)
        written = DebiasedFile(target, record_path(target), count, dims, debiaser.record)
        _write_record(written, record, Path(source).name)
    return written


def record_path(out: Path) -> Path:
    """Return the path of the record of a debiased file."""
    return out.with_name(out.name + RECORD_ENDING)


def _require_path(out: Path, source: Path) -> Path:
    """Check, before any work is done, whether the result can be written."""
    if out.suffix != NPZ:
        format_of(out)
    for path in (out, record_path(out)):
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder; give another name for the result")
    if not out.absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {out.parent} to write {out.name} into")
    if out.exists() and source.exists() and out.samefile(source):
        raise ValueError(f"{out} is the source itself; write the debiased vectors elsewhere")
    return out


def _stream(source: FileSource, debiaser: Debiaser, out: Path, chunk_size: int) -> tuple[int, int]:
    """Write all words, chunk by chunk; return their number and the number of dimensions."""
    chunks = source.chunks(chunk_size)
    first = next(chunks)
    count, dims = source.count, first[1].shape[1]
    done, empty, spaced = 0, 0, 0
    with writer(out, format_of(out), count, dims) as write:
        for words, vectors in chain([first], chunks):
            rows = debiaser.transform_rows(words, vectors)
            # Words without the characters that end words and lines in word2vec's formats.
            names = [word.replace(" ", "_").replace("\n", "_") for word in words]
            write(names, rows)
            done += len(names)
            empty += int((~rows.any(axis=1)).sum())
            spaced += sum(name != word for name, word in zip(names, words, strict=True))
        if done != count:
            raise ValueError(f"the source had {count:,} words and then {done:,}; did it change?")
    warn_of_empty(empty)
    if spaced:
        warnings.warn(
            f"{spaced:,} word(s) hold spaces, which word2vec's formats cannot; they were written "
            "with _ in their place",
            stacklevel=3,
        )
    return count, dims


def _save_npz(held: KeyedVectors, debiaser: Debiaser, out: Path, origin: str) -> tuple[int, int]:
    after = debiaser.transform(held)
    told = {"debiased_from": Path(origin).name, **asdict(debiaser.record)}
    save_vectors(after, out, provenance=json.dumps(told, ensure_ascii=False))
    return after.vectors.shape[0], after.vectors.shape[1]


def _write_record(written: DebiasedFile, path: Path, source: str) -> None:
    told: Mapping[str, Any] = {
        "source": source,
        "out": written.out.name,
        "words": written.words,
        "dims": written.dims,
        **asdict(written.record),
        "bayesbias": version("bayesbias"),
    }
    path.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
