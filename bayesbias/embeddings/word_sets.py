"""Look up word sets in an embedding: return rows for the words found, and report missing words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from numbers import Integral
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core.arrays import FloatArray, as_floats, precision_of
from .._core.checks import check_labels, check_listed, check_once, check_words
from .._core.display import abridged
from .._core.warnings import warn
from ..tables.spellings import first_spellings, forms_of
from ..warnings import SameSpellings
from .formats.held import as_keyed
from .formats.keyed import directed, require_directions
from .load import vectors_in_memory


class WordVectors(Protocol):
    """Vectors that a score can use: gensim's KeyedVectors or a dict of arrays."""

    def __contains__(self, word: object, /) -> bool: ...
    def __getitem__(self, word: Any, /) -> Any: ...  # noqa: ANN401


@dataclass(frozen=True, eq=False)
class WordSets:
    """(n_words, n_dims) vectors, words in the same order, and missing words, each keyed by set.

    ``spellings`` maps each word to the first one in any set that has the same vector.
    ``precision`` is the lowest relative precision of the vectors as given, such as 2^-23.
    """

    rows: dict[str, FloatArray]
    words: dict[str, tuple[str, ...]]
    missing: dict[str, tuple[str, ...]]
    spellings: Mapping[str, str] = field(default_factory=dict)
    precision: float = 0.0

    def names(self, name: str) -> NDArray[np.str_]:
        """Return the words of a set, with one name for all spellings of a vector."""
        return np.array([self.spellings[word] for word in self.words[name]])


def look_up(vectors: WordVectors, sets: Mapping[str, Iterable[str]]) -> WordSets:
    """Read the vectors of every set; leave out missing words, and report them.

    If two spellings in a set have the same vector, only the first is used, with a warning.
    """
    listed = {name: listed_words(name, given, vectors) for name, given in sets.items()}
    vectors = words_of(vectors, chain(*listed.values()))
    spellings = first_spellings(vectors, chain(*listed.values()))
    precision = max((precision_of(vectors[word]) for word in spellings), default=0.0)
    found = WordSets({}, {}, {}, spellings, precision)
    for name, wanted in listed.items():
        known = [word for word in wanted if word in spellings]
        first: dict[str, str] = {}
        for word in known:
            first.setdefault(spellings[word], word)
        words = tuple(first.values())
        if same := tuple((word, first[spellings[word]]) for word in known if word not in words):
            warn(SameSpellings(same, about=name))
        lost = tuple(word for word in wanted if word not in spellings)
        if not words:
            raise ValueError(
                f"no word in {name} is in the embedding ({abridged(lost)}); check the spelling and "
                "case, or leave the set out"
            )
        found.rows[name], found.words[name] = _rows(vectors, words), words
        if lost:
            found.missing[name] = lost
    check_widths(found.rows)
    return found


def check_widths(sets: Mapping[str, FloatArray]) -> None:
    """Raise a ValueError that names two sets whose vectors differ in length."""
    widths = {name: rows.shape[1] for name, rows in sets.items()}
    first = next(iter(widths), "")
    if odd := [name for name, width in widths.items() if width != widths[first]]:
        raise ValueError(
            f"the vectors of {first} have {widths[first]:,} numbers, and those of {odd[0]} have "
            f"{widths[odd[0]]:,}; pass vectors of one embedding"
        )


def words_of(vectors: WordVectors, words: Iterable[str]) -> WordVectors:
    """Return a dict of arrays unchanged if it has all words; convert or load any other vectors."""
    given: Any = vectors
    words = [*words]
    if isinstance(vectors, Mapping):
        known = (vectors[word] for word in words if word in vectors)
        found = [row for row in known if directed(np.reshape(row, (1, -1))).all()]
        if len(found) == len(words) or not vectors:
            return vectors
        forms = [form for word in words for form in forms_of(word)]
        given = as_keyed({form: vectors[form] for form in forms if form in vectors} or vectors)
        if not any(form in given for form in forms):
            words = given.index_to_key  # the caller reports the words as missing
    loaded: WordVectors = vectors_in_memory(given, words)
    return loaded


def refuse_overlap(
    first: str,
    second: str,
    sets: Mapping[str, Iterable[str]],
    spellings: Mapping[str, str] | None = None,
) -> None:
    """Raise a ValueError if two sets share a word, or spellings of the same vector."""
    known = spellings or {}
    other = {known.get(word, word): word for word in sets[second]}
    both = [(word, other.get(known.get(word, word))) for word in sets[first]]
    shared = [one if one == two else f"{one} (as {two})" for one, two in both if two]
    if shared:
        raise ValueError(f"{first} and {second} share {abridged(shared)}; keep each in one set")


