"""Sentences about the distances of a word list: what was found, what is missing, what follows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from ...tables.descriptives import UNRELATED, contrast_of, leading_pair
from ...tables.levels import OVERALL, at_level
from ...tables.schema import CONNECTIONS
from ...workflows.results import ModelResult
from ...workflows.wordlist import Analysis
from ..numbers import counted, ends, joined, number, probability_name, signed
from . import MEANINGS, Headline, headline_of
from .thin import MEANING, cure_sentences, sets_in_words, thin_sentences, with_marks

MOST_MISSING = 8
"""Missing words that the command line names."""


def gap_pair(analysis: Analysis) -> tuple[str, str]:
    """Return the pair whose difference leads in an analysis."""
    return leading_pair(analysis.table)


def overall_contrast(result: ModelResult, pair: tuple[str, str]) -> pd.Series:
    """Return the overall row of a model's contrasts for a pair of connections."""
    return at_level(contrast_of(result.contrasts, *pair), OVERALL).iloc[0]


def overall_means(result: ModelResult) -> pd.DataFrame:
    """Return the overall rows of a model's summary, with the connections as the index."""
    return at_level(result.summary, OVERALL).set_index("connection")


def settled(row: Mapping[Hashable, Any] | pd.Series) -> bool:
    """Return whether an interval lies on one side of zero."""
    return bool(row["low"] > 0 or row["high"] < 0)


def leading_contrast(analysis: Analysis) -> pd.DataFrame:
    """Return the contrast that leads, under the lead model, at all levels.

    Without groups of which no stereotype was measured: nothing was seen of theirs.
    """
    rows = contrast_of(analysis.lead.contrasts, *gap_pair(analysis))
    seen = rows["protected_group"].isin(["", *with_own(analysis)])
    return with_marks(analysis, rows[seen].reset_index(drop=True))


def with_own(analysis: Analysis) -> list[str]:
    """Return the groups of whose own stereotypes distances were measured."""
    table = analysis.table
    return list(table["protected_group"][table["connection"] == "associated"].unique())


def headline(analysis: Analysis) -> Headline:
    """Word what a page leads with: which difference, then where it lies for whom."""
    (first, second), ci = gap_pair(analysis), probability_name(analysis.settings.ci_prob)
    about = (
        f"{first.capitalize()} − {second}: the mean distance to {MEANINGS[first]}, less that to "
        f"{MEANINGS[second]}. Below zero, a group's own lie closer. Means and {ci} intervals of "
        f"the model {analysis.lead.spec.name}: overall, then the strongest group first."
    )
    return headline_of(about, leading_contrast(analysis), gap_sentence)


def gap_sentence(row: Mapping[Hashable, Any]) -> str:
    """Word a difference as a place with an interval, without a verdict."""
    where = "closer" if row["mean"] < 0 else "farther"
    whose = "their" if row["level"] == OVERALL else "its"
    rest = (
        f"{whose} own stereotypes lie {where}."
        if settled(row)
        else f"the interval includes zero, so it is not settled that {whose} own lie {where}."
    )
    return f"{signed(row['mean'])} ({ends(row)}): {rest}"


def gap_change(base: ModelResult, other: ModelResult, pair: tuple[str, str]) -> str:
    """Word how the interval of a gap differs between two models."""
    before, after = overall_contrast(base, pair), overall_contrast(other, pair)
    widths = [float(row["high"] - row["low"]) for row in (before, after)]
    text = (
        f"The interval of {pair[0]} − {pair[1]} goes from {ends(before)} to {ends(after)}, "
        f"{widths[1] / widths[0]:.2f} times as wide."
    )
    if settled(before) == settled(after):
        return text
    leaves, holds = (base, other) if settled(before) else (other, base)
    return (
        f"{text} Under {leaves.spec.name} it leaves zero out, under {holds.spec.name} it does not."
    )


