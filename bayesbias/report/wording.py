"""Sentences about a list, its measures and its models; each stands once, for all who show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

import pandas as pd

from ..tables.descriptives import contrast_of, leading_pair
from ..tables.levels import OVERALL, at_level
from ..tables.schema import FEWEST_LEFT, MOST_MISSING, THIN_MARK
from .numbers import counted, ends, joined, named, number, percent, placed, probability_name, signed
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


def missing_sentences(analysis: Analysis) -> list[str]:
    """Word what the embedding lacks, what would find it, and which groups lack measures."""
    lost, sentences = analysis.missing, []
    if len(lost):
        control = lost["role"] == "control"
        names = list(dict.fromkeys(lost["word"][~control]))
        names += [counted(int(control.sum()), "control word")] if control.any() else []
        sentences = [
            f"The embedding lacks {len(lost):,} of the list's {own_entries(analysis):,} entries: "
            f"{named(names, 8)}. No number includes them.",
        ]
    if others := analysis.others:
        words = named([f"{form} for {word}" for word, form in others.items()], 3)
        sentences.append(
            f"It has {counted(len(others), 'missing word')} in another spelling ({words}): write "
            "it so in the list, or try --case fallback or --strip-accents."
        )
    if len(analysis.thin):
        few = sets_in_words(analysis.thin)
        sentences.append(f"Too few words are left of {few}. {THIN_MEANING}")
    return [*sentences, *unmeasured(analysis)]


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


def overall_contrast(result: ModelResult, first: str, second: str) -> pd.Series:
    """Return the overall row of a model's contrasts for a pair of connections."""
    return at_level(contrast_of(result.contrasts, first, second), OVERALL).iloc[0]


def closeness_sentence(analysis: Analysis) -> str:
    """Compare control words with associated attributes."""
    means = at_level(analysis.lead.summary, OVERALL).set_index("connection")["mean"]
    control = next((name for name in ("matched", "human") if name in means), None)
    if control is None:
        return (
            "This list has no human control words, so it cannot show whether stereotypes lie "
            "closer than ordinary words about people do."
        )
    gap = overall_contrast(analysis.lead, "associated", control)
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
    pair = leading_pair(analysis.table)
    before, lines = overall_contrast(base, *pair), []
    for other in others:
        after = overall_contrast(other, *pair)
        ratio = (after["high"] - after["low"]) / (before["high"] - before["low"])
        text = (
            f"Against {base.spec.name}, the interval of {' − '.join(pair)} goes from "
            f"{ends(before)} to {ends(after)}, {ratio:.2f} times as wide."
        )
        if other.spec.terms_of("attribute") and not base.spec.terms_of("attribute"):
            text += (
                " It includes that attribute words repeat: each is measured with every protected "
                f"word. {base.spec.name} counts these distances as independent, and its intervals "
                "tend to be too narrow."
            )
        lines.append(Line(other.spec.name, text))
    return lines


def comparison_sentence(comparison: pd.DataFrame) -> str:
    """Word by how much the best model predicts what was left out better than the others."""
    best, *others = comparison.to_dict("records")
    beaten = joined(
        f"{other['model']} by {number(-other['elpd_diff'], 1)} (standard error "
        f"{number(other['dse'], 1)})"
        for other in others
    )
    of = "attribute words" if best["left_out"] == "attribute" else "single distances"
    sentence = (
        f"In expected log predictive density for {of} left out, the model {best['model']} was "
        f"ahead of {beaten}."
    )
    bad = 0 if best["left_out"] == "attribute" else int(comparison["n_bad_k"].sum())
    doubt = f" The share of {counted(bad, 'row')} is not reliable (a Pareto k above 0.7)."
    return sentence + (doubt if bad else "")


def sensitivity_sentence(result: ModelResult) -> str:
    """Word whether some parameter of a model leans on its prior."""
    parts: dict[str, list[str]] = {}
    for row in result.sensitivity.query("diagnosis != ''").to_dict("records"):
        name = row["parameter"].replace("_", " ").replace("sigma", "residual sd")
        parts.setdefault(name, []).append(row["of"].replace(", ", "–"))
    names = [f"{name} ({', '.join(of)})" if any(of) else name for name, of in parts.items()]
    if not names:
        return "No parameter leans noticeably on the priors: the data decide."
    return f"The priors noticeably influence {joined(names)}."


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
    turns = without.min() < 0 < without.max()
    sign = "changes with some of them" if turns else "stays whichever is left out"
    return (
        f"It is {signed(most['mean'])} with all words, and {signed(most['mean_without'])} without "
        f"“{most['name']}”, which moves it most: between {signed(without.min())} and "
        f"{signed(without.max())}. Its sign {sign}."
    )
