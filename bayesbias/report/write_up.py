"""A methods and a results paragraph made of a run, as Markdown and LaTeX, with a bibliography."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..tables.descriptives import leading_pair
from ..tables.levels import OVERALL
from ..tables.schema import THIN_MARK
from . import wording
from .headline import NULLS, leading_rows, meanings
from .numbers import Row, counted, joined, number, percent, probability_name
from .wording import THIN_MEANING
from .writer import escaped, table_lines

if TYPE_CHECKING:
    import pandas as pd

    from ..workflows.results import ModelResult
    from ..workflows.wordlist import Analysis

NAMES = {"markdown": "write-up.md", "latex": "write-up.tex", "bibtex": "references.bib"}
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

_LATEX = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"−": "$-$", "<": "$<$", ">": "$>$", "–": "--", "†": r"\dag{}"},
}
"""How letters are written that mean something to LaTeX, or are not in its fonts."""


class Raw(str):
    """A text that is written as it stands: a formula or citation."""

    __slots__ = ()


@dataclass(frozen=True)
class WriteUp:
    r"""A methods paragraph, a results paragraph and a table; ``print`` shows the Markdown.

    Parameters
    ----------
    markdown, latex : str
        The text. Markdown has pandoc's citations and a list of references; LaTeX has ``\citep``
        of natbib, and is to be put into a document by ``\input``.
    bibtex : str
        The references.
    """

    markdown: str
    latex: str
    bibtex: str

    def __str__(self) -> str:
        return self.markdown

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return self.markdown


def write_up(analysis: Analysis) -> WriteUp:
    """Write the paragraphs of an analysis."""
    text, tex = (paragraphs(analysis, write) for write in (escaped, _latex))
    cites = re.findall(r"@(\w+)", " ".join(re.findall(r"\[(@\w+(?:; @\w+)*)\]", text)))
    keys = list(dict.fromkeys(cites))
    ci, pair = probability_name(analysis.settings.ci_prob), leading_pair(analysis.table)
    heads = ["group", " − ".join(pair), f"{ci} interval", "closer to their own"]
    rows = []
    for row in leading_rows(analysis).to_dict("records"):
        name = f"{row['of']}{f' {THIN_MARK}' if row['thin'] else ''}"
        rows.append([name, number(row["mean"]), _to(row), row["closer"]])
    thin = THIN_MEANING if len(analysis.thin) else ""
    lines = [text, *table_lines(heads, [False, True, True, True], rows), ""]
    lines += [*([thin, ""] if thin else []), "## References", ""]
    lines += [f"- {_reference(_entries()[key])}" for key in keys]
    tex = re.sub(
        r"\[(@\w+(?:; @\w+)*)\]",
        lambda m: rf"\citep{{{m[1].replace('@', '').replace('; ', ',')}}}",
        tex,
    )
    head, *body = (" & ".join(map(_latex, cells)) + r" \\" for cells in [heads, *rows])
    rest = [r"\begin{tabular}{lrrr}", r"\hline", head, r"\hline", *body, r"\hline"]
    rest += [r"\end{tabular}", *([r"\par\smallskip", _latex(thin)] if thin else [])]
    tex = re.sub(r"^## (.+)$", r"\\section*{\1}", tex.replace("−", "$-$"), flags=re.MULTILINE)
    bibtex = "\n\n".join(_entries()[key] for key in keys) + "\n"
    return WriteUp("\n".join(lines) + "\n", "\n".join([tex, *rest]) + "\n", bibtex)


def paragraphs(analysis: Analysis, write: Callable[[str], str]) -> str:
    """Fill the template, every value of it written by a function."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("bayesbias", "report/templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=lambda value: value if isinstance(value, Raw) else write(str(value)),
    )
    environment.filters["raw"] = Raw
    text = environment.get_template("write_up.md.j2").render(**_values(analysis))
    sections = re.split(r"\n{2,}", text.strip())
    return "\n\n".join(re.sub(r"\s*\n\s*", " ", each.strip()) for each in sections) + "\n"


def _latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)


