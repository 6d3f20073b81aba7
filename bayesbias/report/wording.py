"""Sentences about a list, its measures, and its models, shared by pages, screens, and write-ups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from ..tables.schema import FEWEST_LEFT, MOST_MISSING, THIN_MARK
from .numbers import counted, joined, named, number, percent, probability_name, signed
from .writer import Line, lines, prose

if TYPE_CHECKING:
    from ..sampling.options import FitOptions
    from ..tables.wordlists import WordList
    from ..workflows.results import ModelResult
    from ..workflows.wordlist import Analysis

MEANINGS = {
    "associated": "stereotypes of the word's own group",
    "different": "stereotypes of the other groups",
    "neutral": "neutral words",
    "human": "words about human life in general",
    "matched": "words as frequent as the stereotypes, with any meaning",
}
"""Descriptions of the attributes of each connection."""

ALL_GROUPS = "all groups"

THIN_MEANING = (
    f"{THIN_MARK} marks numbers for a set that lost more than {percent(MOST_MISSING)} of its "
    f"words or has fewer than {FEWEST_LEFT} left. Do not rely on these numbers."
)

UNEVEN = 0.05
"""Connections are named if their coverage is off by more than this."""


def reading_lines(settings: FitOptions, *keys: str, **values: str) -> list[Line]:
    """Return the standard notes on how to read a page, such as the one on intervals."""
    ci, about = probability_name(settings.ci_prob), settings.about_interval
    return lines(*keys, ci=ci, about=about, rounded=prose("rounded"), **values)


def fitted_lines(results: Mapping[str, ModelResult], settings: FitOptions) -> Iterator[Line]:
    """Yield lines on how each result was fitted and where its model comes from."""
    for name, result in results.items():
        fit, draws = result.posterior.attrs, f"{settings.chains} × {settings.draws} draws"
        how = f"{fit['method']} ({fit['method_reason']}), {draws}, seed {fit['seed']}"
        text = f"{(result.spec.reference or 'No reference').rstrip('.')}. Fitting method: {how}."
        yield Line(f"Model {name}", text)


def with_marks(analysis: Analysis, frame: pd.DataFrame) -> pd.DataFrame:
    """Add a column ``thin`` to a summary or contrasts: whether a row uses a thin set.

    The overall row is thin if any group's row is.
    """
    thin = thin_names(analysis.thin, analysis.wordlist)
    thin += [""] if set(thin) & set(analysis.wordlist.groups) else []  # all groups
    of = [name for name in ("protected_group", "connection", "first", "second") if name in frame]
    return frame.assign(thin=frame[of].astype(str).isin(thin).any(axis=1))


def thin_names(thin: pd.DataFrame, wordlist: WordList) -> list[str]:
    """Return the groups and controls whose sets have too few words."""
    sets = set(zip(thin["role"], thin["set"], strict=True)) if len(thin) else set()
    own = {g: {("protected", g), ("stereotype", wordlist.set_name(g))} for g in wordlist.groups}
    lost = [group for group, roles in own.items() if roles & sets]
    return [*lost, *(name for role, name in sets if role == "control")]


def sets_in_words(thin: pd.DataFrame) -> str:
    """Name thin sets and the number of words found for each."""
    names = thin["set"].str.replace("(.+)_stereotype$", r"the stereotypes of \1", regex=True)
    counts = zip(names, thin["found"], thin["words"], strict=True)
    return joined(f"{name} ({found} of {words})" for name, found, words in counts)


def own_entries(analysis: Analysis) -> int:
    """Count the list's own entries, without the matched controls."""
    entries = analysis.wordlist.to_frame()
    return int(((entries["role"] != "control") | (entries["set"] != "matched")).sum())


def with_own(analysis: Analysis) -> list[str]:
    """Return the groups that have distances to their own stereotypes."""
    table = analysis.table
    return list(table["protected_group"][table["connection"] == "associated"].unique())


