"""Parts that several pages share: the ruler, the table of blocks, and folds on reading and fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pandas as pd

from ..plots.forests import MEANINGS
from ..records.found import Question, Record, of_model
from ..records.naming import Naming
from ..records.rows import Row
from .dots import LIST, Axis, DotPicture, DotRow, Mark, Ticks, axis_for
from .numbers import (
    digits_for,
    in_words,
    joined,
    named,
    number,
    percent,
    probability_name,
)
from .page import Fold, figure
from .pair_map import PairMap

LANDMARKS = {
    "flowers": "flowers/insects, pleasant",
    "pronouns": "he/she with father/mother",
    "sport": "sport/music, team/orchestra",
}
"""Labels of landmarks in pictures; terminals have room for 27 letters."""

SIDES = ("reverse", "with the stereotype")
"""Names of the left and the right of zero."""

OWN = "closer to own stereotypes, in cosine distance"
TOWARD = "closer than other groups’ words, in cosine distance"
THAN_OTHERS = "closer than to others’ stereotypes, in cosine distance"
UNITS = {
    Question.ALONE: THAN_OTHERS,
    Question.CROSSED: "stereotyped pairs closer, in cosine distance",
    Question.SHARED: TOWARD,
    Question.GROUPS: TOWARD,
    Question.OWN: THAN_OTHERS,
}
"""What numbers mean: in sweeps, and for each question."""

LEARNED = "numbers for words, learned from texts"
"""What an embedding is."""

SOURCE = re.compile(r"([^();]+) \((\d{4})\)")
"""The start of a list's reference: its authors and the year."""

ALIKE = 1.5
"""Sets whose words count as fewer unrelated words than this count as one word."""

UNEVEN = 0.05
"""Connections are named if the coverage of their intervals is off by more than this."""


def measured(title: str, embedding: str, reference: str = "") -> str:
    """Say which list was measured, whose it is, and in what."""
    source = SOURCE.match(reference)
    whose = " ({}, {})".format(*source.groups()) if source else ""
    return f"{title}{whose}, in {embedding}: {LEARNED}"


def ruler(
    record: Record, topics: Sequence[float] = (), what: str = "random other topics"
) -> list[Mark | Ticks]:
    """Return the rows below the posteriors: lists on other topics, then landmarks."""
    marks: list[Mark | Ticks] = []
    if topics:
        marks.append(Ticks(f"{len(topics)} {what}", topics, record.ci_prob))
    return [*marks, *(Mark(one, LANDMARKS[one.key]) for one in record.landmarks)]


def dot_picture(
    rows: Sequence[tuple[Row, str, str]],
    says: str,
    marks: Sequence[Mark | Ticks] = (),
    *,
    sides: tuple[str, str] = SIDES,
    unit: str = UNITS[Question.CROSSED],
    first: Axis = LIST,
    write: Callable[[float], str] | None = None,
    ticks: Mapping[str, Sequence[float]] | None = None,
) -> DotPicture:
    """Return the dots of rows, each with its label and the line below it, above a ruler.

    Rows can have `ticks`, which are given by their keys.
    """
    digits = digits_for(*(end for row, *_ in rows for end in (row.low, row.high)))
    write, drawn = write or partial(number, digits=digits), []
    for row, label, below in rows:
        ends = row.mean, row.low, row.high
        mean, low, high = map(write, ends)
        texts, own = (mean, f"{low} to {high}"), (ticks or {}).get(row.key, ())
        drawn.append(DotRow(label, row.quantiles, ends, texts, below, own))
    spoken = "; ".join("{} {} ({})".format(row.label, *row.right) for row in drawn)
    axis = axis_for([value for row in drawn for value in row.values], first)
    return DotPicture(drawn, marks, sides, f"{says}: {spoken}.", axis, unit, digits)


def pair_figure(pairs: pd.DataFrame, naming: Naming, title: str, side: str = "") -> str:
    """Return the map of every pair of words with its caption."""
    drawing = PairMap(pairs, naming.groups, naming.by_key)
    most = number(drawing.darkest, drawing.digits)
    caption = (
        f'{most} farther <span class="scale"></span> {most} closer than usual for both words. '
        "Framed: a group’s own stereotypes."
    )
    return figure(title, drawing.html(), caption, side)


GRADES = (
    "“Almost certainly” means at least 99%, “very probably” 95%, and “probably” 80%. Between 20% "
    "and 80%, one cannot tell, which is not “no bias”."
)
"""What words for probabilities mean."""


def legend(record: Record) -> str:
    """Say what a dot and an interval of the picture are."""
    ci = probability_name(record.ci_prob)
    return f"Each dot is 1% of the probability. Ranges hold {ci}: all but the pale dots."


