"""Word leans: how much closer each stereotype word is to one group's words than to another's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import starmap
from math import ceil, floor, log10

from .numbers import digits_for, number
from .svg import Width, label, node, read_out, readable, rule, short, text

ROW = 16.0
"""Height of a word's row, in pixels."""

MARGIN = 0.07
"""Space on either side of the range of the words, as a share of the range."""

LETTER, GAP = 6.6, 6.0
"""Width of a letter, and the least space between two labels of the axis, in pixels."""


LONGEST = 17
"""Largest number of letters of a word's name."""


def apart(ticks: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Return the ticks whose labels have space; earlier ones come first."""
    kept = list[tuple[float, str]]()
    for x, shown in ticks:
        letters = [(abs(x - at), len(shown) + len(other)) for at, other in kept]
        if all(space >= LETTER * n / 2 + GAP for space, n in letters):
            kept.append((x, shown))
    return kept


@dataclass(frozen=True)
class Lean:
    """A word, how much closer it is, and the end of its arrow or the ends of its interval.

    `kind` is "own" (filled) or "other" (hollow); without one, words above zero are filled.
    """

    word: str
    value: float
    after: float | None = None
    ends: tuple[float, float] | None = None
    kind: str = ""

    @property
    def places(self) -> tuple[float, ...]:
        """Everything that is drawn."""
        return self.value, *(self.ends or ()), *(() if self.after is None else (self.after,))

    def said(self, digits: int) -> tuple[str, str]:
        """Return the word and its numbers, for the read-out."""
        value, *others = (number(place, digits) for place in self.places)
        if self.after is not None:
            return self.word, f": {value} before, {others[-1]} after"
        return self.word, f": {value} ({' to '.join(others)})"


@dataclass(frozen=True)
class Panel:
    """Words under a title, and a line at their mean, if they have one, with what it says."""

    title: str
    words: Sequence[Lean]
    mean: float | None = None
    says: str = ""


@dataclass(frozen=True)
class Leans:
    """A picture of panels below one another."""

    panels: Sequence[Panel]
    sides: tuple[str, str]
    label: str

    def html(self) -> str:
        """Return the picture in both widths, and the line that reads it out."""
        longest = max(len(one.word) for panel in self.panels for one in panel.words)
        left = min(10 + LETTER * longest, 130)
        sizes = (Width("wide", 740, left, 10), Width("narrow", 372, left, 10))
        words = [one for panel in self.panels for one in panel.words]
        digits = digits_for(*(place for one in words for place in one.places))
        values = {"t": [one.said(digits) for one in words]}
        return read_out("".join(_Drawing(self, at).svg() for at in sizes), values)


class _Drawing:
    """One width of a picture of leans; `y` is the place of the next row."""

    def __init__(self, plan: Leans, at: Width) -> None:
        self.plan, self.at = plan, at
        words = [one for panel in plan.panels for one in panel.words]
        self.words = {one.word for one in words}
        ends = [0.0, *(place for one in words for place in one.places)]
        self.range = max(ends) - min(ends) or 1.0
        self.low, self.high = min(ends) - MARGIN * self.range, max(ends) + MARGIN * self.range
        self.x = at.scale(self.low, self.high)
        left, right = plan.sides
        self.second = 13 if at.narrow and len(left) + len(right) > 46 else 0
        self.top = 18.0 + self.second
        self.y, self.rows = self.top + 4, list[float]()

    def svg(self) -> str:
        """Draw the panels, and the axis behind them."""
        body = [piece for panel in self.plan.panels for piece in self._panel(panel)]
        places = {"x": [0.0], "y": self.rows, "w": [self.at.width], "h": [ROW]}
        drawn, height = [*self._axis(), *body], self.y + 18
        return readable(drawn, self.at, height, self.plan.label, places=places, cls="map leans")

    def _panel(self, panel: Panel) -> Iterator[str]:
        start = self.y
        yield text(panel.title, 2, start + 12, "n")
        self.y += 18
        for one in panel.words:
            yield from self._word(one, one.kind or ("own" if one.value > 0 else "other"))
        if panel.mean is not None:
            mean = self.x(panel.mean)
            near = mean + 6 if mean < self.at.width - 90 else mean - 6
            yield text(panel.says, near, start + 13, "s b" if near > mean else "s b r")
            yield rule(mean, start + 2, mean, self.y - 1, "mean")
        self.y += 8

    def _word(self, one: Lean, kind: str) -> Iterator[str]:
        self.rows.append(self.y - 1)
        y, x = self.y + 7, self.x(one.value)
        place = self.at.left - 6, self.y + 11
        yield label(one.word, LONGEST, *place, "r small", among=self.words)
        yield rule(self.at.left, y, self.at.width - self.at.right, y, "guide")
        if one.ends is not None:
            yield rule(*(self.x(one.ends[0]), y), *(self.x(one.ends[1]), y), "span")
        if one.after is None:
            yield node("circle", cx=x, cy=y, r=4.2, cls=kind)
        else:
            tip = self.x(one.after)
            side = 1 if tip > x else -1
            if abs(tip - x) > 8:
                yield rule(x + 4 * side, y, tip - 3 * side, y, f"arrow {kind}")
            yield node("circle", cx=x, cy=y, r=3.4, cls=f"ring {kind}")
            yield node("path", d=f"M{short(tip)} {short(y)}l{-7 * side} -4v8z", cls=f"tip {kind}")
        self.y += ROW

    def _ticks(self, step: float, digits: int) -> list[tuple[float, str]]:
        """Return the place and the label of each multiple of a step; the first is zero."""
        numbers = range(ceil(self.low / step), floor(self.high / step) + 1)
        return [
            (self.x(n * step), number(n * step, digits) if n else "0")
            for n in sorted(numbers, key=abs)
        ]

    def _axis(self) -> Iterator[str]:
        """Draw the smallest step of 1, 2, or 5 whose labels fit, but at least two besides zero."""
        power = floor(log10(self.range))
        powers = range(power - 2, power + 1)
        steps = [(n * 10.0**at, max(1, -at)) for at in powers for n in (1, 2, 5)]
        several = [ticks for ticks in starmap(self._ticks, steps) if len(ticks) > 2]
        ticks = next((ticks for ticks in several if apart(ticks) == ticks), several[-1])
        for place, (x, _) in enumerate(ticks):
            yield rule(x, self.top, x, self.y, "grid" if place else "zero")
        for x, shown in apart(ticks):
            yield text(shown, x, self.y + 13, "s c")
        left, right = self.plan.sides
        yield text(f"← {left}", 2, 11, "s b")
        yield text(f"{right} →", self.at.width - self.at.right, 11 + self.second, "s b r")
