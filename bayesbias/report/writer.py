"""The writer that turns pages of prose, tables, and figures into HTML and Markdown.

A page is a list of sections, and a section is a list of blocks. A block is a paragraph, a list of
`Line`, a `Table`, or a `Figure`. All texts are plain; the writer escapes them.
"""

from __future__ import annotations

import re
import tomllib
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..tables.schema import CONNECTIONS, THIN_MARK
from .numbers import COLUMNS, GRADED, borderline, ends, graded, plain_number, probability_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REPORT, MARKDOWN, PLOTS = "report.html", "report.md", "plots"
"""File names of a page, and the folder for its figures."""


@dataclass(frozen=True)
class Line:
    """A list item: its subject, its text, and an optional link."""

    of: str
    text: str
    link: str = ""

    def __str__(self) -> str:
        return f"{self.of}: {self.text}" if self.of else self.text


@dataclass(frozen=True)
class Table:
    """Rows of text under column heads; `numeric` marks right-aligned columns.

    A table that `leads` a page is never folded. On a narrow screen, its rows become blocks.
    """

    caption: str
    heads: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    leads: bool = False


@dataclass(frozen=True)
class Figure:
    """A plot: its file name, the function that draws it, and its caption (also the alt text)."""

    name: str
    draw: Callable[[], Axes]
    caption: str


type Block = str | Sequence[Line] | Table | Figure


@dataclass(frozen=True)
class Section:
    """A title with blocks below it; `key` is the anchor for links."""

    key: str
    title: str
    blocks: Sequence[Block]


def sections(*parts: tuple[str, str, Sequence[Block]]) -> list[Section]:
    """Make sections from keys, titles, and blocks; leave out empty blocks and sections."""
    whole = [
        Section(key, title, [one for one in blocks if getattr(one, "rows", one)])
        for key, title, blocks in parts
    ]
    return [section for section in whole if section.blocks]


@dataclass(frozen=True)
class Page:
    """A page; `doubts` are the sampler's warnings, and `facts` appear under "Provenance"."""

    kind: str
    title: str
    lede: str
    sections: Sequence[Section]
    facts: Sequence[Line] = ()
    doubts: Sequence[str] = ()


@cache
def _texts() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "templates/texts.toml").read_text("utf-8"))


def prose(key: str, **values: object) -> str:
    """Return a fixed paragraph with its values filled in."""
    return str(_texts()["prose"][key]).format(**values)


def lines(*keys: str, **values: object) -> list[Line]:
    """Return the items of fixed lists, such as ``limits.change``, with values filled in."""
    parts = (_texts()[kind][name] for kind, name in (key.split(".") for key in keys))
    items = (item for part in parts for item in part.items())
    return [Line(of.format(**values), text.format(**values)) for of, text in items]


def table(frame: pd.DataFrame, caption: str, *names: str) -> Table:
    """Make a table from all columns of a frame or from the named ones.

    Columns that the frame does not have are skipped. ``interval`` combines ``low`` and ``high``. If
    the frame's attrs have ``n_draws``, probabilities that more draws could change are marked; with
    ``rope``, so are intervals. Intervals in rows where ``thin`` is true get a ``THIN_MARK``. NaN
    becomes a dash. `numbers.COLUMNS` lists heads and formats. An empty table is not shown.
    """
    if frame.empty:
        return Table(caption, (), (), ())
    attrs: dict[Any, Any] = frame.attrs
    n_draws, rope = attrs.get("n_draws"), attrs.get("rope")
    writers = COLUMNS | {
        name: (of, partial(graded, n_draws=n_draws)) for name, of in GRADED.items()
    }
    if "interval" in names:
        texts = []
        for row in frame.to_dict("records"):
            edge = borderline(row, n_draws, rope) if n_draws and rope is not None else ""
            texts.append(f"{ends(row)}{edge}{f' {THIN_MARK}' if row.get('thin') else ''}")
        frame = frame.assign(interval=texts)
        writers["interval"] = (f"{probability_name(frame.attrs['ci_prob'])} interval", None)
    heads, numeric, columns = [], [], []
    for name in [name for name in names or map(str, frame) if name in frame]:
        head, write = writers.get(name, (name.replace("_", " "), None))
        heads.append(head)
        is_number = pd.api.types.is_numeric_dtype(frame[name]) and name not in GRADED
        numeric.append(is_number or name == "interval")
        columns.append([_cell(value, write or plain_number) for value in frame[name].tolist()])
    return Table(caption, tuple(heads), tuple(numeric), tuple(zip(*columns, strict=True)))


