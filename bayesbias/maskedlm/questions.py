"""What the measures ask of a model: masked versions of sentences, and log probabilities of tokens.

A question is a sentence, the positions that are masked, and the positions whose tokens are asked
for. Measures share questions (the masked versions of CPS are among those of PLL), so that all of
them together cost little more than the dearest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .alignment import Spans, Tokens

Masks = tuple[int, ...]
Needs = Callable[[Tokens, Spans], list[tuple[Masks, Masks]]]


@dataclass(frozen=True)
class Measure:
    """A score of a sentence, made of log probabilities of its tokens.

    Parameters
    ----------
    title, reference : str
    needs : callable
        From tokens and spans to (masked positions, asked positions), one for each question.
    kind : {"masked", "causal"}
        Models that it is for.
    averaged : bool
        Whether the score is the mean over the asked tokens, instead of their sum.
    attention : bool
        Whether each token is weighted by the attention it gets.
    paired : bool
        Whether the score depends on the other sentence of the pair.
    usual : bool
        Whether it is scored without being asked for.
    """

    title: str
    reference: str
    needs: Needs
    kind: str = "masked"
    averaged: bool = False
    attention: bool = False
    paired: bool = False
    usual: bool = True

    def score(self, log_probs: FloatArray, attention: FloatArray | None) -> float:
        """Score of a sentence from the log probabilities of the asked tokens, in order."""
        weighted = log_probs * attention if self.attention and attention is not None else log_probs
        return float(weighted.mean() if self.averaged else weighted.sum())


def _in_turn(places: Masks) -> list[tuple[Masks, Masks]]:
    return [((place,), (place,)) for place in places]


def _words_from_left(tokens: Tokens, _: Spans) -> list[tuple[Masks, Masks]]:
    """Each token masked together with what follows of its word."""
    rest = {
        place: tuple(
            other
            for other in tokens.scored
            if other == place or (other > place and tokens.words[other] == tokens.words[place])
        )
        for place in tokens.scored
    }
    return [(rest[place], (place,)) for place in tokens.scored]


def _at_once(asked: Masks, masked: Masks = ()) -> list[tuple[Masks, Masks]]:
    return [(masked, asked)] if asked else []


MEASURES: dict[str, Measure] = {
    "sss": Measure(
        "mean log P of the modified tokens given the shared ones, all masked at once",
        "Kaneko and Bollegala (2022), after Nadeem, Bethke and Reddy (2021)",
        lambda _, spans: _at_once(spans.modified, masked=spans.modified),
        averaged=True,
        paired=True,
    ),
    "cps": Measure(
        "CrowS-Pairs': sum over the shared tokens, each masked in turn",
        "Nangia, Vania, Bhalerao and Bowman (2020)",
        lambda _, spans: _in_turn(spans.shared),
        paired=True,
    ),
    "aul": Measure(
        "all unmasked: mean log P of every token with nothing masked",
        "Kaneko and Bollegala (2022)",
        lambda tokens, _: _at_once(tokens.scored),
        averaged=True,
    ),
    "aula": Measure(
        "AUL, each token weighted by the mean attention it gets",
        "Kaneko and Bollegala (2022)",
        lambda tokens, _: _at_once(tokens.scored),
        averaged=True,
        attention=True,
    ),
    "pll": Measure(
        "pseudo-log-likelihood: sum over all tokens, each masked in turn",
        "Salazar, Liang, Nguyen and Kirchhoff (2020)",
        lambda tokens, _: _in_turn(tokens.scored),
    ),
    "pll-mean": Measure(
        "PLL divided by the number of tokens",
        "after Salazar, Liang, Nguyen and Kirchhoff (2020)",
        lambda tokens, _: _in_turn(tokens.scored),
        averaged=True,
        usual=False,
    ),
    "pll-modified": Measure(
        "sum over the modified tokens, each masked in turn: what CPS leaves out of PLL",
        "the complement of Nangia, Vania, Bhalerao and Bowman (2020)",
        lambda _, spans: _in_turn(spans.modified),
        paired=True,
        usual=False,
    ),
    "pll-word-l2r": Measure(
        "PLL with the rest of the token's own word masked as well",
        "Kauf and Ivanova (2023)",
        _words_from_left,
    ),
    "log-likelihood": Measure(
        "log P of every token given those before it",
        "for causal models",
        lambda tokens, _: _at_once(tuple(place for place in tokens.scored if place > 0)),
        kind="causal",
    ),
    "log-likelihood-mean": Measure(
        "log-likelihood divided by the number of tokens",
        "for causal models",
        lambda tokens, _: _at_once(tuple(place for place in tokens.scored if place > 0)),
        kind="causal",
        averaged=True,
        usual=False,
    ),
}
"""All scores of a sentence by name. Adding one is adding an entry."""


def require_measures(names: Iterable[str]) -> None:
    """Raise a ValueError that names the first measure that is not known, for whatever model."""
    for name in names:
        if name not in MEASURES:
            raise ValueError(unknown_name("measure", name, MEASURES))


def measures_for(kind: str, names: str | Sequence[str] | None = None) -> list[str]:
    """Return the usual measures of a kind of model, or check those that are asked for."""
    fitting = [name for name, measure in MEASURES.items() if measure.kind == kind]
    if names is None:
        return [name for name in fitting if MEASURES[name].usual]
    wanted = [names] if isinstance(names, str) else list(dict.fromkeys(names))
    if not wanted:
        raise ValueError(f"name one measure or more of {', '.join(fitting)}")
    require_measures(wanted)
    for name in wanted:
        if name not in fitting:
            raise ValueError(
                f"the measure {name!r} is for {MEASURES[name].kind} models, and this one is "
                f"{kind}; it allows {', '.join(fitting)}"
            )
    return wanted


@dataclass
class Questions:
    """What is still to be asked; equal questions about equal sentences are asked once.

    ``asked`` has the positions by token ids and masked positions, ``attention`` the sentences of
    which the attention matters.
    """

    asked: dict[tuple[Masks, Masks], set[int]] = field(default_factory=dict)
    attention: set[Masks] = field(default_factory=set)

    def add(self, tokens: Tokens, spans: Spans, measure: Measure) -> None:
        """Add what a measure needs of a sentence."""
        for masked, asked in measure.needs(tokens, spans):
            self.asked.setdefault((tokens.ids, masked), set()).update(asked)
        if measure.attention:
            self.attention.add(tokens.ids)


@dataclass(frozen=True)
class Answers:
    """Log probabilities by (token ids, masked positions, position), and attention by token ids."""

    log_probs: dict[tuple[Masks, Masks, int], float]
    attention: dict[Masks, FloatArray]

    def score(self, tokens: Tokens, spans: Spans, measure: Measure) -> float:
        """Score of a sentence under a measure."""
        needs = measure.needs(tokens, spans)
        asked = [place for _, places in needs for place in places]
        values = [
            self.log_probs[tokens.ids, masked, at] for masked, places in needs for at in places
        ]
        weights = self.attention[tokens.ids][asked] if measure.attention else None
        return measure.score(np.array(values), weights)
