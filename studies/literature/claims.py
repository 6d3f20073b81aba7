"""Claims of papers: what is printed, from ``printed.csv``, next to what a function finds.

A row of ``printed.csv`` is a claim: its paper and place; the function that recomputes it; the
printed words or number, and how far apart two numbers can be; a dozen quoted words, if it is not in
a figure or data; and a note, such as why the two values differ. ``shown`` is for tables in which
the number alone would mislead. If a claim is not ``comparable``, the paper says nothing that the
found value could contradict. Names in braces are in the note what the function found beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

Value = float | int | str

Found = Value | tuple[Value, dict[str, object]]
"""A found value, with what its note shows; ``holds`` is whether a property in words holds."""

AGREES, DIFFERS, NOT_COMPARABLE = "agrees", "differs", "not comparable"
VERDICTS = (AGREES, DIFFERS, NOT_COMPARABLE)
COLUMNS = ("claim", "quoted", "place", "printed", "recomputed", "verdict", "note")

FUNCTIONS: dict[str, Callable[[], Iterator[Found]]] = {}


def recomputed[F: Callable[[], Iterator[Found]]](function: F) -> F:
    """Register a function that yields what it finds for each of its claims, in their order."""
    FUNCTIONS[function.__name__] = function
    return function


@cache
def every_claim() -> pd.DataFrame:
    """Return the claims, one row each; all columns are texts."""
    path = Path(__file__).with_name("printed.csv")
    return pd.read_csv(path, keep_default_na=False, dtype=str)


def claims_of(name: str, column: str = "claim") -> list[str]:
    """Return a column of a function's claims."""
    return every_claim().query("row == @name")[column].to_list()


@dataclass(frozen=True)
class Entry:
    """A paper, a place in it, and the function that recomputes its claims."""

    name: str  # of the function, for `python -m studies.literature NAME`
    paper: str
    where: str

    @property
    def claims(self) -> pd.DataFrame:
        """The rows of ``printed.csv``."""
        return every_claim().query("row == @self.name").reset_index(drop=True)

    def frame(self) -> pd.DataFrame:
        """Return the claims, one row each, with the columns `COLUMNS`."""
        rows = []
        claims = self.claims.to_dict("records")
        for claim, found in zip(claims, FUNCTIONS[self.name](), strict=True):
            value, more = found if isinstance(found, tuple) else (found, {})
            row = {"printed": claim["shown"] or claim["printed"], "recomputed": value}
            row["verdict"] = _verdict(claim, value, more.get("holds"))
            rows.append(claim | row | {"note": claim["note"].format(**more)})
        return pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)


def entries() -> list[Entry]:
    """Return all rows of the evidence."""
    rows = every_claim()[["row", "paper", "where"]].drop_duplicates()
    return [Entry(*row) for row in rows.itertuples(index=False)]


def _verdict(claim: Mapping[str, str], found: Value, holds: object) -> str:
    if claim["comparable"] == "no":
        return NOT_COMPARABLE
    if holds is None and isinstance(found, str):
        holds = found == claim["printed"]
    elif holds is None:
        holds = abs(float(claim["printed"]) - float(found)) <= float(claim["within"])
    return AGREES if holds else DIFFERS


def with_interval(row: pd.Series) -> str:
    """Return a mean with its interval, such as ``+0.135 (+0.113 to +0.160)``."""
    return f"{row['mean']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})"


def rounded(value: float, digits: int = 4) -> float:
    """Return a number rounded to ``digits`` significant digits."""
    return float(f"{np.asarray(value).item():.{digits}g}")
