"""What pages, screens, notebooks and papers lead with: a table by group, and what follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from .._core.display import Sheet
from ..tables.descriptives import contrast_of, leading_pair
from ..tables.levels import GROUP, OVERALL, at_level
from ..tables.schema import CONTROLS, THIN_MARK
from .numbers import (
    borderline,
    counted,
    ends,
    graded,
    joined,
    number,
    percent,
    placed,
    plain_draws,
    probability,
    probability_name,
    signed,
)
from .wording import ALL_GROUPS, MEANINGS, missing_sentences, with_marks, with_own
from .writer import Table

if TYPE_CHECKING:
    from ..workflows.change import ChangeAnalysis
    from ..workflows.wordlist import Analysis

ORDER = ("associated", "different")
"""The connections whose order is watched, and whose contrast has reference lists."""

CLOSING = (
    "These are probabilities about words in texts, not verdicts: the report says what does not "
    "follow."
)
"""Last words of a command that prints findings."""

NULLS = {"frequency": "equally frequent words", "topics": "other topics as stereotypes"}
"""Names of the nulls, by how their lists are drawn."""

NOT_DRAWN = (
    "No reference lists were drawn, so other words of this embedding are not known: give an "
    "embedding with its whole vocabulary."
)


@dataclass(frozen=True)
class Headline:
    """Two sentences on what was measured, a table by group, and sentences on what follows."""

    about: str
    table: Table
    notes: Sequence[str]

    def sheet(self, *notes: str) -> Sheet:
        """Show it in a terminal or notebook, with more notes."""
        heads = tuple(
            head.removesuffix("?").replace("closer than", "than") for head in self.table.heads
        )
        return Sheet(self.about, self.table.rows, heads, "\n".join([*self.notes, *notes]))


def headline_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the overall row of a contrast, then its groups, the largest first."""
    groups = at_level(rows, GROUP).sort_values("mean", key=abs, ascending=False, kind="stable")
    frame = pd.concat([at_level(rows, OVERALL), groups], ignore_index=True)
    return frame.assign(of=frame["protected_group"].replace("", ALL_GROUPS))


def leading_rows(analysis: Analysis) -> pd.DataFrame:
    """Return the contrast that leads, under the lead model, overall and by group.

    Groups without measured stereotypes of their own are left out. ``p_closer`` is the probability
    that it is below zero, ``closer`` the words for it, ``edge`` the mark of a borderline interval,
    ``thin`` whether a set lost too many words, and ``frequency`` and ``topics`` are shares of
    reference lists that lie less close.
    """
    rows = contrast_of(analysis.lead.contrasts, *leading_pair(analysis.table))
    rows = headline_rows(rows[rows["protected_group"].isin(["", *with_own(analysis)])])
    chance = rows["p_direction"].where(rows["mean"] < 0, 1 - rows["p_direction"])
    n_draws = plain_draws(analysis.lead.contrasts, analysis.settings)
    rows = rows.assign(p_closer=chance, closer=[graded(p, n_draws) for p in chance])
    rows["edge"] = [borderline(row, n_draws, analysis.rope) for row in rows.to_dict("records")]
    rows = with_marks(analysis, rows)
    if analysis.reference is not None:
        for match in NULLS:
            places = analysis.reference.of_match(match).set_index("protected_group")["percentile"]
            rows[match] = 1 - rows["protected_group"].map(places)
    return rows


def is_relative(rows: pd.DataFrame) -> bool:
    """Whether groups are compared with the other groups at the same stereotypes."""
    groups = at_level(rows, GROUP)
    return bool(len(groups)) and bool((groups["estimand"] == "relative").all())


def headline(analysis: Analysis) -> Headline:
    """Word what a list's page leads with: what was measured, for whom, and what follows."""
    first, second = leading_pair(analysis.table)
    settings, measured, rows = analysis.settings, analysis.table, leading_rows(analysis)
    n_words, n_groups = measured[["protected_word", "protected_group"]].nunique()
    stereotypes = measured["attribute"][measured["connection"].isin(ORDER)].nunique()
    about = (
        f"{analysis.wordlist.name} in {settings.embedding}: how much closer "
        f"{counted(n_words, 'word')} of "
        f"{counted(n_groups, 'group')} lie to their own group's stereotypes than to "
        f"{MEANINGS[second]}. Mean cosine distances to "
        f"{counted(stereotypes, 'stereotype')} are compared; below zero is closer to their own."
    )
    nulls = [name for name in NULLS if name in rows]
    heads = [
        "",
        f"contrast ({probability_name(settings.ci_prob)} interval)",
        "closer to their own?",
    ]
    heads += [f"closer than {NULLS[name].removesuffix(' as stereotypes')}?" for name in nulls]
    cells = [
        (
            row["of"] + (f" {THIN_MARK}" if row["thin"] else ""),
            f"{number(row['mean'])} ({ends(row)}{row['edge']})",
            row["closer"],
            *("–" if pd.isna(row[name]) else f"than {percent(row[name])}" for name in nulls),
        )
        for row in rows.to_dict("records")
    ]
    caption = f"{first.capitalize()} − {second} under the model {analysis.lead.spec.name}"
    if is_relative(rows):
        caption += "; groups compared with the other groups"
    table = Table(caption, tuple(heads), (False,) * len(heads), tuple(cells), leads=True)
    return Headline(about, table, [*allowed(analysis, rows), *meanings(analysis, rows)])


