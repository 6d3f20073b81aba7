"""A results and a methods paragraph made of a run, as pandoc's Markdown, with a bibliography."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..tables.descriptives import leading_pair
from ..tables.levels import OVERALL
from ..tables.schema import THIN_MARK
from . import wording
from .headline import NULLS, leading_rows, meanings
from .numbers import Row, counted, joined, number, percent, probability_name
from .wording import MEANINGS, THIN_MEANING
from .writer import escaped, table_lines

if TYPE_CHECKING:
    from ..workflows.results import ModelResult
    from ..workflows.wordlist import Analysis

NAMES = {"markdown": "write-up.md", "bibtex": "references.bib"}
"""Files of a write-up by its parts."""

GIVEN, UNNAMED = "the vectors given", "an embedding [name it: analyze(..., name=)]"
"""What an analysis calls vectors without a name, and what the paper writes for them."""

OF_MODELS = {
    **dict.fromkeys(("by-group", "maximal", "maximal-topics"), ("barr2013", "baayen2008")),
    **dict.fromkeys(("crossed", "robust"), ("baayen2008",)),
    **dict.fromkeys(("paper", "paper-figures"), ("dobrzeniecka2024",)),
}
"""What the bundled models come from; a model of one's own is described by its reference."""

OF_EMBEDDINGS = dict.fromkeys(
    ("glove-demo", *(f"glove-wiki-gigaword-{size}" for size in (50, 100, 200, 300))),
    ("pennington2014",),
)
"""What embeddings that are known by name come from."""

INDICES = {
    **{"connection": "c", "protected_word": "w", "protected_group": "g", "attribute": "a"},
    **{"attribute_kind": "k", "attribute_set": "s", "context": "m"},
}
"""Indices of the formula, by the column that they stand for."""


class Raw(str):
    """A text that is written as it stands: a formula or citation."""

    __slots__ = ()


@dataclass(frozen=True)
class WriteUp:
    """Results, methods and a table; ``print`` shows the Markdown.

    ``pandoc --citeproc write-up.md -o paper.pdf`` fills in the citations, and ``pandoc --natbib
    write-up.md -o write-up.tex`` makes LaTeX.

    Parameters
    ----------
    markdown : str
        The text, with pandoc's citations.
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
    """Write the paragraphs of an analysis."""
    text, entries = paragraphs(analysis), bibliography()
    keys = dict.fromkeys(re.findall(r"@(\w+)", " ".join(re.findall(r"\[(@[^]]+)\]", text))))
    ci, pair = probability_name(analysis.settings.ci_prob), leading_pair(analysis.table)
    heads = ["group", " − ".join(pair), f"{ci} interval", "closer to their own"]
    rows = []
    for row in leading_rows(analysis).to_dict("records"):
        name = f"{row['of']}{f' {THIN_MARK}' if row['thin'] else ''}"
        rows.append([name, number(row["mean"]), _to(row), row["closer"]])
    lines = [text, *table_lines(heads, [False, True, True, True], rows), ""]
    lines += [THIN_MEANING, ""] if len(analysis.thin) else []
    bibtex = "\n\n".join(entries[key] for key in keys) + "\n"
    head = "---\nbibliography: references.bib\n---\n\n"
    return WriteUp(head + "\n".join(lines), bibtex)


def bibliography() -> dict[str, str]:
    """Return the entries of the bibliography by their keys."""
    entries = (files(__package__) / "references.bib").read_text("utf-8").strip().split("\n\n")
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in entries}


def paragraphs(analysis: Analysis) -> str:
    """Fill the template; what is no formula or citation shows in Markdown as it stands."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("bayesbias", "report/templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=lambda value: value if isinstance(value, Raw) else escaped(str(value)),
    )
    environment.filters["raw"] = Raw
    text = environment.get_template("write_up.md.j2").render(**_values(analysis))
    sections = re.split(r"\n{2,}", text.strip())
    return "\n\n".join(" ".join(section.split()) for section in sections) + "\n"


