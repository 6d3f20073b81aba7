"""Check a model's predictions, and whether words with similar vectors have similar leans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError, check_choice, check_numbers
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, check_probability, interval
from .._core.random import Seed, as_seed_sequence
from ..model.design import Design
from ..model.likelihood import Rows
from ..model.likeness import effective_size
from ..model.tree import Analyzed, DataTree, design_of, index_of, labels, observed, posterior_in
from ..model.tree import n_draws as n_draws_of
from ..tables.cosines import LOST
from .summaries import reads_posterior

ROWS_AT_ONCE = 500
"""Number of rows predicted at a time; 4,000 draws of these rows take 16 MB."""

DEFAULT_DRAWS = 1_000
"""Number of predictive draws per row, as in the published coverage of HPDIs."""

N_PERMUTATIONS = 1000
"""Number of permutations for each p-value in `p_unrelated`."""


@reads_posterior
def predictive_check(
    tree: DataTree,
    ci_probs: float | Sequence[float] = (0.5, DEFAULT_CI_PROB),
    *,
    ci_kind: str = DEFAULT_CI_KIND,
    n_draws: int | None = DEFAULT_DRAWS,
    by: str = "connection",
    seed: Seed = None,
) -> pd.DataFrame:
    """Compute the share of measured distances inside the posterior predictive intervals.

    If the model fits, the coverage is about ``ci_prob``, overall and for every connection.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    ci_probs : float or sequence of float
        Probabilities of the predictive intervals, in (0, 1).
    ci_kind : {"hdi", "eti"}
        Highest-density or equal-tailed intervals.
    n_draws : int, optional
        Number of posterior draws to use; None uses all.
    by : {"connection", "row"}
        Whether to count rows, or to return the intervals of all rows.
    seed : int, SeedSequence, Generator, or None
        Seed for the predictive draws. None draws a fresh seed, which ``.attrs["seed"]`` records.

    Returns
    -------
    DataFrame
        ``ci_prob``, ``connection`` (``all`` for the whole table), ``n_rows``, ``n_inside``,
        ``coverage`` = n_inside / n_rows. With ``by="row"``, there is instead one row for every
        probability and row of the table, with ``distance``, ``low``, ``high``, and ``inside``.
        For tables with cosines and several sets and groups, ``.attrs["p_unrelated"]`` has
        permutation p-values for ``protected_word`` and ``attribute``. A small p-value suggests that
        words with similar vectors also have similar distance patterns within groups or sets. Models
        such as ``maximal``, which treat words as unrelated, then have intervals that are too
        narrow. Instead, use ``by-group``, which models the similarity.

    Examples
    --------
    >>> frame = bb.predictive_check(post, seed=1)
    >>> frame.query("connection == 'all'")[["ci_prob", "n_rows", "coverage"]].round(2)
       ci_prob  n_rows  coverage
    0     0.50    4815      0.55
    5     0.89    4815      0.92
    """
    check_choice("value of by", by, ("connection", "row"))
    if n_draws is not None:
        check_numbers(n_draws=n_draws)
    listed = ci_probs if isinstance(ci_probs, Iterable) else [ci_probs]
    probabilities = [check_probability(p, "ci_probs") for p in listed]
    if not probabilities:
        raise ArgumentError(Argument("ci_probs"), " needs one probability or more; got none")
    sequence, y = as_seed_sequence(seed), observed(tree)
    rng = default_rng(sequence)
    chosen = rng.permutation(n_draws_of(tree))[:n_draws]
    fitted, bounds = Rows(tree, chosen), []
    for start in range(0, len(y), ROWS_AT_ONCE):
        rows = np.arange(start, min(start + ROWS_AT_ONCE, len(y)))
        draws = fitted.predict(rows, rng)
        bounds.append(np.stack([interval(draws, p, ci_kind) for p in probabilities], axis=-1))
    low, high = np.concatenate(bounds).swapaxes(0, 1)  # (n_rows, n_probabilities)
    inside = (low <= y[:, None]) & (y[:, None] <= high)
    names = np.array(labels(tree, "connection"))
    connection = names[index_of(tree, "connection_index")]
    origin = {"ci_kind": ci_kind, "seed": sequence.entropy}
    if by == "row":
        parts = [
            pd.DataFrame({"ci_prob": p, "row": np.arange(len(y)), "connection": connection}).assign(
                distance=y, low=low[:, at], high=high[:, at], inside=inside[:, at]
            )
            for at, p in enumerate(probabilities)
        ]
        of_rows = pd.concat(parts, ignore_index=True)
        of_rows.attrs |= origin
        return of_rows
    of = {"all": np.full(len(y), True)} | {name: connection == name for name in names}
    counts = [
        (ci_prob, name, int(part.sum()), int(inside[part, place].sum()))
        for place, ci_prob in enumerate(probabilities)
        for name, part in of.items()
    ]
    frame = pd.DataFrame(counts, columns=["ci_prob", "connection", "n_rows", "n_inside"])
    frame["coverage"] = frame["n_inside"] / frame["n_rows"]
    unrelated = p_unrelated(design_of(tree), default_rng(sequence.spawn(1)[0]))
    frame.attrs |= origin | {"p_unrelated": unrelated}
    return frame


def effective_sizes(tree: DataTree | Analyzed) -> pd.DataFrame:
    r"""Compute how many unrelated words would be as informative as each group or set.

    Words with similar vectors have similar biases, so eight similar names may tell you no more than
    two different ones. The effective size of n words is `n² / max(n, Σ_ij K[i, j])`, where K is
    defined in `bayesbias.model.likeness`. This size is n if all words are unrelated, and 1 if they
    are all the same. New kinds of words narrow intervals more than similar words do. Very frequent
    words are similar, so 80 controls that match *he* and *she* may count as 4. Only comparisons
    with controls depend on that; slopes on frequency do not.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`, for a table with cosines.

    Returns
    -------
    DataFrame
        ``role`` (``protected_group``, ``attribute_set``, or ``controls``), ``name``, ``n_words``,
        and ``n_effective``, in [1, n_words].

    Examples
    --------
    >>> sizes = bb.effective_sizes(post)
    >>> sizes.query("role == 'protected_group'")[["name", "n_words", "n_effective"]].round(1)
            name  n_words  n_effective
    0        jew        5          2.6
    1  christian        5          2.4
    2     muslim        5          2.7
    """
    design = design_of(posterior_in(tree))
    if not design.word_likeness.size or not design.attribute_likeness.size:
        raise ValueError(f"this table has no cosines between its words; {LOST}")
    roles = [("protected_group", name) for name in design.groups]
    columns = design.columns or design.connections
    roles += [("attribute_set" if name in design.sets else "controls", name) for name in columns]
    column = design.codes("attribute_column" if design.sets else "connection")
    own = [
        matrix[np.ix_(members, members)]
        for matrix, units, of_row, names in (
            (design.word_likeness, design.word, design.codes("protected_group"), design.groups),
            (design.attribute_likeness, design.attribute, column, columns),
        )
        for members in (np.unique(units[of_row == place]) for place in range(len(names)))
    ]
    frame = pd.DataFrame(roles, columns=["role", "name"])
    return frame.assign(n_words=[*map(len, own)], n_effective=[*map(effective_size, own)])


def p_unrelated(design: Design, rng: Generator) -> dict[str, float]:
    r"""Test whether the leans of words and of attributes are unrelated to their likeness.

    A word's lean consists of its mean distances to the stereotype sets, centered first within the
    word and then within its group. For an attribute, the roles of groups and sets are swapped. The
    statistic is `Σ_ij K[i, j] l[i]·l[j]` over pairs within blocks (groups or sets). Leans are
    permuted within blocks. p is the share of permutations (including the measured order) whose
    statistic is at least the measured one. The result is empty if there are no cosines, or fewer
    than two sets or groups.
    """
    if not design.word_likeness.size or len(design.sets) < 2 or len(design.groups) < 2:
        return {}
    group, sets = design.codes("protected_group"), design.codes("attribute_set")
    column = design.attribute_column
    set_of = np.where(column < len(design.sets), column, -1)
    rows = pd.DataFrame({"y": design.y, "set": sets, "group": group})
    rows = rows.assign(word=design.word, attribute=design.attribute)[sets >= 0]
    return {
        name: _p_of_leans(rows.pivot_table("y", unit, across), block, likeness, rng)
        for name, unit, across, block, likeness in (
            ("protected_word", "word", "set", design.word_group, design.word_likeness),
            ("attribute", "attribute", "group", set_of, design.attribute_likeness),
        )
    }


def _p_of_leans(
    means: pd.DataFrame, block: NDArray[np.int64], likeness: FloatArray, rng: Generator
) -> float:
    """Return the permutation p-value for mean distances, with one row per word."""
    leans = means.sub(means.mean(axis=1), axis=0)
    leans -= leans.groupby(block[leans.index]).transform("mean")
    leans = leans.fillna(0.0).reindex(range(len(block)), fill_value=0.0)
    sums = np.zeros(1 + N_PERMUTATIONS)
    for index in range(block.max() + 1):
        within = np.flatnonzero(block == index)
        like = likeness[np.ix_(within, within)]
        orders = np.tile(np.arange(len(within)), (1 + N_PERMUTATIONS, 1))
        orders[1:] = rng.permuted(orders[1:], axis=1)  # the first order is as measured
        permuted = leans.to_numpy()[within][orders]  # (1 + N_PERMUTATIONS, n, n_columns)
        sums += ((like @ permuted) * permuted).sum(axis=(1, 2))
    return float((sums >= sums[0] - 1e-12).mean())
