"""Results of scores, and the sets of words that scores accept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, precision_of
from .._core.display import Sheet, Shown
from ..embeddings.word_sets import (
    WordSets,
    WordVectors,
    check_widths,
    directed_sets,
    look_up,
    look_up_tuples,
    refuse_overlap,
)

type Words = Iterable[str] | ArrayLike
"""A set of words without repeats. If ``vectors`` is None, a matrix with one row per word."""

type Tuples = Iterable[Sequence[str]] | Sequence[ArrayLike]
"""Pairs or longer tuples of words. If ``vectors`` is None, matrices with one row per member."""


@dataclass(frozen=True, eq=False, repr=False)
class ScoreResult(Shown):
    """A score, its values per word, and its details.

    Every column of ``per_word`` (as an array) and every key of ``details`` is also an attribute
    (for example, ``weat(...).p_value`` and ``same(...).per_target``).

    Parameters
    ----------
    score : float
    per_word : DataFrame
        One row per word, in the order given. The index has the words, or row numbers for matrices.
    details : mapping of str to value
    missing : mapping of str to tuple of str
        Words left out because they are not in the embedding, keyed by set.
    """

    score: float
    per_word: pd.DataFrame
    details: Mapping[str, object] = field(default_factory=dict)
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def words(self) -> tuple[str, ...]:
        """The words of ``per_word``, in order."""
        return tuple(map(str, self.per_word.index))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        details = self.__dict__.get("details", {})
        per_word = self.__dict__.get("per_word", pd.DataFrame())
        if name in details:
            return details[name]
        if name in per_word:
            return per_word[name].to_numpy()
        known = ", ".join(["score", "per_word", *details, *per_word])
        raise AttributeError(f"this result has no {name!r}; it has {known}")

    def _sheet(self, *, roomy: bool) -> Sheet:
        rows = {"score": self.score} | dict(self.details)
        rows |= {f"mean {name}": part.mean() for name, part in self.per_word.items()}
        rows |= {f"missing of {name}": words for name, words in self.missing.items()}
        return Sheet("ScoreResult", tuple((name, _text(value)) for name, value in rows.items()))

    def __repr__(self) -> str:
        return f"ScoreResult(score={self.score!r}, details={dict(self.details)!r})"


def score_result(
    score: float,
    sets: WordSets,
    of: Sequence[str],
    parts: Mapping[str, ArrayLike],
    **details: object,
) -> ScoreResult:
    """Assemble a result; ``of`` names the sets whose words form the index of ``per_word``."""
    words = [word for name in of for word in sets.words[name]]
    frame = pd.DataFrame(dict(parts), index=pd.Index(words, name="word"))
    return ScoreResult(float(score), frame, details, sets.missing)


def read_sets(
    vectors: WordVectors | None, sets: Mapping[str, Words], disjoint: Sequence[str] = ()
) -> WordSets:
    """Read the vectors of sets of words; if ``vectors`` is None, the sets are matrices.

    The sets named in ``disjoint`` must not share words.
    """
    if vectors is None:
        given = cast("Mapping[str, ArrayLike]", sets)
        rows = directed_sets(given)
        words = {name: tuple(map(str, range(len(matrix)))) for name, matrix in rows.items()}
        return WordSets(rows, words, {}, precision=max(map(precision_of, given.values())))
    found = look_up(vectors, cast("Mapping[str, Iterable[str]]", sets))
    for first, second in combinations(disjoint, 2):
        refuse_overlap(first, second, found.words, found.spellings)
    return found


def read_tuples(
    vectors: WordVectors | None, targets: Words, name: str, tuples: Tuples
) -> tuple[WordSets, list[FloatArray], tuple[tuple[str, ...], ...]]:
    """Read the vectors of targets and of tuples of words; also return the complete tuples."""
    sets = read_sets(vectors, {"targets": targets})
    if vectors is None:
        given = cast("Sequence[ArrayLike]", tuples)
        named = {f"{name} {number}": members for number, members in enumerate(given)}
        rows = [*directed_sets({"targets": cast("ArrayLike", targets), **named}).values()][1:]
        return sets, rows, tuple(tuple(map(str, range(len(members)))) for members in rows)
    rows, kept, missing = look_up_tuples(vectors, name, cast("Iterable[Sequence[str]]", tuples))
    check_widths(sets.rows | {f"{name} {number}": of for number, of in enumerate(rows)})
    sets.missing.update(missing)
    return sets, rows, kept


def _text(value: object) -> str:
    """Return a detail as one line of text."""
    if isinstance(value, tuple | list | np.ndarray):
        return ", ".join(map(_text, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)
