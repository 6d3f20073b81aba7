"""Questions to a posterior: statements in words, and facets that groups cross, draw by draw."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from ..model.tree import labels
from ..tables.levels import GROUP, WORD
from ..tables.wordlists import WordList
from .contrasts import contrast_draws, describe_gaps, reading_of
from .summaries import carry_warnings, in_front, level_means

if TYPE_CHECKING:
    from xarray import DataTree

_NAME = r"`[^`]+`|[^\W\d]\w*"

_TOKEN = re.compile(rf"(?P<of>(?:word\s+)?(?:{_NAME}))\s*:|(?P<name>{_NAME})|[^-+*/<>().\d\s]")
"""What connections are of, a connection, or what is not arithmetic and is refused."""

type Facets = Mapping[str, Mapping[str, str]]
"""Labels of groups by the facet: ``{"gender": {"black_women": "women", ...}, "race": ...}``."""


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
        of ``<`` or ``>`` are connections and numbers joined by ``+ - * /`` and parentheses.
        Connections are those of the group or protected word with a colon before them, and overall
        after ``all:`` and without a colon. Where a group and a word have one name, ``word muslim:``
        is the word. Names with spaces or hyphens stand in backquotes.
    ci_prob, ci_kind, over
        As for `contrasts`.

    Returns
    -------
    DataFrame
        One row a statement: ``hypothesis``, ``probability`` (the share of draws in which it
        holds), and of the left side less the right ``mean``, ``sd``, ``low``, ``high``.

    Examples
    --------
    >>> question = "muslim: associated - different < christian: associated - different"
    >>> bb.hypothesis(post, question)["probability"].round(2)
    0    0.85
    Name: probability, dtype: float64
    """
    if not hypotheses:
        raise ValueError("no hypothesis is given; such as 'associated < different'")
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
    """Return the draws of the left side less the right, (n_draws,)."""
    of, values = "all", dict[str, FloatArray]()

    def variable(token: re.Match[str]) -> str:
        nonlocal of
        if token["of"]:
            of = " ".join(token["of"].replace("`", "").split())
            if of not in draws:
                raise ValueError(f"{text!r}: {unknown_name('group or word', of, draws)}")
            return ""
        if not token["name"]:
            raise ValueError(f"{text!r}: {token[0]!r} means nothing here")
        name = token["name"].strip("`")
        if name not in draws[of]:
            raise ValueError(f"{text!r}: {unknown_name('connection', name, draws[of])}")
        values[f"x{len(values)}"] = draws[of][name]
        return f" x{len(values) - 1} "

    sides = re.split("[<>]", _TOKEN.sub(variable, text))
    if len(sides) != 2:
        raise ValueError(f"{text!r}: one < or > is needed; there are {len(sides) - 1}")
    try:
        left, right = (
            np.asarray(pd.eval(side, engine="python", local_dict=values), dtype=np.float64)
            for side in sides
        )
    except (SyntaxError, TypeError, ValueError) as error:
        raise ValueError(f"{text!r}: a connection, a number or a sign is lacking") from error
    return np.broadcast_to(left - right, next(iter(draws["all"].values())).shape)


