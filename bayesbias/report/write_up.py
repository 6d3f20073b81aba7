"""A methods and a results paragraph made of a run, as Markdown and LaTeX, with a bibliography."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import pandas as pd

from ..workflows.wordlist import Analysis
from .numbers import number, probability, probability_name
from .wording import ALL_GROUPS, headline_rows, marked
from .wording.distances import gap_pair, leading_contrast
from .wording.thin import MEANING
from .wording.write_up import Cite, Formula, Part, Sentence, methods, results
from .writer import escaped, table_row

NAMES = {"markdown": "write-up.md", "latex": "write-up.tex", "bibtex": "references.bib"}
"""Files of a write-up by its parts."""

_ENTRY = re.compile(r"^@\w+\{([^,]+),$", re.MULTILINE)

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
    parts = [part for sentences in sections.values() for each in sentences for part in each]
    keys = list(dict.fromkeys(k for part in parts if isinstance(part, Cite) for k in part.keys))
    heads, rows = _table(analysis)
    note = MEANING if len(analysis.thin) else ""
    return WriteUp(
        markdown=_markdown(sections, heads, rows, note, keys),
        latex=_latex(sections, heads, rows, note),
        bibtex="\n\n".join(_entries()[key] for key in keys) + "\n",
    )


def _table(analysis: Analysis) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of the contrast that leads, overall and by group."""
    ci = probability_name(analysis.settings.ci_prob)
    first, second = gap_pair(analysis)
    heads = ["group", f"{first} − {second}", f"{ci} interval", "probability of direction"]
    frame = headline_rows(leading_contrast(analysis))
    return heads, [_row(row) for _, row in frame.iterrows()]


def _row(row: pd.Series) -> list[str]:
    interval = f"{number(row['low'])} to {number(row['high'])}"
    name = str(row["protected_group"]) or ALL_GROUPS
    return [marked(name, row), number(row["mean"]), interval, probability(row["p_direction"])]


def _paragraph(sentences: Iterable[Sentence], write: Callable[[Part], str]) -> str:
    return " ".join("".join(map(write, sentence)) for sentence in sentences)


def _markdown(
    sections: dict[str, list[Sentence]],
    heads: list[str],
    rows: list[list[str]],
    note: str,
    keys: list[str],
) -> str:
    lines = []
    for title, sentences in sections.items():
        lines += [f"## {title}", "", _paragraph(sentences, _in_markdown), ""]
    lines += [table_row(heads), f"| --- |{' --: |' * (len(heads) - 1)}", *map(table_row, rows)]
    lines += ["", note] if note else []
    lines += ["", "## References", "", *(f"- {_reference(_entries()[key])}" for key in keys)]
    return "\n".join(lines) + "\n"


def _in_markdown(part: Part) -> str:
    if isinstance(part, Cite):
        return f"[{'; '.join(f'@{key}' for key in part.keys)}]"
    if isinstance(part, Formula):
        return f"${part.latex}$"
    return escaped(part)


def _latex(
    sections: dict[str, list[Sentence]], heads: list[str], rows: list[list[str]], note: str
) -> str:
    lines = []
    for title, sentences in sections.items():
        lines += [rf"\section*{{{title}}}", "", _paragraph(sentences, _in_latex), ""]
    body = [" & ".join(map(_in_latex, each)) + r" \\" for each in rows]
    head = " & ".join(map(_in_latex, heads)) + r" \\"
    rule = r"\hline"
    table = [r"\begin{tabular}{lrrr}", rule, head, rule, *body, rule, r"\end{tabular}"]
    below = [r"\par\smallskip", _in_latex(note)] if note else []
    return "\n".join([*lines, *table, *below]) + "\n"


def _in_latex(part: Part) -> str:
    if isinstance(part, Cite):
        return rf"\citep{{{','.join(part.keys)}}}"
    if isinstance(part, Formula):
        return f"${part.latex}$"
    return "".join(_LATEX.get(letter, letter) for letter in part)


@cache
def _entries() -> dict[str, str]:
    """Return the entries of the bibliography by their keys."""
    text = (files(__package__) / "references.bib").read_text(encoding="utf-8")
    return {
        match[1]: entry for entry in text.strip().split("\n\n") if (match := _ENTRY.match(entry))
    }


def _reference(entry: str) -> str:
    """Write an entry as a line: authors, year, title, place."""
    found = re.findall(r"^  (\w+) = \{(.*)\},$", entry, flags=re.MULTILINE)
    fields = {key: _unbraced(value) for key, value in found}
    place = fields.get("journal", fields.get("booktitle", ""))
    place += f" {fields['volume']}" if "volume" in fields else ""
    place += f"({fields['number']})" if "number" in fields else ""
    place += f", {fields['pages']}" if "pages" in fields else ""
    doi = f"https://doi.org/{fields['doi']}" if "doi" in fields else ""
    authors = fields["author"].replace(" and ", "; ")
    ends = [f"{part}." for part in (fields["title"], place) if part]
    return " ".join([f"{authors} ({fields['year']}).", *ends, doi]).strip()


def _unbraced(text: str) -> str:
    """Write a field of BibTeX as plain text."""
    plain = re.sub("[{}]", "", text).replace("--", "–")
    return unicodedata.normalize("NFC", re.sub(r'\\"(\w)', "\\1\N{COMBINING DIAERESIS}", plain))