def _values(analysis: Analysis) -> dict[str, Any]:
    """Return what the template names."""
    table, settings, wordlist = analysis.table, analysis.settings, analysis.wordlist
    *others, lead = analysis.results.values()
    words = table.drop_duplicates("protected_word")
    groups = words["protected_group"].value_counts(sort=False)
    of_kind = table.groupby("connection", observed=True)["attribute"].unique()
    stereotypes = {word for name in ("associated", "different") for word in of_kind.get(name, ())}
    kinds = [counted(len(stereotypes), "stereotype")]
    kinds += [f"{len(of_kind[n]):,} {n}" for n in ("neutral", "human", "matched") if n in of_kind]
    found = dict(lead.diagnostics.itertuples(index=False, name=None))
    first, second = leading_pair(table)
    thin, rows = analysis.thin, leading_rows(analysis)
    meaning, *differing = map(_plain, [*meanings(analysis, rows), ""])
    return {
        "embedding": UNNAMED if settings.embedding == GIVEN else settings.embedding,
        **{"table": table, "settings": settings, "wordlist": wordlist, "words": words},
        **{"lead": lead, "others": others, "found": found, "first": first, "second": second},
        **{"attrs": analysis.posterior.attrs, "versions": analysis.versions},
        **{"counted": counted, "joined": joined, "origin": _origin, "reference": _own_reference},
        **{"formula": _formula, "sigma": _sigma, "effects": _effects, "indices": _indices},
        **{"priors_of": _priors, "cite": _cite, "lost": len(analysis.missing)},
        "number": lambda value, digits=0: f"{value:,.{digits}f}",
        "of_embedding": OF_EMBEDDINGS.get(settings.embedding, ()),
        "groups": joined(f"{size} of {group}" for group, size in groups.items()),
        "kinds": joined(kinds),
        "total": wording.own_entries(analysis),
        "sizes": table["connection"]
        .astype(str)
        .value_counts()
        .reindex(["associated", "different"], fill_value=0),
        "correlated": any(term.correlated for term in lead.spec.terms),
        "engine": "numpy" if "pareto_k" in found else "pymc",
        "ci": probability_name(settings.ci_prob),
        "kind": {"hdi": "highest-density", "eti": "equal-tailed"}[settings.ci_kind],
        "reference_lists": analysis.reference,
        "places": [_place(row) for row in rows.to_dict("records")],
        "meaning": meaning,
        "results": [
            *_beyond(analysis, rows),
            *filter(None, differing),
            _plain(wording.closeness_sentence(analysis)),
            wording.few_attributes(analysis),
            *wording.unmeasured(analysis),
            *([f"Too few words are left of {wording.sets_in_words(thin)}."] if len(thin) else []),
            *([f"The sampler warned: {'; '.join(lead.warnings)}."] if lead.warnings else []),
        ],
        "comparison": _comparison(analysis),
        "coverage": _plain(wording.coverage_sentence(lead, settings.ci_prob)),
        "leaning": _leaning(lead.sensitivity),
    }


def _cite(keys: tuple[str, ...]) -> Raw:
    return Raw(f" [{'; '.join(f'@{key}' for key in keys)}]" if keys else "")


def _origin(result: ModelResult) -> tuple[str, ...]:
    return OF_MODELS.get(result.spec.name, ())


def _own_reference(result: ModelResult) -> str:
    reference = result.spec.reference.rstrip(".")
    return "" if _origin(result) else reference


def _formula(result: ModelResult) -> str:
    """Write the likelihood of a model."""
    spec = result.spec
    means = [] if spec.around_means else [r"\mu_c"]
    for term in spec.summed_terms:
        indices = ",".join(INDICES[each] for each in (term.of, term.by) if each in INDICES)
        means.append(rf"\mathrm{{{term.name.replace('_', chr(92) + ' ')}}}_{{{indices}}}")
    inside = f"{' + '.join(means)}, {_sigma(result)}"
    student = spec.likelihood == "student_t"
    family = rf"\mathrm{{StudentT}}(\nu, {inside})" if student else rf"\mathrm{{Normal}}({inside})"
    return rf"y_i \sim {family}"


def _sigma(result: ModelResult) -> str:
    return "".join([r"\sigma", *(f"_{INDICES[each]}" for each in result.spec.sigma_dims)])


