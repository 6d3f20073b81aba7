"""A methods and a results paragraph made of a run, as Markdown and LaTeX, with a bibliography."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from ..tables.descriptives import leading_pair
from ..tables.levels import OVERALL, WORD, at_level
from ..tables.schema import THIN_MARK
from .headline import headline_rows, leading_contrast, place_sentences
from .numbers import Row, counted, joined, number, probability, probability_name
from .wording import (
    ALL_GROUPS,
    THIN_MEANING,
    closeness_sentence,
    coverage_sentence,
    few_attributes,
    own_entries,
    sets_in_words,
    settled,
    unmeasured,
    with_own,
)
from .writer import escaped, table_lines

if TYPE_CHECKING:
    from ..workflows.results import ModelResult
    from ..workflows.wordlist import Analysis

NAMES = {"markdown": "write-up.md", "latex": "write-up.tex", "bibtex": "references.bib"}
"""Files of a write-up by its parts."""

OF_MODELS = {
    "maximal": ("barr2013", "baayen2008"),
    "maximal-topics": ("barr2013", "baayen2008"),
    "crossed": ("baayen2008",),
    "robust": ("baayen2008",),
    "paper": ("dobrzeniecka2024",),
    "paper-figures": ("dobrzeniecka2024",),
}
"""What the bundled models come from; a model of one's own is described by its reference."""

OF_EMBEDDINGS = dict.fromkeys(
    ("glove-demo", *(f"glove-wiki-gigaword-{size}" for size in (50, 100, 200, 300))),
    ("pennington2014",),
)
"""What embeddings that are known by name come from."""

INDICES = {
    "connection": "c",
    "protected_word": "w",
    "protected_group": "g",
    "attribute": "a",
    "attribute_kind": "k",
    "attribute_set": "s",
    "context": "m",
}
"""Indices of the formula, by the column that they stand for."""

PARAMETERS = {"sigma": "residual sd", "nu": "degrees of freedom"}
"""What parameters are called that are known by a letter."""

_LATEX = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "<": "$<$",
    ">": "$>$",
    "–": "--",
    "†": r"\dag{}",
}
"""How letters are written that mean something to LaTeX, or are not in its fonts."""


class Cite(tuple[str, ...]):
    """Keys of what a sentence refers to, in the bibliography."""


class Formula(str):
    """A formula as LaTeX writes it."""

    __slots__ = ()


type Part = str | Cite
type Sentence = Iterable[Part]


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
    sections = {"Methods": methods(analysis), "Results": results(analysis)}
    cited = [part for each in sections.values() for part in each if isinstance(part, Cite)]
    keys = list(dict.fromkeys(key for cite in cited for key in cite))
    heads, rows = _table(analysis)
    thin = THIN_MEANING if len(analysis.thin) else ""
    text, tex = [], []
    for title, parts in sections.items():
        text += [f"## {title}", "", "".join(map(_in_markdown, parts)).strip(), ""]
        tex += [rf"\section*{{{title}}}", "", "".join(map(_in_latex, parts)).strip(), ""]
    text += [*table_lines(heads, [False, *[True] * (len(heads) - 1)], rows), ""]
    text += [*([thin, ""] if thin else []), "## References", ""]
    text += [f"- {_reference(_entries()[key])}" for key in keys]
    head, *body = (" & ".join(map(_in_latex, cells)) + r" \\" for cells in [heads, *rows])
    tex += [r"\begin{tabular}{lrrr}", r"\hline", head, r"\hline", *body, r"\hline"]
    tex += [r"\end{tabular}", *([r"\par\smallskip", _in_latex(thin)] if thin else [])]
    entries = "\n\n".join(_entries()[key] for key in keys)
    return WriteUp("\n".join(text) + "\n", "\n".join(tex) + "\n", entries + "\n")


