"""Load the vectors of requested words from files of any supported format."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._core.checks import Argument, ArgumentError, check_choice, check_flags
from .._core.display import abridged
from .._core.substitutions import substitutions
from .._core.warnings import warn
from ..tables.spellings import (
    CASES,
    KeyedVectors,
    choose,
    every_form,
    forms_of,
    key_of_many,
    other_forms,
    resolved_forms,
    spelling_hint,
)
from ..tables.wordlists import WordList, WordListLike, load_wordlist
from ..warnings import MissingWords, RepeatedWords, VectorsFromSubwords
from .formats.held import WITHOUT_VOCABULARY
from .formats.keyed import Vectors, directed, is_ranked, warn_of_empty, without_empty
from .registry import open_embedding
from .source import Chunk, Embedding, Vector, first_of_each, gathered


class Encoder(Protocol):
    """A model that makes vectors of texts, such as one of sentence-transformers."""

    def encode(self, texts: list[str], /) -> Any:  # noqa: ANN401
        """Return one vector for each text."""


class Frame(Protocol):
    """A frame of polars, pyarrow, DuckDB, or another library with Arrow's PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: Any = None, /) -> Any: ...  # noqa: ANN401


type InMemory = KeyedVectors | Mapping[str, ArrayLike] | tuple[Sequence[str], Any]
type Records = pd.DataFrame | pd.Series | Frame | Sequence[Mapping[str, Any]]
type VectorsLike = (
    str | os.PathLike[str] | InMemory | Records | Callable[[list[str]], Any] | Encoder
)
"""What `load_vectors` accepts: a name, a path, vectors in memory, or an encoder; see `as_keyed`."""

MOST_KEYS, SHOWN_KEYS = 200_000, 3
"""Number of keys in which missing words are sought with a prefix or suffix, and that are shown."""


