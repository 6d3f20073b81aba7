"""Null scenarios: tables with known truth, to see what methods claim in them.

Every scenario has ``table(seed)``, one table, and ``simulate(n, seed)``, a `Batch` of n.

Examples
--------
>>> import bayesbias as bb
>>> table = bb.nulls.Scenario(word_sd=0.04).table(seed=1)
>>> post = bb.fit(table, "paper", seed=1)
"""

from .additive import Scenario as Scenario
from .base import BaseScenario as BaseScenario
from .base import Batch as Batch
from .registry import ABOUT as ABOUT
from .registry import SCENARIOS as SCENARIOS
from .registry import scenario as scenario
from .vocabulary import VocabularyScenario as VocabularyScenario
from .vocabulary import vocabulary_scenario as vocabulary_scenario
