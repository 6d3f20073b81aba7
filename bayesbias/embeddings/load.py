"""Load the vectors of requested words from files of any supported format."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._core.checks import Argument, ArgumentError, check_choice, counted
from .._core.display import abridged
from .._core.resources import warn
from ..tables.spellings import CASES, KeyedVectors, choose, every_form, resolved_forms
from ..tables.wordlists import WordList, WordListLike, load_wordlist
from .formats.keyed import Vectors, as_keyed, require_directions
from .registry import open_embedding
from .source import Chunk, Embedding, first_of_each

type VectorsLike = (
    str
    | os.PathLike[str]
    | KeyedVectors
    | Mapping[str, ArrayLike]
    | pd.DataFrame
    | tuple[Sequence[str], ArrayLike]
)
"""What `load_vectors` accepts: a name, a path, or vectors in memory; see `as_keyed`."""


def load_vectors(
    source: VectorsLike,
    words: Iterable[str] | WordListLike | None = None,
    case: str = "exact",
    *,
    strip_accents: bool = False,
    subwords: bool = True,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> KeyedVectors:
    r"""Load the vectors of the requested words, or of all words.

    To detect damage, the whole file is read, except for ``.npy`` arrays.

    Parameters
    ----------
    source : str, path, KeyedVectors, mapping, DataFrame, or tuple
        - a bundled set (``"glove-demo"``), or a name from gensim's downloader
          (``"glove-wiki-gigaword-100"``), which is downloaded if needed;
        - word2vec's binary format (``.bin``), or text from word2vec, GloVe, or fastText (``.txt``,
          ``.vec``), also inside ``.gz`` or ``.zip`` (``"glove.6B.zip::glove.6B.50d.txt"``);
        - a folder from ``bayesbias convert``; an array (``NAME.npy`` or ``NAME.safetensors``) with
          its words in ``NAME.txt``, one per line; a table with one row per word (``.parquet``); a
          file from `save_vectors` (``.npz``); a fastText model (``.bin``); or a gensim file
          (``.kv``, ``.model``);
        - vectors in memory: KeyedVectors or a gensim model, a dict of arrays keyed by word, a
          DataFrame with words as its index, or ``(words, array)``.
    words : iterable of str, or any form that `load_wordlist` accepts, optional
        Words to load; by default, all words. A string is the name or path of a word list. Words
        that are not in the source are left out of the result; `missing_words` lists them.
    case : {"exact", "lower", "fallback"}
        Look up words as spelled, in lower case, or first as spelled and then in lower case. A
        word that is still missing is looked up with composed letters (NFC), and with underscores
        for spaces (``New_York``). The keys of the result are the requested words;
        `resolved_forms` lists those found in another form.
    strip_accents : bool
        Look up missing words without their accents (``cafe`` for ``café``).
    subwords : bool
        Build vectors from n-grams for words outside a fastText model's vocabulary, as fastText
        does. A warning gives the number of these words.
    allow_pickle : bool
        Allow ``.kv`` and ``.model`` files, which are Python pickles. Opening a pickle can run any
        program, so allow only files from people you trust.
    progressbar : bool
        Show a progress bar on stderr while a large file is read.

    Returns
    -------
    gensim.models.KeyedVectors
        The float32 vectors, in the order of the source. If a word occurs twice, its first vector is
        used. If all words are loaded, bytes that are not UTF-8 appear as escapes (``\xff``).

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If the file is missing, the folder is not from ``bayesbias convert``, or the download fails.
    ValueError
        If the name or ending is unknown; if the file is empty, cut off, or damaged; if it contains
        none of the words; if a word occurs twice in a Parquet file, DataFrame, or tuple; or if a
        requested vector is all zeros or not finite.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.load_vectors("glove-demo", ["he", "she"]).index_to_key
    ['he', 'she']
    """
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    return pick(embedding, words, case, strip_accents=strip_accents, subwords=subwords).keyed()


def pick(
    embedding: Embedding,
    words: Iterable[str] | WordListLike | None = None,
    case: str = "exact",
    *,
    strip_accents: bool = False,
    subwords: bool = True,
) -> Vectors:
    """Read words as `load_vectors` does, but do not convert them to gensim's KeyedVectors."""
    check_choice("case", case, CASES)
    asked, where = _asked(words), str(embedding.path)
    wanted = None
    if asked is not None:  # includes forms that only hints use
        wanted = {form for word in asked for form in every_form(word)}
    chunk = _joined([*first_of_each(embedding.chunks(wanted=wanted))])
    loaded = embedding.loaded
    chosen, others = {word: word for word in chunk.words}, dict[str, str]()
    if asked is not None:
        rows = {word: row for row, word in enumerate(chunk.words)}
        chosen = choose(asked, rows, case, strip_accents=strip_accents)
        absent = [word for word in asked if word not in chosen]
        made = _from_subwords(embedding, absent) if subwords else _joined([])
        tries = {w: [*filter(rows.__contains__, every_form(w))] for w in absent}
        others = {w: forms[0] for w, forms in tries.items() if forms and w not in made.words}
        chunk = _joined([chunk.take([rows[form] for form in chosen.values()]), made])
        chosen |= {word: word for word in made.words}
    if not chosen:
        raise _nothing_found(asked or (), others, where)
    require_directions(list(chosen), chunk.vectors, f"{where}: ")
    original = {} if loaded is None else resolved_forms(loaded)
    forms = [original.get(form, form) for form in chosen.values()]
    sample = getattr(loaded, "sample", None) if asked is None else None
    return Vectors([*chosen], chunk.vectors, forms, chunk.ranks, others=others, sample=sample)


