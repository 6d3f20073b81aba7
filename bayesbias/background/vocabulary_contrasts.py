"""Compare posterior contrasts with the same contrasts for other words of the vocabulary.

A posterior shows how large a contrast is for the words of a list. This module compares that
contrast with those of lists of random words, equally frequent words, or words about other topics.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, get_args

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.arrays import FloatArray, one_thread
from .._core.checks import Argument, ArgumentError, check_choice, check_numbers
from .._core.random import as_seed_sequence
from ..embeddings.distances import measure, sets_of
from ..embeddings.load import VectorsLike
from ..model.defaults import RECOMMENDED
from ..model.design import with_cosines
from ..model.frequency import at_equal_frequency
from ..model.indexing import make_design
from ..model.spec import ModelSpec, load_model
from ..model.tree import spec_of
from ..posterior.contrasts import contrasts
from ..posterior.estimands import has_cells, pair_names, population_gaps
from ..posterior.mixtures import contrast_weights
from ..posterior.summaries import labeled
from ..sampling.collapsed import moments
from ..sampling.effects import draw_effects
from ..sampling.fit import fit_checked
from ..sampling.options import FitKeywords, FitOptions, fit_options, shows_fit_keywords
from ..sampling.parameters import parameters_of
from ..sampling.reduction import Collapsed, collapse
from ..tables.levels import GROUP, LEVEL_COLUMNS, OVERALL, WORD
from ..tables.schema import IDS, RANKS, Checked, checked
from ..tables.wordlists import WordList, WordListLike, load_wordlist
from .pools import Pool, draw_pool
from .reference_words import Drawn, Match, Vary, draw_lists, words_present

if TYPE_CHECKING:
    from xarray import DataTree

N_LISTS = 100
"""Number of reference lists; percentiles near .5 have an sd of .05, and p is at least .02."""

KEYS = [*LEVEL_COLUMNS[:2], "first", "second"]


@dataclass(frozen=True, eq=False)
class VocabularyContrasts:
    """Contrasts of a list, and the same contrasts of reference lists.

    Parameters
    ----------
    table : DataFrame
        One row per contrast, overall or for a group: ``level``, ``protected_group``, ``first``,
        ``second``, and ``estimand``. ``mean``, ``sd``, ``low``, and ``high`` describe the contrast.
        ``reference_mean``, ``reference_sd``, ``reference_low``, and ``reference_high`` (the middle
        95%) describe the reference lists. ``excess`` is mean - reference_mean. ``percentile`` is
        the share of lists with a smaller mean, where ties count half. The two-sided ``p_value`` is
        2 (b + 1)/(n_lists + 1), capped at 1; b is the number of lists at or above ``mean`` or the
        number at or below it, whichever is smaller.
    reference : DataFrame
        ``list``, ``level``, ``protected_group``, ``first``, ``second``, and ``mean``.
    posterior : DataTree
        The posterior of the list itself.
    seed : int
        Seed for the posterior and the reference lists.
    """

    table: pd.DataFrame
    reference: pd.DataFrame = field(repr=False)
    posterior: DataTree = field(repr=False)
    seed: Any = None


@shows_fit_keywords
def vocabulary_contrasts(
    source: VectorsLike,
    wordlist: WordListLike,
    model: str | Path | ModelSpec = RECOMMENDED["distance"],
    *,
    vary: Vary = "protected",
    match: Match = "random",
    n_lists: int = N_LISTS,
    ranks: tuple[int, int | None] = (0, None),
    case: str = "exact",
    allow_pickle: bool = False,
    options: FitOptions | None = None,
    **keywords: Unpack[FitKeywords],
) -> VocabularyContrasts:
    """Compare posterior contrasts with the same contrasts for other words in the embedding.

    The contrasts of reference lists use the sds estimated from the list itself. Given the sds,
    posterior means are linear in the distances, so hundreds of lists take only a few seconds.

    Parameters
    ----------
    source, wordlist, case, allow_pickle
        See `background.distributions` and `load_wordlist`.
    ranks : (first, stop)
        Range of ranks from which words are drawn (for example, ``(0, 50_000)``). Frequent and rare
        words differ, so for random words, choose ranks similar to those of the list.
    model : str, Path, or ModelSpec
        A Normal model. All fits use the exact sampler.
    vary : {"protected", "stereotypes", "both"}
        Which words are replaced. Groups and sets keep their sizes. All other words, including
        control words, stay the same. A word in two roles is replaced in those that vary.
    match : {"random", "frequency", "topics"}
        How words are replaced: by random words, by equally frequent words (whose ranks differ by at
        most a fifth), or by topics (neighbors of a random word, with about the same mean cosine as
        the set). Reports use ``vary="stereotypes"`` with ``topics``.
    n_lists : int
        Number of reference lists, two or more.
    options, **keywords
        Options for the list's posterior: `FitOptions`, or its fields as keyword arguments, such as
        ``draws`` and ``seed``. ``FitOptions(ci_prob=...)`` sets the intervals.

    Returns
    -------
    VocabularyContrasts

    Examples
    --------
    >>> import bayesbias as bb
    >>> found = bb.vocabulary_contrasts("glove-demo", "gender", case="fallback", n_lists=20, seed=1)
    >>> found.reference["list"].nunique()
    20
    """
    for name, given, known in (("vary", vary, Vary), ("match", match, Match)):
        check_choice(name, given, get_args(known))
    check_numbers(least=2, n_lists=n_lists)
    spec, loaded = load_model(model, "distance"), load_wordlist(wordlist)
    options = fit_options(options, keywords)
    if spec.likelihood != "normal":
        raise ValueError(f"reference lists require a Normal model, but {spec.name!r} is not one")
    if options.method not in {"auto", "exact"}:
        found = Argument("method", options.method)
        raise ArgumentError("reference lists require the exact sampler; got ", found)
    sequence = as_seed_sequence(options.seed)
    posterior_seed, pool_seed = sequence.spawn(2)
    rng = default_rng(pool_seed)
    reading: dict[str, Any] = {"case": case, "ranks": ranks, "allow_pickle": allow_pickle}
    reading |= {"by_rank": match != "random", "progressbar": options.progressbar}
    pool = draw_pool(source, loaded.words, rng=rng, **reading)
    table = measure(pool.keyed, loaded)
    exact = options.of_fit(method="exact", seed=posterior_seed)
    posterior = fit_checked(table, spec, options=exact)
    present = words_present(loaded, pool.found, pool.spellings)
    drawn = draw_lists(pool, present, vary=vary, match=match, n_lists=n_lists, rng=rng)
    reference = list_contrasts(table, present, posterior, pool, drawn)
    placed = placed_among(contrasts(posterior, **options.reading), reference)
    return VocabularyContrasts(placed, reference, posterior, sequence.entropy)


def list_contrasts(
    table: Checked, wordlist: WordList, fitted: DataTree, pool: Pool, lists: Iterable[Drawn]
) -> pd.DataFrame:
    """Compute a table's contrasts for each of the lists that `draw_lists` draws for a word list.

    Contrasts are posterior means. Each sd is fixed at its geometric mean over the draws of
    ``fitted``, which may be a fit to a table with more rows. Similarities of words are computed for
    each drawn list. Each list is treated as one draw of a posterior, so the estimands are the same
    as in `contrasts`. Return the frame ``reference`` of `VocabularyContrasts`.
    """
    lists = [*lists]
    posterior = collapse(make_design(_with_own_pairs(table, wordlist, lists[0])), spec_of(fitted))
    design, spec = posterior.design, posterior.spec
    parameters = _mean_parameters(fitted, posterior)
    weights, found = contrast_weights(posterior), []
    of_shared = has_cells(spec)  # otherwise, a group's mean is that of its words
    with one_thread():
        own = [pool.units_of(names) for names in (design.words, design.attributes)]
        for drawn in lists:
            words, attributes = (
                pool.replaced(*of)
                for of in zip(own, (design.words, design.attributes), drawn, strict=True)
            )
            distances = 1.0 - (words @ attributes.T)[design.word, design.attribute]
            ranks = pool.ranks_of(design.attributes, drawn.stereotypes)
            other = replace(design, y=distances.clip(0.0, 2.0), attribute_rank=ranks)
            other = with_cosines(other, words @ words.T, attributes @ attributes.T)
            other = at_equal_frequency(other)
            one = collapse(other, spec, layout=posterior.layout, means_only=of_shared)
            if of_shared:
                flat = weights.reshape(len(weights), -1)
                means = moments(one, parameters[None], np.nan_to_num(flat))[0].ravel()
                found.append(np.where(np.isnan(flat[0]), np.nan, means).reshape(weights.shape[1:]))
            else:
                values = draw_effects(one, parameters[None], None)
                found.append(population_gaps(design, spec, values.__getitem__)[0])
    n_groups, names = len(design.groups), pair_names(design.connections)
    gaps = np.array(found)[:, : 1 + n_groups]
    labels = [OVERALL, *[GROUP] * n_groups], ["", *design.groups]
    levels = pd.DataFrame(dict(zip(KEYS, labels, strict=False)))
    n_rows = len(levels) * gaps.shape[2]
    keys = labeled(pd.DataFrame(index=range(n_rows)), levels, **names)
    frame = keys.loc[np.tile(keys.index, len(found))].reset_index(drop=True)
    frame.insert(0, "list", np.repeat(np.arange(len(found)), n_rows))
    frame["mean"] = gaps.ravel()
    return frame.dropna(subset="mean").reset_index(drop=True)


def _with_own_pairs(table: Checked, wordlist: WordList, drawn: Drawn) -> Checked:
    """Add the pairs of a word with itself that are pairs of two different words in drawn lists."""
    attributes = {*table.coded["attribute"][1]}
    spellings = {word: word for word in wordlist.words}
    rows = [
        next(
            (word, group, word, name, connection)
            for connection, name, inside in sets_of(group, spellings, wordlist)
            if word in inside
        )
        for group, words in wordlist.groups.items()
        for word in words
        if word in attributes and drawn.protected.get(word) != drawn.stereotypes.get(word)
    ]
    if not rows:
        return table
    pairs = pd.DataFrame(rows, columns=[*IDS]).assign(cosine_distance=0.0)
    for column, of in zip(RANKS, ("protected_word", "attribute"), strict=True):
        if column in table.rows:
            pairs[column] = pairs[of].map(
                dict(zip(table.rows[of], table.rows[column], strict=True))
            )
    wider = pd.concat([table.rows, pairs], ignore_index=True)
    wider.attrs = table.rows.attrs
    return checked(wider)


def _mean_parameters(fitted: DataTree, posterior: Collapsed) -> FloatArray:
    """Return a fit's mean parameters, (n_parameters,), for the levels in ``posterior``."""
    draws, values = fitted["posterior"].dataset, {}
    for block in posterior.blocks:
        levels = [label for dim in block.dims for label in posterior.design.coords[dim]]
        own = draws[block.name].sel(dict.fromkeys(draws[block.name].dims[2:], levels))
        values[block.name] = own.values.reshape(-1, *own.shape[2:])
    return parameters_of(posterior.blocks, values).mean(axis=0)


def placed_among(frame: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """Add each contrast's position among the reference lists to a frame from `contrasts`."""
    columns = [*KEYS, "estimand", "mean", "sd", "low", "high"]
    table = frame.loc[frame["level"] != WORD, columns].reset_index(drop=True)
    by_list = reference.pivot(index="list", columns=KEYS, values="mean")
    drawn = by_list[list(table[KEYS].itertuples(index=False, name=None))].to_numpy()
    means, excess = table["mean"].to_numpy(), table["mean"] - drawn.mean(axis=0)
    below, above = (drawn < means).sum(axis=0), (drawn > means).sum(axis=0)
    ties = len(drawn) - below - above
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return table.assign(
        reference_mean=drawn.mean(axis=0),
        reference_sd=drawn.std(axis=0, ddof=min(1, len(drawn) - 1)),
        reference_low=low,
        reference_high=high,
        excess=excess,
        percentile=(below + ties / 2) / len(drawn),
        p_value=np.minimum(1.0, 2 * (np.minimum(below, above) + ties + 1) / (len(drawn) + 1)),
    )
