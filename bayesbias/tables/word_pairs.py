"""Describe the distances of a list pair by pair: deviations, means of blocks, and leans of words.

These frames show the raw data behind a contrast. They contain no model and no uncertainty.
"""

from __future__ import annotations

import pandas as pd

from .schema import STEREOTYPES

WORD, GROUP, SET = "protected_word", "protected_group", "attribute_set"


def word_pairs(table: pd.DataFrame) -> pd.DataFrame:
    """Return each pair of a protected word and a stereotype, with its deviation from both means.

    Parameters
    ----------
    table : DataFrame
        A valid long-form table. The distances of repeated pairs, such as in contexts, are averaged.

    Returns
    -------
    DataFrame
        ``protected_word``, ``protected_group``, ``attribute``, ``attribute_set``, ``own`` (whether
        the attribute is a stereotype of the word's group), ``cosine_distance``, and ``deviation``:
        word mean + attribute mean − mean − distance. A pair with a positive deviation is closer
        than both words suggest. Groups and sets have equal weights in the means, so deviations
        cannot rank two groups.

    Examples
    --------
    >>> import bayesbias as bb
    >>> from bayesbias.tables.word_pairs import word_pairs
    >>> pairs = word_pairs(bb.distance_table("glove-demo", "religion"))
    >>> pairs.nlargest(1, "deviation")[["protected_word", "attribute", "deviation"]].round(2)
       protected_word     attribute  deviation
    67      christian  conservative       0.24
    """
    kinds = table["connection"].astype(str)
    rows = table[kinds.isin(STEREOTYPES)].assign(own=kinds == STEREOTYPES[0])
    keys = [WORD, GROUP, "attribute", SET]
    rows = rows.assign(**{key: rows[key].astype(str) for key in keys})
    pairs = rows.groupby(keys, sort=False).agg(
        own=("own", "any"), cosine_distance=("cosine_distance", "mean")
    )
    pairs = pairs.reset_index()
    of_word = _balanced(pairs, WORD, SET)
    of_attribute = _balanced(pairs, "attribute", GROUP)
    groups = pairs.drop_duplicates(WORD).set_index(WORD)[GROUP]
    whole = of_word.groupby(groups).mean().mean()
    expected = pairs[WORD].map(of_word) + pairs["attribute"].map(of_attribute) - whole
    return pairs.assign(deviation=expected - pairs["cosine_distance"])


def _balanced(pairs: pd.DataFrame, of: str, within: str) -> pd.Series:
    """Return each word's mean distance, in which the sets or groups have equal weights."""
    parts = pairs.groupby([of, within], sort=False)["cosine_distance"].mean()
    return parts.groupby(level=0, sort=False).mean()


def block_means(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean distance and deviation of every group with every set of stereotypes.

    The means of a set are over the attributes that all groups have in it. A stereotype that groups
    share is in another set for each of them.
    """
    of_attributes = pairs.groupby([SET, "attribute"], sort=False)[GROUP].transform("nunique")
    of_sets = pairs.groupby(SET, sort=False)[GROUP].transform("nunique")
    compared = pairs[of_attributes == of_sets]
    blocks = compared.groupby([GROUP, SET], sort=False).agg(
        own=("own", "any"),
        cosine_distance=("cosine_distance", "mean"),
        deviation=("deviation", "mean"),
    )
    return blocks.reset_index()


def lean_changes(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the lean of each stereotype word before and after, most leaning first in each set.

    A lean is how much closer an attribute is to a group's words than to those of other groups: the
    mean distance of the other groups minus that of the group. If there are three or more groups,
    only leans toward a stereotype's own group are returned. If there are two, only those toward the
    first group are, because leans toward the second differ in sign alone.

    Parameters
    ----------
    pairs : DataFrame
        The rows that two tables share, with the distances ``before`` and ``after``.

    Returns
    -------
    DataFrame
        ``protected_group``, ``attribute``, ``attribute_set``, ``connection``, the leans ``before``
        and ``after``, and ``toward``: how far a word moved in the stereotyped direction.
    """
    keys, ends = [GROUP, "attribute", SET, "connection"], ["before", "after"]
    rows = pairs.assign(**{key: pairs[key].astype(str) for key in keys})
    rows = rows[rows["connection"].isin(STEREOTYPES)]
    means = rows.groupby(keys, sort=False)[ends].mean().reset_index()
    groups = pairs[GROUP].astype(str).unique()
    own = means["connection"] == STEREOTYPES[0]
    if len(groups) == 2:
        leaning, others = means[means[GROUP] == groups[0]], means
    else:
        leaning, others = means[own], means[~own]
    both = leaning.merge(others, on=keys[1:3], suffixes=("", "_other"))
    both = both[both[GROUP] != both[f"{GROUP}_other"]]
    both = both.assign(**{end: both[f"{end}_other"] - both[end] for end in ends})
    leans: pd.DataFrame = both.groupby(keys, sort=False)[ends].mean().reset_index()
    moved = leans["after"] - leans["before"]
    leans = leans.assign(toward=moved.where(leans["connection"] == STEREOTYPES[0], -moved))
    place = leans[SET].map({name: at for at, name in enumerate(dict.fromkeys(leans[SET]))})
    leans = leans.assign(_place=place, _size=-leans["before"].abs())
    ordered = leans.sort_values(["_place", "_size"], kind="stable")
    return ordered.drop(columns=["_place", "_size"]).reset_index(drop=True)
