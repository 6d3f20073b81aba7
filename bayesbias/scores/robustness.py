"""How far a score can be trusted on a list: what becomes of it on parts of the list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np
import pandas as pd

from .._core.intervals import check_probability
from .._core.random import Seed, as_seed_sequence
from ..embeddings.word_sets import WordVectors
from ..tables.wordlists import WordList
from .list_rows import Indices, ListRows, Picks, list_rows, selections
from .registry import SCORES, Scores, chosen_scores
from .table import interval


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
    """Compute scores on random sub-lists.

    Parameters
    ----------
    vectors, wordlist, scores, ci_prob, seed
        As for `score_table`; all scores that are not costly if none are given.
    shares : sequence of float
        Each in (0, 1]; a sub-list holds this share of every set's words, rounded up. The whole
        list, 1, is always among them.
    repeats : int
        Sub-lists for every share below 1, at least 2.
    shuffled : bool
        Deal the protected words out to the groups at random in every sub-list, so that groups mean
        nothing: how far scores lie from no bias then is what to compare others with.

    Returns
    -------
    DataFrame
        One row a score, choice of groups and share: ``score``, ``groups``, ``share``, ``no_bias``;
        ``full``, the score of the whole list; ``mean``, ``sd``, ``low`` and ``high`` over
        sub-lists; ``deviation``, the mean absolute difference from ``full``; ``n``, how many values
        are defined.

    References
    ----------
    Schröder, Schulz, Hammer (2024), The SAME score, section 5.3.

    Examples
    --------
    >>> import bayesbias as bb
    >>> weat7 = bb.load_wordlist("weat7")
    >>> frame = robustness("glove-demo", weat7, scores=["weat"], shares=[0.5], seed=1)
    >>> frame[["share", "deviation"]].round(2).to_numpy().tolist()
    [[0.5, 0.48], [1.0, 0.0]]
    """
    if not shares or any(not 0 < share <= 1 for share in shares):
        raise ValueError(f"shares must lie in (0, 1], got {list(shares)}; 0.2 stands for 20%")
    if repeats < 2:
        raise ValueError(f"repeats must be at least 2, got {repeats}; 50 is usual")
    check_probability(ci_prob)
    rows, _ = list_rows(vectors, wordlist)
    default = [name for name, spec in SCORES.items() if spec.resampled is None]
    sequence = as_seed_sequence(seed)
    random = np.random.default_rng(sequence)
    lists = {
        share: [_sublist(rows, share, random) for _ in range(repeats)]
        for share in sorted({*shares} - {1.0})
    }
    lists[1.0] = [rows] * (repeats if shuffled else 1)
    if shuffled:
        lists = {share: [_shuffled(part, random) for part in of] for share, of in lists.items()}
    made = []
    for name, spec in chosen_scores(default if scores is None else scores).items():
        for groups in selections(rows, spec.scope):
            values = {
                share: pd.Series([spec.value_or_nan(part.of_groups(groups)) for part in parts])
                for share, parts in lists.items()
            }
            full = values[1.0].mean(skipna=False)
            stated = {"score": name, "groups": ", ".join(rows.of_groups(groups).groups)}
            for share, drawn in values.items():
                low, high = interval(np.asarray(drawn, dtype=np.float64), ci_prob)
                sd = drawn.std(ddof=min(1, drawn.count() - 1))
                made.append({
                    **stated, "share": share, "no_bias": spec.no_bias, "full": full,
                    "mean": drawn.mean(), "sd": sd, "low": low, "high": high,
                    "deviation": (drawn - full).abs().mean(),
                    "n": drawn.count(),
                })  # fmt: skip
    frame = pd.DataFrame(made)
    frame.attrs = {"ci_prob": ci_prob, "ci_kind": "eti", "seed": sequence.entropy}
    return frame


def _sublist(rows: ListRows, share: float, random: np.random.Generator) -> ListRows:
    def picks(size: int) -> Indices:
        return np.sort(random.permutation(size)[: ceil(share * size - 1e-9)])

    protected, stereotypes, n_sets = rows.sizes()
    sets = tuple(map(picks, protected)), tuple(map(picks, stereotypes))
    return rows.of_words(Picks(*sets, picks(n_sets)))


def _shuffled(rows: ListRows, random: np.random.Generator) -> ListRows:
    """Deal the protected words out to the groups, and to the pairs, at random."""
    ends = np.cumsum(rows.sizes()[0])
    order = random.permutation(ends[-1])
    vectors = tuple(np.split(np.concatenate(rows.protected)[order], ends[:-1]))
    words = tuple(np.split(np.concatenate(rows.protected_words)[order], ends[:-1]))
    defining = rows.defining
    if defining is not None and len(defining):
        members = defining.reshape(-1, defining.shape[2])
        defining = members[random.permutation(len(members))].reshape(defining.shape)
    return replace(rows, protected=vectors, protected_words=words, defining=defining)
