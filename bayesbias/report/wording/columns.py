"""Heads of the tables' columns, and how their numbers are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .numbers import number, percent, probability, probability_name, signed

type Write = Callable[[Any], str]

COLUMNS: dict[str, tuple[str, Write | None]] = {
    "protected_group": ("group", None),
    "protected_word": ("word", None),
    "p_direction": ("probability of direction", probability),
    "p_rope": ("p_rope", probability),
    "p_above": ("p_above", probability),
    "p_moved": ("p_moved", probability),
    "p_towards_one": ("p_towards_one", probability),
    "p_closer_before": ("p associated closer", probability),
    "p_closer_after": ("p associated closer", probability),
    "p_turned": ("p turned", probability),
    "strip": ("", None),
    "meaning": ("what it is", None),
    "attributes": ("attribute words", None),
    "plain mean": ("plain mean", number),
    "ci_prob": ("interval", probability_name),
    "coverage": ("inside", lambda share: percent(share, 1)),
    "share_before": ("inside before", percent),
    "share_after": ("inside after", percent),
    "n_before": ("distances", None),
    "before": ("before", number),
    "after": ("after", number),
    "chance": ("without bias", number),
    "n": ("words", None),
    "elpd": ("elpd", lambda value: number(value, 1)),
    "p": ("effective parameters", lambda value: number(value, 1)),
    "elpd_diff": ("against the best", lambda x: signed(x, 1) if x else "best"),
    "dse": ("standard error", lambda x: number(x, 1) if x else ""),
    "n_bad_k": ("bad k", None),
    "prior": ("prior", number),
    "likelihood": ("data", number),
}
"""Head and writing by the name of a column in frames; None for texts, counts and plain numbers."""
