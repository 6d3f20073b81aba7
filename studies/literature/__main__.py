"""Recompute a claim or write the table: ``python -m studies.literature [NAME | --page]``."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from pathlib import Path

import pandas as pd

from . import CLAIMS, ENTRIES
from .claims import COLUMNS, VERDICTS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, TABLE = DOCS / "evidence.md", DOCS / "tables" / "literature.csv"
BEGIN, END = "<!-- claims: begin -->", "<!-- claims: end -->"


def main(arguments: list[str]) -> None:
    """Print the claims of a row, or all names; with ``--page``, write the table and its counts."""
    if not arguments:
        print("\n".join(f"{name:28}{entry.paper}, {entry.where}" for name, entry in CLAIMS.items()))
    elif arguments == ["--page"]:
        write_page()
    elif arguments[0] not in CLAIMS:
        close = get_close_matches(arguments[0], CLAIMS, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise SystemExit(f"no claim {arguments[0]!r}{hint}")
    else:
        try:
            show(CLAIMS[arguments[0]].frame())
        except FileNotFoundError as error:
            raise SystemExit(str(error)) from None


def show(frame: pd.DataFrame) -> None:
    """Print each claim on one line, followed by its note."""
    for row in frame.itertuples():
        print(f"{row.claim}: printed {row.printed}, recomputed {row.recomputed}: {row.verdict}")
        if row.note:
            print(f"    {row.note}")


def write_page() -> None:
    """Write docs/tables/literature.csv and the counts in docs/evidence.md."""
    frames = [
        entry.frame().assign(row=entry.name, paper=entry.paper, where=entry.where)
        for entry in ENTRIES
    ]
    claims = pd.concat(frames, ignore_index=True)
    claims = claims[["paper", "where", "row", *COLUMNS]]
    claims.to_csv(TABLE, index=False)
    counts = claims.groupby("paper", sort=False)["verdict"].value_counts().unstack(fill_value=0)
    lines = ["| paper | " + " | ".join(VERDICTS) + " |", "|---" * 4 + "|"]
    for paper, row in counts.reindex(columns=list(VERDICTS), fill_value=0).iterrows():
        lines.append(f"| {paper} | " + " | ".join(str(count) for count in row) + " |")
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    text = "\n".join([BEGIN, *lines, END])
    PAGE.write_text(before + text + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
