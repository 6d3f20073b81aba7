"""All scores of a word list in one frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from .._core.display import abridged
from .._core.intervals import check_probability
from ..embeddings.word_sets import WordVectors
from ..tables.wordlists import WordList
from .bootstrap import DRAWS, Resampled, interval, list_draws, resampled
from .list_rows import ListRows, list_rows, selections
from .permutation import Seed, Sides, named_sides, permutation_test
from .registry import SCORES, ListScore, named_scores
from .weam import psi_of

TABLE_COLUMNS = (
    "score",
    "groups",
    "value",
    "low",
    "high",
    "interval",
    "no_bias",
    "direction",
    "reading",
    "p_value",
    "p_low",
    "p_high",
    "choices",
    "note",
)
"""Columns of `score_table`, in order."""

TESTED = ("weat", "weat_statistic")
"""Scores with a permutation p-value; d and S order the splits alike, so that it is the same."""


def score_table(
    vectors: WordVectors,
    wordlist: WordList,
    *,
    scores: Iterable[str] | None = None,
    ci_prob: float = 0.89,
    draws: int = DRAWS,
    seed: Seed = 0,
    sides: Sides = "two",
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
    draws : int
        Resamplings; every score is computed on the same ones.
    seed : int, SeedSequence or Generator
    sides : {"two", "one"}
        Of WEAT's p-value.

    Returns
    -------
    DataFrame
        ``TABLE_COLUMNS``, one row a score and choice of groups. ``groups`` names the groups in
        order. ``interval`` is what ``low`` and ``high`` come from, here ``bootstrap``;
        ``no_bias`` is the value of no bias, and values in ``direction`` of it mean what
        ``reading`` says. ``value`` is missing only where ``note`` says why; ``p_value`` only for
        scores without a test. ``note`` also names words left out and resamplings left out.
    """
    check_probability(ci_prob)
    named_sides(sides)
    rows, missing = list_rows(vectors, wordlist)
    specs = named_scores(SCORES if scores is None else scores)
    drawn = resampled(rows, draws, seed)
    lost = [word for words in missing.values() for word in words]
    left_out = f"left out, not in the embedding: {abridged(lost)}" if lost else ""
    made = []
    for name, spec in specs.items():
        for at in selections(rows, spec.scope):
            row = _row(spec, rows.of_groups(at), drawn.of_groups(at), ci_prob)
            if name in TESTED and not np.isnan(row["value"]):
                row |= _p_values(rows.of_groups(at), sides)
                row["choices"] += f", {sides}-sided"
            row["note"] = "; ".join(filter(None, [row["note"], left_out]))
            made.append({"score": name} | row)
    frame = pd.DataFrame(made, columns=list(TABLE_COLUMNS))
    frame.attrs = {"ci_prob": ci_prob, "sides": sides}
    return frame


def _row(spec: ListScore, rows: ListRows, drawn: Resampled, ci_prob: float) -> dict[str, Any]:
    row = {
        "groups": ", ".join(rows.groups),
        "value": np.nan,
        "interval": "bootstrap",
        "no_bias": spec.no_bias,
        "direction": spec.direction,
        "reading": spec.reading,
        "choices": spec.choices,
        "note": spec.note,
    }
    try:
        row["value"] = spec.value(rows)
        values = list_draws(spec, rows, drawn)
    except (ValueError, ImportError) as error:
        return row | {"note": str(error)}
    row["low"], row["high"] = interval(values, ci_prob)
    undefined = int(np.isnan(values).sum())
    if undefined:
        row["note"] = "; ".join(
            filter(None, [spec.note, f"undefined in {undefined} of {len(values)} resamplings"])
        )
    return row


def _p_values(rows: ListRows, sides: Sides) -> dict[str, float]:
    x, y = (psi_of(each, *rows.stereotypes) for each in rows.protected)
    test = permutation_test(x, y, sides=sides)
    return {"p_value": test.p_value, "p_low": test.p_bounds[0], "p_high": test.p_bounds[1]}
