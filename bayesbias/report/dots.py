"""Dot rows: posteriors as 100 dots each, on one fixed axis, above a ruler of well-known lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log10
from textwrap import wrap

from ..records.rows import Row
from .numbers import number, percent
from .svg import NARROW, WIDE, Width, dots, label, node, picture, rule, short, text


@dataclass(frozen=True)
class Axis:
    """A fixed range of values, so that pages can be compared, with its ticks."""

    low: float = -0.18
    high: float = 0.46
    ticks: tuple[float, ...] = (-0.1, 0.0, 0.1, 0.2, 0.3, 0.4)
    zero: float = 0.0
    digits: int = 1

    def text(self, tick: float) -> str:
        """Return a tick as text: a percentage on an axis of shares."""
        return percent(tick) if self.zero else number(tick, self.digits) if tick else "0"

    def times(self, factor: float) -> Axis:
        """Return an axis that is `factor` times as long."""
        ticks = tuple(factor * tick for tick in self.ticks)
        digits = self.digits + max(0, round(-log10(factor)))
        return Axis(factor * self.low, factor * self.high, ticks, self.zero, digits)


LONGEST, NARROW_LONGEST = 22, 28
"""Largest number of letters in a line of a row's label, in pictures of both widths."""

LINE = 14
"""Height of a line of a label, in pixels."""

SAME = "the same measure for"
"""The line above the ruler, whose rows it starts."""

LIST, MANY = Axis(), Axis(-0.06, 0.14, (-0.05, 0.0, 0.05, 0.1), digits=2)
SHARES = Axis(0.25, 0.85, (0.3, 0.4, 0.5, 0.6, 0.7, 0.8), zero=0.5)
WHOLE = Axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), zero=0.5)


def axis_for(values: Sequence[float], first: Axis = LIST) -> Axis:
    """Return the first axis that holds the values, or one fitted to very small values.

    Few pages need another axis than the first: most differences of cosines are below .4. A few dots
    beyond an axis are drawn at its end.
    """
    ordered = sorted(values)
    few = len(ordered) // 33
    low, high = ordered[few], ordered[-1 - few]
    if first.zero:
        return first if first.low <= low and high <= first.high else WHOLE
    if max(-low, high) < 0.02 * first.high:
        factors = [10.0**-power for power in range(6, 0, -1)]
    else:
        factors = [1, 2, 4, 8]
    fits = (first.times(f) for f in factors if f * first.low <= low and high <= f * first.high)
    return next(fits, first.times(factors[-1]))


@dataclass(frozen=True)
class DotRow:
    """A posterior: its label, 100 quantiles, its mean and interval, and both as texts.

    `ticks` are the same measure in other lists.
    """

    label: str
    values: Sequence[float]
    ends: tuple[float, float, float]
    right: tuple[str, str]
    below: str = ""
    ticks: Sequence[float] = ()


@dataclass(frozen=True)
class Mark:
    """A row of the ruler: the estimate of a well-known list with its interval."""

    row: Row
    label: str

    def right(self, digits: int) -> str:
        """Return the estimate as text."""
        return number(self.row.mean, digits)


@dataclass(frozen=True)
class Ticks:
    """A row of the ruler with many estimates, such as one for each reference list."""

    label: str
    values: Sequence[float]
    ci_prob: float

    @property
    def ends(self) -> tuple[float, float]:
        """Two estimates, with at least this share between them, and as many on either side."""
        ordered = sorted(self.values)
        outside = int((1 - self.ci_prob) / 2 * len(ordered))
        return ordered[outside], ordered[-1 - outside]

    def right(self, digits: int) -> str:
        """Return the ends of most estimates as text."""
        return " to ".join(number(end, digits) for end in self.ends)


@dataclass(frozen=True)
class DotPicture:
    """Everything in a picture of dot rows; `sides` name the left and the right of zero.

    The ruler has as many `digits` as the numbers of the rows.
    """

    rows: Sequence[DotRow]
    ruler: Sequence[Mark | Ticks]
    sides: tuple[str, str]
    label: str
    axis: Axis
    unit: str
    digits: int = 2

    def svg(self) -> str:
        """Return the picture in both widths."""
        both = ((at, *drawing(self, at)) for at in (WIDE, NARROW))
        return "".join(picture([body], at, height, self.label) for at, body, height in both)


def drawing(plan: DotPicture, at: Width) -> tuple[str, float]:
    """Return the elements of one width of a picture, and its height."""
    return _Drawing(plan, at).drawn()


