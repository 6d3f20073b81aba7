"""Null scenarios: tables in which it is known what is true, to see what methods claim in them.

Examples
--------
>>> import bayesbias as bb
>>> table = bb.nulls.Scenario(word_sd=0.04).table(seed=1)
>>> post = bb.fit(table, "paper", seed=1)
"""

from __future__ import annotations

from .additive import Scenario
from .base import PLANTINGS, ScenarioLike
from .layout import Batch, Layout
from .registry import ABOUT, SCENARIOS, scenario
from .unit_vectors import UnitVectorScenario
from .vocabulary import VocabularyScenario, vocabulary_scenario

__all__ = [
    "ABOUT",
    "PLANTINGS",
    "SCENARIOS",
    "Batch",
    "Layout",
    "Scenario",
    "ScenarioLike",
    "UnitVectorScenario",
    "VocabularyScenario",
    "scenario",
    "vocabulary_scenario",
]
