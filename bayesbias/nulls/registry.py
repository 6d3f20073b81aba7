"""The named scenarios."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .._core.checks import check_choice
from .additive import Scenario
from .base import BaseScenario
from .vocabulary import vocabulary_scenario

HUMAN = ("human",)
"""The control words of all named scenarios; real lists have control words, too."""

_sums = partial(Scenario, controls=HUMAN)
_both = partial(_sums, word_sd=0.04, attribute_sd=0.04)
_all = partial(_both, word_bias_sd=0.04, attribute_bias_sd=0.04)
_three = partial(_all, groups=("X", "Y", "Z"))
_words = partial(vocabulary_scenario, controls=HUMAN)

# fmt: off
_KNOWN: dict[str, tuple[Callable[[], BaseScenario], str]] = {
    "independent": (_sums, "only single distances vary"),
    "words-differ": (partial(_sums, word_sd=0.04),
        "some protected words are close to all attributes, others are far from all (sd .04)"),
    "attributes-differ": (partial(_sums, attribute_sd=0.04),
        "some attributes are close to all words, others are far from all (sd .04)"),
    "attributes-differ-more": (partial(_sums, attribute_sd=0.08), "attributes-differ, with sd .08"),
    "both-differ": (_both, "words and attributes differ (sd .04 each)"),
    "words-lean": (partial(_sums, word_bias_sd=0.04),
        "each word is biased (sd .04), but biases average to zero"),
    "attributes-lean": (partial(_sums, attribute_bias_sd=0.04),
        "each attribute leans toward a random group (sd .04), as in a short list"),
    "all-lean": (_all, "words and attributes differ, and both lean (sd .04 each)"),
    "unequal-groups": (partial(_all, n_words=(4, 12)), "all-lean with 4 words in X and 12 in Y"),
    "short-lists": (partial(_all, n_words=4), "all-lean with 4 words in each group"),
    "three-groups": (_three, "all-lean with a third group and its set"),
    "three-groups-own": (partial(_three, lean="own"),
        "three-groups, but words and attributes lean only toward or away from their own set"),
    "heavy-tails": (partial(_all, cell_df=4),
        "all-lean with single distances from a Student-t with 4 degrees of freedom"),
    "vocabulary": (partial(_words, lists="random"),
        "lists of words drawn at random from the bundled GloVe vectors"),
    "vocabulary-topics": (partial(_words, lists="topics"),
        "lists of nearest neighbors of random words in these vectors"),
    "planted": (partial(_both, effect=0.04),
        "both-differ with own attributes .04 closer for every word"),
    "planted-all-lean": (partial(_all, effect=0.04),
        "all-lean with own attributes .04 closer on average"),
    "planted-in-one-word": (partial(_both, effect=0.16, planted="one word"),
        "both-differ with own attributes .16 closer for one word"),
    "planted-opposite": (partial(_both, effect=0.16, planted="opposite"),
        "both-differ with own attributes .16 closer for one word and .16 farther for another"),
}
# fmt: on

SCENARIOS = {name: make for name, (make, _) in _KNOWN.items()}
"""Functions that make scenarios, keyed by name. All have 8 human control words, and all but the
vocabulary scenarios have the cell sd of the paper's null model, .08."""

ABOUT = {name: about for name, (_, about) in _KNOWN.items()}
"""One-line description of each scenario."""


def scenario(name: str) -> BaseScenario:
    """Make the scenario with the given name; `SCENARIOS` lists the names.

    Examples
    --------
    >>> bb.nulls.scenario("three-groups").table(seed=1).shape
    (768, 6)
    """
    check_choice("scenario", name, SCENARIOS)
    return SCENARIOS[name]()
