"""Results and methods paragraphs for a paper, in pandoc's Markdown, with a bibliography."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import numpy as np

from ..records.found import ChangeRecord, ListRecord, Question
from ..records.naming import GIVEN
from ..records.rows import Row
from .change_page import control_moves
from .list_page import BASELINES
from .numbers import counted, joined, number, percent, probability_name
from .parts import sets_in_words
from .sentences import LANDMARK_SAYS, claim_of
from .tables import Table

UNNAMED = "an embedding [name it: analyze(..., name=)]"
"""Name for vectors without a name."""

OF_MODELS = {
    **dict.fromkeys(("by-group", "maximal", "maximal-topics"), ("barr2013", "baayen2008")),
    **dict.fromkeys(("crossed", "robust"), ("baayen2008",)),
    **dict.fromkeys(("paper", "paper-figures"), ("dobrzeniecka2024",)),
}
"""Sources of the bundled models; for your own model, its reference is used instead."""

OF_EMBEDDINGS = dict.fromkeys(
    ("glove-demo", *(f"glove-wiki-gigaword-{size}" for size in (50, 100, 200, 300))),
    ("pennington2014",),
)
"""Sources of embeddings that are known by name."""

COUNTED = ("protected_group", "attribute_set")
"""Roles of the words whose effective numbers are reported."""

KINDS = {"hdi": "highest-density", "eti": "equal-tailed"}


@dataclass(frozen=True)
class WriteUp:
    """Results, methods, and a table; ``print`` shows the Markdown.

    ``pandoc --citeproc write-up.md -o paper.pdf`` fills in the citations, and ``pandoc --natbib
    write-up.md -o write-up.tex`` produces LaTeX.

    Parameters
    ----------
    markdown : str
        The text, with citations in pandoc's syntax.
    bibtex : str
        The references.
    """

    markdown: str
    bibtex: str

    def __str__(self) -> str:
        return self.markdown

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return self.markdown


class Raw(str):
    """Text that is not escaped in Markdown: a formula, citation, or table."""

    __slots__ = ()


def escaped(text: str) -> str:
    """Escape a text so that Markdown shows it literally on one line, even in table cells."""
    return re.sub(r"([\\`*_\[\]<>$|])", r"\\\1", " ".join(text.split()))


class Citations(dict[str, None]):
    """The keys that a text has cited so far, in order; a call writes a citation."""

    def __call__(self, keys: Iterable[str]) -> Raw:
        """Return a citation in pandoc's syntax, or nothing if there are no keys."""
        self |= dict.fromkeys(keys)
        return Raw(f" [{'; '.join(f'@{key}' for key in keys)}]" if keys else "")


def list_paper(record: ListRecord) -> WriteUp:
    """Write the paragraphs about a list; escape everything except formulas and citations."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("bayesbias", "report/templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda x: x if isinstance(x, Raw) else escaped(str(x)),
    )
    environment.filters["raw"] = Raw
    template, cite = environment.get_template("write_up.md.j2"), Citations()
    text = template.render(**_values(record), cite=cite).replace("'", "’")
    return with_references(f"{text}\n\n{_word_table(record).markdown()}", cite)


def with_references(text: str, cited: Iterable[str]) -> WriteUp:
    """Return a Markdown text with the bibliography entries that it cites."""
    entries = bibliography()
    bibtex = "\n\n".join(entries[key] for key in cited) + "\n"
    return WriteUp(f"---\nbibliography: references.bib\n---\n\n{text.strip()}\n", bibtex)


def bibliography() -> dict[str, str]:
    """Return the bibliography entries by citation key."""
    entries = (files(__package__) / "references.bib").read_text("utf-8").strip().split("\n\n")
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in entries}


def _values(record: ListRecord) -> dict[str, Any]:
    """Return the variables of the template."""
    *others, lead = record.models
    settings: Any = record.origin["arguments"]
    table, words = record.frames["table"], record.frames["words"]
    groups = table.drop_duplicates("protected_word")["protected_group"].value_counts(sort=False)
    kinds = table["connection"].astype(str).replace("different", "associated")
    n_words = table.groupby(kinds, sort=False)["attribute"].nunique()
    counts = [f"{count:,} {name}" for name, count in n_words.items()]
    found = record.led("diagnostics")
    names = record.naming.groups
    return {
        **{"record": record, "table": table, "settings": settings, "lead": lead, "others": others},
        **{"counted": counted, "of_models": OF_MODELS, "version": version("bayesbias")},
        "found": dict(found.itertuples(index=False, name=None)),
        "number": lambda value, digits=0: f"{value:,.{digits}f}",
        "of_embedding": OF_EMBEDDINGS.get(record.embedding, ()),
        "embedding": UNNAMED if record.embedding == GIVEN else record.embedding,
        "groups": joined(f"{size} {names.get(str(of), str(of))}" for of, size in groups.items()),
        "kinds": joined(counts).replace("associated", "stereotypes"),
        "missing": len(record.frames["missing"]),
        "total": int(words.loc[words["set"] != "matched", "words"].sum()),
        "ci": probability_name(record.ci_prob),
        "kind": KINDS[settings["ci_kind"]],
        "estimand": Raw(_estimand(record)),
        "results": list(_results(record)),
    }


def _estimand(record: ListRecord) -> str:
    """Define the contrast with its formula, as a paper's methods do."""
    start = (
        "Let $m(g, S)$ be the mean cosine distance between the words of group $g$ and the "
        "attributes $S$. "
    )
    if record.question is Question.GROUPS:
        return start + (
            "For group $g$ with stereotypes $S_g$, other groups $h$, and the stereotypes $T$ of "
            "third groups we estimate $[m(h, S_g) - m(g, S_g)] - [m(h, T) - m(g, T)]$, averaged "
            "over $h$. The overall estimate is the average over groups of "
            "$m(g, S_h) - m(g, S_g)$ for the stereotypes $S_h$ of other groups."
        )
    return start + (
        "For groups $g$ and $h$ with stereotypes $S_g$ and $S_h$ we estimate the double difference "
        "$\\frac{1}{2}\\{[m(g, S_h) - m(g, S_g)] + [m(h, S_g) - m(h, S_h)]\\}$."
    )


