"""The page of a word list: the answer, its picture, the raw data behind it, and details."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from .. import plots
from ..records.lists import ListRecord, Question
from ..tables.levels import OVERALL, at_level
from .answer import Answer
from .dots import DotPicture, axis_for
from .leans import Leans
from .numbers import counted, digits_for, number, probability_name
from .page import LIMITS, Facts, Fold, Page, box, figure, fold
from .parts import (
    alerts,
    block_table,
    digits_of,
    dot_row,
    fit_fold,
    fitted_facts,
    how_to_read,
    missing_notes,
    pair_figure,
    panel,
    ruler,
)
from .sentences import list_deck, list_sentence, plain, sized
from .tables import Table, table

UNIT = "closer by (difference in cosine distance)"

BASELINES = {
    "matched": "equally frequent words",
    "neighbors": "words on the same topics",
    "neutral": "neutral words",
    "human": "human words",
}
"""Kinds of words that a group's closeness can be compared with."""


def page(record: ListRecord) -> Page:
    """Return the page about a word list."""
    sizes = record.sizes
    size = f"{sizes['words']} words × {sizes['stereotypes']} stereotypes"
    removed = "Word frequency is removed." if record.frequency_removed else ""
    caption = f"Each dot is 1% of the probability. {removed}"
    first = f'{list_picture(record).svg()}<p class="cap">{caption}</p>{box(_limits(record))}'
    return Page(
        title=f"{record.title}, in {record.embedding}",
        kicker=f"{record.title}, {size}",
        answer=list_answer(record),
        main=first,
        side=_numbers(record),
        folds=list(_folds(record)),
        figures=f'<section class="fig two">{_pairs(record)}{_leans(record)}</section>',
        details=list(_details(record)),
        plots={
            "closeness": partial(plots.closeness, record.frames["headline"]),
            "heatmap": partial(plots.heatmap, record.frames["table"]),
            "distributions": partial(plots.distributions, record.frames["table"]),
        },
    )


def list_answer(record: ListRecord) -> Answer:
    """Return what the page, the terminal, the notebook, and the card lead with."""
    doubts = alerts(record, record.frames["thin"])
    notes = missing_notes(record)
    if record.question is Question.CROSSED:
        one = "With two groups, this is one number; which group it comes from is not known."
        notes = [one, *notes]
    return Answer(list_sentence(record), list_deck(record), list_picture(record), doubts, notes)


def list_picture(record: ListRecord) -> DotPicture:
    """Return the dots of all rows above the ruler."""
    rows, names = record.rows, {**record.naming.groups, "": "mean"}
    if not record.groups:
        names[""] = "this list"
    values = [value for row in rows for value in row.quantiles]
    digits = digits_of(rows)
    drawn = [dot_row(row, names[row.key], _examples(record, row.key), digits) for row in rows]
    grouped = bool(record.groups)
    return DotPicture(
        drawn,
        ruler(record, record.topics, record.overall),
        ("away", "toward own stereotypes") if grouped else ("reverse", "with the stereotype"),
        UNIT,
        f"{plain(list_sentence(record))} {_spoken(record)}",
        axis_for(values),
        76.0 if grouped else 100.0,
    )


def _examples(record: ListRecord, group: str) -> str:
    """Return the first stereotypes of a group, as many as fit."""
    leans = record.frames["leans"]
    own = leans[(leans["protected_group"] == group) & (leans["connection"] == "associated")]
    text = ""
    for word in own["attribute"] if record.groups else ():
        if len(text) + len(word) > 24:
            return f"{text} …"
        text = f"{text}, {word}" if text else word
    return text


def _spoken(record: ListRecord) -> str:
    """Return the numbers of the picture as text, for readers who do not see it."""
    names = {**record.naming.groups, "": "mean"}
    ci = probability_name(record.ci_prob)
    rows = (f"{names[row.key]} {sized(row)}" for row in record.rows)
    return f"Closer by, with {ci} intervals: {'; '.join(rows)}."


def _limits(record: ListRecord) -> str:
    if record.question is Question.CROSSED:
        nor = "<b>Nor which group it comes from</b>: with two groups, only one number is known."
        return f"{LIMITS} {nor}"
    if record.groups:
        return f"{LIMITS} A number stands for a group’s stereotypes together, not for each."
    return LIMITS


