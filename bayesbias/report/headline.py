"""The headline of pages, screens, notebooks, and papers: a table by group, with explanations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from .._core.display import Sheet
from ..tables.descriptives import (
    contrast_of,
    default_rows,
    leading_pair,
    probability_below,
)
from ..tables.levels import GROUP, OVERALL, WORD, at_level
from ..tables.schema import CONTROLS, THIN_MARK
from .numbers import (
    GRADES,
    borderline,
    counted,
    ends,
    graded,
    in_words,
    joined,
    named,
    number,
    percent,
    placed,
    probability,
    probability_name,
    signed,
)
from .wording import ALL_GROUPS, MEANINGS, with_marks, with_own
from .writer import Table, lines, prose

if TYPE_CHECKING:
    from ..workflows.change import ChangeAnalysis
    from ..workflows.wordlist import Analysis

ORDER = ("associated", "different")
"""The connections of the main contrast, which is compared with reference lists."""

OF_A_GROUP = {"associated": "a group's own stereotypes", "different": "other groups' stereotypes"}

LISTS = {"topics": "words on other topics"}
"""Words that replace the stereotypes in reference lists, keyed by how they are drawn."""


@dataclass(frozen=True)
class Headline:
    """Sentences on what was measured, a table by group, and sentences on what the table means."""

    about: str
    table: Table
    notes: Sequence[str]

    def sheet(self, *notes: str) -> Sheet:
        """Return the headline and more notes for a terminal or notebook."""
        texts = "\n".join([*self.notes, *notes])
        return Sheet(self.about, self.table.rows, self.table.heads, texts)


def headline_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a contrast's overall row, followed by its group rows, farthest from zero first."""
    groups = at_level(rows, GROUP).sort_values("mean", key=abs, ascending=False, kind="stable")
    frame = pd.concat([at_level(rows, OVERALL), groups], ignore_index=True)
    return frame.assign(of=frame["protected_group"].map(in_words).replace("", ALL_GROUPS))


