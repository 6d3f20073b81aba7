"""How far a score can be trusted on a list: what becomes of it when words are left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import Any, Literal

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.intervals import check_probability
from .._core.random import Seed, as_seed_sequence
from ..embeddings.word_sets import WordVectors
from ..tables.wordlists import WordList
from .bootstrap import interval
from .list_rows import Indices, ListRows, Picks, list_rows, selections
from .registry import SCORES, ListScore, Scores, chosen_scores

ROBUSTNESS_COLUMNS = (
    *("kind", "score", "groups", "embedding", "share", "left_out", "no_bias"),
    *("full", "mean", "sd", "low", "high", "deviation", "deviation_share", "n"),
)
"""Columns of `robustness`, in order."""

SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)
"""Shares of every set's words that sub-lists hold."""

Reference = WordVectors | Literal["shuffled"] | None
"""An embedding to compare with, or the list's own words with their groups shuffled."""

Lists = dict[float, list[ListRows]]
"""Sub-lists by share."""


def robustness(
    vectors: WordVectors,
    wordlist: WordList,
    *,
    scores: Scores | None = None,
    shares: Sequence[float] = SHARES,
    repeats: int = 50,
    reference: Reference = None,
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
    reference : KeyedVectors or "shuffled", optional
        An embedding without the bias to compare with: the silhouettes of Spliethöver and
        Wachsmuth. ``"shuffled"`` deals the protected words out to the groups at random in every
        sub-list, so that groups mean nothing.
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
        NaN where a score has no bounds), ``leave_one_out`` (one row a pair left out,
        or a protected word where groups are not of equal size: ``mean`` is the value) or, with a
        reference, ``silhouette`` (one row a share: ``mean``, the distance between the means of
        embedding and reference, and ``sd``, that of the difference; a list tells the two apart
        where the distance is large against the sd). ``embedding`` is ``given`` or
        ``reference``; ``n`` counts the values that are defined.

    References
    ----------
    Schröder, Schulz, Hammer (2024), The SAME score, section 5.3; its authors' program divides the
    deviations of WEAT by 4 (HammerLabML/PLMBiasMeasureBenchmark at f6fc6d2,
    src/ijcnn24/robustness.py). Spliethöver and Wachsmuth
    (2021), Bias silhouette analysis, IJCAI; silhouettes here follow its idea, not its figures.
    """
    if not shares or any(not 0 < share <= 1 for share in shares):
        raise ValueError(f"shares must lie in (0, 1], got {list(shares)}; 0.2 stands for 20%")
    if repeats < 2:
        raise ValueError(f"repeats must be at least 2, got {repeats}; 50 is usual")
    rows, _ = list_rows(vectors, wordlist)
    check_probability(ci_prob)
    default = [name for name, spec in SCORES.items() if not spec.costly]
    specs = chosen_scores(default if scores is None else scores)
    sequence = as_seed_sequence(seed)
    random = np.random.default_rng(sequence)
    lists = {"given": _sublists(rows, shares, repeats, random)}
    if reference is not None:
        lists["reference"] = _reference_lists(reference, wordlist, lists["given"], repeats, random)
    made: list[dict[str, Any]] = []
    for name, spec in specs.items():
        for at in selections(rows, spec.scope):
            some = rows.of_groups(at)
            start = {"score": name, "groups": ", ".join(some.groups), "no_bias": spec.no_bias}
            made += [start | row for row in _over_shares(spec, at, lists, ci_prob)]
            made += [start | row for row in _left_out(spec, some)]
    frame = pd.DataFrame(made, columns=list(ROBUSTNESS_COLUMNS))
    frame["deviation_share"] = frame["deviation"] / [specs[name].width for name in frame["score"]]
    frame.attrs = {"ci_prob": ci_prob, "ci_kind": "eti", "seed": sequence.entropy}
    return frame


def _over_shares(
    spec: ListScore, at: Sequence[int], lists: dict[str, Lists], ci_prob: float
) -> Iterator[dict[str, Any]]:
    """The score on sub-lists of every share, and how far those of a reference lie from them."""
    summaries: dict[tuple[str, float], dict[str, Any]] = {}
    for embedding, by_share in lists.items():
        full = float(np.mean([spec.value_or_nan(rows.of_groups(at)) for rows in by_share[1.0]]))
        for share, sublists in by_share.items():
            values = np.array([spec.value_or_nan(rows.of_groups(at)) for rows in sublists])
            summaries[embedding, share] = row = _summary(values, full, ci_prob)
            yield {"kind": "sublist", "embedding": embedding, "share": share} | row
    for share in lists.get("reference", ()):
        first, second = (summaries[embedding, share] for embedding in ("given", "reference"))
        yield {
            "kind": "silhouette",
            "share": share,
            "mean": abs(first["mean"] - second["mean"]),
            "sd": float(np.hypot(first["sd"], second["sd"])),
            "n": min(first["n"], second["n"]),
        }


def _summary(values: FloatArray, full: float, ci_prob: float) -> dict[str, Any]:
    defined = values[np.isfinite(values)]
    if not len(defined):
        return {"full": full, "mean": np.nan, "sd": np.nan, "n": 0}
    low, high = interval(defined, ci_prob)
    sd = float(defined.std(ddof=1)) if len(defined) > 1 else 0.0
    row = {"full": full, "mean": float(defined.mean()), "sd": sd, "low": low, "high": high}
    return row | {"deviation": float(np.abs(defined - full).mean()), "n": len(defined)}


def _left_out(spec: ListScore, rows: ListRows) -> Iterator[dict[str, Any]]:
    """The score without each pair or, without pairs, each word, unless a group is left empty."""
    full = spec.value_or_nan(rows)
    units = rows.defining_words or [(word,) for words in rows.protected_words for word in words]
    every = tuple(np.arange(len(words)) for words in rows.stereotypes)
    for unit in units:
        kept = tuple(np.flatnonzero(~np.isin(words, unit)) for words in rows.protected_words)
        if not all(map(len, kept)):
            continue
        sets = np.flatnonzero([members != unit for members in rows.defining_words])
        value = spec.value_or_nan(rows.of_words(Picks(kept, every, sets)))
        yield {
            "kind": "leave_one_out",
            "embedding": "given",
            "left_out": ", ".join(unit),
            "full": full,
            "mean": value,
            "deviation": abs(value - full),
            "n": int(np.isfinite(value)),
        }


def _sublists(
    rows: ListRows, shares: Sequence[float], repeats: int, random: np.random.Generator
) -> Lists:
    """Random sub-lists for every share; the whole list is always there, as share 1."""

    def some(share: float) -> ListRows:
        def picks(size: int) -> Indices:
            return np.sort(random.permutation(size)[: ceil(share * size - 1e-9)])

        protected, stereotypes, n_sets = rows.sizes()
        sets = tuple(map(picks, protected)), tuple(map(picks, stereotypes))
        return rows.of_words(Picks(*sets, picks(n_sets)))

    below = sorted(set(shares) - {1.0})
    return {share: [some(share) for _ in range(repeats)] for share in below} | {1.0: [rows]}


def _reference_lists(
    reference: WordVectors | str,
    wordlist: WordList,
    given: Lists,
    repeats: int,
    random: np.random.Generator,
) -> Lists:
    """Sub-lists of the reference, as large and as many as those given."""
    repeats = repeats if len(given) > 1 else 1
    if not isinstance(reference, str):
        return _sublists(list_rows(reference, wordlist)[0], list(given), repeats, random)
    if reference != "shuffled":
        raise ValueError(
            f"reference must be an embedding or 'shuffled', got {reference!r}; "
            "load an embedding with load_vectors first"
        )
    dealt = {share: lists if share < 1 else lists * repeats for share, lists in given.items()}
    return {share: [_shuffled(rows, random) for rows in ls] for share, ls in dealt.items()}


def _shuffled(rows: ListRows, random: np.random.Generator) -> ListRows:
    """The protected words dealt out to the groups, and to the pairs, at random."""
    words = [word for names in rows.protected_words for word in names]
    order = random.permutation(len(words))
    dealt = np.split(order, np.cumsum([len(group) for group in rows.protected])[:-1])
    vectors, units = np.vstack(rows.protected), np.vstack(rows.protected_units)
    defining = rows.defining
    if defining is not None and len(defining):
        members = defining.reshape(-1, defining.shape[2])
        defining = members[random.permutation(len(members))].reshape(defining.shape)
    return replace(
        rows,
        protected=tuple(vectors[at] for at in dealt),
        protected_units=tuple(units[at] for at in dealt),
        protected_words=tuple(tuple(words[i] for i in at) for at in dealt),
        defining=defining,
    )
