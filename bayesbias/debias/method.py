"""The framework of debiasing methods, which learn from some words and then change each row.

A method learns from the words of its lists; some methods also use sums over all words. Rows are
changed one chunk at a time, so embeddings may be larger than memory.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError, check_choice
from .._core.display import abridged
from .._core.files import replace_folder
from .._core.warnings import warn
from ..embeddings.convert import require_native_path, write_native
from ..embeddings.formats.arrays import FILES
from ..embeddings.formats.keyed import Vectors, forms_of_keys, known_ranks
from ..embeddings.load import VectorsLike, vectors_in_memory
from ..embeddings.registry import open_embedding
from ..embeddings.source import Chunk, Embedding, gathered, vectors_by_word
from ..tables.spellings import KeyedVectors
from ..warnings import ZeroVectors
from .defining_sets import DefiningSets, SetsLike, load_defining_sets
from .subspace import VANISHED, VectorsByWord, lengths

Change = Callable[[FloatArray], FloatArray]
"""A function that changes rows, (n, n_dims), independently of each other."""

DEBIASING_METHODS: dict[str, Callable[..., Debiaser]] = {}
"""Functions that fit the methods, keyed by method name; `debiasing_method` adds them."""

RECORD = "record.json"
"""The record of a debiased file, in its folder."""

BLOCK = 256
"""Number of vectors that are changed at a time, few enough to stay in the processor's cache."""

TWO_CLASSES = ("hard", "double_hard")
"""Methods for pairs of words only."""

NOTES = """

Notes
-----
Call ``{name}(vectors, sets)`` with vectors that `load_vectors` accepts and sets that
`load_defining_sets` accepts; the default sets are {sets!r}. The function returns new KeyedVectors
of float32. `debiasing` returns the record of the change."""


@dataclass(frozen=True)
class Debiasing:
    """A record of how vectors were debiased.

    ``lists`` is the name of the `DefiningSets`. ``parameters`` are the options and choices of the
    method. ``missing`` are the words that are not in the embedding, keyed by set. ``sizes`` are the
    numbers of complete defining sets, complete equalize sets, and specific words in the embedding.
    ``case`` is how words were looked up.
    """

    method: str
    lists: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    case: str = "exact"