def _placed(row: Row, ci_prob: float) -> str:
    """Write an estimate with its interval and the probability of its direction, without a sign."""
    ci, direction = probability_name(ci_prob), number(row.verdict.larger / 100, 2)
    sign = 1 if row.mean >= 0 else -1
    low, high = (number(end) for end in sorted(sign * end for end in (row.low, row.high)))
    return (
        f"{number(sign * row.mean)} ({ci} interval {low} to {high}; posterior probability of this "
        f"direction {direction})"
    )


def _results(record: ListRecord) -> Iterator[str]:
    """Yield the sentences of the results: the estimate, what it compares with, and its limits."""
    overall = record.overall
    claim = claim_of(record, holds=overall.mean >= 0)
    found = f"mean double difference in cosine distance of {_placed(overall, record.ci_prob)}"
    if overall.verdict.holds is None:
        yield f"It is unclear whether {claim}, with a {found}."
    else:
        yield f"{claim[0].upper()}{claim[1:]}, with a {found}."
    if record.groups:
        yield from _by_group(record)
    frame = record.frames["headline"]
    small = frame.loc[frame["level"] == "overall"].iloc[0]
    yield (
        f"The probability that the overall difference is within ±{record.rope:.2g} is "
        f"{number(small['p_rope'], 2)}; with an interval of this width, it could not exceed "
        f"{number(small['p_rope_ceiling'], 2)}."
    )
    yield from _compared(record)
    yield from _division(record)
    yield from _against_baseline(record)
    yield from _few_words(record)


def _by_group(record: ListRecord) -> Iterator[str]:
    """Yield the estimates of groups, and those whose direction is unclear."""
    names = record.naming.groups
    parts = (
        f"{names[row.key]} were {'closer to' if row.mean >= 0 else 'farther from'} their own "
        f"stereotypes by {_placed(row, record.ci_prob)}"
        for row in record.groups
    )
    yield (
        "Compared with the other groups’ words, and with the stereotypes of third groups as the "
        f"baseline, {joined(parts)}."
    )
    if unclear := [names[row.key] for row in record.groups if row.verdict.holds is None]:
        yield f"The direction is unclear for {joined(unclear)}."


def _compared(record: ListRecord) -> Iterator[str]:
    """Yield what the overall estimate compares with: other topics, and well-known lists."""
    if (topics := record.topics) is not None:
        exceeded = int((topics < record.overall.mean).sum())
        yield (
            f"The overall estimate exceeded those of {exceeded} of {len(topics)} lists in which "
            "words on other topics replace the stereotypes."
        )
    if record.landmarks:
        parts = (f"{number(row.mean)} {LANDMARK_SAYS[row.key]}" for row in record.landmarks)
        yield f"In the same embedding, the same measure is {joined(parts)}."


def _division(record: ListRecord) -> Iterator[str]:
    """Say that the division between two groups depends on the baseline."""
    split = record.frames["split"]
    if split.empty:
        return
    yield from _unadjusted(record)
    wide = split.pivot_table("mean", "baseline", "protected_group", sort=False)
    groups = [group for group in record.naming.groups if group in wide]
    parts = (
        f"{joined(number(-row[group]) for group in groups)} relative to "
        f"{BASELINES.get(str(name), str(name))}"
        for name, row in wide.iterrows()
    )
    names = joined(record.naming.groups[group] for group in groups)
    yield (
        f"The division of the estimate between {names} depends on the baseline: {joined(parts)}. "
        "We therefore draw no conclusion about which group is more affected."
    )


