"""Differences between connections, with their certainty and their practical importance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.random import SeedSequence, default_rng

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError, check_choice, check_once
from .._core.display import stages
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, mixture_quantiles
from .._core.random import Seed, as_seed_sequence
from .._core.warnings import warn
from ..model.frequency import frequency_of
from ..model.tree import DataTree, design_of, labels, n_draws, spec_of
from ..sampling.exact import sample_exact
from ..sampling.reduction import collapse
from ..tables.descriptives import default_rows
from ..tables.levels import GROUP, LEVEL_COLUMNS, WORD
from ..warnings import NoGroupContrast
from .attributes import attribute_draws
from .estimands import (
    compares_stereotypes,
    double_weights,
    estimand_names,
    groups_without_contrast,
    has_cells,
    pair_gaps,
    pair_names,
    population_gaps,
    slope_errors,
    with_slope_errors,
)
from .facets import Facets, facet_effects
from .mixtures import Choice, mixtures, use_moments
from .summaries import (
    Column,
    Reading,
    compare_draws,
    describe_gaps,
    is_exact,
    level_means,
    levels_of,
    listed_cells,
    mean_draws,
    reading_of,
    reads_posterior,
)

BETWEEN = ("connections", "groups")
"""Names of the things that `contrasts` can compare."""

OF = ("protected_word", "attribute")
"""Single words that `contrasts` can have rows for."""


@reads_posterior
def contrasts(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float | None = None,
    ci_kind: str = DEFAULT_CI_KIND,
    over: str = "population",
    *,
    of: str = "protected_word",
    between: str | Facets = "connections",
    named: str | Sequence[str] = (),
    seed: Seed = None,
) -> pd.DataFrame:
    """Compute posterior differences in mean distance between connections, at every level.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`, or a result that contains one, such as that of `bb.analyze`. All
        functions that describe posteriors take both.
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
        With ``listed``, differences of groups and words also reflect how close an attribute or set
        is to all groups.
    of : {"protected_word", "attribute"}
        Whether to end with a row for every protected word, or to return a row for each group and
        each of its stereotypes instead; other options than those above do not apply to these.
    between : {"connections", "groups"} or mapping of str to mapping of str to str
        Whether to compare connections, such as *associated* with *different*, or to compare these
        differences between groups. For facet effects, pass the groups' labels by facet.
    named : str or sequence of str
        Protected words that you chose beforehand; only these words have rows. A model treats part
        of a word's deviation as chance, which is right if you pick the most striking of many words.
        Each `named` word instead gets a separate fit, which does not shrink the word's effects
        toward those of other words. Several words are also fitted together, for the probability
        that all signs are right. The model must be Normal.
    seed : int, SeedSequence, Generator, or None
        Seed for fits of named words. None draws a fresh seed, which ``.attrs["seed"]`` records.

    Returns
    -------
    DataFrame
        One row per level and pair: ``level``, ``protected_group``, ``protected_word``, ``first``,
        ``second``, ``estimand``, ``frequency``, then ``mean``, ``sd``, ``low``, and ``high`` of
        first - second; ``p_direction``, the probability of the median's sign, in [.5, 1];
        ``p_rope``, the probability that the size of the difference is below `rope`, and
        ``p_rope_ceiling``, the largest value it can have at this sd (if it is low, the data cannot
        show that a difference is negligible); and, for words, ``p_most``, the probability that no
        other word has a difference farther from zero. For `named` words, ``p_all_signs`` is the
        probability that all of them have the sign of their median. If a difference is
        negative, the first connection is closer to the protected words. For differences between
        groups, each pair of groups and pair of connections has one row: the group's difference
        minus that of ``other_group``. For facets, each effect and pair of connections has one row,
        main effects first, with ``facets`` (such as ``gender``) and ``contrast`` (``women − men``).
        For attributes, see the notes.

    Raises
    ------
    ValueError
        If there is only one connection or, for differences between groups, only one group.

    Warns
    -----
    NoGroupContrast
        If a group has own stereotypes, but no row that compares them with others, although other
        groups have such rows.

    Notes
    -----
    ``estimand`` is ``double difference`` (overall), ``plain difference`` (overall, with only one
    set or group), ``relative`` (groups, if there are three), or ``within``.
    `bayesbias.posterior.estimands` has their formulas. ``within`` includes how close
    each set is to all groups; it applies to comparisons with controls, to groups in a list of two,
    to models without group means, and to groups and words with ``over="listed"``. Overall
    comparisons with controls are averages over the groups that have both connections; a group or
    word without rows of a connection has no row. ``default_rows`` selects the rows that reports
    show.

    ``frequency`` is ``equal`` if distances were moved to equal word frequency
    (`bayesbias.model.frequency`), which needs ranks and matched controls; otherwise, it is the
    reason why they were not.

    For Normal models with ``over="population"``, overall rows depend little on the seed; if the
    model has group means, so do group rows. These rows come from the exact distribution of the
    contrast given the standard deviations, averaged over draws of these deviations (Rao-Blackwell).

    With ``of="attribute"``, a row is about one stereotype and the group that it belongs to: how
    much closer the word is to this group than to the others, in terms of the group's ``estimand``
    (the overall one, if groups have none). Groups that share the stereotype are not among the
    others, so a stereotype of all groups has no row. Columns are ``protected_group``,
    ``attribute_set``, ``attribute``, ``estimand``, ``frequency``, ``raw``, and those from ``mean``
    to ``p_rope_ceiling``. Contrasts of several groups are drawn toward each other here, as far as
    they agree, because otherwise each group is a chance of a wrong sign. A group's own row is not,
    so with three or more groups, it is not the average of these rows.
    ``raw`` is the plain difference in mean measured distance to the word, own group minus others,
    and includes how far the group is from all words. The surest sign comes
    first, and ``all_right`` is the probability that all signs down to a row are right.

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
    if not isinstance(between, Mapping):
        check_choice("value of between", between, BETWEEN)
    check_choice("value of of", of, OF)
    words = [named] if isinstance(named, str) else named
    if not isinstance(words, Iterable):
        text = f" must be a protected word or a list of them; got {named!r}"
        raise ArgumentError(Argument("named"), text)
    words = [*words]
    reading, names = reading_of(tree, ci_prob, rope, ci_kind), labels(tree, "connection")
    _warn_of_lacking(tree, over, words)
    is_other = between != "connections" or over != "population"
    if of == "attribute":
        if words or is_other:
            raise ValueError("rows of attributes cannot be combined with named, between, or over")
        return _of_attributes(tree, reading)
    if words:
        if is_other:
            raise ValueError("rows of named words cannot be combined with between or over")
        return _of_named_words(tree, words, reading, seed)
    levels, gaps, estimands = contrast_draws(tree, over)
    groups = levels.loc[levels["level"] == GROUP, "protected_group"].tolist()
    choose: Choice | None = np.asarray
    if between == "connections":
        things, draws = levels, gaps
    elif isinstance(between, str):
        if len(groups) < 2:
            raise ValueError(f"the table has only the group {groups[0]}; use two or more groups")
        things = pd.DataFrame(combinations(groups, 2), columns=["protected_group", "other_group"])
        one, other = 1 + np.stack(np.triu_indices(len(groups), 1))
        draws, estimands = gaps[:, one] - gaps[:, other], estimands[one]
        is_pooled = has_cells(spec_of(tree))
        choose = (lambda of: of[:, one] - of[:, other]) if is_pooled else None
    else:
        things, draws = facet_effects(groups, gaps[:, 1 : 1 + len(groups)], between)
        estimands, choose = np.tile(estimands[1], (len(things), 1)), None
    frame = describe_gaps(draws, names, things, reading, **_about(tree, estimands))
    if choose is not None and over == "population":
        use_moments(frame, tree, reading, choose)
    if between == "connections":
        is_word = (levels["level"] == WORD).to_numpy()
        frame.loc[frame["level"] == WORD, "p_most"] = _probability_of_most(gaps[:, is_word])
    return frame


def contrast_quantiles(tree: DataTree, n: int = 100) -> pd.DataFrame:
    """Return n equally likely values of each default row, for dot plots.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    n : int
        Number of values for each row.

    Returns
    -------
    DataFrame
        ``level``, ``protected_group``, and ``estimand`` identify a default row of `contrasts`.
        ``probability`` is (i - 1/2) / n, and ``value`` is the quantile of the distribution from
        which `contrasts` computes ``p_direction``.

    Examples
    --------
    >>> dots = contrast_quantiles(post, 20)
    >>> int((dots.query("level == 'overall'")["value"] < 0).sum())
    18
    """
    (keys, draws), probability = default_draws(tree), (np.arange(n) + 0.5) / n
    if is_exact(tree) and len(keys):
        means, sds = mixtures(tree)
        columns = keys.index * len(pair_names(labels(tree, "connection"))["first"])
        values = mixture_quantiles(means[:, columns], sds[:, columns], probability)
    else:
        values = np.quantile(draws, probability, axis=0)
    rows = keys.loc[keys.index.repeat(n), ["level", "protected_group", "estimand"]]
    frame = rows.reset_index(drop=True)
    return frame.assign(probability=np.tile(probability, len(keys)), value=values.T.ravel())


def default_draws(tree: DataTree) -> tuple[pd.DataFrame, FloatArray]:
    """Return labels and (n_draws, n_rows) draws of the default rows; the index is the level."""
    levels, gaps, estimands = contrast_draws(tree, "population")
    first = {end: names[0] for end, names in pair_names(labels(tree, "connection")).items()}
    keys = default_rows(levels.assign(**first, estimand=estimands[:, 0]))
    keys = keys[np.isfinite(gaps[0, keys.index, 0])]
    return keys, gaps[:, keys.index, 0]


def _warn_of_lacking(tree: DataTree, over: str, words: Sequence[str]) -> None:
    lacking = groups_without_contrast(design_of(tree), spec_of(tree))
    if lacking and not words and over == "population":
        warn(NoGroupContrast(lacking))


def _about(tree: DataTree, estimands: np.ndarray) -> dict[str, Column]:
    """Return the columns that name estimands, and whether distances are at equal frequency."""
    return {"estimand": estimands.ravel(), "frequency": str(frequency_of(design_of(tree)))}


def _of_attributes(tree: DataTree, reading: Reading) -> pd.DataFrame:
    """Describe the contrasts of single stereotypes, in the order of their certainty."""
    names, draws = attribute_draws(tree)
    frame = pd.concat([names, compare_draws(draws, **reading)], axis=1)
    is_right = (draws > 0) == ((draws > 0).mean(axis=0) > 0.5)
    surest = np.lexsort((-abs(frame["mean"]) / frame["sd"], -frame["p_direction"]))
    frame = frame.iloc[surest].reset_index(drop=True)
    frame["all_right"] = np.logical_and.accumulate(is_right[:, surest], axis=1).mean(axis=0)
    frame.attrs |= {"ci_prob": reading["ci_prob"], "ci_kind": reading["ci_kind"]}
    return frame


def _of_named_words(
    tree: DataTree, words: Sequence[str], reading: Reading, seed: Seed
) -> pd.DataFrame:
    """Describe contrasts of words, each fitted without pooling (Gelman and Hill, 2007, ch. 12).

    Another fit without pooling of all of them gives the probability that all signs are right.
    """
    design, spec, sequence = design_of(tree), spec_of(tree), as_seed_sequence(seed)
    if spec.likelihood != "normal":
        raise ValueError(f"contrasts of named words need a Normal model, not {spec.likelihood}")
    for name in words:
        check_choice("protected word", name, design.words)
    check_once("named", words)
    chosen = [design.words.index(name) for name in words]
    errors, children = slope_errors(design, n_draws(tree)), sequence.spawn(len(words) + 1)

    def draws_of(unpooled: list[int], child: SeedSequence) -> FloatArray:
        alone = collapse(design, spec, unpooled=unpooled)
        values = sample_exact(alone, len(errors), default_rng(child)).values
        values_at = with_slope_errors(design, alone.spec, values.__getitem__, errors)
        rows = [1 + len(design.groups) + word for word in unpooled]
        return population_gaps(design, alone.spec, values_at)[:, rows]

    with stages() as tell:
        each = []
        for word, child in zip(chosen, children, strict=False):
            tell(f"fitting {design.words[word]} without pooling")
            each.append(draws_of([word], child))
        gaps = np.concatenate(each, axis=1)
        tell("fitting all of them without pooling")
        together = gaps if len(words) == 1 else draws_of(chosen, children[-1])
    above = (gaps > 0).mean(axis=0) > 0.5
    rows = [(WORD, design.groups[design.word_group[word]], design.words[word]) for word in chosen]
    levels = pd.DataFrame(rows, columns=list(LEVEL_COLUMNS))
    estimands = estimand_names(design, spec)[1 + len(design.groups) :][chosen]
    about = _about(tree, estimands)
    frame = describe_gaps(gaps, design.connections, levels, reading, **about)
    all_signs = ((together > 0) == above).all(axis=1).mean(axis=0)
    frame["p_all_signs"] = np.tile(all_signs, len(words))[np.isfinite(gaps[0]).ravel()]
    frame.attrs["seed"] = sequence.entropy
    return frame


def contrast_draws(tree: DataTree, over: str) -> tuple[pd.DataFrame, FloatArray, np.ndarray]:
    """Return labels from `levels_of`, draws of the contrasts, and the names of their estimands.

    The (n_draws, n_levels, n_pairs) draws are NaN for contrasts that the table does not identify.
    The names form an (n_levels, n_pairs) array.
    """
    design, spec = design_of(tree), spec_of(tree)
    if over == "population":
        levels, gaps = levels_of(tree), population_gaps(design, spec, mean_draws(tree))
    else:
        levels, means = level_means(tree, over)
        gaps = pair_gaps(means)
        if has_cells(spec) and compares_stereotypes(design):
            cells = np.nan_to_num(listed_cells(tree))
            gaps[:, 0, 0] = np.einsum("ngj,gj->n", cells, double_weights(design))
    return levels, gaps, estimand_names(design, spec, over)


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