def _table(analysis: Analysis) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of the contrast that leads, overall and by group."""
    ci = probability_name(analysis.settings.ci_prob)
    contrast = " − ".join(leading_pair(analysis.table))
    rows = []
    for row in headline_rows(leading_contrast(analysis)).to_dict("records"):
        name = str(row["protected_group"]) or ALL_GROUPS
        interval = f"{number(row['low'])} to {number(row['high'])}"
        name += f" {THIN_MARK}" if row["thin"] else ""
        rows.append([name, number(row["mean"]), interval, probability(row["p_direction"])])
    return ["group", contrast, f"{ci} interval", "probability of direction"], rows


def _in_markdown(part: Part) -> str:
    if isinstance(part, Cite):
        return f" [{'; '.join(f'@{key}' for key in part)}]" if part else ""
    if isinstance(part, Formula):
        return f"${part}$"
    edges = part[: len(part) - len(part.lstrip())], part[len(part.rstrip()) :]
    return escaped(part).join(edges) if part.strip() else part


def _in_latex(part: Part) -> str:
    if isinstance(part, Cite):
        return rf" \citep{{{','.join(part)}}}" if part else ""
    if isinstance(part, Formula):
        return f"${part}$"
    return "".join(_LATEX.get(letter, letter) for letter in part)


@cache
def _entries() -> dict[str, str]:
    """Return the entries of the bibliography by their keys."""
    text = (files(__package__) / "references.bib").read_text(encoding="utf-8")
    return {
        entry[entry.index("{") + 1 : entry.index(",")]: entry
        for entry in text.strip().split("\n\n")
    }


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


def methods(analysis: Analysis) -> list[Part]:
    """Word what was measured, the models with their priors, and how they were sampled."""
    *others, lead = analysis.results.values()
    return [
        *_data(analysis),
        f"The distances were modeled with the hierarchical Bayesian model “{lead.spec.name}”",
        *_formula(lead),
        ", where ",
        Formula("y_i"),
        " is a distance",
        *_indices(_columns(lead)),
        *([] if lead.spec.around_means else [", ", Formula(r"\mu_c"), " the mean of a connection"]),
        " and ",
        Formula(_sigma(lead)),
        " a residual standard deviation. Effects are Normal with standard deviations of their "
        f"own: {_effects(lead)}. ",
        *_priors(lead),
        *(part for other in others for part in _other(other, lead)),
        *_sampling(analysis),
        *_reading(analysis),
    ]


def _data(analysis: Analysis) -> Iterator[Part]:
    table, settings, wordlist = analysis.table, analysis.settings, analysis.wordlist
    words = table.drop_duplicates("protected_word")
    groups = words["protected_group"].value_counts(sort=False)
    of_kind = table.groupby("connection", observed=True)["attribute"].unique()
    own = {word for name in ("associated", "different") for word in of_kind.get(name, ())}
    kinds = [counted(len(own), "stereotype")]
    kinds += [f"{len(of_kind[n]):,} {n}" for n in ("neutral", "human", "matched") if n in of_kind]
    yield f"We measured cosine distances (1 − cosine) in the embedding {settings.embedding}"
    yield Cite(OF_EMBEDDINGS.get(settings.embedding, ()))
    yield (
        f": {len(table):,} distances between {counted(len(words), 'protected word')} "
        f"({joined(f'{size} of {group}' for group, size in groups.items())}) and "
        f"{counted(table['attribute'].nunique(), 'attribute word')} ({joined(kinds)}). "
    )
    if settings.templates:
        n = table["context"].nunique()
        yield f"Words were read in {n} sentences of the set {settings.templates}. "
    source = f", after {wordlist.reference.rstrip('.')}" if wordlist.reference else ""
    yield f"The words are those of the list “{wordlist.name}”{source}. "
    lost, total = len(analysis.missing), own_entries(analysis)
    left_out = (
        f"The embedding lacked {lost:,} of the list’s {total:,} entries, which were left out. "
    )
    yield left_out if lost else f"The embedding had all {total:,} entries of the list. "
    sizes = table["connection"].astype(str).value_counts()
    own_rows, others = (f"{sizes.get(each, 0):,}" for each in ("associated", "different"))
    yield (
        f"Of the distances, {own_rows} are to stereotypes of the word’s own group (associated) and "
        f"{others} to stereotypes of other groups (different). "
    )


def _formula(result: ModelResult) -> list[Part]:
    """Write where a model comes from, and its likelihood."""
    spec = result.spec
    means = [] if spec.around_means else [r"\mu_c"]
    for term in spec.summed_terms:
        indices = ",".join(INDICES[each] for each in (term.of, term.by) if each in INDICES)
        means.append(rf"\mathrm{{{term.name.replace('_', chr(92) + ' ')}}}_{{{indices}}}")
    inside = f"{' + '.join(means)}, {_sigma(result)}"
    student = spec.likelihood == "student_t"
    family = rf"\mathrm{{StudentT}}(\nu, {inside})" if student else rf"\mathrm{{Normal}}({inside})"
    keys = Cite(OF_MODELS.get(spec.name, ()))
    reference = f" ({spec.reference.rstrip('.')})" if spec.reference and not keys else ""
    return [keys, f"{reference}, ", Formula(rf"y_i \sim {family}")]


def _sigma(result: ModelResult) -> str:
    return "".join([r"\sigma", *(f"_{INDICES[each]}" for each in result.spec.sigma_dims)])


def _columns(result: ModelResult) -> set[str]:
    """Return the columns of a table that a model's formula has indices of."""
    columns = {each for term in result.spec.terms for each in (term.of, term.by) if each}
    return {"connection", "protected_word"} | columns


