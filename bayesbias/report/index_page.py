"""The index of several word lists: what leads their reports, in one table and one picture."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from urllib.parse import quote

import pandas as pd

from ..plots.forests import difference_forest
from ..plots.frame import difference_label
from ..tables.schema import THIN_MARK
from ..workflows.wordlist import Analysis
from .numbers import ROUNDED, probability_name
from .sweep_page import blocks_of
from .wording import ALL_GROUPS, MEANINGS, NO_VERDICTS, distances, doubts_of, headline_rows
from .wording.thin import MEANING
from .writer import Block, Figure, Line, Page, Section, table

type Entry = tuple[Analysis, str]
"""An analysis, and the path of its report from the index, with forward slashes."""


def index_page(entries: Sequence[Entry]) -> Page:
    """Return the page that leads to the reports of several lists, with the contrast of each."""
    analyses = [analysis for analysis, _ in entries]
    settings = analyses[0].settings
    about = (
        f"Associated − different: the mean distance to {MEANINGS['associated']}, less that to "
        f"{MEANINGS['different']}. Below zero, a group's own lie closer. Means and "
        f"{probability_name(settings.ci_prob)} intervals; the groups of a list stand below it, "
        "the largest first."
    )
    links = [
        Line(
            analysis.wordlist.title or analysis.wordlist.name,
            str(distances.headline(analysis).lines[0]),
            quote(path),
        )
        for analysis, path in entries
    ]
    rows = pd.concat([_rows(analysis) for analysis in analyses], ignore_index=True)
    rows.attrs |= settings.intervals
    names = ("list", "group", "contrast", "mean", "interval", "p_direction", "words missing")
    show = partial(table, ci_prob=settings.ci_prob, sign=True, marked=THIN_MARK)
    blocks: list[Block] = [
        about,
        links,
        show(rows, "The contrast that leads of every list, overall and by group", *names),
        *_figures(rows, settings.rope),
        *([MEANING] if any(len(each.thin) for each in analyses) else []),
        ROUNDED,
        f"{NO_VERDICTS}: each report states what may not be concluded, and why words are missing.",
    ]
    return Page(
        kind="Cosine distances in a word embedding",
        title=f"{len(entries)} word lists, in {settings.embedding}",
        lede="The same question asked of each list: are stereotypes of a word's own group closer "
        "to it than those of other groups, and how sure is that?",
        sections=[Section("lists", "All lists", blocks)],
        doubts=[
            f"{analysis.wordlist.name}, {text}"
            for analysis in analyses
            for text in doubts_of(analysis.results)
        ],
    )


def _rows(analysis: Analysis) -> pd.DataFrame:
    """Return the rows of the contrast that leads: overall, then every group."""
    rows = headline_rows(distances.leading_contrast(analysis))
    label = rows["protected_group"].replace("", ALL_GROUPS)
    lost = f"{len(analysis.missing)} of {len(analysis.wordlist.to_frame())}"
    missing = [lost, *[""] * (len(rows) - 1)]
    contrast = " − ".join(distances.gap_pair(analysis))
    texts = {"list": analysis.wordlist.name, "contrast": contrast, "words missing": missing}
    return rows.assign(label=label, group=label, **texts)


def _figures(rows: pd.DataFrame, rope: float) -> list[Figure]:
    """Return forests of the lists, as many in each as it holds; one for each contrast."""
    figures: list[Figure] = []
    for contrast, of_contrast in rows.groupby("contrast", sort=False):
        first, second = str(contrast).split(" − ")
        title, label = (
            f"{str(contrast).capitalize()}, list by list",
            difference_label(first, second),
        )
        draw = partial(difference_forest, by="list", title=title, xlabel=label, rope=rope)
        for _, part in blocks_of(of_contrast, "list"):
            name = f"lists-{len(figures) + 1}"
            text = f"{title}, overall and by group."
            figures.append(Figure(name, partial(draw, part), text, f"{text} See the table."))
    return figures
