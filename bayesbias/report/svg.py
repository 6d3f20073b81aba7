"""SVG files of plots, made fit to stand in one HTML page together."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"

_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_UNWANTED = {f"{{{SVG}}}metadata", f"{{{SVG}}}style", f"{{{SVG}}}title"}


def inlined(path: Path, prefix: str, label: str) -> str:
    """Give an SVG file as an element of an HTML page.

    The file is read as XML and written anew, so that whatever it shows as text stays text. Its
    ids get a prefix, so that those of several figures do not collide, and so do the references
    to them. Its own size gives way to that of the page.

    Parameters
    ----------
    path : Path
    prefix : str
        Unlike that of any other figure of the page.
    label : str
        What a reader who cannot see the figure is told.
    """
    root = ET.parse(path).getroot()  # written by matplotlib a moment ago
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in _UNWANTED]:
            parent.remove(child)
    for element in root.iter():
        for key, value in element.attrib.items():
            element.set(key, _prefixed(key, value, prefix))
    width = root.attrib.pop("width", "").removesuffix("pt")
    root.attrib.pop("height", None)
    root.set("style", f"max-width:{width}pt")
    root.set("role", "img")
    root.set("aria-label", label)
    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    return ET.tostring(root, encoding="unicode")


def _prefixed(key: str, value: str, prefix: str) -> str:
    if key == "id":
        return f"{prefix}-{value}"
    if key in {"href", f"{{{XLINK}}}href"} and value.startswith("#"):
        return f"#{prefix}-{value[1:]}"
    return _REFERENCE.sub(rf"url(#{prefix}-\1)", value)
