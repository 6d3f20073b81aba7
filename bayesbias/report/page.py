"""A page: sections in one form, and the one function that renders them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import numbers, wording
from .figures import Figure
from .tables import Table

type Part = Table | Sequence[str] | Sequence[wording.Line] | wording.Headline | None


@dataclass(frozen=True)
class Section:
    """A title, and what the page's template shows below it by the macro called as the key."""

    key: str
    title: str
    figures: Sequence[Figure]
    parts: Mapping[str, Part]
    """Tables and sentences, by the names that the template knows them by."""


def section(key: str, title: str, figures: Sequence[Figure] = (), **parts: Part) -> Section:
    """Return a section of tables and sentences, given by name."""
    return Section(key, title, figures, parts)


@dataclass(frozen=True)
class Page:
    """All that stands on a page, but for the command and the versions."""

    template: str
    """Holds the page's head, and a macro for each section."""
    about: object
    """What the template's own sentences are about: an analysis, or a sweep."""
    sections: Sequence[Section]
    ci_prob: float
    doubts: Sequence[str] = ()
    """What the sampler warned of, if anything."""
    lead: str = ""
    """Model whose figures stand open."""
    contents: bool = True
    """Whether a table of contents stands beside the sections."""

    @property
    def figures(self) -> list[Figure]:
        """All figures, in the order of the sections."""
        return [figure for section in self.sections for figure in section.figures]


def render(page: Page, drawn: Mapping[str, str], command: str, versions: Mapping[str, str]) -> str:
    """Return a page as HTML without any reference to a network or another file.

    All texts of lists, models and tables are escaped. Figures that are not among those drawn are
    left out; the command is what makes the same results again.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    loader = PackageLoader("bayesbias", "report/templates")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = loader.get_source(environment, "page.css")[0]
    environment.globals |= {
        "page": page,
        "about": page.about,
        "ci": numbers.probability_name(page.ci_prob),
        "wording": wording,
        "numbers": numbers,
        "drawn": {name: Markup(svg) for name, svg in drawn.items()},
        "command": command,
        "versions": versions,
        "style": Markup(style),
    }
    return environment.get_template("old_page.html.j2").render()
