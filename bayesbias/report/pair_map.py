"""Pair map: every pair of words as a colored cell, with a read-out by pointer and keyboard."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import product
from textwrap import wrap

import numpy as np
import pandas as pd

from .numbers import digits_for
from .svg import Width, label, node, read_out, readable, short, text

LEVELS = 6
"""Number of color levels on each side; one path per level keeps large maps small."""

DARKEST = 0.97
"""Share of the deviations that are below the darkest level."""

SMALLEST = 8.5
"""Smallest width of a column with a readable name, in pixels."""

LONGEST, NARROW_LONGEST, LONGEST_COLUMN = 20, 11, 16
"""Largest number of letters of a row's name in both widths, and of a column's name."""

LETTER = 0.6
"""Width of a letter of a column's name, as a share of its size."""

GAP, TITLE = 7, 15


class PairMap:
    """A map of the frame from `word_pairs`, with blocks of groups and sets.

    `names` are the groups' names, and `sets` the sets' names by ``attribute_set``. Words and
    attributes are sorted by fit, so exceptions are at the bottom and right of each block. An
    attribute of two sets is in both. Cells have the darkest color from the deviation `darkest` on.
    """

    def __init__(
        self, pairs: pd.DataFrame, names: Mapping[str, str], sets: Mapping[str, str]
    ) -> None:
        self.names, self.sets = names, sets
        groups, own = list(dict.fromkeys(pairs["protected_group"])), pairs[pairs["own"]]
        self.own = set(zip(own["protected_group"], own["attribute_set"], strict=True))
        first = [name for group in groups for of, name in self.own if of == group]
        fit = {key: own.groupby(key)["deviation"].mean() for key in ("protected_word", "attribute")}
        blocks = [*dict.fromkeys([*first, *pairs["attribute_set"]])]
        self.words, self.rows = _sorted(pairs, "protected_group", groups, fit["protected_word"])
        self.attributes, self.columns = _sorted(pairs, "attribute_set", blocks, fit["attribute"])
        self.distances, self.deviations = (
            pairs.pivot_table(name, "protected_word", "attribute", dropna=False)
            .reindex(index=self.words, columns=self.attributes)
            .to_numpy(np.float64)
            for name in ("cosine_distance", "deviation")
        )
        self.darkest = float(np.nanquantile(abs(self.deviations), DARKEST)) or 1.0
        self.digits = digits_for(self.darkest)

    def html(self) -> str:
        """Return both widths, the values for the read-out, and the line that shows them."""
        values = {
            "w": self.words,
            "a": self.attributes,
            "d": _rounded(self.distances, self.digits),
            "r": _rounded(self.deviations, self.digits),
            "n": self.digits,
        }
        sizes = (Width("wide", 740, 0, 8), Width("narrow", 372, 0, 4))
        return read_out("".join(_Drawing(self, at).svg() for at in sizes), values)


def _rounded(values: np.ndarray, digits: int) -> list[list[int | None]]:
    """Return numbers in units of the last decimal, which are short."""
    units = (values * 10**digits).tolist()
    return [[None if np.isnan(value) else round(value) for value in row] for row in units]


def _sorted(
    pairs: pd.DataFrame, of: str, blocks: list[str], fit: pd.Series
) -> tuple[list[str], dict[str, list[int]]]:
    """Return the words of all blocks, best fit first, and each block's places."""
    names, places = list[str](), dict[str, list[int]]()
    for block in blocks:
        inside = dict.fromkeys(pairs.loc[pairs[of] == block, str(fit.index.name)])
        some = sorted(inside, key=lambda name: -fit.get(name, -9.0))
        places[block] = list(range(len(names), len(names) + len(some)))
        names += some
    return names, {block: where for block, where in places.items() if where}