def how_to_read(record: Record, what: str) -> Fold:
    """Return the fold on dots, intervals, and words for probabilities."""
    ci = probability_name(record.ci_prob)
    return Fold(
        "How do I read the dots?",
        f"The 100 dots are the posterior distribution of {what}: each is 1% of the "
        "probability. Filled orange dots lie on the side of the stereotype, hollow blue dots "
        "on the other. Gray marks are the same measure for other word lists in this embedding: "
        f"a ruler, not a threshold. Numbers on the right are the mean and the {ci} interval.",
        f"{GRADES} A probability says how sure the answer is, not how large the difference: do not "
        "rank by it.",
    )


def fit_fold(record: Record, what: str = "distances") -> Fold:
    """Return the fold on how well each model fits, and on its priors."""
    texts = ((model.name, _fit(record, model.name, what)) for model in record.models)
    return Fold("Does the model fit?", *texts)


def _fit(record: Record, model: str, what: str) -> str:
    """Describe the coverage of predictive intervals, and name parameters that priors decide."""
    rows = of_model(record.frames["check"], model)
    rows = rows[rows["ci_prob"] == record.ci_prob].set_index("connection")
    parts, ci = rows["coverage"].drop("all"), probability_name(record.ci_prob)
    uneven = parts[abs(parts - record.ci_prob) > UNEVEN].map(percent)
    off = joined(f"{name} ({share})" for name, share in uneven.items())
    share, n_rows = percent(rows["coverage"]["all"]), rows["n_rows"]["all"]
    text = f"{share} of {n_rows:,} {what} are inside their {ci} intervals"
    text += f"; uneven for {off}." if off else "."
    if record.has("sensitivity"):
        depend = of_model(record.frames["sensitivity"], model).query("diagnosis != ''")
        names = joined(dict.fromkeys(map(_parameter, depend["parameter"])))
        text += f" These depend on their priors: {names}." if names else ""
    return text


def _parameter(name: str) -> str:
    """Name a parameter in words, such as ``sd between attributes``."""
    return f"sd {MEANINGS[name]}" if name in MEANINGS else in_words(name)


def fitted_facts(record: Record) -> tuple[tuple[str, str], ...]:
    """Return how each model was fitted, and hashes of what was measured."""
    facts = {}
    for model in record.models:
        source = model.reference.rstrip(".") or "no reference"
        how = f"{model.method} ({model.reason}), {model.draws}, seed {model.seed}"
        facts[f"Model {model.name}"] = f"{source}. {how}."
    facts |= {f"SHA-256, {name}": value for name, value in record.hashes.items()}
    return tuple(facts.items())


def warned_fold(record: Record) -> Fold:
    """Return the fold on what the run warned about."""
    texts = (("Warning", str(notice)) for notice in record.notices)
    return Fold("What did the run warn about?", *texts)


def missing_notes(record: Record, *, controls: bool = False) -> list[str]:
    """Name the words that the embedding lacks, and other spellings that it has."""
    lost, others = record.frames["missing"], record.frames["others"]
    rows = lost if controls else lost[lost["role"] != "control"]
    names = list(dict.fromkeys(rows["word"]))
    notes = [f"Not in the embedding, and left out: {named(names, 12)}."] if names else []
    if len(others):
        spelled = named([*(others["form"] + " for " + others["word"])], 3)
        notes.append(f"Other spellings are there ({spelled}): set case, or strip accents.")
    return notes


def alerts(record: Record) -> list[str]:
    """Return what stands before the sentence: reasons not to rely on the numbers."""
    texts = [f"Do not rely on these numbers yet: {doubt}" for doubt in record.warnings]
    if record.has("thin"):
        thin = record.frames["thin"].query("role != 'control'")
        texts += [f"Too few words are left: {sets_in_words(thin)}."] if len(thin) else []
    if record.has("sizes"):
        sizes = record.frames["sizes"].query("n_words > 1 and role != 'controls'")
        if names := [in_words(name) for name in sizes.query("n_effective < @ALIKE")["name"]]:
            texts.append(
                f"Almost the same vectors, so these sets count as one word: {joined(names)}."
            )
    return texts


def sets_in_words(thin: pd.DataFrame) -> str:
    """Name thin sets and the number of words found for each; of many cells, the first six sets."""
    names, most = thin["set"].map(in_words), len(thin)
    if "embedding" in thin:
        names, most = names + " of " + thin["list"] + " in " + thin["embedding"], 6
    counts = zip(names, thin["found"], thin["words"], strict=True)
    return named([f"{name} ({found:.0f} of {words:.0f})" for name, found, words in counts], most)
