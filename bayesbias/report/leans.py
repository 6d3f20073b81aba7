"""Word leans: how much closer each stereotype word is to one group's words than to another's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .numbers import number, signed
from .svg import Width, node, picture, rule, short, text

ROW, STEP = 16.0, 13.0
"""Heights of a word's row and of a label of a baseline, in pixels."""


@dataclass(frozen=True)
class Panel:
    """Words under a title: their leans, after a change too if there is one.

    `kind` is "own" (filled), "other" (hollow), or "third" (ticks without names).
    """

    title: str
    kind: str
    words: Sequence[tuple[str, float, float | None]]

    @property
    def mean(self) -> float:
        """The mean lean, before any change."""
        return sum(lean for _, lean, _ in self.words) / len(self.words)


@dataclass(frozen=True)
class Leans:
    """A picture of panels below one another, with `baselines` as dashed lines."""

    panels: Sequence[Panel]
    sides: tuple[str, str]
    label: str
    baselines: Sequence[tuple[str, float]] = ()

    def svg(self) -> str:
        """Return the picture in both widths."""
        longest = max(len(word) for panel in self.panels for word, _, _ in panel.words)
        left = min(10 + 6.6 * longest, 130)
        sizes = (Width("wide", 740, left, 10), Width("narrow", 372, left, 10))
        return "".join(_Drawing(self, at).svg() for at in sizes)


class _Drawing:
    """One width of a picture of leans; `y` is the place of the next row."""

    def __init__(self, plan: Leans, at: Width) -> None:
        self.plan, self.at = plan, at
        ends = [v for p in plan.panels for _, *pair in p.words for v in pair if v is not None]
        ends += [value for _, value in plan.baselines]
        self.low, self.high = min([*ends, 0.0]) - 0.03, max([*ends, 0.0]) + 0.03
        self.x = at.scale(self.low, self.high)
        left, right = plan.sides
        self.second = 13 if at.narrow and len(left) + len(right) > 46 else 0
        self.places = list(self._label_places())
        self.top = 18 + self.second + STEP * (1 + max([at for at, _ in self.places], default=-1))
        self.y = self.top + 4

    def _label_places(self) -> Iterator[tuple[int, float]]:
        """Yield each baseline label's line and its left end, so that no two labels overlap."""
        ends = list[float]()
        for name, value in self.plan.baselines:
            width = 6.2 * len(name)
            start = min(max(self.x(value) - width / 2, 2), self.at.width - width - 2)
            line = next((n for n, end in enumerate(ends) if end + 8 < start), len(ends))
            ends[line:] = [start + width, *ends[line + 1 :]]
            yield line, start

    def svg(self) -> str:
        """Draw the panels, then the baselines and the axis behind them."""
        body = [piece for panel in self.plan.panels for piece in self._panel(panel)]
        behind = [*self._baselines(), *self._axis()]
        return picture([*behind, *body], self.at, self.y + 18, self.plan.label)

    def _panel(self, panel: Panel) -> Iterator[str]:
        mean, start = self.x(panel.mean), self.y
        yield text(panel.title, 2, start + 12, "n")
        near = mean + 6 if mean < self.at.width - 90 else mean - 6
        cls = "s b" if near > mean else "s b r"
        yield text(f"mean {signed(panel.mean, 2)}", near, start + 13, cls)
        self.y += 18
        if panel.kind == "third":
            path = "".join(f"M{short(self.x(v))} {short(self.y + 1)}v12" for _, v, _ in panel.words)
            yield text(f"{len(panel.words)} words", self.at.left - 6, self.y + 11, "s r")
            yield node("path", d=path, cls="tick")
            self.y += ROW
        else:
            for word, lean, after in panel.words:
                yield from self._word(word, lean, after, panel.kind)
        yield rule(mean, start + 2, mean, self.y - 1, f"mean {panel.kind}")
        self.y += 8

    def _word(self, word: str, lean: float, after: float | None, kind: str) -> Iterator[str]:
        y, x = self.y + 7, self.x(lean)
        yield text(word[:20], self.at.left - 6, self.y + 11, "r small")
        yield rule(self.at.left, y, self.at.width - self.at.right, y, "guide")
        if after is None:
            yield node("circle", cx=x, cy=y, r=4.2, cls=kind)
        else:
            tip = self.x(after)
            side = 1 if tip > x else -1
            if abs(tip - x) > 8:
                yield rule(x + 4 * side, y, tip - 3 * side, y, f"arrow {kind}")
            yield node("circle", cx=x, cy=y, r=3.4, cls=f"ring {kind}")
            yield node("path", d=f"M{short(tip)} {short(y)}l{-7 * side} -4v8z", cls=f"tip {kind}")
        self.y += ROW

    def _baselines(self) -> Iterator[str]:
        for (name, value), (line, start) in zip(self.plan.baselines, self.places, strict=True):
            y = 26 + self.second + STEP * line
            yield text(name, start, y, "s")
            yield rule(self.x(value), y + 3, self.x(value), self.y, "baseline")

    def _axis(self) -> Iterator[str]:
        step = 0.1 if self.high - self.low < 0.75 else 0.2
        for place in range(int(self.low / step) - 1, int(self.high / step) + 2):
            value = place * step
            if self.low <= value <= self.high:
                yield rule(self.x(value), self.top, self.x(value), self.y, "grid")
                shown = number(value, 1) if place else "0"
                yield text(shown, self.x(value), self.y + 13, "s c")
        left, right = self.plan.sides
        yield text(f"← {left}", 2, 11, "s b")
        yield text(f"{right} →", self.at.width - self.at.right, 11 + self.second, "s b r")
