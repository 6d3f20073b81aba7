"""The scenarios that have a name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .._core.checks import unknown_name
from .additive import Scenario
from .base import ScenarioLike
from .unit_vectors import UnitVectorScenario
from .vocabulary import vocabulary_scenario

_both = partial(Scenario, word_sd=0.04, attribute_sd=0.04)

# fmt: off
_KNOWN: dict[str, tuple[Callable[[], ScenarioLike], str]] = {
    "independent": (Scenario, "single distances vary, nothing else"),
    "words-differ": (partial(Scenario, word_sd=0.04),
        "some protected words are near to all attributes, some far from all (sd .04)"),
    "attributes-differ": (partial(Scenario, attribute_sd=0.04),
        "some attributes are near to all words, some far from all (sd .04)"),
    "attributes-differ-more": (partial(Scenario, attribute_sd=0.08), "the same with an sd of .08"),
    "both-differ": (_both, "words and attributes differ (sd .04 each)"),
    "words-lean": (partial(Scenario, word_bias_sd=0.04),
        "each word has a bias of its own (sd .04) that averages to nothing"),
    "attributes-lean": (partial(Scenario, attribute_bias_sd=0.04),
        "each attribute leans to a group (sd .04), by the luck of the list"),
    "unit-vectors": (UnitVectorScenario, "cosines of random unit vectors in 100 dimensions"),
    "vocabulary": (partial(vocabulary_scenario, lists="random"),
        "lists of words drawn at random from the bundled GloVe vectors"),
    "vocabulary-topics": (partial(vocabulary_scenario, lists="topics"),
        "lists of nearest neighbours of random words in these vectors"),
    "planted": (partial(_both, effect=0.04),
        "both differ, and own attributes are .04 closer for every word"),
    "planted-in-one-word": (partial(_both, effect=0.16, planted="one word"),
        "both differ, and own attributes are .16 closer for one word"),
    "planted-opposite": (partial(_both, effect=0.16, planted="opposite"),
        "both differ; .16 closer for one word and .16 farther for another"),
}
# fmt: on

SCENARIOS = {name: make for name, (make, _) in _KNOWN.items()}
"""Functions that make a scenario, by name. Cells have an sd of .08, as in the paper's null model.

The first four are those whose false-alarm rates are known. In the last three an effect is planted.
"""

ABOUT = {name: about for name, (_, about) in _KNOWN.items()}
"""What happens in each scenario, in a line."""


def scenario(name: str) -> ScenarioLike:
    """Make the scenario of that name; `SCENARIOS` lists them."""
    if name not in SCENARIOS:
        raise ValueError(unknown_name("scenario", name, SCENARIOS))
    return SCENARIOS[name]()
