"""The page of a change: what became different, and what single numbers hide."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .. import plots
from .._core.display import Sheet
from .._core.intervals import interval
from ..tables.levels import GROUP, OVERALL, WORD, at_level
from ..tables.schema import CONTROLS
from .headline import CLOSING, ORDER, change_headline, headline_rows
from .list_page import coverage_table, level_table
from .numbers import (
    BORDERLINE,
    ROUNDED,
    counted,
    ends,
    graded,
    joined,
    named,
    number,
    percent,
    plain_draws,
    probability_name,
    signed,
)
from .wording import ALL_GROUPS, MEANINGS, doubts_of
from .writer import Block, Figure, Line, Page, Section, lines, prose, table

if TYPE_CHECKING:
    from ..workflows.change import ChangeAnalysis

LIKELY = 0.9
"""Probability from which a word is named as one that moved, turned, or stayed."""


def change_page(analysis: ChangeAnalysis) -> Page:
    """Return the page of a change; all its figures show the lead model."""
    name = f"{analysis.wordlist}: " if analysis.wordlist else ""
    attrs, limits = analysis.posterior.attrs, lines("limits.people", "limits.change")
    return Page(
        kind="Cosine distances, before and after",
        title=f"{name}{' → '.join(analysis.names)}",
        lede=change_headline(analysis).about,
        sections=[
            Section("found", "What changed", _found(analysis)),
            Section("order", "Did orders turn", _orders(analysis)),
            Section("side", "Side effects", side_effects(analysis)),
            Section("scores", "What single numbers report", _scores(analysis)),
            Section("changes", "Groups and words", _changes(analysis)),
            Section("reading", "How to read this", [_reading(analysis)]),
            Section("model", "Model and pairing", _model(analysis)),
            Section("limits", "What may not be concluded", [limits]),
        ],
        facts=[Line("Paired rows, SHA-256", str(attrs["table_hash"]))],
        doubts=doubts_of(analysis.results),
    )


def change_sheet(analysis: ChangeAnalysis) -> Sheet:
    """Show what leads in a terminal or notebook."""
    order, *_ = order_sentences(analysis)
    notes = [pairing(analysis), order, *side_effects(analysis), *single_numbers(analysis)]
    return change_headline(analysis).sheet(*notes, CLOSING)


def change_paragraph(analysis: ChangeAnalysis) -> str:
    """Write a paragraph on a change for a paper, as Markdown."""
    before, after = analysis.names
    sentences = [
        f"We compared cosine distances in {before} and in {after}. {pairing(analysis)}",
        f"Changes were fitted pair by pair with the model “{analysis.lead.spec.name}”; we report "
        f"posterior means with {probability_name(analysis.settings.ci_prob)} intervals.",
        *change_sentences(analysis),
        *order_sentences(analysis),
        *side_effects(analysis),
        *single_numbers(analysis),
    ]
    return " ".join(sentences) + "\n"


def headline_figure(analysis: ChangeAnalysis) -> Figure:
    """Return the picture of what leads: the contrast before and after, or how far each moved."""
    if not analysis.lead.watched:
        draw = partial(plots.change_forest, analysis.changes, rope=analysis.rope)
        return Figure("headline", draw, "How far each kind of attribute moved.")
    rows = headline_rows(analysis.lead.orders)
    edge = [cells[0] for cells in change_headline(analysis).table.rows if BORDERLINE in cells[3]]
    caption = "Associated − different, overall and by group: squares before, dots after."
    caption += f" Borderline changes: {joined(edge)}." if edge else ""
    return Figure("headline", partial(plots.order_forest, rows), caption)


def _marks(analysis: ChangeAnalysis, frame: pd.DataFrame) -> dict[str, Any]:
    """Return how a table marks what is borderline in a frame of changes."""
    settings = analysis.settings
    n_draws = plain_draws(frame, settings)
    return {"ci_prob": settings.ci_prob, "n_draws": n_draws, "rope": analysis.rope}


def _found(analysis: ChangeAnalysis) -> list[Block]:
    lead, marks = change_headline(analysis), _marks(analysis, analysis.changes)
    row, n = analysis.lead.alignment.iloc[0], analysis.changes["connection"].nunique()
    n_draws, extra = analysis.settings.n_draws, ("p_direction", "p_moved", "p_towards_one")
    frame = analysis.frame("changes")
    return [
        lead.table,
        headline_figure(analysis),
        f"The overall means of the {counted(n, 'connection')} spanned {number(row['before'])} "
        f"before and span {number(row['after'])} after. The probability that they came closer "
        f"together is {graded(row['p_narrower'], n_draws)}; that they kept their order, "
        f"{graded(row['p_same_order'], n_draws)}.",
        level_table(frame, OVERALL, "Changes, overall", extra=extra, **marks),
        CLOSING,
    ]


def change_sentences(analysis: ChangeAnalysis) -> list[str]:
    """Word how far each connection moved overall."""
    settings, n_draws = analysis.settings, plain_draws(analysis.changes, analysis.settings)
    return [
        f"{row['connection'].capitalize()} attributes went from {number(row['before'])} to "
        f"{number(row['after'])}: {signed(row['after'] - row['before'])}, "
        f"{probability_name(settings.ci_prob)} interval {ends(row)}. The probability that they "
        f"moved by more than {analysis.rope:.2g} is {graded(row['p_moved'], n_draws)}."
        for row in at_level(analysis.changes, OVERALL).to_dict("records")
    ]


def _orders(analysis: ChangeAnalysis) -> list[Block]:
    orders = analysis.lead.orders
    if not analysis.lead.watched:
        return [*order_sentences(analysis)]
    groups = orders["protected_group"].replace("", ALL_GROUPS)
    words = orders["protected_word"].where(orders["protected_word"] != "", groups)
    frame = orders.assign(of=words, change=orders["mean"])
    names = ("of", "before", "p_closer_before", "after", "p_closer_after", "change", "p_turned")
    caption = "The order of associated and different attributes, before and after, word by word."
    n_draws = analysis.settings.n_draws
    return [
        prose("orders"),
        *order_sentences(analysis),
        Figure("order", partial(plots.order_forest, orders, words=True), caption),
        table(frame, f"{' − '.join(ORDER)}, before and after", *names, n_draws=n_draws),
    ]


def order_sentences(analysis: ChangeAnalysis) -> list[str]:
    """Word for how many protected words the order of associated and different turned."""
    result, settings = analysis.lead, analysis.settings
    if not result.watched:
        return [f"The tables lack {joined(ORDER)} attributes, so there is no order to watch."]
    words = at_level(result.orders, WORD)
    low, high = interval(result.turned[:, None], **settings.intervals)[0]
    turned, stayed = (
        _words(words[sure]) if sure.any() else "no word"
        for sure in (words["p_turned"] > LIKELY, words["p_turned"] < 1 - LIKELY)
    )
    most = words.sort_values("p_turned").iloc[-1]
    return [
        f"Of {counted(len(words), 'protected word')}, the order of {joined(ORDER)} attributes is "
        f"expected to have turned for {number(float(result.turned.mean()), 1)} "
        f"({probability_name(settings.ci_prob)} interval {low:.0f} to {high:.0f}).",
        f"With a probability above {percent(LIKELY)} it turned for {turned}, and stayed for "
        f"{stayed}. It most likely turned for {most['protected_word']}, "
        f"{graded(most['p_turned'], settings.n_draws)}.",
    ]


def side_effects(analysis: ChangeAnalysis) -> list[str]:
    """Word how far the control words moved."""
    frame, rope = analysis.changes, analysis.rope
    n_draws, sentences = plain_draws(frame, analysis.settings), []
    for name in (control for control in CONTROLS if control in set(frame["connection"])):
        rows = frame[frame["connection"] == name]
        overall, words = at_level(rows, OVERALL).iloc[0], at_level(rows, WORD)
        moved = words[words["p_moved"] > LIKELY]
        which = f", {_words(moved)} at more than {percent(LIKELY)}" if len(moved) else ""
        sentences.append(
            f"{name.capitalize()} words were not meant to move. Overall they moved by "
            f"{signed(overall['mean'])} ({ends(overall)}), by more than {rope:.2g} with a "
            f"probability of {graded(overall['p_moved'], n_draws)}; the expected number of "
            f"protected words for which they did is {number(float(words['p_moved'].sum()), 1)} of "
            f"{len(words)}{which}."
        )
    none = "The tables have no neutral or human words, so side effects cannot be seen."
    return sentences or [none]


def _scores(analysis: ChangeAnalysis) -> list[Block]:
    frame, remains = analysis.scores, analysis.remains
    singles = ("score", "groups", "before", "after", "change", "interval", "test", "note")
    ci_prob = frame.attrs.get("ci_prob", analysis.settings.ci_prob)
    frame = frame.assign(test=[_t_test(row) or "–" for _, row in frame.iterrows()])
    blocks: list[Block] = [
        table(frame, "Single numbers", *singles, ci_prob=ci_prob),
        *single_numbers(analysis),
    ]
    if remains is not None:
        names = ("check", "measure", "before", "after", "chance", "n")
        caption = "Is the bias found again? Of targets and classes"
        blocks += [table(remains, caption, *names), prose("found_again")]
    return blocks


def _t_test(row: pd.Series) -> str:
    """Write the statistic and the p-value of a t-test, if there is one."""
    if not np.isfinite(row["t"]):
        return ""
    p = f"= {row['p_value']:.3f}" if row["p_value"] >= 0.001 else "< 0.001"
    return f"t = {number(row['t'], 2)}, p {p}"


def single_numbers(analysis: ChangeAnalysis) -> list[str]:
    """Word what MAC, Direct Bias and a classifier report."""
    mac = analysis.scores[analysis.scores["score"] == "mac"].iloc[0]
    test = f" (paired t-test {_t_test(mac)})" if _t_test(mac) else ""
    sentences = [
        f"MAC goes from {number(mac['before'])} to {number(mac['after'])}{test}. It averages "
        "associated and different attributes of all words. It does not show which of them moved, "
        "for whom, and whether control words moved as well."
    ]
    rows = [] if analysis.remains is None else analysis.remains.to_dict("records")
    for row in sorted(rows, key=lambda row: str(row["check"]), reverse=True):
        if row["check"] == "direct_bias":
            sentences.append(
                f"The mean Direct Bias of {counted(row['n'], 'target word')} goes from "
                f"{number(row['before'])} to {number(row['after'])}."
            )
        elif row["check"] == "classifier":
            sentences.append(
                f"Of the {counted(row['n'], 'word')} that leaned most before, a classifier finds "
                f"the class for {percent(row['before'])} before and {percent(row['after'])} "
                f"after; {percent(row['chance'])} would be chance. Scores along one direction do "
                "not show what it finds."
            )
    return sentences


def _changes(analysis: ChangeAnalysis) -> list[Block]:
    frame, contrasts = analysis.frame("changes"), analysis.frame("contrasts")
    marks = _marks(analysis, analysis.changes)
    drawn = marks | {"n_draws": analysis.settings.n_draws}
    extra = ("p_direction", "p_moved", "p_towards_one")
    forest = partial(plots.change_forest, analysis.changes, rope=analysis.rope)
    caption = "Changes of the differences between connections"
    names = ("connection", "share_before", "share_after", "n_before")
    return [
        Figure(
            "change", forest, "How far each kind of attribute moved: all words, and each group."
        ),
        level_table(frame, GROUP, "Changes, group", extra=extra, **marks),
        level_table(frame, WORD, "Changes, word", extra=extra, **drawn),
        level_table(contrasts, OVERALL, caption, **_marks(analysis, analysis.contrasts)),
        Figure(
            "distributions",
            partial(plots.distributions, analysis.before, analysis.after),
            "All measured distances by connection, before and after, and one band around 1.",
        ),
        table(analysis.bands, "Single distances inside the band around 1", *names),
    ]


def _reading(analysis: ChangeAnalysis) -> list[Line]:
    settings, frame = analysis.settings, analysis.changes
    return lines(
        "reading.change",
        kinds="; ".join(f"{name}: {MEANINGS[name]}" for name in frame["connection"].unique()),
        ci=probability_name(settings.ci_prob),
        about=settings.about_interval,
        rope=f"±{analysis.rope:.2g}",
        rounded=ROUNDED,
    )


def _model(analysis: ChangeAnalysis) -> list[Block]:
    fitted = [
        Line(
            f"Model {name}",
            f"{result.spec.title or 'no title'}. Fitted by {result.posterior.attrs['method']} "
            f"({result.posterior.attrs['method_reason']}).",
        )
        for name, result in analysis.results.items()
    ]
    return [
        pairing(analysis),
        *analysis.notices,
        fitted,
        prose("paired"),
        coverage_table(analysis.frame("check"), "pairs"),
    ]


def pairing(analysis: ChangeAnalysis) -> str:
    """Word how many rows were paired, repeated and left out."""
    attrs = analysis.posterior.attrs
    sentences = [f"{counted(attrs['n_pairs'], 'pair')} of rows, matched on words and connection."]
    if attrs["n_repeated"]:
        sentences.append(
            f"{counted(attrs['n_repeated'], 'pair repeats', 'pairs repeat')} the words of an "
            "earlier one; repeated rows were matched in their order, and count as often as they "
            "occur."
        )
    lost = joined(f"{attrs[f'n_unpaired_{name}']:,} {name}" for name in ("before", "after"))
    sentences.append(
        f"Rows without a partner were left out: {lost}; see unpaired.csv."
        if len(analysis.unpaired)
        else "Every row has a partner."
    )
    return " ".join(sentences)


def _words(rows: pd.DataFrame) -> str:
    return named(rows["protected_word"].astype(str).tolist())
