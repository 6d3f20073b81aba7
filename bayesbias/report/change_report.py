"""The report on a change: one HTML page on what became different, and what single numbers hide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..workflows.change import ChangeAnalysis
from . import change_tables as tables
from . import change_wording as said
from .figures import DrawnFigure, by_section
from .pages import environment_of_templates, page_parts
from .sentences import MEANINGS, probability_name

SECTIONS = ("changes", "order", "overall", "spread")
"""Sections that hold figures."""


def render_change_report(
    analysis: ChangeAnalysis, drawn: Sequence[DrawnFigure], command: str, versions: dict[str, str]
) -> str:
    """Give the report of a comparison as a self-contained HTML page.

    Parameters
    ----------
    analysis : ChangeAnalysis
    drawn : sequence of DrawnFigure
        What `draw` gives for `change_figures_of` the analysis.
    command : str
        What makes the same results again.
    versions : dict of str to str
        Packages and their versions.

    Returns
    -------
    str
        HTML without any reference to a network or another file.
    """
    environment = environment_of_templates()
    return environment.get_template("change.html.j2").render(
        analysis=analysis,
        settings=analysis.settings,
        results=analysis.results,
        lead=analysis.lead.spec.name,
        ci=probability_name(analysis.settings.ci_prob),
        meanings={
            name: MEANINGS[name] for name in dict.fromkeys(analysis.lead.changes["connection"])
        },
        origin=said.origin_sentence(analysis),
        said=_sentences(analysis),
        tables=_tables(analysis),
        figures=by_section(drawn, SECTIONS),
        command=command,
        versions=versions,
        **page_parts(environment),
    )


def _sentences(analysis: ChangeAnalysis) -> dict[str, list[str]]:
    base, *others = analysis.results.values()
    biggest = said.biggest_sentence(analysis)
    return {
        "changes": said.change_lines(analysis),
        "alignment": [said.alignment_sentence(analysis)],
        "order": said.order_sentences(analysis),
        "side_effects": said.side_effect_sentences(analysis),
        "biggest": [biggest] if biggest else [],
        "mac": [said.mac_sentence(analysis), *said.outside_sentences(analysis)],
        "remains": said.remains_sentences(analysis),
        "bands": [said.band_sentence(analysis)],
        "crossed": [said.crossed_sentence(base, other) for other in others],
        "pairing": said.pairing_sentences(analysis),
        "doubts": [
            f"{model}: {text}"
            for model, result in analysis.results.items()
            for text in result.warnings
        ],
    }


def _tables(analysis: ChangeAnalysis) -> dict[str, Any]:
    return {
        "overall": tables.overall(analysis),
        "groups": tables.words(analysis, "group"),
        "words": tables.words(analysis, "word"),
        "contrasts": tables.contrasts(analysis),
        "orders": tables.orders(analysis),
        "scores": tables.scores(analysis),
        "remains": tables.remains(analysis),
        "bands": tables.bands(analysis),
        "coverage": tables.coverage(analysis),
    }
