"""Sentences about a list, its measures and its models; what leads is worded in `headline`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

import pandas as pd

from .._core.checks import Argument
from ..tables.descriptives import contrast_of, leading_pair
from ..tables.levels import OVERALL, at_level
from ..tables.schema import FEWEST_LEFT, MOST_MISSING, THIN_MARK
from ..tables.spellings import CURES, Cure
from .numbers import (
    counted,
    ends,
    joined,
    number,
    percent,
    placed,
    probability_name,
    signed,
)
from .writer import Line

if TYPE_CHECKING:
    from ..workflows.results import ModelResult
    from ..workflows.wordlist import Analysis

MEANINGS = {
    "associated": "stereotypes of the word's own group",
    "different": "stereotypes of the other groups",
    "neutral": "neutral words",
    "human": "words about human life in general",
    "matched": "words of any meaning, as frequent as the stereotypes",
}
"""What the attributes of each connection are, in words."""

ALL_GROUPS = "all groups"
"""What stands before a finding that is of no single group."""

THIN_MEANING = (
    f"{THIN_MARK} marks numbers of a set that lost more than {percent(MOST_MISSING)} of its words, "
    f"or that has fewer than {FEWEST_LEFT} left: do not rely on them."
)

UNEVEN = 0.05
"""Coverage this far from what it should be, in some connection, is named in a sentence."""


class _Fitted(Protocol):
    @property
    def warnings(self) -> Iterable[str]: ...


def doubts_of(results: Mapping[str, _Fitted]) -> list[str]:
    """Return the sampling warnings of all models, the model before each."""
    return [str(Line(of, text)) for of, fitted in results.items() for text in fitted.warnings]


# Words that were measured, words that are missing, sets with too few words.


def with_marks(analysis: Analysis, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a summary or contrasts with a column ``thin``: whether a row is of a thin set.

    Rows of a group are, if too few of its protected words or of its own stereotypes are left;
    rows of controls, if too few of these are.
    """
    thin = thin_names(analysis.thin, analysis.wordlist.groups, analysis.wordlist.set_name)
    of = [name for name in ("protected_group", "connection", "first", "second") if name in frame]
    return frame.assign(thin=frame[of].astype(str).isin(thin).any(axis=1))


def thin_names(
    thin: pd.DataFrame, groups: Mapping[str, object], set_name: Callable[[str], str]
) -> list[str]:
    """Return the groups and the controls to which thin sets belong."""
    sets = set(zip(thin["role"], thin["set"], strict=True)) if len(thin) else set()
    lost = [g for g in groups if {("protected", g), ("stereotype", set_name(g))} & sets]
    return [*lost, *(name for role, name in sets if role == "control")]


def sets_in_words(thin: pd.DataFrame) -> str:
    """Name thin sets with what is left of them."""
    names = thin["set"].str.replace("(.+)_stereotype$", r"the stereotypes of \1", regex=True)
    counts = zip(names, thin["found"], thin["words"], strict=True)
    return joined(f"{name} ({found} of {words})" for name, found, words in counts)


def own_entries(analysis: Analysis) -> int:
    """Count the entries of the list itself, without the matched controls that were drawn."""
    entries = analysis.wordlist.to_frame()
    return int(((entries["role"] != "control") | (entries["set"] != "matched")).sum())


def with_own(analysis: Analysis) -> list[str]:
    """Return the groups with distances to stereotypes of their own."""
    table = analysis.table
    return list(table["protected_group"][table["connection"] == "associated"].unique())


def measured_lines(analysis: Analysis) -> list[str]:
    """Word for the screen what was missing."""
    lost, lines = analysis.missing, []
    if len(analysis.thin):
        lines = [f"Too few words of {sets_in_words(analysis.thin)}.", THIN_MEANING]
    if len(lost):
        control = lost["role"] == "control"
        names = list(dict.fromkeys(lost["word"][~control]))
        parts = [", ".join(names[:8])] if names else []
        if len(names) > 8:
            parts.append(f"{len(names) - 8} more protected and stereotype words")
        if control.any():
            parts.append(counted(int(control.sum()), "control word"))
        lines = [f"Missing: {' and '.join(parts)}.", *cure_sentences(analysis), *lines]
    return [*lines, *unmeasured(analysis)]