class _Drawing:
    """One width of a picture, drawn from top to bottom; `y` is the place of the next row."""

    def __init__(self, plan: DotPicture, at: Width) -> None:
        self.plan, self.at, self.axis = plan, at, plan.axis
        self.x = at.scale(self.axis.low, self.axis.high)
        self.y, self.back, self.ink = 20.0, list[str](), list[str]()

    def drawn(self) -> tuple[str, float]:
        """Draw all rows and the axis; return the elements and the height."""
        radius = self._radius()
        for row in self.plan.rows:
            self._row(row, radius)
        if self.plan.ruler:
            self.y += 26
            place, cls = (0, "s b") if self.at.narrow else (-12, "s b r")
            self.ink.append(text(SAME, self.at.left + place, self.y, cls))
        beside_rows = any(row.ticks for row in self.plan.rows)
        for mark in self.plan.ruler:
            if not (beside_rows and isinstance(mark, Ticks)):
                self._mark(mark)
        return "".join([*self._axis(), *self.back, *self.ink]), self.y + 34

    def _stacks(self, values: Sequence[float], radius: float) -> dict[int, int]:
        """Count the dots of each column; no column lies on both sides of zero."""
        unit = (self.x(self.axis.high) - self.x(self.axis.low)) / (self.axis.high - self.axis.low)
        step, counts = 2 * radius / unit, defaultdict[int, int](int)
        for value in values:
            inside = min(max(value, self.axis.low), self.axis.high - step)
            counts[int((inside - self.axis.zero) // step)] += 1
        return counts

    def _radius(self) -> float:
        """Return the largest radius with which no stack is too tall."""
        tallest = min(100.0, max(28.0, 300.0 / len(self.plan.rows)))
        alone = len(self.plan.rows) == 1
        radius = (3.6 if alone else 3.0) if self.at.narrow else (5.4 if alone else 3.4)
        while radius > 1.4 and any(
            2 * radius * max(self._stacks(row.values, radius).values()) > tallest
            for row in self.plan.rows
        ):
            radius -= 0.1
        return radius

    def _row(self, row: DotRow, radius: float) -> None:
        stacks, at = self._stacks(row.values, radius), self.at
        bold, plain = row.right
        lines = wrap(row.label, LONGEST) or [""]
        if at.narrow:
            among = [other.label for other in self.plan.rows]
            place = at.left, self.y + 13
            self.ink.append(label(row.label, NARROW_LONGEST, *place, "n", among=among))
            both = node("tspan", bold, cls="b") + f" {plain}"
            self.ink.append(node("text", both, x=at.width - at.right, y=self.y + 13, cls="s r"))
            self.y += 18
        height = max(2 * radius * max(stacks.values()), 18 if at.narrow else 18 + LINE * len(lines))
        base, zero = self.y + height, self.x(self.axis.zero)
        _, low, high = (self.x(end) for end in row.ends)
        places = defaultdict[str, list[tuple[float, float]]](list)
        for column, count in stacks.items():
            x, side = zero + (column + 0.5) * 2 * radius, "with" if column >= 0 else "against"
            inside = low - radius <= x <= high + radius
            places[side if inside else f"{side} dim"] += [
                (x, base - radius - level * 2 * radius) for level in range(count)
            ]
        for cls, some in places.items():
            self.back.append(dots(some, radius - 0.35, cls))
            if cls.startswith("against"):
                self.back.append(dots(some, radius - 1.6, "hole"))
        self.back.append(rule(at.left, base + 1, at.width - at.right, base + 1, "base"))
        if not at.narrow:
            for above, line in enumerate(reversed(lines)):
                self.ink.append(text(line, at.left - 12, base - 12 - LINE * above, "n r"))
            self.ink.append(text(row.below, at.left - 12, base + 3, "s r") if row.below else "")
            self.ink.append(text(bold, at.width - at.right + 10, base - 12, "n"))
            self.ink.append(text(plain, at.width - at.right + 10, base + 3, "s"))
        self._ticks(row.ticks, base + 6)
        self.y = base + (8 if at.narrow else 14) + (6 if row.ticks else 0)

    def _ticks(self, values: Sequence[float], y: float) -> None:
        inside = (value for value in values if self.axis.low < value < self.axis.high)
        path = "".join(f"M{short(self.x(value))} {short(y - 4)}v8" for value in inside)
        self.back.append(node("path", d=path, cls="tick") if path else "")

    def _mark(self, mark: Mark | Ticks) -> None:
        at, y = self.at, self.y + (26 if self.at.narrow else 14)
        end, place = at.width - at.right, y - 10 if at.narrow else y + 4
        self.ink.append(
            text(mark.label, at.left - (0 if at.narrow else 12), place, "s" if at.narrow else "s r")
        )
        self.ink.append(
            text(
                mark.right(self.plan.digits),
                end + (0 if at.narrow else 10),
                place,
                "s r" if at.narrow else "s",
            )
        )
        if isinstance(mark, Ticks):
            self._ticks(mark.values, y)
        elif mark.row.mean > self.axis.high:
            self.back.append(node("path", d=f"M{short(end - 1)} {short(y)}l-9 -5v10z", cls="mark"))
        else:
            low, high = max(mark.row.low, self.axis.low), min(mark.row.high, self.axis.high)
            self.back.append(rule(self.x(low), y, self.x(high), y, "span"))
            if mark.row.high > self.axis.high:
                self.back.append(node("path", d=f"M{short(end)} {short(y)}l-7 -4v8z", cls="mark"))
            diamond = f"M{short(self.x(mark.row.mean))} {short(y - 5)}l5 5l-5 5l-5 -5z"
            self.back.append(node("path", d=diamond, cls="mark"))
        self.y = y + 5

    def _axis(self) -> Iterator[str]:
        """Yield grid lines, the line at zero, and the names of both sides."""
        y, axis, (left, right) = self.y + 6, self.axis, self.plan.sides
        for tick in axis.ticks:
            is_zero = abs(tick - axis.zero) < 1e-12
            yield rule(self.x(tick), 16, self.x(tick), y, "zero" if is_zero else "grid")
            yield text(axis.text(tick), self.x(tick), y + 13, "s c")
        zero = self.x(axis.zero)
        yield text(f"{right} →", zero + 6, 11, "s b hi")
        yield text(f"← {left}", zero - 6, 11, "s b lo r")
        end = self.at.width - self.at.right
        place, cls = (end, "s r") if self.at.narrow else (zero, "s")
        yield text(self.plan.unit, place, y + 26, cls)
