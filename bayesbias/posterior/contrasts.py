"""Differences between connections, with their certainty and their practical importance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.arrays import FloatArray
from .._core.checks import check_choice
from .._core.intervals import (
    DEFAULT_CI_KIND,
    DEFAULT_CI_PROB,
    ERROR_SHARE,
    describe_draws,
    describe_mixtures,
)
from .._core.random import Seed, as_seed_sequence
from ..model.tree import design_of, labels, n_draws, spec_of, spread_of, stacked
from ..sampling.collapsed import moments
from ..sampling.exact import sample_exact, shared_effects
from ..sampling.options import ROPE_SHARE, check_rope
from ..sampling.parameters import parameters_of
from ..sampling.reduction import Collapsed, collapse
from ..tables.levels import GROUP, LEVEL_COLUMNS, OVERALL, WORD
from .estimands import (
    DOUBLE,
    RELATIVE,
    WITHIN,
    compares_stereotypes,
    has_cells,
    pair_gaps,
    pair_names,
    population_gaps,
    shared_gaps,
)
from .facets import Facets, facet_effects
from .summaries import carry_warnings, labeled, level_means, levels_of

if TYPE_CHECKING:
    from xarray import DataTree

BETWEEN = ("connections", "groups")
"""Names of the things that `contrasts` can compare."""


type Reading = dict[str, Any]
"""Settings for describing draws of differences: ``ci_prob``, ``rope``, and ``ci_kind``."""


def reading_of(tree: DataTree, ci_prob: float, rope: float | None, ci_kind: str) -> Reading:
    """Return a `Reading`; `rope` defaults to `ROPE_SHARE` times the sd of stereotype distances."""
    if rope is None:
        rope = ROPE_SHARE * spread_of(tree)
    check_rope(rope)
    return {"ci_prob": ci_prob, "rope": rope, "ci_kind": ci_kind}


def contrasts(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float | None = None,
    ci_kind: str = DEFAULT_CI_KIND,
    over: str = "population",
    *,
    between: str | Facets = "connections",
    named: str | Sequence[str] = (),
    seed: Seed = None,
) -> pd.DataFrame:
    """Compute posterior differences in mean distance between connections, at every level.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    ci_prob : float
        Probability of the intervals, in (0, 1).
    rope : float, optional
        Half-width of the region of practical equivalence, as a distance. The default is .15 times
        the sd of stereotype distances. ``.attrs["rope"]`` stores the half-width.
    ci_kind : {"hdi", "eti"}
        Highest-density or equal-tailed intervals.
    over : {"population", "listed"}
        Whether to average over all words and attributes like those listed, or only over the listed
        ones. If a model has no group means, a group's mean is the average of its listed words.
        With ``listed``, a difference also reflects how close an attribute or set is to all groups.
    between : {"connections", "groups"} or mapping of str to mapping of str to str
        Whether to compare connections, such as *associated* with *different*, or to compare these
        differences between groups. For facet effects, pass the groups' labels by facet.
    named : str or sequence of str
        Protected words that you chose beforehand; only these words have rows. A model treats part
        of a word's deviation as chance, which is right if you pick the most striking of many words.
        Each `named` word instead gets a separate fit, which does not shrink the word's effects
        toward those of other words. The model must be Normal.
    seed : int, SeedSequence, Generator, or None
        Seed for fits of named words. None draws a fresh seed, which ``.attrs["seed"]`` records.

    Returns
    -------
    DataFrame
        One row per level and pair: ``level``, ``protected_group``, ``protected_word``, ``first``,
        ``second``, ``estimand``, then ``mean``, ``sd``, ``low``, and ``high`` of first - second;
        ``p_direction``, the probability of the median's sign, in [.5, 1]; ``p_rope``, the
        probability that the size of the difference is below `rope`; and, for words, ``p_most``, the
        probability that no other word has a difference farther from zero. If a difference is
        negative, the first connection is closer to the protected words. For differences between
        groups, each pair of groups and pair of connections has one row: the group's difference
        minus that of ``other_group``. For facets, each effect and pair of connections has one row,
        main effects first, with ``facets`` (such as ``gender``) and ``contrast`` (``women − men``).

    Raises
    ------
    ValueError
        If there is only one connection or, for differences between groups, only one group.

    Notes
    -----
    ``estimand`` has three values. ``double difference`` is the distance to own sets minus that to
    other sets, over all groups. ``relative`` is a group's distance to its own sets minus that of
    the other groups, minus the same difference for controls. Without controls, it needs a set that
    is different for both groups. ``within`` compares two connections within the group, or overall.
    It applies to all group and word rows with ``over="listed"`` or for models without group means.

    For Normal models with ``over="population"``, overall rows depend little on the seed; if the
    model has group means, so do group rows. These rows come from the exact distribution of the
    contrast given the standard deviations, averaged over draws of these deviations (Rao-Blackwell).

    Examples
    --------
    >>> frame = bb.contrasts(post)
    >>> overall = frame.query("level == 'overall' and first == 'associated'")
    >>> overall[["second", "mean", "low", "high"]].round(2)
          second  mean   low  high
    0  different -0.04 -0.09  0.01
    1    neutral -0.07 -0.17  0.03
    2      human  0.05 -0.06  0.15
    """
    if isinstance(between, str):
        check_choice("value of between", between, BETWEEN)
    reading, names = reading_of(tree, ci_prob, rope, ci_kind), labels(tree, "connection")
    if named:
        return _of_named_words(tree, [named] if isinstance(named, str) else named, reading, seed)
    levels, gaps, estimands = contrast_draws(tree, over)
    groups = levels.loc[levels["level"] == GROUP, "protected_group"].tolist()
    if between == "connections":
        frame = describe_gaps(gaps, names, levels, reading, estimands)
        if over == "population":
            use_moments(frame, tree, reading)
        is_word = (levels["level"] == WORD).to_numpy()
        frame.loc[frame["level"] == WORD, "p_most"] = _probability_of_most(gaps[:, is_word])
    elif isinstance(between, str):
        if len(groups) < 2:
            raise ValueError(f"the table has only the group {groups[0]}; use two or more groups")
        pairs = pd.DataFrame(combinations(groups, 2), columns=["protected_group", "other_group"])
        one, other = 1 + np.stack(np.triu_indices(len(groups), 1))
        apart = gaps[:, one] - gaps[:, other]
        frame = describe_gaps(apart, names, pairs, reading, estimands[one])
        if over == "population" and has_cells(spec_of(tree)):
            use_moments(frame, tree, reading, lambda weights: weights[:, one] - weights[:, other])
    else:
        effects, draws = facet_effects(groups, gaps[:, 1 : 1 + len(groups)], between)
        of_groups = np.tile(estimands[1], (len(effects), 1))
        frame = describe_gaps(draws, names, effects, reading, of_groups)
    return carry_warnings(frame, tree)


def _of_named_words(
    tree: DataTree, words: Sequence[str], reading: Reading, seed: Seed
) -> pd.DataFrame:
    """Describe contrasts of words, each fitted without pooling (Gelman and Hill, 2007, ch. 12)."""
    design, spec, sequence = design_of(tree), spec_of(tree), as_seed_sequence(seed)
    if spec.likelihood != "normal":
        raise ValueError(f"contrasts of named words need a Normal model, not {spec.likelihood}")
    draws, rows = [], []
    for name, child in zip(words, sequence.spawn(len(words)), strict=True):
        check_choice("protected word", name, design.words)
        word = design.words.index(name)
        alone = collapse(design, spec, unpooled=word)
        values = sample_exact(alone, n_draws(tree), default_rng(child)).values
        draws.append(pair_gaps(values["word_mean"][:, word]))
        rows.append((WORD, design.groups[design.word_group[word]], name))
    gaps, levels = np.stack(draws, axis=1), pd.DataFrame(rows, columns=list(LEVEL_COLUMNS))
    estimands = np.full(gaps.shape[1:], WITHIN, dtype=object)
    frame = describe_gaps(gaps, design.connections, levels, reading, estimands)
    frame.attrs["seed"] = sequence.entropy
    return carry_warnings(frame, tree)


def contrast_draws(tree: DataTree, over: str) -> tuple[pd.DataFrame, FloatArray, np.ndarray]:
    """Return labels from `levels_of`, draws of the contrasts, and the names of their estimands.

    The (n_draws, n_levels, n_pairs) draws are NaN for contrasts that the table does not identify.
    The names form an (n_levels, n_pairs) array.
    """
    design, spec = design_of(tree), spec_of(tree)
    if over == "population":
        levels, gaps = levels_of(tree), population_gaps(design, spec, partial(stacked, tree))
    else:
        levels, means = level_means(tree, over)
        gaps = pair_gaps(means)
    estimands = np.full(gaps.shape[1:], WITHIN, dtype=object)
    if compares_stereotypes(design):
        estimands[levels["level"] == OVERALL, 0] = DOUBLE
        if over == "population" and has_cells(spec):
            estimands[1:, 0] = RELATIVE
    return levels, gaps, estimands


def contrast_weights(posterior: Collapsed) -> FloatArray:
    """Return (n_shared, n_levels, n_pairs) weights of the shared effects in `shared_gaps`."""
    values = shared_effects(posterior, np.eye(len(posterior.layout.shared_parameter)))
    return shared_gaps(posterior.design, posterior.spec, values.__getitem__)


def use_moments(
    frame: pd.DataFrame,
    tree: DataTree,
    reading: Reading,
    choose: Callable[[FloatArray], FloatArray] = np.asarray,
) -> None:
    """Describe the first rows of a frame by their exact distribution given the sds.

    The rows are linear functions of the shared effects of a Normal model. `choose` derives their
    weights from `contrast_weights`; weights are NaN for missing rows. Given the sds, each row is
    Normal. The result is an average over draws of the sds (Rao-Blackwell), so it depends little on
    the seed. Rows of other models, and rows before or after a change, are summaries of draws.
    """
    if spec_of(tree).likelihood != "normal" or "sigma" not in tree["posterior"]:
        return
    posterior = collapse(design_of(tree), spec_of(tree))
    weights = choose(contrast_weights(posterior))
    weights = weights.reshape(len(weights), -1)
    weights = weights[:, ~np.isnan(weights[0])]
    sds = {block.name: stacked(tree, block.name) for block in posterior.blocks}
    means, variances = moments(posterior, parameters_of(posterior.blocks, sds), weights)
    exact = describe_mixtures(means[..., 0], np.sqrt(variances), **reading)
    frame.loc[: len(exact) - 1, exact.columns] = exact
    frame.attrs["error_share"] = ERROR_SHARE


def _probability_of_most(gaps: FloatArray) -> FloatArray:
    """Return the share of draws in which each word's difference is farthest from zero.

    Gaps are (n_draws, n_words, n_pairs); a gap that is not identified is NaN. Shares are returned
    word by word, only for identified gaps. Tied words share a draw equally.
    """
    identified = np.isfinite(gaps[0])
    sizes = np.where(identified, abs(gaps), -1.0)
    is_most = sizes == sizes.max(axis=1, keepdims=True)
    shares = (is_most / is_most.sum(axis=1, keepdims=True)).mean(axis=0)
    return np.asarray(shares[identified])


def describe_gaps(
    gaps: FloatArray,
    names: Sequence[str],
    things: pd.DataFrame,
    reading: Reading,
    estimands: np.ndarray | None = None,
) -> pd.DataFrame:
    """Describe (n_draws, n_things, n_pairs) differences between all pairs of names.

    Each row has its labels, ``first``, ``second``, and the columns of `compare_draws`. Differences
    that the table does not identify have no row.
    """
    identified = np.isfinite(gaps[0]).ravel()
    frame = compare_draws(np.where(identified, gaps.reshape(len(gaps), -1), 0.0), **reading)
    if estimands is not None:
        frame.insert(0, "estimand", estimands.ravel())
    frame = labeled(frame, things, **pair_names(names))
    return frame if identified.all() else frame[identified].reset_index(drop=True)


def compare_draws(
    differences: FloatArray, ci_prob: float, rope: float, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Describe (n_draws, n) differences, with their ``p_direction`` and ``p_rope``."""
    frame = describe_draws(differences, ci_prob, ci_kind)
    above = (differences > 0).mean(axis=0) + 0.5 * (differences == 0).mean(axis=0)
    frame["p_direction"] = pd.Series(above).clip(lower=1 - above)
    frame["p_rope"] = (abs(differences) < rope).mean(axis=0)
    frame.attrs["rope"] = rope
    return frame