def _values(analysis: Analysis) -> dict[str, Any]:
    """Return what the template names."""
    table, settings, compared = analysis.table, analysis.settings, analysis.comparison
    *others, lead = analysis.results.values()
    words, rows = table.drop_duplicates("protected_word"), leading_rows(analysis)
    groups = words["protected_group"].value_counts(sort=False)
    kinds = table["connection"].astype(str).replace("different", "associated")
    n_words = table.groupby(kinds, sort=False)["attribute"].nunique()
    counts = [f"{n_words[name]:,} {name}" for name in MEANINGS if name in n_words]
    meaning, *differing = map(_plain, [*meanings(analysis, rows), ""])
    return {
        **{"analysis": analysis, "table": table, "settings": settings, "words": words},
        **{"wordlist": analysis.wordlist, "lead": lead, "others": others, "meaning": meaning},
        **{"found": dict(lead.diagnostics.itertuples(index=False, name=None))},
        **{"counted": counted, "joined": joined, "cite": _cite, "priors_of": _priors},
        **{"formula": _formula, "sigma": _sigma, "of_models": OF_MODELS},
        "number": lambda value, digits=0: f"{value:,.{digits}f}",
        "of_embedding": OF_EMBEDDINGS.get(settings.embedding, ()),
        "embedding": UNNAMED if settings.embedding == GIVEN else settings.embedding,
        "pair": " − ".join(leading_pair(table)),
        "groups": joined(f"{size} of {group}" for group, size in groups.items()),
        "kinds": joined(counts).replace("associated", "stereotypes"),
        "total": wording.own_entries(analysis),
        "ci": probability_name(settings.ci_prob),
        "kind": {"hdi": "highest-density", "eti": "equal-tailed"}[settings.ci_kind],
        "places": [_place(row) for row in rows.to_dict("records")],
        "results": [
            *_beyond(analysis, rows.iloc[0]),
            *filter(None, differing),
            _plain(wording.closeness_sentence(analysis)),
            wording.few_attributes(analysis),
            *wording.unmeasured(analysis),
            *([f"The sampler warned: {'; '.join(lead.warnings)}."] if lead.warnings else []),
        ],
        "fit": [
            _plain(wording.coverage_sentence(lead, settings.ci_prob)),
            wording.sensitivity_sentence(lead),
            *([] if compared is None else [wording.comparison_sentence(compared)]),
        ],
    }


def _cite(keys: tuple[str, ...]) -> Raw:
    return Raw(f" [{'; '.join(f'@{key}' for key in keys)}]" if keys else "")


def _formula(result: ModelResult) -> str:
    """Write the likelihood of a model."""
    spec = result.spec
    means = [] if spec.around_means else [r"\mu_c"]
    for term in spec.summed_terms:
        indices = ",".join(INDICES[name] for name in (term.of, term.by) if name in INDICES)
        means.append(rf"\mathrm{{{term.name.replace('_', chr(92) + ' ')}}}_{{{indices}}}")
    inside = f"{' + '.join(means)}, {_sigma(result)}"
    student = spec.likelihood == "student_t"
    family = rf"\mathrm{{StudentT}}(\nu, {inside})" if student else rf"\mathrm{{Normal}}({inside})"
    return rf"y_i \sim {family}"


def _sigma(result: ModelResult) -> str:
    return "".join([r"\sigma", *(f"_{INDICES[name]}" for name in result.spec.sigma_dims)])


def _priors(result: ModelResult) -> Iterator[tuple[str, str, str]]:
    """Yield the names of parameters, their prior and its reason; equal priors once."""
    groups: dict[tuple[str, str], list[str]] = {}
    priors = result.spec.priors
    for name, prior in priors.items():
        reason = prior.reason.removeprefix("as for ")
        reason = priors[reason].reason if reason in priors else reason
        family = "LKJ" if prior.family == "lkj" else prior.family.capitalize().replace("_", "-")
        inside = ", ".join(f"{key} {value:g}" for key, value in prior.parameters.items())
        key = f"{family}({inside})", reason.removeprefix("paper: ").replace("_", " ")
        groups.setdefault(key, []).append(name.replace("_", " ").replace("sigma", "residual sd"))
    for (prior_text, reason), names in groups.items():
        yield joined(names), prior_text, reason


def _place(row: Row) -> str:
    """Word where the contrast of all groups, or of one, lies, and how probably they are closer."""
    whose = "their" if row["level"] == OVERALL else "its"
    return (
        f"{number(row['mean'])} for {row['of']} ({_to(row)}; closer to {whose} own: "
        f"{row['closer']})"
    )


def _beyond(analysis: Analysis, row: Row) -> list[str]:
    """Word which shares of reference lists lie less close than the contrast of all groups."""
    if analysis.reference is None:
        return []
    shares = joined(f"{percent(row[match])} of lists of {NULLS[match]}" for match in NULLS)
    return [f"All groups together lie closer than {shares}."]


def _to(row: Row) -> str:
    return f"{number(row['low'])} to {number(row['high'])}{row['edge']}"


def _plain(text: str) -> str:
    """Write intervals and apostrophes as a paper does."""
    return re.sub(r"\+(?=\d)", "", text.replace(" … ", " to ").replace("'", "’"))