def missing_sentences(analysis: Analysis) -> list[str]:
    """Describe missing words, options that would find them, and groups without distances."""
    lost, others, sentences = analysis.missing, analysis.others, []
    if len(lost):
        control = lost["role"] == "control"
        names = list(dict.fromkeys(lost["word"][~control]))
        names += [counted(int(control.sum()), "control word")] if control.any() else []
        counts = {"n": f"{len(lost):,}", "all": f"{own_entries(analysis):,}"}
        sentences.append(prose("lacks", names=named(names, 8), **counts))
    if others:
        words = named([f"{form} for {word}" for word, form in others.items()], 3)
        sentences.append(
            prose("other_spelling", n=counted(len(others), "missing word"), words=words)
        )
    if len(analysis.thin):
        few = sets_in_words(analysis.thin)
        sentences.append(f"Too few words are left in {few}. {THIN_MEANING}")
    return [*sentences, *unmeasured(analysis)]


def unmeasured(analysis: Analysis) -> list[str]:
    """Name groups without any distances, or without distances to their own stereotypes."""
    present, own = set(analysis.table["protected_group"]), with_own(analysis)
    sentences = []
    for group in analysis.wordlist.groups:
        if group not in present:
            sentences.append(prose("lacks_group", group=group))
        elif own and group not in own:
            sentences.append(prose("lacks_stereotypes", group=group))
    if len(own) == 1 < len(present):
        sentences.append(prose("only_one", group=own[0]))
    return sentences


def few_attributes(analysis: Analysis) -> str:
    """Return a sentence on the numbers of words behind the associated distances."""
    rows = analysis.table[analysis.table["connection"] == "associated"]
    attributes = counted(rows["attribute"].nunique(), "stereotype word")
    words = counted(rows["protected_word"].nunique(), "protected word")
    return prose("few_attributes", rows=len(rows), attributes=attributes, words=words)


def comparison_sentence(comparison: pd.DataFrame | None) -> str:
    """Return a sentence on how much better the best model predicts left-out data."""
    if comparison is None:
        return ""
    best, *others = comparison.to_dict("records")
    beaten = joined(
        f"{other['model']} by {number(-other['elpd_diff'], 1)} (standard error "
        f"{number(other['dse'], 1)})"
        for other in others
    )
    of = "attribute words" if best["left_out"] == "attribute" else "single distances"
    return (
        f"In expected log predictive density for left-out {of}, the model {best['model']} was "
        f"ahead of {beaten}."
    )


def sensitivity_sentence(result: ModelResult) -> str:
    """Describe which parameters of a model depend on their priors."""
    parts: dict[str, list[str]] = {}
    for row in result["sensitivity"].query("diagnosis != ''").to_dict("records"):
        parts.setdefault(f"`{row['parameter']}`", []).append(row["of"].replace(", ", "–"))
    names = [f"{name} ({', '.join(of)})" if any(of) else name for name, of in parts.items()]
    if not names:
        return "No estimated parameter noticeably depends on the priors."
    many = counted(len(names), "parameter depends", "parameters depend")
    return f"{many} noticeably on the priors: {joined(names)}."


def coverage_sentence(result: ModelResult, ci_prob: float, what: str = "distances") -> str:
    """Describe the coverage of predictive intervals, and name those that are too wide or narrow."""
    frame = result["check"].query("ci_prob == @ci_prob").set_index("connection")
    parts = frame["coverage"].drop("all")
    off = []
    for which, gap in (("wide", parts - ci_prob), ("narrow", ci_prob - parts)):
        names = gap[gap > UNEVEN].index
        uneven = [f"“{name}” ({percent(parts[name], 1)} inside)" for name in names]
        off += [f"too {which} for {joined(uneven)}"] if uneven else []
    ci = probability_name(ci_prob)
    return (
        f"{percent(frame['coverage']['all'], 1)} of {frame['n_rows']['all']:,} {what} are "
        f"inside their {ci} predictive intervals"
        + (f"; the intervals are {joined(off)}." if off else ".")
    )


def influence_sentence(result: ModelResult) -> str:
    """Describe the most influential word, and how the contrast varies if a word is left out."""
    frame = result["influence"]
    if frame.empty:
        return "The contrast cannot be computed if any word is left out."
    most, without = frame.iloc[0], frame["mean_without"]
    turns = without.min() < 0 < without.max()
    return prose(
        "influence_of",
        mean=signed(most["mean"]),
        without=signed(most["mean_without"]),
        name=most["name"],
        low=signed(without.min()),
        high=signed(without.max()),
        sign="depends on the word" if turns else "stays the same",
    )
