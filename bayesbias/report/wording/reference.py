"""Sentences about what a contrast is compared with: other words, other topics, other measures."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from ...tables.levels import GROUP, OVERALL, at_level
from ...workflows.reference import REFERENCES, Reference
from ...workflows.wordlist import Analysis
from ..numbers import ends, joined, number, signed
from . import ALL_GROUPS, Line
from .distances import headline, measured_lines, settled

WHOLE = {
    "mac": "the mean distance to all stereotypes",
    "same": "how far the groups differ along the stereotypes",
}
"""Scores that are of all groups at once, and what they are."""

OUTSIDE = 0.05
"""Two-sided p below which a contrast lies outside the middle 95% of reference lists."""

NOT_DRAWN = (
    "No reference lists were drawn, so that it is not known what other words of this embedding "
    "show: give an embedding with its whole vocabulary."
)

SHORT = {"frequency": "like frequency", "topics": "any topics"}
"""The same in a table."""

NAMES = {
    "frequency": "lists whose stereotypes are any words of like frequency",
    "topics": "lists about any topics",
}
"""What reference lists are, in words."""


def finding_lines(analysis: Analysis) -> list[str]:
    """Word what was measured, the contrast that leads, for whom, and what it is compared with."""
    lead = headline(analysis)
    return [
        *measured_lines(analysis),
        lead.about,
        *map(str, lead.lines),
        *place_sentences(analysis),
    ]


def place_sentences(analysis: Analysis) -> list[str]:
    """Word where the overall contrast lies among reference lists, for the first screen."""
    reference, settings = analysis.reference, analysis.settings
    if reference is None:
        wanted = settings.reference_lists and not settings.templates
        return [NOT_DRAWN] if wanted else []
    return [_place(reference, match) for match in REFERENCES]


def _place(reference: Reference, match: str) -> str:
    rows = reference.of_match(match)
    row = at_level(rows, OVERALL).iloc[0]
    n_lists = reference.lists.loc[reference.lists["match"] == match, "list"].nunique()
    low, high = signed(row["reference_low"]), signed(row["reference_high"])
    told = (
        f"Of {n_lists} {NAMES[match]}, 95% have an overall contrast between {low} and {high}. Each "
        "compared with its own such range, "
    )
    places: dict[str, list[str]] = {"outside": [], "inside": []}
    for each in rows.to_dict("records"):
        of = _name(each) if each["level"] == GROUP else "the overall contrast"
        places["outside" if each["p_value"] < OUTSIDE else "inside"].append(of)
    found = {where: names for where, names in places.items() if names}
    if len(found) == 1:
        return f"{told}all contrasts of this list lie {next(iter(found))}."
    return (
        told
        + joined(
            f"{joined(names)} {'lies' if len(names) == 1 else 'lie'} {where}"
            for where, names in found.items()
        )
        + "."
    )


def _name(row: Mapping[Hashable, Any]) -> str:
    return str(row["protected_group"]) if row["level"] == GROUP else ALL_GROUPS


def pair_lines(analysis: Analysis) -> list[Line]:
    """Word for every pair of groups what each measure asks here, and why they differ."""
    reference = analysis.reference
    if reference is None:
        return []
    placed = reference.of_match("frequency")
    groups = at_level(placed, GROUP).set_index("protected_group")
    lines = []
    for first, second, weat, psi in pairs_of(reference):
        rows = groups.loc[[first, second]]
        sure = {str(name): settled(row) for name, row in rows.iterrows()}
        contrast = joined(
            f"{name} {signed(row['mean'])} ({ends(row)})" for name, row in rows.iterrows()
        )
        text = (
            f"Contrast: {contrast}. WEAT: d {_with_ends(weat)}, p {p_value(weat['p_value'])}. "
            f"Among random words: z {number(psi['z'], 2)}, p {p_value(psi['p_normal'])}. "
            f"{_why(sure, weat, psi)}"
        )
        lines.append(Line(f"{first}, {second}", text))
    return lines


def _with_ends(row: pd.Series) -> str:
    """Write a score with its bootstrap interval."""
    return f"{number(row['value'])} ({number(row['low'])} … {number(row['high'])})"


def _why(of_groups: Mapping[str, bool], weat: pd.Series, psi: pd.Series) -> str:
    """Word whether the measures agree on a pair of groups, and what the difference comes from."""
    small = [weat["p_value"] < OUTSIDE, psi["p_normal"] < OUTSIDE]
    sure = list(of_groups.values())
    if all(small) and all(sure):
        return "They agree: a difference that is not chance, for both groups."
    if not any(small) and not any(sure):
        return "They agree: none is sure of a difference."
    if any(small) and not all(sure):
        open_groups = [name for name, known in of_groups.items() if not known]
        return (
            "The p-values take the attribute words as given; the contrast asks for other attribute "
            f"and protected words like these, and is not sure for {joined(open_groups)}."
        )
    return (
        "The contrast weighs every word's own leaning; the p-values compare sums, in which words "
        "that lean oppositely cancel."
    )


def pairs_of(reference: Reference) -> list[tuple[str, str, pd.Series, pd.Series]]:
    """Return every pair of groups with its rows of WEAT and of the background."""
    if reference.relative.empty:
        return []
    of_weat = reference.scores[reference.scores["score"] == "weat"]
    rows = zip(of_weat.iterrows(), reference.relative.iterrows(), strict=True)
    return [(psi["first"], psi["second"], weat, psi) for (_, weat), (_, psi) in rows]


def whole_list(reference: Reference) -> str:
    """Word the scores that are of all groups at once."""
    if reference.scores.empty:
        return ""
    rows = reference.scores[reference.scores["score"].isin(WHOLE)]
    said = [
        f"{row['score'].upper()} {_with_ends(row)}, {WHOLE[row['score']]}"
        for _, row in rows.iterrows()
    ]
    return f"Of the whole list: {joined(said)}."


def conclusions(analysis: Analysis) -> list[str]:
    """Word what the numbers of this list allow to be said, and what not."""
    reference = analysis.reference
    if reference is None:
        return []
    frequency, topics = (reference.of_match(match) for match in REFERENCES)
    said = []
    for row, topic in zip(frequency.to_dict("records"), topics.to_dict("records"), strict=True):
        if not settled(row):
            text = "neither that its own stereotypes lie closer nor that they do not"
        else:
            where = "closer" if row["mean"] < 0 else "farther"
            more = "more so" if row["p_value"] < OUTSIDE else "not more so"
            text = (
                f"its own stereotypes lie {where} than those of others, {more} than words of like "
                "frequency would"
            )
        beyond = "and more than" if topic["p_value"] < OUTSIDE else "not that it is more than"
        said.append(f"{_name(row)}: {text}; {beyond} lists about any other topics show.")
    return said


def p_value(p: float) -> str:
    """Write a p-value as the commands scores and background do."""
    return f"{p:.2g}".replace("-", "−")


def reference_texts(reference: Reference) -> tuple[str, str]:
    """Return caption and alternative text of the picture of reference lists."""
    said = "; ".join(
        f"{_name(row)} {signed(row['mean'])}, {SHORT[row['match']]} "
        f"{signed(row['reference_low'])} to {signed(row['reference_high'])}"
        for row in reference.placed.to_dict("records")
    )
    return (
        f"Reference lists are drawn from {reference.n_words:,} words of the embedding and read "
        "with the spreads of this list.",
        f"Forest plot of associated minus different over the ranges of reference lists. {said}.",
    )


def rank_texts(table: pd.DataFrame, reference: Reference) -> tuple[str, str]:
    """Return caption and alternative text of distances against frequency ranks."""
    ranks = reference.ranks.groupby("role")["rank"].median()
    medians = joined(f"{int(rank):,} for {role} words" for role, rank in ranks.items())
    n_words = table["attribute"].nunique()
    return (
        f"Median frequency ranks: {medians}. Ranks of all words are in ranks.csv.",
        f"Mean distance of {n_words} attribute words against frequency rank. Medians: {medians}.",
    )