@dataclass(frozen=True, eq=False)
class Debiaser:
    """A fitted debiasing method.

    ``everywhere`` changes all words. Then ``neutral`` changes the words that are not ``kept``.
    ``placed`` words, such as equalized ones, get the given vectors. If ``unit`` is true, rows are
    scaled to unit length both before and after these changes.
    """

    record: Debiasing
    n_dims: int
    everywhere: Change | None = None
    neutral: Change | None = None
    kept: frozenset[str] = frozenset()
    placed: Mapping[str, FloatArray] = field(default_factory=dict)
    unit: bool = True

    def transform(self, vectors: VectorsLike) -> KeyedVectors:
        """Debias vectors, as `transform_rows` does; the new vectors keep the record."""
        before = vectors_in_memory(vectors)
        chunks = self.transform_chunks(open_embedding(before).chunks())
        matrix = gathered(chunks, lambda: len(before)).vectors
        rest = getattr(before, "sample", None)
        more = None if rest is None else self.transform(rest)
        words, known = [*before.index_to_key], known_ranks(before)
        ranks = None if known is None else known.copy()
        moved = Vectors(words, matrix, forms_of_keys(before), ranks)
        moved.sample = more
        after = moved.keyed()
        after.debiasing = self.record
        return after

    def transform_chunks(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Debias the chunks of an embedding; at the end, warn about words without a direction."""
        empty = 0
        for chunk in chunks:
            rows = self.transform_rows(chunk.words, chunk.vectors)
            empty += int((~rows.any(axis=1)).sum())
            yield replace(chunk, vectors=rows)
        if empty:
            warn(ZeroVectors(empty))

    def transform_rows(
        self, words: Sequence[str], rows: NDArray[np.floating]
    ) -> NDArray[np.float32]:
        """Debias the (n, n_dims) rows of the given words; rows of zeros stay the same."""
        if rows.shape[1] != self.n_dims:
            raise ValueError(
                f"{self.record.method} debiasing was fitted to vectors of {self.n_dims:,} "
                f"dimensions, and these have {rows.shape[1]:,}; pass vectors of the same embedding"
            )
        result = np.empty(rows.shape, dtype=np.float32)
        for start in range(0, len(rows), BLOCK):
            some = slice(start, start + BLOCK)
            result[some] = self._changed(words[some], rows[some].astype(np.float64))
        return result

    def _changed(self, words: Sequence[str], matrix: FloatArray) -> FloatArray:
        before = lengths(matrix, words)
        empty = before == 0
        if self.unit:
            matrix /= np.where(empty, 1.0, before)[:, None]
            before = np.ones(len(matrix))
        if self.everywhere is not None:
            matrix = self.everywhere(matrix)
        if self.neutral is not None:
            free = np.array([word not in self.kept for word in words], dtype=bool)
            changed = self.neutral(matrix)
            matrix = changed if free.all() else np.where(free[:, None], changed, matrix)
        after = np.sqrt(np.einsum("nd,nd->n", matrix, matrix))
        lost = np.flatnonzero(~empty & (after <= VANISHED * before)).tolist()
        if names := [words[row] for row in lost if words[row] not in self.placed]:
            raise ValueError(
                f"{self.record.method} debiasing reduces these vectors to zero: {abridged(names)}"
                "; add the words to the specific words, or use a smaller k"
            )
        if self.unit:
            matrix /= np.where(empty, 1.0, after)[:, None]
        for row, word in enumerate(words):
            if word in self.placed:
                matrix[row] = self.placed[word]
        matrix[empty] = 0.0
        return matrix


@dataclass(frozen=True, eq=False)
class Material:
    """The input of a method: an embedding, the sets, and the vectors of the sets' words."""

    method: str
    embedding: Embedding
    sets: DefiningSets
    vectors: VectorsByWord

    def debiaser(
        self,
        parameters: Mapping[str, Any],
        *,
        equalize: bool,
        **changes: Any,  # noqa: ANN401
    ) -> Debiaser:
        """Return the fitted method. The record counts equalize sets if ``equalize`` is true."""
        tuples = {
            "defining sets": self.sets.defining,
            "equalize sets": self.sets.equalize if equalize else (),
            "specific words": tuple((word,) for word in self.sets.specific),
        }
        missing, sizes = {}, {}
        for name, members in tuples.items():
            lost = dict.fromkeys(word for word in chain(*members) if word not in self.vectors)
            sizes[name] = sum(lost.keys().isdisjoint(words) for words in members)
            if lost:
                missing[name] = tuple(lost)
        record = Debiasing(self.method, self.sets.name, parameters, missing, sizes, self.sets.case)
        n_dims = len(next(iter(self.vectors.values())))
        return Debiaser(record, n_dims, kept=self.sets.kept, **changes)


def debiasing_method(
    default_sets: str = "gender",
) -> Callable[[Callable[..., Debiaser]], Callable[..., KeyedVectors]]:
    """Make a debiasing method from a function that learns from `Material`.

    The function takes the material and, as keyword arguments, the options in its docstring. It
    returns ``material.debiaser(...)``. The resulting method takes vectors, sets (by default the
    bundled list ``default_sets``), and options. `debias_file` and `bayesbias debias` call the
    method by the function's name.
    """

    def enter(learn: Callable[..., Debiaser]) -> Callable[..., KeyedVectors]:
        name = learn.__name__

        def debias(
            vectors: VectorsLike, sets: SetsLike = default_sets, **options: object
        ) -> KeyedVectors:
            method_options(name, options)
            keyed = vectors_in_memory(vectors)
            return fit_debiaser(keyed, name, sets, **options).transform(keyed)

        first, second, _ = inspect.signature(debias).parameters.values()
        _, *options = inspect.signature(learn, eval_str=True).parameters.values()
        vars(debias)["__signature__"] = inspect.Signature([first, second, *options])
        debias.__name__ = debias.__qualname__ = name
        debias.__doc__ = (inspect.getdoc(learn) or "") + NOTES.format(name=name, sets=default_sets)
        DEBIASING_METHODS[name] = learn
        return debias

    return enter


def method_options(method: str, given: Iterable[str] = ()) -> list[str]:
    """Return the names of a method's options; a ValueError names a given one that is unknown."""
    check_choice("debiasing method", method, DEBIASING_METHODS)
    known = list(inspect.signature(DEBIASING_METHODS[method]).parameters)[1:]
    for option in given:
        check_choice(f"option of {method}", option, known)
    return known


def fit_debiaser(
    vectors: VectorsLike | Embedding,
    method: str = "hard",
    sets: SetsLike = "gender",
    **options: object,
) -> Debiaser:
    """Fit the debiasing method with the given name; the result can debias any vectors.

    Parameters
    ----------
    vectors, sets
        See `load_vectors` and `load_defining_sets`.
    method : str
        A name in `DEBIASING_METHODS`.
    **options
        Options of the method, such as ``k=2``.
    """
    method_options(method, options)
    lists = load_defining_sets(sets)
    defaults = inspect.signature(DEBIASING_METHODS[method]).parameters
    for option, value in options.items():
        if isinstance(defaults[option].default, bool) and not isinstance(value, bool | np.bool_):
            raise ArgumentError(Argument(option), f" must be True or False; got {value!r}")
    if method in TWO_CLASSES and lists.n_classes != 2:
        raise ValueError(
            f"{method} debiasing is for two classes, but {lists.name!r} has {lists.n_classes} "
            f"({', '.join(lists.classes)}); use multiclass_hard or soft"
        )
    if not isinstance(vectors, Embedding):
        vectors = open_embedding(vectors_in_memory(vectors))
    found = vectors_by_word(vectors, lists.forms)
    lists = lists.in_case(lists.case, found)
    kept = {word: found[word] for word in sorted(lists.kept) if word in found}
    return DEBIASING_METHODS[method](Material(method, vectors, lists, kept), **options)


def debias_file(
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    method: str = "hard",
    sets: SetsLike = "gender",
    *,
    force: bool = False,
    allow_pickle: bool = False,
    progressbar: bool = True,
    **options: object,
) -> dict[str, Any]:
    """Debias a whole embedding file and write a result that `load_vectors` can read.

    The source is read two to four times, in chunks.

    Parameters
    ----------
    source, allow_pickle, progressbar
        See `load_vectors`.
    out : str or path
        The folder to create, in the format of `convert_vectors`, with ``record.json``. For gensim
        and word2vec, use ``bb.load_vectors(out).save_word2vec_format("out.bin", binary=True)``.
    method, sets, **options
        See `fit_debiaser`.
    force : bool
        Whether to replace an existing folder that contains these files.

    Returns
    -------
    dict
        The contents of ``record.json``: source, size, `Debiasing`, and the package's version.
    """
    target = Path(out).expanduser()
    place = Path(source).expanduser()
    require_native_path(target, place, force=force, files=(*FILES, RECORD))
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    debiaser = fit_debiaser(embedding, method, sets, **options)
    with replace_folder(target, lambda _: FILES) as stage:
        changed = debiaser.transform_chunks(embedding.chunks())
        words, dims = write_native(changed, stage, embedding)
        record = {"source": Path(source).name, "words": words, "dims": dims}
        record |= {**asdict(debiaser.record), "bayesbias": version("bayesbias")}
        text = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
        (stage / RECORD).write_text(text, encoding="utf-8")
    return record


def debiasing(vectors: KeyedVectors) -> Debiasing | None:
    """Return how vectors were debiased, or None if they have no record.

    KeyedVectors keep the record in memory and in gensim's files.
    """
    record = getattr(vectors, "debiasing", None)
    return record if isinstance(record, Debiasing) else None
