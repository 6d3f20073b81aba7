"""The one writer of pages: sections of prose, tables and figures, as HTML and as Markdown.

A page is a list of sections, and a section a list of blocks: a paragraph, a list of `Line`, a
`Table` or a `Figure`. All texts are plain; the writer escapes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from .. import plots
from ..tables.schema import CONNECTIONS
from .numbers import COLUMNS, ends, number, plain_number, probability_name, signed, signed_end
from .svg import inlined

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.axes import Axes

REPORT, MARKDOWN, PLOTS = "report.html", "report.md", "plots"
"""What a page is written to, and the folder of its figures."""

MOST_OPEN = 8
"""Rows of a table that stands open; one with more is folded."""

MAY_BE_WRONG = (
    "The sampler warned. Until its warnings are resolved, intervals and probabilities below may be "
    "wrong."
)


@dataclass(frozen=True)
class Line:
    """An item of a list: what it is about, the text, and a page that it leads to."""

    of: str
    text: str
    link: str = ""

    def __str__(self) -> str:
        return f"{self.of}: {self.text}" if self.of else self.text


@dataclass(frozen=True)
class Table:
    """Texts in rows under heads; `numeric` marks columns that are aligned to the right."""

    caption: str
    heads: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Figure:
    """A plot: the name of its files, what draws it, its caption, and what it shows in words."""

    name: str
    draw: Callable[[], Axes | tuple[Axes, Axes]]
    caption: str
    label: str


type Block = str | Sequence[Line] | Table | Figure


@dataclass(frozen=True)
class Section:
    """A title with blocks below it; `key` is what links lead to."""

    key: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Page:
    """A page: `doubts` are the sampler's warnings, `facts` stand under "Provenance"."""

    kind: str
    title: str
    lede: str
    sections: Sequence[Section]
    facts: Sequence[Line] = ()
    doubts: Sequence[str] = ()


def table(
    frame: pd.DataFrame,
    caption: str,
    *names: str,
    ci_prob: float = 0.89,
    sign: bool = False,
    marked: str = "",
) -> Table:
    """Make a table of columns of a frame.

    Parameters
    ----------
    frame : DataFrame
    caption : str
    *names : str
        Columns, by default all. ``interval`` stands for ``low`` and ``high``; names that the frame
        lacks are left out.
    ci_prob : float
        Probability of the intervals.
    sign : bool
        Whether means and intervals are differences, which carry their sign.
    marked : str
        Mark of intervals of the rows whose ``thin`` is true.

    Returns
    -------
    Table
        NaN is a dash. Heads and the way that numbers are written are those of `numbers.COLUMNS`;
        other numbers get as many digits as they need.
    """
    if "interval" in names:
        marks = [f" {marked}" if thin else "" for thin in frame.get("thin", [False] * len(frame))]
        write = signed_end if sign else number
        texts = [ends(row, write) for _, row in frame.iterrows()]
        frame = frame.assign(
            interval=[text + mark for text, mark in zip(texts, marks, strict=True)]
        )
    names = tuple(name for name in names or map(str, frame) if name in frame)
    writers = {name: COLUMNS.get(name, (name.replace("_", " "), None)) for name in names}
    writers |= {"mean": ("mean", signed if sign else number)}
    writers |= {"interval": (f"{probability_name(ci_prob)} interval", str)}
    columns = [
        [_cell(value, writers[name][1] or plain_number) for value in frame[name].tolist()]
        for name in names
    ]
    numeric = [pd.api.types.is_numeric_dtype(frame[name]) or name == "interval" for name in names]
    heads = tuple(writers[name][0] for name in names)
    return Table(caption, heads, tuple(numeric), tuple(zip(*columns, strict=True)))


def _cell(value: Any, write: Callable[[Any], str]) -> str:  # noqa: ANN401
    if isinstance(value, str | bool):
        return str(value)
    return "–" if pd.isna(value) else write(value)


