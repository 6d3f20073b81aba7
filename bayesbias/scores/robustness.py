"""How far a score can be trusted on a list: what becomes of it when words are left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np
import pandas as pd

from .._core.intervals import check_probability
from .._core.random import Seed, as_seed_sequence
from ..embeddings.word_sets import WordVectors
from ..tables.wordlists import WordList
from .list_rows import Indices, ListRows, Picks, list_rows, selections
from .registry import SCORES, ListScore, Scores, chosen_scores
from .table import interval

ROBUSTNESS_COLUMNS = (
    *("kind", "score", "groups", "share", "left_out", "no_bias"),
    *("full", "mean", "sd", "low", "high", "deviation", "deviation_share", "n"),
)
"""Columns of `robustness`, in order."""


def robustness(
    vectors: WordVectors,
    wordlist: WordList,
    *,
    scores: Scores | None = None,
    shares: Sequence[float] = (0.2, 0.4, 0.6, 0.8, 1.0),
    repeats: int = 50,
    shuffled: bool = False,
    ci_prob: float = 0.89,
    seed: Seed = None,
) -> pd.DataFrame:
    """Deviation of scores over random sub-lists and with single pairs left out.

    Parameters
    ----------
    vectors : KeyedVectors
    wordlist : WordList
        With stereotypes for every group.
    scores : iterable of str, or mapping of str to ListScore, optional
        As for `score_table`; if not given, all that apply and are not costly. ``rnsb`` is: it
        fits a classifier every time.
    shares : sequence of float
        Each in (0, 1]; a sub-list holds this share of every set's words, rounded up. The whole
        list, 1, is always among them.
    repeats : int
        Sub-lists for every share below 1.
    shuffled : bool
        Deal the protected words out to the groups at random in every sub-list, so that groups mean
        nothing: how far scores lie from no bias then is what to compare others with.
    ci_prob : float
        Level of the interval over sub-lists, in (0, 1).
    seed : int, SeedSequence, Generator or None
        Recorded in the frame's ``attrs``.

    Returns
    -------
    DataFrame
        ``ROBUSTNESS_COLUMNS``, one row a summary. ``kind`` is ``sublist`` (one row a share:
        ``mean``, ``sd``, ``low`` and ``high`` over sub-lists, ``deviation``, the mean
        absolute difference from the ``full`` list, and ``deviation_share``, in [0, 1]: the same
        over the width of the score's range, 4 for WEAT and 1 for SAME, so that scores compare;
        NaN where a score has no bounds) or ``leave_one_out`` (one row a pair left out, or a
        protected word where groups are not of equal size: ``mean`` is the value). ``n`` counts the
        values that are defined.

    References
    ----------
    Schröder, Schulz, Hammer (2024), The SAME score, section 5.3; its authors' program divides the
    deviations of WEAT by 4 (HammerLabML/PLMBiasMeasureBenchmark at f6fc6d2,
    src/ijcnn24/robustness.py).
    """
    if not shares or any(not 0 < share <= 1 for share in shares):
        raise ValueError(f"shares must lie in (0, 1], got {list(shares)}; 0.2 stands for 20%")
    if repeats < 2:
        raise ValueError(f"repeats must be at least 2, got {repeats}; 50 is usual")
    check_probability(ci_prob)
    rows, _ = list_rows(vectors, wordlist)
    default = [name for name, spec in SCORES.items() if not spec.costly]
    specs = chosen_scores(default if scores is None else scores)
    sequence = as_seed_sequence(seed)
    random = np.random.default_rng(sequence)
    below = sorted(set(shares) - {1.0})
    lists = {share: [_sublist(rows, share, random) for _ in range(repeats)] for share in below}
    lists[1.0] = [rows] * (repeats if shuffled else 1)
    if shuffled:
        lists = {share: [_shuffled(part, random) for part in of] for share, of in lists.items()}
    made: list[dict[str, Any]] = []
    for name, spec in specs.items():
        for at in selections(rows, spec.scope):
            start: dict[str, Any] = {"score": name, "groups": ", ".join(rows.of_groups(at).groups)}
            full = float(np.mean([spec.value_or_nan(part.of_groups(at)) for part in lists[1.0]]))
            start |= {"no_bias": spec.no_bias, "full": full}
            for share, parts in lists.items():
                values = np.array([spec.value_or_nan(part.of_groups(at)) for part in parts])
                made.append(
                    start | {"kind": "sublist", "share": share, **_summary(values, full, ci_prob)}
                )
            if not shuffled:
                made += [start | row for row in _left_out(spec, rows.of_groups(at), full)]
    frame = pd.DataFrame(made, columns=list(ROBUSTNESS_COLUMNS))
    frame["deviation_share"] = frame["deviation"] / [specs[name].width for name in frame["score"]]
    frame.attrs = {"ci_prob": ci_prob, "ci_kind": "eti", "seed": sequence.entropy}
    return frame


def _summary(values: np.ndarray, full: float, ci_prob: float) -> dict[str, Any]:
    defined = values[np.isfinite(values)]
    low, high = interval(defined, ci_prob)
    if not len(defined):
        return {"n": 0}
    sd = float(defined.std(ddof=1)) if len(defined) > 1 else 0.0
    row = {"mean": float(defined.mean()), "sd": sd, "low": low, "high": high}
    return row | {"deviation": float(np.abs(defined - full).mean()), "n": len(defined)}


def _left_out(spec: ListScore, rows: ListRows, full: float) -> Iterator[dict[str, Any]]:
    """The score without each pair or, without pairs, each word, unless a group is left empty."""
    units = (
        rows.defining_words
        if len(rows.defining_words)
        else np.concatenate(rows.protected_words)[:, None]
    )
    every = tuple(np.arange(len(words)) for words in rows.stereotypes)
    for unit in units:
        kept = tuple(np.flatnonzero(~np.isin(words, unit)) for words in rows.protected_words)
        if not all(map(len, kept)):
            continue
        sets = np.flatnonzero((rows.defining_words != unit).any(axis=1))
        value = spec.value_or_nan(rows.of_words(Picks(kept, every, sets)))
        yield {
            "kind": "leave_one_out",
            "left_out": ", ".join(unit),
            "mean": value,
            "deviation": abs(value - full),
            "n": int(np.isfinite(value)),
        }


def _sublist(rows: ListRows, share: float, random: np.random.Generator) -> ListRows:
    def picks(size: int) -> Indices:
        return np.sort(random.permutation(size)[: ceil(share * size - 1e-9)])

    protected, stereotypes, n_sets = rows.sizes()
    sets = tuple(map(picks, protected)), tuple(map(picks, stereotypes))
    return rows.of_words(Picks(*sets, picks(n_sets)))


def _shuffled(rows: ListRows, random: np.random.Generator) -> ListRows:
    """The protected words dealt out to the groups, and to the pairs, at random."""
    order = random.permutation(sum(map(len, rows.protected)))
    ends = np.cumsum([len(group) for group in rows.protected])[:-1]
    dealt: dict[str, Any] = {
        name: tuple(np.split(np.concatenate(getattr(rows, name))[order], ends))
        for name in ("protected", "protected_units", "protected_words")
    }
    if rows.defining is not None and len(rows.defining):
        members = rows.defining.reshape(-1, rows.defining.shape[2])
        dealt["defining"] = members[random.permutation(len(members))].reshape(rows.defining.shape)
    return replace(rows, **dealt)
