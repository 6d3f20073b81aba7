"""Sets of which too few words are left: the mark of their numbers, and sentences about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import pandas as pd

from ..._core.checks import Argument
from ...tables.schema import FEWEST_LEFT, MOST_MISSING, THIN_MARK
from ...tables.spellings import CURES, Cure
from ...workflows.wordlist import Analysis
from ..numbers import counted, joined, percent

MEANING = (
    f"{THIN_MARK} marks numbers of a set that lost more than {percent(MOST_MISSING)} of its words, "
    f"or of which fewer than {FEWEST_LEFT} are left: do not rely on them."
)

MOST_NAMED = 3
"""Words and forms that a hint names."""


def with_marks(analysis: Analysis, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a summary or contrasts with a column ``thin``: whether a row is of a thin set.

    Rows of a group are, if too few of its protected words or of its own stereotypes are left;
    rows of controls, if too few of these are.
    """
    thin = thin_names(analysis.thin, analysis.wordlist.groups, analysis.wordlist.set_name)
    of = [name for name in ("protected_group", "connection", "first", "second") if name in frame]
    return frame.assign(thin=frame[of].astype(str).isin(thin).any(axis=1))


def thin_names(
    thin: pd.DataFrame, groups: Mapping[str, object], set_name: Callable[[str], str]
) -> list[str]:
    """Return the groups and the controls to which thin sets belong."""
    if thin.empty:
        return []
    sets = set(zip(thin["role"], thin["set"], strict=True))
    lost = [g for g in groups if {("protected", g), ("stereotype", set_name(g))} & sets]
    return [*lost, *thin["set"][thin["role"] == "control"]]


def sets_in_words(thin: pd.DataFrame) -> str:
    """Name thin sets with what is left of them."""
    return joined(
        f"{_said(row['set'])} ({row['found']} of {row['words']})" for _, row in thin.iterrows()
    )


def _said(name: str) -> str:
    """Say which set it is, of stereotypes as a list without names of its own calls them."""
    group = name.removesuffix("_stereotype")
    return name if group == name else f"the stereotypes of {group}"


def thin_sentences(analysis: Analysis) -> list[str]:
    """Word which sets have too few words left, and what the mark means."""
    if analysis.thin.empty:
        return []
    return [f"Too few words are left of {sets_in_words(analysis.thin)}. {MEANING}"]


def cure_sentences(cures: Mapping[str, Cure]) -> list[str]:
    """Word what would find missing words, each cure once."""
    arguments = Counter(cure for cure in cures.values() if not isinstance(cure, str))
    told = [
        f"{count} there {CURES[cure]}: try {' '.join(map(_option, cure))}."
        for cure, count in arguments.items()
    ]
    written = [f"{cure} for {word}" for word, cure in cures.items() if isinstance(cure, str)]
    if written:
        more = f" and {len(written) - MOST_NAMED} more" if len(written) > MOST_NAMED else ""
        some = ", ".join(written[:MOST_NAMED])
        told.append(f"{counted(len(written), 'word')} there in capitals: write {some}{more}.")
    return told


def _option(argument: Argument) -> str:
    flag = f"--{argument.name.replace('_', '-')}"
    return flag if argument.value is True else f"{flag} {argument.value}"
