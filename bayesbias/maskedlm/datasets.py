"""Frames of sentence pairs: their columns, what is wrong with one, and what a pair contrasts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import pandas as pd

from .._core.checks import unknown_name
from ..tables.schema import require_columns

PAIR_LABELS = ("pair_id", "bias_type", "direction", "cluster")
"""Labels of a pair, in every frame. Pairs of one cluster contrast the same words."""

ROLES = ("stereotypical", "anti_stereotypical")
"""The two sentences of a pair, in the order every frame here uses."""

PAIR_COLUMNS = (*PAIR_LABELS, *ROLES)
"""Columns of every frame of sentence pairs, in order; one row per pair."""

DIRECTIONS = ("stereo", "antistereo")
"""How CrowS-Pairs labels a pair: it shows a stereotype of a group, or goes against one."""

_WORD = re.compile(r"[\w'’-]+")


def validate_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """Check a frame of sentence pairs and return it with its columns in order.

    Without a column ``cluster``, it is the `word_contrast` of the sentences.

    Raises
    ------
    ValueError
        If a label or sentence is empty, a pair_id occurs twice, a direction is unknown, or the
        sentences of a pair are equal.
    """
    require_columns(pairs, [name for name in PAIR_COLUMNS if name != "cluster"])
    if pairs.empty:
        raise ValueError("there are no sentence pairs")
    if "cluster" not in pairs.columns:
        sentences = zip(*(pairs[role] for role in ROLES), strict=True)
        pairs = pairs.assign(cluster=[word_contrast(*both) for both in sentences])
    valid = pairs[list(PAIR_COLUMNS)].fillna("").astype(str).reset_index(drop=True)
    for name in PAIR_COLUMNS:
        valid[name] = valid[name].str.strip()
    directions = f"needs the direction {' or '.join(DIRECTIONS)}; are columns exchanged?"
    empty = "has an empty {}; name it or leave the pair out"
    refuse_rows(
        valid,
        {empty.format(name): valid[name] == "" for name in PAIR_COLUMNS}
        | {
            "has the pair_id of an earlier one": valid["pair_id"].duplicated(),
            directions: ~valid["direction"].isin(DIRECTIONS),
            "has two equal sentences; there is nothing to compare": valid[ROLES[0]]
            == valid[ROLES[1]],
        },
    )
    return valid


def refuse_rows(pairs: pd.DataFrame, faults: Mapping[str, pd.Series[bool]]) -> None:
    """Raise a ValueError that names the first row of the first fault that some row has."""
    for fault, wrong in faults.items():
        if wrong.any():
            row, more = pairs[wrong.to_numpy()].iloc[0], int(wrong.sum()) - 1
            others = f" (and {more} more)" if more else ""
            raise ValueError(f"row {row.name}, pair {row['pair_id']!r:.60}{others}, {fault}")


def word_contrast(first: str, second: str) -> str:
    """Name the words in which two sentences differ, in lower case: ``black / white``.

    Words of each sentence that are not in the other, in alphabetical order, so the order of the
    sentences does not matter. If both sentences have the same words in another order, the contrast
    is all their words.

    >>> word_contrast("The poor are here.", "The rich are here.")
    'poor / rich'
    """
    words = [set(_WORD.findall(str(sentence).lower())) for sentence in (first, second)]
    different = [words[0] - words[1], words[1] - words[0]]
    sides = different if any(different) else words
    return " / ".join(sorted(" ".join(sorted(side)) for side in sides))


def of_bias_types(pairs: pd.DataFrame, bias_types: Iterable[str]) -> pd.DataFrame:
    """Return the rows of some bias types; a ValueError names one that no pair has."""
    wanted = [bias_types] if isinstance(bias_types, str) else list(bias_types)
    known = pairs["bias_type"].unique()
    for name in wanted:
        if name not in known:
            problem = unknown_name("bias type", name, known)
            raise ValueError(f"no pair has this bias type: {problem}")
    return pairs[pairs["bias_type"].isin(wanted)].reset_index(drop=True)
