"""Frames of sentence pairs: columns, validation, and the words that a pair contrasts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .._core.characters import words_in
from .._core.checks import check_choice, unknown_name
from .._core.warnings import warn
from ..tables.schema import real_numbers, require_columns
from ..warnings import NoSharedWords, RepeatedSentences

PAIR_LABELS = ("pair_id", "bias_type", "direction", "cluster")
"""Columns that label a pair. Pairs in the same cluster contrast the same words."""

ROLES = ("stereotypical", "anti_stereotypical")
"""The two sentences of a pair, in the order that every frame uses."""

PAIR_COLUMNS = (*PAIR_LABELS, *ROLES)
"""Columns of every frame of sentence pairs, in order. Frames have one row per pair."""

LABELS = ("model", "measure", *PAIR_LABELS)
"""Columns of labels in frames of pairs and of scores; they may not be empty."""

DIRECTIONS = ("stereo", "antistereo")
"""Labels of pairs in CrowS-Pairs: a pair shows a stereotype of a group, or contradicts one."""

ALL_TYPES = "all"
"""Bias type of the rows that cover all pairs."""

NEEDS_DIRECTION = f"needs the direction {' or '.join(DIRECTIONS)}; are two columns swapped?"


def validate_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """Check a frame of sentence pairs, and return it with its columns in the usual order.

    A missing column ``cluster`` is filled with the `word_contrast` of the sentences.

    Raises
    ------
    ValueError
        If there are no pairs or if a column is missing, a label or sentence is empty, a pair_id
        occurs twice, a direction is unknown, or a pair's sentences are identical.

    Warns
    -----
    NoSharedWords
        If there is no ``cluster``, and most pairs have sentences that share no word and differ from
        every other pair's.
    """
    require_columns(pairs, [name for name in PAIR_COLUMNS if name != "cluster"])
    if pairs.empty:
        raise ValueError("there are no sentence pairs")
    if "cluster" not in pairs.columns:
        sentences = [*zip(*(pairs[role] for role in ROLES), strict=True)]
        pairs = pairs.assign(cluster=[word_contrast(*both) for both in sentences])
        alone = ~pairs["cluster"].duplicated(keep=False)
        unlike = sum(
            _words(first).isdisjoint(_words(second))
            for (first, second), one in zip(sentences, alone, strict=True)
            if one
        )
        if unlike > len(pairs) / 2:
            warn(NoSharedWords(unlike, len(pairs)))
    valid = stripped(pairs[list(PAIR_COLUMNS)]).reset_index(drop=True)
    refuse_rows(
        valid,
        label_faults(valid, PAIR_COLUMNS)
        | {
            "has the pair_id of an earlier row": valid["pair_id"].duplicated(),
            NEEDS_DIRECTION: ~valid["direction"].isin(DIRECTIONS),
            "has two identical sentences; change one of them": valid[ROLES[0]] == valid[ROLES[1]],
        },
    )
    return valid


def stripped(labels: pd.DataFrame) -> pd.DataFrame:
    """Return columns as text without blanks around it; missing values are empty."""
    texts = labels.astype(object).where(labels.notna(), "")
    plain: pd.DataFrame = texts.apply(lambda column: column.astype(str).str.strip())
    return plain


def label_faults(pairs: pd.DataFrame, names: Sequence[str] = LABELS) -> dict[str, pd.Series[bool]]:
    """Return which rows have an empty label, or a reserved bias type, by fault."""
    texts = stripped(pairs[[name for name in names if name in pairs.columns]])
    empty = "has an empty {}; fill it in or leave the pair out"
    faults = {empty.format(name): texts[name] == "" for name in texts.columns}
    if "bias_type" in texts.columns:
        reserved = f"has the bias_type {ALL_TYPES!r}, which stands for all pairs; rename it"
        faults[reserved] = texts["bias_type"] == ALL_TYPES
    return faults


def labeled(paired: pd.DataFrame, needed: Sequence[str]) -> pd.DataFrame:
    """Return paired scores with labels of text; refuse empty labels. 1, 1.0, and "1" are one."""
    refuse_rows(require_columns(paired, needed), label_faults(paired))
    names = [name for name in LABELS if name in paired.columns]
    texts = {name: paired[name].astype(object).map(_label).astype(str) for name in names}
    return paired.assign(**texts)


def _label(given: object) -> str:
    if isinstance(given, float | np.floating) and given.is_integer():
        return str(int(given))
    return str(given)


def check_paired(
    paired: pd.DataFrame, needed: Sequence[str], numbers: Sequence[str] = ("difference",)
) -> pd.DataFrame:
    """Return paired scores with floats and labels of text; refuse numbers that are not finite."""
    paired = labeled(paired, (*needed, *numbers))
    if paired.empty:
        raise ValueError("there are no paired scores")
    values = {name: real_numbers(paired[name]) for name in numbers}
    odd = f"needs finite numbers in {' and '.join(numbers)}"
    finite = pd.DataFrame({name: np.isfinite(column) for name, column in values.items()})
    refuse_rows(paired, {odd: ~finite.all(axis=1)})
    return paired.assign(**values)


def text_of(fields: Mapping[str, Any], name: str) -> str:
    """Return a text or number of an object as text; raise an error if it is null or empty."""
    found = fields[name]
    is_text = isinstance(found, str | int | float) and not isinstance(found, bool)
    if not is_text or pd.isna(found) or not str(found).strip():
        raise ValueError(f"it needs a text in {name}; got {found!r:.40}")
    return str(found)


def warn_of_repeats(pairs: pd.DataFrame, about: str = "") -> None:
    """Warn about pairs of the same two sentences as an earlier pair, in either order."""
    both = pd.Series(map(frozenset, zip(*(pairs[role] for role in ROLES), strict=True)))
    again = both.duplicated().to_numpy()
    if again.any():
        warn(
            RepeatedSentences(
                int(again.sum()), len(pairs), (*pairs["pair_id"][again],), about=about
            )
        )


def named_direction(given: object) -> str:
    """Return the name of a direction, which is a number in some copies of the data set."""
    names = {str(place): name for place, name in enumerate(DIRECTIONS)}
    return names.get(str(given).strip().removesuffix(".0"), str(given))


def checked_direction(given: object) -> str:
    """Return the name of a direction; raise a ValueError if it is unknown."""
    check_choice("direction", name := named_direction(given), DIRECTIONS)
    return name


def refuse_rows(pairs: pd.DataFrame, faults: Mapping[str, pd.Series[bool]]) -> None:
    """Raise a ValueError that describes the first fault found and names the first row affected."""
    for fault, wrong in faults.items():
        if wrong.any():
            row, more = pairs[wrong.to_numpy()].iloc[0], int(wrong.sum()) - 1
            others = f" (and {more} more)" if more else ""
            pair = f", pair {row['pair_id']!r:.60}" if "pair_id" in pairs.columns else ""
            raise ValueError(f"row {row.name}{pair}{others}, {fault}")


def word_contrast(first: str, second: str) -> str:
    """Return the words that differ between two sentences, in lower case, such as ``black / white``.

    The result contains the words that occur in only one of the sentences. It is sorted, so the
    order of the sentences does not matter. If both sentences have the same words in a different
    order, the contrast contains all of their words.

    >>> word_contrast("The poor are here.", "The rich are here.")
    'poor / rich'
    """
    words = [_words(sentence) for sentence in (first, second)]
    different = [words[0] - words[1], words[1] - words[0]]
    sides = different if any(different) else words
    return " / ".join(sorted(" ".join(sorted(side)) for side in sides))


def _words(sentence: object) -> set[str]:
    return {*words_in(str(sentence).lower(), "'’-")}


def of_bias_types(pairs: pd.DataFrame, bias_types: Iterable[str]) -> pd.DataFrame:
    """Return the rows with the given bias types, or raise a ValueError if a type does not occur."""
    wanted = [bias_types] if isinstance(bias_types, str) else list(bias_types)
    known = pairs["bias_type"].unique()
    for name in wanted:
        if name not in known:
            raise ValueError(unknown_name("bias type", name, known))
    return pairs[pairs["bias_type"].isin(wanted)].reset_index(drop=True)