def _cell(value: Any, write: Callable[[Any], str]) -> str:  # noqa: ANN401
    if isinstance(value, str | bool):
        return str(value)
    return "–" if pd.isna(value) else write(value)


def write_page(
    page: Page, record: Mapping[str, Any], folder: Path, *, kinds: Sequence[str] = ()
) -> None:
    """Draw the figures of a page, and write it as HTML and as Markdown.

    The HTML includes the figures, which are also written as files of the given `kinds` (``png``,
    ``svg``). The page shows the ``command`` and the ``versions`` from the record, and lists the
    files in the folder. Invalid Unicode, which file names can contain, is escaped.
    """
    drawn = draw(page, folder / PLOTS, kinds)
    present = {path.name for path in folder.iterdir()}
    files = sorted({*present, MARKDOWN, "run.json"} - {REPORT})
    texts = {REPORT: html(page, record, drawn, files), MARKDOWN: markdown(page, record, kinds)}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")


def draw(page: Page, folder: Path, kinds: Sequence[str] = ()) -> dict[str, str]:
    """Draw a page's figures, write files of the given `kinds`, and return data URIs by name.

    A page shows figures as images, so nothing in a drawing can affect the page.
    """
    import matplotlib as mpl

    from .. import plots

    mpl.use("agg")  # opens no window
    drawn: dict[str, str] = {}
    blocks = (block for section in page.sections for block in section.blocks)
    with mpl.rc_context({"svg.fonttype": "none"}), TemporaryDirectory() as stage:
        for figure in (block for block in blocks if isinstance(block, Figure)):
            ending = "" if "png" in kinds else ".svg"
            paths = plots.save(figure.draw(), Path(stage) / f"{figure.name}{ending}")
            code = b64encode(paths[-1].read_bytes()).decode("ascii")
            drawn[figure.name] = f"data:image/svg+xml;base64,{code}"
            for path in paths:
                if path.suffix[1:] in kinds:
                    folder.mkdir(exist_ok=True)
                    copyfile(path, folder / path.name)
    return drawn


def html(
    page: Page, record: Mapping[str, Any], drawn: Mapping[str, str], files: Sequence[str] = ()
) -> str:
    """Return a page as HTML that works without a network connection or other files.

    Figures that are not in `drawn` are left out.
    """
    kept = {"record": record, "drawn": drawn, "files": files, "connections": CONNECTIONS}
    return render("page.html.j2", page=page, today=date.today().isoformat(), **kept)


def markdown(page: Page, record: Mapping[str, Any], kinds: Sequence[str] = ()) -> str:
    """Return a page as Markdown; figures become captions or links to files in ``plots``."""
    text = render("page.md.j2", page=page, record=record, ending=min(kinds, default=""))
    return re.sub(r"\n{3,}", "\n\n", text)


class Raw(str):
    """Text that is not escaped in Markdown: a formula or citation."""

    __slots__ = ()


def render(template: str, **values: object) -> str:
    """Fill an HTML or Markdown template; in Markdown, everything except `Raw` is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    is_html = ".html" in template
    environment = Environment(
        loader=PackageLoader("bayesbias", "report/templates"),
        autoescape=is_html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=is_html,
        finalize=None if is_html else lambda x: x if isinstance(x, Raw) else escaped(str(x)),
    )
    environment.filters["raw"] = Raw
    kinds = {str: "prose", Table: "table", Figure: "figure"}
    environment.globals["kind"] = lambda block: kinds.get(type(block), "lines")
    return environment.get_template(template).render(**values)


def escaped(text: str) -> str:
    """Escape a text so that Markdown shows it literally on one line, even in table cells."""
    return re.sub(r"([\\`*_\[\]<>$|])", r"\\\1", " ".join(text.split()))
