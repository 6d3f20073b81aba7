"""How wide an interval will be with more words, attributes or trainings: a decision study."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.intervals import DEFAULT_CI_PROB, check_probability
from ..model.design import Design
from ..model.tree import design_of, spec_of
from ..sampling.collapsed import mean_moments
from ..sampling.reduction import collapse
from .influence import contrast_weights, some_parameters

if TYPE_CHECKING:
    from xarray import DataTree

DRAWS = 25
"""Draws of the sds that widths are averaged over."""


def expected_width(
    tree: DataTree,
    n_words: int | Iterable[int],
    n_attributes: int | Iterable[int],
    n_trainings: int | Iterable[int] = 1,
    *,
    training_sd: float = 0.0,
    first: str = "associated",
    second: str = "different",
    ci_prob: float = DEFAULT_CI_PROB,
) -> pd.DataFrame:
    r"""Compute how wide the interval of the overall contrast will be in a study of other sizes.

    Parameters
    ----------
    tree : DataTree
        A posterior of a Normal model, from `fit`; words and attributes of the study planned vary as
        those measured do.
    n_words, n_attributes : int or iterable of int
        Protected words of each group, and attributes of each set, from 1 on; all pairs are
        computed. Controls stay as they are.
    n_trainings : int or iterable of int
        Trainings of the embedding, from 1 on.
    training_sd : float
        Sd of the contrast between trainings, a distance, such as the mean of ``training_sd`` of
        `fit_many`. With 0 the embedding is taken as given.
    first, second : str
        Connections; the contrast is first - second.
    ci_prob : float
        Probability of the interval, in (0, 1).

    Returns
    -------
    DataFrame
        ``n_words``, ``n_attributes``, ``n_trainings``, ``sd`` of the contrast and ``width`` of its
        Normal interval, distances.

    Raises
    ------
    ValueError
        If a size is below 1, a connection is unknown, or the model is not Normal.

    Notes
    -----
    Given the sds the variance of a contrast depends on the design only: it is the one that the
    exact sampler uses, for a design of the size planned, averaged over draws of the sds, plus
    :math:`\text{training\_sd}^2 / k`. The interval of a real study also carries that its sds are
    not known; of small studies it will be wider.

    References
    ----------
    Shavelson and Webb (1991), Generalizability Theory: A Primer, chapter 6 (decision studies).

    Examples
    --------
    >>> import bayesbias as bb
    >>> words = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", words), words)
    >>> post = bb.fit(table, seed=1)
    >>> plan = bb.expected_width(post, [8, 16, 32], [15, 30])
    >>> bool(plan["width"].iloc[-1] < plan["width"].iloc[0])
    True
    """
    if training_sd < 0:
        raise ValueError(f"training_sd must be 0 or more; got {training_sd}")
    sizes = [_sizes(name, given) for name, given in (
        ("n_words", n_words), ("n_attributes", n_attributes), ("n_trainings", n_trainings)
    )]  # fmt: skip
    from scipy.stats import norm

    half = norm.ppf((1 + check_probability(ci_prob)) / 2)
    weights = contrast_weights(tree, first, second)
    design, spec = design_of(tree), spec_of(tree)
    spec = spec.fitting(design)
    parameters = some_parameters(tree, collapse(design, spec), DRAWS)
    rows = []
    for words, attributes in product(*sizes[:2]):
        planned = collapse(_of_size(design, words, attributes), spec)
        variance = mean_moments(planned, parameters, weights)[1]
        for trainings in sizes[2]:
            sd = float(np.sqrt(variance + training_sd**2 / trainings).mean())
            rows.append((words, attributes, trainings, sd, 2 * half * sd))
    frame = pd.DataFrame(rows, columns=["n_words", "n_attributes", "n_trainings", "sd", "width"])
    frame.attrs["ci_prob"] = ci_prob
    return frame


def _sizes(name: str, given: int | Iterable[int]) -> list[int]:
    found = list(given) if isinstance(given, Iterable) else [given]
    for size in found:
        if isinstance(size, bool) or int(size) != size or size < 1:
            raise ValueError(f"{name} must be whole numbers from 1 on; got {size!r}")
    if not found:
        raise ValueError(f"{name} is empty")
    return [int(size) for size in found]


def _of_size(design: Design, n_words: int, n_attributes: int) -> Design:
    """Return a design of the same groups, sets and controls, every word with every attribute."""
    word_group = np.repeat(np.arange(len(design.groups)), n_words)
    controls = np.unique(design.attribute[design.codes("attribute_set") < 0])
    n_sets = len(design.sets)
    set_of = np.concatenate(
        [np.repeat(np.arange(n_sets), n_attributes), np.full(len(controls), -1)]
    )
    stereotype = design.attribute_kind[design.attribute[design.codes("attribute_set") >= 0]]
    kind = np.where(set_of >= 0, stereotype[0], 0)
    kind[set_of < 0] = design.attribute_kind[controls]
    of_control = np.full(len(design.attributes), -1)
    of_control[design.attribute] = design.connection
    connection_of = np.full((len(design.groups), len(set_of)), -1)
    connection_of[:, : n_sets * n_attributes] = np.repeat(
        design.set_connection, n_attributes, axis=1
    )
    connection_of[:, n_sets * n_attributes :] = of_control[controls]
    word, attribute = np.nonzero(connection_of[word_group] >= 0)
    y = np.random.default_rng(1).standard_normal(len(word))  # variances do not depend on it
    return replace(
        design,
        words=tuple(f"word {i}" for i in range(len(word_group))),
        attributes=tuple(f"attribute {i}" for i in range(len(set_of))),
        word_group=word_group,
        attribute_kind=kind,
        word=word,
        attribute=attribute,
        connection=connection_of[word_group[word], attribute],
        set=set_of[attribute],
        set_connection=np.zeros((0, 0), dtype=np.int64),
        y=y,
    )
