"""One color and one marker for each connection, the same in every plot."""

from __future__ import annotations

COLORS = {
    "associated": "#D55E00",
    "different": "#0072B2",
    "neutral": "#555555",
    "human": "#CC79A7",
    "matched": "#603000",
}
"""Three hues of Okabe and Ito's color-blind-safe palette, a dark gray, and a dark brown.

Of all such sets with a contrast of 3 or more on white, it keeps its colors among the
farthest apart under protanopia, deuteranopia and tritanopia (22 units of CIE Lab or more).
"""

MARKERS = {"associated": "o", "different": "s", "neutral": "^", "human": "D", "matched": "v"}
"""Shapes, so no reading hangs on color alone."""

INK, QUIET, LINE, FAINT = "#1A1A1A", "#595959", "#8C8C8C", "#E3E3E3"
"""Titles and labels; notes, 7 to 1 on white; reference lines and axes; guides and grids."""

TINT, BAND = "#F4F4F2", "#F7EFD3"
"""Ground of summary rows, and of a band of values that the reader compares with."""

MISS, GREEN = "#A3122E", "#007E5C"
"""Observations outside what was expected; a green that stands for no connection."""
