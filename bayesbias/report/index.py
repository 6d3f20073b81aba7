"""The index of several word lists: what leads their reports, in one table and one picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

import pandas as pd

from ..plots.forests import difference_forest
from ..workflows.wordlist import Analysis
from .figures import MOST_ROWS, Figure
from .page import Page, section
from .tables import Cell, Table, interval_table
from .wording import ALL_GROUPS, distances, doubts_of, headline_rows
from .wording import index as said

Entry = tuple[Analysis, str]
"""An analysis, and the path of its report from the index, with forward slashes."""


def index_page(entries: Sequence[Entry]) -> Page:
    """Return the page that leads to the reports of several lists, with the contrast of each."""
    first = entries[0][0]
    rows = pd.concat([_rows(*entry) for entry in entries], ignore_index=True)
    rows.attrs |= first.settings.intervals
    doubts = [
        f"{analysis.wordlist.name}, {text}"
        for analysis, _ in entries
        for text in doubts_of(analysis.results)
    ]
    ci_prob, rope = first.settings.ci_prob, first.settings.rope
    parts = {"about": [said.about(first.settings)], "notes": said.notes([a for a, _ in entries])}
    sections = [
        section("lists", "All lists", _figures(rows, rope), table=_table(rows, ci_prob), **parts),
        section("provenance", "Provenance"),
    ]
    return Page("index.html.j2", entries, sections, ci_prob, doubts, contents=False)


def _rows(analysis: Analysis, path: str) -> pd.DataFrame:
    """Return the rows of the contrast that leads: overall, then every group."""
    from markupsafe import Markup

    name = analysis.wordlist.name
    rows = headline_rows(distances.leading_contrast(analysis))
    label = rows["protected_group"].replace("", ALL_GROUPS)
    title = Markup('<a href="{}">{}</a>').format(quote(path), analysis.wordlist.title or name)
    lost = f"{len(analysis.missing)} of {len(analysis.wordlist.to_frame())}"
    contrast = " − ".join(distances.gap_pair(analysis))
    others = len(rows) - 1
    cells: dict[str, Any] = {
        "word list": [Cell(title), *[Cell(name)] * others],
        "words missing": [Cell(lost), *[Cell("")] * others],
    }
    return rows.assign(list=name, label=label, group=label, contrast=contrast, **cells)


def _table(rows: pd.DataFrame, ci_prob: float) -> Table:
    """Show every list with its groups; the contrast is named where lists differ in it."""
    names = ["word list", "group", *(["contrast"] if rows["contrast"].nunique() > 1 else [])]
    extra = ("p_direction", "words missing")
    return interval_table(rows, said.CAPTION, *names, ci_prob=ci_prob, reference=0.0, extra=extra)


def _figures(rows: pd.DataFrame, rope: float) -> list[Figure]:
    """Return forests of the lists, as many in each as it holds; one for each contrast."""
    figures: list[Figure] = []
    for contrast, own in rows.groupby("contrast", sort=False):
        title, label = said.forest_texts(str(contrast))
        draw = partial(difference_forest, by="list", title=title, xlabel=label, rope=rope)
        for part in _filled(own):
            texts, name = said.figure_texts(str(contrast), part), f"lists-{len(figures) + 1}"
            figures.append(Figure(name, partial(draw, part), texts, narrow=True))
    return figures


def _filled(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Break rows into figures; a list stays whole, its heading counted."""
    sizes = rows.groupby("list", sort=False).size() + 1
    at = rows["list"].map(sizes.cumsum().sub(1) // MOST_ROWS)
    yield from (part for _, part in rows.groupby(at, sort=False))
