"""Checks of arguments, and the words for one that is not allowed."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

import numpy as np


def unknown_name(kind: str, name: str, choices: Iterable[str]) -> str:
    """Say that a name is unknown, what there is, and what comes nearest."""
    known = sorted(choices)
    near = get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}? Known" if near else "; known"
    return f"unknown {kind} {name!r}{hint}: {', '.join(known)}"


def check_numbers(**numbers: int) -> None:
    """Raise a ValueError that names the first number that is not whole, or below one."""
    for name, value in numbers.items():
        if not is_whole(value) or value < 1:
            raise ValueError(f"{name} must be a whole number from 1 on; got {value!r}")


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number; a boolean is none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