def _indices(columns: set[str]) -> Iterator[Part]:
    """Write what the indices of some columns stand for."""
    for column in (name for name in INDICES if name in columns):
        article = "an" if column.startswith("attribute") else "a"
        yield from (", ", Formula(INDICES[column]), f" {article} {column.replace('_', ' ')}")


def _effects(result: ModelResult) -> str:
    return "; ".join(term.in_words for term in result.spec.terms).replace("_", " ")


def _other(result: ModelResult, lead: ModelResult) -> Iterator[Part]:
    """Introduce a model that the lead is compared with."""
    yield f"For comparison we fitted the model “{result.spec.name}”"
    yield from _formula(result)
    yield from _indices(_columns(result) - _columns(lead))
    yield f", whose effects are: {_effects(result)}. "
    yield from _priors(result)


def _priors(result: ModelResult) -> Iterator[Part]:
    """Write every prior with its reason; equal ones once."""
    groups: dict[tuple[str, str], list[str]] = {}
    priors = result.spec.priors
    for name, prior in priors.items():
        reason = prior.reason.removeprefix("as for ")
        reason = priors[reason].reason if reason in priors else reason
        family = "LKJ" if prior.family == "lkj" else prior.family.capitalize().replace("_", "-")
        inside = ", ".join(f"{key} {value:g}" for key, value in prior.parameters.items())
        key = f"{family}({inside})", reason.removeprefix("paper: ")
        groups.setdefault(key, []).append(_named(name))
    yield "The priors were: "
    for place, ((written, reason), names) in enumerate(groups.items()):
        yield f"{'; ' if place else ''}{joined(names)} {written}"
        yield Cite(("lewandowski2009",) * written.startswith("LKJ"))
        yield f" ({reason.replace('_', ' ')})" if reason else ""
    yield ". "


def _sampling(analysis: Analysis) -> Iterator[Part]:
    attrs = analysis.posterior.attrs
    found = dict(analysis.lead.diagnostics.itertuples(index=False, name=None))
    kept = f"{found['chains'] * found['draws']:,.0f} draws were kept. "
    exact = "pareto_k" in found
    if exact:
        correlated = any(term.correlated for term in analysis.lead.spec.terms)
        yield (
            "All effects were integrated out analytically, and the standard deviations"
            f"{' and correlations' if correlated else ''} were drawn by importance sampling with "
            "Pareto-smoothed weights"
        )
        yield Cite(("vehtari2024",))
        yield (
            f" from {found['n_proposals']:,.0f} proposals (Pareto k {number(found['pareto_k'], 2)},"
            f" effective sample size {found['importance_ess']:,.0f}); {kept}"
        )
    else:
        yield f"The posterior was sampled by the No-U-Turn sampler ({attrs['method']})"
        yield Cite(("hoffman2014", "abrilpla2023"))
        yield (
            f" in {found['chains']:.0f} chains after {analysis.settings.tune:,} steps of tuning "
            f"each; {kept}The largest R-hat was {number(found['rhat'], 3)}, the smallest "
            f"effective sample sizes were {found['ess_bulk']:,.0f} (bulk) and "
            f"{found['ess_tail']:,.0f} (tail), and {found['divergences']:.0f} transitions diverged"
        )
        yield from (Cite(("vehtari2021",)), ". ")
    versions, engine = analysis.versions, "numpy" if exact else "pymc"
    yield f"We used bayesbias {versions['bayesbias']}"
    yield Cite(("bayesbias", "dobrzeniecka2024"))
    yield f", {engine} {versions[engine]} and the seed {attrs['seed']}. "


