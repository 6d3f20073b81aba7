"""SVG files of plots, made fit to stand in one HTML page together."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

from ..plots.palette import BAND, COLOURS, FAINT, INK, LINE, MISS, QUIET, TINT

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"

NAMED = {"ink": INK, "quiet": QUIET, "axis": LINE, "faint": FAINT, "shade": TINT, "band": BAND}
NAMED |= {"miss": MISS, "sheet": "#ffffff", **COLOURS}

VARIABLES = {"#000000": "ink"} | {colour.lower(): name for name, colour in NAMED.items()}
"""Colours of the plots, and the variables of the page's style that stand for them.

The style gives every variable a value for light and one for dark.
"""

_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_UNWANTED = {f"{{{SVG}}}metadata", f"{{{SVG}}}style", f"{{{SVG}}}title"}


def inlined(path: Path, prefix: str, label: str) -> str:
    """Return an SVG file as an element of an HTML page, with a label for who cannot see it.

    The file is read as XML and written anew, so that whatever it shows as text stays text. Its
    ids, and the references to them, get the figure's own prefix. Its size gives way to that of the
    page, and its colours to the page's style.
    """
    root = ET.parse(path).getroot()  # written by matplotlib a moment ago
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in _UNWANTED]:
            parent.remove(child)
    for element in root.iter():
        for key, value in element.attrib.items():
            element.set(key, _for_the_page(key, value, prefix))
    width = root.attrib.pop("width", "").removesuffix("pt")
    root.attrib.pop("height", None)
    root.attrib |= {"style": f"max-width:{width}pt", "role": "img", "aria-label": label}
    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    return ET.tostring(root, encoding="unicode")


def _for_the_page(key: str, value: str, prefix: str) -> str:
    """Return an attribute with its id prefixed and its colours left to the page's style."""
    if key == "style":
        value = _COLOUR.sub(_variable, value)
    elif key == "id":
        return f"{prefix}-{value}"
    elif key in {"href", f"{{{XLINK}}}href"} and value.startswith("#"):
        return f"#{prefix}-{value[1:]}"
    return _REFERENCE.sub(rf"url(#{prefix}-\1)", value)


def _variable(found: re.Match[str]) -> str:
    name = VARIABLES.get(found[0].lower())
    return found[0] if name is None else f"var(--{name})"
