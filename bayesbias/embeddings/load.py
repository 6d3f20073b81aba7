"""Word vectors: only the words asked for, from whatever file holds them."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .._core.checks import Argument, ArgumentError, unknown_name
from .._core.resources import bundled_folder, bundled_names
from ..tables.wordlists import WordList
from .formats import ENDINGS, npz, pickles, read_entries
from .formats.fasttext import is_fasttext, read_fasttext
from .formats.headers import Vector
from .formats.keyed import LOWER, in_lower_case, keyed_vectors, read_as, unwrapped
from .formats.native import is_native, native_entries
from .formats.npz import save_vectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

    from .formats.blocks import Block
    from .formats.pieces import Walk

__all__ = ["in_lower_case", "load_vectors", "read_as", "save_vectors", "vector_blocks"]

CASES = ("exact", "lower", "fallback")
"""How a word may be looked up: as it is, in lower case, or as it is and else in lower case."""

KNOWN_ENDINGS = (*ENDINGS, *npz.ENDINGS, *pickles.ENDINGS)

_MOST_NAMED = 10
_ODD = "backslashreplace"
"""How bytes that are no UTF-8 become text, as in gensim's reader of fastText models."""


def load_vectors(
    source: str | os.PathLike[str] | KeyedVectors,
    words: Iterable[str] | WordList | None = None,
    case: str = "exact",
    *,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> KeyedVectors:
    r"""Load the vectors of the words asked for, and of no others.

    A file is walked from end to end, so that damage is noticed, but only the vectors asked for
    are kept: reading a thousand words from a file of many gigabytes takes little memory.

    Parameters
    ----------
    source : str, path or KeyedVectors
        A bundled set (``"glove-demo"``); a word2vec binary file (``.bin``); a text file of
        word2vec, GloVe or fastText, with or without a header (``.txt``, ``.vec``); either of
        these in ``.gz`` or alone in a ``.zip``; a folder that ``bayesbias convert`` made; a
        fastText model (``.bin``, loaded whole by gensim); a file of `save_vectors` (``.npz``); a
        gensim file (``.kv``, ``.model``); or vectors that are loaded already.
    words : iterable of str or WordList, optional
        Which words to load; all if left out. Words that the source lacks are left out of the
        result, and `missing_words` tells them.
    case : {"exact", "lower", "fallback"}
        Look a word up as it stands, in lower case, or as it stands and, only where that is
        lacking, in lower case. Makes no difference where ``words`` is left out. The keys of the
        result are always the words as asked for; `read_as` tells which were read in another form.
    allow_pickle : bool
        Allow ``.kv`` and ``.model`` files. They are Python pickles, which can run any program
        when they are opened: allow them only from people you trust.
    progressbar : bool
        Show a bar on stderr while a large file is read.

    Returns
    -------
    gensim.models.KeyedVectors
        float32, keys in the order of the source. Where the source has a word twice, the first
        counts, as in gensim. With ``words`` left out, bytes that are not UTF-8 show as ``\xff``
        in the keys.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If the path leads to no file.
    ValueError
        If the name or ending is unknown; the file is empty, cut off or damaged; none of the
        words is in it; or a vector asked for is all zeros or not finite.
    """
    if case not in CASES:
        raise ValueError(unknown_name("case", str(case), CASES))
    asked = _asked(words)
    forms = None if asked is None else _forms(asked)
    where = str(source) if isinstance(source, str | os.PathLike) else "the vectors given"
    held = _held(source, allow_pickle=allow_pickle)
    if isinstance(held, Path):
        entries, original = _entries_in(held, forms, progressbar=progressbar), {}
    else:
        entries, original = _entries_of(held, forms), read_as(held)
    found: dict[str, Vector] = {}
    for form, vector in entries:
        found.setdefault(form, vector)
    chosen = {word: word for word in found} if asked is None else choose(asked, found, case)
    if not chosen:
        raise _nothing_found(asked or (), found, where)
    matrix = np.stack([found[form] for form in chosen.values()]).astype(np.float32, copy=False)
    _refuse_unusable(list(chosen), matrix, where)
    origins = [original.get(form, form) for form in chosen.values()]
    vectors = keyed_vectors(list(chosen), matrix, origins)
    lost = (word for word in asked or () if word not in chosen and word.lower() in found)
    setattr(vectors, LOWER, tuple(lost))
    return vectors


def vector_blocks(
    source: str | os.PathLike[str] | KeyedVectors,
    rows: int | None = None,
    *,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> Iterator[Block]:
    """Walk a whole embedding in blocks, in memory that does not grow with it.

    A thread reads and takes apart what comes next while the caller works on a block.

    Parameters
    ----------
    source : str, path or KeyedVectors
        As for `load_vectors`. Formats that cannot be read in parts are loaded whole: fastText
        models, ``.npz``, ``.kv``, ``.model``.
    rows : int, optional
        Words of a block at most; by default as many as three megabytes hold.
    allow_pickle, progressbar : bool
        As for `load_vectors`.

    Returns
    -------
    iterator of Block
        ``names`` (bytes, a newline behind each word), ``hashes`` and ``vectors``, an (n, n_dims)
        float32 matrix. Words that stand twice come twice, and vectors as the file has them.

    Raises
    ------
    FileNotFoundError, IsADirectoryError, ValueError
        As `load_vectors`; damage within the file when the walk gets there.
    """
    from .formats.whole import file_blocks, keyed_blocks

    held = _held(source, allow_pickle=allow_pickle)
    if isinstance(held, Path):
        return file_blocks(held, rows=rows, progressbar=progressbar)
    return keyed_blocks(held, rows)


def vector_walk(
    source: str | os.PathLike[str] | KeyedVectors,
    rows: int | None = None,
    *,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> Walk:
    """Give the function that looks at a whole embedding, from the start at every call.

    Sources and arguments are those of `vector_blocks`; what has to be loaded whole is loaded once.
    """
    from .formats.blocks import Memory
    from .formats.whole import file_pieces, keyed_pieces

    held = _held(source, allow_pickle=allow_pickle)
    if isinstance(held, Path):
        return partial(file_pieces, held, Memory(), rows=rows, progressbar=progressbar)
    return partial(keyed_pieces, held, rows=rows)


def _asked(words: Iterable[str] | WordList | None) -> tuple[str, ...] | None:
    """Give the words asked for once each; sorted, since a set has no order of its own."""
    if words is None:
        return None
    if isinstance(words, str):
        raise TypeError(f"words must be several words; for one word pass [{words!r}]")
    asked = set(words.words if isinstance(words, WordList) else words)
    wrong = [word for word in asked if not isinstance(word, str)]
    if wrong:
        raise TypeError(f"words must be text; got {wrong[0]!r}")
    if not asked:
        raise ValueError("words is empty; leave it out to load all words")
    return tuple(sorted(asked))


def _forms(asked: Iterable[str]) -> frozenset[str]:
    """All forms that may be of use; lower case also for the hint when nothing is found."""
    return frozenset(form for word in asked for form in (word, word.lower()))


def choose(asked: Iterable[str], found: Mapping[str, object], case: str) -> dict[str, str]:
    """Map every word that can be had to the form to read it in, in the order of the source."""
    askers: dict[str, list[str]] = defaultdict(list)
    for word in asked:
        tries = {"exact": (word,), "lower": (word.lower(),), "fallback": (word, word.lower())}
        form = next((form for form in tries[case] if form in found), None)
        if form is not None:
            askers[form].append(word)
    return {word: form for form in found for word in askers[form]}


def _nothing_found(asked: Sequence[str], found: Mapping[str, Vector], where: str) -> ValueError:
    lowered = sum(word.lower() in found for word in asked)
    if not asked:
        return ValueError(f"{where} holds no words")
    told = f"none of the {len(asked)} words is in {where} ({_named(asked)})"
    if not lowered:
        return ValueError(told)
    hint = f"; {lowered} of them are there in lower case: pass "
    return ArgumentError(told + hint, Argument("case", "fallback"))


def _refuse_unusable(words: Sequence[str], matrix: Vector, where: str) -> None:
    """A vector without a direction has no cosine; better no result than a silent gap."""
    finite = np.isfinite(matrix).all(axis=1)
    zeros = ~(matrix != 0).any(axis=1)
    for bad, what in ((~finite, "not finite"), (zeros, "all zeros")):
        if bad.any():
            names = [words[row] for row in np.flatnonzero(bad).tolist()]
            raise ValueError(
                f"{where}: the vectors of {len(names)} word(s) are {what}: {_named(names)}; "
                "leave these words out"
            )


def _named(words: Sequence[str]) -> str:
    more = len(words) - _MOST_NAMED
    return ", ".join(words[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _held(source: object, *, allow_pickle: bool) -> KeyedVectors | Path:
    """Give loaded vectors where the source has to be loaded whole, else the path to walk."""
    if not isinstance(source, str | os.PathLike):
        return unwrapped(source)
    path = _path_of(source)
    ending = path.suffix.lower()
    if is_native(path):
        return path
    if is_fasttext(path):
        return read_fasttext(path)
    if ending in npz.ENDINGS:
        return npz.read_npz(path)
    if ending in pickles.ENDINGS:
        return pickles.read_pickled(path, allow_pickle=allow_pickle)
    if ending not in ENDINGS:
        raise ValueError(
            f"{path}: unknown ending {path.suffix!r}; known are {', '.join(KNOWN_ENDINGS)}"
        )
    return path


def _path_of(source: str | os.PathLike[str]) -> Path:
    path = Path(source)
    ending = path.suffix.lower()
    if isinstance(source, str) and not re.search(r"[/\\]", source) and ending not in KNOWN_ENDINGS:
        bundled = bundled_folder("vectors") / f"{source}.npz"
        if source and bundled.is_file():
            return bundled
        if not path.exists() or not source:
            raise ValueError(
                unknown_name("embedding", source, bundled_names("vectors", ".npz"))
                + f"; for a file of your own give its path, ending in {', '.join(KNOWN_ENDINGS)}"
            )
    if is_native(path):
        return path
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the path of an embedding file")
    if not path.is_file():
        raise FileNotFoundError(f"no embedding file at {path}")
    return path


def _entries_of(
    vectors: KeyedVectors, forms: frozenset[str] | None
) -> Iterator[tuple[str, Vector]]:
    """Walk vectors that are loaded already."""
    for word, row in vectors.key_to_index.items():
        if forms is None or word in forms:
            yield word, vectors.vectors[row]


def _entries_in(
    path: Path, forms: frozenset[str] | None, *, progressbar: bool
) -> Iterator[tuple[str, Vector]]:
    """Walk a file, with words as text."""
    wanted = None if forms is None else {form.encode(errors=_ODD): form for form in forms}
    walk = (
        native_entries(path, wanted)
        if is_native(path)
        else read_entries(path, wanted, progressbar=progressbar)
    )
    for name, vector in walk:
        yield name.decode(errors=_ODD) if wanted is None else wanted[name], vector
