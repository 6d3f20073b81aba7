"""Posterior contrasts compared with the vocabulary: the same contrast for other words.

A posterior shows how large a contrast is, and how certain, for the words of a list. It does not
show what other words would give: random words, words as frequent as those of the list, or words
about any other topic. Here the list is fitted next to lists of such words of the same embedding.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

from .._core.arrays import FloatArray
from .._core.blas import one_thread
from .._core.checks import Argument, ArgumentError
from .._core.random import as_seed_sequence
from ..embeddings.distances import distance_table
from ..embeddings.load import VectorsLike
from ..model.defaults import RECOMMENDED
from ..model.design import Design, make_design
from ..model.spec import ModelSpec, load_model
from ..posterior.contrasts import connection_pairs, contrasts
from ..posterior.summaries import level_means
from ..sampling.exact import draw_effects, sample_exact
from ..sampling.fit import fit
from ..sampling.options import FitKeywords, FitOptions, fit_options, shows_fit_keywords
from ..sampling.reduction import collapse
from ..tables.levels import GROUP, LEVEL_COLUMNS, OVERALL, WORD
from ..tables.wordlists import WordListLike, load_wordlist
from .pool import among_references, draw_pool
from .reference_words import (
    TOLERANCE,
    Match,
    ReferenceWords,
    Vary,
    check_choice,
    reference_tables,
    words_present,
)

if TYPE_CHECKING:
    from xarray import DataTree

N_LISTS = 200
"""Reference lists: percentiles are good to .035 in the middle, p-values go down to 1 in 100."""

SD_DRAWS = 500
"""Posterior draws of a list's sds, whose mean is used for the reference lists too."""

KEYS = [*LEVEL_COLUMNS[:2], "first", "second"]


@dataclass(frozen=True, eq=False)
class VocabularyContrasts:
    """Contrasts of a list next to those of reference lists.

    Parameters
    ----------
    table : DataFrame
        One row a contrast of connections, overall and of every group: ``level``,
        ``protected_group``, ``first``, ``second``, and of first - second ``mean``, ``sd``, ``low``,
        ``high``; of the reference lists the columns of `background.reference_lists`;
        ``excess``, mean - reference_mean; and ``p_below``, the probability that the contrast is
        below that of a reference list, over the posterior and the lists.
    reference : DataFrame
        ``list``, ``level``, ``protected_group``, ``first``, ``second``, ``mean``: the contrasts of
        the reference lists.
    posterior : DataTree
        The list's own.
    vary, match : str
        Which words were replaced, and by which.
    seed : int
        Entropy of the posterior and the lists.
    """

    table: pd.DataFrame
    reference: pd.DataFrame
    posterior: DataTree
    vary: str
    match: str
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
    tolerance: float = TOLERANCE,
    ranks: tuple[int, int | None] = (0, None),
    case: str = "exact",
    allow_pickle: bool = False,
    options: FitOptions | None = None,
    **keywords: Unpack[FitKeywords],
) -> VocabularyContrasts:
    """Place posterior contrasts among the same contrasts for other words of the embedding.

    Given its sds the posterior mean of a Normal model is linear in the distances. The contrasts of
    reference lists use the sds of the list itself, so that hundreds of them take a second.

    Parameters
    ----------
    source, wordlist, ranks, case, allow_pickle
        As for `background.reference_lists`. Frequent and rare words differ in many embeddings:
        with random words take ranks like those of the list.
    model : str, Path or ModelSpec
        A Normal model: all fits are by the exact sampler.
    vary : {"protected", "stereotypes", "both"}
        Which words are replaced. Groups and sets keep their sizes; the other words, and control
        words, stay.
    match : {"random", "frequency", "topics"}
        Which words replace them: any; words of like frequency rank; or topics, the neighbors
        of a random word, with the mean cosine that the set has. Every list is about something, and
        lists about any topics have contrasts.
    n_lists : int
        Reference lists, two or more.
    tolerance : float
        By which share the frequency rank of a matched word may differ.
    options, **keywords
        Of the list's own posterior and its intervals: `FitOptions`, or its fields by name, such as
        ``draws`` and ``seed``.

    Returns
    -------
    VocabularyContrasts

    Examples
    --------
    >>> import bayesbias as bb
    >>> found = bb.vocabulary_contrasts("glove-demo", "gender", case="fallback", n_lists=20, seed=1)
    >>> columns = ["level", "protected_group", "mean", "reference_low", "reference_high"]
    >>> placed = found.table[columns]
    """
    check_choice(vary, match, tolerance)
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
    posterior_seed, pool_seed, sd_seed = sequence.spawn(3)
    rng = default_rng(pool_seed)
    pool = draw_pool(
        source,
        loaded.words,
        rng=rng,
        case=case,
        ranks=ranks,
        by_rank=match != "random",
        allow_pickle=allow_pickle,
        progressbar=options.progressbar,
    )
    table = distance_table(pool.found, loaded)
    posterior = fit(table, spec, options=options.of_fit(method="exact", seed=posterior_seed))
    estimate = LinearContrasts(make_design(table), spec, default_rng(sd_seed))
    words = ReferenceWords(pool, match, tolerance)
    present = words_present(loaded, pool.found)
    tables = reference_tables(table, present, words, vary=vary, n_lists=n_lists, rng=rng)
    reference = estimate.of_tables(tables)
    placed = placed_among(contrasts(posterior, **options.reading), reference)
    placed["p_below"] = _share_below(posterior, reference)
    return VocabularyContrasts(placed, reference, posterior, vary, match, sequence.entropy)


