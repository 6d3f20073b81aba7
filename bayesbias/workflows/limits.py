"""Limits that the intervals of a run are compared with, from a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from .._core.reading import located, parse_toml, read_text

KEYS = ("ci_prob", "limits")


@dataclass(frozen=True)
class Limits:
    """Lower and upper end by the sum that they are of, and the probability of the intervals."""

    ends: Mapping[str, tuple[float, float]]
    ci_prob: float


def load_limits(path: str | Path) -> Limits:
    """Read limits from a TOML file.

    Raises
    ------
    FileNotFoundError
        If there is no file.
    ValueError
        If the file is not TOML, has an unknown key or no limits, or a limit is not two numbers of
        which the first is the smaller.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no limits at {path}")
    try:
        content = parse_toml(read_text(path), "limits")
        for key in content:
            if key not in KEYS:
                raise ValueError(unknown_name("key", key, KEYS))
        table = content.get("limits")
        if not isinstance(table, dict) or not table:
            raise ValueError('no [limits], such as "associated - different" = [-0.1, 0.1]')
        ends = {name: _ends(name, value) for name, value in table.items()}
        ci_prob = content.get("ci_prob", DEFAULT_CI_PROB)
        if not isinstance(ci_prob, float):
            raise ValueError(f"ci_prob must be a number in (0, 1); got {ci_prob!r}")
        return Limits(ends, check_probability(ci_prob))
    except ValueError as error:
        raise ValueError(located(path, error)) from None


def _ends(name: str, value: object) -> tuple[float, float]:
    match value:
        case [int() | float() as low, int() | float() as high] if low < high:
            return float(low), float(high)
    raise ValueError(f"{name!r} must be two numbers, the smaller first; got {value!r}")
