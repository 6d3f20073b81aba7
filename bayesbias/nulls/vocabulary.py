"""The most realistic null scenario, which draws word lists from a real vocabulary."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import TypedDict, Unpack

import numpy as np
from numpy.random import Generator

from .._core.arrays import FloatArray, IntArray, unit_rows
from .._core.characters import has_only_letters
from .._core.checks import check_choice
from ..tables.spellings import KeyedVectors
from .base import BaseScenario, Batch

LISTS = ("random", "topics")
"""How lists are drawn: as random words, or as a random word and its nearest neighbors."""


@dataclass(frozen=True, kw_only=True, eq=False)
class VocabularyScenario(BaseScenario):
    """Distances between word lists drawn from a real vocabulary (Smarda, 2021).

    Lists are assigned to groups at random, so without an effect, the expected contrast is 0 by
    symmetry. Words and attributes vary as they do in a real embedding.

    Parameters
    ----------
    vectors : (n_vocabulary, n_dims) float
        Vectors of unit length, which `vocabulary_scenario` reads.
    n_words, n_attributes, groups, controls
        As in `Scenario`.
    lists : {"random", "topics"}
        ``random`` draws each word separately. ``topics`` draws one word per list and adds its
        nearest neighbors, because real lists have a topic.
    effect, planted
        See `Scenario`. The effect is added to the distances.
    """

    vectors: FloatArray = field(repr=False)
    lists: str = "random"
    kind = "vocabulary"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("way to draw lists", self.lists, LISTS)
        needed = sum(self.pull.shape)
        if len(self.vectors) < needed:
            raise ValueError(
                f"the vocabulary has {len(self.vectors)} words, but a table needs {needed}; "
                "shorten the lists or add vectors"
            )

    def _draw(self, n: int, rng: Generator) -> Batch:
        shift = self.pull * self.effects[:, None]
        drawn = self.vectors[np.array([self._rows(rng) for _ in range(n)])]
        words, attributes = np.split(drawn, [len(self.effects)], axis=1)
        distances = 1 - np.matmul(words, attributes.transpose(0, 2, 1)) - shift
        expected = (distances + shift).mean(axis=(1, 2), keepdims=True) - shift
        bias = np.broadcast_to(self.effects, distances.shape[:2])
        cosines = np.matmul(drawn, drawn.transpose(0, 2, 1))
        return Batch(self, distances, bias, self.effects, expected, cosines)

    def _rows(self, rng: Generator) -> IntArray:
        """Draw rows of the vocabulary for one table without repeats, protected words first."""
        if self.lists == "random":
            return rng.choice(len(self.vectors), sum(self.pull.shape), replace=False)
        free = np.ones(len(self.vectors), dtype=bool)
        drawn = []
        for size in (*self.word_sizes, *self.set_sizes):
            middle = rng.choice(np.flatnonzero(free))
            near = np.where(free, self.vectors @ self.vectors[middle], -np.inf)
            topic = np.argpartition(-near, size - 1)[:size]
            free[topic] = False
            drawn.append(topic)
        return np.concatenate(drawn)

    def settings(self) -> dict[str, object]:
        """Return everything that determines the tables, with a hash of the vectors."""
        digest = hashlib.sha256(np.ascontiguousarray(self.vectors).tobytes())
        return super().settings() | {"vectors": digest.hexdigest()}


class VocabularyChoices(TypedDict, total=False):
    """The parameters of `VocabularyScenario`, except for ``vectors``."""

    n_words: int | tuple[int, ...]
    n_attributes: int | tuple[int, ...]
    groups: tuple[str, ...]
    controls: tuple[str, ...]
    effect: float | tuple[float, ...]
    planted: str
    lists: str


def vocabulary_scenario(
    source: str | os.PathLike[str] | KeyedVectors = "glove-demo",
    **choices: Unpack[VocabularyChoices],
) -> VocabularyScenario:
    """Make a scenario from the words in an embedding that consist only of letters.

    Parameters
    ----------
    source : str, path, or KeyedVectors
        Vectors in any form that `load_vectors` accepts.
    **choices
        All parameters of `VocabularyScenario` except ``vectors``.
    """
    from ..embeddings.load import load_vectors

    loaded = load_vectors(source, progressbar=False)
    kept = [index for index, word in enumerate(loaded.index_to_key) if has_only_letters(word)]
    rows = np.asarray(loaded.vectors)[kept]
    rows = rows[np.abs(rows).max(axis=1, initial=0.0) > 0]
    return VocabularyScenario(vectors=unit_rows(rows), **choices)
