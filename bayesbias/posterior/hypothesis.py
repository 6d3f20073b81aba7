"""Questions to a posterior in words: whether one sum of distances is smaller than another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from ..model.tree import labels
from ..tables.levels import WORD
from .summaries import carry_warnings, in_front, levels

if TYPE_CHECKING:
    from xarray import DataTree

type _Draws = Mapping[str, Mapping[str, FloatArray]]

_NAME = r"`[^`]+`|[^\W\d]\w*"

_TERM = re.compile(
    rf"\s*(?P<sign>[+-]?)\s*(?:(?P<number>\d+\.?\d*|\.\d+)\s*\*?\s*)?"
    rf"(?:(?P<word>word\s+)?(?P<of>{_NAME})\s*:\s*)?(?P<name>{_NAME})?\s*"
)
"""One summand: a sign, a factor, what it is of, and a connection; every part may be absent."""

ALL = "all"
"""What stands before connections of the overall level, where it must be said."""

WORD_OF = "word "
"""What stands before a protected word that has a group's name."""


def hypothesis(
    tree: DataTree,
    *hypotheses: str,
    ci_prob: float = DEFAULT_CI_PROB,
    ci_kind: str = DEFAULT_CI_KIND,
    over: str = "population",
) -> pd.DataFrame:
    """Compute the probability of statements about mean distances, given in words.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    *hypotheses : str
        Such as ``"muslim: associated - different < christian: associated - different"``. Both sides
        of ``<`` or ``>`` are sums of connections and numbers; a number before ``*`` multiplies. A
        group or a protected word with a colon is what the connections behind it are of; a group is
        meant where both have the name, and ``word muslim:`` means the word. It holds up to the next
        colon, beyond the ``<`` too; ``all:`` and no colon at all mean the overall level. Names with
        spaces or hyphens stand in backquotes.
    ci_prob : float
        Probability of the intervals, in (0, 1).
    ci_kind : {"hdi", "eti"}
        Highest-density or equal-tailed intervals.
    over : {"population", "listed"}
        As for `contrasts`.

    Returns
    -------
    DataFrame
        One row a statement: ``hypothesis``, ``probability`` (the share of draws in which it
        holds), and of the left side less the right ``mean``, ``sd``, ``low``, ``high``.

    Raises
    ------
    ValueError
        If a statement cannot be read; the message points at the place.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> post = bb.fit(table, seed=1)
    >>> question = "muslim: associated - different < christian: associated - different"
    >>> bool(bb.hypothesis(post, question)["probability"][0] > 0.8)
    True
    """
    draws = _draws(tree, over)
    sides = [_sides(text, draws) for text in hypotheses]
    if not sides:
        raise ValueError("no hypothesis is given; such as 'associated < different'")
    apart = np.stack([left - right for left, _, right in sides], axis=1)
    smaller = np.array([sign == "<" for _, sign, _ in sides])
    frame = describe_draws(apart, ci_prob, ci_kind)
    probability = np.where(smaller, (apart < 0).mean(axis=0), (apart > 0).mean(axis=0))
    frame = in_front(frame, hypothesis=list(hypotheses), probability=probability)
    return carry_warnings(frame, tree)


def describe_sums(
    tree: DataTree,
    *sums: str,
    ci_prob: float = DEFAULT_CI_PROB,
    ci_kind: str = DEFAULT_CI_KIND,
) -> pd.DataFrame:
    """Describe sums of mean distances in words, such as one side of a hypothesis.

    Returns
    -------
    DataFrame
        One row a sum: ``sum``, ``mean``, ``sd``, ``low``, ``high``.

    Raises
    ------
    ValueError
        If one cannot be read; the message points at the place.
    """
    draws = _draws(tree, "population")
    frame = describe_draws(
        np.stack([_sum(text, 0, len(text), draws)[0] for text in sums], axis=1), ci_prob, ci_kind
    )
    return carry_warnings(in_front(frame, sum=list(sums)), tree)


def _draws(tree: DataTree, over: str) -> _Draws:
    """Return draws by connection, of all words, of every group, and of every word."""
    names = labels(tree, "connection")
    found: dict[str, Mapping[str, FloatArray]] = {}
    for each in levels(tree, over):
        of = each.protected_word or each.protected_group
        draws = dict(zip(names, each.draws.T, strict=True))
        if each.level == WORD:
            found[WORD_OF + of] = draws
        found.setdefault(of, draws)
    return found


def _sides(text: str, draws: _Draws) -> tuple[FloatArray, str, FloatArray]:
    """Return the draws of both sides, and the sign between them."""
    bare = re.sub("`[^`]*`", lambda quoted: "`" * len(quoted[0]), text)
    signs = list(re.finditer("[<>]", bare))
    if len(signs) != 1:
        place = signs[1].start() if signs else len(text)
        raise _unread(text, place, f"one < or > is needed; there are {len(signs)}")
    at = signs[0].start()
    left, of = _sum(text, 0, at, draws)
    return left, text[at], _sum(text, at + 1, len(text), draws, of)[0]


def _sum(text: str, place: int, end: int, draws: _Draws, of: str = "") -> tuple[FloatArray, str]:
    """Add up the summands of a text from one place to another; and what the last one is of."""
    total, first = np.zeros(()), True
    while first or place < end:
        term = _TERM.match(text, place, end)
        assert term is not None  # every part of it may be absent
        if term["number"] is None and term["name"] is None:
            raise _unread(text, term.end(), "a connection or a number is needed here")
        if not first and not term["sign"]:
            raise _unread(text, place, "a sign is needed here, + or -")
        if term["of"] is not None:
            of = (WORD_OF if term["word"] else "") + term["of"].strip("`")
            if of == ALL and ALL not in draws:
                of = ""
            if of not in draws:
                why = unknown_name("group or word", of, filter(None, draws))
                raise _unread(text, term.start("of"), why)
        factor = float(term["number"] or 1) * (-1 if term["sign"] == "-" else 1)
        value: FloatArray | float = 1.0
        if (name := term["name"]) is not None:
            if (name := name.strip("`")) not in draws[of]:
                why = unknown_name("connection", name, draws[of])
                raise _unread(text, term.start("name"), why)
            value = draws[of][name]
        total, place, first = total + factor * value, term.end(), False
    return total, of


def _unread(text: str, place: int, why: str) -> ValueError:
    """Return an error that points at a place of a hypothesis."""
    return ValueError(f"{why}\n    {text}\n    {' ' * place}^")
