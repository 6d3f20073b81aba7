"""All scores of a word list in one frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .._core.display import abridged
from .._core.intervals import check_probability
from .._core.random import Seed, as_seed_sequence
from ..embeddings.word_sets import WordVectors
from ..tables.wordlists import WordList
from .bootstrap import N_RESAMPLES, interval, resampled_values, resamples
from .list_rows import ListRows, list_rows, selections
from .permutation import Alternative, named_alternative
from .registry import SCORES, ListScore, Scores, chosen_scores

SCORE_TABLE_COLUMNS = (
    *("score", "groups", "value", "low", "high", "interval", "no_bias", "direction", "reading"),
    *("p_value", "p_low", "p_high", "choices", "note"),
)
"""Columns of `score_table`, in order."""

STATED = ("no_bias", "direction", "reading", "choices", "note")
"""Columns that every score states of itself."""


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
    """Compute every score of a word list that applies, with intervals and p-values.

    Protected words of the groups are X and Y, their stereotypes A and B. Scores of two groups
    are computed on every pair of groups, scores of any number of groups once.

    Parameters
    ----------
    vectors : KeyedVectors
    wordlist : WordList
        With stereotypes for every group.
    scores : iterable of str, or mapping of str to ListScore, optional
        Names of ``SCORES``, or scores of your own by name; all of ``SCORES`` if not given.
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
    >>> frame[["score", "value"]].round(3).to_numpy().tolist()
    [['mac', 0.902]]
    """
    check_probability(ci_prob)
    named_alternative(alternative)
    rows, missing = list_rows(vectors, wordlist)
    specs = chosen_scores(SCORES if scores is None else scores)
    sequence = as_seed_sequence(seed)
    picks = resamples(rows, n_resamples, sequence)
    named = [(name, at) for name, spec in specs.items() for at in selections(rows, spec.scope)]
    made = [_row(name, specs[name], rows.of_groups(at), alternative) for name, at in named]
    defined = [number for number, row in enumerate(made) if not np.isnan(row["value"])]
    jobs = [(specs[made[number]["score"]], named[number][1]) for number in defined]
    for number, values in zip(defined, resampled_values(jobs, rows, picks), strict=True):
        made[number]["low"], made[number]["high"] = interval(values, ci_prob)
        if undefined := int(np.isnan(values).sum()):
            note = f"undefined in {undefined} of {len(values)} resamplings"
            made[number]["note"] = _joined(made[number]["note"], note)
    lost = [word for words in missing.values() for word in words]
    left_out = f"left out, not in the embedding: {abridged(lost)}" if lost else ""
    frame = pd.DataFrame(made, columns=list(SCORE_TABLE_COLUMNS))
    frame["note"] = [_joined(note, left_out) for note in frame["note"]]
    frame.attrs = {"ci_prob": ci_prob, "ci_kind": "eti", "alternative": alternative}
    frame.attrs["seed"] = sequence.entropy
    return frame


def _row(name: str, spec: ListScore, rows: ListRows, alternative: Alternative) -> dict[str, Any]:
    """The score, what it states of itself, and its p-value."""
    row = {field: getattr(spec, field) for field in STATED}
    row |= {"score": name, "groups": ", ".join(rows.groups), "interval": "bootstrap"}
    try:
        row["value"] = spec.value(rows)
    except ValueError as error:
        return row | {"value": np.nan, "note": str(error)}
    if spec.test is not None:
        test = spec.test(rows, alternative)
        row |= {"p_value": test.p_value, "p_low": test.low, "p_high": test.high}
        row["choices"] = f"{spec.choices}, {alternative}"
    return row


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))
