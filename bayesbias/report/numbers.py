"""Formats of numbers, intervals, and lists of names, and the heads of table columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from math import sqrt
from typing import Any

import pandas as pd

from .._core.checks import counted as counted  # noqa: PLC0414  for the pages

type Write = Callable[[Any], str]

type Row = Mapping[Hashable, Any] | pd.Series
"""A row of a frame with ``mean``, ``low``, and ``high``."""

GRADES = {99: "almost certainly", 95: "very probably", 80: "probably", 0: "unclear"}
"""Words for probabilities, keyed by their smallest percentage. Up to 20%, "not" is added."""

BORDERLINE = ", borderline"
"""Mark of results that more draws could change."""

MOST_RANKS = 6
"""Number of ranks whose probabilities a page shows; the files contain all ranks."""

AT_EDGE = 3.2
"""Two Monte Carlo errors of an interval's end are 2 · 1.6 sd / √draws."""


def in_words(name: str) -> str:
    """Write the name of a group with spaces instead of underscores."""
    return name.replace("_", " ")


def borderline(row: Row, n_draws: float, rope: float) -> str:
    """Return a mark if more draws could move an interval's end across zero or a ROPE's end."""
    error = AT_EDGE * row["sd"] / sqrt(n_draws)
    gaps = (abs(row[end] - edge) for end in ("low", "high") for edge in (-rope, 0.0, rope))
    return BORDERLINE if min(gaps) < error else ""


def graded(p: float, n_draws: float | None = None) -> str:
    """Write the probability of a statement as a percentage and in words, as in ``84%, probably``.

    With `n_draws`, words within two Monte Carlo errors of another grade are marked as borderline.
    """
    shown = round(float(f"{100 * p:.0f}"))
    word = next(word for least, word in GRADES.items() if max(shown, 100 - shown) >= least)
    error = 2 * sqrt(p * (1 - p) / n_draws) if n_draws else 0.0
    near = any(abs(max(p, 1 - p) - (least - 0.5) / 100) < error for least in GRADES if least)
    return f"{probability(p)}, {word}{' not' if shown <= 20 else ''}{BORDERLINE if near else ''}"


def number(value: float, digits: int = 3) -> str:
    """Write a number with a real minus sign, but without one for zero."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−")


def signed(value: float, digits: int = 3) -> str:
    """Write a difference with its sign, unless it rounds to zero."""
    text = number(value, digits)
    return f"+{text}" if value > 0 and float(f"{value:.{digits}f}") != 0 else text


def ends(row: Row) -> str:
    """Write a row's interval from ``low`` to ``high``, or a dash if the row has no interval."""
    return "–" if pd.isna(row["low"]) else f"{number(row['low'])} … {number(row['high'])}"


def placed(row: Row) -> str:
    """Write the mean and the interval of a difference."""
    return f"{number(row['mean'])} ({ends(row)})"


def percent(share: float, digits: int = 0) -> str:
    """Write a share as a percentage that is 0% or 100% only if the share is 0 or 1."""
    text = f"{100 * share:.{digits}f}%"
    if share not in {0, 1} and text in {f"{0:.{digits}f}%", f"{100:.{digits}f}%"}:
        least = 10.0**-digits
        return f"under {least:g}%" if share < 0.5 else f"over {100 - least:g}%"
    return text


def probability(share_of_draws: float) -> str:
    """Write a posterior probability, but never as 0% or 100%."""
    return percent(min(max(share_of_draws, 1e-9), 1 - 1e-9))


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
    """Join texts as in a sentence: a, b, and c."""
    *items, last = parts
    return f"{', '.join(items)}{',' * (len(items) > 1)} and {last}" if items else last


def named(names: list[str], most: int = 6) -> str:
    """Join the first few names, and count the rest."""
    rest = len(names) - most
    return joined(names) if rest <= 0 else f"{', '.join(names[:most])}, and {rest} more"


COLUMNS: dict[str, tuple[str, Write | None]] = {
    "mean": ("mean", number),
    "p_rope": ("probability of no practical difference", probability),
    "p_toward_one": ("probability that it moved closer to 1", probability),
    "p_value": ("p", lambda p: f"{p:.2g}".replace("-", "−")),
    "plain mean": ("plain mean", number),
    "share_before": ("inside before", percent),
    "share_after": ("inside after", percent),
    "n_before": ("distances", None),
    "before": ("before", number),
    "after": ("after", number),
    "chance": ("without bias", number),
    "n": ("words", None),
    "elpd": ("elpd", lambda value: number(value, 1)),
    "p": ("effective parameters", lambda value: number(value, 1)),
    "elpd_diff": ("compared with the best", lambda x: signed(x, 1) if x else "best"),
    "dse": ("standard error", lambda x: number(x, 1) if x else ""),
    "n_bad_k": ("bad k", None),
    "change": ("change", signed),
    "p_most": ("lowest", probability),
    **{f"p_rank_{rank}": (f"rank {rank}", probability) for rank in range(2, MOST_RANKS + 1)},
}
"""Head and format of each frame column; the format is None for text and plain numbers."""

GRADED = {
    "p_direction": "probability of direction",
    "p_above": "probability that it is above one half",
    "p_moved": "probability that it moved",
}
"""Heads of columns with probabilities that are shown with words, such as ``probably``."""
