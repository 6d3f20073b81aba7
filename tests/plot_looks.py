"""Helpers that read drawn Axes, and a check that every plot must pass."""

from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.text import Text
from matplotlib.transforms import Bbox

TOUCH = 0.5
"""Pixels by which boxes may overlap, because the renderer rounds."""


def line(ax: Axes, label: str) -> Any:
    """Return the only line with a label."""
    (found,) = [each for each in ax.get_lines() if each.get_label() == label]
    return found


def points(ax: Axes) -> set[float]:
    """Return the positions of a forest plot's points, rounded."""
    drawn = [each for each in ax.get_lines() if each.get_linestyle() == "None"]
    values = np.concatenate([np.asarray(each.get_xdata(), dtype=float) for each in drawn])
    return set(values[np.isfinite(values)].round(9))


def bars(ax: Axes) -> set[tuple[float, float]]:
    """Return the ends of a forest plot's horizontal bars in data coordinates, rounded."""
    lines = [each for each in ax.collections if isinstance(each, LineCollection)]
    inside = [each for each in lines if each.get_transform().contains_branch(ax.transData)]
    parts = [part for each in inside for part in each.get_segments() if len(part) == 2]
    return {(round(start[0], 9), round(end[0], 9)) for start, end in parts if start[1] == end[1]}


def row_names(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


def beside(ax: Axes) -> list[str]:
    """Return the texts to the right of the Axes."""
    right = [text for text in ax.texts if text.get_transform() == ax.get_yaxis_transform()]
    return [text.get_text() for text in right if text.get_position()[0] > 1]


def legend_names(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    return [text.get_text() for text in legend.get_texts()] if legend else []


def shown_texts(ax: Axes) -> list[Text]:
    """Return every visible text of the Axes."""
    hidden: set[Text] = set()
    for axis in (ax.xaxis, ax.yaxis):  # ticks outside the limits are not drawn
        low, high = sorted(axis.get_view_interval())
        outside = [tick for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high]
        hidden |= {label for tick in outside for label in (tick.label1, tick.label2)}
    found = [each for each in ax.findobj(Text) if isinstance(each, Text) and each.get_visible()]
    return [text for text in found if text not in hidden and text.get_text().strip()]


def band_of(ax: Axes) -> tuple[float, float]:
    """Return the ends of the shaded band."""
    (patch,) = [each for each in ax.patches if each.get_gid() == "band"]
    box = patch.get_extents().transformed(ax.transData.inverted())
    return box.x0, box.x1


def assert_readable(*axes: Axes) -> None:
    """Check that texts do not overlap or extend beyond the figure."""
    figure: Any = axes[0].get_figure(root=True)
    figure.canvas.draw()
    texts = [text for ax in axes for text in shown_texts(ax)]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    assert len(boxes) > 3
    for (one, box), (other, another) in combinations(boxes, 2):
        wide = min(box.x1, another.x1) - max(box.x0, another.x0)
        high = min(box.y1, another.y1) - max(box.y0, another.y0)
        assert wide <= TOUCH or high <= TOUCH, f"{one!r} overlaps {other!r}"
    room = Bbox(figure.bbox.padded(TOUCH).get_points())
    for name, box in boxes:
        assert all(room.contains(*corner) for corner in box.corners()), name