def allowed(analysis: Analysis, rows: pd.DataFrame) -> list[str]:
    """Word what the numbers of a list allow you to say, and what they are not about."""
    groups = at_level(rows, GROUP).to_dict("records")
    chances = joined(f"{row['of']} ({row['closer']})" for row in groups or rows.to_dict("records"))
    sentences = [
        "You may say how probable it is that words of a group lie closer to their own stereotypes "
        f"than the others do: {chances}."
    ]
    if len(groups) > 1 and leading_pair(analysis.table) == ORDER:
        draws = analysis.lead.group_draws[[row["protected_group"] for row in groups]]
        some, none = ((part < 0).any(axis=1).mean() for part in (draws, draws - draws.mean()))
        sentences.append(
            f"At least one of the {len(groups)} does with a probability of {probability(some)}. If "
            f"every group were at zero with the same uncertainty, it would be {probability(none)}."
        )
    reference = analysis.reference
    if reference is not None:
        lists = reference.lists.query("match == 'topics'")
        places = lists.pivot(index="list", columns="protected_group", values="mean").rank(pct=True)
        beyond = float((places <= 0.05).any(axis=1).mean())
        sentences.append(
            "The last columns give the share of reference lists that lie less close, among "
            f"{reference.n_lists('frequency')} with {NULLS['frequency']} and "
            f"{reference.n_lists('topics')} with {NULLS['topics']}. A share of 95% is no proof: "
            f"{percent(beyond)} of the lists with {NULLS['topics']} reach it in at least one of "
            f"the {len(rows)} rows."
        )
    elif analysis.settings.reference_lists and not analysis.settings.templates:
        sentences.append(NOT_DRAWN)
    return [
        *sentences,
        "All of this describes words in the texts of this embedding. What people are like, and "
        "whether a system built on it does harm, needs other data.",
    ]


def meanings(analysis: Analysis, rows: pd.DataFrame) -> list[str]:
    """Word what a group's number means, and where that over the listed words differs from it."""
    groups = at_level(rows, GROUP)
    if groups.empty:
        several = len(with_own(analysis)) > 1
        return [
            "Two groups without control words have one number: the data do not identify which of "
            "the two it comes from."
        ] * several
    if not is_relative(rows):
        return [
            "A group's number compares stereotypes at that group's words, and includes how close "
            "each set lies to all groups."
        ]
    controls = set(CONTROLS) & set(analysis.table["connection"])
    base = "matched" if "matched" in controls else "control" if controls else "third groups'"
    return [
        "A group's number compares its words with those of the other groups, at the same "
        f"stereotypes, less the same difference at {base} words.",
        *_listed_sentences(analysis, groups),
    ]


def _listed_sentences(analysis: Analysis, groups: pd.DataFrame) -> list[str]:
    """Word where a contrast over the listed words differs in sign, or by more than an interval."""
    table = analysis.table
    if not pd.crosstab(table["protected_word"], table["connection"].astype(str)).all(axis=None):
        return []  # the listed words have no mean of what some of them lack
    listed = at_level(contrast_of(analysis.lead.listed, *ORDER), GROUP)
    listed = groups[["protected_group"]].merge(listed, on="protected_group").set_index(groups.index)
    gap = (listed["mean"] - groups["mean"]).abs()
    turned = (listed["mean"] * groups["mean"] < 0) & (gap > analysis.rope)
    rows = listed[turned | (gap > groups["high"] - groups["low"])].to_dict("records")
    if not rows:
        return []
    names = joined(f"{row['protected_group']} has {placed(row)}" for row in rows)
    return [
        f"Within a group, associated − different over the very words listed, {names}: that "
        "includes how close each set of stereotypes is to everybody, which the table takes out."
    ]


def headline_sheet(analysis: Analysis) -> Sheet:
    """Show a list's headline in a terminal or notebook."""
    return headline(analysis).sheet(*missing_sentences(analysis), CLOSING)


def change_headline(analysis: ChangeAnalysis) -> Headline:
    """Word what a change's page leads with: the change of associated − different, for whom.

    Where the tables lack one of them, it is how far each kind of attribute moved.
    """
    settings, lead = analysis.settings, analysis.lead
    about, asked = "How far attributes moved from the protected words.", "farther away?"
    rows = at_level(analysis.changes, OVERALL).assign(of=lambda frame: frame["connection"])
    frame, what = analysis.changes, "Mean distances"
    if lead.watched:
        frame, rows, what = lead.orders, headline_rows(lead.orders), "Associated − different"
        asked = "away from their own?"
        about = (
            f"How much closer words lie to {MEANINGS['associated']} than to "
            f"{MEANINGS['different']}, before and after. Where the change is above zero, they "
            "moved away from their own."
        )
    n_draws = plain_draws(frame, settings)
    chance = rows["p_direction"].where(rows["mean"] > 0, 1 - rows["p_direction"])
    cells = [
        (
            row["of"],
            number(row["before"]),
            number(row["after"]),
            f"{signed(row['after'] - row['before'])} ({ends(row)}"
            f"{borderline(row, n_draws, analysis.rope)})",
            graded(p, n_draws),
        )
        for row, p in zip(rows.to_dict("records"), chance, strict=True)
    ]
    ci = probability_name(settings.ci_prob)
    heads = ("", "before", "after", f"change ({ci} interval)", asked)
    caption = f"{what} under the model {lead.spec.name}"
    table = Table(caption, heads, (False, True, True, False, False), tuple(cells), leads=True)
    return Headline(about, table, [])
