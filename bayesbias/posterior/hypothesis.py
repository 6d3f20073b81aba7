"""Questions to a posterior in words: whether one sum of distances is smaller than another."""

from __future__ import annotations

import re
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

type _Draws = dict[str, dict[str, FloatArray]]

_NAME = r"`[^`]+`|[^\W\d]\w*"

_TOKEN = re.compile(
    rf"(?P<word>word\s+)?(?P<of>{_NAME})\s*:|(?P<name>{_NAME})|(?P<plain>[-+*/<>().\d\s]+)|."
)
"""What connections are of, a connection, or arithmetic; anything else is refused."""


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
        of ``<`` or ``>`` are connections and numbers joined by ``+ - * /`` and parentheses. A
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
        If a statement cannot be read.

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
    if not hypotheses:
        raise ValueError("no hypothesis is given; such as 'associated < different'")
    draws = _draws(tree, over)
    gaps, signs = zip(*(_difference(text, draws) for text in hypotheses), strict=True)
    differences = np.stack(gaps, axis=1)
    frame = describe_draws(differences, ci_prob, ci_kind)
    probability = (differences * signs > 0).mean(axis=0)
    frame = in_front(frame, hypothesis=list(hypotheses), probability=probability)
    return carry_warnings(frame, tree)


def _draws(tree: DataTree, over: str) -> _Draws:
    """Return draws by connection, of all words, of every group, and of every word."""
    names = labels(tree, "connection")
    draws: _Draws = {}
    for part in levels(tree, over):
        of = part.protected_word or part.protected_group or "all"
        values = dict(zip(names, part.draws.T, strict=True))
        if part.level == WORD:
            draws[f"word {of}"] = values
        draws.setdefault(of, values)
    return draws


def _difference(text: str, draws: _Draws) -> tuple[FloatArray, int]:
    """Return the draws of the left side less the right, (n_draws,), and the sign that is asked."""
    of, parts = "all", list[str]()
    values: dict[str, FloatArray] = {}
    for token in _TOKEN.finditer(text):
        if token["of"]:
            of = ("word " if token["word"] else "") + token["of"].strip("`")
            if of not in draws:
                raise _unread(text, token.start("of"), unknown_name("group or word", of, draws))
        elif token["name"]:
            name = token["name"].strip("`")
            if name not in draws[of]:
                why = unknown_name("connection", name, draws[of])
                raise _unread(text, token.start(), why)
            parts.append(f" x{len(values)} ")
            values[f"x{len(values)}"] = draws[of][name]
        elif token["plain"]:
            parts.append(token["plain"])
        else:
            raise _unread(text, token.start(), f"{token[0]!r} means nothing here")
    whole = "".join(parts)
    sides = re.split("[<>]", whole)
    if len(sides) != 2:
        raise _unread(text, len(text), f"one < or > is needed; there are {len(sides) - 1}")
    try:
        left, right = (
            np.asarray(pd.eval(side, engine="python", local_dict=values), dtype=np.float64)
            for side in sides
        )
    except (SyntaxError, TypeError, ValueError) as error:
        raise _unread(text, 0, "a connection, a number or a sign is lacking") from error
    n_draws = len(next(iter(draws["all"].values())))
    return np.broadcast_to(left - right, n_draws), -1 if "<" in whole else 1


def _unread(text: str, place: int, why: str) -> ValueError:
    """Return an error that points at a place of a hypothesis."""
    return ValueError(f"{why}\n    {text}\n    {' ' * place}^")
