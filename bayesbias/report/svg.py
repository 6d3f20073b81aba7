"""Write SVG with small functions: elements, texts, paths, and two widths of each picture."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from html import escape as of_html
from importlib.resources import files

from .._core.display import shortened
from ..plots.layout import legible


@dataclass(frozen=True)
class Width:
    """A width of a picture in pixels: phones show the narrow one, and desks show the wide one."""

    name: str
    width: float
    left: float
    right: float

    @property
    def narrow(self) -> bool:
        """Whether this is the width for phones."""
        return self.name == "narrow"

    def scale(self, low: float, high: float) -> Callable[[float], float]:
        """Return the function from a value to its place between the margins."""
        room = self.width - self.left - self.right
        return lambda value: self.left + (value - low) / (high - low) * room


WIDE, NARROW = Width("wide", 740, 196, 124), Width("narrow", 372, 6, 8)


def escape(text: str) -> str:
    """Escape a text for SVG, and replace the characters that XML forbids."""
    return of_html(legible(text))


def short(value: float) -> str:
    """Write a coordinate with one decimal, or none if it is whole."""
    return f"{value:.1f}".removesuffix(".0")


def node(tag: str, *inside: str, **attributes: object) -> str:
    """Return an element; ``cls`` is its class, and numbers are rounded to one decimal."""
    texts = []
    for name, value in attributes.items():
        if value is None or value == "":
            continue
        text = short(value) if isinstance(value, float) else escape(str(value))
        key = {"cls": "class"}.get(name, name.replace("_", "-"))
        texts.append(f' {key}="{text}"')
    whole = "".join(texts)
    return f"<{tag}{whole}>{''.join(inside)}</{tag}>" if inside else f"<{tag}{whole}/>"


def text(what: str, x: float, y: float, cls: str = "", **attributes: object) -> str:
    """Return a text; classes ``r`` and ``c`` align its end or middle with `x`."""
    return node("text", escape(what), x=x, y=y, cls=cls, **attributes)


def label(
    word: str,
    most: int,
    x: float,
    y: float,
    cls: str = "",
    *,
    among: Collection[str] = (),
    **attributes: object,
) -> str:
    """Return a word as text of at most `most` letters; the tooltip of a shorter one is the word."""
    shown = shortened(word, most, among)
    whole = node("title", escape(word)) if shown != word else ""
    return node("text", whole, escape(shown), x=x, y=y, cls=cls, **attributes)


def rule(x1: float, y1: float, x2: float, y2: float, cls: str) -> str:
    """Return a straight line."""
    return node("path", d=f"M{short(x1)} {short(y1)}L{short(x2)} {short(y2)}", cls=cls)


def dots(places: Iterable[tuple[float, float]], radius: float, cls: str) -> str:
    """Return disks as one path of round dots, which is much shorter than circles."""
    path = "".join(f"M{short(x)} {short(y)}h0" for x, y in places)
    return node("path", d=path, cls=f"dot {cls}", stroke_width=f"{2 * radius:.1f}") if path else ""


def picture(body: Iterable[str], at: Width, height: float, label: str, **more: object) -> str:
    """Return an SVG of one width; `label` is its alternative text."""
    box = f"0 0 {short(at.width)} {short(height)}"
    whole: dict[str, object] = {"role": "img", "aria_label": label, **more}
    cls = f"{at.name} {whole.pop('cls', '')}".strip()
    return node("svg", *body, cls=cls, viewBox=box, preserveAspectRatio="xMinYMin", **whole)


def readable(
    body: Iterable[str],
    at: Width,
    height: float,
    label: str,
    *,
    places: Mapping[str, Iterable[float]],
    cls: str = "map",
) -> str:
    """Return an SVG that takes the focus, so that the pointer and arrow keys can read its cells.

    `places` are the lefts ``x`` and tops ``y`` of cells, and their width ``w`` and height ``h``.
    """
    rounded = {key: [round(value, 1) for value in values] for key, values in places.items()}
    more: dict[str, object] = {"cls": cls, "role": "application", "tabindex": 0}
    cursor = node("rect", cls="cur", width=0, height=0)
    return picture([*body, cursor], at, height, label, data_places=_json(rounded), **more)


def read_out(drawn: str, values: Mapping[str, object]) -> str:
    """Return `readable` pictures with the line that shows the values of a cell."""
    hint = (
        '<p class="out" aria-live="polite">Point at the picture, or press Tab and arrow keys.</p>'
    )
    return f'<div class="read" data-values="{escape(_json(values))}">{drawn}{hint}</div>'


def _json(values: object) -> str:
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False)


def asset(name: str) -> str:
    """Return a template, style sheet, or script."""
    return (files(__package__) / "templates" / name).read_text("utf-8")
