"""The scenarios that have a name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .._core.checks import check_choice
from .additive import Scenario
from .base import BaseScenario
from .vocabulary import vocabulary_scenario

HUMAN = ("human",)
"""The control words that all scenarios have, as real lists do."""

_sums = partial(Scenario, controls=HUMAN)
_both = partial(_sums, word_sd=0.04, attribute_sd=0.04)
_all = partial(_both, word_bias_sd=0.04, attribute_bias_sd=0.04)
_three = partial(_all, groups=("X", "Y", "Z"))
_words = partial(vocabulary_scenario, controls=HUMAN)

# fmt: off
_KNOWN: dict[str, tuple[Callable[[], BaseScenario], str]] = {
    "independent": (_sums, "single distances vary, nothing else"),
    "words-differ": (partial(_sums, word_sd=0.04),
        "some protected words are near to all attributes, some far from all (sd .04)"),
    "attributes-differ": (partial(_sums, attribute_sd=0.04),
        "some attributes are near to all words, some far from all (sd .04)"),
    "attributes-differ-more": (partial(_sums, attribute_sd=0.08), "the same with an sd of .08"),
    "both-differ": (_both, "words and attributes differ (sd .04 each)"),
    "words-lean": (partial(_sums, word_bias_sd=0.04),
        "each word has a bias of its own (sd .04) that averages to nothing"),
    "attributes-lean": (partial(_sums, attribute_bias_sd=0.04),
        "each attribute leans to a group (sd .04), by the luck of the list"),
    "all-lean": (_all, "words and attributes differ, and both lean (sd .04 each)"),
    "unequal-groups": (partial(_all, n_words=(4, 12)), "all-lean with 4 words X and 12 words Y"),
    "short-lists": (partial(_all, n_words=4), "all-lean with 4 + 4 words"),
    "three-groups": (_three, "all-lean with a third group and its set"),
    "three-groups-own": (partial(_three, lean="own"),
        "the same, and words and attributes lean to their own or away from it, never to one other"),
    "heavy-tails": (partial(_all, cell_df=4),
        "all-lean, single distances from a Student-t of 4 degrees of freedom"),
    "vocabulary": (partial(_words, lists="random"),
        "lists of words drawn at random from the bundled GloVe vectors"),
    "vocabulary-topics": (partial(_words, lists="topics"),
        "lists of nearest neighbors of random words in these vectors"),
    "planted": (partial(_both, effect=0.04),
        "both differ, and own attributes are .04 closer for every word"),
    "planted-all-lean": (partial(_all, effect=0.04),
        "all-lean, and own attributes are .04 closer on average"),
    "planted-in-one-word": (partial(_both, effect=0.16, planted="one word"),
        "both differ, and own attributes are .16 closer for one word"),
    "planted-opposite": (partial(_both, effect=0.16, planted="opposite"),
        "both differ; .16 closer for one word and .16 farther for another"),
}
# fmt: on

SCENARIOS = {name: make for name, (make, _) in _KNOWN.items()}
"""Functions that make scenarios, by name. Cells have an sd of .08, as in the paper's null model.

The first four are those whose false-alarm rates are known. In the last four an effect is planted.
All have 8 human control words.
"""

ABOUT = {name: about for name, (_, about) in _KNOWN.items()}
"""One-line description of each scenario."""


def scenario(name: str) -> BaseScenario:
    """Make a scenario by name; `SCENARIOS` lists the names."""
    check_choice("scenario", name, SCENARIOS)
    return SCENARIOS[name]()
