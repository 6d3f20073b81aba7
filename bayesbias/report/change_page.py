"""The page of a change: what changed, and what single numbers hide."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from .. import plots
from .._core.display import Sheet
from ..tables.levels import OVERALL, WORD, at_level
from ..tables.schema import CONTROLS
from .headline import ORDER, change_headline, headline_rows
from .list_page import overall_table
from .numbers import (
    BORDERLINE,
    counted,
    ends,
    graded,
    joined,
    named,
    number,
    percent,
    probability_name,
    signed,
)
from .wording import MEANINGS, coverage_sentence, fitted_lines, reading_lines
from .write_up import WriteUp, with_references
from .writer import Block, Figure, Line, Page, lines, prose, sections, table

if TYPE_CHECKING:
    from ..workflows.change import ChangeAnalysis

LIKELY = 0.9
"""Smallest probability for which a word is named as moved, reversed, or unchanged."""


def page(analysis: ChangeAnalysis) -> Page:
    """Return the page about a change; its figures show the lead model."""
    name = f"{analysis.wordlist}: " if analysis.wordlist else ""
    return Page(
        kind="Cosine distances, before and after",
        title=f"{name}{' → '.join(analysis.names)}",
        lede=change_headline(analysis).about,
        sections=sections(
            ("found", "What changed", _found(analysis)),
            ("order", "Did the order reverse?", _orders(analysis)),
            ("side", "Side effects", side_effects(analysis)),
            ("scores", "What single numbers show", _scores(analysis)),
            ("changes", "All distances", _distances(analysis)),
            ("reading", "How to read this", [_reading(analysis)]),
            ("model", "Model and pairing", _model(analysis)),
            ("limits", "What you cannot conclude", [lines("limits.people", "limits.change")]),
        ),
        facts=[
            Line("Paired rows, SHA-256", str(analysis.posterior.attrs["table_hash"])),
            *fitted_lines(analysis.results, analysis.settings),
        ],
        doubts=analysis.doubts,
    )


def sheet(analysis: ChangeAnalysis) -> Sheet:
    """Return the headline for a terminal or notebook."""
    order, *_ = order_sentences(analysis)
    notes = [pairing(analysis), order, *side_effects(analysis), *single_numbers(analysis)]
    return change_headline(analysis).sheet(*notes, prose("not_people"))


def write_up(analysis: ChangeAnalysis) -> WriteUp:
    """Write a paragraph about a change."""
    lead, (before, after) = change_headline(analysis), analysis.names
    what, ci = lead.table.caption, probability_name(analysis.settings.ci_prob)
    moves = joined(
        f"{change} for {of} (from {old} to {new})" for of, old, new, change, _ in lead.table.rows
    )
    sentences = [
        f"We compared cosine distances before the change ({before}) and after it ({after})"
        f"{', for the word list “' + analysis.wordlist + '”' if analysis.wordlist else ''}. "
        f"{pairing(analysis)}",
        f"Changes were fitted pair by pair with bayesbias [@bayesbias]. {what} changed by {moves}. "
        f"The {ci} intervals are in parentheses.",
        *order_sentences(analysis),
        *side_effects(analysis),
        *single_numbers(analysis),
    ]
    return with_references(" ".join(sentences))


def headline_figure(analysis: ChangeAnalysis) -> Figure:
    """Return the main figure: the contrast before and after, or how far attributes moved."""
    orders = analysis.lead["orders"]
    if orders.empty:
        draw = partial(plots.change_forest, analysis.changes, rope=analysis.rope)
        return Figure("headline", draw, "How far each kind of attribute moved.")
    edge = [cells[0] for cells in change_headline(analysis).table.rows if BORDERLINE in cells[3]]
    caption = "Associated − different, overall and by group, before (squares) and after (dots)."
    caption += f" Borderline changes: {joined(edge)}." if edge else ""
    return Figure("headline", partial(plots.order_forest, headline_rows(orders)), caption)


def _found(analysis: ChangeAnalysis) -> list[Block]:
    settings, changes, lead = analysis.settings, analysis.changes, change_headline(analysis)
    row, n = analysis.lead["alignment"].iloc[0], changes["connection"].nunique()
    draw = partial(plots.change_forest, changes, rope=analysis.rope)
    caption = "How far each kind of attribute moved, overall and by group; see changes.csv."
    names = ("p_direction", "p_moved", "p_toward_one")
    return [
        lead.table,
        *lead.notes,
        headline_figure(analysis),
        prose(
            "alignment",
            connections=counted(n, "connection"),
            before=number(row["before"]),
            after=number(row["after"]),
            narrower=graded(row["p_narrower"], settings.n_draws),
            same=graded(row["p_same_order"], settings.n_draws),
        ),
        overall_table(analysis.frame("changes"), "Changes, overall", *names),
        Figure("change", draw, caption),
        prose("not_people"),
    ]


def _orders(analysis: ChangeAnalysis) -> list[Block]:
    orders, sentences = analysis.lead["orders"], order_sentences(analysis)
    if orders.empty:
        return [*sentences]
    caption = "The order of associated and different attributes, before and after, word by word."
    draw = partial(plots.order_forest, orders, words=True)
    return [prose("orders"), *sentences, Figure("order", draw, caption)]


def order_sentences(analysis: ChangeAnalysis) -> list[str]:
    """Return sentences on protected words whose associated and different means switched order."""
    lead, settings = analysis.lead, analysis.settings
    if lead["orders"].empty:
        return [f"The tables do not have both {joined(ORDER)} attributes, so no order can reverse."]
    words, turned = at_level(lead["orders"], WORD), lead["turned"].iloc[0]
    sure, stayed = (
        _words(words[which]) if which.any() else "no word"
        for which in (words["p_turned"] > LIKELY, words["p_turned"] < 1 - LIKELY)
    )
    most = words.sort_values("p_turned").iloc[-1]
    chance = f"{most['protected_word']} ({graded(most['p_turned'], settings.n_draws)})"
    ends = {end: f"{turned[end]:.0f}" for end in ("low", "high")}
    ends |= {"mean": number(turned["mean"], 1), "ci": probability_name(settings.ci_prob)}
    count = counted(len(words), "protected word")
    return [
        prose("turned", words=count, order=joined(ORDER), **ends),
        prose("turned_words", likely=percent(LIKELY), turned=sure, stayed=stayed),
        *([prose("turned_most", most=chance)] if most["p_turned"] > 0.5 else []),
    ]


def side_effects(analysis: ChangeAnalysis) -> list[str]:
    """Return sentences on how far the control words moved."""
    frame, rope = analysis.changes, analysis.rope
    n_draws, sentences = frame.attrs["n_draws"], []
    for name in (control for control in CONTROLS if control in set(frame["connection"])):
        rows = frame[frame["connection"] == name]
        overall, words = at_level(rows, OVERALL).iloc[0], at_level(rows, WORD)
        moved = words[words["p_moved"] > LIKELY]
        which = f" (probability over {percent(LIKELY)} for {_words(moved)})" if len(moved) else ""
        sentence = prose(
            "control_moved",
            name=name.capitalize(),
            mean=signed(overall["mean"]),
            ends=ends(overall),
            rope=f"{rope:.2g}",
            moved=graded(overall["p_moved"], n_draws),
            expected=number(float(words["p_moved"].sum()), 1),
            words=counted(len(words), "protected word"),
            which=which,
        )
        sentences.append(sentence)
    return sentences or [prose("no_controls")]


def _scores(analysis: ChangeAnalysis) -> list[Block]:
    frame, remains = analysis.scores, analysis.remains
    names = ("score", "groups", "before", "after", "change", "interval", "t", "p_value", "note")
    frame.attrs.setdefault("ci_prob", analysis.settings.ci_prob)
    blocks: list[Block] = [table(frame, "Single numbers", *names), *single_numbers(analysis)]
    if remains is not None:
        shown = ("check", "measure", "before", "after", "chance", "n")
        caption = "Can the bias be recovered? Targets and classes"
        blocks += [table(remains, caption, *shown), prose("found_again")]
    return blocks


def single_numbers(analysis: ChangeAnalysis) -> list[str]:
    """Return sentences about MAC, Direct Bias, and a classifier."""
    mac = analysis.scores.query("score == 'mac'").iloc[0]
    sentences = [prose("single_numbers", before=number(mac["before"]), after=number(mac["after"]))]
    if analysis.remains is None:
        return sentences
    rows = {str(row["check"]): row for row in analysis.remains.to_dict("records")}
    if row := rows.get("direct_bias"):
        sentences.append(
            f"The mean Direct Bias of {counted(row['n'], 'target word')} changes from "
            f"{number(row['before'])} to {number(row['after'])}."
        )
    if row := rows.get("classifier"):
        shares = {name: percent(row[name]) for name in ("before", "after", "chance")}
        sentences.append(prose("classifier", words=counted(row["n"], "word"), **shares))
    return sentences


def _distances(analysis: ChangeAnalysis) -> list[Block]:
    names = ("connection", "share_before", "share_after", "n_before")
    draw = partial(plots.distributions, analysis.before, analysis.after)
    caption = "All measured distances by connection, before and after, with the same band around 1."
    return [
        Figure("distributions", draw, caption),
        table(analysis.bands, "Single distances inside the band around 1", *names),
    ]


def _reading(analysis: ChangeAnalysis) -> list[Line]:
    kinds = (f"{name} ({MEANINGS[name]})" for name in analysis.changes["connection"].unique())
    values = {"kinds": "; ".join(kinds), "rope": f"±{analysis.rope:.2g}"}
    return reading_lines(analysis.settings, "reading.change", **values)


def _model(analysis: ChangeAnalysis) -> list[Block]:
    ci_prob = analysis.settings.ci_prob
    fitted = [
        Line(f"{name} – {one.spec.title or 'no title'}", coverage_sentence(one, ci_prob, "changes"))
        for name, one in analysis.results.items()
    ]
    return [pairing(analysis), *map(str, analysis.notices), fitted, prose("paired")]


def pairing(analysis: ChangeAnalysis) -> str:
    """Return sentences on how many rows were paired, repeated, or left out."""
    attrs = analysis.posterior.attrs
    n_pairs = counted(attrs["n_pairs"], "pair of rows was", "pairs of rows were")
    sentences = [f"{n_pairs} matched by words and connection."]
    if attrs["n_repeated"]:
        sentences.append(
            f"{counted(attrs['n_repeated'], 'pair repeats', 'pairs repeat')} the words of an "
            "earlier pair. Repeated rows were matched in order, and each of them counts."
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