def facet_contrasts(
    tree: DataTree,
    facets: Facets | WordList,
    *,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float | None = None,
    ci_kind: str = DEFAULT_CI_KIND,
    over: str = "population",
) -> pd.DataFrame:
    r"""Compute main effects of facets that groups cross, and their interactions, draw by draw.

    Let :math:`g_{ab}` be a difference between two connections in the group with label a of one
    facet and b of another. The main effect of a against a' is the mean over b of
    :math:`g_{ab} - g_{a'b}`, every b counting alike; the interaction with b against b' is
    :math:`(g_{ab} - g_{a'b}) - (g_{ab'} - g_{a'b'})`. With more facets the others are averaged
    over.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    facets : mapping of str to mapping of str to str, or WordList
        Labels of the groups by the facet; or a list that has them as ``facets``. Groups without
        labels are left out. Groups with the same labels are averaged. Every combination of labels
        needs a group.
    ci_prob, rope, ci_kind, over
        As for `contrasts`.

    Returns
    -------
    DataFrame
        One row a contrast of labels and pair of connections, main effects first: ``facets``
        (``gender``, or ``gender × race``), ``contrast`` (``women − men``, or ``(women − men) ×
        (black − white)``), then the columns of `contrasts` from ``first`` on.

    Examples
    --------
    >>> import bayesbias as bb
    >>> words = {"a": ["he"], "b": ["she"], "c": ["king"], "d": ["queen"]}
    >>> own = {"a": ["work"], "b": ["home"], "c": ["war"], "d": ["love"]}
    >>> facets = {"gender": {"a": "men", "b": "women", "c": "men", "d": "women"},
    ...           "rank": {"a": "low", "b": "low", "c": "high", "d": "high"}}
    >>> crossed = bb.load_wordlist({"groups": words, "stereotypes": own, "facets": facets})
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", crossed), crossed)
    >>> bb.facet_contrasts(bb.fit(table, seed=1), crossed)[["contrast", "mean"]].round(2)
                           contrast  mean
    0                   men − women -0.09
    1                    low − high  0.06
    2  (men − women) × (low − high) -0.12
    """
    given = facets.facets if isinstance(facets, WordList) else facets
    levels, gaps, _ = contrast_draws(tree, over)
    is_group = (levels["level"] == GROUP).to_numpy()
    labels_of = _labels_of(levels.loc[is_group, "protected_group"].tolist(), given)
    sets = {facet: list(dict.fromkeys(of.values())) for facet, of in given.items()}
    sizes = labels_of.groupby(list(sets))[next(iter(sets))].transform("size")
    rows, weights = [], []
    for n_facets in range(1, len(sets) + 1):
        for some in combinations(sets, n_facets):
            for pairs in product(*(combinations(sets[facet], 2) for facet in some)):
                weight = 1 / sizes
                for facet, of in sets.items():
                    one, other = dict(zip(some, pairs, strict=True)).get(facet, (None, None))
                    sign = 1.0 * (labels_of[facet] == one) - (labels_of[facet] == other)
                    weight *= 1 / len(of) if one is None else sign
                weights.append(weight.fillna(0.0).to_numpy())
                texts = [f"{one} − {other}" for one, other in pairs]
                contrast = texts[0] if n_facets == 1 else " × ".join(f"({text})" for text in texts)
                rows.append((" × ".join(some), contrast))
    things = pd.DataFrame(rows, columns=["facets", "contrast"])
    reading = reading_of(tree, ci_prob, rope, ci_kind)
    effects = np.stack(weights) @ gaps[:, is_group]
    frame = describe_gaps(effects, labels(tree, "connection"), things, reading)
    return carry_warnings(frame, tree)


def _labels_of(groups: Sequence[str], facets: Facets) -> pd.DataFrame:
    """Return the labels of groups, a column a facet; missing in groups without labels."""
    if not facets:
        raise ValueError(
            "there are no facets; give a dict such as {'gender': {'black_women': 'women', ...}, "
            "'race': {...}}, or a list with [facets.gender] and [facets.race]"
        )
    for facet, given in facets.items():
        for group in given:
            if group not in groups:
                raise ValueError(f"facet {facet}: {unknown_name('group', group, groups)}")
        if len(set(given.values())) < 2:
            raise ValueError(f"facet {facet}: needs two labels or more to compare")
    frame = pd.DataFrame(dict(facets), pd.Index(groups), dtype=object)
    present = frame.notna()
    for group in frame.index[present.any(axis=1) & ~present.all(axis=1)]:
        lacking = ", ".join(frame.columns[~present.loc[group]])
        raise ValueError(f"the group {group} has no label of {lacking}; give it one")
    combined = set(product(*(dict.fromkeys(given.values()) for given in facets.values())))
    if empty := combined - set(frame.itertuples(index=False, name=None)):
        raise ValueError(
            f"no group is {', nor '.join(map(' '.join, sorted(empty)))}; main effects and "
            "interactions need every combination of labels"
        )
    return frame
