"""Compute the claims of docs/literature.md and write their tables into the page.

    BAYESBIAS_DATA=FOLDER python scripts/build_literature.py

FOLDER is as tests have it, with paper_tables, vectors and crows_pairs. What stands between the two
marks of the page is replaced; the rest is written by hand.
"""

from __future__ import annotations

import os
from itertools import groupby
from pathlib import Path

import pandas as pd

from bayesbias._core.files import replace_file
from studies.literature import ENTRIES, Entry

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "literature.md"
MARKS = ("<!-- claims: begin -->", "<!-- claims: end -->")
HEAD = (
    "| where | claim | printed | recomputed | what else | agree | command |",
    "|---|---|---|---|---|---|---|",
)


def main() -> None:
    os.environ.setdefault("BAYESBIAS_DATA", str(ROOT.parent / "shared" / "data"))
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    lines = []
    for paper, entries in groupby(ENTRIES, key=lambda entry: entry.paper):
        lines += ["", f"### {paper}", "", *HEAD, *map(_line, entries)]
    with replace_file(PAGE) as temporary:
        text = "\n".join([MARKS[0], *lines, "", MARKS[1]])
        temporary.write_text(before + text + after, encoding="utf-8")


def _line(entry: Entry) -> str:
    """The row of a claim: its first row that differs, or else its first, and how many agree."""
    frame = entry.frame()
    print(entry.command, flush=True)
    shown = frame[~frame["agrees"]].iloc[0] if not frame["agrees"].all() else frame.iloc[0]
    cells = (
        entry.where,
        shown["claim"],
        _value(shown["printed"]),
        _value(shown["recomputed"]),
        shown["cause"],
        f"{int(frame['agrees'].sum())} of {len(frame)}",
        f"`{entry.command}`",
    )
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _value(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not pd.isna(value) else str(value)


if __name__ == "__main__":
    main()
