"""The questions that each measure asks: masked versions of sentences, and the tokens to predict.

A question consists of a sentence, its masked positions, and the positions of requested tokens.
Measures can share questions: for example, PLL asks every question that CPS asks. Computing all
measures therefore costs little more than computing the most expensive one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from .._core.checks import check_choice
from .alignment import Places, Tokens

Needs = Callable[[Tokens], list[tuple[Places, Places]]]


@dataclass(frozen=True)
class Measure:
    """A score of a sentence, computed from log probabilities of its tokens.

    ``needs`` returns one pair of (masked positions, requested positions) per run of the model. The
    score is the sum over the requested tokens or, if ``averaged``, the mean. With ``attention``,
    each term is multiplied by its token's attention. ``usual`` measures are computed by default.
    ``tokens`` says which tokens are scored.
    """

    title: str
    reference: str
    needs: Needs
    kind: str = "masked"
    averaged: bool = False
    attention: bool = False
    usual: bool = True
    tokens: str = "tokens that are not special"


def _at_once(asked: Places, masked: Places = ()) -> list[tuple[Places, Places]]:
    return [(masked, asked)] if asked else []


def _words_from_left(tokens: Tokens) -> list[tuple[Places, Places]]:
    """Mask each token together with the later tokens of its word."""
    words, scored = tokens.words, tokens.scored
    return [
        ((place, *(p for p in scored if p > place and words[p] == words[place])), (place,))
        for place in scored
    ]


_AUL = Measure(
    "all unmasked likelihood: mean log P of all tokens, with nothing masked",
    "Kaneko and Bollegala (2022)",
    lambda tokens: _at_once(tokens.scored),
    averaged=True,
)
_PLL = Measure(
    "pseudo-log-likelihood: sum over all tokens, each masked in turn",
    "Salazar, Liang, Nguyen, and Kirchhoff (2020)",
    lambda tokens: [((place,), (place,)) for place in tokens.scored],
)
_LOG_LIKELIHOOD = Measure(
    "sum of log P of all tokens, each given the tokens before it",
    "for causal models",
    lambda tokens: _at_once(tuple(place for place in tokens.scored if place > 0)),
    kind="causal",
    tokens="tokens that follow another one",
)

MEASURES: dict[str, Measure] = {
    "sss": Measure(
        "mean log P of the modified tokens given the shared ones, all masked at once",
        "Kaneko and Bollegala (2022), after Nadeem, Bethke, and Reddy (2021)",
        lambda tokens: _at_once(tokens.modified, masked=tokens.modified),
        averaged=True,
        tokens="tokens that differ between both sentences",
    ),
    "cps": Measure(
        "CrowS-Pairs measure: sum over the shared tokens, each masked in turn",
        "Nangia, Vania, Bhalerao, and Bowman (2020)",
        lambda tokens: [((place,), (place,)) for place in tokens.shared],
        tokens="tokens that both sentences share",
    ),
    "aul": _AUL,
    "aula": replace(
        _AUL, title="AUL, each token weighted by the mean attention it receives", attention=True
    ),
    "pll": _PLL,
    "pll-mean": replace(
        _PLL, title="PLL divided by the number of tokens", averaged=True, usual=False
    ),
    "pll-word-l2r": Measure(
        "PLL with the later tokens of the same word masked as well",
        "Kauf and Ivanova (2023)",
        _words_from_left,
    ),
    "log-likelihood": _LOG_LIKELIHOOD,
    "log-likelihood-mean": replace(
        _LOG_LIKELIHOOD,
        title="log-likelihood divided by the number of tokens",
        averaged=True,
        usual=False,
    ),
}
"""All scores of a sentence, keyed by name. To add a score, add an entry."""


def require_measures(names: Iterable[str]) -> None:
    """Raise a ValueError for the first name that is not a measure for any kind of model."""
    for name in names:
        check_choice("measure", name, MEASURES)


def measures_for(kind: str, names: str | Sequence[str] | None = None) -> list[str]:
    """Return the requested measures or, by default, the usual measures for a kind of model."""
    fitting = [name for name, measure in MEASURES.items() if measure.kind == kind]
    if not names:
        return [name for name in fitting if MEASURES[name].usual]
    wanted = [names] if isinstance(names, str) else list(dict.fromkeys(names))
    require_measures(wanted)
    for name in wanted:
        if name not in fitting:
            raise ValueError(
                f"the measure {name!r} is for {MEASURES[name].kind} models, but this model is "
                f"{kind}; use {', '.join(fitting)}"
            )
    return wanted
