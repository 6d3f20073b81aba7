"""Scores before and after: single numbers that accompany the posterior of the change."""

from __future__ import annotations

import pandas as pd

from .._core.display import abridged
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from .._core.random import Seed, as_seed_sequence
from ..embeddings.word_sets import WordVectors
from ..scores.groups import mac, mac_change, mac_of_table
from ..scores.list_rows import list_rows, selections
from ..scores.registry import Scores, chosen_scores
from ..scores.result import ScoreResult
from ..scores.table import N_RESAMPLES, interval, resampled_values, resamples
from ..tables.wordlists import WordList
from .pairing import pair

DEFAULT_SCORES = ("mac", "weat", "same", "direct_bias")
"""The scores that debiasing is usually judged by."""

SCORE_CHANGE_COLUMNS = (
    *("score", "groups", "before", "after", "change", "low", "high", "no_bias"),
    *("t", "p_value", "n_pairs", "note"),
)
"""Columns of the frames made here."""


def mac_before_after(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """MAC of two tables with Manzini et al.'s paired t-test, on the rows that both have.

    Returns
    -------
    DataFrame
        One row: ``score``, ``groups``, ``before``, ``after``, ``change``; ``t``, ``p_value`` and
        ``n_pairs`` of the t-test over (protected word, attribute set), see `scores.mac_change`;
        ``low`` and ``high`` are missing, since it gives no interval.
    """
    rows = pair(before, after).rows
    one, other = (
        mac_of_table(rows.rename(columns={when: "cosine_distance"})) for when in ("before", "after")
    )
    row: dict[str, object] = {"score": "mac"}
    row |= {"groups": ", ".join(dict.fromkeys(rows["protected_group"]))}
    row |= {"before": one.score, "after": other.score, "change": other.score - one.score}
    row |= {"no_bias": 1.0, **_t_test(one, other)}
    return pd.DataFrame([row], columns=list(SCORE_CHANGE_COLUMNS))


def scores_before_after(
    before: WordVectors,
    after: WordVectors,
    wordlist: WordList,
    *,
    scores: Scores = DEFAULT_SCORES,
    ci_prob: float = DEFAULT_CI_PROB,
    n_resamples: int = N_RESAMPLES,
    seed: Seed = None,
) -> pd.DataFrame:
    """Scores of a word list in two embeddings, such as before and after debiasing.

    Parameters
    ----------
    before, after : KeyedVectors
        Both with the same words of the list.
    wordlist : WordList
        With stereotypes for every group.
    scores : iterable of str, or mapping of str to ListScore
        Names of ``scores.SCORES``, or scores of your own by name.
    ci_prob : float
        Level of the intervals of the change, in (0, 1).
    n_resamples, seed
        Of the bootstrap over words, in which before and after always have the same words.

    Returns
    -------
    DataFrame
        One row a score and choice of groups: ``score``, ``groups``, ``before``, ``after``,
        ``change``; ``low`` and ``high`` of the change; ``no_bias``, the value of no bias; for MAC
        ``t``, ``p_value`` and ``n_pairs`` of the paired t-test (Manzini et al., 2019); ``note``.

    Raises
    ------
    ValueError
        If a word of the list is in one of the embeddings only, or a score is unknown.
    """
    check_probability(ci_prob)
    specs = chosen_scores(scores)
    found = [list_rows(vectors, wordlist) for vectors in (before, after)]
    _require_same_words(*(missing for _, missing in found))
    one, other = (rows for rows, _ in found)
    sequence = as_seed_sequence(seed)
    jobs = [(name, at) for name, spec in specs.items() for at in selections(one, spec.scope)]
    drawn = [
        resampled_values(
            [(specs[name], at) for name, at in jobs], rows, resamples(rows, n_resamples, sequence)
        )
        for rows in (one, other)  # equal seeds, equal words
    ]
    made = []
    for (name, at), changes in zip(jobs, drawn[1] - drawn[0], strict=True):
        spec, groups = specs[name], ", ".join(one.of_groups(at).groups)
        row = {"score": name, "groups": groups, "no_bias": spec.no_bias, "note": spec.note}
        try:
            first, second = (spec.value(rows.of_groups(at)) for rows in (one, other))
            row |= {"before": first, "after": second, "change": second - first}
            row["low"], row["high"] = interval(changes, ci_prob)
        except ValueError as error:
            row["note"] = str(error)
        if name == "mac":
            row |= _t_test(mac(before, wordlist), mac(after, wordlist))
        made.append(row)
    frame = pd.DataFrame(made, columns=list(SCORE_CHANGE_COLUMNS))
    frame.attrs |= {"ci_prob": ci_prob, "seed": sequence.entropy}
    return frame


def _t_test(before: ScoreResult, after: ScoreResult) -> dict[str, object]:
    try:
        test = mac_change(before, after)
    except ValueError as error:
        return {"note": str(error)}
    return {**test[["t", "p_value", "n_pairs"]], "note": "paired t-test"}


def _require_same_words(
    before: dict[str, tuple[str, ...]], after: dict[str, tuple[str, ...]]
) -> None:
    lost = [{word for words in missing.values() for word in words} for missing in (before, after)]
    only = sorted(lost[0] ^ lost[1])
    if only:
        raise ValueError(
            f"in one of the two embeddings only: {abridged(only)}; before and after must have the "
            "same words, so take them out of the list or of the embedding that has them"
        )
