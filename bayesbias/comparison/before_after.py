"""Scores of a word list before and after debiasing, and checks for bias that can be recovered."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.display import abridged
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from .._core.random import Seed, as_seed_sequence
from .._core.warnings import warn
from ..debias import DefiningSets, load_defining_sets, remaining_bias
from ..debias.recovery import VOCABULARY
from ..embeddings.load import VectorsLike, load_vectors
from ..embeddings.registry import open_embedding
from ..embeddings.source import Embedding
from ..embeddings.word_sets import WordVectors
from ..scores.directions import direct_bias, same
from ..scores.groups import mac, mac_change, mac_of_table
from ..scores.list_rows import list_rows, selections
from ..scores.registry import Scores, chosen_scores
from ..scores.result import ScoreResult
from ..scores.table import N_RESAMPLES, interval, resampled_values, resamples
from ..tables.spellings import KeyedVectors
from ..tables.wordlists import WordList
from ..warnings import OnlyListedChanged
from .pairing import pair

DEFAULT_SCORES = ("mac", "weat", "same", "direct_bias")
"""The scores that are commonly used to evaluate debiasing."""

SCORE_CHANGE_COLUMNS = (
    *("score", "groups", "before", "after", "change", "low", "high", "no_bias"),
    *("t", "p_value", "n_pairs", "note"),
)
"""Columns of the data frames of scores before and after debiasing."""

N_UNLISTED = 1_000
"""Number of words outside a list that are compared before and after a change."""

FEWEST_UNLISTED = 20
"""With fewer words outside the list, a file is taken to hold the list alone."""

MOST_UNCHANGED = 0.95
"""Share of these words that must be unchanged for the warning that only listed words changed."""

SAME_DIRECTION = 1e-7
"""Vectors are unchanged if 1 - cosine is at most this, the rounding of text with four digits."""


def mac_before_after(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Compute MAC from the rows that two tables share, with Manzini et al.'s paired t-test.

    The result is one row with the columns of `scores_before_after`, but without an interval.
    """
    rows = pair(before, after).rows
    first, second = (
        mac_of_table(rows.rename(columns={when: "cosine_distance"})) for when in ("before", "after")
    )
    row: dict[str, object] = {"score": "mac"}
    row |= {"groups": ", ".join(dict.fromkeys(rows["protected_group"]))}
    row |= {"before": first.score, "after": second.score, "change": second.score - first.score}
    row |= {"no_bias": 1.0, **_t_test(first, second)}
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
    """Compute scores of a word list in two embeddings (for example, before and after debiasing).

    Parameters
    ----------
    before, after : KeyedVectors
        Two embeddings that contain the same words of the list.
    wordlist : WordList
        A list with stereotypes for every group.
    scores : iterable of str, or mapping of str to ListScore
        Names from ``scores.SCORES``, or your own scores keyed by name.
    ci_prob : float
        Probability of the intervals for the change, in (0, 1).
    n_resamples, seed
        Settings of the bootstrap over words, which draws the same words from both embeddings.

    Returns
    -------
    DataFrame
        One row for each score and choice of groups, with the columns `SCORE_CHANGE_COLUMNS`.
        ``low`` to ``high`` is the change's interval, and ``no_bias`` is the score without any bias.
        ``t``, ``p_value``, and ``n_pairs`` are from MAC's paired t-test (Manzini et al., 2019).
    """
    check_probability(ci_prob)
    specs = chosen_scores(scores)
    (first, missing), (second, also_missing) = (list_rows(v, wordlist) for v in (before, after))
    lost, also_lost = ({w for words in m.values() for w in words} for m in (missing, also_missing))
    if lost != also_lost:
        raise ValueError(
            f"words in only one embedding: {abridged(sorted(lost ^ also_lost))}; remove each from "
            "the list or from that embedding"
        )
    sequence, rows = as_seed_sequence(seed), []
    jobs = [(name, at) for name, spec in specs.items() for at in selections(first, spec.scope)]
    values = [
        resampled_values(
            [(specs[name], at) for name, at in jobs], held, resamples(held, n_resamples, sequence)
        )
        for held in (first, second)  # equal seeds draw equal words
    ]
    for (name, at), changes in zip(jobs, values[1] - values[0], strict=True):
        spec, groups = specs[name], ", ".join(first.of_groups(at).groups)
        row = {"score": name, "groups": groups, "no_bias": spec.no_bias, "note": spec.note}
        try:
            old, new = (spec.value(held.of_groups(at)) for held in (first, second))
            row |= {"before": old, "after": new, "change": new - old}
            row["low"], row["high"] = interval(changes, ci_prob)
        except ValueError as error:
            row["note"] = str(error)
        if name == "mac":
            row |= _t_test(mac(before, wordlist), mac(after, wordlist))
        rows.append(row)
    frame = pd.DataFrame(rows, columns=list(SCORE_CHANGE_COLUMNS))
    frame.attrs |= {"ci_prob": ci_prob, "seed": sequence.entropy}
    return frame


