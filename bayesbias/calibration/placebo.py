"""How often what a report leads with is claimed of lists about nothing."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.intervals import DEFAULT_CI_PROB, describe_draws
from .._core.progress import progress_bar
from .._core.random import Seed, as_seed_sequence
from ..background.matched_controls import with_matched
from ..background.pool import draw_pool
from ..background.reference_words import (
    TOLERANCE,
    Match,
    ReferenceWords,
    Slots,
    Vary,
    check_choice,
    reference_distances,
)
from ..background.vocabulary_contrasts import distances_of, normal_model, words_present
from ..model.defaults import RECOMMENDED
from ..model.spec import ModelSpec
from ..model.tree import SamplingWarning, labels, warnings_of
from ..posterior.summaries import in_front, levels
from ..sampling.fit import fit
from ..tables.levels import WORD
from ..tables.wordlists import WordList, load_wordlist
from .rates import wilson

if TYPE_CHECKING:
    from xarray import DataTree

    from ..background.psi_of_source import Source

DRAWS = 1_000
"""Posterior draws of a list."""

OTHERS = ("different", "matched")
"""What the associated attributes are held against."""


def placebo(
    source: Source,
    wordlist: str | Path | WordList,
    model: str | Path | ModelSpec = RECOMMENDED["distance"],
    *,
    vary: Vary = "stereotypes",
    match: Match = "frequency",
    n_lists: int = 200,
    tolerance: float = TOLERANCE,
    case: str = "exact",
    ci_prob: float = DEFAULT_CI_PROB,
    seed: Seed = None,
    progressbar: bool = True,
) -> pd.DataFrame:
    """Count how often contrasts leave out zero for lists about nothing.

    Every list is fitted as a list of its own, with matched controls of its own. Its stereotypes
    are words of any meaning, so that what is claimed of *associated − different* and of
    *associated − matched* is a false alarm.

    Parameters
    ----------
    source, wordlist, model, vary, match, tolerance, case
        As for `vocabulary_contrasts`.
    n_lists : int
        Lists about nothing.
    ci_prob : float
        Probability of the highest-density intervals, in (0, 1).
    seed : int, SeedSequence, Generator or None
    progressbar : bool

    Returns
    -------
    DataFrame
        One row a contrast, overall and for every group: ``level``, ``protected_group``, ``first``,
        ``second``, ``n_lists``; ``claims``, lists whose interval leaves out zero; ``rate``, their
        share, with its 95% Wilson interval ``rate_low`` to ``rate_high``; ``doubtful``, lists of
        which the sampler warned (they count); and of the list itself ``mean``, ``low``, ``high``.

    Raises
    ------
    ValueError
        As `vocabulary_contrasts` does.

    Examples
    --------
    >>> import bayesbias as bb
    >>> found = bb.calibration.placebo("glove-demo", "gender", case="fallback", n_lists=2, seed=1)
    """
    check_choice(vary, match, tolerance)
    spec, loaded = normal_model(model), load_wordlist(wordlist)
    drawing, fitting = as_seed_sequence(seed).spawn(2)
    rng = default_rng(drawing)
    pool = draw_pool(
        source,
        loaded.words,
        case=case,
        by_rank=match != "random",
        rng=rng,
        progressbar=progressbar,
    )
    loaded = with_matched(words_present(loaded, pool.found), pool, rng, tolerance=tolerance)
    pool = pool.with_found(loaded.words)
    table = distances_of(pool.found, loaded)
    slots = Slots.of(loaded, vary)
    if slots.stereotypes:
        slots = replace(slots, stereotypes={**slots.stereotypes, **_matched(loaded)})
    lists = reference_distances(table, ReferenceWords(pool, match, tolerance), slots, n_lists, rng)

    def fitted(some: pd.DataFrame, own: np.random.SeedSequence) -> DataTree:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SamplingWarning)  # they are counted
            return fit(some, spec, method="exact", draws=DRAWS, chains=1, seed=own)

    first, *seeds = fitting.spawn(1 + n_lists)
    found, doubtful = _read(fit(table, spec, method="exact", seed=first), ci_prob), 0
    claims = np.zeros(len(found), dtype=int)
    with progress_bar("fitting lists", n_lists, shown=None if progressbar else False) as update:
        for at, (some, own) in enumerate(zip(lists, seeds, strict=True), start=1):
            tree = fitted(some, own)
            rows = _read(tree, ci_prob)
            doubtful += bool(warnings_of(tree))
            claims += ((rows["low"] > 0) | (rows["high"] < 0)).to_numpy()
            update(at)
    low, high = zip(*(wilson(int(count), n_lists) for count in claims), strict=True)
    keys = found[["level", "protected_group", "first", "second"]]
    return keys.assign(
        n_lists=n_lists,
        claims=claims,
        rate=claims / n_lists,
        rate_low=low,
        rate_high=high,
        doubtful=doubtful,
        **{name: found[name] for name in ("mean", "low", "high")},
    )


def _matched(wordlist: WordList) -> dict[str, tuple[str, ...]]:
    return {"matched": wordlist.controls["matched"]}


def _read(tree: DataTree, ci_prob: float) -> pd.DataFrame:
    """Associated − each of the others, overall and by group."""
    names = labels(tree, "connection")
    first, frames = names.index("associated"), []
    some = [each for each in levels(tree) if each.level != WORD]
    for other in OTHERS:
        second = names.index(other)
        draws = np.stack([each.draws[:, first] - each.draws[:, second] for each in some], axis=1)
        frame = describe_draws(draws, ci_prob, "hdi")
        keys = {
            "level": [each.level for each in some],
            "protected_group": [each.protected_group for each in some],
        }
        frames.append(in_front(frame, **keys, first="associated", second=other))
    return pd.concat(frames, ignore_index=True)