def lead_contrasts(contrasts: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Return the rows of a contrast that pages show, without groups that are not identified.

    Groups of models without group means are shown, because users choose these models by name.
    """
    rows = contrast_of(contrasts, first, second)
    of_words = at_level(rows, WORD)["estimand"]
    return rows if (of_words == "within").all() else default_rows(rows).reset_index(drop=True)


def leading_rows(analysis: Analysis) -> pd.DataFrame:
    """Return the main contrast under the lead model, overall and by group.

    Groups whose own stereotypes were not measured are left out. ``closer`` describes the
    probability that the contrast is below zero. ``edge`` marks borderline intervals, and ``thin``
    marks rows with a thin set. ``topics`` is the share of reference lists with a larger contrast;
    ``reference_low`` and ``reference_high`` are interval ends for ``topics``.
    """
    contrasts = analysis.contrasts
    rows = lead_contrasts(contrasts, *leading_pair(analysis.table))
    rows = headline_rows(rows[rows["protected_group"].isin(["", *with_own(analysis)])])
    n_draws = contrasts.attrs["n_draws"]
    rows["closer"] = [graded(p, n_draws) for p in probability_below(rows)]
    rows["edge"] = [borderline(row, n_draws, analysis.rope) for row in rows.to_dict("records")]
    rows = with_marks(analysis, rows)
    if analysis.reference:
        places = analysis.reference["reference"].set_index(["match", "protected_group"])
        group = rows["protected_group"]
        for match in LISTS:
            rows[match] = 1 - group.map(places["percentile"][match])
        for end in ("reference_low", "reference_high"):
            rows[end] = group.map(places[end]["topics"])
    return rows


def is_relative(rows: pd.DataFrame) -> bool:
    """Return whether each group is compared with other groups on the same stereotypes."""
    groups = at_level(rows, GROUP)
    return bool(len(groups)) and bool((groups["estimand"] == "relative").all())


def headline(analysis: Analysis) -> Headline:
    """Return the headline of a list's page: what was measured, for whom, and what it means."""
    first, second = leading_pair(analysis.table)
    measured, rows = analysis.table, leading_rows(analysis)
    n_words, n_groups = measured[["protected_word", "protected_group"]].nunique()
    stereotypes = measured["attribute"][measured["connection"].isin(ORDER)].nunique()
    own = measured[measured["connection"] == first].groupby("protected_group", sort=False)
    embedding = analysis.settings.embedding
    described = lines("embeddings.known")
    known = next((one.text for one in described if embedding.startswith(one.of)), "")
    examples = [
        f"{joined(words.unique()[:2])} for {in_words(str(of))}" for of, words in own["attribute"]
    ]
    n_zero = int(((rows["low"] < 0) & (rows["high"] > 0)).sum())
    about = prose(
        "about_list",
        list=analysis.wordlist.name,
        embedding=f"{embedding} ({known})" if known else embedding,
        examples=f"{'; '.join(examples[:4])}{'; and others' * (len(examples) > 4)}",
        adjusted=f"After adjustment for {_base(measured)}, a" if is_relative(rows) else "A",
        others="other groups' words are" if is_relative(rows) else f"to {MEANINGS[second]}",
        answers=_answers(rows),
        zero=_places(n_zero, len(rows)),
        small=probability(rows["p_rope"][0]),
        rope=f"{analysis.rope:.2g}",
        words=f"{counted(n_words, 'word')} from {counted(n_groups, 'group')}",
        stereotypes=counted(stereotypes, "stereotype"),
    )
    nulls = [name for name in LISTS if name in rows]
    ci = probability_name(analysis.settings.ci_prob)
    heads = ["", f"contrast ({ci} interval)", "closer to its own stereotypes?"]
    heads += [f"closer than to {LISTS[name]}" for name in nulls]
    lists = analysis.reference["reference_lists"] if nulls else None
    n_lists = {} if lists is None else lists.groupby("match")["list"].nunique().to_dict()
    cells = [
        (
            row["of"] + (f" {THIN_MARK}" if row["thin"] else ""),
            f"{number(row['mean'])} ({ends(row)}{row['edge']})",
            row["closer"],
            *("–" if pd.isna(row[name]) else _count(row[name], n_lists[name]) for name in nulls),
        )
        for row in rows.to_dict("records")
    ]
    caption = f"Contrasts in cosine distance (model {analysis.lead.spec.name})"
    table = Table(caption, tuple(heads), (False,) * len(heads), tuple(cells), leads=True)
    return Headline(about, table, [*allowed(analysis, rows), *meanings(analysis, rows)])


def contrast_meaning(analysis: Analysis, rows: pd.DataFrame) -> str:
    """Define the contrast in sentences that depend on `is_relative`."""
    if not is_relative(rows):
        one, other = ({**MEANINGS, **OF_A_GROUP}[name] for name in leading_pair(analysis.table))
        return f"A contrast is the distance to {one} minus the distance to {other}."
    matched = "matched" in set(analysis.table["connection"])
    alike = " that are as frequent as the stereotypes" if matched else ""
    return prose("relative", base=_base(analysis.table) + alike)


def _base(table: pd.DataFrame) -> str:
    """Name the words that group contrasts are relative to."""
    controls = set(CONTROLS) & set(table["connection"])
    return "control words" if controls else "stereotypes of third groups"


def _answers(rows: pd.DataFrame) -> str:
    """Write the answers, such as ``probably yes (90%)``, overall and by group."""
    overall, groups = "", dict[str, list[str]]()
    for of, closer in zip(rows["of"], rows["closer"], strict=True):
        chance, word, *edge = closer.split(", ")
        answer = word if word == GRADES[0] else f"{word} yes".replace("not yes", "no")
        chance = f"({', '.join([chance, *edge])})"
        overall = overall or f"{answer} {chance}"
        if of != ALL_GROUPS:
            groups.setdefault(answer, []).append(f"{of} {chance}")
    by_group = [f"{answer} for {named(names, 8)}" for answer, names in groups.items()]
    return f"{overall}. By group, the answer is {joined(by_group)}" if by_group else overall


def _places(inside: int, n: int) -> str:
    """Write how many of n intervals contain a value."""
    if n == 1:
        return f"{'inside' if inside else 'outside'} the interval"
    return f"inside {({0: 'none of the', n: 'all'}).get(inside, f'{inside} of the')} {n} intervals"


def _count(share: float, n: int) -> str:
    """Write the number of reference lists in which words are less close."""
    return f"{share * n:.0f} of {n} lists"


def allowed(analysis: Analysis, rows: pd.DataFrame) -> list[str]:
    """Return sentences on what you can and cannot conclude from a list's numbers."""
    groups, below = at_level(rows, GROUP), "Below zero, words are closer to their own stereotypes."
    sentences = [f"{contrast_meaning(analysis, rows)} {below}", prose("not_people")]
    if analysis.reference:
        lists = analysis.reference["reference_lists"].query("match == 'topics'")
        places = lists.pivot(index="list", columns="protected_group", values="mean").rank(pct=True)
        beyond = percent(float((places <= 0.05).any(axis=1).mean()))
        counts = {"n_lists": len(places), "least": len(places) - int(0.05 * len(places))}
        sentences.append(prose("last_columns", beyond=beyond, **counts))
    elif analysis.settings.reference_lists and not analysis.settings.encoder:
        sentences.append(prose("not_drawn"))
    sentences.append(prose("unclear"))
    claims = not (groups["low"].lt(0) & groups["high"].gt(0)).all()
    if claims and len(groups) > 1 and leading_pair(analysis.table) == ORDER:
        draws = analysis.lead["group_draws"][groups["protected_group"].tolist()]
        at_zero, sides = draws - draws.mean(), groups[["low", "high"]].sub(groups["mean"], axis=0)
        low, high = sides.to_numpy().T
        claimed = probability(((at_zero < low) | (at_zero > high)).any(axis=1).mean())
        sentences.append(prose("at_least_one", n=len(groups), claimed=claimed))
    return sentences


def meanings(analysis: Analysis, rows: pd.DataFrame) -> list[str]:
    """Explain what a group's number means, and where the mean of the listed words differs."""
    groups = at_level(rows, GROUP)
    if groups.empty:
        return [prose("one_number")] if len(with_own(analysis)) > 1 else []
    if not is_relative(rows):
        return [prose("own_words")]
    if analysis.lead["listed"].empty:
        return []  # some words lack a connection, so the listed words have no mean for it
    listed = at_level(contrast_of(analysis.lead["listed"], *ORDER), GROUP)
    listed = groups[["protected_group"]].merge(listed, on="protected_group").set_index(groups.index)
    gap = (listed["mean"] - groups["mean"]).abs()
    turned = (listed["mean"] * groups["mean"] < 0) & (gap > analysis.rope)
    listed = listed.assign(shown=groups["mean"].map(number))
    differing = listed[turned | (gap > groups["high"] - groups["low"])].to_dict("records")
    names = [
        f"{placed(row)} for {in_words(row['protected_group'])} ({row['shown']} in the table)"
        for row in differing
    ]
    return [prose("listed", names=joined(names))] if names else []


def change_headline(analysis: ChangeAnalysis) -> Headline:
    """Return the headline of a page about a change: how associated − different changed, by group.

    Without associated or different distances, the headline shows how far kinds of attributes moved.
    """
    orders, frame = analysis.lead["orders"], analysis.changes
    if orders.empty:
        about, what = prose("about_moves"), "Mean distances"
        rows = at_level(frame, OVERALL).assign(of=lambda rows: rows["connection"])
    else:
        about, what = prose("about_change"), "Associated − different"
        rows, frame = headline_rows(orders), orders
    n_draws = frame.attrs["n_draws"]
    cells = [
        (
            row["of"],
            number(row["before"]),
            number(row["after"]),
            f"{signed(row['after'] - row['before'])} ({ends(row)}"
            f"{borderline(row, n_draws, analysis.rope)})",
            graded(1 - p, n_draws),
        )
        for row, p in zip(rows.to_dict("records"), probability_below(rows), strict=True)
    ]
    ci = probability_name(analysis.settings.ci_prob)
    heads = ("", "before", "after", f"change ({ci} interval)", "probability that it moved away")
    caption = f"{what} under the model {analysis.lead.spec.name}"
    table = Table(caption, heads, (False, True, True, False, False), tuple(cells), leads=True)
    relative = "estimand" in rows and is_relative(rows)
    return Headline(about, table, [prose("relative_change")] if relative else [])