def missing_sentences(analysis: Analysis) -> list[str]:
    """Word how many words of the list the embedding lacks, and which groups lack measures."""
    lost, total, thin = len(analysis.missing), own_entries(analysis), analysis.thin
    first = (
        f"The embedding lacks {lost:,} of the list's {total:,} entries. They are left out of all "
        "numbers; nothing replaces them."
        if lost
        else f"Nothing: the embedding has all {total:,} words of the list."
    )
    few = [f"Too few words are left of {sets_in_words(thin)}. {THIN_MEANING}"] if len(thin) else []
    return [first, *cure_sentences(analysis), *few, *unmeasured(analysis)]


def cure_sentences(analysis: Analysis) -> list[str]:
    """Word what would find missing words, each cure once."""
    cures: Mapping[str, Cure] = analysis.cures
    arguments = Counter(cure for cure in cures.values() if not isinstance(cure, str))
    sentences = [
        f"{count} there {CURES[cure]}: try {' '.join(map(_option, cure))}."
        for cure, count in arguments.items()
    ]
    written = [f"{cure} for {word}" for word, cure in cures.items() if isinstance(cure, str)]
    if written:
        more = f" and {len(written) - 3} more" if len(written) > 3 else ""
        some = ", ".join(written[:3])
        words = counted(len(written), "word")
        sentences.append(f"{words} there in capitals: write {some}{more}.")
    return sentences


def _option(argument: Argument) -> str:
    flag = f"--{argument.name.replace('_', '-')}"
    return flag if argument.value is True else f"{flag} {argument.value}"


def unmeasured(analysis: Analysis) -> list[str]:
    """Name groups without measures, or without measures of their own stereotypes."""
    present, own = set(analysis.table["protected_group"]), with_own(analysis)
    sentences = []
    for group in analysis.wordlist.groups:
        if group not in present:
            sentences.append(
                f"No protected word of the group {group} was found: it is left out of everything."
            )
        elif own and group not in own:
            sentences.append(
                f"No stereotype of the group {group} was measured: numbers about attributes "
                "associated with it come from the other groups by way of the model."
            )
    if len(own) == 1 < len(present):
        sentences.append(
            f"Only {own[0]} has stereotypes: associated − different compares its words with those "
            "of the other groups, at the same stereotypes. Words that are close to everything "
            "look the same; control words tell the two apart."
        )
    return sentences


def few_attributes(analysis: Analysis) -> str:
    """Word how many stereotype words the associated distances come from."""
    rows = analysis.table[analysis.table["connection"] == "associated"]
    return (
        f"The {len(rows):,} associated distances come from "
        f"{counted(rows['attribute'].nunique(), 'stereotype word')} and "
        f"{counted(rows['protected_word'].nunique(), 'protected word')}. Other words would give "
        "other numbers, and the fewer the words, the more so."
    )


# What a fitted model shows.


def overall_contrast(result: ModelResult, pair: tuple[str, str]) -> pd.Series:
    """Return the overall row of a model's contrasts for a pair of connections."""
    return at_level(contrast_of(result.contrasts, *pair), OVERALL).iloc[0]


def overall_means(result: ModelResult) -> pd.DataFrame:
    """Return the overall rows of a model's summary, with the connections as the index."""
    return at_level(result.summary, OVERALL).set_index("connection")


def closeness_sentence(analysis: Analysis) -> str:
    """Compare control words with associated attributes."""
    means = overall_means(analysis.lead)["mean"]
    control = next((name for name in ("matched", "human") if name in means), None)
    if control is None:
        return (
            "This list has no human control words, so it cannot show whether stereotypes lie "
            "closer than ordinary words about people do."
        )
    gap = overall_contrast(analysis.lead, ("associated", control))
    frequent = (
        " Frequent words lie closer to one another whatever they mean, so that a zero of this "
        "difference does not mean “no bias”."
    )
    kind = MEANINGS[control].capitalize() + ("," if control == "matched" else "")
    return (
        f"{kind} lie at {number(means[control])} from the protected words on average, "
        f"stereotypes of a word's own group at {number(means['associated'])}: "
        f"the difference associated − {control} is {placed(gap)}."
        f"{frequent if control == 'human' else ''}"
    )


