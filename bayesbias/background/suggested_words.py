"""Candidates for a longer list: what one more word would gain, and which words come in question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import check_numbers
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from ..model.tree import design_of, spec_of
from ..posterior.influence import contrast_weights, some_parameters
from ..sampling.collapsed import mean_moments
from ..sampling.reduction import collapse
from .pool import Pool, draw_pool

if TYPE_CHECKING:
    from xarray import DataTree

    from ..model.design import Design
    from .psi_of_source import Source

DRAWS = 25
"""Draws of the sds that widths are averaged over."""

VOCABULARY = 20_000
"""The most frequent words, among which candidates are looked for."""


def suggest_words(
    vectors: Source,
    tree: DataTree,
    n: int = 5,
    *,
    first: str = "associated",
    second: str = "different",
    vocabulary: int = VOCABULARY,
    ci_prob: float = DEFAULT_CI_PROB,
    case: str = "exact",
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> pd.DataFrame:
    """Suggest words that would make the interval of the overall contrast narrower.

    Parameters
    ----------
    vectors
        An embedding to look in, as for `matched_controls`.
    tree : DataTree
        A posterior of a Normal model, from `fit`.
    n : int
        Candidates for each group and each set.
    first, second : str
        Connections; the contrast is first - second.
    vocabulary : int
        How many of the most frequent words are looked at.
    ci_prob : float
        Probability of the interval, in (0, 1).
    case, allow_pickle, progressbar
        As for `load_vectors`.

    Returns
    -------
    DataFrame
        ``factor`` (protected_word or attribute), ``of`` (its group or set), ``candidate``, its
        frequency ``rank``, ``similarity`` (mean cosine with the words that the group or set has,
        in [-1, 1]), ``width`` of the interval now and ``width_with`` one more word there,
        distances, and ``reason``. What gains most comes first, then what is most similar.

    Raises
    ------
    ValueError
        If a connection is unknown, the model is not Normal, or the embedding lacks all words of a
        group or set.

    Notes
    -----
    Nothing is added to a list: a person decides whether a candidate belongs to a group or is a
    stereotype of it. To the model the words of a set are exchangeable, so that every new one gains
    as much. Candidates are those words that are nearer to the set's own than to those of any other.
    How near they are to protected words is not looked at, nor may it be: whoever chooses attributes
    by that chooses the contrast.

    Examples
    --------
    >>> import bayesbias as bb
    >>> words = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", words), words)
    >>> found = bb.suggest_words("glove-demo", bb.fit(table, seed=1), n=1)
    >>> bool((found["width_with"] < found["width"]).all())
    True
    """
    check_numbers(n=n, vocabulary=vocabulary)
    from scipy.stats import norm

    weights = contrast_weights(tree, first, second)
    design = design_of(tree)
    spec = spec_of(tree).fitting(design)
    parameters = some_parameters(tree, collapse(design, spec), DRAWS)
    both = 2 * norm.ppf((1 + check_probability(ci_prob)) / 2)

    def width(planned: Design) -> float:
        variance = mean_moments(collapse(planned, spec), parameters, weights)[1]
        return float(both * np.sqrt(variance).mean())

    pool = draw_pool(
        vectors,
        (*design.words, *design.attributes),
        case=case,
        ranks=(0, vocabulary),
        size=vocabulary,
        rng=default_rng(0),  # all of these words are kept
        allow_pickle=allow_pickle,
        progressbar=progressbar,
    )
    letters = np.array([word.isalpha() for word in pool.words])
    unit, now, rows = unit_rows(pool.vectors), width(design), []
    for factor, names, members in _sides(design):
        near = np.column_stack([unit @ _centre(pool, of, own) for of, own in members.items()])
        rivals = (
            np.partition(near, -2, axis=1)[:, -2] if len(members) > 1 else np.full(len(near), -2)
        )
        for at, (of, own) in enumerate(members.items()):
            gained = width(with_another(design, factor, names.index(own[0])))
            reason = (
                f"one more word of {of} makes the interval {1 - gained / now:.1%} narrower; "
                f"near to {', '.join(own[:3])}"
            )
            nearest = np.flatnonzero(letters & (near[:, at] > rivals))
            for row in nearest[np.argsort(-near[nearest, at])][:n]:
                found = pool.words[row], int(pool.ranks[row]), float(near[row, at])
                rows.append((factor, of, *found, now, gained, reason))
    columns = ["factor", "of", "candidate", "rank", "similarity", "width", "width_with", "reason"]
    frame = pd.DataFrame(rows, columns=columns)
    frame = frame.sort_values(
        ["width_with", "of", "similarity"], ascending=[True, True, False], ignore_index=True
    )
    frame.attrs = {"first": first, "second": second, "ci_prob": ci_prob}
    return frame


def with_another(design: Design, factor: str, like: int) -> Design:
    """Return a design with one more word, or one more attribute, that has the pairs of another.

    Variances do not depend on the distances, which are those of the other again.
    """
    word = factor == "protected_word"
    index = design.word if word else design.attribute
    own = np.flatnonzero(index == like)
    longer = design.take(np.concatenate([np.arange(len(index)), own]))
    names = design.words if word else design.attributes
    codes = np.concatenate([index, np.full(len(own), len(names))])
    names = (*names, f"another like {names[like]}")
    if word:
        return replace(
            longer,
            words=names,
            word=codes,
            word_group=np.append(design.word_group, design.word_group[like]),
            word_cosines=np.zeros((0, 0)),
        )
    kinds = np.append(design.attribute_kind, design.attribute_kind[like])
    return replace(longer, attributes=names, attribute=codes, attribute_kind=kinds)


def _sides(design: Design) -> Iterator[tuple[str, tuple[str, ...], dict[str, list[str]]]]:
    """Iterate over factors: their names, and which of them each group or set has."""
    groups: dict[str, list[str]] = {group: [] for group in design.groups}
    for word, group in zip(design.words, design.word_group, strict=True):
        groups[design.groups[group]].append(word)
    yield "protected_word", design.words, groups
    if design.sets:
        sets: dict[str, list[str]] = {each: [] for each in design.sets}
        stands = np.flatnonzero(design.set >= 0)
        pairs = np.unique(np.column_stack([design.set[stands], design.attribute[stands]]), axis=0)
        for place, attribute in pairs.tolist():
            sets[design.sets[place]].append(design.attributes[attribute])
        yield "attribute", design.attributes, sets


def _centre(pool: Pool, of: str, words: Sequence[str]) -> FloatArray:
    """Return the mean unit vector of the words that the embedding has, (n_dims,)."""
    found = [pool.found[word] for word in words if word in pool.found]
    if not found:
        raise ValueError(
            f"the embedding has none of the words of {of!r}, so that none are like them"
        )
    return unit_rows(np.array(found)).mean(axis=0)