class _Drawing:
    """One width of a pair map."""

    def __init__(self, plan: PairMap, at: Width) -> None:
        self.plan, self.at, narrow, longest = plan, at, at.narrow, max(map(len, plan.words))
        self.left = min(8 + (6.1 if narrow else 6.8) * longest, 88 if narrow else 150)
        n_gaps = GAP * (len(plan.columns) - 1)
        room = at.width - self.left - at.right - n_gaps
        self.cell = min((room - (14 if not narrow else 0)) / len(plan.attributes), 46)
        tall = min(17 if narrow else 20, max(11.0, self.cell))
        self.row = 11.0 if len(plan.words) >= 40 else tall
        self.named = self.cell >= SMALLEST
        letters = min(max(map(len, plan.attributes)), LONGEST_COLUMN) if self.named else 0
        self.slanted = not narrow and self.cell > 15
        self.titles = self._titles()
        lines = max(map(len, self.titles.values()), default=0)
        self.size = min(12.0, self.cell - 0.5)
        height = LETTER * self.size * letters * (0.82 if self.slanted else 1)  # sine of the angle
        self.top = 29 + TITLE * lines + height
        self.x, self.y = self._places()

    def _titles(self) -> dict[str, list[str]]:
        """Return the lines of each set's name, or nothing if one does not fit on two lines."""
        titles = {}
        for name, columns in self.plan.columns.items():
            room = int(self.cell * len(columns) / 8.4)
            lines = wrap(self.plan.sets.get(name, name), max(room, 1), break_long_words=False)
            if len(lines) > 2 or max(map(len, lines)) > room:
                return {}
            titles[name] = lines
        return titles

    def _places(self) -> tuple[list[float], list[float]]:
        """Return the left of every column and the top of every row."""
        xs, x = list[float](), self.left
        for columns in self.plan.columns.values():
            xs += [x + self.cell * place for place in range(len(columns))]
            x = xs[-1] + self.cell + GAP
        ys, y = list[float](), self.top
        for rows in self.plan.rows.values():
            ys += [y + self.row * place for place in range(len(rows))]
            y = ys[-1] + self.row + GAP + 15
        return xs, ys

    def svg(self) -> str:
        """Return the map, which takes the focus so that arrow keys can read it."""
        blocks, frames = list[str](), list[str]()
        for (group, rows), (name, columns) in product(
            self.plan.rows.items(), self.plan.columns.items()
        ):
            blocks.append(node("path", d=self._box(rows, columns, 0), cls="block"))
            if (group, name) in self.plan.own:
                frames.append(node("path", d=self._box(rows, columns, 1.5), cls="frame"))
        body = [*blocks, *self._cells(), *frames, *self._names()]
        places = {"x": self.x, "y": self.y, "w": [self.cell], "h": [self.row]}
        says = "Map of word pairs. Use the arrow keys to read the cells."
        return readable(body, self.at, self.y[-1] + self.row + 8, says, places=places)

    def _box(self, rows: list[int], columns: list[int], margin: float) -> str:
        x0, x1 = self.x[columns[0]] - margin, self.x[columns[-1]] + self.cell - 1 + margin
        y0, y1 = self.y[rows[0]] - margin, self.y[rows[-1]] + self.row - 1 + margin
        return f"M{short(x0)} {short(y0)}H{short(x1)}V{short(y1)}H{short(x0)}z"

    def _cells(self) -> list[str]:
        """Return one path for each color level: purple cells are closer, and green ones farther."""
        paths = defaultdict[tuple[bool, int], list[str]](list)
        for i, row in enumerate(self.plan.deviations.tolist()):
            for j, value in enumerate(row):
                if not np.isnan(value):
                    level = min(LEVELS, int(abs(value) / self.plan.darkest * LEVELS + 0.5))
                    place = f"M{short(self.x[j])} {short(self.y[i] + self.row / 2)}"
                    paths[value > 0, level].append(f"{place}h{short(self.cell - 1)}")
        return [
            node(
                "path",
                d="".join(some),
                cls="closer" if closer else "farther",
                style=f"stroke-opacity:{level / LEVELS:.2f}",
                stroke_width=f"{self.row - 1:.1f}",
            )
            for (closer, level), some in sorted(paths.items())
            if level
        ]

    def _names(self) -> list[str]:
        """Return the names of words, attributes, groups, and, if all of them fit, sets."""
        size, names = min(12.0, self.row - 0.5), list[str]()
        most = NARROW_LONGEST if self.at.narrow else LONGEST
        for i, word in enumerate(self.plan.words):
            place = self.left - 5, self.y[i] + self.row / 2 + size * 0.33
            style = f"font-size:{short(size)}px"
            names.append(label(word, most, *place, "r", among=self.plan.words, style=style))
        angle = -55 if self.slanted else -90
        for j, attribute in enumerate(self.plan.attributes if self.named else ()):
            x = self.x[j] + self.cell / 2 + (2 if self.slanted else self.size * 0.33)
            turn = f"translate({short(x)} {short(self.top - 20)}) rotate({angle})"
            style = f"font-size:{short(self.size)}px"
            among = self.plan.attributes
            names.append(
                label(attribute, LONGEST_COLUMN, 0, 0, among=among, transform=turn, style=style)
            )
        for group, rows in self.plan.rows.items():
            names.append(text(self.plan.names.get(group, group), 2, self.y[rows[0]] - 5, "n"))
        for of_set, lines in self.titles.items():
            x = self.x[self.plan.columns[of_set][0]]
            names += [text(line, x, 12 + TITLE * at, "n") for at, line in enumerate(lines)]
        return names