def _numbers(record: ListRecord) -> str:
    """Return the table next to the picture: the raw means behind the number."""
    blocks = record.frames["blocks"]
    if record.question is not Question.CROSSED:
        note = (
            "A group’s number compares its framed distance with the others in its column, minus "
            "the same for third groups’ stereotypes."
        )
        return block_table(blocks, record.naming).html() + f'<p class="foot">{note}</p>'
    steps = record.frames["steps"].set_index("step")["value"]
    digits = max(3, digits_for(record.overall.low, record.overall.high) + 1)
    (a, b), (s, t) = record.naming.groups.values(), record.naming.sets.values()
    rows = (
        (f"matching pairs ({a} × {s}, {b} × {t})", number(steps["matching"], digits)),
        ("crossed pairs", number(steps["crossed"], digits)),
        ("difference", number(steps["difference"], digits)),
        (
            "estimate" + (", at equal word frequency" if record.frequency_removed else ""),
            number(record.overall.mean, digits),
        ),
    )
    return Table("Mean distance", ("", ""), (False, True), rows, own=((3, 0),)).html()


def _folds(record: ListRecord) -> Iterator[Fold]:
    ci, sizes = probability_name(record.ci_prob), record.sizes
    names = {**record.naming.groups, "": "mean" if record.groups else "this list"}
    rows = tuple(
        (names[row.key], sized(row), f"{row.verdict.percent}%", row.verdict.grade.value)
        for row in record.rows
    )
    heads = ("", f"closer by ({ci} interval)", "probability", "")
    sure = Table("", heads, (False, False, True, False), rows)
    like = (
        f"For words like these: {counted(sizes['words'], 'word')} and "
        f"{counted(sizes['stereotypes'], 'stereotype')} that resemble one another count as fewer."
    )
    yield fold("How sure?", sure, like)
    yield fold("Compared with what?", *_compared(record))
    if record.question is Question.CROSSED:
        yield fold("Why not by group?", *_split(record))
    what = "a group’s difference" if record.groups else "the difference"
    yield how_to_read(record, what)


def _compared(record: ListRecord) -> Iterator[str]:
    if record.groups:
        yield (
            "Each group is compared with the other groups: its distance to its own stereotypes "
            "minus theirs, less the same difference for the stereotypes of third groups. A group "
            "that is close to all words gains nothing."
        )
    else:
        yield "Each group is compared with the other on the same stereotypes."
    if record.frequency_removed:
        yield (
            "Frequent words are close to frequent words, whatever they mean. The distances are "
            "moved to equal frequency with control words that are as frequent as the stereotypes."
        )
    else:
        yield "Word frequency is not removed: frequent words are close to frequent words."
    if (topics := record.topics) is not None:
        exceed = int((topics > record.overall.mean).sum())
        yield (
            f"Any two topics differ somewhat: {exceed} of {len(topics)} lists on other topics give "
            "a larger number. This shows whether these stereotypes stand out, not whether the "
            "result is true."
        )


def _split(record: ListRecord) -> tuple[str | Table, ...]:
    """Return the split of the number between two groups under several baselines."""
    split = record.frames["split"]
    why = "A share needs a baseline, words that should be equally close to both groups:"
    if split.empty:
        return ("A share of each group needs control words, which this list lacks.",)
    wide = split.pivot_table("mean", "baseline", "protected_group", sort=False)
    groups = [group for group in record.naming.groups if group in wide]
    rows = tuple(
        (BASELINES.get(str(name), str(name)), *(number(-row[group], 2) for group in groups))
        for name, row in wide.iterrows()
    )
    heads = ("closer by, if the baseline is", *(record.naming.groups[group] for group in groups))
    after = "The sum stays; the shares do not."
    return why, Table("", heads, (False, True, True), rows), after


def _pairs(record: ListRecord) -> str:
    return pair_figure(record.frames["pairs"], record.naming, "Every pair of words", "pairs")


