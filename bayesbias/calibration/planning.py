"""`list_length`: how long word lists must be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pandas as pd

from ..nulls import Scenario
from .rates import Methods, calibrate

PLANNING_SCENARIO = Scenario(word_sd=0.04, attribute_sd=0.04, word_bias_sd=0.04)
"""A scenario to plan with: words and attributes differ, and words differ in their own bias."""

PLANNING_METHODS = ("maximal-hpdi", "maximal-hpdi-group", "weat-p")


def list_length(
    n_words: int | Sequence[int] = (4, 8, 16, 32),
    n_attributes: int | Sequence[int] = (4, 8, 16, 32),
    *,
    effects: float | Sequence[float] = 0.04,
    scenario: Scenario = PLANNING_SCENARIO,
    methods: Methods = PLANNING_METHODS,
    n: int = 200,
    **options: Any,  # noqa: ANN401
) -> pd.DataFrame:
    """Compute intervals' width, and how often an effect is found, by length of lists.

    Dobrzeniecka and Urbaniak (2024) recommend longer lists; this says how long.

    Parameters
    ----------
    n_words, n_attributes : int or sequence of int
        Protected words of each group, and attributes of each set, at least 2; all pairs are
        tried.
    effects : float or sequence of float
        Planted effects, in units of distance; 0 gives false alarms.
    scenario : Scenario
        What else varies: every other field of it is used.
    methods, n, **options
        As for `calibrate`; `n` tables for each length and effect.

    Returns
    -------
    DataFrame
        As `calibrate` gives it, with ``n_words``, ``n_attributes`` and ``effect`` in front. Read
        ``width`` for the mean width of intervals and ``rate`` for how often the effect is found.

    Examples
    --------
    >>> plan = list_length([4], [4], effects=[0.05], methods="weat-p", n=50, seed=1)
    >>> plan[["n_words", "n_attributes", "effect"]].iloc[0].tolist()
    [4.0, 4.0, 0.05]
    """
    cells = list(product(*map(_each, (n_words, n_attributes, effects))))
    if not cells:
        raise ValueError("n_words, n_attributes and effects each need at least one value")
    scenarios = {}
    for words, attributes, effect in cells:
        made = replace(scenario, n_words=words, n_attributes=attributes, effect=effect)
        scenarios[f"{words} words, {attributes} attributes, effect {made.effect:g}"] = made
    frame = calibrate(scenarios, methods, n, **options)
    settings = dict(zip(scenarios, cells, strict=True))
    for at, name in enumerate(("n_words", "n_attributes", "effect")):
        frame.insert(at, name, [settings[called][at] for called in frame["scenario"]])
    return frame


def _each(values: float | Sequence[float]) -> list[Any]:
    """Return the values, of one or several."""
    return list(values) if isinstance(values, Iterable) else [values]
