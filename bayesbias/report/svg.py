"""SVG files of plots, changed so that several can stand in one HTML page."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"

_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_UNWANTED = {f"{{{SVG}}}metadata", f"{{{SVG}}}style", f"{{{SVG}}}title"}


def inlined(path: Path, prefix: str, label: str) -> str:
    """Return an SVG file as an element of an HTML page, with a label for screen readers.

    The file is parsed as XML and written again, so that whatever it shows as text stays text. Its
    ids, and the references to them, get the figure's own prefix, and its size gives way to that of
    the page.
    """
    root = ET.parse(path).getroot()  # written by matplotlib a moment ago
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in _UNWANTED]:
            parent.remove(child)
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "id":
                element.set(key, f"{prefix}-{value}")
            elif key in {"href", f"{{{XLINK}}}href"} and value.startswith("#"):
                element.set(key, f"#{prefix}-{value[1:]}")
            else:
                element.set(key, _REFERENCE.sub(rf"url(#{prefix}-\1)", value))
    width = root.attrib.pop("width", "").removesuffix("pt")
    root.attrib.pop("height", None)
    root.attrib |= {"style": f"max-width:{width}pt", "role": "img", "aria-label": label}
    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    return ET.tostring(root, encoding="unicode")