def _indices(result: ModelResult, known: ModelResult | None = None) -> list[tuple[str, str]]:
    """Return the indices of a model's formula with what they stand for, without known ones."""
    of, *others = (
        {"connection", "protected_word", *(n for t in each.spec.terms for n in (t.of, t.by))}
        for each in (result, known)
        if each is not None
    )
    names = [n for n in INDICES if n in of.difference(*others)]
    articles = {True: "an", False: "a"}
    return [(INDICES[n], f"{articles[n[0] == 'a']} {n.replace('_', ' ')}") for n in names]


def _effects(result: ModelResult) -> str:
    return "; ".join(term.in_words for term in result.spec.terms).replace("_", " ")


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
        groups.setdefault(key, []).append(_named(name))
    for (prior_text, reason), names in groups.items():
        yield joined(names), prior_text, reason


def _place(row: Row) -> str:
    """Word where the contrast of all groups, or of one, lies, and how probably they are closer."""
    whose = "their" if row["level"] == OVERALL else "its"
    return (
        f"{number(row['mean'])} for {row['of']} ({_to(row)}; closer to {whose} own: "
        f"{row['closer']})"
    )


def _beyond(analysis: Analysis, rows: pd.DataFrame) -> list[str]:
    """Word which shares of reference lists lie less close than the contrast of all groups."""
    if analysis.reference is None:
        return []
    shares = [f"{percent(rows[match].iloc[0])} of lists of {NULLS[match]}" for match in NULLS]
    return [f"All groups together lie closer than {joined(shares)}."]


def _to(row: Row) -> str:
    return f"{number(row['low'])} to {number(row['high'])}"


def _comparison(analysis: Analysis) -> list[str]:
    if analysis.comparison is None:
        return []
    best, *others = analysis.comparison.to_dict("records")
    beaten = joined(
        f"{each['model']} by {number(-each['elpd_diff'], 1)} (standard error "
        f"{number(each['dse'], 1)})"
        for each in others
    )
    of = "attribute words" if best["left_out"] == "attribute" else "single distances"
    return [
        f"In expected log predictive density for {of} left out, the model {best['model']} was "
        f"ahead of {beaten}."
    ]


def _leaning(sensitivity: pd.DataFrame) -> str:
    parts: dict[str, list[str]] = {}
    for row in sensitivity[sensitivity["diagnosis"] != ""].to_dict("records"):
        parts.setdefault(_named(row["parameter"]), []).append(row["of"].replace(", ", "–"))
    names = [f"{name} ({', '.join(of)})" if any(of) else name for name, of in parts.items()]
    return f"a noticeable influence of the priors on {joined(names)}" if names else ""


def _plain(text: str) -> str:
    """Write intervals and apostrophes as a paper does."""
    return re.sub(r"\+(?=\d)", "", text.replace(" … ", " to ").replace("'", "’"))


def _named(parameter: str) -> str:
    known = {"sigma": "residual sd", "nu": "degrees of freedom"}
    return known.get(parameter, parameter.replace("_", " "))


@cache
def _entries() -> dict[str, str]:
    """Return the entries of the bibliography by their keys."""
    entries = (files(__package__) / "references.bib").read_text("utf-8").strip().split("\n\n")
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in entries}


def _reference(entry: str) -> str:
    """Write an entry as a line: authors, year, title, place."""
    fields = {
        key: re.sub("[{}]", "", re.sub(r'\\"(\w)', "\\1\N{COMBINING DIAERESIS}", value))
        for key, value in re.findall(r"^  (\w+) = \{(.*)\},$", entry, flags=re.MULTILINE)
    }
    place = fields.get("journal", fields.get("booktitle", ""))
    place += f" {fields['volume']}" if "volume" in fields else ""
    place += f"({fields['number']})" if "number" in fields else ""
    place += f", {fields['pages'].replace('--', '–')}" if "pages" in fields else ""
    doi = f"https://doi.org/{fields['doi']}" if "doi" in fields else ""
    authors = fields["author"].replace(" and ", "; ")
    ends = [f"{part}." for part in (fields["title"], place) if part]
    text = " ".join([f"{authors} ({fields['year']}).", *ends, doi]).strip()
    return unicodedata.normalize("NFC", text)
