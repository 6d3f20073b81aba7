"""All scores of a word list in one frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from .._core.display import abridged
from .._core.intervals import check_probability
from .._core.random import Seed, as_seed_sequence
from ..embeddings.word_sets import WordVectors
from ..tables.wordlists import WordList
from .list_rows import ListRows, Picks, list_rows, selections
from .permutation import Alternative, named_alternative
from .registry import SCORES, ListScore, named_scores
from .resampling import N_RESAMPLES, interval, resampled_values, resamples

SCORE_TABLE_COLUMNS = (
    *("score", "groups", "value", "low", "high", "interval", "no_bias", "direction", "reading"),
    *("p_value", "p_low", "p_high", "choices", "note"),
)
"""Columns of `score_table`, in order."""


def score_table(
    vectors: WordVectors,
    wordlist: WordList,
    *,
    scores: Iterable[str] | None = None,
    ci_prob: float = 0.89,
    n_resamples: int = N_RESAMPLES,
    alternative: Alternative = "two-sided",
    seed: Seed = None,
) -> pd.DataFrame:
    """Compute every score of a word list that applies, with intervals and p-values.

    Protected words of the groups are X and Y, their stereotypes A and B. Scores of two groups
    are computed on every pair of groups, scores of any number of groups once.

    Parameters
    ----------
    vectors : KeyedVectors
    wordlist : WordList
        With stereotypes for every group.
    scores : iterable of str, optional
        Names of ``SCORES``; all if not given.
    ci_prob : float
        Level of the intervals, in (0, 1); bootstrap over words, see `bootstrap`.
    n_resamples : int
        Every score is computed on the same resamplings.
    alternative : {"two-sided", "greater", "less"}
        Of WEAT's p-value.
    seed : int, SeedSequence, Generator or None
        Recorded in the frame's ``attrs``.

    Returns
    -------
    DataFrame
        ``SCORE_TABLE_COLUMNS``, one row a score and choice of groups. ``groups`` names the groups
        in order. ``interval`` is what ``low`` and ``high`` come from, here ``bootstrap``;
        ``no_bias`` is the value of no bias, and values in ``direction`` of it mean what
        ``reading`` says. ``value`` is missing only where ``note`` says why; ``p_value`` only for
        scores without a test. ``note`` also names words left out and resamplings left out.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> vectors = bb.load_vectors("glove-demo", wordlist)
    >>> frame = bb.score_table(vectors, wordlist, scores=["mac"], seed=1)
    >>> frame["score"].tolist()
    ['mac']
    """
    check_probability(ci_prob)
    named_alternative(alternative)
    rows, missing = list_rows(vectors, wordlist)
    specs = named_scores(SCORES if scores is None else scores)
    sequence = as_seed_sequence(seed)
    picks = resamples(rows, n_resamples, sequence)
    lost = [word for words in missing.values() for word in words]
    left_out = f"left out, not in the embedding: {abridged(lost)}" if lost else ""
    made = []
    for name, spec in specs.items():
        for at in selections(rows, spec.scope):
            some = rows.of_groups(at)
            row = {"score": name} | _row(spec, some, picks.of_groups(at), ci_prob)
            if spec.test is not None and not np.isnan(row["value"]):
                test = spec.test(some, alternative)
                row |= {"p_value": test.p_value, "p_low": test.low, "p_high": test.high}
                row["choices"] = f"{spec.choices}, {alternative}"
            made.append(row | {"note": _joined(row["note"], left_out)})
    frame = pd.DataFrame(made, columns=list(SCORE_TABLE_COLUMNS))
    frame.attrs = {"ci_prob": ci_prob, "ci_kind": "eti", "alternative": alternative}
    frame.attrs["seed"] = sequence.entropy
    return frame


def _row(spec: ListScore, rows: ListRows, picks: Picks, ci_prob: float) -> dict[str, Any]:
    stated = ("no_bias", "direction", "reading", "choices", "note")
    row = {name: getattr(spec, name) for name in stated}
    row |= {"groups": ", ".join(rows.groups), "value": np.nan, "interval": "bootstrap"}
    try:
        row["value"] = spec.value(rows)
        values = resampled_values(spec, rows, picks)
    except (ValueError, ImportError) as error:
        return row | {"note": str(error)}
    row["low"], row["high"] = interval(values, ci_prob)
    undefined = int(np.isnan(values).sum())
    told = f"undefined in {undefined} of {len(values)} resamplings" if undefined else ""
    return row | {"note": _joined(spec.note, told)}


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))