def _unadjusted(record: ListRecord) -> Iterator[str]:
    """Compare the measured distances of two groups to each set."""
    blocks = record.frames["blocks"].to_dict("records")
    measured = {(row["protected_group"], row["attribute_set"]): row for row in blocks}
    names, parts = record.naming.groups, []
    for (group, name), row in measured.items():
        if not row["own"]:
            continue
        (other,) = (key for key in names if key != group)
        gap = measured[other, name]["cosine_distance"] - row["cosine_distance"]
        nearer = "closer to" if gap >= 0 else "farther from"
        size = f"{number(abs(gap))} {nearer} {record.naming.sets[group]}"
        parts.append(f"{names[group]} were {size} than {names[other]} were")
    yield f"Before any adjustment, {', and '.join(parts)}."


def _against_baseline(record: ListRecord) -> Iterator[str]:
    """Yield sentences on the contrasts relative to the list's baseline words, if it has some."""
    rows, words = record.frames["baseline"], record.frames["words"]
    for row in words[words["role"] == "baseline"].to_dict("records") if len(rows) else ():
        own = rows[rows["estimand"] == f"within, less {row['set']}"].to_dict("records")
        parts = joined(
            f"{number(one['mean'])} ({number(one['low'])} to {number(one['high'])}) for "
            f"{record.naming.groups[one['protected_group']]}"
            for one in own
        )
        yield (
            f"We also fitted each group alone with the baseline words {row['set']} "
            f"({row['which']}). Relative to these words, the distance to own stereotypes minus "
            f"that to others was {parts}."
        )


def _few_words(record: ListRecord) -> Iterator[str]:
    """State the limits: how many unrelated words the words correspond to, and what is missing."""
    sizes, n = record.frames["sizes"], record.sizes
    if len(sizes) and "n_effective" in sizes:
        count = sizes.groupby("role", sort=False)["n_effective"].sum()
        both = joined(number(count.get(name, np.nan), 1) for name in COUNTED)
        yield (
            f"The {counted(n['words'], 'protected word')} and "
            f"{counted(n['stereotypes'], 'stereotype')} correspond to about {both} unrelated "
            "words. Other words may give other results."
        )
    if len(record.frames["thin"]):
        yield f"Too few different words are left in {sets_in_words(record.frames['thin'])}."
    if not record.frequency_removed:
        yield "Differences in word frequency were not removed."
    if record.warnings:
        yield f"The sampler warned: {'; '.join(map(str, record.warnings))}."


def _word_table(record: ListRecord) -> Table:
    """Return the list for the appendix, one row for each set."""
    words = record.frames["words"]
    rows = tuple(
        tuple(escaped(str(row[name])) for name in ("role", "set", "which"))
        for row in words.to_dict("records")
    )
    return Table("", ("role", "set", "words (missing ones in brackets)"), (False,) * 3, rows)


def change_paper(record: ChangeRecord) -> WriteUp:
    """Write the paragraphs about a change."""
    ends = f"{record.before} and {record.after}"
    if record.method:
        ends = f"{record.before} before and after the debiasing method {record.method}"
    cite = Citations()
    methods = [
        f"We compared cosine distances in {ends}"
        f"{f', for the word list “{record.name}”' if record.name else ''} ({record.pairing}).",
        "Let $m(g, S)$ be the mean cosine distance between the words of group $g$ and the "
        "attributes $S$, $S_g$ the stereotypes of the group, and $S_h$ those of other groups. We "
        "estimate how much a change removed of the double difference $m(g, S_h) - m(g, S_g)$, "
        "averaged over groups. Changes were fitted pair by pair with the hierarchical Bayesian "
        f"model “{record.models[-1].name}” in bayesbias{cite(['bayesbias'])}.",
    ]
    results = []
    if row := record.removed:
        before, after = record.ends
        done = "removed" if row.mean >= 0 else "added"
        results.append(
            f"The double difference was {number(before.mean)} before and {number(after.mean)} "
            f"after; the change {done} {_placed(row, record.ci_prob)}."
        )
    results += control_moves(record)
    if (left := record.check("classifier")) is not None:
        results.append(
            f"Of the {int(left['n']):,} words that leaned most before the change, a classifier "
            f"still assigned {percent(left['after'])} to the right class, so the change did not "
            "remove what these words share."
        )
    return with_references(
        f"## Methods\n\n{' '.join(methods)}\n\n## Results\n\n{' '.join(results)}", cite
    )