def closeness_sentences(analysis: Analysis) -> list[str]:
    """Compare human with associated attributes, and both with 1, whatever the data say."""
    result = analysis.lead
    means = overall_means(result)
    if "matched" in means.index:
        gap = overall_contrast(result, ("associated", "matched"))
        first = (
            f"Words of any meaning, as frequent as the stereotypes, lie at "
            f"{number(means['mean']['matched'])} from the protected words on average, the "
            f"stereotypes of a word's own group at {number(means['mean']['associated'])}: "
            f"the difference associated − matched is {signed(gap['mean'])} ({ends(gap)})."
        )
    elif "human" not in means.index:
        first = (
            "This list has no human control words, so it cannot tell whether stereotypes lie "
            "closer than ordinary words about people do."
        )
    else:
        gap = overall_contrast(result, ("associated", "human"))
        first = (
            f"In this embedding words about human life lie at {number(means['mean']['human'])} "
            f"from the protected words on average, the stereotypes of a word's own group at "
            f"{number(means['mean']['associated'])}: {_order(gap, analysis.settings.rope)} "
            f"(model {result.spec.name}). Frequent words lie closer to one another whatever they "
            "mean, so that a zero of this difference does not mean “no bias”."
        )
    return [first, against_one(means)]


def _order(gap: pd.Series, rope: float) -> str:
    """Word which lie closer by the estimate of associated − human, and whether that is settled."""
    size = number(abs(gap["mean"]))
    if abs(gap["mean"]) < rope:
        return f"by the estimate they differ by {size}, less than the {rope:g} that counts as none"
    which = "human words" if gap["mean"] > 0 else "stereotypes"
    text = f"by the estimate the {which} are the closer ones, by {size}"
    return text if settled(gap) else f"{text}, which is not settled, for the interval includes zero"


def against_one(means: pd.DataFrame) -> str:
    """Word which kinds of attributes lie below 1, and that controls among them mean no bias."""
    there = [name for name in CONNECTIONS if name in means.index]
    nearer = [name for name in there if means["high"][name] < UNRELATED]
    controls = [name for name in nearer if name in {"neutral", "human", "matched"}]
    if not nearer:
        return "No kind of attribute lies clearly nearer than 1."
    which = "every kind of attribute" if nearer == there else joined(nearer) + " attributes"
    if not controls:
        return f"The overall intervals of {which} lie below 1."
    among = f"those of {joined(controls)} words among them, " if controls != nearer else ""
    return (
        f"The overall intervals of {which} lie below 1, {among}though no one would call these "
        "stereotypes: being nearer than 1 is no sign of bias by itself."
    )


def measured_lines(analysis: Analysis) -> list[str]:
    """Word for the command line what was measured and what was missing."""
    lost, thin = len(analysis.missing), analysis.thin
    first = (
        f"{analysis.wordlist.name} in {analysis.settings.embedding}: {len(analysis.table):,} "
        f"distances, {lost} of the list's {len(own_entries(analysis)):,} entries missing"
        + (f"; too few words of {sets_in_words(thin)}." if len(thin) else ".")
    )
    lines = [_missing_line(analysis)] if lost else []
    return [first, *lines, *([MEANING] if len(thin) else []), *unmeasured(analysis)]


def own_entries(analysis: Analysis) -> pd.DataFrame:
    """Return the entries of the list itself, without the matched controls that were drawn."""
    entries = analysis.wordlist.to_frame()
    return entries[(entries["role"] != "control") | (entries["set"] != "matched")]


def _missing_line(analysis: Analysis) -> str:
    """Name missing protected and stereotype words, count the controls, say what may help."""
    lost = analysis.missing
    control = lost["role"] == "control"
    names = list(dict.fromkeys(lost["word"][~control]))
    parts = [", ".join(names[:MOST_MISSING])] if names else []
    if len(names) > MOST_MISSING:
        parts.append(f"{len(names) - MOST_MISSING} more protected and stereotype words")
    if control.any():
        parts.append(counted(int(control.sum()), "control word"))
    return " ".join([f"Missing: {' and '.join(parts)}.", *cure_sentences(analysis.cures)])


def missing_sentences(analysis: Analysis) -> list[str]:
    """Word how many words of the list the embedding lacks, and which groups lack measures."""
    lost, total = len(analysis.missing), len(own_entries(analysis))
    first = (
        f"The embedding lacks {lost:,} of the list's {total:,} entries. What is missing is left "
        "out of all numbers; nothing was put in its place."
        if lost
        else f"Nothing: the embedding has all {total:,} words of the list."
    )
    told = [*cure_sentences(analysis.cures), *thin_sentences(analysis)]
    return [first, *told, *unmeasured(analysis)]


