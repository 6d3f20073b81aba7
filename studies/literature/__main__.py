"""``python -m studies.literature [NAME | --page]``: recompute a claim, or write the page."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from itertools import groupby
from pathlib import Path

import pandas as pd

from . import CLAIMS, ENTRIES, Entry
from .claims import DIFFERS, VERDICTS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "literature.md"
BEGIN, END = "<!-- claims: begin -->", "<!-- claims: end -->"
COLUMNS = ("where", "claim", "the paper", "printed", "recomputed", "verdict", "note", "command")
HEAD = "| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|"


def main(arguments: list[str]) -> None:
    """Print the claims of a row, or all names; with ``--page`` write docs/literature.md."""
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
    """Print claims, a line each, with their notes."""
    for row in frame.itertuples():
        print(f"{row.claim}: printed {row.printed}, recomputed {row.recomputed}: {row.verdict}")
        if row.note:
            print(f"    {row.note}")


def write_page() -> None:
    """Replace the part of docs/literature.md between the two marks."""
    frames = {entry.name: entry.frame() for entry in ENTRIES}
    lines = ["| paper | " + " | ".join(VERDICTS) + " |", "|---" * 4 + "|"]
    for paper, entries in groupby(ENTRIES, key=lambda entry: entry.paper):
        verdicts = pd.concat([frames[entry.name] for entry in entries])["verdict"]
        counts = [str((verdicts == verdict).sum()) for verdict in VERDICTS]
        lines.append(f"| {paper} | " + " | ".join(counts) + " |")
    for paper, entries in groupby(ENTRIES, key=lambda entry: entry.paper):
        lines += ["", f"### {paper}", "", HEAD]
        lines += [_line(entry, frames[entry.name]) for entry in entries]
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    text = "\n".join([BEGIN, *lines, "", END])
    PAGE.write_text(before + text + rest.split(END)[1], encoding="utf-8")


def _line(entry: Entry, frame: pd.DataFrame) -> str:
    """Return the row of a claim: its first that differs, or else its first, and the counts."""
    differing = frame[frame["verdict"] == DIFFERS]
    shown = (frame if differing.empty else differing).iloc[0]
    counts = frame["verdict"].value_counts()
    verdict = ", ".join(f"{counts[v]} {v}" for v in VERDICTS if v in counts)
    quoted = f"“{shown['quoted']}”" if shown["quoted"] else ""
    cells = [entry.where, shown["claim"], quoted, shown["printed"], shown["recomputed"], verdict]
    cells += [shown["note"], f"`python -m studies.literature {entry.name}`"]
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    main(sys.argv[1:])
