"""The page of one word list, and the index page of several lists."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pandas as pd

from .. import plots
from .._core.display import Sheet
from ..tables.descriptives import contrast_of, leading_pair
from ..tables.levels import OVERALL, WORD, at_level
from . import wording
from .headline import headline, headline_rows, is_relative, leading_rows
from .numbers import GRADES, counted, joined, probability_name
from .wording import MEANINGS, THIN_MEANING, fitted_lines, reading_lines
from .write_up import write_up
from .writer import REPORT, Block, Figure, Line, Page, Table, lines, prose, sections, table

if TYPE_CHECKING:
    from ..workflows.wordlist import Analysis

__all__ = ["headline_figure", "index_page", "page", "sheet", "write_up"]

KIND = "Cosine distances in a word embedding"


def page(analysis: Analysis) -> Page:
    """Return the page about a word list; its detailed figures show the lead model."""
    wordlist, lead = analysis.wordlist, headline(analysis)
    limits, notes = lead.notes[:3], lead.notes[3:]  # the limits stay next to the table
    found = [lead.table, *limits, headline_figure(analysis), *notes, *_baseline(analysis)]
    return Page(
        kind=KIND,
        title=f"{wordlist.title or wordlist.name}, in {analysis.settings.embedding}",
        lede=lead.about,
        sections=sections(
            ("found", "What was found", found),
            ("reference", "Other measures", _reference(analysis)),
            ("since", "Since an earlier run", [[Line("", text) for text in _since(analysis)]]),
            ("reading", "How to read this", [_reading(analysis)]),
            ("measured", "What was measured", _measured(analysis)),
            ("words", "Groups and words", _words(analysis)),
            ("driving", "Influential words", _driving(analysis)),
            ("models", "Comparison of the models", _models(analysis)),
            ("check", "Does the model fit?", _check(analysis)),
            ("limits", "What you cannot conclude", [_limits(analysis)]),
        ),
        facts=[
            Line("Word list", wordlist.name),
            Line("Embedding", analysis.settings.encoder or analysis.settings.vectors),
            Line("Vectors used, SHA-256", analysis.vectors_hash),
            *fitted_lines(analysis.results, analysis.settings),
        ],
        doubts=analysis.doubts,
    )


def sheet(analysis: Analysis) -> Sheet:
    """Return the headline for a terminal or notebook."""
    return headline(analysis).sheet(*wording.missing_sentences(analysis), *_since(analysis))


def _since(analysis: Analysis) -> list[str]:
    """Return what changed since an earlier run, if one was given."""
    if analysis.since is None:
        return []
    rows = analysis.since.to_dict("records")
    changed = [f"{row['what']}: {row['before']} → {row['after']}" for row in rows]
    return changed or ["Nothing changed since the earlier run."]


def headline_figure(analysis: Analysis) -> Figure:
    """Return the figure of the main contrast, overall and by group, with its reference lists."""
    first, second = leading_pair(analysis.table)
    rows, lead = leading_rows(analysis), analysis.lead.spec.name
    edge = rows["of"][rows["edge"] != ""].tolist()
    closer = f"{first} attributes are closer than {second} ones"
    if is_relative(rows):
        closer = "words are closer to their own stereotypes than other groups' words are"
    ci = probability_name(analysis.settings.ci_prob)
    caption = f"Contrasts under the model {lead}, with {ci} intervals. Left of zero, {closer}."
    caption += f" Borderline: {joined(edge)}." if edge else ""
    draw = partial(plots.contrast_forest, rows, first=first, second=second, rope=analysis.rope)
    return Figure(f"headline-{lead}", draw, caption)


def _baseline(analysis: Analysis) -> list[Block]:
    rows, caption = analysis.baseline, "Own stereotypes minus others, relative to baseline words"
    names = ("protected_group", "estimand", "mean", "interval", "p_direction", "p_rope")
    return [prose("baseline") if len(rows) else "", table(rows, caption, *names)]


def _reference(analysis: Analysis) -> list[Block]:
    frames = analysis.reference
    if not frames:
        return []
    names = ("score", "groups", "reading", "value", "low", "high", "p_value")
    scores = frames["scores"]
    if len(scores):
        scores = scores.assign(reading=scores["direction"] + " is " + scores["reading"])
    return [
        prose("small_p"),
        prose("questions", n_words=f"{frames['reference_lists'].attrs['n_words']:,}"),
        table(scores, "Scores", *names),
        table(frames["relative"], "Differences between groups, compared with random words"),
    ]


def _reading(analysis: Analysis) -> list[Line]:
    titles = {name: one.spec.title or name for name, one in analysis.results.items()}
    fitted = [f"“{name}” ({title[:1].lower()}{title[1:]})" for name, title in titles.items()]
    return reading_lines(
        analysis.settings,
        "reading.list",
        "reading.difference",
        kinds="; ".join(f"{name} ({meaning})" for name, meaning in MEANINGS.items()),
        rope=f"±{analysis.rope:.2g}",
        grades=", ".join(f"“{word}” for at least {p}%" for p, word in GRADES.items() if p),
        models=f"model{'s' * (len(fitted) > 1)} {'; '.join(fitted)}",
    )


def _measured(analysis: Analysis) -> list[Block]:
    wordlist, settings, measured = analysis.wordlist, analysis.settings, analysis.table
    by_kind = measured.groupby("connection", observed=True)
    counts = by_kind.agg(distances=("attribute", "size"), words=("attribute", "nunique"))
    counts["plain mean"] = by_kind["cosine_distance"].mean()
    counts = counts.rename(columns={"words": "attribute words"}).reset_index()
    forms = ", ".join(f"{word} as {form}" for word, form in analysis.resolved_forms.items())
    source = f" Source of the list: {wordlist.reference}." if wordlist.reference else ""
    license_text = f" License of the list: {wordlist.license}." if wordlist.license else ""
    entries = wordlist.to_frame().merge(analysis.missing, "left", indicator="found")
    entries["found"] = entries["found"] == "left_only"
    entries["which"] = entries["word"].where(entries["found"], "[" + entries["word"] + "]")
    sets = entries.groupby(["role", "set"], sort=False, as_index=False)
    listed = sets.agg(words=("word", "size"), found=("found", "sum"), which=("which", ", ".join))
    return [
        f"We measured {len(measured):,} distances between the protected words and attributes of "
        f"{wordlist.name} in {settings.embedding}.{source}{license_text}",
        table(counts.astype({"connection": str}), "Distances by connection"),
        Figure(
            "distributions",
            partial(plots.distributions, measured),
            "All measured distances by connection, with a band of |1 − MAC| on either side of 1.",
        ),
        table(listed, "The words on the list, by set (missing words in brackets)", *listed),
        *wording.missing_sentences(analysis),
        f"Words found in another form (case “{settings.case}”): {forms}." if forms else "",
        [Line("Warning", str(notice)) for notice in analysis.notices],
    ]


def overall_table(frame: pd.DataFrame, caption: str, *extra: str) -> Table:
    """Show overall means or contrasts, with the rows of different models next to each other."""
    frame, name = at_level(frame, OVERALL), "connection"
    if "first" in frame:
        frame, name = frame.assign(contrast=frame["first"] + " − " + frame["second"]), "contrast"
    place = frame.groupby(name, sort=False).ngroup()
    frame = frame.assign(place=place).sort_values("place", kind="stable")
    return table(frame, caption, name, "model", "mean", "interval", *extra)


def _words(analysis: Analysis) -> list[Block]:
    """Show mean distances and contrasts overall, by group, and by word."""
    lead, name = analysis.lead, analysis.lead.spec.name
    ci = probability_name(analysis.settings.ci_prob)
    first, second = leading_pair(analysis.table)
    means, gaps = (
        wording.with_marks(analysis, analysis.frame(frame)) for frame in ("summary", "contrasts")
    )
    own: dict[str, Any] = {"first": first, "second": second, "rope": analysis.rope, "words": True}
    rows = contrast_of(lead["contrasts"], first, second)
    return [
        prose("means"),
        Figure(
            f"forest-{name}",
            partial(plots.forest, lead["summary"]),
            f"Mean distances under the model {name}, with {ci} intervals; see summary.csv.",
        ),
        overall_table(means, "Overall mean distances"),
        Figure(
            f"contrasts-{name}",
            partial(plots.contrast_forest, rows, **own),
            f"{first.capitalize()} − {second}, overall, by group, and by word; see contrasts.csv.",
        ),
        overall_table(gaps, "All differences, overall", "p_direction", "p_rope"),
    ]


def _driving(analysis: Analysis) -> list[Block]:
    lead, blocks = analysis.lead, list[Block]()
    if len(lead["influence"]):
        contrast = " − ".join(leading_pair(analysis.table))
        caption = (
            "Each line runs from the contrast with all words to the contrast without one word; "
            "see influence.csv."
        )
        draw = partial(plots.influence, lead["influence"], most=6)
        blocks = [
            prose("influence", contrast=contrast, sentence=wording.influence_sentence(lead)),
            Figure("influence", draw, f"Model {lead.spec.name}. {caption}"),
        ]
    if len(lead["sizes"]):
        sizes = lead["sizes"].rename(columns={"name": "set", "n_words": "words"})
        count_as = sizes["n_effective"].map("{:.1f}".format)
        sizes = sizes.assign(role=sizes["role"].str.replace("_", " "), count_as=count_as)
        names = ("role", "set", "words", "count_as")
        blocks += [prose("sizes"), table(sizes, "Effective sizes", *names)]
    return blocks


def _models(analysis: Analysis) -> list[Block]:
    """Show the main contrast under each model, and how well each model predicts."""
    frame = analysis.comparison
    if frame is None:
        return []
    pair = leading_pair(analysis.table)
    every = wording.with_marks(analysis, analysis.frame("contrasts"))
    rows = contrast_of(every, *pair)
    rows = rows[rows["level"] != WORD]
    rows = pd.concat([headline_rows(part) for _, part in rows.groupby("model", sort=False)])
    rows.attrs = every.attrs
    rows = rows.sort_values("of", key=lambda of: pd.factorize(of)[0], kind="stable")
    by_row = frame["left_out"].iloc[0] == "row"
    names = ("model", "elpd", "p" if by_row else "se", "elpd_diff", "dse")
    caption = f"Prediction of left-out {'distances' if by_row else 'attribute words'}"
    return [
        prose("models"),
        table(rows, " − ".join(pair), "of", "model", "mean", "interval"),
        table(frame, caption, *names, "n_bad_k" if by_row else "n_words"),
    ]


def _check(analysis: Analysis) -> list[Block]:
    ci_prob = analysis.settings.ci_prob
    sentences = [
        Line(name, f"{wording.coverage_sentence(one, ci_prob)} {wording.sensitivity_sentence(one)}")
        for name, one in analysis.results.items()
    ]
    return [prose("check", ci=probability_name(ci_prob)), sentences]


def _limits(analysis: Analysis) -> list[Line]:
    note = analysis.wordlist.note
    noted = [Line("About this list", note)] if note else []
    return [
        *lines("limits.people"),
        Line("Listing a stereotype does not endorse it", "The list names its sources."),
        *noted,
        Line("A few words matter a lot", wording.few_attributes(analysis)),
        *lines("limits.list"),
    ]


def index_page(analyses: Mapping[str, Analysis]) -> Page:
    """Return a page of links to reports; `analyses` is keyed by folder name."""
    links, cells, heads = list[Line](), list[tuple[str, ...]](), list[str]()
    for folder, analysis in analyses.items():
        name, lead = analysis.wordlist.name, headline(analysis).table
        contrast, path = " − ".join(leading_pair(analysis.table)), quote(f"{folder}/{REPORT}")
        links.append(Line(analysis.wordlist.title or name, f"{contrast} {lead.rows[0][1]}", path))
        cells += [(name, contrast, *row[:3]) for row in lead.rows]
        heads = ["list", "difference", "of", *lead.heads[1:3]]
    caption = "The main contrast of every list, overall and by group"
    blocks: list[Block] = [
        prose("index", ci=probability_name(analysis.settings.ci_prob)),
        links,
        Table(caption, tuple(heads), (False,) * len(heads), tuple(cells)),
        THIN_MEANING if any(len(one.thin) for one in analyses.values()) else "",
        prose("not_people"),
    ]
    return Page(
        kind=KIND,
        title=f"{counted(len(analyses), 'word list')}, in {analysis.settings.embedding}",
        lede="For each list, the question is the same: are the stereotypes of a word's own group "
        "closer to the word than those of other groups, and how certain is the answer?",
        sections=sections(("lists", "All lists", blocks)),
        doubts=[f"{name}, {doubt}" for name, one in analyses.items() for doubt in one.doubts],
    )