def unmeasured(analysis: Analysis) -> list[str]:
    """Name groups of which nothing was measured, or nothing of their own stereotypes."""
    there, own = set(analysis.table["protected_group"]), with_own(analysis)
    found = []
    for group in analysis.wordlist.groups:
        if group not in there:
            found.append(
                f"No protected word of the group {group} was found: it is left out of everything."
            )
        elif own and group not in own:
            found.append(
                f"No stereotype of the group {group} was measured: what is said of attributes "
                "associated with it comes from the other groups, by way of the model, not from "
                "data of its own."
            )
    if len(own) == 1 < len(there):
        found.append(
            f"Only {own[0]} has stereotypes: associated − different compares its words with those "
            "of the other groups, at the same stereotypes. That its words are closer to its own "
            "stereotypes than to others’ cannot be said, for there are no others, and words that "
            "are near to everything look the same; control words tell the two apart."
        )
    return found


def few_attributes(analysis: Analysis) -> str:
    """Word how many stereotype words the associated distances come from."""
    rows = analysis.table[analysis.table["connection"] == "associated"]
    return (
        f"The {len(rows):,} associated distances come from "
        f"{counted(rows['attribute'].nunique(), 'stereotype word')} and "
        f"{counted(rows['protected_word'].nunique(), 'protected word')}. Another choice of words "
        "would give other numbers, and the fewer the words, the more so."
    )


def left_of_zero(first: str, second: str) -> str:
    """Word what it means that a difference lies below zero."""
    return f"Left of zero: {first} attributes are closer than {second} ones."


def forest_texts(result: ModelResult, ci_prob: float) -> tuple[str, str]:
    """Return caption and alternative text of the mean distances."""
    model, ci = result.spec.name, probability_name(ci_prob)
    means = "; ".join(f"{name} {_ends(row)}" for name, row in overall_means(result).iterrows())
    return (
        f"Model {model}, {ci} intervals: all words, each group, each word.",
        f"Forest plot of mean distances with {ci} intervals, model {model}. {means}. "
        "The same for groups and words: see summary.csv.",
    )


def contrast_texts(result: ModelResult, pair: tuple[str, str], ci_prob: float) -> tuple[str, str]:
    """Return caption and alternative text of a difference."""
    (first, second), model, ci = pair, result.spec.name, probability_name(ci_prob)
    return (
        f"Model {model}, {ci} intervals. {left_of_zero(first, second)}",
        f"Forest plot of {first} minus {second} with {ci} intervals, model {model}. "
        f"Overall {_ends(overall_contrast(result, pair))}. "
        "The same for groups and words: see contrasts.csv.",
    )


def influence_sentence(result: ModelResult) -> str:
    """Word which single word moves the contrast most, and between what ends."""
    frame = result.influence
    most, without = frame.iloc[0], frame["mean_without"]
    kept = "its sign stays whichever is left out"
    if without.min() < 0 < without.max():
        kept = "without some of them it has the other sign"
    return (
        f"It is {signed(most['mean'])} with all, and {signed(most['mean_without'])} without "
        f"“{most['name']}”, which moves it most: between {signed(without.min())} and "
        f"{signed(without.max())}, and {kept}."
    )


def influence_texts(result: ModelResult) -> tuple[str, str]:
    """Return caption and alternative text of what is left without single words."""
    return (
        f"Model {result.spec.name}. Each line ends where the contrast is without that word.",
        f"The overall contrast without single words, model {result.spec.name}. "
        f"{influence_sentence(result)} See influence.csv.",
    )


def _ends(row: pd.Series) -> str:
    return f"{number(row['mean'])}, {number(row['low'])} to {number(row['high'])}"


def distribution_texts(table: pd.DataFrame) -> tuple[str, str]:
    """Return caption and alternative text of the measured distances."""
    middle = table.groupby("connection", observed=True)["cosine_distance"].median()
    parts = joined(f"{number(value)} for {name}" for name, value in middle.items())
    return (
        "All measured distances by connection, and the band that MAC gives around 1.",
        f"Distributions of the measured distances. Medians: {parts}.",
    )


def neighbourhood_texts(table: pd.DataFrame, word: str, group: str) -> tuple[str, str]:
    """Return caption and alternative text of the attributes around a word."""
    rows = table[table["protected_word"] == word].nsmallest(3, "cosine_distance")
    nearest = joined(
        f"{row['attribute']} at {number(row['cosine_distance'], 2)}" for _, row in rows.iterrows()
    )
    return (
        f"The attributes around “{word}”, of the group “{group}”.",
        f"Attributes around {word} by distance; the nearest are {nearest}.",
    )