def _leans(record: ListRecord) -> str:
    """Return the lean of each stereotype word, in two panels or two for each group."""
    leans, naming = record.frames["leans"], record.naming
    own = leans["connection"] == "associated"
    if len(naming.groups) == 2:
        one, two = naming.groups
        sets = [(g, leans["attribute_set"] == naming.set_keys[g]) for g in naming.sets]
        kinds = dict(zip(naming.groups, ("own", "other"), strict=True))
        panels = [panel(leans[at], naming.sets[g], kinds[g]) for g, at in sets if at.any()]
        sides = f"closer to {naming.groups[two]}", f"closer to {naming.groups[one]}"
        means = record.frames["baselines"]
        lines = [(BASELINES[k], v) for k, v in zip(means["connection"], means["lean"], strict=True)]
        caption = (
            "<b>Half the gap between the two means is the difference above</b>, before the model. "
            "Dashed: control words. Each kind would split the gap differently."
        )
    else:
        panels, lines, sides = [], [], ("closer to others", "closer to the group")
        third = leans["connection"] == "different"
        for group in naming.groups:
            mine = leans["protected_group"] == group
            if (mine & own).any() and (mine & third).any():
                panels.append(panel(leans[mine & own], naming.groups[group], "own"))
                panels.append(panel(leans[mine & third], "third groups’", "third"))
        caption = (
            "<b>The gap between the orange and gray means is the group’s number</b>, before the "
            "model."
        )
    label = f"{sides[1]} by: " + "; ".join(f"{p.title}, mean {number(p.mean, 2)}" for p in panels)
    drawing = Leans(panels, sides, label, lines).svg() if panels else ""
    return figure("Each stereotype word", drawing, caption, "side")


def _details(record: ListRecord) -> Iterator[Fold]:
    """Yield the folds for specialists at the end of the page."""
    frames = record.frames
    yield fit_fold(record)
    words = table(frames["words"], "Words of the list, by set (missing ones in brackets)")
    notes = (
        ("About the list", frames["about"]["note"][0]),
        ("Source", frames["about"]["reference"][0]),
    )
    licensed = ("License", frames["about"]["license"][0])
    found = Facts((*notes, licensed, ("Missing", " ".join(missing_notes(record, controls=True)))))
    forms = frames["forms"]
    yield fold("Which words were measured?", words, found, table(forms, "Found as"))
    if len(frames["influence"]):
        shown = ("name", "role", "mean", "mean_without", "change")
        most = table(frames["influence"].head(8), "Without one word", *shown)
        yield fold("What if one word is left out?", most)
    if len(frames["sizes"]):
        text = "Similar words count as fewer. To narrow an interval, add words that differ."
        yield fold("How many words do similar words count as?", table(frames["sizes"], ""), text)
    if "scores" in frames and len(frames["scores"]):
        names = ["score", "groups", "direction", "reading", "value", "low", "high", "p_value"]
        text = "A p-value is about these words alone. Do not quote a small one as proof."
        yield fold("What do other scores say?", table(frames["scores"], "", *names), text)
    gaps = at_level(frames["contrasts"], OVERALL)
    gaps = gaps.assign(contrast=gaps["first"] + " − " + gaps["second"])
    gaps.attrs = frames["contrasts"].attrs
    names = ["contrast", "model", "mean", "interval", "p_direction", "p_rope", "p_rope_ceiling"]
    small = f"Differences within ±{record.rope:.2g} count as too small to matter in practice."
    yield fold("All differences in distance", table(gaps, "", *names), small)
    if len(frames["baseline"]):
        names = ["protected_group", "estimand", "mean", "interval", "p_direction", "p_rope"]
        text = (
            "Is a group closer to its own stereotypes than to others, and more so than words that "
            "belong to no group? Below zero, it is. This assumes that each set is as close to "
            "these words as to any group."
        )
        yield fold("Compared with words of no group?", text, table(frames["baseline"], "", *names))
    if len(frames["slopes"]):
        yield fold("What do covariates explain?", table(frames["slopes"], ""))
    if len(record.models) > 1 and len(frames["comparison"]):
        yield fold("Which model predicts better?", table(frames["comparison"], ""))
    if len(record.notices):
        texts = tuple(("Warning", str(notice)) for notice in record.notices)
        yield fold("What did the run warn about?", Facts(texts))
    if "since" in frames:
        changed = table(frames["since"], "") if len(frames["since"]) else "Nothing changed."
        yield fold("What changed since the earlier run?", changed)
    yield fold("How was it computed?", fitted_facts(record))
