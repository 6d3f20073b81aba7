"""Results and methods paragraphs for a paper, in pandoc's Markdown, with a bibliography."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from ..records.found import ChangeRecord, ListRecord, Record
from ..records.naming import GIVEN
from ..records.rows import Row, Verdict
from ..tables.schema import CONNECTIONS
from .change_page import word_moves
from .list_page import split_in_words
from .numbers import counted, joined, number, percent, probability_name, thousandths
from .parts import sets_in_words
from .sentences import LANDMARK_SAYS, claim_of
from .tables import Table

UNNAMED = "an embedding [name it: analyze(..., name=)]"
"""Name for vectors without a name."""

OF_MODELS = {
    **dict.fromkeys(("by-group", "maximal", "maximal-topics"), ("barr2013", "baayen2008")),
    **dict.fromkeys(("change-by-group", "change-maximal"), ("barr2013", "baayen2008")),
    **dict.fromkeys(("crossed", "robust"), ("baayen2008",)),
    **dict.fromkeys(("paper", "paper-figures"), ("dobrzeniecka2024",)),
}
"""Sources of the bundled models; for your own model, its reference is used instead."""

OF_EMBEDDINGS = dict.fromkeys(
    ("glove-demo", *(f"glove-wiki-gigaword-{size}" for size in (50, 100, 200, 300))),
    ("pennington2014",),
)
"""Sources of embeddings that are known by name."""

OF_METHODS = {
    "hard": ("bolukbasi2016",),
    "multiclass_hard": ("manzini2019",),
    "soft": ("bolukbasi2016", "manzini2019"),
    "double_hard": ("wang2020",),
    "half_sibling": ("yang2020",),
}
"""Sources of debiasing methods."""

COUNTED = {
    "protected_group": ("words", "protected word"),
    "attribute_set": ("stereotypes", "stereotype"),
}
"""Roles of the words whose effective numbers are reported: keys of their numbers, and names."""

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


SPECIAL = re.compile(
    r"""[\\`*_\[\]<>$|&@~^#"']"""
    r"|^[-+:](?=\s)|^\(?\w+[.)](?=\s)"  # lists, at the start of a line
    r"|--+|\.\.\.+"  # dashes and dots, which are joined
)
"""What pandoc's Markdown reads as markup."""


def escaped(text: str) -> str:
    """Escape a text so that Markdown shows it literally on one line, even in table cells."""
    return SPECIAL.sub(lambda found: re.sub(r"(\W|_)", r"\\\1", found[0]), " ".join(text.split()))


class Citations(dict[str, None]):
    """The keys that a text has cited so far, in order; a call writes a citation."""

    def __call__(self, keys: Iterable[str]) -> Raw:
        """Return a citation in pandoc's syntax, or nothing if there are no keys."""
        self |= dict.fromkeys(keys)
        return Raw(f" [{'; '.join(f'@{key}' for key in keys)}]" if keys else "")


def list_paper(record: ListRecord) -> WriteUp:
    """Write the paragraphs about a list."""
    return _paper(record, record.embedding, **_values(record))


def change_paper(record: ChangeRecord) -> WriteUp:
    """Write the paragraphs about a change."""
    given = {"changed": True, "slopes": (), "of_method": OF_METHODS.get(record.method, ())}
    kinds = () if record.removed else CONNECTIONS
    moves, left = word_moves(record, *kinds), record.check("classifier")
    return _paper(record, record.before, moves=moves, left=left, **given)


def _paper(record: Record, source: str, **values: object) -> WriteUp:
    """Fill in the template, escaping everything except formulas and citations, and add words."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("bayesbias", "report/templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda x: x if isinstance(x, Raw) else escaped(str(x)),
    )
    environment.filters |= {"raw": Raw, "percent": percent}
    *others, lead = record.models
    settings: Any = record.origin["arguments"]
    estimands = {*record.led("contrasts")["estimand"]}
    values |= {
        **{"record": record, "settings": settings, "lead": lead, "others": others},
        **{"counted": counted, "joined": joined, "of_models": OF_MODELS, "real": number},
        **{"capital": lambda text: text[:1].upper() + text[1:], "thousandths": thousandths},
        "placed": partial(_placed, ci_prob=record.ci_prob),
        "probable": _probable,
        "version": version("bayesbias"),
        "found": dict(record.led("diagnostics").itertuples(index=False, name=None)),
        "number": lambda value, digits=0: f"{value:,.{digits}f}",
        "of_embedding": OF_EMBEDDINGS.get(source, ()),
        "ci": probability_name(record.ci_prob),
        "kind": KINDS[settings["ci_kind"]],
        "plain": "plain difference" in estimands,
        "double": "double difference" in estimands,
    }
    cite = Citations()
    text = environment.get_template("write_up.md.j2").render(**values, cite=cite)
    if record.has("words"):
        text = f"{text}\n\n{_word_table(record).markdown()}"
    entries = bibliography()
    bibtex = "\n\n".join(entries[key] for key in cite) + "\n"
    return WriteUp(f"---\nbibliography: references.bib\n---\n\n{text.strip()}\n", bibtex)


def bibliography() -> dict[str, str]:
    """Return the bibliography entries by citation key."""
    entries = (files(__package__) / "references.bib").read_text("utf-8").strip().split("\n\n")
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in entries}


def _values(record: ListRecord) -> dict[str, Any]:
    """Return the variables of the template that are about lists."""
    table = record.frames["table"]
    groups = table.drop_duplicates("protected_word")["protected_group"].value_counts(sort=False)
    kinds = table["connection"].astype(str).replace("different", "associated")
    n_words = table.groupby(kinds, sort=False)["attribute"].nunique()
    counts = [f"{count:,} {name}" for name, count in n_words.items()]
    names = record.naming.groups
    return {
        **{"changed": False, "table": table},
        "embedding": UNNAMED if record.embedding == GIVEN else record.embedding,
        "groups": joined(f"{size} {names.get(str(of), str(of))}" for of, size in groups.items()),
        "kinds": joined(counts).replace("associated", "stereotypes"),
        "missing": len(record.frames["missing"]),
        "total": record.n_entries,
        **_results(record),
        **_division(record),
    }


def _probable(p: float) -> str:
    """Write a posterior probability with two decimals, rounded as in verdicts."""
    return number(Verdict(p).percent / 100, 2)


def _placed(row: Row, ci_prob: float, sign: int = 1) -> str:
    """Write an estimate, times `sign`, with its interval and the probability of its direction."""
    ci, direction = probability_name(ci_prob), number(row.verdict.larger / 100, 2)
    digits = thousandths(row.low, row.high)
    low, high = (number(end, digits) for end in sorted(sign * end for end in (row.low, row.high)))
    return (
        f"{number(sign * row.mean, digits)} ({ci} interval {low} to {high}; posterior probability "
        f"of this direction {direction})"
    )


def _results(record: ListRecord) -> dict[str, Any]:
    """Return what the results name: estimates, what they compare with, and their limits."""
    overall, names, frames = record.overall, record.naming.groups, record.frames
    sizes, topics, headline = frames["sizes"], record.topics(), frames["headline"]
    unrelated = dict[str, str]()
    if len(sizes):
        sums = sizes.groupby("role")[["n_words", "n_effective"]].sum()
        for role, (key, name) in COUNTED.items():
            if sums["n_words"].get(role) == record.sizes[key]:  # no word is in two sets
                words = counted(record.sizes[key], name)
                unrelated[words] = number(sums["n_effective"][role], 1)
    return {
        "claim": claim_of(record, holds=overall.mean >= 0),
        "by_group": [
            f"{names[row.key]} were {nearer} their own stereotypes by "
            f"{_placed(row, record.ci_prob, sign)}"
            for row in record.groups
            for nearer, sign in [("closer to", 1) if row.mean >= 0 else ("farther from", -1)]
        ],
        "unclear": [names[row.key] for row in record.groups if row.verdict.holds is None],
        "small": headline.loc[headline["level"] == "overall"].iloc[0],
        "exceeded": sum(topic < overall.mean for topic in topics),
        "landmarks": [
            f"{number(row.mean, thousandths(row.low, row.high))} for {LANDMARK_SAYS[row.key]}"
            for row in record.landmarks
        ],
        "slopes": [
            f"{' of '.join(row[name] for name in ('covariate', 'connection') if name in row)} by "
            f"{_exact(row['mean'])} ({_exact(row['low'])} to {_exact(row['high'])})"
            for row in record.led("slopes").to_dict("records")
        ],
        "fitted_alone": list(_against_baseline(record)),
        "unrelated": unrelated,
        "too_few": sets_in_words(frames["thin"]) if record.has("thin") else "",
    }


def _exact(value: float) -> str:
    """Write a slope, whose size depends on the covariate's unit, with two significant digits."""
    return f"{value:.2g}".replace("-", "−")


def _division(record: ListRecord) -> dict[str, Any]:
    """Return how the estimate divides between two groups, and their unadjusted distances."""
    (both, split), names = split_in_words(record), record.naming.groups
    blocks = record.frames["blocks"].to_dict("records")
    measured = {(row["protected_group"], row["attribute_set"]): row for row in blocks}
    parts = []
    for (group, name), row in measured.items() if both else ():
        if row["own"]:
            (other,) = (key for key in names if key != group)
            gap = measured[other, name]["cosine_distance"] - row["cosine_distance"]
            nearer = "closer to" if gap >= 0 else "farther from"
            size = f"{number(abs(gap), thousandths(gap))} {nearer} {record.naming.sets[group]}"
            parts.append(f"{names[group]} were {size} than {names[other]} were")
    division = [f"{joined(texts)} relative to {name}" for name, texts in split.items()]
    return {"unadjusted": ", and ".join(parts), "division": division, "both": both}


def _against_baseline(record: ListRecord) -> Iterator[tuple[str, str, str]]:
    """Yield each set of baseline words of a list, its words, and the contrasts relative to it."""
    rows, words = record.frames["baseline"], record.frames["words"]
    for row in words[words["role"] == "baseline"].to_dict("records") if len(rows) else ():
        own = rows[rows["estimand"] == f"within, less {row['set']}"].to_dict("records")
        digits = thousandths(*(one[end] for one in own for end in ("low", "high")))
        parts = joined(
            f"{number(one['mean'], digits)} ({number(one['low'], digits)} to "
            f"{number(one['high'], digits)}) for {record.naming.groups[one['protected_group']]}"
            for one in own
        )
        yield str(row["set"]), str(row["which"]), parts


def _word_table(record: Record) -> Table:
    """Return the list for the appendix, one row for each set."""
    columns = (record.frames["words"][name].map(escaped) for name in ("role", "set", "which"))
    rows = tuple(zip(*columns, strict=True))
    return Table("", ("role", "set", "words (missing ones in brackets)"), rows)
