"""Posterior contrasts read against the vocabulary: the same contrast for random words.

A posterior says how large a contrast is, and how sure one may be of it, for the words of a list.
It does not say what random words would show: sets of attributes lie nearer to words in general or
farther from them, so that a contrast may be there for any words. Here the list is fitted beside
lists in which the protected words, or the stereotypes, are random words of the same embedding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError, unknown_name
from .._core.random import as_seed_sequence
from ..embeddings.chunks import Vector
from ..embeddings.formats.keyed import keyed_vectors
from ..model.defaults import RECOMMENDED
from ..model.spec import ModelSpec, load_model
from ..model.tree import labels, stacked
from ..posterior.contrasts import contrasts
from ..sampling.fit import fit
from ..sampling.options import FitKeywords, FitOptions, fit_options, shows_fit_keywords
from ..tables.distances import distance_table
from ..tables.levels import OVERALL, at_level
from ..tables.wordlist_files import WORD_TABLES
from ..tables.wordlists import WordList, load_wordlist
from .pool import Pool, among_references, draw_pool

if TYPE_CHECKING:
    from xarray import DataTree

    from .psi_of_source import Source

Vary = Literal["protected", "stereotypes"]

N_LISTS = 200
"""Reference lists: percentiles are good to .035 in the middle, p-values go down to 1 in 100."""

LIST_DRAWS = 500
"""Posterior draws for a reference list, of which only the posterior means are used."""


@dataclass(frozen=True, eq=False)
class VocabularyContrasts:
    """Contrasts of a list beside those of reference lists.

    Parameters
    ----------
    table : DataFrame
        One row a contrast of connections, overall: ``first``, ``second``, and of first - second
        ``mean``, ``sd``, ``low``, ``high``; of the posterior means of reference lists the columns
        that `background.reference_lists` has; ``excess``, mean - reference_mean; and ``p_below``,
        the probability that the contrast lies below that of a reference list, over the posterior
        and the lists.
    reference : DataFrame
        ``list``, ``first``, ``second``, ``mean``: the posterior means of the reference lists.
    posterior : DataTree
        The list's own.
    vary : str
        Which words were random.
    seed : int
        Entropy that posterior and lists were drawn with.
    """

    table: pd.DataFrame
    reference: pd.DataFrame
    posterior: DataTree
    vary: str
    seed: Any = None


@shows_fit_keywords
def vocabulary_contrasts(
    source: Source,
    wordlist: str | Path | WordList,
    model: str | Path | ModelSpec = RECOMMENDED["distance"],
    *,
    vary: Vary = "protected",
    n_lists: int = N_LISTS,
    ranks: tuple[int, int | None] = (0, None),
    case: str = "exact",
    allow_pickle: bool = False,
    options: FitOptions | None = None,
    **keywords: Unpack[FitKeywords],
) -> VocabularyContrasts:
    """Place posterior contrasts among the same contrasts for random words of the embedding.

    Parameters
    ----------
    source
        As for `background.distribution`.
    wordlist : str, Path or WordList
    model : str, Path or ModelSpec
        A Normal model: all fits are by the exact sampler.
    vary : {"protected", "stereotypes"}
        Random protected words ask whether these words, rather than any, lie as they do. Random
        stereotypes ask whether these attributes, rather than any, do. Groups and sets keep their
        sizes; the other words, and control words, stay.
    n_lists : int
        Reference lists, two or more.
    ranks, case, allow_pickle
        As for `background.reference_lists`. Frequent and rare words differ in many embeddings:
        take ranks like those of the list.
    options : FitOptions, optional
        Of the list's own posterior and its intervals; the method is always the exact one.
    **keywords
        Fields of `FitOptions` by name, such as ``draws``, ``chains``, ``seed`` and
        ``progressbar``.

    Returns
    -------
    VocabularyContrasts

    Raises
    ------
    ValueError
        If the model is not Normal, a choice is unknown, or there are too few words.
    """
    if vary not in get_args(Vary):
        raise ValueError(unknown_name("vary", str(vary), get_args(Vary)))
    if n_lists < 2:
        raise ValueError(f"n_lists must be a whole number from 2 on; got {n_lists!r}")
    spec, loaded = load_model(model, "distance"), load_wordlist(wordlist)
    if spec.likelihood != "normal":
        raise ValueError(
            f"the model {spec.name!r} is {spec.likelihood}; fits by the hundred need "
            "a Normal model, which the exact sampler knows"
        )
    options = fit_options(options, keywords)
    if options.method not in {"auto", "exact"}:
        raise ArgumentError(
            Argument("method"), f" is always the exact one here; got {options.method!r}"
        )
    sequence = as_seed_sequence(options.seed)
    own, sampling, fitting = sequence.spawn(3)
    rng = default_rng(sampling)
    pool = draw_pool(
        source,
        loaded.words,
        case=case,
        ranks=ranks,
        rng=rng,
        allow_pickle=allow_pickle,
        progressbar=options.progressbar,
    )
    table = distances_of(pool.found, loaded)
    posterior = fit(table, spec, options=options.of_fit(method="exact", seed=own))
    found = words_present(loaded, pool.found)
    means = []
    for child in fitting.spawn(n_lists):
        other, vectors = _random_list(found, pool, vary, rng)
        table = distances_of(vectors, other)
        tree = fit(table, spec, method="exact", draws=LIST_DRAWS, chains=1, seed=child)
        means.append(_differences(tree).mean(axis=0))
    table, reference = _assembled(posterior, np.stack(means), options)
    return VocabularyContrasts(table, reference, posterior, vary, sequence.entropy)


def distances_of(vectors: Mapping[str, Vector], wordlist: WordList) -> pd.DataFrame:
    """Return the table of a list whose vectors are given by word."""
    words = list(vectors)
    return distance_table(keyed_vectors(words, np.stack(list(vectors.values())), words), wordlist)


def words_present(wordlist: WordList, found: Mapping[str, object]) -> WordList:
    """The list without the words that the embedding lacks."""
    kept: dict[str, Any] = {}
    for kind in WORD_TABLES:
        there = {
            name: tuple(word for word in words if word in found)
            for name, words in getattr(wordlist, kind).items()
        }
        kept[kind] = {name: words for name, words in there.items() if words}
    return replace(wordlist, **kept)


def _random_list(
    wordlist: WordList, pool: Pool, vary: Vary, rng: np.random.Generator
) -> tuple[WordList, dict[str, Vector]]:
    """The list with random words in the place of its protected words or its stereotypes."""
    field = "groups" if vary == "protected" else "stereotypes"
    sets: Mapping[str, tuple[str, ...]] = getattr(wordlist, field)
    picks = pool.sets([len(each) for each in sets.values()], rng)
    fresh = {
        name: tuple(pool.words[row] for row in rows.tolist())
        for name, rows in zip(sets, picks, strict=True)
    }
    changed: dict[str, Any] = {field: fresh}
    other = replace(wordlist, **changed)
    vectors = {word: pool.found[word] for word in other.words if word in pool.found}
    for name, rows in zip(fresh, picks, strict=True):
        vectors |= dict(zip(fresh[name], pool.vectors[rows], strict=True))
    return other, vectors


def _differences(tree: DataTree) -> FloatArray:
    """Draws of all overall contrasts, (n_draws, n_pairs)."""
    means = stacked(tree, "connection_mean")
    first, second = zip(*combinations(range(means.shape[1]), 2), strict=True)
    return np.asarray(means[:, first] - means[:, second])


def _assembled(
    posterior: DataTree, means: FloatArray, options: FitOptions
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the table of contrasts, and the frame of those of the reference lists."""
    frame = at_level(contrasts(posterior, **options.reading), OVERALL)
    table = frame[["first", "second", "mean", "sd", "low", "high"]]
    placed = among_references(table["mean"].to_numpy(), means)
    percentile, p_value = placed.pop("percentile"), placed.pop("p_value")
    excess = table["mean"] - placed["reference_mean"]
    table = table.assign(**placed, excess=excess, percentile=percentile, p_value=p_value)
    draws = _differences(posterior)
    table["p_below"] = [
        np.searchsorted(np.sort(draws[:, at]), means[:, at]).mean() / len(draws)
        for at in range(means.shape[1])
    ]
    names = labels(posterior, "connection")
    pairs = pd.DataFrame(list(combinations(names, 2)), columns=["first", "second"])
    long = pd.concat([pairs.assign(list=at, mean=row) for at, row in enumerate(means)])
    columns = ["list", "first", "second", "mean"]
    return table, long[columns].reset_index(drop=True)
