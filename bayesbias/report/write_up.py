"""Results and methods paragraphs for a paper, in pandoc's Markdown, with a bibliography."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..tables.descriptives import leading_pair
from . import wording
from .headline import LISTS, contrast_meaning, headline, leading_rows, meanings
from .numbers import counted, in_words, joined, percent, placed, probability_name
from .wording import MEANINGS, THIN_MEANING
from .writer import Raw, render

if TYPE_CHECKING:
    from ..workflows.results import ModelResult
    from ..workflows.wordlist import Analysis

GIVEN, UNNAMED = "the vectors given", "an embedding [name it: analyze(..., name=)]"
"""Names for vectors without a name, in an analysis and in the paper."""

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

INDICES = {
    **{"connection": "c", "stereotype_connection": "c", "protected_word": "w", "attribute": "a"},
    **{"protected_group": "g", "attribute_kind": "k", "attribute_set": "s"},
    **{"attribute_column": "j", "context": "t"},
}
"""Indices in the formula, keyed by column."""


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


def write_up(analysis: Analysis) -> WriteUp:
    """Write the paragraphs about an analysis; escape everything except formulas and citations."""
    text = render("write_up.md.j2", **_values(analysis)).replace(" … ", " to ").replace("'", "’")
    paragraphs, _, table = text.partition("\n|")
    sections = [" ".join(part.split()) for part in re.split(r"\n{2,}", paragraphs.strip())]
    return with_references("\n\n".join([*sections, f"|{table}"]))


def with_references(text: str) -> WriteUp:
    """Return a Markdown text with the bibliography entries that it cites."""
    entries = bibliography()
    keys = dict.fromkeys(re.findall(r"@(\w+)", " ".join(re.findall(r"\[(@[^]]+)\]", text))))
    bibtex = "\n\n".join(entries[key] for key in keys) + "\n"
    return WriteUp(f"---\nbibliography: references.bib\n---\n\n{text.rstrip()}\n", bibtex)


def bibliography() -> dict[str, str]:
    """Return the bibliography entries by citation key."""
    entries = (files(__package__) / "references.bib").read_text("utf-8").strip().split("\n\n")
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in entries}


def _values(analysis: Analysis) -> dict[str, Any]:
    """Return the variables of the template."""
    table, settings = analysis.table, analysis.settings
    *others, lead = analysis.results.values()
    words, rows = table.drop_duplicates("protected_word"), leading_rows(analysis)
    groups = words["protected_group"].value_counts(sort=False)
    kinds = table["connection"].astype(str).replace("different", "associated")
    n_words = table.groupby(kinds, sort=False)["attribute"].nunique()
    counts = [f"{n_words[name]:,} {name}" for name in MEANINGS if name in n_words]
    lead_table, nulls = headline(analysis).table, [match for match in LISTS if match in rows]
    meaning, differing = contrast_meaning(analysis, rows), meanings(analysis, rows)
    return {
        **{"analysis": analysis, "table": table, "settings": settings, "words": words},
        **{"wordlist": analysis.wordlist, "lead": lead, "others": others, "meaning": meaning},
        **{"found": dict(lead["diagnostics"].itertuples(index=False, name=None))},
        **{"counted": counted, "joined": joined, "priors_of": _priors, "formula": _formula},
        **{"of_models": OF_MODELS, "version": version("bayesbias")},
        "cite": lambda keys: Raw(f" [{'; '.join(f'@{key}' for key in keys)}]" if keys else ""),
        "number": lambda value, digits=0: f"{value:,.{digits}f}",
        "of_embedding": OF_EMBEDDINGS.get(settings.embedding, ()),
        "embedding": UNNAMED if settings.embedding == GIVEN else settings.embedding,
        "pair": " − ".join(leading_pair(table)),
        "groups": joined(f"{size} of {in_words(str(of))}" for of, size in groups.items()),
        "kinds": joined(counts).replace("associated", "stereotypes"),
        "total": wording.own_entries(analysis),
        "ci": probability_name(settings.ci_prob),
        "kind": {"hdi": "highest-density", "eti": "equal-tailed"}[settings.ci_kind],
        "headline": lead_table,
        "thin": THIN_MEANING if len(analysis.thin) else "",
        "beyond": [f"{percent(rows[match][0])} of lists of {LISTS[match]}" for match in nulls],
        "results": [
            *differing,
            *_baseline(analysis),
            wording.few_attributes(analysis),
            *wording.unmeasured(analysis),
            *(
                [f"The sampler warned: {'; '.join(map(str, lead.warnings))}."]
                if lead.warnings
                else []
            ),
        ],
        "fit": [
            wording.coverage_sentence(lead, settings.ci_prob),
            wording.sensitivity_sentence(lead),
            *filter(None, [wording.comparison_sentence(analysis.comparison)]),
        ],
    }


def _baseline(analysis: Analysis) -> Iterator[str]:
    """Yield sentences on the contrasts relative to baseline words, if a list has some."""
    rows = analysis.baseline.to_dict("records")
    for name, words in analysis.wordlist.baseline.items() if rows else ():
        own = [row for row in rows if row["estimand"] == f"within, less {name}"]
        yield (
            f"We also fitted each group alone with the baseline words {name} ({', '.join(words)}). "
            "Relative to these words, the difference own stereotypes − others was "
            f"{joined(f'{placed(row)} for {row["protected_group"]}' for row in own)}."
        )


def _formula(result: ModelResult, *, sigma_only: bool = False) -> Raw:
    """Write the likelihood of a model, or its residual standard deviation."""
    spec = result.spec
    sigma = "".join([r"\sigma", *(f"_{INDICES[name]}" for name in spec.sigma_dims)])
    if sigma_only:
        return Raw(sigma)
    means = [] if spec.around_means else [r"\mu_c"]
    for term in spec.terms:
        indices = ",".join(INDICES[name] for name in (term.of, term.by) if name in INDICES)
        means.append(rf"\mathrm{{{term.name.replace('_', chr(92) + ' ')}}}_{{{indices}}}")
    student = spec.likelihood == "student_t"
    family = r"\mathrm{StudentT}(\nu, " if student else r"\mathrm{Normal}("
    return Raw(rf"y_i \sim {family}{' + '.join(means)}, {sigma})")


def _priors(result: ModelResult) -> Iterator[tuple[str, str, str]]:
    """Yield parameter names with their prior and its reason; equal priors appear once."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name, prior in result.spec.priors.items():
        family = "LKJ" if prior.family == "lkj" else prior.family.capitalize().replace("_", "-")
        inside = ", ".join(f"{key} {value:g}" for key, value in prior.parameters.items())
        reason = prior.reason.removeprefix("the same prior as in paper: ").replace("_", " ")
        key = f"{family}({inside})", reason
        groups.setdefault(key, []).append(name.replace("_", " ").replace("sigma", "residual sd"))
    for (prior_text, reason), names in groups.items():
        yield joined(names), prior_text, reason