def write_page(
    page: Page,
    record: Mapping[str, Any],
    folder: Path,
    tell: Callable[[str], None] = lambda _: None,
    *,
    record_name: str = "run.json",
) -> None:
    """Draw the figures of a page, and write it as HTML and as Markdown.

    The page shows the ``command`` and the ``versions`` of the record, which is written last of all,
    and names the files that the folder holds. What is no Unicode, as odd file names may be, shows
    as an escape.
    """
    tell("drawing plots")
    drawn = draw(page, folder / PLOTS)
    tell("writing the report")
    there = {path.name for path in folder.iterdir() if path.is_file()}
    files = sorted({*there, MARKDOWN, record_name} - {REPORT})
    for name, text in (
        (REPORT, html(page, record, drawn, files)),
        (MARKDOWN, markdown(page, record)),
    ):
        (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")


def draw(page: Page, folder: Path) -> dict[str, str]:
    """Draw the figures of a page into PNG and SVG files; return each as SVG, by its name."""
    import matplotlib as mpl

    mpl.use("agg")  # no window, whatever the machine has
    drawn: dict[str, str] = {}
    figures = [
        block for each in page.sections for block in each.blocks if isinstance(block, Figure)
    ]
    if figures:
        folder.mkdir(exist_ok=True)
    with mpl.rc_context({"svg.fonttype": "none"}):  # text can be searched, copied and read aloud
        for figure in figures:
            made = figure.draw()
            axes = made[0] if isinstance(made, tuple) else made
            _, path = plots.save(axes, folder / figure.name)
            drawn[figure.name] = inlined(path, f"f{len(drawn)}", figure.label)
    return drawn


def html(
    page: Page, record: Mapping[str, Any], drawn: Mapping[str, str], files: Sequence[str] = ()
) -> str:
    """Write a page as HTML that needs neither a network nor another file.

    Figures that are not among those drawn are left out.
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
    style = Markup(loader.get_source(environment, "page.css")[0])
    figures: dict[str, Markup] = {name: Markup(svg) for name, svg in drawn.items()}
    return environment.get_template("page.html.j2").render(
        page=page,
        record=record,
        drawn=figures,
        files=files,
        style=style,
        kind=_kind,
        most_open=MOST_OPEN,
        may_be_wrong=MAY_BE_WRONG,
        connections=CONNECTIONS,
    )


def _kind(block: Block) -> str:
    """Name the kind of a block, for the template."""
    return {str: "prose", Table: "table", Figure: "figure"}.get(type(block), "lines")


def markdown(page: Page, record: Mapping[str, Any]) -> str:
    """Write a page as Markdown; figures are links to the files in ``plots``."""
    lines = [f"# {escaped(page.title)}", "", escaped(page.lede), ""]
    for doubt in page.doubts:
        lines += [f"**The sampler warned:** {escaped(doubt)}", ""]
    for section in page.sections:
        lines += [f"## {escaped(section.title)}", ""]
        for block in section.blocks:
            lines += [*_block(block), ""]
    return "\n".join([*lines, "## Made by", "", f"    {record['command']}", ""])


def _block(block: Block) -> Iterator[str]:
    match block:
        case str():
            yield escaped(block)
        case Table():
            yield from (f"**{escaped(block.caption)}**", "", table_row(block.heads))
            yield f"| {' | '.join('--:' if each else '---' for each in block.numeric)} |"
            yield from map(table_row, block.rows)
        case Figure():
            yield f"![{escaped(block.label)}]({PLOTS}/{block.name}.png)"
            yield from ("", escaped(block.caption))
        case _:
            for line in block:
                head = f"**{escaped(line.of)}**: " if line.of else ""
                yield f"- {head}{escaped(line.text)}"


def escaped(text: str) -> str:
    """Write a text so that Markdown shows it as it stands, in one line."""
    return re.sub(r"([\\`*_\[\]<>$])", r"\\\1", " ".join(text.split()))


def table_row(cells: Sequence[str]) -> str:
    """Write the cells of a row of a Markdown table."""
    return f"| {' | '.join(escaped(cell).replace('|', chr(92) + '|') for cell in cells)} |"
