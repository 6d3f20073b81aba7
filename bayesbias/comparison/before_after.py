"""Scores of a word list before and after debiasing, and checks for bias that can be recovered."""

from __future__ import annotations

from collections.abc import Collection, Container
from itertools import chain, islice
from pathlib import Path
from typing import Any

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
from ..scores.list_rows import ListRows, list_rows, selections
from ..scores.registry import SCORES, Scores, chosen_scores
from ..scores.result import ScoreResult
from ..scores.table import N_RESAMPLES, interval, note_of, resampled_values, resamples
from ..tables.spellings import KeyedVectors
from ..tables.wordlists import WordList
from ..warnings import MissingWords, OnlyListedChanged
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
    pairs = pair(before, after)
    first, second = map(mac_of_table, pairs.tables)
    row: dict[str, object] = {"score": "mac"}
    row |= {"groups": ", ".join(dict.fromkeys(pairs.rows["protected_group"]))}
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
        ``note`` is as in `score_table`.
    """
    check_probability(ci_prob)
    specs = chosen_scores(scores)
    (first, missing), (second, _) = (list_rows(v, wordlist) for v in (before, after))
    if differing := {word for word, _ in _counted(first) ^ _counted(second)}:
        raise ValueError(
            f"words that count in only one embedding: {abridged(sorted(differing))}; the other "
            "does not have them, or gives them the vector of another spelling. Remove each from "
            "the list"
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
        row: dict[str, Any] = {"score": name, "groups": groups}
        row |= {"no_bias": spec.no_bias, "note": spec.note}
        try:
            old, new = (spec.value(held.of_groups(at)) for held in (first, second))
        except ValueError as error:
            row["note"] = note_of(str(error), missing)
        else:
            row |= {"before": old, "after": new, "change": new - old}
            row["low"], row["high"] = interval(changes, ci_prob)
            if spec is SCORES["mac"]:
                row |= _t_test(mac(before, wordlist), mac(after, wordlist))
            row["note"] = note_of(row["note"], missing, changes)
        rows.append(row)
    frame = pd.DataFrame(rows, columns=list(SCORE_CHANGE_COLUMNS))
    frame.attrs |= {"ci_prob": ci_prob, "seed": sequence.entropy}
    return frame


def _counted(rows: ListRows) -> set[tuple[str, str]]:
    """Return the words of a list, each with the name of all spellings of its vector."""
    words = np.concatenate([*rows.protected_words, *rows.stereotype_words]).tolist()
    names = np.concatenate([*rows.protected_names, *rows.stereotype_names]).tolist()
    return {*zip(words, names, strict=True)}


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
        defining words determine the directions of bias. A warning names defining words that are not
        in both embeddings; Direct Bias and SAME are without them.
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
    named = dict.fromkeys(chain(lists.targets, *lists.defining))
    shared = {word for word in named if word in before and word in after}
    targets, rows = [word for word in lists.targets if word in shared], []
    if targets:
        tuples = [members for members in lists.defining if shared.issuperset(members)]
        groups = {
            name: [word for word in words if word in shared] for name, words in lists.groups.items()
        }
        _warn_of_lost(lists, shared)
        if not tuples:
            raise ValueError(f"no defining set of {lists.name!r} is complete in both embeddings")
        for name, score, words in (("direct_bias", direct_bias, tuples), ("same", same, groups)):
            ends = [score(vectors, targets, words).score for vectors in (before, after)]
            rows.append((name, "mean over targets", *ends, 0.0, len(targets)))
    sequence = as_seed_sequence(seed)
    checks = remaining_bias(before, after, lists, n_words=n_words, seed=sequence)
    rows += list(checks.itertuples(index=False, name=None))
    frame = pd.DataFrame(rows, columns=list(checks.columns))
    frame.attrs["seed"] = sequence.entropy
    return frame


def _warn_of_lost(lists: DefiningSets, shared: Container[str]) -> None:
    """Warn of defining words that are not in both embeddings."""
    words = dict.fromkeys(chain(*lists.defining))
    if lost := tuple(word for word in words if word not in shared):
        why = "they are not in both embeddings"
        warn(MissingWords(len(lost), len(words), "defining word", why, lost))


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
