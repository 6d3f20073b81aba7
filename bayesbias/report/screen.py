"""The answer in a terminal (at most 14 lines of 80 columns), in a notebook, and on a card."""

from __future__ import annotations

import textwrap
from base64 import b64encode
from collections.abc import Sequence
from html import escape

from .._core.display import visible, wrapped
from .dots import Axis, DotPicture, Mark, Ticks, axis_for, drawing
from .numbers import digits_for, number
from .sentences import NOT_SHOWN, Answer, plain
from .svg import NARROW, WIDE, asset, node, short, text

COLUMNS, LABEL, BAR, MOST_LINES = 80, 28, 27, 14

SCREEN = Axis(-0.14, 0.28, (-0.1, 0.0, 0.1, 0.2))
"""The axis of terminals, which have less room than pages."""


def screen_text(answer: Answer) -> str:
    """Return the answer; rows of the ruler are left out if there is no room for them."""
    from rich.cells import cell_len

    sentence, plan = plain(answer.sentence, capitals=True), answer.picture
    head = [line for text in (*answer.alerts, sentence) for line in _wrapped(text)]
    notes = [line for note in (*answer.notes, NOT_SHOWN) for line in _wrapped(note)]
    if plan is None:
        return "\n".join([*head, *_wrapped(answer.deck), *notes])
    room = MOST_LINES - 3 - len(head) - len(notes) - len(plan.rows)
    axis, of_distances = plan.axis, plan.axis.zero == 0
    if of_distances:
        axis = axis_for([end for row in plan.rows for end in row.ends], SCREEN)
    digits = max(3, digits_for(*(end for row in plan.rows for end in row.ends[1:])))
    lines = [("", _sides(plan, axis))]
    for row in plan.rows:
        mean, interval = row.right
        if of_distances:
            mean, low, high = (number(end, digits) for end in row.ends)
            interval = f"({low} … {high})"
        lines.append((row.label, _right(_bar(axis, *row.ends), mean, interval)))
    lines += [
        (mark.label, _of_ruler(axis, mark, digits, plan.digits))
        for mark in _marks(plan.ruler, max(room, 0))
    ]
    lines.append(("", _axis_line(axis)))
    space = min(LABEL, COLUMNS - max(cell_len(right) for _, right in lines)) - 1
    body = [f"{_cut(label, space)} {right}".rstrip() for label, right in lines]
    return "\n".join([*head, *body, *notes])


def _marks(marks: Sequence[Mark | Ticks], room: int) -> list[Mark | Ticks]:
    """Return the rows of the ruler that fit: ticks, then the last marks or the second."""
    ticks = [mark for mark in marks if isinstance(mark, Ticks)]
    others = [mark for mark in marks if isinstance(mark, Mark)]
    n_others = min(max(room - len(ticks), 0), len(others))
    start = 1 if n_others == 1 < len(others) else len(others) - n_others
    kept = [*ticks[:room], *others[start : start + n_others]]
    return [mark for mark in marks if mark in kept]


def _sides(plan: DotPicture, axis: Axis) -> str:
    left, right = plan.sides
    zero = _place(axis, axis.zero)
    start = f"{f'{left} ◂'[:zero]:>{zero}}┊▸ {right}"
    start, head = f"{start:{BAR}}", f"{'mean':>7} (interval)"
    return start + head[max(LABEL + len(start) + len(head) - COLUMNS, 0) :]


def _wrapped(text: str) -> list[str]:
    return wrapped(text, COLUMNS - 1)


def _place(axis: Axis, value: float) -> int:
    share = (value - axis.low) / (axis.high - axis.low)
    return max(0, min(BAR - 1, round(share * (BAR - 1))))


def _bar(axis: Axis, mean: float, low: float, high: float, kind: str = "├─┤●") -> str:
    """Draw an interval and its mean; an arrow marks a mean beyond the axis."""
    cells, first, line, last, point = [" "] * BAR, *list(kind)
    zero = _place(axis, axis.zero)
    if mean > axis.high:
        cells[zero], cells[-1] = "┊", "▸"
        return "".join(cells)
    left, right = _place(axis, low), _place(axis, high)
    cells[left : right + 1] = line * (right + 1 - left)
    cells[left], cells[right] = first, last
    cells[zero] = "┼" if cells[zero] == "─" else "┊" if cells[zero] == " " else cells[zero]
    cells[_place(axis, mean)] = point
    return "".join(cells)


def _cut(label: str, space: int) -> str:
    """Return a label that takes this many cells; an ellipsis marks a longer one."""
    from rich.cells import cell_len, set_cell_size

    shown = visible(label)
    if cell_len(shown) > space:
        shown = set_cell_size(shown, space - 1) + "…"
    return set_cell_size(shown, space)


def _right(bar: str, mean: str, interval: str = "") -> str:
    return f"{bar} {mean:>6} {interval}".rstrip()


def _of_ruler(axis: Axis, mark: Mark | Ticks, digits: int, of_ticks: int) -> str:
    if isinstance(mark, Mark):
        bar = _bar(axis, mark.row.mean, mark.row.low, mark.row.high, "···◇")
        return _right(bar, number(mark.row.mean, digits))
    middle = sorted(mark.values)[len(mark.values) // 2]
    return _right(_bar(axis, middle, *mark.ends, "····"), "", mark.right(of_ticks))


def _axis_line(axis: Axis) -> str:
    """Label the ticks from zero outward; those that would touch another label have none."""
    cells = [" "] * BAR
    for tick in sorted(axis.ticks, key=lambda tick: abs(tick - axis.zero)):
        text = axis.text(tick)
        start = max(0, min(BAR - len(text), _place(axis, tick) - len(text) // 2))
        if {*cells[max(start - 1, 0) : start + len(text) + 1]} == {" "}:
            cells[start : start + len(text)] = text
    return "".join(cells).rstrip()


SIZE = 1200, 630
"""Width and height of shared cards, as social networks show them."""

TOP = 340
"""How far down the words of a card can reach, so that its picture has room."""

SCALES = (1.0, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3)
"""Scales of the letters of a card; the first at which its words fit is used."""

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
    for scale in SCALES:
        large, y = _words(answer, scale)
        if y <= TOP:
            break
    inside, room = "", height - 66 - y
    if answer.picture and room > 0:
        body, drawn = drawing(answer.picture, WIDE)
        place: dict[str, object] = {"x": 48, "y": y, "width": width - 96, "height": room}
        inside = node("svg", body, viewBox=f"0 0 740 {short(drawn)}", **place)
    foot = [text(NOT_SHOWN, 48, height - 40, style="font-size:20px")]
    foot.append(text(origin, 48, height - 16, "s", style="font-size:16px"))
    ground = node("rect", width=width, height=height, style="fill:var(--bg)")
    return _alone("".join([ground, *large, inside, *foot]), width, height)


def _words(answer: Answer, scale: float) -> tuple[list[str], float]:
    """Return the lines of a card above the picture, and where they end, at a scale of letters."""
    lines, y = list[str](), 34 + 40 * scale
    for words, size, step, most, weight in (
        (plain(answer.sentence), 31, 40, 55, ";font-weight:700"),
        (answer.deck, 22, 32, 94, ""),
    ):
        style = f"font-size:{short(size * scale)}px{weight}"
        for line in textwrap.wrap(words, int(most / scale)):
            lines.append(text(line, 48, y, style=style))
            y += step * scale
    return lines, y
