"""The page of a change: how much closeness it removed, what is left, and which words moved."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pandas as pd

from .. import plots
from ..records.changes import ChangeRecord
from ..tables.levels import GROUP, OVERALL, at_level
from .answer import Answer
from .dots import DotPicture, axis_for
from .leans import Leans
from .list_page import UNIT
from .numbers import (
    counted,
    digits_for,
    in_words,
    joined,
    number,
    percent,
    probability,
    probability_name,
)
from .page import LIMITS, Facts, Fold, Page, box, figure, fold
from .parts import (
    alerts,
    digits_of,
    dot_row,
    fit_fold,
    fitted_facts,
    how_to_read,
    pair_figure,
    panel,
    ruler,
)
from .sentences import Marked, Sentence, opening, plain, sized
from .tables import Table, table

CHECKS = {
    "direct_bias": ("Direct Bias of {n:,} words", number),
    "same": ("SAME of {n:,} words", number),
    "cluster": ("two clusters match the lean", percent),
    "classifier": ("a classifier recovers the lean", percent),
    "neighbors": ("lean of the neighbors, correlation", number),
}
"""Name and format of each check of the remaining bias."""


def page(record: ChangeRecord) -> Page:
    """Return the page about a change."""
    answer, removed = change_answer(record), record.removed
    pictured = answer.picture.svg() if answer.picture else _moves(record)
    caption = '<p class="cap">Each dot is 1% of the probability.</p>' if removed else ""
    plotted = {"distributions": partial(plots.distributions, *_tables(record))}
    if len(record.frames["leans"]):
        plotted["change"] = partial(plots.change, *_tables(record))
    return Page(
        title=f"{record.title or 'Two tables'}: {record.before} → {record.after}",
        kicker=", ".join(filter(None, [record.title, record.pairing])),
        answer=answer,
        main=pictured + caption + box(_limits(record)),
        side=_left(record),
        folds=list(_folds(record)),
        figures=_figures(record),
        details=list(_details(record)),
        plots=plotted,
    )


def change_answer(record: ChangeRecord) -> Answer:
    """Return what the page, the terminal, the notebook, and the card lead with."""
    drawn = change_picture(record) if record.removed else None
    return Answer(change_sentence(record), change_deck(record), drawn, alerts(record))


def _tables(record: ChangeRecord) -> tuple[pd.DataFrame, pd.DataFrame]:
    return record.frames["table_before"], record.frames["table_after"]


def change_sentence(record: ChangeRecord) -> Sentence:
    """Return the sentence that leads the page: whether closeness was removed, and what is left."""
    agent = f"{record.method} debiasing" if record.method else f"the change to {record.after}"
    where, removed = f" in {record.before}", record.removed
    if removed is None:
        kinds = joined(dict.fromkeys(record.frames["changes"]["connection"].astype(str)))
        return (f"How far {agent} moved {kinds} attributes{where}.",)
    groups = record.naming.groups.values()
    who = joined(groups) if len(groups) < 4 else "words"
    verdict, pieces = removed.verdict, list[str | Marked]()
    if verdict.holds is None:
        pieces = [opening(verdict), f" whether {agent} moved {who} away from"]
    else:
        away = "away from" if verdict.holds else "closer to"
        pieces = [opening(verdict), f", {agent} moved {who} {away}"]
    pieces.append(f" their own stereotypes{where}.")
    if (left := record.check("classifier")) is not None:
        pieces.append(
            f" But of the {int(left['n']):,} words that leaned most before, a classifier still "
            f"sorts {percent(left['after'])} correctly."
        )
    return tuple(pieces)


def change_deck(record: ChangeRecord) -> str:
    """Return the sentence on the size of the change."""
    if record.removed is None:
        return ""
    ci, row = probability_name(record.ci_prob), record.removed
    if row.mean >= 0:
        return f"The difference fell by {sized(row, ci=ci)}."
    return f"The difference grew by {sized(row, -1, ci=ci)}."


def change_picture(record: ChangeRecord) -> DotPicture:
    """Return the dots before, after, and of what was removed, above the ruler."""
    labels = {"before": "closer to own stereotypes", "after": "closer to own stereotypes"}
    digits = digits_of([*record.ends, *([record.removed] if record.removed else [])])
    rows = [dot_row(row, row.key, labels[row.key], digits) for row in record.ends]
    if record.removed:
        rows.append(dot_row(record.removed, "removed", "before minus after", digits))
    values = [value for row in rows for value in row.values]
    spoken = "; ".join(f"{row.label} {' '.join(row.right)}" for row in rows)
    label = f"{plain(change_sentence(record))} Closer by: {spoken}."
    sides = ("reverse", "with the stereotype")
    return DotPicture(rows, ruler(record), sides, UNIT, label, axis_for(values), 90.0)


def _moves(record: ChangeRecord) -> str:
    """Return the changes of each kind of attribute, for tables that have no contrast."""
    return table(at_level(record.frames["changes"], OVERALL), "Changes", *_CHANGE).html()


_CHANGE = ("connection", "before", "after", "mean", "interval", "p_moved", "p_toward_one")


def _limits(record: ChangeRecord) -> str:
    left = record.check("classifier")
    if left is not None:
        return (
            f"{LIMITS} <b>Nor that bias is gone</b>: the classifier finds it where this list does "
            "not look."
        )
    return f"{LIMITS} <b>Nor that bias is gone</b>: a classifier may still recover it."


def _left(record: ChangeRecord) -> str:
    """Return the table of the difference and the checks, before, after, and without bias."""
    rows = list[tuple[str, ...]]()
    if record.removed:
        digits = digits_for(record.removed.low, record.removed.high)
        rows.append(("this difference", *(number(row.mean, digits) for row in record.ends), "0"))
    frame, marked = record.frames["remains"], []
    for row in frame.to_dict("records") if len(frame) else ():
        if (name := CHECKS.get(str(row["check"]))) is None:
            continue
        values = [row["before"], row["after"], row["chance"]]
        if row["check"] == "classifier":
            marked = [(len(rows), 1)]
        write = partial(name[1], digits=2) if name[1] is number else name[1]
        shown = ["–" if pd.isna(value) else write(value) for value in values]
        rows.append((name[0].format(n=int(row["n"])), *shown))
    if not rows:
        return ""
    heads = ("", "before", "after", "no bias")
    numeric = (False, True, True, True)
    whole = Table("What is left", heads, numeric, tuple(rows), tuple(marked)).html()
    left = record.check("classifier")
    if left is None:
        return whole
    note = f"Clusters and classifier: the {int(left['n']):,} words that leaned most before."
    return whole + f'<p class="foot">{note}</p>'


def _folds(record: ChangeRecord) -> Iterator[Fold]:
    removed = record.frames["removed"]
    if record.removed:
        rows = removed.assign(of=removed["protected_group"].map(in_words).replace("", "all groups"))
        rows.attrs = removed.attrs
        shown = ("of", "before", "after", "mean", "interval", "p_direction")
        groups = at_level(rows, GROUP)
        parts = pd.concat([at_level(rows, OVERALL), groups], ignore_index=True)
        parts.attrs = removed.attrs
        text = (
            "The same pairs of words were measured before and after, so whatever stays the same "
            "cancels out. Positive changes in distance mean that words moved away."
        )
        yield fold("How sure?", table(parts, "", *shown), text)
    yield fold("Did control words move?", *control_moves(record))
    yield how_to_read(record, "the difference before, after, and removed")


def control_moves(record: ChangeRecord) -> list[str]:
    """Say how far each kind of control words moved, or that there are none."""
    changes = at_level(record.frames["changes"], OVERALL)
    controls = changes[changes["connection"].isin(["neutral", "human", "matched"])]
    return [
        f"{row['connection'].capitalize()} words moved by {number(row['mean'])} "
        f"({number(row['low'])} to {number(row['high'])}); probability of more than "
        f"{record.rope:.2g}: {probability(row['p_moved'])}."
        for row in controls.astype({"connection": str}).to_dict("records")
    ] or ["The tables have no control words, so side effects cannot be seen."]


def _figures(record: ChangeRecord) -> str:
    """Return the arrows of stereotype words."""
    leans = record.frames["leans"]
    if leans.empty:
        return ""
    sets, groups = list(dict.fromkeys(leans["attribute_set"])), list(dict.fromkeys(leans["group"]))
    kinds = ("own", "other") if len(groups) == 1 else ("own",) * len(sets)
    panels = []
    for name, kind in zip(sets, kinds, strict=False):
        part = leans[leans["attribute_set"] == name]
        before = part.rename(columns={"before": "lean"})
        later = part.rename(columns={"after": "lean"})
        panels.append(panel(before, str(part["says"].iloc[0]), kind, later))
    toward = int((leans["toward"] > 0).sum())
    caption = (
        "Ring: before; arrow tip: after. "
        + (
            "<b>Half the gap between the means is the difference</b>; removal brings all tips to "
            "one place, not to zero. "
            if len(groups) == 1
            else ""
        )
        + f"{toward} of {counted(len(leans), 'word')} moved the stereotyped way."
    )
    sides = str(leans["left"].iloc[0]), str(leans["right"].iloc[0])
    label = "Before: " + "; ".join(f"{one.title}, mean {number(one.mean, 2)}" for one in panels)
    drawing = Leans(panels, sides, label).svg()
    arrows = figure("Which words moved?", drawing, caption, "arrows")
    title = "Every pair of words, before"
    pairs = pair_figure(record.frames["word_pairs"], record.naming, title, "pairs", "side")
    return f'<section class="fig two">{arrows}{pairs}</section>'


def _details(record: ChangeRecord) -> Iterator[Fold]:
    frames = record.frames
    moves = at_level(frames["changes"], OVERALL)
    moves.attrs = frames["changes"].attrs
    yield fold("How far did each kind of word move?", table(moves, "", *_CHANGE))
    scores = ("score", "groups", "before", "after", "change", "interval", "t", "p_value", "note")
    frames["scores"].attrs.setdefault("ci_prob", record.ci_prob)
    yield fold("What do other scores say?", table(frames["scores"], "", *scores))
    bands = ("connection", "share_before", "share_after", "n_before")
    inside = table(frames["bands"], "Inside the band around 1", *bands)
    yield fold("Are single distances closer to 1?", inside)
    yield fit_fold(record, "changes")
    if len(record.notices):
        texts = tuple(("Warning", str(notice)) for notice in record.notices)
        yield fold("What did the run warn about?", Facts(texts))
    yield fold("How was it computed?", fitted_facts(record))