def load_vectors(
    source: VectorsLike,
    words: Iterable[str] | WordListLike | None = None,
    case: str = "exact",
    *,
    strip_accents: bool = False,
    subwords: bool = True,
    key: str = "",
    limit: int | None = None,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> KeyedVectors:
    r"""Load the vectors of the requested words, or of all words.

    To detect damage, the whole file is read, except for ``.npy`` arrays.

    Parameters
    ----------
    source : str, path, KeyedVectors, mapping, DataFrame, tuple, list, or encoder
        A name (``"glove-demo"``, or one from gensim's downloader); the path of a file or folder,
        whose content decides what it is (``"glove.6B.zip::glove.6B.50d.txt"`` is a file in an
        archive); vectors in memory; or an encoder, which is a function from a list of texts to an
        array. `bayesbias docs own-words` lists all of them.
    words : iterable of str, or any form that `load_wordlist` accepts, optional
        Words to load; by default, all words. A string is the name or path of a word list. Words
        that are not in the source are left out of the result; `missing_words` lists them.
    case : {"exact", "lower", "fallback"}
        Look up words as spelled, in lower case, or first as spelled and then in lower case. A
        word that is still missing is looked up with composed and decomposed letters (NFC and NFD),
        and with underscores for spaces (``New_York``). The keys of the result are the requested
        words; `resolved_forms` lists those found in another form.
    strip_accents : bool
        Look up missing words without the accents of Latin letters (``cafe`` for ``café``).
    subwords : bool
        Build vectors from n-grams for words outside a fastText model's vocabulary, as fastText
        does. A warning gives the number of these words.
    key : str
        Pattern of the source's keys if they have a prefix or suffix, such as ``/c/en/{word}`` for
        English in Numberbatch, or ``{word}_NOUN``. Other keys are left out.
    limit : int, optional
        Read only words whose frequency rank is at most `limit`. In most files, these are the first
        `limit` words, so reading stops after them.
    allow_pickle : bool
        Allow gensim's files and other Python pickles. Opening a pickle can run any program, so
        allow only files from people you trust.
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
        If the name is unknown; if the file is empty, damaged, or of another kind; if it contains
        none of the words; or if it cannot be told which numbers belong to which word.

    Warns
    -----
    UserWarning
        If vectors are all zeros or not finite (these words count as missing), if requested words
        occur again with other vectors, if columns of a table are not dimensions, or if words are
        missing and keys have a prefix or suffix.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.load_vectors("glove-demo", ["he", "she"]).index_to_key
    ['he', 'she']
    """
    check_flags(strip_accents=strip_accents, subwords=subwords, progressbar=progressbar)
    check_flags(allow_pickle=allow_pickle)
    how: dict[str, Any] = {"key": key, "limit": limit, "allow_pickle": allow_pickle}
    embedding = open_embedding(source, progressbar=progressbar, **how)
    return pick(embedding, words, case, strip_accents=strip_accents, subwords=subwords).keyed()


def pick(
    embedding: Embedding,
    words: Iterable[str] | WordListLike | None = None,
    case: str = "exact",
    *,
    strip_accents: bool = False,
    subwords: bool = True,
    also: Iterable[str] = (),
) -> Vectors:
    """Read words as `load_vectors` does, but do not convert them to gensim's KeyedVectors.

    Words that are `also` read are not made of subwords, and no message names them.
    """
    check_choice("case", case, CASES)
    asked, where = _asked(words), embedding.name
    if asked is None:
        return _whole(embedding)
    how = partial(forms_of, case=case, strip_accents=strip_accents)
    # An encoder makes a vector of any text, so it gets only the first form of each word.
    every = [*dict.fromkeys([*asked, *also])]
    wanted = {*chain(*((how(word)[:1] if embedding.makes else every_form(word)) for word in every))}
    read = gathered(embedding.chunks(wanted))
    chunk, empty = without_empty(gathered(first_of_each([read])))
    forms = chunk.words
    rows = {form: row for row, form in enumerate(forms)}
    chosen = choose(asked, rows, case, strip_accents=strip_accents)
    _warn_of_repeats(read, {*chosen.values()}, where)
    with substitutions():  # which no command names
        chosen |= choose(every[len(asked) :], rows, case, strip_accents=strip_accents)
    absent = [word for word in asked if word not in chosen]
    made = _from_subwords(embedding, absent, how) if subwords else gathered([])
    absent = [word for word in absent if word not in made.words]
    chunk = gathered([chunk.take([rows[form] for form in chosen.values()]), made])
    chosen |= {word: word for word in made.words}
    lost = [word for word in absent if not {*empty}.isdisjoint(how(word))]
    warn_of_empty(lost, where)
    others = other_forms([word for word in absent if word not in lost], forms)
    hint = spelling_hint(others, case, strip_accents=strip_accents)
    if not hint and 2 * len(absent) > len(asked):
        hint = _key_hint(embedding, absent)
    if len(absent) == len(asked):
        raise _nothing_found(asked, hint, embedding)
    if not others and hint:
        n, names = len(absent), tuple(absent)
        why = "the embedding does not have them"
        warn(MissingWords(n, len(asked), "word", why, names, hint=hint, about=where))
    picked = _vectors(embedding, [*chosen], chunk)
    picked.others, picked.hint = others, hint
    return picked


def _vectors(
    embedding: Embedding,
    words: Sequence[str],
    chunk: Chunk,
    places: dict[str, int] | None = None,
) -> Vectors:
    """Return words with the vectors, the forms, and the ranks with which they were found."""
    known = {} if embedding.loaded is None else resolved_forms(embedding.loaded)
    others = known or places is None  # else, all words were read as they are spelled
    forms = [known.get(form, form) for form in chunk.words] if others else None
    in_file = (chunk.words[row] for row in np.argsort(chunk.ranks, kind="stable"))
    ranks = chunk.ranks if is_ranked(embedding, in_file) else None
    return Vectors(words, chunk.vectors, forms, ranks, places)


def _warn_of_repeats(read: Chunk, used: Collection[str], where: str) -> None:
    """Name the words that are there again with other vectors, which are not used."""
    if len({*read.words}) == len(read):
        return
    first: dict[str, Vector] = {}
    others = [
        word
        for word, vector in zip(read.words, read.vectors, strict=True)
        if word in used and not np.array_equal(first.setdefault(word, vector), vector)
    ]
    if others:
        warn(RepeatedWords(tuple(dict.fromkeys(others)), about=where))


def _whole(embedding: Embedding) -> Vectors:
    """Read all words."""
    lost: list[str] = []
    places: dict[str, int] = {}  # made only once, because it is large

    def directed_chunks() -> Iterator[Chunk]:
        for chunk in first_of_each(embedding.chunks(), places):
            kept, empty = without_empty(chunk)
            lost.extend(empty)
            yield kept

    chunk = gathered(directed_chunks(), lambda: embedding.expected)
    warn_of_empty(lost, embedding.name)
    if not chunk.words:
        raise ValueError(f"{embedding.name} has no words")
    whole = _vectors(embedding, chunk.words, chunk, None if lost else places)
    whole.sample = getattr(embedding.loaded, "sample", None)
    return whole


def _key_hint(embedding: Embedding, words: Sequence[str]) -> tuple[str | Argument, ...]:
    """Return a hint if an embedding has keys that contain words with a prefix or suffix."""
    if embedding.makes or embedding.key:
        return ()
    pattern = key_of_many(words, islice(_keys(embedding), MOST_KEYS))
    parts = "its keys have a prefix or suffix; read them with ", Argument("key", pattern)
    return parts if pattern else ()


def _keys(embedding: Embedding) -> Iterator[str]:
    return chain.from_iterable(chunk.words for chunk in embedding.chunks())


def _from_subwords(
    embedding: Embedding, words: Sequence[str], how: Callable[[str], Iterable[str]]
) -> Chunk:
    """Make vectors for words from a fastText model's n-grams; rank these words last.

    Words that the model has in one of their forms were left out before, such as by a limit.
    """
    loaded, key = embedding.loaded, embedding.key_of
    if not len(getattr(loaded, "vectors_ngrams", ())):
        return gathered([])
    left = loaded.key_to_index.keys()
    words = [word for word in words if left.isdisjoint(map(key, how(word)))]
    with np.errstate(over="ignore", invalid="ignore"):  # sums that are not finite are left out
        made = [(word, loaded[key(word)]) for word in words if key(word) in loaded]
    rows = {word: row for word, row in made if directed(row[None]).all()}
    if not rows:
        return gathered([])
    warn(VectorsFromSubwords(tuple(rows), embedding.name))
    matrix = np.array([*rows.values()], dtype=np.float32)
    return Chunk(list(rows), matrix, np.full(len(rows), len(loaded) + 1))


def vectors_in_memory(
    source: VectorsLike, words: Iterable[str] | WordListLike | None = None
) -> KeyedVectors:
    """Convert vectors in memory with `as_keyed`, or load vectors by path or name.

    If `words` that are asked for are not among vectors in memory as spelled, or have no direction,
    only the words are returned, read in other forms or made of n-grams as `load_vectors` does.
    """
    embedding = open_embedding(source)
    if words is None and embedding.makes:
        raise ValueError(WITHOUT_VOCABULARY)
    if words is None and embedding.loaded is not None:
        return embedding.loaded
    if embedding.loaded is None:
        return pick(embedding, words)
    vectors, asked, known = embedding.loaded, _asked(words) or [], embedding.loaded.key_to_index
    rows = [known[word] for word in asked if word in known]
    lost = [word for word in asked if word not in known]
    made = lost and hasattr(vectors, "vectors_ngrams")
    if rows and not made and directed(vectors.vectors[rows]).all() and not other_forms(lost, known):
        return vectors  # with the hints of an earlier look-up
    return pick(embedding, asked)


def _asked(words: Iterable[str] | WordListLike | None) -> list[str] | None:
    """Return the distinct requested words, sorted because sets have no order."""
    if words is None:
        return None
    if isinstance(words, str | Path | Mapping | pd.DataFrame):
        words = load_wordlist(words)
    asked = set(words.words if isinstance(words, WordList) else words)
    if wrong := [word for word in asked if not isinstance(word, str)]:
        raise TypeError(f"words must be text; got {wrong[0]!r}")
    if not asked:
        raise ValueError("words must not be empty; leave it out to load all words")
    return sorted(asked)


def _nothing_found(
    asked: Sequence[str], hint: Sequence[str | Argument], embedding: Embedding
) -> ArgumentError:
    """Say how the words would be found, or show the first words that are there."""
    if not hint and not embedding.makes:
        first = [repr(key) for key in islice(_keys(embedding), SHOWN_KEYS)]
        hint = (f"its first words are {', '.join(first) or 'none'}",)
    text = f"no requested word is in {embedding.name} ({abridged(asked)})"
    return ArgumentError(text, "; " * bool(hint), *hint)