def _t_test(before: ScoreResult, after: ScoreResult) -> dict[str, object]:
    try:
        test = mac_change(before, after)
    except ValueError as error:
        return {"note": str(error)}
    return {**test[["t", "p_value", "n_pairs"]], "note": "paired t-test"}


def bias_before_after(
    before: KeyedVectors,
    after: KeyedVectors,
    sets: str | Path | DefiningSets = "gender",
    *,
    n_words: int | None = None,
    seed: Seed = None,
) -> pd.DataFrame:
    """Compute Direct Bias and SAME, which debiasing usually lowers, and the bias that may remain.

    Parameters
    ----------
    before, after : KeyedVectors
        Embeddings with their whole vocabularies, not only the words of a list.
    sets : str, path, or DefiningSets
        Defining words, and targets such as professions. In each embedding, the vectors of the
        defining words determine the directions of bias.
    n_words, seed
        See `debias.remaining_bias`.

    Returns
    -------
    DataFrame
        If any targets are in both embeddings, the rows ``direct_bias`` and ``same`` are means over
        them; 0 means no bias. The other rows are those of `debias.remaining_bias`.
    """
    lists = load_defining_sets(sets)
    lists = lists.in_case(lists.case, before)
    targets = [word for word in lists.targets if word in before and word in after]
    rows = []
    if targets:
        for name, score, words in (
            ("direct_bias", direct_bias, lists.defining),
            ("same", same, lists.groups),
        ):
            ends = [score(vectors, targets, words).score for vectors in (before, after)]
            rows.append((name, "mean over targets", *ends, 0.0, len(targets)))
    sequence = as_seed_sequence(seed)
    checks = remaining_bias(before, after, lists, n_words=n_words, seed=sequence)
    rows += list(checks.itertuples(index=False, name=None))
    frame = pd.DataFrame(rows, columns=list(checks.columns))
    frame.attrs["seed"] = sequence.entropy
    return frame


def load_frequent(
    source: VectorsLike, sets: DefiningSets, *, allow_pickle: bool = False, progressbar: bool = True
) -> KeyedVectors:
    """Load the first words of an embedding and all words of the sets, for `bias_before_after`."""
    chunks = open_embedding(source, allow_pickle=allow_pickle, progressbar=False).chunks()
    names = list(islice(chain.from_iterable(chunk.words for chunk in chunks), VOCABULARY))
    wanted = list(dict.fromkeys([*names, *sorted(sets.forms), *sets.targets]))
    return load_vectors(source, wanted, allow_pickle=allow_pickle, progressbar=progressbar)


def warn_if_only_listed_changed(
    before: VectorsLike, after: VectorsLike, listed: Collection[str], *, allow_pickle: bool = False
) -> None:
    """Warn if the first words that are not in a list have the same directions in both embeddings.

    Files are read only as far as their first words. Encoders, which have no words, are left out.
    Vectors of different dimensions have no directions in common.
    """
    sources = [
        open_embedding(source, allow_pickle=allow_pickle, progressbar=False)
        for source in (before, after)
    ]
    if any(source.makes for source in sources):
        return
    first, second = (_first_directions(source, listed) for source in sources)
    shared = [word for word in first if word in second]
    if any(len(first[word]) != len(second[word]) for word in shared):
        return
    unchanged = sum(float(first[word] @ second[word]) > 1 - SAME_DIRECTION for word in shared)
    if len(shared) >= FEWEST_UNLISTED and unchanged >= MOST_UNCHANGED * len(shared):
        warn(OnlyListedChanged(unchanged, len(shared)))


def _first_directions(source: Embedding, listed: Collection[str]) -> dict[str, FloatArray]:
    """Return the unit vectors of the first words that have a direction and are not listed."""
    found: dict[str, FloatArray] = {}
    for chunk in source.chunks():
        for word, vector in zip(chunk.words, np.asarray(chunk.vectors, np.float64), strict=True):
            length = np.linalg.norm(vector)
            if word not in listed and 0 < length < np.inf:
                found[word] = vector / length
        if len(found) >= N_UNLISTED:
            break
    return dict(islice(found.items(), N_UNLISTED))
