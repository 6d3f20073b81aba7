"""Formats of numbers, intervals, and lists of names, and the heads of table columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import pandas as pd

from .._core.checks import counted as counted  # noqa: PLC0414  for the pages
from .._core.display import digits_for as digits_for  # noqa: PLC0414  also for plots
from .._core.display import number as number  # noqa: PLC0414
from .._core.display import percent as percent  # noqa: PLC0414
from ..records.rows import Verdict

type Write = Callable[[Any], str]

MOST_RANKS = 6
"""Number of ranks whose probabilities a page shows; the files contain all ranks."""


def in_words(name: str) -> str:
    """Write the name of a group with spaces instead of underscores."""
    return name.replace("_", " ")


def graded(p: float) -> str:
    """Write the probability of a statement in percent and in words, as in ``84%, probably``."""
    verdict = Verdict(p)
    return f"{probability(p)}, {verdict.grade.value}{' not' if verdict.holds is False else ''}"


def thousandths(*values: float) -> int:
    """Return the number of decimals for values of this size: three, or more if all are small."""
    return max(3, digits_for(*values))


def signed(value: float, digits: int = 3) -> str:
    """Write a difference with its sign, unless it rounds to zero."""
    text = number(value, digits)
    return f"+{text}" if value > 0 and float(f"{value:.{digits}f}") != 0 else text


def ends(row: Mapping[Hashable, Any], digits: int = 3) -> str:
    """Write a row's interval from ``low`` to ``high``, or a dash if the row has no interval."""
    if pd.isna(row["low"]):
        return "–"
    return f"{number(row['low'], digits)} to {number(row['high'], digits)}"


def probability(share_of_draws: float) -> str:
    """Write a posterior probability, rounded as in verdicts, so that it is the same everywhere."""
    return f"{Verdict(share_of_draws).percent}%"


def probability_name(ci_prob: float) -> str:
    """Write the probability of an interval (for example, ``89%`` for 0.89)."""
    return f"{100 * ci_prob:g}%"


def plain_number(value: float) -> str:
    """Write a count with commas, and any other number with a suitable number of digits."""
    if isinstance(value, int):
        return f"{value:,}"
    size = abs(value)
    if size and size < 0.001:
        return f"{value:.1e}".replace("-", "−")
    return number(value, 1 if size >= 10 else 3)


def joined(parts: Iterable[str]) -> str:
    """Join texts as in a sentence: a, b, and c; none give an empty text."""
    *items, last = [*parts] or [""]
    return f"{', '.join(items)}{',' * (len(items) > 1)} and {last}" if items else last


def named(names: list[str], most: int = 6) -> str:
    """Join the first few names, and count the rest."""
    rest = len(names) - most
    return joined(names) if rest <= 0 else f"{', '.join(names[:most])}, and {rest} more"


COLUMNS: dict[str, tuple[str, Write | None]] = {
    "mean": ("mean", number),
    **{name: (name.replace("_", " "), number) for name in ("mean_without", "low", "high")},
    "p_rope": ("probability of no practical difference", probability),
    "p_rope_ceiling": ("its largest possible value", probability),
    "p_toward_one": ("probability that it moved closer to 1", probability),
    "p_value": ("p", lambda p: f"{p:.2g}".replace("-", "−")),
    "share_before": ("inside before", percent),
    "share_after": ("inside after", percent),
    "n_before": ("distances", None),
    "before": ("before", number),
    "after": ("after", number),
    "chance": ("without bias", number),
    **dict.fromkeys(("n", "n_words"), ("words", None)),
    "elpd": ("elpd", lambda value: number(value, 1)),
    "p": ("effective parameters", lambda value: number(value, 1)),
    "elpd_diff": ("compared with the best", lambda x: signed(x, 1) if x else "best"),
    "dse": ("standard error", lambda x: number(x, 1) if x else ""),
    "n_bad_k": ("bad k", None),
    "wordlist": ("list", None),
    "change": ("change", signed),
    "coverage": ("inside", percent),
    "n_effective": ("count as", lambda value: number(value, 1)),
    "p_most": ("P(largest)", probability),
    "all_right": ("all down to here", probability),
    **{f"p_rank_{rank}": (f"P(rank {rank})", probability) for rank in range(2, MOST_RANKS + 1)},
    "p_direction": ("probability of direction", graded),
    "p_above": ("probability that it is above one half", graded),
    "p_moved": ("probability that it moved", graded),
    "p_closer": ("probability that it is closer", graded),
}
"""Head and format of each frame column; the format is None for text and plain numbers."""

KEYS = ("role", "set", "groups", "protected_group")
"""Columns of names that pages write with spaces instead of underscores."""
