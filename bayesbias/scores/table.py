"""All scores of a word list in one frame, with intervals from resampled words.

Intervals show how much a score would vary with other words of the same kind. They do not show
how much it would vary if the embedding were trained again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from .._core.checks import check_numbers
from .._core.display import abridged
from .._core.intervals import check_probability
from .._core.random import Seed, as_seed_sequence
from ..embeddings.word_sets import WordVectors
from ..tables.wordlists import WordList
from .list_rows import Indices, ListRows, Picks, list_rows, selections
from .permutation import Alternative, named_alternative
from .registry import SCORES, ListScore, Scores, chosen_scores

N_RESAMPLES = 1000
"""Number of resamplings; the ends of 89% intervals vary by about a tenth of the half-width."""

SCORE_TABLE_COLUMNS = (
    *("score", "groups", "value", "low", "high", "interval", "no_bias", "direction", "reading"),
    *("p_value", "p_low", "p_high", "choices", "note"),
)
"""Columns of `score_table`, in order."""

type Job = tuple[ListScore, tuple[int, ...]]
"""A score and the positions of the groups from which it is computed."""


def score_table(
    vectors: WordVectors,
    wordlist: WordList,
    *,
    scores: Scores | None = None,
    ci_prob: float = 0.89,
    n_resamples: int = N_RESAMPLES,
    alternative: Alternative = "two-sided",
    seed: Seed = None,
) -> pd.DataFrame:
    """Compute every score that applies to a word list, with intervals and p-values.

    X and Y are the protected words of two groups; A and B are their stereotypes. Scores for two
    groups are computed for every pair of groups; other scores are computed once.

    Parameters
    ----------
    vectors : KeyedVectors
    wordlist : WordList
        Every group needs stereotypes.
    scores : iterable of str, or mapping of str to ListScore, optional
        Names from ``SCORES``, or your own scores keyed by name. The default is all of ``SCORES``.
    ci_prob : float
        Level of the equal-tailed percentile intervals, in (0, 1).
    n_resamples : int
        Number of resamplings, which all scores share. Words are drawn with replacement within each
        set; defining pairs are drawn as pairs.
    alternative : {"two-sided", "greater", "less"}
        The alternative hypothesis of WEAT's test.
    seed : int, SeedSequence, Generator, or None
        Seed for the resamplings, which is stored in the frame's ``attrs``.

    Returns
    -------
    DataFrame
        The columns are ``SCORE_TABLE_COLUMNS``, with one row per score and choice of groups.
        ``groups`` lists the groups in order. ``interval`` is the source of ``low`` and ``high``
        (here, ``bootstrap``). ``no_bias`` is the value that means no bias, and ``reading`` is the
        meaning of values above it (if ``direction`` is ``higher``) or below it (``lower``). If
        ``value`` is missing, ``note`` gives the reason; ``note`` also reports omitted words and
        undefined resamplings. ``p_value`` is missing for scores without a test.

    Notes
    -----
    A stereotype that several groups share counts once in scores of targets, such as ECT and SAME.
    Words at the same position of groups are pairs if the embedding has both, whatever other groups
    have.

    Resampling biases SAME, Direct Bias, and RNSB upward, because they measure the size of
    differences. If one of them is near 0, its interval can lie above the score. With fewer than
    about eight words per set, intervals are too narrow, because resampling cannot add new words.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> vectors = bb.load_vectors("glove-demo", wordlist)
    >>> frame = bb.score_table(vectors, wordlist, scores=["mac"], seed=1)
    >>> frame[["score", "value"]].round(3).to_numpy().tolist()
    [['mac', 0.902]]
    """
    check_probability(ci_prob)
    named_alternative(alternative)
    rows, missing = list_rows(vectors, wordlist)
    specs = chosen_scores(SCORES if scores is None else scores)
    sequence = as_seed_sequence(seed)
    picks = resamples(rows, n_resamples, sequence)
    made = [
        (spec, groups, _row(name, spec, rows.of_groups(groups), alternative))
        for name, spec in specs.items()
        for groups in selections(rows, spec.scope)
    ]
    defined = [job for job in made if not np.isnan(job[2]["value"])]
    jobs = [(spec, groups) for spec, groups, _ in defined]
    for (_, _, row), values in zip(defined, resampled_values(jobs, rows, picks), strict=True):
        row["low"], row["high"] = interval(values, ci_prob)
        row["values"] = values
    for _, _, row in made:
        row["note"] = note_of(row["note"], missing, row.pop("values", ()))
    frame = pd.DataFrame([row for _, _, row in made], columns=list(SCORE_TABLE_COLUMNS))
    frame.attrs = {"ci_prob": ci_prob, "ci_kind": "eti", "alternative": alternative}
    frame.attrs["seed"] = sequence.entropy
    return frame


def _row(name: str, spec: ListScore, rows: ListRows, alternative: Alternative) -> dict[str, Any]:
    """Return a score, its properties, and its p-value as a row of the table."""
    row: dict[str, Any] = {"score": name, "groups": ", ".join(rows.groups)}
    row |= {"interval": "bootstrap", "choices": spec.choices, "note": spec.note}
    row |= {of: getattr(spec, of) for of in ("no_bias", "direction", "reading")}
    try:
        row["value"] = spec.value(rows)
    except ValueError as error:
        return row | {"value": np.nan, "note": str(error)}
    if spec.test is not None:
        test = spec.test(rows, alternative)
        row |= {"p_value": test.p_value, "p_low": test.low, "p_high": test.high}
        row["choices"] = f"{spec.choices}, {alternative}"
    return row


def note_of(note: str, missing: Mapping[str, tuple[str, ...]], values: ArrayLike = ()) -> str:
    """Add undefined resamplings and missing words to the note of a score."""
    parts = [note]
    if undefined := int(np.isnan(values).sum()):
        parts += [f"undefined in {undefined} of {np.size(values)} resamplings"]
    if lost := [word for words in missing.values() for word in words]:
        parts += [f"left out, not in the embedding: {abridged(lost)}"]
    return "; ".join(filter(None, parts))


def resamples(rows: ListRows, n_resamples: int, seed: Seed) -> Picks:
    """Resample the words of every set, with replacement."""
    check_numbers(least=2, n_resamples=n_resamples)
    random = np.random.default_rng(as_seed_sequence(seed))

    def drawn(words: Sized) -> Indices:
        return random.integers(len(words), size=(n_resamples, len(words)))

    try:
        protected, stereotypes = (
            tuple(map(drawn, sets)) for sets in (rows.protected, rows.stereotypes)
        )
        parts = [rows, *(rows.of_groups(pair) for pair in selections(rows, "pair"))]
        sizes = dict.fromkeys(len(p.defining) for p in parts if p.defining is not None)
        return Picks(protected, stereotypes, {size: drawn(range(size)) for size in sizes})
    except MemoryError as error:
        why = f"n_resamples={n_resamples} needs too much memory: {error}; use {N_RESAMPLES}"
        raise ValueError(why) from None


def resampled_values(jobs: Sequence[Job], rows: ListRows, picks: Picks) -> FloatArray:
    """Compute the (n_jobs, n_resamples) scores of resamplings, with NaN for undefined scores."""
    values = np.full((len(jobs), len(picks.protected[0])), np.nan)
    for groups in {groups: None for _, groups in jobs}:
        part = rows.of_groups(groups)
        for resampling in range(values.shape[1]):
            drawn = part.resampled(picks, resampling, groups)
            for number, (spec, of) in enumerate(jobs):
                if of == groups:
                    with suppress(ValueError):
                        values[number, resampling] = spec.value(drawn)
    return values


def interval(values: FloatArray, ci_prob: float) -> tuple[float, float]:
    """Return the equal-tailed percentile interval of defined values (NaN if there are none)."""
    check_probability(ci_prob)
    defined = values[np.isfinite(values)]
    if not len(defined):
        return float("nan"), float("nan")
    low, high = np.quantile(defined, [(1 - ci_prob) / 2, (1 + ci_prob) / 2])
    return float(low), float(high)
