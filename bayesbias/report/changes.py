"""The page on a change: what became different, and what single numbers hide."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from .. import plots
from ..tables.levels import GROUP, OVERALL, WORD
from ..workflows.change import ORDER, ChangeAnalysis
from .figures import Figure, figures_of
from .numbers import ends, probability_name, signed, t_test
from .page import Page, Section, section
from .tables import Table, coverage_table, frame_table, interval_table, of_level, step_cells
from .wording import changes as said
from .wording import doubts_of, headline_rows

LISTED = " (words and groups of the list)"
TARGETED = " (targets and classes of the defining sets)"
"""What tells two scores of one name apart."""


def change_page(analysis: ChangeAnalysis) -> Page:
    """Return the page of a comparison; all its figures show the lead model."""
    lead, ci_prob = analysis.lead.spec.name, analysis.settings.ci_prob
    sections, doubts = _sections(analysis), doubts_of(analysis.results)
    return Page("change.html.j2", analysis, sections, ci_prob, doubts, lead)


def _sections(analysis: ChangeAnalysis) -> list[Section]:
    result, figures = analysis.lead, _figures(analysis)
    coverage = coverage_table(
        analysis.frame("check"), "Predictive coverage of the changes", "pairs"
    )
    return [
        section(
            "found",
            "What changed",
            figures["found"],
            headline=said.headline(analysis),
            table=_changes(analysis, OVERALL),
            lines=said.change_lines(analysis),
            sentences=[said.alignment_sentence(analysis), *said.biggest_sentences(analysis)],
            widths=said.crossed_sentences(analysis),
        ),
        section(
            "order",
            "Did orders turn",
            figures["order"],
            table=_orders(result.orders),
            sentences=said.order_sentences(analysis),
        ),
        section("side", "Side effects", sentences=said.side_effect_sentences(analysis)),
        section(
            "scores",
            "What single numbers say",
            table=_scores(analysis),
            sentences=[said.mac_sentence(analysis), *said.outside_sentences(analysis)],
            remains=_remains(analysis),
            remains_sentences=said.remains_sentences(analysis),
        ),
        section("overall", "Before and after", figures["overall"], table=_contrasts(analysis)),
        section(
            "changes",
            "Groups and words",
            figures["changes"],
            groups=_changes(analysis, GROUP),
            words=_changes(analysis, WORD),
        ),
        section(
            "spread",
            "How the distances spread",
            figures["spread"],
            table=_bands(analysis.bands),
            sentences=[said.band_sentence(analysis)],
        ),
        section("reading", "How to read this"),
        section(
            "model",
            "Model and pairing",
            sentences=said.pairing_sentences(analysis),
            coverage=coverage,
        ),
        section("limits", "What may not be concluded"),
        section("provenance", "Provenance"),
    ]


def _figures(analysis: ChangeAnalysis) -> dict[str, list[Figure]]:
    """Return the figures of all sections."""
    result, model = analysis.lead, analysis.lead.spec.name
    forest = partial(plots.change_forest, rope=analysis.settings.rope)
    texts = {name: said.figure_texts(analysis, name) for name in said.CAPTIONS}
    orders = pd.DataFrame() if result.turned is None else result.orders
    heads = orders if orders.empty else headline_rows(orders)
    pair = partial(plots.distributions, analysis.before, analysis.after)
    return {
        "found": figures_of(
            heads, "headline", plots.order_forest, texts["headline"], model, narrow=True
        ),
        "changes": [
            *figures_of(result.changes, "change", forest, texts["change"], model),
            *figures_of(result.changes, "arrows", plots.before_after, texts["arrows"], model),
        ],
        "order": figures_of(orders, "order", plots.order_forest, texts["order"], model),
        "overall": [
            *figures_of(result.before, "before", plots.forest, texts["before"], model),
            *figures_of(result.after, "after", plots.forest, texts["after"], model),
        ],
        "spread": [Figure("distributions", pair, texts["distributions"])],
    }


def _changes(analysis: ChangeAnalysis, level: str) -> Table:
    """Show the changes of one level: overall under every model, else under the lead model."""
    frame, caption = analysis.lead.changes, f"Changes by {level}"
    if level == OVERALL:
        frame, caption = analysis.frame("changes"), "Overall changes"
    frame, names = of_level(frame, level)
    about = {"ci_prob": analysis.settings.ci_prob, "reference": 0.0}
    extra = ("p_direction", "p_moved", "p_towards_one")
    return interval_table(frame, caption, *names, **about, extra=extra)


def _contrasts(analysis: ChangeAnalysis) -> Table:
    """Show the overall change of every contrast, under every model."""
    frame, names = of_level(analysis.frame("contrasts"), OVERALL)
    caption = "Changes of the differences between connections"
    return interval_table(frame, caption, *names, ci_prob=analysis.settings.ci_prob, reference=0.0)


def _orders(orders: pd.DataFrame) -> Table:
    """Show the gap of associated and different, word by word; no rows where one is lacking."""
    caption = f"{' − '.join(ORDER)}, before and after"
    if orders.empty:
        return Table(caption)
    groups = orders["protected_group"].replace("", "all groups")
    words = orders["protected_word"].where(orders["protected_word"] != "", groups)
    frame = step_cells(orders.assign(of=words, change=orders["mean"]), signed)
    names = ("of", "before", "p_closer_before", "after", "p_closer_after", "change", "p_turned")
    return frame_table(frame, caption, *names)


def _scores(analysis: ChangeAnalysis) -> Table:
    """Show single numbers before and after."""
    frame = analysis.scores
    ci_prob = frame.attrs.get("ci_prob", analysis.settings.ci_prob)
    interval = f"{probability_name(ci_prob)} bootstrap"
    twice = [] if analysis.remains is None else analysis.remains["check"].tolist()
    rows = [row for _, row in frame.iterrows()]
    texts = {
        "score": [name + LISTED if name in twice else name for name in frame["score"]],
        interval: [ends(row) if np.isfinite(row["low"]) else "–" for row in rows],
        "test": [t_test(row) if np.isfinite(row["t"]) else "–" for row in rows],
    }
    names = ("score", "groups", "before", "after", "change", interval, "test", "note")
    frame = step_cells(frame).assign(**texts)
    return frame_table(frame, "Single numbers, before and after", *names)


def _remains(analysis: ChangeAnalysis) -> Table:
    """Show scores of targets, and whether the bias is found again; no rows if nobody looked."""
    caption, frame = "Is the bias found again?", analysis.remains
    if frame is None:
        return Table(caption)
    twice = analysis.scores["score"].tolist()
    checks = [
        name.replace("_", " ") + (TARGETED if name in twice else "") for name in frame["check"]
    ]
    names = ("check", "measure", "before", "after", "chance", "n")
    return frame_table(frame.assign(check=checks), caption, *names)


def _bands(bands: pd.DataFrame) -> Table:
    """Show the shares of single distances inside the band around 1."""
    names = ("connection", "share_before", "share_after", "n_before")
    return frame_table(bands, "Single distances inside the band around 1", *names)