def _joined(chunks: Sequence[Chunk]) -> Chunk:
    """Join chunks into one."""
    some = [chunk for chunk in chunks if len(chunk)]
    if not some:
        return Chunk([], np.empty((0, 1), dtype=np.float32), np.empty(0, dtype=np.int64))
    words = [word for chunk in some for word in chunk.words]
    vectors, ranks = zip(*((chunk.vectors, chunk.ranks) for chunk in some), strict=True)
    return Chunk(words, np.concatenate(vectors), np.concatenate(ranks))


def _from_subwords(embedding: Embedding, words: Sequence[str]) -> Chunk:
    """Make vectors for words from a fastText model's n-grams; rank these words last."""
    loaded = embedding.loaded
    ngrams = getattr(loaded, "vectors_ngrams", ())
    rows = {word: loaded[word] for word in words if word in loaded} if len(ngrams) else {}
    rows = {word: row for word, row in rows.items() if np.any(row)}
    if not rows:
        return _joined([])
    warn(
        f"{counted(len(rows), 'word is', 'words are')} not in the vocabulary of {embedding.path}, "
        f"so n-grams are used ({abridged(list(rows))}); with subwords=False, load_vectors "
        "leaves out such words"
    )
    matrix = np.array([*rows.values()], dtype=np.float32)
    return Chunk(list(rows), matrix, np.full(len(rows), len(loaded) + 1))


def vectors_in_memory(
    source: VectorsLike, words: Iterable[str] | WordListLike | None = None
) -> KeyedVectors:
    """Convert vectors in memory with `as_keyed`, or load vectors by path or name.

    A fastText model in memory also provides vectors for words outside its vocabulary.
    """
    if isinstance(source, str | os.PathLike):
        return pick(open_embedding(source), words)
    vectors = as_keyed(source)
    made = words is not None and hasattr(vectors, "vectors_ngrams")
    return pick(open_embedding(vectors), words) if made else vectors


def _asked(words: Iterable[str] | WordListLike | None) -> list[str] | None:
    """Return the distinct requested words, sorted because sets have no order."""
    if words is None:
        return None
    if isinstance(words, str | Path | Mapping):
        words = load_wordlist(words)
    asked = set(words.words if isinstance(words, WordList) else words)
    if wrong := [word for word in asked if not isinstance(word, str)]:
        raise TypeError(f"words must be text; got {wrong[0]!r}")
    if not asked:
        raise ValueError("words must not be empty; leave it out to load all words")
    return sorted(asked)


def _nothing_found(asked: Sequence[str], others: Mapping[str, str], where: str) -> ValueError:
    if not asked:
        return ValueError(f"{where} has no words")
    text = f"no requested word is in {where} ({abridged(asked)})"
    if not others:
        return ValueError(text)
    word, form = min(others.items())
    hint = f"{text}; {word!r} is spelled {form!r} there. Use that spelling, or pass "
    return ArgumentError(
        hint, Argument("case", "fallback"), " or ", Argument("strip_accents", True)
    )
