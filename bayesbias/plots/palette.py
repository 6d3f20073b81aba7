"""Colors and markers. Each connection has the same color and marker in every plot."""

from __future__ import annotations

COLORS = {
    "associated": "#D55E00",
    "different": "#0072B2",
    "neutral": "#555555",
    "human": "#CC79A7",
    "matched": "#603000",
}
"""Three hues of Okabe and Ito's color-blind-safe palette, a dark gray, and a dark brown.

All have a contrast of 3 or more on white. Under protanopia, deuteranopia, and tritanopia, they are
at least 22 units of CIE Lab apart; few sets of this size do better.
"""

MARKERS = {"associated": "o", "different": "s", "neutral": "^", "human": "D", "matched": "v"}
"""Shapes, which make plots readable without color."""

INK, QUIET, LINE, FAINT = "#1A1A1A", "#595959", "#8C8C8C", "#E3E3E3"
"""Colors of labels, of notes (contrast 7 to 1 on white), of reference lines, and of grids."""

TINT, BAND = "#F4F4F2", "#F7EFD3"
"""Background colors of summary rows, and of bands of reference values."""

MISS, GREEN = "#A3122E", "#007E5C"
"""Color of unexpected observations, and a green that no connection uses."""