def model_lines(analysis: Analysis) -> list[Line]:
    """Word what each further model changes against the first."""
    base, *others = analysis.results.values()
    pair, name = leading_pair(analysis.table), base.spec.name
    lines = []
    for other in others:
        before, after = overall_contrast(base, pair), overall_contrast(other, pair)
        ratio = (after["high"] - after["low"]) / (before["high"] - before["low"])
        moved = (overall_means(other)["mean"] - overall_means(base)["mean"]).abs().max()
        text = (
            f"Against {name}, the interval of {pair[0]} − {pair[1]} goes from {ends(before)} to "
            f"{ends(after)}, {ratio:.2f} times as wide; overall means move by at most "
            f"{number(moved)}."
        )
        if _leans(other) and not _leans(base):
            text += (
                " It lets a word or an attribute lean to one side by itself, in all its "
                f"distances; {name} counts each of these distances as separate evidence."
            )
        if other.spec.terms_of("attribute") and not base.spec.terms_of("attribute"):
            text += (
                " It includes that attribute words repeat: each is measured with every protected "
                f"word. {name} counts these distances as independent, and its intervals tend to "
                "be too narrow."
            )
        lines.append(Line(other.spec.name, text))
    return lines


def _leans(result: ModelResult) -> bool:
    """Return whether words or attributes have effects that differ between sets or groups."""
    return any(term.constraint == "zero_sum" for term in result.spec.terms)


def loo_sentence(comparison: pd.DataFrame) -> str:
    """Word by how much the best model predicts what was left out better than the others."""
    beaten = joined(
        f"{other['model']} by {number(-other['elpd_diff'], 0)} "
        f"(standard error {number(other['dse'], 0)})"
        for other in comparison.to_dict("records")[1:]
    )
    if comparison["left_out"].iloc[0] == "attribute":
        return (
            "It predicts attribute words that it has not seen best, and beats "
            f"{beaten} in expected log predictive density: each word was left out with all its "
            "distances."
        )
    bad = int(comparison["n_bad_k"].sum())
    doubt = f" The share of {counted(bad, 'row')} is not reliable (a Pareto k above 0.7)."
    return (
        f"It predicts single left-out distances best, and beats {beaten} in expected log "
        "predictive density. Rows of one attribute word resemble one another, so this favors a "
        f"model that has seen the word elsewhere.{doubt if bad else ''}"
    )


def sensitivity_sentence(result: ModelResult) -> str:
    """Word whether some parameter of a model leans on its prior."""
    frame = result.sensitivity
    leaning = frame[frame["diagnosis"] != ""].to_dict("records")
    if not leaning:
        return "No parameter leans noticeably on the priors: the data decide."
    return (
        "The priors noticeably influence "
        f"{joined(f'{row["parameter"]} {row["of"]}'.strip() for row in leaning)}; say so where "
        "you quote these, or try others with --model and a model of your own."
    )


def coverage_sentence(result: ModelResult, ci_prob: float) -> str:
    """Word how many distances lie where the model expects them, and where intervals are off."""
    frame = result.check[result.check["ci_prob"] == ci_prob].set_index("connection")
    parts = frame["coverage"].drop("all")
    off = []
    for which, gap in (("wide", parts - ci_prob), ("narrow", ci_prob - parts)):
        uneven = [f"{name} ({percent(parts[name], 1)} inside)" for name in gap[gap > UNEVEN].index]
        off += [f"too {which} for {joined(uneven)}"] if uneven else []
    ci = probability_name(ci_prob)
    return (
        f"{percent(frame['coverage']['all'], 1)} of {frame['n_rows']['all']:,} distances lie "
        f"inside their {ci} predictive intervals"
        + (f"; compared with {ci}, these are {joined(off)}." if off else ".")
    )


def influence_sentence(result: ModelResult) -> str:
    """Word which single word moves the contrast most, and between what ends."""
    most, without = result.influence.iloc[0], result.influence["mean_without"]
    kept = "its sign stays whichever is left out"
    if without.min() < 0 < without.max():
        kept = "without some of them it has the other sign"
    return (
        f"It is {signed(most['mean'])} with all, and {signed(most['mean_without'])} without "
        f"“{most['name']}”, which moves it most: between {signed(without.min())} and "
        f"{signed(without.max())}, and {kept}."
    )
