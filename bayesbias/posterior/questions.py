"""Answer written questions about a posterior."""

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
from .summaries import carry_warnings, in_front, level_means

if TYPE_CHECKING:
    from xarray import DataTree

_NAME = r"`[^`]+`|[^\W\d]\w*"

_TOKEN = re.compile(rf"(?P<of>(?:word\s+)?(?:{_NAME}))\s*:|(?P<name>{_NAME})|[^-+*/<>().\d\s]")
"""A group or word, a connection, or a character that is rejected because it is not arithmetic."""


def hypothesis(
    tree: DataTree,
    *hypotheses: str,
    ci_prob: float = DEFAULT_CI_PROB,
    ci_kind: str = DEFAULT_CI_KIND,
    over: str = "population",
) -> pd.DataFrame:
    """Compute the probabilities of written statements about mean distances.

    The means are those of `summary`. Like the ``within`` rows of `contrasts`, differences between a
    group's connections include how close each set of stereotypes is to all groups; ``relative``
    rows exclude this closeness. To compare groups, pass ``between="groups"`` to `contrasts`.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    *hypotheses : str
        For example, ``"christian: associated - different > muslim: associated - different"``. Both
        sides of ``>`` or ``<`` consist of connections, numbers, ``+ - * /``, and parentheses. A
        name followed by a colon selects a group or protected word for all connections up to the
        next colon; ``all:`` or no name selects overall means. If a group and a word share a name,
        ``word muslim:`` selects the word. Put names with spaces or hyphens in backquotes.
    ci_prob, ci_kind, over
        The same as in `contrasts`.

    Returns
    -------
    DataFrame
        One row per statement: ``hypothesis``, ``probability`` (the share of draws in which it
        is true), and ``mean``, ``sd``, ``low``, and ``high`` of the left side minus the right side.

    Examples
    --------
    >>> question = "muslim: associated - different < christian: associated - different"
    >>> bb.hypothesis(post, question)["probability"].round(2)
    0    0.85
    Name: probability, dtype: float64
    """
    if not hypotheses:
        raise ValueError("pass at least one hypothesis, such as 'associated < different'")
    names, draws = labels(tree, "connection"), dict[str, dict[str, FloatArray]]()
    levels, means = level_means(tree, over)
    for place, (level, group, word) in enumerate(levels.itertuples(index=False, name=None)):
        values = dict(zip(names, means[:, place].T, strict=True))
        if level == WORD:
            draws[f"word {word}"] = values
        draws.setdefault(word or group or "all", values)
    differences = np.stack([_difference(text, draws) for text in hypotheses], axis=1)
    frame = describe_draws(differences, ci_prob, ci_kind)
    signs = [-1 if "<" in re.sub("`[^`]+`", "", text) else 1 for text in hypotheses]
    probability = (differences * signs > 0).mean(axis=0)
    frame = in_front(frame, hypothesis=list(hypotheses), probability=probability)
    return carry_warnings(frame, tree)


def _difference(text: str, draws: dict[str, dict[str, FloatArray]]) -> FloatArray:
    """Return the draws of the left side minus the right, (n_draws,)."""
    of, values = "all", dict[str, FloatArray]()

    def variable(token: re.Match[str]) -> str:
        nonlocal of
        if token["of"]:
            of = " ".join(token["of"].replace("`", "").split())
            if of not in draws:
                raise ValueError(f"{text!r}: {unknown_name('group or word', of, draws)}")
            return ""
        if not token["name"]:
            raise ValueError(f"{text!r}: {token[0]!r} is not allowed here")
        name = token["name"].strip("`")
        if name not in draws[of]:
            raise ValueError(f"{text!r}: {unknown_name('connection', name, draws[of])}")
        values[f"x{len(values)}"] = draws[of][name]
        return f" x{len(values) - 1} "

    sides = re.split("[<>]", _TOKEN.sub(variable, text))
    if len(sides) != 2:
        raise ValueError(f"{text!r}: use exactly one < or >, not {len(sides) - 1}")
    try:
        left, right = (
            np.asarray(pd.eval(side, engine="python", local_dict=values), dtype=np.float64)
            for side in sides
        )
    except (SyntaxError, TypeError, ValueError) as error:
        raise ValueError(f"{text!r}: a name, number, sign, or parenthesis is missing") from error
    return np.broadcast_to(left - right, next(iter(draws["all"].values())).shape)
