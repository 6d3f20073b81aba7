"""Reliability of a word list: is every set of one piece, and do scores agree over its words."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, cosine_similarity
from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_PROB
from .._core.random import Seed, as_seed_sequence
from .._core.resources import OWN_FRAMES
from ..embeddings.word_sets import WordVectors
from ..tables.descriptives import STEREOTYPES
from ..tables.schema import require_columns
from ..tables.wordlists import WordList
from .direct_bias import direct_bias_of
from .list_rows import ListRows, list_rows, selections
from .nas import nas_of
from .reliability import (
    FEWEST_CASES,
    FEWEST_ITEMS,
    alpha_of,
    covariances,
    internal_consistency,
    rater_agreement,
)
from .resampling import N_RESAMPLES
from .ripa import ripa_of
from .rnd import rnd_of
from .semaxis import semaxis_of
from .weam import psi_of

SETS = ("stereotypes", "protected words")
"""What the items of a list are; the cases are the others."""

_WORDS = ("protected_word", "attribute")


def list_consistency(
    table: pd.DataFrame,
    ci_prob: float = DEFAULT_CI_PROB,
    *,
    n_resamples: int = N_RESAMPLES,
    seed: Seed = None,
) -> pd.DataFrame:
    """Alpha and omega of every set of a list, and of sets mixed of all groups.

    Items are the stereotypes of a group, and cases all protected words; or items are the protected
    words of a group, and cases all stereotypes. The values are distances. Words that are near to
    everything make any set consistent. Therefore every set is held against as large ones drawn
    from all groups: a set that is no more consistent than these is no set of one group.

    Parameters
    ----------
    table : DataFrame
        The long-form table of one embedding.
    ci_prob, n_resamples, seed
        As `internal_consistency` takes them; as many mixed sets are drawn.

    Returns
    -------
    DataFrame
        ``items`` (``stereotypes`` or ``protected words``), ``group``, ``n_items``, ``n_cases``,
        ``alpha``, ``low``, ``high``, ``omega``, ``omega_low``, ``omega_high``, ``mixed`` (median
        alpha of mixed sets) and ``p_mixed`` (share of them with as high an alpha, the set itself
        among them). Cases without all distances are left out.

    Raises
    ------
    ValueError
        If a pair has several distances, as in tables of several embeddings, or no set has three
        words.

    Warns
    -----
    UserWarning
        If sets have fewer than three words, which have no row.

    References
    ----------
    Du, Fang and Nguyen (2021), EMNLP, have alpha of differences within pairs: see `scores_by_pair`.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> found = bb.list_consistency(table, seed=1)
    >>> found.query("items == 'protected words'")["alpha"].round(2).tolist()
    [0.94, 0.97, 0.94]
    """
    sequence = as_seed_sequence(seed)
    rng = np.random.default_rng(sequence)
    rows: list[dict[str, Any]] = []
    small: list[str] = []
    for items in SETS:
        values, groups = _values(table, items)
        every = covariances(values.to_numpy()[None])[0]
        for group, words in groups.items():
            if len(words) < FEWEST_ITEMS:
                small.append(f"{items} of {group}")
                continue
            found = internal_consistency(
                values[words], ci_prob, n_resamples=n_resamples, seed=sequence
            )
            mixed = _mixed_alphas(every, len(words), n_resamples, rng)
            higher = int((mixed >= found.alpha).sum())
            rows.append(
                {"items": items, "group": group}
                | {"n_items": found.n_items, "n_cases": found.n_cases, "alpha": found.alpha}
                | {"low": found.alpha_low, "high": found.alpha_high, "omega": found.omega}
                | {"omega_low": found.omega_low, "omega_high": found.omega_high}
                | {"mixed": float(np.nanmedian(mixed))}
                | {"p_mixed": (1 + higher) / (1 + n_resamples)}
            )
    if not rows:
        raise ValueError(f"no set of the table has {FEWEST_ITEMS} words or more")
    if small:
        warnings.warn(
            f"sets of fewer than {FEWEST_ITEMS} words have no row: {', '.join(small)}",
            skip_file_prefixes=OWN_FRAMES,
        )
    frame = pd.DataFrame(rows)
    frame.attrs = {"ci_prob": ci_prob, "seed": sequence.entropy}
    return frame


def list_items(table: pd.DataFrame, items: str, group: str) -> pd.DataFrame:
    """Distances of a set of a list as cases in rows and items in columns.

    Parameters
    ----------
    table : DataFrame
        The long-form table of one embedding.
    items : {"stereotypes", "protected words"}
    group : str

    Returns
    -------
    DataFrame
        (n_cases, n_items), for `internal_consistency`, whose ``items`` has alpha without each.

    Raises
    ------
    ValueError
        If a name is not known, or a pair has several distances.
    """
    values, groups = _values(table, items)
    if group not in groups:
        raise ValueError(unknown_name("group", group, groups))
    return values[groups[group]]


def score_agreement(
    vectors: WordVectors, wordlist: WordList, ci_prob: float = DEFAULT_CI_PROB
) -> pd.DataFrame:
    """Agreement of the scores of single words over the stereotypes of two groups.

    Every score is brought to mean 0 and sd 1, since scores have units of their own; ICC(3,1) is
    then the mean correlation of two scores.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    wordlist : WordList
        With stereotypes for every group.
    ci_prob : float

    Returns
    -------
    DataFrame
        As `rater_agreement` returns it, with words for cases and scores for raters, after
        ``groups``: one row a pair of groups and form, of consistency only. ``scores`` names them.

    Raises
    ------
    ValueError
        As `word_scores`, and if there are fewer than three words.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("gender")
    >>> found = bb.score_agreement(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> found[["form", "n_cases", "n_raters"]].values.tolist()
    [['ICC(3,1)', 25, 6], ['ICC(3,k)', 25, 6]]
    """
    frames = []
    for groups, values in word_scores(vectors, wordlist).items():
        found = rater_agreement((values - values.mean()) / values.std(), ci_prob)
        found = found[found["kind"] == "consistency"].drop(columns="kind")
        found.insert(0, "groups", ", ".join(groups))
        frames.append(found.assign(scores=", ".join(values.columns)))
    frame = pd.concat(frames, ignore_index=True)
    frame.attrs = {"ci_prob": ci_prob}
    return frame


def word_scores(vectors: WordVectors, wordlist: WordList) -> dict[tuple[str, str], pd.DataFrame]:
    """Scores of single stereotype words between two groups, positive towards the first.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    wordlist : WordList
        With stereotypes for every group.

    Returns
    -------
    dict of (str, str) to DataFrame
        By pair of groups, in the order of the list's ``groups``, one row a stereotype of either:
        ``weam`` (ψ, of which SAME's signed value is a multiple, so that it is not there), ``nas``,
        ``semaxis``, ``rnd`` with its sign turned; and, where groups form pairs, ``ripa`` and
        ``direct_bias``. The units differ.

    Raises
    ------
    ValueError
        If a group has no stereotypes, or a word is equally near to all protected words.
    """
    rows, _ = list_rows(vectors, wordlist)
    picked = (rows.of_groups(at) for at in selections(rows, "pair"))
    return {(some.groups[0], some.groups[1]): _word_scores(some) for some in picked}


def scores_by_pair(vectors: WordVectors, wordlist: WordList) -> dict[tuple[str, str], pd.DataFrame]:
    """Scores of single stereotype words by single pairs of protected words, cos(t, x) - cos(t, y).

    What words have in common with everything goes out in the difference. `internal_consistency` of
    a frame says whether the pairs are of one piece, and of its transpose whether the words are.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    wordlist : WordList
        With stereotypes for every group, and groups whose words form pairs by their places.

    Returns
    -------
    dict of (str, str) to DataFrame
        By pair of groups (n_words, n_pairs), in [-2, 2], positive towards the first word of a pair;
        columns are called ``first - second``. Of the two groups of a key the one that comes first
        in the list's ``groups`` is first; the values of the other order are the negative ones.

    Raises
    ------
    ValueError
        If groups are of different size, or no pair has both its words.

    References
    ----------
    Du, Fang and Nguyen (2021), EMNLP: DB/WA, the first of their scoring rules.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("gender")
    >>> vectors = bb.load_vectors("glove-demo", wordlist)
    >>> scores = bb.scores.scores_by_pair(vectors, wordlist)["man", "woman"]
    >>> round(bb.scores.internal_consistency(scores, seed=1).alpha, 2)
    0.9
    """
    rows, _ = list_rows(vectors, wordlist)
    found = {}
    for at in selections(rows, "pair"):
        some = rows.of_groups(at)
        pairs = some.defining_sets
        cosines = [cosine_similarity(some.targets, pairs[:, side]) for side in range(2)]
        names = [" - ".join(words) for words in some.defining_words]
        frame = pd.DataFrame(cosines[0] - cosines[1], index=_targets(some), columns=names)
        found[some.groups[0], some.groups[1]] = frame[~frame.index.duplicated()]
    return found


def _targets(rows: ListRows) -> list[str]:
    return [word for words in rows.stereotype_words for word in words]


def _word_scores(rows: ListRows) -> pd.DataFrame:
    targets, (first, second) = rows.targets, rows.protected
    made = {
        "weam": psi_of(targets, first, second),
        "nas": nas_of(targets, first, second).effect_size,
        "semaxis": semaxis_of(targets, first, second).position,
        "rnd": -rnd_of(first, second, targets).per_attribute,
    }
    if rows.defining is not None and len(rows.defining):
        pairs = rows.defining
        made["ripa"] = ripa_of(targets, pairs[:, 0], pairs[:, 1]).per_target
        made["direct_bias"] = direct_bias_of(targets, list(pairs)).components[:, 0]
    frame = pd.DataFrame(made, index=_targets(rows))
    return frame[~frame.index.duplicated()]


def _values(table: pd.DataFrame, items: str) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """Distances of complete cases, (n_cases, n_items), and the items of every group."""
    if items not in SETS:
        raise ValueError(unknown_name("set of items", items, SETS))
    require_columns(table, (*_WORDS, "protected_group", "connection", "cosine_distance"))
    stereotypes = table[table["connection"].isin(STEREOTYPES)]
    pairs = stereotypes.drop_duplicates([*_WORDS, "cosine_distance"])
    if pairs.duplicated(list(_WORDS)).any():
        word, attribute = pairs.loc[pairs.duplicated(list(_WORDS)), list(_WORDS)].iloc[0]
        raise ValueError(
            f"{word} and {attribute} have several distances; pass one embedding, one training and "
            "one context at a time"
        )
    wide = pairs.pivot(index="protected_word", columns="attribute", values="cosine_distance")
    column = "attribute" if items == "stereotypes" else "protected_word"
    values = (wide if column == "attribute" else wide.T).dropna()
    if len(values) < FEWEST_CASES:
        raise ValueError(
            f"{len(values)} cases have their distances to all {items}; {FEWEST_CASES} are needed"
        )
    own = stereotypes[stereotypes["connection"] == "associated"]
    groups = own.groupby("protected_group", sort=False, observed=True)[column].unique()
    return values, {str(group): list(map(str, words)) for group, words in groups.items()}


def _mixed_alphas(
    covariance: FloatArray, size: int, n: int, rng: np.random.Generator
) -> FloatArray:
    """Alpha of n sets of that size out of all items, (n,)."""
    picks = rng.permuted(np.tile(np.arange(len(covariance)), (n, 1)), axis=1)[:, :size]
    return alpha_of(covariance[picks[:, :, None], picks[:, None, :]])
