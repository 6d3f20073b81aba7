"""The report: one HTML page that says in plain words what was measured, and what follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..workflows.analysis import Analysis
from . import tables
from .figures import SECTIONS, DrawnFigure, by_section, draw, figures_of
from .pages import environment_of_templates, page_parts
from .sentences import (
    MEANINGS,
    change_sentences,
    closeness_sentences,
    coverage_sentence,
    few_attributes,
    gap_pair,
    gap_sentence,
    loo_sentence,
    missing_sentence,
    probability_name,
    sensitivity_sentence,
    unmeasured,
)

__all__ = ["Entry", "Line", "draw", "figures_of", "gap_lines", "render_index", "render_report"]


@dataclass(frozen=True)
class Line:
    """Something told of one model, which is named before it."""

    model: str
    text: str

    def __str__(self) -> str:
        return f"{self.model}: {self.text}"


@dataclass(frozen=True)
class Entry:
    """A list in the index of several reports."""

    analysis: Analysis
    place: str
    """Path of its report, relative to the index, with forward slashes."""


def render_report(
    analysis: Analysis, drawn: Sequence[DrawnFigure], command: str, versions: dict[str, str]
) -> str:
    """Give the report of one word list as a self-contained HTML page.

    Parameters
    ----------
    analysis : Analysis
    drawn : sequence of DrawnFigure
        What `draw` gives for `figures_of` the analysis.
    command : str
        What makes the same results again.
    versions : dict of str to str
        Packages and their versions.

    Returns
    -------
    str
        HTML without any reference to a network or another file. All texts of lists, models and
        tables are escaped.
    """
    environment = environment_of_templates()
    pair = gap_pair(analysis)
    return environment.get_template("report.html.j2").render(
        analysis=analysis,
        wordlist=analysis.wordlist,
        settings=analysis.settings,
        results=analysis.results,
        lead=analysis.lead.spec.name,
        ci=probability_name(analysis.settings.ci_prob),
        pair=pair,
        meanings=MEANINGS,
        said=_sentences(analysis, pair),
        tables=_tables(analysis, pair),
        figures=by_section(drawn, SECTIONS),
        command=command,
        versions=versions,
        **page_parts(environment),
    )


def render_index(entries: Sequence[Entry], command: str, versions: dict[str, str]) -> str:
    """Give the page that leads to the reports of several lists, with the gap of each."""
    environment = environment_of_templates()
    first = entries[0].analysis
    return environment.get_template("index.html.j2").render(
        entries=[
            {
                "place": entry.place,
                "analysis": entry.analysis,
                "lines": gap_lines(entry.analysis),
                "missing": " ".join(
                    [missing_sentence(entry.analysis), *unmeasured(entry.analysis)]
                ),
            }
            for entry in entries
        ],
        settings=first.settings,
        ci=probability_name(first.settings.ci_prob),
        command=command,
        versions=versions,
        **page_parts(environment),
    )


def gap_lines(analysis: Analysis) -> list[Line]:
    """Tell the gap of every model."""
    pair, ci_prob = gap_pair(analysis), analysis.settings.ci_prob
    return [
        Line(model, gap_sentence(result, pair, ci_prob))
        for model, result in analysis.results.items()
    ]


def _sentences(analysis: Analysis, pair: tuple[str, str]) -> dict[str, list[str] | list[Line]]:
    base, *others = analysis.results.values()
    ci_prob = analysis.settings.ci_prob
    return {
        "gap": gap_lines(analysis),
        "missing": [missing_sentence(analysis), *unmeasured(analysis)],
        "changes": [
            Line(other.spec.name, text)
            for other in others
            for text in change_sentences(base, other, pair)
        ],
        "loo": _loo(analysis),
        "sensitivity": [
            Line(model, sensitivity_sentence(result)) for model, result in analysis.results.items()
        ],
        "closeness": closeness_sentences(analysis),
        "coverage": [
            Line(model, coverage_sentence(result, ci_prob))
            for model, result in analysis.results.items()
        ],
        "few": [few_attributes(analysis)],
        "doubts": [
            Line(model, text)
            for model, result in analysis.results.items()
            for text in result.warnings
        ],
    }


def _loo(analysis: Analysis) -> list[Line]:
    if analysis.comparison is None:
        return []
    best = str(analysis.comparison["model"].iloc[0])
    return [Line(best, loo_sentence(analysis.comparison))]


def _tables(analysis: Analysis, pair: tuple[str, str]) -> dict[str, tables.Table]:
    return {
        "counts": tables.word_counts(analysis),
        "distances": tables.distance_counts(analysis),
        "missing": tables.missing_words(analysis),
        "overall": tables.overall(analysis),
        "groups": tables.words(analysis, "group"),
        "words": tables.words(analysis, "word"),
        "gap": tables.contrasts(analysis, pair, "overall"),
        "contrasts": tables.contrasts(analysis, None, "overall"),
        "group_gaps": tables.contrasts(analysis, pair, "group"),
        "word_gaps": tables.contrasts(analysis, pair, "word"),
        "comparison": tables.comparison(analysis),
        "sensitivity": tables.sensitivity(analysis),
        "coverage": tables.coverage(analysis),
        "spreads": tables.spreads(analysis),
    }
