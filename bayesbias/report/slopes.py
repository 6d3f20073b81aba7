"""Slopes of covariates: each word as a point, and the line that the model found."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd

from ..records.found import ListRecord
from .numbers import number, signed
from .page import Drawing, Fold
from .svg import NARROW, WIDE, Width, node, picture, rule, text
from .tables import table

HEIGHT, TOP = 170.0, 24.0
"""Height of the area of points, and the space above it, in pixels."""


def slope_fold(record: ListRecord) -> Fold:
    """Return the fold on covariates: a picture of each slope in both widths, and the table."""
    rows, points = record.frame("slopes"), record.frame("slope_points")
    drawn = []
    for name in dict.fromkeys(points["covariate"]) if len(points) else ():
        slope = record.led("slopes").set_index("covariate").loc[name]
        interval = f"{signed(slope['low'])} to {signed(slope['high'])}"
        unit = f"distance per unit of {name.replace('_', ' ')}"
        title, some = f"{unit}: {signed(slope['mean'])} ({interval})", points["covariate"] == name
        sizes = (_drawing(points[some], float(slope["mean"]), title, at) for at in (WIDE, NARROW))
        drawn.append(Drawing("".join(sizes)))
    text = "Each point is a word: its mean distance. The line has the estimated slope."
    return Fold("What do covariates explain?", *drawn, *([text] if drawn else []), table(rows, ""))


def _drawing(points: pd.DataFrame, slope: float, title: str, at: Width) -> str:
    at = Width(at.name, at.width, 44, 12)
    xs, ys = (points[key].to_numpy(np.float64) for key in ("x", "y"))
    low, high, x = xs.min(), xs.max(), at.scale(xs.min(), xs.max())
    bottom, top = ys.min(), ys.max()

    def y(value: float) -> float:
        return TOP + HEIGHT * float((top - value) / (top - bottom))

    ends = [ys.mean() + slope * (end - xs.mean()) for end in (low, high)]
    body = [text(title, 2, 12, "s b"), rule(x(low), y(ends[0]), x(high), y(ends[1]), "zero")]
    for word, one, other in zip(points["word"], xs, ys, strict=True):
        place = {"cx": float(x(one)), "cy": float(y(other)), "r": 3.0}
        body.append(node("circle", node("title", escape(word)), cls="other", **place))
    body += [text(number(value, 2), 38, y(value) + 4, "s r") for value in (bottom, top)]
    foot = TOP + HEIGHT + 18
    body += [text(number(low, 1), x(low), foot, "s"), text(number(high, 1), x(high), foot, "s r")]
    return picture(body, at, foot + 6, title)
