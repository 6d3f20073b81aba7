"""Cards: an answer in a notebook's cell, and as a picture of 1200 × 630 pixels to share."""

from __future__ import annotations

import textwrap
from base64 import b64encode
from html import escape

from .dots import drawing
from .page import asset
from .sentences import NOT_SHOWN, Answer, plain
from .svg import NARROW, WIDE, node, short, text

SIZE = 1200, 630
"""Width and height of shared cards, as social networks show them."""

FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"


def cell(answer: Answer) -> str:
    """Return the HTML of a notebook's cell, which keeps only inline styles and images."""
    words = "".join(
        escape(piece) if isinstance(piece, str) else f"<b>{escape(piece.text)}</b>"
        for piece in answer.sentence
    )
    alerts, image = "".join(f"<p><b>{escape(text)}</b></p>" for text in answer.alerts), ""
    if answer.picture:
        body, height = drawing(answer.picture, NARROW)
        code = b64encode(_alone(body, NARROW.width, height).encode()).decode()
        alt, source = escape(answer.picture.label), f"data:image/svg+xml;base64,{code}"
        image = f'<img alt="{alt}" style="width:100%;max-width:372px" src="{source}">'
    return (
        f'<div style="max-width:440px;font:14px/1.45 {FONT};border:1px solid #8886;'
        f'border-radius:4px;padding:10px 12px">{alerts}<div style="font-size:15px">{words}</div>'
        f'<div style="margin:4px 0">{escape(answer.deck)}</div>{image}'
        f'<div style="font-size:12px;opacity:.8">{escape(NOT_SHOWN)}</div></div>'
    )


def _alone(body: str, width: float, height: float) -> str:
    """Return an SVG that brings its own style sheet, for light and dark pages."""
    style = node("style", asset("picture.css"))
    box, space = f"0 0 {short(width)} {short(height)}", "http://www.w3.org/2000/svg"
    font = f"font-family:{FONT}"
    return node("svg", style, body, xmlns=space, viewBox=box, style=font)


def shared(answer: Answer, origin: str) -> str:
    """Return the SVG of a card to share; `origin` says where its numbers come from."""
    width, height = SIZE
    large, y = list[str](), 74.0
    for line in textwrap.wrap(plain(answer.sentence), 55):
        large.append(text(line, 48, y, style="font-size:31px;font-weight:700"))
        y += 40
    for line in textwrap.wrap(answer.deck, 94):
        large.append(text(line, 48, y, style="font-size:22px"))
        y += 32
    inside = ""
    if answer.picture:
        body, drawn = drawing(answer.picture, WIDE)
        place: dict[str, object] = {"x": 48, "y": y, "width": width - 96, "height": height - 66 - y}
        inside = node("svg", body, viewBox=f"0 0 740 {short(drawn)}", **place)
    foot = [text(NOT_SHOWN, 48, height - 40, style="font-size:20px")]
    foot.append(text(origin, 48, height - 16, "s", style="font-size:16px"))
    ground = node("rect", width=width, height=height, style="fill:var(--bg)")
    return _alone("".join([ground, *large, inside, *foot]), width, height)