def _share_below(posterior: DataTree, reference: pd.DataFrame) -> list[float]:
    """Compute the share of pairs of a draw and a reference list whose contrast is larger."""
    levels, means_drawn = level_means(posterior)
    draws = means_drawn[:, levels["level"] != WORD]
    first, second, _ = connection_pairs([str(at) for at in range(draws.shape[2])])
    differences = (draws[:, :, first] - draws[:, :, second]).reshape(len(draws), -1)
    means = reference["mean"].to_numpy().reshape(-1, differences.shape[1])
    return [
        float(np.searchsorted(np.sort(drawn), of_lists).mean() / len(draws))
        for drawn, of_lists in zip(differences.T, means.T, strict=True)
    ]


class LinearContrasts:
    """Contrasts of tables in the rows of one design: posterior means given the design's own sds.

    These are the exponentials of the mean log sds of `SD_DRAWS` draws.
    """

    def __init__(self, design: Design, spec: ModelSpec, rng: Generator) -> None:
        self.design, self.spec = design, spec
        drawn = sample_exact(collapse(design, spec), SD_DRAWS, rng)
        self.parameters = drawn.parameters.mean(axis=0)[None]
        first, second, names = connection_pairs(design.connections)
        self.pairs, self.columns = (np.array(first), np.array(second)), names

    def of_outcome(self, y: FloatArray) -> FloatArray:
        """Contrasts overall and of every group, (1 + n_groups, n_pairs), of distances (n_rows,)."""
        posterior = collapse(replace(self.design, y=y), self.spec)
        drawn = draw_effects(posterior, self.parameters, None)
        of_words, groups = drawn["word_mean"][0], range(len(self.design.groups))
        of_groups = [of_words[self.design.word_group == group].mean(axis=0) for group in groups]
        means = np.stack([drawn["connection_mean"][0], *of_groups])
        return np.asarray(means[:, self.pairs[0]] - means[:, self.pairs[1]])

    def of_tables(self, tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
        """Contrasts of tables in the design's rows, as `VocabularyContrasts.reference` has them."""
        groups = ["", *self.design.groups]
        n_pairs = len(self.pairs[0])
        with one_thread():
            means = [self.of_outcome(table["cosine_distance"].to_numpy()) for table in tables]
        keys: dict[str, list[str]] = {
            "level": [OVERALL] * n_pairs + [GROUP] * n_pairs * len(self.design.groups),
            "protected_group": [group for group in groups for _ in range(n_pairs)],
            **{name: values * len(groups) for name, values in self.columns.items()},
        }
        n_rows = n_pairs * len(groups)
        columns = {name: values * len(means) for name, values in keys.items()}
        lists = np.repeat(np.arange(len(means)), n_rows)
        return pd.DataFrame({"list": lists, **columns, "mean": np.ravel(means)})


def placed_among(frame: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """Put the place among reference lists next to contrasts of the same levels and pairs.

    ``frame`` has the columns of `contrasts`, ``reference`` those of `VocabularyContrasts`.
    """
    table = frame.loc[frame["level"] != WORD, [*KEYS, "mean", "sd", "low", "high"]]
    table = table.reset_index(drop=True)
    drawn = reference["mean"].to_numpy().reshape(-1, len(table))
    places = among_references(table["mean"].to_numpy(), drawn)
    percentile, p_value = places.pop("percentile"), places.pop("p_value")
    excess = table["mean"] - places["reference_mean"]
    return table.assign(**places, excess=excess, percentile=percentile, p_value=p_value)
