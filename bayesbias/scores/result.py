"""How a score's result is held, shown, and made of words: no score writes its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.display import Sheet, Shown
from ..embeddings.word_sets import WordVectors, look_up, refuse_overlap

type Words = Iterable[str]
"""A set of words, none of them twice."""

Missing = Mapping[str, tuple[str, ...]]
"""Words that the embedding lacks, by the set that they stand in; sets without any are left out."""

COLUMNS = "columns"
"""Key in the metadata of a field of several columns: the field with their names, if it has any."""

Entropy = int | Sequence[int] | None
"""A seed as a result records it: None where nothing was drawn at random."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Result(Shown):
    """A score with the words it was computed on; every score's result is one of these.

    Parameters
    ----------
    words : tuple of str
        The words that the per-word parts belong to, in order; empty for a score on arrays.
    missing : mapping of str to tuple of str
        Words left out because the embedding lacks them, by set.
    """

    words: tuple[str, ...] = ()
    missing: Missing = field(default_factory=dict)

    def lines(self) -> Iterator[tuple[str, str]]:
        """Name and text of every field that fits on a line."""
        for each in fields(self):
            if each.name == "words":
                continue
            text = _text(getattr(self, each.name))
            if text:
                yield each.name, text

    def per_word(self) -> pd.DataFrame:
        """The per-word parts as a frame, one row a word (or a number where words are unknown)."""
        arrays = {
            each: value
            for each in fields(self)
            if isinstance(value := getattr(self, each.name), np.ndarray)
        }
        size = len(self.words) or max(map(len, arrays.values()), default=0)
        columns: dict[str, FloatArray] = {}
        for each, value in arrays.items():
            if value.ndim == 1 and len(value) == size:
                columns[each.name] = value
            elif value.ndim == 2 and len(value) == size:
                names = getattr(self, each.metadata.get(COLUMNS, ""), ()) or range(value.shape[1])
                named = zip(names, value.T, strict=True)
                columns |= {f"{each.name}_{name}": column for name, column in named}
        return pd.DataFrame({"word": self.words or range(size), **columns})

    def _sheet(self, *, roomy: bool) -> Sheet:
        return Sheet(type(self).__name__, tuple(self.lines()))

    def __repr__(self) -> str:
        parts = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self))
        return f"{type(self).__name__}({parts})"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ScoreResult(Result):
    """A result of one number, ``score``, whatever else it holds."""

    score: float


def of_words[R: Result](
    of_arrays: Callable[..., R],
    vectors: WordVectors,
    sets: Mapping[str, Words],
    *,
    parts: Sequence[str],
    apart: Sequence[str] = (),
    **choices: Any,  # noqa: ANN401
) -> R:
    """Compute a score of word sets by its function of the sets' vectors, in order, and the choices.

    ``parts`` names the sets whose words the per-word parts belong to, ``apart`` those of which no
    two may share a word.
    """
    found = look_up(vectors, sets)
    for first, second in combinations(apart, 2):
        refuse_overlap(first, second, found.words)
    words = tuple(word for name in parts for word in found.words[name])
    made = of_arrays(*(found.rows[name] for name in sets), **choices)
    return replace(made, words=words, missing=found.missing)


def not_among(words: Words, sets: Iterable[Iterable[str]]) -> list[str]:
    """Return a list of words without those that stand in one of the sets; none left is an error."""
    if isinstance(words, str):
        raise TypeError(f"targets must be a list of words; got the string {words!r}")
    taken = {word for each in sets for word in each}
    left = [word for word in words if word not in taken]
    if not left:
        raise ValueError("no target is left without those that also stand in the other sets")
    return left


def joined(first: Words, second: Words) -> list[str]:
    """Return two lists of attributes as one, every word once."""
    for given in (first, second):
        if isinstance(given, str):
            raise TypeError(f"attributes must be a list of words; got the string {given!r}")
    return list(dict.fromkeys([*first, *second]))


def _text(value: object) -> str:
    """One line for a field, or nothing for what is empty."""
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}, mean {value.mean():.4g}" if value.size else ""
    if isinstance(value, pd.DataFrame):
        return f"frame of {len(value)} rows"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {', '.join(words)}" for name, words in value.items())
    if isinstance(value, tuple):
        return ", ".join(f"{part:.6g}" if isinstance(part, float) else str(part) for part in value)
    return "" if value is None else str(value)
