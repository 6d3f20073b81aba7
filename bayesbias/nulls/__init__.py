"""Null scenarios: simulated tables with known true values, for testing what methods claim.

``table(seed)`` simulates one table, and ``simulate(n, seed)`` simulates a `Batch` of n tables.

Examples
--------
>>> import bayesbias as bb
>>> bb.nulls.Scenario(word_sd=0.04).table(seed=1).shape
(256, 6)
"""

from .additive import Scenario as Scenario
from .base import BaseScenario as BaseScenario
from .base import Batch as Batch
from .registry import ABOUT as ABOUT
from .registry import SCENARIOS as SCENARIOS
from .registry import scenario as scenario
from .vocabulary import VocabularyScenario as VocabularyScenario
from .vocabulary import vocabulary_scenario as vocabulary_scenario
