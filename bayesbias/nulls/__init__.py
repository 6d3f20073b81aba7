"""Null worlds: tables in which it is known what is true, to see what methods claim in them.

Examples
--------
>>> import bayesbias as bb
>>> table = bb.nulls.World(word_sd=0.04).table(seed=1)
>>> post = bb.fit(table, "paper", seed=1)
"""

from __future__ import annotations

from .layout import PLANTINGS, Batch, Layout
from .registry import ABOUT, WORLDS, world
from .unit_vectors import UnitVectorWorld
from .vocabulary import VocabularyWorld, vocabulary_world
from .world import NullWorld, World

__all__ = [
    "ABOUT",
    "PLANTINGS",
    "WORLDS",
    "Batch",
    "Layout",
    "NullWorld",
    "UnitVectorWorld",
    "VocabularyWorld",
    "World",
    "vocabulary_world",
    "world",
]