def _reading(analysis: Analysis) -> Iterator[Part]:
    first, second = leading_pair(analysis.table)
    settings, reference = analysis.settings, analysis.reference
    kind = {"hdi": "highest-density", "eti": "equal-tailed"}[settings.ci_kind]
    yield (
        f"We report posterior means with {probability_name(settings.ci_prob)} {kind} intervals of "
        f"the difference {first} − {second}; below zero, {first} attributes lie closer to the "
        f"protected words than {second} ones. "
    )
    if reference is not None:
        yield (
            f"The differences were compared with {reference.n_lists('frequency')} lists whose "
            f"stereotypes are any words of like frequency and {reference.n_lists('topics')} lists "
            f"about any topics, drawn from {reference.n_words:,} words of the embedding. "
        )
    if settings.matched and "matched" in analysis.wordlist.controls:
        yield f"For every stereotype, {settings.matched} words of like frequency were drawn."


def results(analysis: Analysis) -> list[Part]:
    """Word the contrasts, what they are compared with, and how far the model fits."""
    lead = analysis.lead
    few = f"Too few words are left of {sets_in_words(analysis.thin)}." if len(analysis.thin) else ""
    sentences = [
        *_contrasts(analysis),
        *(_plain(text) for text in place_sentences(analysis) if analysis.reference),
        _plain(closeness_sentence(analysis)),
        *_comparison(analysis),
        _plain(f"As to fit, {coverage_sentence(lead, analysis.settings.ci_prob)}"),
    ]
    doubts = [
        _plain(few_attributes(analysis)),
        *unmeasured(analysis),
        *([few] if few else []),
        *([f"The sampler warned: {'; '.join(lead.warnings)}."] if lead.warnings else []),
    ]
    parts: dict[str, list[str]] = {}
    leaning = lead.sensitivity[lead.sensitivity["diagnosis"] != ""]
    for row in leaning.to_dict("records"):
        parts.setdefault(_named(row["parameter"]), []).append(row["of"].replace(", ", "–"))
    names = [f"{name} ({', '.join(of)})" if any(of) else name for name, of in parts.items()]
    on = f"a noticeable influence of the priors on {joined(names)}" if names else ""
    return [
        f"{' '.join(sentences)} Power-scaling",
        Cite(("kallioinen2024",)),
        f" shows {on or 'no noticeable influence of the priors on any parameter'}. ",
        " ".join(doubts),
    ]


def _contrasts(analysis: Analysis) -> Iterator[str]:
    """Yield where the contrast that leads lies, and the word that is farthest from zero."""
    first, second = leading_pair(analysis.table)
    frame = leading_contrast(analysis)
    for row in headline_rows(frame).to_dict("records"):
        whole = row["level"] == OVERALL
        of = "Over all groups" if whole else f"For the group {row['protected_group']}"
        what = f"the difference {first} − {second} was" if whole else "it was"
        whose = "stereotypes of a word’s own group" if whole else "its own stereotypes"
        follows = f": {whose} lie {'closer' if row['mean'] < 0 else 'farther away'} than the others"
        if not settled(row):
            follows = (
                f"; the interval includes zero, so it is not settled whether {whose} lie closer or "
                "farther away than the others"
            )
        chance = f"probability of direction {probability(row['p_direction'])}"
        yield f"{of} {what} {number(row['mean'])} ({_to(row)}; {chance}){follows}."
    words = at_level(frame, WORD)
    if len(words) and set(analysis.table["protected_group"]) <= set(with_own(analysis)):
        top = words.iloc[int(words["mean"].abs().argmax())]
        yield (
            f"Of {counted(len(words), 'word')}, “{top['protected_word']}” was the farthest from "
            f"zero ({number(top['mean'])}, {_to(top)}, shrunk toward the others by the model); the "
            f"probability that it is indeed the farthest of all is {probability(top['p_most'])}."
        )


def _to(row: Row) -> str:
    return f"{number(row['low'])} to {number(row['high'])}"


def _comparison(analysis: Analysis) -> Iterator[str]:
    if analysis.comparison is None:
        return
    best, *others = analysis.comparison.to_dict("records")
    beaten = joined(
        f"{each['model']} by {number(-each['elpd_diff'], 1)} (standard error "
        f"{number(each['dse'], 1)})"
        for each in others
    )
    of = "attribute words" if best["left_out"] == "attribute" else "single distances"
    yield (
        f"In expected log predictive density for {of} left out, the model {best['model']} was "
        f"ahead of {beaten}."
    )


def _plain(text: str) -> str:
    """Write intervals and apostrophes as a paper does."""
    return re.sub(r"\+(?=\d)", "", text.replace(" … ", " to ").replace("'", "’"))


def _named(parameter: str) -> str:
    return PARAMETERS.get(parameter, parameter.replace("_", " "))