def look_up_tuples(
    vectors: WordVectors, name: str, tuples: Iterable[Sequence[str]]
) -> tuple[list[FloatArray], tuple[tuple[str, ...], ...], dict[str, tuple[str, ...]]]:
    """Read the vectors of pairs (or longer tuples); leave out tuples with missing words.

    Return each tuple's (n_members, n_dims) vectors, the tuples, and ``{name: missing words}``.
    """
    tuples = list(tuples)
    if not tuples:
        raise ValueError(f"{name} is empty; give pairs of words, such as ('he', 'she')")
    for members in tuples:
        if isinstance(members, str) or len(members) < 2:
            raise ValueError(
                f"{name} must contain pairs or longer tuples of words, such as ('he', 'she'); "
                f"got {members!r}"
            )
        check_words(name, _without_keys(members, vectors))
        if len({*members}) < len(members):
            raise ValueError(f"{name} must contain tuples of different words; got {(*members,)!r}")
    vectors = words_of(vectors, chain(*tuples))
    lost = tuple(dict.fromkeys(word for word in chain(*tuples) if word not in vectors))
    found = tuple(tuple(members) for members in tuples if not set(lost).intersection(members))
    if not found:
        raise ValueError(
            f"every tuple in {name} has a word without a vector: {abridged(lost)}. If you loaded "
            "only the words of a list, load the whole embedding"
        )
    return [_rows(vectors, members) for members in found], found, {name: lost} if lost else {}


def as_sets(sets: Mapping[str, ArrayLike]) -> dict[str, FloatArray]:
    """Check that arrays passed as sets are finite matrices with the same columns."""
    check_labels(sets, "columns")
    found = {name: _as_rows(name, rows) for name, rows in sets.items()}
    check_widths(found)
    return found


def directed_sets(sets: Mapping[str, ArrayLike]) -> dict[str, FloatArray]:
    """Check arrays as `as_sets` does, and that no row is all zeros, as no word's vector may be."""
    found = as_sets(sets)
    for name, rows in found.items():
        if bad := np.flatnonzero(~directed(rows)).tolist():
            raise ValueError(f"{name} must not have rows of zeros; leave out rows {bad}")
    return found


def _as_rows(name: str, rows: ArrayLike) -> FloatArray:
    if isinstance(rows, list | tuple):
        check_labels({f"{name}[{place}]": row for place, row in enumerate(rows)})
    matrix = as_floats(rows)
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(
            f"{name} must be a matrix with one row per word and at least one row; "
            f"got shape {matrix.shape}"
        )
    if bad := np.flatnonzero(~np.isfinite(matrix).all(axis=1)).tolist():
        raise ValueError(f"{name} must be finite; leave out rows {bad}")
    return matrix


def listed_words(name: str, given: Iterable[str], vectors: object = None) -> tuple[str, ...]:
    """Return the words of a set; raise an error for a string, no words, or a word listed twice.

    Words must be text, or keys of a dict of vectors.
    """
    if hasattr(given, "key_to_index"):
        raise TypeError(f"{name} is an embedding; pass the vectors first, then the sets of words")
    check_listed(name, given)
    words = tuple(given)
    check_words(name, _without_keys(words, vectors))
    if not words:
        raise ValueError(f"{name} is empty; a score needs at least one word in every set")
    check_once(name, words)
    return words


def _without_keys(words: Iterable[object], vectors: object) -> list[object]:
    """Return words without the numbers and bytes that are keys of a dict of vectors."""
    keys = vectors if isinstance(vectors, Mapping) else {}
    return [word for word in words if not isinstance(word, bytes | Integral) or word not in keys]


def _rows(vectors: WordVectors, words: Sequence[str]) -> FloatArray:
    given = {repr(word): vectors[word] for word in words}
    check_labels(given)
    rows = [as_floats(row) for row in given.values()]
    if odd := [word for word, row in zip(words, rows, strict=True) if row.shape != rows[0].shape]:
        raise ValueError(f"the vectors of {abridged(odd)} and {words[0]} have different lengths")
    matrix = np.stack(rows)
    require_directions(words, matrix)
    return matrix
